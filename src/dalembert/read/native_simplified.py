"""`simplified = {...}` of a native file: what its equations leave out, read and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import closest, shown
from ..expr import Expr
from ..expr.exact import to_float
from ..mechanism.simplified import NEGLECTED, Simplified
from .dump import Literal
from .fields import Reading, kind
from .native_fields import Field, Index, Record, Type, listed, one
from .native_types import NAME, NUMBER, TEXT, joint_units, words
from .native_values import number
from .offsets import At


def _frozen(reading: Reading, value: Any, at: At, index: Index) -> dict[str, Any]:
    """Return the value of each frozen joint by its name; a list holds them at 0."""
    if not isinstance(value, Mapping):
        value = {str(x): 0 for x in reading.listed(value, at)}
    out: dict[str, Any] = {}
    names, counted = list(index.joints), [n for n, j in index.joints.items() if j != index.base]
    for key, x in value.items():
        name = str(key)
        if name not in names and name.isascii() and name.isdecimal() and len(name) < 10:
            name = counted[int(name) - 1] if 1 <= int(name) <= len(counted) else name
        if name not in names:
            hint = closest(name, names)
            reading.fail((*at, str(key)), f"there is no joint {shown(name)!r}", hint)
        units = joint_units(index.kinds[index.joints[name]])
        found = reading.number(x, (*at, str(key)), units[0] if len(units) == 1 else None)
        out[name] = str(x) if isinstance(found, Expr) else found
    return out


def _dropped(reading: Reading, value: Any, at: At, index: Index) -> list[str]:
    rows = [value] if isinstance(value, str) else reading.listed(value, at)
    return [reading.text(row, (*at, k)) for k, row in enumerate(rows)]


def _pruned(reading: Reading, value: Any, at: At, index: Index) -> dict[str, Any]:
    prune = reading.table(value, at, PRUNE)
    if "tolerance" not in prune:
        reading.fail(at, "the share of pruning is missing", 'write tolerance = "1%"')
    return {key: _plain(reading, x, (*at, key)) for key, x in prune.items()}


def _plain(reading: Reading, x: Any, at: At) -> Any:
    """Return tables, lists and texts as they are, numbers as floats."""
    if isinstance(x, Mapping):
        return {str(k): _plain(reading, y, (*at, str(k))) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(reading, y, (*at, k)) for k, y in enumerate(x)]
    if isinstance(x, str):
        return x
    if isinstance(x, bool) or x is None:
        reading.fail(at, f"a number is needed, not {kind(x)}")
    return float(to_float(reading.number(x, at)))


def _written(x: Any, names: Any = None) -> Any:
    if isinstance(x, Mapping):
        return {str(k): _written(y) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_written(y) for y in x]
    if isinstance(x, str):
        return x
    return Literal(repr(x)) if isinstance(x, float) else number(x)


def _made(**given: Any) -> Simplified | None:
    return (
        Simplified({k: list(x) if isinstance(x, tuple) else x for k, x in given.items() if x})
        or None
    )


PRUNE: dict[str, Any] = {
    "tolerance": {"oneOf": [{"type": "number"}, {"type": "string"}]},
    "values": {"type": "object"},
    "limits": {"type": "object"},
}
FREEZE = {"oneOf": [
    {"type": "object", "additionalProperties": NUMBER.schema},
    {"type": "array", "items": {"oneOf": [NAME.schema, {"type": "integer", "minimum": 1}]}},
]}  # fmt: skip
DROP = {"oneOf": [TEXT.schema, {"type": "array", "items": TEXT.schema}]}

_RECORD = Record("what is left out", _made, (
    Field("freeze", Type(_frozen, _written, FREEZE), "joint = value, or a list held at 0"),
    Field("neglect", listed(words(NEGLECTED, "cannot neglect {}")), "terms left out"),
    Field("drop", Type(_dropped, _written, DROP), "terms by their printed numbers"),
    Field("prune", Type(_pruned, _written, {
        "type": "object", "additionalProperties": False, "required": ["tolerance"],
        "properties": PRUNE,
    }), "terms that are proven to matter less than a share"),
), null=False)  # fmt: skip
SIMPLIFIED = Type(_RECORD.read, _written, one(_RECORD).schema)
