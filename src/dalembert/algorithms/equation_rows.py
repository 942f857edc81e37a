"""Rows of equations in coordinates, rates and motions of bodies, linear in the rates.

DeSantis (1996), (2.9)-(2.11). An equation left = right is read as e = left - right. Its row is the
sum over the atoms it is linear in, each times its own row: rates and velocities of bodies; of an
equation without rates, f(q, t) = 0, coordinates and positions of bodies.
"""

from __future__ import annotations

from ..errors import ModelError
from ..expr import Expr, Graph, Scalar, evaluate
from ..expr.derive import push
from ..joint import Vector
from ..linalg import Vector as Values
from ..linalg import dot
from ..mechanism import Mechanism, VelocityConstraint, rate_symbols
from .body_terms import term_rows, term_value
from .constraint_row import Row, with_rate

TIME = "t"
RATE = "rate of "


def is_position(m: Mechanism, c: VelocityConstraint) -> bool:
    """Return whether an equation holds coordinates and no rates."""
    names = set(_expression(c).names())
    return not (names & set(rate_symbols(m.bodies)) or any(t.is_rate for t in c.terms))


def position_gap(m: Mechanism, c: VelocityConstraint, q: Vector, t: Scalar = 0) -> Scalar:
    """Return f(q, t) of an equation in the coordinates."""
    e = _expression(c)
    values = {TIME: t, **dict(c.values), **dict(zip(m.coordinate_names, q, strict=True))}
    values |= {x.text: term_value(m, x, q, values) for x in c.terms}
    found: Scalar = evaluate(e.graph, [e.id], {}, values)[0]
    return found


def equation_row(
    m: Mechanism, c: VelocityConstraint, q: Vector, qd: Vector, clock: tuple[Scalar, Scalar]
) -> Row:
    """Return the row of an equation; `clock` is time and its rate."""
    graph = Graph()
    e = graph.adopt(_expression(c))
    used = set(e.names())
    values: dict[str, Scalar] = {TIME: clock[0], RATE + TIME: clock[1], **dict(c.values)}
    places = [t for t in c.terms if not t.is_rate and t.text in used]
    terms = {t.text: term_rows(m, t, q, qd, values) for t in c.terms if t.text in used}
    coordinates = dict(zip(m.coordinate_names, q, strict=True))
    rates = dict(zip(m.coordinate_names, m.coordinate_rates(q, qd), strict=True))
    rates |= {t.text: dot(terms[t.text][0], qd) for t in places}
    values |= coordinates | dict.fromkeys(rate_symbols(m.bodies), 0)
    values |= {t.text: 0 for t in c.terms if t.is_rate}
    values |= {t.text: term_value(m, t, q, values) for t in places}
    values |= {RATE + name: rate for name, rate in rates.items()}
    # along the motion coordinates and positions change by their rates, and time by its own
    moving = [n for n in (*coordinates, *(t.text for t in places), TIME) if n in used]
    motion = {graph.param(n).id: graph.param(RATE + n) for n in moving}
    position = is_position(m, c)
    atoms = _position_atoms(m, q, qd, used) if position else _rate_atoms(m, used)
    atoms |= {t.text: terms[t.text] for t in c.terms if t.text in terms and (position or t.is_rate)}
    slopes = [push(graph, [e.id], {graph.param(n).id: 1})[0].id for n in atoms]
    changes = [x.id for x in push(graph, slopes, motion)]
    h, hd = _side(graph, e, position, motion)
    found = evaluate(graph, [*slopes, *changes, h, hd], {}, values)
    n = len(atoms)
    H, Hd = Values.zeros(m.nv), Values.zeros(m.nv)
    for (row, rate), a, ad in zip(atoms.values(), found[:n], found[n : 2 * n], strict=True):
        H = H + Values(row) * a
        Hd = Hd + Values(row) * ad + Values(rate) * a
    return Row(c.name, list(H), list(Hd), found[2 * n], found[2 * n + 1])


Atoms = dict[str, tuple[Vector, Vector]]


def _side(graph: Graph, e: Expr, position: bool, motion: dict[int, Expr]) -> tuple[int, int]:
    """Return h and its rate: e = H q̇ - h, evaluated where rates are zero; of a position -∂f/∂t."""
    if position:
        clock = {k: rate for k, rate in motion.items() if graph.args[k][0] == TIME}
        flow = push(graph, [e.id], clock)[0]
        h = graph.neg(flow.id)
    else:
        h = graph.neg(e.id)
    return h, push(graph, [h], motion)[0].id


def _rate_atoms(m: Mechanism, used: set[str]) -> Atoms:
    """Return the unit rows of the rates that an equation holds."""
    rest = [0] * m.nv
    symbols = enumerate(rate_symbols(m.bodies))
    return {n: (Values.unit(m.nv, k), rest) for k, n in symbols if n in used}


def _position_atoms(m: Mechanism, q: Vector, qd: Vector, used: set[str]) -> Atoms:
    """Return how the coordinates that an equation holds change with each rate."""

    def table(x: Vector) -> list[list[Scalar]]:
        columns = [m.coordinate_rates(x, Values.unit(m.nv, k)) for k in range(m.nv)]
        return [list(row) for row in zip(*columns, strict=True)]

    rows, rates = with_rate(m, table, q, qd)
    pairs = zip(m.coordinate_names, zip(rows, rates, strict=True), strict=True)
    return {n: pair for n, pair in pairs if n in used}


def _expression(c: VelocityConstraint) -> Expr:
    expression: Expr | None = c.expression
    if expression is None:
        raise ModelError(f"velocity constraint {c.name!r} was not read from text")
    return expression
