"""External wrenches as kernels take them, from arrays or from named frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Transform
from ..errors import UsageError, shown
from ..mechanism import Mechanism


def given_wrench(on_environment: Any, on_body: Any) -> tuple[Any, float]:
    """Return the one that is given, or None, and its sign as a wrench on the environment."""
    if on_environment is not None and on_body is not None:
        raise UsageError(
            "both wrench_on_environment and wrench_on_body are given",
            hint="they are negatives of each other: give one",
        )
    return (on_environment, 1.0) if on_body is None else (on_body, -1.0)


def external_wrench(m: Mechanism, on_environment: Any, on_body: Any) -> Any:
    """Return the wrench of each link on the environment, (..., bodies, 6), or None.

    What is given is such an array, or a mapping from frames to six numbers: force and couple at the
    origin of the frame, in its axes.
    """
    given, sign = given_wrench(on_environment, on_body)
    if given is None:
        return None
    import numpy

    if isinstance(given, Mapping):
        wrench = at_frames(m, given)
    else:
        try:
            wrench = numpy.asarray(given, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(
                f"a wrench does not hold numbers: {shown(repr(given))}",
                hint="an array (..., bodies, 6), or {frame: six numbers}",
            ) from None
    return sign * wrench


def moving_frame(m: Mechanism, name: str) -> tuple[int, Transform]:
    """Return the body of a frame that a wrench may act on, and its place there."""
    body, place = m.frame(name)
    if body < 0:
        raise UsageError(
            f"a wrench on frame {shown(name)!r}, which does not move",
            hint="frames: " + ", ".join(map(shown, m.frames[:12])),
        )
    return body, place


def at_frames(m: Mechanism, given: Mapping[str, Any]) -> Any:
    """Return wrenches on named frames as an array (..., bodies, 6) at the origins of the bodies.

    >>> from dalembert import robots
    >>> at_frames(robots.flying_arm(), {"rotor1": [0, 0, 1, 0, 0, 0]})[0].round(3).tolist()
    [0.0, 0.0, 1.0, 0.0, -0.25, 0.0]
    """
    import numpy

    bound, parts = m.bound(), {}
    for name, value in given.items():
        body, place = moving_frame(bound, name)
        try:
            six = numpy.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            six = numpy.zeros(0)
        if six.shape[-1:] != (6,):
            raise UsageError(
                f"the wrench on {shown(name)!r} has shape {six.shape}",
                hint="six numbers: force and couple in the axes of the frame",
            )
        R = numpy.array(place.R.matrix().rows, dtype=float)
        force, couple = six[..., :3] @ R.T, six[..., 3:] @ R.T
        couple = couple + numpy.cross([float(x) for x in place.p], force)
        parts[name] = (body, numpy.concatenate([force, couple], axis=-1))
    lead = numpy.broadcast_shapes(*(six.shape[:-1] for _, six in parts.values()))
    out = numpy.zeros((*lead, len(m.bodies), 6))
    for body, six in parts.values():
        out[..., body, :] += six
    return out
