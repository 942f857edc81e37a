"""The named constants of closed forms, computed off-line: what each stands for, and its value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..expr import Expr
from ..expr.exact import to_float
from ..expr.formula import Call, Product, Sum, formula

if TYPE_CHECKING:
    from .derive import Equations
    from .symbols import Symbols


def constants(eq: Equations) -> dict[str, Sum]:
    """Return name -> formula, each after those it is written with.

    Cosines and sines of constant angles, reported masses V, inertias W, J, then the others.
    """
    s = eq.ring.symbols
    rest = others(s)
    pairs = {g.name: rest[g.name] for g in s.generators if g.kind in ("cosK", "sinK")}
    tables = {name: x for table in s.reported.tables() for name, x in table.items()}
    return pairs | tables | rest


def others(s: Symbols) -> dict[str, Sum]:
    """Return augmented masses of slides, cosines and sines of constant angles, and the rest."""
    out: dict[str, Sum] = {}
    for g in s.generators:
        kind, *key = g.key
        if kind == "M":
            out[g.name] = formula(s.augmented[key[0]].M)
        elif kind in ("cosK", "sinK"):
            out[g.name] = _of_angle(s.constants[key[0] - 1], kind[:3])
        elif kind == "other":
            out[g.name] = formula(s.others[key[0]])
    return out


def _of_angle(angle: Any, function: str) -> Sum:
    """Return a cosine or sine: a number unless the angle has parameters."""
    if isinstance(angle, Expr) and angle.names():
        return Sum((Product(1, ((Call(function, (formula(angle),)), 1),)),))
    return formula(getattr(math, function)(to_float(angle)))
