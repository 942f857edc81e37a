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
from ..expr.rolled import TURN, Cells, Pass, Roller, Strip
from ..joint import Revolute, Vector
from ..mechanism import Body, Mechanism

ZERO = Vec3.zero()
RUN = 8  # bodies of a run
RUNS = 4  # kinds of runs
STRIP = 32  # bodies of a strip: their inputs stay in the nearest cache
RARE = 8  # of the bodies the part that a kind of runs must have
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
    beyond: Vec3 = ZERO  # the lever of its only child, if that is taken care of here
    reached: bool = False  # whether its own lever was, by its parent

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
    ahead: bool = False  # whether a link knows the lever of its only child

    def __post_init__(self) -> None:
        self._carried: dict[int, list[int]] = {j: [] for j in range(-1, len(self.m.bodies))}
        for j, body in enumerate(self.m.bodies):
            self._carried[body.parent].append(j)
        found = [
            _numbers(b, self.rotor.get(j, 0), self._beyond(j), self._reached(j))
            for j, b in enumerate(self.m.bodies)
        ]
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

    def _reached(self, j: int) -> bool:
        """Return whether the parent of a body takes care of its lever: it carries nothing else."""
        body = self.m.bodies[j]
        only = body.parent >= 0 and self._carried[body.parent] == [j]
        return self.ahead and only and isinstance(body.joint, Revolute)

    def _beyond(self, j: int) -> Vec3:
        """Return the lever of the only child of a body, if it is taken care of there."""
        child = self._carried[j][0] if self._carried[j] else -1
        return self.m.bodies[child].placement.p if child >= 0 and self._reached(child) else ZERO

    def outward(self) -> Iterator[tuple[int, Body]]:
        """Yield bodies, parents first."""
        return iter(self.m.outward())

    def inward(self) -> Iterator[tuple[int, Body]]:
        """Yield bodies, children first."""
        return iter(self.m.inward())

    def runs(self, many: int = RUN) -> list[tuple[int, int]]:
        """Return the bodies outward in runs, (first body, how many), each one routine's.

        Runs of kinds that come again and again have `many` bodies, others one. What neighbours
        have in common is computed once, and handed over in registers.
        """
        kinds = [self.kind.index(kind) for kind in self.kind]
        starts = [j for j in range(len(kinds) - many + 1) if self._joined(j, many)]
        found: dict[int, int] = {}
        taken: set[int] = set()
        for _ in range(RUNS):
            fits: dict[Any, list[int]] = {}
            for j in starts:
                at = fits.setdefault(tuple(kinds[j : j + many]), [])
                free = taken.isdisjoint(range(j, j + many))
                if free and (not at or j >= at[-1] + many):
                    at.append(j)
            best = max(fits.values(), key=len, default=[])
            if many * len(best) < len(kinds) / RARE:
                break
            found |= dict.fromkeys(best, many)
            taken.update(k for j in best for k in range(j, j + many))
        found |= {j: 1 for j in range(len(kinds)) if j not in taken}
        return sorted(found.items())

    def strips(self, parts: Sequence[tuple[int, int]]) -> tuple[Strip, ...]:
        """Return runs of all bodies in strips: one output, and rates in all inputs but the first.

        Each has some tens of bodies, the last perhaps fewer; there are none of a single strip.
        """
        starts = [0]
        for row, (j, _) in enumerate(parts):
            if j - parts[starts[-1]][0] >= STRIP:
                starts.append(row)
        ends = [*self.q_index, self.m.nq], [*self.m.velocity_index, self.m.nv]
        found = []
        for a, b in zip(starts, [*starts[1:], len(parts)], strict=True):
            first, end = parts[a][0], sum(parts[b - 1])
            q, v = ((at[first], at[end] - at[first]) for at in ends)
            own = (q, *[v] * (len(self.roller.inputs) - 1))
            found.append(Strip((a, b - a), (first, end - first), own, (v,)))
        return tuple(found) if len(found) > 1 else ()

    def _joined(self, j: int, many: int) -> bool:
        """Return whether bodies from j on carry just the next, and all have one freedom."""
        one = all(b.joint.nv == b.joint.nq == 1 for b in self.m.bodies[j : j + many])
        inner = range(j, j + many - 1)
        return (
            one
            and all(self._carried[k] == [k + 1] for k in inner)
            and all(self.q_index[k + 1] == self.q_index[k] + 1 for k in inner)
            and all(self.m.velocity_index[k + 1] == self.m.velocity_index[k] + 1 for k in inner)
        )

    def place(self, j: int, many: int = 1) -> dict[str, Cells]:
        """Return the inputs of the places of bodies: sines and cosines, their coordinates."""
        if many == 1:
            return {"turn": self.turn(j), "q": self.q(j)}
        turns = {"sine": Cells(TURN, j, many), "cosine": Cells(TURN, j + len(self.m.bodies), many)}
        return turns | {"q": self.q(j, many)}

    def q(self, j: int, many: int = 1) -> Cells:
        """Return the coordinates of a body, or of a run from it on, in the first input."""
        size = sum(b.joint.nq for b in self.m.bodies[j : j + many])
        return Cells(("input", 0), self.q_index[j], size)

    def rate(self, port: int, j: int, many: int = 1) -> Cells:
        """Return the entries of a body, or of a run from it on, in another input."""
        return Cells(("input", port), self.m.velocity_index[j], self._rates(j, many))

    def result(self, port: int, j: int, many: int = 1) -> Cells:
        """Return the entries of a body, or of a run, in an output that is a vector of joints."""
        return Cells(("output", port), self.m.velocity_index[j], self._rates(j, many))

    def _rates(self, j: int, many: int) -> int:
        return sum(b.joint.nv for b in self.m.bodies[j : j + many])

    def turn(self, j: int) -> Cells:
        """Return the sine and the cosine of a body."""
        return Cells(TURN, j, 2, len(self.m.bodies))

    def angles(self) -> None:
        """Write the pass that gives every body its angle."""
        own = self.roller.begin()
        for j, many in self.runs():
            found = {"angle": Cells(TURN, j, many)}
            self.apply(own, j, Call(_angle, {"q": self.q(j, many)}, found), many)

    def apply(self, where: Pass, j: int, call: Call, many: int = 1) -> Program:
        """Apply a formula to body j: `formula(link, **ports)`; return the routine.

        A run of `many` bodies from j on has one routine: `formula(link, link, ..., **ports)`.
        """
        key = (*self.kind[j : j + many], *call.key)
        if key not in self._routines:
            self._routines[key] = self._traced(j, many, call)
        routine = self._routines[key]
        data = routine.prepare.run({}, [x for xs in self.numbers[j : j + many] for x in xs])
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

    def _traced(self, j: int, many: int, call: Call) -> Program:
        graph, names = Graph(), list[str]()
        parts = [self._symbols(k, graph, names) for k in range(j, j + many)]

        def run(*vectors: Vector) -> Sequence[Any]:
            given = dict(zip(call.given, vectors, strict=True))
            for name, numbers in call.known:
                pairs = zip(given[name], numbers, strict=True)
                given[name] = [x if n is None else n for x, n in pairs]
            turns = [given.pop("turn", (0, 1))]  # of a run: all its sines, then all its cosines
            if "sine" in given:
                turns = [*zip(given.pop("sine"), given.pop("cosine"), strict=True)]
            turns += [(0, 1)] * (len(parts) - len(turns))
            links = [replace(link, turn=own) for link, own in zip(parts, turns, strict=True)]
            return call.results(*links, **given)

        made = trace(run, call.ports, name="link", outputs=call.ends, graph=graph)
        return program(made, names)

    def _symbols(self, j: int, graph: Graph, names: list[str]) -> Link:
        """Return a body over new parameters, whose names are added to those that there are."""
        values: list[Any] = []
        for x in self.kind[j][1]:
            names.append(f"n{len(names)}")
            values.append(graph.param(names[-1]) if x is None else x)
        queue = iter(values)
        body = _symmetric(_bare(self.m.bodies[j]).map(lambda x: next(queue)))
        return Link(body, next(queue), (), Vec3(*queue), self._reached(j))


