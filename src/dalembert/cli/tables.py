"""dalembert tables: the tables of the 1980 report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .model import INERTIA, model_command, print_json

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@model_command
@INERTIA
def command(mechanism: Mechanism, as_json: bool, inertia: Any) -> None:
    """Print the geometry, angle and mass tables of MODEL.

    \b
    Example:
      dalembert tables "RZ(A1,B1),TXK(L1),RZ(A2,B2),TXK(L2); gravity = (0, G, 0);"
    """
    from ..tables import tables_data, tables_text

    if as_json:
        print_json(tables_data(mechanism))
    else:
        click.echo(tables_text(mechanism, inertia=inertia))
