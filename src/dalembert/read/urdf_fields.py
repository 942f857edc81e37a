"""The values of a URDF: numbers, vectors, origins; and what was ignored while reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import pi, radians
from typing import Any, NoReturn

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..errors import DalembertError, DescriptionError, Place, shown, some
from ..expr import Graph
from ..expr.exact import Exact, exact, to_float
from ..inertia import Inertia
from .document import literal
from .expressions import snap_angle
from .fields import LONGEST_NAME, exact_turn
from .rounded import rounded, rounded_note
from .xml_tree import Element

ORIGIN = ("xyz", "rpy")
TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # in the order that `Reading.inertia` takes
FULL = 2 * pi + 0.01  # an angle beyond it is hardly one in radians
UNLIMITED = 10**9  # written where a limit is not known: ROS and Pinocchio want a number there
ATTRIBUTES = {
    "robot": ("name", "version"),
    "link": ("name",),
    "inertial": (),
    "mass": ("value",),
    "inertia": TENSOR,
    "origin": ORIGIN,
    "joint": ("name", "type"),
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}


@dataclass
class Reading:
    """One URDF on its way: graph, notes, and what was ignored."""

    source: str
    snap: float | None
    graph: Graph = field(default_factory=Graph)
    snapped: list[str] = field(default_factory=list)
    rounded: list[str] = field(default_factory=list)  # almost exact angles
    ignored: Counter[str] = field(default_factory=Counter)
    massless: list[str] = field(default_factory=list)
    unlimited: list[str] = field(default_factory=list)
    unmeant: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fail(self, element: Element, message: str, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError at an element."""
        raise DescriptionError(message, Place(self.source, element.line, element.column), hint)

    def known(self, element: Element, children: tuple[str, ...]) -> None:
        """Count the attributes, the children and the text that are not read.

        Where text stands in place of the attributes, as SDF has it, nothing would be left.
        """
        text, asked = element.text.strip(), ATTRIBUTES.get(element.tag)
        if text and asked and not element.attributes:
            write = f'write: <{element.tag} {asked[0]}="{shown(text, 40)}"/>'
            self.fail(element, f"the text of <{element.tag}> is not read in URDF", write)
        if text:
            self.ignored[f"text of {element.tag}"] += 1
        for name in element.attributes:
            if name not in ATTRIBUTES.get(element.tag, ()) and not name.startswith("xmlns"):
                self.ignored[f"{element.tag}@{name}"] += 1
        self.children(element, children)

    def children(self, element: Element, known: tuple[str, ...]) -> None:
        """Count the children that are not read."""
        self.ignored.update(child.tag for child in element.children if child.tag not in known)

    def one(self, element: Element, tag: str) -> Element | None:
        """Return the child of that tag, if there is one; a second one is an error."""
        found = element.all(tag)
        if len(found) > 1:
            self.fail(found[1], f"a second <{tag}>", "keep one")
        if found:
            self.known(found[0], {"inertial": ("origin", "mass", "inertia")}.get(tag, ()))
        return found[0] if found else None

    def name(self, element: Element, key: str = "name") -> str:
        """Return a name that an element must have."""
        value = element.attributes.get(key)
        if not value:
            self.fail(element, f"<{element.tag}> has no {key}", f'write: {key}="..."')
        if len(value) > LONGEST_NAME:
            self.fail(element, f"a {key} of {len(value)} characters", f"at most {LONGEST_NAME}")
        return value

    def number(self, element: Element, text: str, what: str) -> Exact:
        """Return the exact number of a text."""
        value = literal(text.strip())
        if value is None or "/" in text:
            hint = "write decimals with a point, and blanks between numbers: 0.5 0 -1e-3"
            self.fail(element, f"{what}: {shown(text, 40)!r} is not a finite decimal number", hint)
        try:
            return exact(value)
        except DalembertError as error:
            self.fail(element, f"{what}: {error.message}", error.hint)

    def attribute(self, element: Element | None, key: str, default: Any = 0) -> Any:
        """Return the number of an attribute, the default if there is none."""
        if element is None or key not in element.attributes:
            return default
        return self.number(element, element.attributes[key], f"{element.tag} {key}")

    def limit(self, element: Element | None, key: str) -> Any:
        """Return a limit, or None: 1e9 and more stand for that."""
        x = self.attribute(element, key, None)
        return None if x is not None and abs(x) >= UNLIMITED else x

    def ends(self, name: str, element: Element | None) -> list[Any]:
        """Return the lower and the upper limit; where one is given, URDF takes the other as 0."""
        keys = ("lower", "upper")
        found = [self.limit(element, key) for key in keys]
        absent = [k for k in (0, 1) if element is None or keys[k] not in element.attributes]
        if len(absent) == 1:
            found[absent[0]] = 0
            if found[0] <= found[1]:  # else both are left out
                what = f"joint {shown(name)!r}: no {keys[absent[0]]} limit is given"
                self.notes.append(f"{what}: it is 0, as URDF has it")
        elif absent:
            self.unlimited.append(name)
        return found

    def amount(self, name: str, element: Element | None, key: str) -> Any:
        """Return a limit of speed or effort; 0 or less, which exporters write, is none."""
        x = self.limit(element, key)
        if x is None or x > 0:
            return x
        self.unmeant.append(f"{key} of {name}")
        return None

    def pair(self, name: str, lower: Any, upper: Any) -> tuple[Any, ...]:
        """Return the limits of a joint with one coordinate, none where they are not in order."""
        if lower is not None and upper is not None and lower > upper:
            self.notes.append(
                f"joint {shown(name)!r}: lower limit above upper limit, both left out"
            )
            return ()
        if lower is not None and lower == upper:
            told = f"joint {shown(name)!r}: lower and upper limit are equal, it cannot move"
            self.notes.append(told)
        return () if lower is None and upper is None else ((lower, upper),)

    def inertia(self, element: Element, link: str, pose: Transform, mass: Any, six: Any) -> Inertia:
        """Return the inertia of a link, about a pose in it; None is not given, and zero."""
        if mass is not None and to_float(mass) < 0:
            self.fail(element, f"link {shown(link)!r}: negative mass {to_float(mass):g}")
        if mass is None or six is None:
            what = "mass" if mass is None else "inertia"
            self.notes.append(f"link {shown(link)!r}: <inertial> without <{what}>, taken as zero")
        made = pose.R.rotate(Mat3.symmetric(*(six or [0] * 6))).map(exact)
        return Inertia(mass or 0, pose.p, made)

    def vector(self, element: Element | None, key: str, default: tuple[int, int, int]) -> Vec3:
        """Return three numbers of an attribute, or the default."""
        if element is None or key not in element.attributes:
            return Vec3(*default)
        parts = element.attributes[key].split()
        if len(parts) != 3:
            what = f"{element.tag} {key}: {len(parts)} numbers, 3 needed"
            self.fail(element, what, f'write: {key}="0 0 0"')
        return Vec3(*(self.number(element, p, f"{element.tag} {key}") for p in parts))

    def three(self, element: Element, what: str) -> Vec3:
        """Return the three numbers of the text of an element."""
        parts = [self.number(element, t, what) for t in element.text.split()]
        if len(parts) != 3:
            self.fail(element, f"{what}: {len(parts)} numbers, 3 needed", "write: 0 0 1")
        return Vec3(*parts)

    def origin(self, element: Element | None) -> Transform:
        """Return the placement of an <origin>: R = Rz(yaw) Ry(pitch) Rx(roll)."""
        return self.placed(
            self.vector(element, "xyz", (0, 0, 0)), self.vector(element, "rpy", (0, 0, 0))
        )

    def placed(self, p: Vec3, angles: Iterable[Any]) -> Transform:
        """Return the placement at a point, turned by roll, pitch and yaw."""
        R = Rotation()
        for axis, angle in zip((0, 1, 2), angles, strict=True):
            if angle == 0:
                continue
            if abs(to_float(angle)) > FULL:
                told = f"{to_float(angle):.6g}"
                said = f"an angle of {told} rad: is it in degrees? {told}deg is"
                self.notes.append(f"{said} {radians(to_float(angle)):.4g} rad")
            turned, note = snap_angle(angle, self.snap, self.graph)
            if note is not None:
                self.snapped.append(note.removeprefix("angle "))
            self.rounded += rounded(angle, self.snap)
            R = Rotation((exact_turn(axis, turned, self.graph),)) @ R
        return Transform(R, p)


def notes_of(reading: Reading) -> tuple[str, ...]:
    """Return the notes of a reading, one line for each kind of thing that was ignored."""
    notes = list(reading.notes)
    if reading.massless:
        notes.append(f"links without <inertial> are massless: {some(reading.massless)}")
    if reading.unlimited:
        notes.append(f"joints without limits of position: {some(reading.unlimited)}")
    if reading.unmeant:
        notes.append(f"limits of 0 or less are taken as none: {some(reading.unmeant)}")
    if reading.snapped:
        unique = list(dict.fromkeys(reading.snapped))
        notes.append(f"{len(reading.snapped)} angles became exact: {some(unique)}")
    notes += rounded_note(reading.rounded)
    if reading.ignored:
        parts = ", ".join(
            f"{shown(tag, 40)} {n}" for tag, n in sorted(reading.ignored.items())[:40]
        )
        notes.append(f"not read: {parts}")
    return tuple(notes)
