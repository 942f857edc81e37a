"""solve and call: values, expansion, and derivatives in both directions."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.errors import UsageError
from dalembert.expr import (
    IMPLICIT,
    Graph,
    call,
    cos,
    evaluate,
    expand,
    gradient,
    jacobian,
    program,
    push,
    sin,
    solve,
    trace,
)


def spd(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


# -- solve ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("kind", ["spd", "general"])
def test_solve_on_numbers_arrays_and_the_graph(n, kind):
    rng = np.random.default_rng(n)
    A = np.array([spd(rng, n) if kind == "spd" else rng.normal(size=(n, n)) for _ in range(3)])
    b = rng.normal(size=(3, n))
    ref = np.linalg.solve(A, b[..., None])[..., 0]
    for k in range(3):
        x = solve(A[k].tolist(), b[k].tolist(), kind)
        assert_allclose(x, ref[k], rtol=1e-9, atol=1e-11)
    rows = [[A[:, r, c] for c in range(n)] for r in range(n)]
    batch = np.array(solve(rows, [b[:, r] for r in range(n)], kind)).T
    assert_allclose(batch, ref, rtol=1e-9, atol=1e-11)
    f = trace(
        lambda a, y: solve([a[r * n : r * n + n] for r in range(n)], y, kind),
        [("A", n * n), ("b", n)],
    )
    assert_allclose(f(A[0].ravel(), b[0]), ref[0], rtol=1e-9, atol=1e-11)
    expanded, ids = expand(f.graph, f.results)
    assert not any(op in ("solve", "item") for op in expanded.op)
    values = evaluate(expanded, ids, {"A": A[0].ravel(), "b": b[0]}, {})
    assert_allclose(values, ref[0], rtol=1e-9, atol=1e-11)


def test_general_systems_are_pivoted():
    A, b = [[0.0, 1.0], [1.0, 0.0]], [2.0, 3.0]
    assert solve(A, b, "general") == [3.0, 2.0]
    A = [[1e-20, 1.0], [1.0, 1.0]]
    assert_allclose(solve(A, [1.0, 2.0], "general"), [1.0, 1.0], rtol=1e-15)


def test_an_unknown_kind_is_refused():
    with pytest.raises(UsageError, match="unknown kind"):
        solve([[1.0]], [1.0], "lu")


def system(x, kind="spd"):
    """A 2 x 2 system whose entries depend on x."""
    A = [[3 + cos(x[0]), x[0] * x[1]], [x[0] * x[1], 4 + x[1] * x[1]]]
    if kind == "general":
        A[1][0] = x[1] - 2
    return solve(A, [x[0] + x[1], sin(x[1])], kind)


@pytest.mark.parametrize("kind", ["spd", "general"])
def test_derivatives_of_solve_do_not_pass_the_elimination(kind):
    f = trace(lambda x: system(x, kind), [("x", 2)])
    J = jacobian(f, "x")
    x = [0.4, 0.7]
    got = np.reshape(J(x), (2, 2))
    assert_allclose(got, complex_step(lambda v: _solve_numpy(v, kind), x), rtol=1e-13, atol=1e-14)
    assert J.graph.op.count("solve") >= 2
    _reverse_agrees(f, x, got)


def _solve_numpy(x, kind):
    low = x[0] * x[1] if kind == "spd" else x[1] - 2
    A = np.array([[3 + np.cos(x[0]), x[0] * x[1]], [low, 4 + x[1] ** 2]])
    return np.linalg.solve(A, np.array([x[0] + x[1], np.sin(x[1])]))


def complex_step(f, x, h=1e-30):
    columns = []
    for k in range(len(x)):
        at = np.array(x, complex)
        at[k] += 1j * h
        columns.append(np.imag(f(at)) / h)
    return np.array(columns).T


def _reverse_agrees(f, x, J):
    graph, ids = expand(f.graph, f.results, IMPLICIT)
    leaves = [graph.input("x", k).id for k in range(len(x))]
    for row, i in enumerate(ids):
        bars = gradient(graph, i, leaves)
        values = evaluate(graph, [b.id for b in bars], {"x": x}, {})
        assert_allclose(values, J[row], rtol=1e-12, atol=1e-13)


# -- call -----------------------------------------------------------------------------------------

STEP = trace(
    lambda y, a: [y[0] + a[0] * y[1], y[1] - a[0] * sin(y[0])], [("y", 2), ("a", 1)], name="step"
)


def pendulum(x):
    y = [x[0], x[1]]
    for _ in range(20):
        y = call(STEP, y, [x[2]])
    return y


def _pendulum_numpy(x):
    y = [x[0], x[1]]
    for _ in range(20):
        y = [y[0] + x[2] * y[1], y[1] - x[2] * np.sin(y[0])]
    return np.array(y)


def test_repeated_calls_have_derivatives():
    x = [0.5, 0.2, 0.05]
    f = trace(pendulum, [("x", 3)])
    assert_allclose(pendulum(x), _pendulum_numpy(x), rtol=1e-15)
    assert_allclose(f(x), _pendulum_numpy(x), rtol=1e-15)
    assert f.graph.op.count("call") == 20
    got = np.reshape(jacobian(f, "x")(x), (2, 3))
    assert_allclose(got, complex_step(_pendulum_numpy, x), rtol=1e-12)
    _reverse_agrees(f, x, got)


def test_call_uses_a_function_many_times():
    def twice(x):
        first = call(STEP, [x[0], x[1]], [x[2]])
        return call(STEP, first, [2 * x[2]])

    x = [0.5, 0.2, 0.05]
    f = trace(twice, [("x", 3)])
    plain = STEP(STEP(x[:2], x[2:]), [2 * x[2]])
    assert_allclose(f(x), plain, rtol=1e-15)
    assert_allclose(twice(x), plain, rtol=1e-15)
    assert f.graph.op.count("call") == 2

    def numpy(v):
        y = [v[0] + v[2] * v[1], v[1] - v[2] * np.sin(v[0])]
        return np.array([y[0] + 2 * v[2] * y[1], y[1] - 2 * v[2] * np.sin(y[0])])

    got = np.reshape(jacobian(f, "x")(x), (2, 3))
    assert_allclose(got, complex_step(numpy, x), rtol=1e-13)
    _reverse_agrees(f, x, got)


def test_calls_of_different_functions_differ():
    g = Graph()
    x = g.input("x", 0)
    plus, times = (trace(f, [("x", 1)]) for f in (lambda x: [x[0] + 7], lambda x: [x[0] * 7]))
    again = trace(lambda x: [7 + x[0]], [("x", 1)])
    assert call(plus, [x])[0] != call(times, [x])[0]
    assert call(plus, [x])[0] == call(again, [x])[0]


def test_functions_may_depend_on_parameters():
    graph = Graph()
    a, b = graph.param("a"), graph.param("b")
    step = trace(lambda y: [y[0] * a + b], [("y", 1)], graph=graph, name="step")

    def f(x):
        return [*call(step, [x[0] + 1]), *call(step, call(step, call(step, [x[0]])))]

    traced = trace(f, [("x", 1)])
    given = {"a": 2.0, "b": 0.5}
    expected = [2 * 2.5 + 0.5, ((1.5 * 2 + 0.5) * 2 + 0.5) * 2 + 0.5]
    assert_allclose(traced([1.5], parameters=given), expected, rtol=1e-14)
    assert sorted(traced.parameters) == ["a", "b"]
    assert sorted(program(traced).parameters) == ["a", "b"]
    slope = jacobian(traced, "x")([1.5], parameters=given)
    assert_allclose(slope, [2, 8], rtol=1e-13)


def test_forms_nest():
    inner = trace(lambda x: system(x), [("x", 2)], name="inner")

    def outer(x):
        y = call(inner, x)
        for _ in range(3):
            y = call(STEP, y, [x[0]])
        return y

    f = trace(outer, [("x", 2)])
    x = [0.4, 0.7]
    got = np.reshape(jacobian(f, "x")(x), (2, 2))
    h = 1e-6
    for k in range(2):
        ahead, behind = (
            np.array(f([v + s * h * (i == k) for i, v in enumerate(x)])) for s in (1, -1)
        )
        assert_allclose(got[:, k], (ahead - behind) / (2 * h), rtol=1e-7, atol=1e-9)
    p = program(f)
    assert not any(line.op in ("solve", "call") for line in p.step.lines)


def test_a_form_on_constants_is_computed_at_once():
    g = Graph()
    assert all(isinstance(v, float) for v in solve([[2.0]], [1.0]))
    made = solve([[g.constant(2)]], [g.constant(1)])
    assert_allclose(evaluate(g, [made[0].id], {}, {}), [0.5])


def test_push_through_nothing_is_zero():
    f = trace(lambda x: system([0.4, 0.7]) + [x[0]], [("x", 1)])
    moved = push(f.graph, f.results, {})
    assert all(m.value == 0 for m in moved)
    assert math.isclose(f([1.5])[2], 1.5)
