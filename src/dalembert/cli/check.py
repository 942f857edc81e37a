"""dalembert check: what was imported, what was ignored, and physical warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .model import model_command, print_json

if TYPE_CHECKING:
    from ..mechanism import Mechanism

LISTS = ("active", "prescribed", "speeds")


@model_command
def command(mechanism: Mechanism, as_json: bool) -> None:
    """Show the joints and bodies of MODEL, what was ignored, and physical warnings.

    \b
    Example:
      dalembert check robot.urdf
    """
    from ..catalog.loops import is_closed
    from ..errors import DalembertError
    from ..mechanism import joint_name
    from ..plan.kane import with_speeds

    notes, oddities = list(mechanism.notes), list(mechanism.report())
    rolls = mechanism.wheels or mechanism.velocity_constraints or mechanism.prescribed
    try:
        if rolls:
            notes = list(with_speeds(mechanism).notes)
    except DalembertError as error:
        # constraints that depend on each other, speeds that do not decide, loops that do not close
        oddities.append(error.message)
    facts, lines = closed_facts(mechanism, oddities) if is_closed(mechanism) else ({}, [])
    if as_json:
        own = ("name", "nq", "nv", "joint_names", "frames", "total_mass")
        data = {fact: getattr(mechanism, fact) for fact in own} | facts
        data["limits"] = {
            joint_name(b): {
                "q": b.limits[0] if len(b.limits) == 1 else b.limits,
                "qd": b.velocity_limit,
                "tau": b.effort_limit,
            }
            for b in mechanism.bodies
            if b.limits or b.velocity_limit is not None or b.effort_limit is not None
        }
        data["parameters"] = {p.name: p.value for p in mechanism.parameters}
        print_json(data | acting(mechanism) | {"notes": notes, "odd": oddities})
        return
    click.echo(str(mechanism))
    for line in lines:
        click.echo(line)
    for note in notes:
        click.echo(f"note: {note}")
    for oddity in oddities:
        click.echo(f"warning: {oddity}")


def closed_facts(m: Mechanism, oddities: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return how loops, wheels and constraints leave a machine free, as data and as lines."""
    from ..errors import DalembertError
    from ..plan.report import motion_facts, motion_lines

    try:
        return {"motion": motion_facts(m)}, motion_lines(m)
    except DalembertError as error:  # loops that do not close, parameters without a value
        if error.message not in oddities:
            oddities.append(error.message)
        return {}, []


def acting(m: Mechanism) -> dict[str, Any]:
    """Return all that acts on the bodies, by its kind, as a native file holds it."""
    from ..mechanism.view import RECORD_LINES
    from ..read.native_writer import native_data

    held = native_data(m)
    return {key: held[key] for key in ("gravity", *RECORD_LINES, *LISTS)}
