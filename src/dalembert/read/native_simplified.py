"""`simplified = {...}` of a native file: what its equations leave out, read and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import closest, shown
from ..expr import Expr
from ..expr.exact import to_float
from ..mechanism import Mechanism
from ..mechanism.simplified import KEYS, NEGLECTED, Simplified
from .document import At
from .dump import Literal
from .fields import Reading, kind
from .native_values import number

PRUNE = ("tolerance", "values", "limits")
HERE = ("simplified",)


def read_simplified(reading: Reading, value: Any, m: Mechanism) -> Simplified:
    """Return what is left out, joints and words checked."""
    data = reading.table(value, HERE, KEYS)
    out: dict[str, Any] = {}
    if "freeze" in data:
        out["freeze"] = _frozen(reading, data["freeze"], m)
    if "neglect" in data:
        at = (*HERE, "neglect")
        for k, word in enumerate(reading.listed(data["neglect"], at)):
            if reading.text(word, (*at, k)) not in NEGLECTED:
                hint = closest(word, list(NEGLECTED))
                reading.fail((*at, k), f"cannot neglect {shown(word)!r}", hint)
        out["neglect"] = list(data["neglect"])
    if "drop" in data:
        at, given = (*HERE, "drop"), data["drop"]
        rows = [given] if isinstance(given, str) else reading.listed(given, at)
        out["drop"] = [reading.text(row, (*at, k)) for k, row in enumerate(rows)]
    if "prune" in data:
        at = (*HERE, "prune")
        prune = reading.table(data["prune"], at, PRUNE)
        if "tolerance" not in prune:
            reading.fail(at, "the share of pruning is missing", 'write tolerance = "1%"')
        out["prune"] = {key: _plain(reading, x, (*at, key)) for key, x in prune.items()}
    return Simplified({key: x for key, x in out.items() if x})


def _frozen(reading: Reading, value: Any, m: Mechanism) -> dict[str, Any]:
    """Return the value of each frozen joint by its name; a list holds them at 0."""
    at = (*HERE, "freeze")
    if not isinstance(value, Mapping):
        value = {str(x): 0 for x in reading.listed(value, at)}
    out: dict[str, Any] = {}
    names = m.joint_names
    for key, x in value.items():
        name = str(key)
        if name not in names and name.isascii() and name.isdecimal() and len(name) < 10:
            name = names[int(name) - 1] if 1 <= int(name) <= len(names) else name
        if name not in names:
            hint = closest(name, list(names))
            reading.fail((*at, str(key)), f"there is no joint {shown(name)!r}", hint)
        found = reading.number(x, (*at, str(key)))
        out[name] = str(x) if isinstance(found, Expr) else found
    return out


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


def written_simplified(what: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the key as native files hold it."""
    return {key: _written(x) for key, x in (what or {}).items()}


def _written(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {str(k): _written(y) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_written(y) for y in x]
    if isinstance(x, str):
        return x
    return Literal(repr(x)) if isinstance(x, float) else number(x)
