"""Quantities of closed loops at given states: residuals and pivots looked at, poor plans remade."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms.closed_kinematics import DENSE
from ..algorithms.loop_closure import equation_names
from ..algorithms.velocity_rows import is_rolling
from ..errors import ComputationError, SingularPose, UsageError, shown
from ..mechanism import Mechanism, joint_name
from ..plan import plan, planned
from ..plan.assembly import Closure, close

OPEN = 1e-6  # a residual above this, in parts of the mechanism's size, is an open loop
UNFOUND = 1e-9  # the same after an assembly
SINGULAR = 1e-8  # a pivot below this part of the largest
POOR = 1e-3  # the same for pivots that were chosen when the loops were planned
TRIES = 6


def cut_tree(m: Mechanism) -> Mechanism:
    """Return the tree alone: no loops, couplings, wheels, constraints or point springs."""
    return replace(
        m, loops=(), couplings=(), springs=(), named=(), wheels=(), velocity_constraints=(),
        told=(), checked=True,
    )  # fmt: skip


def closed_evaluate(
    m: Mechanism,
    name: str,
    get: Callable[..., Any],
    kernel: Any,
    inputs: Sequence[Any],
    parameters: Mapping[str, Any] | None,
    check: bool,
) -> Any:
    """Return the outputs of a loop quantity without its residual and pivot.

    States whose pivots are poor are computed again with a plan made there; with `check` an open
    loop or a singular pose is an error that names the state.
    """
    import numpy as np

    *arrays, residual, pivot = kernel(*inputs, parameters=parameters)
    if check and name != "assembly":
        _check_closed(m, name, residual, parameters)
    lead, ratio = pivot.shape[:-1], pivot[..., 0].copy()
    limit = POOR if planned(m).rank > DENSE else SINGULAR
    given = [
        np.broadcast_to(np.asarray(x, float), (*lead, *port.shape))
        for x, port in zip(inputs, kernel.inputs, strict=True)
    ]
    for _ in range(TRIES if check else 0):
        poor = np.isfinite(ratio) & (ratio < limit)
        if not poor.any():
            break
        # a plan made at the poorest state serves others too
        where = np.unravel_index(int(np.where(poor, ratio, np.inf).argmin()), ratio.shape)
        better = _planned_here(m, name, get, given[0][where], where, ratio[where])
        if better is None:
            ratio[where] = np.inf
            continue
        *found, left, own = better(*(x[poor] for x in given), parameters=parameters)
        gained = own[..., 0] > ratio[poor]
        for array, part in zip((*arrays, residual), (*found, left), strict=True):
            array[poor] = np.where(gained.reshape(-1, *[1] * (part.ndim - 1)), part, array[poor])
        ratio[poor] = np.maximum(own[..., 0], ratio[poor])
        if ratio[where] < SINGULAR:
            raise _unheld(name, f"pivot ratio {ratio[where]:.1e}{_state(where)}")
        ratio[where] = np.inf
    bad = np.argwhere(ratio < SINGULAR)
    if check and len(bad):
        where = tuple(bad[0])
        raise _unheld(name, f"pivot ratio {ratio[where]:.1e}{_state(where)}")
    if check and name == "assembly":
        _check_closed(m, name, residual, parameters, UNFOUND)
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


ASKED = frozenset({"inverse_dynamics", "active_torques"})
UNMADE = 1e-6  # an acceleration that differs by more, in parts of the largest, is not the one asked


def check_made(
    m: Mechanism, name: str, again: Callable[..., Any], inputs: Sequence[Any], tau: Any
) -> None:
    """Raise ComputationError where the motors of a machine on wheels cannot make the motion asked.

    `again(q, qd, tau, ...)` is the direct model: what it makes of the motor forces is compared.
    """
    import numpy as np

    own = planned(m)
    if name not in ASKED or not is_rolling(m) or not own.free:
        return
    q, qd, qdd, *told = inputs
    made = np.asarray(again(q, qd, tau, *told))
    index = list(own.independent)
    ask = np.broadcast_to(np.asarray(qdd, dtype=float), made.shape)[..., index]
    gap = np.abs(made[..., index] - ask)
    bad = np.argwhere(gap > UNMADE * (1 + np.abs(ask).max(axis=-1, initial=0.0))[..., None])
    if not len(bad):
        return
    *where, k = bad[0]
    names = [joint_name(b) for b in m.bodies for _ in range(b.joint.nv)]
    raise ComputationError(
        f"{name}: the motors cannot make this motion{_state(tuple(where))}: with the forces that "
        f"come nearest, {shown(names[index[k]])!r} accelerates by "
        f"{made[(*where, index[k])]:.6g} where {ask[tuple(bad[0])]:.6g} is asked",
        hint="name more active joints, or give what moves freely the acceleration it has: "
        "hybrid_dynamics with the motors in given",
    )


def _planned_here(
    m: Mechanism, name: str, get: Callable[..., Any], q: Any, where: tuple[Any, ...], ratio: float
) -> Any:
    """Return the kernel of a plan made near a state; None where the poor one must do."""
    import numpy as np

    c = Closure(m)
    pose, worst = close(c, np.array(q, dtype=float))
    if worst > OPEN:
        return None  # nothing closes from here: the residual says so
    try:
        made = plan(m, pose)
    except SingularPose as error:
        if ratio >= SINGULAR:
            return None
        raise SingularPose(f"{name}: {error.message}{_state(where)}", hint=error.hint) from None
    usual = planned(m)
    if (made.free, made.spare_motors) != (usual.free, usual.spare_motors):
        raise _unheld(name, "free to move: " + ", ".join(made.free_joints) + _state(where))
    return get(plan=made)


def _unheld(name: str, why: str) -> SingularPose:
    return SingularPose(
        f"{name}: the motors do not hold the mechanism (type 2): {why}",
        hint="move away from the singular pose, or name other active joints",
    )


def _state(where: tuple[Any, ...]) -> str:
    spot = tuple(int(k) for k in where)
    return f", state {spot if len(spot) > 1 else spot[0]}" if spot else ""


_SIZES: OrderedDict[tuple[str, str], Any] = OrderedDict()


def _row_sizes(m: Mechanism) -> Any:
    """Return what each closure equation is measured in: the mechanism's size, or one."""
    key = (m.digest, repr(m.values))
    found = _SIZES.get(key)
    if found is None:
        found = _SIZES[key] = Closure(m).row_size
        if len(_SIZES) > 256:
            _SIZES.popitem(last=False)
    return found


