"""The joints of SDF: kinds, axes, limits; friction and springs; gearboxes and mimic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..algebra import Transform, Vec3
from ..errors import closest, shown
from ..expr.exact import exact, to_float
from ..joint import Joint, Prismatic, Revolute, Screw, Spherical
from ..mechanism import Body, Coupling, Drive, JointSpring, joint_name
from ..mechanism.graph import Connection, Tree
from .exact_pose import unit_axis
from .sdf_scope import Scope, collapsed, text_of
from .urdf_fields import Reading
from .xml_tree import Element

KINDS = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed",
    "ball": "spherical", "universal": "universal", "revolute2": "universal", "screw": "screw",
    "gearbox": "gearbox",
}  # fmt: skip
MODEL_AXES = (1, 5)  # before this version axes are in the model's frame
EXPRESSED = (1, 7)  # from this version on they are in the frame that expressed_in names
NO_LIMIT = 1e15  # SDF writes 1e16 if there is none
OPEN: tuple[Any, ...] = ((), None, None)
PARALLEL = 1e-6  # of two axes that were rounded


Bounds = tuple[tuple[Any, ...], Any, Any]  # pairs of limits, largest speed, largest force


@dataclass
class Joined:
    """Joints on their way: links by full name, and what is asked of coordinates."""

    reading: Reading
    index: dict[str, int]
    poses: dict[str, Transform]
    single: dict[str, tuple[Connection, Vec3]] = field(default_factory=dict)  # axis in the world
    asked: dict[str, Element] = field(default_factory=dict)  # axis element of a coordinate
    gears: list[tuple[Element, str, str, str, Vec3, Vec3]] = field(default_factory=list)
    mimics: list[tuple[Element, str, str]] = field(default_factory=list)
    bounds: dict[str, Bounds] = field(default_factory=dict)  # of the joints that make up one

    def relative(self, link: str, pose: Transform) -> Transform:
        """Return a pose of the world in the frame of a link."""
        return collapsed(self.poses[link].inverse @ pose, self.reading)

    def number(self, element: Element | None, tag: str, default: Any = 0) -> Any:
        """Return the number in a child, the default if there is none."""
        found = element.first(tag) if element is not None else None
        if found is None:
            return default
        if found.text.lstrip("+-").lower() in ("inf", "infinity"):
            return None
        return self.reading.number(found, found.text, tag)


def connection(
    joined: Joined, element: Element, scope: Scope, pose: Transform
) -> Connection | None:
    """Return a joint between two links, or between a link and the world; None for a gearbox."""
    reading = joined.reading
    name = scope.prefix + reading.name(element)
    word = reading.name(element, "type")
    if word not in KINDS:
        near = closest(word, list(KINDS))
        reading.fail(element, f"joint {shown(name)!r}: unknown type {shown(word, 40)!r}", near)
    ends = [scope.link(text_of(reading, element, tag), element) for tag in ("parent", "child")]
    axes = [_axis(reading, element, scope, tag, word) for tag in ("axis", "axis2")]
    if KINDS[word] == "gearbox":
        reference = scope.link(text_of(reading, element, "gearbox_reference_body"), element)
        turned = [pose.R @ a if a is not None else None for a in axes]
        if None in (*turned, *ends) or reference is None:
            reading.fail(element, f"gearbox {shown(name)!r} needs two axes and three links")
        joined.gears.append((element, reference, *ends, *turned))  # type: ignore[arg-type]
        return None
    i, j = (-1 if link is None else joined.index[link] for link in ends)
    if i == j:
        if i < 0:
            return None
        reading.fail(element, f"joint {shown(name)!r} has both ends on one body")
    frames = [pose if link is None else joined.relative(link, pose) for link in ends]
    chain = _chain(joined, element, word, axes)
    alone = len(chain) == 1 and chain[0].nv == 1
    bounds = _limits(joined, element.first("axis"), name, word) if alone else OPEN
    made = Connection(name, KINDS[word], i, frames[0], j, frames[1], chain, *bounds)
    if not alone:
        _bound_parts(joined, element, made, word)
    _ask(joined, element, made, scope)
    if len(chain) == 1 and isinstance(chain[0], (Revolute, Prismatic)):
        joined.single[name] = made, pose.R @ chain[0].axis
    return made


def _axis(reading: Reading, element: Element, scope: Scope, tag: str, word: str) -> Vec3 | None:
    """Return an axis in the frame of its joint."""
    found, name = element.first(tag), shown(reading.name(element))
    needed = tag == "axis" and word not in ("fixed", "ball", "gearbox")
    if needed and (found is None or found.first("xyz") is None):
        reading.notes.append(f"joint {name!r}: no <xyz> of its axis, taken as 0 0 1")
    if found is None:
        return Vec3(0, 0, 1) if needed else None
    if tag == "axis2" and KINDS[word] not in ("universal", "gearbox"):
        reading.notes.append(f"joint {name!r} is {KINDS[word]}: its <axis2> is ignored")
    told = found.first("xyz") or Element("xyz", {}, found.line, found.column, text="0 0 1")
    axis = unit_axis(reading.three(told, "axis"), reading.graph)
    if axis is None:
        reading.fail(told, f"joint {name!r}: the axis is zero")
    own = scope.pose(reading.name(element), element).R
    old = found.first("use_parent_model_frame")
    in_model = scope.version < MODEL_AXES if old is None else old.text.lower() in ("1", "true")
    if in_model and scope.version >= EXPRESSED:
        reading.notes.append(
            f"joint {name!r}: use_parent_model_frame is ignored from SDF 1.7 on;"
            ' write <xyz expressed_in="__model__">'
        )
        in_model = False
    frame = told.attributes.get("expressed_in")
    if frame:
        axis = own.T @ (scope.pose(frame, told).R @ axis)
    elif in_model:
        axis = own.T @ axis
    return axis.map(exact)


def _chain(
    joined: Joined, element: Element, word: str, axes: Sequence[Vec3 | None]
) -> tuple[Joint, ...]:
    reading, (first, second) = joined.reading, axes
    kind = KINDS[word]
    if kind == "fixed":
        return ()
    if kind == "spherical":
        return (Spherical(),)
    if kind == "universal":
        if second is None:
            reading.fail(element, f"a {word} joint needs <axis2>")
        return Revolute(first), Revolute(second)  # type: ignore[arg-type]
    if kind == "screw":
        per_turn = joined.number(element, "screw_thread_pitch", None)
        if per_turn is not None:
            pitch = per_turn / (2 * reading.graph.pi())
        else:
            # radians per metre, left-handed: the older element
            thread = joined.number(element, "thread_pitch", 1)
            if not thread:
                reading.fail(element, "thread_pitch is zero")
            pitch = -1 / thread
        return (Screw(first, exact(pitch)),)  # type: ignore[arg-type]
    return (Revolute(first) if kind == "revolute" else Prismatic(first),)  # type: ignore[arg-type]


def _bound_parts(joined: Joined, element: Element, made: Connection, word: str) -> None:
    """Keep the limits of a joint of two parts, one for each axis; note what has no place."""
    for k, tag in enumerate(("axis", "axis2")):
        told = _limits(joined, element.first(tag), made.name, word)
        if told == OPEN:
            continue
        if len(made.chain) == 2:
            joined.bounds[made.names[k]] = told
        else:
            what = f"joint {shown(made.name)!r} is {made.kind}: its <limit> is ignored"
            joined.reading.notes.append(what)


def bounded(joined: Joined, tree: Tree) -> tuple[Body, ...]:
    """Return the bodies of a tree, joints that make up one with their limits; note what was cut."""
    bodies = list(tree.bodies)
    at = {joint_name(b): j for j, b in enumerate(bodies)}
    for name, (limits, speed, force) in joined.bounds.items():
        if name not in at:
            what = f"joint {shown(name)!r} closes a loop: its <limit> is ignored"
            joined.reading.notes.append(what)
            continue
        bodies[at[name]] = replace(
            bodies[at[name]], limits=limits, velocity_limit=speed, effort_limit=force
        )
    return tuple(bodies)


def _limits(joined: Joined, axis: Element | None, name: str, word: str) -> Bounds:
    limit = axis.first("limit") if axis is not None else None
    if limit is None:
        return OPEN

    def bound(tag: str) -> Any:
        x = joined.number(limit, tag, None)
        return None if x is None or abs(to_float(x)) >= NO_LIMIT else x

    ends = bound("lower"), bound("upper")
    limits = joined.reading.pair(name, *ends) if word != "continuous" else ()
    # a negative speed or force means that there is no limit
    speed, force = (
        x if (x := bound(tag)) is not None and to_float(x) >= 0 else None
        for tag in ("velocity", "effort")
    )
    return limits, speed, force


# -- what acts on coordinates ------------------------------------------------------------------


def _ask(joined: Joined, element: Element, made: Connection, scope: Scope) -> None:
    """Keep in mind what the axes of a joint ask of its coordinates."""
    acting = ("damping", "friction", "spring_stiffness")
    for k, tag in enumerate(("axis", "axis2")):
        for axis in element.all(tag):
            name = made.names[k] if k < len(made.names) else made.name
            dynamics = axis.first("dynamics")
            if dynamics and any(to_float(joined.number(dynamics, t)) for t in acting):
                if made.kind == "spherical" or not made.chain:
                    joined.reading.notes.append(
                        f"joint {shown(made.name)!r} is {made.kind}: its <dynamics> is ignored"
                    )
                else:
                    joined.asked[name] = dynamics
            for mimic in axis.all("mimic"):
                leader = scope.prefix + joined.reading.name(mimic, "joint")
                if mimic.attributes.get("axis", "axis") == "axis2":
                    leader += "_2"
                joined.mimics.append((mimic, name, leader))


def kept(joined: Joined) -> set[str]:
    """Return the coordinates that something is asked of: their joints are not cut."""
    names = set(joined.asked)
    for _, follower, leader in joined.mimics:
        names |= {follower, leader}
    for _, reference, parent, child, *_ in joined.gears:
        for link in (parent, child):
            found = _between(joined, reference, link)
            names |= {found[0]} if found else set()
    return names


def actions(joined: Joined, tree: Tree) -> tuple[tuple[Drive, ...], tuple[JointSpring, ...]]:
    """Return the friction and the springs of the coordinates of a tree."""
    at = {joint_name(b): j for j, b in enumerate(tree.bodies) if b.joint.nv == 1}
    drives, springs = [], []
    for name, dynamics in joined.asked.items():
        if name not in at:
            continue
        j = at[name]
        damping, dry, stiffness, rest = (
            joined.number(dynamics, tag)
            for tag in ("damping", "friction", "spring_stiffness", "spring_reference")
        )
        if damping or dry:
            drives.append(Drive(j, coulomb=(dry, -dry), viscous=damping))
        if stiffness:
            springs.append(JointSpring(j, stiffness, rest))
    order = lambda record: record.joint  # noqa: E731
    return tuple(sorted(drives, key=order)), tuple(sorted(springs, key=order))


def couplings(joined: Joined, tree: Tree) -> tuple[Coupling, ...]:
    """Return gearboxes and mimic axes as couplings."""
    at = {joint_name(b): j for j, b in enumerate(tree.bodies) if b.joint.nv == 1}
    found = [_geared(joined, at, *gear) for gear in joined.gears]
    for element, follower, leader in joined.mimics:
        for name in (leader, follower):
            if name not in at:
                what = f"mimic: {shown(name)!r} is no joint with one coordinate"
                joined.reading.fail(element, what, closest(name, list(at)))
        ratio, offset, zero = (
            joined.number(element, tag, default)
            for tag, default in (("multiplier", 1), ("offset", 0), ("reference", 0))
        )
        found.append(Coupling(at[follower], at[leader], ratio, exact(offset - ratio * zero)))
    return tuple(c for c in found if c is not None)


def _geared(
    joined: Joined, at: dict[str, int], element: Element, reference: str, parent: str, child: str,
    axis: Vec3, axis2: Vec3,
) -> Coupling | None:  # fmt: skip
    """Return theta2 = -ratio theta1 of the joints from the reference to parent and child."""
    reading = joined.reading
    sides = []
    for link, direction in ((parent, axis), (child, axis2)):
        side = _between(joined, reference, link)
        along = 0.0 if side is None else _sign(joined.single[side[0]][1], direction)
        if side is None or not along or side[0] not in at:
            reading.notes.append(
                f"gearbox {shown(reading.name(element))!r} is ignored: no joint about its axis"
                f" leads from {shown(reference, 60)!r} to {shown(link, 60)!r}"
            )
            return None
        sides.append((side[0], along * side[1]))
    (first, s1), (second, s2) = sides
    ratio = joined.number(element, "gearbox_ratio", 1)
    # theta = s q on each side; the follower is the one that turns less
    if abs(to_float(ratio)) <= 1:
        return Coupling(at[second], at[first], exact(-ratio * int(s1 * s2)))
    return Coupling(at[first], at[second], exact(-int(s1 * s2) / ratio))


def _between(joined: Joined, reference: str, link: str) -> tuple[str, int] | None:
    """Return the single joint between two links, and 1 where it leads away from the first."""
    i, j = joined.index[reference], joined.index[link]
    for name, (c, _) in joined.single.items():
        if (c.body_i, c.body_j) == (i, j):
            return name, 1
        if (c.body_i, c.body_j) == (j, i):
            return name, -1
    return None


def _sign(a: Vec3, b: Vec3) -> float:
    """Return 1 or -1 for parallel axes, 0 for others."""
    along = to_float(a.dot(b))
    return math.copysign(1.0, along) if abs(abs(along) - 1) < PARALLEL else 0.0
