"""A bar on a terminal, after a second of work; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

PATIENCE = 1.0  # seconds without a bar


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float], None] | None]:
    """Give a function that moves a bar to a part of 1 on a terminal, or None if there is none.

    >>> with progress_bar("working") as report:
    ...     report is None
    True
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar = click.progressbar(length=1000, label=title, file=sys.stderr, show_pos=False)
    start, shown = time.monotonic(), False

    def report(part: float) -> None:
        nonlocal shown
        if not shown and time.monotonic() - start < PATIENCE:
            return
        shown = True
        bar.update(max(0, round(1000 * part) - bar.pos))

    try:
        yield report
    finally:
        if shown:
            # the line of the bar goes, so that what follows stands alone
            click.echo("\r\x1b[2K", nl=False, err=True)
