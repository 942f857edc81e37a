"""Augmented bodies, and the condensed Lagrange equations written with their constants.

Liégeois and Aldon, INRIA RR 32 (1980), section 3, eqs (3-1)-(3-18), and section 4.3;
errata E0.7, E0.9-E0.19, E0.21. `condensed.py` holds the sums Q_i and A_ij.

Body j augmented is body j with, at the origin of each joint it carries, all the mass beyond that
joint. Everything is measured from O_j, the origin of joint j before any slide, in the axes of
frame j. A sliding joint carries body j itself along, so d_j and every lever l_jc grow by q_j s_j
(E0.9), s_j the slide per unit of q_j. What is constant and what goes with q_j and q_j² are kept
apart: reported mass V + V_q q_j, reported inertia W + W_q q_j + W_qq q_j²; without a slide V_q, W_q
and W_qq are zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from ..algebra import Mat3, Vec3, is_plain_zero, minus, plus, product
from ..errors import ModelError, shown
from ..expr import Scalar
from ..inertia import steiner, steiner_six, with_point
from ..joint import Vector
from ..mechanism import Body, Mechanism, joint_name
from ..mechanism.rehome import expand_planar, merge_fixed
from .condensed import Condensed, Link
from .dual import Dual, parts
from .newton_euler import Wrenches


@dataclass(frozen=True, slots=True)
class AugmentedBody:
    """Mass, reported mass and reported inertia of one augmented body, axes of its frame."""

    M: Scalar  # mass of body j and of everything beyond (3-2)
    V: Vec3  # M_j b_j, the reported mass (3-3): constant part
    points: tuple[tuple[Scalar, Vec3], ...]  # masses of W: of the body, of what each joint carries
    J: Mat3  # I_j + W, the total inertia about O_j (3-4): constant part
    slide: Vec3  # s_j: the axis of a prismatic joint, pitch times the axis of a screw, else 0
    levers: tuple[tuple[int, Vec3], ...]  # (child c, l_jc): O_c seen from O_j at q_j = 0

    @property
    def W(self) -> Mat3:
        """The reported inertia, the K sums of (3-4): constant part."""
        parts = [steiner_six(m, l) for m, l in self.points]
        return Mat3.symmetric(*[reduce(plus, entries, 0) for entries in zip(*parts, strict=True)])

    @property
    def V_q(self) -> Vec3:
        """The part of the reported mass that goes with q_j (E0.9)."""
        return self.slide * self.M

    @property
    def W_q(self) -> Mat3:
        """The part of the reported inertia that goes with q_j."""
        s, V = self.slide, self.V
        return Mat3.identity() * (2 * s.dot(V)) - (s.outer(V) + V.outer(s))

    @property
    def W_qq(self) -> Mat3:
        """The part of the reported inertia that goes with q_j²."""
        return steiner(self.M, self.slide)

    def reported_mass(self, q: Scalar) -> Vec3:
        """Return M_j b_j at the coordinate q of joint j."""
        return self.V + self.V_q * q

    def reported_inertia(self, q: Scalar) -> Mat3:
        """Return the K sums at the coordinate q of joint j."""
        return self.W + self.W_q * q + self.W_qq * (q * q)

    def total_inertia(self, q: Scalar) -> Mat3:
        """Return I_j plus the K sums at the coordinate q of joint j."""
        return self.J + self.W_q * q + self.W_qq * (q * q)


def augmented_bodies(mechanism: Mechanism) -> list[AugmentedBody]:
    """Return the augmented body of each body of a chain or tree, in the order of the bodies."""
    n = len(mechanism.bodies)
    M: list[Scalar] = [body.m for body in mechanism.bodies]
    children: list[list[int]] = [[] for _ in range(n)]
    made: dict[int, AugmentedBody] = {}

    # inward: when body j comes up, everything beyond it is known
    for j, body in mechanism.inward():
        inertia = body.inertia
        levers = tuple((c, mechanism.bodies[c].placement.p) for c in reversed(children[j]))
        V, J, points = inertia.h, inertia.Io, [(inertia.m, inertia.centre)]
        for c, l in levers:
            mass = M[c]
            V = Vec3(plus(V.x, product(l.x, mass)), plus(V.y, product(l.y, mass)),
                     plus(V.z, product(l.z, mass)))  # fmt: skip
            J = with_point(J.six(), mass, l)
            points.append((mass, l))
        made[j] = AugmentedBody(M[j], V, tuple(points), J, slide(body), levers)
        if body.parent >= 0:
            M[body.parent] = M[body.parent] + M[j]
            children[body.parent].append(j)

    return [made[j] for j in range(n)]


def slide(body: Body) -> Vec3:
    """Return the displacement of a body's origin per unit of q; zero where it only turns."""
    joint = body.joint
    if joint.nv == 1:
        return joint.columns([0])[0].v
    if joint.kind in ("fixed", "spherical"):
        return Vec3.zero()
    name = shown(joint_name(body))
    raise ModelError(
        f"joint {name!r} is {joint.kind}, and an augmented body turns, slides or screws",
        hint="expand the base into revolute and prismatic joints with massless bodies between them",
    )


