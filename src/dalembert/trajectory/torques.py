"""Forces along a trajectory, part by part, beside what the joints can give.

The design question of the 1980 report, section 1.1: is the task executable, and if not, what must
change? `torques_along` answers with peaks, RMS values, powers, and the limits that are exceeded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.drives import Drives
from ..algorithms.springs import is_pulled
from ..compute import evaluate
from ..compute.counted import counted
from ..compute.designs import designs_of
from ..compute.model import check_joints, equations_of, unproven
from ..errors import ComputationError, UsageError, require_none, shown
from ..measure.columns import require_own
from ..measure.motion import FEWEST, NO_FORCE, ROUGH, MeasuredMotion, bridged, gap_lines, motion_of
from ..measure.wrench import wrench_rows
from ..mechanism import Mechanism, is_closed, is_rolling, require_mechanism
from ..mechanism.limits import rate_limits
from ..mechanism.motors import tree_motors
from ..mechanism.units import force_and_speed
from ..plan import planned
from ..plan.assembly import Closure, gap_text
from ..plan.loops import motor_coordinates, no_motor
from ..simulate.result import Simulation, column_names
from .bands import with_bands
from .inverse_kinematics import joint_limits
from .many import many
from .moves import Trajectory
from .rolled import require_driven, rolled
from .steering import of_run, with_steering
from .torque_result import Excess, Torques, driven

if TYPE_CHECKING:
    from ..equations import Equations

Array = np.ndarray
ROUNDING = 1e-12  # of a limit: those of joints that follow are divided by their ratio
LOOSE = 0.05  # of the mechanism's size: measured joints contradict each other by less


def torques_along(
    m: Mechanism,
    trajectory: Trajectory | MeasuredMotion | Simulation | Sequence[ArrayLike],
    t: ArrayLike | None = None,
    *,
    wrench_on_environment: Mapping[str, Any] | ArrayLike | None = None,
    wrench_on_body: Mapping[str, Any] | ArrayLike | None = None,
    drives: Drives = "all",
    start: ArrayLike | None = None,
    model: Equations | None = None,
    parameters: Mapping[str, Any] | None = None,
    uncertainty: object | None = None,
) -> Torques:
    """Return the forces that a motion needs, in parts, and the limits it passes.

    `trajectory` is a `Trajectory`, a motion of `read_motion` (a row per sample, with error bands),
    or (t, q), (t, q, qd, qdd) as arrays; with closed loops it moves the motors, from the branch of
    the assembled pose `start`. On wheels it moves all joints, or the motors from the pose `start`;
    steering angles that are not joints come last. A simulation may be given as it is.

    `wrench_on_body` maps frames to wrenches: six numbers or a row for each time, in the axes of the
    frame, or a table in world axes, or (table, heads) if its heads have other names:
    ("grf.mot", {"f": "ground_force_v"}). An array holds one wrench per body.

    The friction part includes damped springs. `model` takes equations, perhaps simplified, that
    give the forces; joints are found by name, and a frozen joint has none. If `parameters` hold
    arrays, results have their leading dimensions, one machine per entry, and `f[k]` is one of them.
    `uncertainty`, an identification, adds the doubt in its parameters to the bands.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 2, D = (1, 0, 0);")
    >>> f = da.torques_along(m, da.trajectory.quintic([0.0], [1.0], 1.0))
    >>> round(float(f.peak[0]), 3), f.executable
    (31.124, True)
    """
    told = equations_of(m if model is None else model)
    if told is not None or model is not None:
        require_none("torques_along of equations", start=start, parameters=parameters,
                     uncertainty=uncertainty)  # fmt: skip
        return _stated(m, told, trajectory, t, (wrench_on_environment, wrench_on_body), drives)
    require_mechanism(m, "torques_along")
    designs = designs_of(m, parameters, "torques_along")
    one = partial(_alone, trajectory=trajectory, t=t, drives=drives, start=start,
                  wrenches=(wrench_on_environment, wrench_on_body),
                  uncertainty=uncertainty)  # fmt: skip
    return many(designs, one) if designs.lead else one(designs.m)


def _alone(
    m: Mechanism, trajectory: Any, t: Any, drives: Any, start: Any, wrenches: tuple[Any, Any],
    uncertainty: Any,
) -> Torques:  # fmt: skip
    """Return the forces of one machine."""
    angles: tuple[str, ...] = ()
    data = trajectory if isinstance(trajectory, MeasuredMotion) else None
    require_own(m, data)
    if is_rolling(m):
        if not m.active:
            raise no_motor(m, "torques_along: ", "on wheels")
        m, angles = with_steering(m)
        require_driven(m)
    trajectory, gaps = _sampled(m, of_run(m, trajectory))
    share = ROUGH if isinstance(trajectory, MeasuredMotion) else NO_FORCE
    if isinstance(trajectory, Trajectory):
        gaps = (*gaps, *trajectory.blows())
    t, q, qd, qdd = _motion(m, trajectory, t, start)
    # a speed that is rounding of rest has no friction
    qd = np.where(np.abs(qd) < 1e-12 * np.abs(qd).max(initial=0.0), 0.0, qd)
    index = driven(m)
    whole = np.isfinite(np.concatenate([q, qd, qdd], axis=1)).all(axis=1)
    wrench, held = wrench_rows(m, t[whole], q[whole], *wrenches)
    some = _parts(m, index, (q[whole], qd[whole], qdd[whole]), wrench, drives)
    # angles without a body of their own ask for no force
    kept = [c for c, k in enumerate(index) if m.rate_names[k] not in angles]
    parts = {n: _spaced(x[:, kept], whole) for n, x in some.items()}
    index = [index[c] for c in kept]
    made = _made(m, index, t, (q, qd, qdd), parts, drives, (*gaps, *held), share)
    return with_bands(made, data, index, whole, wrench, drives, uncertainty)


def _stated(
    m: Any, eq: Any, trajectory: Any, t: Any, wrenches: tuple[Any, Any], drives: Any
) -> Torques:
    """Return the forces that equations give along a motion of the mechanism or of their joints."""
    if eq is None:
        raise UsageError(
            "model= takes equations", hint="torques_along(other, ...) asks another mechanism"
        )
    if any(w is not None for w in wrenches):
        raise UsageError(
            "equations know no wrenches from outside", hint="leave model= away, or the wrenches"
        )
    model, whole = eq.model, m.full if isinstance(m, Mechanism) else eq.mechanism
    require_own(whole, trajectory := of_run(whole, trajectory))
    trajectory, gaps = _sampled(whole, trajectory)
    rough = bool(model.form.left_out) or isinstance(trajectory, MeasuredMotion)
    share = ROUGH if rough else NO_FORCE
    if whole.elastic or whole.springs:  # equations do not know their forces
        share = np.inf
    t, *motion = _motion(whole, trajectory, t, None)
    if len(whole.joint_names) != eq.n or whole.joint_names != model.joint_names:
        check_joints(model, whole)
        at = [whole.joint_names.index(name) for name in model.joint_names]
        motion = [x[:, at] for x in motion]
    _require_whole(*motion)
    parts = _parts(model, list(range(eq.n)), motion, None, drives)
    notes = (*gaps, *model.form.left_out, *unproven(model, motion))
    return _made(model, driven(model), t, motion, parts, drives, notes, share)


def _made(
    m: Mechanism, index: list[int], t: Array, motion: Sequence[Array], parts: dict[str, Array],
    drives: Any, notes: tuple[str, ...], share: float,
) -> Torques:  # fmt: skip
    """Return the sum of the parts, compared with what the joints can give.

    A joint without a motor may seem to need a share of the largest term; infinite: any force.
    """
    q, qd, qdd = motion
    names = tuple(m.rate_names[k] for k in index)
    tau = sum(parts.values(), np.zeros_like(parts["static"]))
    effort, fastest = (np.array(rate_limits(m, n)) for n in ("effort_limit", "velocity_limit"))
    found = _exceeded(m, t, (q, qd, tau), dict(zip(names, effort[index], strict=True)), fastest)
    most = max(np.nan_to_num(np.abs(x)).max(initial=0.0) for x in (tau, *parts.values()))
    alone = _without_motor(m, index, t, tau, NO_FORCE * most) if share < np.inf else []
    if m.active:  # no motor is named: whatever holds it may be real
        found += tuple(e for e in alone if abs(e.value) > share * most)
    told = ", ".join(f"{shown(e.joint)} {abs(e.value):.4g} {e.unit}" for e in alone[:8])
    notes = (*notes, f"no motor gives the force that the motion needs: {told}") if told else notes
    return Torques(m, names, t, q, qd, qdd, tau, parts, qd[:, index], found, effort[index], fastest,
                   drives=drives, notes=(*counted(m, drives), *notes))  # fmt: skip


def _without_motor(
    m: Mechanism, index: list[int], t: Array, tau: Array, least: float
) -> list[Excess]:
    """Return the largest forces on joints of a tree that have no motor and are not prescribed."""
    if is_closed(m):
        return []
    powered = {k for j in tree_motors(m) for k in m.rates_of(j)}
    sizes, found = np.nan_to_num(np.abs(tau)), []
    for c, k in enumerate(index):
        at = int(np.argmax(sizes[:, c])) if len(t) else 0
        free = k not in powered and m.rate_joints[k] not in m.prescribed
        if free and len(t) and sizes[at, c] > least:
            name = m.rate_names[k]
            force, value = "force without a motor", float(tau[at, c])
            unit = force_and_speed(m, name)[0]
            found.append(Excess(name, force, value, 0.0, float(t[at]), unit))
    return found


def _spaced(x: Array, whole: Array) -> Array:
    """Return rows at the samples that are whole, NaN at the others."""
    if whole.all():
        return x
    out = np.full((len(whole), x.shape[1]), np.nan)
    out[whole] = x
    return out


def _parts(
    m: Mechanism, index: list[int], motion: Sequence[Array], wrench: Any, drives: Any
) -> dict[str, Array]:
    """Return the parts of the force along a motion (q, qd, qdd)."""
    q, qd, qdd = motion
    # equations have no springs, and keep their gravity: what is even in the rates is the rest
    still = m if m.form is not None else m.with_gravity((0, 0, 0))
    zero = np.zeros_like(qd)
    damped = bool(m.elastic) or is_pulled(m)

    def inverse(of: Mechanism, a: Array, b: Array, kind: Any = "inertia", **given: Any) -> Array:
        return evaluate(of, "inverse_dynamics", q, a, b, drives=kind, **given)

    held = "none" if drives == "none" else "inertia"
    static = inverse(m, zero, zero, held)
    springs = inverse(still, zero, zero, held)
    inertial = inverse(still, zero, qdd, held) - springs

    def squares(rates: Array) -> Array:
        """Return what is quadratic in the rates: damping is odd in them."""
        there = inverse(still, rates, zero, held)
        if not (damped or m.form is not None or m.wheels):
            return there - springs
        return (there + inverse(still, -rates, zero, held)) / 2 - springs

    velocity = squares(qd)
    centrifugal = np.zeros_like(velocity)
    for k in index:
        alone = np.zeros_like(qd)
        alone[:, k] = qd[:, k]
        centrifugal += squares(alone)
    parts = {
        "static": static,
        "inertial": inertial,
        "coriolis": velocity - centrifugal,
        "centrifugal": centrifugal,
        "friction": np.zeros_like(static),
    }
    if damped:
        parts["friction"] = inverse(still, qd, zero, held) - springs - velocity
    if drives == "all":
        parts["friction"] = parts["friction"] + inverse(m, qd, zero, "all") - inverse(m, qd, zero)
    parts["wrench"] = np.zeros_like(static)
    if wrench is not None:
        w = np.asarray(wrench, dtype=float)
        loaded = inverse(m, zero, zero, held, wrench_on_environment=w)
        parts["wrench"] = loaded - static
    return parts


def _motion(m: Mechanism, trajectory: Any, t: Any, start: Any) -> tuple[Array, Array, Array, Array]:
    """Return times, q, qd, qdd of the whole tree."""
    if isinstance(trajectory, MeasuredMotion):
        trajectory = tuple(getattr(trajectory, n) for n in ("t", "q", "qd", "qdd"))
    full = isinstance(trajectory, tuple) and len(trajectory) == 4
    if full:
        if not np.array_equal(t, trajectory[0]):  # their own times say nothing new
            require_none("torques_along of samples", t=t)
        t, q, qd, qdd = (np.asarray(x, dtype=float) for x in trajectory)
    else:
        if isinstance(trajectory, tuple):
            raise UsageError(
                f"a motion of {len(trajectory)} arrays", hint="give (t, q) or (t, q, qd, qdd)"
            )
        if not isinstance(trajectory, Trajectory):
            raise UsageError(
                "a trajectory is needed", hint="dalembert.trajectory, (t, q) or (t, q, qd, qdd)"
            )
        t = trajectory.times() if t is None else np.asarray(t, dtype=float)
        q, qd, qdd = trajectory(t), trajectory.qd(t), trajectory.qdd(t)
    if is_closed(m):
        _require_whole(q, qd, qdd)
    if is_rolling(m):
        return (t, *rolled(m, t, (q, qd, qdd), None if full else trajectory, start))
    if is_closed(m):
        return (t, *_closed_motion(m, q, qd, qdd, start))
    if q.shape[-1] != m.nq or (m.nq != m.nv and not full):
        hint = "quaternion joints need (t, q, qd, qdd)"
        if q.shape[-1] != m.nq:
            hint = "one for each of " + ", ".join(map(shown, column_names(m, "q")[:20]))
        raise UsageError(
            f"the motion has {q.shape[-1]} columns, the mechanism {m.nq} coordinates", hint=hint
        )
    return t, q, qd, qdd


def _require_whole(*motion: Array) -> None:
    """Raise UsageError where a motion that is followed from sample to sample has a gap."""
    bad = np.flatnonzero(~np.isfinite(np.concatenate(motion, axis=1)).all(axis=1))
    if len(bad):
        raise UsageError(
            f"the motion has a gap: sample {bad[0]} is not whole",
            hint="give each stretch without gaps alone",
        )


def _sampled(m: Mechanism, trajectory: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the motion through samples (t, q), and what was done to them.

    With closed loops the samples are those of the motors; other motions come back as they are.
    """
    if not isinstance(trajectory, tuple) or len(trajectory) != 2:
        return trajectory, ()
    if not is_closed(m):
        made = motion_of(m, *trajectory)
        return made, (*made.notes, *gap_lines(made.gaps))
    t, q = (np.asarray(x, dtype=float) for x in trajectory)
    if t.ndim != 1 or q.shape[:1] != t.shape or len(t) < FEWEST or not (np.diff(t) > 0).all():
        raise UsageError(
            f"times of shape {t.shape}, coordinates of shape {q.shape}",
            hint=f"increasing times, {FEWEST} at least, and a row of coordinates for each",
        )
    q = q.reshape(len(t), -1)
    names = [m.rate_names[k] for k in planned(m).motors]
    if q.shape[1] == m.nq:
        names = list(m.coordinate_names)
    elif q.shape[1] != len(names):
        raise UsageError(f"the motion has {q.shape[1]} columns, there are {len(names)} motors")
    rows, gaps = bridged(t, q, names)
    return (t, *rows), tuple(map(str, gaps))


