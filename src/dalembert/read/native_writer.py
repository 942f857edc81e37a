"""A mechanism as native text, TOML or JSON, that reads back as an equal mechanism."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..algebra import Mat3
from ..errors import UsageError, shown
from ..mechanism import Body, Mechanism, joint_name
from .dump import Literal, json_text, toml_text
from .native import FORMAT
from .native_records import RECORDS, Names
from .native_simplified import written_simplified
from .native_values import ZERO, number, placement, tensor, vector


def native_text(m: Mechanism, language: str = "toml") -> str:
    """Return a mechanism as native text, "toml" or "json"."""
    if language not in ("toml", "json"):
        raise UsageError(f"unknown language {shown(str(language))!r}", hint="toml or json")
    data = native_data(m)
    if language == "toml":
        # TOML has no null: symbols without a value stand in their own list
        values = data["parameters"]
        names = [p.name for p in m.parameters]
        given = [n for n in names if values[n] is not None]
        open_names = [n for n in names if values[n] is None]
        symbols = open_names if [*open_names, *given] == names else names
        data["parameters"] = {n: values[n] for n in given}
        if symbols:
            data["symbols"] = symbols
        return toml_text(_without_empty(data))
    return json_text(_without_empty(data))


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k == "bodies" or v not in ([], {}, None)}


def native_data(m: Mechanism) -> dict[str, Any]:
    """Return the native form of a mechanism: dicts, lists, texts, whole numbers and Literals."""
    m = m.coupled
    body = [b.name for b in m.bodies]
    joint = [joint_name(b) for b in m.bodies]

    def on(k: int) -> Any:
        return body[k] if k >= 0 else -1

    data: dict[str, Any] = {"format": FORMAT, "name": m.name, "gravity": vector(m.gravity)}
    data["symbols"] = []
    data["parameters"] = {
        p.name: None if p.value is None else number(p.value) for p in m.parameters
    }
    for key in ("active", "prescribed", "speeds"):
        data[key] = list(getattr(m, key))
    data["bodies"] = [_body(b, on(b.parent)) for b in m.bodies]
    names = Names(on, joint.__getitem__)
    data |= {key: record.written(m, names) for key, record in RECORDS.items()}
    data["simplified"] = written_simplified(m.simplified)
    return data


def _body(b: Body, parent: Any) -> dict[str, Any]:
    joint: dict[str, Any] = {"type": b.joint.kind}
    axis = getattr(b.joint, "axis", None)
    if axis is not None:
        joint["axis"] = vector(axis)
    if b.joint.kind == "screw":
        joint["pitch"] = number(b.joint.pitch)  # type: ignore[attr-defined]
    if b.joint_name:
        joint["name"] = b.joint_name
    place = placement(b.placement)
    if place is not None:
        joint["placement"] = place
    if b.limits:
        pairs = [[_bound(x, k) for k, x in enumerate(pair)] for pair in b.limits]
        joint["limits"] = pairs[0] if b.joint.nq == 1 else pairs
    for key in ("velocity_limit", "effort_limit"):
        if getattr(b, key) is not None:
            joint[key] = number(getattr(b, key))
    row: dict[str, Any] = {"name": b.name, "parent": parent, "joint": joint}
    inertia = b.inertia
    keys = ("com", "inertia") if inertia.at == "centre" else ("first_moment", "inertia_origin")
    if inertia.mass != 0:
        row["mass"] = number(inertia.mass)
    if inertia.lever != ZERO or inertia.at == "origin":
        row[keys[0]] = vector(inertia.lever)
    if inertia.tensor != Mat3.zero() or inertia.at == "origin":
        row[keys[1]] = tensor(inertia.tensor)
    return row


def _bound(x: Any, k: int) -> Any:
    """Return a limit; an open one is -inf or inf, which JSON writes as null."""
    return Literal(("-inf", "inf")[k]) if x is None else number(x)


# -- files -------------------------------------------------------------------------------------


def save(m: Mechanism, path: str | Path) -> None:
    """Write a mechanism to a native file, TOML or JSON by its ending, all of it or nothing."""
    target = Path(path)
    language = target.suffix.lower().removeprefix(".")
    if language not in ("toml", "json"):
        raise UsageError(
            f"cannot save to {shown(str(path))}", hint="end the name in .toml or .json"
        )
    data = native_text(m, language).encode("utf-8")
    write_atomically(target, data)


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file through a temporary one beside it, so that it is never half written."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    except OSError as error:
        raise UsageError(f"cannot write {shown(str(target))}: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError):
            raise UsageError(f"cannot write {shown(str(target))}: {error.strerror}") from None
        raise
