"""Augmented bodies: the constants that the condensed Lagrange equations are written with.

Liégeois and Aldon, INRIA RR 32 (1980), section 3.1, eqs (3-2)-(3-4), and section 4.3;
errata E0.9, E0.21.

Body j augmented is body j with, at the origin of each joint it carries, all the mass beyond that
joint. Everything is measured from O_j, the origin of joint j before any slide, in the axes of
frame j. A sliding joint carries body j itself along, so d_j and every lever l_jc grow by q_j s_j
(E0.9), s_j the slide per unit of q_j. What is constant and what goes with q_j and q_j² are kept
apart: reported mass V + V_q q_j, reported inertia W + W_q q_j + W_qq q_j²; without a slide V_q, W_q
and W_qq are zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra import Mat3, Vec3
from ..errors import ModelError, shown
from ..expr import Scalar
from ..inertia import steiner
from ..joint import Joint
from ..mechanism import Mechanism, joint_name


@dataclass(frozen=True, slots=True)
class AugmentedBody:
    """Mass, reported mass and reported inertia of one augmented body, axes of its frame."""

    M: Scalar  # mass of body j and of everything beyond (3-2)
    V: Vec3  # M_j b_j, the reported mass (3-3): constant part
    W: Mat3  # reported inertia, the K sums of (3-4): constant part
    J: Mat3  # I_j + W, the total inertia about O_j (3-4): constant part
    slide: Vec3  # s_j: the axis of a prismatic joint, pitch times the axis of a screw, else 0
    levers: tuple[tuple[int, Vec3], ...]  # (child c, l_jc): O_c seen from O_j at q_j = 0

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
        V, W, J = inertia.h, steiner(inertia.m, inertia.centre), inertia.Io
        for c, l in levers:
            V = V + l * M[c]
            K = steiner(M[c], l)
            W, J = W + K, J + K
        made[j] = AugmentedBody(M[j], V, W, J, slide(body.joint, joint_name(body)), levers)
        if body.parent >= 0:
            M[body.parent] = M[body.parent] + M[j]
            children[body.parent].append(j)

    return [made[j] for j in range(n)]


def slide(joint: Joint, name: str = "joint") -> Vec3:
    """Return the displacement of the child origin per unit of q; zero for joints that only turn."""
    if joint.nv == 1:
        return joint.columns([0])[0][0]
    if joint.kind in ("fixed", "spherical"):
        return Vec3.zero()
    raise ModelError(
        f"joint {shown(name)!r} is {joint.kind}, and an augmented body turns, slides or screws",
        hint="expand the base into revolute and prismatic joints with massless bodies between them",
    )
