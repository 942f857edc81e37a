"""`Expr`: the scalar an algorithm meets when it is traced."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

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
        return Expr(g, g.add(self.id, g.lift(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Expr:
        g = self.graph
        return Expr(g, g.sub(self.id, g.lift(other)))

    def __rsub__(self, other: Any) -> Expr:
        g = self.graph
        return Expr(g, g.sub(g.lift(other), self.id))

    def __mul__(self, other: Any) -> Expr:
        g = self.graph
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
        return self.absolute()

    def __pow__(self, n: int) -> Expr:
        if n.__class__ is not int or n < 0:
            raise UsageError(f"power {n!r} of an expression", hint="use a whole exponent or sqrt")
        result, base = self.graph.constant(1), self
        while n:
            result, base, n = (result * base if n & 1 else result), base * base, n >> 1
        return result

    def _call(self, name: str, *others: Any) -> Expr:
        g = self.graph
        return Expr(g, g.apply(name, self.id, *(g.lift(x) for x in others)))

    def sin(self) -> Expr:
        """Return the sine."""
        return self._call("sin")

    def cos(self) -> Expr:
        """Return the cosine."""
        return self._call("cos")

    def tan(self) -> Expr:
        """Return the tangent."""
        return self._call("tan")

    def asin(self) -> Expr:
        """Return the arc sine."""
        return self._call("asin")

    def acos(self) -> Expr:
        """Return the arc cosine."""
        return self._call("acos")

    def exp(self) -> Expr:
        """Return the exponential."""
        return self._call("exp")

    def log(self) -> Expr:
        """Return the natural logarithm."""
        return self._call("log")

    def sqrt(self) -> Expr:
        """Return the square root."""
        return self._call("sqrt")

    def absolute(self) -> Expr:
        """Return the absolute value."""
        return self._call("absolute")

    def sign(self) -> Expr:
        """Return -1, 0 or 1."""
        return self._call("sign")

    def atan2(self, x: Any) -> Expr:
        """Return the angle of the point (x, self)."""
        return self._call("atan2", x)

    def minimum(self, other: Any) -> Expr:
        """Return the smaller of two."""
        return self._call("minimum", other)

    def maximum(self, other: Any) -> Expr:
        """Return the larger of two."""
        return self._call("maximum", other)

    def choose(self, yes: Any, no: Any) -> Expr:
        """Return `yes` where this condition holds, else `no`."""
        return self._call("where", yes, no)

    def reversed_atan2(self, y: Any) -> Expr:
        """Return the angle of the point (self, y)."""
        return Expr(self.graph, self.graph.lift(y)).atan2(self)

    reversed_minimum = minimum
    reversed_maximum = maximum

    def __lt__(self, other: Any) -> Expr:
        return self._call("lt", other)

    def __le__(self, other: Any) -> Expr:
        return self._call("le", other)

    def __gt__(self, other: Any) -> Expr:
        return Expr(self.graph, self.graph.lift(other))._call("lt", self)

    def __ge__(self, other: Any) -> Expr:
        return Expr(self.graph, self.graph.lift(other))._call("le", self)

    def equals(self, other: Any) -> Expr:
        """Return the mask of self = other (`==` compares structure)."""
        return self._call("eq", other)

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
