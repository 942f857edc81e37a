"""Ready-made mechanisms by their name in text: robot:ur5, robot:eel(20)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..errors import UsageError, closest, shown
from ..mechanism import Mechanism

# this file is part of dalembert.robots, and looks there by name: what makes a robot, and was made
# there, is a ready-made one
PACKAGE = __name__.rpartition(".")[0]


def ready_made(name: str) -> Mechanism:
    """Return the ready-made mechanism dalembert.robots.<name>, or of a size, as eel(20)."""
    robots = vars(import_module(PACKAGE))
    makers = {key: maker for key, maker in robots.items() if _makes_robot(key, maker)}
    plain, bracket, size = name.removesuffix(")").partition("(")
    if plain not in makers or bool(bracket) != name.endswith(")"):
        raise UsageError(
            f"no ready-made robot is called {shown(name)!r}",
            hint=closest(plain, sorted(makers)),
        )
    if not bracket:
        return makers[plain]()
    if not _has_size(makers[plain]) or not (size.isascii() and size.isdecimal() and len(size) < 6):
        sized = ", ".join(f"robot:{key}(3)" for key in sorted(makers) if _has_size(makers[key]))
        raise UsageError(f"robot:{shown(name)}: no such size", hint=f"write as {sized}")
    return makers[plain](int(size))


def _has_size(maker: Callable[..., Any]) -> bool:
    first = next(iter(inspect.signature(maker).parameters.values()), None)
    return first is not None and type(first.default) is int


def _makes_robot(name: str, value: object) -> bool:
    home = getattr(value, "__module__", None) or ""
    return not name.startswith("_") and callable(value) and home.startswith(PACKAGE)
