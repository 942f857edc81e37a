"""Alarms of laws: events and notes where a motion is not the one that a law is made for.

A law of steering that is driven against its path, or whose trailers fold, goes on without an error;
the motion is true, and of no use. A disc that falls flat goes on upon its other side, which no
ground would let it.
"""

from __future__ import annotations

from typing import Any

from ..algorithms.rolling_rows import Place
from ..errors import shown
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import RollingContact
from .events import Function
from .job import Job
from .steered import Steered

FLAT = 0.01  # rad between a disc and its plane; a coarse tolerance must not step over it


def alarms(job: Job) -> dict[str, tuple[Function, str]]:
    """Return the alarms of a job by name: a function f(t, q, qd), negative there, and a hint."""
    own, found = job.kernels.system, dict[str, tuple[Function, str]]()
    for bodies, law in own.laws if isinstance(own, Steered) else ():
        told = getattr(law, "alarms", None)
        if told is not None:
            places = [job.m.coordinate_index[j] for j in bodies]
            found |= {name: (f, hint) for name, f, hint in told(places)}
    return found | _flat(job)


def _flat(job: Job) -> dict[str, tuple[Function, str]]:
    """Return the alarms of discs that lie on their plane, where their contact is not one point."""
    m = job.m
    if not any(c.kind in ("disc", "wheel") for c in m.rolling) or m.open_parameters:
        return {}
    b = m.bound()

    def lies(c: RollingContact) -> Function:
        def height(t: Any, q: Vector, qd: Vector) -> Scalar:
            place = Place.of(b, c, q)
            x = place.n.dot(place.a)
            return 1 - FLAT * FLAT - x * x

        return height

    hint = "what follows is no motion of a disc; stop={!r} ends there"
    leaning = [c for c in b.rolling if c.kind in ("disc", "wheel")]
    return {f"{shown(c.name)} lies flat": (lies(c), hint.format(shown(c.name))) for c in leaning}
