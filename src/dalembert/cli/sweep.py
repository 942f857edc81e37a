"""dalembert sweep: a design study from a file, resumed where it stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import shown
from .model import JSON, echo_written, print_json
from .values import flag, option


@click.command()
@click.argument("study", metavar="STUDY.toml")
@option("--out", "DIR", "Folder for the results; the name of STUDY by default.")
@option("--on", "local|dask://HOST:PORT", "This machine, or a Dask scheduler.", "local")
@option("--workers", int, "Processes on this machine; all cores by default.")
@flag("--resume", "Continue an earlier run.")
@option("--html", "FILE.html", "Write a page with the best designs.")
@JSON
def command(study: str, as_json: bool, **options: Any) -> None:
    """Measure many designs of a mechanism that all do one task.

    \b
    Example:
      dalembert sweep study.toml --out results --resume
    """
    from ..sweep.study import read_study
    from ..sweep.sweep import run_study

    s = read_study(study)
    out = options["out"] or str(Path(study).with_suffix(""))
    bar = _progress() if sys.stderr.isatty() else None
    r = run_study(s, out, options["on"], options["resume"], options["workers"], bar)
    if bar:
        click.echo(err=True)
    if options["html"]:
        r.html(options["html"])
    if as_json:
        print_json({
            "designs": len(r), "feasible": int(r.columns["feasible"].sum()),
            "reasons": r.reasons(), "best": r.best(5), "folder": out, "digest": s.digest,
        })  # fmt: skip
        return
    for line in r.summary().splitlines():
        click.echo(shown(line, 300))
    click.echo(f"wrote {shown(out)}")
    echo_written(options, "html")


def _progress() -> Callable[[int, int, float], None]:
    """Return what shows a line of progress; chunks found done do not count as speed."""
    found: list[int] = []

    def show(done: int, total: int, seconds: float) -> None:
        found.append(done)
        rate = (done - found[0]) / max(seconds, 1e-9)
        left = f"{(total - done) / rate:,.0f} s left" if rate else ""
        share = done / total
        bar = "#" * int(30 * share)
        click.echo(
            f"\r[{bar:<30}] {100 * share:3.0f} %  {rate:,.0f} designs/s  {left} ",
            nl=False, err=True,
        )  # fmt: skip

    return show
