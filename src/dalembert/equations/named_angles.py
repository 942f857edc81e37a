"""Sines and cosines of constant angles inside lengths and inertias, by the names CKj and SKj.

A joint held at 0.3 leaves cos(0.3) in the centres of the bodies it merges: constants are printed
with the names of such pairs, as rotations are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..algebra import Transform
from ..expr import OPS, Expr, Graph
from ..expr.arena import Rows
from ..expr.exact import exact
from ..mechanism import Mechanism

Label = Callable[[str, Any], float | str]


def with_named_angles(m: Mechanism, label: Label) -> Mechanism:
    """Return the mechanism with parameters for the sines and cosines in its levers and inertias.

    `label(op, angle)` gives the name of one, or its value.
    """
    graphs: dict[int, Graph] = {}
    for b in m.bodies:
        for x in (*b.placement.p, *b.inertia.lever, *b.inertia.tensor.six(), b.inertia.mass):
            if x.__class__ is Expr:
                graphs[id(x.graph)] = x.graph
    if not any("sin" in g.op or "cos" in g.op for g in graphs.values()):
        return m
    graph = Graph()

    def written(x: Any) -> Any:
        if not isinstance(x, Expr):
            return x
        source = x.graph
        if not any(source.op[i] in ("sin", "cos") for i in source.live([x.id])):
            return x

        def named(i: int, values: list[Any]) -> Any:
            op = source.op[i]
            if op not in ("sin", "cos"):
                return OPS[op].evaluate(*values)
            name = label(op, exact(Expr(source, source.args[i][0])))
            if isinstance(name, str):
                return graph.param(name)
            return graph.constant(Fraction(repr(name)))

        leaf: Rows = {"const": graph.constant, "pi": graph.pi, "param": graph.param}
        return exact(source.fold([x.id], leaf, {}, named)[x.id])

    bodies = tuple(
        replace(
            b,
            placement=Transform(b.placement.R, b.placement.p.map(written)),
            inertia=b.inertia.map(written),
        )
        for b in m.bodies
    )
    return replace(m, bodies=bodies, checked=True)
