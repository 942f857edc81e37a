"""Reference files checked: every expected number, by every method, from every description.

A result x is accepted when |x - ref| <= abs + rel max|ref|, with the file's own tolerance; `strict`
asks for 100 times the difference that its oracles had among themselves, plus 1e-12 of the largest
reference value (plus 1e3 n eps kappa of it for accelerations).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..catalog import quantity
from ..equations.reported import reported
from ..errors import ComputationError, DalembertError, DescriptionError, ModelError, Place
from ..mechanism import Mechanism
from ..read import load
from ..reference import in_floats
from .checks import Case, Entry, array_of
from .classes import TABLES, class_of
from .descriptions import descriptions

CONSTANTS = "reported_constants"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One comparison: the largest difference found and the largest allowed; None: not computed."""

    file: str
    quantity: str
    method: str
    worst: float | None
    tolerance: float | None
    ok: bool
    note: str = ""  # why nothing was computed

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        worst = "none" if self.worst is None else f"{self.worst:.1e}"
        tolerance = "none" if self.tolerance is None else f"{self.tolerance:.1e}"
        verdict = "ok" if self.ok else "MISS"
        return f"{self.file} {self.quantity} {self.method} worst={worst} tol={tolerance} {verdict}"

    def data(self) -> dict[str, Any]:
        """Return the row as JSON holds it; what is not finite is null."""
        finite = self.worst is not None and np.isfinite(self.worst)
        return {
            "file": self.file,
            "quantity": self.quantity,
            "method": self.method,
            "worst": self.worst if finite else None,
            "tolerance": self.tolerance,
            "ok": self.ok,
        }


def verify(paths: Sequence[str | Path], strict: bool = False) -> list[Verdict]:
    """Return one row per file, quantity and method."""
    return [row for path in paths for row in verify_file(path, strict)]


def verify_file(path: str | Path, strict: bool = False) -> Iterator[Verdict]:
    """Yield the rows of one reference file."""
    m = load(Path(path))  # says what is wrong with the file, and where
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        data = json.loads(text, parse_constant=_not_finite)
    except DescriptionError as error:
        error.where = Place(str(path))
        raise
    except ValueError:
        data = None
    if not isinstance(data, Mapping) or not isinstance(data.get("tolerance"), Mapping):
        raise DescriptionError(
            "not a reference file: it has no tolerance",
            Place(str(path)),
            'reference files hold "model", "states" with "expected", and "tolerance"',
        )
    try:
        yield from _File(str(path), data, m, strict).rows()
    except DescriptionError as error:
        error.where = error.where or Place(str(path))
        raise


def _not_finite(word: str) -> None:
    hint = "write null for a number that is not known; it is not compared then"
    raise DescriptionError(f"{word} is no number to compare with", hint=hint)


def _finite(value: Any, what: str) -> float:
    """Return a tolerance as a number that can decide."""
    number = array_of(value, what)
    if not (np.isfinite(number).all() and (number >= 0).all() and number.size):
        raise DescriptionError(f"{what}: a finite number, 0 or more, is needed")
    return float(np.max(number))


