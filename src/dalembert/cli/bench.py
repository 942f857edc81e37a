"""dalembert bench: kernels timed, alone or beside other engines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from dalembert.cli.model import print_json, read_model

if TYPE_CHECKING:
    from dalembert.bench import Row
    from dalembert.mechanism import Mechanism

WIDE = (12, 40, 12, 46, 12, 8)


@click.command()
@click.argument("models", metavar="[MODEL]...", nargs=-1)
@click.option("--peers", is_flag=True, help="Time Pinocchio, and CasADi's C, in the same run.")
@click.option("--chains", is_flag=True, help="Time long serial chains too; this takes minutes.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.001, 600),
    default=0.5,
    show_default=True,
    help="How long to look for the minimum of one figure.",
)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True,
    help="Give a parameter of every MODEL a value; may be repeated.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    models: tuple[str, ...],
    peers: bool,
    chains: bool,
    seconds: float,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Time kernels of MODELs: batches, one call, and compilation; one core, minimum of windows.

    Without MODEL: UR5, Panda and Talos where example-robot-data is installed, else the PUMA 560.

    \b
    Example:
      dalembert bench robot:puma560 --peers
    """
    rows: list[Row] = []
    found = {model: read_model(model, settings) for model in models}
    for row in _rows(found, peers, chains, seconds):
        if not rows and not as_json:
            click.echo(_line("model", "quantity", "ours ns", "peer", "peer ns", "ratio", "error"))
        rows.append(row)
        if not as_json:
            click.echo(_shown(row))
    if as_json:
        print_json([row.data() for row in rows])


def _rows(found: dict[str, Mechanism], peers: bool, chains: bool, seconds: float) -> Iterator[Row]:
    from dalembert import bench

    if not found:
        found = bench.robots() or {"PUMA 560": read_model("robot:puma560")}
    yield from bench.bench(found, peers, seconds)
    if peers:
        from dalembert.bench.casadi import available, casadi_rows

        for label, m in found.items() if available() else ():
            yield from casadi_rows(label, m, seconds)
    if chains:
        yield from bench.chain_rows()


def _shown(row: Row) -> str:
    if row.peer_ns is None or row.ratio is None:
        return _line(row.model, row.quantity, f"{row.ours_ns:.1f}")
    error = "" if row.error is None else f"{row.error:.1e}"
    return _line(
        row.model,
        row.quantity,
        f"{row.ours_ns:.1f}",
        row.peer or "",
        f"{row.peer_ns:.1f}",
        f"{row.ratio:.1f}",
        error,
    )


def _line(*cells: str) -> str:
    words = (0, 1, 3)  # the columns that hold words
    padded = [
        cell.ljust(WIDE[k]) if k in words else cell.rjust(WIDE[min(k, 5)])
        for k, cell in enumerate(cells)
    ]
    return "  ".join(padded).rstrip()
