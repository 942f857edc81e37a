"""The base inertial parameters: the fewest numbers that decide the dynamics, and their formulas.

Gautier and Khalil (1990): from the last body to the first, what a joint cannot feel goes to its
parent (`parameter_relations`); what remains is independent. tau = Y phi = Y_b phi_b with phi_b = K
phi, and Y_b holds those columns of Y that belong to the parameters kept. Lengths, angles and
gravity may be symbols.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..algebra import is_plain_zero
from ..display import table_html
from ..door import doors
from ..errors import UsageError
from ..expr import Expr, Graph, Scalar
from ..expr.exact import exact, substitute, to_float
from ..expr.formula import Sum, Symbol
from ..expr.polynomial import canonical
from ..expr.style import TEXT, write
from ..mechanism import Body, Mechanism, require_mechanism
from .drives import Drives, check_drives
from .parameter_relations import (
    IA,
    TEN,
    Basis,
    Excitation,
    Relation,
    base_excitation,
    carried,
    closed_form,
    main_axis,
    numeric_relations,
    scaled,
    unscaled,
)
from .regressor import Column, parameter_columns, parameter_vector

Form = dict[int, Scalar]  # a linear form: standard column -> coefficient
SAME = 1e-9  # numbers of two draws that differ by less are the same constant


@doors("values")
@dataclass(frozen=True)
class BaseParameters:
    """phi_b = K phi: which standard parameters are kept, grouped, or without effect."""

    standard: tuple[Column, ...]  # all columns of the standard regressor
    kept: tuple[int, ...]  # the standard column behind each base parameter
    forms: tuple[Mapping[int, Scalar], ...] = field(repr=False)  # rows of K, zeros left out
    notes: tuple[str, ...] = ()
    drives: Drives = "inertia"  # what of the drives has columns

    def __len__(self) -> int:
        return len(self.kept)

    def __str__(self) -> str:
        lines = [self.groups.get(n, n) for n in self.names]
        rows = [f"{n} = {x}" if n != x else n for n, x in zip(self.names, lines, strict=True)]
        return "\n".join([repr(self), *rows])

    def __repr__(self) -> str:
        grouped = len(self.groups)
        return (
            f"<BaseParameters: {len(self)} of {len(self.standard)} parameters, {grouped} grouped, "
            f"{len(self.no_effect)} without effect; print it>"
        )

    def _repr_html_(self) -> str:
        rows = [(n, self.groups.get(n, "alone")) for n in self.names]
        without = ", ".join(self.no_effect)
        notes = [f"without effect: {without}"] if without else []
        return table_html(("base parameter", "groups"), rows, repr(self)[1:-11], notes)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each base parameter: `XXR2` where others are grouped into it, else `XY2`."""
        return tuple(
            self.standard[c].symbol("R" if len(form) > 1 else "")
            for c, form in zip(self.kept, self.forms, strict=True)
        )

    @cached_property
    def no_effect(self) -> tuple[str, ...]:
        """The standard parameters that no joint feels."""
        felt = {c for form in self.forms for c in form}
        return tuple(s.symbol() for c, s in enumerate(self.standard) if c not in felt)

    @cached_property
    def formulas(self) -> dict[Symbol, Sum]:
        """The formula of each grouped parameter, as a tree."""
        from ..equations.grouping import formulas

        return formulas(self)

    @cached_property
    def groups(self) -> dict[str, str]:
        """The formula of each grouped parameter: {"XXR2": "XX2-YY2+..."}."""
        return {left.name: write(right, TEXT) for left, right in self.formulas.items()}

    @property
    def matrix(self) -> list[list[Scalar]]:
        """K, one row per base parameter, one column per standard parameter."""
        width = len(self.standard)
        return [[form.get(c, 0) for c in range(width)] for form in self.forms]

    def values(
        self,
        m: Mechanism,
        drives: Drives | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> list[Scalar]:
        """Return phi_b of a mechanism: numbers of a bound one, else expressions of parameters.

        Drives count as they did when the grouping was made; another word is an error. `parameters`
        gives values to symbols of the grouping that the mechanism does not know.
        """
        require_mechanism(m, "values of base parameters")
        if drives not in (None, self.drives):
            raise UsageError(
                f"these base parameters were made with drives={self.drives!r}, not {drives!r}",
                hint=f"da.base_parameters(m, drives={drives!r}).values(m)",
            )
        columns = parameter_columns(m, self.drives)
        if [(c.body, c.kind) for c in columns] != [(c.body, c.kind) for c in self.standard]:
            raise UsageError(
                "these base parameters belong to another mechanism: bodies or drives differ",
                hint="make them for this one: da.base_parameters(m)",
            )
        phi = parameter_vector(m, self.drives)
        known = {name: to_float(x) for name, x in m.values.items()} | dict(parameters or {})
        values: list[Scalar] = []
        for form in self.forms:
            total: Scalar = 0
            for c, k in form.items():
                closed = isinstance(k, Expr) and set(k.names()) <= set(known)
                total = total + (to_float(k, known) if closed else k) * phi[c]
            values.append(total)
        return values

    def text(self) -> str:
        """Return the grouping as text, one formula per line; remarks begin with #."""
        from ..equations.grouping import document

        return document(self).text()

    def latex(self) -> str:
        """Return the grouping as a LaTeX fragment."""
        from ..equations.grouping import document

        return document(self).latex()

    def json(self) -> dict[str, Any]:
        """Return names, columns, formulas and coefficients as plain data."""
        from ..equations.grouping import data

        return data(self)


def base_parameters(mechanism: Mechanism, drives: Drives = "inertia") -> BaseParameters:
    """Return the base inertial parameters of a mechanism, loops and constraints not considered.

    >>> import dalembert as da
    >>> da.base_parameters(da.load("RZ(), TXK(L1), RZ(), TXK(L2); gravity = (0, G, 0);")).names
    ('MXR1', 'MY1', 'ZZR1', 'MX2', 'MY2', 'ZZ2')
    """
    require_mechanism(mechanism, "base_parameters")
    check_drives(drives)
    if mechanism.followers or mechanism.fold is not None:
        return _folded(mechanism, drives)
    m = _symbols_only(mechanism)
    columns = parameter_columns(mechanism, drives)
    at = {(c.body, c.kind): k for k, c in enumerate(columns)}
    relations, notes = _relations(m, {c.body for c in columns if c.kind == "Ia"})

    # inward: what a joint cannot feel goes to the parent
    forms: list[list[Form]] = []
    for j in range(len(m.bodies)):
        own: list[Form] = [{at[j, kind]: 1} for kind in TEN]
        forms.append([*own, {at[j, "Ia"]: 1} if (j, "Ia") in at else {}])
    for j, body in m.inward():
        for relation in relations[j]:
            taken, forms[j][relation.pivot] = forms[j][relation.pivot], {}
            for p, k in enumerate(relation.vector):
                if p != relation.pivot:
                    _add(forms[j][p], taken, -k)
            if body.parent >= 0:
                moved = carried(relation.vector, body.placement)
                for p, k in enumerate(moved):
                    _add(forms[body.parent][p], taken, k)

    left = {at[j, k]: forms[j][p] for j in range(len(forms)) for p, k in enumerate(TEN)}
    left |= {at[j, "Ia"]: forms[j][IA] for j in range(len(forms)) if (j, "Ia") in at}
    spared = {(j, r.pivot) for j, rs in enumerate(relations) for r in rs}
    kept, rows = [], []
    for c, column in enumerate(columns):
        place = (*TEN, "Ia").index(column.kind) if column.kind in (*TEN, "Ia") else -1
        if (column.body, place) not in spared:
            kept.append(c)
            rows.append(_tidy(left[c]) if place >= 0 else {c: 1})
    return BaseParameters(columns, tuple(kept), tuple(rows), tuple(notes), drives)


def _folded(mechanism: Mechanism, drives: Drives) -> BaseParameters:
    """Return the base parameters where joints follow others: those of the whole tree, regrouped."""
    from .folded_parameters import regrouped, sampled

    whole = mechanism.unfolded
    base = base_parameters(replace(whole, fold=None, checked=True), drives)
    m = _symbols_only(replace(whole, fold=None, checked=True))
    known = {name: to_float(x) for name, x in mechanism.values.items()}
    symbolic = [p.name for p in m.parameters if p.name not in known]
    values = [
        known | {name: _number(name, k) for name in symbolic} for k in range(2 if symbolic else 1)
    ]
    draws = [sampled(m, whole, base.kept, drives, x) for x in values]

    def constant(column: int, drawn: Sequence[float]) -> Scalar | None:
        found = _constant(drawn)
        if found is not None:
            return found
        return _Guesses(m, base.standard[column].body).find(drawn)

    kept, forms, unknown = regrouped(
        base.kept, [dict(form) for form in base.forms], draws, constant
    )
    notes = tuple(f"{base.standard[c].symbol()} is grouped, no formula was found" for c in unknown)
    return BaseParameters(
        parameter_columns(mechanism, drives), tuple(kept), tuple(map(_tidy, forms)),
        (*base.notes, *notes), drives,
    )  # fmt: skip


def _add(form: Form, taken: Form, k: Scalar) -> None:
    if is_plain_zero(k):
        return
    for c, x in taken.items():
        form[c] = form[c] + k * x if c in form else k * x


def _tidy(form: Form) -> Form:
    tidy = {c: canonical(x) for c, x in sorted(form.items())}
    return {c: x for c, x in tidy.items() if not is_plain_zero(x)}


# -- relations ---------------------------------------------------------------------------------


def _symbols_only(m: Mechanism) -> Mechanism:
    """Return the mechanism with known parameters as exact numbers, open ones as symbols."""
    graph, known = Graph(), m.values

    def leaf(source: Graph, i: int) -> Any:
        return known.get(source.args[i][0]) if source.op[i] == "param" else None

    def plain(x: Any) -> Any:
        if not isinstance(x, Expr):
            return x
        y = substitute(x, graph, leaf)
        return y if y.value is None else y.value

    bodies = tuple(
        Body(b.name, b.parent, b.placement.map(plain), b.joint.map(plain), joint_name=b.joint_name)
        for b in m.bodies
    )
    return Mechanism(bodies, m.name, m.gravity.map(plain), m.parameters, checked=True)


def _drawn(m: Mechanism, draw: int) -> Mechanism:
    """Return the mechanism with a number for every symbol, the same in every run."""
    values = {p.name: _number(p.name, draw) for p in m.parameters}
    return m.map(lambda x: to_float(x, values))


def _number(name: str, draw: int) -> float:
    word = hashlib.blake2b(f"{draw}:{name}".encode(), digest_size=6).digest()
    return 0.4 + 0.9 * int.from_bytes(word, "big") / 2**48


def _relations(m: Mechanism, driven: set[int]) -> tuple[list[list[Relation]], list[str]]:
    """Return the relations of every body with its parent, and what could not be put in symbols."""
    symbolic = any(isinstance(x, Expr) and x.names() for x in _numbers(m))
    draws = [scaled(_drawn(m, k)) for k in range(2 if symbolic else 1)]
    motions: list[list[Excitation | None]] = [[] for _ in draws]  # None: general position
    relations: list[list[Relation]] = []
    notes: list[str] = []
    for j, body in m.outward():
        k = main_axis(draws[0][0].bodies[j])
        found = []
        for (drawn, _), seen in zip(draws, motions, strict=True):
            parent = seen[body.parent] if body.parent >= 0 else base_excitation(drawn.gravity)
            if parent is None:
                seen.append(None)
                continue
            basis, motion = numeric_relations(drawn.bodies[j], parent, j in driven, k)
            seen.append(None if motion.is_general else motion)
            found.append(basis)
        usual = closed_form(body, k)
        if not found or len(found[0]) == len(usual):
            relations.append(usual)
            continue
        real = [
            {p: unscaled(row, body, size) for p, row in basis.items()}
            for basis, (_, size) in zip(found, draws, strict=True)
        ]
        relations.append(_in_symbols(m, j, real, notes))
    return relations, notes


def _in_symbols(m: Mechanism, j: int, bases: Sequence[Basis], notes: list[str]) -> list[Relation]:
    """Return relations found in numbers, as exact numbers or simple expressions where they are."""
    out, guesses = [], _Guesses(m, j)
    for pivot in bases[0]:
        rows = [basis[pivot] for basis in bases]
        columns = list(zip(*([x / row[pivot] for x in row] for row in rows), strict=True))
        entries = [_constant(values) for values in columns]
        entries = [
            guesses.find(values) if x is None else x
            for x, values in zip(entries, columns, strict=True)
        ]
        if any(x is None for x in entries):
            kind = (*TEN, "Ia")[pivot]
            notes.append(f"body {m.bodies[j].name!r}: {kind} is grouped, no formula was found")
        else:
            out.append(Relation(pivot, tuple(entries)))
    return out


def _constant(values: Sequence[float]) -> Scalar | None:
    """Return the exact number that all draws agree on, a float when it is not a simple one."""
    first = values[0]
    if max(values) - min(values) > SAME * max(1.0, abs(first)):
        return None
    near = Fraction(first).limit_denominator(1000)
    if abs(float(near) - first) <= SAME * max(1.0, abs(first)):
        return exact(near)
    return first


def _numbers(m: Mechanism) -> list[Any]:
    """Return every number of a mechanism's geometry and gravity."""
    found: list[Any] = []
    m.map(lambda x: found.append(x) or x)  # type: ignore[func-returns-value]
    return found


class _Guesses:
    """Products and ratios of the lengths, sines, cosines and gravity from the base to body j."""

    def __init__(self, m: Mechanism, j: int):
        atoms: dict[Any, Any] = {}

        def collect(x: Any) -> Any:
            if isinstance(x, Expr):
                atoms.setdefault(repr(x), x)
            return x

        while j >= 0:
            m.bodies[j].map(collect)
            j = m.bodies[j].parent
        m.gravity.map(collect)
        draws = [{p.name: _number(p.name, k) for p in m.parameters} for k in range(2)]
        self.known = [(x, [to_float(x, d) for d in draws]) for x in atoms.values()]

    def find(self, values: Sequence[float]) -> Scalar | None:
        """Return ±a, ±a b, ±a/b, ±a b/c with these values in the two draws."""
        ones: list[Any] = [(1, [1.0, 1.0])]
        for a, va in ones + self.known:
            for b, vb in ones + self.known:
                for c, vc in ones + self.known:
                    if any(x == 0 for x in vc):
                        continue
                    tried = [x * y / z for x, y, z in zip(va, vb, vc, strict=True)]
                    for sign in (1, -1):
                        if all(
                            abs(sign * t - v) <= SAME * max(1, abs(v))
                            for t, v in zip(tried, values, strict=True)
                        ):
                            return sign * (a * b / c)
        return None
