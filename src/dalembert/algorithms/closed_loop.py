"""Inverse and direct dynamics of mechanisms with closed loops.

Khalil (2010), section 4: Γ_c = Gᵀ Γ_tr (55) with G = ∂q̇_tr/∂q̇_a (56) from the closure (4), and
Γ_c = A_c q̈_a + H_c (58); (57) with the transpose of E2.19. Redundant equations are left out by the
plan; motors beyond the mobility share the load with the least norm; independent coordinates without
a motor move so that their force is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ..errors import ModelError, shown
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Matrix, general, projected, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism, joint_name
from .closed_kinematics import Closed, closed_at
from .composite import composite
from .drives import Drives
from .joint_forces import Inverse, JointForces, with_rotors
from .loop_closure import closure_rates
from .loop_plan import LoopPlan
from .newton_euler import Wrenches, newton_euler
from .partition import partitioned


@dataclass(frozen=True)
class ClosedModel:
    """A closed mechanism at a pose, with the forces of its cut tree.

    `tree` is the cut tree, in frames that may be chosen for its own dynamics; `forces` are those of
    the mechanism as it is described, whose frames hold the points of springs.
    """

    closed: Closed
    tree: Mechanism
    forces: JointForces
    inverse: Inverse = with_rotors(newton_euler)
    wrenches: Wrenches | None = None

    @staticmethod
    def at(
        m: Mechanism,
        plan: LoopPlan,
        q: Vector,
        tree: Mechanism | None = None,
        drives: Drives = "inertia",
        steps: int = 0,
    ) -> ClosedModel:
        """Return the model at a pose, after some steps of Newton."""
        return ClosedModel(closed_at(m, plan, q, steps), tree or m, JointForces(m, drives))

    @property
    def in_motion(self) -> ClosedModel:
        """The model along a motion, which knows the rates of all joints.

        Rates that followed from the independent ones would have poles within a step, where these
        do not decide the motion.
        """
        return replace(self, closed=replace(self.closed, moving=True))

    @property
    def plan(self) -> LoopPlan:
        """The plan of the loops."""
        return self.closed.plan

    @property
    def q(self) -> Vector:
        """The coordinates of the whole tree."""
        return self.closed.q

    @cached_property
    def M(self) -> Matrix:
        """The mass matrix of the cut tree, rotors included."""
        return self.forces.mass(composite(self.tree, self.q))

    @cached_property
    def G(self) -> Matrix:
        """G of (56), a column per independent coordinate."""
        return Matrix(self.closed.G, len(self.plan.independent))

    @property
    def A_c(self) -> Matrix:
        """A_c = Gᵀ M G of (58)."""
        return projected(self.M, self.G)

    def gamma(self, qd: Vector, qdd: Vector) -> Values:
        """Return Γ_tr, the joint forces of the cut tree in a motion, less those of springs."""
        tau = self.inverse(self.tree, self.q, qd, qdd, self.wrenches, self.forces.rotor)
        return tau - self.forces.passive(self.q, qd)

    def bias(self, qd: Vector) -> tuple[Values, Values]:
        """Return (Γ_tr, q̈ of the whole tree) where the independent coordinates do not accelerate.

        Only the independent entries of qd are read.
        """
        qd = self.closed.velocity(qd)
        rest = self.closed.acceleration(qd, [0] * len(self.plan.independent))
        return self.gamma(qd, rest), Values(rest)

    def motion(self, qd: Vector, qdd: Vector) -> tuple[Values, Values, Values]:
        """Return (q̇, q̈, Γ_tr) of the whole tree; coordinates without a motor move without force.

        Only the independent entries of qd and qdd are read.
        """
        plan = self.plan
        first = len(plan.independent) - plan.free
        ask = [qdd[k] for k in plan.independent[:first]] + [0] * plan.free
        full = self.closed.velocity(qd)
        moved = Values(self.closed.acceleration(full, ask))
        gamma = self.gamma(full, moved)
        if plan.free:
            # (Gᵀ Γ)_f = 0: the accelerations of the coordinates that no motor moves
            G_f = self.G.pick(range(len(moved)), range(first, first + plan.free))
            x = spd(projected(self.M, G_f), -(G_f.T @ gamma))
            moved, gamma = moved + G_f @ x, gamma + self.M @ G_f @ x
        return Values(full), moved, gamma

    def load(self, gamma: Values, tau: Vector) -> Values:
        """Return τ - Γ_tr for all joints."""
        return (-gamma).plus(dict(zip(self.plan.motors, tau, strict=True)))


# -- quantities --------------------------------------------------------------------------------


def tree_torques(model: ClosedModel, qd: Vector, qdd: Vector) -> Values:
    """Return Γ_tr: joint forces of the cut tree in the closed motion."""
    return model.motion(qd, qdd)[2]


def active_torques(
    model: ClosedModel, qd: Vector, qdd: Vector, weights: Sequence[float] | None = None
) -> list[Scalar]:
    """Return the motor forces Gᵀ Γ_tr (55)."""
    gamma = tree_torques(model, qd, qdd)
    return motor_shares(model.closed, model.closed.projected(gamma), weights)


def active_mass_matrix(model: ClosedModel) -> Matrix:
    """Return A_c of (58)."""
    return model.A_c


def active_bias(model: ClosedModel, qd: Vector) -> list[Scalar]:
    """Return H_c of (58)."""
    return model.closed.projected(model.bias(qd)[0])


def holding_forces(model: ClosedModel) -> list[Scalar]:
    """Return the motor forces that hold gravity and springs at rest.

    What no motor moves is not held: its share is left out (least squares in the coordinates that
    are independent).
    """
    rest = [0] * model.tree.nv
    return motor_shares(model.closed, model.closed.projected(model.gamma(rest, rest)), None)


def closed_forward(model: ClosedModel, qd: Vector, tau: Vector) -> Values:
    """Return q̈ of the whole tree for motor forces tau, by A_c and H_c (58)."""
    gamma, rest = model.bias(qd)
    qdd_i = spd(model.A_c, model.closed.projected(model.load(gamma, tau)))
    return model.closed.expanded(qdd_i) + rest


def closed_forward_multipliers(model: ClosedModel, qd: Vector, tau: Vector) -> Values:
    """Return q̈ of the whole tree by one system: M q̈ - Jᵀ λ = τ - h, J q̈ = -J' q̇."""
    closed, rows, n = model.closed, model.plan.rows, len(model.M)
    qd = closed.velocity(qd)
    load = model.load(model.gamma(qd, [0] * n), tau)
    bias = closure_rates(closed.m, closed.q, qd)[1]
    J = Matrix([closed.J[r] for r in rows], n)
    whole = Matrix.block([[model.M, -J.T], [J, Matrix.zeros(len(J), len(J))]]) if rows else model.M
    return general(whole, [*load, *(-bias[r] for r in rows)])[:n]


