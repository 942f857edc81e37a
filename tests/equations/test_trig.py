"""Sums of sines and cosines: the same function, written once, however it was given."""

import math

import numpy as np
import pytest

from dalembert.equations.trig import NotTrig, is_coordinate, primitive, trig
from dalembert.equations.trig_form import folded, formula_of, over, symbol, without, zero_formula
from dalembert.errors import Place
from dalembert.expr import Graph, cos, sin
from dalembert.expr.exact import to_float
from dalembert.expr.style import TEXT, write
from dalembert.read.expressions import expression as read

NAMES = ("L1", "L2", "q1", "q2", "q3")
VALUES = [dict(zip(NAMES, x, strict=True)) for x in np.random.default_rng(1).normal(size=(3, 5))]


def drawn(seed, graph, divide=True):
    """Return a random sum of letters, sines and cosines of angles, some of them constant."""
    rng = np.random.default_rng(seed)
    letter = {n: graph.param(n) for n in NAMES}

    def angle():
        total = graph.pi() * int(rng.integers(-8, 9)) / int(rng.choice([2, 3, 4, 12]))
        for n in rng.choice(NAMES[2:], int(rng.integers(0, 4))):
            total = total + letter[str(n)] * int(rng.integers(-2, 3))
        return total

    def product():
        x = graph.constant(int(rng.integers(1, 4))) * int(rng.choice([-1, 1]))
        for _ in range(int(rng.integers(1, 4))):
            x = x * (sin if rng.random() < 0.5 else cos)(angle())
        x = x * letter[str(rng.choice(NAMES[:2]))] if rng.random() < 0.6 else x
        if divide and rng.random() < 0.3:
            x = x / (letter["L2"] * int(rng.choice([1, -2, 5])))
        return x

    total = product()
    for _ in range(int(rng.integers(1, 4))):
        total = total + product() if rng.random() < 0.5 else total - product()
    return total


def told(x, values):
    return float(x) if isinstance(x, int | float) else to_float(x, values)


def same(x, y):
    for values in VALUES:
        assert told(x, values) == pytest.approx(told(y, values), rel=1e-11, abs=1e-11)


def again(formula):
    return read(write(formula, TEXT), Graph(), Place("formula", 1, 1))


@pytest.mark.parametrize("seed", range(60))
def test_sums_of_sines_are_the_same_function_in_every_form(seed):
    graph = Graph()
    x = drawn(seed, graph)
    same(trig(x).expr(graph), x)
    same(folded(x), x)
    same(again(formula_of(x)), x)


@pytest.mark.parametrize("quarters", range(-5, 6))
def test_quarter_turns_change_the_kind_and_the_sign(quarters):
    """Of sums with a letter, of their negatives, and of constants, which have no sine left."""
    graph = Graph()
    a, turn = graph.param("q1"), graph.pi() * quarters / 2
    s, c = round(math.sin(math.pi / 2 * quarters)), round(math.cos(math.pi / 2 * quarters))
    assert trig(sin(a + turn)).terms == trig(sin(a) * c + cos(a) * s).terms
    assert trig(cos(turn - a)).terms == trig(cos(a) * c + sin(a) * s).terms
    assert trig(sin(turn - a) + sin(a - turn)).terms == {}
    assert trig(cos(turn - a) - cos(a - turn)).terms == {}
    assert trig(sin(turn)).expr(graph) == s and trig(cos(turn)).expr(graph) == c


@pytest.mark.parametrize("seed", range(20))
def test_what_a_determinant_divides_is_taken_out(seed):
    """x = n det + rest; what is n det by construction leaves nothing."""
    graph = Graph()
    L1, L2, q = (graph.param(n) for n in ("L1", "L2", "q1"))
    det, rest = L1 * sin(q), drawn(100 + seed, graph, divide=False)
    left, n = without(rest, det)
    same(left + n * det, rest)
    left, n = without(L1 * L1 * L2 * sin(q) * 3, det)
    assert told(left, VALUES[0]) == 0
    same(n, 3 * L1 * L2)


@pytest.mark.parametrize("seed", range(20))
def test_a_row_times_its_denominators_has_none(seed):
    graph = Graph()
    row = [drawn(200 + seed, graph), drawn(300 + seed, graph)]
    by = over(row, graph)
    powers = [e for x in row for letters, *_ in trig(x).terms for n, e in letters if n == "L2"]
    assert (by is None) == (min(powers, default=0) >= 0)
    if by is not None:
        assert told(by, VALUES[0]) == pytest.approx(VALUES[0]["L2"] ** -min(powers))
        assert all(e > 0 for x in row for letters, *_ in trig(x * by).terms for _, e in letters)


@pytest.mark.parametrize("seed", range(20))
def test_the_factor_shared_by_sums_times_what_is_left_is_each_of_them(seed):
    graph = Graph()
    L1, q = graph.param("L1"), graph.param("q1")
    row = [drawn(400 + seed, graph) * L1 * L1, L1 * sin(q) * drawn(500 + seed, graph)]
    factor, left = primitive([trig(x) for x in row], graph)
    for x, rest in zip(row, left, strict=True):
        same(factor * rest, x)
    factor, left = primitive([trig(L1 * L1 * sin(q) * 3), trig(-3 * L1 * sin(q))], graph)
    same(factor, 3 * L1 * sin(q))
    assert [told(x, VALUES[0]) for x in left] == pytest.approx([VALUES[0]["L1"], -1])


@pytest.mark.parametrize("seed", range(20))
def test_a_formula_that_is_zero_has_the_zeros_of_what_it_was(seed):
    """Its quotient with the expression is letters and numbers alone: it does not turn."""
    graph = Graph()
    x = drawn(600 + seed, graph)
    made = again(zero_formula(x))
    ratios = []
    for q in np.random.default_rng(seed).uniform(-3, 3, (3, 3)):
        values = {"L1": 0.7, "L2": -1.3, **dict(zip(NAMES[2:], q, strict=True))}
        ratios.append(told(made, values) / told(x, values) if abs(told(x, values)) > 1e-6 else 0)
    ratios = [r for r in ratios if r]
    assert all(r == pytest.approx(ratios[0], rel=1e-6) for r in ratios)


def test_what_is_no_sum_of_sines_is_told():
    graph = Graph()
    q, L = graph.param("q1"), graph.param("L1")
    for x in (1 / sin(q), 1 / (L + 1), sin(L * q), sin(q * q), sin(1.5 * q)):
        with pytest.raises(NotTrig):
            trig(x)
    same(trig(sin(q) / (2 * L * L)).expr(graph), sin(q) / (2 * L * L))
    assert [n for n in ("q1", "q12", "q", "qd1", "L1", "q1a", "p1") if is_coordinate(n)] == [
        "q1", "q12"]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "latex"),
    [("q1", ""), ("qd12", r"\dot{q}_{12}"), ("qdd3", r"\ddot{q}_{3}"), ("tau2", r"\tau_{2}"),
     ("tau(2)", r"\tau_{2}"), ("Ac(1,2)", "A_{c,1,2}"), ("Hc3", "H_{c,3}"), ("qdx", ""),
     ("tau", ""), ("length", "")],
)  # fmt: skip
def test_rates_and_forces_have_their_signs_in_latex(name, latex):
    assert (symbol(name).name, symbol(name).latex) == (name, latex)
