"""dalembert cost: operations of each quantity and method."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dalembert.cli.model import model_command, print_json

if TYPE_CHECKING:
    from dalembert.algorithms.drives import Drives
    from dalembert.cost import Row
    from dalembert.mechanism import Mechanism

HEAD = ("quantity", "method", "parameters", "mul", "add", "div", "sincos", "prepare")
REMARK = """
# at each state; prepare: mul+add once per set of parameters; sincos: pairs of one angle
# standard: ten symbols per body; base: the fewest symbols; given: the model's own numbers"""


@model_command
@click.option(
    "--quantity", "quantities", multiple=True, help="Count this quantity; may be repeated."
)
@click.option("--method", "methods", multiple=True, help="Count this method; may be repeated.")
@click.option(
    "--parameters",
    "kinds",
    type=click.Choice(["standard", "base", "given"]),
    multiple=True,
    help="Ten symbols per body, base parameters, or the model's own numbers.",
)
@click.option(
    "--drives",
    type=click.Choice(["none", "inertia", "all"]),
    default="none",
    show_default=True,
    help="Count rotor inertia, or friction too.",
)
def command(
    mechanism: Mechanism,
    as_json: bool,
    quantities: tuple[str, ...],
    methods: tuple[str, ...],
    kinds: tuple[str, ...],
    drives: Drives,
) -> None:
    """Count the operations of each quantity and method of MODEL.

    Three sets of parameters: `standard`, ten symbolic inertial parameters per body; `base`, the
    base parameters as symbols; `given`, the model's own numbers. What runs once per parameter set
    is counted apart, as `prepare`.

    \b
    Example:
      dalembert cost robot:puma560 --quantity inverse_dynamics
    """
    from dalembert.cost import KINDS, costs

    rows, notes = costs(mechanism, quantities or None, methods or None, kinds or KINDS, drives)
    if as_json:
        print_json([row.data() for row in rows])
    elif sys.stdout.isatty():
        _rich(rows)
    else:
        _plain(rows)
    if not as_json:
        click.echo(REMARK)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def _cells(row: Row) -> tuple[str, ...]:
    counts = (row.mul, row.add, row.div, row.sincos)
    prepare = f"{row.prepare_mul}+{row.prepare_add}"
    return row.quantity, row.method, row.parameters, *map(str, counts), prepare


def _plain(rows: Sequence[Row]) -> None:
    table = [HEAD, *map(_cells, rows)]
    wide = [max(len(line[k]) for line in table) for k in range(len(HEAD))]
    for line in table:
        cells = zip(line, wide, strict=True)
        padded = [c.rjust(w) if k > 2 else c.ljust(w) for k, (c, w) in enumerate(cells)]
        click.echo("  ".join(padded).rstrip())


def _rich(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for k, name in enumerate(HEAD):
        table.add_column(name, justify="right" if k > 2 else "left", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row))
    Console().print(table)
