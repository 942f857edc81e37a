"""Motors and gears of a catalogue, as `size` takes them: records, a TOML file or a CSV file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DescriptionError, Place, UsageError, closest, shown
from ..read.document import plain
from ..read.near import near_file, placed
from .task import only_keys

Parts = Sequence[Mapping[str, Any]] | str | Path  # a catalogue, or the file of one
MOTOR = ("name", "inertia", "continuous", "peak", "speed", "mass", "cost", "resistance", "constant",
         "thermal")  # fmt: skip
GEAR = ("name", "ratio", "efficiency", "inertia", "peak", "speed", "mass", "cost")
ENDLESS = ("continuous", "peak", "speed")  # limits, which may be infinite
LARGEST = 1e12  # of any other number of a part
MOST = 100_000  # motors or gears


@dataclass(frozen=True)
class Motor:
    """A motor: N m, rad/s, kg m² on its shaft; winding data where known."""

    name: str
    inertia: float = 0.0
    continuous: float = np.inf
    peak: float = np.inf
    speed: float = np.inf
    mass: float = 0.0
    cost: float = 0.0
    resistance: float = 0.0  # ohm
    constant: float = 0.0  # N m / A
    thermal: float = 0.0  # K / W


@dataclass(frozen=True)
class Gear:
    """A gear: ratio, efficiency, inertia on the motor side, limits on the joint side."""

    name: str = "none"
    ratio: float = 1.0
    efficiency: float = 1.0
    inertia: float = 0.0
    peak: float = np.inf
    speed: float = np.inf
    mass: float = 0.0
    cost: float = 0.0


def catalogue(motors: Any, gears: Any = None) -> tuple[list[Motor], list[Gear]]:
    """Return motors and gears from lists, a TOML file, or a CSV file of motors."""
    if isinstance(motors, str | Path):
        path = Path(motors)
        with placed(path):
            if path.suffix.lower() == ".csv":
                return catalogue(_csv(path), gears)
            data = plain(path)
            only_keys("a catalogue", data, ("motor", "gear"), None)
            return catalogue(data.get("motor", []), data.get("gear", gears))
    made_motors = [_record(Motor, x, MOTOR) for x in _listed(motors, "motors")]
    made_gears = [
        _record(Gear, x, GEAR) for x in _listed([{}] if gears in (None, [], ()) else gears, "gears")
    ]
    return made_motors, made_gears


def _listed(given: Any, what: str) -> Sequence[Any]:
    if not isinstance(given, list | tuple) or not given:
        raise UsageError(f"{what} are a list of records", hint='[{"name": "A", "peak": 1.2}]')
    if len(given) > MOST:
        raise UsageError(f"{len(given)} {what}", hint=f"at most {MOST}: leave out those too weak")
    return given


def _record(kind: Any, given: Any, keys: Sequence[str]) -> Any:
    if isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise UsageError(f"a {kind.__name__.lower()} is a record", hint=", ".join(keys))
    values: dict[str, Any] = {}
    for key, x in given.items():
        if key not in keys:
            near = closest(str(key), keys)
            raise UsageError(f"a {kind.__name__.lower()} has no {shown(str(key))!r}", hint=near)
        values[key] = _name(x) if key == "name" else _number(key, x)
    if kind is Gear and not (values.get("ratio", 1.0) and 0 < values.get("efficiency", 1.0) <= 1):
        raise UsageError("a gear has a ratio that is not 0 and an efficiency up to 1")
    most, held = values.get("peak", np.inf), values.get("continuous", 0.0)
    if most < held:
        raise UsageError(
            f"the peak {most:g} N m of a motor is below its continuous torque {held:g} N m",
            hint="were they swapped?",
        )
    return kind(**({"name": "motor"} if kind is Motor else {}) | values)


def _name(given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float) or given == "":
        raise UsageError(f"name = {shown(repr(given))} is not a name", hint='name = "EC 45"')
    return str(given)


def _number(key: str, given: Any) -> float:
    """Return a number of a record: limits may be infinite, a ratio negative."""
    try:
        if isinstance(given, bool | np.bool_):
            raise TypeError
        x = float(given)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{key} = {shown(repr(given))} is not a number") from None
    if math.isnan(x) or (key not in ENDLESS and abs(x) > LARGEST):
        raise UsageError(f"{key} = {shown(repr(given))} is not a number that a part can have")
    if x < 0 and key != "ratio":
        raise UsageError(f"{key} = {x:g} is negative")
    return x


def _csv(path: Path) -> list[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DescriptionError("no such file", Place(str(path)), near_file(str(path))) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(f"the catalogue cannot be read: {error}", Place(str(path))) from None
    return [{k: v for k, v in row.items() if k and v} for row in csv.DictReader(io.StringIO(text))]
