"""New mechanisms from old: values given, gravity, payloads; joints held or flexible are in `held`.

Everything is pure: the result lives in a fresh graph of parameter expressions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Mat3, Vec3
from ..errors import ModelError, ParameterError, Placed, closest, shown
from ..expr import Expr, Graph
from ..expr.exact import Exact, exact, substitute, to_float
from ..inertia import Inertia
from .binding import EQUATIONS
from .letters import freed, given_values, remember
from .mechanism import Mechanism
from .parts import Parameter, VelocityConstraint, named_term
from .simplified import require_same_terms

FINITE, PLAIN = "give a finite one", "write a number, 0.3, 90deg or pi/2, or another letter"
WORD = re.compile(r"[^\W\d_]\w*")
# words that programs write for what is no number: as letters they would hide a mistake
NO_LETTERS = dict.fromkeys(("nan", "inf", "infinity"), FINITE) | dict.fromkeys(
    ("true", "false", "none", "null"), PLAIN
)


def number(value: Any, graph: Graph, unit: Any = None, letters: Collection[str] = ()) -> Exact:
    """Return an exact number in a graph from a Python number, an expression or its text.

    A text may have units: those of an angle, of a length, or either (None). Words that programs
    write for what is no number are refused, unless they are `letters` of the mechanism.
    """
    if isinstance(value, str):
        from ..read.expressions import expression

        placed = value if isinstance(value, Placed) else Placed(value)
        for word in WORD.findall(value):
            if word.lower() in NO_LETTERS and word not in letters:
                where = placed.place if isinstance(value, Placed) else None
                told = f"{shown(value.strip())!r} is not a number"
                raise ParameterError(told, where, NO_LETTERS[word.lower()])
        return expression(value, graph, placed.place, unit=unit)
    if isinstance(value, Expr):
        return exact(graph.adopt(value))
    return exact(value)


def into(m: Mechanism, graph: Graph, leaf: Any = None) -> Mechanism:
    """Return the mechanism with its expressions rebuilt in one graph."""

    def convert(x: Any) -> Any:
        y = substitute(x, graph, leaf)
        return exact(y) if isinstance(y, Expr) else y

    new = m.map(convert)

    def equation(c: VelocityConstraint) -> VelocityConstraint:
        if leaf is not None:
            return _substituted(c, leaf)
        return replace(c, values=tuple((n, convert(x)) for n, x in c.values))

    made: dict[str, Any] = {field: tuple(map(equation, getattr(m, field))) for field in EQUATIONS}
    return replace(new, checked=True, **made) if any(made.values()) else new


def _substituted(c: VelocityConstraint, leaf: Any) -> VelocityConstraint:
    """Return a velocity constraint with parameters replaced, in its expression and in its text."""
    if c.expression is None:
        return c
    graph = Graph()
    terms = tuple(
        named_term(t, points=tuple(tuple(substitute(x, graph, leaf) for x in p) for p in t.points))
        for t in c.terms
    )
    renamed = {old.text: new.text for old, new in zip(c.terms, terms, strict=True)}

    def new(source: Graph, i: int) -> Any:
        name = source.args[i][0] if source.op[i] == "param" else None
        return graph.param(renamed[name]) if name in renamed else leaf(source, i)

    found = substitute(c.expression, graph, new)
    if found == c.expression:
        return replace(c, terms=terms)
    text = f"{found} = 0" if "=" in c.equation else str(found)
    return replace(c, expression=found, equation=text, terms=terms)


def checked(m: Mechanism) -> Mechanism:
    """Return the mechanism validated, with parameters that its numbers name declared."""
    from .validate import numbers

    known = {p.name for p in m.parameters}
    new: dict[str, None] = {}
    for x in numbers(m):
        if isinstance(x, Expr):
            new.update((n, None) for n in x.names() if n not in known)
    extra = tuple(Parameter(n) for n in new)
    return replace(m, parameters=m.parameters + extra, checked=False)


def with_values(m: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism with parameters given, exactly: numbers where names stood."""
    m = freed(m, values)
    known = {p.name for p in m.parameters}
    for name in values:
        if name not in known:
            names = list(dict.fromkeys([*(p.name for p in m.parameters), *given_values(m)]))
            hint = (
                closest(str(name), names, "parameters")
                if names
                else "the mechanism has no parameters"
            )
            raise ParameterError(f"there is no parameter {shown(str(name))!r}", hint=hint)
    read = {k: number(v, Graph(), letters=known) for k, v in values.items()}
    texts = {k: v for k, v in values.items() if isinstance(read[k], Expr)}
    if 0 < len(texts) < len(values):  # an expression may name what is given beside it
        rest = {k: v for k, v in values.items() if k not in texts}
        return with_values(with_values(m, texts), rest)
    graph = Graph()
    given = {k: number(v, graph, letters=known) for k, v in values.items()}

    def leaf(source: Graph, i: int) -> Any:
        return given.get(source.args[i][0]) if source.op[i] == "param" else None

    left = tuple(p for p in m.parameters if p.name not in given)
    made = checked(replace(into(m, graph, leaf), parameters=left, checked=True))
    if m.simplified and m.simplified.get("drop"):
        from ..equations.model import numbered_alike

        if not numbered_alike(m, made):
            require_same_terms(m, "with_values")
    return remember(made, m, given)


