"""Random mechanisms with loops at known assembled poses, and their dynamics in maximal coordinates.

Every body gets six coordinates of its own and every joint, cut or not, its constraint equations:
nothing here uses the trees, closures or plans of dalembert.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.inertia import Inertia
from dalembert.joint import Prismatic, Revolute
from dalembert.mechanism import Body, Loop, Mechanism


@dataclass(frozen=True)
class Closed:
    """A mechanism with an assembled pose."""

    m: Mechanism
    q: np.ndarray


def vec(v: Any) -> Vec3:
    return Vec3(*(float(x) for x in v))


def rot(R: np.ndarray) -> Rotation:
    return Rotation.of(Mat3(*(tuple(float(x) for x in row) for row in R)))


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def inertia(rng: np.random.Generator) -> Inertia:
    A = random_rotation(rng) * rng.uniform(0.05, 0.3, 3)
    I = A @ A.T
    I = np.trace(I) * np.eye(3) - I
    six = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return Inertia(float(rng.uniform(0.5, 3)), vec(rng.uniform(-0.2, 0.2, 3)),
                   Mat3.symmetric(*map(float, six)))  # fmt: skip


def ring(
    points: np.ndarray,
    axes: np.ndarray,
    cut: int | None = None,
    kinds: Any = None,
    world: np.ndarray | None = None,
    active: Any = (0,),
    reverse: bool = False,
) -> Closed:
    """Return a single loop: joint k at points[k] about axes[k], body k between joints k and k + 1.

    Joint 0 stands on the base, the last one closes the loop to it: n joints, n - 1 bodies. The pose
    is the one drawn, at random joint angles. `cut` is the joint that is cut, the last by default;
    branches go from the base to it on both sides. `reverse` swaps the ends of the cut joint.
    """
    n = len(points)
    cut = n - 1 if cut is None else cut
    kinds = kinds or ["revolute"] * n
    state = np.random.default_rng(7)  # the same bodies wherever the loop is cut
    frames = [random_rotation(state) for _ in range(n - 1)]
    inertias = [inertia(state) for _ in range(n - 1)]
    angles = state.uniform(-1, 1, n)
    W = np.eye(3) if world is None else world
    R = [np.eye(3), *(W @ f for f in frames)]  # of the base and of body k + 1
    p = [np.zeros(3), *(W @ x for x in points[: n - 1])]  # body origins at the joint before them
    P, A = points @ W.T, axes @ W.T

    def joint(k: int, parent: int, child: int, name: str, index: int, sign: float) -> Body:
        # body frames are where they are; the joint frame is turned back by the drawn coordinate
        axis = R[child].T @ A[k] * sign
        turned = R[parent].T @ R[child]
        place = R[parent].T @ (p[child] - p[parent])
        if kinds[k] == "prismatic":
            made: Any = Prismatic(vec(axis))
            place = place - turned @ axis * angles[k]
        else:
            made = Revolute(vec(axis))
            turned = turned @ about(axis, -angles[k])
        transform = Transform(rot(turned), vec(place))
        return Body(name, index, transform, made, inertias[child - 1], joint_name=f"j{k}")

    bodies: list[Body] = []
    place_of = {0: -1}
    order: list[int] = []
    for k in range(cut):  # joints 0 .. cut-1 from the base outwards
        bodies.append(joint(k, k, k + 1, f"b{k + 1}", place_of[k], 1.0))
        place_of[k + 1] = len(bodies) - 1
        order.append(k)
    if cut < n - 1:  # from the other side: joint n-1 carries body n-1, then inwards
        for k in range(n - 1, cut, -1):
            child = k
            p[child] = P[k]  # its frame origin moves to the joint that now carries it
            shift = R[child].T @ (P[k] - W @ points[child - 1])
            old = inertias[child - 1]
            inertias[child - 1] = replace(old, lever=vec(np.array(list(old.lever)) - shift))
            parent = (k + 1) % n
            bodies.append(joint(k, parent, child, f"b{child}", place_of[parent], -1.0))
            place_of[child] = len(bodies) - 1
            order.append(k)
    i, j = cut, (cut + 1) % n
    if reverse:
        i, j = j, i
    ends = [(place_of[b], vec(R[b].T @ (P[cut] - p[b])), vec(R[b].T @ A[cut])) for b in (i, j)]
    turns = [rot(R[b].T) for b in (i, j)]
    loop = Loop(ends[0][0], ends[0][1], ends[1][0], ends[1][1], kinds[cut], ends[0][2], ends[1][2],
                turns[0], turns[1])  # fmt: skip
    aside = W @ np.cross(axes[cut], [0.3, -0.5, 0.8])
    loop = _special(loop, P[cut], aside, (R[i], R[j]), (p[i], p[j]))
    g = W @ np.array([0.3, -9.7, 1.1])
    m = Mechanism(tuple(bodies), "ring", vec(g), loops=(loop,),
                  active=tuple(f"j{k}" for k in active))  # fmt: skip
    q = np.array([angles[k] for k in order])
    return Closed(m, q)


def _special(loop: Loop, spot: np.ndarray, aside: np.ndarray, R: Any, p: Any) -> Loop:
    """Return the cut joint where both ends do not just meet: a cross, a rod."""
    if loop.joint == "universal":
        return replace(loop, axis_j=vec(R[1].T @ aside / np.linalg.norm(aside)))
    if loop.joint == "rod":
        point = vec(R[1].T @ (spot + aside - p[1]))
        return replace(loop, point_j=point, length=float(np.linalg.norm(aside)))
    return loop


# -- kinds of loops ------------------------------------------------------------------------------


def planar(n: int, seed: int, **options: Any) -> Closed:
    """Return a planar n-bar in space."""
    rng = np.random.default_rng([n, seed])
    points = np.column_stack([rng.uniform(-1, 1, (n, 2)), np.zeros(n)])
    axes = np.repeat([[0.0, 0.0, 1.0]], n, axis=0)
    return ring(points, axes, **options)


def slider_crank(seed: int, **options: Any) -> Closed:
    """Return a crank, a coupler and a slide across the plane's axis, the slide in the tree."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.uniform(-1, 1, (4, 2)), np.zeros(4)])
    axes = np.repeat([[0.0, 0.0, 1.0]], 4, axis=0)
    axes[1] = [0.6, 0.8, 0.0]
    return ring(points, axes, kinds=["revolute", "prismatic", "revolute", "revolute"], **options)


