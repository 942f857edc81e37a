"""dalembert verify: results compared with the numbers in reference files."""

from __future__ import annotations

import click

from .model import JSON, print_json
from .values import flag


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@flag("--strict", "Allow round-off only, not the tolerance that a file states.")
@JSON
def command(files: tuple[str, ...], strict: bool, as_json: bool) -> int:
    """Compare every expected number of reference FILEs with what each method gives.

    One line per quantity and method; exit 1 when one of them misses. A key that nothing computes
    is a miss; why a result is missing is noted on stderr.

    \b
    Example:
      dalembert verify --strict puma560.json
    """
    from ..verify import verify_file

    rows = []
    for file in files:
        for row in verify_file(file, strict):
            rows.append(row)
            if as_json:
                continue
            click.echo(str(row))
            if row.note:
                click.echo(f"note: {row.file} {row.quantity} {row.method}: {row.note}", err=True)
    if as_json:
        print_json([row.data() for row in rows])
    return 0 if all(row.ok for row in rows) else 1
