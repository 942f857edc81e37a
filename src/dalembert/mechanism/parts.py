"""What a mechanism is made of: bodies, frames, drives, springs, loops, wheels, rolling bodies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field, fields, replace
from fractions import Fraction
from itertools import chain, count
from typing import Any, Literal

from ..algebra import Map, Rotation, Transform, Vec3
from ..display import cell, record
from ..errors import shown
from ..expr import Scalar
from ..frozen import dataclass
from ..inertia import Inertia
from ..joint import Fixed, Joint, Vector, project, rates
from ..spatial import Wrench

Limit = tuple[Any, Any]  # lower, upper; None where open


@dataclass(frozen=True, slots=True)
class Body:
    """One rigid body and the joint that carries it.

    The body frame is the joint frame after motion.
    """

    name: str
    parent: int  # index in Mechanism.bodies; -1 is the base
    placement: Transform = Transform()  # of the joint frame in the parent frame at q = 0
    joint: Joint = Fixed()
    inertia: Inertia = Inertia()
    joint_name: str = ""  # the body's name when empty
    limits: tuple[Limit, ...] = ()  # one pair per coordinate, or empty
    velocity_limit: Any = None
    effort_limit: Any = None

    def __repr__(self) -> str:
        on = f"on body {self.parent}" if self.parent >= 0 else "on the base"
        joint = f"{self.joint.kind} joint {shown(joint_name(self), 60)}"
        return f"<Body {shown(self.name, 60)}: {joint} {on}, mass {cell(self.inertia.m)}>"

    @property
    def m(self) -> Scalar:
        """The mass."""
        return self.inertia.m

    @property
    def h(self) -> Vec3:
        """The first moment about the frame origin."""
        return self.inertia.h

    @property
    def Io(self) -> Any:
        """The rotational inertia about the frame origin."""
        return self.inertia.Io

    def pose(self, q: Vector) -> tuple[Rotation, Vec3]:
        """Return rotation and origin of the body frame in the parent frame."""
        R, p = self.joint.pose(q)
        return self.placement.R @ R, self.placement.R @ p + self.placement.p

    def rates(self, q: Vector, qd: Vector, qdd: Vector) -> tuple[Vec3, Vec3, Vec3, Vec3]:
        """Return (wJ, wdJ, vJ, vdJ): the motion of the joint, in body axes."""
        return rates(self.joint, q, qd, qdd)

    def project(self, q: Vector, wrench: Wrench) -> list[Scalar]:
        """Return the generalized forces of a wrench that the joint transmits."""
        return project(self.joint, q, wrench)

    def map(self, f: Map) -> Body:
        """Return the body with every number mapped."""
        limits = tuple((_maybe(f, a), _maybe(f, b)) for a, b in self.limits)
        return Body(
            self.name,
            self.parent,
            self.placement.map(f),
            self.joint.map(f),
            self.inertia.map(f),
            self.joint_name,
            limits,
            _maybe(f, self.velocity_limit),
            _maybe(f, self.effort_limit),
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body (-1 is the base)."""

    name: str
    body: int
    placement: Transform = Transform()

    __repr__ = record


@dataclass(frozen=True, slots=True)
class Drive:
    """The actuator, motor side of the gear: Ia = N² J_m, friction |N| (B |N| q̇ + T_c).

    `static` is the level up to which friction holds a joint at rest, (0, 0) where it is that of
    motion; with a `stribeck` speed v_s (of the joint, not of the motor) the friction of motion
    falls from it as exp(-(q̇/v_s)²).
    Code that has no events rounds dry friction off at the speed `rounded`, if it is not 0.
    """

    joint: int
    inertia: Any = 0
    gear: Any = 1
    coulomb: tuple[Any, Any] = (0, 0)  # at positive speed; at negative speed (a negative number)
    viscous: Any = 0
    static: tuple[Any, Any] = (0, 0)  # as coulomb
    stribeck: Any = 0
    rounded: float = 0.0

    __repr__ = record


@dataclass(frozen=True, slots=True)
class JointSpring:
    """Elastic joint: force on the joint = -stiffness (q - rest) - damping qd."""

    joint: int
    stiffness: Any = 0
    rest: Any = 0
    damping: Any = 0

    __repr__ = record


