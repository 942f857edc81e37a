"""Six-vectors of rigid bodies over any scalar, linear part first: twists, wrenches, inertias.

All are taken at the origin of one frame, in its axes. A frame that stands at (R, P) in another one
has the rotation R and the origin P there (ⁱR_j, ⁱP_j of frame j in its parent i).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from .algebra import Mat3, Rotation, Transform, Vec3, is_plain_one
from .expr import Scalar
from .frozen import dataclass
from .inertia import Inertia

ZERO = Vec3.zero()


class Massive(Protocol):
    """What has mass, first moment and rotational inertia about its frame origin."""

    @property
    def m(self) -> Scalar: ...
    @property
    def h(self) -> Vec3: ...
    @property
    def Io(self) -> Mat3: ...


@dataclass(frozen=True, slots=True)
class Wrench:
    """Force and couple at the origin."""

    f: Vec3
    n: Vec3

    @staticmethod
    def of(x: Sequence[Scalar]) -> Wrench:
        """Return the wrench of six entries; none are no wrench."""
        return Wrench(Vec3(*x[:3]), Vec3(*x[3:6])) if len(x) else NO_WRENCH

    def __iter__(self) -> Iterator[Vec3]:
        return iter((self.f, self.n))

    def __getitem__(self, k: int) -> Vec3:
        return (self.f, self.n)[k]

    def __add__(self, o: Wrench) -> Wrench:
        return Wrench(self.f + o.f, self.n + o.n)

    def __sub__(self, o: Wrench) -> Wrench:
        return Wrench(self.f - o.f, self.n - o.n)

    def __neg__(self) -> Wrench:
        return Wrench(-self.f, -self.n)

    def __mul__(self, k: Scalar) -> Wrench:
        return Wrench(self.f * k, self.n * k)

    def to_parent(self, R: Rotation, P: Vec3, onto: Wrench | None = None) -> Wrench:
        """Return the wrench at the origin and in the axes of the parent frame, added to `onto`.

        The sum is formed here, as its order decides what is shared.
        """
        f, n = R @ self.f, R @ self.n
        if onto is None:
            return Wrench(f, n + P.cross(f))
        return Wrench(onto.f + f, onto.n + n + P.cross(f))

    def entries(self) -> list[Scalar]:
        """Return the six entries, those of the force first."""
        return [*self.f, *self.n]


@dataclass(frozen=True, slots=True)
class Twist:
    """Linear and angular part of a motion: velocity of the origin and angular velocity.

    Also the rate of one, an acceleration, and the motion that a joint gives for unit speed.
    """

    v: Vec3
    w: Vec3

    @staticmethod
    def of(x: Sequence[Scalar]) -> Twist:
        """Return the motion of six entries, the linear ones first."""
        return Twist(Vec3(*x[:3]), Vec3(*x[3:6]))

    def __iter__(self) -> Iterator[Vec3]:
        return iter((self.v, self.w))

    def __getitem__(self, k: int) -> Vec3:
        return (self.v, self.w)[k]

    def __add__(self, o: Twist) -> Twist:
        return Twist(self.v + o.v, self.w + o.w)

    def __sub__(self, o: Twist) -> Twist:
        return Twist(self.v - o.v, self.w - o.w)

    def __neg__(self) -> Twist:
        return Twist(-self.v, -self.w)

    def __mul__(self, k: Scalar) -> Twist:
        return Twist(self.v * k, self.w * k)

    def dot(self, o: Wrench) -> Scalar:
        """Return the power of a wrench."""
        return self.v.dot(o.f) + self.w.dot(o.n)

    def cross(self, o: Twist) -> Twist:
        """Return ξ × of another motion, the rate of a motion that is carried along."""
        return Twist(self.w.cross(o.v) + self.v.cross(o.w), self.w.cross(o.w))

    def cross_star(self, o: Wrench) -> Wrench:
        """Return ξ ×* of a wrench, the rate of a wrench that is carried along."""
        return Wrench(self.w.cross(o.f), self.w.cross(o.n) + self.v.cross(o.f))

    def to_child(self, R: Rotation, P: Vec3) -> Twist:
        """Return the motion of the frame at (R, P) that moves along, in its axes."""
        return Twist(R.T @ (self.v + self.w.cross(P)), R.T @ self.w)

    def to_parent(self, R: Rotation, P: Vec3) -> Twist:
        """Return the motion of the point at the parent's origin, in the parent's axes."""
        w = R @ self.w
        return Twist(R @ self.v + P.cross(w), w)

    def __rmatmul__(self, I: Inertia) -> Wrench:
        """Return I ξ: the momentum of a velocity, the wrench of an acceleration."""
        return Wrench(self.v * I.m + self.w.cross(I.h), I.Io @ self.w + I.h.cross(self.v))

    def entries(self) -> list[Scalar]:
        """Return the six entries, the linear ones first."""
        return [*self.v, *self.w]


NO_WRENCH = Wrench(ZERO, ZERO)
AT_REST = Twist(ZERO, ZERO)


def squared(w: Vec3) -> Mat3:
    """Return skew(w) skew(w), symmetric: w wᵀ - (w·w) 1."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3.symmetric(-(yy + zz), -(xx + zz), -(xx + yy), xy, xz, yz)


