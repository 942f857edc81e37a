"""A mechanism as a readable table: plain text, and HTML for notebooks."""

from __future__ import annotations

import html as escaper
from typing import Any

from .errors import shown
from .mechanism import Mechanism, joint_name

HEAD = ("#", "joint", "type", "axis", "on", "offset", "rotation", "mass", "centre", "inertia")
LIMIT = 60  # rows printed before the middle is cut


def _number(x: Any) -> str:
    text = str(x)
    if "/" in text or len(text) > 14:
        try:
            return f"{float(x):.6g}"
        except TypeError:
            return shown(text, 24)
    return text if not hasattr(x, "numerator") or isinstance(x, int) else f"{float(x):.6g}"


def _vector(v: Any) -> str:
    return "0" if all(_number(x) == "0" for x in v) else " ".join(_number(x) for x in v)


def _rotation(R: Any) -> str:
    parts = []
    for f in R.factors:
        parts.append(f"R{'XYZ'[f.axis]}({_number(f.angle)})" if hasattr(f, "axis") else "matrix")
    return " ".join(parts) or "-"


def rows(m: Mechanism) -> list[tuple[str, ...]]:
    """Return one row per body: number, joint, type, axis, parent, placement, mass data."""
    out: list[tuple[str, ...]] = []
    for j, b in enumerate(m.bodies):
        axis = getattr(b.joint, "axis", None)
        parent = "base" if b.parent < 0 else shown(m.bodies[b.parent].name, 24)
        inertia = b.inertia
        out.append(
            (
                str(j + 1),
                shown(joint_name(b), 24),
                b.joint.kind,
                _vector(axis) if axis is not None else "-",
                parent,
                _vector(b.placement.p),
                _rotation(b.placement.R),
                _number(inertia.mass),
                _vector(inertia.centre) if not inertia.is_massless() else "-",
                _vector(inertia.about_centre.six()) if not inertia.is_massless() else "-",
            )
        )
    return out


def _head(m: Mechanism) -> str:
    loops = f", {len(m.loops)} loops" if m.loops else ""
    return f"{shown(m.name)}: {len(m.joint_names)} joints, nq = {m.nq}, nv = {m.nv}{loops}"


def table(m: Mechanism) -> str:
    """Return the mechanism as a text table."""
    body = rows(m)
    if len(body) > LIMIT:
        half = LIMIT // 2
        gap = tuple("..." if k == 0 else "" for k in range(len(HEAD)))
        body = [*body[:half], gap, *body[-half:]]
    widths = [max(len(r[k]) for r in [HEAD, *body]) for k in range(len(HEAD))]
    lines = [_head(m)]
    for r in [HEAD, *body]:
        lines.append("  ".join(x.ljust(w) for x, w in zip(r, widths, strict=True)).rstrip())
    lines.append(f"gravity: {_vector(m.gravity)}")
    if m.parameters:
        shown_parameters = [
            shown(p.name) + (f" = {_number(p.value)}" if p.value is not None else "")
            for p in m.parameters[:40]
        ]
        more = f", ... {len(m.parameters) - 40} more" if len(m.parameters) > 40 else ""
        lines.append("parameters: " + ", ".join(shown_parameters) + more)
    if m.named:
        lines.append("frames: " + ", ".join(shown(f.name) for f in m.named[:40]))
    return "\n".join(lines)


def html(m: Mechanism) -> str:
    """Return the mechanism as an HTML table; every name is escaped."""
    cells = "".join(f"<th>{h}</th>" for h in HEAD)
    body = "".join(
        "<tr>" + "".join(f"<td>{escaper.escape(x)}</td>" for x in r) + "</tr>"
        for r in rows(m)[:500]
    )
    caption = escaper.escape(_head(m))
    return f"<table><caption>{caption}</caption><thead><tr>{cells}</tr></thead>" + (
        f"<tbody>{body}</tbody></table>"
    )
