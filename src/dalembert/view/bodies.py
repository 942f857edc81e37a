"""What there is to draw of each body: points that shape it, mass centre, inertia ellipsoid."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algebra import Transform, Vec3
from ..errors import shown
from ..expr import Expr
from ..mechanism import Mechanism, joint_name

Array = np.ndarray


def array(v: Vec3) -> Array:
    """Return a vector as an array of floats."""
    return np.array([float(x) for x in v])


def matrix(T: Transform) -> list[float]:
    """Return rotation, row by row, and origin: twelve numbers."""
    return [float(x) for row in T.R.matrix().rows for x in row] + [float(x) for x in T.p]


def attachments(m: Mechanism) -> dict[int, list[Array]]:
    """Return, by body (-1 is the base), the points where something is held, in its own frame."""
    found: dict[int, list[Array]] = {j: [] for j in range(-1, len(m.bodies))}
    hidden = floating(m)
    for j, b in enumerate(m.bodies):
        if b.parent >= 0 or j not in hidden:
            found[b.parent].append(array(b.placement.p))
    for f in m.named:
        found[f.body].append(array(f.placement.p))
    ends: list[Any] = [*m.loops, *m.springs]
    for end in ends:
        found[end.body_i].append(array(end.point_i))
        found[end.body_j].append(array(end.point_j))
    for wheel in m.wheels:
        found[wheel.body].append(array(wheel.point))
    return found


def floating(m: Mechanism) -> set[int]:
    """Return the bodies whose joints only say where the machine is: no hardware to draw.

    Free and planar joints, and a run of massless bodies from the base with at least two slides.
    """
    hidden = {j for j, b in enumerate(m.bodies) if b.joint.kind in ("free", "planar")}
    children: dict[int, list[int]] = {}
    for j, b in enumerate(m.bodies):
        children.setdefault(b.parent, []).append(j)
    for j in children.get(-1, []):
        run = [j]
        while (
            m.bodies[run[-1]].inertia.is_massless()
            and len(children.get(run[-1], [])) == 1
            and not np.any(array(m.bodies[children[run[-1]][0]].placement.p))
        ):
            run.append(children[run[-1]][0])
        slides = sum(m.bodies[k].joint.kind == "prismatic" for k in run)
        if slides >= 2 and m.bodies[run[0]].joint.kind == "prismatic":
            hidden.update(run)
    return hidden


def shape_points(m: Mechanism, symbolic: Mechanism, size: float) -> list[list[list[float]]]:
    """Return the points that shape each body; the last ones reach to their mass centre."""
    held, out = attachments(m), []
    for j, b in enumerate(m.bodies):
        points = _distinct([np.zeros(3), *held[j]], 1e-6 * size)
        if len(points) == 1 and not any(c.parent == j for c in m.bodies):
            centre = mass_centre(symbolic, m, j)
            if centre is not None and np.linalg.norm(centre) > 1e-6 * size:
                points.append(1.8 * centre)
            elif b.joint.kind not in ("free", "planar") and not b.inertia.is_massless():
                axis = getattr(b.joint, "axis", None)
                points.append(0.06 * size * (array(axis) if axis is not None else np.eye(3)[2]))
        out.append([p.tolist() for p in points])
    return out


def _distinct(points: list[Array], near: float) -> list[Array]:
    kept: list[Array] = []
    for p in points:
        if all(np.linalg.norm(p - k) > near for k in kept):
            kept.append(p)
    return kept


def _is_open(symbolic: Mechanism, j: int) -> bool:
    i = symbolic.bodies[j].inertia
    parts = (i.mass, *i.lever, *i.tensor.six())
    names = {n for x in parts if isinstance(x, Expr) for n in x.names()}
    return bool(names & set(symbolic.open_parameters))


def mass_centre(symbolic: Mechanism, m: Mechanism, j: int) -> Array | None:
    """Return the mass centre of a body in its frame, None without mass or without numbers."""
    if _is_open(symbolic, j) or not float(m.bodies[j].m) > 0:
        return None
    return array(m.bodies[j].inertia.centre)


def ellipsoid(
    symbolic: Mechanism, m: Mechanism, j: int, reach: float, size: float
) -> tuple[dict[str, Any] | None, str]:
    """Return the uniform ellipsoid of the same mass and inertia, and what is odd about it.

    `reach` is how far the body extends from its frame, `size` that of the whole machine; an
    ellipsoid much longer than both allow belongs to another body.
    """
    centre = mass_centre(symbolic, m, j)
    if centre is None:
        return None, ""
    name, mass = shown(joint_name(m.bodies[j]), 40), float(m.bodies[j].m)
    tensor = np.array([[float(x) for x in r] for r in m.bodies[j].inertia.about_centre.rows])
    moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
    if not np.isfinite(moments).all() or moments.max() <= 0:
        return None, ""  # a point mass
    squares = 2.5 / mass * (moments.sum() - 2 * moments)
    odd = ""
    # a rod or a plate has one moment that is the sum, or nearly none; planar data have one only
    flat = np.count_nonzero(moments > 1e-9 * moments.max()) == 1
    if squares.min() < -1e-6 * np.abs(squares).max() and not flat:
        odd = f"{name}: no body has these principal inertias (triangle inequality)"
    half = np.sqrt(np.maximum(squares, 0.0))
    extent = float(half.max())
    if not odd and not flat and reach > 0 and extent > max(2 * reach, 0.4 * size):
        odd = (
            f"{name}: its inertia is that of a body {2 * extent:.2g} m long,"
            f" but the link reaches {reach:.2g} m"
        )
    if flat:
        return None, odd
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    half = np.maximum(half, 0.02 * extent)
    return {
        "R": [round(float(x), 9) for x in axes.reshape(-1)],
        "half": [float(f"{x:.6g}") for x in half],
        "odd": bool(odd),
    }, odd