def parallelogram(seed: int, **options: Any) -> Closed:
    """Return a four-bar with equal opposite sides."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.3, 1, 2), rng.uniform(-1, -0.3, 2)
    corners = [np.zeros(2), a, a + b, b]
    points = np.array([[*c, 0.0] for c in corners])
    return ring(points, np.repeat([[0.0, 0.0, 1.0]], 4, axis=0), **options)


def spatial(n: int, seed: int, **options: Any) -> Closed:
    """Return a loop of n joints anywhere."""
    rng = np.random.default_rng([n, seed])
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return ring(rng.uniform(-1, 1, (n, 3)), axes, **options)


def concurrent(n: int, seed: int, **options: Any) -> Closed:
    """Return a loop of n revolute joints whose axes meet in one point."""
    rng = np.random.default_rng([n, seed])
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    centre = rng.uniform(-1, 1, 3)
    return ring(centre + axes * rng.uniform(0.3, 1, n)[:, None], axes, **options)


def bricard(seed: int, **options: Any) -> Closed:
    """Return the line-symmetric loop of Bricard: six revolute joints that should not move."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(3, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    points = rng.uniform(-1, 1, (3, 3))
    half = np.diag([-1.0, -1.0, 1.0])
    return ring(np.vstack([points, points @ half]), np.vstack([axes, axes @ half]), **options)


