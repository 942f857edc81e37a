"""Mechanisms put together and placed: attached to a frame, rooted at a pose, on a moving base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..errors import ModelError, ParameterError, UsageError, shown
from ..expr import Graph
from ..expr.exact import to_float
from ..joint import Free, Planar
from .edit import checked, into, number
from .join_constraints import joined_constraints, told_apart
from .mechanism import RECORDS, Mechanism
from .motors import tree_motors
from .parts import Body, Frame, Parameter, free_name, joint_name
from .rehome import onto
from .required import is_closed, require_mechanism
from .simplified import require_same_terms
from .validate import numeric
from .view import vector

BASES: dict[str, Any] = {"free": Free, "planar": Planar}
ROUNDING = 1e-6  # of a rotation given by its numbers


def attach(m: Mechanism, other: Mechanism, frame: str) -> Mechanism:
    """Return m with the base of `other` standing on a frame of m.

    Names of `other` that m already has get the prefix of its own name; parameters of the same name
    must have the same value.
    """
    require_mechanism(other, "attach")
    _require_whole(m, other)
    if bool(m.active) != bool(other.active):  # one list for both: motors of the other side too
        m, other = _with_named_motors(m), _with_named_motors(other)
    if m.followers or other.followers:  # a follower names its leader, which may be renamed
        from .followers import substituted

        return substituted(attach(m.coupled, other.coupled, frame))
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
    for field in ("drives", "elastic", "springs", "loops", "couplings", "named"):
        moved = tuple(_shifted(r, index, placement, rename) for r in getattr(right, field))
        changes[field] = getattr(left, field) + moved
    wheels = tuple(_shifted(w, index, placement, rename) for w in right.wheels)
    rolls = tuple(_shifted(c, index, placement, rename) for c in right.rolling)
    changes |= joined_constraints(left, right, wheels, rolls, rename)
    changes["changes"] = ()
    for field in ("active", "prescribed"):
        names = tuple(rename.get(n, n) for n in getattr(right, field))
        changes[field] = getattr(left, field) + names
    changes["parameters"] = _joined_parameters(left, right)
    changes["notes"] = left.notes + _told(left, right)
    return checked(replace(left, bodies=left.bodies + bodies, checked=True, **changes))


def _joined_parameters(left: Mechanism, right: Mechanism) -> tuple[Parameter, ...]:
    """Return the parameters of both, each once; ParameterError where one has two values."""
    values = {p.name: p for p in left.parameters}
    for p in right.parameters:
        if p.name in values and values[p.name].value != p.value:
            raise ParameterError(f"parameter {shown(p.name)!r} has two values")
        values.setdefault(p.name, p)
    return tuple(values.values())


def _told(left: Mechanism, right: Mechanism) -> tuple[str, ...]:
    """Return notes on what both machines have: letters without a value, and gravity."""
    mine = {p.name for p in left.parameters}
    shared = [shown(p.name) for p in right.parameters if p.name in mine and p.value is None]
    notes = []
    if shared:
        notes.append(f"attached {shown(right.name)!r}: its {', '.join(shared[:12])} "
                     "are those of the first machine, one letter for both")  # fmt: skip
    if left.gravity != right.gravity:
        ours, theirs = (vector(x.gravity) for x in (left, right))
        notes.append(
            f"attached {shown(right.name)!r}: its gravity {theirs} is left, {ours} acts on all"
        )
    return tuple(notes)


def _require_whole(m: Mechanism, other: Mechanism) -> None:
    """Raise ModelError where what two mechanisms say of themselves would not hold together."""
    require_same_terms(m, "attach")
    if other.simplified is not None:
        raise ModelError(
            f"{shown(other.name)!r} leaves out terms of its own equations, which change",
            hint="attach its full form: m.attach(other.full, frame)",
            command="take `simplified` out of the file that is attached",
        )
    _refuse_base_axes(other, "attach")


def _refuse_base_axes(m: Mechanism, edit: str) -> None:
    """Raise ModelError where an equation is written in base axes: they stay, the machine moves."""
    for c in (*m.velocity_constraints, *m.speed_equations):
        for t in c.terms:
            if t.in_base:
                raise ModelError(
                    f"{edit}: {shown(c.name)!r} has {shown(t.text)}, along an axis of the base, "
                    "which does not move with the machine",
                    hint="write it along the axes of a frame (x, y, z), or with distance(a, b)",
                )


def _with_named_motors(m: Mechanism) -> Mechanism:
    """Return the mechanism with its motors named: those of a tree; loops and wheels have none."""
    if m.active or is_closed(m):
        return m
    names = tuple(joint_name(m.bodies[j]) for j in tree_motors(m))
    return replace(m, active=names, checked=True)


def _renamed(left: Mechanism, right: Mechanism) -> dict[str, str]:
    """Return name -> name for what `right` calls its frames and joints, none of them left's."""
    taken = {*left.frames, *map(joint_name, left.bodies)}
    names = told_apart([*right.frames, *map(joint_name, right.bodies)], taken, right.name)
    steering = [n for n in right.prescribed if n not in right.joint_names]
    known = {*left.prescribed, *taken, *names.values()}
    return {**told_apart(steering, known, right.name), **names}


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
        if m.bodies[0].joint.kind == kind:
            return m
        note = f"the base is {m.bodies[0].joint.kind} already: base = {kind!r} changes nothing"
        return replace(m, notes=(*m.notes, note), checked=True)
    root = Body(free_name("base", {*m.frames, *m.index}, first=1), -1, joint=BASES[kind]())
    changes: dict[str, Any] = {
        field: tuple(_shifted(r, lambda k: k + 1, Transform(), {}) for r in getattr(m, field))
        for field in RECORDS
    }
    bodies = (root, *(replace(b, parent=b.parent + 1) for b in m.bodies))
    return replace(m, bodies=bodies, **changes, changes=(), checked=False)


