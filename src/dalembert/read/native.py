"""The native file, TOML or JSON: bodies or a phrase, and everything that acts on them.

The keys are those of `native.schema.json`. Any number may be an expression text of the names in
`symbols` and `parameters`.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..errors import DalembertError, DescriptionError, Place, closest, shown
from ..joint import Fixed, Free, Joint, Planar, Prismatic, Revolute, Screw, Spherical
from ..mechanism import Body, Mechanism, Parameter, joint_name
from ..mechanism.assemble import on_base
from ..mechanism.edit import into, used
from ..mechanism.graph import Tree
from .document import At, Document
from .fields import Reading, kind
from .native_graph import GraphIndex, moved_records, tree_of
from .native_records import RECORDS, Index, names_of, read_limits, read_records
from .native_simplified import read_simplified
from .velocity_equation import velocity_equation

FORMAT = "dalembert/1"
TOP = ("format", "name", "gravity", "symbols", "parameters", "phrase", "bodies", "active")
KEYS = (*TOP, "joints", *RECORDS, "prescribed", "speeds", "simplified")
BODY = ("name", "parent", "joint", "mass", "com", "inertia", "first_moment", "inertia_origin")
JOINT = ("type", "axis", "placement", "pitch", "name", "limits", "velocity_limit", "effort_limit")
JOINTS: dict[str, type[Any]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "screw": Screw,
    "spherical": Spherical,
    "planar": Planar,
    "free": Free,
    "floating": Free,
    "fixed": Fixed,
}


def read_native(
    document: Document,
    *,
    base: str = "fixed",
    snap: float | None = None,
    inertia: Literal["simple", "full"] = "simple",
    name: str = "mechanism",
) -> Mechanism:
    """Return the mechanism of a native document."""
    reading = Reading(document, snap)
    data = reading.table(document.data, (), KEYS)
    if data.get("format", FORMAT) != FORMAT:
        reading.fail(("format",), "unknown format", f'write: format = "{FORMAT}"')
    if ("phrase" in data) == ("bodies" in data):
        what = "both a phrase and bodies" if "phrase" in data else "neither a phrase nor bodies"
        reading.fail((), f"the description has {what}", "give one of them")
    name = reading.text(data["name"], ("name",)) if "name" in data else name
    if "phrase" in data:
        if "joints" in data:
            reading.fail(("joints",), "is given together with a phrase", "write loops, or bodies")
        start = _from_phrase(reading, data, name, inertia)
        shape: Shape = Index(start, list(range(len(start.bodies)))), None
    else:
        start, shape = _from_bodies(reading, data, name)
    try:
        m = _with_records(reading, data, start, shape)
        return on_base(m, base)
    except DescriptionError:
        raise
    except DalembertError as error:
        # what only the whole shows: validation
        error.where = error.where or document.place()
        raise


def _with_records(
    reading: Reading, data: Mapping[str, Any], start: Mechanism, shape: Shape
) -> Mechanism:
    index, tree = shape
    changes: dict[str, Any] = read_records(reading, data, index)
    if tree is not None:
        changes = moved_records(changes, tree)
    for key in ("active", "prescribed", "speeds"):
        if key in data:
            changes[key] = names_of(reading, data[key], (key,), index, numbers=key == "active")
    if "simplified" in data:
        changes["simplified"] = read_simplified(reading, data["simplified"], start) or None
    notes = (*start.notes, *reading.notes())
    new = replace(start, **changes, notes=notes, checked=False)
    return _with_equations(reading, new) if new.velocity_constraints else new


def _with_equations(reading: Reading, m: Mechanism) -> Mechanism:
    """Return the mechanism with the texts of its velocity constraints read."""
    joints = [joint_name(b) for b in m.bodies if b.joint.nv == 1]
    parameters = [p.name for p in m.parameters]
    made = []
    for k, constraint in enumerate(m.velocity_constraints):
        place = reading.document.place(("velocity_constraints", k, "equation"))
        parsed = velocity_equation(constraint.equation, joints, parameters, place)
        made.append(replace(constraint, expression=parsed))
    return replace(m, velocity_constraints=tuple(made), checked=True)


# -- parameters --------------------------------------------------------------------------------


def read_parameters(reading: Reading, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return name -> value (None without one) of symbols, then of parameters."""
    found: dict[str, Any] = {}
    for k, symbol in enumerate(reading.listed(data.get("symbols", ()), ("symbols",))):
        at = ("symbols", k)
        name = reading.name(symbol, at)
        if name in found:
            reading.fail(at, f"duplicate symbol {shown(name)!r}")
        found[name] = None
    parameters = data.get("parameters", {})
    if not isinstance(parameters, Mapping):
        reading.fail(("parameters",), f"a table is needed, not {kind(parameters)}")
    for key, value in parameters.items():
        at = ("parameters", key)
        name = reading.name(key, at)
        found[name] = None if value is None else reading.number(value, at)
    return found


