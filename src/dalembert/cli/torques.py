"""dalembert torques: the joint forces that a motion needs, and the limits it passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, shown
from .model import (
    drives_option,
    echo_notes,
    echo_written,
    model_command,
    perhaps_degrees,
    print_json,
    with_left_out,
    without_mass,
)
from .progress import progress_bar
from .state import NAMED_NUMBERS, row
from .values import CUTOFF, NUMBERS, option

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from ..trajectory import Trajectory


@model_command
@with_left_out
@option("--from start", NAMED_NUMBERS, "Coordinates at the start; zero by default.")
@option("--to end", NAMED_NUMBERS, "Coordinates at the end: 0.1,90deg or elbow=90deg.")
@option("--point", NUMBERS, "Move in a straight line to this point.", metavar="X,Y,Z")
@option("--frame", str, "The frame that goes to --point; by default the last that moves.")
@option("--time duration", float, "Duration, s.", 1.0)
@option(
    "--profile",
    ("quintic", "constant_acceleration", "accelerate_and_brake"),
    "How --to and --point move: smoothly from rest to rest; at constant acceleration; or "
    "accelerating for half the time, then braking.",
    "quintic",
)
@option("--speed", NUMBERS, "Largest joint speeds of a trapezoidal move.")
@option("--acceleration", NUMBERS, "Largest joint accelerations; goes with --speed.")
@option("--motion", "FILE", "A measured motion: CSV, NPZ, JSON, .sto, .mcap ...")
@option("--wrench", "FILE", "Measured wrenches on frames, in world axes.")
@option("--cutoff", CUTOFF, "Low-pass filter for --motion; a smoothing spline by default.")
@option("--columns", "MAP", "Names of your columns: elbow=act_pos_3:deg,wrist=...")
@option("--samples", int, "Number of rows.", 201)
@drives_option("all")
@option("--plot", "FILE.png", "Draw the forces and their parts.")
@option("--csv table", "FILE.csv", "Write the motion and the forces as a table.")
def command(mechanism: Mechanism, as_json: bool, **options: Any) -> None:
    """Compute the joint forces of MODEL along a motion: peaks, RMS, power, and limits exceeded.

    \b
    Example:
      dalembert torques robot:puma560 --to 1,0.5,-0.5,0,0,0 --time 0.8 --plot forces.png
    """
    from ..measure.long import is_long
    from ..simulate.plot import check_plot
    from ..trajectory.torques import torques_along

    if options["plot"]:
        check_plot(options["plot"])
    if options["motion"] and is_long(options["motion"]):
        r = _long(mechanism.full, options)
    elif options["motion"]:
        path, wrench = _measured(mechanism.full, options)
        r = torques_along(mechanism, path, wrench_on_body=wrench, drives=options["drives"])
    else:
        for name in ("wrench", "cutoff", "columns"):
            if options[name]:
                raise UsageError(f"--{name} belongs to --motion", hint="--motion FILE.csv")
        path = _path(mechanism.full, options)
        echo_notes(perhaps_degrees(mechanism.full, _end(mechanism.full, options["end"])))
        times = path.times(max(2, options["samples"]))
        r = torques_along(mechanism, path, times, drives=options["drives"])
    if options["table"] and r.tally is None:  # the rows of a long log are written
        r.to_csv(options["table"])
    if options["plot"]:
        r.plot(options["plot"])
    if as_json:
        print_json({
            "joints": list(r.names), "t": r.t, "q": r.q, "tau": r.tau, "parts": r.parts,
            "peak": r.peak, "rms": r.rms, "peak_power": r.peak_power, "executable": r.executable,
            "band": r.band, "notes": list(r.notes),
            "redesign": r.redesign,
            "slower": r.slower if r.slower < float("inf") else None,
            "exceeded": [
                {"joint": e.joint, "what": e.what, "value": e.value, "limit": e.limit,
                 "by": e.by, "time": e.time} for e in r.exceeded
            ],
        })  # fmt: skip
        return
    for line_ in r.summary().splitlines():
        click.echo(shown(line_, 200))
    echo_notes([*r.notes, *without_mass(mechanism)])
    echo_written(options, "plot", "table")


def _long(m: Mechanism, options: dict[str, Any]) -> Any:
    """Return the forces of a log that is read in windows; its rows go into the table."""
    from ..measure.long import windows
    from ..trajectory.long import torques_of_windows

    wrench, columns = _tables(m, options)
    with progress_bar("reading") as report:
        log = windows(options["motion"], m, columns, options["cutoff"], report)
        return torques_of_windows(
            m, log, wrench=wrench, drives=options["drives"], table=options["table"]
        )


def _tables(m: Mechanism, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the measured wrenches, and the map of the other columns."""
    from ..measure.wrench import with_wrench_heads

    for name in ("start", "end", "point", "speed", "acceleration"):
        if options[name] is not None:
            raise UsageError("--motion is a whole motion", hint="leave out --from, --to, --point")
    return with_wrench_heads(m, options["wrench"], options["columns"])


