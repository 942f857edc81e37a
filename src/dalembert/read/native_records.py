"""What acts on the bodies of a native file: a table of keys, read, written and described by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from fractions import Fraction
from typing import Any

from ..errors import DalembertError, Place, closest, shown
from ..expr import Expr, Graph
from ..expr.exact import exact
from ..joint import Joint
from ..mechanism import (
    LOOP_JOINTS,
    Coupling,
    Drive,
    Frame,
    JointSpring,
    Loop,
    Mechanism,
    PointSpring,
    VelocityConstraint,
    Wheel,
    joint_name,
)
from .document import At
from .expressions import expression
from .fields import Reading, kind
from .native_values import number, placement, rotation, vector


class Index:
    """Bodies and joints of a file by name, or by number in the file's own order."""

    def __init__(self, m: Mechanism, order: list[int]):
        self.order = order
        self.bodies = {b.name: j for j, b in enumerate(m.bodies)}
        self.joints = {joint_name(b): j for j, b in enumerate(m.bodies) if b.joint.nv}
        self.moving = [j for j in order if m.bodies[j].joint.nv]  # in the file's order
        self.names = [joint_name(b) for b in m.bodies]
        # a joint may also be called by the body it moves
        self.by_body = {b.name: j for j, b in enumerate(m.bodies) if b.joint.nv}


def body(reading: Reading, value: Any, at: At, index: Index) -> int:
    """Return a body from its name or its number from 0; -1 is the base."""
    if isinstance(value, str):
        if value in index.bodies:
            return index.bodies[value]
        if value in ("base", "world"):
            return -1
        hint = closest(value, list(index.bodies))
        reading.fail(at, f"there is no body {shown(value)!r}", hint)
    if isinstance(value, bool) or not isinstance(value, int):
        reading.fail(at, f"a body is a name or a number from 0, not {kind(value)}")
    if not -1 <= value < len(index.order):
        hint = f"bodies are 0 to {len(index.order) - 1}; -1 is the base"
        reading.fail(at, f"there is no body {value}", hint)
    return index.order[value] if value >= 0 else -1


def joint(reading: Reading, value: Any, at: At, index: Index) -> int:
    """Return a moving joint from its name, its body's name or its number from 0."""
    if isinstance(value, str):
        found = index.joints.get(value, index.by_body.get(value))
        if found is None:
            what = "does not move" if value in index.names else "does not exist"
            hint = closest(value, list(index.joints))
            reading.fail(at, f"joint {shown(value)!r} {what}", hint)
        return found
    if isinstance(value, bool) or not isinstance(value, int):
        reading.fail(at, f"a joint is a name or a number from 0, not {kind(value)}")
    if not 0 <= value < len(index.moving):
        hint = f"joints are 0 to {len(index.moving) - 1}"
        reading.fail(at, f"there is no joint {value}", hint)
    return index.moving[value]


def names_of(
    reading: Reading, value: Any, at: At, index: Index, numbers: bool = False
) -> tuple[str, ...]:
    """Return a list of names; with `numbers` a joint may be given by its number from 0."""
    found = []
    for k, x in enumerate(reading.listed(value, at)):
        if numbers and not isinstance(x, str):
            found.append(index.names[joint(reading, x, (*at, k), index)])
        elif numbers and x not in index.joints and x in index.by_body:
            found.append(index.names[index.by_body[x]])
        else:
            found.append(reading.name(x, (*at, k)))
    return tuple(found)


def read_limits(reading: Reading, value: Any, joint: Joint, at: At) -> tuple[Any, ...]:
    """Return one pair of limits per coordinate of a joint."""
    if value is None:
        return ()
    rows = reading.listed(value, at)
    if joint.nq == 1 and len(rows) == 2 and not isinstance(rows[0], (list, tuple)):
        rows = [rows]
    if rows and len(rows) != joint.nq:
        reading.fail(at, f"{len(rows)} pairs of limits, {joint.nq} needed", "write [lower, upper]")
    return tuple(
        tuple(reading.limit(x, (*at, k, n)) for n, x in enumerate(reading.listed(r, (*at, k), 2)))
        for k, r in enumerate(rows)
    )


# -- types of values: how they are read, written and described ---------------------------------

Read = Callable[[Reading, Any, At, Index], Any]


@dataclass(frozen=True, slots=True)
class Names:
    """What bodies and joints are called in a file that is written."""

    body: Callable[[int], Any]
    joint: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Type:
    """A kind of value: its reader, its writer, and what the JSON schema says of it."""

    read: Read
    write: Callable[[Any, Names], Any]
    schema: Mapping[str, Any]


