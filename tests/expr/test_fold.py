"""A graph folded into another algebra: one table for leaves, one for primitives."""

import math

import pytest

from dalembert.errors import UsageError
from dalembert.expr import OPS, Graph, sin

DEGREE = {
    "add": max,
    "sub": max,
    "mul": lambda a, b: a + b,
    "neg": lambda a: a,
}
LEAF = {"const": lambda c: 0, "param": lambda name: 1, "input": lambda name, k: 1}


def test_a_fold_is_an_algebra_of_its_own():
    g = Graph()
    x, y = g.param("x"), g.input("q", 0)
    z = x * x * y - 3 * y
    assert g.fold([z.id], LEAF, DEGREE)[z.id] == 3


def test_what_has_no_row_is_left_to_the_rest():
    g = Graph()
    z = sin(g.param("x")) + g.pi() * g.param("y")
    asked = []

    def rest(i, values):
        asked.append((g.op[i], values))

    # None travels upward: the product and the sum are asked for too
    assert g.fold([z.id], LEAF, DEGREE, rest)[z.id] is None
    assert [op for op, _ in asked] == ["sin", "pi", "mul", "add"]
    with pytest.raises(UsageError, match="sin has no meaning here"):
        g.fold([z.id], LEAF | {"pi": lambda: 0}, DEGREE)


def test_floats_are_one_such_algebra():
    g = Graph()
    z = sin(g.param("x")) / (2 + g.pi())
    leaf = {"const": float, "pi": lambda: math.pi, "param": lambda name: 0.3}
    ops = {name: op.evaluate for name, op in OPS.items()}
    assert g.fold([z.id], leaf, ops)[z.id] == math.sin(0.3) / (2 + math.pi)


def test_parameters_come_in_order_of_appearance():
    g = Graph()
    g.param("b")
    g.input("q", 0)
    _ = g.param("a") * g.param("b")
    assert g.parameters() == ("b", "a")
