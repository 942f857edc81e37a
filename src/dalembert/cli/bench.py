"""dalembert bench: kernels timed, alone or beside other engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..display import aligned
from .model import JSON, ModelCommand, print_json, read_model, with_changes
from .values import flag, option

if TYPE_CHECKING:
    from ..bench import Timing
    from ..mechanism import Mechanism

HEAD = ("model", "quantity", "ours ns", "peer", "peer ns", "ratio", "error")
WIDE = (12, 40, 12, 46, 12, 8, 8)


@click.command(cls=ModelCommand)
@click.argument("models", metavar="[MODEL]...", nargs=-1)
@flag("--peers", "Time Pinocchio and CasADi's C code in the same run.")
@flag("--chains", "Time long serial chains too; this takes minutes.")
@option("--seconds", click.FloatRange(0.001, 600), "How long to measure each figure, s.", 0.5)
@with_changes
@JSON
def command(
    models: tuple[str, ...],
    peers: bool,
    chains: bool,
    seconds: float,
    as_json: bool,
    changes: dict[str, Any],
) -> None:
    """Time kernels of MODELs: batches, one call, and compilation; one core, minimum of windows.

    Without MODEL: UR5, Panda and Talos where example-robot-data is installed, else the PUMA 560.

    \b
    Example:
      dalembert bench robot:puma560 --peers
    """
    rows: list[Timing] = []
    found = {model: read_model(model, **changes) for model in models}
    for row in _rows(found, peers, chains, seconds):
        if not rows and not as_json:
            click.echo(_line(HEAD))
        rows.append(row)
        if not as_json:
            click.echo(_shown(row))
    if as_json:
        print_json([row.data() for row in rows])


def _rows(
    found: dict[str, Mechanism], peers: bool, chains: bool, seconds: float
) -> Iterator[Timing]:
    from .. import bench

    if not found:
        found = bench.robots() or {"PUMA 560": read_model("robot:puma560")}
    yield from bench.bench(found, peers, seconds)
    if peers:
        from ..bench.casadi import available, casadi_rows

        for label, m in found.items() if available() else ():
            yield from casadi_rows(label, m, seconds)
    if chains:
        yield from bench.chain_rows()


def _shown(row: Timing) -> str:
    cells = [row.model, row.quantity, f"{row.ours_ns:.1f}", "", "", "", ""]
    if row.peer_ns is not None and row.ratio is not None:
        error = "" if row.error is None else f"{row.error:.1e}"
        cells[3:] = [row.peer or "", f"{row.peer_ns:.1f}", f"{row.ratio:.1f}", error]
    return _line(cells)


def _line(cells: Sequence[str]) -> str:
    return aligned([cells], words=(0, 1, 3), least=WIDE)[0]
