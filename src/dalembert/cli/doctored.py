"""check --meshes: every body beside its mesh, what is impossible and whether it matters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shown
from ..files import write_file
from .aligned import aligned
from .xacro import expanded, is_xacro

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from ..plausible.diagnose import Diagnosis

NAMES = ("XX", "YY", "ZZ", "XY", "XZ", "YZ")
WRITTEN = {".toml": "toml", ".json": "json", ".urdf": "urdf"}


def diagnosed(
    m: Mechanism, model: str, arguments: dict[str, str], density: float | None
) -> tuple[list[Diagnosis], list[str]]:
    """Return the diagnosis of each link of a URDF, xacro or SDF file."""
    if not os.path.isfile(model):
        raise UsageError("--meshes looks at the meshes that a file names", hint="give a URDF file")
    from ..plausible.diagnose import diagnose
    from ..read.shapes import shapes_of

    file = Path(model)
    text = expanded(file, arguments) if is_xacro(model) else None
    return diagnose(m, shapes_of(file, text), density)


def lines_of(found: Sequence[Diagnosis]) -> list[str]:
    """Return the table of bodies and meshes, then what was found."""
    rows = [("link", "mass", "ellipsoid, m", "mesh, m", "verdict")]
    for d in found:
        r = d.report
        mesh = "-" if r.solid is None else _three(sorted(r.solid.extents, reverse=True))
        rows.append((shown(r.link, 40), f"{r.mass:.4g}", _three(r.ellipsoid), mesh, d.verdict))
    lines = aligned(rows, words=range(len(rows[0])))
    for d in found:
        for said in d.report.findings:
            lines.append(f"{'note' if d.verdict == 'harmless' else 'warning'}: {said}")
        if d.report.findings:
            lines.append(f"  {d.verdict}: {d.effect}")
            lines += _difference(d)
        notes = d.report.solid.notes if d.report.solid is not None else ()
        for note in (*notes, *d.report.remarks):
            lines.append(f"note: {shown(d.report.link, 60)}: {note}")
    return lines


def _difference(d: Diagnosis) -> list[str]:
    from ..plausible.diagnose import six

    old, new = six(d.report.tensor), six(d.report.nearest)
    scale = max(map(abs, (*old, *new)))
    changed = [
        f"{name} {a:.3g} -> {b:.3g}"
        for name, a, b in zip(NAMES, old, new, strict=True)
        if abs(a - b) > 1e-6 * scale
    ]
    return ["  nearest tensor, about the mass centre: " + ", ".join(changed)] if changed else []


def _three(widths: Any) -> str:
    return " x ".join("-" if x != x else f"{x:.2g}" for x in widths)


def write_mended(m: Mechanism, found: Sequence[Diagnosis], file: Path) -> str:
    """Write the mechanism with the nearest inertias; return what was done in a line."""
    from ..plausible.diagnose import mended
    from ..read import write

    language = WRITTEN.get(file.suffix.lower())
    if language is None:
        raise UsageError(f"cannot write {shown(file.name)}", hint="name it .toml, .json or .urdf")
    changed = [d.report.link for d in found if d.report.findings]
    text, _ = write(mended(m, found), language)
    write_file(file, text)
    links = ", ".join(shown(n, 40) for n in changed) or "nothing"
    return f"wrote {shown(str(file))}; changed: {links}"