@dataclass(frozen=True, slots=True)
class Motion:
    """What a rigid body feels of its motion: ω, ω̇ and V̇, the classical acceleration of its origin.

    In the axes of the body. Gravity g enters as the acceleration -g of the base.
    """

    w: Vec3 = ZERO
    wd: Vec3 = ZERO
    vd: Vec3 = ZERO

    @property
    def U(self) -> Mat3:
        """U = skew(ω̇) + skew(ω) skew(ω): a point at r accelerates by V̇ + U r."""
        return self.wd.skew() + squared(self.w)

    @property
    def acceleration(self) -> Twist:
        """(V̇, ω̇)."""
        return Twist(self.vd, self.wd)

    def carried(self, R: Rotation, P: Vec3) -> Motion:
        """Return the motion of the frame at (R, P) that moves along, in its axes."""
        return Motion(R.T @ self.w, R.T @ self.wd, R.T @ (self.vd + self.U @ P))

    def moved(self, wJ: Vec3, wdJ: Vec3, vJ: Vec3, vdJ: Vec3) -> Motion:
        """Return the motion with that of a joint added, which is given relative to this one."""
        return Motion(
            self.w + wJ,
            self.wd + wdJ + self.w.cross(wJ),
            self.vd + vdJ + 2 * self.w.cross(vJ),
        )

    def needs(self, body: Massive) -> Wrench:
        """Return the wrench that this motion asks of a body: Newton and Euler."""
        f = body.m * self.vd + self.U @ body.h
        return Wrench(f, self.couple(body.Io) + body.h.cross(self.vd))

    def couple(self, Io: Mat3) -> Vec3:
        """Return Io ω̇ + ω × (Io ω), written on the entries of U, which are there already.

        The products of angular velocities need not be formed again: a fifth less to compute.
        """
        U, w, wd = self.U, self.w, self.wd
        xx, yy, zz, xy, xz, yz = Io.six()
        x2, y2, z2 = w.x * w.x, w.y * w.y, w.z * w.z
        return Vec3(
            xx * wd.x + (zz - yy) * (w.y * w.z) - xy * U.c[0] + xz * U.b[0] + yz * (y2 - z2),
            yy * wd.y + (xx - zz) * (w.x * w.z) - yz * U.a[1] + xy * U.c[1] + xz * (z2 - x2),
            zz * wd.z + (yy - xx) * (w.x * w.y) - xz * U.b[2] + yz * U.a[2] + xy * (x2 - y2),
        )