# -- maximal coordinates -----------------------------------------------------------------------


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class Maximal:
    """Newton-Euler equations of free bodies with all joints as constraints, in base axes."""

    def __init__(self, m: Mechanism, q: np.ndarray, qd: np.ndarray):
        self.m = m = m.bound()
        n = len(m.bodies)
        self.R, self.p, self.w, self.v = [], [], [], []
        self.bias = np.zeros(6 * n)  # acceleration of each body that qd alone gives
        self.S = np.zeros((6 * n, m.nv))
        for k, body in enumerate(m.bodies):
            i = body.parent
            R0, p0 = (self.R[i], self.p[i]) if i >= 0 else (np.eye(3), np.zeros(3))
            w0, v0 = (self.w[i], self.v[i]) if i >= 0 else (np.zeros(3), np.zeros(3))
            a0 = self.bias[6 * i : 6 * i + 6] if i >= 0 else np.zeros(6)
            T = np.array(body.placement.R.matrix().rows, float)
            t = np.array(list(body.placement.p), float)
            axis = np.array(list(body.joint.axis), float)
            slide = isinstance(body.joint, Prismatic)
            R = R0 @ T @ (np.eye(3) if slide else about(axis, q[k]))
            r = R0 @ (t + (T @ axis * q[k] if slide else 0))
            u = R @ axis
            # columns: inherited, then own
            if i >= 0:
                X = np.block([[np.eye(3), -skew(r)], [np.zeros((3, 3)), np.eye(3)]])
                self.S[6 * k : 6 * k + 6] = X @ self.S[6 * i : 6 * i + 6]
            self.S[6 * k : 6 * k + 6, k] = [*u, 0, 0, 0] if slide else [0, 0, 0, *u]
            wJ, vJ = (np.zeros(3), u * qd[k]) if slide else (u * qd[k], np.zeros(3))
            self.R.append(R)
            self.p.append(p0 + r)
            self.w.append(w0 + wJ)
            self.v.append(v0 + np.cross(w0, r) + vJ)
            lin = a0[:3] + np.cross(a0[3:], r) + np.cross(w0, np.cross(w0, r))
            lin = lin + 2 * np.cross(w0, vJ)
            ang = a0[3:] + np.cross(w0, wJ)
            self.bias[6 * k : 6 * k + 6] = [*lin, *ang]

    def newton_euler(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (M, h): wrench on each body at its origin = M a + h, weight included in h."""
        n = len(self.m.bodies)
        M, h = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        g = np.array(list(self.m.gravity), float)
        for k, body in enumerate(self.m.bodies):
            c = self.R[k] @ np.array(list(body.inertia.centre), float)
            I = self.R[k] @ np.array(body.inertia.about_centre.rows, float) @ self.R[k].T
            mass, w = float(body.m), self.w[k]
            # at the mass centre, then moved to the origin
            X = np.block([[np.eye(3), -skew(c)], [np.zeros((3, 3)), np.eye(3)]])
            own = np.zeros((6, 6))
            own[:3, :3], own[3:, 3:] = mass * np.eye(3), I
            f = mass * (np.cross(w, np.cross(w, c)) - g)
            t = np.cross(w, I @ w)
            s = slice(6 * k, 6 * k + 6)
            M[s, s] = X.T @ own @ X
            h[s] = X.T @ np.array([*f, *t])
        return M, h

    def cut_rows(self, loop: Loop) -> tuple[np.ndarray, np.ndarray]:
        """Return (J, bias) of a cut joint on the bodies' velocities: J a + bias = 0."""
        n = len(self.m.bodies)
        ends = []
        for b, c in ((loop.body_i, loop.point_i), (loop.body_j, loop.point_j)):
            R, w = (self.R[b], self.w[b]) if b >= 0 else (np.eye(3), np.zeros(3))
            v, o = (self.v[b], self.p[b]) if b >= 0 else (np.zeros(3), np.zeros(3))
            arm = R @ np.array(list(c), float)
            ends.append((b, arm, R, w, v + np.cross(w, arm), o + arm))
        (bi, ai, Ri, wi, vi, pi), (bj, aj, Rj, wj, vj, pj) = ends
        linear, turning = np.zeros((3, 6 * n)), np.zeros((3, 6 * n))
        for b, arm, sign in ((bi, ai, -1.0), (bj, aj, 1.0)):
            if b >= 0:
                linear[:, 6 * b : 6 * b + 3] += sign * np.eye(3)
                linear[:, 6 * b + 3 : 6 * b + 6] -= sign * skew(arm)
                turning[:, 6 * b + 3 : 6 * b + 6] += sign * np.eye(3)
        drift = np.cross(wj, np.cross(wj, aj)) - np.cross(wi, np.cross(wi, ai))
        if loop.joint == "spherical":
            return linear, drift
        if loop.joint == "fixed":
            return np.vstack([linear, turning]), np.concatenate([drift, np.zeros(3)])
        if loop.joint == "rod":
            gap, speed = pj - pi, vj - vi
            return (gap @ linear)[None], np.array([gap @ drift + speed @ speed])
        u = Ri @ np.array(list(loop.axis), float)
        t = np.linalg.svd(u[None])[2][1:]
        if loop.joint == "revolute":
            # relative turn stays along u, which moves with body i: t (wj - wi) = 0
            rate = np.array([np.dot(np.cross(wi, x), wj - wi) for x in t])
            return np.vstack([linear, t @ turning]), np.concatenate([drift, rate])
        if loop.joint == "universal":
            # u of body i stays normal to x of body j: n = u × x, n (wj - wi) = 0
            x = Rj @ np.array(list(loop.axis_j), float)
            n = np.cross(u, x)
            nd = np.cross(np.cross(wi, u), x) + np.cross(u, np.cross(wj, x))
            return np.vstack([linear, n @ turning]), np.array([*drift, nd @ (wj - wi)])
        if loop.joint in ("prismatic", "cylindrical"):
            gap, speed = pj - pi, vj - vi
            rows, bias = [], []
            for x in t:
                row = x @ linear
                if bi >= 0:  # the direction turns with body i
                    row = row.copy()
                    row[6 * bi + 3 : 6 * bi + 6] += np.cross(x, gap)
                xd = np.cross(wi, x)
                rows.append(row)
                bias.append(x @ drift + 2 * xd @ speed + np.cross(wi, xd) @ gap)
            if loop.joint == "cylindrical":
                rate = np.array([np.dot(np.cross(wi, x), wj - wi) for x in t])
                return np.vstack([rows, t @ turning]), np.concatenate([bias, rate])
            return np.vstack([rows, turning]), np.concatenate([bias, np.zeros(3)])
        raise ValueError(loop.joint)

    def accelerations(self, tau: np.ndarray) -> np.ndarray:
        """Return qdd of the tree for joint forces tau, by one system of all bodies and forces.

        Unknowns: accelerations of all bodies, joint accelerations and cut-joint multipliers; tree
        joints enter as a = S qdd + bias with their own multipliers. Least squares serve redundant
        equations.
        """
        m, n = self.m, len(self.m.bodies)
        M, h = self.newton_euler()
        cuts = [self.cut_rows(loop) for loop in m.loops]
        C = np.vstack([J for J, _ in cuts])
        c = np.concatenate([b for _, b in cuts])
        size, nv, r = 6 * n, m.nv, len(c)
        # rows: M a - f - Cᵀ λ = -h; Sᵀ f = tau; a - S qdd = bias; C a = -c
        A = np.zeros((size + nv + size + r, size + size + nv + r))
        A[:size, :size], A[:size, size : 2 * size] = M, -np.eye(size)
        A[:size, 2 * size + nv :] = -C.T
        A[size : size + nv, size : 2 * size] = self.S.T
        A[size + nv : 2 * size + nv, :size] = np.eye(size)
        A[size + nv : 2 * size + nv, 2 * size : 2 * size + nv] = -self.S
        A[2 * size + nv :, :size] = C
        b = np.concatenate([-h, tau, self.bias, -c])
        x, *_ = np.linalg.lstsq(A, b, rcond=1e-13)
        self.misfit = float(np.abs(A @ x - b).max())
        return x[2 * size : 2 * size + nv]
