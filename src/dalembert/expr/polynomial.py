"""Expressions as polynomials of their leaves, sines and cosines: like terms are merged."""

from __future__ import annotations

from typing import Any

from .arena import Rows
from .formula import Product, Sum, formula, grouped, total
from .ops import Scalar
from .scalar import Expr

Power = tuple[tuple[int, int], ...]  # (node, exponent), nodes ascending
Polynomial = dict[Power, Any]


def canonical(x: Scalar) -> Scalar:
    """Return a coefficient with its products written out and like terms merged."""
    if not isinstance(x, Expr):
        return x
    total: Scalar = 0
    for power, k in _sorted(_polynomial(x)):
        term: Scalar = k
        for node, n in power:
            term = term * Expr(x.graph, node) ** n
        total = total + term
    if isinstance(total, Expr):
        return total if total.value is None else total.value
    return total


def _degree(power: Power) -> int:
    return sum(n for _, n in power)


def _polynomial(x: Expr) -> Polynomial:
    ops: Rows = {
        "add": lambda a, b: _sum(a, b, 1),
        "sub": lambda a, b: _sum(a, b, -1),
        "neg": lambda a: _sum({}, a, -1),
        "mul": lambda a, b: _reduce(x.graph, _product(a, b)),
    }
    leaf: Rows = {"const": lambda value: {(): value} if value else {}}
    return x.graph.fold([x.id], leaf, ops, lambda i, _: {((i, 1),): 1})[x.id]


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    out = dict(a)
    for power, k in b.items():
        out[power] = out.get(power, 0) + sign * k
    return {power: k for power, k in out.items() if k != 0}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for p, j in a.items():
        for q, k in b.items():
            powers = dict(p)
            for node, n in q:
                powers[node] = powers.get(node, 0) + n
            key = tuple(sorted(powers.items()))
            out[key] = out.get(key, 0) + j * k
    return {power: k for power, k in out.items() if k != 0}


def _reduce(graph: Any, a: Polynomial) -> Polynomial:
    """Return the polynomial with sin² = 1 - cos² and sqrt(x)² = x for numbers x."""
    while True:
        spot = next(
            ((p, node) for p in a for node, n in p if n >= 2 and graph.op[node] in ("sin", "sqrt")),
            None,
        )
        if spot is None:
            return a
        power, node = spot
        k = a[power]
        rest = tuple((m, n - 2 * (m == node)) for m, n in power if n - 2 * (m == node) > 0)
        inner = graph.operands(node)[0]
        if graph.op[node] == "sqrt":
            value = graph.const[inner]
            square: Polynomial = {(): value} if value is not None else {((inner, 1),): 1}
        else:
            square = {(): 1, ((graph.apply("cos", inner), 2),): -1}
        left = {p: x for p, x in a.items() if p != power}
        a = _sum(left, _product({rest: k}, square), 1)


def _sorted(a: Polynomial) -> list[tuple[Power, Any]]:
    return sorted(a.items(), key=lambda item: (-_degree(item[0]), item[0]))


def coefficient(k: Scalar) -> Sum:
    """Return a coefficient as a sum of products, floats of twelve digits."""
    if not isinstance(k, Expr):
        return total([Product(float(f"{k:.12g}") if isinstance(k, float) else k)])
    terms = []
    for power, x in _sorted(_polynomial(k)):
        term = Product(float(f"{x:.12g}") if isinstance(x, float) else x)
        for node, n in power:
            term = term * grouped(formula(Expr(k.graph, node))).power(n)
        terms.append(term)
    return Sum(tuple(terms))
