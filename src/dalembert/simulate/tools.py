"""The slower ways: right-hand sides that call Python, and SciPy for stiff systems."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..algorithms.velocity_constraints import prescribed_joints, steering_names
from ..errors import ComputationError, UsageError
from ..mechanism import joint_name
from ..runtime.callback import Callback
from ..runtime.signal import Signal, held, linear
from .laws import Called
from .systems import Closed, Reduced, System, Tree

STIFF = {"radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}
SCIPY = {**STIFF, "dop853": "DOP853"}  # the last where no code can be generated


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
                f"motion: {name!r} is neither a joint of one freedom nor prescribed",
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


def run_scipy(job: Any, states: Any, times: Any, method: str, rtol: float, atol: float) -> Any:
    """Return the samples of each state by one of SciPy's methods."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise UsageError(
            f"method {method!r} needs SciPy", hint='pip install "dalembert[sim]"'
        ) from None
    if job.settings.ndim > 1 or any(np.ndim(v) for v in job.parameters.values()):
        raise UsageError(f"{method} takes one set of settings and parameters")
    model = job.model(method)
    size = model.rhs.card.inputs[2].size
    p = job.settings
    given = job.parameters or None

    def inputs(x: Any, t: float) -> Any:
        u = job.signal(t) if job.signal is not None else np.zeros(size)
        return x, np.array([t]), u, p

    out, count, evaluations = [], 0, 0
    for x in states:
        found = solve_ivp(
            lambda t, x: model.rhs(*inputs(x, t), parameters=given),
            (times[0], times[-1]), x, SCIPY[method], times, rtol=rtol, atol=atol,
        )  # fmt: skip
        if not found.success:
            raise ComputationError(f"{method}: {found.message}")
        rows = found.y.T
        if model.project is not None:
            made = [
                model.project(*inputs(x, t), parameters=given)
                for x, t in zip(rows, times, strict=True)
            ]
            rows = np.stack([np.asarray(x) for x, _ in made])
        out.append(rows)
        count += len(found.t)
        evaluations += found.nfev
    return np.stack(out), [], count, evaluations, ""


def run_numpy(
    job: Any, states: Any, times: Any, method: str, step: float, parameters: Any, settings: Any
) -> Any:
    """Return the samples of all states by a fixed step in NumPy, where no code can be generated."""
    model = job.model(method)
    size = model.rhs.card.inputs[2].size

    def call(kernel: Any, x: Any, t: float, *h: Any) -> Any:
        u = job.signal(t) if job.signal is not None else np.zeros(size)
        return kernel(x, np.array([t]), u, settings, *h, parameters=parameters)

    x, out, count = np.array(states), [np.array(states)], 0
    for before, after in pairwise(times):
        parts = max(1, int(np.ceil((after - before) / step - 1e-9)))
        h = (after - before) / parts
        for k in range(parts):
            t = before + k * h
            if model.mapped:
                x = call(model.rhs, x, t, np.array([h]))
            else:
                a = call(model.rhs, x, t)
                b = call(model.rhs, x + h / 2 * a, t + h / 2)
                c = call(model.rhs, x + h / 2 * b, t + h / 2)
                d = call(model.rhs, x + h * c, t + h)
                x = x + h / 6 * (a + 2 * b + 2 * c + d)
            if model.project is not None:
                x = call(model.project, x, t + h)[0]
        count += parts * len(x)
        out.append(x)
    return np.stack(out, axis=1), [], count, count * (1 if model.mapped else 4), ""
