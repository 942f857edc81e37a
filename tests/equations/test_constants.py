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
        # a bracket that stands behind three letters, behind one, and with the other sign
        a * b * p["d"] * (s + c * 2) + p["e"] * (s + c * 2),
        a * b * p["d"] * (s - c) - p["e"] * p["f"] * (s - c) + p["g"] * (c - s),
    )[k]


LETTERS = {"a": 1.7, "b": -0.6, "d": 0.3, "e": 2.1, "f": -1.2, "g": 0.8}


@pytest.mark.parametrize("k", range(7))
def test_an_opened_constant_has_the_same_value(k):
    graph = Graph()
    x = expression(k, {name: graph.param(name) for name in (*LETTERS, "SK2", "CK2")})
    text = write(opened(x), TEXT)
    for turn in np.random.default_rng(k).uniform(-3, 3, 4):
        values = {**LETTERS, "SK2": np.sin(turn), "CK2": np.cos(turn)}
        assert to_float(read(text, Graph(), Place("test", 1, 1)), values) == pytest.approx(
            to_float(x, values), rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("seed", range(30))
def test_brackets_that_are_found_again_have_the_same_value(seed):
    """Sums of products of letters and of brackets, some of which stand in several of them."""
    graph, rng = Graph(), np.random.default_rng(seed)
    letters = "abcdefg"
    p = {name: graph.param(name) for name in letters}

    def bracket():
        x = p[str(rng.choice([*letters]))] * int(rng.choice([1, -1, 2]))
        for n in rng.choice([*letters], int(rng.integers(1, 3))):
            x = x + p[str(n)] * int(rng.choice([1, -1, 3]))
        return x

    shared, x = [bracket(), bracket()], 0
    for _ in range(int(rng.integers(2, 5))):
        part = shared[int(rng.integers(2))] * int(rng.choice([1, -1, 2]))
        for n in rng.choice([*letters], int(rng.integers(0, 4))):
            part = part * p[str(n)]
        x = x + (part * bracket() if rng.random() < 0.3 else part)
    text = write(opened(x), TEXT)
    for values in rng.normal(size=(3, 7)):
        known = dict(zip(letters, values, strict=True))
        found = to_float(read(text, Graph(), Place("test", 1, 1)), known)
        assert found == pytest.approx(to_float(x, known), rel=1e-11, abs=1e-11)


def test_squares_of_a_sine_and_its_cosine_add_up_to_one():
    graph = Graph()
    p = {name: graph.param(name) for name in (*LETTERS, "SK2", "CK2")}
    assert write(opened(expression(0, p)), TEXT) in ("a+b", "a + b")
    assert write(opened(expression(1, p)), TEXT).replace("^", "**").replace("²", "**2") == "a**2"
    assert opened(p["a"] / p["b"]) is None and opened(1.0) is None
