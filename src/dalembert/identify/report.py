"""The HTML report of an identification: one file, no network, figures as SVG."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.parameter_relations import TEN
from ..errors import shown
from ..files import write_file
from ..measure.packages import optional
from ..mechanism.units import force_and_speed
from .consistent import pseudo_inertia
from .result import Identification

Array = np.ndarray
MOST = 1500  # points of a line

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2733; background: #fff }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.2rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .8rem .15rem 0; text-align: right; border-bottom: 1px solid #e3e8ee }
th:first-child, td:first-child { text-align: left } td.unsure { color: #98a4b3 }
svg { max-width: 100%; height: auto } .note { color: #5b6b7d }
@media (prefers-color-scheme: dark) { body { background: #14181d; color: #dfe6ee }
  th, td { border-color: #2a323c } svg { filter: invert(.9) hue-rotate(180deg) } }
"""


def write_report(f: Identification, path: str | Path) -> None:
    """Write the report of an identification."""
    parts = [
        f"<h1>Identification of {_text(f.nominal.name)}</h1>",
        f"<p>{len(f.base)} parameters are seen by {_samples(f)}. "
        f"Condition number {f.condition:.3g}. "
        + ("Every body of the identified model can exist." if f.physical
           else "Some bodies of the identified model cannot exist.") + "</p>",
        "<h2>Forces, measured and predicted</h2>",
        _forces(f),
        _scores(f),
        "<h2>Parameters</h2>",
        _parameters(f),
        "<h2>What the motion does not show</h2>",
        _unseen(f),
        "<h2>Bodies before and after</h2>",
        _bodies(f),
        _notes(f),
    ]  # fmt: skip
    page = (
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        f"<title>Identification of {_text(f.nominal.name)}</title><style>{STYLE}</style>"
        + "\n".join(parts)
        + "</html>"
    )
    write_file(path, page)


def _text(x: Any) -> str:
    return escape(shown(str(x)))


def _samples(f: Identification) -> str:
    d = f.motion
    return f"{len(d)} samples over {d.t[-1] - d.t[0]:.4g} s"


