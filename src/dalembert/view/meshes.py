"""The shapes that a URDF or SDF file gives its links, small enough for a page.

Vertices are 16-bit numbers of a box, triangles are indices, both in base 64. Meshes that are too
fine are clustered: vertices that share a cell of a grid become one.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError, shown, some
from ..mechanism import Mechanism
from ..plausible.solid import loaded_mesh
from ..read.shapes import Shape, shapes_of
from .scheme import matrix_of

Array = np.ndarray
TRIANGLES = 60_000  # of a whole machine
FINEST, COARSEST = 96, 6  # cells along the longest side of a mesh
# the corners of a box by the bits of their number, as triangles
BOX = (0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3)  # fmt: skip
ROUND = 24  # corners of a cylinder or a sphere


def meshes(m: Mechanism, file: str | Path) -> dict[str, Any]:
    """Return the meshes of each body as a page holds them, and what was left out."""
    where = Path(file)
    if not where.is_file():
        raise UsageError(f"no such file: {shown(str(file))}", hint="meshes are those of a URDF")
    places = {b.name: (j, np.eye(4)) for j, b in enumerate(m.bodies)}
    for f in m.named:
        places.setdefault(f.name, (f.body, matrix_of(f.placement.map(float))))
    found: list[tuple[int, Array, Array]] = []
    missing: list[str] = []
    for link, shapes in shapes_of(where).items():
        body, frame = places.get(link, (-1, np.eye(4)))
        for shape in _seen(shapes):
            made = _triangles(shape)
            if made is None:
                missing.append(shape.uri or link)
                continue
            points, faces = made
            turned = points @ np.array(shape.rotation).T + np.array(shape.point)
            found.append((body, turned @ frame[:3, :3].T + frame[:3, 3], faces))
    count = sum(len(faces) for _, _, faces in found)
    share = min(1.0, TRIANGLES / max(1, count))
    parts = [(body, *clustered(p, f, max(200, int(share * len(f))))) for body, p, f in found]
    return {
        "parts": [{"body": body, **_packed(p, f)} for body, p, f in parts if len(f)],
        "missing": list(dict.fromkeys(missing)),
    }


def lost_text(missing: Sequence[str]) -> str:
    """Return which meshes are missing, in a sentence."""
    names = [name.rstrip("/").rsplit("/", 1)[-1] for name in missing]
    return f"meshes not found: {some(names, 6)} (the first: {shown(missing[0])})"


def lost_meshes(file: str | Path) -> list[str]:
    """Return the meshes that a file names and that are not there, without drawing any."""
    shapes = [s for found in shapes_of(Path(file)).values() for s in _seen(found)]
    return list(dict.fromkeys(s.uri for s in shapes if s.form == "mesh" and s.file is None))


def _seen(shapes: Sequence[Shape]) -> list[Shape]:
    visual = [s for s in shapes if s.use == "visual"]
    return visual or list(shapes)


def _triangles(shape: Shape) -> tuple[Array, Array] | None:
    """Return vertices and faces of a shape in its own frame, None where its file is not there."""
    if shape.form == "mesh":
        mesh = loaded_mesh(shape.file) if shape.file is not None else None
        if mesh is None or not len(getattr(mesh, "faces", ())):
            return None
        return np.asarray(mesh.vertices, float) * np.array(shape.sizes), np.asarray(mesh.faces, int)
    if shape.form == "box":
        points = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij")).reshape(3, -1).T
        corners = np.array(BOX).reshape(-1, 3)
        return points * np.array(shape.sizes), corners
    r = shape.sizes[0]
    if shape.form == "sphere":
        angles = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
        return _turned(r * np.cos(angles), r * np.sin(angles))
    half = shape.sizes[1] / 2 + (r if shape.form == "capsule" else 0.0)
    return _turned(np.array([0.0, r, r, 0.0]), np.array([-half, -half, half, half]))


def _turned(radii: Array, heights: Array) -> tuple[Array, Array]:
    """Return the surface that a curve makes when it turns about z."""
    angle = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    points = np.stack([
        np.outer(radii, np.cos(angle)), np.outer(radii, np.sin(angle)),
        np.repeat(heights[:, None], ROUND, axis=1),
    ], axis=-1).reshape(-1, 3)  # fmt: skip
    faces = []
    for i in range(len(radii) - 1):
        for k in range(ROUND):
            a, b = i * ROUND + k, i * ROUND + (k + 1) % ROUND
            faces += [[a, b, b + ROUND], [a, b + ROUND, a + ROUND]]
    return points, np.array(faces)


def clustered(points: Array, faces: Array, most: int) -> tuple[Array, Array]:
    """Return a mesh of about `most` triangles at most; a coarser grid until there are so few."""
    if len(faces) <= most and len(points) <= 65_535:
        return points, faces
    low, size = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    cells = FINEST
    while True:
        keys = np.floor((points - low) / size * (cells - 1e-9)).astype(int)
        _, index, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
        made = np.sort(inverse[faces], axis=1)
        whole = (made[:, 0] != made[:, 1]) & (made[:, 1] != made[:, 2])
        _, once = np.unique(made[whole], axis=0, return_index=True)
        kept = inverse[faces][whole][np.sort(once)]
        if (len(kept) <= most and len(index) <= 65_535) or cells <= COARSEST:
            sums = np.zeros((len(index), 3))
            np.add.at(sums, inverse, points)
            return sums / np.bincount(inverse)[:, None], kept
        cells = max(COARSEST, int(cells * 0.75))


def _packed(points: Array, faces: Array) -> dict[str, Any]:
    low = points.min(axis=0)
    size = float(np.ptp(points, axis=0).max()) or 1.0
    grid = np.round((points - low) / size * 65_535).astype("<u2")
    return {
        "low": [float(f"{x:.7g}") for x in low], "size": float(f"{size:.7g}"),
        "points": base64.b64encode(grid.tobytes()).decode(),
        "faces": base64.b64encode(faces.astype("<u2").tobytes()).decode(),
    }  # fmt: skip