@dataclass(frozen=True, slots=True)
class Articulated:
    """Inertia of an articulated body: f = M v̇ + B ω̇, n = Bᵀ v̇ + J ω̇; M and J symmetric."""

    M: Mat3
    B: Mat3
    J: Mat3

    @staticmethod
    def of(body: Massive) -> Articulated:
        """Return the inertia of one rigid body."""
        return Articulated(Mat3.identity() * body.m, -body.h.skew(), body.Io)

    def __add__(self, o: Articulated) -> Articulated:
        return Articulated(self.M + o.M, self.B + o.B, self.J + o.J)

    def __matmul__(self, a: Twist) -> Wrench:
        return Wrench(self.M @ a.v + self.B @ a.w, self.B.T @ a.v + self.J @ a.w)

    def less(self, U: Sequence[Wrench], K: Sequence[Wrench]) -> Articulated:
        """Return J - U D⁻¹ Uᵀ, with K = U D⁻¹."""
        M, B, J = self.M, self.B, self.J
        for u, k in zip(U, K, strict=True):
            if len(U) == 1:  # then U Kᵀ is symmetric, and where K is one no product is needed
                M, B, J = M - _half(u.f, k.f), B - _outer(u, k), J - _half(u.n, k.n)
            else:
                M, B, J = M - _symmetric(u.f, k.f), B - u.f.outer(k.n), J - _symmetric(u.n, k.n)
        return Articulated(M, B, J)

    def to_parent(self, R: Rotation, P: Vec3) -> Articulated:
        """Return the inertia at the origin and in the axes of the parent frame."""
        M, J = R.rotate(self.M), R.rotate(self.J)
        B = R @ (R @ self.B.T).T
        p = P.skew()
        B_i = B - M @ p
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (p @ B_i - B.T @ p).rows
        return Articulated(M, B_i, J + Mat3.symmetric(xx, yy, zz, xy, xz, yz))


def _symmetric(a: Vec3, b: Vec3) -> Mat3:
    """Return a bᵀ, known to be symmetric."""
    return Mat3.symmetric(a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z)


def _half(u: Vec3, k: Vec3) -> Mat3:
    """Return u kᵀ = k uᵀ; an entry of k that is one saves the product."""
    x, y, z = (u[b] if is_plain_one(k[a]) else u[a] * k[b] for a, b in ((0, 1), (0, 2), (1, 2)))
    return Mat3.symmetric(u.x * k.x, u.y * k.y, u.z * k.z, x, y, z)


def _outer(u: Wrench, k: Wrench) -> Mat3:
    """Return u.f k.nᵀ = k.f u.nᵀ; an entry of k that is one saves the product."""
    return Mat3(
        *(
            tuple(x if is_plain_one(g) else f * y for x, y in zip(u.n, k.n, strict=True))
            for f, g in zip(u.f, k.f, strict=True)
        )
    )


@dataclass(frozen=True, slots=True)
class CoriolisFactor:
    """B(I, ξ) = ½ [(ξ×*) I + (I ξ)×̄* - I (ξ×)]: only angular velocities meet it.

    Echeandia and Wensing, Numerical methods to compute the Coriolis matrix (2021), eq (24): of
    all points r of a body, K = ∫ ṙ rᵀ dm and p = ∫ ṙ dm, both sums, so a composite body adds them.
    """

    K: Mat3
    p: Vec3

    @staticmethod
    def of(I: Inertia, xi: Twist) -> CoriolisFactor:
        """Return the factor of an inertia that moves with the twist xi."""
        xx, yy, zz, xy, xz, yz = I.Io.six()
        # the second moments ∫ r rᵀ dm = ½ tr(J) 1 - J
        half = (xx + yy + zz) / 2
        second = Mat3.symmetric(half - xx, half - yy, half - zz, -xy, -xz, -yz)
        K = xi.w.skew() @ second + xi.v.outer(I.h)
        return CoriolisFactor(K, xi.v * I.m + xi.w.cross(I.h))

    def __add__(self, o: CoriolisFactor) -> CoriolisFactor:
        return CoriolisFactor(self.K + o.K, self.p + o.p)

    def to_parent(self, R: Rotation, P: Vec3) -> CoriolisFactor:
        """Return the factor at the origin and in the axes of the parent frame."""
        p = R @ self.p
        return CoriolisFactor(R.rotate_any(self.K) + p.outer(P), p)

    @property
    def Bw(self) -> Mat3:
        """tr(K) 1 - K."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.K.rows
        return Mat3((yy + zz, -xy, -xz), (-yx, xx + zz, -yz), (-zx, -zy, xx + yy))

    def __matmul__(self, x: Twist) -> Wrench:
        return Wrench(x.w.cross(self.p), self.Bw @ x.w)

    def transposed(self, x: Twist) -> Vec3:
        """Return the angular part of Bᵀ x; the linear part is zero."""
        return self.Bw.T @ x.w + self.p.cross(x.v)


def inertia_to_parent(I: Inertia, R: Rotation, P: Vec3) -> Inertia:
    """Return an inertia at the origin and in the axes of the parent frame."""
    return I.about_origin.moved(Transform(R, P))
