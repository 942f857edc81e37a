"""Functions put in order once give what they give without."""

import numpy as np
import pytest

from dalembert.errors import UsageError
from dalembert.expr import Graph, Straight, cos, sin, solve, trace


def recorded(x, y):
    a, b = solve([[2 + x[0] * x[0], x[1]], [x[1], 3.0]], [sin(y[0]), cos(x[1]) / 7])
    return [a * b, a + 0.5, x[0], 4]


def test_steps_in_order_give_the_values_of_the_function():
    f = trace(recorded, [("x", 2), ("y", 1)])
    given = [0.3, -0.4], [1.1]
    assert Straight(f)(*given) == f(*given)
    many = [np.linspace(0, 1, 5), np.linspace(1, 2, 5)], [np.linspace(2, 3, 5)]
    for one, other in zip(Straight(f)(*many), f(*many), strict=True):
        np.testing.assert_array_equal(one, other)


def test_parameters_must_have_been_bound():
    graph = Graph()
    f = trace(lambda x: [x[0] * graph.param("L")], [("x", 1)], graph=graph)
    with pytest.raises(UsageError, match="'L'"):
        Straight(f)
