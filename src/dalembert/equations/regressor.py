"""tau = Y phi and T + V = E phi in closed form: every entry an exact polynomial.

A column is the equations of the same tree with one inertial parameter equal to 1 and all others
0: the sums of section 3 of the 1980 report, joined with rates and accelerations. Gautier and
Khalil, On the identification of the inertial parameters of robots (1988), for the energy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..algebra import Mat3, Vec3, is_plain_zero
from ..algorithms.augmented_body import AugmentedBody, centrifugal, coriolis
from ..algorithms.base_parameters import BaseParameters, base_parameters
from ..algorithms.condensed import Condensed
from ..algorithms.drives import CHOICES, Drives
from ..algorithms.parameter_relations import TEN, inertia_of
from ..algorithms.regressor import Column, parameter_columns, parameter_vector
from ..carried import dot
from ..errors import UsageError, shown
from ..expr import Scalar
from ..inertia import Inertia, steiner
from ..mechanism import Mechanism
from .angles import CONSTANT, rotated
from .entry import Entry, Kind, Place, joint_number
from .evaluate import apart, known
from .generator import Generator, without_clashes
from .regressor_print import data, document
from .ring import Poly, Ring, rational
from .size import check
from .symbols import TreeSymbols

if TYPE_CHECKING:
    from .closed_form import Equations

SENSES = {"sign": "SGN", "forward": "POS", "backward": "NEG"}  # kind -> prefix of its names


class MovingSymbols:
    """Sines, cosines, slides, lengths, gravity; then qd and qdd of each joint, and its senses.

    `senses` are keys ("sign", j), ("forward", j), ("backward", j), joints from 1. The generators of
    `still`, the tree at rest, come first and have the same places there.
    """

    def __init__(self, m: Mechanism, senses: Sequence[tuple[str, int]] = ()):
        roots = [x for b in m.bodies if b.parent < 0 for x in b.placement.p]
        bare = tuple(replace(b, inertia=Inertia()) for b in m.bodies)
        self.m = replace(m, bodies=bare, drives=(), checked=True)
        self.n = len(bare)
        self.still = TreeSymbols(self.m, more=roots)
        # over any scalar it is the tree at rest
        self.constants, self.follow = self.still.constants, self.still.follow
        self.polynomial, self.links = self.still.polynomial, self.still.links
        self.slope = self.still.slope
        numbers = range(1, self.n + 1)
        made = [Generator(f"qd{j}", ("rate", j)) for j in numbers]
        made += [Generator(f"qdd{j}", ("second", j)) for j in numbers]
        made += [Generator(f"{SENSES[kind]}{j}", (kind, j)) for kind, j in senses]
        self.generators = without_clashes([*self.still.generators, *made])
        self.index = {g.key: i for i, g in enumerate(self.generators)}
        self.names = [g.name for g in self.generators]

    def values(
        self, parameters: Mapping[str, float], q: Sequence[Any], qd: Sequence[Any],
        qdd: Sequence[Any],
    ) -> list[Any]:  # fmt: skip
        """Return the float (or array) of each generator at a state."""
        return self.still.values(parameters, q, (qd, qdd), self.generators)


SENSE = {"Fs": "sign", "Fs+": "forward", "Fs-": "backward"}
KINDS: dict[Kind, str] = {"Y": "forces", "E": "energy"}


def regressor(
    eq: Equations, base: bool = False, drives: Drives = "inertia", kind: Kind = "Y"
) -> Regressor:
    """Return the regressor of forces (kind "Y") or of the energy ("E") of a tree."""
    if drives not in CHOICES:
        raise UsageError(
            f"unknown drives {shown(str(drives))!r}", hint="one of " + ", ".join(CHOICES)
        )
    if eq.changed or (eq.neglected and kind == "E"):
        raise UsageError(
            "terms were left out of these equations, and a regressor has all of them",
            hint="ask the whole equations: da.equations(m).regressor()",
            command="leave out --neglect, --drop and --prune",
        )
    m = eq.mechanism
    full = Inertia(1, Vec3(1, 1, 1), Mat3.symmetric(3, 3, 3, 1, 1, 1))
    heavy = replace(m, bodies=tuple(replace(b, inertia=full) for b in m.bodies), checked=True)
    check(TreeSymbols(heavy), "A" if kind == "E" else "B", eq.limit)
    columns = parameter_columns(m, drives)
    grouped = base_parameters(m, drives) if base else None
    senses = [(SENSE[c.kind], c.body + 1) for c in columns if c.kind in SENSE]
    ring = Ring(MovingSymbols(m, senses if kind == "Y" else ()))
    return Regressor(m, ring, columns, grouped, drives, kind, frozenset(eq.absent), eq.remarks)


@dataclass(frozen=True)
class Regressor:
    """Y of tau = Y phi (or E of T + V = E phi): `Y[i, k]` is an `Entry`.

    Rows i are joints, columns k parameters: numbers from 1, or names: `Y["elbow", "MX3"]`.
    """

    mechanism: Mechanism
    ring: Ring[MovingSymbols] = field(repr=False)
    standard: tuple[Column, ...] = field(repr=False)
    base: BaseParameters | None = field(repr=False)  # of base columns
    drives: Drives
    kind: Kind = "Y"
    absent: frozenset[str] = frozenset()  # kinds of coefficients that are neglected
    remarks: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of degrees of freedom."""
        return len(self.mechanism.bodies)

    def __repr__(self) -> str:
        of = shown(self.mechanism.name)
        columns = "base" if self.base else "standard"
        return f"<Regressor of {of}: {self.rows} x {len(self.names)}, {columns} columns; print it>"

    @property
    def rows(self) -> int:
        """Number of rows: one for each joint, one of an energy."""
        return self.n if self.kind == "Y" else 1

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """The standard column behind each column."""
        return self.base.kept if self.base else tuple(range(len(self.standard)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters in order: `M1, MX1, ...`; of base columns `ZZR1, XXR2, ...`."""
        return self.base.names if self.base else tuple(c.symbol() for c in self.standard)

    @property
    def phi(self) -> list[Scalar]:
        """The values that belong to the columns: numbers, or expressions of parameters."""
        if self.base:
            return self.base.values(self.mechanism)
        return parameter_vector(self.mechanism, self.drives)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, len(self.chosen)

    # -- entries -----------------------------------------------------------------------------------

    def __getitem__(self, place: Any) -> Entry:
        given = place if isinstance(place, tuple) else (1, place) if self.kind == "E" else (place,)
        if len(given) == 2:
            given = (joint_number(self.mechanism, given[0]), self._column_number(given[1]))
        rows, columns = self.shape
        whole = len(given) == 2 and all(isinstance(x, int) for x in given)
        if not whole or not (1 <= given[0] <= rows and 1 <= given[1] <= columns):
            named = f" or names such as {shown(self.names[0])!r}" if columns else ""
            raise UsageError(
                f"{self.kind}[{', '.join(map(str, given))}] does not exist",
                hint=f"rows are 1 to {rows}, columns 1 to {columns}{named}",
            )
        return Entry(self, self.kind, given)

    def _column_number(self, name: Any) -> Any:
        """Return the number of a named column; what is not a name stays as it is."""
        if not isinstance(name, str):
            return name
        if name not in self.names:
            raise UsageError(
                f"there is no column {shown(name)!r}",
                hint="columns: " + ", ".join(map(shown, self.names[:40])),
            )
        return self.names.index(name) + 1

    def __iter__(self) -> Iterator[Entry]:
        """Yield the entries that are not zero, row by row."""
        rows, columns = self.shape
        places = ((i, k) for i in range(1, rows + 1) for k in range(1, columns + 1))
        return (Entry(self, self.kind, p) for p in places if len(self.raw(self.kind, p)))

    def label(self, place: Place) -> str:
        """Return the name of an entry: Y(2,MX3), E(MX3)."""
        column = shown(self.names[place[1] - 1])
        return f"Y({place[0]},{column})" if self.kind == "Y" else f"E({column})"

    @cached_property
    def shortest(self) -> dict[tuple[Kind, Place], Poly]:
        """The condensed forms made so far."""
        return {}

    @cached_property
    def _columns(self) -> dict[int, list[Poly]]:
        return {}

    @cached_property
    def _links(self) -> Any:
        return self.ring.symbols.links(self.ring.gens, rational)

    @cached_property
    def _gravity(self) -> Vec3:
        s, gens = self.ring.symbols, self.ring.gens
        return self.mechanism.gravity.map(lambda x: s.polynomial(x, gens, rational))

    def raw(self, kind: Kind, place: Place) -> Poly:
        """Return an entry as the sums give it."""
        c = self.chosen[place[1] - 1]
        if c not in self._columns:
            self._columns[c] = self._column(self.standard[c])
        return self._columns[c][place[0] - 1]

    def poly(self, kind: Kind, place: Place) -> Poly:
        """Return an entry with every s² as 1 - c²."""
        return self.ring.reduced(self.raw(kind, place))

    def gen(self, *key: Any) -> Poly:
        """Return a symbol by what it stands for: gen("rate", 2) is qd2."""
        return self.ring.gens[self.ring.symbols.index[key]]

    def _column(self, column: Column) -> list[Poly]:
        if column.kind not in TEN:
            return self._of_drive(column)
        sums = self._sums(column)
        path = sums.paths[column.body]
        A = {(i, j): self.ring.poly(sums.A(i, j)) for i in path for j in path if i <= j}
        if self.kind == "E":
            return [self._energy(sums, A, column.body)]
        slopes: dict[tuple[int, int, int], Poly] = {}

        def slope(i: int, j: int, k: int) -> Poly:
            if (i, j, k) not in slopes:
                known = sums.depends(i, j, k) and (i, j) in A
                slopes[i, j, k] = self.ring.slope(A[i, j], k) if known else self.ring.zero
            return slopes[i, j, k]

        out = [self.ring.zero] * self.n
        for i in path:
            out[i] = self._force(sums, A, slope, path, i)
        return out

    def _force(self, sums: Condensed, A: Any, slope: Any, path: Sequence[int], i: int) -> Poly:
        """Return the force on joint i: A q̈ + B q̇ q̇ + C q̇² - Q."""
        ring, rate = self.ring, {j: self.gen("rate", j + 1) for j in path}
        total = ring.zero if "Q" in self.absent else -ring.poly(sums.Q(i))
        for j in path:
            total += self._seen(A[min(i, j), max(i, j)]) * self.gen("second", j + 1)
            if "C" not in self.absent:
                total += self._seen(ring.poly(centrifugal(slope, i, j))) * rate[j] ** 2
            for k in path if "B" not in self.absent else ():
                if k > j:
                    made = self._seen(ring.poly(coriolis(slope, i, j, k)))
                    total += made * rate[j] * rate[k]
        return total

    def _energy(self, sums: Condensed, A: Any, body: int) -> Poly:
        """Return ½ q̇ A q̇ and the energy of weight."""
        total = self.ring.zero
        for (i, j), a in A.items():
            pair = self.gen("rate", i + 1) * self.gen("rate", j + 1)
            total += self._seen(a) * pair * (1 if i != j else rational("1/2"))
        root = sums.paths[body][0]
        p = self.mechanism.bodies[root].placement.p
        s, gens = self.ring.symbols, self.ring.gens
        moment = p.map(lambda x: s.polynomial(x, gens, rational)) * sums.links[root].M
        weight = self._gravity.dot(moment) + dot(sums.weight[root], sums.moments(root, -1))
        return total - self.ring.poly(weight)

    def _of_drive(self, column: Column) -> list[Poly]:
        """Return the column of Ia, Fv or Fs."""
        out, j = [self.ring.zero] * self.rows, column.body + 1
        if self.kind == "E":
            if column.kind == "Ia":
                out[0] = self.gen("rate", j) ** 2 * rational("1/2")
            return out
        keys = {"Ia": "second", "Fv": "rate"} | SENSE
        out[column.body] = self.gen(keys[column.kind], j)
        return out

    def _sums(self, column: Column) -> Condensed:
        """Return the sums of section 3 of the tree with one parameter 1 and all others 0."""
        ten = [1 if kind == column.kind else 0 for kind in TEN]
        unit, m = inertia_of(ten), ten[0]
        links = list(self._links)
        j, beyond = column.body, -1
        while j >= 0:
            link = links[j]
            if beyond < 0:
                # E0.9: a body that slides carries its own mass along
                q = self.gen("q", j + 1) if not link.linear.is_zero() else 0
                body = AugmentedBody(m, unit.h, (), unit.Io, link.linear, ())
                V, J = body.reported_mass(q), body.total_inertia(q)
            else:
                V, J = link.levers[beyond] * m, steiner(m, link.levers[beyond])
            links[j] = link._replace(M=m, V=V, J=J)
            j, beyond = (link.parent, j) if m else (-1, j)
        return Condensed(links, self._gravity)

    def _seen(self, p: Poly) -> Poly:
        """Return p, zero where angle sums (C3, C34 and C4 in one) only hide that it vanishes."""
        ring = self.ring
        if is_plain_zero(p) or not ring.entangled(p):
            return p
        index, instead = ring.symbols.index, list(ring.gens)
        for g in ring.symbols.generators:
            if g.key[0] == "cos" and len(g.key[1]) > 1:
                pair: tuple[Any, Any] = (1, 0)
                for j in g.key[1]:
                    c, s = self._single(abs(j))
                    pair = rotated(pair, (c, s if j > 0 else -s))
                instead[index[g.key]], instead[index["sin", g.key[1]]] = pair
        return p if len(ring.reduced(p.compose(*instead))) else ring.zero

    def _single(self, j: int) -> tuple[Any, Any]:
        """Return cosine and sine of one joint, or of a constant angle."""
        if j < CONSTANT:
            return self.gen("cos", (j,)), self.gen("sin", (j,))
        numeric = self.ring.symbols.still.numeric
        if j - CONSTANT in numeric:
            return tuple(rational(x) for x in numeric[j - CONSTANT])  # type: ignore[return-value]
        return self.gen("cosK", j - CONSTANT), self.gen("sinK", j - CONSTANT)

    # -- values ------------------------------------------------------------------------------------

    def values(self, values: Mapping[str, float] | None, q: Any, *rates: Any) -> list[Any]:
        """Return the value of every symbol at a state (q, qd, qdd); each may hold arrays."""
        state = [list(x) for x in apart(self.n, q, *rates)]
        return self.ring.symbols.values(known(self.mechanism, values), *state)

    def evaluate(
        self, values: Mapping[str, float] | None, q: Any, qd: Any = None, qdd: Any = None
    ) -> Any:
        """Return Y at a state, (..., joints, columns); of an energy (..., columns)."""
        import numpy as np

        at = self.values(values, q, qd, qdd)
        rows, columns = self.shape
        shape = np.broadcast_shapes(*(np.shape(x) for x in at)) if at else ()
        out = np.zeros((*shape, rows, columns))
        for entry in self:
            i, k = entry.place
            out[..., i - 1, k - 1] = self.ring.evaluate(entry.poly, at)
        return out if self.kind == "Y" else out[..., 0, :]

    # -- printing ----------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the entries that are not zero, one formula each; remarks begin with #."""
        return document(self).text()

    def latex(self) -> str:
        """Return a LaTeX fragment with the entries that are not zero."""
        return document(self).latex()

    def json(self) -> dict[str, Any]:
        """Return columns and entries as plain data, term by term."""
        return data(self)

    def to_sympy(self) -> Any:
        """Return the regressor as a SymPy matrix over q1.., qd1.., qdd1.. and parameters."""
        from .sympy_form import regressor_to_sympy

        return regressor_to_sympy(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return document(self).mathematics()
