"""Right-hand sides that call Python, and signals of prescribed motions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algorithms.velocity_constraints import prescribed_joints, steering_names
from ..errors import UsageError
from ..mechanism import Mechanism, joint_name
from ..runtime.callback import Callback
from ..runtime.signal import Signal, held, linear
from .laws import Called
from .systems import Closed, Reduced, System, Tree


def callback(kernel: Any, law: Called, nq: int, kernels: Any) -> Callback:
    """Return a right-hand side that asks a Python function for the forces at each evaluation."""
    reduced = isinstance(kernels.system, Reduced)

    def rate(x: Any, t: Any, u: Any, p: Any, *h: Any) -> Any:
        qd = kernels.outputs()(x, t, u, p)[0] if reduced else x[nq:]
        tau = np.asarray(law.function(float(t[0]), x[:nq].copy(), qd.copy()), dtype=float)
        if tau.shape != (law.forces,):
            raise UsageError(f"the torque function gave shape {tau.shape}, not ({law.forces},)")
        return kernel(x, t, u, np.concatenate([tau, p[law.forces :]]), *h)

    return Callback(kernel.card, rate)


def as_signal(value: Any) -> Signal:
    """Return a signal of one column from a signal, a (times, values) pair or a number."""
    if isinstance(value, Signal):
        return value
    if hasattr(value, "signal"):
        return value.signal  # type: ignore[no-any-return]
    if isinstance(value, tuple) and len(value) == 2:
        rows = np.asarray(value[1], dtype=float)
        return linear(value[0], rows.reshape(len(rows), -1))
    return held([0.0], [[float(value)]])


def prescribed_signal(own: System, motion: Mapping[str, Any]) -> Signal | None:
    """Return the signals of prescribed joints (q, q̇, q̈) or steering angles (angle, rate)."""
    m = own.m
    steered: tuple[str, ...] = ()
    joints: tuple[int, ...] = ()
    if isinstance(own, Tree | Closed):
        joints = own.given
    elif isinstance(own, Reduced):
        steered, joints = steering_names(m), prescribed_joints(m)
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
            )
        one = as_signal(motion.get(name, 0.0))
        parts.append(one)
        for _ in range(count - 1):
            one = one.derivative()
            parts.append(one)
    return parts[0].beside(*parts[1:]) if parts else None


def joint_index(m: Mechanism, name: str) -> int:
    """Return the body of a joint with one degree of freedom, by name."""
    for j, body in m.outward():
        if body.joint.nv == 1 and joint_name(body) == name:
            return j
    raise UsageError(
        f"there is no joint {name!r} with one degree of freedom",
        hint="joints: " + ", ".join(m.joint_names[:12]),
    )
