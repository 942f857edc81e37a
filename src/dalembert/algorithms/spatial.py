"""Six-vectors [angular; linear] at one point, and the motion of every body in its own frame.

Used where every body meets all before it: Coriolis matrix, derivatives. In the frame of a link its
joint axis is a constant and its inertia too; what must be seen from a parent is brought there.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import Vector
from ..mechanism import Mechanism
from .newton_euler import couple, squared


@dataclass(frozen=True, slots=True)
class Spatial:
    """[angular; linear] at O: of motion [w; v_O], or of force [couple at O; force]."""

    w: Vec3
    v: Vec3

    def __add__(self, o: Spatial) -> Spatial:
        return Spatial(self.w + o.w, self.v + o.v)

    def __sub__(self, o: Spatial) -> Spatial:
        return Spatial(self.w - o.w, self.v - o.v)

    def __mul__(self, k: Scalar) -> Spatial:
        return Spatial(self.w * k, self.v * k)

    def cross(self, o: Spatial) -> Spatial:
        """Return ξ × of a motion."""
        return Spatial(self.w.cross(o.w), self.w.cross(o.v) + self.v.cross(o.w))

    def cross_star(self, o: Spatial) -> Spatial:
        """Return ξ ×* of a force: [ŵ v̂; 0 ŵ] (E4.2)."""
        return Spatial(self.w.cross(o.w) + self.v.cross(o.v), self.w.cross(o.v))

    def dot(self, o: Spatial) -> Scalar:
        """Return the power: angular with angular, linear with linear."""
        return self.w.dot(o.w) + self.v.dot(o.v)

    def back(self, R: Rotation, P: Vec3) -> Spatial:
        """Return a force of the frame that stands at (R, P), seen from where that is said."""
        f = R @ self.v
        return Spatial(R @ self.w + P.cross(f), f)


ZERO = Spatial(Vec3.zero(), Vec3.zero())


@dataclass(frozen=True, slots=True)
class SpatialInertia:
    """I^s = [[J, ĥ], [-ĥ, m 1]] at O."""

    m: Scalar
    h: Vec3
    J: Mat3

    @staticmethod
    def of(m: Scalar, h: Vec3, Io: Mat3, p: Vec3) -> SpatialInertia:
        """Return the inertia at O of a body with (h, Io) at its origin p."""
        at_O = Inertia(m, h, Io, "origin").moved(Transform(Rotation(), p))
        return SpatialInertia(m, at_O.lever, at_O.tensor)

    def __mul__(self, k: Scalar) -> SpatialInertia:
        return SpatialInertia(self.m * k, self.h * k, self.J * k)

    def __add__(self, o: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(self.m + o.m, self.h + o.h, self.J + o.J)

    def back(self, R: Rotation, P: Vec3) -> SpatialInertia:
        """Return the inertia in the frame that stands at (R, P), seen from where that is said."""
        there = Inertia(self.m, self.h, self.J, "origin").moved(Transform(R, P))
        return SpatialInertia(there.mass, there.lever, there.tensor)

    def __matmul__(self, x: Spatial) -> Spatial:
        return Spatial(self.J @ x.w + self.h.cross(x.v), x.v * self.m - self.h.cross(x.w))


@dataclass(frozen=True, slots=True)
class CoriolisFactor:
    """B(I, ξ) = ½ [(ξ×*) I + (I ξ)×̄* - I (ξ×)] = [[tr(K) 1 - K, 0], [-p̂, 0]].

    Echeandia and Wensing, Numerical methods to compute the Coriolis matrix (2021), eq (24): of
    all points r of a body, K = ∫ ṙ rᵀ dm and p = ∫ ṙ dm, both sums, so a composite body adds them.
    """

    K: Mat3
    p: Vec3

    @staticmethod
    def of(I: SpatialInertia, xi: Spatial) -> CoriolisFactor:
        """Return the factor of an inertia that moves with the twist xi."""
        w, v = xi.w, xi.v
        xx, yy, zz, xy, xz, yz = I.J.six()
        # the second moments ∫ r rᵀ dm = ½ tr(J) 1 - J
        half = (xx + yy + zz) / 2
        second = Mat3.symmetric(half - xx, half - yy, half - zz, -xy, -xz, -yz)
        return CoriolisFactor(w.skew() @ second + v.outer(I.h), v * I.m + w.cross(I.h))

    def __add__(self, o: CoriolisFactor) -> CoriolisFactor:
        return CoriolisFactor(self.K + o.K, self.p + o.p)

    def back(self, R: Rotation, P: Vec3) -> CoriolisFactor:
        """Return the factor of the frame that stands at (R, P), seen from where that is said."""
        p = R @ self.p
        return CoriolisFactor(R.rotate_any(self.K) + p.outer(P), p)

    @property
    def Bw(self) -> Mat3:
        """tr(K) 1 - K."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.K.rows
        return Mat3((yy + zz, -xy, -xz), (-yx, xx + zz, -yz), (-zx, -zy, xx + yy))

    def __matmul__(self, x: Spatial) -> Spatial:
        return Spatial(self.Bw @ x.w, x.w.cross(self.p))

    def transposed(self, x: Spatial) -> Vec3:
        """Return the angular part of Bᵀ x; the linear part is zero."""
        return self.Bw.T @ x.w + self.p.cross(x.v)


