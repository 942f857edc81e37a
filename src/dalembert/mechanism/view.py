"""A mechanism as a readable table: plain text, and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from ..algebra import is_plain_zero
from ..display import aligned, table_html
from ..errors import shown
from ..expr import Expr
from ..expr.exact import to_float
from ..inertia import Inertia
from .follower import Follower, own_joint
from .mechanism import Mechanism
from .parts import Body, joint_name

HEAD = ("#", "joint", "type", "axis", "on", "offset", "rotation", "mass", "centre", "inertia")
LIMIT = 60  # rows printed before the middle is cut
LINES = 40  # of one kind of record


def _number(x: Any) -> str:
    text = str(x)
    if "/" in text or len(text) > 14:
        try:
            return f"{float(x):.6g}"
        except TypeError:
            known = isinstance(x, Expr) and not x.names()  # sin(1/10) has a value, L1*sin(a) none
            return f"{to_float(x):.6g}" if known else shown(text, 24)
    return text if not hasattr(x, "numerator") or isinstance(x, int) else f"{float(x):.6g}"


def vector(v: Any) -> str:
    """Return three numbers as short text, "0" for all zero."""
    return "0" if all(_number(x) == "0" for x in v) else " ".join(_number(x) for x in v)


def _rotation(R: Any) -> str:
    parts = []
    for f in R.factors:
        parts.append(f"R{'XYZ'[f.axis]}({_number(f.angle)})" if hasattr(f, "axis") else "matrix")
    return " ".join(parts) or "-"


def rows(m: Mechanism) -> list[tuple[str, ...]]:
    """Return one row per body: number, joint, type, axis, parent, placement, mass data.

    The number is that of the moving joint, as `lock` and the equations count; fixed ones have none.
    Of a long mechanism the middle is left out.
    """
    n, half = len(m.bodies), LIMIT // 2
    if n <= LIMIT:
        return _rows(m, range(n))
    gap = tuple("..." if k == 0 else "" for k in range(len(HEAD)))
    return [*_rows(m, range(half)), gap, *_rows(m, range(n - half, n))]


def _rows(m: Mechanism, which: range) -> list[tuple[str, ...]]:
    out: list[tuple[str, ...]] = []
    moving = (j for j, b in enumerate(m.bodies) if b.joint.nv)
    numbers = {j: str(k) for k, j in enumerate(moving, 1)}
    for j in which:
        b = m.bodies[j]
        axis = getattr(own_joint(b.joint), "axis", None)
        parent = "base" if b.parent < 0 else shown(m.bodies[b.parent].name, 24)
        inertia = b.inertia
        out.append(
            (
                numbers.get(j, "-"),
                shown(joint_name(b), 24),
                b.joint.kind,
                vector(axis) if axis is not None else "-",
                parent,
                vector(b.placement.p),
                _rotation(b.placement.R),
                _number(inertia.mass),
                *_centre_and_tensor(inertia),
            )
        )
    return out


def _centre_and_tensor(inertia: Inertia) -> tuple[str, str]:
    """Return the cells of mass centre and tensor; symbols about the origin stay as they are."""
    if inertia.is_massless():
        return "-", "-"
    given = (inertia.mass, *inertia.lever, *inertia.tensor.six())
    if inertia.at == "origin" and any(isinstance(x, Expr) and x.names() for x in given):
        moment, six = vector(inertia.lever), vector(inertia.tensor.six())
        centre = moment if moment == "0" else f"({moment})/{_number(inertia.mass)}"
        return centre, f"{six} at origin"
    return vector(inertia.centre), vector(inertia.about_centre.six())


def headline(m: Mechanism) -> str:
    """Return the name and the sizes of a mechanism in one line."""
    sizes = [_count(len(m.joint_names), "joint"), f"nq = {m.nq}", f"nv = {m.nv}"]
    if m.loops:
        sizes.append(_count(len(m.loops), "loop"))
    return f"{shown(m.name)}: {', '.join(sizes)}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def table(m: Mechanism) -> str:
    """Return the mechanism as a text table."""
    lines = aligned([HEAD, *rows(m)], words=range(len(HEAD)))
    return "\n".join([headline(m), *lines, *_footer(m)])


def _total(m: Mechanism) -> str:
    """Return the total mass: as a formula, and as a number where every mass has a value."""
    mass = m.total_mass
    if isinstance(mass, float):
        return f"{_number(mass)} kg"
    held = {p.name: p.value for p in m.parameters}
    known = all(held.get(name) is not None for name in mass.names())
    return _number(mass) + (f" = {_number(m.bound().total_mass)} kg" if known else "")


def _footer(m: Mechanism) -> list[str]:
    lines = [f"gravity: {vector(m.gravity)} m/s²", f"total mass: {_total(m)}"]
    lines += _limits(m)
    following = [_following(b) for b in m.bodies if isinstance(b.joint, Follower)]
    lines += following[:LINES]
    if len(following) > LINES:
        lines.append(f"... {len(following) - LINES} more joints that follow")
    if m.parameters:
        shown_parameters = [
            shown(p.name) + (f" = {_number(p.value)}" if p.value is not None else "")
            for p in m.parameters[:40]
        ]
        more = f", ... {len(m.parameters) - 40} more" if len(m.parameters) > 40 else ""
        lines.append("parameters: " + ", ".join(shown_parameters) + more)
    if m.named:
        lines.append("frames: " + ", ".join(shown(f.name) for f in m.named[:40]))
    for field, line in RECORD_LINES.items():
        records = getattr(m, field)
        lines += [line(m, record) for record in records[:LINES]]
        if len(records) > LINES:
            lines.append(f"... {len(records) - LINES} more {field.replace('_', ' ')}")
    for what, names in (("prescribed", m.prescribed), ("speeds", m.speeds), ("active", m.active)):
        if names:
            lines.append(f"{what}: " + ", ".join(map(shown, names[:40])))
    return lines


def _limits(m: Mechanism) -> list[str]:
    """Return a line of limits for each joint that has any: range, speed, force."""
    out = []
    for body in m.bodies:
        lengths = own_joint(body.joint).lengths
        pairs = body.joint.limits if isinstance(body.joint, Follower) else body.limits
        told = [
            "q " + " to ".join("-" if x is None else _number(x) for x in pair)
            + (" m" if k < lengths else " rad")
            for k, pair in enumerate(pairs)
            if pair != (None, None)
        ]  # fmt: skip
        own = ("m/s", "force", "N") if lengths else ("rad/s", "torque", "N m")
        for x, word, unit in (
            (body.velocity_limit, "speed", own[0]), (body.effort_limit, *own[1:])
        ):  # fmt: skip
            told += [f"{word} {_number(x)} {unit}"] if x is not None else []
        if told:
            out.append(f"limits {shown(joint_name(body))}: {', '.join(told)}")
    more = [f"... {len(out) - LINES} more joints with limits"] if len(out) > LINES else []
    return [*out[:LINES], *more]


def _following(body: Body) -> str:
    joint = body.joint
    assert isinstance(joint, Follower)
    return f"{shown(joint_name(body))} follows: {_line(joint.ratio, shown(joint.of), joint.offset)}"


def _line(ratio: Any, of: str, offset: Any) -> str:
    """Return ratio · of + offset as short text."""
    times = "" if ratio == 1 else "-" if ratio == -1 else f"{_number(ratio)}*"
    text = _number(offset)
    return f"{times}{of}" + (
        "" if is_plain_zero(offset) else f" - {text[1:]}" if text[0] == "-" else f" + {text}"
    )


def _joint(m: Mechanism, j: int) -> str:
    return shown(joint_name(m.bodies[j]))


def _body(m: Mechanism, j: int) -> str:
    return "base" if j < 0 else shown(m.bodies[j].name)


def _given(m: Mechanism, record: Any, **words: tuple[str, str]) -> str:
    """Return the numbers of a record that are not zero, each after its word and before its unit.

    A joint that does not move does not tell its units.
    """
    told, at = [], getattr(record, "joint", None)
    known = at is None or own_joint(m.bodies[at].joint).nv > 0
    for field, (word, unit) in words.items():
        x = getattr(record, field)
        cells = x if isinstance(x, tuple) else (x,)
        if not all(is_plain_zero(cell) for cell in cells):
            told.append(f"{word} {_both(cells)} {unit}" if known else f"{word} {_both(cells)}")
    return ", ".join(told) or "nothing"


def _both(cells: tuple[Any, ...]) -> str:
    """Return one number, or two: those at positive and at negative speed."""
    if len(cells) == 2 and is_plain_zero(cells[0] + cells[1]):
        return f"±{_number(cells[0])}"
    return " and ".join(map(_number, cells))


def _units(m: Mechanism, j: int) -> tuple[str, str]:
    """Return the units of the coordinate of a joint and of its force."""
    return ("m", "N") if own_joint(m.bodies[j].joint).lengths else ("rad", "N m")


def _ends(m: Mechanism, r: Any) -> str:
    here, there = _body(m, r.body_i), _body(m, r.body_j)
    return f"{here} at {vector(r.point_i)} to {there} at {vector(r.point_j)}"


def _loop(m: Mechanism, loop: Any) -> str:
    number = next(k for k, one in enumerate(m.loops, 1) if one is loop)
    about = f" about {vector(loop.axis)}" if loop.axis is not None else ""
    about += f" of length {_number(loop.length)}" if loop.length is not None else ""
    return f"loop {shown(loop.name or str(number))}: {loop.joint}{about}, {_ends(m, loop)}"


def _coupling(m: Mechanism, c: Any) -> str:
    return f"coupling: {_joint(m, c.joint)} = {_line(c.ratio, _joint(m, c.of), c.offset)}"


def _drive(m: Mechanism, d: Any) -> str:
    q, force = _units(m, d.joint)
    # forces at the joint; behind a gear, those of the motor, which turns
    turn, torque = (q, force) if d.gear in (1, -1) else ("rad", "N m")
    told = _given(
        m, d, inertia=("rotor inertia", "kg m²" if turn == "rad" else "kg"),
        viscous=("viscous", f"{torque} s/{turn}"), coulomb=("Coulomb", torque),
        static=("static", torque), stribeck=("Stribeck speed", f"{q}/s"),
    )  # fmt: skip
    gear = "" if d.gear == 1 else f", gear {_number(d.gear)}"
    return f"drive {_joint(m, d.joint)}: {told}{gear}"


def _elastic(m: Mechanism, s: Any) -> str:
    q, force = _units(m, s.joint)
    told = _given(m, s, stiffness=("stiffness", f"{force}/{q}"), rest=("rest", q),
                  damping=("damping", f"{force} s/{q}"))  # fmt: skip
    return f"elastic {_joint(m, s.joint)}: {told}"


def _spring(m: Mechanism, s: Any) -> str:
    told = _given(
        m, s, stiffness=("stiffness", "N/m"), length=("length", "m"), damping=("damping", "N s/m")
    )
    return f"spring: {_ends(m, s)}, {told}"


def _wheel(m: Mechanism, wheel: Any) -> str:
    told = f", steered by {shown(wheel.steer)}" if wheel.steer is not None else ""
    if wheel.radius is not None:
        told += f", rolling by {shown(str(wheel.spin))}, radius {_number(wheel.radius)}"
    if wheel.tyre is not None:
        told += f", a tyre of {_number(wheel.tyre.stiffness)} N/rad"
    body, at, normal = _body(m, wheel.body), vector(wheel.point), vector(wheel.normal)
    slips = "no slip along" if wheel.tyre is None else "slips along"
    return f"wheel {shown(wheel.name)}: on {body} at {at}, {slips} {normal}{told}"


def _rolling(m: Mechanism, c: Any) -> str:
    kind, size = c.kind.replace("_", " "), f", radius {_number(c.radius)}"
    told = size if c.kind != "knife_edge" else ""
    told += f", crown {_number(c.crown)}" if c.crown != 0 else ""
    ends = f"{_body(m, c.body_i)} at {vector(c.point_i)} on {_body(m, c.body_j)}"
    return f"{kind} {shown(c.name)}: {ends}{told}"


def _constraint(m: Mechanism, c: Any) -> str:
    return f"constraint {shown(c.name)}: {shown(c.equation, 200)}"


# field of a mechanism -> the line of one of its records
RECORD_LINES: dict[str, Callable[[Mechanism, Any], str]] = {
    "loops": _loop,
    "couplings": _coupling,
    "drives": _drive,
    "elastic": _elastic,
    "springs": _spring,
    "wheels": _wheel,
    "rolling": _rolling,
    "velocity_constraints": _constraint,
}


def html(m: Mechanism) -> str:
    """Return the mechanism as an HTML table; every name is escaped."""
    footer = "<br>".join(map(escape, _footer(m)))
    return f"{table_html(HEAD, rows(m), headline(m))}<p>{footer}</p>"