def with_gravity(m: Mechanism, gravity: Any) -> Mechanism:
    """Return the mechanism in another gravity, components numbers, names or expressions."""
    hint = 'write (0, 0, -9.81) or (0, "G", 0)'
    if isinstance(gravity, str) or not hasattr(gravity, "__len__"):
        raise ModelError("gravity has three components", hint=hint)
    if len(gravity) != 3:
        raise ModelError(f"gravity has {len(gravity)} components, not 3", hint=hint)
    require_same_terms(m, "with_gravity", only="Q")
    graph = Graph()
    pull = Vec3(*(number(x, graph) for x in gravity))
    notes = without_flat(m.notes)
    new = replace(into(m, graph), gravity=pull, notes=notes, checked=True)
    kept = [p for p in m.parameters if p.name != "G" or used(new, "G")]
    return checked(replace(new, parameters=tuple(kept), checked=True))


# of a phrase that says nothing of gravity; no longer true once a gravity is given
LIES_FLAT = (
    "gravity (0, 0, G) is along every axis and moves no joint: write gravity = (0, G, 0) for an "
    "arm that stands upright"
)


def without_flat(notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes without the one on a gravity that was not given."""
    return tuple(note for note in notes if note != LIES_FLAT)


def used(m: Mechanism, name: str) -> bool:
    """Return whether any number of the mechanism depends on a parameter."""
    from .validate import numbers

    return any(isinstance(x, Expr) and name in x.names() for x in numbers(m))


def tensor(value: Any, graph: Graph) -> Mat3:
    """Return a symmetric tensor from nothing, 3 diagonal entries, 6 entries or 3 rows."""
    if value is None:
        return Mat3.zero()
    rows = list(value) if isinstance(value, Iterable) else [value]
    if len(rows) == 3 and all(hasattr(r, "__len__") and not isinstance(r, str) for r in rows):
        return symmetric([[number(x, graph, "number") for x in r] for r in rows])
    six = [number(x, graph, "number") for x in rows]
    if len(six) not in (3, 6):
        raise ModelError(
            f"an inertia has 3 or 6 entries, or 3 rows; not {len(six)} entries",
            hint="write XX, YY, ZZ, XY, XZ, YZ",
        )
    return Mat3.symmetric(*six, *([0] * (6 - len(six))))


def symmetric(rows: Sequence[Sequence[Any]]) -> Mat3:
    """Return the tensor of three rows, which must be symmetric but for round-off."""
    from .validate import numeric

    if [len(r) for r in rows] != [3, 3, 3]:
        raise ModelError("an inertia has 3 rows of 3 entries", hint="or XX, YY, ZZ, XY, XZ, YZ")
    six = [rows[0][0], rows[1][1], rows[2][2]]
    scale = max((abs(to_float(x)) for r in rows for x in r if numeric(x)), default=0.0)
    for i, k in ((0, 1), (0, 2), (1, 2)):
        a, b = rows[i][k], rows[k][i]
        near = numeric(a, b) and abs(to_float(a) - to_float(b)) <= 1e-9 * scale
        if a != b and not near:
            raise ModelError(
                "the inertia tensor is not symmetric", hint="write XX, YY, ZZ, XY, XZ, YZ"
            )
        six.append(a if a == b else exact((a + b) / 2))
    return Mat3.symmetric(*six)


def with_payload(m: Mechanism, frame: str, mass: Any, com: Any, inertia: Any) -> Mechanism:
    """Return the mechanism with a rigid load on a frame; centre and tensor in that frame's axes."""
    require_same_terms(m, "with_payload")
    graph = Graph()
    new = into(m, graph)
    body, placement = new.frame(frame)
    if body < 0:
        raise ModelError(
            f"frame {shown(frame)!r} is on the base: a payload there does not move",
            hint="moving frames: " + ", ".join(shown(f) for f in _moving_frames(new)[:12]),
        )
    if isinstance(com, str) or not hasattr(com, "__len__") or len(com) != 3:
        raise ModelError("the mass centre has 3 components", hint="write com=(0, 0, 0.1)")
    load = Inertia(
        number(mass, graph, "number"),
        Vec3(*(number(x, graph, "length") for x in com)),
        tensor(inertia, graph),
    )
    carrier = new.bodies[body]
    merged = replace(carrier, inertia=carrier.inertia + load.moved(placement))
    bodies = (*new.bodies[:body], merged, *new.bodies[body + 1 :])
    return checked(replace(new, bodies=bodies, checked=True))


def _moving_frames(m: Mechanism) -> list[str]:
    return [name for name in m.frames if m.frame(name)[0] >= 0]
