"""A mechanism whose inertial parameters are symbols: the standard ones, or the base ones.

Khalil and Kleinfinger (1987): with base parameters most entries are zero, and the customised
Newton-Euler recursion shrinks by a third. A massless body stays massless; any other one has all ten
parameters, as in tables of operation counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..algebra import is_plain_zero
from ..errors import UsageError
from ..expr import Graph, Scalar
from ..mechanism import Drive, Mechanism, Parameter
from .base_parameters import BaseParameters, base_parameters
from .drives import Drives
from .parameter_relations import TEN, inertia_of
from .regressor import parameter_columns, parameter_vector

SETS = ("standard", "base", "given")


def with_parameters(
    m: Mechanism, kind: str, drives: Drives = "none", base: BaseParameters | None = None
) -> Mechanism:
    """Return the mechanism with symbols for its inertial parameters; `given` returns it as it is.

    A mechanism without any mass gets all its parameters as symbols. The names are those of
    `da.base_parameters`: XX2, MX2, and for grouped ones XXR2, MXR2; `base` is that, if known.
    """
    if kind not in SETS:
        raise UsageError(f"unknown parameters {kind!r}", hint="one of " + ", ".join(SETS))
    if kind == "given":
        return m
    columns = parameter_columns(m, drives)
    phi = parameter_vector(m, drives)
    bare = all(b.inertia.is_massless() for b in m.bodies)
    heavy = [bare or not b.inertia.is_massless() for b in m.bodies]
    words: list[str | None] = [
        c.symbol() if (heavy[c.body] if c.kind in TEN else bare or not is_plain_zero(x)) else None
        for c, x in zip(columns, phi, strict=True)
    ]
    if kind == "base":
        words = _base_words(base or base_parameters(m, drives), words)
    taken = {p.name for p in m.parameters} - {w for w in words if w}
    graph = Graph()
    symbols: list[Scalar] = []
    new: list[str] = []
    for word in words:
        while word in taken:
            word += "_"
        symbols.append(0 if word is None else graph.param(word))
        new += [] if word is None else [word]
    by = {(c.body, c.kind): x for c, x in zip(columns, symbols, strict=True)}
    bodies = tuple(
        replace(b, inertia=inertia_of([by[j, kind] for kind in TEN]))
        for j, b in enumerate(m.bodies)
    )
    return replace(
        m,
        bodies=bodies,
        drives=tuple(_drive(d, by) for d in m.drives),
        parameters=_parameters(m, new),
        changes=(),
        checked=True,
    )


def _base_words(base: BaseParameters, words: Sequence[str | None]) -> list[str | None]:
    """Return the name of each base parameter at its column, none where all terms are zero."""
    out: list[str | None] = [None] * len(words)
    for name, c, form in zip(base.names, base.kept, base.forms, strict=True):
        if any(words[k] is not None for k in form):
            out[c] = name
    return out


def _drive(d: Drive, by: dict[tuple[int, str], Scalar]) -> Drive:
    j, j_Fs = d.joint, by.get((d.joint, "Fs"))
    forward, backward = by.get((j, "Fs+"), 0), by.get((j, "Fs-"), 0)
    if j_Fs is not None:
        forward, backward = j_Fs, -j_Fs
    return Drive(j, by.get((j, "Ia"), 0), 1, (forward, backward), by.get((j, "Fv"), 0))


def _parameters(m: Mechanism, new: Sequence[str]) -> tuple[Parameter, ...]:
    """Return the parameters that geometry, gravity and friction still use, then the new ones."""
    fresh = set(new)
    return (*(p for p in m.parameters if p.name not in fresh), *map(Parameter, new))
