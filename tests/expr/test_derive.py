"""Directional derivatives: each direction visits what it moves, and gives what one alone gives."""

import math

from dalembert.expr import Graph, cos, sin
from dalembert.expr import derive as derived
from dalembert.expr.derive import push, pushes


def _branches(count):
    """A sum of branches, each of one input of its own, and the branches."""
    g = Graph()
    x = [g.input("x", k) for k in range(count)]
    parts = [sin(a) * cos(a) + a * a for a in x]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return g, x, [*parts, total]


def test_several_directions_are_those_of_one_at_a_time():
    g, x, ends = _branches(4)
    ids = [e.id for e in ends]
    ways = [{a.id: 1} for a in x]
    together = pushes(g, ids, ways)
    for way, column in zip(ways, together, strict=True):
        assert [y.id for y in push(g, ids, way)] == [y.id for y in column]
    zero = [[r for r, y in enumerate(column) if y.value == 0] for column in together]
    assert zero == [[r for r in range(4) if r != k] for k in range(4)]
    values = {"x": [0.3, -0.7, 1.1, 0.2]}
    from dalembert.expr.function import evaluate

    found = evaluate(g, [together[k][4].id for k in range(4)], values, {})
    for a, slope in zip(values["x"], found, strict=True):
        assert math.isclose(slope, math.cos(2 * a) + 2 * a, rel_tol=1e-14)


def test_a_direction_visits_its_own_branch_only(monkeypatch):
    g, x, ends = _branches(40)
    seen = []
    chain = derived._chain

    def counted(graph, i, *rest):
        seen.append(i)
        return chain(graph, i, *rest)

    monkeypatch.setattr(derived, "_chain", counted)
    pushes(g, [e.id for e in ends[:-1]], [{x[7].id: 1}])
    assert 0 < len(seen) <= 5  # of 200 nodes
    assert pushes(g, [ends[0].id], [{x[7].id: 1}, {x[0].id: 0}]) == [[0], [0]]