@dataclass(frozen=True, slots=True)
class LinkState:
    """Everything about one body, in its own frame."""

    R: Rotation  # of its frame in the parent's
    P: Vec3
    s: tuple[Spatial, ...]  # motion of each freedom of its joint
    xi: Spatial
    psi: tuple[Spatial, ...]  # Ψ̇: rate of s as the parent moves
    psi2: tuple[Spatial, ...]  # Ψ̈
    I: SpatialInertia
    f: Spatial  # the wrench its motion needs, gravity included


def link_states(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[LinkState]:
    """Return the state of every body; joints must have columns that are fixed in the body."""
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    v, motion = {-1: Vec3.zero()}, {-1: Motion(Vec3.zero(), Vec3.zero(), -m.gravity)}
    states: list[LinkState] = []
    for j, body in m.outward():
        i = body.parent
        R, P = body.pose(q_[j])
        before, v_i = motion[i].seen(R, P), R.T @ (v[i] + motion[i].w.cross(P))
        wJ, wdJ, vJ, vdJ = body.rates(q_[j], qd_[j], qdd_[j])
        own = motion[j] = Motion(
            before.w + wJ,
            before.wd + wdJ + before.w.cross(wJ),
            before.vd + vdJ + 2 * before.w.cross(vJ),
        )
        v[j] = v_i + vJ
        s = tuple(Spatial(angular, linear) for linear, angular in body.joint.columns(q_[j]))
        # a joint of one freedom does not move its own axis: the link moves it as its parent does
        carrier, speed = (own, v[j]) if len(s) == 1 else (before, v_i)
        states.append(
            LinkState(
                R,
                P,
                s,
                Spatial(own.w, v[j]),
                tuple(Spatial(carrier.w, speed).cross(x) for x in s),
                tuple(carrier.second_rate(x, speed) for x in s),
                SpatialInertia(body.m, body.h, body.Io),
                own.wrench(body.m, body.h, body.Io),
            )
        )
    return states


@dataclass(frozen=True, slots=True)
class Motion:
    """Angular velocity and acceleration, and classical acceleration of the origin, link axes."""

    w: Vec3
    wd: Vec3
    vd: Vec3

    @property
    def U(self) -> Mat3:
        """U = skew(wd) + skew(w) skew(w)."""
        return self.wd.skew() + squared(self.w)

    def seen(self, R: Rotation, P: Vec3) -> Motion:
        """Return the motion of the frame that stands at (R, P) and moves along."""
        return Motion(R.T @ self.w, R.T @ self.wd, R.T @ (self.vd + self.U @ P))

    def second_rate(self, s: Spatial, v: Vec3) -> Spatial:
        """Return ξ̇ × s + ξ × (ξ × s) for ξ = (w, v), whose ξ̇ has the linear part vd - w × v."""
        drag = self.vd.cross(s.w) + 2 * v.cross(self.w.cross(s.w))
        return Spatial(self.U @ s.w, self.U @ s.v + drag)

    def wrench(self, m: Scalar, h: Vec3, Io: Mat3) -> Spatial:
        """Return the wrench at the origin that the motion asks of a body (newton_euler)."""
        F = m * self.vd + self.U @ h
        return Spatial(couple(Io, self.U, self.w, self.wd) + h.cross(self.vd), F)
