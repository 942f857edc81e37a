"""The named constants of closed forms, computed off-line: what each stands for, and its value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..expr import Expr, text
from ..expr.exact import to_float

if TYPE_CHECKING:
    from .derive import Equations
    from .symbols import Symbols


def constants(eq: Equations) -> dict[str, Any]:
    """Return name -> number or text, each after those it is written with.

    Cosines and sines of constant angles, reported masses V, inertias W, J, then the others.
    """
    s = eq.ring.symbols
    rest = others(s)
    pairs = {g.name: rest[g.name] for g in s.generators if g.key[0] in ("cosK", "sinK")}
    tables = (s.reported.augmented_masses, s.reported.masses, s.reported.inertias, s.reported.total)
    out: dict[str, Any] = {name: x for table in tables for name, x in table.items()}
    return pairs | out | rest


def others(s: Symbols) -> dict[str, Any]:
    """Return augmented masses of slides, cosines and sines of constant angles, and the rest."""
    out: dict[str, Any] = {}
    for g in s.generators:
        kind, *key = g.key
        if kind == "M":
            out[g.name] = shown(s.augmented[key[0]].M)
        elif kind in ("cosK", "sinK"):
            out[g.name] = _of_angle(s.constants[key[0] - 1], kind[:3])
        elif kind == "other":
            out[g.name] = key[0]
    return out


def _of_angle(angle: Any, function: str) -> Any:
    """Return the value of a cosine or sine, or its text when the angle has parameters."""
    if isinstance(angle, Expr) and angle.names():
        return f"{function}({text(angle)})"
    return getattr(math, function)(to_float(angle))


def shown(x: Any) -> Any:
    """Return an expression as text, a number as it is."""
    if not isinstance(x, Expr):
        return x
    return text(x) if x.names() else to_float(x)