def constants(routine: Program, *names: str) -> Known:
    """Return the entries of a routine's outputs that are the same in every state."""
    found, at = {}, 0
    for port in routine.outputs:
        results = routine.step.results[at : at + port.size]
        found[port.name] = tuple(routine.step.constant(v) for v in results)
        at += port.size
    return tuple((name, found[name]) for name in names)


def shared(run: Sequence[Link], x: Vector) -> Sequence[Vector]:
    """Return the entries of each link of a run; those of a longer one have one freedom each."""
    return [x] if len(run) == 1 else [[a] for a in x]


def _angle(*run: Link, q: Vector) -> Results:
    return {"angle": [link.angle(x) for link, x in zip(run, shared(run, q), strict=True)]}


def _bare(body: Body) -> Body:
    """Return a body without name, parent and limits, which no formula sees."""
    return Body("", -1, body.placement, body.joint, body.inertia)


def _symmetric(body: Body) -> Body:
    """Return a body whose tensor has six numbers, not nine."""
    I = body.inertia
    return replace(body, inertia=replace(I, tensor=Mat3.symmetric(*I.tensor.six())))


def _numbers(body: Body, rotor: float, beyond: Vec3, reached: bool) -> tuple[Any, list[Any]]:
    """Return the structure of a body, the same for all of its kind, and its numbers in order."""
    found: list[Any] = []

    def seen(x: Any) -> Any:
        found.append(x)
        return x

    _bare(body).map(seen)
    factors = tuple((type(f), getattr(f, "axis", None)) for f in body.placement.R.factors)
    return (type(body.joint), factors, body.inertia.at, reached), [*found, rotor, *beyond]


def _union(patterns: set[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the pattern that serves all: a number wherever they differ."""
    return tuple(xs[0] if len(set(xs)) == 1 else None for xs in zip(*patterns, strict=True))
