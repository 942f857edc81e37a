"""A mechanism as native text, TOML or JSON, that reads back as an equal mechanism.

Numbers are written as exact decimals where they are such, else as expression text; an expression
that has no short text, or whose names are no identifiers, is written node by node.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Turn, Vec3
from ..errors import DalembertError, Place, UsageError, shown
from ..expr import Expr, Graph, decimal
from ..expr.exact import Exact, exact
from ..mechanism import Body, Mechanism, joint_name
from .dump import Literal, json_text, toml_text
from .expressions import expression, snap_angle
from .fields import exact_turn
from .native import FORMAT

LONGEST = 2000  # characters of an expression text; longer ones may share parts and are nodes
ZERO = Vec3(0, 0, 0)


def native_text(m: Mechanism, language: str = "toml") -> str:
    """Return a mechanism as native text, "toml" or "json"."""
    if language not in ("toml", "json"):
        raise UsageError(f"unknown language {shown(str(language))!r}", hint="toml or json")
    data = native_data(m)
    if language == "toml":
        # TOML has no null: symbols without a value stand in their own list
        values = data["parameters"]
        names = [p.name for p in m.parameters]
        given = [n for n in names if values[n] is not None]
        open_names = [n for n in names if values[n] is None]
        symbols = open_names if [*open_names, *given] == names else names
        data["parameters"] = {n: values[n] for n in given}
        if symbols:
            data["symbols"] = symbols
        return toml_text(_without_empty(data))
    return json_text(_without_empty(data))


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k == "bodies" or v not in ([], {}, None)}


def native_data(m: Mechanism) -> dict[str, Any]:
    """Return the native form of a mechanism: dicts, lists, texts, whole numbers and Literals."""
    m = m.coupled
    body = [b.name for b in m.bodies]
    joint = [joint_name(b) for b in m.bodies]

    def on(k: int) -> Any:
        return body[k] if k >= 0 else -1

    data: dict[str, Any] = {"format": FORMAT, "name": m.name, "gravity": vector(m.gravity)}
    data["symbols"] = []
    data["parameters"] = {
        p.name: None if p.value is None else number(p.value) for p in m.parameters
    }
    for key in ("active", "prescribed", "speeds"):
        data[key] = list(getattr(m, key))
    data["bodies"] = [_body(b, on(b.parent)) for b in m.bodies]
    data["frames"] = [
        _given(name=f.name, body=on(f.body), placement=placement(f.placement)) for f in m.named
    ]
    data["drives"] = [_drive(joint[d.joint], d) for d in m.drives]
    data["elastic"] = [
        _given(joint=joint[s.joint], stiffness=number(s.stiffness))
        | _unless_zero(rest=s.rest, damping=s.damping)
        for s in m.elastic
    ]
    data["springs"] = [
        _ends(s, on) | _unless_zero(stiffness=s.stiffness, length=s.length, damping=s.damping)
        for s in m.springs
    ]
    data["loops"] = [_loop(loop, on) for loop in m.loops]
    data["couplings"] = [
        {"joint": joint[c.joint], "of": joint[c.of], "ratio": number(c.ratio)}
        | _unless_zero(offset=c.offset)
        for c in m.couplings
    ]
    data["wheels"] = [
        _given(
            name=w.name,
            body=on(w.body),
            point=vector(w.point),
            normal=vector(w.normal),
            steer=w.steer,
            radius=None if w.radius is None else number(w.radius),
            spin=w.spin,
        )
        for w in m.wheels
    ]
    data["velocity_constraints"] = [
        {"name": c.name, "equation": c.equation} for c in m.velocity_constraints
    ]
    return data


def _given(**items: Any) -> dict[str, Any]:
    return {k: v for k, v in items.items() if v is not None}


def _unless_zero(**items: Any) -> dict[str, Any]:
    return {k: number(v) for k, v in items.items() if v != 0}


def _body(b: Body, parent: Any) -> dict[str, Any]:
    joint: dict[str, Any] = {"type": b.joint.kind}
    axis = getattr(b.joint, "axis", None)
    if axis is not None:
        joint["axis"] = vector(axis)
    if b.joint.kind == "screw":
        joint["pitch"] = number(b.joint.pitch)  # type: ignore[attr-defined]
    if b.joint_name:
        joint["name"] = b.joint_name
    place = placement(b.placement)
    if place is not None:
        joint["placement"] = place
    if b.limits:
        pairs = [[_bound(x, k) for k, x in enumerate(pair)] for pair in b.limits]
        joint["limits"] = pairs[0] if b.joint.nq == 1 else pairs
    for key in ("velocity_limit", "effort_limit"):
        if getattr(b, key) is not None:
            joint[key] = number(getattr(b, key))
    row: dict[str, Any] = {"name": b.name, "parent": parent, "joint": joint}
    inertia = b.inertia
    keys = ("com", "inertia") if inertia.at == "centre" else ("first_moment", "inertia_origin")
    if inertia.mass != 0:
        row["mass"] = number(inertia.mass)
    if inertia.lever != ZERO or inertia.at == "origin":
        row[keys[0]] = vector(inertia.lever)
    if inertia.tensor != Mat3.zero() or inertia.at == "origin":
        row[keys[1]] = tensor(inertia.tensor)
    return row


def _bound(x: Any, k: int) -> Any:
    """Return a limit; an open one is -inf or inf, which JSON writes as null."""
    return Literal(("-inf", "inf")[k]) if x is None else number(x)


def _drive(joint: str, d: Any) -> dict[str, Any]:
    # with a gear the rotor inertia is that of the motor itself
    row: dict[str, Any] = {"joint": joint}
    row |= _unless_zero(**{"Ia" if d.gear in (1, -1) else "Jm": d.inertia})
    if d.gear != 1:
        row["gear"] = number(d.gear)
    if d.coulomb != (0, 0):
        row["coulomb"] = [number(x) for x in d.coulomb]
    if d.static != (0, 0):
        row["static"] = [number(x) for x in d.static]
    return row | _unless_zero(viscous=d.viscous, stribeck=d.stribeck)


def _ends(record: Any, on: Any) -> dict[str, Any]:
    return {
        "body_i": on(record.body_i),
        "point_i": vector(record.point_i),
        "body_j": on(record.body_j),
        "point_j": vector(record.point_j),
    }


def _loop(loop: Any, on: Any) -> dict[str, Any]:
    row = _ends(loop, on) | {"joint": loop.joint}
    for key in ("axis", "axis_j"):
        if getattr(loop, key) is not None:
            row[key] = vector(getattr(loop, key))
    for key in ("rotation_i", "rotation_j"):
        if getattr(loop, key).factors:
            row[key] = rotation(getattr(loop, key))
    if loop.length is not None:
        row["length"] = number(loop.length)
    if loop.name:
        row["name"] = loop.name
    return row


# -- values ------------------------------------------------------------------------------------


def number(x: Exact) -> Any:
    """Return a number as a whole number, a Literal, an expression text or a table of nodes."""
    x = exact(x)
    if isinstance(x, int):
        return x if abs(x) < 2**63 else Literal(str(x), quoted=True)
    if isinstance(x, Fraction):
        text = decimal(x)
        return Literal(text, quoted="/" in text)
    return _expression(x)


def _expression(x: Expr) -> Any:
    if _size(x) <= LONGEST:
        text = repr(x)
        try:
            back = expression(text, Graph(), Place(""))
        except DalembertError:
            back = 0
        # the text must mean the very same expression, name by name
        if isinstance(back, Expr) and back == x and set(back.names()) == set(x.names()):
            return text
    graph, live = x.graph, x.graph.live([x.id])
    row = {i: k for k, i in enumerate(live)}
    nodes: list[list[Any]] = []
    for i in live:
        op = graph.op[i]
        if op == "const":
            nodes.append([op, number(graph.const[i])])  # type: ignore[arg-type]
        elif op == "param":
            nodes.append([op, graph.args[i][0]])
        else:
            nodes.append([op, *(row[a] for a in graph.operands(i))])
    return {"nodes": nodes}


def _size(x: Expr) -> int:
    """Return about how long the text of an expression is, shared parts written out."""
    graph = x.graph
    size: dict[int, int] = {}
    for i in graph.live([x.id]):
        own = len(str(graph.const[i])) if graph.op[i] == "const" else 3
        own = len(graph.args[i][0]) if graph.op[i] == "param" else own
        size[i] = own + sum(size[a] for a in graph.operands(i))
    return size[x.id]


def vector(v: Vec3) -> list[Any]:
    """Return three numbers."""
    return [number(x) for x in v]


def tensor(matrix: Mat3) -> list[Any]:
    """Return XX YY ZZ, with XY XZ YZ where they are not zero, or rows when not symmetric."""
    if matrix != matrix.T:
        return [[number(x) for x in r] for r in matrix.rows]
    six = matrix.six()
    return [number(x) for x in (six if any(x != 0 for x in six[3:]) else six[:3])]


def placement(T: Transform) -> dict[str, Any] | None:
    """Return a placement as translation and rotation; nothing for the identity."""
    row: dict[str, Any] = {}
    if T.p != ZERO:
        row["translation"] = vector(T.p)
    if T.R.factors:
        row["rotation"] = rotation(T.R)
    return row or None


def rotation(R: Rotation) -> list[Any]:
    """Return the factors of a rotation: an axis letter and an angle, or the rows of a matrix."""
    return [_factor(f) for f in R.factors]


def _factor(f: Turn | Mat3) -> list[Any]:
    if isinstance(f, Mat3):
        return [[number(x) for x in r] for r in f.rows]
    angle = exact(f.angle)
    graph = angle.graph if isinstance(angle, Expr) else Graph()
    if exact_turn(f.axis, angle, graph) != f:
        # cosine and sine are not those of the angle: only the matrix says what is meant
        return [[number(x) for x in r] for r in f.matrix().rows]
    if not isinstance(angle, Expr) and snap_angle(angle)[1] is not None:
        # a ratio is read as it stands, a decimal would become a multiple of pi
        ratio = Fraction(angle)
        return ["xyz"[f.axis], Literal(f"{ratio.numerator}/{ratio.denominator}", quoted=True)]
    return ["xyz"[f.axis], number(angle)]


# -- files -------------------------------------------------------------------------------------


def save(m: Mechanism, path: str | Path) -> None:
    """Write a mechanism to a native file, TOML or JSON by its ending, all of it or nothing."""
    target = Path(path)
    language = target.suffix.lower().removeprefix(".")
    if language not in ("toml", "json"):
        raise UsageError(
            f"cannot save to {shown(str(path))}", hint="end the name in .toml or .json"
        )
    data = native_text(m, language).encode("utf-8")
    write_atomically(target, data)


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file through a temporary one beside it, so that it is never half written."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    except OSError as error:
        raise UsageError(f"cannot write {shown(str(target))}: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError):
            raise UsageError(f"cannot write {shown(str(target))}: {error.strerror}") from None
        raise
