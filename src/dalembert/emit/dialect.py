"""A dialect: how a language writes assignments, numbers and primitives. It knows no dynamics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..expr.ops import OPS
from ..expr.show import decimal

ATOM = 9  # rank of what never needs brackets


@dataclass(frozen=True, slots=True)
class Form:
    """One primitive as text: a template, its own rank, the rank each argument must have.

    An argument of a lower rank is put in brackets.
    """

    text: str
    rank: int = ATOM
    needs: tuple[int, ...] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One language: the forms that differ from what most write, and may be one for `square`.

    A primitive without a form is a call, by the name that libm or NumPy has for it.
    """

    forms: Mapping[str, Form]
    number: Callable[[Any], str] = decimal
    pi: str = "pi"
    entry: str = "{}[{}]"  # of a vector: its name and the place
    first: int = 0  # the place of the first entry
    turns: bool = False  # sines and cosines are computed in groups, by a routine of their own
    call: str = "{}"  # of the name of a function
    library: str = "libm"  # or numpy: whose names its functions have

    def table(self) -> dict[str, Form]:
        """Return the form of every primitive."""
        forms = {}
        for op in OPS.values():
            word = self.call.format(getattr(op, self.library) or op.name)
            forms[op.name] = Form(f"{word}({', '.join(['{}'] * op.arity)})")
        return {**forms, **INFIX, **self.forms}

    def at(self, vector: str, k: int) -> str:
        """Return entry k, from 0, of a vector."""
        return self.entry.format(vector, k + self.first)


def numbers(inf: str, nan: str, text: str = "{}") -> Callable[[Any], str]:
    """Return how a language writes floats: `text` of the shortest decimal, inf and nan."""

    def number(value: Any) -> str:
        x = float(value)
        if math.isnan(x):
            return nan
        shown = inf if math.isinf(x) else text.format(repr(abs(x)))
        return "-" + shown if math.copysign(1.0, x) < 0 else shown

    return number


# how most languages write what is not a call of a function in libm
INFIX = {
    "add": Form("{} + {}", 1, (1, 2)),
    "sub": Form("{} - {}", 1, (1, 2)),
    "mul": Form("{}*{}", 3, (3, 4)),
    "div": Form("{}/{}", 3, (3, 4)),
    "neg": Form("-{}", 2, (3,)),
    "lt": Form("{} < {}", 0, (1, 1)),
    "le": Form("{} <= {}", 0, (1, 1)),
    "eq": Form("{} == {}", 0, (1, 1)),
}


def infix(**changes: Form) -> dict[str, Form]:
    """Return the forms of languages that have abs, min and max, some of them changed."""
    forms = {
        "absolute": Form("abs({})"),
        "minimum": Form("min({}, {})"),
        "maximum": Form("max({}, {})"),
    }
    return forms | changes


# sums and products in a listing are read, not run: a + (b + c) is written without brackets
LISTING = Dialect(
    infix(
        add=Form("{} + {}", 1, (1, 1)),
        mul=Form("{}*{}", 3, (3, 3)),
        square=Form("{}**2", 4, (5,)),
    ),
)