# -- the equations at one state --------------------------------------------------------------------

Slope = Callable[[int, int, int], Scalar]  # (i, j, k): ∂A_ij/∂q_k


def augmented_body(
    mechanism: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[Scalar]:
    """Return tau_i = Σ A_ij q̈_j + Σ_{k>j} B_ijk q̇_j q̇_k + Σ C_ij q̇_j² - Q_i (3-1)."""
    refuse_wrenches(wrenches, "condensed equations")
    m = one_freedom_each(mechanism)
    here = condensed(m, q)
    n = m.nv
    tau = [-here.Q(i) for i in range(n)]
    for i, j in here.pairs():
        tau[i] = tau[i] + here.A(i, j) * qdd[j]
        if i != j:
            tau[j] = tau[j] + here.A(i, j) * qdd[i]
    if not all(is_plain_zero(x) for x in qd):
        slope = slopes(m, q, here)
        for i in range(n):
            for j in range(n):
                tau[i] = tau[i] + centrifugal(slope, i, j) * (qd[j] * qd[j])
                for k in range(j + 1, n):
                    tau[i] = tau[i] + coriolis(slope, i, j, k) * (qd[j] * qd[k])
    return tau


def augmented_coefficients(
    mechanism: Mechanism, q: Vector
) -> tuple[list[Scalar], list[list[Scalar]], list[list[list[Scalar]]], list[list[Scalar]]]:
    """Return (Q, A, B, C); B[i][j][k] = B[i][k][j] is the full coefficient, zero where j = k."""
    m = one_freedom_each(mechanism)
    here, n = condensed(m, q), m.nv
    slope = slopes(m, q, here)
    A: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for i, j in here.pairs():
        A[i][j] = A[j][i] = here.A(i, j)
    B: list[list[list[Scalar]]] = [[[0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(j + 1, n):
                B[i][j][k] = B[i][k][j] = coriolis(slope, i, j, k)
    C = [[centrifugal(slope, i, j) for j in range(n)] for i in range(n)]
    return [here.Q(i) for i in range(n)], A, B, C


def coriolis(slope: Slope, i: int, j: int, k: int) -> Scalar:
    """Return B_ijk for j < k from slopes of A: (3-17 bis) with its zero rules (E0.18, E0.19)."""
    if k == i:
        return 0
    if i == j:
        return slope(i, i, k)
    if i < j:
        return plus(slope(i, j, k), slope(i, k, j))
    return minus(slope(j, i, k), slope(j, k, i))


def centrifugal(slope: Slope, i: int, j: int) -> Scalar:
    """Return C_ij, half of what (3-18) and its rules print (E0.15-E0.17)."""
    if i == j:
        return 0
    if i < j:
        return slope(i, j, j)
    twice = slope(j, j, i)
    return 0 if is_plain_zero(twice) else -twice / 2


def slopes(m: Mechanism, q: Vector, here: Condensed) -> Slope:
    """Return ∂A_ij/∂q_k, i <= j, as a function; no slope that is zero by structure is taken."""
    at: dict[int, Condensed] = {}
    dual = m.map(lambda x: Dual(x, 0))

    def slope(i: int, j: int, k: int) -> Scalar:
        if not here.depends(i, j, k):
            return 0
        if k not in at:
            at[k] = condensed(dual, [Dual(x, 1 if r == k else 0) for r, x in enumerate(q)])
        return parts(at[k].A(i, j))[1]

    return slope


def condensed(m: Mechanism, q: Vector) -> Condensed:
    """Return the sums Q_i, A_ij of a mechanism of one-freedom joints at the posture q."""
    links = []
    for j, (body, augmented) in enumerate(zip(m.bodies, augmented_bodies(m), strict=True)):
        (linear, angular) = body.joint.columns([0])[0]
        slid = augmented.slide * q[j]
        links.append(
            Link(
                body.parent,
                body.pose([q[j]])[0].factors,
                linear,
                angular,
                augmented.M,
                augmented.reported_mass(q[j]),
                augmented.total_inertia(q[j]),
                {c: l + slid for c, l in augmented.levers},
            )
        )
    return Condensed(links, m.gravity)


def one_freedom_each(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with fixed bodies merged and planar joints as slides and a turn."""
    m = expand_planar(merge_fixed(mechanism))
    for body in m.bodies:
        if body.joint.nv != 1:
            raise ModelError(
                f"joint {shown(joint_name(body))!r} is {body.joint.kind}: "
                "the Lagrange form needs one coordinate per joint",
                hint="use newton_euler, or revolute joints with massless bodies between them",
            )
    return m


def refuse_wrenches(wrenches: Wrenches | None, form: str, instead: str = "newton_euler") -> None:
    """Raise ModelError for external wrenches, which the printed Lagrange forms do not have."""
    if wrenches:
        raise ModelError(
            f"the {form} cannot take external wrenches",
            hint=f'use method="{instead}"',
            command=f"write --method {instead}",
        )
