"""Bodies of a native file joined in any graph: `joints` beside the joints that bodies name.

A joint has the keys of a loop. It stays a joint of the tree or becomes a loop as
`mechanism.graph` decides; points and directions of the file are in the frames of its own bodies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Rotation, Transform, Vec3
from ..errors import DalembertError, DescriptionError, shown
from ..joint import Joint, Prismatic, Revolute, Spherical
from ..mechanism import Body, Frame, Mechanism, joint_name
from ..mechanism.graph import Connection, Tree, own_connection, spanning_tree
from ..mechanism.rehome import onto
from .fields import Reading, kind
from .native_fields import Index
from .native_keys import TOP
from .native_types import fitting
from .offsets import At


def tree_of(
    reading: Reading, data: Mapping[str, Any], described: Sequence[tuple[Body, bool]]
) -> tuple[Tree, list[int]]:
    """Return the tree of the described bodies, `parent` in their order, and its joints.

    Of each body it is told whether it has a parent; others are carried by `joints` alone.
    """
    bodies = [b for b, _ in described]
    own = [own_connection(b, j) for j, (b, carried) in enumerate(described) if carried]
    index = Index(bodies, range(len(bodies)))
    joints = TOP["joints"].type.read(reading, data["joints"], ("joints",), index)
    listed = [_connection(reading, row, ("joints", k)) for k, row in enumerate(joints)]
    connections = [*own, *listed]
    _distinct(reading, len(own), connections)
    try:
        tree = spanning_tree(bodies, connections, kept_names(reading, data))
    except DescriptionError:
        raise
    except DalembertError as error:
        reading.fail(("joints",), error.message, error.hint)
    return tree, [tree.home[j][0] for j in range(len(bodies))]


def kept_names(reading: Reading, data: Mapping[str, Any]) -> set[str]:
    """Return the names of joints that the file asks something of: they are not cut."""
    found: set[str] = set()

    def take(value: Any, at: At) -> None:
        if not isinstance(value, str):
            reading.fail(at, f"a joint is needed by its name, not {kind(value)}",
                         "beside `joints`, numbers do not say which joint is meant")  # fmt: skip
        found.add(value)

    for key in ("active", "prescribed"):
        for k, value in enumerate(reading.listed(data.get(key, ()), (key,))):
            take(value, (key, k))
    asked = {"drives": ("joint",), "elastic": ("joint",), "couplings": ("joint", "of"),
             "wheels": ("steer", "spin"), "velocity_constraints": ("equation",)}  # fmt: skip
    for key, fields in asked.items():
        for k, row in enumerate(reading.listed(data.get(key, ()), (key,))):
            for field in fields if isinstance(row, Mapping) else ():
                if field == "equation":
                    words = re.findall(r"[^\W\d]\w*", str(row.get(field)))
                    found.update(words, (w[:-1] for w in words if w.endswith("d")))
                elif row.get(field) is not None:
                    take(row[field], (key, k, field))
    return found


def _connection(reading: Reading, row: Mapping[str, Any], at: At) -> Connection:
    """Return a connection from the values of its keys."""
    word, i, j = row["joint"], row["body_i"], row["body_j"]
    if i == j:
        reading.fail((*at, "body_j"), "both ends are on the same body")
    frame_i, frame_j = (
        Transform(row.get(f"rotation_{end}", Rotation()), row.get(f"point_{end}", Vec3.zero()))
        for end in "ij"
    )
    chain = _chain(reading, row, at, frame_i, frame_j)
    limits = row.get("limits", ())
    if limits and len(chain) != 1:
        reading.fail((*at, "limits"), f"a {word} joint has no limits here")
    limits = fitting(reading, limits, chain[0], at) if limits else ()
    name = row.get("name", f"joint{int(at[-1]) + 1}")
    bounds = row.get("velocity_limit"), row.get("effort_limit")
    return Connection(name, word, i, frame_i, j, frame_j, chain, limits, *bounds)


def _chain(
    reading: Reading, row: Mapping[str, Any], at: At, i: Transform, j: Transform
) -> tuple[Joint, ...]:
    """Return the joints of a connection, axes in its frames; the file has them in its bodies."""
    word = row["joint"]

    def axis(key: str, frame: Transform) -> Vec3:
        if key not in row:
            reading.fail(at, f"a {word} joint needs {key}", f"write {key} = [0, 0, 1]")
        found: Vec3 = frame.R.T @ row[key]
        return found

    if word != "universal" and "axis_j" in row:
        hint = "rotation_i and rotation_j give the orientation of the bodies at q = 0"
        reading.fail((*at, "axis_j"), "only a universal joint has two axes", hint)
    if word == "spherical":
        return (Spherical(),)
    if word == "fixed":
        return ()
    first = axis("axis", i)
    if word == "universal":
        return Revolute(first), Revolute(axis("axis_j", j))
    if word == "cylindrical":
        return Prismatic(first), Revolute(first)
    return (Revolute(first) if word == "revolute" else Prismatic(first),)


def _distinct(reading: Reading, own: int, connections: list[Connection]) -> None:
    seen: set[str] = set()
    for k, c in enumerate(connections):
        for name in {c.name, *c.names}:
            if name in seen:
                at: At = ("joints", k - own, "name") if k >= own else ("joints",)
                reading.fail(at, f"duplicate joint name {shown(name)!r}", "names must differ")
        seen.update({c.name, *c.names})


class GraphIndex(Index):
    """Bodies by the names and numbers of the file, joints by their names in the tree."""

    def __init__(self, m: Mechanism, order: list[int], described: Sequence[Sequence[Body]]):
        super().__init__(m.bodies, order)
        self.bodies = {own[-1].name: order[k] for k, own in enumerate(described)}
        alone = {own[-1].name for own in described if len(own) == 1}
        moving = {joint_name(b) for b in m.bodies if b.joint.nv}
        self.by_body = {n: self.bodies[n] for n in alone if self.names[self.bodies[n]] in moving}


def moved_records(records: dict[str, Any], tree: Tree) -> dict[str, Any]:
    """Return records with points, directions and frames of the file seen from the tree's bodies."""
    home = {j: (j, pose) for j, pose in tree.home.values()}
    changed = dict(records)
    for field in ("springs", "loops", "wheels", "rolling"):
        if field in records:
            changed[field] = tuple(
                replace(r, **onto(r, home, strict=False)) for r in records[field]
            )
    frames = tuple(
        Frame(f.name, f.body, home[f.body][1] @ f.placement) for f in records.get("named", ())
    )
    changed["named"] = (*tree.frames, *frames)
    changed["loops"] = (*tree.loops, *changed.get("loops", ()))
    return changed
