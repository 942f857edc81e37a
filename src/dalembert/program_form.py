"""Closed forms as a program: named assignments with the fewest operations that were found.

The sums of section 3 of the 1980 report, its augmented bodies, and the derivation of the composite
mass matrix give the same coefficients; the one that takes the fewest operations is written.
"""

from __future__ import annotations

from typing import Any

from .algorithms import closed_form
from .algorithms.augmented_body import augmented_bodies
from .compute import trace_quantity
from .compute.recorded import recorded
from .emit.program_text import program_text
from .equations.model import left_out
from .equations.tree import LONG
from .errors import DalembertError
from .expr import Expr, Function, Graph, Port, Program, program
from .expr.forms import expand
from .mechanism import Mechanism

Made = tuple[Program, dict[int, str]]


def program_form(eq: Any) -> str:
    """Return the lines of Q, A, B, C; the coefficients that vanish stand in a remark."""
    places = {e.name: (e.kind, e.place) for kind in "QABC" for e in getattr(eq, kind)}
    zero = [n for n, (kind, place) in places.items() if _vanishes(eq, kind, place)]
    wanted = {n: key for n, key in places.items() if n not in zero}
    ways: list[Made] = []
    if not eq.changed and eq.sign == "section3":
        others = (_traced(eq, by, wanted) for by in ("composite", "augmented_body"))
        ways = [made for made in others if made is not None]
    # polynomials that long are never the shortest way
    if not ways or sum(len(eq.poly(*key)) for key in wanted.values()) <= LONG:
        ways = [_closed(eq, list(wanted.values())), *ways]
    best, words = min(ways, key=lambda made: _work(made[0]))
    cost = best.cost
    head = [f"# {eq.mechanism.name}: Q, A, B, C in {cost['step']}"]
    if best.prepare.lines:
        head.append(f"# and the constants, once per set of parameters, in {cost['prepare']}")
    head += [f"# {line}" for line in left_out(eq)]
    if eq.sign == "section2":
        head.append("# Q has the sign of section 2: it is added")
    fixed = [repr(p) for p in eq.mechanism.parameters if p.value is not None]
    if fixed:
        head.append("# as numbers: " + ", ".join(fixed))
    if zero:
        head.append("# zero: " + " ".join(zero))
    taken = [g.name for g in eq.ring.symbols.generators if g.key[0] == "q"]
    return "\n".join([*head, *program_text(best, list(wanted), words, taken)]) + "\n"


def _vanishes(eq: Any, kind: Any, place: tuple[int, ...]) -> bool:
    if kind in eq.absent:
        return True
    if (kind, place) in eq.changed:
        return not len(eq.changed[kind, place])
    return not len(eq.poly(kind, place))


def _work(made: Program) -> int:
    cost = made.cost["step"]
    return cost.mul + cost.add + 20 * cost.sincos


def _closed(eq: Any, keys: list[Any]) -> Made:
    """Return the program of the polynomials themselves."""
    model, sign, seen = eq.model, -1 if eq.sign == "section2" else 1, []

    def make(bound: Mechanism, graph: Graph) -> Any:
        def body(q: Any) -> list[Any]:
            found = closed_form.coefficients(bound, q)
            return [found.get(key, 0) * (sign if key[0] == "Q" else 1) for key in keys]

        seen.append(bound)
        return body

    made = recorded(model, "coefficients", [("q", model.nq)], [("x", (len(keys),))], make)
    b = seen[0]
    words = {}
    for g, (kind, *key) in zip(eq.ring.symbols.generators, b.form.symbols, strict=True):
        if kind == "number" and len(key[0]) == 1 and isinstance(b.form.numbers[key[0][0]], Expr):
            words[b.form.numbers[key[0][0]].id] = g.name
    return program(made, model.open_parameters), words


def _traced(eq: Any, method: str, wanted: dict[str, Any]) -> Made | None:
    """Return the program of another derivation of the same coefficients."""
    seen: dict[int, Mechanism] = {}

    def watch(working: Mechanism, graph: Graph) -> Mechanism:
        seen[id(graph)] = working
        return working

    m, n = eq.mechanism, eq.n
    try:
        f = trace_quantity(m, "lagrange_coefficients", method, watch=watch)
    except DalembertError:
        return None
    start = {"Q": 0, "A": n, "B": n + n * n, "C": n + n * n + n**3}
    at = []
    for kind, place in wanted.values():
        k = 0
        for i in place:
            k = k * n + i - 1
        at.append(f.results[start[kind] + k])
    words: dict[int, str] = {}
    if method == "augmented_body":
        bodies = augmented_bodies(seen[id(f.graph)])
        for g in eq.ring.symbols.generators:
            kind, *of = g.key
            if kind in ("V", "J", "M") and not eq.ring.symbols.slides[of[0]]:
                body = bodies[of[0]]
                x: Any = body.M
                if kind != "M":
                    x = body.V[of[1]] if kind == "V" else body.J[of[1], of[2]]
                if isinstance(x, Expr):
                    words.setdefault(x.id, g.name)
    trail: dict[int, tuple[int, int]] = {}
    graph, results = expand(f.graph, at, trail=trail)
    made = Function(f.name, graph, f.inputs, (Port("x", (len(at),)),), tuple(results))
    return program(made, m.open_parameters), {
        trail[i][1]: word for i, word in words.items() if i in trail
    }
