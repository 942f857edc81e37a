"""Coefficients by their indices from 1, each exact, printable and countable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from ..errors import UsageError
from ..expr import decimal
from ..expr.style import LATEX, TEXT, Style, write
from .condense import shortest
from .order import ordered
from .ring import Poly, Term

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from .closed_form import Equations
    from .regressor import Regressor

Kind = Literal["Q", "A", "B", "C", "Y", "E"]
Place = tuple[int, ...]  # indices of a coefficient, from 1
SHOWN = 40  # entries of a table that are printed
Index = int | str  # a joint's number or name


def motions(kind: Kind, place: Place) -> list[tuple[int, Place]]:
    """Return the joints that a coefficient acts on, and what it stands with there, from 0.

    That is () of gravity, (j,) of q̈_j, (j, k) of q̇_j q̇_k.
    """
    i, *rest = (k - 1 for k in place)
    if kind == "A":
        (j,) = rest
        return [(i, (j,)), (j, (i,))] if i != j else [(i, (j,))]
    return [(i, (*rest, *rest) if kind == "C" else tuple(rest))]


def joint_number(m: Mechanism, joint: Any) -> Any:
    """Return the number of a named joint; what is not a name stays as it is."""
    return 1 + m.velocity_index[m.joint_index(joint)] if isinstance(joint, str) else joint


@dataclass(frozen=True, slots=True)
class Table:
    """All coefficients of one kind, by their indices from 1."""

    equations: Equations
    kind: Kind

    def __getitem__(self, place: Index | tuple[Index, ...]) -> Entry:
        return Entry(self.equations, self.kind, self.place(place))

    def place(self, place: Index | tuple[Index, ...]) -> Place:
        """Return checked indices, i <= j for A and j < k for B; a joint's name is its number."""
        places = place if isinstance(place, tuple) else (place,)
        given: tuple[Any, ...] = tuple(joint_number(self.equations.mechanism, x) for x in places)
        n, size = self.equations.n, {"Q": 1, "A": 2, "B": 3, "C": 2}[self.kind]
        if len(given) != size or not all(isinstance(i, int) and 1 <= i <= n for i in given):
            letters = ", ".join("ijk"[:size])
            raise UsageError(
                f"{self.kind}[{', '.join(map(str, given))}] does not exist",
                hint=f"write {self.kind}[{letters}] with indices from 1 to {n}",
            )
        if self.kind == "A":
            return (min(given), max(given))
        if self.kind == "B":
            i, j, k = given
            if j == k:
                raise UsageError(
                    f"B[{i}, {j}, {j}] is not a Coriolis coefficient",
                    hint=f"the coefficient of the square of qd_{j} is C[{i}, {j}]",
                )
            return (i, min(j, k), max(j, k))
        return given

    def __iter__(self) -> Iterator[Entry]:
        eq = self.equations
        return (Entry(eq, self.kind, p) for p in eq.places(self.kind))

    def __len__(self) -> int:
        return sum(1 for _ in self.equations.places(self.kind))

    def __repr__(self) -> str:
        more = [f"... {len(self) - SHOWN} more"] * (len(self) > SHOWN)
        return "\n".join([f"{e.name} = {e}" for e in islice(self, SHOWN)] + more)

    def _repr_latex_(self) -> str:
        from .typeset import typeset

        alone = replace(typeset(self.equations, [self.kind]), law="")
        return alone.mathematics() or f"$${self.kind} = 0$$"


@dataclass(frozen=True, slots=True)
class Entry:
    """One coefficient, or one entry of a regressor: exact, printable, countable."""

    equations: Equations | Regressor
    kind: Kind
    place: Place

    @property
    def name(self) -> str:
        """Its name in the report: Q(2), A12, B(1,2,3), C(1,2); Y(2,MX3) of a regressor."""
        if self.kind in "YE":
            return self.equations.label(self.place)  # type: ignore[union-attr]
        if self.kind == "A" and self.equations.n < 10:
            return "A{}{}".format(*self.place)
        return f"{self.kind}({','.join(map(str, self.place))})"

    @property
    def poly(self) -> Poly:
        """The polynomial, every s² as 1 - c²."""
        return self.equations.poly(self.kind, self.place)

    @property
    def raw(self) -> Poly:
        """The polynomial of the report form."""
        return self.equations.raw(self.kind, self.place)

    def terms(self, form: str = "report") -> list[Term]:
        """Return its terms in the order of print."""
        return ordered(self.equations.ring, self.form(form))

    def form(self, form: str) -> Poly:
        """Return the polynomial of the report or the condensed form."""
        return self.raw if form == "report" else shortest(self)

    def data(self) -> dict[str, Any]:
        """Return its terms, numbers as exact texts, and itself as text."""
        names = self.equations.ring.symbols.names
        terms = [
            {"coefficient": decimal(c), "factors": {names[i]: e for i, e in monomial}}
            for c, monomial in self.terms("condensed")
        ]
        return {"terms": terms, "text": str(self)}

    def is_zero(self) -> bool:
        """Return whether the coefficient vanishes."""
        return not len(self.poly)

    def __len__(self) -> int:
        return len(self.poly)

    def __bool__(self) -> bool:
        return not self.is_zero()

    def value(
        self, values: Mapping[str, float] | None, q: Sequence[Any], *rates: Sequence[Any]
    ) -> Any:
        """Return its value at a posture; `rates` of a regressor are qd and qdd."""
        eq = self.equations
        return eq.ring.evaluate(self.poly, eq.values(values, q, *rates))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self._written(TEXT)

    def latex(self) -> str:
        """Return it in LaTeX."""
        return self._written(LATEX)

    def _written(self, style: Style) -> str:
        from .text import expression

        return write(expression(self), style)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"
