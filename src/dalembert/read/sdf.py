"""Robots in SDF 1.6 to 1.11: links, joints in any graph, frames, nested models, friction, springs.

The format: http://sdformat.org/spec. Joints that close loops are cut as `mechanism.graph` decides.
What has no meaning for dynamics (visuals, sensors, plugins) is counted in the notes; no other file
is opened, and nothing is invented: a link without <inertial> has no mass here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..algebra import Transform, Vec3
from ..errors import shown, some
from ..expr.exact import exact
from ..inertia import Inertia
from ..joint import Free, Planar
from ..mechanism import Body, Frame, Mechanism
from ..mechanism.graph import Connection, Tree, spanning_tree
from .context import Context
from .sdf_elements import checked, checked_joint, includes
from .sdf_joints import Joined, actions, bounded, connection, couplings, kept
from .sdf_scope import Scope, collapsed, read_pose, scope_of
from .urdf_fields import TENSOR, Reading, notes_of
from .xml_tree import Element, parse_xml

OLDEST, NEWEST = (1, 3), (1, 12)


@dataclass
class _File:
    """What was found in a file, by full names: links with their poses in the world, joints."""

    reading: Reading
    world: Scope
    links: dict[str, tuple[Element, Transform]] = field(default_factory=dict)
    joints: list[tuple[Element, Scope, Transform]] = field(default_factory=list)
    frames: list[tuple[str, str | None, Transform]] = field(default_factory=list)
    static: set[str] = field(default_factory=set)


def read_sdf(text: str | bytes, context: Context) -> Mechanism:
    """Return the mechanism of an SDF text: its model, or all models of its world.

    A model without a joint to the world stands on the base, or floats with `base="free"`.
    """
    root = parse_xml(text, context.source)
    reading = Reading(context.source, context.snap)
    if root.tag != "sdf":
        reading.fail(root, f"<{shown(root.tag, 40)}> is not SDF", "SDF begins with <sdf>")
    version = _version(reading, root)
    world, name, gravity = _world(reading, root, version)
    file = _File(reading, world)
    _gather(file, world, Transform(), False)
    if file.static.issuperset(file.links):
        reading.fail(root, "the file has no link that can move: its models are empty or static")
    return _mechanism(file, name, gravity, context.base)


def _version(reading: Reading, root: Element) -> tuple[int, int]:
    text = root.attributes.get("version", "")
    parts = text.split(".")
    if len(parts) != 2 or not all(p.isascii() and p.isdigit() and len(p) < 4 for p in parts):
        reading.fail(root, f"SDF version {shown(text, 20)!r}", 'write: <sdf version="1.9">')
    version = int(parts[0]), int(parts[1])
    if not OLDEST <= version <= NEWEST:
        reading.fail(root, f"SDF {shown(text, 20)} is not read", "versions 1.3 to 1.12 are")
    return version


def _world(reading: Reading, root: Element, version: tuple[int, int]) -> tuple[Scope, str, Vec3]:
    """Return the world as a scope of its models, the name of the file's model, and gravity."""
    worlds = root.all("world")
    if len(worlds) > 1:
        reading.fail(worlds[1], "a second <world>", "keep one")
    holder = worlds[0] if worlds else root
    if included := includes(holder):
        reading.fail(included[0], "<include> is not read", "expand the file: gz sdf -p FILE")
    moving = [m for m in holder.all("model") if not _true(m, "static")]
    gravity = Vec3(0, 0, Fraction("-9.81"))
    told = holder.first("gravity") if worlds else None
    if told:
        gravity = reading.three(told, "gravity")
    if worlds:
        reading.children(worlds[0], ("model", "gravity", "joint", "frame"))
    world = scope_of(reading, holder, version)
    if len(moving) == 1 and not holder.all("joint"):
        # the parts of a single model keep their own names
        _without_prefix(world.nested[reading.name(moving[0])])
    name = reading.name(moving[0]) if len(moving) == 1 else holder.attributes.get("name", "")
    return world, name or "world", gravity


def _without_prefix(scope: Scope) -> None:
    cut = len(scope.prefix)
    found = [scope]
    for inner in found:
        inner.prefix = inner.prefix[cut:]
        found += inner.nested.values()


def _gather(file: _File, scope: Scope, at: Transform, static: bool) -> None:
    """Add the links, joints and frames of a scope that stands `at` in the world."""
    reading = file.reading
    if scope.element.tag == "model":
        checked(reading, scope.element)
    for name, element in scope.named.items():
        pose = collapsed(at @ scope.pose(name, element), reading)
        full = scope.prefix + name
        if element.tag == "link":
            checked(reading, element)
            file.links[full] = element, pose
            file.static |= {full} if static else set()
        elif element.tag == "joint" and not static:
            checked_joint(reading, element)
            file.joints.append((element, scope, pose))
        elif element.tag == "frame" and not static:
            file.frames.append((full, scope.link(name, element), pose))
        elif element.tag == "model":
            _gather(file, scope.nested[name], pose, static or _true(element, "static"))


