"""A mechanism as native text, TOML or JSON, that reads back as an equal mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError, shown
from ..files import write_file
from ..mechanism import Mechanism, joint_name
from .dump import json_text, toml_text
from .native_fields import Names
from .native_keys import FILE


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


def write_toml(m: Mechanism) -> tuple[str, list[str]]:
    """Return a mechanism as TOML; nothing is lost."""
    return native_text(m, "toml"), []


def write_json(m: Mechanism) -> tuple[str, list[str]]:
    """Return a mechanism as JSON; nothing is lost."""
    return native_text(m, "json"), []


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k == "bodies" or v not in ([], {}, None)}


def native_data(m: Mechanism) -> dict[str, Any]:
    """Return the native form of a mechanism: dicts, lists, texts, whole numbers and Literals."""
    m = m.coupled
    names = Names(lambda k: m.bodies[k].name if k >= 0 else -1, lambda k: joint_name(m.bodies[k]))
    held = ((f, f.of(m)) for f in FILE)
    return {f.key: f.type.write(value, names) for f, value in held if value is not None}


def save(m: Mechanism, path: str | Path) -> None:
    """Write a mechanism to a native file, TOML or JSON by its ending, all of it or nothing."""
    target = Path(path)
    language = target.suffix.lower().removeprefix(".")
    if language not in ("toml", "json"):
        raise UsageError(
            f"cannot save to {shown(str(path))}",
            hint="end the name in .toml or .json; `dalembert convert --to` writes other formats",
        )
    write_file(target, native_text(m, language))
