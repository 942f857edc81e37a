"""Models that are singular in every state, or in one: the error names the joint without inertia."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..algorithms.composite import composite
from ..algorithms.drives import rotor_inertia
from ..algorithms.elastic import elastic_indices
from ..algorithms.partition import velocity_indices
from ..errors import SingularModel, shown
from ..mechanism import Body, Mechanism, is_closed
from ..mechanism.followers import Fold
from .tangent import integrate, neutral

FAINT = 1e-13  # smallest eigenvalue of M, diagonal scaled to one, below which it is zero
DIRECT = ("forward_dynamics", "forward_dynamics_derivatives", "moving_base_direct")


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


def require_inertia(m: Mechanism, name: str, options: Mapping[str, Any]) -> None:
    """Raise SingularModel where joints of a tree, whatever the pose, can move without any inertia.

    Asked are the joints whose accelerations a quantity seeks. A zero of one joint is met when its
    algorithm is traced; here zeros of several joints together are: a massless base that turns about
    the first joint of an arm, while that joint turns back.
    """
    if not (is_closed(m) or m.form):
        require_inertia_of(m, name, _sought(m, name, options), options.get("drives", "inertia"))


def require_inertia_of(m: Mechanism, name: str, free: Collection[int], drives: Any) -> None:
    """Raise SingularModel where the velocity variables `free` have no definite mass matrix."""
    import numpy

    if m.open_parameters or not free:
        return
    whole, rng = m.unfolded.bound(), numpy.random.default_rng(0)
    if all(_has_inertia(b) for b in whole.bodies if b.joint.nv):
        return
    pose = list(integrate(m, neutral(m), rng.uniform(-1, 1, m.nv)))
    fold = Fold.of(whole)
    M = composite(whole, fold.coordinates(pose)).plus_diagonal(rotor_inertia(whole, drives))
    A = numpy.array(fold.square(M), dtype=float)
    A = A[numpy.ix_(list(free), list(free))]
    size = numpy.sqrt(numpy.diag(A))
    if not (size > 0).all():
        return  # a joint by itself: the algorithm names it
    values, motions = numpy.linalg.eigh(A / numpy.outer(size, size))
    if values[0] > FAINT:
        return
    share = numpy.abs(motions[:, 0] / size)
    moved = [k for k, x in zip(free, share, strict=True) if x > 1e-6 * share.max()]
    first, *others = dict.fromkeys(m.rate_joints[k] for k in moved)
    along = " and ".join(repr(shown(n)) for n in others)
    raise SingularModel(
        f"{name}: the model is singular in every state: joint {shown(first)!r} moves no inertia"
        + (f" where {along} moves along" if others else ""),
        hint="give its body (or one of theirs) a mass and an inertia, or the joint a rotor inertia",
    )


def _has_inertia(b: Body) -> bool:
    """Return whether every motion of a body has inertia by itself."""
    import numpy

    rows = numpy.array(b.inertia.about_centre.rows, dtype=float)
    return float(b.inertia.mass) > 0 and bool(
        numpy.linalg.eigvalsh(rows)[0] > 1e-9 * abs(rows).max()
    )


def _sought(m: Mechanism, name: str, options: Mapping[str, Any]) -> list[int]:
    """Return the velocity variables whose accelerations a quantity of a tree seeks."""
    if name in DIRECT:
        return list(range(m.nv))
    if name == "hybrid_dynamics":
        given = velocity_indices(m, [m.joint_index(n) for n in options.get("given", ())])
        return [k for k in range(m.nv) if k not in given]
    base = list(range(m.bodies[0].joint.nv if m.bodies else 0))
    if name in ("moving_base_inverse", "base_acceleration"):
        return base
    if name == "elastic_inverse":
        return elastic_indices(m)[0]
    return [*base, *elastic_indices(m)[0]] if name == "elastic_base_inverse" else []


def _idle(m: Mechanism, q: Sequence[float]) -> str:
    import numpy

    M = numpy.array(composite(m.bound(), list(q)), dtype=float)
    least = numpy.abs(numpy.linalg.eigh(M)[1][:, 0])
    return m.rate_joints[int(numpy.argmax(least > 0.99 * least.max()))]
