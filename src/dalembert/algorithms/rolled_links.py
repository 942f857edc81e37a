"""Links of a tree as kinds: bodies that differ in numbers only share one routine.

`Links` reads a mechanism with all numbers bound, sorts its bodies into kinds by the pattern of
their zeros and ones, and traces a formula of one body once for each kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..algebra import Mat3, Rotation, Turn, Vec3
from ..expr import Expr, Graph, Program, Scalar, program, trace
from ..expr.rolled import TURN, Cells, Pass, Roller
from ..joint import Vector
from ..mechanism import Body, Mechanism

FEW = 6  # kinds of one shape above which they are made one
SAME = (0, 1, -1)  # numbers that are part of a kind
Formula = Callable[..., Sequence[Any]]
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
    """A formula applied: its inputs and outputs with their sizes, and the cells they stand in.

    It gives a flat list for each end; entries of ports may be `known` to be numbers.
    """

    formula: Formula
    ports: dict[str, int]
    ends: dict[str, int]
    cells: dict[str, Cells]
    known: Known = ()

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The sizes of ports and ends."""
        return tuple(self.ports.items()), tuple(self.ends.items())


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

    def q(self, j: int) -> Cells:
        """Return the coordinates of a body, the first input."""
        return Cells(("input", 0), self.q_index[j])

    def rate(self, port: int, j: int) -> Cells:
        """Return the entries of a body in another input."""
        return Cells(("input", port), self.m.velocity_index[j])

    def result(self, port: int, j: int) -> Cells:
        """Return the entries of a body in an output that is a vector of joints."""
        return Cells(("output", port), self.m.velocity_index[j])

    def turn(self, j: int) -> Cells:
        """Return the sine and the cosine of a body."""
        return Cells(TURN, j, len(self.m.bodies))

    def angles(self) -> None:
        """Write the pass that gives every body its angle."""
        own = self.roller.begin()
        for j, body in enumerate(self.m.bodies):
            ports = {"q": body.joint.nq}
            cells = {"q": self.q(j), "angle": self.turn(j)}
            self.apply(own, j, Call(_angle, ports, {"angle": 1}, cells))

    def apply(self, where: Pass, j: int, call: Call) -> Program:
        """Apply a formula to body j: `formula(link, **ports)`; return the routine."""
        key = call.formula, self.kind[j], *call.sizes, call.known
        if key not in self._routines:
            self._routines[key] = self._traced(j, call)
        routine = self._routines[key]
        data = routine.prepare.run({}, self.numbers[j])
        where.apply(routine, self.roller.keep([float(x) for x in data]), **call.cells)
        return routine

    def apply_plain(self, where: Pass, call: Call) -> None:
        """Apply a formula that knows nothing of a body: `formula(**ports)`."""
        key, ports = (call.formula, *call.sizes), call.ports
        if key not in self._routines:
            shapes = [(n, (size,)) for n, size in call.ends.items()]
            run = lambda *vectors: call.formula(**dict(zip(ports, vectors, strict=True)))  # noqa: E731
            self._routines[key] = program(trace(run, [*ports.items()], outputs=shapes))
        where.apply(self._routines[key], 0, **call.cells)

    def _traced(self, j: int, call: Call) -> Program:
        pattern, graph = self.kind[j][1], Graph()
        names = [f"n{k}" for k in range(len(pattern))]
        values = [graph.param(n) if x is None else x for n, x in zip(names, pattern, strict=True)]
        queue = iter(values)
        body, rotor = _symmetric(_bare(self.m.bodies[j]).map(lambda x: next(queue))), next(queue)

        def run(*vectors: Vector) -> Sequence[Any]:
            given = dict(zip(call.ports, vectors, strict=True))
            for name, numbers in call.known:
                pairs = zip(given[name], numbers, strict=True)
                given[name] = [x if n is None else n for x, n in pairs]
            link = Link(body, rotor, given.pop("turn", (0, 1)))
            return call.formula(link, **given)

        shapes = [(n, (size,)) for n, size in call.ends.items()]
        return program(
            trace(run, [*call.ports.items()], name="link", outputs=shapes, graph=graph), names
        )


def constants(routine: Program, *names: str) -> Known:
    """Return what is the same in every state among outputs of a routine."""
    found, at = {}, 0
    for port in routine.outputs:
        results = routine.step.results[at : at + port.size]
        found[port.name] = tuple(routine.step.constant(v) for v in results)
        at += port.size
    return tuple((name, found[name]) for name in names)


def _angle(link: Link, q: Vector) -> list[Scalar]:
    return [link.angle(q)]


def _bare(body: Body) -> Body:
    """Return what formulas see of a body."""
    return Body("", -1, body.placement, body.joint, body.inertia)


def _symmetric(body: Body) -> Body:
    """Return a body whose tensor has six numbers, not nine."""
    I = body.inertia
    return replace(body, inertia=replace(I, tensor=Mat3.symmetric(*I.tensor.six())))


def _numbers(body: Body, rotor: float) -> tuple[Any, list[Any]]:
    """Return what cannot differ within a kind, and the numbers of a body in order."""
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
