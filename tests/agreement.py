"""When two results count as equal: the law of agreement between formalisms.

Results of force type: |x - ref| <= 1e-12 * scale, where scale is the largest term that the
recursion sums for that joint, in its unit. Results of acceleration type: <= 1e3 n eps kappa of the
largest term, kappa the condition number of M scaled to unit diagonal. Angles count modulo their own
rounding: one of 1e6 rad is known to 1e-10 only, so angles above 1e3 widen the law in proportion.
"""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from typing import Any

import numpy as np

from dalembert.algebra import Mat3, Vec3
from dalembert.mechanism import Mechanism
from dalembert.reference import in_floats
from models import newton_euler

EPS = np.finfo(float).eps
FORCE = 1e-12


def floats(x: Any) -> np.ndarray:
    """Return nested sequences of numbers as an array."""
    if isinstance(x, Vec3):
        return np.array([float(v) for v in x])
    if isinstance(x, Mat3):
        return np.array([[float(v) for v in r] for r in x.rows])
    return np.array(x, float)


def plainly(m: Mechanism, name: str, *inputs: Any, **options: Any) -> Any:
    """Return a quantity at one state by its algorithm itself: nothing is traced or compiled.

    For laws between quantities: that kernels equal their algorithms is tested for itself.
    """
    found = in_floats(m, name, None, [np.array([x], float) for x in inputs], **options)
    return found[0][0] if len(found) == 1 else tuple(x[0] for x in found)


def _norm(v: Any) -> float:
    return float(np.abs(floats(v)).max(initial=0.0)) if not isinstance(v, float) else abs(v)


def angle_factor(m: Mechanism, q: Any) -> float:
    """Return by how much large angles widen the law."""
    angles = [
        x
        for b, part in zip(m.bodies, m.split_q(q), strict=True)
        for x in part
        if b.joint.kind in ("revolute", "screw", "planar")
    ]
    return max(1.0, 1e-3 * max(map(abs, angles), default=0.0))


def force_scale(
    m: Mechanism, q: Any, qd: Any, qdd: Any, wrenches: Any = None, form: str = "link"
) -> np.ndarray:
    """Return, per velocity variable, the largest term that inverse dynamics sums for it.

    `form`: "link" for the classical accelerations of 002 (18)-(31); "spatial" where momenta m v and
    accelerations w × v are formed in link axes, as Pinocchio does; "world" with, moreover, the
    lever to the base origin.
    """
    world = form == "world"
    given = wrenches or {}
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    w, wd, a = {-1: 0.0}, {-1: 0.0}, {-1: _norm(m.gravity)}
    v: dict[int, float] = {-1: 0.0}
    lever, F, N, P = {-1: 0.0}, {}, {}, {}
    for j, body in m.outward():
        i = body.parent
        P[j] = _norm(body.pose(q_[j])[1])
        wJ, wdJ, vJ, vdJ = (_norm(x) for x in body.rates(q_[j], qd_[j], qdd_[j]))
        # running sums count as terms of the next sum; independent parts add in squares
        w[j] = hypot(w[i], wJ)
        wd[j] = hypot(wd[i], wdJ, w[i] * wJ)
        v[j] = hypot(v[i], w[i] * P[j], vJ)
        a[j] = hypot(a[i], (wd[i] + w[i] ** 2) * P[j], vdJ, 2 * w[i] * vJ)
        lever[j] = hypot(lever[i], P[j])
        h, Io = _norm(body.h), _norm(body.Io)
        U, m_, acc, speed = wd[j] + w[j] ** 2, abs(float(body.m)), a[j], 0.0
        if form != "link":
            acc, speed = max(a[j], w[j] * v[j]), v[j]
        if world:
            L = lever[j]
            acc, speed = max(acc, U * L), max(speed, w[j] * L)
            Io, h = max(Io, h * L, m_ * L * L), max(h, m_ * L)
        F[j] = max(m_ * acc, U * h)
        N[j] = max(Io * U, h * acc, m_ * speed**2, F[j] * lever[j] if world else 0.0)
        if j in given:
            f, n = (_norm(x) for x in given[j])
            F[j], N[j] = max(F[j], f), max(N[j], n, f * lever[j] if world else 0.0)
    out = np.zeros(m.nv)
    for j, body in m.inward():
        i = body.parent
        for k, (lin, ang) in enumerate(body.joint.columns(q_[j])):
            out[m.velocity_index[j] + k] = max(
                _norm(lin) * F[j], _norm(ang) * N[j], _norm(ang) * lever[j] * F[j] if world else 0.0
            )
        if i >= 0:
            F[i], N[i] = hypot(F[i], F[j]), hypot(N[i], N[j], P[j] * F[j])
    return out * angle_factor(m, q)


