"""New mechanisms from old: values given, gravity, payloads, attachments, re-rooting, locked joints.

Everything is pure: the result lives in a fresh graph of parameter expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

from .algebra import Mat3, Rotation, Transform, Vec3
from .errors import ModelError, ParameterError, Place, UsageError, shown
from .expr import Expr, Graph
from .expr.exact import Exact, exact, substitute, to_float
from .inertia import Inertia
from .joint import Free, Planar
from .mechanism import RECORDS, Body, Frame, Mechanism, Parameter, joint_name
from .rehome import flexible, merged, onto

BASES: dict[str, Any] = {"free": Free, "planar": Planar}


def number(value: Any, graph: Graph) -> Exact:
    """Return an exact number in a graph from a Python number, an expression or its text."""
    if isinstance(value, str):
        from .read.expressions import expression

        return expression(value, graph, Place("<value>", 1, 1, value))
    if isinstance(value, Expr):
        return exact(graph.adopt(value))
    return exact(value)


def into(m: Mechanism, graph: Graph, leaf: Any = None) -> Mechanism:
    """Return the mechanism with its expressions rebuilt in one graph."""

    def convert(x: Any) -> Any:
        y = substitute(x, graph, leaf)
        return exact(y) if isinstance(y, Expr) else y

    return m.map(convert)


def _checked(m: Mechanism) -> Mechanism:
    """Return the mechanism validated, with parameters that its numbers name declared."""
    from .validate import numbers

    known = {p.name for p in m.parameters}
    new: dict[str, None] = {}
    for x in numbers(m):
        if isinstance(x, Expr):
            new.update((n, None) for n in x.names() if n not in known)
    extra = tuple(Parameter(n) for n in new)
    return replace(m, parameters=m.parameters + extra, checked=False)


def with_values(m: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism with parameters given, exactly; they are parameters no more."""
    known = {p.name for p in m.parameters}
    for name in values:
        if name not in known:
            raise ParameterError(
                f"there is no parameter {shown(name)!r}",
                hint="parameters: " + ", ".join(map(shown, [p.name for p in m.parameters][:20])),
            )
    graph = Graph()
    given = {k: number(v, graph) for k, v in values.items()}

    def leaf(source: Graph, i: int) -> Any:
        return given.get(source.args[i][0]) if source.op[i] == "param" else None

    left = tuple(p for p in m.parameters if p.name not in given)
    return _checked(replace(into(m, graph, leaf), parameters=left))


def with_gravity(m: Mechanism, gravity: Sequence[Any]) -> Mechanism:
    """Return the mechanism in another gravity, components numbers, names or expressions."""
    if len(gravity) != 3:
        raise ModelError(f"gravity has {len(gravity)} components, not 3")
    graph = Graph()
    new = replace(into(m, graph), gravity=Vec3(*(number(x, graph) for x in gravity)))
    kept = [p for p in m.parameters if p.name != "G" or used(new, "G")]
    return _checked(replace(new, parameters=tuple(kept)))


def used(m: Mechanism, name: str) -> bool:
    """Return whether any number of the mechanism depends on a parameter."""
    from .validate import numbers

    return any(isinstance(x, Expr) and name in x.names() for x in numbers(m))


def tensor(value: Any, graph: Graph) -> Mat3:
    """Return a symmetric tensor from nothing, 3 diagonal entries, 6 entries or 3 rows."""
    if value is None:
        return Mat3.zero()
    rows = list(value)
    if len(rows) == 3 and all(hasattr(r, "__len__") and not isinstance(r, str) for r in rows):
        return symmetric([[number(x, graph) for x in r] for r in rows])
    six = [number(x, graph) for x in rows]
    if len(six) not in (3, 6):
        raise ModelError(f"an inertia has 3 or 6 entries, or 3 rows; not {len(six)} entries")
    return Mat3.symmetric(*six, *([0] * (6 - len(six))))


def symmetric(rows: Sequence[Sequence[Any]]) -> Mat3:
    """Return the tensor of three rows, which must be symmetric but for round-off."""
    from .validate import numeric

    if [len(r) for r in rows] != [3, 3, 3]:
        raise ModelError("an inertia has 3 rows of 3 entries")
    six = [rows[0][0], rows[1][1], rows[2][2]]
    scale = max((abs(to_float(x)) for r in rows for x in r if numeric(x)), default=0.0)
    for i, k in ((0, 1), (0, 2), (1, 2)):
        a, b = rows[i][k], rows[k][i]
        near = numeric(a, b) and abs(to_float(a) - to_float(b)) <= 1e-9 * scale
        if a != b and not near:
            raise ModelError("the inertia tensor is not symmetric")
        six.append(a if a == b else exact((a + b) / 2))
    return Mat3.symmetric(*six)


