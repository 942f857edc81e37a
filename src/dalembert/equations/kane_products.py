"""Entries of Kane's steps that are left as products of entries of earlier steps.

D, C and tau by J, J_nh and their rates. Of a machine that leans also J = J_h J_nh and its rate,
C = J'F with F = M J̇ + W M J, and positions in the axes of the body that carries the rest.
Prescribed motion b is one more column: v0 = J_h b, c0 = J'F0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..algorithms import kane
from ..algorithms.kinematics import path, target_pose
from ..expr.formula import Product, Sum, Symbol
from .kane_lean import carried
from .kane_rates import RatePart
from .kane_step_names import Line, place_of
from .kane_value import products
from .ratio import Ratio, size

if TYPE_CHECKING:
    from .kane_form import KaneForm

LONG = 4  # terms of an entry beyond which it is written by others
Named = tuple[str, Any]  # a matrix and what it is called
Term = tuple[Any, list[tuple[str, int, int]]]  # a coefficient and entries of matrices


def row_number(form: KaneForm, r: int) -> int:
    """Return the number of a row of J among those that are kept."""
    return r // 6 * len(form.kept) + form.kept.index(r % 6) + 1


def _weights(form: KaneForm, *stacks: Named) -> Iterator[tuple[Any, str, int, int]]:
    """Yield what is not zero in the 6 x 6 matrices of all bodies: entry, name, row and column."""
    for k in range(len(form.bodies)):
        for r in form.kept:
            for s in form.kept:
                for name, stack in stacks:
                    if not is_plain_zero(stack[k][r][s]):
                        yield stack[k][r][s], name, 6 * k + r, 6 * k + s


# -- D, C, tau ---------------------------------------------------------------------------------


def part_product(form: KaneForm, part: RatePart) -> Sum:
    """Return J'MA of one part A of Jd as a sum of products."""
    terms = [
        (x, [("J", row_number(form, r), 1), (name, row_number(form, s), 1)])
        for x, name, r, s in _weights(form, (part.name, form.M))
        if not (is_plain_zero(form.J[r][0]) or is_plain_zero(part.slope[s][0]))
    ]
    return products(form.setting, terms)


def matrix_product(form: KaneForm, a: int, b: int, rates: bool = False) -> Sum:
    """Return D(a,b) or C(a,b) as a sum of products of entries of J and Jd."""
    terms: dict[tuple[tuple[str, int, int], ...], Any] = {}
    stacks = (("Jd", form.M), ("J", form.WM)) if rates else (("J", form.M),)
    for x, name, r, s in _weights(form, *stacks):
        right = form.J[s][b - 1] if name == "J" else form.J_dot[s][b - 1]
        if not (is_plain_zero(form.J[r][a - 1]) or is_plain_zero(right)):
            factors = (("J", row_number(form, r), a), (name, row_number(form, s), b))
            place = tuple(sorted(factors))
            terms[place] = terms.get(place, 0) + x
    found = [(x, list(place)) for place, x in terms.items() if not is_plain_zero(x)]
    return products(form.setting, [*found, *_rotors(form, a, b, rates)])


def _rotors(form: KaneForm, a: int, b: int, rates: bool) -> Iterator[Term]:
    """Yield what rotors add to D(a,b) or C(a,b), by J_nh; column 0 is that of b."""
    for k, Ia in form.rotors.items():
        left, right = form.J_nh[k][a - 1], form.J_nh[k][b - 1] if b else form.drift[k]
        slope = form.rates([right])[0] if rates else right
        if is_plain_zero(left) or is_plain_zero(slope):
            continue
        if rates:
            yield Ia * slope, [("J_nh", k + 1, a)]
        else:
            yield Ia, [("J_nh", k + 1, x) for x in sorted((a, b))]


def tau_product(form: KaneForm, a: int) -> Sum:
    """Return tau(a) as a sum of products of entries of J and the active forces."""
    flat = [x for w in form.omega for x in w]
    terms = [(x, [("J", row_number(form, r), a)]) for r, x in enumerate(flat)
             if r % 6 in form.kept and not is_plain_zero(x)
             and not is_plain_zero(form.J[r][a - 1])]  # fmt: skip
    terms += [(x, [("J_nh", k, a)]) for k, x in enumerate(form.on_rates, 1)
              if not is_plain_zero(x)]  # fmt: skip
    return products(form.setting, terms)


# -- J, its rate and F of a machine that leans -------------------------------------------------


def jacobian_lines(form: KaneForm) -> Iterator[Line]:
    """Yield the lines of J, and of what prescribed motion adds to v."""
    yield from _lines(form, "J", form.J, [("J_h", form.J_h, "J_nh", form.J_nh)])
    b = [[x] for x in form.drift]
    yield from _lines(form, "v0", form.moved[0], [("J_h", form.J_h, "b", b)], 0)


def rate_lines(form: KaneForm) -> Iterator[Line]:
    """Yield the lines of the rate of J_h, where it is long, and of that of J."""
    slope = [form.rates(row) for row in form.J_h]
    turned = [form.rates(row) for row in form.J_nh]
    for r, row in enumerate(slope):
        for k, x in enumerate(row, 1):
            if size(x) > 1:
                yield place_of("Jd_h", row_number(form, r), k), x
    pairs = [("Jd_h", slope, "J_nh", form.J_nh), ("J_h", form.J_h, "Jd_nh", turned)]
    yield from _lines(form, "Jd", form.J_dot, pairs)
    b = [[x] for x in form.drift]
    moved = [("Jd_h", slope, "b", b), ("J_h", form.J_h, "bd", [form.rates(row) for row in b])]
    yield from _lines(form, "vd0", form.moved[1], moved, 0)