def assembly_along(m: Mechanism, start: Any, motion: Any, steps: int = 8) -> Any:
    """Return assembled poses along a motion of the motors, each found from the one before.

    `start` is an assembled pose, `motion` holds the motors' coordinates, one row per moment. The
    branch of the start is kept; a step too long for that, or a singular pose, is an error.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> q = da.assemble(m)  # crankA, rodA, crankB, rodB; the cranks are the motors
    >>> da.assembly_along(m, q, [[q[0] + 0.1, q[2]], [q[0] + 0.2, q[2]]]).shape
    (2, 4)
    """
    import numpy as np

    from .compute import evaluate

    motors = [_coordinate(m, k) for k in planned(m).motors]
    q = np.array(start, dtype=float)
    rows = np.asarray(motion, dtype=float)
    for what, shape, wanted in (("start", q.shape, (m.nq,)), ("motion", rows.shape[1:], None)):
        if shape != (wanted or (len(motors),)):
            raise UsageError(
                f"assembly_along: {what} has {shape[-1] if shape else 1} numbers, "
                f"{(wanted or (len(motors),))[0]} are needed",
                hint="start holds all coordinates, each row of motion those of the motors",
            )
    out = []
    for row in rows:
        # halve the way where Newton does not find the pose from the one before
        way = [row]
        while way:
            ask = q.copy()
            ask[motors] = way[-1]
            try:
                q = evaluate(m, "assembly", ask, steps=steps)
                way.pop()
            except ComputationError:
                if len(way) > 12:
                    raise
                way.append((q[motors] + way[-1]) / 2)
        out.append(q)
    return np.array(out)


def _coordinate(m: Mechanism, k: int) -> int:
    """Return where the coordinate of a one-freedom velocity variable stands in q."""
    at = 0
    for body, start in zip(m.bodies, m.velocity_index, strict=True):
        if start == k and body.joint.nv == 1:
            return at
        at += body.joint.nq
    raise ComputationError(f"velocity variable {k} is not that of a joint with one freedom")


def _check_closed(
    m: Mechanism, name: str, residual: Any, parameters: Any, limit: float = OPEN
) -> None:
    """Raise ComputationError where a loop is open, naming the state and the equation."""
    import numpy as np

    given = {k: v for k, v in (parameters or {}).items() if np.ndim(v) == 0}
    scaled = np.abs(residual) / _row_sizes(m.with_values(**given) if given else m)
    bad = np.argwhere(~(scaled <= limit))
    if not len(bad):
        return
    *where, row = bad[0]
    size = scaled[tuple(bad[0])]
    raise ComputationError(
        f"{name}: the loops are open{_state(tuple(where))}: the residual is {size:.3g} of the "
        f"mechanism's size in {equation_names(m)[row]}",
        hint="give an assembled pose: dalembert.assembly(m, q)"
        if name != "assembly"
        else "start nearer to an assembled pose: dalembert.assemble(m, q) tries many",
    )
