"""The closed forms Q, A, B, C of a mechanism, each derived when it is first asked for.

Liégeois and Aldon, INRIA RR 32 (1980): the sums of section 3 over exact polynomials, B and C by
derivation with the zero rules (3-17 bis), (3-18), errata E0.15-E0.19.
"""

# size: the methods of one class, each with an example

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..algebra import is_plain_zero
from ..algorithms.augmented_body import centrifugal, coriolis
from ..algorithms.condensed import Condensed
from ..algorithms.drives import Drives, rotor_inertia
from ..door import doors
from ..errors import ModelError, UsageError, closest, shown
from ..mechanism import Mechanism, joint_name, require_mechanism
from ..mechanism.follower import Follower
from ..mechanism.rehome import merge_fixed
from .entry import Kind, Place, Table
from .evaluate import known
from .expand import expanded, whole_joints
from .frames import rechosen
from .generator import refuse_coordinates
from .ring import Poly, Ring, rational
from .size import LIMIT, check
from .symbols import TreeSymbols

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .matrices import Matrices
    from .regressor import Regressor

Key = tuple[Kind, Place]
KINDS: tuple[Kind, ...] = ("Q", "A", "B", "C")
SERVED = ("revolute", "prismatic", "screw")
KEPT = 2000  # terms of a coefficient whose slopes are kept


def made(kind: Any = dict) -> Any:
    """Return a field that every set of equations fills anew."""
    return field(default_factory=kind, init=False, repr=False, compare=False)


def equations(
    m: Mechanism,
    expand: bool = False,
    full: bool = False,
    limit: int = LIMIT,
    q: ArrayLike | None = None,
) -> Any:
    """Return the closed forms Q, A, B, C of a tree of revolute, prismatic and screw joints.

    With closed loops they come with closure, G, A_c and H_c, lengths as letters where they have no
    value (`LoopEquations`); `q` is then a closed pose of the branch that is meant.

    `expand` turns a planar or free base into slides and turns with massless bodies between them;
    `full` names all components of the reported constants of every body; `limit` is the number of
    terms beyond which a kind of coefficient is refused.

    >>> import dalembert as da
    >>> eq = da.equations(da.robots.planar2r())
    >>> eq.A[1, 2], eq.Q[2], eq.B[1, 1, 2], eq.C[2, 1]
    (VX2*l1*C2+JZ2, VX2*G*C12, -2*VX2*l1*S2, VX2*l1*S2)
    >>> eq.constants["JZ2"]
    'j2+WX2'
    """
    require_mechanism(m, "equations")
    held = m.wheels or m.rolling or m.velocity_constraints
    if (m.loops or m.couplings) and not held and m.form is None and m.simplified is None:
        from .loop_equations import loop_equations

        return loop_equations(m, expand, full, limit, q)
    return tree_equations(m, expand, full, limit)


def tree_equations(
    m: Mechanism, expand: bool = False, full: bool = False, limit: int = LIMIT
) -> Equations:
    """Return the closed forms of a tree; what closes or constrains it is refused."""
    if m.form is not None:
        raise UsageError("this mechanism has closed forms of its own", hint="take the equations")
    if m.loops or m.couplings or m.wheels or m.rolling or m.velocity_constraints:
        raise ModelError(
            "closed forms are those of a tree, and this mechanism has loops or constraints",
            hint="use inverse_dynamics (closed loops), kane_form(m) (constraints), or m.lock(...)",
            command="write --form kane (constraints), --mimic free or --lock JOINT (followers)",
        )
    if any(b.joint.kind == "fixed" for b in m.bodies):
        m = merge_fixed(m)
    if expand:
        m = expanded(m)
    for body in m.bodies:
        kind = body.joint.own.kind if isinstance(body.joint, Follower) else body.joint.kind
        if kind not in SERVED:
            name = shown(joint_name(body))
            hint = "{} takes it apart into slides and turns"
            if kind == "spherical":
                hint = "write it as three revolute joints, or use inverse_dynamics"
            raise ModelError(
                f"joint {name!r} is {kind}: it has no closed form itself",
                hint=hint.format("expand=True"),
                command=hint.format("--expand"),
            )
    refuse_coordinates(m)
    springs = ("springs are not in these equations",) if m.springs or m.elastic else ()
    told = m.simplified
    m = m.full
    if m.followers:
        from .folded import folded

        eq: Equations = folded(m, full, springs, limit)
    else:
        eq = Equations(m, Ring(TreeSymbols(rechosen(m), full)), remarks=springs, limit=limit)
    if told is None:
        return eq
    from .model import simplified

    return simplified(eq, told)


