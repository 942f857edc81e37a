"""Models of deep trees with all vectors at one point and in base axes.

Where every joint meets all joints before it, a six-vector that need not be brought from link to
link saves more than the constant axes of links do. Singh, Russell and Wensing (2022) write their
derivatives so; the inverse of the mass matrix is applied by the recursion of articulated bodies
(Featherstone 1983), freedom by freedom.

The point is where the first joint that turns stands: a free base or a gantry that carries the whole
tree far away takes no digits from the moments about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..algebra import Mat3, Rotation, Vec3, is_plain_zero
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import Vector
from ..linalg import Matrix
from ..linalg import Vector as Values
from ..mechanism import Body, Mechanism
from ..mechanism.rehome import expand_planar
from ..spatial import AT_REST, NO_WRENCH, ZERO, Articulated, Twist, Wrench, inertia_to_parent
from .derivatives import Slopes, by_expanded_bodies, flying, joint_slopes
from .joint_forces import JointForces
from .link_states import LinkState
from .newton_euler import Wrenches, newton_euler

HERE = (Rotation(), ZERO)  # nothing need be brought anywhere


@dataclass(frozen=True, slots=True)
class Based:
    """One body in base axes: its place, columns of its joint and inertia at the tree's point."""

    place: tuple[Rotation, Vec3]
    s: tuple[Twist, ...]
    I: Inertia

    @staticmethod
    def of(body: Body, q: Vector, R: Mat3, p: Vec3) -> Based:
        """Return a body that stands at (R, p)."""
        here = Rotation.of(R), p
        columns = tuple(x.to_parent(*here) for x in body.joint.columns(q))
        return Based(here, columns, inertia_to_parent(body.inertia, *here))


def turned(R: Mat3, own: Rotation) -> Mat3:
    """Return the product of rotations as a matrix, row by row."""
    return Mat3(*(tuple(own.T @ Vec3(*row)) for row in R.rows))


def based(m: Mechanism, q: Vector) -> list[Based]:
    """Return every body seen from the point where its tree begins to turn.

    Before that all twists are translations, the same at every point.
    """
    q_, R, p, found = m.split_q(q), {-1: Mat3.identity()}, {-1: ZERO}, []
    turns = {-1: False}
    for j, body in m.outward():
        i = body.parent
        own, at = body.pose(q_[j])
        R[j] = turned(R[i], own)
        p[j] = p[i] + R[i] @ at if turns[i] else ZERO
        columns = body.joint.columns(q_[j])
        turns[j] = turns[i] or any(not is_plain_zero(w) for x in columns for w in x.w)
        found.append(Based.of(body, q_[j], R[j], p[j]))
    return found


def composite_base(m: Mechanism, q: Vector) -> Matrix:
    """Return the mass matrix M(q) of the rigid bodies, nv x nv, symmetric."""
    n, start, bodies = m.nv, m.velocity_index, based(m, q)
    M: list[list[Scalar]] = [[0] * n for _ in range(n)]
    I = {j: body.I for j, body in enumerate(bodies)}
    for j, body in m.inward():
        if body.parent >= 0:
            I[body.parent] = I[body.parent] + I[j]
        for a, s in enumerate(bodies[j].s):
            wrench, i = I[j] @ s, j
            while i >= 0:
                for b, t in enumerate(bodies[i].s):
                    M[start[i] + b][start[j] + a] = M[start[j] + a][start[i] + b] = t.dot(wrench)
                i = m.bodies[i].parent
    return Matrix(M)


# -- derivatives -------------------------------------------------------------------------------


def base_states(m: Mechanism, bodies: Sequence[Based], qd: Vector, qdd: Vector) -> list[LinkState]:
    """Return the state of every body at the tree's point; columns must be fixed in the body."""
    qd_, qdd_ = m.split(qd), m.split(qdd)
    xi, a = {-1: AT_REST}, {-1: Twist(-m.gravity, ZERO)}
    states: list[LinkState] = []
    for j, body in m.outward():
        i, s, I = body.parent, bodies[j].s, bodies[j].I
        psi = tuple(xi[i].cross(x) for x in s)
        psi2 = tuple(a[i].cross(x) + xi[i].cross(r) for x, r in zip(s, psi, strict=True))
        xi[j], a[j] = xi[i], a[i]
        for x, r, rate, change in zip(s, psi, qd_[j], qdd_[j], strict=True):
            xi[j], a[j] = xi[j] + x * rate, a[j] + x * change + r * rate
        f = I @ a[j] + xi[j].cross_star(I @ xi[j])
        states.append(LinkState(HERE, s, xi[j], psi, psi2, I, f))
    return states