def _measured(m: Mechanism, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the motion of a table, and the measured wrenches."""
    from ..measure.motion import read_motion

    wrench, columns = _tables(m, options)
    return read_motion(options["motion"], m, columns=columns, cutoff=options["cutoff"]), wrench


def _end(m: Mechanism, given: Any) -> list[float]:
    """Return the coordinates at the end of a move; 0 for what it does not say."""
    if not isinstance(given, Mapping):
        given = given or ()
        names = m.coordinate_names if len(given) == m.nq else m.active
        given = dict(zip(names, given, strict=False))
    return [given.get(name, 0.0) for name in m.coordinate_names]


def _path(m: Mechanism, options: dict[str, Any]) -> Trajectory:
    """Return the motion that the options describe."""
    import numpy

    from ..compute import neutral
    from ..mechanism import is_closed
    from ..trajectory import constant_acceleration, quintic, trapezoidal
    from ..trajectory.paths import line

    # of a closed machine the motors alone may be given; a joint that --to does not name stays
    closed = is_closed(m)
    names, rest = (m.active, [0.0] * len(m.active)) if closed else (m.coordinate_names, m.neutral)
    first = row(options["start"], names, "--from", rest)
    if isinstance(options["end"], Mapping) and first is not None and len(first) != len(names):
        raise UsageError(
            f"--from has {len(first)} numbers, and --to names joints of {len(names)}",
            hint="write them in this order: " + ", ".join(map(shown, names[:12])),
        )
    last = row(options["end"], names, "--to", rest if first is None else first)
    given: Any = [
        None if x is None else numpy.array(x)
        for x in (first, last, options["point"], options["speed"], options["acceleration"])
    ]
    start, end, point, speed, acceleration = given
    if (end is None) == (point is None):
        raise UsageError("give either --to or --point", hint="--to 1,0.5,0 or --point 0.4,0,0.3")
    if start is None:
        start = neutral(m) if point is not None else numpy.zeros_like(end)
    if point is not None:
        profile = options["profile"]
        return line(m, start, point, options["duration"], frame=options["frame"], profile=profile)
    if len(end) != m.nq and not closed:
        raise UsageError(
            f"--to has {len(end)} numbers, it takes {m.nq}",
            hint="write them in this order: " + ", ".join(map(shown, m.coordinate_names[:12])),
        )
    if len(start) != len(end):
        raise UsageError(
            f"--from has {len(start)} numbers, --to has {len(end)}",
            hint="give as many in both, one for each coordinate",
        )
    if (speed is None) != (acceleration is None):
        raise UsageError(
            "--speed and --acceleration belong together", hint="write: --speed 2 --acceleration 5"
        )
    if speed is not None:
        return trapezoidal(start, end, speed, acceleration)
    if options["profile"] == "quintic":
        return quintic(start, end, options["duration"])
    brake = options["profile"] == "accelerate_and_brake"
    return constant_acceleration(start, end, options["duration"], brake=brake)
