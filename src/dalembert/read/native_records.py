"""What acts on the bodies of a native file: one row of keys for each kind of record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


# -- fields ------------------------------------------------------------------------------------

Field = Callable[[Reading, Any, At, Index], Any]


def _number(reading: Reading, value: Any, at: At, index: Index) -> Any:
    return reading.number(value, at)


def _vector(reading: Reading, value: Any, at: At, index: Index) -> Any:
    return reading.vector(value, at)


def _axis(reading: Reading, value: Any, at: At, index: Index) -> Any:
    return reading.axis(value, at)


def _rotation(reading: Reading, value: Any, at: At, index: Index) -> Any:
    return reading.rotation(value, at)


def _placement(reading: Reading, value: Any, at: At, index: Index) -> Any:
    return reading.placement(value, at)


def _name(reading: Reading, value: Any, at: At, index: Index) -> str:
    return reading.name(value, at)


def _text(reading: Reading, value: Any, at: At, index: Index) -> str:
    return reading.text(value, at)


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


# -- records -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """A kind of record: the field of Mechanism it fills, what it makes, its keys, those needed."""

    field: str
    make: Callable[..., Any]
    keys: Mapping[str, Field]
    needed: tuple[str, ...]


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


ENDS: dict[str, Field] = {
    "body_i": body,
    "point_i": _vector,
    "body_j": body,
    "point_j": _vector,
}

RECORDS: dict[str, Record] = {
    "frames": Record(
        "named", Frame, {"name": _name, "body": body, "placement": _placement}, ("name", "body")
    ),
    "drives": Record(
        "drives",
        _drive,
        {
            "joint": joint,
            "Ia": _number,
            "Jm": _number,
            "gear": _number,
            "coulomb": _coulomb,
            "viscous": _number,
            "static": _coulomb,
            "stribeck": _number,
        },
        ("joint",),
    ),
    "elastic": Record(
        "elastic",
        JointSpring,
        {"joint": joint, "stiffness": _number, "rest": _number, "damping": _number},
        ("joint", "stiffness"),
    ),
    "springs": Record(
        "springs",
        PointSpring,
        {**ENDS, "stiffness": _number, "length": _number, "damping": _number},
        ("body_i", "point_i", "body_j", "point_j"),
    ),
    "loops": Record(
        "loops",
        Loop,
        {
            **ENDS,
            "joint": _loop_joint,
            "axis": _axis,
            "axis_j": _axis,
            "rotation_i": _rotation,
            "rotation_j": _rotation,
            "length": _number,
            "name": _text,
        },
        ("body_i", "point_i", "body_j", "point_j"),
    ),
    "couplings": Record(
        "couplings",
        Coupling,
        {"joint": joint, "of": joint, "ratio": _number, "offset": _number},
        ("joint", "of"),
    ),
    "wheels": Record(
        "wheels",
        Wheel,
        {
            "name": _name,
            "body": body,
            "point": _vector,
            "normal": _axis,
            "steer": _name,
            "radius": _number,
            "spin": _name,
        },
        ("name", "body", "point", "normal"),
    ),
    "velocity_constraints": Record(
        "velocity_constraints",
        VelocityConstraint,
        {"name": _name, "equation": _equation},
        ("name", "equation"),
    ),
}


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
        reading.fail((*at, "Jm"), "stands beside Ia", "Ia = gear² Jm: give one of them")
    made = {
        key: read(reading, row[key], (*at, key), index)
        for key, read in record.keys.items()
        if row.get(key) is not None
    }
    try:
        return record.make(**made)
    except ZeroDivisionError:
        reading.fail((*at, "gear"), "a gear ratio of zero")
