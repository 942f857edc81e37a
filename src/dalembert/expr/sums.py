"""Sums of products, written so that each step takes in one product.

A processor multiplies and adds in one instruction. For `(a b + c d) + e` it needs three: a product,
a fused one, a sum. For `(e + a b) + c d` it needs two. Here the terms of a sum are added one by
one, where the sums they stood in were, and a term that is no product comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .block import Block, Builder

SUMS = ("add", "sub")


class Term(NamedTuple):
    """A value that a sum adds or subtracts, and the line that does so."""

    line: int
    value: int
    minus: bool
    product: bool  # and nothing else uses it


class Chain(NamedTuple):
    """The terms of a sum in a new order; each but the first has the line at which it is added."""

    first: Term
    others: tuple[tuple[int, Term], ...]


def chained(block: Block) -> Block:
    """Return the block with fewer instructions for sums of products, and as many operations."""
    base, lines = len(block.leaves), block.lines
    uses = Counter(block.results)
    for line in lines:
        uses.update(line.args)
    once = {base + k: line.op for k, line in enumerate(lines) if uses[base + k] == 1}
    sums = [base + k for k, line in enumerate(lines) if line.op in SUMS]
    inner = {a for v in sums for a in lines[v - base].args if once.get(a) in SUMS}
    steps: dict[int, list[tuple[int, Term]]] = {}  # at a line: the sum, and what is added to it
    chains: dict[int, Chain] = {}
    left: set[int] = set()
    for v in sums:
        if v in inner:
            continue
        terms, own = _terms(block, v, once)
        found = _chain(terms)
        if found is not None:
            chains[v] = found
            left |= own
            for at, term in found.others:
                steps.setdefault(at, []).append((v, term))
    return _written(block, chains, left, steps) if chains else block


def _terms(block: Block, v: int, once: Mapping[int, str]) -> tuple[list[Term], set[int]]:
    """Return the terms of a sum, in order, and the lines that they stand in."""
    base, found, own = len(block.leaves), list[Term](), set[int]()
    todo = [(v, False)]
    while todo:
        at, minus = todo.pop()
        own.add(at)
        op, args, _ = block.lines[at - base]
        for a, turned in zip(args, (minus, minus ^ (op == "sub")), strict=True):
            if once.get(a) in SUMS:
                todo.append((a, turned))
            else:
                found.append(Term(at, a, turned, once.get(a) == "mul"))
    return sorted(found), own


def _chain(terms: Sequence[Term]) -> Chain | None:
    """Return the terms in an order that saves an instruction, or None."""
    taking = {t.line for t in terms if t.product}  # sums that take in a product as they stand
    products = sum(t.product for t in terms)
    now = len(terms) - 1 + products - len(taking)
    known = terms[1].line  # where the second term is added
    first = next((t for t in terms if not t.product and t.value < known), terms[0])
    rest = [t for t in terms if t is not first]
    if first.minus and rest[0].minus:
        second = next((t for t in rest if not t.minus), None)
        if second is None:
            return None
        rest = [second, *(t for t in rest if t is not second)]
    needed = len(terms) - 1 + (first.product and rest[0].product)
    if needed >= now:
        return None
    at, others = 0, []
    for term in rest:
        at = max(at, term.line)
        others.append((at, term))
    return Chain(first, tuple(others))


def _written(
    block: Block, chains: Mapping[int, Chain], left: set[int],
    steps: Mapping[int, Sequence[tuple[int, Term]]],
) -> Block:  # fmt: skip
    """Return the block with chains in place of the sums that are left out."""
    out, base = Builder(block.leaves), len(block.leaves)
    made, total = out.made, dict[int, int]()
    for v, line in enumerate(block.lines, base):
        if v not in left:
            made.append(out.line(line.op, [made[a] for a in line.args], line.form))
            continue
        for root, term in steps.get(v, ()):
            x = made[term.value]
            if root not in total:
                first = chains[root].first
                y = made[first.value]
                if first.minus:
                    total[root] = out.line("sub", (x, y))
                else:
                    total[root] = out.line("sub" if term.minus else "add", (y, x))
            else:
                total[root] = out.line("sub" if term.minus else "add", (total[root], x))
        made.append(total.get(v, 0))
    return out.block([made[v] for v in block.results])
