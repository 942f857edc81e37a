"""dalembert check: what was read, and what is odd about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dalembert.cli.model import model_command, print_json

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism


@model_command
def command(mechanism: Mechanism, as_json: bool) -> None:
    """Show the joints and bodies of MODEL, the reader's notes and physical oddities.

    \b
    Example:
      dalembert check robot.urdf
    """
    from dalembert.errors import ModelError
    from dalembert.plan.kane import with_speeds

    notes, oddities = list(mechanism.notes), list(mechanism.report())
    rolls = mechanism.wheels or mechanism.velocity_constraints or mechanism.prescribed
    try:
        if rolls:
            notes = list(with_speeds(mechanism).notes)
    except ModelError as error:
        # constraints that depend on each other, speeds that do not decide the motion
        oddities.append(error.message)
    if as_json:
        facts = ("name", "nq", "nv", "joint_names", "frames", "total_mass")
        data = {fact: getattr(mechanism, fact) for fact in facts}
        data["parameters"] = {p.name: p.value for p in mechanism.parameters}
        print_json(data | {"notes": notes, "odd": oddities})
        return
    click.echo(str(mechanism))
    for note in notes:
        click.echo(f"note: {note}")
    for oddity in oddities:
        click.echo(f"odd: {oddity}")