def _forces(f: Identification) -> str:
    figure = optional("matplotlib.figure").Figure
    predicted = f.predicted()
    d, names = f.motion, f.equations.forces
    index = [f.nominal.rate_names.index(n) for n in names]
    made = figure(figsize=(9.5, 1.9 * len(names) + 0.5), layout="constrained")
    panels = np.atleast_1d(made.subplots(len(names), 1, sharex=True))
    thin = slice(None, None, max(1, len(d) // MOST))
    held = d.t[min(len(d) - 1, f.equations.held_from)]
    for k, (name, panel) in enumerate(zip(names, panels, strict=True)):
        force = d.tau[:, index[k]]  # type: ignore[index]
        panel.plot(d.t[thin], force[thin], color="0.7", linewidth=1.4, label="measured")
        panel.plot(d.t[thin], predicted[thin, k], color="C0", linewidth=1.0, label="predicted")
        rest = force - predicted[:, k]
        panel.plot(d.t[thin], rest[thin], color="C3", linewidth=0.7, label="residual")
        if f.equations.holdout.rows.sum():
            panel.axvspan(held, d.t[-1], color="C2", alpha=0.08, linewidth=0)
        panel.set_ylabel(f"{shown(name, 24)}  [{_unit(f, name)}]", fontsize=8)
        panel.grid(True, linewidth=0.3)
        panel.tick_params(labelsize=7)
    panels[0].legend(fontsize=7, ncols=3, loc="upper right", frameon=False)
    shaded = "; shaded: held out" if f.equations.holdout.rows.sum() else ""
    panels[-1].set_xlabel(f"t  [s]{shaded}", fontsize=8)
    return _svg(made)


def _unit(f: Identification, name: str) -> str:
    return force_and_speed(f.nominal, name)[0]


def _svg(figure: Any) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def _scores(f: Identification) -> str:
    rows = "".join(
        f"<tr><td>{_text(n)}</td><td>{r:.4f}</td><td>{s:.3g} {_unit(f, n)}</td></tr>"
        for (n, r), s in zip(f.r_squared.items(), f.fit.noise, strict=True)
    )
    on = "held out" if f.equations.holdout.rows.sum() else "all samples"
    return f"<table><tr><th>joint</th><th>R², {on}</th><th>residual, σ</th></tr>{rows}</table>"


def _parameters(f: Identification) -> str:
    rows = []
    for n, x in f.base.items():
        low, high = f.interval[n]
        kind = "" if n in f.essential else " class='unsure'"
        span = f"{low:.4g} … {high:.4g}"
        cells = [f"{x:.5g}", f"{f.sigma[n]:.2g}", span, f"{f.nominal_base[n]:.5g}"]
        rows.append(f"<tr><td{kind}>{_text(n)}</td>"
                    + "".join(f"<td{kind}>{c}</td>" for c in cells) + "</tr>")  # fmt: skip
    return (
        "<table><tr><th>parameter</th><th>value</th><th>σ</th><th>95 %</th><th>nominal</th></tr>"
        + "".join(rows)
        + "</table><p class='note'>Grey: known to no better than 30 %.</p>"
    )


def _unseen(f: Identification) -> str:
    by: dict[str, list[str]] = {}
    for name, why in f.unseen.items():
        by.setdefault(why, []).append(name)
    if not by:
        return "<p>Every base parameter is seen.</p>"
    rows = "".join(f"<li>{_text(why)}: {_text(', '.join(names))}</li>" for why, names in by.items())
    return f"<ul>{rows}</ul>"


def _bodies(f: Identification) -> str:
    """Return mass, centre and the semi-axes of the equivalent ellipsoid, before and after."""
    u = f.equations.unknowns
    rows = []
    for b in sorted({c.body for c in u.standard if c.kind in TEN}):
        own = [k for k, c in enumerate(u.standard) if c.body == b and c.kind in TEN]
        before, after = (_shape(phi[own]) for phi in (u.nominal, f.phi))
        drawn = _outlines([_ellipsoid(phi[own]) for phi in (u.nominal, f.phi)])
        rows.append(
            f"<tr><td>{_text(u.m.bodies[b].name)}</td><td>{before}</td><td>{after}</td>"
            f"<td>{drawn}</td></tr>"
        )
    return (
        "<table><tr><th>body</th><th>nominal: mass, ellipsoid</th><th>identified</th><th></th></tr>"
        + "".join(rows)
        + "</table><p class='note'>Semi-axes in metres of the ellipsoid of even density with this "
        "mass and inertia. Dashed: nominal, filled: identified, cross: the origin of the frame.</p>"
    )


def _ellipsoid(phi: Array) -> tuple[Array, Array] | None:
    """Return centre and matrix E of the ellipsoid xᵀE⁻¹x = 1 of even density, None without mass."""
    J = pseudo_inertia(phi)
    if J[3, 3] <= 0:
        return None
    centre = J[:3, 3] / J[3, 3]
    return centre, 5 * (J[:3, :3] / J[3, 3] - np.outer(centre, centre))


def _shape(phi: Array) -> str:
    mass, found = phi[TEN.index("m")], _ellipsoid(phi)
    if found is None:
        return f"{mass:.3g} kg"
    axes = np.sqrt(np.maximum(np.linalg.eigvalsh(found[1])[::-1], 0))
    return f"{mass:.3g} kg; " + " × ".join(f"{a:.3g}" for a in axes)


def _outlines(pair: list[tuple[Array, Array] | None]) -> str:
    """Return a drawing of both ellipsoids, seen along the axis in which they are thinnest."""
    there = [x for x in pair if x is not None]
    if not there:
        return ""
    reach = np.max([np.abs(c) + np.sqrt(np.maximum(np.diag(E), 0)) for c, E in there], axis=0)
    across = sorted(np.argsort(-reach, kind="stable")[:2].tolist())
    size = max(float(reach.max()), 1e-9)
    turn = np.linspace(0, 2 * np.pi, 49)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    styles = ("fill='none' stroke='#8a94a3' stroke-dasharray='3 2'",
              "fill='#4573b8' fill-opacity='.35' stroke='#4573b8'")  # fmt: skip
    made = "<path d='M-4 0H4M0 -4V4' stroke='#1d2430'/>"
    for found, style in zip(pair, styles, strict=True):
        if found is None:
            continue
        centre, E = found
        values, vectors = np.linalg.eigh(E[np.ix_(across, across)])
        points = vectors * np.sqrt(np.maximum(values, 0)) @ circle
        points = 42 * (points.T + centre[across]) / size
        text = " ".join(f"{x:.1f},{-y:.1f}" for x, y in points)
        made += f"<polygon points='{text}' {style}/>"
    return f"<svg width='90' height='90' viewBox='-45 -45 90 90' role='img'>{made}</svg>"


def _notes(f: Identification) -> str:
    return "".join(f"<p class='note'>{_text(n)}</p>" for n in f.notes)
