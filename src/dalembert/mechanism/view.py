"""A mechanism as a readable table: plain text, and HTML for notebooks."""

from __future__ import annotations

import html as escaper
from typing import Any

from ..errors import shown
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
    """Return one row per body: number, joint, type, axis, parent, placement, mass data.

    Of a long mechanism the middle is left out.
    """
    n, half = len(m.bodies), LIMIT // 2
    if n <= LIMIT:
        return _rows(m, range(n))
    gap = tuple("..." if k == 0 else "" for k in range(len(HEAD)))
    return [*_rows(m, range(half)), gap, *_rows(m, range(n - half, n))]


def _rows(m: Mechanism, which: range) -> list[tuple[str, ...]]:
    out: list[tuple[str, ...]] = []
    for j in which:
        b = m.bodies[j]
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


def headline(m: Mechanism) -> str:
    """Return the name and the sizes of a mechanism in one line."""
    sizes = [_count(len(m.joint_names), "joint"), f"nq = {m.nq}", f"nv = {m.nv}"]
    if m.loops:
        sizes.append(_count(len(m.loops), "loop"))
    return f"{shown(m.name)}: {', '.join(sizes)}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def table(m: Mechanism) -> str:
    """Return the mechanism as a text table."""
    body = rows(m)
    widths = [max(len(r[k]) for r in [HEAD, *body]) for k in range(len(HEAD))]
    lines = [headline(m)]
    for r in [HEAD, *body]:
        lines.append("  ".join(x.ljust(w) for x, w in zip(r, widths, strict=True)).rstrip())
    return "\n".join([*lines, *_footer(m)])


def _footer(m: Mechanism) -> list[str]:
    lines = [f"gravity: {_vector(m.gravity)}"]
    if m.parameters:
        shown_parameters = [
            shown(p.name) + (f" = {_number(p.value)}" if p.value is not None else "")
            for p in m.parameters[:40]
        ]
        more = f", ... {len(m.parameters) - 40} more" if len(m.parameters) > 40 else ""
        lines.append("parameters: " + ", ".join(shown_parameters) + more)
    if m.named:
        lines.append("frames: " + ", ".join(shown(f.name) for f in m.named[:40]))
    for wheel in m.wheels[:40]:
        told = f", steered by {shown(wheel.steer)}" if wheel.steer is not None else ""
        if wheel.radius is not None:
            told += f", rolling by {shown(str(wheel.spin))}, radius {_number(wheel.radius)}"
        body = "base" if wheel.body < 0 else shown(m.bodies[wheel.body].name)
        at, normal = _vector(wheel.point), _vector(wheel.normal)
        name = shown(wheel.name)
        lines.append(f"wheel {name}: on {body} at {at}, no slip along {normal}{told}")
    for c in m.velocity_constraints[:40]:
        lines.append(f"constraint {shown(c.name)}: {shown(c.equation, 200)}")
    for what, names in (("prescribed", m.prescribed), ("speeds", m.speeds), ("active", m.active)):
        if names:
            lines.append(f"{what}: " + ", ".join(map(shown, names[:40])))
    return lines


def html(m: Mechanism) -> str:
    """Return the mechanism as an HTML table; every name is escaped."""
    cells = "".join(f"<th>{h}</th>" for h in HEAD)
    body = "".join(
        "<tr>" + "".join(f"<td>{escaper.escape(x)}</td>" for x in r) + "</tr>" for r in rows(m)
    )
    caption, footer = escaper.escape(headline(m)), map(escaper.escape, _footer(m))
    head = f"<caption>{caption}</caption><thead><tr>{cells}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table><p>{'<br>'.join(footer)}</p>"