@dataclass(frozen=True)
class _File:
    """One reference file with its mechanism."""

    name: str
    data: Mapping[str, Any]
    m: Mechanism
    strict: bool

    def rows(self) -> Iterator[Verdict]:
        table = TABLES.get(class_of(self.data, self.m), {})
        models: list[tuple[str, Mechanism]] = [("", self.m)]
        memos: dict[str, dict[Any, Any]] = {}
        refused = []
        for key, made in descriptions(self.data, self.m):
            if isinstance(made, str):
                reader = "no_reader" if made == "no reader" else "not_read"
                refused.append(self.missed(key, reader, made))
            else:
                models.append((f"{key}:", made))
        empty = True
        for path, states, values in self.expected():
            empty = False
            entry = table.get(path)
            if texts := sum(isinstance(v, str) for v in values):
                what = f"{texts} of {len(values)} states have a text here"
                yield self.missed(path, "no_numbers", what)
                values, states = _without_texts(values, states)
            if entry is None:
                yield self.missed(path, "unknown_key", "nothing computes this yet")
                continue
            for prefix, m in models:
                memo = memos.setdefault(prefix, {})
                case = Case(m, self.data, states, kernels=not prefix, memo=memo)
                yield from self.compare(path, entry, case, values, prefix)
        if CONSTANTS in self.data:
            empty = False
            for prefix, m in models:
                yield self.constants(m, prefix)
        if empty:
            yield self.missed("expected", "unknown_key", "the file expects nothing")
        yield from refused

    def missed(self, quantity: str, method: str, note: str) -> Verdict:
        return Verdict(self.name, quantity, method, None, None, False, note)

    def expected(self) -> Iterator[tuple[str, list[Any], list[Any]]]:
        """Yield (key, states, values): sections of states first, then those of the whole file."""
        found: dict[str, tuple[list[Any], list[Any]]] = {}
        states = self.data.get("states", [])
        if not isinstance(states, list) or not all(isinstance(s, Mapping) for s in states):
            raise DescriptionError("states: a list of tables is needed")
        for state in states:
            for section in state:
                if section.startswith("expected"):
                    start = "" if section == "expected" else f"{section}."
                    for path, value in leaves(state[section], start):
                        own = found.setdefault(path, ([], []))
                        own[0].append(state)
                        own[1].append(value)
        for section, value in self.data.items():
            if section.startswith("expected"):
                for path, leaf in leaves(value, f"{section}."):
                    found.setdefault(path, ([], []))[1].append(leaf)
        for path, (own_states, values) in found.items():
            if not all(isinstance(v, str) for v in values):  # texts alone are remarks
                yield path, own_states, values

    # -- comparing -----------------------------------------------------------------------------

    def compare(
        self, path: str, entry: Entry, case: Case, values: list[Any], prefix: str
    ) -> Iterator[Verdict]:
        reference = entry.reference(case, values)
        tolerance = self.tolerance(reference, entry, case)
        for check in entry.checks:
            default = quantity(check.quantity).default
            for method, compute in check.methods(case):
                try:
                    yield self.row(path, prefix + method, compute, reference, tolerance)
                except ModelError as error:
                    # a formalism that does not hold for this mechanism has no row
                    if method == default:
                        yield self.missed(path, prefix + method, error.message)

    def row(
        self,
        path: str,
        method: str,
        compute: Callable[[], np.ndarray],
        reference: np.ndarray,
        tolerance: float,
    ) -> Verdict:
        try:
            found = compute()
        except (DescriptionError, ModelError):
            raise
        except DalembertError as error:
            return Verdict(self.name, path, method, None, tolerance, False, error.message)
        if found.shape != reference.shape:
            note = f"shape {found.shape}, the reference has {reference.shape}"
            return Verdict(self.name, path, method, None, tolerance, False, note)
        with np.errstate(invalid="ignore"):
            difference = np.abs(found - reference)[~np.isnan(reference)]
        worst = float(np.max(difference, initial=0.0)) if difference.size else None
        ok = worst is not None and worst <= tolerance < np.inf  # nan is not
        return Verdict(self.name, path, method, worst, tolerance, ok)

    def tolerance(self, reference: np.ndarray, entry: Entry, case: Case) -> float:
        """Return the largest difference allowed for a key."""
        size = float(np.nanmax(np.abs(reference), initial=0.0))
        if not self.strict:
            given = [(key, self.data["tolerance"].get(key)) for key in ("abs", "rel")]
            if all(x is None for _, x in given):
                raise DescriptionError("tolerance: abs, rel or both are needed")
            absolute, relative = (_finite(x or 0, f"tolerance: {key}") for key, x in given)
            return absolute + relative * size
        among = self.data.get("cross_check", {}).get("max_abs_difference", 0)
        allowed = 100 * _finite(among, "cross_check: max_abs_difference") + 1e-12 * size
        if entry.accelerates is not None:
            kappa = conditioning(case.m, entry.accelerates(case))
            allowed += 1e3 * case.m.nv * np.finfo(float).eps * kappa * size
        return allowed

    def constants(self, m: Mechanism, prefix: str) -> Verdict:
        """Return the row of the reported masses and inertias of the 1980 report."""
        given = self.data[CONSTANTS]
        reference = array_of(list(given.values()), CONSTANTS)
        entry = Entry(())

        def compute() -> np.ndarray:
            made = reported(m)
            known: Any = {name: x.number for table in made.tables() for name, x in table.items()}
            if None in known.values():
                raise ComputationError("a constant is not a number")
            return np.array([float(known.get(name, 0)) for name in given])

        tolerance = self.tolerance(reference, entry, Case(m, self.data, []))
        method = f"{prefix}augmented_body"
        try:
            return self.row(CONSTANTS, method, compute, reference, tolerance)
        except ModelError as error:
            return self.missed(CONSTANTS, method, error.message)


def leaves(section: Any, start: str) -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of what a section holds, tables opened."""
    stack = [(start, section)]
    while stack:
        path, value = stack.pop(0)
        if isinstance(value, Mapping):
            stack[:0] = [(f"{path}{key}.", inner) for key, inner in value.items()]
        else:
            yield path.removesuffix("."), value


def _without_texts(values: list[Any], states: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return values and their states where the values are no texts."""
    kept = [k for k, v in enumerate(values) if not isinstance(v, str)]
    return [values[k] for k in kept], [states[k] for k in kept] if states else states


def conditioning(m: Mechanism, q: np.ndarray) -> float:
    """Return the worst condition number of M scaled to unit diagonal."""
    (M,) = in_floats(m.tree, "mass_matrix", None, [q], drives="none")
    d = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)))
    if not np.all(d > 0):
        return float("inf")
    return float(np.max(np.linalg.cond(M / (d[:, :, None] * d[:, None, :]))))
