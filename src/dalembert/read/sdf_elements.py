"""The elements of SDF that are read, each once: what else a file holds is counted or refused."""

from __future__ import annotations

from ..errors import shown
from .urdf_fields import TENSOR, Reading
from .xml_tree import Element

READ = {
    "model": ("link", "joint", "frame", "model", "pose", "static", "self_collide",
              "allow_auto_disable"),
    "link": ("pose", "inertial", "gravity"),
    "inertial": ("pose", "mass", "inertia"),
    "inertia": TENSOR,
    "mass": (),
    "joint": ("parent", "child", "pose", "axis", "axis2", "gearbox_ratio", "thread_pitch",
              "gearbox_reference_body", "screw_thread_pitch"),
    "axis": ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction", "spring_stiffness", "spring_reference"),
}  # fmt: skip
MANY = ("link", "joint", "frame", "model")
BARE = ("mass", "inertia", "axis", "axis2", "limit", "dynamics")  # elements without attributes


def checked(reading: Reading, element: Element) -> None:
    """Count the children that are not read; refuse a second one, and attributes as URDF has them.

    >>> from .xml_tree import parse_xml
    >>> checked(Reading("f", None), parse_xml('<axis xyz="0 1 0"/>', "f"))
    Traceback (most recent call last):
    dalembert.errors.DescriptionError: f:1:1: attribute 'xyz' of <axis> is not read in SDF
      hint: write: <axis><xyz>0 1 0</xyz></axis>
    """
    tag = element.tag
    known = READ[tag.removesuffix("2")]
    reading.children(element, known)
    seen: set[str] = set()
    for child in element.children:
        if child.tag in seen and child.tag in known and child.tag not in MANY:
            reading.fail(child, f"a second <{child.tag}>", "keep one")
        seen.add(child.tag)
    for key, value in element.attributes.items() if tag in BARE else ():
        inner = shown(value, 40) if tag == "mass" else f"<{key}>{shown(value, 40)}</{key}>"
        what = f"attribute {shown(key, 40)!r} of <{tag}> is not read in SDF"
        reading.fail(element, what, f"write: <{tag}>{inner}</{tag}>")


def checked_joint(reading: Reading, element: Element) -> None:
    """Check a joint with its axes, and what they hold."""
    checked(reading, element)
    for axis in (*element.all("axis"), *element.all("axis2")):
        checked(reading, axis)
        for part in axis.children:
            if part.tag in ("limit", "dynamics"):
                checked(reading, part)


def includes(element: Element) -> list[Element]:
    """Return the <include> of a world or a model, and of the models in it."""
    found = []
    for child in element.children:
        if child.tag == "include":
            found.append(child)
        elif child.tag == "model":
            found += includes(child)
    return found