def _from_phrase(
    reading: Reading,
    data: Mapping[str, Any],
    name: str,
    inertia: Literal["simple", "full"],
) -> Mechanism:
    from .phrase import read_phrase

    text = data["phrase"]
    if not isinstance(text, str):
        reading.fail(("phrase",), f"a text is needed, not {kind(text)}")
    source, snap = reading.document.source, reading.snap
    try:
        m = read_phrase(
            text, source="<phrase>", name=name, snap=snap, inertia=inertia, base="fixed"
        )
    except DescriptionError as error:
        at = reading.document.place(("phrase",))
        where = f"phrase, {error.where}: " if error.where else "phrase: "
        place = Place(source, at.line, at.column)
        raise DescriptionError(where + error.message, place, error.hint) from None
    m = into(m, reading.graph)
    values = {p.name: p.value for p in m.parameters}
    for key, value in read_parameters(reading, data).items():
        if value is not None or key not in values:
            values[key] = value
    reading.names = values
    if "gravity" in data:
        m = replace(m, gravity=reading.vector(data["gravity"], ("gravity",)), checked=True)
        if "G" in values and "G" not in data.get("parameters", ()) and not used(m, "G"):
            del values["G"]
    return replace(m, parameters=_parameters(values), checked=True)


def _parameters(values: Mapping[str, Any]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, value) for name, value in values.items())


# -- bodies ------------------------------------------------------------------------------------


# how names and numbers of a file are found, and how its graph was cut if it has one
Shape = tuple[Index, Tree | None]


def _from_bodies(reading: Reading, data: Mapping[str, Any], name: str) -> tuple[Mechanism, Shape]:
    """Return the tree, not yet validated, and how its bodies and joints are found."""
    parameters = read_parameters(reading, data)
    reading.names = parameters
    changes: dict[str, Any] = {}
    if "gravity" in data:
        changes["gravity"] = reading.vector(data["gravity"], ("gravity",))
    rows = reading.listed(data["bodies"], ("bodies",))
    bodies = [read_body(reading, row, ("bodies", k)) for k, row in enumerate(rows)]
    _distinct(reading, bodies)
    parents = _parents(reading, rows, bodies, "joints" in data)
    if "joints" in data:
        placed = [replace(b, parent=k) for b, k in zip(bodies, parents, strict=True)]
        tree, order = tree_of(reading, data, rows, placed)
        changes["notes"] = tree.notes
        m = Mechanism(
            tree.bodies, name, parameters=_parameters(parameters), checked=True, **changes
        )
        return m, (GraphIndex(m, order, bodies), tree)
    sequence = _parents_first(reading, bodies, parents)
    order = [0] * len(bodies)
    for new, old in enumerate(sequence):
        order[old] = new
    ordered = tuple(
        replace(bodies[old], parent=order[parents[old]] if parents[old] >= 0 else -1)
        for old in sequence
    )
    if sequence != list(range(len(bodies))):
        changes["notes"] = ("bodies were put in order, parents first",)
    m = Mechanism(ordered, name, parameters=_parameters(parameters), checked=True, **changes)
    return m, (Index(m, order), None)


def read_body(reading: Reading, value: Any, at: At) -> Body:
    """Return one body; its parent is found later."""
    row = reading.table(value, at, BODY)
    name = reading.name(row.get("name", f"b{int(at[-1]) + 1}"), (*at, "name"))
    here = (*at, "joint")
    joint = reading.table(row.get("joint", {"type": "fixed"}), here, JOINT)
    made = _joint(reading, joint, here)
    extra = {
        key: reading.limit(joint[key], (*here, key))
        for key in ("velocity_limit", "effort_limit")
        if key in joint
    }
    return Body(
        name,
        -1,
        reading.placement(joint.get("placement"), (*here, "placement")),
        made,
        reading.inertia(row, at),
        reading.name(joint["name"], (*here, "name")) if "name" in joint else "",
        read_limits(reading, joint.get("limits"), made, (*here, "limits")),
        **extra,
    )


