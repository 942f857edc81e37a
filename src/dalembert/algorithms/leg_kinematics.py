"""Inverse kinematics of the legs of parallel robots in closed form: UPS, RUS, PUS, RRR, RPR, PRR.

The subproblems are those of Paden and Kahan (Murray, Li and Sastry, A mathematical introduction to
robotic manipulation (1994), section 3.2): one rotation takes p to q, two rotations take p to q, one
rotation brings p to a given distance from q.

A branch is one sign, or one for each choice a leg has: the side to which a crank bends or the way a
slide goes, then which of its two attitudes a universal joint has.
"""

from __future__ import annotations

from collections.abc import Callable

from ..algebra import Vec3, plain_number
from ..errors import ModelError
from ..expr import Scalar, atan2, cos, sin, sqrt
from ..frozen import dataclass
from ..joint import Joint
from ..mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class Angle:
    """An angle known by its cosine and sine: no function of it need be computed again."""

    c: Scalar
    s: Scalar

    @property
    def angle(self) -> Scalar:
        """The angle itself."""
        return atan2(self.s, self.c)

    def cos(self) -> Scalar:
        """Return its cosine."""
        return self.c

    def sin(self) -> Scalar:
        """Return its sine."""
        return self.s

    def __neg__(self) -> Angle:
        return Angle(self.c, -self.s)

    def __add__(self, o: Scalar) -> Angle:
        c, s = cos(o), sin(o)
        return Angle(self.c * c - self.s * s, self.s * c + self.c * s)

    __radd__ = __add__


def plain(q: Scalar) -> Scalar:
    """Return a coordinate as a number: the angle of an `Angle`."""
    return getattr(q, "angle", q)


def turn_to(u: Vec3, p: Vec3, q: Vec3) -> Angle:
    """Return the angle about u that takes p to q."""
    p, q = p - u * u.dot(p), q - u * u.dot(q)
    c, s = p.dot(q), u.dot(p.cross(q))
    k = 1 / sqrt(c * c + s * s)
    return Angle(c * k, s * k)


def two_turns_to(u: Vec3, v: Vec3, p: Vec3, q: Vec3, branch: Scalar) -> tuple[Angle, Angle]:
    """Return angles about u, then v (carried by u), that take the unit vector p to q."""
    c = u.dot(v)
    n = u.cross(v)
    k = 1 / (c * c - 1)
    a, b = (c * v.dot(p) - u.dot(q)) * k, (c * u.dot(q) - v.dot(p)) * k
    rest = (1 - a * a - b * b - 2 * (a * b * c)) / n.dot(n)
    z = u * a + v * b + n * (branch * sqrt(rest))
    return turn_to(u, z, q), turn_to(v, p, z)


def turn_to_distance(u: Vec3, p: Vec3, q: Vec3, distance2: Scalar, branch: Scalar) -> Angle:
    """Return the angle about u that brings p to a distance from q, given squared."""
    along = u.dot(p - q)
    p, q = p - u * u.dot(p), q - u * u.dot(q)
    pp, qq = p.dot(p), q.dot(q)
    cosine = (pp + qq - (distance2 - along * along)) / (2 * sqrt(pp * qq))
    return turn_to(u, p, q) + Angle(cosine, branch * sqrt(1 - cosine * cosine))


Branch = float | tuple[float, ...]
Knee = tuple[Scalar, Vec3]  # coordinate of a crank or slide, the rod that stands on it


def sign(branch: Branch, k: int) -> float:
    """Return the sign of one choice; a single number is that of the first."""
    if isinstance(branch, (int, float)):
        return float(branch) if k == 0 else 1.0
    return float(branch[k]) if k < len(branch) else 1.0


def _ups(leg: Mechanism, point: Vec3, target: Vec3, branch: Branch) -> list[Scalar]:
    """Universal joint at one point, then a slide through it; signs: joint, length."""
    one, two, three = leg.bodies
    R2, R3 = two.placement.R, three.placement.R
    slide = R3 @ three.joint.axis  # type: ignore[attr-defined]
    offset = three.placement.p + R3 @ point
    _demand(leg, two.placement.p, offset - slide * slide.dot(offset))
    length = sqrt(target.dot(target)) * sign(branch, 1)
    axes = one.joint.axis, R2 @ two.joint.axis  # type: ignore[attr-defined]
    a, b = two_turns_to(*axes, R2 @ slide, target * (1 / length), sign(branch, 0))
    return [a, b, length - slide.dot(offset)]


def slide_to_distance(d: Vec3, knee: Vec3, target: Vec3, rod2: Scalar, branch: float) -> Scalar:
    """Return how far along d a knee goes until the target is at the rod's length, squared."""
    gap = target - knee
    along = d.dot(gap)
    return along + branch * sqrt(rod2 - (gap.dot(gap) - along * along))


def knee_to(joint: Joint, knee: Vec3, target: Vec3, rod2: Scalar, branch: float) -> Knee:
    """Return the crank or slide that takes a knee to a rod's length from the target, and the rod.

    The rod is the way from the knee to the target, beyond the joint; its length is given squared.
    """
    axis: Vec3 = joint.axis  # type: ignore[attr-defined]
    if joint.kind == "revolute":
        a = turn_to_distance(axis, knee, target, rod2, branch)
        return a, joint.pose([a])[0].T @ target - knee
    s = slide_to_distance(axis, knee, target, rod2, branch)
    return s, target - knee - axis * s


