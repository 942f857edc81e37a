"""The algorithms, each imported when it is first called, so that reading the table imports none.

`from .later import kane` is the module `algorithms/kane.py` as far as calls go: `kane.D` may stand
in a row at once, and `kane.D(m, ...)` imports the module.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

_PLACE = f"{__package__.rpartition('.')[0]}.algorithms"
NAMED: set[tuple[str, str]] = set()  # (module, function): what was named so far


class Later:
    """A module of algorithms: what is named of it is a call that imports it first."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        NAMED.add((self._module, name))
        return partial(_call, self._module, name)


def _call(module: str, name: str, *inputs: Any, **options: Any) -> Any:
    return getattr(import_module(module), name)(*inputs, **options)


def __getattr__(name: str) -> Later:
    if name.startswith("__"):
        raise AttributeError(name)
    return Later(f"{_PLACE}.{name}")
