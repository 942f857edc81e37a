"""The graph: folding, sharing, exact trigonometry, depth, and one answer for any hash seed."""

import math
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import UsageError
from dalembert.expr import (
    Graph,
    absolute,
    asin,
    cos,
    evaluate,
    maximum,
    minimum,
    program,
    push,
    sign,
    sin,
    sqrt,
    tan,
    trace,
    where,
)
from peers import SOURCE


@pytest.fixture
def g():
    return Graph()


# -- folding --------------------------------------------------------------------------------------


def test_zeros_and_ones_vanish(g):
    x = g.input("x", 0)
    for same in (x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1, -(0 - x), +x, (x + 3) - 3, x * 5 / 5):
        assert same.id == x.id
    for zero in (x * 0, 0 * x, x - x, 0 / x, x + -x):
        assert zero.value == 0
    assert (x / x).value == 1
    assert (x**0).value == 1 and (x**1).id == x.id


def test_repeats_are_shared_whatever_their_order(g):
    x, y = g.input("x", 0), g.input("x", 1)
    assert (x + y).id == (y + x).id
    assert (x * y).id == (y * x).id
    assert (-(x - y)).id == (y - x).id
    assert (x * -y).id == (-(x * y)).id == (-x * y).id
    assert ((x + y) - y).id == x.id and ((x - y) + y).id == x.id
    assert (x - (x - y)).id == y.id and (y - (x + y)).id == (-x).id
    assert ((x / y) * y).id == x.id and ((x * y) / y).id == x.id


def test_a_minus_sign_leaves_odd_and_even_functions(g):
    x = g.input("x", 0)
    for f in (sin, tan, asin, sign):
        assert f(-x).id == (-f(x)).id != f(x).id
    for f in (cos, absolute):
        assert f(-x).id == f(x).id


def test_a_size_is_not_compared_with_zero(g):
    x, y = g.input("x", 0), g.input("x", 1)
    size = maximum(absolute(x), absolute(y))
    for same in (maximum(size, 0), maximum(0, size), maximum(maximum(size, 0.0), 0)):
        assert same.id == size.id
    assert maximum(x, 0).id != x.id and maximum(size, 1).id != size.id


def test_constants_gather(g):
    x = g.input("x", 0)
    assert (2 * (3 * x)).id == (6 * x).id
    assert ((x + 1) + 2).id == (x + 3).id
    assert ((x - 1) + 1).id == x.id
    assert (x + x).id == (2 * x).id
    assert (g.constant(Fraction(1, 3)) * 3).value == 1
    assert (g.constant(1) / 3).value == Fraction(1, 3)
    assert (x / 4).id == (x * Fraction(1, 4)).id


def test_where_and_masks_fold(g):
    x, y = g.input("x", 0), g.input("x", 1)
    assert where(g.constant(1) < 2, x, y).id == x.id
    assert where(x < y, y, y).id == y.id
    assert minimum(g.constant(2), 3).value == 2 and maximum(2, g.constant(3)).value == 3
    assert absolute(g.constant(-2)).value == 2 and sign(g.constant(Fraction(-1, 2))).value == -1
    assert math.isclose(sqrt(g.constant(2.0)).value, math.sqrt(2))
    assert sqrt(g.constant(Fraction(4, 9))).value == Fraction(2, 3)
    assert sqrt(g.constant(2)).value is None  # stays exact


def test_division_by_zero_and_truth_are_errors(g):
    x = g.input("x", 0)
    with pytest.raises(ZeroDivisionError):
        x / 0
    with pytest.raises(UsageError, match="no truth value"):
        bool(x < 1)
    with pytest.raises(UsageError, match="power"):
        x**-1
    with pytest.raises(TypeError):
        x + "1"


# -- exact trigonometry ---------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(-30, 31))
def test_multiples_of_fifteen_degrees_are_exact_where_one_root_is_enough(g, k):
    angle = g.pi() * Fraction(k, 12)
    for f, reference in ((sin, math.sin), (cos, math.cos)):
        made = f(angle)
        value = evaluate(g, [made.id], {}, {})[0]
        assert math.isclose(value, reference(math.pi * k / 12), abs_tol=1e-14)
        if k % 6 == 0:
            assert made.value in (-1, 0, 1)
        elif k % 2 == 0 or k % 3 == 0:
            assert not any(g.op[i] in ("sin", "cos") for i in g.live([made.id]))


def test_signs_leave_sines(g):
    x = g.input("x", 0)
    assert sin(-x).id == (-sin(x)).id and cos(-x).id == cos(x).id
    assert sin(x - g.input("x", 1)).id == (-sin(g.input("x", 1) - x)).id


def test_over_pi_knows_rational_multiples_only(g):
    assert (g.pi() * Fraction(2, 3)).over_pi == Fraction(2, 3)
    assert (-g.pi()).over_pi == -1 and g.constant(0).over_pi == 0
    assert (g.pi() * 0.5).over_pi is None and g.constant(1).over_pi is None
    assert (g.pi() * g.param("a")).over_pi is None


