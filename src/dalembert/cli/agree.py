"""dalembert agree: all formalisms compared with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..display import aligned
from .model import echo_notes, model_command, print_json
from .values import flag, option

if TYPE_CHECKING:
    from ..agree import Agreement
    from ..mechanism import Mechanism


@model_command
@option("--states", click.IntRange(1, 100_000), "How many random states.", 100)
@flag("--exact", "Compare exact formulas instead of random states.")
@option("--seed", int, "Seed of the random states.", 0)
def command(mechanism: Mechanism, as_json: bool, states: int, seed: int, exact: bool) -> int:
    """Compare all formalisms that hold for MODEL on tau, M, gravity and coriolis.

    Prints the worst difference between every two of them, in units of the largest term summed;
    exit 1 when one passes 1e-12. Parameters without a value are drawn at random.

    \b
    Example:
      dalembert agree robot:puma560 --states 100
    """
    if exact:
        return _exactly(mechanism, as_json)
    from ..agree import KERNEL, agree

    found = agree(mechanism, states, abs(seed))
    if as_json:
        print_json([one.data() for one in found])
    else:
        if mechanism.open_parameters:
            echo_notes(["values were drawn for parameters without one"])
        for one in found:
            _print(one)
        if all(one.ok for one in found):
            names = [n for n in found[0].formalisms if n != KERNEL]
            worst = max(float(one.worst.max()) for one in found)
            click.echo(f"{len(names)} formalisms and the kernel agree to {worst:.1e}")
    return 0 if all(one.ok for one in found) else 1


def _exactly(mechanism: Mechanism, as_json: bool) -> int:
    """Print whether the formalisms are identical, and how that is known."""
    from ..exact_agreement import agree_exactly

    found = agree_exactly(mechanism)
    if as_json:
        print_json(found.data())
    else:
        click.echo(str(found))
        echo_notes(f"tau has no {name}: {reason}" for name, reason in found.absent.items())
    return 0 if found.ok else 1


def _print(one: Agreement) -> None:
    names = one.formalisms
    cells = ([f"{x:.1e}" for x in row] for row in one.worst)
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    for line in aligned([[one.quantity, *names], *rows]):
        click.echo(line)
    echo_notes(f"{one.quantity} has no {name}: {reason}" for name, reason in one.absent.items())
    click.echo(f"{'agree' if one.ok else 'DISAGREE'}\n")
