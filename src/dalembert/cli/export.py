"""dalembert export: a model as code in another language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .model import (
    drives_option,
    echo_notes,
    hold,
    model_command,
    print_json,
    rounded_angles,
    with_left_out,
    without_mass,
)
from .values import flag, option, several

if TYPE_CHECKING:
    from ..catalog import Quantity
    from ..mechanism import Mechanism


@model_command
@with_left_out
@click.argument("quantities", metavar="QUANTITY...", nargs=-1)
@option(
    "--to language",
    "LANGUAGE",
    "c, cpp, rust, fortran, julia, python, numpy, jax, casadi, octave, matlab, opencl, cuda, "
    "fmu, fmu3, ros2, arduino, latex or listing.",
    required=True,
)
@option(
    "--out directory",
    click.Path(file_okay=False, path_type=Path),
    "The directory to write into; created if needed.",
    required=True,
)
@flag("--check", "Compile the code, run it, and compare its results.")
@option("--method", str, "The algorithm; the first one of each quantity by default.")
@several(
    "--frame frames", "FRAME", "The frame of pose, jacobian, ...; the last that moves by default"
)
@several("--wrench wrenches", "FRAME", "Make the external wrench on this frame an input")
@drives_option()
@several("--parameter parameters", "NAME", "Keep this parameter an input of the code, or `all`")
@several("--wrt", "NAME", "Add exact derivatives by this input or parameter")
def command(
    mechanism: Mechanism,
    as_json: bool,
    quantities: tuple[str, ...],
    language: str,
    directory: Path,
    check: bool,
    method: str | None,
    frames: tuple[str, ...],
    wrenches: tuple[str, ...],
    drives: str | None,
    parameters: tuple[str, ...],
    wrt: tuple[str, ...],
) -> None:
    """Write quantities of MODEL as code that does not need dalembert.

    Parameters without a value stay inputs of the code, the others become numbers in it.

    \b
    Example:
      dalembert export robot:ur5 inverse_dynamics mass_matrix --to c --out ur5 --check
    """
    from ..catalog import QUANTITIES
    from ..export import export

    quantities = tuple(name for text in quantities for name in text.split(",") if name)
    frame = frames[0] if len(frames) == 1 else frames or None
    given = {"frame": frame, "drives": drives, "wrt": wrt or None, "wrenches": wrenches or None}
    options: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    asked = "all" if "all" in parameters else parameters
    written = export(
        mechanism, quantities, language, directory, method=method, parameters=asked, **options
    )
    rows = [QUANTITIES[name] for name in quantities if name in QUANTITIES]
    if any("kinematics" not in row.methods for row in rows):
        echo_notes(without_mass(mechanism))
    echo_notes(rounded_angles(mechanism))
    echo_notes(_dearer(mechanism, rows, drives))
    if drives or not language.startswith("fmu"):
        echo_notes(_friction(mechanism, rows, drives))
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
        if check:
            from ..export.check import PACKAGES

            echo_notes([f"{PACKAGES[language]}, it was not built"] if language in PACKAGES else ())
    if any(not row["ok"] for row in report.get("check", ())):
        raise click.exceptions.Exit(1)


def _friction(m: Mechanism, rows: Sequence[Quantity], drives: str | None) -> list[str]:
    """Return a note where friction could be counted and was not asked for, or no joint has any."""
    from ..compute.counted import counted, rubs

    told = counted(m, "all")
    if not any(map(rubs, rows)):
        return []
    if drives == "all" and not told:
        how = "dalembert convert MODEL --to toml > robot.toml, and write [[drives]] into it"
        return [f"--drives all: no joint of the model has friction; to give it some: {how}"]
    left = told if drives is None else ()
    return [f"{note.removesuffix(' counted')} is left out: add --drives all" for note in left]


def _dearer(m: Mechanism, rows: Sequence[Quantity], drives: str | None) -> list[str]:
    """Return a note on each quantity whose simplified equations cost more than the whole model."""
    if m.simplified is None or "prune" not in m.simplified:
        return []
    from ..compute import trace_quantity
    from ..compute.model import model_of
    from ..expr import count, programs

    whole = hold(m.full, dict(m.simplified.get("freeze", {})))
    found = []
    for row in rows:
        options: dict[str, Any] = {"drives": drives} if drives and "drives" in row.options else {}
        traced = [trace_quantity(x, row.name, **options) for x in (model_of(m, "export"), whole)]
        pruned, plain = (count(programs([f], m.open_parameters)[0].step) for f in traced)
        if pruned.mul + pruned.add > plain.mul + plain.add:
            found.append(
                f"{row.name} takes {pruned.mul} mul and {pruned.add} add as pruned equations, but "
                f"{plain.mul} mul and {plain.add} add as a recursion that leaves nothing out: "
                "export it without --prune, or freeze joints first"
            )
    return found


def _print(report: dict[str, Any]) -> None:
    for path in report["files"]:
        click.echo(path)
    for row in report.get("check", ()):
        verdict = "ok" if row["ok"] else "MISS"
        click.echo(
            f"{row['language']} {row['quantity']} worst={row['worst']:.1e} "
            f"tol={row['tolerance']:.1e} {verdict}"
        )
    rows = report.get("check", ())
    if rows:
        languages = " and ".join(dict.fromkeys(row["language"] for row in rows))
        missed = sum(not row["ok"] for row in rows)
        verdict = f"{missed} of {len(rows)} results DIFFER" if missed else "every result agrees"
        click.echo(f"built, run and compared ({languages}): {verdict}")
