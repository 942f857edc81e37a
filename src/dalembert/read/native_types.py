"""The kinds of values of a native file: how each is read, written and described."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from ..errors import DalembertError, Place, closest, shown
from ..expr import Graph
from ..joint import JOINT_KINDS, Free, Joint, Prismatic, Revolute
from ..mechanism import Tyre
from .dump import Literal
from .expressions import Unit, expression
from .fields import Reading
from .native_fields import Field, Index, Names, Record, Type, body, joint, names_of, one
from .native_values import number, placement, rotation, tensor, vector
from .offsets import At


def _plain(method: str, write: Callable[[Any], Any], schema: str) -> Type:
    """Return a type that a method of Reading reads."""
    return Type(
        lambda reading, value, at, _: getattr(reading, method)(value, at),
        lambda x, _: write(x),
        {"$ref": f"#/$defs/{schema}"},
    )


def words(known: Collection[str], unknown: str) -> Type:
    """Return the type of a text that is one of some words; `unknown` says what another one is."""

    def read(reading: Reading, value: Any, at: At, index: Index) -> str:
        word = reading.text(value, at)
        if word not in known:
            reading.fail(at, unknown.format(f"{shown(word)!r}"), closest(word, list(known)))
        return word

    return Type(read, lambda word, _: word, {"enum": list(known)})


_OF_BODIES = re.compile(r"[^\W\d]\s*[.]|\b(v|w|p|axis|distance|direction)\s*[(]")


def _equation(reading: Reading, value: Any, at: At, index: Index) -> str:
    """Return the text of an equation whose two sides are expressions."""
    text = reading.text(value, at)
    sides = text.split("=")
    if len(sides) != 2:
        reading.fail(at, "an equation has one =", 'write: "xd*sin(th) - yd*cos(th) = 0"')
    for side in sides if not _OF_BODIES.search(text) else ():  # those are read with the machine
        try:
            expression(side, Graph(), Place(""))
        except DalembertError as error:
            reading.fail(at, f"{error.message} in {shown(side.strip(), 60)!r}", error.hint)
    return text


# joints by their words, and those that are two of them, one after the other:
# `mechanism.graph.PARTS` names these
KINDS: dict[str, type[Any]] = {**JOINT_KINDS, "continuous": Revolute, "floating": Free}
IN_PARTS: dict[str, tuple[type[Any], type[Any]]] = {
    "universal": (Revolute, Revolute),
    "cylindrical": (Prismatic, Revolute),
}


def joint_units(word: Any, rates: bool = False) -> list[Unit]:
    """Return what the coordinates of a joint are, or what its rates are those of."""
    found: list[Unit] = []
    for kind in IN_PARTS.get(word, (KINDS[word],) if word in KINDS else ()):
        turn: Unit = "angle" if rates or kind.nq == kind.nv else "number"
        size = kind.nv if rates else kind.nq
        found += ["length" if k < kind.lengths else turn for k in range(size)]
    return found


def _row(reading: Reading, at: At) -> Any:
    """Return the table that a key stands in."""
    row = reading.document.data
    for step in at[:-1]:
        row = row[step]
    return row


def _word(reading: Reading, at: At) -> str:
    """Return the word of the joint that a key stands beside."""
    row = _row(reading, at)
    word = row.get("type", row.get("joint"))
    return word if isinstance(word, str) else ""


def _speed_limit(reading: Reading, value: Any, at: At, index: Index) -> Any:
    """Return the largest rate of a joint: an angle or a length per second."""
    units = set(joint_units(_word(reading, at), rates=True))
    return reading.limit(value, at, units.pop() if len(units) == 1 else None)


def _coordinate(reading: Reading, value: Any, at: At, index: Index) -> Any:
    """Return a value of the coordinate of the joint that the same table names."""
    k = joint(reading, _row(reading, at)["joint"], (*at[:-1], "joint"), index)
    units = joint_units(index.kinds[k])
    return reading.number(value, at, units[0] if len(units) == 1 else None)


def _limits(reading: Reading, value: Any, at: At, index: Index) -> tuple[Any, ...]:
    """Return pairs of limits; a single pair may be given as it is."""
    units = dict(enumerate(joint_units(_word(reading, at))))
    rows = [] if value is None else reading.listed(value, at)
    if rows and not any(isinstance(row, (list, tuple)) for row in rows):
        rows = [rows]
    return tuple(
        tuple(
            reading.limit(x, (*at, k, n), units.get(k))
            for n, x in enumerate(reading.listed(r, (*at, k), 2))
        )
        for k, r in enumerate(rows)
    )


def _limits_written(limits: tuple[Any, ...], names: Names) -> Any:
    """Return pairs; an open limit is -inf or inf, which JSON writes as null."""
    pairs = [
        [
            Literal(open_) if x is None else number(x)
            for open_, x in zip(("-inf", "inf"), pair, strict=True)
        ]
        for pair in limits
    ]
    return pairs[0] if len(pairs) == 1 else pairs


def fitting(reading: Reading, limits: tuple[Any, ...], joint: Joint, at: At) -> tuple[Any, ...]:
    """Return limits, one pair for each coordinate of a joint, or raise DescriptionError."""
    if limits and len(limits) != joint.nq:
        many = f"{len(limits)} pairs of limits, {joint.nq} needed"
        reading.fail((*at, "limits"), many, "write [lower, upper]")
    return limits


REFERENCE = {"$ref": "#/$defs/reference"}
NUMBER = _plain("number", number, "number")
LENGTH = _plain("length", number, "number")
PURE = _plain("pure", number, "number")
POINT = _plain("point", vector, "vector")
VECTOR = _plain("vector", vector, "vector")
AXIS = _plain("axis", vector, "vector")
TENSOR = _plain("tensor", tensor, "tensor")
ROTATION = _plain("rotation", rotation, "rotation")
PLACEMENT = _plain("placement", placement, "placement")
NAME = _plain("name", str, "name")
TEXT = _plain("text", str, "text")
LIMIT = _plain("limit", number, "limit")
BODY = Type(body, lambda k, names: names.body(k), REFERENCE)
JOINT = Type(joint, lambda k, names: names.joint(k), NAME.schema)
SPEED_LIMIT = Type(_speed_limit, LIMIT.write, LIMIT.schema)
COORDINATE = Type(_coordinate, NUMBER.write, NUMBER.schema)
EQUATION = Type(_equation, lambda text, _: text, TEXT.schema)
PAIR = Type(
    lambda reading, value, at, _: reading.both_ways(value, at),
    lambda pair, _: [number(x) for x in pair],
    {"oneOf": [NUMBER.schema, {"type": "array", "items": NUMBER.schema, "minItems": 2,
                               "maxItems": 2}]},
)  # fmt: skip
LIMITS = Type(_limits, _limits_written, {
    "oneOf": [{"$ref": "#/$defs/pair"}, {"type": "array", "items": {"$ref": "#/$defs/pair"}}],
})  # fmt: skip
MOTORS = Type(
    lambda reading, value, at, index: names_of(reading, value, at, index, numbers=True),
    lambda names, _: list(names),
    {"type": "array", "items": NAME.schema},
)
JOINTS = Type(names_of, lambda names, _: list(names), {"type": "array", "items": NAME.schema})
TYRE = one(Record("a tyre", Tyre, (
    Field("stiffness", PURE, "cornering stiffness, N/rad", needed=True),
    Field("low", NUMBER, "a slower wheel has the slip angle of this speed", always=True),
    Field("peak", PURE, "largest force"),
)))  # fmt: skip
