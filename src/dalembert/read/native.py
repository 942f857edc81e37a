"""The native file, TOML or JSON: bodies or a phrase, and everything that acts on them.

Its keys are those of `native_keys`. Any number may be an expression text of the names in `symbols`
and `parameters`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Mat3, Transform, Vec3
from ..errors import DescriptionError, Place, shown
from ..expr.exact import to_float
from ..inertia import Inertia
from ..joint import UNITS, Joint, Prismatic, Revolute, Screw
from ..mechanism import Body, Mechanism, Parameter, joint_name
from ..mechanism.edit import into, used, without_flat
from ..mechanism.graph import PARTS, Tree
from .context import PLAIN, Context, placed
from .document import Document
from .exact_pose import is_numeric
from .fields import Reading
from .native_fields import Field, Index, body
from .native_graph import GraphIndex, moved_records, tree_of
from .native_keys import ACTS, IN_PARTS, KINDS, ROLES, TOP
from .native_types import fitting
from .offsets import At
from .order import parents_first
from .velocity_equation import speed_expression, velocity_equation


def read_native(document: Document, context: Context = PLAIN) -> Mechanism:
    """Return the mechanism of a native document."""
    reading = Reading(document, context.snap)
    data = reading.table(document.data, (), TOP)
    if ("phrase" in data) == ("bodies" in data):
        what = "both a phrase and bodies" if "phrase" in data else "neither a phrase nor bodies"
        reading.fail((), f"the description has {what}", "give one of them")
    if "phrase" in data and "joints" in data:
        reading.fail(("joints",), "is given together with a phrase", "write loops, or bodies")
    named = read_head(reading, data, context)
    if "phrase" in data:
        start = _from_phrase(reading, data, replace(context, name=named))
        base = -1 if context.base == "fixed" else 0  # the first body; the file does not count it
        shape: Shape = Index(start.bodies, range(base + 1, len(start.bodies)), base=base), None
    else:
        start, shape = _from_bodies(reading, data, named)
    with placed(document.place()):
        return with_actions(reading, data, start, shape)


def taken(
    reading: Reading, data: Mapping[str, Any], fields: Iterable[Field], index: Index
) -> dict[str, Any]:
    """Return the values of those keys that a document has, by the attributes that they fill."""
    return {
        f.attribute: f.type.read(reading, data[f.key], (f.key,), index)
        for f in fields
        if f.key in data
    }


def read_head(reading: Reading, data: Mapping[str, Any], context: Context) -> str:
    """Return the name of the mechanism; the format is the one that is read."""
    head = taken(reading, data, (TOP["format"], TOP["name"]), Index())
    return str(head.get("name", context.name))


def with_actions(
    reading: Reading, data: Mapping[str, Any], start: Mechanism, shape: Shape
) -> Mechanism:
    """Return a mechanism with what acts on it: records, motors, speeds, what is left out."""
    index, tree = shape
    changes = taken(reading, data, (*ACTS, *ROLES), index)
    if tree is not None:
        changes = moved_records(changes, tree)
    if "speeds" in changes:
        speeds = changes["speeds"]
        changes["speeds"] = tuple(name for name, _ in speeds)
        changes["speed_equations"] = tuple(told for _, told in speeds if told is not None)
    notes = (*start.notes, *reading.notes())
    return _with_equations(reading, replace(start, **changes, notes=notes, checked=False), data)


def _with_equations(reading: Reading, m: Mechanism, data: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism with the texts of its velocity constraints and speeds read."""
    if not (m.velocity_constraints or m.speed_equations):
        return m
    made = []
    for k, constraint in enumerate(m.velocity_constraints):
        place = reading.document.place(("velocity_constraints", k, "equation"))
        made.append(velocity_equation(m, constraint, place))
    speeds = []
    for speed in m.speed_equations:
        k = m.speeds.index(speed.name)
        at = ("speeds", k, "equation") if isinstance(data["speeds"][k], Mapping) else ("speeds", k)
        speeds.append(speed_expression(m, speed, reading.document.place(at)))
    return replace(m, velocity_constraints=tuple(made), speed_equations=tuple(speeds), checked=True)


