"""From a Program to a Kernel."""

from __future__ import annotations

from collections.abc import Callable

from ..expr import Program
from .card import card
from .kernel import Kernel
from .llvm import Engine, compile_object
from .native import Native


def compile_program(
    program: Program | Callable[[], Program], key: str | None = None, threads: int = 1
) -> Kernel:
    """Return the kernel of a Program, or of the Program that a function without arguments makes."""
    made = program() if callable(program) else program
    code = compile_object(made)
    own = card(made, code.scratch_one, code.scratch_batch, code.tile)
    return Kernel(own, Native(own, Engine(code.code)), threads)
