"""Kane's ten steps as lists of named lines, which `sections.py` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..algebra import Turn, is_zero
from ..errors import UsageError, shown
from ..expr.formula import Sum, Symbol
from ..mechanism import joint_name
from .kane_value import entry, products
from .ratio import size
from .sections import Section

if TYPE_CHECKING:
    from .kane_form import KaneForm

READABLE = 20  # terms of an entry; longer ones are printed as products of earlier entries
AXES = ("vx", "vy", "vz", "wx", "wy", "wz")


@dataclass(frozen=True, slots=True)
class Line:
    """name = value; or, with no value, a remark."""

    name: str
    value: Any = None
    latex_name: str = ""


def steps(form: KaneForm, only: Sequence[int] | None = None) -> list[Section]:
    """Return the ten steps, or those of some numbers; the others are not derived."""
    makers = (_frames, _coordinates, _positions, _holonomic, _speeds, _jacobian, _masses, _forces,
              _model, _state)  # fmt: skip
    for k in only or ():
        if k not in range(1, len(makers) + 1):
            raise UsageError(f"there is no step {k}", hint=f"steps 1 to {len(makers)}")
    made = [(k, *make(form)) for k, make in enumerate(makers, 1) if only is None or k in only]
    return [Section(f"step {k}: {title}", [_written(form, x) for x in lines])
            for k, title, lines in made]  # fmt: skip


def _written(form: KaneForm, line: Line) -> str | tuple[Symbol, Sum]:
    if line.value is None:
        return line.name
    return Symbol(line.name, line.latex_name), entry(form.setting, line.value)


def _frames(form: KaneForm) -> tuple[str, list[Line]]:
    lines = []
    for b, j in enumerate(form.bodies, 1):
        body = form.m.bodies[j]
        parent = "base" if body.parent < 0 else shown(form.m.bodies[body.parent].name)
        lines.append(Line(f"body {b}: {shown(body.name)}, {body.joint.kind} joint "
                          f"{shown(joint_name(body))} on {parent}"))  # fmt: skip
        for u, x in zip("xyz", body.inertia.centre, strict=True):
            if not is_zero(x):
                lines.append(Line(f"centre{b}({u})", x, rf"c_{{{b},{u}}}"))
    kept = ", ".join(AXES[r] for r in form.kept)
    lines.append(Line(f"v_i: velocity of the mass centre in body axes; components kept: {kept}"))
    names = [joint_name(b) for b in form.m.bodies for _ in range(b.joint.nv)]
    for k, Ia in form.rotors.items():
        lines.append(Line(f"rotor of joint {shown(names[k])}"))
        lines.append(Line(f"Ia({k + 1})", Ia, rf"I_a({k + 1})"))
    left = ["friction of drives"] if any(_rubs(d) for d in form.m.drives) else []
    if len(form.springs) < len(form.m.springs):
        left.append("springs with a natural length or damping")
    if left:
        lines.append(Line("left out: " + ", ".join(left)))
    return "frames", lines


def _rubs(d: Any) -> bool:
    return not all(is_zero(x) for x in (*d.coulomb, d.viscous))


def _coordinates(form: KaneForm) -> tuple[str, list[Line]]:
    s = form.setting.symbols
    own = ", ".join(f"{shown(n)}" for n in s.coordinates[: s.n])
    lines = [Line(f"q = [{own}], p = {s.n}")]
    if s.numbered:
        lines.append(Line("joints: " + ", ".join(map(shown, form.m.joint_names))))
    told = [*s.steer, *(s.coordinates[k - 1] for k in s.given)]
    if told:
        lines.append(Line("prescribed: " + ", ".join(map(shown, told))))
    for t in s.others:
        name = s.names[s.index["other", t]]
        lines.append(Line(f"{name} stands for {shown(t)}"))
    return "generalized coordinates", lines


def _positions(form: KaneForm) -> tuple[str, list[Line]]:
    lines = []
    moving = form.kept
    for b, (p, R) in enumerate(form.f, 1):
        for r, u in enumerate("xyz"):
            if len(moving) == 6 or r in moving or not is_zero(p[r]):
                lines.append(Line(f"{u}{b}", p[r], f"{u}_{{{b}}}"))
        if len(R.factors) == 1 and isinstance(R.factors[0], Turn):
            lines.append(Line(f"angle{b}", R.factors[0].angle, rf"\varphi_{{{b}}}"))
        elif R.factors:
            rows = R.matrix().rows
            lines += [
                Line(f"R{b}({r},{c})", rows[r - 1][c - 1], f"R_{{{b}}}({r},{c})")
                for r in (1, 2, 3) for c in (1, 2, 3)
            ]  # fmt: skip
    return "f(q): positions of the mass centres, orientations", lines


def _stack(form: KaneForm, name: str, latex_name: str, A: Sequence[Sequence[Any]]) -> list[Line]:
    lines, kept = [], form.kept
    for r, row in enumerate(A):
        if r % 6 in kept:
            at = r // 6 * len(kept) + kept.index(r % 6) + 1
            lines += [
                Line(f"{name}({at},{c})", x, f"{latex_name}({at},{c})")
                for c, x in enumerate(row, 1)
                if not is_zero(x)
            ]
    return lines


def _holonomic(form: KaneForm) -> tuple[str, list[Line]]:
    kept = len(form.kept)
    head = Line(f"{kept} rows per body, {len(form.bodies)} bodies; entries not listed are 0")
    return "J_h: v = J_h qd", [head, *_stack(form, "J_h", "J_h", form.J_h)]


def _speeds(form: KaneForm) -> tuple[str, list[Line]]:
    s = form.setting.symbols
    names = [s.names[s.index[s.alpha_key(a)]] for a in range(len(s.speeds))]
    how = ", chosen by rank" if form.chosen and form.constraints else ""
    lines = [Line(f"alpha = [{', '.join(names)}]{how}")]
    for r, row in enumerate(form.constraints, 1):
        lines.append(Line(f"constraint {r}: {shown(row.name)}"))
        lines += [Line(f"H({r},{c})", x, f"H({r},{c})")
                  for c, x in enumerate(row.H, 1) if not is_zero(x)]  # fmt: skip
        if not is_zero(row.h):
            lines.append(Line(f"h({r})", row.h, f"h({r})"))
    if not form.constraints:
        lines.append(Line("no velocity constraint: J_nh is the unit matrix"))
        return "alpha and J_nh: qd = J_nh alpha", lines
    for k, row in enumerate(form.J_nh, 1):
        lines += [Line(f"J_nh({k},{c})", x, rf"J_{{nh}}({k},{c})") for c, x in enumerate(row, 1)]
    lines += [Line(f"b({k})", x, f"b({k})") for k, x in enumerate(form.drift, 1) if not is_zero(x)]
    plus = " + b" if any(not is_zero(x) for x in form.drift) else ""
    return f"alpha and J_nh: qd = J_nh alpha{plus}", lines


def _jacobian(form: KaneForm) -> tuple[str, list[Line]]:
    lines = _stack(form, "J", "J", form.J)
    return "J = J_h J_nh, Jd = dJ/dt", lines + _stack(form, "Jd", r"\dot J", form.J_dot)


def _masses(form: KaneForm) -> tuple[str, list[Line]]:
    lines = []
    for what, stack in (("M", form.M), ("W", form.W)):
        for b, A in enumerate(stack, 1):
            for r, row in enumerate(form.kept, 1):
                for c, column in enumerate(form.kept, 1):
                    x = A[row][column]
                    if not is_zero(x):
                        lines.append(Line(f"{what}{b}({r},{c})", x, f"{what}_{{{b}}}({r},{c})"))
    return "M and W of each body", lines


def _forces(form: KaneForm) -> tuple[str, list[Line]]:
    lines = []
    for b, w in enumerate(form.omega, 1):
        lines += [
            Line(f"omega{b}({k})", w[r], rf"\omega_{{{b}}}({k})")
            for k, r in enumerate(form.kept, 1)
        ]
    for k, x in enumerate(form.on_rates, 1):
        if not is_zero(x):
            lines.append(Line(f"on_rate({k})", x, f"Q({k})"))
    return "active forces and couples at the mass centres", lines


def _model(form: KaneForm) -> tuple[str, list[Line]]:
    n = range(1, len(form.setting.alpha) + 1)
    lines = []
    for a in n:
        for b in n:
            x = _entry(form.D, a, b, partial(_left, form, a, b))
            lines.append(Line(f"D({a},{b})", x, f"D({a},{b})"))
    for a in n:
        for b in n:
            x = _entry(form.C, a, b, partial(_left, form, a, b, rates=True))
            lines.append(Line(f"C({a},{b})", x, f"C({a},{b})"))
    for a in n:
        short = form.tau is not None and size(form.tau[a - 1]) <= READABLE
        x = form.tau[a - 1] if short and form.tau else _left_tau(form, a)
        lines.append(Line(f"tau({a})", x, rf"\tau({a})"))
    lines += [Line(f"c0({a})", x, f"c_0({a})")
              for a, x in enumerate(form.drift_force, 1) if not is_zero(x)]  # fmt: skip
    lines += _inverse(form, n)
    return "D = J'MJ, C = J'(M Jd + W M J), tau, g0, gw", lines


def _entry(A: Any, a: int, b: int, product: Callable[[], Sum]) -> Any:
    """Return an entry that was multiplied out and is short enough to be read, else the product."""
    if A is None or size(A[a - 1][b - 1]) > READABLE:
        return product()
    return A[a - 1][b - 1]


def _inverse(form: KaneForm, n: range) -> Iterator[Line]:
    s = form.setting.symbols
    if len(n) == 1:
        v = s.names[s.index[s.alpha_key(0)]]
        yield Line(f"gw(1,1) = 1/D(1,1), g0(1) = -C(1,1)*{v}/D(1,1)")
    elif form.gw is not None and all(size(x) <= READABLE for row in form.gw for x in row):
        for a in n:
            for b in n:
                yield Line(f"gw({a},{b})", form.gw[a - 1][b - 1], f"g_w({a},{b})")
        yield Line("g0 = -gw*C*alpha")
    else:
        yield Line("gw = inverse of D, g0 = -gw*C*alpha")


def _row_number(form: KaneForm, r: int) -> int:
    return r // 6 * len(form.kept) + form.kept.index(r % 6) + 1


def _left(form: KaneForm, a: int, b: int, rates: bool = False) -> Sum:
    """Return D(a,b) or C(a,b) as a sum of products of entries of J and Jd."""
    terms: dict[tuple[tuple[str, int, int], ...], Any] = {}

    def add(x: Any, name: str, r: int, s: int) -> None:
        if is_zero(x) or is_zero(form.J[r][a - 1]):
            return
        right = form.J[s][b - 1] if name == "J" else form.J_dot[s][b - 1]
        if not is_zero(right):
            factors = (("J", _row_number(form, r), a), (name, _row_number(form, s), b))
            place = tuple(sorted(factors))
            terms[place] = terms.get(place, 0) + x

    for k in range(len(form.bodies)):
        M, W = form.M[k], form.W[k]
        WM = [[_sum_of(W[r][t] * M[t][s] for t in range(6)) for s in range(6)] for r in range(6)]
        for r in form.kept:
            for s in form.kept:
                add(M[r][s], "Jd" if rates else "J", 6 * k + r, 6 * k + s)
                if rates:
                    add(WM[r][s], "J", 6 * k + r, 6 * k + s)
    found = [(x, list(place)) for place, x in terms.items() if not is_zero(x)]
    return products(form.setting, [*found, *_left_rotors(form, a, b, rates)])


def _left_rotors(
    form: KaneForm, a: int, b: int, rates: bool
) -> Iterator[tuple[Any, list[tuple[str, int, int]]]]:
    """Yield what rotors add to D(a,b) or C(a,b), by J_nh."""
    for k, Ia in form.rotors.items():
        left, right = form.J_nh[k][a - 1], form.J_nh[k][b - 1]
        slope = form.rates([right])[0] if rates else right
        if is_zero(left) or is_zero(slope):
            continue
        if rates:
            yield Ia * slope, [("J_nh", k + 1, a)]
        else:
            yield Ia, [("J_nh", k + 1, x) for x in sorted((a, b))]


def _left_tau(form: KaneForm, a: int) -> Sum:
    flat = [x for w in form.omega for x in w]
    terms = [
        (x, [("J", _row_number(form, r), a)])
        for r, x in enumerate(flat)
        if r % 6 in form.kept and not is_zero(x) and not is_zero(form.J[r][a - 1])
    ]
    terms += [(x, [("J_nh", k + 1, a)]) for k, x in enumerate(form.on_rates) if not is_zero(x)]
    return products(form.setting, terms)


def _sum_of(parts: Iterator[Any]) -> Any:
    total: Any = 0
    for x in parts:
        total = total + x
    return total


def _state(form: KaneForm) -> tuple[str, list[Line]]:
    s = form.setting.symbols
    n = range(1, len(s.speeds) + 1)
    seconds = [s.names[s.index[("second", *s.alpha_key(a - 1))]] for a in n]
    lines = []
    if form.constraints or form.balance is None or max(map(size, form.balance)) > READABLE:
        c0 = any(not is_zero(x) for x in form.drift_force)
        for a, name in zip(n, seconds, strict=True):
            acting = "+".join(f"gw({a},{b})*" + (f"(tau({b})-c0({b}))" if c0 else f"tau({b})")
                              for b in n)  # fmt: skip
            lines.append(Line(f"{name} = g0({a})+{acting}"))
    else:
        for a in n:
            motor = form.setting.force(a)
            balance = form.balance[a - 1] + motor
            name = s.force_name(a) if not is_zero(motor) else "0"
            latex_name = s.latex("force", a)[0] if name != "0" else "0"
            lines.append(Line(name, balance, latex_name))
    for k in range(1, s.n + 1):
        row = form.J_nh[k - 1]
        moved = _sum_of(x * y for x, y in zip(row, form.setting.alpha, strict=True))
        rate = form.setting.field.gen("rate", k)
        total = moved + form.drift[k - 1]
        if not (is_zero(total - rate) if not is_zero(total) else False):
            lines.append(Line(s.rate_name(k), total, s.latex("rate", k)[0]))
    if not form.constraints:
        lines.append(Line("qd = alpha"))
    lines.append(Line("chi = f(q), step 3"))
    return "state model", lines
