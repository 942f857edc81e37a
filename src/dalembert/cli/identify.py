"""dalembert identify: the parameters that a measured motion shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import shown
from .model import model_command, print_json
from .values import CUTOFF

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@model_command
@click.argument("file")
@click.option("--no-friction", is_flag=True, help="Masses and inertias only.")
@click.option("--asymmetric", is_flag=True, help="Coulomb friction of each direction apart.")
@click.option("--unknown-payload", metavar="FRAME", help="Only a load on this frame is unknown.")
@click.option("--not-consistent", is_flag=True, help="Do not ask that every body can exist.")
@click.option("--holdout", type=float, default=0.2, show_default=True, help="Share held out.")
@click.option("--cutoff", type=CUTOFF, help="Filter the motion; else a smoothing spline.")
@click.option("--columns", metavar="MAP", help="Other heads: elbow=pos_3:deg,tau.elbow=cur_3:*11.4")
@click.option("--out", metavar="FILE", help="Write the identified model: .toml, .json or .urdf.")
@click.option("--report", metavar="FILE.html", help="Write a report with figures.")
def command(mechanism: Mechanism, as_json: bool, file: str, **options: Any) -> None:
    """Identify masses, inertias and friction of MODEL from the log FILE.

    \b
    Example:
      dalembert identify robot:ur5 log.csv --out identified.toml --report identified.html
    """
    from ..identify.identify import identify
    from ..measure.motion import read_motion

    motion = read_motion(file, mechanism, columns=options["columns"], cutoff=options["cutoff"])
    friction: bool | str = not options["no_friction"]
    if options["asymmetric"]:
        friction = "asymmetric"
    f = identify(
        mechanism, motion, friction, options["unknown_payload"],
        not options["not_consistent"], options["holdout"],
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
    for name in ("out", "report"):
        if options[name]:
            click.echo(f"wrote {options[name]}")


def write_model(m: Mechanism, path: str) -> None:
    """Write a mechanism by the ending of its file."""
    if path.lower().endswith(".urdf"):
        from pathlib import Path

        from ..read.urdf_writer import write_urdf

        Path(path).write_text(write_urdf(m)[0], encoding="utf-8")
    else:
        m.save(path)