@dataclass(frozen=True, slots=True)
class PointSpring:
    """Spring and damper between two points of two bodies."""

    body_i: int
    point_i: Vec3
    body_j: int
    point_j: Vec3
    stiffness: Any = 0
    length: Any = 0
    damping: Any = 0

    __repr__ = record


@dataclass(frozen=True, slots=True)
class Loop:
    """A cut joint: point_i of body_i meets point_j of body_j; axes in the axes of their bodies."""

    body_i: int
    point_i: Vec3
    body_j: int
    point_j: Vec3
    joint: str = "spherical"
    axis: Vec3 | None = None
    axis_j: Vec3 | None = None
    rotation_i: Rotation = Rotation()  # of the cut frames, for a fixed joint
    rotation_j: Rotation = Rotation()
    length: Any = None  # of a rod
    name: str = ""
    # equations that hold something beyond the others, where that has been found out (`plan`)
    kept: tuple[int, ...] | None = field(default=None, compare=False, repr=False)

    __repr__ = record


@dataclass(frozen=True, slots=True)
class Coupling:
    """q[joint] = ratio · q[of] + offset."""

    joint: int
    of: int
    ratio: Any = 1
    offset: Any = 0

    __repr__ = record


@dataclass(frozen=True, slots=True)
class Tyre:
    """A tyre that slips sideways: cornering stiffness C in N/rad, peak force in N (None: linear).

    Slip angles are those at the speed `low` (m/s) where the wheel is slower.
    """

    stiffness: Any
    peak: Any = None
    low: Any = Fraction(1, 10)

    def map(self, f: Map) -> Tyre:
        """Return the tyre with its numbers mapped."""
        return Tyre(f(self.stiffness), _maybe(f, self.peak), f(self.low))


@dataclass(frozen=True, slots=True)
class Wheel:
    """No velocity of a body's point along `normal`; with a tyre, a force against it instead.

    With radius and spin joint, rolling without slip.
    """

    name: str
    body: int
    point: Vec3
    normal: Vec3
    steer: str | None = None
    radius: Any = None
    spin: str | None = None
    tyre: Tyre | None = None

    __repr__ = record


ROLLING = ("disc", "wheel", "sphere", "knife_edge", "gear", "rack")


@dataclass(frozen=True, slots=True)
class RollingContact:
    """A body that rolls on another without slip, leaning as it may; the base is body_j = -1.

    A disc or wheel has its centre at `point_i`, its axle along `axis`, and rolls on the plane of
    body_j through `point_j` normal to `axis_j`; `crown` is the radius of its tread. A sphere needs
    no axle. A knife edge touches the plane at `point_i` and does not move along `axis` there.
    A gear meshes with another of radius `radius_j` (negative: a ring) about `point_j`, or with a
    rack, whose pitch plane is that of a wheel.
    """

    name: str
    kind: str
    body_i: int
    point_i: Vec3 = Vec3(0, 0, 0)
    body_j: int = -1
    point_j: Vec3 = Vec3(0, 0, 0)
    axis: Vec3 | None = None
    axis_j: Vec3 = Vec3(0, 0, 1)
    radius: Any = 0
    radius_j: Any = 0
    crown: Any = 0


@dataclass(frozen=True, slots=True)
class BodyTerm:
    """A number of the motion of bodies in an equation: `v(chassis).x`, `distance(a, b)`.

    `quantity` is v, w, p, axis, distance or direction. Frames are given with a point (of an axis:
    its direction) in their own axes. Component 0-2; upper-case letters mean base axes.
    """

    text: str
    quantity: str
    frames: tuple[str, ...]
    points: tuple[tuple[Any, Any, Any], ...]  # numbers, or expressions in the parameters
    component: int = 0
    in_base: bool = False

    @property
    def is_rate(self) -> bool:
        """Whether it is linear in the rates."""
        return self.quantity in ("v", "w")


