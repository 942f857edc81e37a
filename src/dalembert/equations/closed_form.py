"""Equations of motion in closed form: what a user asks of Q, A, B, C, each with an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..algorithms.drives import Drives
from ..door import doors
from ..errors import UsageError, shown
from ..mechanism import Mechanism
from .derived import KINDS, Derived, Key
from .entry import Table
from .evaluate import known

if TYPE_CHECKING:
    from .matrices import Matrices
    from .regressor import Regressor


@doors(
    "evaluate", "regressor", "energy_regressor", "with_sign", "neglect", "freeze", "drop", "terms",
    "prune", "prune_curve", "freeze_error", "text", "latex", "markdown", "json", "coefficients",
    "values",
)  # fmt: skip
@dataclass(frozen=True)
class Equations(Derived):
    """tau_i = Σ A_ij q̈_j + Σ_{k>j} B_ijk q̇_j q̇_k + Σ C_ij q̇_j² - Q_i, each coefficient exact.

    Indices from 1; `eq.A[1, 2]` is an `Entry`. With the sign of section 2, Q stands with a plus.
    """

    remarks: tuple[str, ...] = ()
    frozen: Mapping[str, Any] = field(default_factory=dict)  # joints that are held, by name
    proven_in: Any = field(default=None, repr=False, compare=False)  # the box of bounds of `prune`

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
        from .drop import neglect

        return neglect(self, *what)

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
        from .held import freeze

        return freeze(self, joints)

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
        from .typeset import typeset

        return typeset(self, only).latex()

    def markdown(self, only: Sequence[str] | None = None) -> str:
        """Return Markdown with formulas that KaTeX renders.

        >>> import dalembert as da
        >>> da.equations(da.robots.planar2r()).markdown().split("\\n")[0]
        '# planar2r'
        """
        from .typeset import typeset

        return replace(typeset(self, only), title=self.mechanism.name).markdown()

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
        joints = f"{self.n} joint" + "s" * (self.n != 1)
        return f"<Equations of {shown(self.mechanism.name)}: {joints}{left}; {ask}>"

    def _repr_latex_(self) -> str:
        from .typeset import typeset

        return typeset(self).mathematics()
