"""Quantities of closed loops at given states: residuals and pivots looked at, poor plans remade."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .algorithms.closed_kinematics import DENSE
from .algorithms.loop_closure import equation_names
from .errors import ComputationError, SingularPose
from .loop_assembly import Closure
from .mechanism import Mechanism
from .plan import plan, planned

OPEN = 1e-6  # a residual above this, in parts of the mechanism's size, is an open loop
UNFOUND = 1e-9  # the same after an assembly
SINGULAR = 1e-8  # a pivot below this part of the largest
POOR = 1e-3  # the same for pivots that were chosen when the loops were planned
TRIES = 6


def cut_tree(m: Mechanism) -> Mechanism:
    """Return the tree alone: no loops, couplings or point springs."""
    return replace(m, loops=(), couplings=(), springs=(), named=(), checked=True)


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
    lead = pivot.shape[:-1]
    limit = POOR if planned(m).rank > DENSE else SINGULAR
    for _ in range(TRIES if check else 0):
        poor = ~(pivot[..., 0] >= limit)
        bad = np.argwhere(poor & np.isfinite(pivot[..., 0]))
        if not len(bad):
            break
        where = tuple(bad[0])
        q = np.broadcast_to(np.asarray(inputs[0], float), (*lead, m.nq))[where]
        better = _planned_here(m, name, get, q, where, pivot[where][0])
        if better is None:
            break
        own = [
            np.broadcast_to(np.asarray(x, float), (*lead, *port.shape))[where]
            for x, port in zip(inputs, better.inputs, strict=True)
        ]
        *found, _, ratio = better(*own, parameters=parameters)
        if ratio[0] < SINGULAR:
            raise _unheld(name, f"pivot ratio {ratio[0]:.1e}{_state(where)}")
        for array, part in zip(arrays, found, strict=True):
            array[where] = part
        pivot[where] = 1.0
    if check and name == "assembly":
        _check_closed(m, name, residual, parameters, UNFOUND)
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _planned_here(
    m: Mechanism, name: str, get: Callable[..., Any], q: Any, where: tuple[Any, ...], ratio: float
) -> Any:
    """Return the kernel of a plan made at a state; None where the poor one must do."""
    try:
        made = plan(m, q)
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


def _check_closed(
    m: Mechanism, name: str, residual: Any, parameters: Any, limit: float = OPEN
) -> None:
    """Raise ComputationError where a loop is open, naming the state and the equation."""
    import numpy as np

    given = {k: v for k, v in (parameters or {}).items() if np.ndim(v) == 0}
    scaled = np.abs(residual) / Closure(m.with_values(**given) if given else m).row_size
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
        else "start nearer to an assembled pose: dalembert.plan.assemble(m, q) tries many",
    )
