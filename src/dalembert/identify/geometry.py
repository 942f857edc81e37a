"""Zeros of joints, lengths of links and clocks that are off: found beside all parameters.

tau = Y(q + x) phi is linear in the parameters: they are projected out, and Gauss-Newton steps find
x (variable projection: Golub and Pereyra, SIAM J. Numer. Anal. 10, 1973). How sure x is comes from
what stretches of time pull it by, as noise that lasts would have it seem surer than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..algebra import Transform
from ..algorithms.newton_euler import newton_euler
from ..algorithms.regressor import regressor
from ..errors import shown
from ..measure.columns import told_map
from ..measure.table import some
from ..mechanism import Mechanism, joint_name
from .result import Identification
from .sample import Sample, fitted, sample_of, single_joints
from .unknowns import unsprung

Array = np.ndarray
SAMPLES = 1000
ROUNDS, STEP = 8, 1e-6
SMALL = 0.01  # radians or metres of a zero, or share of a length, that is not told
SURE = 6.0  # standard deviations
SEEN = 1e-6  # share of a slope that no parameter explains
STRETCHES = 20
LOW = 0.8  # R² below which something else is wrong
EARLY = 0.3  # samples of a delay that is not told
ALIKE = 20.0  # difference of two sums of squares, in parts of the noise, that decides nothing


@dataclass(frozen=True)
class Shift:
    """What may be off: the zero of a coordinate, or the length of what carries a body."""

    name: str
    coordinate: int = -1
    body: int = -1

    def of(self, m: Mechanism, q: Array, by: float) -> tuple[Mechanism, Array]:
        """Return the mechanism and its coordinates with the shift."""
        if self.coordinate >= 0:
            q = q.copy()
            q[:, self.coordinate] += by
            return m, q
        bodies = list(m.bodies)
        own = bodies[self.body]
        place = Transform(own.placement.R, own.placement.p * (1 + by))
        bodies[self.body] = replace(own, placement=place)
        return replace(m, bodies=tuple(bodies), checked=True), q


@dataclass(frozen=True, eq=False)
class Found:
    """Shifts that explain forces: how large, how sure, and the sum of squares that is left."""

    shifts: Sequence[Shift]
    value: Array
    deviation: Array  # infinite where parameters explain the shift as well
    squares: float
    hidden: tuple[str, ...] = ()  # shifts that cannot be told


def geometry(f: Identification) -> list[str]:
    """Return zeros or lengths that are off beyond doubt, if no other mistake may pretend it."""
    if min(f.r_squared.values(), default=1.0) < LOW:
        return []
    u, s = f.equations.unknowns, sample_of(f, SAMPLES)
    if s is None or u.payload or u.gravity:
        return []
    if told_late := _late(f, s):
        return told_late
    m = f.nominal.bound()
    zeros = [Shift(n, coordinate=i) for n, i, _ in single_joints(f)]
    lengths = [Shift(joint_name(m.bodies[j]), body=j) for j in range(len(m.bodies))
               if _length(m, j) > 0]  # fmt: skip
    told = [(x, text(f, x)) for shifts, text in ((zeros, _zeros), (lengths, _lengths))
            if (x := _beyond_doubt(f, s, shifts)) is not None]  # fmt: skip
    if not told:
        return []
    best = min(x.squares for x, _ in told)
    return ["; or ".join(text for x, text in told if x.squares < best + ALIKE)]


def _late(f: Identification, s: Sample) -> list[str]:
    """Return that the forces come late or early, if they do beyond doubt: to first order."""
    d, u = f.motion, f.equations.unknowns
    rate = np.gradient(f.predicted(), d.t, axis=0)[s.at]
    A, force = s.system(s.state)
    J = -np.where(np.isfinite(rate), rate * s.weight, 0.0).reshape(-1, 1)
    X = fitted(A, np.concatenate([J, force[:, None]], axis=1))[0]
    Z, left = J - A @ X[:, :1], force - A @ X[:, 1]
    size = float((Z**2).sum())
    if size <= SEEN * float((J**2).sum()):
        return []
    by = float(Z[:, 0] @ left) / size
    deviation = float(_deviations(Z, left - Z[:, 0] * by, np.eye(1) / size)[0])
    step = float(np.median(np.diff(d.t)))
    if not abs(by) > max(EARLY * step, SURE * deviation) or u.extras:
        return []
    how = "late" if by > 0 else "early"
    return [f"forces may come {how}: delay='auto' (--delay auto) finds how much, and undoes it"]


def _deviations(Z: Array, rest: Array, inverse: Array) -> Array:
    """Return how sure shifts are, from what stretches of time pull them by."""
    pulls = [z.T @ r for z, r in zip(np.array_split(Z, STRETCHES),
             np.array_split(rest, STRETCHES), strict=True)]  # fmt: skip
    return np.asarray(np.sqrt(((np.array(pulls) @ inverse) ** 2).sum(axis=0)))


def _length(m: Mechanism, j: int) -> float:
    p = m.bodies[j].placement.p
    return float(np.linalg.norm([float(p.x), float(p.y), float(p.z)]))


def _beyond_doubt(f: Identification, s: Sample, shifts: list[Shift]) -> Found | None:
    """Return the shifts that are sure, found without those that are not."""
    use = shifts
    hidden: tuple[str, ...] = ()
    for _ in range(3):
        if not use:
            return None
        found = _found(f, s, use)
        hidden = hidden or tuple(x.name for x, d in zip(use, found.deviation, strict=True)
                                 if not d < np.inf)  # fmt: skip
        sure = np.abs(found.value) > np.maximum(SMALL, SURE * found.deviation)
        if sure.all():
            return replace(found, hidden=hidden)
        use = [x for x, y in zip(use, sure, strict=True) if y]
    return None


def _found(f: Identification, s: Sample, shifts: Sequence[Shift]) -> Found:
    """Return the shifts of least squares."""
    u, (q, qd, qdd, tau) = f.equations.unknowns, s.state
    m, model = unsprung(u.m).bound(), unsprung(f.mechanism).bound()
    extra = u.rows(q, qd, qdd)[..., len(u.names) - len(u.extras) :]
    value, deviation = np.zeros(len(shifts)), np.full(len(shifts), np.inf)
    force = np.where(s.weight > 0, tau * s.weight, 0.0).ravel()
    squares = np.inf
    for _ in range(ROUNDS):
        before = value.copy()
        Y = np.concatenate([_regressor(m, q, qd, qdd, shifts, value, u.drives), extra], axis=-1)
        A = (Y * s.weight[:, None]).reshape(len(force), -1)
        here = _forces(model, q, qd, qdd, shifts, value)
        slopes = [(_forces(model, q, qd, qdd, shifts, value + STEP * e) - here) / STEP
                  for e in np.eye(len(shifts))]  # fmt: skip
        J = np.stack([(x * s.weight).ravel() for x in slopes], axis=1)
        X = fitted(A, np.concatenate([J, force[:, None]], axis=1))[0]
        Z, left = J - A @ X[:, :-1], force - A @ X[:, -1]
        squares = float(left @ left)
        seen = np.flatnonzero((Z**2).sum(axis=0) > SEEN * (J**2).sum(axis=0))
        if not len(seen):
            break
        Z = Z[:, seen]
        inverse = np.linalg.pinv(Z.T @ Z, hermitian=True)
        change = np.clip(inverse @ (Z.T @ left), -0.2, 0.2)
        rest = left - Z @ (inverse @ (Z.T @ left))
        deviation[:] = np.inf
        deviation[seen] = _deviations(Z, rest, inverse)
        value[seen] += change
        if np.abs(change).max() < max(1e-5, 0.01 * deviation[seen].min()):
            break
        if not before.any() and (np.abs(change) < SURE / 2 * deviation[seen]).all():
            break  # nothing is off
    else:
        deviation[:] = np.inf  # no answer
    return Found(shifts, value, deviation, squares)


def _shifted(m: Mechanism, q: Array, shifts: Sequence[Shift], by: Array) -> tuple[Mechanism, Array]:
    for shift, x in zip(shifts, by, strict=True):
        m, q = shift.of(m, q, float(x))
    return m, q


def _regressor(
    m: Mechanism, q: Array, qd: Array, qdd: Array, shifts: Sequence[Shift], by: Array, drives: str
) -> Array:
    """Return the standard regressor, (samples, forces, columns)."""
    m, q = _shifted(m, q, shifts, by)
    Y = regressor(m, [*q.T], [*qd.T], [*qdd.T], drives)  # type: ignore[arg-type]
    return _rows([x for row in Y for x in row], len(q)).reshape(len(q), m.nv, -1)


def _forces(
    m: Mechanism, q: Array, qd: Array, qdd: Array, shifts: Sequence[Shift], by: Array
) -> Array:
    m, q = _shifted(m, q, shifts, by)
    return _rows(newton_euler(m, [*q.T], [*qd.T], [*qdd.T]), len(q))


def _rows(values: Sequence[object], count: int) -> Array:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), count) for x in values], axis=1)


def _zeros(f: Identification, found: Found) -> str:
    told = []
    for shift, x, d in zip(found.shifts, found.value, found.deviation, strict=True):
        mend = told_map(f.motion.heads, shift.name, f"q.{shift.name}", f":{x:+.3g}")
        off = f"{x:.3g} ± {2 * d:.1g}"
        told.append(f"the zero of {shown(shift.name)} may be off by {off}: map {mend}")
    return ", ".join(told) + _cannot(found)


def _lengths(f: Identification, found: Found) -> str:
    m, told = f.nominal.bound(), []
    for shift, x, d in zip(found.shifts, found.value, found.deviation, strict=True):
        long = _length(m, shift.body)
        told.append(f"{shown(shift.name)} may lie {long * (1 + x):.4g} ± {2 * long * d:.1g} m from "
                    f"the joint before it, not {long:.4g}")  # fmt: skip
    return ", ".join(told) + _cannot(found)


def _cannot(found: Found) -> str:
    """Return what stays unknown: bodies in other places explain it as well, and it does no harm."""
    return f"; cannot be told: {some(found.hidden, 6)}" if found.hidden else ""
