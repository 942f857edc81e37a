"""dalembert export: a model as code in another language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .model import model_command, print_json, with_left_out

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@model_command
@with_left_out
@click.argument("quantities", metavar="QUANTITY...", nargs=-1)
@click.option("--to", "language", required=True, metavar="LANGUAGE", help="The language to write.")
@click.option(
    "--out",
    "directory",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory to write into; made where there is none.",
)
@click.option("--check", is_flag=True, help="Compile and run the result, compare with the kernel.")
@click.option("--method", help="The method of the quantities that have it.")
@click.option("--frame", help="The frame of pose, jacobian, ...; the last one by default.")
@click.option("--drives", type=click.Choice(["none", "inertia", "all"]), help="As in eval.")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME",
    help="Keep this parameter an input of the code; may be repeated; `all` keeps every one.",
)
def command(
    mechanism: Mechanism,
    as_json: bool,
    quantities: tuple[str, ...],
    language: str,
    directory: Path,
    check: bool,
    method: str | None,
    frame: str | None,
    drives: str | None,
    parameters: tuple[str, ...],
) -> None:
    """Write quantities of MODEL as code that needs nothing of dalembert.

    Parameters without a value stay inputs of the code, the others become numbers in it.

    \b
    Example:
      dalembert export robot:ur5 inverse_dynamics mass_matrix --to c --out ur5 --check
    """
    from ..export import export

    options: dict[str, Any] = {"frame": frame, "drives": drives}
    options = {k: v for k, v in options.items() if v is not None}
    asked = "all" if "all" in parameters else parameters
    written = export(
        mechanism, quantities, language, directory, method=method, parameters=asked, **options
    )
    report: dict[str, Any] = {"files": [str(path) for path in written]}
    if check:
        from ..export.check import check_export

        report["check"] = [
            row.data()
            for row in check_export(
                mechanism, quantities, language, written, method=method, parameters=asked, **options
            )
        ]
    if as_json:
        print_json(report)
    else:
        _print(report)
    if any(not row["ok"] for row in report.get("check", ())):
        raise click.exceptions.Exit(1)


def _print(report: dict[str, Any]) -> None:
    for path in report["files"]:
        click.echo(path)
    for row in report.get("check", ()):
        verdict = "ok" if row["ok"] else "MISS"
        click.echo(
            f"{row['language']} {row['quantity']} worst={row['worst']:.1e} "
            f"tol={row['tolerance']:.1e} {verdict}"
        )
