"""The customised Newton-Euler recursion as a listing, for any quantity of the catalog.

Khalil and Kleinfinger (1987); Khalil (2010), section 3.2.4: the recursion is run once on symbols,
products by zero and one vanish, each value is named once, and what no result needs is left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from .algorithms.base_parameters import base_parameters
from .algorithms.parameter_relations import TEN, ten_of
from .algorithms.parameter_sets import with_parameters
from .catalog import algorithm, quantity
from .compute import trace_quantity
from .emit.listing import Notes, Step, listing
from .errors import ComputationError, ModelError
from .expr import Expr, Function, Graph, Program, program
from .expr.arena import PAYLOAD
from .expr.forms import expand
from .mechanism import Body, Mechanism, joint_name

SMALL = 12  # degrees of freedom up to which two methods are compared
# what a method does with a link: on the way out, on the way back, and out once more
MEANINGS = {
    "newton_euler": {
        "out": "its motion, and the force and couple that motion asks for",
        "in": "force and couple of all links beyond, brought to this joint",
    },
    "articulated_body": {
        "out": "its velocity, and the forces that velocity asks for",
        "in": "articulated inertia and force of all links beyond",
        "after": "its acceleration",
    },
    "composite": {
        "out": "its motion, and the force and couple that motion asks for",
        "in": "composite inertia of the links beyond, and what they ask of this joint",
        "after": "its motion, and the force and couple that motion asks for",
    },
}
MEANINGS |= {
    "recursion": MEANINGS["articulated_body"],
    "virtual_link": MEANINGS["newton_euler"],
    "initial_conditions": MEANINGS["newton_euler"],
    # the three ways of a base whose acceleration is found
    "moving_base_inverse by composite": {
        "out": "its motion if the base were not accelerated, and what that asks for",
        "in": "force and composite inertia of all links beyond",
        "after": "what the acceleration of the base adds",
    },
    "moving_base_inverse by recursion": {
        "out": "its velocity, and what does not depend on the base's acceleration",
        "in": "composite inertia and force of all links beyond",
        "after": "its acceleration, and the force it asks for",
    },
}


def listing_text(
    m: Mechanism,
    name: str = "inverse_dynamics",
    parameters: str = "given",
    method: str | None = None,
    **options: Any,
) -> str:
    """Return the listing of a quantity, with standard, base or the mechanism's own parameters.

    Without `method`: the usual one, or that of composite inertias where it needs fewer operations.

    >>> import dalembert as da
    >>> text = listing_text(da.robots.planar2r(), "gravity")
    >>> text.splitlines()[0]
    '# planar2r: gravity by newton_euler, given parameters'
    """
    row = quantity(name, m)
    chosen, _ = algorithm(row, method)
    drives = options.get("drives", row.options.get("drives", "none"))
    base = base_parameters(m, drives) if parameters == "base" else None
    model = with_parameters(m, parameters, drives, base)
    made = [_listed(model, name, chosen, options)]
    if method is None and "composite" in row.methods and m.nv <= SMALL and chosen != "composite":
        with suppress(ModelError, ComputationError, ZeroDivisionError):
            made.append(_listed(model, name, "composite", options))
    best, notes = min(made, key=lambda pair: sum(c.mul + c.add for c in pair[0].cost.values()))
    grouping = [f"{word} = {right}" for word, right in base.groups.items()] if base else []
    title = f"{m.name}: {notes.title}, {parameters} parameters"
    return listing(best, replace(notes, title=title, remarks=grouping))


def _listed(
    model: Mechanism, name: str, chosen: str, options: dict[str, Any]
) -> tuple[Program, Notes]:
    """Return the program of a quantity by one method, and what can be said about it."""
    seen: dict[int, tuple[Mechanism, list[Step]]] = {}

    def watch(working: Mechanism, graph: Graph) -> Mechanism:
        steps: list[Step] = []
        watched = _watched(working, graph, steps)
        seen[id(graph)] = (working, steps)
        return watched

    function = trace_quantity(model, name, chosen, watch=watch, **options)
    working, steps = seen.get(id(function.graph), (model, []))
    words = _words(working)
    function, steps, words = _expanded(function, steps, words)
    links = [joint_name(b) for b in working.bodies if b.joint.nv]
    notes = Notes(
        f"{name} by {chosen}",
        steps,
        MEANINGS.get(f"{name} by {chosen}", MEANINGS.get(chosen, {})),
        {str(k): link for k, link in enumerate(links, 1)},
        words,
    )
    return program(function, function.parameters), notes


def _expanded(
    function: Function, steps: list[Step], words: dict[int, str]
) -> tuple[Function, list[Step], dict[int, str]]:
    """Return the function with its forms written out, and what was noted of its nodes moved on."""
    if not any(op in PAYLOAD for op in set(function.graph.op)):
        return function, steps, words
    trail: dict[int, tuple[int, int]] = {}
    graph, results = expand(function.graph, function.results, trail=trail)
    nodes = sorted(trail)
    moved = []
    for step in steps:
        at = bisect_left(nodes, step.first)
        first = trail[nodes[at]][0] if at < len(nodes) else len(graph)
        moved.append(replace(step, first=first))
    words = {trail[i][1]: word for i, word in words.items() if i in trail}
    whole = replace(function, graph=graph, results=tuple(results))
    return whole, moved, words


def _words(m: Mechanism) -> dict[int, str]:
    """Return the names of regrouped inertial parameters by their nodes: XXR2, MYR3."""
    words: dict[int, str] = {}
    for k, body in enumerate(m.bodies, 1):
        for kind, x in zip(TEN, ten_of(body.inertia), strict=True):
            if isinstance(x, Expr) and x.value is None:
                words.setdefault(x.id, f"{kind.upper()}R{k}")
    return words


def _watched(m: Mechanism, graph: Graph, steps: list[Step]) -> Mechanism:
    """Return the mechanism, which notes from now on how far the graph is when a link's turn comes.

    Algorithms know nothing of it: they ask a mechanism for its bodies, outward or inward.
    """
    numbers: dict[int, str] = {}
    for j, body in enumerate(m.bodies):
        numbers[j] = str(len([k for k in numbers if numbers[k]]) + 1) if body.joint.nv else ""

    def note(stage: str, j: int | None) -> None:
        after = stage == "out" and any(s.stage == "in" for s in steps)
        link = numbers[j] if j is not None else ""
        steps.append(Step(len(graph), "after" if after else stage, link))

    class Watched(Mechanism):
        def outward(self) -> Iterator[tuple[int, Body]]:
            for j, body in Mechanism.outward(self):
                note("out", j)
                yield j, body
            note("start", None)

        def inward(self) -> Iterator[tuple[int, Body]]:
            for j, body in Mechanism.inward(self):
                note("in", j)
                yield j, body
            note("start", None)

        def around(self) -> Iterator[tuple[int, Body, bool]]:
            # a reader finds the ways out and back one after the other, as in books
            yield from ((j, body, True) for j, body in self.outward())
            yield from ((j, body, False) for j, body in self.inward())

    return Watched(**{name: getattr(m, name) for name in m.__dataclass_fields__})
