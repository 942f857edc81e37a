"""Bodies joined in any graph, made a tree with loops: which joints are cut, which turn round.

Joints that must stay are taken first, then those with the fewest degrees of freedom (so that loops
are cut where they cost the fewest equations), then those nearest to the base, then those that
appear first.
Each joint that would close a loop with those already taken is cut. One that must stay all the same
keeps its coordinate: the body it leads to is split, and the two halves are welded by a fixed loop.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Rotation, Transform, Vec3, is_plain_zero
from ..errors import ModelError, shown
from ..expr.exact import exact, to_float
from ..frozen import dataclass
from ..joint import Fixed, Joint, Prismatic, Revolute, Screw
from .parts import Body, Frame, Loop, free_name
from .rehome import onto
from .validate import numeric

CUTTABLE = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed")
PARTS = {"cylindrical": ("slide", "turn"), "universal": ("1", "2")}


@dataclass(frozen=True, slots=True)
class Connection:
    """A joint between two bodies, which moves body_j relative to body_i.

    Frames i and j coincide at q = 0. `chain` holds its joints with axes in those frames, none for
    a fixed one; a positive coordinate moves body_j along or about its axis.
    """

    name: str
    kind: str
    body_i: int
    frame_i: Transform
    body_j: int
    frame_j: Transform
    chain: tuple[Joint, ...] = ()
    limits: tuple[Any, ...] = ()
    velocity_limit: Any = None
    effort_limit: Any = None

    @property
    def freedoms(self) -> int:
        """How many velocity variables the joint has."""
        return sum(joint.nv for joint in self.chain)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its joints in a tree: its own, or one for each of two."""
        return tuple(f"{self.name}_{part}" for part in PARTS.get(self.kind, ())) or (self.name,)


@dataclass(frozen=True, slots=True)
class Tree:
    """A graph after cutting: bodies in order, frames as described, loops, where bodies went."""

    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    loops: tuple[Loop, ...]
    home: dict[int, tuple[int, Transform]]  # described body -> body of the tree, pose of its frame
    notes: tuple[str, ...]


def own_connection(body: Body, j: int) -> Connection:
    """Return the joint that carries body j of a tree, as one of a graph."""
    joint = () if isinstance(body.joint, Fixed) else (body.joint,)
    return Connection(
        body.joint_name or body.name, body.joint.kind, body.parent, body.placement, j, Transform(),
        joint, body.limits, body.velocity_limit, body.effort_limit,
    )  # fmt: skip


def spanning_tree(
    bodies: Sequence[Body], connections: Sequence[Connection], keep: Collection[str] = ()
) -> Tree:
    """Return the tree of a graph of bodies and joints, the others cut into loops.

    `bodies` give names and inertias in their own frames; joints named in `keep`, and those with
    limits, are not cut.
    """
    connections, bodies = list(connections), list(bodies)
    named = [any(n in keep for n in (c.name, *c.names)) for c in connections]
    stay = [a or _uncuttable(c) for a, c in zip(named, connections, strict=True)]
    taken = _taken(connections, stay)
    split = [k for k, c in enumerate(connections) if k not in taken and (stay[k] or _limited(c))]
    welds = []
    for k in split:
        c, half = connections[k], len(bodies)
        bodies.append(Body(_half_name(c, bodies), -1))
        connections[k] = replace(c, body_j=half)
        welds.append(
            Connection(f"{c.name}.weld", "fixed", half, Transform(), c.body_j, Transform())
        )
        taken.add(k)
    order = _outward(bodies, connections, taken)
    made = _Made(bodies)
    for k, backwards in order:
        made.add(connections[k], backwards)
    cut = [c for k, c in enumerate(connections) if k not in taken]
    loops = tuple(_loop(c, made.home) for c in (*cut, *welds))
    notes = list(made.notes)
    if cut:
        names = ", ".join(f"{shown(c.name, 60)} ({c.kind})" for c in cut[:20])
        more = f" and {len(cut) - 20} more" if len(cut) > 20 else ""
        notes.append(f"loops were cut at {names}{more}")
    for k in split[:20]:
        c = connections[k]
        notes.append(
            f"joint {shown(c.name, 60)} closes a loop and keeps its coordinate: "
            "the body beyond it is split at a weld"
        )
    return Tree(tuple(made.bodies), tuple(made.frames), loops, made.home, tuple(notes))


