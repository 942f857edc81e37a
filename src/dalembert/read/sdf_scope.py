"""The frames of an SDF model: links, joints, frames and nested models, each with its pose.

Poses follow the rules of SDF 1.7 and later (http://sdformat.org/tutorials?tut=pose_frame_semantics):
a pose is relative to the frame that `relative_to` names; else that of a link, a frame or a nested
model to the model, that of a joint to its child. SDF 1.6 and before have no other case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..algebra import Transform, Vec3
from ..errors import closest, shown
from ..expr.exact import exact, to_float
from ..joint import quaternion_matrix
from .exact_pose import factored
from .urdf_fields import Reading
from .xml_tree import Element

DEEPEST = 50  # models in models
NAMED = ("link", "joint", "frame", "model")


@dataclass(eq=False)
class Scope:
    """A model: what has a name in it, and where each of these stands in the model's frame."""

    reading: Reading
    element: Element
    prefix: str  # of the names of its parts, as arm::hand::
    version: tuple[int, int]
    named: dict[str, Element] = field(default_factory=dict)
    nested: dict[str, Scope] = field(default_factory=dict)
    poses: dict[str, Transform] = field(default_factory=dict)

    @property
    def links(self) -> list[str]:
        """The names of the model's own links."""
        return [n for n, e in self.named.items() if e.tag == "link"]

    def pose(self, name: str, at: Element) -> Transform:
        """Return where a frame of this model stands in the model's frame."""
        path: list[str] = []
        while name not in self.poses:
            if name in ("__model__", ""):
                self.poses[name] = Transform()
                break
            if "::" in name:
                self.poses[name] = self._inside(name, at)
                break
            if name in path:
                self.reading.fail(at, f"the pose of {shown(name)!r} depends on itself")
            path.append(name)
            name, at = self._relative_to(name, at)
        for part in reversed(path):
            above = self.poses[name]
            self.poses[part] = above @ self._own(part)
            name = part
        return self.poses[name]

    def link(self, name: str, at: Element) -> str | None:
        """Return the full name of the link that carries a frame; None is the world."""
        seen: set[str] = set()
        while True:
            if name == "world" and "world" not in self.named:
                return None
            if name == "__model__":
                name = self._canonical(at)
            if "::" in name:
                inner, rest = self._nested(name, at)
                return inner.link(rest, at)
            element = self.find(name, at)
            if element.tag == "link":
                return self.prefix + name
            if name in seen:
                self.reading.fail(at, f"the frame {shown(name)!r} is attached to itself")
            seen.add(name)
            if element.tag == "model":
                inner = self.nested[name]
                return inner.link("__model__", at)
            at = element
            if element.tag == "joint":
                name = text_of(self.reading, element, "child")
            else:
                name = element.attributes.get("attached_to") or "__model__"

    def find(self, name: str, at: Element) -> Element:
        """Return the element of a name, which must be there."""
        if name not in self.named:
            near = closest(name, list(self.named))
            self.reading.fail(at, f"there is no frame {shown(name)!r} in the model", near)
        return self.named[name]

    def _canonical(self, at: Element) -> str:
        chosen = self.element.attributes.get("canonical_link")
        own = self.links
        if chosen or own:
            return chosen or own[0]
        if not self.nested:
            self.reading.fail(at, "the model has no link")
        return next(iter(self.nested)) + "::__model__"

    def _nested(self, name: str, at: Element) -> tuple[Scope, str]:
        outer, _, rest = name.partition("::")
        if outer not in self.nested:
            near = closest(outer, list(self.nested))
            self.reading.fail(at, f"there is no model {shown(outer)!r} in the model", near)
        return self.nested[outer], rest

    def _inside(self, name: str, at: Element) -> Transform:
        inner, rest = self._nested(name, at)
        return self.pose(name.partition("::")[0], at) @ inner.pose(rest, at)

    def _relative_to(self, name: str, at: Element) -> tuple[str, Element]:
        element = self.find(name, at)
        pose = element.first("pose")
        given = pose.attributes if pose else {}
        chosen = given.get("relative_to") or given.get("frame")
        if chosen:
            return chosen, pose or element
        if element.tag == "joint":
            child = text_of(self.reading, element, "child")
            return ("__model__" if child == "world" else child), element
        if element.tag == "frame":
            return element.attributes.get("attached_to") or "__model__", element
        return "__model__", element

    def _own(self, name: str) -> Transform:
        element = self.named[name]
        own = read_pose(self.reading, element)
        placed = element.attributes.get("placement_frame")
        if element.tag == "model" and placed:
            return collapsed(own @ self.nested[name].pose(placed, element).inverse, self.reading)
        return own