def _lines(form: KaneForm, name: str, A: Any, pairs: Any, first: int = 1) -> Iterator[Line]:
    """Yield the lines of a stack that is a sum of products; columns are counted from `first`."""
    for r, row in enumerate(A):
        for a, x in enumerate(row if r % 6 in form.kept else ()):
            if not is_plain_zero(x):
                made = _product(form, pairs, (r, a), first) if size(x) > LONG else x
                yield place_of(name, row_number(form, r), a + first), made


def _product(
    form: KaneForm, pairs: Sequence[tuple[str, Any, str, Any]], at: tuple[int, int], first: int
) -> Sum:
    """Return the sum over k of A(r,k) B(k,a), for named matrices A and B; columns from `first`."""
    r, a = at
    terms: list[Term] = []
    for left, A, right, B in pairs:
        for k, (x, row) in enumerate(zip(A[r], B, strict=True), 1):
            if not (is_plain_zero(x) or is_plain_zero(row[a])):
                # an entry that is short stands for itself
                long = isinstance(x, Ratio) and size(x) > 1
                own = [(left, row_number(form, r), k)] if long else []
                other = [(right, k, a + first)] if isinstance(row[a], Ratio) else []
                scale = 1 if long else x
                terms.append((scale if other else scale * row[a], [*own, *other]))
    return products(form.setting, terms)


def force_lines(form: KaneForm) -> Iterator[Line]:
    """Yield the lines of F = M J̇ + W M J, a column for each speed, and of F0 by v0 and its rate."""
    for b in range(len(form.setting.alpha)):
        yield from _column(form, ("F", b + 1), ("Jd", form.J_dot), ("J", form.J), b)
    yield from _column(form, ("F0", 0), ("vd0", form.moved[1]), ("v0", form.moved[0]), 0)


def _column(
    form: KaneForm, made: tuple[str, int], rate: Named, own: Named, b: int
) -> Iterator[Line]:
    terms: dict[int, list[Term]] = {}
    stack = dict((rate, own))
    for x, name, r, s in _weights(form, (rate[0], form.M), (own[0], form.WM)):
        if not is_plain_zero(stack[name][s][b]):
            terms.setdefault(r, []).append((x, [(name, row_number(form, s), made[1])]))
    for r, found in terms.items():
        yield place_of(made[0], row_number(form, r), made[1]), products(form.setting, found)


def coriolis(form: KaneForm, a: int, b: int, said: Collection[str]) -> Sum:
    """Return C(a,b) as a sum of products of entries of J and of F as it was said, rotors too.

    Column 0 is that of prescribed motion: c0(a).
    """
    name = "F" if b else "F0"
    terms: list[Term] = []
    for k in range(len(form.bodies)):
        for r in form.kept:
            x, n = form.J[6 * k + r][a - 1], row_number(form, 6 * k + r)
            if not is_plain_zero(x) and place_of(name, n, b).name in said:
                own = [("J", n, a)] if isinstance(x, Ratio) else []
                terms.append((1 if own else x, [*own, (name, n, b)]))
    return products(form.setting, [*terms, *_rotors(form, a, b, rates=True)])


# -- positions in the axes of a body -----------------------------------------------------------


def position_lines(form: KaneForm) -> Iterator[Line] | None:
    """Yield step 3 in the axes of the body that carries the machine; None if there is none."""
    first = {path(form.m, j)[0] for j in form.bodies}
    if form.implicit is None or len(first) != 1 or not first <= form.implicit.steps.normals.keys():
        return None
    (j,) = first
    return _carried(form, j, form.bodies.index(j) + 1) if j in form.bodies else None


def _carried(form: KaneForm, j: int, b: int) -> Iterator[Line]:
    """Yield positions and turns of the other bodies in the axes of body b, whose R is printed."""
    m, s = form.m, form.setting
    seen, q = carried(m, j, s.q)
    start = [s.symbols.first[j] + k for k in range(3)]
    origin = [s.ring.symbol(s.symbols.index["q", k]) for k in start]
    for n, i in enumerate(form.bodies, 1):
        if i == j:
            continue
        pose = target_pose(seen, kane.centre(m, i), q)
        turn = form.cyclic.get(i)
        R = (pose.R if turn is None else pose.R @ turn.turn.T).matrix().rows
        yield f"body {n} in the axes of body {b}: centre c{n}, R{n} = R{b}*A{n}"
        centre = [Symbol(f"c{n}{u}", f"c_{{{n}{u}}}") for u in "xyz"]
        yield from zip(centre, pose.p, strict=True)
        yield from body_lines("A", n, R)
        for r, u in enumerate("xyz"):
            moved = [
                Product(1, ((_of_body("R", b, r, c), 1), (centre[c], 1)))
                for c in range(3)
                if not is_plain_zero(pose.p[c])
            ]
            at = Sum((Product(1, ((origin[r], 1),)), *moved))
            yield Symbol(f"{u}{n}", f"{u}_{{{n}}}"), at


def body_lines(letter: str, b: int, rows: Sequence[Sequence[Any]]) -> Iterator[Line]:
    """Yield the entries of a matrix of body b."""
    for r, row in enumerate(rows):
        for c, x in enumerate(row):
            yield _of_body(letter, b, r, c), x


def _of_body(letter: str, b: int, r: int, c: int) -> Symbol:
    at = f"({r + 1},{c + 1})"
    return Symbol(f"{letter}{b}{at}", f"{letter}_{{{b}}}", at)
