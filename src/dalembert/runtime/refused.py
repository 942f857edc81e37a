"""How code is to be generated, or why none can be: not wanted, or the system does not allow it."""

from __future__ import annotations

import functools
import os
import warnings


def refusal() -> str | None:
    """Return why no code can be generated in this process, or None."""
    return unwanted() or _refused_by_system()


def unwanted() -> str | None:
    """Return why no compiled code is to be run, or None."""
    if _wanted() == "off":
        return "DALEMBERT_JIT=off: kernels are run by NumPy, which is much slower"
    return None


def hurried() -> bool:
    """Return whether code is to be generated quickly rather than well."""
    return _wanted() == "quick"


def _wanted() -> str:
    return os.environ.get("DALEMBERT_JIT", "").lower()


@functools.cache
def _refused_by_system() -> str | None:
    try:
        import llvmlite.binding as binding

        binding.check_jit_execution()
    except (ImportError, OSError, RuntimeError) as error:
        return f"no code can be generated here ({error}): kernels are run by NumPy, much slower"
    return None


class Refused(RuntimeError):
    """No code can be loaded in this process."""


_warned: set[str] = set()


def warn_once(text: str) -> None:
    """Warn of something, the first time only."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)
