"""Closed loops from their independent coordinates: assembly, velocities, accelerations, G.

Khalil (2010), section 2.2, eqs (2)-(5), and G of (56). The equations and the order of their pivots
are planned (`plan.py`); the last few pivots are chosen at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ..algebra import is_zero
from ..expr import Scalar, absolute, maximum, minimum, solve, where
from ..joint import Vector
from ..mechanism import Mechanism
from .loop_closure import closure, closure_rates, closure_sides, loop_jacobian
from .velocity_rows import is_rolling

Matrix = Sequence[Sequence[Scalar]]
CERTIFIED = 1e-9  # a certificate above this says that the plan is not that of the state
DENSE = 6  # the last pivots are chosen at run time, those before are the planned ones


class Plan(Protocol):
    """What is known of the loops before tracing (see `plan.LoopPlan`)."""

    @property
    def rows(self) -> tuple[int, ...]: ...
    @property
    def dependent(self) -> tuple[int, ...]: ...
    @property
    def independent(self) -> tuple[int, ...]: ...
    @property
    def motors(self) -> tuple[int, ...]: ...
    @property
    def free(self) -> int: ...
    @property
    def equations(self) -> int: ...
    @property
    def spare_motors(self) -> int: ...
    @property
    def row_sizes(self) -> tuple[float, ...]: ...
    @property
    def column_sizes(self) -> tuple[float, ...]: ...


# -- the planned linear system -----------------------------------------------------------------


class Factor:
    """A = L U in planned order, its last rows solved with pivoting at run time."""

    def __init__(self, A: Matrix):
        self.n = n = len(A)
        self.head = head = max(0, n - DENSE)
        U = [list(row) for row in A]
        self.L: list[list[Scalar]] = [[0] * n for _ in range(n)]
        self.ratio: Scalar = 1
        for k in range(head):
            inverse = 1 / U[k][k]
            # behind a pivot of zero nothing is a number: the ratio says so
            self.ratio = where(absolute(U[k][k]) > 0, self.ratio, 0)
            for i in range(k + 1, n):
                if is_zero(U[i][k]):
                    continue
                self.L[i][k] = l = U[i][k] * inverse
                # a multiplier above one is a pivot below the largest entry of its column
                self.ratio = minimum(self.ratio, 1 / maximum(absolute(l), 1))
                for c in range(k + 1, n):
                    if not is_zero(U[k][c]):
                        U[i][c] = U[i][c] - l * U[k][c]
        self.U = U
        self.tail = [row[head:] for row in U[head:]]
        self.ratio = minimum(self.ratio, _pivot_ratio(self.tail))
        if head:
            self.ratio = where(self.ratio > 0, self.ratio, 0)

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return x of A x = b."""
        n, head, L, U = self.n, self.head, self.L, self.U
        y = list(b)
        for k in range(head):
            for i in range(k + 1, n):
                y[i] = y[i] - L[i][k] * y[k]
        x: list[Scalar] = [0] * head + general(self.tail, y[head:])
        for k in reversed(range(head)):
            s = y[k]
            for c in range(k + 1, n):
                s = s - U[k][c] * x[c]
            x[k] = s / U[k][k]
        return x

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return x of Aᵀ x = b."""
        n, head, L, U = self.n, self.head, self.L, self.U
        z = list(b)
        for k in range(head):
            z[k] = z[k] / U[k][k]
            for c in range(k + 1, n):
                z[c] = z[c] - U[k][c] * z[k]
        turned = [list(column) for column in zip(*self.tail, strict=True)]
        x: list[Scalar] = z[:head] + general(turned, z[head:])
        for k in reversed(range(head)):
            for i in range(k + 1, n):
                x[k] = x[k] - L[i][k] * x[i]
        return x


def general(A: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
    """Return x of A x = b for any regular A, the empty one included."""
    return solve(A, b, "general") if len(b) else []


def _pivot_ratio(A: Matrix) -> Scalar:
    """Return the smallest pivot of Gauss with row exchanges over the largest."""
    n = len(A)
    if not n:
        return 1
    rows = [list(row) for row in A]
    low: Scalar = None
    high: Scalar = None
    for j in range(n):
        for r in range(j + 1, n):
            better = absolute(rows[r][j]) > absolute(rows[j][j])
            for c in range(j, n):
                up, down = rows[j][c], rows[r][c]
                rows[j][c], rows[r][c] = where(better, down, up), where(better, up, down)
        size = absolute(rows[j][j])
        low = size if low is None else minimum(low, size)
        high = size if high is None else maximum(high, size)
        inverse = 1 / where(size > 0, rows[j][j], 1)
        for r in range(j + 1, n):
            factor = rows[r][j] * inverse
            for c in range(j + 1, n):
                rows[r][c] = rows[r][c] - factor * rows[j][c]
    return low / maximum(high, 1e-300)


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return Σ a b over entries that are not structurally zero."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


def _share(J: Matrix, plan: Plan) -> Scalar:
    """Return the smallest share that the dependent coordinates have in a planned row.

    A wheel alone has one pivot, which is the largest there is: beside the rest of its row it may
    fade all the same.
    """
    sizes, smallest = plan.column_sizes, 1
    for r in plan.rows:
        parts = [absolute(x) * s for x, s in zip(J[r], sizes, strict=True)]
        own = [parts[k] for k in plan.dependent if not is_zero(J[r][k])]
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
    plan: Plan
    q: Vector
    J: Matrix
    factor: Factor

    @staticmethod
    def at(m: Mechanism, plan: Plan, q: Vector) -> Closed:
        """Return the closure equations of a pose, solved for the dependent rates."""
        J = loop_jacobian(m, q)
        A = [[J[r][k] for k in plan.dependent] for r in plan.rows]
        factor = Factor(A)
        if is_rolling(m):
            factor.ratio = minimum(factor.ratio, _share(J, plan))
        return Closed(m, plan, q, J, factor)

    def tree(self, independent: Sequence[Scalar], bias: Sequence[Scalar] | None) -> list[Scalar]:
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
        return x

    def velocity(self, qd: Vector) -> list[Scalar]:
        """Return the rates of all joints from those of the independent ones, (4)."""
        sides = closure_sides(self.m, self.q)
        return self.tree([qd[k] for k in self.plan.independent], sides)

    def acceleration(self, qd: Vector, qdd: Sequence[Scalar]) -> list[Scalar]:
        """Return the accelerations of all joints from the independent ones; qd is closed."""
        return self.tree(qdd, closure_rates(self.m, self.q, qd)[1])

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
        columns = [self.tree([1 if k == c else 0 for k in range(n)], None) for c in range(n)]
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
        left = [r for r in left if not all(is_zero(x) for x in self.J[r])]
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
        if is_zero(self.opening):
            return self.factor.ratio
        return where(self.opening > CERTIFIED, 0, self.factor.ratio)

    @property
    def _size(self) -> Scalar:
        """The largest entry of J, rows and columns in the sizes of the plan."""
        plan = self.plan
        return _largest([
            absolute(x) * (s / size)
            for row, size in zip(self.J, plan.row_sizes, strict=True)
            for x, s in zip(row, plan.column_sizes, strict=True)
            if not is_zero(x)
        ])  # fmt: skip

    def checks(self) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Return the residual of every equation, the smallest pivot ratio, the certificate."""
        return closure(self.m, self.q), [self.factor.ratio], [self.certificate]