def _plain(method: str, write: Callable[[Any], Any], schema: str) -> Type:
    """Return a type that a method of Reading reads."""
    return Type(
        lambda reading, value, at, _: getattr(reading, method)(value, at),
        lambda x, _: write(x),
        {"$ref": f"#/$defs/{schema}"},
    )


def _coulomb(reading: Reading, value: Any, at: At, index: Index) -> Any:
    """Return friction at positive and at negative speed from one number or a pair."""
    if isinstance(value, (list, tuple)):
        pair = reading.listed(value, at, 2)
        return tuple(reading.number(x, (*at, k)) for k, x in enumerate(pair))
    number = reading.number(value, at)
    return number, -number


def _loop_joint(reading: Reading, value: Any, at: At, index: Index) -> str:
    word = reading.text(value, at)
    if word not in LOOP_JOINTS:
        reading.fail(at, f"unknown loop joint {shown(word)!r}", closest(word, LOOP_JOINTS))
    return word


def _equation(reading: Reading, value: Any, at: At, index: Index) -> str:
    """Return the text of an equation whose two sides are expressions."""
    text = reading.text(value, at)
    sides = text.split("=")
    if len(sides) != 2:
        reading.fail(at, "an equation has one =", 'write: "xd*sin(th) - yd*cos(th) = 0"')
    for side in sides:
        try:
            expression(side, Graph(), Place(""))
        except DalembertError as error:
            reading.fail(at, f"{error.message} in {shown(side.strip(), 60)!r}", error.hint)
    return text


REFERENCE = {"$ref": "#/$defs/reference"}
NUMBER = _plain("number", number, "number")
VECTOR = _plain("vector", vector, "vector")
AXIS = _plain("axis", vector, "vector")
ROTATION = _plain("rotation", rotation, "rotation")
PLACEMENT = _plain("placement", placement, "placement")
NAME = _plain("name", str, "name")
TEXT = _plain("text", str, "text")
BODY = Type(body, lambda k, names: names.body(k), REFERENCE)
JOINT = Type(joint, lambda k, names: names.joint(k), REFERENCE)
LOOP_JOINT = Type(_loop_joint, lambda word, _: word, {"enum": list(LOOP_JOINTS)})
EQUATION = Type(_equation, lambda text, _: text, TEXT.schema)
PAIR = Type(
    _coulomb,
    lambda pair, _: [number(x) for x in pair],
    {"oneOf": [NUMBER.schema, {"type": "array", "items": NUMBER.schema} | dict.fromkeys(
        ("minItems", "maxItems"), 2)]},
)  # fmt: skip


