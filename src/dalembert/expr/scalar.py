"""`Expr`: the scalar an algorithm meets when it is traced."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .ops import OPS

if TYPE_CHECKING:
    from .arena import Number
    from .graph import Graph


class Expr:
    """A scalar that records what is done with it: a node of a graph."""

    __slots__ = ("graph", "id")

    def __init__(self, graph: Graph, id: int):
        self.graph, self.id = graph, id

    def __add__(self, other: Any) -> Expr:
        g = self.graph
        ours = other.__class__ is Expr and other.graph is g
        return Expr(g, g.add(self.id, other.id if ours else g.lift(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Expr:
        g = self.graph
        ours = other.__class__ is Expr and other.graph is g
        return Expr(g, g.sub(self.id, other.id if ours else g.lift(other)))

    def __rsub__(self, other: Any) -> Expr:
        g = self.graph
        return Expr(g, g.sub(g.lift(other), self.id))

    def __mul__(self, other: Any) -> Expr:
        g = self.graph
        if other.__class__ is Expr and other.graph is g:
            return Expr(g, g.mul(self.id, other.id))
        try:
            factor = g.lift(other)
        except TypeError:
            return NotImplemented  # a vector knows how it is scaled
        return Expr(g, g.mul(self.id, factor))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Expr:
        g = self.graph
        return Expr(g, g.div(self.id, g.lift(other)))

    def __rtruediv__(self, other: Any) -> Expr:
        g = self.graph
        return Expr(g, g.div(g.lift(other), self.id))

    def __neg__(self) -> Expr:
        return Expr(self.graph, self.graph.neg(self.id))

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self.record("absolute", self)

    def __pow__(self, n: int) -> Expr:
        if n.__class__ is not int or n < 0:
            raise UsageError(f"power {n!r} of an expression", hint="use a whole exponent or sqrt")
        result, base = self.graph.constant(1), self
        while n:
            result, base, n = (result * base if n & 1 else result), base * base, n >> 1
        return result

    def record(self, name: str, *values: Any) -> Expr:
        """Return a primitive of values of which this is one."""
        g = self.graph
        return Expr(g, g.apply(name, *(g.lift(x) for x in values)))

    def __lt__(self, other: Any) -> Expr:
        return self.record("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return self.record("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return self.record("lt", other, self)

    def __ge__(self, other: Any) -> Expr:
        return self.record("le", other, self)

    def equals(self, other: Any) -> Expr:
        """Return the mask of self = other (`==` compares structure)."""
        return self.record("eq", self, other)

    # -- as a value ----------------------------------------------------------------------------

    @property
    def value(self) -> Number | None:
        """The number this is, when it is a constant."""
        return self.graph.const[self.id]

    @property
    def over_pi(self) -> Fraction | None:
        """r when this is exactly r·pi, else None."""
        return self.graph.over_pi(self.id)

    def names(self) -> tuple[str, ...]:
        """Return the parameters this depends on, in order of their appearance in the graph."""
        g = self.graph
        return tuple(g.args[i][0] for i in g.live([self.id]) if g.op[i] == "param")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is Expr:
            if self.graph is other.graph and self.id == other.id:  # type: ignore[attr-defined]
                return True
            return self.graph.digest(self.id) == other.graph.digest(other.id)  # type: ignore[attr-defined]
        value = self.value
        return value is not None and value == other

    def __hash__(self) -> int:
        value = self.value
        return hash(self.graph.digest(self.id) if value is None else value)

    def __bool__(self) -> bool:
        raise UsageError("an expression has no truth value", hint="use where(mask, yes, no)")

    def __repr__(self) -> str:
        from .show import text

        return text(self)


def _method(name: str) -> Callable[..., Expr]:
    return lambda self, *others: self.record(name, self, *others)


for _op in OPS.values():  # x.sin(), x.atan2(y), ...: what a value can do is what the table holds
    if _op.kind in ("other", "sincos"):
        setattr(Expr, _op.name, _method(_op.name))
