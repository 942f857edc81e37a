"""Kane's ten steps of a closed chain: J_nh is G of the loops, solved block by block.

DeSantis (1996), (2.4)-(2.8) with the closure as holonomic constraints; G and its rate are named
lines (`loop_blocks.py`, `loop_slopes.py`), symbols of their own in J, D and C.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..algorithms.velocity_constraints import Constraints
from ..errors import ModelError, shown
from ..expr.formula import Symbol
from ..mechanism import Mechanism, joint_name
from .loop_blocks import Solved, solved, told
from .loop_slopes import slopes
from .sections import Line
from .trig import formula_of, plain

if TYPE_CHECKING:
    from .kane_symbols import Setting

CIRCLE = "C12 = cos(q1+q2), S12 = sin(q1+q2)"


def is_closed_chain(m: Mechanism) -> bool:
    """Return whether loops alone hold a machine: no wheel, equation or given motion beside them."""
    alone = not (m.wheels or m.rolling or m.velocity_constraints or Constraints.of(m).inputs)
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
    closure = [(Symbol("0", "0"), formula_of(x)) for x in s.ordered]
    head = [f"closed loops: {s.plan}", CIRCLE]
    return [*head, *told(s.before), *closure, *told(s.passive), *s.lost, *told(s.rates)]


def rate_lines(s: Solved) -> list[Line]:
    """Return the lines of dG/dt, rates of sums of angles before them."""
    return told(slopes(s).lines)