# -- which joints ------------------------------------------------------------------------------


def _uncuttable(c: Connection) -> bool:
    """Return whether a joint has no cut form; a universal one needs axes at right angles."""
    if c.kind == "universal":
        a, b = (joint.axis for joint in c.chain if isinstance(joint, Revolute))
        across = a.dot(b)
        return not (is_plain_zero(across) or (numeric(across) and abs(to_float(across)) < 1e-9))
    return c.kind not in CUTTABLE


def _limited(c: Connection) -> bool:
    return bool(c.limits or c.velocity_limit or c.effort_limit)


def _half_name(c: Connection, bodies: Sequence[Body]) -> str:
    """Return a name for the half of a body that is split beyond a joint."""
    beyond = bodies[c.body_j].name if c.body_j >= 0 else "base"
    return free_name(f"{beyond}.{c.name}", {b.name for b in bodies})


def _taken(connections: Sequence[Connection], stay: Sequence[bool]) -> set[int]:
    """Return the joints of the tree (Kruskal 1956)."""
    head: dict[int, int] = {}

    def root(x: int) -> int:
        while head.get(x, x) != x:
            head[x] = head.get(head[x], head[x])
            x = head[x]
        return x

    taken: set[int] = set()
    far = _distances(connections)
    ranks = [
        (
            not stay[k],
            not _limited(c),
            c.freedoms,
            min(far.get(b, len(far)) for b in (c.body_i, c.body_j)),
            k,
        )
        for k, c in enumerate(connections)
    ]
    for *_, k in sorted(ranks):
        c = connections[k]
        i, j = root(c.body_i), root(c.body_j)
        if i != j:
            head[i] = j
            taken.add(k)
    return taken


def _near(connections: Sequence[Connection], chosen: Collection[int]) -> dict[int, list[int]]:
    """Return the chosen joints at each body, in their order."""
    near: dict[int, list[int]] = {}
    for k in sorted(chosen):
        near.setdefault(connections[k].body_i, []).append(k)
        near.setdefault(connections[k].body_j, []).append(k)
    return near


def _distances(connections: Sequence[Connection]) -> dict[int, int]:
    """Return how many joints lie between the base and each body that it reaches."""
    near = _near(connections, range(len(connections)))
    far, ready = {-1: 0}, [-1]
    for body in ready:
        for k in near.get(body, ()):
            for other in (connections[k].body_i, connections[k].body_j):
                if other not in far:
                    far[other] = far[body] + 1
                    ready.append(other)
    return far


def _outward(
    bodies: Sequence[Body], connections: Sequence[Connection], taken: set[int]
) -> list[tuple[int, bool]]:
    """Return the joints of the tree, parents first, and whether each is followed backwards."""
    near = _near(connections, taken)
    ready = list(near.get(-1, ()))
    reached, order = {-1}, []
    while ready:
        k = heapq.heappop(ready)
        c = connections[k]
        backwards = c.body_j in reached
        child = c.body_i if backwards else c.body_j
        reached.add(child)
        order.append((k, backwards))
        for other in near[child]:
            if other != k:
                heapq.heappush(ready, other)
    for k, body in enumerate(bodies):
        if k not in reached:
            raise ModelError(
                f"no joint leads from the base to body {shown(body.name)!r}",
                hint='join it, or let it float: parent = -1, joint = { type = "free" }',
            )
    return order


# -- the tree ----------------------------------------------------------------------------------


