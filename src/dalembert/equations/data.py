"""Closed forms as plain data for JSON: every coefficient as a list of terms, numbers exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..algorithms.base_parameters import base_parameters
from ..expr import decimal
from . import regressor_print
from .text import REGRESSORS, chosen, conventions, meanings, numbered

if TYPE_CHECKING:
    from .closed_form import Equations


def data(eq: Equations, only: Sequence[str] | None = None) -> dict[str, Any]:
    """Return conventions, symbols, constants and coefficients; numbers are exact texts."""
    out: dict[str, Any] = {
        "name": eq.mechanism.name,
        "form": "condensed",
        "conventions": conventions(eq, "condensed", chosen(only)),
        "sign_of_Q": eq.sign,
        "joints": list(eq.mechanism.joint_names),
        "symbols": meanings(eq),
    }
    for part in chosen(only):
        if part == "constants":
            values = eq.constants.items()
            out[part] = {n: x if isinstance(x, str) else decimal(x) for n, x in values}
        elif part == "structure":
            found = eq.structure()
            out[part] = {
                "zero": found.zero,
                "constant": found.constant,
                "equal": [list(g) for g in found.equal],
                "nonzero": {k: list(v) for k, v in found.nonzero.items()},
            }
        elif part == "terms":
            out[part] = numbered(eq)
        elif part == "base_parameters":
            out[part] = base_parameters(eq.mechanism).json()
        elif part in REGRESSORS:
            out[part] = regressor_print.of_section(eq, part).json()
        else:
            out[part] = [{"index": list(e.place), **e.data()} for e in getattr(eq, part)]
    return out
