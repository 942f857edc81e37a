"""A parallel robot taken apart: its platform, and legs that are chains of their own.

Khalil (2010), section 5: the loops are cut where the legs hold the platform. The platform's own
branch of joints says which of its six degrees of freedom there are: all, or those of a robot of
reduced mobility.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ..algebra import Rotation, Transform, Vec3, plain_number
from ..errors import ModelError, shown
from ..frozen import dataclass
from ..joint import UNITS, ZERO
from ..linalg import Matrix
from ..mechanism import Loop, Mechanism, is_rolling, joint_name
from ..mechanism.rehome import merged
from ..reframe import simplify
from ..spatial import Twist
from .link_motion import path
from .loop_closure import branches, normals


@dataclass(frozen=True)
class Leg:
    """A chain from the base to one point of the platform."""

    tree: Mechanism
    point: Vec3  # in the last body
    hold: Vec3  # the same point in the platform
    motors: tuple[int, ...]  # its motorized joints
    order: tuple[int, ...]  # where those stand among the active joints
    directions: tuple[Vec3, ...]  # in which the platform is held: all three, or two in the plane
    end: Loop  # the cut joint
    axis: Vec3  # of the cut joint, in the last body, and in the platform
    axis_hold: Vec3

    @cached_property
    def light(self) -> Mechanism:
        """The chain in frames chosen for its dynamics."""
        return simplify(self.tree)

    @property
    def holds_a_point(self) -> bool:
        """Whether its end is a ball, or in a plane a hinge: then it bears forces, no couples."""
        if self.end.joint == "spherical":
            return True
        if self.end.joint != "revolute" or len(self.directions) == 3:
            return False
        R = Rotation()
        for body in self.tree.bodies:
            R = R @ body.placement.R
        tilts = [plain_number(d.dot(R @ self.axis)) for d in self.directions]
        return all(x is None or abs(x) < 1e-9 for x in tilts)


@dataclass(frozen=True)
class Platform:
    """A parallel robot taken apart."""

    m: Mechanism
    body: int
    legs: tuple[Leg, ...]
    freedoms: Matrix  # motions of the platform in base axes at its origin, one column each


def platform_body(m: Mechanism) -> int:
    """Return the body that three or more chains of joints hold, the farthest from the base."""
    edges: list[tuple[int, int]] = [(loop.body_i, loop.body_j) for loop in m.loops]
    edges += [(b.parent, j) for j, b in enumerate(m.bodies) if b.joint.nv < 6]
    around: dict[int, list[int]] = {}
    for i, j in edges:
        around.setdefault(i, []).append(j)
        around.setdefault(j, []).append(i)
    distance, edge = {-1: 0}, [-1]
    while edge:
        edge = [n for n in dict.fromkeys(n for x in edge for n in around.get(x, ()))
                if n not in distance]  # fmt: skip
        distance |= dict.fromkeys(edge, max(distance.values()) + 1)
    held = [n for n, ends in around.items() if n >= 0 and len(ends) > 2 and n in distance]
    if not held:
        raise ModelError(
            f"{shown(m.name)!r} is not a parallel robot: no body is held by three legs",
            hint="task_model(m, frame) is the model of any frame",
        )
    return max(held, key=lambda n: (distance[n], len(around[n]), n))


def platform_frame(m: Mechanism, body: int) -> tuple[str, Transform]:
    """Return the frame in which a platform was described: its name, and its place in the body.

    A body of a graph of joints stands on the axis of its joint and is called `platform.joint`; the
    frame `platform` is the one that was described (`mechanism/graph.py`). Names of a machine that
    was attached to another one may have its name in front.
    """
    name = m.bodies[body].name
    heads = [name[:k] for k, c in enumerate(name) if c == "."]
    for frame in m.named:
        own = frame.name
        same = (h == own or h.endswith(f"_{own}") or own.endswith(f"_{h}") for h in heads)
        if frame.body == body and any(same):
            return own, frame.placement
    return name, Transform()


def require_own_frame(m: Mechanism) -> None:
    """Raise ModelError where a platform was described in another frame than that of its joint."""
    name, place = platform_frame(m, _held(m))
    if not place.is_identity():
        raise ModelError(
            f"platform {shown(name)!r} has its frame beside that of its joint",
            hint="give branch=dalembert.leg_branches(m, q) at a closed pose q",
            command="ask for active_torques or forward_dynamics",
        )


def platform_of(m: Mechanism) -> Platform:
    """Return platform and legs: the platform is the body where all loops end.

    What is fixed to a body is part of it.
    """
    own = m.bodies[_held(m)].name
    fixed = [j for j, b in enumerate(m.bodies) if not b.joint.nv and b.name != own]
    m = merged(m, {j: [] for j in fixed}) if fixed else m
    body = _held(m)
    names = [joint_name(b) for b in m.bodies]
    legs = []
    for loop in m.loops:
        path, point, hold = _sides(m, loop, body)
        if path and m.bodies[path[0]].parent >= 0:
            raise ModelError(
                "the legs do not stand on the base: each is not a chain of its own",
                hint="use the closed loops: active_torques(m, q, qd, qdd), task_model(m, frame)",
                command="ask for active_torques or forward_dynamics",
            )
        new = {b: k for k, b in enumerate(path)}
        bodies = tuple(replace(m.bodies[b], parent=new.get(m.bodies[b].parent, -1)) for b in path)
        motors = tuple(k for k, b in enumerate(path) if names[b] in m.active)
        drives = tuple(replace(d, joint=new[d.joint]) for d in m.drives if d.joint in new)
        soft = tuple(replace(e, joint=new[e.joint]) for e in m.elastic if e.joint in new)
        tree = Mechanism(bodies, gravity=m.gravity, drives=drives, elastic=soft, checked=True)
        order = tuple(m.active.index(names[path[k]]) for k in motors)
        axes = _axes(loop, body)
        legs.append(Leg(tree, point, hold, motors, order, _directions(tree), loop, *axes))
    return Platform(m, body, tuple(legs), _freedoms(m, body))


def _held(m: Mechanism) -> int:
    """Return the body where all loops end."""
    ends = [{loop.body_i, loop.body_j} for loop in m.loops]
    common = sorted(set.intersection(*ends)) if ends else []
    if len(m.loops) < 2 or not common or common[-1] < 0 or is_rolling(m):
        raise ModelError(
            "not a parallel robot: no body is the platform of all loops"
            if not is_rolling(m)
            else "not a parallel robot: it has wheels or constraints",
            hint="each leg ends in a loop whose other body is the platform",
        )
    return common[-1]


def _sides(m: Mechanism, loop: Loop, body: int) -> tuple[list[int], Vec3, Vec3]:
    path_i, path_j = branches(m, loop)
    if loop.body_j == body:
        return path_i, loop.point_i, loop.point_j
    return path_j, loop.point_j, loop.point_i


def _axes(loop: Loop, body: int) -> tuple[Vec3, Vec3]:
    """Return the axes of a cut joint in the last body of a leg and in the platform."""
    i = ZERO if loop.axis is None else loop.axis
    j = i if loop.axis_j is None else loop.axis_j
    return (i, j) if loop.body_j == body else (j, i)


def _directions(leg: Mechanism) -> tuple[Vec3, ...]:
    if leg.nv == 3:
        return UNITS
    R = Rotation()
    for body in leg.bodies:  # a slide before the first turn turns nothing
        R = R @ body.placement.R
        if body.joint.kind == "revolute":
            return normals(R @ body.joint.axis)  # type: ignore[attr-defined]
    return UNITS


def _freedoms(m: Mechanism, body: int) -> Matrix:
    way = path(m, body)
    if sum(m.bodies[b].joint.nv for b in way) == 6:
        return Matrix.unit(6)
    found: list[Twist] = []
    R, turns = Rotation(), False
    for b in way:
        joint = m.bodies[b].joint
        R = R @ m.bodies[b].placement.R
        if turns or joint.kind not in ("prismatic", "planar", "revolute", "fixed"):
            raise ModelError(f"platform joint {joint_name(m.bodies[b])!r}: turns must come last")
        turns = joint.kind in ("revolute", "planar")
        found += [Twist(R @ s.v, R @ s.w) for s in joint.columns([0] * joint.nq)]
    return Matrix.columns([s.entries() for s in found], 6)


def require_forces_in_legs(robot: Platform) -> None:
    """Raise ModelError unless all that moves and all that acts is in the legs or the platform."""
    m = robot.m
    legs = [b for loop in m.loops for b in _sides(m, loop, robot.body)[0]]
    acting = [*(e.joint for e in m.elastic), *(d.joint for d in m.drives)]
    if m.springs or m.couplings or not set(acting) <= set(legs):
        raise _refused(
            "springs between points, couplings, and springs and drives of the platform's own "
            "joints are not in the models of the legs"
        )
    for j, body in enumerate(m.bodies):
        if legs.count(j) > 1:
            raise _refused(f"body {shown(body.name)!r} is in several legs")
        if j not in legs and j != robot.body and not body.inertia.is_massless():
            raise _refused(f"body {shown(body.name)!r} is in no leg, nor is it the platform")


def _refused(why: str) -> ModelError:
    return ModelError(
        f"no model of platform and legs: {why}",
        hint="use the closed loops: active_torques(m, q, qd, qdd), forward_dynamics",
        command="ask for active_torques or forward_dynamics",
    )
