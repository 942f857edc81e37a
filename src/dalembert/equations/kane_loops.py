"""Kane's ten steps of a closed chain: J_nh is G of the loops, solved block by block.

DeSantis (1996), (2.4)-(2.8) with the closure as holonomic constraints; G and its rate are named
lines (`loop_blocks.py`), symbols of their own in J, D and C. Step 6 asks for J̇ as a matrix, so for
Ġ; the other closed forms need but Ġ q̇.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..algorithms.loop_closure import loop_jacobian
from ..algorithms.velocity_constraints import Constraints
from ..errors import ModelError, shown
from ..expr import Expr, push
from ..expr.formula import Symbol
from ..linalg import dot
from ..mechanism import Mechanism, is_rolling, joint_name
from .loop_blocks import TERMS, Solved, circle, right_side, scaled, solved, told
from .loop_blocks import Line as Named
from .loop_elimination import named_line
from .loop_rates import first_rate
from .loop_shared import shared, written_size
from .sections import Line
from .trig import NotTrig, is_coordinate, plain, tidy, trig
from .trig_form import folded, zero_formula

if TYPE_CHECKING:
    from .kane_symbols import Setting

LONG = 24  # operations above which an entry has a name
SIDE = 150  # the same of a right side: few equations use one


def is_closed_chain(m: Mechanism) -> bool:
    """Return whether loops alone hold a machine: no wheel, equation or given motion beside them."""
    alone = not (is_rolling(m) or Constraints.of(m).inputs)
    return alone and bool(m.loops or m.couplings)


def with_loops(m: Mechanism, q: Any = None) -> tuple[Mechanism, Solved]:
    """Return a closed chain with the speeds that lead, and its loops solved in symbols.

    Speeds that are named lead; otherwise motors do, in their order.
    """
    known = {joint_name(b) for b in m.bodies}
    other = next((n for n in m.speeds if n not in known), None)
    if other is not None:
        raise ModelError(
            f"speed {shown(other)!r} is no joint", hint="the speeds of a closed chain are joints"
        )
    # motors and named speeds are the joints that a plan lets lead
    s = solved(replace(m, active=m.speeds or m.active, speeds=(), checked=True), q)
    if not s.plan.independent:
        raise ModelError(
            "the loops leave no motion",
            hint="check(m) says the mobility",
            command="dalembert check says the mobility",
        )
    found = tuple(m.rate_names[k] for k in s.plan.independent)
    if m.speeds and set(found) != set(m.speeds):
        raise ModelError(
            f"the speeds {', '.join(map(shown, m.speeds))} do not decide the motion; "
            f"{', '.join(map(shown, found))} do"
        )
    return replace(m, speeds=found, checked=True), s


def J_nh(setting: Setting, s: Solved) -> list[list[Any]]:
    """Return G by its symbols, a row for each rate."""
    names = setting.symbols.index
    gen = setting.field.gen

    def entry(k: int, a: int) -> Any:
        return gen("follows", k, a) if ("follows", k, a) in names else plain(s.G[k, a])

    return [[entry(k, a) for a in s.plan.independent] for k in range(s.m.nv)]


def closure_lines(s: Solved) -> list[Line]:
    """Return name, formula and LaTeX of the closure, of passive coordinates and of G; remarks."""
    closure = [(Symbol("0", "0"), zero_formula(x)) for x in s.ordered]
    head = [f"closed loops: {s.plan}", circle(s.m)]
    return [*head, *told(s.before), *closure, *told(s.passive), *s.lost, *told(s.rates)]


# -- the rate of G, column by column, on the same blocks: J Ġ = -J̇ G -----------------------------


def rate_lines(s: Solved) -> list[Line]:
    """Return the lines of dG/dt along a motion, rates of sums of angles before them.

    Rates of all joints are qd1, qd2...
    """
    lines: list[Named] = []
    Jd, lead = _moving_rows(s, lines), s.plan.independent
    rate: dict[tuple[int, int], Any] = {(k, c): 0 for k in lead for c in lead}
    for block in s.blocks:
        for k in lead:
            names = {j: s.name("Gd", j + 1, k + 1) for j in block.joints}
            if block.solve is None:
                for j, known in block.constants.items():
                    total = sum((x * rate[i, k] for i, x in known.items()), 0)
                    rate[j, k] = named_line(s, names[j], total, lines)
                continue
            G = [s.G.get((j, k), 0) for j in range(s.m.nv)]
            own = [dot(Jd[r], G) for r in block.rows]
            side = right_side(s, block.rows, own, lambda j, k=k: rate.get((j, k), 0))
            # an equation of a leg is used for its platform, and for each joint of the leg
            side = [s.step(x, lines) if _is_long(x, SIDE) else x for x in side]
            found = block.solve(side, lines, list(names.values()))
            rate.update({(j, k): x for j, x in zip(block.joints, found, strict=True)})
    used = {n for _, x in lines if isinstance(x, Expr) for n in x.names()}
    return told([*((n, x) for n, x in s.turns.items() if n in used), *lines])


def _is_long(x: Any, most: int = LONG) -> bool:
    return isinstance(x, Expr) and written_size(x) > most


def _moving_rows(s: Solved, lines: list[Named]) -> list[list[Any]]:
    """Return dJ/dt of the planned rows."""
    m = s.m.map(lambda x: s.graph.adopt(x) if isinstance(x, Expr) else x)
    J = loop_jacobian(m, [s.symbol(f"q{k + 1}") for k in range(m.nq)])
    places = [(n, r, k) for n, r in enumerate(s.plan.rows) for k in range(m.nv)]
    every = [scaled(_slope(s, J[r][k]), s.scale[n]) for n, r, k in places]
    every = shared(every, {}, lambda x: s.step(x, lines))
    every = [folded(x) if isinstance(x, Expr) else x for x in every]
    # an entry is used once for each column of G
    every = [s.step(x, lines) if _is_long(x) else x for x in every]
    return [every[n * m.nv : (n + 1) * m.nv] for n in range(len(s.plan.rows))]


def _slope(s: Solved, x: Any) -> Any:
    """Return the rate of an entry, rates of sums of angles named."""
    if not isinstance(x, Expr) or x.value is not None:
        return 0
    with suppress(NotTrig):
        terms = tidy(trig(x))
        if len(terms.terms) <= TERMS:
            return first_rate(s, terms)
    moving = [n for n in x.names() if is_coordinate(n)]
    return push(s.graph, [x.id], {s.symbol(n).id: s.symbol("qd" + n[1:]) for n in moving})[0]
