"""Models that are singular in every state, or in one: the error names the joint without inertia."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..algorithms.composite import composite
from ..errors import SingularModel
from ..mechanism import Mechanism, is_closed
from .tangent import integrate, neutral


def singular(m: Mechanism, name: str) -> SingularModel:
    """Return the error that names the joint which moves least inertia, whatever the state."""
    import numpy

    known = f"{name}: the model is singular in every state"
    hint = "give a body a mass or an inertia, or a joint a rotor inertia"
    if m.open_parameters or not m.nv:
        return SingularModel(known, hint=hint)
    rng, m = numpy.random.default_rng(0), m.unfolded
    joint = _idle(m, list(integrate(m, neutral(m), rng.uniform(-1, 1, m.nv))))
    return SingularModel(f"{known}: joint {joint!r} moves no inertia", hint=hint)


def singular_here(m: Mechanism, name: str, q: Iterable[float]) -> SingularModel:
    """Return the error that names the joint which moves least inertia at a pose."""
    told = "no acceleration is determined"
    if not (is_closed(m) or m.followers):
        told = f"joint {_idle(m, [float(x) for x in q])!r} moves no inertia"
    return SingularModel(
        f"{name}: the model is singular at this pose: {told}",
        hint="move away from it, or give a body an inertia or a joint a rotor inertia",
    )


def _idle(m: Mechanism, q: Sequence[float]) -> str:
    import numpy

    M = numpy.array(composite(m.bound(), list(q)), dtype=float)
    least = numpy.abs(numpy.linalg.eigh(M)[1][:, 0])
    return m.rate_joints[int(numpy.argmax(least > 0.99 * least.max()))]
