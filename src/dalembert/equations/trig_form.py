"""Sums of sines and cosines as formulas to be read: the shortest of a few ways to write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..expr import Expr, Graph
from ..expr.arena import LEAVES
from ..expr.formula import (
    Call,
    Factor,
    Product,
    Sum,
    Symbol,
    formula,
    mapped,
    names_in,
    node_formula,
)
from ..expr.style import TEXT, write
from .trig import PI, NotTrig, Trig, is_coordinate, root, tidy, trig
from .trig_pairs import Angle, Key, Term, order, paired


def formula_of(x: Any) -> Sum:
    """Return an expression as a formula to be printed, folded where that is shorter."""
    plain = _typeset(formula(x))
    if not isinstance(x, Expr):
        return plain
    try:
        made = _written(tidy(trig(x)))
    except NotTrig:
        made = _by_parts(x)
    return made if len(write(made, TEXT)) <= len(write(plain, TEXT)) else plain


def _by_parts(x: Expr) -> Sum:
    """Return what is no sum of sines with each of its parts in its own shortest form."""
    op, graph = x.graph.op[x.id], x.graph
    if op in LEAVES:
        return _typeset(formula(x))
    return node_formula(op, [formula_of(Expr(graph, i)) for i in graph.operands(x.id)])


# letters before an index, the longer ones first, in LaTeX
HEADS = {"qdd": r"\ddot{q}", "qd": r"\dot{q}", "tau": r"\tau", "Ac": "A", "Hc": "H"}


def symbol(name: str) -> Symbol:
    """Return the symbol of a name: rates have dots in LaTeX, A_c and H_c their index."""
    word = next((w for w in HEADS if name.startswith(w)), "")
    index = name[len(word) :]
    bare = index[1:-1] if index[:1] == "(" and index[-1:] == ")" else index
    if not word or (bare == index and not index.isdigit()):
        return Symbol(name)
    return Symbol(name, rf"{HEADS[word]}_{{{'c,' * (word in ('Ac', 'Hc'))}{bare}}}")


def _typeset(s: Sum) -> Sum:
    """Return a formula with the symbols of `symbol`."""

    def change(x: Any) -> Any:
        return None if isinstance(x, Call) else x if x.latex else symbol(x.name)

    return mapped(s, change)


def _written(t: Trig) -> Sum:
    """Return a sum of fractions, one for each denominator, what their terms share before them."""
    groups: dict[tuple[tuple[str, int], ...], list[Term]] = {}
    for x, letters, turned in paired(t):
        under = tuple((n, -e) for n, e in letters if e < 0)
        groups.setdefault(under, []).append((x, tuple(p for p in letters if p[1] > 0), turned))
    products = []
    for under, terms in groups.items():
        below = tuple((_symbol(t, n), e) for n, e in under)
        tops = [Product(x, _factors(t, letters, turned)) for x, letters, turned in terms]
        whole = _shared(tops, bool(under)) if len(tops) > 1 else None
        if whole is None and under and len(tops) > 1:
            whole = Product(1, ((Sum(tuple(tops)), 1),))
        tops = tops if whole is None else [whole]
        products += [Product(p.number, p.factors, below) for p in tops]
    products.sort(key=lambda p: p.number < 0)
    return Sum(tuple(products))


def _factors(t: Trig, letters: Sequence[tuple[str, int]], turned: Any) -> tuple[Factor, ...]:
    """Return letters, then sines and cosines."""
    up: list[Factor] = [(_symbol(t, n), e) for n, e in letters]
    for angle, kind in turned:
        call = Call("cos" if kind == "c" else "sin", (_angle_sum(angle),))
        if up and up[-1][0] == call:
            up[-1] = call, up[-1][1] + 1
        else:
            up.append((call, 1))
    return tuple(up)


def _shared(terms: Sequence[Product], over: bool) -> Product | None:
    """Return a sum with the factors of all its terms before a bracket; None where there are none.

    A number goes there too where it is that of every term, a sign alone only `over` a denominator.
    """
    common = dict(terms[0].factors)
    for p in terms[1:]:
        own = dict(p.factors)
        common = {x: min(e, own[x]) for x, e in common.items() if x in own}
    sizes = {abs(p.number) for p in terms}
    number: Any = sizes.pop() if len(sizes) == 1 else 1
    number = -number if all(p.number < 0 for p in terms) else number
    if not common and (number == 1 or (number == -1 and not over)):
        return None
    left = []
    for p in terms:
        rest = tuple((x, e - common.get(x, 0)) for x, e in p.factors if e > common.get(x, 0))
        size = p.number if number == 1 else 1 if p.number == number else -1
        size = p.number * number if abs(number) == 1 else size
        left.append(Product(size, rest))
    before = tuple((x, common[x]) for x, _ in terms[0].factors if x in common)
    return Product(number, (*before, (Sum(tuple(left)), 1)))


def _symbol(t: Trig, name: str) -> Any:
    if name == PI:
        return Symbol("pi", r"\pi")
    if square := root(name):
        return Symbol(name, rf"\sqrt{{{square}}}")
    if name in t.atoms:
        return formula(t.atoms[name]) if t.atoms[name].names() else Symbol(name)
    return symbol(name)


def _angle_sum(angle: Angle) -> Sum:
    parts = []
    for name, c in sorted(angle, key=lambda p: (p[1] < 0, order(p[0]))):
        of = ((Symbol("pi", r"\pi") if name == PI else Symbol(name), 1),) if name else ()
        parts.append(Product(c, of))
    return Sum(tuple(parts))


def folded(x: Any) -> Any:
    """Return an expression in its shorter form: as it is, or without products of sines.

    >>> from dalembert.expr import Graph, cos, sin
    >>> g = Graph()
    >>> a, b = g.param("q1"), g.param("q2")
    >>> from dalembert.expr import text
    >>> text(folded(sin(a) * cos(b) - cos(a) * sin(b)))
    'sin(q1-q2)'
    """
    if not isinstance(x, Expr):
        return x
    try:
        made = tidy(trig(x))
    except NotTrig:
        return x
    found = made.expr(x.graph)
    if not isinstance(found, Expr):
        return found
    return found if len(write(_written(made), TEXT)) <= len(write(formula(x), TEXT)) else x


def without(x: Any, det: Any) -> tuple[Any, Any]:
    """Return (rest, n) with x = n det + rest: what holds the determinant is divided by it."""
    try:
        whole, part = trig(x), trig(det)
        found = Trig(atoms=whole.atoms)
        (first, size), *_ = part.terms.items()
        for key, c in list(whole.terms.items()):
            over = _over(key, first)
            if over is None or key not in whole.terms:
                continue
            n = Trig({over: c / Fraction(1) / size}, whole.atoms)
            left = tidy(whole - part * n)
            if len(left.terms) < len(whole.terms):
                whole, found = left, found + n
    except NotTrig:
        return x, 0
    if not found.terms:
        return x, 0
    return whole.expr(x.graph), found.expr(x.graph)


def _over(key: Key, first: Key) -> Key | None:
    """Return a term over the first one of a determinant, None where it does not hold it."""
    (letters, angle, kind), (own, turn, of) = key, first
    if (angle, kind) != (turn, of):
        return None
    left = dict(letters)
    for n, e in own:
        left[n] = left.get(n, 0) - e
    if any(left[n] < 0 for n, e in own if e > 0):
        return None
    return tuple(p for p in left.items() if p[1]), (), ""


def zero_formula(x: Any) -> Sum:
    """Return what is zero as a formula; a sum in brackets without its factors, most of it positive.

    Equations of one loop keep their signs: x and y of a point are read together.
    """
    made = formula_of(x)
    if len(made.terms) != 1:
        return made
    (p,) = made.terms
    sums = [f for f, e in p.factors if isinstance(f, Sum) and e == 1]
    rest = [f for f, _ in (*p.factors, *p.under) if f not in sums]
    if len(sums) != 1 or any(is_coordinate(n) for f in rest for n in names_in(f)):
        return made
    terms = sums[0].terms
    turned = 2 * sum(t.number < 0 for t in terms) > len(terms)
    terms = tuple(-t for t in terms) if turned else terms
    return Sum(tuple(sorted(terms, key=lambda t: t.number < 0)))


def over(row: Sequence[Any], graph: Graph) -> Any:
    """Return what takes the denominators of a row away: letters, None where there are none."""
    powers: dict[str, int] = {}
    try:
        for t in map(trig, row):
            for letters, _, _ in t.terms:
                for n, e in letters:
                    powers[n] = min(powers.get(n, 0), e)
            if t.atoms:
                powers = {n: e for n, e in powers.items() if n not in t.atoms}
    except NotTrig:
        return None
    letters = tuple((n, -e) for n, e in powers.items() if e < 0 and not is_coordinate(n))
    return Trig({(letters, (), ""): 1}).expr(graph) if letters else None
