"""Programs: prepare and step, no dead line, honest counts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.expr import Graph, cos, program, sin, solve, sqrt, trace
from dalembert.expr.ordered import count


def run(p, inputs, parameters=None):
    """Return the results of a Program by walking its lines."""

    values = [(parameters or {}).get(name) for name in p.parameters]
    return p.step.run(inputs, values, p.prepare.run({}, values))


def parametric(*values):
    graph = Graph()
    a, b = map(graph.constant, values) if values else map(graph.param, "ab")

    def f(x):
        heavy = sqrt(a * a + b * b) * sin(b)
        return [heavy * x[0] + a * x[1], heavy * heavy, cos(x[0]) * (heavy + 1) - b]

    return trace(f, [("x", 2)], graph=graph)


def test_prepare_holds_all_that_depends_on_parameters_only():
    f = parametric()
    p = program(f)
    assert p.parameters == ("a", "b")
    assert {line.op for line in p.prepare.lines} >= {"sqrt", "sin", "mul", "add"}
    assert not any(line.op in ("sqrt", "sin") for line in p.step.lines)
    assert all(leaf.kind in ("const", "input", "prepared", "pi") for leaf in p.step.leaves)
    values = {"a": 3.0, "b": 4.0}
    expected = f([0.2, 0.5], parameters=values)
    assert_allclose(run(p, {"x": [0.2, 0.5]}, values), expected, rtol=1e-15)


def test_numbers_fold_prepare_away():
    p = program(parametric(3.0, 4.0))
    assert p.parameters == () and not p.prepare.lines and not p.prepare.results
    expected = parametric()([0.2, 0.5], parameters={"a": 3.0, "b": 4.0})
    assert_allclose(run(p, {"x": [0.2, 0.5]}), expected, rtol=1e-14)


def test_the_order_of_parameters_can_be_fixed():
    p = program(parametric(), ["b", "unused", "a"])
    assert p.parameters == ("b", "unused", "a")
    values = {"a": 3.0, "b": 4.0, "unused": 0.0}
    expected = parametric()([0.2, 0.5], parameters=values)
    assert_allclose(run(p, {"x": [0.2, 0.5]}, values), expected)


def test_dead_lines_are_gone():
    def f(x):
        sin(x[0]) * cos(x[1])  # wanted by nobody
        return [x[0] + x[1]]

    p = program(trace(f, [("x", 2)]))
    assert [line.op for line in p.step.lines] == ["add"]
    g = program(trace(lambda x: solve([[2.0 + x[0]]], [x[1]]) and [x[0]], [("x", 2)]))
    assert not g.step.lines


def test_every_line_is_needed_and_comes_after_its_arguments():
    f = parametric()
    p = program(f)
    for b in (p.prepare, p.step):
        used = set(b.results)
        for k, line in enumerate(b.lines):
            assert all(a < len(b.leaves) + k for a in line.args)
            used.update(line.args)
        assert used == set(range(len(b.leaves) + len(b.lines)))


def test_counts_follow_the_contract():
    def made(x):
        return [-(x[0] * x[0]) + x[1] * 3 - x[2], sin(x[0]) + cos(x[0]), x[0] / x[1]]

    f = trace(made, [("x", 3)])
    cost = count(program(f).step)
    # x², 3 x1; three sums; one quotient; sin and cos of one angle are one pair; negation is free
    assert (cost.mul, cost.add, cost.div, cost.sincos) == (2, 3, 1, 1)
    assert str(cost).startswith("2 mul, 3 add")


def test_results_may_be_inputs_constants_and_parameters():
    graph = Graph()
    a = graph.param("a")
    f = trace(lambda x: [x[0], 2, a, a * 2, 0], [("x", 1)], graph=graph)
    assert_allclose(run(program(f), {"x": [5.0]}, {"a": 3.0}), [5, 2, 3, 6, 0])


@pytest.mark.parametrize("seed", range(5))
def test_a_program_computes_what_its_function_does(seed):
    rng = np.random.default_rng(seed)

    def f(x):
        made = list(x)
        for _ in range(60):
            a, b = (made[int(k)] for k in rng.integers(len(made), size=2))
            made.append([a + b, a - b, a * b, -(a - b), sin(a), a - 2 * b][int(rng.integers(6))])
        return made[-8:]

    traced = trace(f, [("x", 4)])
    x = rng.normal(size=4).tolist()
    assert_allclose(run(program(traced), {"x": x}), traced(x), rtol=1e-12, atol=1e-12)
