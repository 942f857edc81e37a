"""Every key of a native file, in one table: the file itself, its bodies, joints and records.

Reader, writer, JSON schema (`native.schema.json`) and the tables of docs/native.md come from it;
`python tools/native_keys.py` writes the last two again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..algebra import Mat3
from ..errors import shown
from ..expr import Expr
from ..expr.exact import exact
from ..mechanism import (
    LOOP_JOINTS,
    ROLLING,
    Body,
    Coupling,
    Drive,
    Frame,
    JointSpring,
    Loop,
    Mechanism,
    PointSpring,
    RollingContact,
    VelocityConstraint,
    Wheel,
)
from ..mechanism.graph import CUTTABLE
from .fields import Reading, kind
from .native_fields import Field, Index, Names, Record, Type, listed, many
from .native_simplified import SIMPLIFIED
from .native_types import (
    AXIS,
    BODY,
    COORDINATE,
    EQUATION,
    IN_PARTS,
    JOINT,
    JOINTS,
    KINDS,
    LENGTH,
    LIMIT,
    LIMITS,
    MOTORS,
    NAME,
    NUMBER,
    PAIR,
    PLACEMENT,
    POINT,
    PURE,
    REFERENCE,
    ROTATION,
    SPEED_LIMIT,
    TENSOR,
    TEXT,
    TYRE,
    VECTOR,
    words,
)
from .native_values import ZERO, number
from .offsets import At

FORMAT = "dalembert/1"

# -- bodies and joints -------------------------------------------------------------------------


def _about(where: str, part: str) -> Any:
    """Return what finds a part of the mass data that are given about a place, if they are."""

    def found(b: Body) -> Any:
        value = getattr(b.inertia, part)
        if b.inertia.at != where:
            return None
        return None if where == "centre" and value in (ZERO, Mat3.zero()) else value

    return found


BOUNDS = (
    Field("limits", LIMITS, "`[lower, upper]`, one pair for each coordinate"),
    Field("velocity_limit", SPEED_LIMIT, "largest amount of the rate"),
    Field("effort_limit", LIMIT, "largest amount of the force or torque"),
)
MOVES = Record("how a body moves", dict, (
    Field("type", words((*KINDS, *IN_PARTS), "unknown joint type {}"), "kind of joint",
          needed=True, value=lambda b: b.joint.kind),
    Field("axis", VECTOR, "of a revolute, prismatic, screw, cylindrical or universal joint; z if "
          "not given", value=lambda b: getattr(b.joint, "axis", None)),
    Field("axis_j", VECTOR, "second axis of a universal joint, needed there; in body axes",
          value=lambda b: None),
    Field("pitch", LENGTH, "of a screw, metres per radian", always=True,
          value=lambda b: getattr(b.joint, "pitch", None)),
    Field("name", NAME, "by which it is asked; that of the body if not given",
          value=lambda b: b.joint_name or None),
    Field("placement", PLACEMENT, "in the parent at q = 0: 4 x 4 rows, or "
          "`{ translation, rotation }`"),
    *BOUNDS,
), null=False)  # fmt: skip
ABOUT = "give com and inertia, or first_moment and inertia_origin"
BODIES = Record("bodies, each on a joint", dict, (
    Field("name", NAME, "of the body"),
    Field("parent", Type(lambda reading, value, at, _: value, lambda k, names: names.body(k),
                         REFERENCE),
          "the body that carries it, also a later one; needed, except where joints carry the body",
          always=True),
    Field("joint", Type(MOVES.values, MOVES.row, MOVES.schema()),
          "how it moves against its parent; none is a fixed joint", value=lambda b: b),
    Field("mass", PURE, "", value=lambda b: b.inertia.mass),
    Field("com", POINT, "mass centre, in body axes", value=_about("centre", "lever")),
    Field("inertia", TENSOR, "about the mass centre, in body axes",
          value=_about("centre", "tensor")),
    Field("first_moment", VECTOR, "mass times mass centre", value=_about("origin", "lever"),
          always=True),
    Field("inertia_origin", TENSOR, "about the frame origin", value=_about("origin", "tensor"),
          always=True),
), {(centre, origin): ABOUT for origin in ("first_moment", "inertia_origin")
    for centre in ("com", "inertia")}, null=False)  # fmt: skip

ENDS = (
    Field("body_i", BODY, "first body", needed=True),
    Field("point_i", POINT, "its point, in its axes", needed=True),
    Field("body_j", BODY, "second body", needed=True),
    Field("point_j", POINT, "its point, in its axes", needed=True),
)
GRAPH_JOINTS = Record("joints between any two bodies", dict, (
    Field("name", NAME),
    Field("joint", words(CUTTABLE, "unknown joint {}"), "kind of joint", needed=True),
    Field("body_i", BODY, needed=True),
    Field("point_i", POINT),
    Field("rotation_i", ROTATION),
    Field("body_j", BODY, needed=True),
    Field("point_j", POINT),
    Field("rotation_j", ROTATION),
    Field("axis", AXIS, "in body_i's axes"),
    Field("axis_j", AXIS, "of a universal joint, in body_j's axes"),
    *BOUNDS,
))  # fmt: skip

# -- records -----------------------------------------------------------------------------------


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


RECORDS: dict[str, Record] = {
    "frames": Record("named frames", Frame, (
        Field("name", NAME, needed=True),
        Field("body", BODY, needed=True),
        Field("placement", PLACEMENT),
    )),
    "drives": Record("motors and friction", _drive, (
        Field("joint", JOINT, needed=True),
        # with a gear the rotor inertia is that of the motor itself
        Field("Ia", PURE, "rotor inertia at the joint: gear² Jm",
              value=lambda d: 0 if _is_geared(d) else d.inertia),
        Field("Jm", PURE, "rotor inertia at the motor",
              value=lambda d: d.inertia if _is_geared(d) else 0),
        Field("gear", PURE, "turns of the motor for one of the joint"),
        Field("coulomb", PAIR, "friction, one number or a pair (at positive, at negative speed)"),
        Field("viscous", PURE, "friction for each unit of speed"),
        Field("static", PAIR, "the level that holds a joint at rest"),
        Field("stribeck", NUMBER, "the speed over which friction falls from it to `coulomb`"),
    ), {("Ia", "Jm"): "Ia = gear² Jm: give one of them"}),
    "elastic": Record("springs at joints", JointSpring, (
        Field("joint", JOINT, needed=True),
        Field("stiffness", PURE, needed=True),
        Field("rest", COORDINATE, "where it gives no force"),
        Field("damping", PURE),
    )),
    "springs": Record("springs between points", PointSpring, (
        *ENDS,
        Field("stiffness", PURE),
        Field("length", LENGTH, "where it gives no force"),
        Field("damping", PURE),
    )),
    "loops": Record("where the tree meets again", Loop, (
        *ENDS,
        Field("joint", words(LOOP_JOINTS, "unknown loop joint {}"), "kind of joint", always=True),
        Field("axis", AXIS, "in body_i's axes"),
        Field("axis_j", AXIS, "in body_j's axes, where it is not the same"),
        Field("rotation_i", ROTATION, "turns the first frame"),
        Field("rotation_j", ROTATION, "turns the second frame"),
        Field("length", LENGTH, "of a rod"),
        Field("name", TEXT),
    )),
    "couplings": Record("joints that follow: q = ratio · q of `of` + offset", Coupling, (
        Field("joint", JOINT, "the joint that follows", needed=True),
        Field("of", JOINT, "the joint that leads", needed=True),
        Field("ratio", NUMBER, always=True),
        Field("offset", COORDINATE),
    )),
    "wheels": Record("wheels that do not slip sideways", Wheel, (
        Field("name", NAME, needed=True),
        Field("body", BODY, needed=True),
        Field("point", POINT, "has no velocity along `normal`, against the ground", needed=True),
        Field("normal", AXIS, "in body axes; along the axis of the spin", needed=True),
        Field("steer", NAME, "the angle that turns the normal"),
        Field("radius", LENGTH, "with `spin`: rolls without slip"),
        Field("spin", NAME, "the joint that turns the wheel"),
        Field("tyre", TYRE, "a tyre that slips sideways instead of none"),
    )),
    "rolling": Record("bodies that roll", RollingContact, (
        Field("name", NAME, needed=True),
        Field("kind", words(ROLLING, "nothing rolls as {}"), "what rolls", needed=True),
        Field("body", BODY, needed=True, fills="body_i"),
        Field("point", POINT, "centre, or point of a knife edge", fills="point_i"),
        Field("axis", AXIS, "axle; across a knife edge"),
        Field("radius", LENGTH),
        Field("crown", LENGTH, "radius of the tread"),
        Field("on", BODY, "what it rolls on; the base if left out", fills="body_j"),
        Field("at", POINT, "a point of that plane", fills="point_j"),
        Field("normal", AXIS, "of that plane", fills="axis_j"),
        Field("on_radius", LENGTH, "of the other gear", fills="radius_j"),
    )),
    "velocity_constraints": Record("equations between rates", VelocityConstraint, (
        Field("name", NAME, needed=True),
        Field("equation", EQUATION, "in rates, coordinates, parameters and t", needed=True),
    )),
}  # fmt: skip

# -- speeds, symbols and parameters ------------------------------------------------------------

SPEED = Record("a speed", VelocityConstraint, (
    Field("name", NAME, needed=True),
    Field("equation", TEXT, needed=True),
))  # fmt: skip
_VELOCITY = re.compile(r"[vw]\(.+\)\s*\.\s*[xyzXYZ]")


def _speed(reading: Reading, value: Any, at: At, index: Index) -> tuple[str, Any]:
    """Return a name, and the expression of a speed that is neither a joint's nor a wheel's."""
    if isinstance(value, Mapping):
        speed = SPEED.read(reading, value, at, index)
        return speed.name, speed
    name = reading.name(value, at)
    return name, VelocityConstraint(name, name) if _VELOCITY.fullmatch(name) else None


def _speed_written(speed: tuple[str, Any], names: Names) -> Any:
    name, told = speed
    return name if told is None or told.equation == name else SPEED.row(told, names)


def _speeds(m: Mechanism) -> list[tuple[str, Any]]:
    told = {s.name: s for s in m.speed_equations}
    return [(name, told.get(name)) for name in m.speeds]


def _symbols(reading: Reading, value: Any, at: At, index: Index) -> tuple[str, ...]:
    found: list[str] = []
    for k, symbol in enumerate(reading.listed(value, at)):
        name = reading.name(symbol, (*at, k))
        if name in found:
            reading.fail((*at, k), f"duplicate symbol {shown(name)!r}")
        found.append(name)
    return tuple(found)


def _parameters(reading: Reading, value: Any, at: At, index: Index) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        reading.fail(at, f"a table is needed, not {kind(value)}")
    return {
        reading.name(key, (*at, key)): None if x is None else reading.number(x, (*at, key))
        for key, x in value.items()
    }


def _format(reading: Reading, value: Any, at: At, index: Index) -> str:
    if value != FORMAT:
        reading.fail(at, "unknown format", f'write: format = "{FORMAT}"')
    return FORMAT


def _phrase(reading: Reading, value: Any, at: At, index: Index) -> str:
    if not isinstance(value, str):
        reading.fail(at, f"a text is needed, not {kind(value)}")
    return value


def _nothing(m: Mechanism) -> None:
    """Return that a key is read, but never written."""


# -- the file ----------------------------------------------------------------------------------

HEAD = (
    Field("format", Type(_format, lambda x, _: x, {"const": FORMAT}), "which version of the format",
          value=lambda m: FORMAT),
    Field("name", TEXT, "of the mechanism"),
    Field("gravity", VECTOR, "acceleration, (0, 0, -9.81) when absent"),
    Field("symbols", Type(_symbols, lambda _, __: [], {"type": "array", "items": NAME.schema}),
          "parameters without a value; may repeat names of parameters to fix their order",
          value=lambda m: m.parameters),
    Field("parameters", Type(
        _parameters,
        lambda given, _: {p.name: None if p.value is None else number(p.value) for p in given},
        {"type": "object", "propertyNames": NAME.schema, "additionalProperties":
         {"oneOf": [{"type": "null"}, NUMBER.schema]}},
    ), "their values"),
)  # fmt: skip
SHAPE = (
    Field("phrase", Type(_phrase, lambda x, _: x, {"type": "string"}),
          "geometry as a phrase instead of bodies", value=_nothing),
    Field("bodies", many(BODIES), BODIES.note),
    Field("joints", many(GRAPH_JOINTS),
          "joints of a graph of bodies, beside those that bodies name; loops are cut at passive "
          "ones", value=_nothing),
)  # fmt: skip
ROLES = (
    Field("active", MOTORS, "joints that have motors"),
    Field("prescribed", JOINTS, "what is given with its rates: steering angles, joints"),
    Field("speeds", listed(Type(_speed, _speed_written, {"oneOf": [NAME.schema, SPEED.schema()]})),
          "independent speeds of a wheeled machine", value=_speeds),
)  # fmt: skip
ACTS = (
    *(Field(key, many(record), record.note, fills="named" if key == "frames" else "")
      for key, record in RECORDS.items()),
    Field("simplified", SIMPLIFIED, "what the equations leave out on purpose"),
)  # fmt: skip
FILE = (*HEAD, *ROLES, *SHAPE, *ACTS)
TOP = {f.key: f for f in FILE}
