"""dalembert simulate: the motion of a model, printed, written or drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..display import aligned
from ..errors import UsageError, shown
from ..mechanism.units import coordinate_units
from ..runtime.methods import METHODS, STIFF
from .model import (
    drives_option,
    echo_notes,
    echo_written,
    model_command,
    perhaps_degrees,
    print_json,
    with_left_out,
)
from .progress import progress_bar
from .state import NAMED_NUMBERS, coordinates, rates
from .values import ANGLE, option, several

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from ..simulate import Simulation


@model_command
@with_left_out
@option(
    "--q0 --q q0",
    NAMED_NUMBERS,
    "Coordinates at the start: 0.1,90deg or elbow=90deg; the rest pose by default.",
)
@option(
    "--qd0 --qd qd0", NAMED_NUMBERS,
    "Velocities at the start; for a wheeled robot, its independent speeds.",
)  # fmt: skip
@option("--torque", NAMED_NUMBERS, "Constant joint forces; none by default.")
@option("--goal", NAMED_NUMBERS, "Go to these coordinates by PD with gravity compensation.")
@option("--kp", float, "Position gain for --goal.", 100.0)
@option("--kd", float, "Velocity gain for --goal.", 20.0)
@option("--time duration", float, "Duration, s.", 5.0)
@option("--samples", int, "Number of rows.", 201)
@option(
    "--method",
    (*METHODS, *STIFF),
    "Integrator. rk4, euler and constant_acceleration have a fixed step; rosenbrock, "
    f"{', '.join(STIFF)} are for stiff models.",
    "dop853",
)
@option("--step", float, "Fixed step, s.", 1e-3)
@option("--rtol", float, "Relative error.", 1e-8)
@option("--max-steps", int, "Give up after this many steps.", 1_000_000)
@drives_option("all")
@several("--steer", ANGLE, "Hold a steering angle")
@several("--stop", "EVENT", 'End at this event; "all": at any')
@option("--plot", "FILE.png", "Draw q, qd, forces and energy.")
@option("--csv table", "FILE.csv", "Write the motion as a table.")
@option("--npz", "FILE.npz", "Write the motion as NumPy arrays.")
def command(mechanism: Mechanism, as_json: bool, **options: Any) -> None:
    """Integrate the motion of MODEL from a state.

    \b
    Example:
      dalembert simulate "RX(),TZK(-1); body 1: M = 1, D = (0, 0, -1);" --q0 0.5 --plot swing.png
    """
    from ..simulate.plot import check_plot

    if options["plot"]:
        check_plot(options["plot"])
    result = _run(mechanism, options)
    for file, write in (("table", result.to_csv), ("npz", result.to_npz)):
        if options[file]:
            write(options[file])
    if options["plot"]:
        result.plot(options["plot"])
    if as_json:
        print_json(_data(result))
        return
    _print(result, options)


def _run(m: Mechanism, options: dict[str, Any]) -> Simulation:
    from ..catalog.axes import labels_of
    from ..control import PD
    from ..mechanism import is_rolling
    from ..simulate import simulate

    if options["goal"] and options["torque"]:
        raise UsageError("--goal and --torque are both given", hint="give one of them")
    torque: Any = options["torque"]
    if options["goal"]:
        torque = PD(coordinates(m, options["goal"], "--goal"), options["kp"], options["kd"])
    if not options["duration"] > 0 or options["samples"] < 2:
        raise UsageError(
            "--time must be positive and --samples at least 2", hint="write: --time 5 --samples 201"
        )
    import numpy

    speeds = labels_of("speed" if is_rolling(m) else "joint", m)
    q0, qd0 = coordinates(m, options["q0"], "--q0"), rates(m, options["qd0"], speeds, "--qd0")
    echo_notes(perhaps_degrees(m, q0 or ()))
    times = numpy.linspace(0.0, options["duration"], options["samples"])
    motion = dict(options["steer"])
    with progress_bar("simulating") as report:
        return simulate(
            m, q0, qd0, torque, times, method=options["method"],
            step=options["step"], rtol=options["rtol"], drives=options["drives"],
            motion=motion or None, stop=options["stop"], progress=report,
            max_steps=options["max_steps"],
        )  # fmt: skip


def _data(r: Simulation) -> dict[str, Any]:
    return {
        "method": r.method, "steps": r.steps, "evaluations": r.evaluations, "t": r.t, "q": r.q,
        "qd": r.qd, "tau": r.tau, "energy": r.energy, "residual": r.residual,
        "events": [{"name": e.name, "time": e.time} for e in r.events], "stopped": r.stopped,
        "notes": r.notes,
    }  # fmt: skip


def _print(r: Simulation, options: dict[str, Any]) -> None:
    import numpy

    click.echo(f"{shown(r.m.name)}: {r.t[-1]:g} s in {r.steps} steps of {r.method}")
    for note in r.notes:
        click.echo(note)
    names, table = r.columns()
    keep = numpy.unique(numpy.linspace(0, len(r.t) - 1, 11).astype(int))
    places = [k for k, n in enumerate(names) if n.startswith("q.")]
    chosen = [0, *places[:8], len(names) - 1]
    head = [f"{shown(names[k])} {_unit(r.m, names[k])}".rstrip() for k in chosen]
    rows = [[f"{row[k]:.6g}" for k in chosen] for row in table[keep]]
    for line in aligned([head, *rows], words=()):
        click.echo(line)
    if len(places) > 8:
        click.echo(f"{_shown_of(r.m, len(places))} shown; --csv has all")
    if not numpy.any(r.qd):
        click.echo("it stays at rest: start it with --q0 or --qd0, or push it with --torque")
    for event in r.events[:20]:
        click.echo(f"event at {shown(str(event))}")
    if len(r.events) > 20:
        click.echo(f"20 of {len(r.events)} events shown; --json has all")
    echo_written(options, "plot", "table", "npz")


def _shown_of(m: Mechanism, count: int) -> str:
    """Return how much eight of `count` columns show: joints, or coordinates where one is cut."""
    sizes = [b.joint.nq for b in m.bodies if b.joint.nq]
    whole = [n for n in range(len(sizes)) if sum(sizes[:n]) == 8]
    if sum(sizes) == count and whole:
        return f"{whole[0]} of {len(sizes)} joints"
    return f"8 of {count} coordinates"


def _unit(m: Mechanism, column: str) -> str:
    """Return the unit of a column, "" for one without or of a joint with several coordinates."""
    if column.startswith("q."):
        units = dict(zip(m.coordinate_names, coordinate_units(m), strict=True))
        return units.get(column[2:], "") if column[2:] in m.joint_names else ""
    return {"t": "s", "energy": "J"}.get(column, "")
