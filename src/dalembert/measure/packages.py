"""Optional packages of this layer, each imported where it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import UsageError


def optional(module: str) -> Any:
    """Return a module of an optional package, or say how to install it."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"this needs {package}, which is not installed",
            hint=f"pip install {package}",
        ) from error


def scipy_part(name: str) -> Any:
    """Return scipy.<name>."""
    return optional(f"scipy.{name}")
