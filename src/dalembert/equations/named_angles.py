"""Sines and cosines of constant angles inside lengths and inertias, by the names CKj and SKj.

A joint held at 0.3 leaves cos(0.3) in the centres of the bodies it merges: constants are printed
with the names of such pairs, as rotations are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..algebra import Transform
from ..expr import Expr, Graph
from ..expr.exact import exact
from ..mechanism import Mechanism

Label = Callable[[str, Any], tuple[int, str]]


def with_named_angles(m: Mechanism, label: Label) -> Mechanism:
    """Return the mechanism with parameters for the sines and cosines in its levers and inertias.

    `label(op, angle)` gives the sign and the name of one.
    """
    graph = Graph()

    def written(x: Any) -> Any:
        if not isinstance(x, Expr):
            return x
        source = x.graph
        live = source.live([x.id])
        if not any(source.op[i] in ("sin", "cos") for i in live):
            return x
        made: dict[int, int] = {}
        for i in live:
            if source.op[i] in ("sin", "cos"):
                sign, name = label(source.op[i], exact(Expr(source, source.args[i][0])))
                made[i] = graph.lift(sign * graph.param(name))
            else:
                made[i] = graph.rebuild(source, i, made)
        return exact(Expr(graph, made[x.id]))

    bodies = tuple(
        replace(
            b,
            placement=Transform(b.placement.R, b.placement.p.map(written)),
            inertia=b.inertia.map(written),
        )
        for b in m.bodies
    )
    return replace(m, bodies=bodies, checked=True)
