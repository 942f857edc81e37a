"""The shapes of links in URDF and SDF: boxes, cylinders, spheres and meshes, in link frames.

They are read only where someone asks about them; the dynamics of a robot does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Place, UsageError
from .document import read_bytes
from .resources import find_file
from .xml_tree import Element, parse_xml

KINDS = ("collision", "visual")
Rows = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A solid in the frame of its link: `sizes` in metres, or the file of a mesh and its scale."""

    link: str
    use: str  # collision or visual
    form: str  # box, cylinder, sphere, capsule, mesh
    rotation: Rows
    point: tuple[float, ...]
    sizes: tuple[float, ...] = ()
    uri: str = ""
    file: Path | None = None


def shapes_of(description: Path, text: str | bytes | None = None) -> dict[str, list[Shape]]:
    """Return the shapes of every link of a URDF or SDF file, by the link's name.

    `text` is given where the file was expanded first.
    """
    root = parse_xml(read_bytes(description) if text is None else text, str(description))
    found: dict[str, list[Shape]] = {}
    if root.tag == "robot":
        for link in root.all("link"):
            found[link.attributes.get("name", "")] = list(_urdf(link, description))
        return found
    if root.tag != "sdf":
        where = Place(str(description), root.line, root.column)
        raise UsageError(f"{where}: meshes are looked at in URDF and SDF files")
    holders = [root, *root.all("world")]
    models = [m for h in holders for m in h.all("model")]
    alone = len(models) == 1
    ready = [(m, "" if alone else m.attributes.get("name", "") + "::") for m in models]
    for model, prefix in ready:
        for link in model.all("link"):
            found[prefix + link.attributes.get("name", "")] = list(_sdf(link, description))
        ready += [(m, f"{prefix}{m.attributes.get('name', '')}::") for m in model.all("model")]
    return found


def _shapes(
    link: Element, description: Path, place: Callable[[Element], list[float]],
    facts: Callable[[Element], dict[str, str]],
) -> list[Shape]:  # fmt: skip
    """Return the shapes of a link: where each stands, and what is said of it, by its format."""
    found = []
    for use in KINDS:
        for element in link.all(use):
            forms = (form for geometry in element.all("geometry") for form in geometry.children)
            made = (_shape(link, use, x.tag, facts(x), place(element), description) for x in forms)
            found += [shape for shape in made if shape]
    return found


def _urdf(link: Element, description: Path) -> list[Shape]:
    def place(element: Element) -> list[float]:
        origin = element.first("origin")
        given = origin.attributes if origin else {}
        return [*_numbers(given.get("xyz", ""), 3), *_numbers(given.get("rpy", ""), 3)]

    return _shapes(link, description, place, lambda form: form.attributes)


def _sdf(link: Element, description: Path) -> list[Shape]:
    def place(element: Element) -> list[float]:
        pose = element.first("pose")
        return _numbers(pose.text if pose else "", 6)

    def facts(form: Element) -> dict[str, str]:
        values = {c.tag: c.text for c in form.children}
        return {**values, "filename": values.get("uri", "")}

    return _shapes(link, description, place, facts)


# how many numbers each form has under a key
SIZES = {
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "mesh": {"scale": 3},
}


def _shape(
    link: Element, use: str, form: str, values: Mapping[str, str], place: list[float],
    description: Path,
) -> Shape | None:  # fmt: skip
    if form not in SIZES:
        return None
    usual = 1.0 if form == "mesh" else 0.0
    sizes = [x for key, n in SIZES[form].items() for x in _numbers(values.get(key, ""), n, usual)]
    uri = values.get("filename", "") if form == "mesh" else ""
    file = find_file(uri, description) if uri else None
    name = link.attributes.get("name", "")
    R, p = rotation(place[3:]), tuple(place[:3])
    return Shape(name, use, form, R, p, tuple(sizes), uri, file)


def _numbers(text: str, count: int, default: float = 0.0) -> list[float]:
    """Return numbers of a text; a text that holds others is taken as none at all."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        return [default] * count
    return values


def rotation(angles: list[float]) -> Rows:
    """Return the rows of Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = (list(map(f, angles)) for f in (math.cos, math.sin))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
