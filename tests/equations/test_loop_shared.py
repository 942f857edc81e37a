"""Large expressions in parts: what repeats is named once, and the value stays."""

import pytest

from dalembert.equations.loop_shared import LARGE, shared, written_size
from dalembert.expr import Graph
from dalembert.expr.exact import to_float


def test_named_parts_make_expressions_short_and_keep_their_value():
    graph = Graph()
    x, y = graph.param("x"), graph.param("y")
    part = x
    for k in range(12):
        part = part * (y + k) + x * part  # each is used twice: its text doubles
    values = [part * part + y, part + x, x, 3]
    assert max(map(written_size, values[:2])) > LARGE
    named, symbols = {}, {}

    def name(e):
        symbols[f"p{len(symbols)}"] = e
        return graph.param(f"p{len(symbols) - 1}")

    found = shared(values, named, name)
    assert symbols and all(written_size(e) <= LARGE for e in [*symbols.values(), *found[:2]])
    known = {"x": 0.7, "y": -0.3}
    wanted = [to_float(e, dict(known)) for e in values[:2]]
    for symbol, e in symbols.items():
        known[symbol] = to_float(e, dict(known))
    assert [to_float(e, known) for e in found[:2]] == pytest.approx(wanted, rel=1e-12)
    assert found[2] is not None and to_float(found[2], known) == 0.7 and found[3] == 3
    # what was named before keeps its name
    count = len(symbols)
    assert shared(values, named, name)[:2] == found[:2] and len(symbols) == count
    small = [x + y, x * y]
    assert shared(small, {}, name) == small and len(symbols) == count
