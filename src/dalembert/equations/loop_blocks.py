"""Closure equations solved in symbols, block by block: rates and accelerations that follow.

J qd = 0 is taken apart by its zeros into blocks, dyads first (`linalg/solvers.py`). A block
of one or two unknowns is solved by Cramer's rule with its determinant named, a larger one by
elimination in which every step is named. What the loops leave over are short formulas in which
sines of products do not occur (`trig.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..algebra import is_plain_zero
from ..algorithms.loop_closure import (
    closure,
    closure_rates,
    equation_names,
    equation_places,
    loop_jacobian,
)
from ..errors import ComputationError, ModelError, ParameterError, shown
from ..expr import OPS, Expr, Graph
from ..expr.arena import Rows
from ..linalg import blocks
from ..mechanism import Mechanism
from ..plan import LoopPlan, general_pose, planned
from ..plan import plan as plan_at
from .loop_rates import second_rate
from .loop_shared import shared
from .trig import NotTrig, tidy, trig
from .trig_form import folded, formula_of, over, symbol

Line = tuple[str, Any]  # a name and what it stands for; a name of "" is a remark
TERMS = 24  # of a closure equation beyond which its rates stay as they are written
TRIES = 40  # values of letters with which the loops are tried to close


@dataclass(frozen=True)
class Example:
    """A closed pose with values of all letters: it says which equations count, and the branch."""

    plan: LoopPlan
    q: tuple[float, ...]
    values: Mapping[str, float]


def example_of(m: Mechanism, q: Any = None) -> Example:
    """Return a closed pose of the machine, letters without a value drawn until the loops close.

    A given pose is the example itself: it says on which branch the formulas are to hold.
    """
    import numpy as np

    if q is not None:
        given = tuple(float(x) for x in q)
        known = {k: value(v, {}) for k, v in m.values.items()}
        return Example(plan_at(m, given), given, known)
    rng, names = np.random.default_rng(5), m.open_parameters
    for _ in range(TRIES if names else 1):
        drawn = {n: round(float(rng.uniform(0.6, 1.4)), 6) for n in names}
        made = m.with_values(**drawn) if drawn else m
        try:
            _, pose = general_pose(made)
            values = {k: value(v, {}) for k, v in made.values.items()} | drawn
            return Example(planned(made), tuple(pose.tolist()), values)
        except ComputationError:
            if not names:
                raise
    raise ParameterError(
        f"the loops of {shown(m.name)!r} close for none of {TRIES} choices of its letters",
        hint="give the lengths values with which they close: m.with_values(...)",
        command="give the lengths values with which they close: --set NAME=VALUE",
    )


def value(x: Any, at: Mapping[str, Any]) -> Any:
    """Return an expression at values of its names, numbers or arrays."""
    import math

    if not isinstance(x, Expr):
        return float(x)
    leaf: Rows = {"const": float, "pi": lambda: math.pi, "param": lambda n: at[n]}
    return x.graph.fold([x.id], leaf, {n: op.evaluate for n, op in OPS.items()})[x.id]


@dataclass(frozen=True)
class Block:
    """Joints that are solved together: by an elimination, or by constants of a parallelogram."""

    rows: Sequence[int]  # places in `plan.rows`
    joints: Sequence[int]
    solve: Any = None  # of right sides, lines and names
    constants: Mapping[int, Mapping[int, Any]] = field(default_factory=dict)


@dataclass
class Solved:
    """The loops in symbols: every line in the order in which it is computed."""

    m: Mechanism
    example: Example
    given: bool = False  # whether the pose of the example is that of a user
    graph: Graph = field(default_factory=Graph)
    before: list[Line] = field(default_factory=list)  # steps of large closure equations
    closure: list[tuple[str, Any]] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)  # loop and number of each of them
    rates: list[Line] = field(default_factory=list)  # G
    drifts: list[Line] = field(default_factory=list)  # at constant speeds of the independent joints
    G: dict[tuple[int, int], Any] = field(default_factory=dict)  # of (joint, independent joint)
    E: dict[int, Any] = field(default_factory=dict)
    turns: dict[str, Any] = field(default_factory=dict)  # named rates of sums of angles
    passive: list[Line] = field(default_factory=list)  # coordinates in closed form
    parallel: list[tuple[Any, Any]] = field(default_factory=list)  # angles that stay equal
    unsolved: list[int] = field(default_factory=list)  # those without one
    at: dict[str, float] = field(default_factory=dict)  # every name in the example
    count: int = 0
    J: list[list[Any]] = field(default_factory=list)  # rows of the plan, by all joints
    scale: list[Any] = field(default_factory=list)  # what each row was multiplied by
    blocks: list[Block] = field(default_factory=list)

    @property
    def plan(self) -> LoopPlan:
        """Which joints follow from which."""
        return self.example.plan

    @property
    def ordered(self) -> list[Any]:
        """The closure equations in the order of the loops, each zero."""
        rows = self.plan.rows
        return [self.closure[k][1] for k in sorted(range(len(rows)), key=rows.__getitem__)]

    @property
    def lost(self) -> list[str]:
        """What to say of coordinates without a closed form, if there are any."""
        names = ", ".join(f"q{k + 1}" for k in sorted(self.unsolved))
        return [f"no closed form: {names}; assembly(m, q) finds them"] if names else []

    def symbol(self, name: str) -> Any:
        """Return a letter of the graph."""
        return self.graph.param(name)

    def step(self, x: Any, lines: list[Line]) -> Any:
        """Return a symbol for a step, Z1, Z2..., with its line and its value in the example."""
        self.count += 1
        name = self.name("Z", self.count) if self.count < 10 else f"Z({self.count})"
        x = folded(x)
        lines.append((name, x))
        with suppress(KeyError):  # it may hold rates
            self.at[name] = value(x, self.at)
        return self.symbol(name)

    def called(self, name: str, x: Any, lines: list[Line]) -> Any:
        """Return a symbol for what is no number, with its line and its value in the example."""
        if not isinstance(x, Expr) or x.value is not None:
            return x
        lines.append((name, x))
        self.at[name] = value(x, self.at)
        return self.symbol(name)

    def name(self, letter: str, *places: int) -> str:
        """Return G31, or G(3,11) where a number has two digits; no letter of the model."""
        short = all(p < 10 for p in places)
        made = letter + ("".join(map(str, places)) if short else f"({','.join(map(str, places))})")
        return made + "_" * (made in {p.name for p in self.m.parameters})


def told(lines: Sequence[Line]) -> list[Any]:
    """Return lines as a section prints them: remarks, and formulas in their shorter form."""
    return [(symbol(n), formula_of(folded(x))) if n else x for n, x in lines]


def circle(m: Mechanism) -> str:
    """Return what names of cosines and sines mean: C12, or C1_2 where a number has two digits."""
    if m.nv < 10:
        return "C12 = cos(q1+q2), S12 = sin(q1+q2)"
    return f"C{m.nv} = cos(q{m.nv}), C1_2 = cos(q1+q2), S1_2 = sin(q1+q2)"


def solved(m: Mechanism, q: Any = None) -> Solved:
    """Return the loops of a mechanism solved in symbols; angles of joints are q1, q2...

    `q` is a closed pose on the branch that is meant, where there is more than one.
    """
    given = q is not None
    for body in m.bodies:
        if body.joint.nq != body.joint.nv:
            raise ModelError(
                f"joint {shown(body.name)!r} is {body.joint.kind}: it has no closed form itself",
                hint="expand=True takes it apart into slides and turns",
                command="write --expand",
            )
    s = Solved(m, example_of(m, q), given=given)
    s.at = dict(s.example.values) | {f"q{k + 1}": x for k, x in enumerate(s.example.q)}
    exact = m.map(lambda x: s.graph.adopt(x) if isinstance(x, Expr) else x)
    q = [s.symbol(f"q{k + 1}") for k in range(m.nq)]
    qd = [s.symbol(f"qd{k + 1}") for k in range(m.nv)]
    plan = s.plan
    residual, J = closure(exact, q), loop_jacobian(exact, q)
    names = equation_names(m)
    steps = shared([residual[r] for r in plan.rows], {}, lambda x: s.step(x, s.before))
    s.closure = [(names[r], _small(x)) for r, x in zip(plan.rows, steps, strict=True)]
    s.places = [equation_places(m)[r] for r in plan.rows]
    turning = closure_rates(exact, q, qd)[1]
    every = [J[r][k] for r in plan.rows for k in range(m.nv)]
    named: dict[int, Any] = {}
    every = [_small(x) for x in shared(every, named, lambda x: s.step(x, s.rates))]
    s.J = [every[n * m.nv : (n + 1) * m.nv] for n in range(len(plan.rows))]
    s.scale = [over(row, s.graph) for row in s.J]
    s.J = [[scaled(x, n) for x in row] for row, n in zip(s.J, s.scale, strict=True)]
    A = [[row[k] for k in plan.dependent] for row in s.J]
    bias = [_second_rate(s, residual[r], turning[r]) for r in plan.rows]
    bias = [scaled(x, n) for x, n in zip(bias, s.scale, strict=True)]
    bias = shared(bias, named, lambda x: s.step(x, s.drifts))
    for k in plan.independent:
        for c in plan.independent:
            s.G[k, c] = 1 if k == c else 0
        s.E[k] = 0
    for number, (rows, columns) in enumerate(blocks(A), 1):
        rows.sort(key=lambda r: plan.rows[r])
        columns.sort(key=lambda c: plan.dependent[c])
        if len(rows) != len(columns):
            raise ModelError("the closure equations are dependent in every pose")
        _solve_block(s, number, rows, [plan.dependent[c] for c in columns], bias)
    return s


def _small(x: Any) -> Any:
    """Return an entry folded."""
    return folded(x) if isinstance(x, Expr) else x


def scaled(x: Any, factor: Any) -> Any:
    """Return an entry of a row that was multiplied by a factor."""
    return x if factor is None or is_plain_zero(x) else folded(factor * x)


# -- second rates --------------------------------------------------------------------------------


def _second_rate(s: Solved, residual: Any, plain: Any) -> Any:
    """Return the second rate of an equation at q̈ = 0, rates of sums of angles named."""
    try:
        terms = tidy(trig(residual))
        if len(terms.terms) > TERMS:
            return plain
        return second_rate(s, terms)
    except NotTrig:
        return plain


# -- blocks --------------------------------------------------------------------------------------


def _solve_block(s: Solved, number: int, rows: list[int], joints: list[int], bias: Any) -> None:
    """Solve one block for the rates and the drifts of its unknowns."""
    from .loop_elimination import Elimination
    from .loop_legs import Legs, legs

    if _in_closed_form(s, number, rows, joints):
        return
    A = [[s.J[r][j] for j in joints] for r in rows]
    found = legs(A, [s.places[r][0] for r in rows]) if len(rows) > 2 else []
    solve = Legs(s, number, A, found) if found else Elimination(s, number, A)
    s.rates.append(("", f"block {number}: " + _said(s, joints, rows)))
    s.rates += solve.lines
    for k in s.plan.independent:
        side = right_side(s, rows, [s.J[r][k] for r in rows], lambda j, k=k: s.G.get((j, k), 0))
        names = [s.name("G", j + 1, k + 1) for j in joints]
        for j, x in zip(joints, solve(side, s.rates, names), strict=True):
            s.G[j, k] = x
    side = right_side(s, rows, [bias[r] for r in rows], lambda j: s.E.get(j, 0))
    names = [s.name("E", j + 1) for j in joints]
    for j, x in zip(joints, solve(side, s.drifts, names), strict=True):
        s.E[j] = x
    s.blocks.append(Block(rows, joints, solve))


def right_side(s: Solved, rows: Sequence[int], own: Sequence[Any], of: Any) -> list[Any]:
    """Return -(own + J x) of the rows, `of(j)` being x of the joints that are solved, else 0."""
    out = []
    for r, x in zip(rows, own, strict=True):
        for j in s.plan.dependent:
            if not (is_plain_zero(s.J[r][j]) or is_plain_zero(of(j))):
                x = x + s.J[r][j] * of(j)
        out.append(-x)
    return out


def _in_closed_form(s: Solved, number: int, rows: list[int], joints: list[int]) -> bool:
    """Add the coordinates of a dyad; return whether it is a parallelogram, its rates then too."""
    from . import loop_passive
    from .loop_elimination import named_line
    from .loop_single import single
    from .loop_spheres import spheres

    found = loop_passive.dyad(s, rows, joints)
    pairs = loop_passive.parallelogram(s, found) if found else None
    if found is None:
        lines = single(s, number, *rows, *joints) if len(rows) == 1 == len(joints) else []
        lines = lines or spheres(s, number, rows, joints)
        s.passive += lines
        s.unsolved += [] if lines else joints
        return False
    if pairs is None:
        lines = loop_passive.coordinates(s, number, found)
        s.passive += lines
        s.unsolved += [] if lines else joints
        return False
    s.parallel += pairs
    s.passive += loop_passive.linear(s, found, pairs)
    s.rates.append(("", f"block {number}: {_said(s, joints, rows)}: a parallelogram"))
    constants = loop_passive.parallel_rates(found, pairs)
    s.blocks.append(Block(rows, joints, constants=constants))
    for j, known in constants.items():
        for c in s.plan.independent:
            total = sum((x * s.G[k, c] for k, x in known.items()), 0)
            s.G[j, c] = named_line(s, s.name("G", j + 1, c + 1), total, s.rates)
        drift = sum((x * s.E[k] for k, x in known.items()), 0)
        s.E[j] = named_line(s, s.name("E", j + 1), drift, s.drifts)
    return True


def _said(s: Solved, joints: Sequence[int], rows: Sequence[int]) -> str:
    """Return what follows from which equations: q2, q3 from C, equations 1, 2."""
    names = [f"q{j + 1}" for j in joints]
    loops: dict[str, list[str]] = {}
    for r in rows:
        loop, number = s.places[r]
        loops.setdefault(loop, []).extend([str(number)] if number else [])
    told = [
        f"{loop}, equation{'s' * (len(own) > 1)} {', '.join(own)}" if own else loop
        for loop, own in loops.items()
    ]
    return ", ".join(names) + " from " + "; ".join(told)