def with_payload(
    m: Mechanism, frame: str, mass: Any, com: Sequence[Any], inertia: Any
) -> Mechanism:
    """Return the mechanism with a rigid load on a frame; centre and tensor in that frame's axes."""
    graph = Graph()
    new = into(m, graph)
    body, placement = new.frame(frame)
    if body < 0:
        raise ModelError(f"frame {shown(frame)!r} is on the base: a payload there does not move")
    if len(com) != 3:
        raise ModelError(f"the mass centre has {len(com)} components, not 3")
    load = Inertia(
        number(mass, graph), Vec3(*(number(x, graph) for x in com)), tensor(inertia, graph)
    )
    carrier = new.bodies[body]
    merged = replace(carrier, inertia=carrier.inertia + load.moved(placement))
    bodies = (*new.bodies[:body], merged, *new.bodies[body + 1 :])
    return _checked(replace(new, bodies=bodies))


def attach(m: Mechanism, other: Mechanism, frame: str) -> Mechanism:
    """Return m with the base of `other` standing on a frame of m.

    Names of `other` that m already has get the prefix of its own name; parameters of the same name
    must have the same value.
    """
    graph = Graph()
    left, right = into(m, graph), into(other, graph)
    body, placement = left.frame(frame)
    rename = _renamed(left, right)
    shift = len(left.bodies)

    def index(k: int) -> int:
        return body if k < 0 else k + shift

    bodies = tuple(
        replace(
            b,
            name=rename[b.name],
            joint_name=rename[b.joint_name] if b.joint_name else "",
            parent=index(b.parent),
            placement=placement @ b.placement if b.parent < 0 else b.placement,
        )
        for b in right.bodies
    )
    changes: dict[str, Any] = {}
    for field in ("drives", "elastic", "springs", "loops", "couplings", "wheels", "named"):
        moved = tuple(_shifted(r, index, placement, rename) for r in getattr(right, field))
        changes[field] = getattr(left, field) + moved
    changes["changes"] = ()
    changes["velocity_constraints"] = left.velocity_constraints + tuple(
        replace(c, equation=_renamed_equation(c.equation, rename))
        for c in right.velocity_constraints
    )
    changes["speeds"] = left.speeds + right.speeds
    # a list of active joints on one side only: on the other side all are
    for field in ("active", "prescribed"):
        every = field == "active" and bool(left.active or right.active)
        mine = getattr(left, field) or (left.joint_names if every else ())
        theirs = getattr(right, field) or (right.joint_names if every else ())
        changes[field] = mine + tuple(rename.get(n, n) for n in theirs)
    values = {p.name: p for p in left.parameters}
    for p in right.parameters:
        if p.name in values and values[p.name].value != p.value:
            raise ParameterError(f"parameter {shown(p.name)!r} has two values")
        values.setdefault(p.name, p)
    parameters = tuple(values.values())
    return _checked(
        replace(left, bodies=left.bodies + bodies, parameters=parameters, checked=True, **changes)
    )


def _renamed(left: Mechanism, right: Mechanism) -> dict[str, str]:
    """Return name -> name for what `right` calls its frames and joints, none of them left's."""
    taken = {*left.frames, *map(joint_name, left.bodies)}
    names = dict.fromkeys([*right.frames, *map(joint_name, right.bodies)])
    taken_or_kept = taken | {n for n in names if n not in taken}
    rename = {}
    for n in names:
        choices = chain([f"{right.name}_{n}"], (f"{right.name}{k}_{n}" for k in count(2)))
        rename[n] = n if n not in taken else next(c for c in choices if c not in taken_or_kept)
        taken_or_kept.add(rename[n])
    return rename


def _renamed_equation(equation: str, rename: Mapping[str, str]) -> str:
    """Return a velocity constraint with the joints it names, `q` or `qd`, called anew."""

    def new(found: re.Match[str]) -> str:
        word = found[0]
        if word in rename:
            return rename[word]
        return rename[word[:-1]] + "d" if word[:-1] in rename and word[-1] == "d" else word

    return re.sub(r"[^\W\d]\w*", new, equation)


def _shifted(record: Any, index: Any, placement: Transform, rename: Mapping[str, str]) -> Any:
    """Return a record of an attached mechanism with its body numbers and names moved."""
    # what stood on the base now stands on a frame: points and directions follow
    changes: dict[str, Any] = onto(record, {-1: (-1, placement)}, strict=False)
    for field in ("body", "body_i", "body_j"):
        if hasattr(record, field):
            changes[field] = index(getattr(record, field))
    for field in ("steer", "spin"):
        if isinstance(getattr(record, field, None), str):
            changes[field] = rename.get(getattr(record, field), getattr(record, field))
    for field in ("joint", "of"):
        if isinstance(getattr(record, field, None), int):
            changes[field] = index(getattr(record, field))
    if isinstance(record, Frame):
        changes["name"] = rename.get(record.name, record.name)
        if record.body < 0:
            changes["placement"] = placement @ record.placement
    return replace(record, **changes)


