"""Volume, centre, spread and bounds of a link's shapes, filled with uniform density.

The spread is the second moment of the volume about its centre, divided by the volume, in the axes
of the link: a uniform body of mass m there has the tensor m (tr(S) 1 - S).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..read.shapes import Shape

MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Solid:
    """A body of uniform density in the frame of its link."""

    volume: float
    centre: np.ndarray
    spread: np.ndarray
    low: np.ndarray
    high: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def extents(self) -> np.ndarray:
        """The sides of the box around it, along the axes of the link."""
        return self.high - self.low

    def tensor(self, mass: float) -> np.ndarray:
        """Return the inertia tensor about the centre of this body with a mass."""
        return mass * (np.trace(self.spread) * np.eye(3) - self.spread)


def solid_of(shapes: Sequence[Shape]) -> Solid | None:
    """Return the solid of a link: of its collision shapes, else of its visual ones."""
    for use in ("collision", "visual"):
        parts = [p for s in shapes if s.use == use and (p := _part(s)) is not None]
        if parts:
            return _union(parts)
    return None


def _part(shape: Shape) -> Solid | None:
    made = _mesh(shape) if shape.form == "mesh" else _simple(shape)
    if made is None or not made.volume > 0:
        return None
    R, p = np.array(shape.rotation), np.array(shape.point)
    corners = np.array(np.meshgrid(*zip(made.low, made.high, strict=True))).reshape(3, -1)
    turned = (R @ corners).T + p
    low, high = turned.min(axis=0), turned.max(axis=0)
    return Solid(made.volume, R @ made.centre + p, R @ made.spread @ R.T, low, high, made.notes)


def _simple(shape: Shape) -> Solid | None:
    zero = np.zeros(3)
    if shape.form == "box":
        half = np.array(shape.sizes) / 2
        return Solid(8 * float(half.prod()), zero, np.diag(half**2) / 3, -half, half)
    r = shape.sizes[0]
    if shape.form == "sphere":
        half = np.full(3, r)
        return Solid(4 / 3 * np.pi * r**3, zero, np.eye(3) * r * r / 5, -half, half)
    length = shape.sizes[1]
    half = np.array([r, r, length / 2 + (r if shape.form == "capsule" else 0)])
    if shape.form == "cylinder":
        spread = np.diag([r * r / 4, r * r / 4, length**2 / 12])
        return Solid(np.pi * r * r * length, zero, spread, -half, half)
    rod, ends = np.pi * r * r * length, 4 / 3 * np.pi * r**3
    across = (rod * r * r / 4 + ends * r * r / 5) / (rod + ends)
    # the half balls: their own second moment about the middle of the rod
    along = rod * length**2 / 12 + ends * (r * r / 5 + length**2 / 4 + 3 * length * r / 8)
    return Solid(rod + ends, zero, np.diag([across, across, along / (rod + ends)]), -half, half)


def _mesh(shape: Shape) -> Solid | None:
    if shape.file is None or shape.file.stat().st_size > MOST_BYTES:
        return None
    mesh = loaded_mesh(shape.file)
    if mesh is None or not len(mesh.faces):
        return None
    mesh.apply_scale(shape.sizes)
    low, high = (np.asarray(x, float) for x in mesh.bounds)
    notes: tuple[str, ...] = ()
    if not mesh.is_watertight or not mesh.volume > 0:
        try:
            mesh, notes = mesh.convex_hull, ("its mesh is not closed: the convex hull was taken",)
        except Exception:  # flat or degenerate meshes, or no SciPy
            return _box(low, high)
    found = mesh.mass_properties
    volume = float(found["volume"])
    if not volume > 0:
        return _box(low, high)
    tensor = np.asarray(found["inertia"], float) / float(found["mass"])
    spread = np.trace(tensor) / 2 * np.eye(3) - tensor
    return Solid(volume, np.asarray(found["center_mass"], float), spread, low, high, notes)


def _box(low: np.ndarray, high: np.ndarray) -> Solid:
    half = (high - low) / 2
    note = "its mesh has no volume: the box around it was taken"
    return Solid(
        max(8 * float(half.prod()), 1e-300), (low + high) / 2, np.diag(half**2) / 3, low, high,
        (note,),
    )  # fmt: skip


def loaded_mesh(file: Path) -> Any:
    """Return a mesh in metres; None where the file cannot be read as one."""
    try:
        import trimesh
    except ImportError:
        what = f"{file.name} is a mesh, which trimesh reads, and trimesh is not installed"
        raise UsageError(what, hint="pip install trimesh pycollada") from None
    try:
        mesh = trimesh.load(file, force="mesh")
        if file.suffix.lower() == ".dae" and (unit := _collada_unit(file)) != 1:
            mesh.apply_scale(unit)
        return mesh
    except Exception:  # readers of meshes raise anything
        return None


def _collada_unit(file: Path) -> float:
    """Return the metres that a COLLADA file counts in, where trimesh leaves that to its caller."""
    import re

    head = file.read_bytes()[:20000].decode("utf-8", "replace")
    found = re.search(r"<unit[^>]*\bmeter=[\"']([0-9.eE+-]+)[\"']", head)
    return float(found[1]) if found else 1.0


def _union(parts: Sequence[Solid]) -> Solid:
    """Return several solids as one; where they overlap, both count."""
    volume = sum(p.volume for p in parts)
    centre = np.sum([p.volume * p.centre for p in parts], axis=0) / volume
    away = [np.outer(p.centre - centre, p.centre - centre) for p in parts]
    spread = np.sum(
        [p.volume * (p.spread + out) for p, out in zip(parts, away, strict=True)], axis=0
    )
    low = np.min([p.low for p in parts], axis=0)
    high = np.max([p.high for p in parts], axis=0)
    notes = tuple(dict.fromkeys(n for p in parts for n in p.notes))
    return Solid(volume, centre, spread / volume, low, high, notes)
