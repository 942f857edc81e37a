"""Numbers, vectors, rotations and placements as a native file holds them.

Numbers are written as exact decimals where they are such, else as expression text; an expression
that has no short text, or whose names are no identifiers, is written node by node.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Turn, Vec3
from ..errors import DalembertError, Place
from ..expr import Expr, Graph, decimal
from ..expr.exact import Exact, exact, to_float
from .dump import Literal
from .expressions import expression, snap_angle
from .fields import exact_turn

LONGEST = 2000  # characters of an expression text; longer ones may share parts and are nodes
ZERO = Vec3(0, 0, 0)


def number(x: Exact) -> Any:
    """Return a number as a whole number, a Literal, an expression text or a table of nodes."""
    x = exact(x)
    if isinstance(x, int):
        return x if abs(x) < 2**63 else Literal(str(x), quoted=True)
    if isinstance(x, Fraction):
        text = decimal(x)
        return Literal(text, quoted="/" in text)
    return _expression(x)


def _expression(x: Expr) -> Any:
    if _size(x) <= LONGEST:
        text = repr(x)
        try:
            back = expression(text, Graph(), Place(""))
        except DalembertError:
            back = 0
        # the text must mean the very same expression, name by name
        if isinstance(back, Expr) and back == x and set(back.names()) == set(x.names()):
            return text
    graph, live = x.graph, x.graph.live([x.id])
    row = {i: k for k, i in enumerate(live)}
    nodes: list[list[Any]] = []
    for i in live:
        op = graph.op[i]
        if op == "const":
            nodes.append([op, number(graph.const[i])])  # type: ignore[arg-type]
        elif op == "param":
            nodes.append([op, graph.args[i][0]])
        else:
            nodes.append([op, *(row[a] for a in graph.operands(i))])
    return {"nodes": nodes}


def _size(x: Expr) -> int:
    """Return about how long the text of an expression is, shared parts written out."""
    graph = x.graph
    size: dict[int, int] = {}
    for i in graph.live([x.id]):
        own = len(str(graph.const[i])) if graph.op[i] == "const" else 3
        own = len(graph.args[i][0]) if graph.op[i] == "param" else own
        size[i] = own + sum(size[a] for a in graph.operands(i))
    return size[x.id]


def vector(v: Vec3) -> list[Any]:
    """Return three numbers."""
    return [number(x) for x in v]


def tensor(matrix: Mat3) -> list[Any]:
    """Return XX YY ZZ, with XY XZ YZ where they are not zero, or rows when not symmetric."""
    if matrix != matrix.T:
        return [[number(x) for x in r] for r in matrix.rows]
    six = matrix.six()
    return [number(x) for x in (six if any(x != 0 for x in six[3:]) else six[:3])]


def placement(T: Transform) -> dict[str, Any] | None:
    """Return a placement as translation and rotation; nothing for the identity."""
    row: dict[str, Any] = {}
    if T.p != ZERO:
        row["translation"] = vector(T.p)
    if T.R.factors:
        row["rotation"] = rotation(T.R)
    return row or None


def rotation(R: Rotation) -> list[Any]:
    """Return the factors of a rotation: an axis letter and an angle, or the rows of a matrix."""
    return [_factor(f) for f in R.factors]


def _factor(f: Turn | Mat3) -> list[Any]:
    if isinstance(f, Mat3):
        return [[number(x) for x in r] for r in f.rows]
    angle = exact(f.angle)
    graph = angle.graph if isinstance(angle, Expr) else Graph()
    if exact_turn(f.axis, angle, graph) != f:
        # cosine and sine are not those of the angle: only the matrix says what is meant
        return [[number(x) for x in r] for r in f.matrix().rows]
    if not isinstance(angle, Expr) and snap_angle(angle)[1] is not None:
        # a ratio is read as it stands, a decimal would become a multiple of pi
        ratio = Fraction(angle)
        return ["xyz"[f.axis], Literal(f"{ratio.numerator}/{ratio.denominator}", quoted=True)]
    if not isinstance(angle, Expr) and abs(to_float(angle)) > 2 * math.pi:
        ratio = Fraction(angle)
        return ["xyz"[f.axis], Literal(f"{ratio.numerator}/{ratio.denominator}", quoted=True)]
    return ["xyz"[f.axis], number(angle)]
