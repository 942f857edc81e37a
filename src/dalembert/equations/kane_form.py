"""Kane's method in closed form: the ten steps of DeSantis (1996), section 5, over exact ratios.

Rates of the coordinates are symbols of their own, as in (7.12), (8.22): J̇, W and C are written with
them, and J_nh says what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from ..algebra import Vec3, is_plain_zero
from ..algorithms import kane
from ..algorithms.drives import rotor_inertia
from ..algorithms.kinematics import target_pose
from ..algorithms.single_body import extended
from ..algorithms.velocity_constraints import Constraints
from ..door import doors
from ..errors import NotPolynomialError, shown
from ..mechanism import Mechanism, require_mechanism
from ..mechanism.followers import constrained
from ..plan.kane import with_speeds
from . import kane_loops
from .elimination import Matrix, has_any, product, solved, times, transposed
from .kane_cyclic import cyclic
from .kane_forces import active_forces
from .kane_implicit import Implicit
from .kane_lean import leaning_rows
from .kane_print import data, narrow, printed
from .kane_symbols import Setting
from .kane_sympy import Entries, lines_to_sympy, said_letters
from .loop_blocks import Solved
from .ratio import Ratio, size

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

EXPANDED = 4000  # products of terms up to which D, C and τ are multiplied out


@doors("text", "latex", "json")
class KaneForm:
    """The ten steps of a mechanism, each derived when it is first asked for.

    Entries are exact: numbers, or ratios of polynomials. Six rows per body that has inertia; `kept`
    are the rows that a planar machine needs (4.23), (4.24).
    """

    def __init__(self, m: Mechanism, q: Any = None):
        self.chosen = not m.speeds  # by rank, not by the user
        self.closed: Solved | None = None  # the loops of a closed chain
        if kane_loops.is_closed_chain(m):
            self.mechanism, self.closed = kane_loops.with_loops(m, q)
        else:
            self.mechanism = with_speeds(m)
        self.implicit: Implicit | None = None  # J_nh in named steps
        self.setting = Setting(self.mechanism, self.closed)
        self._held: list[Any] | None = None
        if not self.closed and (self.mechanism.rolling or self.mechanism.velocity_constraints):
            self._lean()
        s = self.setting
        self.m, self.field = s.m, s.field
        self.bodies = kane.massive(s.m)
        self.cyclic = {} if self.closed else cyclic(s.m, s.q)
        # springs whose force needs no square root; friction is not among the forces here
        polynomial = [
            x for x in s.m.springs if is_plain_zero(x.length) and is_plain_zero(x.damping)
        ]
        self.springs = tuple(polynomial)
        self.rotors = {k: x for k, x in rotor_inertia(s.m).items() if not is_plain_zero(x)}

    def _lean(self) -> None:
        """Name the steps of bodies that lean, where a root stands in the constraints."""
        try:
            self._held = self._rows()
        except NotPolynomialError:
            self.setting = Setting(self.mechanism, leaning=True)
            self.m, self.field = self.setting.m, self.setting.field
            self._held, steps = leaning_rows(self.setting)
            self.implicit = Implicit(self, self._held, steps)
            self.setting.said = cache(partial(said_letters, self))

    def __repr__(self) -> str:
        speeds = ", ".join(shown(n, 40) for n in self.mechanism.speeds)
        of = shown(self.mechanism.name)
        return f"<KaneForm of {of} with the speeds {speeds}; .text() has its steps>"

    # -- 1 to 3: frames, q, f(q) -------------------------------------------------------------------

    @cached_property
    def f(self) -> list[tuple[Vec3, Any]]:
        """Step 3: position of each mass centre and orientation of its body, χ = f(q)."""
        poses = [target_pose(self.m, kane.centre(self.m, j), self.setting.q) for j in self.bodies]
        still = [(T, self.cyclic.get(j)) for T, j in zip(poses, self.bodies, strict=True)]
        return [(T.p, T.R if c is None else T.R @ c.turn.T) for T, c in still]

    # -- 4 and 5: J_h, J_nh ------------------------------------------------------------------------

    @cached_property
    def J_h(self) -> Matrix:
        """Step 4: v = J_h q̇ (2.8); of a body that only spins in axes that do not."""
        J = [list(row) for row in kane.J_h(self.m, self.setting.q)]
        for b, j in enumerate(self.bodies):
            if j in self.cyclic:
                for r in (6 * b, 6 * b + 3):
                    J[r : r + 3] = product(list(map(list, self.cyclic[j].R.rows)), J[r : r + 3])
        return Entries(J)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Which of vx, vy, vz, wx, wy, wz move in any body."""
        J = self.J_h
        return tuple(r for r in range(6) if any(has_any(row) for row in J[r::6]))

    @cached_property
    def constraints(self) -> list[Any]:
        """The rows H q̇ = h (2.10); those of a closed chain are solved block by block."""
        if self.closed:
            return []
        return self._rows() if self._held is None else self._held

    def _rows(self) -> list[Any]:
        s = self.setting
        return Constraints.of(s.m).rows(s.q, [0] * s.m.nv, s.steer, s.t)

    @property
    def held(self) -> bool:
        """Whether the speeds are fewer than the rates."""
        return bool(self.closed or self.constraints)

    @cached_property
    def _reduction(self) -> tuple[Matrix, list[Any]]:
        s, n = self.setting, self.m.nv
        count = len(s.alpha)
        if self.closed:
            return kane_loops.J_nh(s, self.closed), [0] * n
        if self.implicit:
            return self.implicit.J_nh, self.implicit.drift
        if not self.constraints:
            return [[int(r == c) for c in range(n)] for r in range(n)], [0] * n
        speeds = kane.speed_rows(self.m, s.q, [0] * n, s.steer)
        every = [*self.constraints, *speeds]
        right = [[0] * count + [row.h] for row in self.constraints]
        right += [[int(a == b) for b in range(count)] + [0] for a in range(count)]
        X = solved(self.field, [row.H for row in every], right, [row.name for row in every])
        return [row[:-1] for row in X], [row[-1] for row in X]

    @property
    def J_nh(self) -> Matrix:
        """Step 5: q̇ = J_nh α + drift (2.12)."""
        return Entries(self._reduction[0])

    @property
    def drift(self) -> list[Any]:
        """The part of q̇ that prescribed motion h(t) makes."""
        return Entries(self._reduction[1])

    # -- 6 and 7: J, J̇, M, W -----------------------------------------------------------------------

    @cached_property
    def J(self) -> Matrix:
        """Step 6: v = J α (2.14), (2.15)."""
        return Entries(product(self.J_h, self.J_nh))

    @cached_property
    def J_dot(self) -> Matrix:
        """Step 6: dJ/dt (5.5), rates as symbols."""
        return Entries([self.rates(row) for row in self.J])

    def rates(self, row: list[Any]) -> list[Any]:
        """Return the rates of entries along the motion."""
        slopes = self._slopes
        return [x.derivative(slopes) if isinstance(x, Ratio) else 0 for x in row]

    @cached_property
    def _slopes(self) -> dict[int, Any]:
        return self.implicit.slopes if self.implicit else self.setting.slopes()

    @cached_property
    def M(self) -> list[Matrix]:
        """Step 7: M_i, 6 x 6 for each body (3.8)."""
        return [Entries(self._extended(j, Vec3.zero())[0]) for j in self.bodies]

    def _extended(self, j: int, w: Vec3) -> tuple[Matrix, Matrix]:
        inertia = self.m.bodies[j].inertia
        M, W = extended(inertia.mass, inertia.about_centre, w)
        return [list(row) for row in M], [list(row) for row in W]

    @cached_property
    def spin(self) -> list[Vec3]:
        """Ω of the axes of each body, by the rates."""
        qd = self.setting.qd
        turning = [self.J_h[6 * b + 3 : 6 * b + 6] for b in range(len(self.bodies))]
        found = [Vec3(*times(rows_, qd)) for rows_ in turning]
        own = zip(found, map(self.cyclic.get, self.bodies), strict=True)
        spin = [w if c is None else w - c.axis * qd[c.rate] for w, c in own]
        steps = self.implicit.steps if self.implicit else None
        return [steps.spin(b, w) for b, w in enumerate(spin, 1)] if steps else spin

    @cached_property
    def W(self) -> list[Matrix]:
        """Step 7: W_i, 6 x 6 for each body (3.9)."""
        turning = zip(self.bodies, self.spin, strict=True)
        return [Entries(self._extended(j, w)[1]) for j, w in turning]

    @cached_property
    def WM(self) -> list[Matrix]:
        """W_i M_i, 6 x 6 for each body."""
        return [product(W, M) for W, M in zip(self.W, self.M, strict=True)]

    # -- 8: active forces --------------------------------------------------------------------------

    @cached_property
    def _active(self) -> tuple[list[list[Any]], list[Any]]:
        return active_forces(self)

    @property
    def omega(self) -> list[list[Any]]:
        """Step 8: ω_a = (f, n) of each body, n about its mass centre (5.10)."""
        return Entries(self._active[0])

    @property
    def on_rates(self) -> list[Any]:
        """Forces of springs, and of motors between bodies without inertia, dual to q̇."""
        return self._active[1]

    # -- 9: D, C, τ, g0, gw ------------------------------------------------------------------------

    def D_of(self, J: Matrix) -> Matrix:
        """Return J'MJ, rotors with it."""
        turning = self._rotor_rows(self.J_nh)
        return product(transposed([*J, *self._turning]), [*self._weighed(J), *turning])

    @cached_property
    def _turning(self) -> Matrix:
        """Return the rows of J_nh that turn a rotor."""
        return [self.J_nh[k] for k in self.rotors]

    def _rotor_rows(self, A: Matrix) -> Matrix:
        """Return Ia times the rows of a matrix that belong to rotors."""
        return [[Ia * x for x in A[k]] for k, Ia in self.rotors.items()]

    def C_of(self, J: Matrix, J_dot: Matrix) -> Matrix:
        """Return J'(MJ̇ + WMJ)."""
        turning = self._rotor_rows([self.rates(row) for row in self.J_nh])
        return product(transposed([*J, *self._turning]), [*self._pushed(J, J_dot), *turning])

    def _pushed(self, v: Matrix, v_dot: Matrix) -> Matrix:
        """Return M v̇ + W M v of a stack of velocities."""
        weighed, rates = self._weighed(v), self._weighed(v_dot)
        inner = []
        for b in range(len(self.bodies)):
            own = slice(6 * b, 6 * b + 6)
            pairs = zip(rates[own], product(self.W[b], weighed[own]), strict=True)
            inner += [[x + y for x, y in zip(*pair, strict=True)] for pair in pairs]
        return inner

    def _weighed(self, J: Matrix) -> Matrix:
        """Return M J."""
        return [row for b in range(len(self.bodies))
                for row in product(self.M[b], J[6 * b : 6 * b + 6])]  # fmt: skip

    def _work(self, J: Matrix, other: Matrix) -> int:
        """Return how many products of terms J' times another stack takes."""
        return sum(
            sum(map(size, row)) * sum(map(size, right)) for row, right in zip(J, other, strict=True)
        )

    @cached_property
    def D(self) -> Matrix | None:
        """Step 9: D = J'MJ (5.12); None where it is left as this product."""
        small = self._work(self.J, self.J) <= EXPANDED
        return Entries(self.D_of(self.J)) if small else None

    @cached_property
    def C(self) -> Matrix | None:
        """Step 9: C = J'(MJ̇ + WMJ) (5.13, E3.4); None where it is left as this product."""
        both = self._work(self.J, self.J_dot) + self._work(self.J, self.J)
        return Entries(self.C_of(self.J, self.J_dot)) if both <= EXPANDED else None

    @cached_property
    def tau(self) -> list[Any] | None:
        """Step 9: τ = J'ω_a (5.16), with motors on bodies without inertia by J_nh."""
        stacked = [[x] for w in self.omega for x in w]
        if self._work(self.J, stacked) > EXPANDED:
            return None
        return Entries(self.tau_of(self.J))

    def tau_of(self, J: Matrix) -> list[Any]:
        """Return J'ω_a and J_nh' times the forces on the rates."""
        flat = [x for w in self.omega for x in w]
        own = times(transposed(J), flat)
        more = times(transposed(self.J_nh), self.on_rates)
        return [a + b for a, b in zip(own, more, strict=True)]

    @cached_property
    def moved(self) -> tuple[Matrix, Matrix]:
        """J_h b, what prescribed motion adds to v, and its rate."""
        v = [[x] for x in times(self.J_h, self.drift)]
        return v, [self.rates(row) for row in v]

    @property
    def driven(self) -> bool:
        """Whether prescribed motion moves a body."""
        return has_any(self.drift)

    @cached_property
    def drift_force(self) -> list[Any]:
        """J'(M d(J_h b)/dt + WM J_h b): what prescribed motion b adds to Cα."""
        if not self.driven:
            return [0] * len(self.setting.alpha)
        C = product(transposed(self.J), self._pushed(*self.moved))
        rotors = self._rotor_rows([self.rates([x]) for x in self.drift])
        more = product(transposed(self._turning), rotors) if rotors else [[0]] * len(C)
        return [a[0] + b[0] for a, b in zip(C, more, strict=True)]

    @cached_property
    def gw(self) -> Matrix | None:
        """Step 9: D⁻¹ (5.15), multiplied out for one or two speeds."""
        count = len(self.setting.alpha)
        if self.D is None or count > 2:
            return None
        unit = [[int(r == c) for c in range(count)] for r in range(count)]
        return Entries(solved(self.field, self.D, unit, [f"D row {k + 1}" for k in range(count)]))

    # -- 10: the state model -----------------------------------------------------------------------

    @cached_property
    def balance(self) -> list[Any] | None:
        """Step 10, motors: D α̇ + C α - τ with the motors' own forces left out, (7.25)."""
        if self.D is None or self.C is None or self.tau is None:
            return None
        s = self.setting
        left = times(self.D, s.alpha_dot)
        turning = times(self.C, s.alpha)
        total = [a + b + c for a, b, c in zip(left, turning, self.drift_force, strict=True)]
        return [a - b for a, b in zip(total, self.tau, strict=True)]

    def text(self, only: Sequence[int] | None = None) -> str:
        """Return the ten steps, or some of them by number, as text."""
        return printed(self, only).text(heads=True)

    def latex(self, only: Sequence[int] | None = None) -> str:
        """Return the ten steps, or some of them by number, in LaTeX."""
        return narrow(self, only).latex()

    def _repr_latex_(self) -> str:
        return narrow(self).mathematics()

    def to_sympy(self, only: Sequence[int] | None = None, whole: bool = False) -> dict[str, Any]:
        """Return every printed line, or those of some steps, as a SymPy expression by its name.

        It is written over the names of lines before it; `whole`: over coordinates, rates, forces
        and parameters alone, with parts shared in memory (`sympy.lambdify(..., cse=True)`).
        Relations of whole matrices, such as Jd = A*phi1d+B*deltad, are remarks and no lines.
        """
        return lines_to_sympy(self, only, whole)

    def json(self, only: Sequence[int] | None = None) -> dict[str, Any]:
        """Return the ten steps, or some of them by number, as plain data."""
        return data(self, only)


def kane_form(m: Mechanism, q: ArrayLike | None = None, expand: bool = False) -> KaneForm:
    """Return Kane's method for a tree with velocity constraints or loops, step by step.

    `q` is an assembled pose of a closed chain on the branch that is meant; `expand` turns planar,
    free and spherical joints into slides and turns.

    >>> import dalembert as da
    >>> print(da.kane_form(da.robots.planar2r()).text().splitlines()[0])
    # planar2r: Kane's method in ten steps (DeSantis 1996, section 5)
    """
    require_mechanism(m, "kane_form")
    if expand:
        from .expand import expanded, expanded_pose

        q = None if q is None else expanded_pose(m, q)
        m = expanded(m)
    return KaneForm(constrained(m) if m.followers else m, q)
