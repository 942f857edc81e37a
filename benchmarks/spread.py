"""The ratios of several fresh processes: the middle one of each, and how far they lie apart.

`python -m benchmarks spread [--processes 3] [--each COMMAND]` runs `ratios` of one model in each,
writes one JSON file per commit to benchmarks/results/ and the table of benchmarks/README.md between
its marks. COMMAND is put before each process, to keep other work away for that long, say. What was
measured is kept until all is there: a run that was broken off goes on where it stopped.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from .ratios import commit, labels, written

PAGE = Path(__file__).parent / "README.md"
PIECES = Path(__file__).parent.parent / "out" / "spread"
BEGIN, END = "<!-- ratios: written by python -m benchmarks spread -->", "<!-- ratios end -->"
PEERS = {
    "inverse dynamics": "rneaInParallel",
    "forward dynamics": "abaInParallel",
    "mass matrix, packed": "crba",
    "inverse dynamics derivatives, packed": "computeRNEADerivatives",
    "forward dynamics derivatives": "computeABADerivatives",
    "inverse dynamics, one call": "rnea",
    "forward dynamics, one call": "aba",
    "inverse dynamics derivatives, one call": "computeRNEADerivatives",
}


def lines(
    machine: list[str], processes: int, only: str | None, quick: bool, each: str = ""
) -> Iterator[str]:
    """Yield the table of so many processes, after writing it to the page and as JSON."""
    models, folder = only.split(",") if only else labels(), PIECES / commit() / ("quick" * quick)
    folder.mkdir(parents=True, exist_ok=True)
    runs: list[list[dict]] = []
    for k in range(processes):
        runs.append([])
        for model in models:
            file = folder / f"{k} {model}.json"
            yield f"process {k + 1} of {processes}, {model}{', kept' * file.exists()}"
            if not file.exists():
                measure(model, file, quick, each)
            runs[-1] += json.loads(file.read_text(encoding="utf-8"))["rows"]
    rows = combined(runs)
    text = table(rows, machine, processes)
    kept = written(rows)
    if only is None and not quick:
        PAGE.write_text(placed(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
        yield f"written to {PAGE}"
    shutil.rmtree(folder)
    yield f"written to {kept}\n\n{text}"


def measure(model: str, file: Path, quick: bool, each: str) -> None:
    """Let a fresh process measure one model; its file is there when it is whole."""
    part = file.with_suffix(".part")
    command = [*shlex.split(each), sys.executable, "-m", "benchmarks", "ratios"]
    command += ["--only", model, "--out", str(part), *["--quick"] * quick]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    part.rename(file)


def combined(runs: list[list[dict]]) -> list[dict]:
    """Return one row per model and quantity: medians, the range of ratios, the largest error."""
    found = []
    for same in zip(*runs, strict=True):
        ratios = [row["ratio"] for row in same]
        middle = {key: median(row[key] for row in same) for key in ("ours", "peer", "ratio")}
        single = [row["float32"] for row in same if row["float32"] is not None]
        found.append(
            same[0]
            | middle
            | {"least": min(ratios), "most": max(ratios)}
            | {"float32": median(single) if single else None}
            | {"error": max(row["error"] for row in same)}
        )
    return found


def table(rows: list[dict], machine: list[str], processes: int) -> str:
    """Return the Markdown table: a row per quantity, a column per model."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    cells = {(row["quantity"], row["model"]): _cell(row) for row in rows}
    error = max(rows, key=lambda row: row["error"])
    said = [
        f"{', '.join(machine)}; {processes} fresh processes. Nanoseconds a state, the middle ratio "
        "(least-largest), and how much faster single precision is.",
        f"Largest difference of the results: {error['error']:.0e} of the largest value "
        f"({error['model']}, {error['quantity']}).",
        "",
        "| quantity | " + " | ".join(models) + " |",
        "|---" * (1 + len(models)) + "|",
    ]
    for quantity in dict.fromkeys(row["quantity"] for row in rows):
        found = " | ".join(cells.get((quantity, model), "") for model in models)
        said.append(f"| {quantity} / `{PEERS.get(quantity, '')}` | {found} |")
    return "\n".join(said)


def _cell(row: dict) -> str:
    text = f"{row['ours']:.0f} ns, **{row['ratio']:.1f}** ({row['least']:.1f}-{row['most']:.1f})"
    return text if row["float32"] is None else f"{text}, {row['float32']:.1f}"


def placed(page: str, text: str) -> str:
    """Return a page with new text between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{PAGE} has no marks for the table of ratios")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"
