"""The measured ratios as a figure of the manual, each beside what the processor could do.

`python -m benchmarks plots` reads benchmarks/results/*.json, later files over earlier ones, and
writes docs/figures/ratios.svg. The bound of a row counts vector instructions at two a cycle (three
in ten operations join another one), divisions and sines at their measured cost, and one store of a
register a cycle for the results.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dalembert import bench
from dalembert.compute import compile

RESULTS = Path(__file__).parent / "results"
FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "ratios.svg"
# of the machine of the last committed results, a Zen 5: cycles of eight states, GHz
FUSED, DIVISION, SINES, LANES = 0.7, 6.1, 12, 8
CLOCK = 4.1
WIDE, LINE, LEFT, RIGHT = 760, 17, 235, 70


def measured() -> dict[tuple[str, str], dict]:
    """Return the last row of each model and quantity."""
    runs = [json.loads(f.read_text(encoding="utf-8")) for f in sorted(RESULTS.glob("*.json"))]
    runs.sort(key=lambda run: run.get("time", ""))
    return {(row["model"], row["quantity"]): row for run in runs for row in run["rows"]}


def bound(model: str, quantity: str) -> float | None:
    """Return the least nanoseconds per state of a batch, None for single calls."""
    name, *form = quantity.split(", ")
    if "one call" in form:
        return None
    m = bench.chain(int(model.split()[1])) if model.startswith("chain") else bench.robots()[model]
    k = compile(m, name.replace(" ", "_"), drives="none", packed="packed" in form)
    cost, results = k.cost["step"], sum(p.size for p in k.outputs)
    cycles = FUSED * (cost.mul + cost.add) / 2 + DIVISION * cost.div + SINES * cost.sincos
    return (cycles + results) / LANES / CLOCK


def lines() -> Iterator[str]:
    """Write the figure and say where."""
    rows = measured()
    FIGURE.write_text(figure(rows), encoding="utf-8")
    yield f"{len(rows)} rows drawn in {FIGURE}"


def figure(rows: dict[tuple[str, str], dict]) -> str:
    """Return the figure as SVG: a bar for each ratio, a line where the bound lies."""
    parts, y = [], 30
    bounds = {key: bound(*key) for key in rows}
    most = max(r["peer"] / min(r["ours"], bounds[k] or r["ours"]) for k, r in rows.items())
    scale = (WIDE - LEFT - RIGHT) / most
    for model in dict.fromkeys(model for model, _ in rows):
        parts.append(f'<text x="8" y="{y}" font-weight="bold">{model}</text>')
        y += LINE
        for (owner, quantity), row in rows.items():
            if owner != model:
                continue
            long = row["ratio"] * scale
            parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{quantity}</text>')
            box = f'x="{LEFT}" y="{y - 10}" width="{long:.1f}" height="11"'
            parts.append(f'<rect {box} fill="#4477aa"/>')
            least = bounds[owner, quantity]
            end = long
            if least is not None:
                end = max(long, at := row["peer"] / least * scale)
                parts.append(
                    f'<path d="M{LEFT + at:.1f} {y - 12}v15" stroke="#cc3311" stroke-width="2"/>'
                )
            said = f"{row['ratio']:.1f}"
            parts.append(f'<text x="{LEFT + end + 5:.1f}" y="{y}">{said}</text>')
            y += LINE
        y += 8
    head = "times faster than Pinocchio (bars); what two vector instructions a cycle allow (lines)"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {y}" width="{WIDE}" '
        f'font-family="sans-serif" font-size="11" fill="#222">\n'
        f'<rect width="{WIDE}" height="{y}" fill="white"/>\n<text x="8" y="14">{head}</text>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