def closed_hybrid(
    model: ClosedModel, qd: Vector, x: Vector, given: Sequence[str | int] = ()
) -> tuple[Values, list[Scalar]]:
    """Return (q̈ of the whole tree, motor forces).

    x is the acceleration of the motors named in `given`, the force of the other motors; it has an
    entry for each joint, those of passive ones are not read.
    """
    plan, order = model.plan, model.plan.independent
    known = _known(model.closed.m, plan, given)
    gamma, rest = model.bias(qd)
    own = Values(x[k] if k in plan.motors else 0 for k in order)
    led = [a for a, k in enumerate(order) if k in known]
    qdd, tau = partitioned(model.A_c, Values(model.closed.projected(gamma)), own, led)
    force = dict(zip(order, tau, strict=True))
    return model.closed.expanded(qdd) + rest, [force[k] for k in plan.motors]


def _known(m: Mechanism, plan: LoopPlan, given: Sequence[str | int]) -> set[int]:
    """Return the velocity variables whose accelerations are given: motors, all independent."""
    if plan.spare_motors:
        raise ModelError(
            "motors beyond the mobility share their load: hybrid dynamics would not know how",
            hint="name as many active joints as the mechanism has degrees of freedom",
        )
    known: set[int] = set()
    for name in given:
        j = m.joint_index(name)
        own = m.rates_of(j)
        if not set(own) <= set(plan.motors):
            raise ModelError(
                f"joint {shown(joint_name(m.bodies[j]))!r} is passive: it follows the motors",
                hint="accelerations may be given of: " + ", ".join(map(shown, m.active)),
            )
        known.update(own)
    return known


# -- motors beyond the mobility ----------------------------------------------------------------


def motor_shares(
    closed: Closed, force: Sequence[Scalar], weights: Sequence[float] | None
) -> list[Scalar]:
    """Return motor forces u with G_aᵀ u = force, of least Σ w u² where motors are spare."""
    plan = closed.plan
    n = len(plan.independent) - plan.free
    ease = _eases(weights, len(plan.motors))
    if not plan.spare_motors:
        by_index = dict(zip(plan.independent[:n], force, strict=False))
        return [by_index[k] for k in plan.motors]
    Ga = Matrix([[closed.G[k][c] for c in range(n)] for k in plan.motors], n)
    eased = Matrix([row * e for row, e in zip(Ga, ease, strict=True)], n)
    return list(eased @ spd(Ga.T @ eased, force[:n]))


def _eases(weights: Sequence[float] | None, count: int) -> list[float]:
    """Return 1 / weight of each motor. Weights are constants, not traced."""
    if weights is None:
        return [1.0] * count
    if len(weights) != count or not all(0 < w < float("inf") for w in weights):
        raise ModelError(
            f"weights = {list(weights)}: one positive number for each of {count} motors is needed",
            hint="a larger weight spares its motor",
        )
    return [1 / w for w in weights]
