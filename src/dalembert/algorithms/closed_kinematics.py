"""Closed loops from their independent coordinates: assembly, velocities, accelerations, G.

Khalil (2010), section 2.2, eqs (2)-(5), and G of (56). The equations and the order of their pivots
are planned (`plan/loops.py`); the last few pivots are chosen at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..algebra import is_plain_zero
from ..expr import Scalar, absolute, maximum, minimum, where
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Planned, dot
from ..linalg import Vector as Values
from ..mechanism import Mechanism, is_rolling
from .loop_closure import (
    closure,
    closure_rates,
    closure_sides,
    loop_jacobian,
    turned_closure,
)
from .loop_plan import LoopPlan

Rows = Sequence[Sequence[Scalar]]
SINGULAR = 1e-8  # a pivot below this part of the largest says that the pose is singular
CERTIFIED = 1e-9  # a certificate above this says that the plan is not that of the state


def _share(J: Rows, plan: LoopPlan) -> Scalar:
    """Return the smallest share that the dependent coordinates have in a planned row.

    A wheel alone has one pivot, which is the largest there is: beside the rest of its row it may
    fade all the same.
    """
    sizes, smallest = plan.column_sizes, 1
    for r in plan.rows:
        parts = [absolute(x) * s for x, s in zip(J[r], sizes, strict=True)]
        own = [parts[k] for k in plan.dependent if not is_plain_zero(J[r][k])]
        if own:
            smallest = minimum(smallest, _largest(own) / maximum(_largest(parts), 1e-300))
    return smallest


def _largest(values: Sequence[Scalar]) -> Scalar:
    top: Scalar = 0
    for x in values:
        top = maximum(top, x)
    return top


# -- kinematics --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Closed:
    """A mechanism at a pose with its closure factorised."""

    m: Mechanism
    plan: LoopPlan
    q: Vector
    J: Rows
    factor: Planned
    ratio: Scalar  # the smallest pivot ratio; on wheels no more than the share of each row
    moving: bool = False  # the rates that are given are those of a motion: none has to follow

    @staticmethod
    def at(m: Mechanism, plan: LoopPlan, q: Vector) -> Closed:
        """Return the closure equations of a pose, solved for the dependent rates."""
        J = loop_jacobian(m, q)
        A = [[J[r][k] for k in plan.dependent] for r in plan.rows]
        factor = Planned(A)
        ratio = minimum(factor.ratio, _share(J, plan)) if is_rolling(m) else factor.ratio
        return Closed(m, plan, q, J, factor, ratio)

    def expanded(
        self, independent: Sequence[Scalar], bias: Sequence[Scalar] | None = None
    ) -> Values:
        """Return the whole vector from its independent part: J x = -bias."""
        plan = self.plan
        right = []
        for r in plan.rows:
            own = dot([self.J[r][k] for k in plan.independent], independent)
            right.append(-own if bias is None else -(own + bias[r]))
        x: list[Scalar] = [0] * self.m.nv
        for k, value in zip(plan.independent, independent, strict=True):
            x[k] = value
        for k, value in zip(plan.dependent, self.factor.solve(right), strict=True):
            x[k] = value
        return Values(x)

    def velocity(self, qd: Vector) -> Values:
        """Return the rates of all joints from those of the independent ones, (4)."""
        if self.moving:
            return Values(qd)
        sides = closure_sides(self.m, self.q)
        return self.expanded([qd[k] for k in self.plan.independent], sides)

    def acceleration(self, qd: Vector, qdd: Sequence[Scalar]) -> Values:
        """Return the accelerations of all joints from the independent ones; qd is closed."""
        return self.expanded(qdd, closure_rates(self.m, self.q, qd)[1])

    def multipliers(self, gamma: Vector) -> list[Scalar]:
        """Return λ of the planned rows with (Jᵀ λ)_d = gamma_d."""
        return self.factor.solve_transposed([gamma[k] for k in self.plan.dependent])

    def projected(self, gamma: Vector) -> list[Scalar]:
        """Return Gᵀ gamma without forming G: gamma_i - J_iᵀ λ."""
        lam = self.multipliers(gamma)
        rows = self.plan.rows
        return [gamma[k] - dot([self.J[r][k] for r in rows], lam) for k in self.plan.independent]

    @cached_property
    def G(self) -> list[list[Scalar]]:
        """nv rows, one column per independent coordinate, (56)."""
        n = len(self.plan.independent)
        columns = [self.expanded([1 if k == c else 0 for k in range(n)]) for c in range(n)]
        return [[column[r] for column in columns] for r in range(self.m.nv)]

    @property
    def certificate(self) -> Scalar:
        """The largest entry of J G over all equations, in parts of J's largest: zero on the branch.

        So are the rates of idle motors by free coordinates, which the plan said they do not move
        with.
        """
        plan, sizes = self.plan, self.plan.column_sizes
        idle = [k for k in plan.motors if k not in plan.independent] if plan.free else []
        worst = self.opening
        for c, lead in list(enumerate(plan.independent))[len(plan.independent) - plan.free :]:
            for k in idle:
                worst = maximum(worst, absolute(self.G[k][c]) * (sizes[lead] / sizes[k]))
        return worst

    @cached_property
    def opening(self) -> Scalar:
        """The largest entry of J G: by how much the planned motion opens what was left out.

        Planned rows vanish by their solution, as far as the pivot ratio says; the others were said
        to follow from them. Rows and columns are measured in the sizes of the plan.
        """
        plan, sizes = self.plan, self.plan.column_sizes
        left = [r for r in range(plan.equations) if r not in plan.rows]
        left = [r for r in left if not all(is_plain_zero(x) for x in self.J[r])]
        gaps = []
        for c, lead in enumerate(plan.independent if left else ()):
            column = [row[c] for row in self.G]
            for r in left:
                gap = dot(self.J[r], column)
                gaps.append(absolute(gap) * (sizes[lead] / plan.row_sizes[r]))
        return _largest(gaps) / self._size if gaps else 0

    @property
    def trusted(self) -> Scalar:
        """The pivot ratio where the plan holds, zero where it is that of another branch."""
        if is_plain_zero(self.opening):
            return self.ratio
        return where(self.opening > CERTIFIED, 0, self.ratio)

    @property
    def _size(self) -> Scalar:
        """The largest entry of J, rows and columns in the sizes of the plan."""
        plan = self.plan
        return _largest([
            absolute(x) * (s / size)
            for row, size in zip(self.J, plan.row_sizes, strict=True)
            for x, s in zip(row, plan.column_sizes, strict=True)
            if not is_plain_zero(x)
        ])  # fmt: skip

    def checks(self) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Return the residual of every equation, the smallest pivot ratio, the certificate."""
        return turned_closure(self.m, self.q), [self.ratio], [self.certificate]