def _closed_motion(
    m: Mechanism, q: Array, qd: Array, qdd: Array, start: Any
) -> tuple[Array, Array, Array]:
    """Return the motion of the tree from that of the motors, each pose from the one before."""
    from ..compute.certified import require_sharp
    from ..compute.loops import assembly_along
    from ..plan.assembly import assemble

    motors = list(planned(m).motors)
    if q.shape[-1] == m.nq and len(motors) != m.nq:
        _require_closed(m, q)
        places = motor_coordinates(m, planned(m))  # all joints are given: the motors are read
        start = q[0] if start is None else start
        q, qd, qdd = q[:, places], qd[:, motors], qdd[:, motors]
    if q.shape[-1] != len(motors):
        raise UsageError(f"the motion has {q.shape[-1]} columns, there are {len(motors)} motors")
    pose = np.array(assemble(m) if start is None else evaluate(m, "assembly", start), dtype=float)
    tree = assembly_along(m, pose, q)
    require_sharp(m, "torques_along", tree)
    rates, accelerations = np.zeros((len(q), m.nv)), np.zeros((len(q), m.nv))
    rates[:, motors], accelerations[:, motors] = qd, qdd
    made = evaluate(m, "tree_motion", tree, rates, accelerations)
    return tree, made[0], made[1]


