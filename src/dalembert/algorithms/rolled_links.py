"""Links of a tree as kinds: bodies that differ in numbers only share one routine.

`Links` reads a mechanism with all numbers bound, sorts its bodies into kinds by the pattern of
their zeros and ones, and traces a formula of one body once for each kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..algebra import Mat3, Rotation, Turn, Vec3
from ..expr import Expr, Graph, Program, Scalar, program, trace
from ..expr.rolled import TURN, Cells, Pass, Roller
from ..joint import Vector
from ..mechanism import Body, Mechanism

FEW = 6  # kinds of one shape above which they are made one
SAME = (0, 1, -1)  # numbers that are part of a kind
Results = Mapping[str, Sequence[Any]]  # by their names
Formula = Callable[..., Results]
Known = tuple[tuple[str, tuple[Any, ...]], ...]  # port, and a number or None for each entry


@dataclass(frozen=True, slots=True)
class Link:
    """A body over the parameters of its kind, its rotor inertia, its place seen by a formula."""

    body: Body
    rotor: Scalar
    turn: Vector  # sine and cosine of its angle

    def place(self, q: Vector) -> tuple[Rotation, Vec3]:
        """Return rotation and origin in the parent frame, the sines taken already."""
        R, P = self.body.pose(q)
        s, c = self.turn
        factors = (replace(f, c=c, s=s) if _turns(f) else f for f in R.factors)
        return Rotation(tuple(factors)), P

    def angle(self, q: Vector) -> Scalar:
        """Return the angle that its place depends on."""
        factors = self.body.pose(q)[0].factors
        found = [f.angle for f in factors if isinstance(f, Turn) and _turns(f)]
        return found[0] if found else 0


def _turns(factor: Turn | Mat3) -> bool:
    """Return whether a factor is a turn by a joint coordinate."""
    if not isinstance(factor, Turn) or not isinstance(factor.angle, Expr):
        return False
    graph = factor.angle.graph
    return any(graph.op[i] == "input" for i in graph.live([factor.angle.id]))


@dataclass(frozen=True)
class Call:
    """A formula applied: the cells that its inputs and its results stand in, by their names.

    It gives a flat list for each result, of which those in `found` are taken; entries of inputs may
    be `known` to be numbers.
    """

    formula: Formula
    given: dict[str, Cells]
    found: dict[str, Cells]
    known: Known = ()

    @property
    def ports(self) -> list[tuple[str, int]]:
        """The inputs with their sizes."""
        return [(name, cells.size) for name, cells in self.given.items()]

    @property
    def ends(self) -> list[tuple[str, tuple[int]]]:
        """The results with their shapes."""
        return [(name, (cells.size,)) for name, cells in self.found.items()]

    def results(self, *link: Link, **given: Vector) -> list[Any]:
        """Return the results of the formula, in the order of their cells."""
        made = self.formula(*link, **given)
        return [made[name] for name in self.found]

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the routine of a kind of bodies."""
        return self.formula, tuple(self.ports), tuple(self.ends), self.known


