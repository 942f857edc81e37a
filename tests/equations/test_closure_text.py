"""The text of closed loops: what it says closes the loops."""

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.equations.closure_text import closure_lines
from dalembert.errors import Place
from dalembert.expr import Graph
from dalembert.expr.function import evaluate
from dalembert.read.expressions import expression


@pytest.mark.parametrize("robot", ["fourbar", "fivebar", "three_rrr"])
def test_printed_equations_are_the_closure_and_its_jacobian(robot):
    m = getattr(da.robots, robot)()
    p = da.plan(m)
    q = np.random.default_rng(0).normal(size=m.nv)
    values = {f"q{k + 1}": float(x) for k, x in enumerate(q)}

    def number(text):
        graph = Graph()
        made = expression(text, graph, Place(text))
        return evaluate(graph, [graph.lift(made)], {}, values)[0]

    lines = closure_lines(m)
    zero = [number(x.removeprefix("0 = ")) for x in lines if x.startswith("0 = ")]
    assert np.allclose(zero, np.array(da.closure(m, q))[list(p.rows)], atol=1e-14)
    J = np.zeros((p.rank, m.nv))
    for line in lines:
        if line.startswith("J("):
            place, text = line.split(" = ")
            row, column = (int(k) for k in place[2:-1].split(","))
            J[row - 1, column - 1] = number(text)
    assert np.allclose(J, da.loop_jacobian(m, q)[list(p.rows)], atol=1e-14)


def test_derive_prints_tree_and_loops(capsys):
    assert main(["derive", "robot:fourbar", "--form", "report"]) == 0
    printed = capsys.readouterr().out
    assert "A12 = " in printed and "0 = 0.6*cos(q3)" in printed
    assert printed.rstrip().endswith("transpose(G) * tau of the tree")