class _Made:
    """The tree as far as it is made."""

    def __init__(self, described: Sequence[Body]):
        self.described = described
        self.bodies: list[Body] = []
        self.frames: list[Frame] = []
        self.home: dict[int, tuple[int, Transform]] = {-1: (-1, Transform())}
        self.notes: list[str] = []

    def add(self, c: Connection, backwards: bool) -> None:
        """Add the body that a joint leads to, and a massless one between if it needs two joints."""
        parent, child = (c.body_j, c.body_i) if backwards else (c.body_i, c.body_j)
        outer, inner = (c.frame_j, c.frame_i) if backwards else (c.frame_i, c.frame_j)
        steps = list(zip(c.chain, c.names, strict=True)) if c.chain else []
        if backwards:
            steps = [(self._reversed(c, joint), name) for joint, name in reversed(steps)]
        at, pose = self.home[parent]
        place = pose @ outer
        for joint, name in steps[:-1]:
            body = Body(self._free(name), at, place, joint, joint_name=name)
            self.bodies.append(body)
            at, place = len(self.bodies) - 1, Transform()
        joint, name = steps[-1] if steps else (Fixed(), c.name)
        place, joint, frame = _settled(place, joint, inner)
        self._carry(child, at, place.map(exact), joint, name, frame.map(exact), c)

    def _carry(
        self, child: int, at: int, place: Transform, joint: Joint, name: str, frame: Transform,
        c: Connection,
    ) -> None:  # fmt: skip
        body = self.described[child]
        called, inertia = body.name, body.inertia
        if not frame.is_identity():
            # the frame as it was described keeps the name of the body
            called = self._free(f"{body.name}.{name}")
            inertia = inertia.moved(frame).map(exact)
            self.frames.append(Frame(body.name, len(self.bodies), frame))
        self.home[child] = (len(self.bodies), frame)
        own = "" if name == called else name
        limits = c.limits if len(c.limits) == joint.nq else ()
        self.bodies.append(
            Body(called, at, place, joint, inertia, own, limits, c.velocity_limit, c.effort_limit)
        )

    def _free(self, name: str) -> str:
        """Return a name no body has."""
        return free_name(name, {b.name for b in (*self.described, *self.bodies)})

    def _reversed(self, c: Connection, joint: Joint) -> Joint:
        """Return a joint seen from its other body: coordinates keep their meaning and sign."""
        if isinstance(joint, (Revolute, Prismatic, Screw)):
            return replace(joint, axis=-joint.axis)
        name = shown(c.name, 60)
        if joint.kind == "spherical":
            self.notes.append(f"joint {name} turns body_i in body_j: body_j carries it")
            return joint
        raise ModelError(
            f"joint {name!r} ({c.kind}) would have to be followed from body_j to body_i",
            hint="give it the other way round",
        )


def _settled(
    place: Transform, joint: Joint, inner: Transform
) -> tuple[Transform, Joint, Transform]:
    """Return placement, joint and described frame in the body frame, both frames equal if possible.

    `inner` is where the joint stands in the described frame. Along a slide or a fixed joint the
    frame stays; about an axis its directions stay and its origin moves onto the axis.
    """
    R = inner.R
    if isinstance(joint, Fixed):
        return place @ inner.inverse, joint, Transform()
    if isinstance(joint, Prismatic):
        return place @ inner.inverse, Prismatic(R @ joint.axis), Transform()
    if isinstance(joint, (Revolute, Screw)):
        turned = place @ Transform(R.T, Vec3(0, 0, 0))
        return turned, replace(joint, axis=R @ joint.axis), Transform(Rotation(), -inner.p)
    return place, joint, inner.inverse


def _loop(c: Connection, home: dict[int, tuple[int, Transform]]) -> Loop:
    """Return a joint as a cut one, on the bodies of the tree."""
    axes = [joint.axis for joint in c.chain if isinstance(joint, (Revolute, Prismatic))]
    loop = Loop(
        c.body_i, c.frame_i.p, c.body_j, c.frame_j.p, c.kind,
        c.frame_i.R @ axes[0] if axes else None,
        c.frame_j.R @ axes[-1] if axes else None,
        c.frame_i.R, c.frame_j.R, name=c.name,
    )  # fmt: skip
    moved = replace(loop, **onto(loop, home))
    changes: dict[str, Any] = {}
    for field in ("point_i", "point_j", "axis", "axis_j", "rotation_i", "rotation_j"):
        value = getattr(moved, field)
        changes[field] = value if value is None else value.map(exact)
    return replace(moved, **changes)