def scope_of(
    reading: Reading, element: Element, version: tuple[int, int], prefix: str = "", depth: int = 0
) -> Scope:
    """Return a model and the models in it; names must differ."""
    if depth > DEEPEST:
        reading.fail(element, f"models nested more than {DEEPEST} deep")
    made = Scope(reading, element, prefix, version)
    for child in element.children:
        if child.tag not in NAMED:
            continue
        name = reading.name(child)
        if "::" in name:
            reading.fail(child, f"the name {shown(name)!r} holds ::", "it is kept for models")
        if name in made.named:
            reading.fail(child, f"duplicate name {shown(name)!r}", "names must differ")
        made.named[name] = child
        if child.tag == "model":
            made.nested[name] = scope_of(reading, child, version, f"{prefix}{name}::", depth + 1)
    return made


def read_pose(reading: Reading, element: Element) -> Transform:
    """Return the pose that an element holds; without one it is where its frame is."""
    pose = element.first("pose")
    if pose is None or not pose.text:
        return Transform()
    if len(found := element.all("pose")) > 1:
        reading.fail(found[1], "a second <pose>", "keep one")
    parts = [reading.number(pose, t, "pose") for t in pose.text.split()]
    quaternion = pose.attributes.get("rotation_format") == "quat_xyzw"
    if len(parts) != 6 + quaternion:
        what = f"pose: {len(parts)} numbers, {6 + quaternion} needed"
        reading.fail(pose, what, "write: x y z roll pitch yaw")
    p = Vec3(*parts[:3])
    if quaternion:
        x, y, z, w = (to_float(v) for v in parts[3:])
        size = (x * x + y * y + z * z + w * w) ** 0.5
        if not size:
            reading.fail(pose, "pose: a quaternion of size zero")
        matrix = quaternion_matrix(x / size, y / size, z / size, w / size)
        R = factored(matrix.map(lambda v: exact(float(v))), reading.graph, keep=reading.snap == 0)
        return Transform(R.rotation, p)
    degrees = pose.attributes.get("degrees", "").strip().lower() in ("1", "true")
    turn = reading.graph.pi() / 180 if degrees else 1
    return reading.placed(p, [exact(a * turn) if a != 0 else 0 for a in parts[3:]])


def collapsed(T: Transform, reading: Reading) -> Transform:
    """Return a pose whose rotation is at most three turns, or one matrix."""
    R = T.R
    if len(R.factors) > 3:
        matrix = R.matrix().map(lambda x: exact(to_float(x)))
        R = factored(matrix, reading.graph, keep=reading.snap == 0).rotation
    return Transform(R, T.p.map(lambda x: exact(x) if len(T.R.factors) <= 3 else _near(x)))


def _near(x: Any) -> Any:
    return exact(to_float(x))


def text_of(reading: Reading, element: Element, tag: str) -> str:
    """Return the text of a child that an element must have."""
    found = element.first(tag)
    if found is None:
        reading.fail(element, f"<{element.tag}> has no <{tag}>")
    text = found.text or found.attributes.get("link", "")
    if not text:
        reading.fail(found, f"<{tag}> is empty")
    return text
