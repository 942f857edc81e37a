"""How many terms closed forms will have, predicted before any is expanded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algorithms.condensed import Condensed
from ..errors import TooLargeError

if TYPE_CHECKING:
    from .symbols import TreeSymbols

LIMIT = 10_000_000  # terms; some hundred bytes each
SMALL = 8  # joints up to which nothing need be predicted


@dataclass(frozen=True, slots=True)
class Count:
    """A scalar that only counts the terms of products and sums, none of them merged."""

    terms: float

    def __add__(self, o: Any) -> Count:
        return Count(self.terms + count(o))

    __radd__ = __sub__ = __rsub__ = __add__

    def __neg__(self) -> Count:
        return self

    def __mul__(self, o: Any) -> Count:
        return Count(self.terms * count(o))

    __rmul__ = __mul__


def count(x: Any) -> float:
    """Return the number of terms of a scalar: a number is one unless it is zero."""
    return x.terms if isinstance(x, Count) else float(x != 0)


class Size:
    """Upper estimates of the numbers of terms."""

    def __init__(self, symbols: TreeSymbols):
        self.symbols = symbols
        values = [Count(1.0)] * len(symbols.generators)
        links = symbols.links(values, lambda x: Count(float(x != 0)))
        gravity = symbols.m.gravity.map(lambda x: Count(1.0) if x != 0 else 0)
        self.sums = Condensed(links, gravity)

    def of(self, kind: str) -> float:
        """Return about how many terms all Q, A, B or C have."""
        if kind == "Q":
            return sum(count(self.sums.Q(i)) for i in range(self.symbols.n))
        A = sum(count(self.sums.A(i, j)) for i, j in self.sums.pairs())
        return A if kind == "A" else A * self.symbols.n


def check(symbols: TreeSymbols, kind: str, limit: int = LIMIT) -> None:
    """Raise TooLargeError when a kind of coefficient is predicted to pass the limit."""
    if symbols.n + len(symbols.constants) + len(symbols.numeric) <= SMALL:
        return
    expected = Size(symbols).of(kind)
    if expected > limit:
        raise TooLargeError(
            f"{kind} would have about {expected:.0e} terms, and the limit is {limit:.0e}",
            hint="use inverse_dynamics or export (recursive, any size), freeze joints, or raise "
            "the limit: equations(m, limit=...)",
            command="use eval or export (recursive, any size), or hold joints: --freeze 4,5,6",
        )
