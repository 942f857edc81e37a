"""Quantities of closed loops at given states: each certified, with a plan of its own branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.closed_kinematics import CERTIFIED, SINGULAR
from ..algorithms.loop_closure import equation_names
from ..catalog import Quantity
from ..catalog.refused import moved_from_outside
from ..errors import ComputationError, SingularPose, UsageError, shown, state_text
from ..kept import Kept
from ..linalg import DENSE
from ..mechanism import Mechanism, is_rolling
from ..plan import planned
from ..plan.assembly import OPEN, Closure, gap_text
from ..plan.loops import motor_coordinates
from .designs import with_numbers
from .evaluate import evaluate
from .replan import Outputs, Replanned

UNFOUND = 1e-9  # relative residual above which a loop is still open after assembly
POOR = 1e-3  # the same for pivots that were chosen when the loops were planned


def answered(
    m: Mechanism, row: Quantity, get: Callable[..., Any], kernel: Any, inputs: Sequence[Any],
    parameters: Mapping[str, Any] | None,
) -> Outputs:  # fmt: skip
    """Return the outputs of a kernel, each state by a plan of its branch, loops found closed.

    States whose certificate or pivots say that the plan is not theirs are computed again with a
    plan of their branch; an open loop or a singular pose is an error that names the state.
    """
    found = Outputs.of(kernel, inputs, parameters)
    if not row.closes:
        check_closed(m, row, found.residual, parameters)
    limit = pivot_limit(m, row)
    bad = np.array(~((found.ratio >= limit) & (found.gap <= CERTIFIED)))
    if bad.any():
        lead = bad.shape
        given = [
            np.broadcast_to(np.asarray(x, float), (*lead, *port.shape))
            for x, port in zip(inputs, kernel.inputs, strict=True)
        ]
        for x in given:  # what is not finite has no plan: the results say so
            bad &= np.isfinite(x).reshape(*lead, -1).all(axis=-1)
        own = with_numbers(m, parameters)
        named = {port.name: x for port, x in zip(kernel.inputs, given, strict=True)}
        found = Replanned(own, row, get, named, parameters, limit, found, bad).run()
    if row.closes:
        check_closed(m, row, found.residual, parameters, UNFOUND)
    return found


UNMADE = 1e-6  # an acceleration that differs by more, in parts of the largest, is not the one asked


def require_motors_make_it(
    m: Mechanism, row: Quantity, again: Callable[..., Any], inputs: Sequence[Any], tau: Any
) -> None:
    """Raise ComputationError where the motors of a machine cannot make the motion asked.

    `again(name, q, qd, tau, ...)` computes a quantity: what the direct model makes of the motor
    forces is compared.
    """
    own = planned(m)
    if row.motors not in ("make", "share") or not own.free:
        return
    q, qd, qdd, *told = inputs
    if row.motors == "share":
        if error := moved_from_outside(row.name, m):
            raise error
        tau = again("inverse_dynamics", q, qd, qdd, *told, check=False)
    made = np.asarray(again("forward_dynamics", q, qd, tau, *told))
    index = list(own.independent)
    ask = np.broadcast_to(np.asarray(qdd, dtype=float), made.shape)[..., index]
    gap = np.abs(made[..., index] - ask)
    bad = np.argwhere(gap > UNMADE * (1 + np.abs(ask).max(axis=-1, initial=0.0))[..., None])
    if not len(bad):
        return
    *where, k = bad[0]
    names = m.rate_joints
    raise ComputationError(
        f"{row.name}: the motors cannot make this motion{state_text(tuple(where))}: "
        f"with the forces that come nearest, {shown(names[index[k]])!r} accelerates by "
        f"{made[(*where, index[k])]:.6g} where {ask[tuple(bad[0])]:.6g} is asked",
        hint="name more active joints, or give what moves freely the acceleration it has: "
        "hybrid_dynamics with the motors in given",
    )


def require_one_motion(
    m: Mechanism, row: Quantity, again: Callable[..., Any], inputs: Sequence[Any], led: bool
) -> None:
    """Raise UsageError if no motor is named and the rates given are not those of one motion.

    Which joints lead is then a matter of the plan: what is given must be the motion of all joints,
    or rates of the leading joints and zeros. `led`: the caller gave a plan.
    """
    if led or m.active or not (m.loops or is_rolling(m)) or "qd" not in row.inputs:
        return
    given = dict(zip(row.inputs, inputs, strict=False))
    own = planned(m).independent
    rest = [k for k in range(m.nv) if k not in own]
    asked = {n: np.asarray(given[n], dtype=float) for n in ("qd", "qdd") if n in given}
    if not any(x[..., rest].any() for x in asked.values()):
        return
    told = [given[n] for n in ("steer", "steer_rate") if n in given]
    motion = given["q"], given["qd"], given.get("qdd", np.zeros(m.nv)), *told
    moved = dict(zip(("qd", "qdd"), again("tree_motion", *motion, check=False), strict=True))
    for name, x in asked.items():
        size = np.abs(moved[name]).max(axis=-1) + np.abs(x).max(axis=-1)
        off = np.abs(moved[name] - x)
        bad = (off.max(axis=-1) > UNMADE * size) & x[..., rest].any(axis=-1)
        if bad.any():
            where = tuple(np.argwhere(bad)[0])
            k = int(off[where].argmax())
            names = ", ".join(shown(m.rate_names[i]) for i in own)
            raise UsageError(
                f"{row.name}: {name} is not one motion of all joints{state_text(where)}: from "
                f"{names} follows {moved[name][where][k]:.4g} for {shown(m.rate_names[k])!r}, and "
                "no motor is named that leads instead",
                hint=f"name the motors (active), or give {names} alone and zeros",
            )


def pivot_limit(m: Mechanism, row: Quantity) -> float:
    """Return the pivot ratio below which the loops are planned again at a state.

    Accelerations exist where the motors are at a dead point: other joints lead there. Where there
    are more equations than are needed, others may hold the pose better.
    """
    if row.motors == "rest" or planned(m).rank > DENSE or is_rolling(m) or _has_spare_rows(m):
        return POOR
    return SINGULAR


_SPARE: Kept[bool] = Kept(256)


def _has_spare_rows(m: Mechanism) -> bool:
    """Return whether the plan leaves out equations that do move with the joints."""

    def found() -> bool:
        c, rng = Closure(m), np.random.default_rng(0)
        J = c.jacobian(c.moved(np.array(m.neutral), rng.uniform(-1, 1, m.nv)))
        return int((np.abs(J).max(axis=1) > 1e-9).sum()) > planned(m).rank

    return _SPARE.get(m.digest, found)


_SIZES: Kept[Any] = Kept(256)


def row_sizes(m: Mechanism) -> Any:
    """Return the scale of each closure equation: the mechanism's size, or one."""
    return _SIZES.get(m.digest, lambda: Closure(m).row_size)


