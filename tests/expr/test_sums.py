"""Sums of products as chains: the same value, fewer instructions, as many operations."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from dalembert.expr.block import Block, Leaf, Line
from dalembert.expr.sums import chained

FOUR = tuple(Leaf("input", "x", k) for k in range(4))


def exact(block, values):
    """Return the results over fractions."""
    found = list(values)
    for op, (a, b), _ in block.lines:
        x, y = found[a], found[b]
        found.append({"add": x + y, "sub": x - y, "mul": x * y}[op])
    return [found[v] for v in block.results]


def instructions(block):
    """Return how many are left when each sum takes in one product that nothing else uses."""
    base, uses = len(block.leaves), Counter(block.results)
    for line in block.lines:
        uses.update(line.args)
    once = {base + k for k, line in enumerate(block.lines) if line.op == "mul"}
    once = {v for v in once if uses[v] == 1}
    taking = sum(line.op != "mul" and not once.isdisjoint(line.args) for line in block.lines)
    return len(block.lines) - taking


def products(block):
    return sum(line.op == "mul" for line in block.lines)


def some(seed, size=40):
    rng, lines = random.Random(seed), []
    for k in range(size):
        known = range(max(0, 4 + k - 9), 4 + k)
        op = rng.choice(["add", "sub", "mul"])
        lines.append(Line(op, (rng.choice(known), rng.choice(known))))
    return Block(FOUR, tuple(lines), (*rng.sample(range(4, 4 + size), 3), 3 + size))


def test_what_is_added_last_comes_first():
    # (x0 x1 + x2 x3) + x0, and the same taken from x0
    pair = (Line("mul", (0, 1)), Line("mul", (2, 3)), Line("add", (4, 5)))
    for op in ("add", "sub"):
        block = Block(FOUR, (*pair, Line(op, (0, 6))), (7,))
        made = chained(block)
        assert (instructions(block), instructions(made)) == (3, 2)
        assert exact(made, (2, 3, 5, 7)) == exact(block, (2, 3, 5, 7))


def test_what_others_use_stays():
    block = Block(FOUR, (Line("mul", (0, 1)), Line("mul", (2, 3)), Line("add", (4, 5)),
                         Line("add", (0, 6))), (6, 7))  # fmt: skip
    assert chained(block) == block


@pytest.mark.parametrize("seed", range(40))
def test_values_stay_and_instructions_never_become_more(seed):
    block = some(seed)
    made = chained(block)
    values = [Fraction(n, 7) for n in (3, -5, 11, 2)]
    assert exact(made, values) == exact(block, values)
    assert instructions(made) <= instructions(block)
    assert products(made) <= products(block)
    assert len(made.lines) <= len(block.lines)
