"""Closed loops beside the equations of their cut tree: closure equations, and G by its own rows.

Motor forces are Gᵀ Γ with Γ the joint forces of the tree; G follows from J qd = 0, solved for the
dependent rates.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..algorithms.loop_closure import closure, equation_names, loop_jacobian
from ..expr import Expr, Graph, Scalar
from ..expr.show import decimal, text
from ..mechanism import Mechanism
from ..plan import planned


def cut_tree(m: Mechanism) -> Mechanism:
    """Return the tree that remains when every loop is cut."""
    return replace(m, loops=(), couplings=(), springs=(), active=(), named=(), checked=True)


def closure_lines(m: Mechanism) -> list[str]:
    """Return closure equations, Jacobian rows and the way to G and to the motor forces as lines."""
    plan = planned(m)
    graph = Graph()
    exact = m.map(lambda x: graph.adopt(x) if isinstance(x, Expr) else x)
    q = [graph.input("q", k) for k in range(m.nq)]
    residuals, J = closure(exact, q), loop_jacobian(exact, q)
    names = equation_names(m)
    lines = [f"# closed loops: {plan}", "# closure equations, those that are independent"]
    for r in plan.rows:
        lines += [f"# {names[r]}", f"0 = {shown_in(residuals[r])}"]
    lines.append("# J qd = 0, row by row; rates that follow from the others come first")
    for row, r in enumerate(plan.rows, 1):
        for k in (*plan.dependent, *plan.independent):
            entry = shown_in(J[r][k])
            if entry != "0":
                lines.append(f"J({row},{k + 1}) = {entry}")
    follow = ", ".join(str(k + 1) for k in plan.dependent)
    lead = ", ".join(str(k + 1) for k in plan.independent)
    lines += [
        f"# G: rates {follow} from rates {lead} = -inverse(J({follow})) * J({lead})",
        "# motor forces = transpose(G) * tau of the tree",
    ]
    return lines


def shown_in(x: Scalar) -> str:
    """Return an expression of q(0), q(1)... as text with q1, q2..."""
    if not isinstance(x, Expr):
        return decimal(x)
    graph = Graph()

    def leaf(source: Graph, i: int) -> Any:
        if source.op[i] != "input":
            return None
        name, k = source.args[i]
        return graph.param(f"{name}{k + 1}")

    made = x.graph.copy_into(graph, [x.id], leaf)
    return text(Expr(graph, made[x.id]))