def _joint(reading: Reading, joint: Mapping[str, Any], at: At) -> Joint:
    if "type" not in joint:
        reading.fail(at, "the joint has no type", closest("revolute", list(JOINTS)))
    word = reading.text(joint["type"], (*at, "type"))
    if word not in JOINTS:
        hint = closest(word, list(JOINTS))
        reading.fail((*at, "type"), f"unknown joint type {shown(word)!r}", hint)
    made = JOINTS[word]
    if "pitch" in joint and made is not Screw:
        reading.fail((*at, "pitch"), f"a {word} joint has no pitch", "only a screw has one")
    if made not in (Revolute, Prismatic, Screw):
        # oracle files give an axis to every joint
        if "axis" in joint:
            reading.vector(joint["axis"], (*at, "axis"))
        return made()
    axis = reading.axis(joint.get("axis", (0, 0, 1)), (*at, "axis"))
    if made is Screw:
        return Screw(axis, reading.number(joint.get("pitch", 0), (*at, "pitch")))
    return made(axis)


def _distinct(reading: Reading, bodies: list[Body]) -> None:
    for of, key in ((lambda b: b.name, ("name",)), (joint_name, ("joint", "name"))):
        seen: set[str] = set()
        for k, body in enumerate(bodies):
            if of(body) in seen:
                what = "body" if key == ("name",) else "joint"
                message = f"duplicate {what} name {shown(of(body))!r}"
                reading.fail(("bodies", k, *key), message, "names must differ")
            seen.add(of(body))


def _parents(
    reading: Reading, rows: list[Any], bodies: list[Body], graph: bool = False
) -> list[int]:
    """Return the parent of each body as a number in the file's own order.

    In a graph a body may have none: then it has no joint of its own.
    """
    number = {b.name: k for k, b in enumerate(bodies)}
    found = []
    for k, row in enumerate(rows):
        at, parent = ("bodies", k, "parent"), row.get("parent", -1)
        if "parent" not in row and ("joint" in row or not graph):
            reading.fail(("bodies", k), "the body has no parent", "write: parent = -1 for the base")
        if isinstance(parent, str):
            if parent not in number and parent not in ("base", "world"):
                hint = closest(parent, list(number))
                reading.fail(at, f"there is no body {shown(parent)!r}", hint)
            parent = number.get(parent, -1)
        if isinstance(parent, bool) or not isinstance(parent, int):
            reading.fail(at, f"a body is a name or a number from 0, not {kind(parent)}")
        if not -1 <= parent < len(rows):
            hint = f"bodies are 0 to {len(rows) - 1}; -1 is the base"
            reading.fail(at, f"there is no body {parent}", hint)
        found.append(parent)
    return found


def _parents_first(reading: Reading, bodies: list[Body], parents: list[int]) -> list[int]:
    """Return the bodies in their order, a parent always before its children."""
    children: dict[int, list[int]] = {}
    for k, parent in enumerate(parents):
        children.setdefault(parent, []).append(k)
    ready, sequence = list(children.get(-1, ())), []
    while ready:
        k = heapq.heappop(ready)
        sequence.append(k)
        for child in children.get(k, ()):
            heapq.heappush(ready, child)
    if len(sequence) < len(bodies):
        placed = set(sequence)
        lost = next(k for k in range(len(bodies)) if k not in placed)
        seen: list[int] = []
        while lost not in seen and len(seen) < 50:
            seen.append(lost)
            lost = parents[lost]
        names = " on ".join(shown(bodies[k].name, 40) for k in [*seen[:5], lost])
        reading.fail(("bodies", seen[0], "parent"), f"the bodies form a cycle: {names}")
    return sequence


def save(m: Mechanism, path: str | Path) -> None:
    """Write a mechanism to a native file, TOML or JSON by its ending, all of it or nothing."""
    from .native_writer import save

    save(m, path)


def native_text(m: Mechanism, language: str = "toml") -> str:
    """Return a mechanism as native text, "toml" or "json"."""
    from .native_writer import native_text

    return native_text(m, language)
