"""Passes over straight-line code keep its results, and do what they say."""

import math

import numpy as np
import pytest

from dalembert.expr import Block, Leaf, Line, cos, program, sin, trace, where
from dalembert.expr.block import (
    MASKS,
    Row,
    cut,
    folded,
    gathered,
    masked,
    ready,
    slots,
    steps,
    without_dead,
)


def busy(x):
    a = sin(x[0]) * cos(x[1]) + sin(x[2])
    b = where(x[0] < x[1], cos(a * x[0]), sin(a))
    return [a, b + (x[0] <= 0.5), where(x[2], a, b) * sin(cos(x[0])), a]


BLOCK = program(trace(busy, [("x", 3)])).step
POINTS = np.random.default_rng(3).uniform(-1, 1, (5, 3))


@pytest.mark.parametrize("change", [folded, masked, gathered, ready, without_dead])
def test_a_pass_keeps_the_results(change):
    for x in POINTS:
        np.testing.assert_array_equal(change(BLOCK).run({"x": x}), BLOCK.run({"x": x}))


def test_numbers_fold_once_and_what_is_not_finite_stays():
    leaves = (Leaf("const", value=2), Leaf("pi"), Leaf("const", value=0), Leaf("input", "x", 0))
    lines = (Line("mul", (0, 1)), Line("sin", (4,)), Line("div", (0, 2)), Line("add", (3, 5)))
    made = folded(Block(leaves, lines, (6, 7, 4)))
    assert [line.op for line in made.lines] == ["div", "add"]
    assert made.constant(made.results[2]) == 2 * math.pi


def test_minus_zero_is_another_number():
    block = Block((Leaf("const", value=0.0), Leaf("const", value=-0.0)), (), (0, 1))
    assert [math.copysign(1, x) for x in folded(block).run({})] == [1, -1]


def test_masks_are_asked_by_where_only():
    made = masked(BLOCK)
    masks = {len(made.leaves) + k for k, x in enumerate(made.lines) if x.op in MASKS}
    assert masks and not masks & set(made.results)
    for line in made.lines:
        for n, a in enumerate(line.args):
            assert (a in masks) == (line.op == "where" and n == 0)


def test_sines_of_a_level_stand_in_one_row():
    rows = [x for x in steps(gathered(BLOCK)) if isinstance(x, Row)]
    assert [len(row.values) for row in rows] == [4, 3]
    assert [len(row.angles) for row in rows] == [3, 3]


def test_pieces_do_not_cut_rows_and_slots_are_used_again():
    block = gathered(BLOCK)
    for after in (False, True):
        pieces = cut(steps(block), 2, after)
        assert [x for items in pieces for x in items] == list(steps(block))
        assert all(not isinstance(items[0], Row) for items in pieces[1:] if items) or after
    values = [[0, 1], [2], [3], [4]]
    slot, count = slots(values, {0: 1, 1: 3, 2: 2, 3: 3})
    assert slot == {0: 0, 1: 1, 2: 2, 3: 0} and count == 3
