"""A tree of revolute, prismatic and fixed joints as a modified Denavit-Hartenberg table.

Every frame change is Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r) for some six numbers (Khalil 2010, eq
(1)), so each joint whose axis is z keeps its frame; the other frames are turned first, their mass
data with them, and the notes say so.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Turn, Vec3, is_plain_zero
from ..display import aligned
from ..errors import UsageError, shown
from ..expr import Expr, Graph, cos, sin
from ..expr.exact import exact, to_float
from ..inertia import Inertia
from ..joint import Fixed, Free, Prismatic, Revolute
from ..mechanism import Body, Drive, Mechanism
from ..mechanism.rehome import rehomed
from .dump import toml_text
from .exact_pose import is_numeric
from .fields import exact_turn
from .native_values import number, tensor, vector
from .native_writer import native_data

SIGMA = {Revolute: 0, Prismatic: 1, Fixed: 2}
COLUMNS = ("gamma", "b", "alpha", "d", "theta", "r")
Z = Vec3(0, 0, 1)
# quarter and half turns that bring z to an axis
TO_AXIS = {
    (1, 0, 0): (1, Fraction(1, 2)),
    (-1, 0, 0): (1, Fraction(-1, 2)),
    (0, 1, 0): (0, Fraction(-1, 2)),
    (0, -1, 0): (0, Fraction(1, 2)),
    (0, 0, -1): (0, Fraction(1)),
}


def write_mdh(m: Mechanism) -> tuple[str, list[str]]:
    """Return a mechanism as a TOML text with rows `[[dh]]`, and notes on what changed."""
    m = m.coupled
    for b in m.bodies:
        if type(b.joint) not in SIGMA:
            what = f"joint {shown(b.joint_name or b.name)!r} is {b.joint.kind}"
            hint = "a table has revolute, prismatic and fixed frames; write toml instead"
            raise _refused(what, hint)
    if not m.bodies:
        raise _refused("there are no bodies", "write toml instead")
    turned, notes = along_z(m)
    data = native_data(turned)
    values = data.pop("parameters")
    del data["bodies"], data["drives"]
    data["convention"] = "modified"
    data["symbols"] = [n for n, v in values.items() if v is None]
    data["parameters"] = {n: v for n, v in values.items() if v is not None}
    drives = {d.joint: d for d in turned.drives}
    rows = [_row(b, drives.get(j)) for j, b in enumerate(turned.bodies)]
    for row in rows:
        if any(isinstance(x, dict) for cell in row.values() for x in _parts(cell)):
            what = f"a number of {shown(row['name'])!r} has no short text"
            raise _refused(what, "write toml instead")
    if any(b.velocity_limit is not None or b.effort_limit is not None for b in m.bodies):
        notes.append("limits of speed and effort are not written")
    order = ("format", "name", "convention", "gravity", "symbols")
    head = {key: data.pop(key) for key in order}
    kept = {k: v for k, v in {**head, **data}.items() if v not in ([], {}, None)}
    return _table(rows) + toml_text({**kept, "dh": rows}), notes


def _refused(what: str, hint: str) -> UsageError:
    return UsageError(f"no Denavit-Hartenberg table: {what}", hint=hint)


def _table(rows: list[dict[str, Any]]) -> str:
    """Return the geometry once more, as remarks that show the table at a glance."""
    head = ("j", "a", "sigma", *COLUMNS)
    lines: list[tuple[str, ...]] = [head]
    for j, row in enumerate(rows, 1):
        cells = (row.get(name, 0) for name in head[1:])
        lines.append((str(j), *(shown(str(getattr(x, "text", x)), 40) for x in cells)))
    law = "frame j in a: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), q added to theta or r"
    return "".join(f"# {line}\n" for line in (law, *aligned(lines, words=()))) + "\n"


def _parts(cell: Any) -> list[Any]:
    return cell if isinstance(cell, list) else [cell]


# -- frames whose z axis is the joint axis -----------------------------------------------------


def along_z(m: Mechanism) -> tuple[Mechanism, list[str]]:
    """Return the mechanism with every joint axis along z of its frame; a free base stays."""
    graph = Graph()
    A = {j: _to_axis(b, graph) for j, b in enumerate(m.bodies)}
    if not any(R.factors for R in A.values()):
        return m, []
    A[-1] = Rotation()
    bodies = []
    for j, b in enumerate(m.bodies):
        back, own = Transform(A[b.parent].T), Transform(A[j])
        keeps = isinstance(b.joint, (Fixed, Free))
        joint = b.joint if keeps else type(b.joint)()  # type: ignore[call-arg]
        place, inertia = back @ b.placement @ own, b.inertia.moved(Transform(A[j].T))
        bodies.append(replace(b, placement=place, joint=joint, inertia=_exactly(inertia)))
    home = {j: (j, Transform(R.T)) for j, R in A.items()}
    moved = rehomed(m, {}, home, tuple(bodies), ())
    names = [shown(m.bodies[j].name, 40) for j, R in A.items() if R.factors]
    return moved, [f"frames turned so that z is the joint axis: {', '.join(names[:12])}"]


def _exactly(inertia: Inertia) -> Inertia:
    return inertia.map(lambda x: exact(x) if isinstance(x, Expr) else x)


def _to_axis(b: Body, graph: Graph) -> Rotation:
    axis = getattr(b.joint, "axis", Z)
    if axis == Z:
        return Rotation()
    if not all(is_numeric(x) for x in axis):
        what = f"the axis of joint {shown(b.joint_name or b.name)!r} depends on a parameter"
        raise _refused(what, "give it a value first")
    return toward(axis, graph)


def toward(axis: Vec3, graph: Graph) -> Rotation:
    """Return a rotation that brings z to a unit axis."""
    x, y, z = (to_float(v) for v in axis)
    if (x, y, z) == (0, 0, 1):
        return Rotation()
    if (x, y, z) in TO_AXIS:
        k, turns = TO_AXIS[x, y, z]  # type: ignore[index]
        return Rotation((exact_turn(k, graph.pi() * turns, graph),))
    # Rz(a) Ry(b) z = (cos a sin b, sin a sin b, cos b)
    a, b_ = math.atan2(y, x), math.atan2(math.hypot(x, y), z)
    turns_ = (exact_turn(2, exact(a), graph), exact_turn(1, exact(b_), graph))
    matrix = Rotation(turns_).matrix().map(lambda v: exact(to_float(v)))
    return Rotation.of(matrix)


# -- six numbers of a frame change -------------------------------------------------------------


def six_numbers(T: Transform, graph: Graph) -> tuple[Any, ...]:
    """Return γ, b, α, d, θ, r of a frame change, exact where its angles are."""
    axes = [f.axis if isinstance(f, Turn) else 1 for f in T.R.factors]
    if axes in ([2, 0], [2, 0, 2], [0], [0, 2], [2], []):
        turns = [f.angle for f in T.R.factors if isinstance(f, Turn)]
        x = axes.index(0) if 0 in axes else -1  # where Rx stands
        gamma, alpha, theta = (
            _lifted(a, graph)
            for a in (
                turns[0] if x == 1 else 0,
                turns[x] if x >= 0 else 0,
                turns[-1] if axes[-1:] == [2] else 0,
            )
        )
    else:
        gamma, alpha, theta = _euler(T.R.matrix(), graph)
    s = exact(sin(alpha))
    if is_plain_zero(s):
        half = exact(cos(alpha)) == -1
        return _parallel(T.p, theta - gamma if half else gamma + theta, half, graph)
    c, cg, sg = (exact(x) for x in (cos(alpha), cos(gamma), sin(gamma)))
    d = T.p.x * cg + T.p.y * sg
    across = T.p.x * sg - T.p.y * cg
    r = across / s if not is_plain_zero(across) else 0
    b = T.p.z - r * c
    return tuple(map(exact, (gamma, _rounded(b), alpha, _rounded(d), theta, _rounded(r))))


def _rounded(x: Any) -> Any:
    """Return a length; one without parameters that is not a decimal is rounded to 15 digits."""
    x = exact(x)
    return exact(float(f"{to_float(x):.15g}")) if isinstance(x, Expr) and is_numeric(x) else x


def _parallel(p: Vec3, total: Any, half: bool, graph: Graph) -> tuple[Any, ...]:
    """Return the six numbers when the axes are parallel: x goes along the common normal."""
    pi = graph.pi()
    if is_plain_zero(p.y):
        gamma, d = graph.constant(0), p.x
    elif is_plain_zero(p.x):
        gamma, d = pi * Fraction(1, 2), p.y
    elif is_numeric(p.x) and is_numeric(p.y):
        x, y = to_float(p.x), to_float(p.y)
        gamma, d = _lifted(_snapped(math.atan2(y, x), graph), graph), exact(math.hypot(x, y))
    else:
        what = f"the offset {p.x}, {p.y} between parallel axes has no angle without values"
        raise _refused(what, "give the parameters values")
    # Rz(γ) Rx(π) Rz(θ) = Rx(π) Rz(θ - γ)
    alpha, theta, r = (pi, total + gamma, -p.z) if half else (graph.constant(0), total - gamma, p.z)
    return tuple(map(exact, (gamma, 0, alpha, d, theta, r)))


def _euler(R: Mat3, graph: Graph) -> tuple[Any, Any, Any]:
    """Return γ, α, θ of R = Rz(γ) Rx(α) Rz(θ)."""
    if not all(is_numeric(x) for row in R.rows for x in row):
        what = "a rotation depends on parameters in a way that is no Rz Rx Rz"
        raise _refused(what, "give the parameters values")
    (a, _, x), (b, _, y), (u, v, z) = ([to_float(e) for e in row] for row in R.rows)
    s = math.hypot(x, y)
    if s < 1e-12:
        angles = (0.0, 0.0, math.atan2(b, a)) if z > 0 else (0.0, math.pi, math.atan2(-b, a))
    else:
        angles = (math.atan2(x, -y), math.atan2(s, z), math.atan2(u, v))
        if abs(angles[0]) > math.pi / 2 + 1e-12:
            # the same with the other sense of the common normal
            turned = math.remainder(angles[2] + math.pi, 2 * math.pi)
            angles = (math.remainder(angles[0] + math.pi, 2 * math.pi), -angles[1], turned)
    gamma, alpha, theta = (_lifted(_snapped(x, graph), graph) for x in angles)
    return gamma, alpha, theta


def _snapped(angle: float, graph: Graph) -> Any:
    k = round(angle * 12 / math.pi)
    if abs(angle - k * math.pi / 12) < 1e-12:
        return graph.pi() * Fraction(k, 12)
    return exact(angle)


def _lifted(x: Any, graph: Graph) -> Expr:
    return graph.adopt(x) if isinstance(x, Expr) else graph.constant(x)


# -- rows --------------------------------------------------------------------------------------


def _row(b: Body, drive: Drive | None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": b.name, "a": b.parent + 1, "sigma": SIGMA[type(b.joint)]}
    if b.joint_name and b.joint_name != b.name:
        row["joint"] = b.joint_name
    graph = Graph()
    place = b.placement.map(lambda x: graph.adopt(x) if isinstance(x, Expr) else x)
    for column, x in zip(COLUMNS, six_numbers(place, graph), strict=True):
        if not is_plain_zero(x):
            row[column] = number(x)
    inertia = b.inertia
    keys = ("com", "I") if inertia.at == "centre" else ("first_moment", "I_origin")
    if not is_plain_zero(inertia.mass):
        row["m"] = number(inertia.mass)
    if not inertia.lever.is_zero() or inertia.at == "origin":
        row[keys[0]] = vector(inertia.lever)
    if not all(is_plain_zero(x) for x in inertia.tensor.six()) or inertia.at == "origin":
        row[keys[1]] = tensor(inertia.tensor)
    if drive is not None:
        row |= _drive(drive)
    for low, high in b.limits:
        row |= {k: number(x) for k, x in (("qmin", low), ("qmax", high)) if x is not None}
    return row


def _drive(d: Drive) -> dict[str, Any]:
    at_joint = d.gear == 1
    names = ("Ia", "Fv", "Fs") if at_joint else ("Jm", "B", "Tc")
    row: dict[str, Any] = {} if at_joint else {"G": number(d.gear)}
    row |= {k: number(x) for k, x in ((names[0], d.inertia), (names[1], d.viscous)) if x != 0}
    if d.coulomb != (0, 0):
        row[names[2]] = [number(x) for x in d.coulomb]
    return row