@doors(
    "evaluate", "regressor", "energy_regressor", "with_sign", "neglect", "freeze", "drop", "terms",
    "prune", "prune_curve", "freeze_error", "text", "latex", "markdown", "json", "coefficients",
    "values",
)  # fmt: skip
@dataclass(frozen=True)
class Equations:
    """tau_i = Σ A_ij q̈_j + Σ_{k>j} B_ijk q̇_j q̇_k + Σ C_ij q̇_j² - Q_i, each coefficient exact.

    Indices from 1; `eq.A[1, 2]` is an `Entry`. With the sign of section 2, Q stands with a plus.
    """

    mechanism: Mechanism
    ring: Ring[TreeSymbols] = field(repr=False)
    sign: Literal["section3", "section2"] = "section3"
    neglected: tuple[str, ...] = ()
    changed: Mapping[Key, Poly] = field(default_factory=dict, repr=False)  # by drop and prune
    remarks: tuple[str, ...] = ()
    limit: int = LIMIT
    frozen: Mapping[str, Any] = field(default_factory=dict)  # joints that are held, by name
    proven_in: Any = field(default=None, repr=False, compare=False)  # the box of bounds of `prune`
    # what was made so far: of the sums, with s² as 1 - c², condensed, slopes of A, angles in A
    _raw: dict[Key, Poly] = made()
    _short: dict[Key, Poly] = made()
    shortest: dict[Key, Poly] = made()
    _slopes: dict[Any, Poly] = made()
    _turning: dict[tuple[int, int], dict[int, Poly | None]] = made()  # slopes by single angles
    _tangled: dict[tuple[int, int, bool], int] = made()
    _large: list[tuple[int, int, int]] = made(list)  # slopes that were met and not reduced
    _allowed: list[str] = made(list)  # kinds whose predicted size was found bearable
    reduces_slopes: ClassVar[bool] = True  # B and C come from slopes with every s² as 1 - c²

    @property
    def n(self) -> int:
        """The number of degrees of freedom."""
        return len(self.mechanism.bodies)

    @cached_property
    def condensed(self) -> Condensed:
        """The sums of section 3 over the ring."""
        return self.ring.symbols.condensed(self.ring.gens, rational)

    # -- coefficients ------------------------------------------------------------------------------

    @property
    def Q(self) -> Table:
        """The forces of gravity Q[i]."""
        return Table(self, "Q")

    @property
    def A(self) -> Table:
        """The inertia coefficients A[i, j]."""
        return Table(self, "A")

    @property
    def B(self) -> Table:
        """The Coriolis coefficients B[i, j, k], each pair counted once."""
        return Table(self, "B")

    @property
    def C(self) -> Table:
        """The centrifugal coefficients C[i, j]."""
        return Table(self, "C")

    def places(self, kind: Kind) -> Iterator[Place]:
        """Return the indices of one kind: A with i <= j, B with j < k.

        >>> import dalembert as da
        >>> list(da.equations(da.robots.planar2r()).places("A"))
        [(1, 1), (1, 2), (2, 2)]
        """
        return iter(_places(kind, self.n))

    def raw(self, kind: Kind, place: Place) -> Poly:
        """Return a coefficient as the sums of section 3 give it.

        No s² + c² is taken together, but for what round bodies given as numbers leave of it.
        """
        key = (kind, place)
        if key in self.changed:
            return self.changed[key]
        if key not in self._raw:
            made = self._derived(kind, place, True)
            if kind == "A" and self.ring.symbols.repeated:
                from .condense import shortened

                made = shortened(self.ring, made)
            self._raw[key] = made
        return self._raw[key]

    def poly(self, kind: Kind, place: Place) -> Poly:
        """Return a coefficient with every s² as 1 - c²."""
        key = (kind, place)
        made = self._short.get(key)
        if made is None:
            if key in self.changed:
                made = self.ring.reduced(self.changed[key])
            elif kind in "QA":
                # a large sum is kept in one form only
                made = self._raw.get(key) or self._derived(kind, place, True)
                # where joints are numbered as the bodies are, A_ij depends on joints after i alone,
                # and a vector on its way to the base, as in Q, turns by each joint once
                own = not self.ring.symbols.follow.rules
                after = 0 if not own else self.n if kind == "Q" else place[0]
                made = self.ring.reduced(made, after)
            else:
                made = self._derived(kind, place, False)
                if self._large or not self.reduces_slopes:
                    made = self.ring.reduced(made)
            self._short[key] = made
        return made

    def _derived(self, kind: Kind, place: Place, raw: bool) -> Poly:
        """Return a coefficient from the sums; B and C of A as it comes, or with s² as 1 - c²."""
        ring, i = self.ring, place[0] - 1
        if self.neglected and kind in self.absent:
            return ring.zero
        if kind not in self._allowed:
            check(ring.symbols, kind, self.limit)
            self._allowed.append(kind)
        if kind == "Q":
            Q = ring.poly(self.condensed.Q(i))
            return Q if self.sign == "section3" else -Q
        if kind == "A":
            c, j = self.condensed, place[1] - 1
            A = ring.poly(c.A(i, j)) if j in c.beyond[i] else ring.zero
            return A + self._rotors[i] if i == j and i in self._rotors else A
        if self.changed or self.neglected:
            return self._whole._derived(kind, place, raw)
        slope = self._raw_slope if raw else self._slope
        if kind == "B":
            made = coriolis(slope, i, place[1] - 1, place[2] - 1)
        else:
            made = centrifugal(slope, i, place[1] - 1)
        if made.__class__ is int:
            return ring.zero
        # C3, C34 and C4 in one sum: it may vanish without looking so
        hides = len(made) > 1 and self._hides(kind, place, made, raw)
        return ring.zero if hides else made

    def _hides(self, kind: Kind, place: Place, p: Poly, raw: bool) -> bool:
        """Whether B or C vanishes although its polynomial, of such A, does not."""
        ring, i, j = self.ring, place[0], place[1]
        low, high = (i, j) if i < j else (j, i)
        if low > ring.last_tangle and not ring.symbols.follow.rules:
            return False
        if kind == "C":
            sums = self._knots(low, j, raw)
        else:
            sums = self._knots(low, high, raw)
            if i != j:
                sums |= self._knots(low, place[2], raw)
        tied = ring.tied(sums) and ring.entangled(p)
        return tied and self.structure_of(kind, place) == "zero"

    def _knots(self, i: int, j: int, raw: bool) -> int:
        """Return the sums of angles of A_ij that others add up to; its slopes have no more."""
        key = (i, j, raw)
        found = self._tangled.get(key)
        if found is None:
            A = (self.raw if raw else self.poly)("A", (i, j))
            met = {} if raw else self._turning.get((i - 1, j - 1), {})
            found = self._tangled[key] = self.ring.knots(A, met)
        return found

    def _slope(self, i: int, j: int, k: int) -> Poly:
        """Return ∂A_ij/∂q_k, indices from 0, with every s² as 1 - c² unless it is large."""
        key = (i, j, k)
        found = self._slopes.get(key)
        if found is None:
            if not self.condensed.depends(i, j, k):
                return 0
            A = self.poly("A", (i + 1, j + 1))
            if len(A) > KEPT:  # neither kept nor reduced: the sums are
                self._large.append(key)
                return self.ring.slope(A, k)
            met = self._turning.get((i, j))
            if met is None:
                met = self._turning[i, j] = {}
            after = 0 if self.ring.symbols.follow.rules else i + 1
            found = self._slopes[key] = self.ring.reduced_slope(A, k, after, met)
        return found

    def _raw_slope(self, i: int, j: int, k: int) -> Poly:
        """Return ∂A_ij/∂q_k as it comes, indices from 0."""
        key = ("raw", i, j, k)
        found = self._slopes.get(key)
        if found is None:
            if not self.condensed.depends(i, j, k):
                return 0
            A = self.raw("A", (i + 1, j + 1))
            found = self.ring.slope(A, k)
            if len(A) <= KEPT:
                self._slopes[key] = found
        return found

    @cached_property
    def _rotors(self) -> dict[int, Poly]:
        s = self.ring.symbols
        found = rotor_inertia(self.mechanism, "inertia")
        return {
            k: self.ring.poly(s.polynomial(x, self.ring.gens, rational))
            for k, x in found.items()
            if not is_plain_zero(x)
        }

    @cached_property
    def _whole(self) -> Equations:
        """The equations with nothing neglected, dropped or pruned."""
        return replace(self, changed={}, neglected=())

    @property
    def absent(self) -> set[str]:
        """The kinds of coefficients that are neglected."""
        out: set[str] = set()
        for what in self.neglected:
            out |= NEGLECT[what]
        return out

    def structure_of(self, kind: Kind, place: Place) -> str:
        """Return "zero", "constant" or "" (neither) of a coefficient, without expanding it.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).structure_of("A", (2, 2))
        'constant'
        """
        return self._structure.kind_of(kind, place)

    @cached_property
    def _structure(self) -> Any:
        from .structure import Structure

        return Structure(self.ring.symbols)

    def structure(self) -> Any:
        """Return which A, B, C and Q are zero, constant or equal, found before any is expanded.

        >>> import dalembert as da
        >>> print(da.equations(da.robots.planar2r()).structure())
        Q: 2 of 2 not zero
        A: 3 of 3 not zero
        B: 1 of 2 not zero
        C: 2 of 4 not zero
        zero B: B(2,1,2)
        zero C: C(1,1) C(2,2)
        constant A: A22
        """
        return self._structure.summary(self)

    # -- sizes and values --------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Return the number of terms of all Q, A, B and C, every s² as 1 - c².

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).counts()
        {'Q': 3, 'A': 6, 'B': 1, 'C': 2}
        """
        return {k: sum([len(self.poly(k, p)) for p in self.places(k)]) for k in KINDS}

    @property
    def constants(self) -> dict[str, Any]:
        """The reported constants and other named ones: name -> number or text of its definition."""
        from ..expr.style import TEXT, value
        from .constants import constants

        return {name: value(x, TEXT) for name, x in constants(self).items()}

    def coefficients(self, values: Mapping[str, float] | None, q: Sequence[Any]) -> dict[Key, Any]:
        """Return the value of every coefficient at a posture, by kind and place."""
        at = self.values(values, q)
        return {
            (kind, place): self.ring.evaluate(self.poly(kind, place), at)
            for kind in KINDS
            for place in self.places(kind)
        }

    def values(self, values: Mapping[str, float] | None, q: Sequence[Any]) -> list[Any]:
        """Return the value of every symbol at a posture; q may hold arrays."""
        if len(q) != self.n:
            raise UsageError(f"q has {len(q)} entries, the mechanism needs {self.n}")
        return self.ring.symbols.values(known(self.mechanism, values), q)

    def evaluate(
        self,
        values: Mapping[str, float] | None,
        q: Sequence[Any],
        qd: Sequence[Any] | None = None,
        qdd: Sequence[Any] | None = None,
    ) -> Any:
        """Return tau at a state, one entry for each joint (the last axis of arrays).

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> numbers = dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5)
        >>> eq.evaluate(numbers, [0.1, 0.2], [0.0, 0.0], [1.0, 0.0]).round(3).tolist()
        [8.843, 3.09]
        """
        from .evaluate import evaluate

        return evaluate(self, values, q, qd, qdd)

    def matrices(self) -> Matrices:
        """Return M, C and g of M(q) q̈ + C(q, q̇) q̇ + g(q) = τ as matrices of formulas.

        >>> import dalembert as da
        >>> print(da.equations(da.robots.planar2r()).matrices())
        # M*qdd + C*qd + g = tau; qd1, qdd1: first and second derivative of q1
        M = [ 2*VX2*l1*C2+JZ1+JZ2  VX2*l1*C2+JZ2 ]
            [ VX2*l1*C2+JZ2        JZ2           ]
        C = [ -VX2*l1*S2*qd2  -VX2*l1*S2*(qd1+qd2) ]
            [ VX2*l1*S2*qd1   0                    ]
        g = [ -G*(VX1*C1+VX2*C12) ]
            [ -VX2*G*C12          ]
        <BLANKLINE>
        """
        from .matrices import matrices

        return matrices(self)

    def regressor(self, base: bool = False, drives: Drives = "inertia") -> Regressor:
        """Return Y of tau = Y phi in closed form, one column for each inertial parameter.

        >>> import dalembert as da
        >>> Y = da.equations(da.robots.planar2r()).regressor(base=True)
        >>> Y.names
        ('MXR1', 'MY1', 'ZZR1', 'MX2', 'MY2', 'ZZ2')
        >>> Y[2, "ZZ2"]
        qdd1+qdd2
        """
        from .regressor import regressor

        return regressor(self, base, drives)

    def energy_regressor(self, base: bool = False, drives: Drives = "inertia") -> Regressor:
        """Return E of T + V = E phi in closed form: `E["MX2"]`, kinetic and potential energy.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).energy_regressor()["MX2"]
        l1*C2*qd1*(qd1+qd2)-G*S12
        """
        from .regressor import regressor

        return regressor(self, base, drives, "E")

    @cached_property
    def model(self) -> Mechanism:
        """The mechanism with these coefficients as its dynamics: what `compile` and `export` take.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r()).neglect("gravity")
        >>> da.compile(eq, "inverse_dynamics").inputs[0].size
        2
        """
        from .model import model

        return model(self)

    # -- other forms of the same equations ---------------------------------------------------------

    def with_sign(self, sign: Literal["section3", "section2"]) -> Equations:
        """Return the equations with Q as in section 3 (default) or section 2 of the report.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> eq.Q[2], eq.with_sign("section2").Q[2]
        (VX2*G*C12, -VX2*G*C12)
        """
        if sign not in ("section2", "section3"):
            raise UsageError(f"sign {shown(str(sign))!r}", hint='"section2" or "section3"')
        if sign == self.sign:
            return self
        changed = {k: -p if k[0] == "Q" else p for k, p in self.changed.items()}
        return replace(self, sign=sign, changed=changed)

    def neglect(self, *what: str | Sequence[str]) -> Equations:
        """Return the equations without "velocity", "coriolis", "centrifugal" or "gravity" terms.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).neglect("velocity").B[1, 1, 2]
        0
        """
        each = (y if isinstance(y, (list, tuple, set)) else [y] for y in what)
        names: list[Any] = [x for y in each for x in y]
        for x in names:
            if not isinstance(x, str) or x not in NEGLECT:
                raise UsageError(f"cannot neglect {shown(str(x))!r}", hint=closest(str(x), NEGLECT))
        every = tuple(dict.fromkeys((*self.neglected, *names)))
        gone = set().union(*(NEGLECT[x] for x in names))
        changed = {k: p for k, p in self.changed.items() if k[0] not in gone}
        shorter = replace(self, neglected=every, changed=changed)
        if not self.pruned or every == self.neglected:
            return shorter
        return shorter.with_remark("neglected: " + ", ".join(every[len(self.neglected) :]))

    @property
    def pruned(self) -> bool:
        """Whether terms were pruned."""
        return any(x.startswith("pruned: ") for x in self.remarks)

    def with_remark(self, what: str) -> Equations:
        """Return the equations with a remark on what was left out, not in bounds proven before."""
        if self.pruned:
            what += "; the bounds above are those of the equations before this"
        return replace(self, remarks=(*self.remarks, what))

    def freeze(self, joints: Mapping[int | str, Any] | Sequence[int | str]) -> Equations:
        """Return the equations with joints held at numbers or symbols (a list: at 0): `m.lock`.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> eq.freeze({2: 0.0}).n, eq.freeze(["j2"]).A[1, 1]
        (1, JZ1)
        """
        if not isinstance(joints, Mapping):
            joints = dict.fromkeys([joints] if isinstance(joints, (str, int)) else joints, 0)
        if self.changed:
            raise UsageError(
                "terms were dropped or pruned: they are not those of the frozen equations",
                hint="freeze first, then drop or prune",
            )
        joints = whole_joints(self.mechanism, joints)
        locked = self.mechanism.lock(list(joints), at=joints)
        held = ", ".join(f"{shown(str(j))} = {shown(str(x))}" for j, x in joints.items())
        m = self.mechanism
        names: dict[str, Any] = {}
        for j, x in joints.items():
            name = joint_name(m.bodies[m.joint_index(j)])
            if names.setdefault(name, x) != x:
                raise UsageError(
                    f"joint {shown(name)!r} is held at {shown(str(names[name]))} and at "
                    f"{shown(str(x))}",
                    hint="name each joint once",
                )
        eq = equations(locked, full=self.ring.symbols.full, limit=self.limit)
        return replace(
            eq,
            sign=self.sign,
            neglected=self.neglected,
            remarks=(*self.remarks, f"frozen: {held}; joints are renumbered"),
            frozen={**self.frozen, **names},
        )

    def drop(self, which: str | Sequence[str]) -> Equations:
        """Return the equations without some terms: `eq.drop("A12:3,7")`, numbered as printed.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> eq.A[1, 2], eq.drop("A12:1").A[1, 2]
        (VX2*l1*C2+JZ2, JZ2)
        """
        from .drop import drop

        return drop(self, which)

    def terms(self, values: Mapping[str, Any], limits: Any = None) -> Any:
        """Return every term with its largest share of its joint's force, the largest first.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> numbers = dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5)
        >>> eq.terms(numbers, {"all": {"qd": 1, "qdd": 1}})[0].text
        '+VX2*G*C12'
        """
        from .shares import shares

        return shares(self, values, limits)

    def prune(
        self,
        values: Mapping[str, Any],
        limits: Any,
        tolerance: Any = None,
        keep: str | None = None,
        operations: int | None = None,
        progress: Any = None,
    ) -> Any:
        """Return the equations without negligible terms, with a proven bound of the error.

        A value may be a range (low, high): the bound then holds for every value between. The
        tolerance is a share, "1%", a force, "0.5 N m", or one for each joint, {"j1": "1%"};
        `operations` instead gives the least error with so many multiplications and additions.
        `keep="passive"` prunes the energies T and V: M stays symmetric and positive definite,
        Ṁ - 2C skew. `progress` is called with the part that is done, 0 to 1.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> numbers = dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5)
        >>> pruned = eq.prune(numbers, {"all": {"qd": 1, "qdd": 1}}, "30%")
        >>> pruned.equations.B[1, 1, 2]
        0
        """
        from .prune import prune

        return prune(self, values, limits, tolerance, keep=keep, operations=operations,
                     progress=progress)  # fmt: skip

    def prune_curve(
        self, values: Mapping[str, Any], limits: Any, keep: str | None = None, points: int = 10,
        progress: Any = None,
    ) -> Any:  # fmt: skip
        """Return proven error against operations, from the whole equations to the shortest.

        It prints as a table; `.plot("curve.png")` draws it, `.models` are the pruned equations.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> numbers = dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5)
        >>> curve = eq.prune_curve(numbers, {"all": {"qd": 1, "qdd": 1}}, points=4)
        >>> curve.rows[0][0] > curve.rows[-1][0]
        True
        """
        from .curve import curve

        return curve(self, values, limits, keep, points, progress)

    def freeze_error(
        self, joints: Mapping[int | str, Any] | Sequence[int | str],
        values: Mapping[str, Any], limits: Any,
    ) -> Any:  # fmt: skip
        """Return how far the forces of `freeze(joints)` can be off while those joints move.

        >>> import dalembert as da
        >>> eq = da.equations(da.robots.planar2r())
        >>> numbers = dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5)
        >>> off = eq.freeze_error([2], numbers, {"all": {"q": 0.1, "qd": 1, "qdd": 1}})
        >>> off.joints, off.found[0] <= off.bound[0]
        (('j1',), True)
        """
        from .held import held_error

        return held_error(self, joints, values, limits)

    # -- printing ----------------------------------------------------------------------------------

    def text(self, form: str = "condensed", only: Sequence[str] | None = None) -> str:
        """Return the equations as text in "report" or "condensed" form.

        >>> import dalembert as da
        >>> "Q(2) = VX2*G*C12" in da.equations(da.robots.planar2r()).text()
        True
        """
        from .text import text

        return text(self, form, only)

    def latex(self, only: Sequence[str] | None = None) -> str:
        """Return a LaTeX document fragment, long sums broken into lines.

        >>> import dalembert as da
        >>> r"\\ddot q_j" in da.equations(da.robots.planar2r()).latex()
        True
        """
        from .latex import latex

        return latex(self, only)

    def markdown(self, only: Sequence[str] | None = None) -> str:
        """Return Markdown with formulas that KaTeX renders.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).markdown().split("\\n")[0]
        '# planar2r'
        """
        from .latex import markdown

        return markdown(self, only)

    def json(self, only: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the equations as plain data, term by term.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).json(only=["Q"])["Q"][1]["text"]
        'VX2*G*C12'
        """
        from .data import data

        return data(self, only)

    def to_sympy(self) -> Any:
        """Return Q, A, B, C and the constants as SymPy objects.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).to_sympy().A[0, 1]
        JZ2 + VX2*l1*cos(q2)
        """
        from .sympy_form import to_sympy

        return to_sympy(self)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        left = f", {', '.join(self.neglected)} neglected" if self.neglected else ""
        ask = "print it, or ask .Q[i], .A[i, j], .B[i, j, k], .C[i, j]"
        return f"<Equations of {shown(self.mechanism.name)}: {self.n} joints{left}; {ask}>"

    def _repr_latex_(self) -> str:
        from .latex import mathematics

        return mathematics(self)


@cache
def _places(kind: Kind, count: int) -> tuple[Place, ...]:
    n = range(1, count + 1)
    if kind == "Q":
        return tuple((i,) for i in n)
    if kind == "A":
        return tuple((i, j) for i in n for j in n if i <= j)
    if kind == "C":
        return tuple((i, j) for i in n for j in n)
    return tuple((i, j, k) for i in n for j in n for k in n if j < k)


NEGLECT = {
    "velocity": {"B", "C"},
    "coriolis": {"B"},
    "centrifugal": {"C"},
    "gravity": {"Q"},
}
