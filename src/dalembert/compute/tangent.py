"""Coordinates moved along a tangent vector, and coordinates at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UsageError
from ..mechanism import Mechanism, require_mechanism
from .rotations import ROUGH, check_quaternions

if TYPE_CHECKING:
    from numpy import ndarray
    from numpy.typing import ArrayLike


def integrate(m: Mechanism, q: ArrayLike, dq: ArrayLike) -> ndarray:
    """Return q moved by the tangent vector dq (nv entries), orientations on their group.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1);")
    >>> da.integrate(m, [0.5], [0.25])
    array([0.75])
    """
    import numpy

    require_mechanism(m, "integrate")
    q, dq = numpy.asarray(q, dtype=float), numpy.asarray(dq, dtype=float)
    for name, array, size in (("q", q, m.nq), ("dq", dq, m.nv)):
        if array.shape[-1:] != (size,):
            raise UsageError(f"integrate: {name} has shape {array.shape}, expected (..., {size})")
    check_quaternions(m, "integrate", q, ROUGH)
    lead = numpy.broadcast_shapes(q.shape[:-1], dq.shape[:-1])
    q, dq = numpy.broadcast_to(q, (*lead, m.nq)), numpy.broadcast_to(dq, (*lead, m.nv))
    columns = [q[..., k] for k in range(m.nq)], [dq[..., k] for k in range(m.nv)]
    return numpy.stack(m.moved(*columns), axis=-1)


def neutral(m: Mechanism) -> ndarray:
    """Return the coordinates of the mechanism at rest pose: zeros, unit quaternions.

    >>> import dalembert as da
    >>> da.neutral(da.load("RZ(), TXK(1);", base="free"))
    array([0., 0., 0., 0., 0., 0., 1., 0.])
    """
    import numpy

    require_mechanism(m, "neutral")
    return numpy.array(m.neutral, dtype=float)
