"""dalembert view: a machine as a page that moves, or as a scheme for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, shown
from .model import find_model, model_command, print_json
from .values import NUMBERS

if TYPE_CHECKING:
    from ..mechanism import Mechanism

ENDINGS = (".html", ".htm", ".svg")


@model_command
@click.option("--q", type=NUMBERS, help="The pose, as 0.1,90deg; at rest by default.")
@click.option("--motion", "table", metavar="FILE", help="Play a motion table (CSV, NPZ, JSON).")
@click.option("--ghost", metavar="MODEL", help="A second model, drawn pale in the same place.")
@click.option("--out", metavar="FILE.html", help="Write a page, or a scheme as FILE.svg.")
def command(mechanism: Mechanism, as_json: bool, **options: Any) -> None:
    """Show MODEL as a page with sliders, or playing a motion; the page needs no network.

    \b
    Example:
      dalembert view robot:panda --out panda.html
    """
    from ..view import save_html, save_svg, show

    q, out = options["q"], options["out"]
    if out and Path(out).suffix.lower() not in ENDINGS:
        raise UsageError(
            f"--out {shown(out)}: a view cannot be written so", hint="write: --out view.html"
        )
    motion = _motion(mechanism, options["table"]) if options["table"] else None
    ghost = find_model(options["ghost"]) if options["ghost"] else None
    if out and Path(out).suffix.lower() == ".svg":
        path = save_svg(mechanism, out, q if motion is None else motion["q"][0])
    elif out:
        path = save_html(mechanism, out, q, motion, ghost)
    else:
        path = show(mechanism, q, motion, ghost).path or Path()
    if as_json:
        print_json({"file": str(path), "bytes": path.stat().st_size})
    elif out:
        click.echo(f"wrote {path}")


def _motion(m: Mechanism, table: str) -> dict[str, Any]:
    """Return the motion of a table: its times and coordinates as they are, gaps left out."""
    import numpy

    from ..measure.columns import assigned
    from ..measure.table import read_table
    from ..view.motion import motion

    arrays, _ = assigned(m, read_table(table), None)
    t, q = arrays["t"], arrays["q"]
    whole = numpy.isfinite(q).all(axis=1) & numpy.isfinite(t)
    return motion(m, t[whole], q[whole])
