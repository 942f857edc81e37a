"""The graph: an arena in which arithmetic folds as it is written and repeats are shared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .arena import ARITHMETIC, LEAVES, PAYLOAD, Arena, Number
from .ops import OPS
from .scalar import Expr

# sines of k·pi/12 that are rational or a rational multiple of one square root: k -> (factor, root)
_SINE = {
    0: (Fraction(0), 1),
    2: (Fraction(1, 2), 1),
    3: (Fraction(1, 2), 2),
    4: (Fraction(1, 2), 3),
    6: (Fraction(1), 1),
}


# what folds in a sum, in a product, when no number is in it
_SUMS, _PRODUCTS = frozenset({"neg", "sub"}), frozenset({"neg", "div"})
_TERMS = frozenset({"neg", "sub", "add"})  # in a difference


class Graph(Arena):
    """An arena with exact folding: zeros vanish, signs come out, repeats are one node."""

    __slots__ = ()

    # -- leaves --------------------------------------------------------------------------------

    def number(self, value: Number) -> int:
        """Return the id of a constant."""
        if value == 0:
            value = 0.0 if value.__class__ is float else 0
        elif value.__class__ is Fraction and value.denominator == 1:  # type: ignore[union-attr]
            value = int(value)
        return self.node("const", (), value)

    def constant(self, value: Number) -> Expr:
        """Return a constant as an expression."""
        return Expr(self, self.number(value))

    def param(self, name: str) -> Expr:
        """Return the parameter of that name."""
        return Expr(self, self.node("param", (name,)))

    def input(self, name: str, index: int) -> Expr:
        """Return entry `index` of the input vector of that name."""
        return Expr(self, self.node("input", (name, index)))

    def pi(self) -> Expr:
        """Return the number pi, exactly."""
        return Expr(self, self.node("pi", ()))

    def lift(self, value: Any) -> int:
        """Return the id that stands for a value: an expression of this graph, or a number."""
        if value.__class__ is Expr:
            if value.graph is self:
                return value.id
            return self.adopt(value).id
        if isinstance(value, (int, float, Fraction)):
            return self.number(value)
        if hasattr(value, "dtype"):
            return self.number(float(value))
        raise TypeError(f"{type(value).__name__} is not a scalar of this graph")

    # -- arithmetic, folded as it is written ---------------------------------------------------

    def add(self, a: int, b: int) -> int:
        """Return the node a + b, folded where it can be."""
        va, vb, op = self.const[a], self.const[b], self.op
        if va is vb is None and a != b and op[a] not in _SUMS and op[b] not in _SUMS:
            return self.node("add", (a, b) if a < b else (b, a))
        if va is not None:
            if vb is not None:
                return self.number(va + vb)
            a, b, va, vb = b, a, vb, va
        if vb is not None:
            if vb == 0:
                return a
            if vb < 0:
                return self.sub(a, self.number(-vb))
        if a == b:
            return self.mul(self.number(2), a)
        if op[b] == "neg":
            return self.sub(a, self.args[b][0])
        if op[a] == "neg":
            return self.sub(b, self.args[a][0])
        if op[b] == "sub" and self.args[b][1] == a:
            return self.args[b][0]
        if op[a] == "sub" and self.args[a][1] == b:
            return self.args[a][0]
        if vb is not None:
            inner = self._with_constant(a)
            if inner is not None:
                x, c = inner
                return self.add(x, self.number(c + vb))
            if op[a] == "sub" and (c := self.const[self.args[a][0]]) is not None:
                return self.sub(self.number(c + vb), self.args[a][1])
        return self.node("add", (a, b) if a < b else (b, a))

    def _with_constant(self, a: int) -> tuple[int, Number] | None:
        """Return (x, c) when node a is x + c or x - c with an exact or float constant c."""
        if self.op[a] in ("add", "sub"):
            x, y = self.args[a]
            plus = self.op[a] == "add"
            if (c := self.const[y]) is not None:
                return x, c if plus else -c
            if plus and (c := self.const[x]) is not None:
                return y, c
        return None

    def sub(self, a: int, b: int) -> int:
        """Return the node a - b, folded where it can be."""
        va, vb, op, args = self.const[a], self.const[b], self.op, self.args
        if va is vb is None and a < b and op[a] not in _TERMS and op[b] not in _TERMS:
            return self.node("sub", (a, b))
        if vb is not None:
            if va is not None:
                return self.number(va - vb)
            if vb == 0:
                return a
            if vb < 0:
                return self.add(a, self.number(-vb))
        if a == b:
            return self.number(0)
        if va is not None and va == 0:
            return self.neg(b)
        if op[b] == "neg":
            return self.add(a, args[b][0])
        if op[a] == "neg":
            return self.neg(self.add(args[a][0], b))
        if op[a] == "add" and b in args[a]:
            x, y = args[a]
            return y if x == b else x
        if op[b] == "add" and a in args[b]:
            x, y = args[b]
            return self.neg(y if x == a else x)
        if op[a] == "sub" and args[a][0] == b:
            return self.neg(args[a][1])
        if op[b] == "sub" and args[b][0] == a:
            return args[b][1]
        if vb is not None and (inner := self._with_constant(a)) is not None:
            return self.add(inner[0], self.number(inner[1] - vb))
        if vb is not None and op[a] == "sub" and (c := self.const[args[a][0]]) is not None:
            return self.sub(self.number(c - vb), args[a][1])
        if a > b and va is None and vb is None:
            return self.neg(self.node("sub", (b, a)))
        return self.node("sub", (a, b))

    def mul(self, a: int, b: int) -> int:
        """Return the node a b, folded where it can be."""
        va, vb, op, args = self.const[a], self.const[b], self.op, self.args
        if va is vb is None and op[a] not in _PRODUCTS and op[b] not in _PRODUCTS:
            return self.node("mul", (a, b) if a < b else (b, a))
        if vb is not None:
            if va is not None:
                return self.number(va * vb)
            a, b, va, vb = b, a, vb, va
        if va is not None:
            if va == 0:
                return a
            if va == 1:
                return b
            if va < 0:
                return self.neg(self.mul(self.number(-va), b))
            if op[b] == "mul" and (inner := self.const[args[b][0]]) is not None:
                return self.mul(self.number(va * inner), args[b][1])
        if op[a] == "neg":
            return self.neg(self.mul(args[a][0], b))
        if op[b] == "neg":
            return self.neg(self.mul(a, args[b][0]))
        if op[b] == "div" and args[b][1] == a:
            return args[b][0]
        if op[a] == "div" and args[a][1] == b:
            return args[a][0]
        if va is not None:  # a constant factor always stands first
            return self.node("mul", (a, b))
        return self.node("mul", (a, b) if a < b else (b, a))

    def div(self, a: int, b: int) -> int:
        """Return the node a / b, folded where it can be."""
        va, vb, op, args = self.const[a], self.const[b], self.op, self.args
        if vb is not None:
            if vb == 0:
                raise ZeroDivisionError("division by zero")
            if va is not None and va.__class__ is not float and vb.__class__ is not float:
                return self.number(Fraction(va) / Fraction(vb))
            if va is not None:
                return self.number(va / vb)
            if abs(vb) == 1 or vb.__class__ is not float:
                return self.mul(self.number(1 / Fraction(vb)), a)
            return self.mul(self.number(1 / vb), a)
        if va is not None and va == 0:
            return a
        if a == b:
            return self.number(1)
        if op[a] == "neg":
            return self.neg(self.div(args[a][0], b))
        if op[b] == "neg":
            return self.neg(self.div(a, args[b][0]))
        if op[a] == "mul" and b in args[a]:
            x, y = args[a]
            return y if x == b else x
        return self.node("div", (a, b))

    def neg(self, a: int) -> int:
        """Return the node -a, folded where it can be."""
        if (v := self.const[a]) is not None:
            return self.number(-v)
        return self.args[a][0] if self.op[a] == "neg" else self.node("neg", (a,))

    # -- functions -----------------------------------------------------------------------------

    def apply(self, name: str, *ids: int) -> int:
        """Return the node of a primitive that is not plain arithmetic, folded where exact."""
        op = OPS[name]
        if op.parity and self.op[ids[0]] == "neg":
            inner = self.apply(name, self.args[ids[0]][0])
            return inner if op.parity == "even" else self.neg(inner)
        if name in ("sin", "cos"):
            return self._sine(ids[0], name == "cos")
        if name == "sqrt" and (v := self.const[ids[0]]) is not None and v >= 0:
            root = _exact_root(v)
            return self.node("sqrt", ids) if root is None else self.number(root)
        if name == "where":
            if (v := self.const[ids[0]]) is not None:
                return ids[1] if v else ids[2]
            if ids[1] == ids[2]:
                return ids[1]
        if name in ("minimum", "maximum") and self.const[ids[0]] is not None:
            ids = ids[::-1]  # a number is always the second
        if name == "maximum" and self.const[ids[1]] == 0 and self._is_size(ids[0]):
            return ids[0]
        values = [self.const[i] for i in ids]
        if all(v is not None for v in values) and (
            op.exact or any(v.__class__ is float for v in values) or not any(values)
        ):
            folded = op.evaluate(*values)
            return self.number(int(folded) if folded.__class__ is bool else folded)
        return self.node(name, ids)

    def _is_size(self, a: int) -> bool:
        """Return whether a node is never below zero, as far as it and its arguments tell."""
        parts = self.args[a] if self.op[a] == "maximum" else (a,)
        return any(self.op[k] in ("absolute", "sqrt") for k in parts)

    def _sine(self, a: int, cosine: bool) -> int:
        turns = self.over_pi(a)
        if turns is not None:
            value = self._exact_sine(turns + Fraction(1, 2) if cosine else turns)
            if value is not None:
                return value
        v = self.const[a]
        if v.__class__ is float:
            return self.number(math.cos(v) if cosine else math.sin(v))  # type: ignore[arg-type]
        return self.node("cos" if cosine else "sin", (a,))

    def _exact_sine(self, turns: Fraction) -> int | None:
        """Return sin(turns·pi) where it is rational or one square root."""
        k = (turns * 12) % 24
        if k.denominator != 1:
            return None
        k, sign = (k - 12, -1) if k > 12 else (k, 1)
        found = _SINE.get(int(min(k, 12 - k)))
        if found is None:
            return None
        factor = self.number(sign * found[0])
        return self.mul(factor, self.apply("sqrt", self.number(found[1])))

    def over_pi(self, a: int) -> Fraction | None:
        """Return r when node a is exactly r·pi (r rational, zero included), else None."""
        if (v := self.const[a]) is not None:
            return Fraction(0) if v == 0 else None
        if self.op[a] == "pi":
            return Fraction(1)
        if self.op[a] == "neg":
            inner = self.over_pi(self.args[a][0])
            return None if inner is None else -inner
        if self.op[a] == "mul" and self.op[self.args[a][1]] == "pi":
            v = self.const[self.args[a][0]]
            return None if v is None or v.__class__ is float else Fraction(v)
        return None

    # -- whole expressions ---------------------------------------------------------------------

    def copy_into(self, other: Graph, ids: Iterable[int], leaf: Any = None) -> dict[int, int]:
        """Return id -> id of these nodes rebuilt in `other`.

        `leaf(graph, i)` may replace a leaf.
        """
        made: dict[int, int] = {}
        for i in self.live(ids):
            made[i] = other.rebuild(self, i, made, leaf)
        return made

    def rebuild(self, source: Graph, i: int, made: dict[int, int], leaf: Any = None) -> int:
        """Return the id of node i of `source`, its arguments already `made` here."""
        op, args = source.op[i], source.args[i]
        if op in ARITHMETIC:
            return getattr(self, op)(*[made[a] for a in args])
        if op in LEAVES:
            replaced = leaf(source, i) if leaf is not None else None
            if replaced is not None:
                return self.lift(replaced)
            if op == "const":
                return self.number(source.const[i])  # type: ignore[arg-type]
            return self.node(op, args)
        if op in PAYLOAD:
            return self.node(op, (args[0], *(made[a] for a in args[1:])))
        return self.apply(op, *[made[a] for a in args])

    def adopt(self, expr: Expr) -> Expr:
        """Return an expression of another graph in this one."""
        if expr.graph is self:
            return expr
        return Expr(self, expr.graph.copy_into(self, [expr.id])[expr.id])


def _exact_root(v: Number) -> Number | None:
    if v.__class__ is float:
        return math.sqrt(v)
    v = Fraction(v)
    up, down = math.isqrt(v.numerator), math.isqrt(v.denominator)
    exact = up * up == v.numerator and down * down == v.denominator
    return Fraction(up, down) if exact else None