@dataclass
class Links:
    """The bodies of a tree, with the routines of their kinds as far as they were asked for."""

    m: Mechanism
    rotor: dict[int, float]  # by body
    roller: Roller
    numbers: list[list[float]] = field(default_factory=list)
    kind: list[tuple[Any, ...]] = field(default_factory=list)
    _routines: dict[Any, Program] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = [_numbers(b, self.rotor.get(j, 0)) for j, b in enumerate(self.m.bodies)]
        shapes = [shape for shape, _ in found]
        self.numbers = [[float(x) for x in xs] for _, xs in found]
        patterns = [tuple(x if x in SAME else None for x in xs) for _, xs in found]
        many: dict[Any, set[Any]] = {}
        for shape, pattern in zip(shapes, patterns, strict=True):
            many.setdefault(shape, set()).add(pattern)
        common = Counter(zip(shapes, patterns, strict=True))
        least = len(found) / FEW
        self.kind = [
            (s, p if len(many[s]) <= FEW or common[s, p] >= least else _union(many[s]))
            for s, p in zip(shapes, patterns, strict=True)
        ]
        self.q_index = self.m.coordinate_index
        self.roller.angles = len(found)

    def outward(self) -> Iterator[tuple[int, Body]]:
        """Yield bodies, parents first."""
        return iter(self.m.outward())

    def inward(self) -> Iterator[tuple[int, Body]]:
        """Yield bodies, children first."""
        return iter(self.m.inward())

    def place(self, j: int) -> dict[str, Cells]:
        """Return the inputs of a body's place: sine and cosine of its angle, its coordinates."""
        return {"turn": self.turn(j), "q": self.q(j)}

    def q(self, j: int) -> Cells:
        """Return the coordinates of a body, the first input."""
        return Cells(("input", 0), self.q_index[j], self.m.bodies[j].joint.nq)

    def rate(self, port: int, j: int) -> Cells:
        """Return the entries of a body in another input."""
        return Cells(("input", port), self.m.velocity_index[j], self.m.bodies[j].joint.nv)

    def result(self, port: int, j: int) -> Cells:
        """Return the entries of a body in an output that is a vector of joints."""
        return Cells(("output", port), self.m.velocity_index[j], self.m.bodies[j].joint.nv)

    def turn(self, j: int) -> Cells:
        """Return the sine and the cosine of a body."""
        return Cells(TURN, j, 2, len(self.m.bodies))

    def angles(self) -> None:
        """Write the pass that gives every body its angle."""
        own = self.roller.begin()
        for j in range(len(self.m.bodies)):
            self.apply(own, j, Call(_angle, {"q": self.q(j)}, {"angle": self.turn(j).part(0, 1)}))

    def apply(self, where: Pass, j: int, call: Call) -> Program:
        """Apply a formula to body j: `formula(link, **ports)`; return the routine."""
        key = self.kind[j], *call.key
        if key not in self._routines:
            self._routines[key] = self._traced(j, call)
        routine = self._routines[key]
        data = routine.prepare.run({}, self.numbers[j])
        numbers = self.roller.keep([float(x) for x in data])
        where.apply(routine, numbers, **call.given | call.found)
        return routine

    def apply_plain(self, where: Pass, call: Call) -> None:
        """Apply a formula that knows nothing of a body: `formula(**ports)`."""

        def run(*vectors: Vector) -> Sequence[Any]:
            return call.results(**dict(zip(call.given, vectors, strict=True)))

        if call.key not in self._routines:
            self._routines[call.key] = program(trace(run, call.ports, outputs=call.ends))
        where.apply(self._routines[call.key], 0, **call.given | call.found)

    def _traced(self, j: int, call: Call) -> Program:
        pattern, graph = self.kind[j][1], Graph()
        names = [f"n{k}" for k in range(len(pattern))]
        values = [graph.param(n) if x is None else x for n, x in zip(names, pattern, strict=True)]
        queue = iter(values)
        body, rotor = _symmetric(_bare(self.m.bodies[j]).map(lambda x: next(queue))), next(queue)

        def run(*vectors: Vector) -> Sequence[Any]:
            given = dict(zip(call.given, vectors, strict=True))
            for name, numbers in call.known:
                pairs = zip(given[name], numbers, strict=True)
                given[name] = [x if n is None else n for x, n in pairs]
            link = Link(body, rotor, given.pop("turn", (0, 1)))
            return call.results(link, **given)

        made = trace(run, call.ports, name="link", outputs=call.ends, graph=graph)
        return program(made, names)


def constants(routine: Program, *names: str) -> Known:
    """Return the entries of a routine's outputs that are the same in every state."""
    found, at = {}, 0
    for port in routine.outputs:
        results = routine.step.results[at : at + port.size]
        found[port.name] = tuple(routine.step.constant(v) for v in results)
        at += port.size
    return tuple((name, found[name]) for name in names)


def _angle(link: Link, q: Vector) -> Results:
    return {"angle": [link.angle(q)]}


def _bare(body: Body) -> Body:
    """Return a body without name, parent and limits, which no formula sees."""
    return Body("", -1, body.placement, body.joint, body.inertia)


def _symmetric(body: Body) -> Body:
    """Return a body whose tensor has six numbers, not nine."""
    I = body.inertia
    return replace(body, inertia=replace(I, tensor=Mat3.symmetric(*I.tensor.six())))


def _numbers(body: Body, rotor: float) -> tuple[Any, list[Any]]:
    """Return the structure of a body, the same for all of its kind, and its numbers in order."""
    found: list[Any] = []

    def seen(x: Any) -> Any:
        found.append(x)
        return x

    _bare(body).map(seen)
    factors = tuple((type(f), getattr(f, "axis", None)) for f in body.placement.R.factors)
    return (type(body.joint), factors, body.inertia.at), [*found, rotor]


def _union(patterns: set[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the pattern that serves all: a number wherever they differ."""
    return tuple(xs[0] if len(set(xs)) == 1 else None for xs in zip(*patterns, strict=True))