# -- the graph computes what Python computes ------------------------------------------------------

numbers = st.fractions(-10, 10, max_denominator=12)
STEPS = ("add", "sub", "rsub", "mul", "div", "neg", "sin", "abs", "min", "where", "const")


def apply(step, x, y, c):
    return {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "rsub": lambda: c - x,
        "mul": lambda: x * y,
        "div": lambda: x / (abs(y) + 1),
        "neg": lambda: -x,
        "sin": lambda: sin(x),
        "abs": lambda: absolute(x),
        "min": lambda: minimum(x, y),
        "where": lambda: where(x < y, x, c + y),
        "const": lambda: x * c,
    }[step]()


@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9), numbers)),
    st.lists(numbers, min_size=3, max_size=3),
)
def test_folding_changes_no_value(steps, inputs):
    graph = Graph()
    made = [graph.input("x", k) for k in range(3)]
    plain = [float(v) for v in inputs]
    for step, a, b, c in steps:
        made.append(apply(step, made[a % len(made)], made[b % len(made)], c))
        plain.append(apply(step, plain[a % len(plain)], plain[b % len(plain)], float(c)))
    values = evaluate(graph, [x.id for x in made], {"x": [float(v) for v in inputs]}, {})
    for value, reference in zip(values, plain, strict=True):
        scale = max(1.0, *(abs(p) for p in plain))
        assert math.isclose(value, reference, rel_tol=1e-9, abs_tol=1e-9 * scale)


# -- structure ------------------------------------------------------------------------------------


def test_equality_and_hash_are_those_of_the_expression():
    def make(graph):
        a, b = graph.param("a"), graph.param("b")
        return sin(a * b + 2) - b / a

    left, right = Graph(), Graph()
    right.param("b")  # other ids
    x, y = make(left), make(right)
    assert x == y and hash(x) == hash(y)
    assert x != make(right) + 1
    assert left.constant(2) == 2 and hash(left.constant(2)) == hash(2)
    assert left.adopt(y) == x and left.adopt(y).graph is left
    assert x.names() == ("a", "b")


def test_an_expression_of_another_graph_is_adopted(g):
    x, y = g.input("x", 0), Graph().input("x", 1)
    assert (x + y).graph is g and (x + y) == x + g.input("x", 1)


def test_negatives_differ_from_positives():
    g = Graph()
    a, b = g.param("a"), g.param("b")
    assert a - b != b - a and (a - b) * a != (b - a) * a
    assert sin(a) != sin(b) and -a != a


# -- depth ----------------------------------------------------------------------------------------


def test_a_chain_of_a_hundred_thousand_nodes_needs_no_recursion():
    g = Graph()
    x = y = g.input("x", 0)
    for _ in range(50_000):
        y = sin(y) + x
    assert len(g) > 100_000
    value = evaluate(g, [y.id], {"x": [0.1]}, {})[0]
    again = 0.1
    for _ in range(50_000):
        again = math.sin(again) + 0.1
    assert value == again
    other = Graph()
    copy = other.adopt(y)
    assert copy == y and hash(copy) == hash(y)
    slope = push(g, [y.id], {x.id: 1})[0]
    assert math.isfinite(evaluate(g, [slope.id], {"x": [0.1]}, {})[0])
    del y, copy, g, other  # and it dies without recursion


def test_a_deep_function_becomes_a_program():
    def deep(x):
        y = x[0]
        for _ in range(20_000):
            y = sin(y) * x[1]
        return [y]

    p = program(trace(deep, [("x", 2)]))
    assert len(p.step.lines) == 40_000


# -- determinism ----------------------------------------------------------------------------------

SCRIPT = """
import sys
sys.path[:0] = [{source!r}, {tests!r}]
import hashlib
from dalembert.algorithms.articulated_body import articulated_body
from dalembert.algorithms.newton_euler import newton_euler
from dalembert.expr import Graph, program, trace
from mechanisms import random_mechanisms
h = hashlib.sha256()
for m in random_mechanisms(6, 7, dof=(2, 6), masses={{"decade": 1}}, massless=0):
    for algorithm in (newton_euler, articulated_body):
        g = Graph()
        f = trace(lambda a, b, c: algorithm(m.bound(graph=g), a, b, c),
                  [("q", m.nq), ("qd", m.nv), ("x", m.nv)], graph=g)
        h.update(repr(program(f).step).encode())
    h.update(m.digest.encode())
print(h.hexdigest())
"""


def test_the_same_lines_come_out_for_any_hash_seed():
    script = SCRIPT.format(source=str(SOURCE.parent), tests=str(SOURCE.parent.parent / "tests"))
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (0, 1, 12345)
    }
    assert len(digests) == 1
