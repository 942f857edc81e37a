"""Every primitive: its value on numbers, arrays and expressions, and its partial derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.expr import OPS, Graph, evaluate, push

POINTS = {
    "asin": [(0.3,), (-0.7,)],
    "acos": [(0.3,), (-0.7,)],
    "log": [(0.3,), (2.0,)],
    "sqrt": [(0.3,), (2.0,)],
    "where": [(1.0, 2.0, 3.0), (0.0, 2.0, 3.0)],
}
DEFAULT = {1: [(0.3,), (-1.2,)], 2: [(0.3, 1.1), (-1.2, -0.4), (0.7, -0.2)]}


def _node(graph, name, ids):
    return getattr(graph, name)(*ids) if hasattr(graph, name) else graph.apply(name, *ids)


@pytest.mark.parametrize("name", OPS)
def test_a_primitive_means_the_same_on_every_scalar(name):
    op = OPS[name]
    for point in POINTS.get(name, DEFAULT.get(op.arity)):
        graph = Graph()
        inputs = [graph.input("x", k).id for k in range(op.arity)]
        node = _node(graph, name, inputs)
        value = op.evaluate(*point)
        assert_allclose(float(evaluate(graph, [node], {"x": point}, {})[0]), float(value))
        arrays = [np.full(3, v) for v in point]
        if name == "where":
            arrays[0] = arrays[0] > 0.5
        assert_allclose(np.asarray(op.evaluate(*arrays), float), np.full(3, float(value)))


@pytest.mark.parametrize("name", [n for n in OPS if n not in ("lt", "le", "eq")])
def test_partials_are_slopes(name):
    op, h = OPS[name], 1e-6
    for point in POINTS.get(name, DEFAULT.get(op.arity)):
        graph = Graph()
        inputs = [graph.input("x", k) for k in range(op.arity)]
        node = _node(graph, name, [x.id for x in inputs])
        for k in range(1 if name == "where" else 0, op.arity):
            moved = push(graph, [node], {inputs[k].id: 1})[0]
            slope = float(evaluate(graph, [moved.id], {"x": point}, {})[0])
            ahead, behind = (
                float(op.evaluate(*(v + s * h * (i == k) for i, v in enumerate(point))))
                for s in (1, -1)
            )
            assert_allclose(slope, (ahead - behind) / (2 * h), atol=1e-8)


def test_the_sign_of_zero_is_zero():
    from dalembert.expr import sign

    assert sign(0.0) == 0 and sign(-3.5) == -1 and sign(2) == 1
    assert list(sign(np.array([-2.0, 0.0, 2.0]))) == [-1, 0, 1]