def assembly_along(m: Mechanism, start: ArrayLike, motion: ArrayLike, steps: int = 8) -> np.ndarray:
    """Return assembled poses along a motion of the motors, each found from the one before.

    `start` is an assembled pose, `motion` holds the motors' coordinates, one row per moment. The
    branch of the start is kept; a step too long for that, or a singular pose, is an error.

    >>> import dalembert as da
    >>> m = da.robots.fivebar()
    >>> q = da.assemble(m)  # crankA, rodA, crankB, rodB; the cranks are the motors
    >>> da.assembly_along(m, q, [[q[0] + 0.1, q[2]], [q[0] + 0.2, q[2]]]).shape
    (2, 4)
    """
    motors = motor_coordinates(m, planned(m))
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
                found = evaluate(m, "assembly", ask, steps=steps)
                _require_reached(m, motors, ask, found)
                q = found
                way.pop()
            except ComputationError:
                if len(way) > 12:
                    raise
                way.append((q[motors] + way[-1]) / 2)
        out.append(q)
    return np.array(out)


def _require_reached(m: Mechanism, motors: list[int], asked: Any, found: Any) -> None:
    """Raise ComputationError where closing the loops moved a motor from what was asked."""
    off = abs(found - asked)[motors]
    if len(off) and off.max() > 1e-8 * (1 + abs(asked).max()):
        k = int(off.argmax())
        raise ComputationError(
            f"assembly_along: motor {shown(m.active[k] if m.active else str(k + 1))!r} cannot be "
            f"at {asked[motors[k]]:.6g} with the others where they are: the loops close "
            f"at {found[motors[k]]:.6g}",
            hint="motors beyond the mobility follow from the others",
        )


def check_closed(
    m: Mechanism, row: Quantity, residual: Any, parameters: Any, limit: float = OPEN
) -> None:
    """Raise ComputationError where a loop is open, naming the state and the equation."""
    scaled = np.abs(residual) / row_sizes(with_numbers(m, parameters))
    bad = np.argwhere(~(scaled <= limit))
    if not len(bad):
        return
    *where, _ = bad[0]
    k = int(np.nan_to_num(scaled[tuple(where)], nan=np.inf).argmax())
    size = float(np.abs(residual[(*where, k)]))
    lead = next(iter(m.active or m.joint_names))
    other = f"leave out --q to use a pose in which the loops close, or name joints: --q {lead}=0.5"
    far = "start nearer to an assembled pose: dalembert.assemble(m, q) tries many"
    if row.closes and not np.isfinite(size):
        raise ComputationError(
            f"{row.name}: from here the loops cannot be closed{state_text(tuple(where))}: a step "
            f"for {equation_names(m)[k]} has no value",
            hint=far,
            command=other,
        )
    if not np.isfinite(size):
        raise SingularPose(
            f"{row.name}: {equation_names(m)[k]} has no value{state_text(tuple(where))}",
            hint="see that all numbers of q are finite, or give another pose: a disc may not lie "
            "flat on its plane, and points whose direction is taken must be apart",
        )
    gap = gap_text(m, k, size)
    raise ComputationError(
        f"{row.name}: the loops are open{state_text(tuple(where))}: the residual is {gap}",
        hint=far if row.closes else "give an assembled pose: dalembert.assemble(m, q)",
        command=other,
    )