def checks_of(residual: Sequence[Scalar], pivot: Scalar, certificate: Scalar) -> list[Scalar]:
    """Return the three numbers of exported code: the largest residual, pivot and certificate."""
    return [_largest([absolute(x) for x in residual]), pivot, certificate]


def assembly(m: Mechanism, plan: Plan, q: Vector, steps: int = 8) -> Any:
    """Return (q, checks): dependent joints found from the independent ones.

    Newton's steps from the given pose: the start decides the branch.
    """
    closed = closed_at(m, plan, q, steps)
    return [list(closed.q), *closed.checks()]


def _stepped(closed: Closed) -> list[Scalar]:
    m, plan = closed.m, closed.plan
    residual = closure(m, closed.q)
    step: list[Scalar] = [0] * m.nv
    found = closed.factor.solve([residual[r] for r in plan.rows])
    for k, x in zip(plan.dependent, found, strict=True):
        step[k] = -x
    out: list[Scalar] = []
    for body, own, dq in zip(m.bodies, m.split_q(closed.q), m.split(step), strict=True):
        out.extend(own if all(is_zero(x) for x in dq) else body.joint.integrate(own, dq))
    return out


def closed_at(m: Mechanism, plan: Plan, q: Vector, steps: int) -> Closed:
    """Return the closure at a pose, after `steps` of Newton."""
    closed = Closed.at(m, plan, q)
    for _ in range(steps):
        closed = Closed.at(m, plan, _stepped(closed))
    return closed


def tree_motion(
    m: Mechanism, plan: Plan, q: Vector, qd: Vector, qdd: Vector, steps: int = 0
) -> Any:
    """Return (qd, qdd, checks) of the whole tree from the independent coordinates."""
    closed = closed_at(m, plan, q, steps)
    qd = closed.velocity(qd)
    qdd = closed.acceleration(qd, [qdd[k] for k in plan.independent])
    return [qd, qdd, *closed.checks()]


def in_closed_motion(
    m: Mechanism, plan: Plan, q: Vector, qd: Vector, *qdd: Vector, run: Any, tree: Any = None,
    steps: int = 0, **options: Any,
) -> Any:  # fmt: skip
    """Return (what `run` gives for the whole tree, checks) in the motion of the independent joints.

    `run(m, q, qd, ...)` is a quantity of trees; qdd is given where it needs accelerations.
    """
    closed = closed_at(m, plan, q, steps)
    full = closed.velocity(qd)
    more = [closed.acceleration(full, [x[k] for k in plan.independent]) for x in qdd]
    return [run(tree or m, closed.q, full, *more, **options), *closed.checks()]


def active_map(m: Mechanism, plan: Plan, q: Vector, steps: int = 0) -> Any:
    """Return (G, checks): rates of all joints from those of the independent ones, (56)."""
    closed = closed_at(m, plan, q, steps)
    return [closed.G, *closed.checks()]