def _require_closed(m: Mechanism, q: Array) -> None:
    """Raise ComputationError where a motion of all joints opens the loops beyond measuring."""
    gaps = np.abs(evaluate(m, "closure", q))
    parts = gaps / Closure(m).row_size
    if parts.max(initial=0.0) > LOOSE:
        k, row = np.unravel_index(int(parts.argmax()), parts.shape)
        raise ComputationError(
            f"torques_along: the loops are open in sample {k} of the motion: "
            + gap_text(m, int(row), float(gaps[k, row])),
            hint="give the motion of the motors alone, with start=",
        )


def _exceeded(
    m: Mechanism, t: Array, motion: tuple[Array, Array, Array], effort: Mapping[str, float],
    fastest: Array,
) -> tuple[Excess, ...]:  # fmt: skip
    """Return the limits that q, qd and the forces of the joints in `effort` pass."""
    found, (q, qd, tau) = [], motion

    def look(name: str, what: str, column: Array, limit: float, sign: float = 0.0) -> None:
        sized = np.nan_to_num(np.abs(column) if sign == 0 else sign * column, nan=-np.inf)
        k = int(np.argmax(sized))
        most = (limit if sign == 0 else sign * limit) + ROUNDING * abs(limit)
        if np.isfinite(limit) and sized[k] > most:
            force, speed = force_and_speed(m, name)
            unit = {"force": force, "speed": speed}.get(what, speed.removesuffix("/s"))
            found.append(Excess(name, what, float(column[k]), float(limit), float(t[k]), unit))

    for c, (name, limit) in enumerate(effort.items()):
        look(name, "force", tau[:, c], limit)
    # which coordinate a rate belongs to; of a quaternion none
    places = [at + k if b.joint.nq == b.joint.nv else None
              for b, at in zip(m.bodies, m.coordinate_index, strict=True)
              for k in range(b.joint.nv)]  # fmt: skip
    rows = zip(m.rate_joints, places, joint_limits(m), strict=True)
    for k, (joint, at, (low, high)) in enumerate(rows):
        look(joint, "speed", qd[:, k], fastest[k])
        if at is not None:
            look(joint, "lower position", q[:, at], low, -1.0)
            look(joint, "upper position", q[:, at], high, 1.0)
    return tuple(found)
