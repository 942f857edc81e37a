"""One body beside its mesh: the ellipsoid with its inertia, what is impossible, what is nearest.

A body of mass m has the second moment Sigma = tr(I)/2 1 - I about its centre; it exists where Sigma
is positive (Wensing, Kim and Slotine, Linear matrix inequalities for physically consistent inertial
parameter identification, 2018). The uniform ellipsoid with the same inertia has the half axes
sqrt(5 Sigma_i / m). A body between two planes at a distance w has a variance Sigma_kk / m of at
most w²/4 across them, whatever its density (Popoviciu 1935): what lies above is not in its mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .solid import Solid

ROUND = 1e-9  # of a moment that counts as negative, beside the largest
OVER = 1.1  # how far beyond the bound a spread must be: meshes are coarse
OUTSIDE = 0.02  # of the mesh's size, by which a mass centre may lie outside it


@dataclass(frozen=True, slots=True)
class BodyReport:
    """What is said of one link; `tensor` and `nearest` about the mass centre, axes of the link."""

    link: str
    body: int
    mass: float
    centre: np.ndarray
    tensor: np.ndarray
    solid: Solid | None
    nearest: np.ndarray
    findings: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    @property
    def ellipsoid(self) -> np.ndarray:
        """The three widths of the uniform ellipsoid with this inertia, largest first."""
        return widths(self.mass, self.tensor)


def widths(mass: float, tensor: np.ndarray) -> np.ndarray:
    """Return the widths of the equivalent ellipsoid, largest first; NaN where none exists."""
    moments = np.linalg.eigvalsh(second_moment(tensor))[::-1]
    small = abs(moments) <= ROUND * max(abs(moments).max(), 1e-300)
    with np.errstate(invalid="ignore"):
        return 2 * np.sqrt(5 * np.where(small, 0.0, moments) / mass)


def second_moment(tensor: np.ndarray) -> np.ndarray:
    """Return tr(I)/2 1 - I."""
    return np.trace(tensor) / 2 * np.eye(3) - tensor


def tensor_of(moment: np.ndarray) -> np.ndarray:
    """Return the tensor of a second moment."""
    return np.trace(moment) * np.eye(3) - moment


def judged(
    link: str, body: int, mass: float, centre: np.ndarray, tensor: np.ndarray, solid: Solid | None
) -> BodyReport:
    """Return what can be said of a link, and the nearest tensor that it may have."""
    findings = []
    remarks: tuple[str, ...] = ()
    moment = given = second_moment(tensor)
    values, vectors = np.linalg.eigh(moment)
    if values[0] < -ROUND * abs(values).max():
        findings.append(f"{link}: no body has this inertia: one principal moment passes the sum")
        moment = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    if solid is not None:
        size = float(solid.extents.max())
        gap = np.maximum(solid.low - centre, centre - solid.high).max()
        if gap > OUTSIDE * size:
            remarks = (f"its mass centre lies {gap:.2g} m outside its mesh",)
        moment, said = _within(link, mass, tensor, moment, solid)
        findings += said
    impossible = moment is not given
    nearest = tensor_of(moment) if impossible else tensor
    return BodyReport(link, body, mass, centre, tensor, solid, nearest, tuple(findings), remarks)


def _within(
    link: str, mass: float, tensor: np.ndarray, moment: np.ndarray, solid: Solid
) -> tuple[np.ndarray, list[str]]:
    """Return a second moment that fits the mesh, and what did not fit."""
    room = mass * solid.extents**2 / 4
    spread = np.diag(moment)
    over = spread > OVER * room
    if not over.any():
        return moment, []
    # along the axes that do not fit, the body spreads as its mesh does; the others stay
    wanted = np.where(over, mass * np.diag(solid.spread), spread)
    shrink = np.sqrt(wanted / np.where(spread > 0, spread, 1))
    largest = float(np.linalg.eigvalsh(tensor).max())
    allowed = float(np.linalg.eigvalsh(solid.tensor(mass)).max())
    wide = float(np.nanmax(widths(mass, tensor)))
    if largest > allowed:
        said = (
            f"{link}: inertia {largest:.3g} kg m² needs a body {wide:.2g} m wide;"
            f" its mesh ({solid.extents.max():.2g} m) allows about {allowed:.1g}"
        )
    else:
        k = int((spread / room).argmax())
        across = 2 * np.sqrt(5 * spread[k] / mass)
        said = (
            f"{link}: its inertia needs a body {across:.2g} m wide along {'xyz'[k]};"
            f" its mesh has {solid.extents[k]:.2g} m there"
        )
    return shrink[:, None] * moment * shrink, [said]
