"""Robots in URDF, read exactly: links, joints, inertias, limits, friction, mimic joints.

The format: http://wiki.ros.org/urdf/XML. What has no meaning for dynamics (meshes, materials,
transmissions) is counted in the notes; nothing is invented and no other file is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..algebra import Transform, Vec3
from ..errors import closest, shown
from ..expr.exact import to_float
from ..inertia import Inertia
from ..joint import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ..mechanism import Body, Coupling, Drive, Frame, Mechanism
from .context import Context
from .exact_pose import turned_to, unit_axis
from .order import parents_first
from .urdf_fields import TENSOR, Reading, notes_of
from .xml_tree import Element, parse_xml

JOINTS: dict[str, Any] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "fixed": Fixed,
    "floating": Free,
    "planar": Planar,
}
LINK = ("inertial",)
JOINT = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")


def read_urdf(text: str | bytes, context: Context) -> Mechanism:
    """Return the mechanism of a URDF text.

    With a fixed base the root link is part of the base; otherwise it is the first body, on a joint
    called `base`.
    """
    root = parse_xml(text, context.source)
    reading = Reading(context.source, context.snap)
    if root.tag != "robot":
        hint = "a URDF begins with <robot>, SDF with <sdf>, MJCF with <mujoco>"
        reading.fail(root, f"<{shown(root.tag, 40)}> is not a robot", hint)
    if any(c.tag.startswith("xacro:") for c in root.children):
        hint = "name it .xacro and use the command line: dalembert convert FILE.xacro --to urdf"
        reading.fail(root, "this is a xacro file", hint)
    reading.known(root, ("link", "joint"))
    links = _links(reading, root)
    joints = _joints(reading, root, links)
    tree, order = _tree(reading, root, links, joints)
    name = root.attributes.get("name") or "robot"
    return _mechanism(reading, name, links, joints, tree, order, context)


def _links(reading: Reading, root: Element) -> dict[str, Element]:
    links: dict[str, Element] = {}
    for element in root.all("link"):
        name = reading.name(element)
        if name in links:
            reading.fail(element, f"duplicate link name {shown(name)!r}", "names must differ")
        reading.known(element, LINK)
        links[name] = element
    if not links:
        reading.fail(root, "the robot has no link")
    return links


@dataclass(frozen=True, slots=True)
class Edge:
    """A joint of the file and the two links it connects."""

    element: Element
    name: str
    parent: str
    child: str


def _joints(reading: Reading, root: Element, links: Mapping[str, Element]) -> list[Edge]:
    """Return the joints in their order; every end is a link, and every link has one parent."""
    joints: list[Edge] = []
    names: set[str] = set()
    children: dict[str, str] = {}
    for element in root.all("joint"):
        name = reading.name(element)
        if name in names:
            reading.fail(element, f"duplicate joint name {shown(name)!r}", "names must differ")
        names.add(name)
        reading.known(element, JOINT)
        ends = []
        for tag in ("parent", "child"):
            end = reading.one(element, tag)
            if end is None:
                reading.fail(element, f"joint {shown(name)!r} has no <{tag}>")
            link = reading.name(end, "link")
            if link not in links:
                message = f"joint {shown(name)!r}: there is no link {shown(link)!r}"
                reading.fail(end, message, closest(link, list(links)))
            ends.append(link)
        edge = Edge(element, name, *ends)
        if edge.child in children:
            message = f"link {shown(edge.child)!r} has two parents"
            reading.fail(
                element, message, f"it is the child of {shown(children[edge.child])!r} too"
            )
        children[edge.child] = name
        joints.append(edge)
    return joints


def _tree(
    reading: Reading, root: Element, links: Mapping[str, Element], joints: list[Edge]
) -> tuple[str, list[int]]:
    """Return the root link, and the joints in their order, a parent always before its children."""
    carried = {edge.child for edge in joints}
    roots = [name for name in links if name not in carried]
    if not roots:
        reading.fail(root, "there is no root link: the joints form a cycle")
    if len(roots) > 1:
        names = ", ".join(shown(n, 40) for n in roots[:5])
        reading.fail(links[roots[1]], f"there are {len(roots)} root links: {names}", "connect them")
    moves = {edge.child: k for k, edge in enumerate(joints)}
    order = parents_first([moves.get(edge.parent, -1) for edge in joints])
    if len(order) < len(joints):
        placed = set(order)
        lost = next(edge for k, edge in enumerate(joints) if k not in placed)
        reading.fail(lost.element, f"link {shown(lost.child)!r} is part of a cycle")
    return roots[0], order


def _mechanism(
    reading: Reading,
    name: str,
    links: Mapping[str, Element],
    joints: list[Edge],
    root: str,
    order: list[int],
    context: Context,
) -> Mechanism:
    base = context.base
    bodies: list[Body] = []
    changes: dict[str, Any] = {}
    index = {root: -1}
    inertia = _inertia(reading, root, links[root], base != "fixed")
    if base == "fixed":
        changes["named"] = (Frame(root, -1),)
        if not inertia.is_massless():
            held = f"root link {shown(root)!r} is part of the base: its inertia has no effect"
            still = all(edge.element.attributes.get("type") == "fixed" for edge in joints)
            more = "; nothing moves: base='free' (--base free) lets it move as a whole"
            reading.notes.append(held + more * still)
    else:
        index[root] = 0
        joint_name = "base"
        if any(edge.name == "base" for edge in joints):
            joint_name = "base_joint"
            reading.notes.append(
                "a joint of the file is called base: that of the root is base_joint"
            )
        joint = Free() if base == "free" else Planar()
        bodies.append(Body(root, -1, joint=joint, inertia=inertia, joint_name=joint_name))
    for k in order:
        edge = joints[k]
        bodies += _bodies(reading, edge, index[edge.parent], len(bodies), links[edge.child])
        index[edge.child] = len(bodies) - 1
    at = {b.joint_name or b.name: j for j, b in enumerate(bodies)}
    changes["drives"] = tuple(
        d for k in order if (d := _drive(reading, joints[k], at[joints[k].name], bodies))
    )
    changes["couplings"] = _couplings(reading, [joints[k] for k in order], at, bodies, context)
    return Mechanism(tuple(bodies), name, notes=notes_of(reading), **changes)


def _inertia(reading: Reading, name: str, link: Element, counts: bool = True) -> Inertia:
    """Return the inertia of a link; the axes of the tensor are turned into those of the link."""
    inertial = reading.one(link, "inertial")
    if inertial is None:
        if counts:
            reading.massless.append(name)
        return Inertia()
    origin = reading.origin(reading.one(inertial, "origin"))
    mass = reading.one(inertial, "mass")
    tensor = reading.one(inertial, "inertia")
    if mass is not None and "value" not in mass.attributes:
        reading.fail(mass, f"link {shown(name)!r}: <mass> has no value", 'write: value="1.5"')
    m = None if mass is None else reading.attribute(mass, "value")
    lost = [k for k in ("ixx", "iyy", "izz") if tensor is not None and k not in tensor.attributes]
    if lost:
        reading.notes.append(f"link {shown(name)!r}: no {', '.join(lost)}, taken as zero")
    six = None if tensor is None else [reading.attribute(tensor, key) for key in TENSOR]
    return reading.inertia(mass or inertial, name, origin, m, six)


def _body(reading: Reading, edge: Edge, parent: int, link: Element) -> Body:
    element = edge.element
    word = reading.name(element, "type")
    if word not in JOINTS:
        message = f"joint {shown(edge.name)!r}: unknown type {shown(word, 40)!r}"
        reading.fail(element, message, closest(word, list(JOINTS)))
    placement = reading.origin(reading.one(element, "origin"))
    joint = _joint(reading, edge, word)
    limit = reading.one(element, "limit")
    limits: tuple[Any, ...] = ()
    if word in ("revolute", "prismatic"):
        limits = reading.pair(edge.name, *reading.ends(edge.name, limit))
    moves = joint.nv > 0
    velocity, effort = (
        reading.amount(edge.name, limit, key) if moves else None for key in ("velocity", "effort")
    )
    return Body(
        edge.child,
        parent,
        placement,
        joint,
        _inertia(reading, edge.child, link),
        edge.name,
        limits,
        velocity,
        effort,
    )


def _joint(reading: Reading, edge: Edge, word: str) -> Joint:
    made = JOINTS[word]
    element = reading.one(edge.element, "axis")
    if made in (Fixed, Free):
        return made()
    axis = unit_axis(
        reading.vector(element, "xyz", (1, 0, 0) if made is not Planar else (0, 0, 1)),
        reading.graph,
    )
    if axis is None:
        reading.fail(element or edge.element, f"joint {shown(edge.name)!r}: the axis is zero")
    return Planar() if made is Planar else made(axis)


def _bodies(reading: Reading, edge: Edge, parent: int, count: int, link: Element) -> list[Body]:
    """Return the body of a link; a plane whose normal is not z is turned before and behind it."""
    body = _body(reading, edge, parent, link)
    if body.joint.kind != "planar":
        return [body]
    normal = reading.vector(reading.one(edge.element, "axis"), "xyz", (0, 0, 1))
    K = turned_to(unit_axis(normal, reading.graph) or Vec3(0, 0, 1))
    if K is None:
        return [body]
    x, y = (K.matrix() @ u for u in (Vec3(1, 0, 0), Vec3(0, 1, 0)))
    reading.notes.append(
        f"planar joint {shown(edge.name)!r}: x is along ({_components(x)}), y along "
        f"({_components(y)}) of its frame"
    )
    moving = replace(
        body,
        name=f"{edge.child}.plane",
        placement=body.placement @ Transform(K, Vec3.zero()),
        inertia=Inertia(),
    )
    back = Transform(K.T, Vec3.zero())
    return [moving, Body(edge.child, count, back, Fixed(), body.inertia, f"{edge.name}.plane")]


def _components(v: Vec3) -> str:
    return ", ".join(f"{to_float(x):.6g}" for x in v)


def _drive(reading: Reading, edge: Edge, j: int, bodies: list[Body]) -> Drive | None:
    element = reading.one(edge.element, "dynamics")
    damping = reading.attribute(element, "damping")
    friction = reading.attribute(element, "friction")
    if damping == 0 and friction == 0:
        return None
    if bodies[j].joint.nv != 1:
        kind = bodies[j].joint.kind
        reading.notes.append(f"joint {shown(edge.name)!r} is {kind}: its <dynamics> is ignored")
        return None
    return Drive(j, coulomb=(friction, -friction), viscous=damping)


def _couplings(
    reading: Reading,
    joints: list[Edge],
    at: Mapping[str, int],
    bodies: list[Body],
    context: Context,
) -> tuple[Coupling, ...]:
    found = []
    for edge in joints:
        element = reading.one(edge.element, "mimic")
        if element is None:
            continue
        of = reading.name(element, "joint")
        if of not in at and not context.follows:
            reading.notes.append(f"<mimic> ignored: there is no joint {shown(of)!r}")
            continue
        if of not in at:
            reading.fail(element, f"there is no joint {shown(of)!r}", closest(of, list(at)))
        if bodies[at[edge.name]].joint.nv != 1 or bodies[at[of]].joint.nv != 1:
            reading.notes.append(
                f"joint {shown(edge.name)!r} cannot follow {shown(of)!r}: both need exactly"
                " one coordinate, <mimic> is ignored"
            )
            continue
        ratio, offset = (
            reading.attribute(element, "multiplier", 1),
            reading.attribute(element, "offset"),
        )
        found.append(Coupling(at[edge.name], at[of], ratio, offset))
    return tuple(found)
