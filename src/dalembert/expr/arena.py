"""The arena: numbered nodes in parallel lists, each made once, arguments before their users.

Ids are creation order, so nothing here recurses and every walk is a loop over ids.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..errors import UsageError
from .ops import OPS

Number = int | float | Fraction
Rows = Mapping[str, Callable[..., Any]]  # what a kind of node means in some algebra

LEAVES = frozenset({"const", "pi", "param", "input"})
PAYLOAD = frozenset({"call", "solve", "item"})  # args[0] is not a node
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "neg"})


class Arena:
    """Nodes as parallel lists. Leaves: const, pi, param (a name), input (a name and an index)."""

    __slots__ = ("_digests", "args", "const", "op", "table")

    def __init__(self) -> None:
        self.op: list[str] = []
        self.args: list[tuple[Any, ...]] = []
        self.const: list[Number | None] = []
        self.table: dict[tuple[Any, ...], int] = {}
        self._digests: list[tuple[int, bytes]] = []

    def __len__(self) -> int:
        return len(self.op)

    def node(self, op: str, args: tuple[Any, ...], const: Number | None = None) -> int:
        """Return the id of this node, made once however often it is asked for."""
        key = (op,) + args if const is None else (op, const, const.__class__ is float)
        found = self.table.get(key)
        if found is not None:
            return found
        self.table[key] = i = len(self.op)
        self.op.append(op)
        self.args.append(args)
        self.const.append(const)
        return i

    # -- whole expressions ---------------------------------------------------------------------

    def live(self, ids: Iterable[int], given: Collection[int] = ()) -> list[int]:
        """Return the nodes that `ids` need, in creation order, stopping at those `given`."""
        needed, stack = set(), list(ids)
        ops, args = self.op, self.args
        while stack:
            i = stack.pop()
            if i not in needed:
                needed.add(i)
                op = ops[i]
                if op not in LEAVES and i not in given:
                    stack += args[i][1:] if op in PAYLOAD else args[i]
        return sorted(needed)

    def operands(self, i: int) -> tuple[int, ...]:
        """Return the ids a node takes as arguments (none for a leaf)."""
        op = self.op[i]
        if op in LEAVES:
            return ()
        return self.args[i][1:] if op in PAYLOAD else self.args[i]

    def parameters(self) -> tuple[str, ...]:
        """Return the names of all parameters, in order of first appearance."""
        return tuple(a[0] for op, a in zip(self.op, self.args, strict=True) if op == "param")

    def fold(
        self,
        ids: Iterable[int],
        leaf: Rows,
        ops: Rows,
        rest: Callable[[int, list[Any]], Any] | None = None,
    ) -> dict[int, Any]:
        """Return the value, in another algebra, of every node that `ids` need.

        `leaf` has a row for each kind of leaf: const(number), pi(), param(name), input(name, k);
        `ops` one for each primitive, of the values of its arguments (a form is given first). What
        has no row, or an argument that is None, is left to `rest(node, values)`.
        """
        made: dict[int, Any] = {}
        for i in self.live(ids):
            op, args = self.op[i], self.args[i]
            if op in LEAVES:
                row = leaf.get(op)
                if row is not None:
                    made[i] = row(self.const[i]) if op == "const" else row(*args)
                    continue
                values: list[Any] = []
            else:
                row = ops.get(op)
                values = [made[a] for a in (args[1:] if op in PAYLOAD else args)]
                if row is not None and (rest is None or all(v is not None for v in values)):
                    made[i] = row(args[0], *values) if op in PAYLOAD else row(*values)
                    continue
            if rest is None:
                raise UsageError(f"{op} has no meaning here")
            made[i] = rest(i, values)
        return made

    def digest(self, i: int) -> tuple[int, bytes]:
        """Return (sign, digest) of a node: equal for equal expressions of any graph."""
        digests = self._digests
        for k in range(len(digests), i + 1):
            digests.append(self._digest_of(k))
        return digests[i]

    def _digest_of(self, k: int) -> tuple[int, bytes]:
        op, args = self.op[k], self.args[k]
        if op == "const":
            v = self.const[k]
            text = v.hex() if v.__class__ is float else str(v)  # type: ignore[union-attr]
            return (-1, _hash("const", text[1:])) if text[0] == "-" else (1, _hash("const", text))
        if op in LEAVES:
            return 1, _hash(op, *map(str, args))
        of = [self._digests[a] for a in self.operands(k)]
        if op == "neg":
            return -of[0][0], of[0][1]
        if op in ("add", "sub"):
            (sx, x), (sy, y) = of
            terms = sorted([(x, sx), (y, -sy if op == "sub" else sy)])
            sign = terms[0][1]
            return sign, _hash("sum", *(f"{sign * s}{d.hex()}" for d, s in terms))
        if op in ("mul", "div"):
            parts = [d.hex() for _, d in of]
            return of[0][0] * of[1][0], _hash(op, *(sorted(parts) if op == "mul" else parts))
        parity = OPS[op].parity if op in OPS else ""
        if parity:
            # sin(-x) is -sin(x): which of the two is stored depends on the order of nodes
            return of[0][0] if parity == "odd" else 1, _hash(op, of[0][1].hex())
        payload = _payload(args[0]) if op in PAYLOAD else ""
        return 1, _hash(op, payload, *(f"{s}{d.hex()}" for s, d in of))


def _payload(form: Any) -> str:
    """Return the text of a form, with what the Function it holds computes."""
    function = getattr(form, "function", None)
    if function is None:
        return repr(form)
    made = [function.graph.digest(i) for i in function.results]
    return repr(form) + ",".join(f"{s}{d.hex()}" for s, d in made)


def _hash(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()