def mass_scale(m: Mechanism, q: Any) -> np.ndarray:
    """Return, per entry of M, the largest term summed for it."""
    q_ = m.split_q(q)
    M, h, I, P = {}, {}, {}, {}
    out = np.zeros((m.nv, m.nv))
    for j, body in m.outward():
        M[j], h[j], I[j] = abs(float(body.m)), _norm(body.h), _norm(body.Io)
        P[j] = _norm(body.pose(q_[j])[1])
    for j, body in m.inward():
        i = body.parent
        if i >= 0:
            M[i], h[i] = M[i] + M[j], max(h[i], h[j], P[j] * M[j])
            I[i] = max(I[i], I[j], P[j] * h[j], P[j] ** 2 * M[j])
        for c, (lin, ang) in enumerate(body.joint.columns(q_[j])):
            l, a = _norm(lin), _norm(ang)
            f, n = max(l * M[j], a * h[j]), max(a * I[j], l * h[j])
            k, col = j, m.velocity_index[j] + c
            while k >= 0:
                for r, (lin_k, ang_k) in enumerate(m.bodies[k].joint.columns(q_[k])):
                    row = m.velocity_index[k] + r
                    out[row, col] = out[col, row] = max(_norm(lin_k) * f, _norm(ang_k) * n)
                n, k = max(n, P[k] * f), m.bodies[k].parent
    return out * angle_factor(m, q)


def coriolis_scale(m: Mechanism, q: Any, qd: Any) -> np.ndarray:
    """Return, per entry of the Coriolis matrix, the largest term summed at one common origin."""
    q_, qd_ = m.split_q(q), m.split(qd)
    L, w, v = 0.0, 0.0, 0.0
    mass, tensor = np.zeros(len(m.bodies)), np.zeros(len(m.bodies))
    for j, body in m.outward():
        L = hypot(L, _norm(body.pose(q_[j])[1]))
        wJ, _, vJ, _ = (_norm(x) for x in body.rates(q_[j], qd_[j], [0.0] * body.joint.nv))
        w, v = hypot(w, wJ), hypot(v, vJ)
        mass[j], tensor[j] = abs(float(body.m)), _norm(body.Io) + _norm(body.h) * L
    for j, body in m.inward():
        if body.parent >= 0:
            mass[body.parent] += mass[j]
            tensor[body.parent] += tensor[j]
    speed = v + w * L
    columns, bodies = [], []
    for j, body in m.outward():
        for lin, ang in body.joint.columns(q_[j]):
            columns.append((_norm(lin) + _norm(ang) * L, _norm(ang)))
            bodies.append(j)
    out = np.zeros((m.nv, m.nv))
    for r, (lin_r, ang_r) in enumerate(columns):
        for c, (lin_c, ang_c) in enumerate(columns):
            k = max(bodies[r], bodies[c])
            f = mass[k] * (w * lin_c + speed * ang_c)
            out[r, c] = lin_r * f + ang_r * (L * f + tensor[k] * w * ang_c)
    return (out + out.T) * angle_factor(m, q)


def drive_scale(m: Mechanism, qd: Any, qdd: Any) -> np.ndarray:
    """Return what drives add to the scale of each joint."""
    out = np.zeros(m.nv)
    for d in m.drives:
        k = m.velocity_index[d.joint]
        N = abs(float(d.gear))
        out[k] = N * N * max(abs(d.inertia * qdd[k]), abs(d.viscous * qd[k])) + N * max(
            map(abs, d.coulomb)
        )
    return out


def worst(x: Any, ref: Any, scale: Any) -> float:
    """Return the largest difference in units of the scale (a zero scale demands equality)."""
    difference, scale = np.abs(floats(x) - floats(ref)), np.asarray(scale, float)
    if not np.all(np.isfinite(difference)):
        return float("inf")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(difference == 0, 0.0, difference / scale)
    return float(np.max(ratio, initial=0.0))


def assert_forces(x: Any, ref: Any, scale: Any, what: Any = "", factor: float = 1.0) -> None:
    """Assert that two results of force type agree."""
    found = worst(x, ref, scale)
    assert found <= FORCE * factor, f"{what}: differs by {found:.3g} of the largest term"


def conditioning(M: Any) -> tuple[float, np.ndarray]:
    """Return (kappa of M scaled to unit diagonal, the square roots of its diagonal)."""
    M = floats(M)
    d = np.sqrt(np.abs(np.diag(M)))
    if not np.all(d > 0):
        return np.inf, d
    return float(np.linalg.cond(M / np.outer(d, d))), d


def acceleration_law(M: Any, qdd: Any, load: Any) -> tuple[float, np.ndarray]:
    """Return (kappa, bound per entry): 1e3 n eps kappa of the largest scaled term.

    `load` is the scale of the forces that the accelerations answer.
    """
    kappa, d = conditioning(M)
    if not np.isfinite(kappa):
        return kappa, np.full(len(d), np.inf)
    size = max(np.max(np.abs(d * floats(qdd))), np.max(np.abs(floats(load)) / d))
    return kappa, 1e3 * len(d) * EPS * kappa * size / d


def without_gravity(m: Mechanism) -> Mechanism:
    """Return the mechanism where nothing falls."""
    return replace(m, gravity=Vec3(0, 0, 0), checked=True)


def columns_of_inverse_dynamics(m: Mechanism, q: Any, drives: Any = "inertia") -> np.ndarray:
    """Return M column by column from unit accelerations, without gravity and at rest."""
    still, rest = without_gravity(m), [0.0] * m.nv
    unit = np.eye(m.nv).tolist()
    return np.array([newton_euler(still, q, rest, e, drives=drives) for e in unit]).T
