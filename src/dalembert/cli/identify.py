"""dalembert identify: the parameters that a measured motion shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, shown
from ..files import write_file
from .model import echo_written, model_command, print_json
from .progress import progress_bar
from .values import CUTOFF, flag, option

if TYPE_CHECKING:
    from ..mechanism import Mechanism

ENDINGS = (".toml", ".json", ".urdf", ".c")
C = ("inverse_dynamics", "forward_dynamics", "gravity")  # functions of an identified model


@model_command
@click.argument("file")
@flag("--no-friction", "Identify masses and inertias only.")
@flag("--asymmetric", "The same as --friction asymmetric.")
@option(
    "--friction",
    ("asymmetric", "offset", "stribeck"),
    "What to add to viscous and Coulomb friction: one Coulomb level per direction, a constant "
    "force, or Stribeck friction.",
)
@flag("--gravity-direction", "Identify the direction of gravity only.")
@option("--wrench", "FILE", "Measured wrenches on frames, in world axes.")
@option("--delay", "S|auto", "Delay of the recorded forces.")
@option("--unknown-payload", "FRAME", "Identify a load on this frame only.")
@flag("--not-consistent", "Allow masses and inertias that no body can have.")
@option("--holdout", float, "Share of the log kept for testing.", 0.2)
@option("--cutoff", CUTOFF, "Low-pass filter; a smoothing spline by default.")
@option("--columns", "MAP", "Your columns: elbow=pos_3:deg,tau.elbow=cur_3:*11.4")
@option("--out", "FILE", "Write the identified model: .toml, .json, .urdf, .c.")
@option("--report", "FILE.html", "Write a report with figures.")
def command(mechanism: Mechanism, as_json: bool, file: str, **options: Any) -> None:
    """Identify masses, inertias and friction of MODEL from the log FILE.

    \b
    Example:
      dalembert identify robot:ur5 log.csv --out identified.toml --report identified.html
    """
    require_ending(options["out"])
    from ..identify.identify import identify
    from ..measure.long import is_long, windows
    from ..measure.motion import read_motion
    from ..measure.wrench import with_wrench_heads

    wrench, columns = with_wrench_heads(mechanism, options["wrench"], options["columns"])
    friction: bool | str = not options["no_friction"]
    if options["asymmetric"]:
        friction = "asymmetric"
    friction = options["friction"] or friction
    with progress_bar("reading") as report:
        how = file, mechanism, columns, options["cutoff"]
        motion = windows(*how, report) if is_long(file) else read_motion(*how)
        f = identify(
            mechanism, motion, friction,
            options["unknown_payload"], not options["not_consistent"], options["holdout"],
            gravity=options["gravity_direction"], wrench_on_body=wrench,
            delay=_delay(options["delay"]),
        )  # fmt: skip
    if options["out"]:
        write_model(f.mechanism, options["out"])
    if options["report"]:
        f.report(options["report"])
    if as_json:
        print_json(f.data())
        return
    for line in f.text().splitlines():
        click.echo(shown(line, 300))
    echo_written(options, "out", "report")


def _delay(text: str | None) -> float | str | None:
    if text is None or text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--delay {shown(text)}", hint="seconds, or auto") from None


def require_ending(path: str | None) -> None:
    """Refuse a file that no writer knows before the work begins."""
    if path is not None and Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(
            f"--out {shown(path)}: how should the model be written?",
            hint="end the name in " + ", ".join(ENDINGS),
        )


def write_model(m: Mechanism, path: str) -> None:
    """Write a mechanism by the ending of its file; C has a head beside it, friction counted."""
    target = Path(path)
    if target.suffix.lower() == ".urdf":
        from ..read.urdf_writer import write_urdf

        write_file(path, write_urdf(m)[0])
    elif target.suffix.lower() == ".c":
        from ..export.write import files

        for name, text in files(replace(m, name=target.stem), C, "c", drives="all").items():
            if name.endswith(".h"):
                write_file(target.with_name(name), text)
            elif name.endswith(".c") and not name.endswith("_test.c"):
                write_file(path, text)
    else:
        m.save(path)
