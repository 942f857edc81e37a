"""Joints that follow others by a fixed ratio, put in place of their couplings and back.

q_whole = R q + r: the whole tree, where every joint has its coordinate, from the coordinates that
are left. The dynamics of the machine are those of the tree, projected by the constant R.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..algebra import is_plain_zero
from ..errors import ModelError, shown
from ..expr import Expr, Graph, Scalar
from ..expr.exact import exact, substitute
from ..frozen import dataclass
from ..joint import Vector
from .edit import into
from .follower import Follower
from .mechanism import Mechanism
from .parts import Body, Coupling, VelocityConstraint, joint_name
from .required import is_rolling


@dataclass(frozen=True, slots=True)
class Fold:
    """R and r by rows: each coordinate of the whole tree is ratio · q[index] + offset."""

    count: int  # how many velocity variables are left
    q: tuple[tuple[int, Any, Any], ...]
    v: tuple[tuple[int, Any], ...]
    following: tuple[int, ...] = ()  # rows of `v` that are those of joints that follow

    @staticmethod
    def of(m: Mechanism) -> Fold:
        """Return how the coordinates of a tree follow those that are left: all are, if none do."""
        own = tuple((k, 1, 0) for k in range(m.nq)), tuple((k, 1) for k in range(m.nv))
        return m.fold if m.fold is not None else Fold(m.nv, *own)

    def coordinates(self, q: Vector) -> list[Scalar]:
        """Return q of the whole tree."""
        return [_times(a, q[k]) if is_plain_zero(b) else _times(a, q[k]) + b for k, a, b in self.q]

    def rates(self, x: Vector) -> list[Scalar]:
        """Return R x: rates or accelerations of the whole tree."""
        return [_times(a, x[k]) for k, a in self.v]

    def forces(self, x: Vector) -> list[Scalar]:
        """Return R' x: forces on the coordinates that are left."""
        out: list[Scalar] = [0] * self.count
        for (k, a), y in zip(self.v, x, strict=True):
            out[k] = out[k] + _times(a, y)
        return out

    def of_leaders(self, x: Vector) -> list[Scalar]:
        """Return the forces of the whole tree where joints that follow have none."""
        return [0 if r in self.following else x[k] for r, (k, _) in enumerate(self.v)]

    def columns(self, A: Sequence[Vector]) -> list[list[Scalar]]:
        """Return A R."""
        return [self.forces(row) for row in A]

    def rows(self, A: Sequence[Vector]) -> list[list[Scalar]]:
        """Return R' A."""
        turned = [self.forces(column) for column in zip(*A, strict=True)]
        return [list(row) for row in zip(*turned, strict=True)]

    def square(self, A: Sequence[Vector]) -> list[list[Scalar]]:
        """Return R' A R."""
        return self.rows(self.columns(A))


def _times(a: Any, x: Scalar) -> Scalar:
    return x if a.__class__ is int and a == 1 else a * x


def unfolded(m: Mechanism) -> Mechanism:
    """Return the whole tree: every joint has its own coordinate; `fold` leads back."""
    first = {joint_name(b): k for b, k in zip(m.bodies, m.velocity_index, strict=True)}
    places = {joint_name(b): at for b, at in zip(m.bodies, m.coordinate_index, strict=True)}
    q: list[tuple[int, Any, Any]] = []
    v: list[tuple[int, Any]] = []
    following = []
    for b in m.bodies:
        if isinstance(b.joint, Follower):
            following.append(len(v))
            q.append((places[b.joint.of], b.joint.ratio, b.joint.offset))
            v.append((first[b.joint.of], b.joint.ratio))
        else:
            name = joint_name(b)
            q += [(places[name] + k, 1, 0) for k in range(b.joint.nq)]
            v += [(first[name] + k, 1) for k in range(b.joint.nv)]
    fold = Fold(m.nv, tuple(q), tuple(v), tuple(following))
    return replace(m, bodies=_whole(m.bodies), fold=fold, checked=True)


def in_all_joints(m: Mechanism, q: Vector, qd: Vector) -> tuple[Mechanism, Vector, Vector]:
    """Return the tree in which every joint moves by itself, and its state; m where none follow."""
    whole = m.unfolded
    if whole.fold is None:
        return m, q, qd
    tree = replace(whole, fold=None, checked=True)
    return tree, whole.fold.coordinates(q), whole.fold.rates(qd)


def _whole(bodies: Sequence[Body]) -> tuple[Body, ...]:
    return tuple(
        replace(b, joint=b.joint.own, limits=b.joint.limits) if isinstance(b.joint, Follower) else b
        for b in bodies
    )


