"""dalembert size: motors and gears for a duty cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .model import echo_written, model_command, print_json
from .values import option

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@model_command
@click.argument("cycle", metavar="CYCLE.toml")
@option("--motors", "FILE", "TOML with [[motor]] and [[gear]], or CSV.", required=True)
@option("--by", ("mass", "cost", "energy", "margin"), "What to choose by.", "mass")
@option("--plot", "FILE.png", "Draw torque against speed.")
def command(mechanism: Mechanism, as_json: bool, cycle: str, **options: Any) -> None:
    """Choose motors and gears for MODEL over a duty cycle.

    \b
    Example:
      dalembert size robot:puma560 cycle.toml --motors motors.toml
    """
    from ..sweep.size import size

    made = size(mechanism, cycle, options["motors"])
    if options["plot"]:
        made.plot(options["plot"], options["by"])
    if as_json:
        best = {joint: c or made.nearest(joint) for joint, c in made.best(options["by"]).items()}
        print_json({
            joint: {
                "fits": c.fits, "motor": c.motor.name, "gear": c.gear.name, "loads": c.loads,
                "margin": c.margin, "inertia_ratio": c.inertia_ratio, "mass": c.mass,
                "cost": c.cost, "energy": c.energy,
            } for joint, c in best.items()
        })  # fmt: skip
        return
    click.echo(made.text(options["by"]))
    echo_written(options, "plot")
