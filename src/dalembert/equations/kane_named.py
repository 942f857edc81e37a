"""Steps 3, 6 and 9 of a machine that leans, by entries of earlier steps.

J = J_h J_nh and its rate entry by entry, positions in the axes of the body that carries the rest,
C = J'F with F = M J̇ + W M J. Prescribed motion b is one more column: v0 = J_h b, c0 = J'F0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..algorithms import kane
from ..algorithms.kinematics import path, target_pose
from ..expr.formula import Product, Sum, Symbol
from .kane_lean import carried
from .kane_products import row_number
from .kane_step_names import Line
from .kane_value import place_of, products
from .ratio import Ratio, size

if TYPE_CHECKING:
    from .kane_form import KaneForm

LONG = 4  # terms of an entry beyond which it is written by others


def _factor(name: str, r: int, c: int, x: Any) -> tuple[Any, list[tuple[str, int, int]]]:
    """Return an entry as a coefficient and a name: one that is short stands for itself."""
    return (1, [(name, r, c)]) if isinstance(x, Ratio) and size(x) > 1 else (x, [])


def _product(
    form: KaneForm, pairs: list[tuple[str, Any, str, Any]], at: tuple[int, int], first: int
) -> Sum:
    """Return the sum over k of A(r,k) B(k,a), for named matrices A and B; columns from `first`."""
    r, a = at
    terms = []
    for left, A, right, B in pairs:
        for k, (x, row) in enumerate(zip(A[r], B, strict=True), 1):
            if not (is_plain_zero(x) or is_plain_zero(row[a])):
                number, own = _factor(left, row_number(form, r), k, x)
                other = [(right, k, a + first)] if isinstance(row[a], Ratio) else []
                scale = number if other else number * row[a]
                terms.append((scale, [*own, *other]))
    return products(form.setting, terms)


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
                n = row_number(form, r)
                yield Line(f"Jd_h({n},{k})", x, rf"\dot J_h({n},{k})")
    pairs = [("Jd_h", slope, "J_nh", form.J_nh), ("J_h", form.J_h, "Jd_nh", turned)]
    yield from _lines(form, "Jd", form.J_dot, pairs)
    b = [[x] for x in form.drift]
    moved = [("Jd_h", slope, "b", b), ("J_h", form.J_h, "bd", [form.rates(row) for row in b])]
    yield from _lines(form, "vd0", form.moved[1], moved, 0)


def _lines(form: KaneForm, name: str, A: Any, pairs: Any, first: int = 1) -> Iterator[Line]:
    for r, row in enumerate(A):
        if r % 6 not in form.kept:
            continue
        n = row_number(form, r)
        for a, x in enumerate(row):
            if not is_plain_zero(x):
                made = _product(form, pairs, (r, a), first) if size(x) > LONG else x
                yield _named(place_of(name, n, a + first), made)


def _named(symbol: Symbol, x: Any) -> Line:
    return Line(symbol.name, x, symbol.latex + symbol.tail)


def force_lines(form: KaneForm) -> Iterator[Line]:
    """Yield the lines of F = M J̇ + W M J, a column for each speed, and of F0 by v0 and its rate."""
    for b in range(len(form.setting.alpha)):
        yield from _column(form, ("F", b + 1), ("Jd", form.J_dot), ("J", form.J), b)
    yield from _column(form, ("F0", 0), ("vd0", form.moved[1]), ("v0", form.moved[0]), 0)


def _column(
    form: KaneForm, made: tuple[str, int], rate: tuple[str, Any], own: tuple[str, Any], b: int
) -> Iterator[Line]:
    for k in range(len(form.bodies)):
        M, W = form.M[k], form.W[k]
        WM = [[sum(W[r][t] * M[t][s] for t in range(6)) for s in range(6)] for r in range(6)]
        for r in form.kept:
            terms = []
            for s in form.kept:
                for x, (name, A) in ((M[r][s], rate), (WM[r][s], own)):
                    if not (is_plain_zero(x) or is_plain_zero(A[6 * k + s][b])):
                        terms.append((x, [(name, row_number(form, 6 * k + s), made[1])]))
            if terms:
                n = row_number(form, 6 * k + r)
                yield _named(place_of(made[0], n, made[1]), products(form.setting, terms))


def coriolis(form: KaneForm, a: int, b: int, said: Collection[str]) -> Sum:
    """Return C(a,b) as a sum of products of entries of J and of F as it was said, rotors too.

    Column 0 is that of prescribed motion: c0(a).
    """
    name = "F" if b else "F0"
    terms: list[tuple[Any, list[tuple[str, int, int]]]] = []
    for k in range(len(form.bodies)):
        for r in form.kept:
            x, n = form.J[6 * k + r][a - 1], row_number(form, 6 * k + r)
            if not is_plain_zero(x) and place_of(name, n, b).name in said:
                own = [("J", n, a)] if isinstance(x, Ratio) else []
                terms.append((1 if own else x, [*own, (name, n, b)]))
    for k, Ia in form.rotors.items():
        left, right = form.J_nh[k][a - 1], form.J_nh[k][b - 1] if b else form.drift[k]
        slope = form.rates([right])[0]
        if not (is_plain_zero(left) or is_plain_zero(slope)):
            terms.append((Ia * slope, [("J_nh", k + 1, a)]))
    return products(form.setting, terms)


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
        yield Line(f"body {n} in the axes of body {b}: centre c{n}, R{n} = R{b}*A{n}")
        for u, x in zip("xyz", pose.p, strict=True):
            yield Line(f"c{n}{u}", x, f"c_{{{n}{u}}}")
        for r in range(3):
            for c in range(3):
                yield Line(f"A{n}({r + 1},{c + 1})", R[r][c], f"A_{{{n}}}({r + 1},{c + 1})")
        for r, u in enumerate("xyz"):
            moved = [
                Product(1, ((_R(b, r, c), 1), (Symbol(f"c{n}{v}", f"c_{{{n}{v}}}"), 1)))
                for c, v in enumerate("xyz")
                if not is_plain_zero(pose.p[c])
            ]
            at = Sum((Product(1, ((origin[r], 1),)), *moved))
            yield Line(f"{u}{n}", at, f"{u}_{{{n}}}")


def _R(b: int, r: int, c: int) -> Symbol:
    at = f"({r + 1},{c + 1})"
    return Symbol(f"R{b}{at}", f"R_{{{b}}}", at)