def named_term(term: BodyTerm, **changes: Any) -> BodyTerm:
    """Return a term with changes and the text that names it: `v(chassis, [L, 0, 0]).x`."""
    t = replace(term, **changes)
    ends = []
    for frame, point in zip(t.frames, t.points, strict=True):
        ends.append(frame if frame.isidentifier() else f'"{frame}"')
        if t.quantity == "axis" or any(not _is_nothing(x) for x in point):
            ends.append("[" + ", ".join(str(x) for x in point) + "]")
    letter = "" if t.quantity == "distance" else "." + ("XYZ" if t.in_base else "xyz")[t.component]
    return replace(t, text=f"{t.quantity}({', '.join(ends)}){letter}")


def _is_nothing(x: Any) -> bool:
    return bool(getattr(x, "value", x) == 0)


def rate_symbols(bodies: Sequence[Body]) -> tuple[str, ...]:
    """Return what equations call each rate: `<joint>d`, `<joint>.xd` of a planar joint.

    Of free and spherical joints `<joint>.vx`, `<joint>.wz`: these are not rates of coordinates.
    """
    return tuple(
        f"{joint_name(b)}.{part}" + ("d" if b.joint.nq == b.joint.nv else "")
        if part
        else f"{joint_name(b)}d"
        for b in bodies
        for part in b.joint.rate_parts
    )


@dataclass(frozen=True, slots=True)
class VelocityConstraint:
    """A linear equation in the joint rates, as text: `xd*sin(th) - yd*cos(th) = 0`.

    Without a rate it is one in the coordinates, f(q, t) = 0, whose time derivative is meant.
    """

    name: str
    equation: str
    # left - right over parameters `<joint>`, `<joint>d` and `t`, and the values of all others
    expression: Any = field(default=None, compare=False)
    values: tuple[tuple[str, Any], ...] = field(default=(), compare=False)
    terms: tuple[BodyTerm, ...] = field(default=(), compare=False)  # named by their texts

    __repr__ = record


@dataclass(frozen=True, slots=True)
class FrameChange:
    """One step of a sentence, a joint or a constant, along or about a coordinate axis."""

    kind: Literal["R", "T"]
    axis: int  # 0, 1, 2
    body: int  # the body that a joint moves, or that a constant belongs to; -1 is the base
    value: Any = None  # of a constant; None for a joint

    __repr__ = record

    def map(self, f: Map) -> FrameChange:
        """Return the change with its number mapped."""
        return replace(self, value=_maybe(f, self.value))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named quantity with an optional value."""

    name: str
    value: Any = None

    def __repr__(self) -> str:
        name = shown(self.name)
        return name if self.value is None else f"{name} = {cell(self.value)}"


# what a machine without wheels, rolling bodies and equations has in their place
UNHELD: dict[str, Any] = {"wheels": (), "rolling": (), "velocity_constraints": ()}

LOOP_JOINTS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed", "rod")


def _maybe(f: Map, x: Any) -> Any:
    return None if x is None else f(x)


INDICES = ("joint", "of", "body", "body_i", "body_j", "name", "kept")


def mapped(value: Any, f: Map) -> Any:
    """Return a plain record with its numbers mapped; ints in fields that are indices stay."""
    changes: dict[str, Any] = {}
    for spec in fields(value):
        x = getattr(value, spec.name)
        if spec.name in INDICES or isinstance(x, str):
            continue
        if hasattr(x, "map"):
            changes[spec.name] = x.map(f)
        elif isinstance(x, tuple):
            changes[spec.name] = tuple(f(v) for v in x)
        elif x is not None:
            changes[spec.name] = f(x)
    return replace(value, **changes)


def joint_name(body: Body) -> str:
    """Return the name of the joint that carries a body."""
    return body.joint_name or body.name


def free_name(name: str, taken: Collection[str], tail: str = "", first: int = 2) -> str:
    """Return a name that is not taken: this one, or with a number appended."""
    choices = chain([""], map(str, count(first)))
    return next(n for k in choices if (n := f"{name}{k}{tail}") not in taken)


def how_to_give(parameter: str) -> dict[str, Any]:
    """Return the hints on how to give a parameter its value, in Python and on the command line."""
    given = f"{parameter}=..." if parameter.isidentifier() else f"{{{shown(parameter)!r}: ...}}"
    return {
        "hint": f"write m.with_values({given})",
        "command": f"write --set {shown(parameter)}=...",
    }