# -- records -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """One key: its type, whether it is needed, and what it holds.

    `value` finds it in a record, where it is no attribute of that name. What equals the default of
    the record is not written, unless it is needed or `always` is.
    """

    key: str
    type: Type
    needed: bool = False
    note: str = ""
    value: Callable[[Any], Any] | None = None
    always: bool = False

    def written(self, record: Any, default: Any, names: Names) -> Any:
        """Return the value as the file holds it, None where it is left out."""
        found = self.value(record) if self.value else getattr(record, self.key)
        if found is None or (not (self.needed or self.always) and found == default):
            return None
        return self.type.write(found, names)

    def schema(self) -> dict[str, Any]:
        """Return what the JSON schema says of the key."""
        return dict(self.type.schema) | ({"description": self.note} if self.note else {})


@dataclass(frozen=True, slots=True)
class Record:
    """A kind of record: the field of Mechanism it fills, what makes it, its keys."""

    field: str
    make: Callable[..., Any]
    fields: tuple[Field, ...]
    limits: Mapping[str, Any] | None = None  # of the JSON schema, beyond keys

    @property
    def keys(self) -> dict[str, Field]:
        """The fields by key."""
        return {f.key: f for f in self.fields}

    @property
    def needed(self) -> tuple[str, ...]:
        """The keys that must be given."""
        return tuple(f.key for f in self.fields if f.needed)

    def written(self, m: Mechanism, names: Names) -> list[dict[str, Any]]:
        """Return the records of a mechanism as the file holds them."""
        return [self._row(record, names) for record in getattr(m, self.field)]

    def _row(self, record: Any, names: Names) -> dict[str, Any]:
        defaults = {f.name: f.default for f in dataclass_fields(record)}
        found = ((f.key, f.written(record, defaults.get(f.key, 0), names)) for f in self.fields)
        return {key: value for key, value in found if value is not None}

    def schema(self) -> dict[str, Any]:
        """Return what the JSON schema says of a list of such records."""
        items = {
            "type": "object",
            "additionalProperties": False,
            "required": list(self.needed),
            **(self.limits or {}),
            "properties": {f.key: f.schema() for f in self.fields},
        }
        return {"type": "array", "items": items}


def _drive(**given: Any) -> Drive:
    """Return a drive; Ia is the rotor inertia seen at the joint, Jm at the motor: Ia = N² Jm."""
    gear = given.get("gear", 1)
    inertia = given.pop("Jm", 0)
    if "Ia" in given:
        inertia = given.pop("Ia")
        if gear not in (1, -1):
            exact_inertia = inertia if isinstance(inertia, Expr) else Fraction(inertia)
            inertia = exact(exact_inertia / (gear * gear))
    return Drive(inertia=inertia, **given)


def _is_geared(d: Drive) -> bool:
    return d.gear not in (1, -1)


ENDS = (
    Field("body_i", BODY, needed=True),
    Field("point_i", VECTOR, needed=True),
    Field("body_j", BODY, needed=True),
    Field("point_j", VECTOR, needed=True),
)

RECORDS: dict[str, Record] = {
    "frames": Record("named", Frame, (
        Field("name", NAME, needed=True),
        Field("body", BODY, needed=True),
        Field("placement", PLACEMENT),
    )),
    "drives": Record("drives", _drive, (
        Field("joint", JOINT, needed=True),
        # with a gear the rotor inertia is that of the motor itself
        Field("Ia", NUMBER, note="rotor inertia at the joint: gear² Jm",
              value=lambda d: 0 if _is_geared(d) else d.inertia),
        Field("Jm", NUMBER, note="rotor inertia at the motor",
              value=lambda d: d.inertia if _is_geared(d) else 0),
        Field("gear", NUMBER),
        Field("coulomb", PAIR),
        Field("viscous", NUMBER),
        Field("static", PAIR),
        Field("stribeck", NUMBER),
    ), {"not": {"required": ["Ia", "Jm"]}}),
    "elastic": Record("elastic", JointSpring, (
        Field("joint", JOINT, needed=True),
        Field("stiffness", NUMBER, needed=True),
        Field("rest", NUMBER),
        Field("damping", NUMBER),
    )),
    "springs": Record("springs", PointSpring, (
        *ENDS,
        Field("stiffness", NUMBER),
        Field("length", NUMBER),
        Field("damping", NUMBER),
    )),
    "loops": Record("loops", Loop, (
        *ENDS,
        Field("joint", LOOP_JOINT, always=True),
        Field("axis", AXIS),
        Field("axis_j", AXIS),
        Field("rotation_i", ROTATION),
        Field("rotation_j", ROTATION),
        Field("length", NUMBER),
        Field("name", TEXT),
    )),
    "couplings": Record("couplings", Coupling, (
        Field("joint", JOINT, needed=True),
        Field("of", JOINT, needed=True),
        Field("ratio", NUMBER, always=True),
        Field("offset", NUMBER),
    )),
    "wheels": Record("wheels", Wheel, (
        Field("name", NAME, needed=True),
        Field("body", BODY, needed=True),
        Field("point", VECTOR, needed=True),
        Field("normal", AXIS, needed=True),
        Field("steer", NAME),
        Field("radius", NUMBER),
        Field("spin", NAME),
    )),
    "velocity_constraints": Record("velocity_constraints", VelocityConstraint, (
        Field("name", NAME, needed=True),
        Field("equation", EQUATION, needed=True),
    )),
}  # fmt: skip


def read_records(reading: Reading, data: Mapping[str, Any], index: Index) -> dict[str, Any]:
    """Return the fields of Mechanism that the records of a document fill."""
    found: dict[str, Any] = {}
    for key, record in RECORDS.items():
        if key not in data:
            continue
        made = []
        for k, value in enumerate(reading.listed(data[key], (key,))):
            made.append(_record(reading, record, value, (key, k), index))
        found[record.field] = tuple(made)
    return found


def _record(reading: Reading, record: Record, value: Any, at: At, index: Index) -> Any:
    row = reading.table(value, at, record.keys)
    for key in record.needed:
        if row.get(key) is None:
            whose = f"joint {shown(str(row['joint']))!r}: " if "joint" in row else ""
            reading.fail(at, f"{whose}{key} is missing", f"it needs {', '.join(record.needed)}")
    if row.get("Ia") is not None and row.get("Jm") is not None:
        reading.fail((*at, "Jm"), "is given together with Ia", "Ia = gear² Jm: give one of them")
    made = {
        f.key: f.type.read(reading, row[f.key], (*at, f.key), index)
        for f in record.fields
        if row.get(f.key) is not None
    }
    try:
        return record.make(**made)
    except ZeroDivisionError:
        reading.fail((*at, "gear"), "a gear ratio of zero")
