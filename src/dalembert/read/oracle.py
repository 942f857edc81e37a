"""Whole oracle files, `robot-dynamics-oracle/1`: a neutral model with what stands beside it.

Vehicles are given by `n_trailers` and `parameters` alone: a chassis on a planar joint, its frame in
the middle of the rear axle, and trailers on revolute joints at their hitches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import shown
from ..mechanism import Mechanism
from .context import Context
from .document import Document
from .fields import Reading, kind
from .native import read_native

FORMAT = "robot-dynamics-oracle/1"
BESIDE = ("model", "phrase", "mdh_table", "n_trailers")


def is_oracle(data: Any) -> bool:
    """Return whether decoded data is an oracle file."""
    if not isinstance(data, Mapping):
        return False
    return data.get("format") == FORMAT or ("format" not in data and "model" in data)


def read_oracle(document: Document, context: Context) -> Mechanism:
    """Return the mechanism of an oracle file; states and expected values are ignored."""
    data = document.data
    reading = Reading(document, context.snap)
    name = reading.text(data.get("name", "mechanism"), ("name",))
    if "model" in data:
        native = _model(reading, data)
    elif "n_trailers" in data:
        native = _vehicle(reading, data)
    elif "phrase" in data:
        native = {"phrase": data["phrase"], "parameters": data.get("parameters", {})}
    else:
        hint = "an oracle file has one of " + ", ".join(BESIDE[:2]) + " or n_trailers"
        reading.fail((), "there is no model", hint)
    made = _Inside(native, document.source, document.text, document.language)
    return read_native(made, replace(context, name=name))


class _Inside(Document):
    """The native part of an oracle file: places are those of the whole file."""

    numbered = True

    def place(self, at: Any = ()) -> Any:
        inner = at and at[0] in ("bodies", "gravity")
        return super().place(("model", *at) if inner else at)


def _model(reading: Reading, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the native form of a model with loops, active joints, elasticity and drives."""
    model = reading.table(data["model"], ("model",), ("name", "gravity", "bodies"))
    native = dict(model)
    rows = []
    for k, row in enumerate(reading.listed(model.get("bodies", ()), ("model", "bodies"))):
        joint = row.get("joint") if isinstance(row, Mapping) else None
        if isinstance(joint, Mapping) and k == 0 and joint.get("type") in ("floating", "free"):
            row = {**row, "joint": {"name": "base", **joint}}
        rows.append(row)
    native["bodies"] = rows
    native |= {key: data[key] for key in ("loops", "active") if key in data}
    native["elastic"] = _elastic(reading, data)
    native["drives"] = _drives(reading, data)
    return native


def _column(reading: Reading, data: Mapping[str, Any], key: str, size: int | None) -> list[Any]:
    if key not in data:
        return [0] * (size or 0)
    return reading.listed(data[key], (key,), size)


def _elastic(reading: Reading, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "elastic" not in data:
        return []
    flags = reading.listed(data["elastic"], ("elastic",))
    stiffness = _column(reading, data, "stiffness", len(flags))
    rest = _column(reading, data, "q_rest", len(flags))
    for k, flag in enumerate(flags):
        if not isinstance(flag, bool):
            reading.fail(("elastic", k), f"true or false is needed, not {kind(flag)}")
    return [
        {"joint": k, "stiffness": stiffness[k], "rest": rest[k]}
        for k, flag in enumerate(flags)
        if flag
    ]


def _drives(reading: Reading, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    sizes = [len(reading.listed(data[key], (key,))) for key in ("Ia", "Fs", "Fv") if key in data]
    size = sizes[0] if sizes else 0
    columns = [_column(reading, data, key, size) for key in ("Ia", "Fs", "Fv")]
    return [
        {"joint": k, "Ia": Ia, "coulomb": Fs, "viscous": Fv}
        for k, (Ia, Fs, Fv) in enumerate(zip(*columns, strict=True))
        if any(x != 0 for x in (Ia, Fs, Fv))
    ]


def _vehicle(reading: Reading, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a towing vehicle with trailers: l wheelbase and hitch-to-axle lengths, b mass centres
    ahead of the axles, c hitches behind the axles, m and J masses and yaw inertias."""
    n = data["n_trailers"]
    if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 1000:
        reading.fail(("n_trailers",), f"{shown(str(n), 40)} is not a number of trailers")
    given = data.get("parameters")
    if not isinstance(given, Mapping):
        reading.fail(("parameters",), "the lengths and masses of the vehicle are missing")
    sizes = {"l": n + 1, "b": n + 1, "c": n, "m": n + 1, "J": n + 1}
    at = ("parameters",)
    table = reading.table(given, at, sizes)
    values: dict[str, list[Any]] = {}
    for key, size in sizes.items():
        row = reading.listed(table.get(key), (*at, key), size)
        values[key] = [reading.number(x, (*at, key, i)) for i, x in enumerate(row)]
    l, b, c, m, J = (values[key] for key in sizes)
    bodies, wheels = [], []
    for i in range(n + 1):
        # a trailer's frame is at its hitch, the chassis' at its rear axle
        axle = -l[i] if i else 0
        hitch = -c[i - 1] - (l[i - 1] if i > 1 else 0) if i else 0
        place = {"translation": [hitch, 0, 0]}
        joint = {"type": "revolute", "name": f"Phi{i}", "placement": place}
        bodies.append(
            {
                "name": f"trailer{i}" if i else "chassis",
                "parent": i - 1,
                "joint": joint if i else {"type": "planar", "name": "base"},
                "mass": m[i],
                "com": [axle + b[i], 0, 0],
                "inertia": [0, 0, J[i]],
            }
        )
        name = f"trailer{i}" if i else "rear"
        wheels.append({"name": name, "body": i, "point": [axle, 0, 0], "normal": [0, 1, 0]})
    front = {"name": "front", "body": 0, "point": [l[0], 0, 0], "normal": [0, 1, 0]}
    wheels.insert(1, {**front, "steer": "delta"})
    return {
        "bodies": bodies,
        "wheels": wheels,
        "prescribed": ["delta"],
        "speeds": ["v"],
    }
