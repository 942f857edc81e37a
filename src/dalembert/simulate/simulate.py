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
from ..compute import at_first
from ..errors import UsageError
from ..mechanism import Mechanism, freed, is_rolling, require_mechanism
from ..mechanism.validate import require_sticking
from ..plan.assembly import velocity_indices
from ..plan.loops import with_motors
from ..runtime import integrate as drivers
from ..runtime.methods import ADAPTIVE, METHODS, STIFF
from .alarms import alarms
from .dead_points import with_dead_points
from .events import event_table
from .friction import Modes
from .given_forces import law_of, order_notes
from .integration import Run
from .job import Job
from .kernels import Kernels, Law
from .passed import at_numbers
from .plant import frozen_start, parted, planted
from .prescribed import prescribed_signal, straight, table_notes, timed_motion
from .result import Event, Simulation, SimulationStopped
from .rolling import Rolling, rolling
from .run_sensitive import followed, varied
from .starts import numbers_of, planned_there, started, times_of
from .steered import RateLaw, steered, steered_system
from .systems import Reduced, Tree, system
from .wrenches import Wrenches, wrenches_of

if TYPE_CHECKING:
    from ..equations import Equations

Array = np.ndarray
# numbers, {joint: number}, (times, table), a law, or f(t, q, qd)
Torque = (
    ArrayLike | Mapping[str, Any] | tuple[ArrayLike, ArrayLike] | Law | Callable[..., Any] | None
)
USUAL = {"step": 1e-3, "rtol": 1e-8, "threads": 1, "max_steps": 1_000_000, "time_limit": 60,
         "atol": 1e-10}  # fmt: skip
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
      With closed loops or followers give motor forces, in the order of `active`; with wheels
      these, or the forces of all joints and then tractions.
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
    drivers.beforehand(method)
    m = freed(m, varied(parameters, sensitivities))
    m = with_motors(at_first(m, parameters, parameters or ()))  # it starts, and is planned, there
    m, q0, given, laws = steered(m, q0, motion)
    above = {"step": step, "rtol": rtol, "threads": threads, "max_steps": max_steps}
    above["time_limit"] = 1.0 if time_limit is None else time_limit
    above["atol"] = 1.0 if atol is None or _is_zero(atol) else atol
    _check(method, above, parameters)
    _require_sticking(m, parameters or {})
    outside = wrenches_of(m, wrench_on_body, wrench_on_environment, hold)
    times = times_of(t)
    given, held = timed_motion(m, given, times)
    job = _job(m, torque, drives, (given, laws), hold, parameters, outside, equations)
    single = replace(job.kernels, single=method in ADAPTIVE)
    outer = wrench_on_environment if wrench_on_body is None else wrench_on_body
    told = table_notes(torque, outer, times, hold)
    job = replace(job, kernels=single, notes=(*job.notes, *held, *told))
    q0, first = frozen_start(m, equations, q0, qd0), float(times[0])
    job, states, lead = started(job, q0, qd0, first)
    job, states = followed(job, states, lead, first, sensitivities, method)
    job = planned_there(job, states[:1], first, method)
    warnings = {name: f for name, (f, _) in alarms(job).items()}
    table = event_table(at_numbers(m, parameters or {}), events, stop, Modes(job).names, warnings)
    table = with_dead_points(job, table)
    watched = _within_limit(time_limit, times, progress)
    how = (method, step, rtol, rtol * 1e-2 if atol is None else atol)
    return Run(job, states, lead, times, *how, table, max_steps, threads, watched).result()


def _within_limit(limit: float | None, times: Array, progress: Any) -> Any:
    """Return a progress function that gives up after `limit` seconds of work."""
    if limit is None:
        return progress
    start = time.perf_counter()

    def watch(part: float) -> None:
        if time.perf_counter() - start > limit:
            t = float(times[0] + part * (times[-1] - times[0]))
            raise SimulationStopped(
                f"the time limit of {limit:g} s is reached, {100 * part:.3g} % is done",
                "allow more (time_limit=), a larger rtol or step", "", t, np.zeros(0), np.zeros(0),
            )  # fmt: skip
        if progress is not None:
            progress(part)

    return watch


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
        if equations is None and not parameters:
            own.require_inertia("simulate")
    if equations is not None:
        own = planted(own, equations, bool(outside.frames or parameters))
    motors = velocity_indices(own.m, own.m.active) if isinstance(own, Reduced) else ()
    law = law_of(torque, own.force_names, hold, motors)
    if hasattr(law, "placed"):
        law = law.placed(own.m, own.law_plan, drives)
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
    notes = (*straight(own, motion), *order_notes(torque, own.force_names, motors))
    return Job(kernels, signal, data, dict(parameters or {}), notes=notes)


def _is_zero(x: Any) -> bool:
    return isinstance(x, int | float | np.number) and x == 0


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