def inverse_derivatives_base(
    forces: JointForces, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> Slopes:
    """Return (dtau/dq, dtau/dqd, M), as `inverse_dynamics_derivatives` does."""
    tree = expand_planar(forces.m)
    bodies = based(tree, q)
    given = by_expanded_bodies(forces.m, wrenches or {})
    acting = {j: w.to_parent(*bodies[j].place) for j, w in given.items()}
    return joint_slopes(forces, base_states(tree, bodies, qd, qdd), acting, q, qd)


def forward_derivatives_base(
    forces: JointForces, q: Vector, qd: Vector, tau: Vector, wrenches: Wrenches | None = None
) -> Slopes:
    """Return (dqdd/dq, dqdd/dqd, M⁻¹), as `forward_dynamics_derivatives` does."""
    m, n = forces.m, forces.m.nv
    tree = expand_planar(m)
    M = Recursion(tree, based(tree, q), forces.rotor)
    h = newton_euler(m, q, qd, [0] * n, wrenches)
    qdd = M.solve(Values(tau) + forces.passive(q, qd) - h)
    dq, dqd, _ = inverse_derivatives_base(forces, q, qd, qdd, wrenches)
    columns = [M.solve(Values.unit(n, c), c + 1) for c in range(n)]
    inverse = Matrix([[columns[max(r, c)][min(r, c)] for c in range(n)] for r in range(n)])
    by_q, by_qd = (
        Matrix.columns([known[c] if c in known else M.solve(x) for c, x in enumerate((-D).T)], n)
        for D, known in zip((dq, dqd), flying(forces, q, qd), strict=True)
    )
    return by_q, by_qd, inverse


class Recursion:
    """M⁻¹ times vectors by articulated bodies; the columns of a joint are taken one by one."""

    def __init__(self, m: Mechanism, bodies: Sequence[Based], rotor: Mapping[int, Scalar]):
        self.m, self.bodies = m, bodies
        self.K: dict[int, Wrench] = {}
        self.over: dict[int, Scalar] = {}
        J = {j: Articulated.of(body.I) for j, body in enumerate(bodies)}
        for j, body in m.inward():
            k = m.velocity_index[j]
            for a in reversed(range(len(bodies[j].s))):
                s = bodies[j].s[a]
                U = J[j] @ s
                D = s.dot(U) + rotor.get(k + a, 0)
                self.over[k + a] = 1 / D
                self.K[k + a] = U * self.over[k + a]
                J[j] = J[j].less([U], [self.K[k + a]])
            if body.parent >= 0:
                J[body.parent] = J[body.parent] + J[j]

    def solve(self, b: Sequence[Scalar], first: int | None = None) -> list[Scalar]:
        """Return x of M x = b, or its first entries."""
        m, n = self.m, self.m.nv if first is None else first
        x, p = list(b), {j: NO_WRENCH for j in range(-1, len(m.bodies))}
        for j, body in m.inward():
            k, left = m.velocity_index[j], p[j]
            for a in reversed(range(len(self.bodies[j].s))):
                x[k + a] = u = x[k + a] - self.bodies[j].s[a].dot(left)
                if not is_plain_zero(u):
                    left = left + self.K[k + a] * u
            p[body.parent] = p[body.parent] + left
        a_ = {-1: AT_REST}
        for j, body in m.outward():
            k, moved = m.velocity_index[j], a_[body.parent]
            for a, s in enumerate(self.bodies[j].s):
                if k + a < n:
                    u, K = x[k + a], self.K[k + a]
                    own = 0 if is_plain_zero(u) else u * self.over[k + a]
                    x[k + a] = own - moved.dot(K)
                    moved = moved + s * x[k + a]
            a_[j] = moved
        return x[:n]