def checks_of(residual: Sequence[Scalar], pivot: Scalar, certificate: Scalar) -> list[Scalar]:
    """Return the three numbers of exported code: the largest residual, pivot and certificate."""
    return [_largest([absolute(x) for x in residual]), pivot, certificate]


def assembly(closed: Closed) -> Vector:
    """Return q: dependent joints found from the independent ones.

    Newton's steps from a pose: the start decides the branch.
    """
    return closed.q


def _stepped(closed: Closed) -> list[Scalar]:
    m, plan = closed.m, closed.plan
    residual = closure(m, closed.q)
    step: list[Scalar] = [0] * m.nv
    found = closed.factor.solve([residual[r] for r in plan.rows])
    for k, x in zip(plan.dependent, found, strict=True):
        step[k] = -x
    out: list[Scalar] = []
    for body, own, dq in zip(m.bodies, m.split_q(closed.q), m.split(step), strict=True):
        out.extend(own if all(is_plain_zero(x) for x in dq) else body.joint.integrate(own, dq))
    return out


def closed_at(m: Mechanism, plan: LoopPlan, q: Vector, steps: int) -> Closed:
    """Return the closure at a pose, after `steps` of Newton."""
    closed = Closed.at(m, plan, q)
    for _ in range(steps):
        closed = Closed.at(m, plan, _stepped(closed))
    return closed


def tree_motion(closed: Closed, qd: Vector, qdd: Vector) -> tuple[Values, Values]:
    """Return (qd, qdd) of the whole tree from the independent coordinates."""
    qd = closed.velocity(qd)
    return qd, closed.acceleration(qd, [qdd[k] for k in closed.plan.independent])


def active_map(closed: Closed) -> list[list[Scalar]]:
    """Return G: rates of all joints from those of the independent ones, (56)."""
    return closed.G