def on_base(m: Mechanism, kind: str) -> Mechanism:
    """Return the mechanism as it is ("fixed"), or on a massless first body "base" that moves.

    The joint of that body is "free" or "planar"; what stood on the base now moves with it.
    """
    if kind == "fixed":
        return m
    if kind not in BASES:
        raise UsageError(f"base = {shown(str(kind))!r}", hint='write "fixed", "free" or "planar"')
    if m.bodies and isinstance(m.bodies[0].joint, (Free, Planar)):
        note = f"the base is {m.bodies[0].joint.kind} already: base = {kind!r} changes nothing"
        return replace(m, notes=(*m.notes, note), checked=True)
    taken = {*m.frames, *m.index}
    name = next(n for n in chain(["base"], map("base{}".format, count(1))) if n not in taken)
    root = Body(name, -1, joint=BASES[kind]())
    changes: dict[str, Any] = {
        field: tuple(_shifted(r, lambda k: k + 1, Transform(), {}) for r in getattr(m, field))
        for field in RECORDS
    }
    bodies = (root, *(replace(b, parent=b.parent + 1) for b in m.bodies))
    return replace(m, bodies=bodies, **changes, changes=(), checked=False)


def transform(pose: Transform | Sequence[Sequence[Any]], graph: Graph) -> Transform:
    """Return a Transform from one, or from 4 x 4 (or 3 x 4) rows."""
    if isinstance(pose, Transform):
        return pose.map(lambda x: number(x, graph))
    rows = [[number(x, graph) for x in row] for row in pose]
    if len(rows) not in (3, 4) or any(len(r) != 4 for r in rows):
        raise ModelError("a pose has 4 rows of 4 numbers")
    return Transform(rotation_of([r[:3] for r in rows[:3]]), Vec3(*(r[3] for r in rows[:3])))


def rotation_of(rows: Sequence[Sequence[Any]]) -> Rotation:
    """Return the rotation of a matrix; the exact identity has no factor."""
    matrix = Mat3(*(tuple(r) for r in rows))
    return Rotation() if matrix == Mat3.identity() else Rotation.of(matrix)


def rooted(m: Mechanism, pose: Transform | Sequence[Sequence[Any]]) -> Mechanism:
    """Return the mechanism with everything that stands on its base moved by a pose."""
    graph = Graph()
    new = into(m, graph)
    T = transform(pose, graph)
    bodies = tuple(replace(b, placement=T @ b.placement) if b.parent < 0 else b for b in new.bodies)
    changes: dict[str, Any] = {
        field: tuple(_shifted(r, lambda k: k, T, {}) for r in getattr(new, field))
        for field in ("named", "springs", "loops", "wheels")
    }
    return _checked(replace(new, bodies=bodies, changes=(), checked=True, **changes))


def lock(m: Mechanism, joints: Sequence[str | int], at: Any = 0) -> Mechanism:
    """Return the mechanism with joints (names, or numbers from 1) held at `at`, bodies merged.

    `at` is one value, or a mapping or sequence of values; the frames of merged bodies stay named.
    """
    graph = Graph()
    new = into(m, graph)
    held: dict[int, Any] = {}
    for k, joint in enumerate(joints):
        j = _joint_index(new, joint)
        value = at.get(joint, 0) if isinstance(at, Mapping) else at
        value = value[k] if isinstance(value, (list, tuple)) and len(joints) > 1 else value
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        joint_type = new.bodies[j].joint
        if joint_type.nq > 1 and values == [0]:
            values = [0] * (joint_type.nq - 1) + [0 if joint_type.nq == 3 else 1]
        if len(values) != joint_type.nq:
            raise ModelError(f"joint {shown(str(joint))!r} needs {joint_type.nq} values")
        held[j] = [
            graph.constant(v) if not isinstance(v, Expr) else v
            for v in (number(x, graph) for x in values)
        ]
    return _checked(merged(new, held))


def with_flexible_joints(
    m: Mechanism,
    stiffness: Any,
    motor_inertia: Any,
    joints: Sequence[str | int] | None,
    damping: Any,
) -> Mechanism:
    """Return the mechanism with elastic transmissions: motor side and link side are coordinates.

    Numbers are one for all joints, or one per joint of `joints` (all one-freedom joints if None).
    """
    graph = Graph()
    new = into(m, graph)
    if joints is None:
        chosen = [j for j, b in enumerate(new.bodies) if b.joint.nv == 1]
    else:
        chosen = [_joint_index(new, joint) for joint in joints]

    def each(value: Any) -> list[Any]:
        values = list(value) if isinstance(value, (list, tuple)) else [value] * len(chosen)
        if len(values) != len(chosen):
            raise ModelError(f"{len(values)} numbers for {len(chosen)} flexible joints")
        return [number(x, graph) for x in values]

    data = zip(each(stiffness), each(motor_inertia), each(damping), strict=True)
    return _checked(flexible(new, dict(zip(chosen, data, strict=True))))


def _joint_index(m: Mechanism, joint: str | int) -> int:
    moving = [j for j, b in enumerate(m.bodies) if b.joint.nv]
    if isinstance(joint, int):
        if not 1 <= joint <= len(moving):
            raise ModelError(f"there is no joint {joint}; joints are numbered 1 to {len(moving)}")
        return moving[joint - 1]
    for j in moving:
        if joint in (joint_name(m.bodies[j]), m.bodies[j].name):
            return j
    raise ModelError(
        f"there is no joint {shown(joint)!r}", hint=", ".join(map(shown, m.joint_names))
    )