def transform(pose: Transform | Sequence[Sequence[Any]], graph: Graph) -> Transform:
    """Return a Transform from one, or from 4 x 4 (or 3 x 4) rows; its rotation must be one."""
    if isinstance(pose, Transform):
        made = pose.map(lambda x: number(x, graph))
        _require_rotation(made.R.matrix().rows)
        return made
    given = pose.tolist() if hasattr(pose, "tolist") else pose
    sized = isinstance(given, (list, tuple)) and len(given) in (3, 4)
    if not sized or any(not isinstance(r, (list, tuple)) or len(r) != 4 for r in given):
        raise UsageError(
            "a pose is a Transform, or 4 rows of 4 numbers",
            hint="write [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]",
        )
    rows = [[number(x, graph) for x in row] for row in given]
    if rows[3:] not in ([], [[0, 0, 0, 1]]):
        raise UsageError("the last row of a pose is not 0 0 0 1", hint="write its columns as rows?")
    _require_rotation([r[:3] for r in rows[:3]])
    return Transform(rotation_of([r[:3] for r in rows[:3]]), Vec3(*(r[3] for r in rows[:3])))


def _require_rotation(rows: Sequence[Sequence[Any]]) -> None:
    """Raise UsageError unless rows of numbers are a rotation: R'R = 1 and det R = 1."""
    if not numeric(*(x for r in rows for x in r)):
        return
    columns = [Vec3(*(to_float(r[k]) for r in rows)) for k in range(3)]
    hint = "its columns are the axes of the new base: unit vectors, at right angles, right-handed"
    for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        if not abs(columns[i].dot(columns[k]) - (i == k)) <= ROUNDING:
            what = "have length 1" if i == k else "meet at right angles"
            raise UsageError(f"the rotation of a pose: its columns do not {what}", hint=hint)
    if columns[0].cross(columns[1]).dot(columns[2]) < 0:
        raise UsageError("the rotation of a pose is a reflection: its determinant is -1", hint=hint)


def rotation_of(rows: Sequence[Sequence[Any]]) -> Rotation:
    """Return the rotation of a matrix; the exact identity has no factor."""
    matrix = Mat3(*(tuple(r) for r in rows))
    return Rotation() if matrix == Mat3.identity() else Rotation.of(matrix)


def rooted(m: Mechanism, pose: Transform | Sequence[Sequence[Any]]) -> Mechanism:
    """Return the mechanism with everything that stands on its base moved by a pose."""
    require_same_terms(m, "rooted", only="Q")
    graph = Graph()
    new = into(m, graph)
    T = transform(pose, graph)
    _refuse_base_axes(new, "rooted")
    bodies = tuple(replace(b, placement=T @ b.placement) if b.parent < 0 else b for b in new.bodies)
    changes: dict[str, Any] = {
        field: tuple(_shifted(r, lambda k: k, T, {}) for r in getattr(new, field))
        for field in ("named", "springs", "loops", "wheels", "rolling")
    }
    return checked(replace(new, bodies=bodies, changes=(), checked=True, **changes))
