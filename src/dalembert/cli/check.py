"""dalembert check: what was imported, what was ignored, and physical warnings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import hypot, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..display import aligned
from ..errors import DalembertError, UsageError, shown
from ..files import write_file
from .model import model_command, print_json
from .values import flag, option
from .xacro import expanded, is_xacro

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from ..plausible.diagnose import Diagnosis

LISTS = ("active", "prescribed", "speeds")
LONGEST, HEAVIEST = 50.0, 50_000.0  # metres, kilograms: beyond them units are doubtful
TURNS = 20.0  # radians, a little more than three turns


@model_command
@flag("--meshes", "Compare each body with its mesh: what is impossible, and whether it matters.")
@option("--density", float, "With --meshes: fill links without mass, in kg/m³.")
@option(
    "--mend",
    click.Path(dir_okay=False),
    "With --meshes: write the model with the nearest possible inertias (.toml, .urdf).",
    metavar="FILE",
)
def command(
    mechanism: Mechanism, as_json: bool, meshes: bool, density: float | None, mend: str | None
) -> None:
    """Show the joints and bodies of MODEL, what was ignored, and physical warnings.

    \b
    Example:
      dalembert check robot.urdf
      dalembert check robot.urdf --meshes
    """
    if (mend or density is not None) and not meshes:
        raise UsageError("--mend and --density go with --meshes", hint="add: --meshes")
    if density is not None and not density > 0:
        raise UsageError(
            f"--density {density:g}: a density is positive", hint="in kg/m³: --density 2700"
        )
    found: list[Diagnosis] = []
    lost: list[str] = []
    if meshes:
        given = click.get_current_context().params
        found, lost = diagnosed(mechanism, given["model"], dict(given.get("xacro") or ()), density)
    notes, oddities = _said(mechanism)
    notes += lost
    facts, lines = closed_facts(mechanism, oddities)
    far = reach_of(mechanism)
    oddities += units_of(mechanism)
    if as_json:
        told = {"bodies": [d.data() for d in found]} if meshes else {}
        said = {"reach": far[0] if far else None, "notes": notes, "odd": oddities}
        print_json(_data(mechanism) | facts | acting(mechanism) | said | told)
    else:
        click.echo(str(mechanism))
        click.echo("units: m, kg, s, N, rad; inertia: XX YY ZZ XY XZ YZ about the mass centre")
        if far:
            click.echo(f"reach: at most {far[0]:.4g} m from the first joint, to {far[1]}")
        said_lines = [*lines, *(f"note: {n}" for n in notes), *(f"warning: {o}" for o in oddities)]
        for line in said_lines if oddities else [*said_lines, "nothing physically wrong was found"]:
            click.echo(line)
    if meshes:
        if not as_json:
            click.echo("\n".join(["", *lines_of(found)]))
        if mend:
            click.echo(write_mended(mechanism, found, Path(mend)), err=as_json)


def _said(m: Mechanism) -> tuple[list[str], list[str]]:
    """Return the notes of a mechanism, and what is odd about it."""
    from ..mechanism import is_rolling

    notes, oddities = list(m.notes), list(m.report())
    try:
        if is_rolling(m) or m.prescribed:
            from ..plan.kane import with_speeds

            notes = list(with_speeds(m).notes)
    except DalembertError as error:
        # constraints that depend on each other, speeds that do not decide, loops that do not close
        oddities.append(error.message)
    return notes, oddities


def _data(m: Mechanism) -> dict[str, Any]:
    """Return what a mechanism is, as data."""
    from ..mechanism import joint_name

    own = ("name", "nq", "nv", "joint_names", "frames", "total_mass")
    data: dict[str, Any] = {fact: getattr(m, fact) for fact in own}
    data["limits"] = {
        joint_name(b): {
            "q": b.limits[0] if len(b.limits) == 1 else b.limits,
            "qd": b.velocity_limit,
            "tau": b.effort_limit,
        }
        for b in m.bodies
        if b.limits or b.velocity_limit is not None or b.effort_limit is not None
    }
    data["parameters"] = {p.name: p.value for p in m.parameters}
    return data


def reach_of(m: Mechanism) -> tuple[float, str] | None:
    """Return a bound of the distance from the first joint to a frame, and that frame.

    None where a length has no value, a slide no limit, or a base moves freely.
    """
    try:
        bodies = m.bound().bodies
    except DalembertError:
        return None
    far: dict[int, float] = {-1: 0.0}
    moved = {-1: False}
    for j, b in enumerate(bodies):
        # what lies before the first joint does not count
        far[j] = far[b.parent] + (hypot(*b.placement.p) if moved[b.parent] else 0.0)
        moved[j] = moved[b.parent] or b.joint.nv > 0
        if b.joint.kind in ("free", "planar", "screw"):
            return None
        if b.joint.kind == "prismatic":
            held = m.bodies[j].limits
            if not held or None in held[0]:
                return None
            far[j] += max(abs(float(x)) for x in held[0])
    ends = [(far[j], b.name) for j, b in enumerate(bodies)]
    ends += [(far[f.body] + hypot(*f.placement.p), f.name) for f in m.bound().named if f.body >= 0]
    best = max(ends, default=None)
    return best if best and best[0] > 0 else None


def units_of(m: Mechanism) -> list[str]:
    """Return what looks like lengths in millimetres, masses in grams or limits in degrees."""
    try:
        bodies = m.bound().bodies
    except DalembertError:
        return []
    from ..expr.exact import to_float
    from ..mechanism import joint_name

    said = []
    long = max((hypot(*b.placement.p) for b in bodies), default=0.0)
    if long > LONGEST:
        said.append(f"an offset of {long:.4g} m: are lengths in millimetres?")
    heavy = max((float(b.m) for b in bodies), default=0.0)
    if heavy > HEAVIEST:
        said.append(f"a body of {heavy:.4g} kg: are masses in grams?")
    for b in m.bodies:
        told = [x for pair in b.limits for x in pair if x is not None]
        ends = [to_float(x) for x in told if not getattr(x, "names", tuple)()]
        far = max(map(abs, ends), default=0.0) if b.joint.kind == "revolute" else 0.0
        if TURNS < far <= 720:
            what = f"joint {shown(joint_name(b))!r} has a limit of {far:.4g} rad"
            said.append(f"{what}: is it in degrees? {far:.4g}deg is {radians(far):.4g} rad")
    return said


def closed_facts(m: Mechanism, oddities: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return how loops, wheels and constraints leave a machine free, as data and as lines."""
    from ..mechanism import is_closed
    from ..plan.report import motion_facts, motion_lines

    if not is_closed(m):
        return {}, []
    try:
        return {"motion": motion_facts(m)}, motion_lines(m)
    except DalembertError as error:  # loops that do not close, parameters without a value
        if error.message not in oddities:
            oddities.append(error.message)
        return {}, []


def acting(m: Mechanism) -> dict[str, Any]:
    """Return all that acts on the bodies, by its kind, as a native file holds it."""
    from ..mechanism.view import RECORD_LINES
    from ..read.native_writer import native_data

    held = native_data(m)
    return {key: held[key] for key in ("gravity", *RECORD_LINES, *LISTS)}


# -- --meshes: every body beside its mesh ---------------------------------------------------------


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
