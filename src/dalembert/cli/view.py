"""dalembert view: a machine as a page that moves, or as a scheme for a paper."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, shown
from .model import echo_notes, find_model, model_command, print_json
from .state import NAMED_NUMBERS, coordinates
from .values import flag, option

if TYPE_CHECKING:
    from ..mechanism import Mechanism

FILMS = (".gif", ".mp4", ".webm")
ENDINGS = (".html", ".htm", ".svg", *FILMS)


@model_command
@option("--q", NAMED_NUMBERS, "The pose: 0.1,90deg or elbow=90deg; the rest pose by default.")
@option("--motion table", "FILE", "Play a motion table (CSV, NPZ, JSON).")
@option("--ghost", "MODEL", "Draw a second, pale model in the same place.")
@flag("--meshes", "Draw the meshes that a URDF or SDF file names.")
@option("--out", "FILE", "Write a page (.html), a drawing (.svg) or a film (.mp4, .gif).")
def command(mechanism: Mechanism, as_json: bool, **options: Any) -> None:
    """Show MODEL in the browser, with sliders or playing a motion; no network is needed.

    \b
    Example:
      dalembert view robot:panda --out panda.html
    """
    from ..view import save_html, save_svg, show

    q, out = coordinates(mechanism, options["q"], "--q"), options["out"]
    if out and Path(out).suffix.lower() not in ENDINGS:
        raise UsageError(
            f"--out {shown(out)}: a view cannot be written so", hint="write: --out view.html"
        )
    if out and Path(out).suffix.lower() in FILMS:
        if not options["table"]:
            raise UsageError("a film needs a motion", hint="add: --motion run.csv")
        return _film(mechanism, options["table"], out)
    motion = _motion(mechanism, options["table"]) if options["table"] else None
    ghost = find_model(options["ghost"]) if options["ghost"] else None
    shapes = _described() if options["meshes"] else None
    if out and Path(out).suffix.lower() == ".svg":
        path = save_svg(mechanism, out, q if motion is None else motion["q"][0])
    elif out:
        path = save_html(mechanism, out, q, motion, ghost, shapes)
    else:
        path = show(mechanism, q, motion, ghost, shapes).path or Path()
    if shapes:
        from ..view.meshes import lost_meshes, lost_text

        lost = lost_meshes(shapes)
        echo_notes([lost_text(lost)] if lost else [])
    if as_json:
        print_json({"file": str(path), "bytes": path.stat().st_size})
    elif out:
        click.echo(f"wrote {path}")


def _described() -> str:
    """Return the file that MODEL names."""
    model: str = click.get_current_context().params["model"]
    if not os.path.isfile(model):
        raise UsageError("--meshes draws those of a file", hint="give a URDF or SDF file")
    return model


def _film(m: Mechanism, table: str, out: str) -> None:
    from ..view import save_film
    from .progress import progress_bar

    with progress_bar("drawing") as report:
        path = save_film(m, out, *_samples(m, table)[:2], report)
    click.echo(f"wrote {path}")


def _motion(m: Mechanism, table: str) -> dict[str, Any]:
    from ..view.motion import motion

    return motion(m, *_samples(m, table), m.rate_names)


def _samples(m: Mechanism, table: str) -> tuple[Any, Any, Any]:
    """Return times, coordinates and forces (or None) of a table as they are, gaps left out."""
    import numpy

    from ..measure.columns import assigned
    from ..measure.table import read_table

    arrays, _ = assigned(m, read_table(table), None)
    t, q = arrays["t"], arrays["q"]
    whole = numpy.isfinite(q).all(axis=1) & numpy.isfinite(t)
    tau = arrays.get("tau")
    return t[whole], q[whole], None if tau is None else tau[whole]
