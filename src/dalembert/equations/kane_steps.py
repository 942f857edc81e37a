"""Kane's ten steps as lists of named lines, which `sections.py` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..algebra import Turn, is_plain_zero
from ..errors import UsageError, shown
from ..expr.formula import Product, Sum, Symbol
from ..mechanism import joint_name
from . import kane_products
from .elimination import has_any
from .kane_cyclic import felt
from .kane_forces import tyre_lines
from .kane_loops import closure_lines, rate_lines
from .kane_products import body_lines, matrix_product, part_product, row_number, tau_product
from .kane_rates import RatePart, force_shares, over_D, rate_parts, summed
from .kane_regular import where_regular
from .kane_step_names import Line, place_of
from .kane_value import entry, multiple, products
from .ratio import Ratio, size
from .sections import Section
from .trig_form import formula_of

if TYPE_CHECKING:
    from .kane_form import KaneForm

READABLE = 20  # terms of an entry; longer ones are printed as products of earlier entries
ROUND = 5  # of one with quaternions, whose terms are long
FEW = 4  # terms below an entry of the inverse of D
AXES = ("vx", "vy", "vz", "wx", "wy", "wz")


def steps(form: KaneForm, only: Sequence[int] | None = None) -> list[Section]:
    """Return the ten steps, or those of some numbers; the others are not derived."""
    makers = (_frames, _coordinates, _positions, _holonomic, _speeds, _jacobian, _masses, _forces,
              _model, _state)  # fmt: skip
    for k in only or ():
        if k not in range(1, len(makers) + 1):
            raise UsageError(f"there is no step {k}", hint=f"steps 1 to {len(makers)}")
    made = [(k, *make(form)) for k, make in enumerate(makers, 1) if only is None or k in only]
    return [Section(title, [_written(form, x) for x in lines], step=k) for k, title, lines in made]


def _written(form: KaneForm, line: Line) -> str | tuple[Symbol, Sum]:
    return line if isinstance(line, str) else (line[0], entry(form.setting, line[1]))


def _frames(form: KaneForm) -> tuple[str, list[Line]]:
    lines: list[Line] = []
    for b, j in enumerate(form.bodies, 1):
        body = form.m.bodies[j]
        parent = "base" if body.parent < 0 else shown(form.m.bodies[body.parent].name)
        joint = f"{body.joint.kind} joint {shown(joint_name(body))}"
        lines.append(f"body {b}: {shown(body.name)}, {joint} on {parent}")
        for u, x in zip("xyz", body.inertia.centre, strict=True):
            if not is_plain_zero(x):
                lines.append((Symbol(f"centre{b}({u})", rf"c_{{{b},{u}}}"), x))
    kept = ", ".join(AXES[r] for r in form.kept)
    lines.append(f"v_i: velocity of the mass centre in body axes; components kept: {kept}")
    names = form.m.rate_joints
    for k, Ia in form.rotors.items():
        lines += [f"rotor of joint {shown(names[k])}", (place_of("Ia", k + 1), Ia)]
    rubs = (x for d in form.m.drives for x in (*d.coulomb, d.viscous))
    left = ["friction of drives"] if has_any([*rubs]) else []
    if len(form.springs) < len(form.m.springs):
        left.append("springs with a natural length or damping")
    return "frames", [*lines, "left out: " + ", ".join(left)] if left else lines


def _coordinates(form: KaneForm) -> tuple[str, list[Line]]:
    s = form.setting.symbols
    own = ", ".join(f"{shown(n)}" for n in s.coordinates[: s.p])
    lines: list[Line] = [f"q = [{own}], p = {s.p}"]
    if s.round:
        rates = ", ".join(s.rate_name(k) for k in range(1, s.n + 1))
        lines.append(f"rates = [{rates}]; v and w are in the axes of their body")
        lines.append("quaternions have length 1: qx**2+qy**2+qz**2+qw**2 = 1")
    if s.numbered:
        lines.append("joints: " + ", ".join(map(shown, form.m.joint_names)))
    if form.cyclic:
        there = felt(form.m)
        spun = [s.coordinate(c.rate + 1) for j, c in form.cyclic.items() if j not in there]
        unseen = f"cyclic, and in no step below: {', '.join(map(shown, spun))}; " if spun else ""
        lines.append(f"{unseen}bodies that are symmetric have axes that do not spin")
    told = [*s.steer, *(s.coordinate(k) for k in s.given)]
    if told:
        lines.append("prescribed: " + ", ".join(map(shown, told)))
    lines += [(Symbol(s.names[s.index["other", t]]), formula_of(x)) for t, x in s.others.items()]
    return "generalized coordinates", lines


def _positions(form: KaneForm) -> tuple[str, list[Line]]:
    lines: list[Line] = []
    moving = form.kept
    others = kane_products.position_lines(form)
    for b, (p, R) in enumerate(form.f, 1):
        if others is not None and form.m.bodies[form.bodies[b - 1]].parent >= 0:
            continue  # it stands in the axes of the body that carries it
        for r, u in enumerate("xyz"):
            if len(moving) == 6 or r in moving or not is_plain_zero(p[r]):
                lines.append((Symbol(f"{u}{b}", f"{u}_{{{b}}}"), p[r]))
        if len(R.factors) == 1 and isinstance(R.factors[0], Turn):
            lines.append((Symbol(f"angle{b}", rf"\varphi_{{{b}}}"), R.factors[0].angle))
        elif R.factors:
            lines += body_lines("R", b, R.matrix().rows)
    lines += others or ()
    return "f(q): positions of the mass centres, orientations", lines


def _entries(name: str, row: Sequence[Any], *at: int) -> list[Line]:
    """Return one line for each entry of a row, or of a vector, that is not zero."""
    found = enumerate(row, 1)
    return [(place_of(name, *at, c), x) for c, x in found if not is_plain_zero(x)]


def _holonomic(form: KaneForm) -> tuple[str, list[Line]]:
    kept, count = len(form.kept), len(form.bodies)
    bodies = f"{count} {'body' if count == 1 else 'bodies'}"
    lines: list[Line] = [f"{kept} rows per body, {bodies}; entries not listed are 0"]
    for r, row in enumerate(form.J_h):
        lines += _entries("J_h", row, row_number(form, r)) if r % 6 in form.kept else []
    return "J_h: v = J_h qd", lines


def _speeds(form: KaneForm) -> tuple[str, list[Line]]:
    s = form.setting.symbols
    names = [s.names[s.index[s.alpha_key(a)]] for a in range(len(s.speeds))]
    how = ", chosen by rank" if form.chosen and form.held else ""
    lines: list[Line] = [f"alpha = [{', '.join(names)}]{how}"]
    lines += closure_lines(form.closed) if form.closed else []
    lines += where_regular(form)
    if form.implicit:
        lines += form.implicit.step_lines(
            [*(x for row in form.constraints for x in row.H), *(x for w in form.omega for x in w)]
        )
    for r, row in enumerate(form.constraints, 1):
        lines += [f"constraint {r}: {shown(row.name)}", *_entries("H", row.H, r)]
        if not is_plain_zero(row.h):
            lines.append((place_of("h", r), row.h))
    if not form.held:
        lines.append("no velocity constraint: J_nh is the unit matrix")
        return "alpha and J_nh: qd = J_nh alpha", lines
    if form.implicit:
        lines += [*form.implicit.speed_lines(), *form.implicit.solution_lines()]
    for k, row in enumerate(form.J_nh, 1):
        lines += [(place_of("J_nh", k, c), x) for c, x in enumerate(row, 1)
                  if not (form.implicit and isinstance(x, Ratio))]  # fmt: skip
    told = [0 if form.implicit and isinstance(x, Ratio) else x for x in form.drift]
    lines += _entries("b", told)
    plus = " + b" if form.driven else ""
    return f"alpha and J_nh: qd = J_nh alpha{plus}", lines


def _jacobian(form: KaneForm) -> tuple[str, list[Line]]:
    if form.implicit:
        made = (*kane_products.jacobian_lines(form), *form.implicit.rate_lines(),
                *kane_products.rate_lines(form))  # fmt: skip
        return "J = J_h J_nh, Jd = dJ/dt", list(made)
    lines = _shared(form, "J", form.J)
    lines += rate_lines(form.closed) if form.closed else []
    parts = rate_parts(form)
    for part in parts:
        lines += _shared(form, part.name, part.slope)
    if parts:
        lines.append("Jd = " + summed([(p.name, p.rate) for p in parts]))
    else:
        lines += _shared(form, "Jd", form.J_dot)
    return "J = J_h J_nh, Jd = dJ/dt", lines


def _shared(form: KaneForm, name: str, A: Sequence[Sequence[Any]]) -> list[Line]:
    """Return the lines of a stack; an entry that is a multiple of another is written by it.

    So the speed of a mass centre across its body is its lever times the turning rate.
    """
    lines: list[Line] = []
    entries = {(r, c): x for r, row in enumerate(A) for c, x in enumerate(row, 1)
               if r % 6 in form.kept and not is_plain_zero(x)}  # fmt: skip
    by = {place: multiple(place, entries) for place in entries}

    def depth(place: Any) -> int:
        return 0 if by[place] is None else 1 + depth(by[place])

    for place, x in sorted(entries.items(), key=lambda e: (e[0][0] // 6, depth(e[0]))):
        at, (r, c) = by[place], place
        if at is not None:
            x = products(form.setting, [(x / entries[at], [(name, row_number(form, at[0]), c)])])
        lines.append((place_of(name, row_number(form, r), c), x))
    return lines


def _masses(form: KaneForm) -> tuple[str, list[Line]]:
    lines: list[Line] = form.implicit.spin_lines() if form.implicit else []
    for what, stack in (("M", form.M), ("W", form.W)):
        for b, A in enumerate(stack, 1):
            rows = [[A[r][c] for c in form.kept] for r in form.kept]
            lines += [line for line in body_lines(what, b, rows) if not is_plain_zero(line[1])]
    return "M and W of each body", lines


def _forces(form: KaneForm) -> tuple[str, list[Line]]:
    lines = list(tyre_lines(form))
    for b, w in enumerate(form.omega, 1):
        lines += [
            (Symbol(f"omega{b}({k})", rf"\omega_{{{b}}}", f"({k})"), w[r])
            for k, r in enumerate(form.kept, 1)
        ]
    lines += _entries("on_rate", form.on_rates)
    return "active forces and couples at the mass centres", lines


def _model(form: KaneForm) -> tuple[str, list[Line]]:
    n = range(1, len(form.setting.alpha) + 1)
    lines: list[Line] = []
    for a in n:
        for b in n:
            x = _entry(form, form.D, a, b, partial(matrix_product, form, a, b))
            if form.implicit and a > b:
                x = products(form.setting, [(1, [("D", b, a)])])
            lines.append((place_of("D", a, b), x))
    weighed = list(kane_products.force_lines(form)) if _by_forces(form) else []
    lines += weighed
    said = {x[0].name for x in weighed if not isinstance(x, str)}
    parts = rate_parts(form)
    for k, part in enumerate(parts, 1):
        lines.append((Symbol(f"C{k}", f"C_{{{k}}}"), part_product(form, part)))
    if parts:
        told = summed([(f"C{k}", p.rate) for k, p in enumerate(parts, 1)])
        lines.append(f"C(1,1) = {told}")
    for a in n if not parts else ():
        for b in n:
            if weighed:
                x = kane_products.coriolis(form, a, b, said)
            else:
                x = _entry(form, form.C, a, b, partial(matrix_product, form, a, b, rates=True))
            lines.append((place_of("C", a, b), x))
    for a in n:
        short = form.tau is not None and size(form.tau[a - 1]) <= _readable(form)
        x = form.tau[a - 1] if short and form.tau else tau_product(form, a)
        lines.append((place_of("tau", a), x))
    if form.implicit and form.driven:
        lines += [(place_of("c0", a), kane_products.coriolis(form, a, 0, said)) for a in n]
    else:
        lines += _entries("c0", form.drift_force)
    lines += _shares(form, parts) or _inverse(form, n)
    return "D = J'MJ, C = J'(M Jd + W M J), tau, g0, gw", lines


def _by_forces(form: KaneForm) -> bool:
    """Return whether C is written by F = M Jd + W M J: bodies lean, or quaternions make it long."""
    if form.implicit or not form.setting.symbols.round:
        return form.implicit is not None
    return form.C is None or any(size(x) > _readable(form) for row in form.C for x in row)


def _readable(form: KaneForm) -> int:
    return ROUND if form.setting.symbols.round else READABLE


def _entry(form: KaneForm, A: Any, a: int, b: int, product: Callable[[], Sum]) -> Any:
    """Return an entry that was multiplied out and is short enough to be read, else the product."""
    if A is None or size(A[a - 1][b - 1]) > _readable(form):
        return product()
    return A[a - 1][b - 1]


def _shares(form: KaneForm, parts: Sequence[RatePart]) -> list[Line]:
    """Return g0k and g_u of a machine of one speed; nothing where other forces act."""
    forces = force_shares(form) if parts else []
    if not forces:
        return []
    lines: list[Line] = [
        (Symbol(f"g0{k}", f"g_{{0{k}}}"), over_D(form, f"C{k}", -1))
        for k in range(1, len(parts) + 1)
    ]
    for force, share in forces:
        name = force.removeprefix("F_")
        lines.append((Symbol(f"g_{name}", f"g_{{{name}}}"), over_D(form, share)))
    return lines


def _inverse(form: KaneForm, n: range) -> Iterator[Line]:
    s = form.setting.symbols
    if len(n) == 1:
        v = s.names[s.index[s.alpha_key(0)]]
        yield f"gw(1,1) = 1/D(1,1), g0(1) = -C(1,1)*{v}/D(1,1)"
    elif form.gw is not None and all(_readable_ratio(x) for row in form.gw for x in row):
        for a in n:
            yield from ((place_of("gw", a, b), form.gw[a - 1][b - 1]) for b in n)
        yield "g0 = -gw*C*alpha"
    elif len(n) == 2:
        det = Symbol("detD", r"\det D")
        first, off, last = (place_of("D", *at) for at in ((1, 1), (1, 2), (2, 2)))
        yield det, Sum((Product(1, ((first, 1), (last, 1))), Product(-1, ((off, 2),))))
        adjoint = {(1, 1): (1, last), (1, 2): (-1, off), (2, 1): (-1, off), (2, 2): (1, first)}
        for at, (sign, x) in adjoint.items():
            yield place_of("gw", *at), Sum((Product(sign, ((x, 1),), ((det, 1),)),))
        yield "g0 = -gw*C*alpha"
    else:
        yield "gw = inverse of D, g0 = -gw*C*alpha"


def _readable_ratio(x: Any) -> bool:
    """Whether an entry of the inverse of D is short enough to be read."""
    return size(x) <= READABLE and (not isinstance(x, Ratio) or len(x.den) <= FEW)


def _state(form: KaneForm) -> tuple[str, list[Line]]:
    s = form.setting.symbols
    n = range(1, len(s.speeds) + 1)
    seconds = [s.names[s.index[("second", *s.alpha_key(a - 1))]] for a in n]
    lines: list[Line] = []
    parts = rate_parts(form)
    forces = force_shares(form) if parts else []
    if forces:
        v = s.names[s.index[s.alpha_key(0)]]
        own = summed([(f"g0{k}", p.rate) for k, p in enumerate(parts, 1)])
        acting = summed([(f"g_{f.removeprefix('F_')}", f) for f, _ in forces])
        lines.append(f"{seconds[0]} = ({own})*{v}+{acting}")
    elif form.held or form.balance is None or max(map(size, form.balance)) > _readable(form):
        c0 = form.driven and (form.implicit or any(not is_plain_zero(x) for x in form.drift_force))
        for a, name in zip(n, seconds, strict=True):
            acting = "+".join(f"gw({a},{b})*" + (f"(tau({b})-c0({b}))" if c0 else f"tau({b})")
                              for b in n)  # fmt: skip
            lines.append(f"{name} = g0({a})+{acting}")
    else:
        for a in n:
            motor = form.setting.force(a)
            balance = form.balance[a - 1] + motor
            none = is_plain_zero(motor)
            left = Symbol("0", "0") if none else Symbol(s.force_name(a), s.latex("force", a)[0])
            lines.append((left, balance))
    for k in range(1, s.n + 1):
        row = form.J_nh[k - 1]
        moved = sum(x * y for x, y in zip(row, form.setting.alpha, strict=True))
        rate = form.setting.field.gen("rate", k)
        total = moved + form.drift[k - 1]
        if is_plain_zero(total) or not is_plain_zero(total - rate):
            lines.append((Symbol(s.rate_name(k), s.latex("rate", k)[0]), total))
    if not form.held:
        lines.append("qd = alpha")
    lines += [
        (Symbol(f"{s.coordinates[k - 1]}d", rf"\dot {{{s.latex('q', k)[0]}}}"), x)
        for k, x in form.setting.quaternion_rates().items()
    ]
    return "state model", [*lines, "chi = f(q), step 3"]
