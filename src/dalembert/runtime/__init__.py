"""Programs run: compiled kernels for one state or a batch, and where to keep their code."""

from importlib import import_module
from typing import Any

EXPORTS = {
    "compile_program": "build",
    "refusal": "refused",
    "Form": "form",
    "check_call": "form",
    "check_loops": "form",
    "Kernel": "kernel",
}
__all__ = [*EXPORTS]


def __getattr__(name: str) -> Any:
    if name not in EXPORTS:
        raise AttributeError(f"module 'dalembert.runtime' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{EXPORTS[name]}"), name)
