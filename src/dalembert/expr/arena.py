"""The arena: numbered nodes in parallel lists, each made once, arguments before their users.

Ids are creation order, so nothing here recurses and every walk is a loop over ids.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

Number = int | float | Fraction

LEAVES = frozenset({"const", "pi", "param", "input"})
PAYLOAD = frozenset({"call", "solve", "iterate", "newton", "item"})  # args[0] is not a node
ODD = frozenset({"sin", "tan", "asin", "sign"})
EVEN = frozenset({"cos", "absolute"})
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
        key = (op, *args) if const is None else (op, const, const.__class__ is float)
        found = self.table.get(key)
        if found is not None:
            return found
        self.table[key] = i = len(self.op)
        self.op.append(op)
        self.args.append(args)
        self.const.append(const)
        return i

    # -- whole expressions ---------------------------------------------------------------------

    def live(self, ids: Iterable[int]) -> list[int]:
        """Return the nodes that `ids` need, in creation order."""
        needed, stack = set(), list(ids)
        while stack:
            i = stack.pop()
            if i not in needed:
                needed.add(i)
                if self.op[i] not in LEAVES:
                    stack.extend(self.operands(i))
        return sorted(needed)

    def operands(self, i: int) -> tuple[int, ...]:
        """Return the ids a node takes as arguments (none for a leaf)."""
        op = self.op[i]
        if op in LEAVES:
            return ()
        return self.args[i][1:] if op in PAYLOAD else self.args[i]

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
        if op in ODD or op in EVEN:
            # sin(-x) is -sin(x): which of the two is stored depends on the order of nodes
            return of[0][0] if op in ODD else 1, _hash(op, of[0][1].hex())
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