def read_parameters(reading: Reading, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return name -> value (None without one) of symbols, then of parameters."""
    found = taken(reading, data, (TOP["symbols"], TOP["parameters"]), Index())
    return {**dict.fromkeys(found.get("symbols", ())), **found.get("parameters", {})}


def _from_phrase(reading: Reading, data: Mapping[str, Any], context: Context) -> Mechanism:
    from .phrase import read_phrase

    text = taken(reading, data, (TOP["phrase"],), Index())["phrase"]
    try:
        m = read_phrase(text, replace(context, source="<phrase>"))
    except DescriptionError as error:
        at = reading.document.place(("phrase",))
        where = f"phrase, {error.where}: " if error.where else "phrase: "
        place = Place(reading.document.source, at.line, at.column)
        raise DescriptionError(where + error.message, place, error.hint) from None
    m = into(m, reading.graph)
    values = {p.name: p.value for p in m.parameters}
    for key, value in read_parameters(reading, data).items():
        if value is not None or key not in values:
            values[key] = value
    reading.names = values
    if "gravity" in data:
        given = taken(reading, data, (TOP["gravity"],), Index())
        m = replace(m, **given, notes=without_flat(m.notes), checked=True)
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
    reading.names = parameters = read_parameters(reading, data)
    changes = taken(reading, data, (TOP["gravity"],), Index())
    rows = taken(reading, data, (TOP["bodies"],), Index())["bodies"]
    made = [_body(reading, row, ("bodies", k)) for k, row in enumerate(rows)]
    _distinct(reading, made)
    bodies = [own[-1] for own in made]
    parents = _parents(reading, rows, bodies, "joints" in data)
    changes |= {"parameters": _parameters(parameters), "name": name, "checked": True}
    if "joints" in data:
        tree, home = tree_of(reading, data, _chained(rows, made, parents))
        m = Mechanism(tree.bodies, notes=tree.notes, **changes)
        return m, (GraphIndex(m, home[: len(rows)], made), tree)
    sequence = _parents_first(reading, bodies, parents)
    order, ordered = [-1] * len(bodies), list[Body]()
    for old in sequence:
        at = order[parents[old]] if parents[old] >= 0 else -1
        for part in made[old]:
            ordered.append(replace(part, parent=at))
            at = len(ordered) - 1
        order[old] = at
    if sequence != list(range(len(bodies))):
        changes["notes"] = ("bodies were put in order, parents first",)
    m = Mechanism(tuple(ordered), **changes)
    return m, (Index(m.bodies, order, [len(own) for own in made]), None)


def _chained(
    rows: Sequence[Any], made: Sequence[Sequence[Body]], parents: Sequence[int]
) -> list[tuple[Body, bool]]:
    """Return the bodies of a graph and whether each has a parent; those between joints are last."""
    found = [(replace(own[-1], parent=k), "parent" in row)
             for own, row, k in zip(made, rows, parents, strict=True)]  # fmt: skip
    for k, own in enumerate(made):
        for part in own[:-1]:
            found.append((replace(part, parent=found[k][0].parent), True))
            found[k] = replace(found[k][0], parent=len(found) - 1), True
    return found


def _body(reading: Reading, row: Mapping[str, Any], at: At) -> list[Body]:
    """Return one body from its values, after the body between its joints if it has two.

    Its parent is found later.
    """
    moves = row.get("joint", {"type": "fixed"})
    joints = _joints(reading, moves, (*at, "joint"))
    limits = moves.get("limits", ())
    if len(joints) == 1:
        limits = (fitting(reading, limits, joints[0], (*at, "joint")),)
    elif limits and len(limits) != len(joints):
        reading.fail((*at, "joint", "limits"), f"{len(limits)} pairs of limits, 2 needed",
                     "write [[lower, upper], [lower, upper]]")  # fmt: skip
    else:
        limits = [(pair,) for pair in limits] or [()] * len(joints)
    called = row.get("name", f"b{int(at[-1]) + 1}")
    word, own = moves["type"], moves.get("name", "")
    names = [f"{own or called}_{part}" for part in PARTS.get(word, ())] or [own]
    bounds = moves.get("velocity_limit"), moves.get("effort_limit")
    made = [
        Body(name, -1, joint=joint, limits=pair, velocity_limit=bounds[0], effort_limit=bounds[1])
        for name, joint, pair in zip(names, joints, limits, strict=True)
    ]
    whole = _inertia(reading, row, at)
    made[-1] = replace(made[-1], name=called, joint_name=names[-1], inertia=whole)
    made[0] = replace(made[0], placement=moves.get("placement", Transform()))
    return made


def _inertia(reading: Reading, row: Mapping[str, Any], at: At) -> Inertia:
    """Return the mass data of a body, about its mass centre or about its frame origin."""
    mass = row.get("mass", 0)
    if is_numeric(mass) and to_float(mass) < 0:
        reading.fail((*at, "mass"), f"negative mass {to_float(mass):g}")
    at_origin = "first_moment" in row or "inertia_origin" in row
    lever, tensor = ("first_moment", "inertia_origin") if at_origin else ("com", "inertia")
    found = row.get(lever, Vec3.zero()), row.get(tensor, Mat3.zero())
    return Inertia(mass, *found, "origin" if at_origin else "centre")


def _joints(reading: Reading, moves: Mapping[str, Any], at: At) -> list[Joint]:
    """Return the joint of a body, or the two that make it up."""
    word = moves["type"]
    if "pitch" in moves and word != "screw":
        reading.fail((*at, "pitch"), f"a {word} joint has no pitch", "only a screw has one")
    if word == "screw" and "pitch" not in moves:
        reading.fail(at, "a screw needs a pitch", "write pitch = 0.002, in metres per radian")
    if "axis_j" in moves and word != "universal":
        reading.fail((*at, "axis_j"), f"a {word} joint has one axis", "leave out axis_j")
    if KINDS.get(word) not in (Revolute, Prismatic, Screw, None):
        return [KINDS[word]()]  # oracle files give an axis to every joint
    axis = reading.unit(moves.get("axis", UNITS[2]), (*at, "axis"))
    if word in KINDS:
        pitch = (moves["pitch"],) if "pitch" in moves else ()
        return [KINDS[word](axis, *pitch)]
    if word == "universal" and "axis_j" not in moves:
        reading.fail(at, "a universal joint needs axis_j", "write axis_j = [0, 1, 0]")
    if word == "cylindrical" and not {"velocity_limit", "effort_limit"}.isdisjoint(moves):
        hint = "write a prismatic and a revolute joint, a body without mass between them"
        reading.fail(at, "one limit for a slide and a turn", hint)
    axes = axis, reading.unit(moves.get("axis_j", axis), (*at, "axis_j"))
    return [kind(along) for kind, along in zip(IN_PARTS[word], axes, strict=True)]


def _distinct(reading: Reading, made: Sequence[Sequence[Body]]) -> None:
    for of, key in ((lambda b: b.name, ("name",)), (joint_name, ("joint", "name"))):
        seen: set[str] = set()
        for k, name in ((k, of(b)) for k, own in enumerate(made) for b in own):
            if name in seen:
                what = "body" if key == ("name",) else "joint"
                message = f"duplicate {what} name {shown(name)!r}"
                reading.fail(("bodies", k, *key), message, "names must differ")
            seen.add(name)


def _parents(
    reading: Reading, rows: Sequence[Any], bodies: list[Body], graph: bool = False
) -> list[int]:
    """Return the parent of each body as a number in the file's own order.

    In a graph a body may have none: then it has no joint of its own.
    """
    index = Index(bodies, range(len(bodies)))
    found = []
    for k, row in enumerate(rows):
        if "parent" not in row and ("joint" in row or not graph):
            reading.fail(("bodies", k), "the body has no parent", "write: parent = -1 for the base")
        found.append(body(reading, row.get("parent", -1), ("bodies", k, "parent"), index))
    return found


def _parents_first(reading: Reading, bodies: list[Body], parents: list[int]) -> list[int]:
    """Return the bodies in their order, a parent always before its children."""
    sequence = parents_first(parents)
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