def _driven_rod(leg: Mechanism, point: Vec3, target: Vec3, branch: Branch) -> list[Scalar]:
    """Crank or slide, universal joint at its end, rod; signs: crank or slide, joint."""
    one, two, three = leg.bodies
    R2, R3 = two.placement.R, three.placement.R
    rod = R3 @ point
    first, back = knee_to(one.joint, two.placement.p, target, rod.dot(rod), sign(branch, 0))
    _demand(leg, three.placement.p)
    length = 1 / sqrt(rod.dot(rod))
    axes = R2 @ two.joint.axis, R2 @ (R3 @ three.joint.axis)  # type: ignore[attr-defined]
    turns = two_turns_to(*axes, R2 @ (rod * length), back * length, sign(branch, 1))
    return [first, *turns]


def _rrr(leg: Mechanism, point: Vec3, target: Vec3, branch: Branch) -> list[Scalar]:
    """Crank and rod about parallel axes; the third turn is at the platform; sign: crank."""
    one, two = leg.bodies
    R2, length2 = two.placement.R, point.dot(point)
    a, back = knee_to(one.joint, two.placement.p, target, length2, sign(branch, 0))
    return [a, turn_to(R2 @ two.joint.axis, R2 @ point, back)]  # type: ignore[attr-defined]


def _prr(leg: Mechanism, point: Vec3, target: Vec3, branch: Branch) -> list[Scalar]:
    """Slide, and a rod that turns about one axis; sign: slide."""
    one, two = leg.bodies
    R2, knee = two.placement.R, two.placement.p
    along: Vec3 = one.joint.axis  # type: ignore[attr-defined]
    axis = R2 @ two.joint.axis  # type: ignore[attr-defined]
    rod, gap = R2 @ point, target - knee
    # in the plane of the rod: what is along the axis is not a matter of the joints
    flat, rod = gap - axis * axis.dot(gap), rod - axis * axis.dot(rod)
    _demand(leg, axis * axis.dot(along))
    s = slide_to_distance(along, Vec3.zero(), flat, rod.dot(rod), sign(branch, 0))
    return [s, turn_to(axis, rod, flat - along * s)]


def _rpr(leg: Mechanism, point: Vec3, target: Vec3, branch: Branch) -> list[Scalar]:
    """Turn, and a slide across its axis; sign: length."""
    one, two = leg.bodies
    R2 = two.placement.R
    axis: Vec3 = one.joint.axis  # type: ignore[attr-defined]
    slide = R2 @ two.joint.axis  # type: ignore[attr-defined]
    _demand(leg, axis * axis.dot(slide))
    start = two.placement.p + R2 @ point
    start, flat = start - axis * axis.dot(start), target - axis * axis.dot(target)
    along = slide.dot(start)
    rest = flat.dot(flat) - (start.dot(start) - along * along)
    length = sign(branch, 0) * sqrt(rest) - along
    return [turn_to(axis, start + slide * length, flat), length]


Closed = Callable[[Mechanism, Vec3, Vec3, Branch], list[Scalar]]
# kinds of the joints of a leg -> (its inverse kinematics, how many signs a branch of it has)
LEGS: dict[tuple[str, ...], tuple[Closed, int]] = {
    ("revolute", "revolute", "prismatic"): (_ups, 2),
    ("revolute", "revolute", "revolute"): (_driven_rod, 2),
    ("prismatic", "revolute", "revolute"): (_driven_rod, 2),
    ("revolute", "revolute"): (_rrr, 1),
    ("prismatic", "revolute"): (_prr, 1),
    ("revolute", "prismatic"): (_rpr, 1),
}


def leg_coordinates(leg: Mechanism, point: Vec3, target: Vec3, branch: Branch) -> list[Scalar]:
    """Return the joints of a leg that put `point` of its last body at `target` in the base."""
    kinds = tuple(b.joint.kind for b in leg.bodies)
    if kinds not in LEGS:
        raise ModelError(
            f"a leg of joints {', '.join(kinds) or 'none'} has no closed inverse kinematics",
            hint="legs UPS, RUS, PUS, RRR, RPR and PRR have one; for others give "
            "branch=dalembert.leg_branches(m, q) at a closed pose q",
            command="legs UPS, RUS, PUS, RRR, RPR and PRR have one",
        )
    base = leg.bodies[0].placement
    return LEGS[kinds][0](leg, point, base.R.T @ (target - base.p), branch)


def _demand(leg: Mechanism, *zero: Vec3) -> None:
    """Raise ModelError where the numbers of a leg contradict its kind."""
    for v in zero:
        for x in v:
            known = plain_number(x)
            if known is not None and abs(known) > 1e-9:
                names = ", ".join(b.name for b in leg.bodies)
                raise ModelError(
                    f"leg {names}: its axes do not meet, or are not at right angles",
                    hint="such a leg has no closed inverse kinematics; give "
                    "branch=dalembert.leg_branches(m, q) at a closed pose q",
                    command="such a leg has no closed inverse kinematics",
                )