def _true(element: Element, tag: str) -> bool:
    return any(c.text.lower() in ("1", "true") for c in element.all(tag))


# -- the mechanism -----------------------------------------------------------------------------


def _mechanism(file: _File, name: str, gravity: Vec3, base: str) -> Mechanism:
    reading = file.reading
    names = [n for n in file.links if n not in file.static]
    index = {n: k for k, n in enumerate(names)} | dict.fromkeys(file.static, -1)
    bodies = [Body(n, -1, inertia=_inertia(reading, n, file.links[n][0])) for n in names]
    poses = {n: pose for n, (_, pose) in file.links.items()}
    joined = Joined(reading, index, poses)
    made = [connection(joined, *joint) for joint in file.joints]
    connections = [c for c in made if c is not None]
    roots = _roots(names, connections)
    connections = [*_standing(file, roots, names, base), *connections]
    tree = spanning_tree(bodies, connections, kept(joined))
    drives, elastic = actions(joined, tree)
    frames = [*tree.frames, *_frames(file, joined, tree)]
    followers = couplings(joined, tree)
    limited = bounded(joined, tree)
    reading.notes += tree.notes
    return Mechanism(
        limited, name, gravity, named=tuple(frames), drives=drives, elastic=elastic,
        loops=tree.loops, couplings=followers, notes=notes_of(reading),
    )  # fmt: skip


def _frames(file: _File, joined: Joined, tree: Tree) -> list[Frame]:
    found = []
    for name, link, pose in file.frames:
        on = -1 if link is None else joined.index[link]
        here = pose if link is None or on < 0 else joined.relative(link, pose)
        body, place = tree.home[on]
        found.append(Frame(name, body, (place @ here).map(exact)))
    return found


def _roots(names: list[str], connections: list[Connection]) -> list[int]:
    """Return the first link of each group that no joint binds to the world."""
    near: dict[int, list[int]] = {}
    for c in connections:
        near.setdefault(c.body_i, []).append(c.body_j)
        near.setdefault(c.body_j, []).append(c.body_i)
    reached: set[int] = set()

    def reach(start: int) -> None:
        ready = [start]
        while ready:
            k = ready.pop()
            if k not in reached:
                reached.add(k)
                ready += near.get(k, ())

    reach(-1)
    roots = []
    for k in range(len(names)):
        if k not in reached:
            roots.append(k)
            reach(k)
    return roots


def _standing(file: _File, roots: list[int], names: list[str], base: str) -> list[Connection]:
    """Return what carries the roots: the base, or a free or planar joint each."""
    reading = file.reading
    if not roots:
        if base != "fixed":
            where = file.joints[0][0] if file.joints else file.world.element
            hint = "leave base out, or take the joint to the world out of the file"
            reading.fail(where, f"base = {base!r}: a joint binds the model to the world", hint)
        return []
    found = []
    taken = {element.attributes.get("name", "") for element, _, _ in file.joints}
    for k in roots:
        pose = file.links[names[k]][1]
        if base == "fixed":
            found.append(Connection(f"{names[k]}.world", "fixed", -1, pose, k, Transform()))
            continue
        name = "base" if len(roots) == 1 and "base" not in taken else f"{names[k]}.base"
        joint = Free() if base == "free" else Planar()
        start = Transform() if base == "free" else pose
        found.append(Connection(name, joint.kind, -1, start, k, Transform(), (joint,)))
    if base == "fixed":
        held = some([names[k] for k in roots])
        reading.notes.append(f"no joint binds {held} to the world: fixed there")
    return found


def _inertia(reading: Reading, name: str, link: Element) -> Inertia:
    """Return the inertia of a link; the axes of the tensor are turned into those of the link."""
    weight = link.first("gravity")
    if weight is not None and weight.text.lower() in ("0", "false"):
        what = "<gravity>false</gravity> is not read: it has its weight here"
        reading.notes.append(f"link {shown(name)!r}: {what}")
    inertial = link.first("inertial")
    if inertial is None:
        reading.massless.append(name)
        return Inertia()
    if inertial.attributes.get("auto", "").lower() in ("1", "true"):
        what = f"link {shown(name)!r}: <inertial auto> is not computed, taken as zero"
        reading.notes.append(what)
        return Inertia()
    checked(reading, inertial)
    mass, tensor, placed = (inertial.first(tag) for tag in ("mass", "inertia", "pose"))
    for part in (mass, tensor):
        if part is not None:
            checked(reading, part)
    if placed is not None and placed.attributes.get("relative_to"):
        what = f"link {shown(name)!r}: the pose of <inertial> has no relative_to"
        reading.fail(placed, what, "it is given in the frame of its link")
    pose = read_pose(reading, inertial)
    m = reading.number(mass, mass.text, "mass") if mass else None
    six = None if tensor is None else [
        reading.number(e, e.text, key) if (e := tensor.first(key)) else 0 for key in TENSOR
    ]  # fmt: skip
    return reading.inertia(mass or inertial, name, pose, m, six)
