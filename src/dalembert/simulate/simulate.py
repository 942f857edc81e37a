"""Motion in time: `simulate` takes any mechanism from a state through the requested times.

The right-hand side is traced once with the control law in it and compiled; the drivers of
`runtime/integrate.py` run it without Python between the steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.drives import Drives, has_no_static_level
from ..compute import at_first, evaluate, neutral
from ..compute.rotations import ROUGH, check_quaternions
from ..errors import ComputationError, UsageError, shown
from ..mechanism import Mechanism, freed, is_rolling, require_mechanism
from ..mechanism.validate import require_sticking
from ..plan import planned
from ..plan.assembly import assemble
from ..plan.kane import explain
from ..plan.loops import with_motors
from ..runtime.methods import ADAPTIVE, METHODS, STIFF
from ..runtime.refused import refusal
from .alarms import alarms
from .changed_start import changed
from .dead_points import with_dead_points
from .events import event_table
from .friction import Modes
from .given_forces import law_of
from .integration import Run
from .job import Job, force_names
from .kernels import Kernels, Law
from .near_closure import near_closure
from .plant import parted, planted, start
from .prescribed import prescribed_signal, straight
from .python_drivers import SCIPY, run_numpy, run_scipy
from .result import Event, Samples, Simulation, SimulationStopped, column_names
from .rolling import Rolling, rolling
from .run_sensitive import followed, varied
from .steered import RateLaw, steered, steered_system
from .systems import Closed, Tree, system
from .timed import numbers_of, table_notes, timed_motion, times_of
from .wrenches import Wrenches, wrenches_of

if TYPE_CHECKING:
    from ..equations import Equations

Array = np.ndarray
# numbers, {joint: number}, (times, table), a law, or f(t, q, qd)
Torque = (
    ArrayLike | Mapping[str, Any] | tuple[ArrayLike, ArrayLike] | Law | Callable[..., Any] | None
)
USUAL = {"step": 1e-3, "rtol": 1e-8, "threads": 1, "max_steps": 1_000_000, "time_limit": 60}
__all__ = ["Event", "Simulation", "SimulationStopped", "simulate"]


def simulate(
    m: Mechanism,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    torque: Torque = None,
    t: ArrayLike = 10.0,
    *,
    method: str = "dop853",
    step: float = 1e-3,
    rtol: float = 1e-8,
    atol: float | None = None,
    drives: Drives = "all",
    motion: Mapping[str, Any] | None = None,
    events: str | Mapping[str, Callable[..., Any]] | None = "limits",
    stop: str | Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    hold: bool = False,
    wrench_on_body: Mapping[str, Any] | None = None,
    wrench_on_environment: Mapping[str, Any] | None = None,
    threads: int = 1,
    max_steps: int = 1_000_000,
    time_limit: float | None = None,
    progress: Callable[[float], None] | None = None,
    plant: Equations | None = None,
    sensitivities: str | Sequence[str] = (),
) -> Simulation:
    """Return the motion that starts at (q0, qd0): t, q, qd, tau, energy and events.

    - `q0`: the rest pose by default; with closed loops, `assemble(m)`.
    - `qd0`: zero by default; with wheels, the independent speeds α.
    - `torque`: numbers, {joint: number}, (times, table), a law of `dalembert.control`, or a Python
      function f(t, q, qd), which is slower. A table is interpolated, with `hold` read in steps.
      With closed loops or followers give motor forces; with wheels, tractions follow joint forces.
    - `t`: the times wanted, or the end time (then 201 samples).
    - `method`: dop853, dopri5 and rosenbrock (stiff models) choose their steps; rk4, euler
      (semi-implicit) and constant_acceleration use `step`; radau, bdf and lsoda are SciPy's.
    - `drives`: "all" counts rotor inertia and friction, "inertia" rotors only, "none" neither.
      With friction joints stick and slip, which are events ("elbow sticks").
    - `motion`: prescribed joints or steering, {name: number, signal, (times, values) or f(t)}. A
      joint's table becomes a spline, because its accelerations count. A control law or
      f(t, q, qd) gives the rate of a steering angle, which becomes the last coordinate.
    - `events`: "limits" or {name: f(t, q, qd)}; those named in `stop` end the simulation.
    - `wrench_on_body`: {frame: six numbers, (times, rows) or f(t, q, qd)}, force and couple at the
      origin of the frame in its axes; `wrench_on_environment` is its negative.
    - `plant`: equations, perhaps simplified, that move the joints instead of the mechanism.
    - `sensitivities`: names of parameters and gains ("L1", "kp", "kp.elbow"). `r.dq["L1"]` and
      `r.dqd["L1"]` are then exact derivatives of the motion.
    - `max_steps`, `time_limit` (seconds of work): give up beyond these.

    q0, qd0 and `parameters` may have leading dimensions: one simulation for each entry.

    >>> import dalembert as da
    >>> m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    >>> r = da.simulate(m, [0.5], t=[0.0, 1.0])
    >>> abs(float(r.energy[1] - r.energy[0])) < 1e-6
    True
    """
    # size: a line for each option
    m, equations = parted(m, plant)
    require_mechanism(m, "simulate", moving=True)
    m = freed(m, varied(parameters, sensitivities))
    m = with_motors(at_first(m, parameters, parameters or ()))  # it starts, and is planned, there
    m, q0, given, laws = steered(m, q0, motion)
    above = {"step": step, "rtol": rtol, "threads": threads, "max_steps": max_steps}
    _check(method, above | {"time_limit": 1.0 if time_limit is None else time_limit}, parameters)
    _require_sticking(m, parameters or {})
    outside = wrenches_of(m, wrench_on_body, wrench_on_environment, hold)
    times = times_of(t)
    given, held = timed_motion(m, given, times)
    job = _job(m, torque, drives, (given, laws), hold, parameters, outside, equations)
    single = replace(job.kernels, single=method in ADAPTIVE)
    outer = wrench_on_environment if wrench_on_body is None else wrench_on_body
    told = table_notes(torque, outer, times, hold)
    job = replace(job, kernels=single, notes=(*job.notes, *held, *told))
    q0, first = start(m, equations, q0, qd0), float(times[0])
    job = _with_wheels_planned(job, q0, first)
    states, lead = _states(job, q0, qd0, times[0])
    job, states = followed(job, states, lead, first, sensitivities, method)
    job = changed(job, q0, qd0, states, lead)
    job = _with_loops_planned(job, states[:1], first)
    warnings = {name: f for name, (f, _) in alarms(job).items()}
    table = event_table(m, events, stop, Modes(job).names, warnings)
    table = with_dead_points(job, table)
    atol = rtol * 1e-2 if atol is None else atol
    run = Run(job, times, method, step, rtol, atol, table, max_steps)
    progress = _within_limit(time_limit, run, progress)
    return run.result(_samples(run, states, lead, threads, progress), lead)


def _with_loops_planned(job: Job, state: Array, t: float) -> Job:
    """Return the job with its loops planned where it starts."""
    if not isinstance(job.kernels.system, Closed | Rolling) or not len(state):
        return job
    first = {k: np.ravel(v)[0] for k, v in job.parameters.items()} or None
    return job.renewed(state, t, first)


def _within_limit(limit: float | None, run: Run, progress: Any) -> Callable[[float], None] | None:
    """Return a progress function that gives up after `limit` seconds of work."""
    if limit is None:
        return progress  # type: ignore[no-any-return]
    start = time.perf_counter()

    def watch(part: float) -> None:
        if time.perf_counter() - start > limit:
            t = float(run.times[0] + part * (run.times[-1] - run.times[0]))
            raise SimulationStopped(
                f"the time limit of {limit:g} s is reached, {100 * part:.3g} % is done",
                "allow more (time_limit=), a larger rtol or step", "", t, np.zeros(0), np.zeros(0),
            )  # fmt: skip
        if progress is not None:
            progress(part)

    return watch


def _samples(
    run: Run, states: Array, lead: tuple[int, ...], threads: int, progress: Any
) -> Samples:
    """Return the samples of all states by the method that is asked for."""
    times, method = run.times, run.method
    slow = refusal() is not None
    if not len(states):
        return Samples(np.zeros((0, len(times), states.shape[1])), [], 0, 0)
    if method in STIFF or (slow and method in SCIPY):
        return run.with_events(run_scipy(run, states, lead, progress), lead)
    if slow:
        return run.with_events(run_numpy(run, states, lead), lead)
    if method in ADAPTIVE:
        return run.adaptive(states, lead, threads, progress)
    return run.fixed(states, lead, threads, progress)


def _job(
    m: Mechanism,
    torque: Any,
    drives: Any,
    moved: tuple[Mapping[str, Any], Mapping[str, RateLaw]],
    hold: bool,
    parameters: Any,
    outside: Wrenches,
    equations: Any = None,
) -> Job:
    motion, laws = moved
    named = (m.joint_index(n) for n in motion if n in m.joint_names)
    joints = tuple(sorted(j for j in named if m.bodies[j].joint.nv == 1))
    own: Any = rolling(m, drives, joints) if is_rolling(m) else system(m, drives, joints)
    if laws and isinstance(own, Rolling):
        own = steered_system(own, laws)
    if isinstance(own, Tree):
        own = replace(own, framed=bool(outside.frames))
    if equations is not None:
        own = planted(own, equations, bool(outside.frames or parameters))
    law = law_of(torque, force_names(own), hold)
    if hasattr(law, "placed"):
        law = law.placed(own.m, _law_plan(own), drives)
    extra = prescribed_signal(own, motion)
    settings = np.asarray(law.settings, dtype=float)
    parts = [s for s in (law.signal, extra, outside.signal) if s is not None]
    signal = parts[0].beside(*parts[1:]) if parts else None
    asked = tuple(sorted(set(parameters or ()) - set(m.open_parameters)))
    size = law.signal.size if law.signal is not None else 0
    kernels = Kernels(own, law, size, settings.shape[-1], asked, outside)
    # kernels have no inputs of length zero
    some = settings.shape[-1] or kernels.dry_joints
    data = settings if some else np.zeros((*settings.shape[:-1], 1))
    return Job(kernels, signal, data, dict(parameters or {}), notes=straight(own, motion))


def _law_plan(own: Any) -> Any:
    """Return how a law solves the loops of a system; None for a tree."""
    if isinstance(own, Rolling):
        return planned(own.m) if own.m.active else own.plan
    return own.plan if isinstance(own, Closed) else None


def _closed(job: Job, own: Closed, q: Array, v: Array, start: float) -> tuple[Array, Array]:
    """Return states on the closure, from the motors or from the joints that follow signals."""
    given = job.parameters or None
    m = own.led if own.given else own.m
    q, v = q.copy(), v.copy()
    for k, j in enumerate(own.given):
        u = job.signal(start)[job.kernels.prescribed] if job.signal is not None else np.zeros(0)
        q[..., m.coordinate_index[j]] = u[3 * k]
        v[..., m.velocity_index[j]] = u[3 * k + 1]
    found = near_closure(m, q, v) if given is None else None
    if found is not None:
        return found
    q = evaluate(m, "assembly", q, parameters=given)
    if not v.any():  # at rest
        return q, v
    return q, evaluate(m, "tree_motion", q, v, np.zeros_like(v), parameters=given)[0]


def _check(method: str, positive: Mapping[str, Any], parameters: Any) -> None:
    """Raise UsageError for an unknown method, or an option that must be above zero."""
    if parameters is not None and not isinstance(parameters, Mapping):
        kind = type(parameters).__name__
        raise UsageError(
            f"parameters must be a mapping, not {kind}", hint='write parameters={"L1": 0.4}'
        )
    known = (*METHODS, *STIFF)
    if method not in known:
        raise UsageError(f"unknown method {method!r}", hint="methods: " + ", ".join(known))
    for name, value in positive.items():
        try:
            good = bool(value > 0 and np.isfinite(value))
        except (TypeError, ValueError):
            good = False
        if not good:
            raise UsageError(
                f"{name} is {value!r}, it must be a number above zero",
                hint=f"for example {name}={USUAL[name]}",
            )


def _require_sticking(m: Mechanism, parameters: Mapping[str, Any]) -> None:
    """Raise ModelError where values of parameters make static friction less than that of motion."""
    if all(has_no_static_level(d) for d in m.drives):
        return
    rows = np.broadcast_arrays(*(numbers_of(k, v) for k, v in parameters.items()))
    for row in zip(*(x.ravel() for x in rows), strict=True):
        require_sticking(m, dict(zip(parameters, map(float, row), strict=True)))


def _rest(job: Job) -> Array:
    """Return the pose where a motion starts when none is given: rest, with its loops closed."""
    m = job.m
    if not isinstance(job.kernels.system, Closed):
        return neutral(m)
    return assemble(m, parameters=job.parameters or None)


def _entries(job: Job, what: str) -> list[str]:
    """Return what the numbers of q0 or qd0 stand for."""
    own, m = job.kernels.system, job.m
    if what == "qd0" and (own.speeds != m.nv or (isinstance(own, Rolling) and m.speeds)):
        return [shown(name) for name in m.speeds] or [f"{own.speeds} in all"]
    return [shown(name.partition(".")[2]) for name in column_names(m, what[:-1])]


def _states(job: Job, q0: Any, qd0: Any, start: float) -> tuple[Array, tuple[int, ...]]:
    """Return the initial states as rows, and the leading dimensions they stand for."""
    own, m = job.kernels.system, job.m
    q = numbers_of("q0", _rest(job) if q0 is None else q0)
    v = numbers_of("qd0", np.zeros(own.speeds) if qd0 is None else qd0)
    # a machine on wheels is given its named speeds, or the rates of all joints
    count = own.speeds
    if isinstance(own, Rolling) and v.shape[-1:] != (m.nv,):
        count = len(m.speeds) if m.speeds or v.shape[-1:] == (0,) else own.speeds
    for what, value, size in (("q0", q, m.nq), ("qd0", v, count)):
        if value.ndim == 0 or value.shape[-1] != size:
            kind = "speeds" if count != m.nv and what == "qd0" else "joints"
            raise UsageError(
                f"{what} has shape {value.shape}, expected (..., {size})",
                hint=f"one number for each of the {kind}: {', '.join(_entries(job, what)[:20])}",
            )
        if not np.isfinite(value).all():
            raise UsageError(f"{what} holds a number that is not finite", hint="look for nan, inf")
    check_quaternions(m, "simulate", q, ROUGH)
    shapes = [np.shape(x) for x in job.parameters.values()]
    lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], job.settings.shape[:-1], *shapes)
    q, v = np.broadcast_to(q, (*lead, m.nq)), np.broadcast_to(v, (*lead, count))
    q = np.stack(m.normalised([q[..., k] for k in range(m.nq)]), axis=-1)
    if isinstance(own, Closed):
        q, v = _closed(job, own, q, v, start)
    if isinstance(own, Rolling):
        q, v = _on_wheels(job, own, q, v, start, lead)
    x = np.concatenate([q, v], axis=-1).reshape(-1, m.nq + own.speeds)
    if own.projected and not isinstance(own, Closed | Rolling) and len(x):
        x = _settled(job, x, start, job.parameter_rows(lead))
    return np.ascontiguousarray(x), lead


def _signals(job: Job, start: float) -> Array:
    """Return what is prescribed at the start: the signals of the system, and time."""
    own = job.kernels.system
    u = job.signal(start)[job.kernels.prescribed] if job.signal is not None else np.zeros(0)
    return np.concatenate([u, [start, 1.0]]) if own.timed else u


def _with_wheels_planned(job: Job, q0: Any, start: float) -> Job:
    """Return the job of a machine on wheels planned at the pose where it starts."""
    if not isinstance(job.kernels.system, Rolling):
        return job
    q = numbers_of("q0", _rest(job) if q0 is None else q0)
    if q.ndim == 0 or q.shape[-1] != job.m.nq or not q.size or job.m.open_parameters:
        return job  # `_states` refuses a wrong q0
    return job.planned_at(q.reshape(-1, job.m.nq)[0], _signals(job, start))


def _on_wheels(
    job: Job, own: Rolling, q: Array, v: Array, start: float, lead: tuple[int, ...]
) -> tuple[Array, Array]:
    """Return poses and rates of all joints that the constraints allow."""
    m = job.m
    given = job.parameter_rows(lead)
    rest = np.concatenate([q, np.zeros((*lead, m.nv))], axis=-1).reshape(-1, m.nq + m.nv)
    x = _settled(job, rest, start, given) if len(rest) else rest
    if v.shape[-1] == m.nv:
        x[:, m.nq :] += v.reshape(-1, m.nv)
    elif np.any(v):
        u = _signals(job, start)
        x[:, m.nq :] = own.rates(x[:, : m.nq], v.reshape(-1, v.shape[-1]), u, given)
        bad = np.argwhere(~np.isfinite(x).all(axis=1))
        if len(bad):
            angles = [float(y) for y in own.prescribed(list(u))[0]]
            explain(m, x[int(bad[0][0]), : m.nq].tolist(), angles, " at the start")
    x = _settled(job, x, start, given) if len(x) else x
    return x[:, : m.nq].reshape(*lead, m.nq), x[:, m.nq :].reshape(*lead, m.nv)


def _settled(job: Job, x: Array, start: float, parameters: Any) -> Array:
    """Return states where they must lie: prescribed joints at their motion, positions as held."""
    project = job.kernels.project()
    u = job.signal(start) if job.signal is not None else np.zeros(project.inputs[2].size)
    p = np.zeros(project.inputs[3].size)
    for _ in range(30):
        found = project(x, [start], u, p, parameters=parameters)[0]
        moved, x = np.abs(found - x).max(), found
        if moved <= 1e-12 * (1 + np.abs(x).max()):
            return x
    raise ComputationError(
        "no coordinates near q0 fulfil the constraints of position",
        hint="q0 should lie near a pose at which loops close and equations f(q) = 0 hold",
    )
