"""dalembert simulate: the motion of a model, printed, written or drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli.eval import numbers
from dalembert.cli.model import model_command, print_json
from dalembert.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dalembert.mechanism import Mechanism
    from dalembert.simulate import Simulation

METHODS = ("dop853", "rk4", "euler", "constant_acceleration", "radau", "bdf", "lsoda")


def _numbers_option(name: str, text: str) -> Any:
    return click.option(f"--{name}", metavar="NUMBERS", help=text)


@model_command
@_numbers_option("q0", "Coordinates at the start, as 0.1,90deg; rest by default.")
@_numbers_option("qd0", "Velocities at the start (speeds of a machine on wheels).")
@_numbers_option("torque", "Constant joint forces; none by default.")
@_numbers_option("goal", "Go to these coordinates by PD with gravity compensation.")
@click.option("--kp", type=float, default=100.0, show_default=True, help="Gain of --goal.")
@click.option("--kd", type=float, default=20.0, show_default=True, help="Damping of --goal.")
@click.option("--time", "duration", type=float, default=5.0, show_default=True, help="Seconds.")
@click.option("--samples", type=int, default=201, show_default=True, help="Times written.")
@click.option("--method", type=click.Choice(METHODS), default="dop853", show_default=True)
@click.option("--step", type=float, default=1e-3, show_default=True, help="Of fixed-step methods.")
@click.option("--rtol", type=float, default=1e-8, show_default=True, help="Of adaptive methods.")
@click.option("--max-steps", type=int, default=1_000_000, help="Of adaptive methods.")
@click.option("--drives", type=click.Choice(["inertia", "all", "none"]), default="inertia")
@click.option("--steer", metavar="NAME=ANGLE", multiple=True, help="Hold a prescribed joint.")
@click.option("--stop", metavar="EVENT", multiple=True, help='End at an event; "all" at any.')
@click.option("--plot", metavar="FILE.png", help="Draw q, qd, forces and energy.")
@click.option("--csv", "table", metavar="FILE.csv", help="Write a table.")
@click.option("--npz", metavar="FILE.npz", help="Write arrays.")
def command(mechanism: Mechanism, as_json: bool, **options: Any) -> None:
    """Integrate the motion of MODEL from a state.

    \b
    Example:
      dalembert simulate "RX(),TZK(-1); body 1: M = 1, D = (0, 0, -1);" --q0 0.5 --plot swing.png
    """
    from dalembert.simulate.plot import check_plot

    if options["plot"]:
        check_plot(options["plot"])
    result = _run(mechanism, options)
    for option, write in (("table", result.to_csv), ("npz", result.to_npz)):
        if options[option]:
            write(options[option])
    if options["plot"]:
        result.plot(options["plot"])
    if as_json:
        print_json(_data(result))
        return
    _print(result, options)


def _run(m: Mechanism, options: dict[str, Any]) -> Simulation:
    from dalembert.control import PD
    from dalembert.simulate import simulate

    def given(name: str) -> list[float] | None:
        return None if options[name] is None else numbers(options[name], f"--{name}")

    if options["goal"] and options["torque"]:
        raise UsageError("--goal and --torque are both given", hint="give one of them")
    torque: Any = given("torque")
    if options["goal"]:
        torque = PD(given("goal"), options["kp"], options["kd"])
    if not options["duration"] > 0 or options["samples"] < 2:
        raise UsageError(
            "--time must be positive and --samples at least 2", hint="write: --time 5 --samples 201"
        )
    import numpy

    times = numpy.linspace(0.0, options["duration"], options["samples"])
    motion = dict(_angle(text) for text in options["steer"])
    with progress_bar("simulating") as report:
        return simulate(
            m, given("q0"), given("qd0"), torque, times, method=options["method"],
            step=options["step"], rtol=options["rtol"], drives=options["drives"],
            motion=motion or None, stop=options["stop"], progress=report,
            max_steps=options["max_steps"],
        )  # fmt: skip


def _angle(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    found = numbers(value, "--steer") if equals else []
    if len(found) != 1:
        raise UsageError(
            f"--steer {shown(text)}: a name and one angle are needed",
            hint="write: --steer delta=10deg",
        )
    return name.strip(), found[0]


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float], None] | None]:
    """Give a function that moves a bar on a terminal, or None where there is none."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda part: bar.update(task, completed=part)


def _data(r: Simulation) -> dict[str, Any]:
    return {
        "method": r.method, "steps": r.steps, "evaluations": r.evaluations, "t": r.t, "q": r.q,
        "qd": r.qd, "tau": r.tau, "energy": r.energy, "residual": r.residual,
        "events": [{"name": e.name, "time": e.time} for e in r.events], "stopped": r.stopped,
    }  # fmt: skip


def _print(r: Simulation, options: dict[str, Any]) -> None:
    import numpy

    click.echo(f"{shown(r.m.name)}: {r.t[-1]:g} s in {r.steps} steps of {r.method}")
    names, table = r.columns()
    keep = numpy.unique(numpy.linspace(0, len(r.t) - 1, 11).astype(int))
    chosen = [k for k, n in enumerate(names) if n == "t" or n.startswith("q.")][:9]
    width = max(12, *(len(shown(names[k])) + 2 for k in chosen))
    click.echo("".join(f"{shown(names[k]):>{width}}" for k in [*chosen, len(names) - 1]))
    for row in table[keep]:
        click.echo("".join(f"{row[k]:>{width}.6g}" for k in [*chosen, len(names) - 1]))
    for event in r.events[:20]:
        click.echo(f"event at {shown(str(event))}")
    for option in ("plot", "table", "npz"):
        if options[option]:
            click.echo(f"wrote {options[option]}")
