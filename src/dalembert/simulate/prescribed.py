"""Motions prescribed to joints and steering angles, as the signals that kernels read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algorithms.velocity_constraints import Constraints
from ..errors import UsageError, shown
from ..mechanism import joint_name
from ..runtime.signal import Signal, held, linear, smooth
from .systems import Reduced, System


def as_signal(value: Any, accelerated: bool = False, name: str = "") -> Signal:
    """Return a signal of one column from a signal, a (times, values) pair or a number.

    A table is read linearly; where its accelerations count, by a spline. `name` is for an error.
    """
    if isinstance(value, Signal):
        return value
    if hasattr(value, "signal"):
        return value.signal  # type: ignore[no-any-return]
    try:
        if isinstance(value, tuple) and len(value) == 2:
            rows = np.asarray(value[1], dtype=float)
            return (smooth if accelerated else linear)(value[0], rows.reshape(len(rows), -1))
        return held([0.0], [[float(value)]])
    except (TypeError, ValueError):
        raise UsageError(
            f"motion {shown(name)!r} is {shown(repr(value), 60)}, which holds no numbers",
            hint="a number (radians, metres), (times, values), f(t), or a law",
        ) from None


def straight(own: System, motion: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note for each steering angle of which no motion is given."""
    steering = Constraints.of(own.m).steering if isinstance(own, Reduced) else ()
    names = [shown(name) for name in steering if name not in motion]
    return tuple(f"steering {n} is not given and stays 0: give motion={{{n!r}: ...}}, or "
                 f"--steer {n}=ANGLE" for n in names)  # fmt: skip


def prescribed_signal(own: System, motion: Mapping[str, Any]) -> Signal | None:
    """Return the signals of prescribed joints (q, q̇, q̈) or steering angles (angle, rate)."""
    m, joints = own.m, own.given
    steered: tuple[str, ...] = ()
    if isinstance(own, Reduced):
        steered = Constraints.of(m).steering
        joints = joints[: len(joints) - getattr(own, "count", 0)]  # the others follow laws
    else:
        named = {m.joint_index(n) for n in m.prescribed if n in m.joint_names}
        joints = tuple(sorted({*joints, *named}))
    order = dict.fromkeys(steered, 2) | {joint_name(m.bodies[j]): 3 for j in joints}
    for name in motion:
        if name not in order:
            raise UsageError(
                f"motion: {name!r} is neither a joint of one degree of freedom nor prescribed",
                hint="names: " + ", ".join([*m.joint_names[:8], *steered]),
            )
    parts = []
    for name, count in order.items():
        if count == 3 and name not in motion:
            raise UsageError(
                f"joint {name!r} is prescribed and its motion is not given",
                hint=f"motion={{{name!r}: (times, values)}}, a signal or a number",
                command=f"write --steer {name}=ANGLE",
            )
        one = as_signal(motion.get(name, 0.0), count == 3)
        parts.append(one)
        for _ in range(count - 1):
            one = one.derivative()
            parts.append(one)
    return parts[0].beside(*parts[1:]) if parts else None
