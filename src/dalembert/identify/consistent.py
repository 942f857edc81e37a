"""Standard parameters that a real body can have, as near the data as they can be.

A body exists when its pseudo-inertia [[Σ, h], [hᵀ, m]], Σ = tr(I)/2 - I about the origin, is
positive definite (Wensing, Kim, Slotine, Linear matrix inequalities for physically consistent
inertial parameter identification, IEEE RA-L 3, 2018). Least squares under these conditions is a
convex program; what the data do not show stays near the nominal model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..algorithms.parameter_relations import TEN
from ..errors import ComputationError
from ..measure.packages import optional, scipy_part
from .fit import Fit
from .unknowns import Unknowns

Array = np.ndarray
AT = {kind: k for k, kind in enumerate(TEN)}
POSITIVE = ("Ia", "Fv", "Fs", "Fs+")
INNER = 1e-6  # how far from the border, in parts of the nominal size
SHARPEST = 1e4  # the largest weight of data over the nominal model
TRUST = 1.0  # the nominal model is trusted to 100 %, which matters only where data say nothing


def pseudo_inertia(phi: Sequence[float] | Array) -> Array:
    """Return the 4 x 4 pseudo-inertia of ten parameters about the frame origin."""
    v = {kind: float(phi[k]) for kind, k in AT.items()}
    I = np.array([[v["XX"], v["XY"], v["XZ"]], [v["XY"], v["YY"], v["YZ"]],
                  [v["XZ"], v["YZ"], v["ZZ"]]])  # fmt: skip
    h = np.array([v["mx"], v["my"], v["mz"]])
    out = np.zeros((4, 4))
    out[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
    out[:3, 3] = out[3, :3] = h
    out[3, 3] = v["m"]
    return out


def is_physical(phi: Sequence[float] | Array, slack: float = 0.0) -> bool:
    """Return whether ten parameters are those of a body that can exist."""
    J = pseudo_inertia(phi)
    return bool(np.linalg.eigvalsh(J)[0] >= -slack * max(1e-300, np.abs(J).max()))


def scales(u: Unknowns) -> Array:
    """Return a natural size of every standard parameter: mass, mass x length, mass x length²."""
    nominal = u.nominal
    bodies = sorted({c.body for c in u.standard if c.kind in TEN})
    ten = {b: [k for k, c in enumerate(u.standard) if c.body == b and c.kind in TEN]
           for b in bodies}  # fmt: skip
    masses = np.array([abs(nominal[ten[b][AT["m"]]]) for b in bodies])
    typical = float(np.median(masses[masses > 0])) if (masses > 0).any() else 1.0
    radius = []
    for b in bodies:
        m = nominal[ten[b][AT["m"]]]
        spread = sum(nominal[ten[b][AT[x]]] for x in ("XX", "YY", "ZZ"))
        radius.append(np.sqrt(abs(spread) / (2 * abs(m))) if m else 0.0)
    length = max(0.05, float(np.median([r for r in radius if r > 0] or [0.2])))
    out = np.ones(len(u.standard))
    for b, m, r in zip(bodies, masses, radius, strict=True):
        size, own = max(m, 0.2 * typical), max(r, length)
        for kind, k in AT.items():
            power = {"m": 0, "mx": 1, "my": 1, "mz": 1}.get(kind, 2)
            out[ten[b][k]] = size * own**power
    for k, c in enumerate(u.standard):
        if c.kind not in TEN:
            out[k] = max(abs(nominal[k]), 10.0 * typical * length)  # as large as a weight's moment
    return out


def independence(f: Fit) -> float:
    """Return what data weigh, at most 1: residuals that hang together count for fewer equations.

    The deviations of least squares, which takes every equation as new, over the true ones.
    """
    columns = f.R[:, list(f.seen)]
    inverse = np.linalg.pinv(columns.T @ columns, hermitian=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(np.diag(inverse) / np.diag(f.covariance))
    good = ratio[np.isfinite(ratio)]
    return min(1.0, float(np.median(good))) if len(good) else 1.0


def nearest(u: Unknowns, f: Fit, physical: bool = True) -> Array:
    """Return the standard parameters nearest the data, then the nominal; physical if asked."""
    size = scales(u)
    data = f.R[:, :-1] @ (u.K * size)  # the unknown is phi / size
    right = f.R[:, -1]
    # data without noise would outweigh the nominal model beyond what a solver resolves
    ease = min(1.0, SHARPEST / max(float(np.linalg.norm(data, 2)), 1e-300), independence(f))
    data, right = ease * data, ease * right
    start = u.nominal / size
    trust = np.full(len(size), TRUST)
    for k, c in enumerate(u.standard):
        if (c.kind == "Ia" and u.nominal[k] == 0) or (c.kind not in TEN and not u.K[:, k].any()):
            trust[k] = 1e-6  # a rotor that the model does not have stays away
    P = data.T @ data + np.diag(trust**-2)
    q = -(data.T @ right + start / trust**2)
    free = np.linalg.solve(P, -q)
    bounded = {*POSITIVE, *TEN, "Fs-"}
    if not physical or not any(c.kind in bounded for c in u.standard):
        return free * size
    clarabel, sparse = optional("clarabel"), scipy_part("sparse")
    rows, offset, cones = _cones(u, size, clarabel)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    # P = L Lᵀ, x = free + L⁻ᵀ z: the least |z|, or data would hide how near the nominal model is
    L = np.linalg.cholesky(P)
    back = np.linalg.inv(L).T
    solver = clarabel.DefaultSolver(
        sparse.identity(len(size), format="csc"), np.zeros(len(size)),
        sparse.csc_matrix(rows @ back), offset - rows @ free, cones, settings,
    )  # fmt: skip
    solution = solver.solve()
    if "Solved" not in str(solution.status):
        raise ComputationError(
            f"no physical parameters were found: {solution.status}",
            hint="consistent=False gives the plain least squares",
            command="--not-consistent gives the plain least squares",
        )
    x = (free + back @ np.asarray(solution.x)) * size
    for k, c in enumerate(u.standard):  # rounding of the solver at the border
        if c.kind in POSITIVE:
            x[k] = max(0.0, x[k])
        elif c.kind == "Fs-":
            x[k] = min(0.0, x[k])
    return x


def _cones(u: Unknowns, size: Array, clarabel: object) -> tuple[Array, Array, list[object]]:
    """Return A, b and the cones of s = b - A x: friction is not negative, bodies exist."""
    n = len(size)
    rows, offset, cones = [], [], []
    positive = [k for k, c in enumerate(u.standard) if c.kind in POSITIVE]
    negative = [k for k, c in enumerate(u.standard) if c.kind == "Fs-"]
    if positive or negative:
        A = np.zeros((len(positive) + len(negative), n))
        A[np.arange(len(positive)), positive] = -1.0
        A[len(positive) + np.arange(len(negative)), negative] = 1.0
        rows.append(A)
        offset.append(np.zeros(len(A)))
        cones.append(clarabel.NonnegativeConeT(len(A)))  # type: ignore[attr-defined]
    for b in sorted({c.body for c in u.standard if c.kind in TEN}):
        own = [k for k, c in enumerate(u.standard) if c.body == b and c.kind in TEN]
        A = np.zeros((10, n))
        units = 1 / np.sqrt(np.array([size[own[AT["XX"]]]] * 3 + [size[own[AT["m"]]]]))
        for k in range(10):
            J = pseudo_inertia(np.eye(10)[k]) * size[own[k]] * np.outer(units, units)
            A[:, own[k]] = -_triangle(J)
        rows.append(A)
        offset.append(-INNER * _triangle(np.eye(4)))
        cones.append(clarabel.PSDTriangleConeT(4))  # type: ignore[attr-defined]
    return np.concatenate(rows), np.concatenate(offset), cones


def _triangle(J: Array) -> Array:
    """Return the upper triangle of a symmetric matrix, column by column, sides times √2."""
    return np.array([J[r, c] * (1.0 if r == c else np.sqrt(2.0))
                     for c in range(len(J)) for r in range(c + 1)])  # fmt: skip
