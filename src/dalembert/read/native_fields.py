"""What a key of a native file is: one row, by which it is read, written and described."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from dataclasses import fields as dataclass_fields
from typing import Any

from ..errors import closest, shown, some
from ..frozen import dataclass
from ..mechanism import Body, joint_name
from .fields import Reading, kind
from .offsets import At


class Index:
    """Bodies and joints of a file by name, or by number in the file's own order.

    `parts` says how many joints, one after the other, carry each body of the file; one if not told.
    `base` is the body that the file calls its base: -1, or one that was put under the machine.
    """

    def __init__(
        self, bodies: Sequence[Body] = (), order: Sequence[int] = (), parts: Sequence[int] = (),
        base: int = -1,
    ):  # fmt: skip
        self.order, self.base = order, base
        own = dict(zip(order, parts or [1] * len(order), strict=True))
        self.bodies = {b.name: j for j, b in enumerate(bodies)}
        self.joints = {joint_name(b): j for j, b in enumerate(bodies) if b.joint.nv}
        every = [j for last, n in own.items() for j in range(last - n + 1, last + 1)]
        self.moving = [j for j in every if bodies[j].joint.nv]  # in the file's order
        self.names = [joint_name(b) for b in bodies]
        self.kinds = [b.joint.kind for b in bodies]
        # a joint may also be called by the body it moves, where it is the only one
        self.by_body = {
            b.name: j for j, b in enumerate(bodies) if b.joint.nv and own.get(j, 1) == 1
        }


def body(reading: Reading, value: Any, at: At, index: Index) -> int:
    """Return a body from its name or its number from 0; -1 is the base."""
    if isinstance(value, str):
        if value in index.bodies:
            return index.bodies[value]
        if value in ("base", "world"):
            return index.base
        hint = closest(value, list(index.bodies))
        reading.fail(at, f"there is no body {shown(value)!r}", hint)
    if isinstance(value, bool) or not isinstance(value, int):
        reading.fail(at, f"a body is a name or a number from 0, not {kind(value)}")
    if not -1 <= value < len(index.order):
        hint = f"bodies are 0 to {len(index.order) - 1}; -1 is the base"
        reading.fail(at, f"there is no body {value}", hint)
    return index.order[value] if value >= 0 else index.base


def joint(reading: Reading, value: Any, at: At, index: Index) -> int:
    """Return a moving joint from its name or its body's name.

    An oracle file may give its number from 0. A native file may not: `freeze` and the command line
    count joints from 1, bodies count from 0, so a bare number would not say which joint is meant.
    """
    if isinstance(value, str):
        found = index.joints.get(value, index.by_body.get(value))
        if found is None:
            what = "does not move" if value in index.names else "does not exist"
            hint = closest(value, list(index.joints))
            reading.fail(at, f"joint {shown(value)!r} {what}", hint)
        return found
    if isinstance(value, bool) or not isinstance(value, int):
        reading.fail(at, f"a joint is a name, not {kind(value)}")
    if not reading.document.numbered:
        names = some([index.names[j] for j in index.moving], 6)
        hint = f"write the name of the joint, one of: {names}"
        reading.fail(at, f"joint {value}: does it count from 0 or from 1?", hint)
    if not 0 <= value < len(index.moving):
        hint = f"joints are 0 to {len(index.moving) - 1}"
        reading.fail(at, f"there is no joint {value}", hint)
    return index.moving[value]


def names_of(
    reading: Reading, value: Any, at: At, index: Index, numbers: bool = False
) -> tuple[str, ...]:
    """Return a list of names; with `numbers` a joint of an oracle file may be a number from 0."""
    found = []
    for k, x in enumerate(reading.listed(value, at)):
        if numbers and not isinstance(x, str):
            found.append(index.names[joint(reading, x, (*at, k), index)])
        elif numbers and x not in index.joints and x in index.by_body:
            found.append(index.names[index.by_body[x]])
        else:
            found.append(reading.name(x, (*at, k)))
    return tuple(found)


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


@dataclass(frozen=True, slots=True)
class Field:
    """One key: its type, whether it is needed, and what it holds.

    `fills` is the attribute of the record if it has another name; `value` finds what to write if it
    is not an attribute at all. What equals the default of the record is not written, unless it is
    needed or `always` is set.
    """

    key: str
    type: Type
    note: str = ""
    needed: bool = False
    fills: str = ""
    value: Callable[[Any], Any] | None = None
    always: bool = False

    @property
    def attribute(self) -> str:
        """What the value is called in Python."""
        return self.fills or self.key

    def of(self, record: Any) -> Any:
        """Return the value that a record has, or None."""
        return self.value(record) if self.value else getattr(record, self.attribute)

    def written(self, record: Any, default: Any, names: Names) -> Any:
        """Return the value as the file holds it, None where it is left out."""
        found = self.of(record)
        if found is None or (not (self.needed or self.always) and found == default):
            return None
        return self.type.write(found, names)

    def schema(self) -> dict[str, Any]:
        """Return what the JSON schema says of the key."""
        return dict(self.type.schema) | ({"description": self.note} if self.note else {})


@dataclass(frozen=True, slots=True)
class Record:
    """A table of the file: what it is, its keys, and what makes something of their values.

    `apart` are pairs of keys of which one is given, each with a hint; `null` says whether null is
    as good as nothing.
    """

    note: str
    make: Callable[..., Any]
    fields: tuple[Field, ...]
    apart: Mapping[tuple[str, str], str] = field(default_factory=dict)
    null: bool = True

    @property
    def keys(self) -> dict[str, Field]:
        """The fields by key."""
        return {f.key: f for f in self.fields}

    @property
    def needed(self) -> tuple[str, ...]:
        """The keys that must be given."""
        return tuple(f.key for f in self.fields if f.needed)

    def values(self, reading: Reading, value: Any, at: At, index: Index) -> dict[str, Any]:
        """Return the values of a table by attribute."""
        given = reading.table(value, at, self.keys)
        row = {k: x for k, x in given.items() if not (x is None and self.null)}
        for key in self.needed:
            if row.get(key) is None:
                whose = f"joint {shown(str(row['joint']))!r}: " if "joint" in row else ""
                reading.fail(at, f"{whose}{key} is missing", f"it needs {', '.join(self.needed)}")
        for (first, second), hint in self.apart.items():
            if first in row and second in row:
                reading.fail((*at, second), f"is given together with {first}", hint)
        return {
            f.attribute: f.type.read(reading, row[f.key], (*at, f.key), index)
            for f in self.fields
            if f.key in row
        }

    def read(self, reading: Reading, value: Any, at: At, index: Index) -> Any:
        """Return what a table of the file makes."""
        made = self.values(reading, value, at, index)
        try:
            return self.make(**made)
        except ZeroDivisionError:
            reading.fail((*at, "gear"), "a gear ratio of zero")

    def row(self, record: Any, names: Names) -> dict[str, Any]:
        """Return a record as the file holds it."""
        defaults = {f.name: f.default for f in dataclass_fields(record)}
        found = (
            (f.key, f.written(record, defaults.get(f.attribute, 0), names)) for f in self.fields
        )
        return {key: value for key, value in found if value is not None}

    def schema(self) -> dict[str, Any]:
        """Return what the JSON schema says of such a table."""
        said: dict[str, Any] = {"type": "object", "additionalProperties": False}
        if self.needed:
            said["required"] = list(self.needed)
        if self.apart:
            said["not"] = {"anyOf": [{"required": list(pair)} for pair in self.apart]}
        return said | {"properties": {f.key: f.schema() for f in self.fields}}


def one(record: Record) -> Type:
    """Return the type of a key that holds one such table."""
    return Type(record.read, record.row, record.schema())


def many(record: Record) -> Type:
    """Return the type of a key that holds a list of such tables."""
    return listed(one(record))


def listed(item: Type) -> Type:
    """Return the type of a list whose items have one type."""

    def read(reading: Reading, value: Any, at: At, index: Index) -> tuple[Any, ...]:
        rows = enumerate(reading.listed(value, at))
        return tuple(item.read(reading, x, (*at, k), index) for k, x in rows)

    return Type(
        read,
        lambda rows, names: [item.write(x, names) for x in rows],
        {"type": "array", "items": dict(item.schema)},
    )