def coupled(m: Mechanism) -> Mechanism:
    """Return the mechanism with a coordinate and a coupling for each joint that follows."""
    at = {joint_name(b): j for j, b in enumerate(m.bodies)}
    made = tuple(
        Coupling(j, at[b.joint.of], b.joint.ratio, b.joint.offset)
        for j, b in enumerate(m.bodies)
        if isinstance(b.joint, Follower)
    )
    return replace(m, bodies=_whole(m.bodies), couplings=(*m.couplings, *made), checked=True)


def constrained(m: Mechanism) -> Mechanism:
    """Return the mechanism with a coordinate and an equation for each joint that follows.

    Its speeds are the rates of the joints that lead.
    """
    made = []
    for b in m.bodies:
        if isinstance(b.joint, Follower):
            graph = Graph()
            name, of = joint_name(b), b.joint.of
            ratio, offset = into_graph(b.joint.ratio, graph), into_graph(b.joint.offset, graph)
            gap = graph.param(name) - ratio * graph.param(of) - offset
            values = tuple((k, v) for k, v in m.values.items() if k in gap.names())
            text = f"{name} = {b.joint.ratio}*{of}+{b.joint.offset}"
            made.append(VelocityConstraint(f"{name} follows", text, gap, values))
    return replace(
        m, bodies=_whole(m.bodies), velocity_constraints=(*m.velocity_constraints, *made),
        speeds=m.speeds or m.joint_names, checked=True,
    )  # fmt: skip


def into_graph(x: Any, graph: Graph) -> Any:
    """Return a number or an expression over another graph."""
    return substitute(x, graph, lambda source, i: None) if isinstance(x, Expr) else x


def substituted(m: Mechanism) -> Mechanism:
    """Return the mechanism without the coordinates of joints that follow others.

    A joint that loops, wheels, equations or a given motion hold keeps its coordinate and its
    coupling, which is then one equation more; so does one that has a motor.
    """
    if not m.couplings:
        return m
    if m.loops or is_rolling(m):
        names = ", ".join(shown(joint_name(m.bodies[c.joint]), 40) for c in m.couplings[:20])
        note = f"beside loops, wheels and constraints these joints keep their coordinates: {names}"
        return replace(m, notes=(*m.notes, note))
    graph = Graph()
    new = into(m, graph)
    by = {c.joint: c for c in new.couplings}
    if len(by) < len(new.couplings):
        twice = next(c.joint for c in new.couplings if by[c.joint] is not c)
        raise ModelError(
            f"joint {shown(joint_name(m.bodies[twice]))!r} follows two others",
            hint='load with mimic="couple": each is one equation',
            command="write --mimic couple: each is one equation",
        )
    bodies = list(new.bodies)
    for j in by:
        of, ratio, offset = _leader(new, by, j)
        b = bodies[j]
        bodies[j] = replace(b, joint=Follower(b.joint, of, ratio, offset, b.limits), limits=())
    gone = {joint_name(m.bodies[j]) for j in by}
    driven = sorted(gone & {*m.active, *m.prescribed})
    kept: dict[str, Any] = {
        f: tuple(n for n in getattr(m, f) if n not in gone) for f in ("active", "prescribed")
    }
    left = [f"joint {shown(n)!r} follows another one: it has no motor" for n in driven]
    return replace(
        new, bodies=tuple(bodies), couplings=(), notes=(*m.notes, *left), checked=False, **kept
    )


def _leader(m: Mechanism, by: dict[int, Coupling], j: int) -> tuple[str, Any, Any]:
    """Return (joint, ratio, offset) of the coordinate that a joint follows, through others."""
    ratio: Any = 1
    offset: Any = 0
    seen = [j]
    while j in by:
        c = by[j]
        for k in (c.joint, c.of):
            if m.bodies[k].joint.nv != 1:
                name = shown(joint_name(m.bodies[k]))
                raise ModelError(
                    f"coupling: joint {name!r} has no one coordinate",
                    hint="joints that follow and are followed have one degree of freedom",
                )
        offset, ratio = offset + ratio * c.offset, ratio * c.ratio
        j = c.of
        if j in seen:
            names = ", ".join(shown(joint_name(m.bodies[k])) for k in seen[:8])
            raise ModelError(f"joints follow each other in a circle: {names}",
                             hint="let one of them move freely")  # fmt: skip
        seen.append(j)
    return joint_name(m.bodies[j]), _plain(ratio), _plain(offset)


def _plain(x: Any) -> Any:
    return exact(x) if isinstance(x, Expr) else x
