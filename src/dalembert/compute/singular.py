"""Models that are singular in every state: the error that names the joint without inertia."""

from __future__ import annotations

from ..algorithms.composite import composite
from ..errors import SingularModel
from ..mechanism import Mechanism
from .tangent import integrate, neutral


def singular(m: Mechanism, name: str) -> SingularModel:
    """Return the error that names the joint which moves least inertia, whatever the state."""
    import numpy

    known = f"{name}: the model is singular in every state"
    hint = "give a body a mass or an inertia, or a joint a rotor inertia"
    if m.open_parameters or not m.nv:
        return SingularModel(known, hint=hint)
    rng, m = numpy.random.default_rng(0), m.unfolded
    M = numpy.array(
        composite(m.bound(), list(integrate(m, neutral(m), rng.uniform(-1, 1, m.nv)))), dtype=float
    )
    least = numpy.abs(numpy.linalg.eigh(M)[1][:, 0])
    owner = m.rate_joints
    joint = owner[int(numpy.argmax(least > 0.99 * least.max()))]
    return SingularModel(f"{known}: joint {joint!r} moves no inertia", hint=hint)
