"""What a machine must be for a call, and of which class it is."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError, UsageError, shown
from .mechanism import Mechanism


def require_mechanism(m: Any, call: str, moving: bool = False) -> None:
    """Raise UsageError when a public call was given something else than a mechanism.

    `moving`: ModelError where it has no joint that moves.
    """
    if not isinstance(m, Mechanism):
        raise UsageError(
            f"{call}: a Mechanism is needed, not {type(m).__name__}",
            hint="load it first: da.load(...); or take one of da.robots",
        )
    if moving and not m.nv:
        raise ModelError(
            f"{shown(m.name or call)!r} does not move: {call} needs a joint",
            hint='all its joints are fixed; da.load(..., base="free") lets it move as a whole',
            command="all its joints are fixed; --base free lets it move as a whole",
        )


def is_rolling(m: Mechanism) -> bool:
    """Return whether wheels or equations in the rates hold a machine."""
    return bool(m.wheels or m.rolling or m.velocity_constraints)


def is_closed(m: Mechanism) -> bool:
    """Return whether models are those of a machine that loops, couplings or wheels hold."""
    return bool(m.loops or m.couplings) or is_rolling(m)
