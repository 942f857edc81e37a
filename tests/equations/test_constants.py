"""Constants of closed forms that are opened: the same number, with fewer terms."""

import numpy as np
import pytest

from dalembert.equations.constants import opened
from dalembert.errors import Place
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.expr.style import TEXT, write
from dalembert.read.expressions import expression as read


def expression(k, p):
    """Return a polynomial of letters and of the sine and cosine of a constant angle."""
    a, b, s, c = p["a"], p["b"], p["SK2"], p["CK2"]
    return (
        a * s * s + a * c * c + b,
        (a + b) * (a - b) + b * b,
        b * (s * s - 1) * (a + c) - c * c * 3,
        a * s * (s * s * s + c * b) + a * c * c * s * s,
        2 * a * b * s * c - c * c * c * c + s * s * s * s,
    )[k]


@pytest.mark.parametrize("k", range(5))
def test_an_opened_constant_has_the_same_value(k):
    graph = Graph()
    x = expression(k, {name: graph.param(name) for name in ("a", "b", "SK2", "CK2")})
    text = write(opened(x), TEXT)
    for turn in np.random.default_rng(k).uniform(-3, 3, 4):
        values = {"a": 1.7, "b": -0.6, "SK2": np.sin(turn), "CK2": np.cos(turn)}
        assert to_float(read(text, Graph(), Place("test", 1, 1)), values) == pytest.approx(
            to_float(x, values), rel=1e-12, abs=1e-12
        )


def test_squares_of_a_sine_and_its_cosine_add_up_to_one():
    graph = Graph()
    p = {name: graph.param(name) for name in ("a", "b", "SK2", "CK2")}
    assert write(opened(expression(0, p)), TEXT) in ("a+b", "a + b")
    assert write(opened(expression(1, p)), TEXT).replace("^", "**").replace("²", "**2") == "a**2"
    assert opened(p["a"] / p["b"]) is None and opened(1.0) is None
