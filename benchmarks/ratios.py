"""How many times faster than Pinocchio: robots, a long chain, batches and single calls.

`python -m benchmarks ratios [--only UR5,Panda] [--out FILE]` prints the table and writes one JSON
file per commit, with the machine and its load, to benchmarks/results/, or to FILE.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from dalembert import bench
from dalembert.bench.peers import Pinocchio
from dalembert.bench.rows import best, difference, ours, pinned, states

RESULTS = Path(__file__).parent / "results"
CHAIN = 100
WINDOW = 4e-4  # seconds: short, so that some windows are free of other load
# quantity, states of a batch (None: one call from Python), form of our kernel
ROWS = (
    ("inverse_dynamics", 1024, {}),
    ("forward_dynamics", 1024, {}),
    ("mass_matrix", 256, {"packed": True}),
    ("inverse_dynamics_derivatives", 256, {"packed": True}),
    ("forward_dynamics_derivatives", 64, {}),
    ("inverse_dynamics", None, {}),
    ("forward_dynamics", None, {}),
    ("inverse_dynamics_derivatives", None, {}),
)


def labels() -> list[str]:
    """Return the models that are here, in their order."""
    return [*bench.robots(), f"chain {CHAIN}"]


def rows(only: str | None = None, seconds: float = 0.6, out: str | None = None) -> Iterator[str]:
    """Yield the table, and write it as JSON."""
    models = bench.robots() | {f"chain {CHAIN}": bench.chain(CHAIN)}
    wanted = only.split(",") if only else labels()
    yield "\n| model | quantity | ours ns | Pinocchio ns | ratio | float32 | error |"
    yield "|---|---|---|---|---|---|---|"
    found = []
    with pinned():
        for label in wanted:
            engine = Pinocchio(models[label])
            for name, count, form in ROWS:
                row = measured(label, models[label], engine, name, count, form, seconds)
                found.append(row)
                yield "| " + " | ".join(map(_cell, row.values())) + " |"
    yield f"\nwritten to {written(found, Path(out) if out else None)}"


def measured(label, m, engine, name, count, form, seconds) -> dict:
    """Return one row: both sides in one run, windows alternating, the least of each."""
    shown = name.replace("_", " ") + (", packed" if form else "") + ("" if count else ", one call")
    per = 1e9 / (count or 1)
    run, out = ours(m, name, count, **form)
    runs = [run]
    if count and not label.startswith("chain"):
        runs.append(ours(m, name, count, dtype="float32", **form)[0])
    given = states(m, count or 1)
    few = min(count, _peer_states(engine, name, given)) if count else 1
    peer_run, peer_out = engine.run(name, tuple(x[:few] for x in given), count is not None)
    mine, *single, theirs = best(*runs, peer_run, budget=seconds, window=WINDOW)
    mine, single, theirs = mine * per, [x * per for x in single], theirs * 1e9 / few
    if form:  # errors are those of the whole matrices
        run, out = ours(m, name, count)
    run(1)
    peer_run(1)
    return {
        "model": label,
        "quantity": shown,
        "ours": mine,
        "peer": theirs,
        "ratio": theirs / mine,
        "float32": mine / single[0] if single else None,
        "error": difference(_first(out, few) if count else out, peer_out()),
    }


def _peer_states(engine: Pinocchio, name: str, given: tuple) -> int:
    """Return how many states keep a call of the other side within half a window."""
    run = engine.run(name, tuple(x[:8] for x in given), True)[0]
    return max(8, int(WINDOW / 2 / best(run, budget=0.05, window=WINDOW)[0] * 8))


def _first(out: object, few: int) -> object:
    return tuple(x[:few] for x in out) if isinstance(out, tuple) else out[:few]


def _cell(x: object) -> str:
    if not isinstance(x, float):
        return "" if x is None else str(x)
    return f"{x:.0e}" if x < 1e-3 else f"{x:.1f}" if x < 1000 else f"{x:.0f}"


def written(found: list[dict], out: Path | None = None) -> Path:
    """Write the rows of this commit and return the file, which may be given."""
    from .__main__ import machine

    RESULTS.mkdir(exist_ok=True)
    file = out or RESULTS / f"{commit()}.json"
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    data = {"commit": commit(), "time": now, "machine": list(machine()), "cores": os.cpu_count()}
    data["rows"] = found
    file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return file


def commit() -> str:
    """Return the commit that is measured."""
    ask = ["git", "rev-parse", "--short", "HEAD"]
    asked = subprocess.run(ask, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"
