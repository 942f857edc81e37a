"""Six-vectors [angular; linear] at one fixed point, and the motion of every body in one frame.

The frame is that of the root body of each branch at this instant, taken as fixed: what happens
before the root joint then costs nothing. Used where all bodies meet: Coriolis matrix, derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..expr import Scalar
from ..inertia import Inertia
from ..joint import Vector
from ..mechanism import Mechanism


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
        return self.w.dot(o.w) + self.v.dot(o.v)


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

    def __add__(self, o: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(self.m + o.m, self.h + o.h, self.J + o.J)

    def __matmul__(self, x: Spatial) -> Spatial:
        return Spatial(self.J @ x.w + self.h.cross(x.v), x.v * self.m - self.h.cross(x.w))


@dataclass(frozen=True, slots=True)
class CoriolisFactor:
    """B(I, ξ) = ½ [(ξ×*) I + (I ξ)×̄* - I (ξ×)] = [[Bw, 0], [-p̂, 0]], p the linear momentum.

    Echeandia and Wensing, Numerical methods to compute the Coriolis matrix (2021), eq (24), in 3-D.
    """

    Bw: Mat3
    p: Vec3

    @staticmethod
    def of(I: SpatialInertia, xi: Spatial) -> CoriolisFactor:
        w, v = xi.w, xi.v
        p = v * I.m + w.cross(I.h)
        half = w.skew() @ I.J
        Bw = (half + half.T - (I.J @ w).skew()) * 0.5 - I.h.skew() @ v.skew()
        return CoriolisFactor(Bw, p)

    def __add__(self, o: CoriolisFactor) -> CoriolisFactor:
        return CoriolisFactor(self.Bw + o.Bw, self.p + o.p)

    def __matmul__(self, x: Spatial) -> Spatial:
        return Spatial(self.Bw @ x.w, x.w.cross(self.p))

    def transposed(self, x: Spatial) -> Vec3:
        """Return the angular part of Bᵀ x; the linear part is zero."""
        return self.Bw.T @ x.w + self.p.cross(x.v)


@dataclass(frozen=True, slots=True)
class SpatialState:
    """Everything about one body, in the frame of its root."""

    s: tuple[Spatial, ...]  # motion of each freedom of its joint
    xi: Spatial
    xi_d: Spatial  # acceleration, gravity included as that of the base
    xi_parent: Spatial
    xi_d_parent: Spatial
    I: SpatialInertia


def spatial_states(m: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[SpatialState]:
    """Return the spatial state of every body.

    Joints must have columns that are fixed in the body.
    """
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    R: dict[int, Rotation] = {}
    p: dict[int, Vec3] = {}
    states: list[SpatialState] = []
    for j, body in m.outward():
        R_j, P_j = body.pose(q_[j])
        if body.parent < 0:
            R[j], p[j] = Rotation(), Vec3.zero()
            xi_i, xi_d_i = ZERO, Spatial(Vec3.zero(), -(R_j.T @ m.gravity))
        else:
            i = body.parent
            R[j], p[j] = (R[i] @ R_j).bounded(), p[i] + R[i] @ P_j
            xi_i, xi_d_i = states[i].xi, states[i].xi_d
        s = tuple(_at_origin(R[j], p[j], *column) for column in body.joint.columns(q_[j]))
        relative = sum((x * k for x, k in zip(s, qd_[j], strict=True)), ZERO)
        given = sum((x * k for x, k in zip(s, qdd_[j], strict=True)), ZERO)
        xi = xi_i + relative
        I = SpatialInertia.of(body.m, R[j] @ body.h, R[j].rotate(body.Io), p[j])
        states.append(SpatialState(s, xi, xi_d_i + xi_i.cross(relative) + given, xi_i, xi_d_i, I))
    return states


def _at_origin(R: Rotation, p: Vec3, linear: Vec3, angular: Vec3) -> Spatial:
    w = R @ angular
    return Spatial(w, R @ linear + p.cross(w))
