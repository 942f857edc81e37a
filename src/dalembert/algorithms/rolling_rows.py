"""Rows of bodies that roll: disc, sphere, knife edge, gear and rack, leaning as they may.

The body's own point at the contact and that of what it rolls on have one velocity. Of a disc with
centre c, axle a, radius r and crown ρ on a plane normal to n the contact is c + (r - ρ) d - ρ n,
with d = ((n·a) a - n)/|n - (n·a) a| the way down in the plane of the wheel; ρ = r is a sphere.
The height of the contact above the plane is zero at all times: the normal row is its rate.
"""

from __future__ import annotations

from ..algebra import Rotation, Transform, Vec3
from ..expr import Scalar, sqrt
from ..joint import Vector
from ..mechanism import Mechanism, RollingContact
from .constraint_row import Row, Rows, with_rate
from .kinematics import target_pose, target_twists
from .moving_vectors import across

CONTACT = ".contact"
PARTS = {
    "disc": (".roll", ".side", ".contact"),
    "wheel": (".roll", ".side", ".contact"),
    "sphere": (".x", ".y", ".contact"),
    "knife_edge": (".side", ".contact"),
    "gear": ("",),
    "rack": ("",),
}


def rolling_names(contact: RollingContact) -> tuple[str, ...]:
    """Return the names of the rows of a rolling body."""
    return tuple(contact.name + part for part in PARTS[contact.kind])


def rolling_rows(m: Mechanism, contact: RollingContact, q: Vector, qd: Vector) -> list[Row]:
    """Return the rows of a rolling body with their rates."""
    H, Hd = with_rate(m, lambda x: contact_rows(m, contact, x, Place.of(m, contact, x)), q, qd)
    return [Row(*row) for row in zip(rolling_names(contact), H, Hd, strict=True)]


def rolling_gaps(m: Mechanism, contact: RollingContact, q: Vector) -> list[Scalar]:
    """Return how high the contact stands above its plane, beside zeros of the other rows."""
    zeros: list[Scalar] = [0] * len(PARTS[contact.kind])
    if PARTS[contact.kind][-1] == CONTACT:
        place = Place.of(m, contact, q)
        zeros[-1] = place.n.dot(place.contact - place.p_j)
    return zeros


class Place:
    """Where a body rolls: contact point and directions in base axes."""

    def __init__(self, c: RollingContact, pose_i: Transform, pose_j: Transform):
        self.c, self.p_i, self.p_j = c, pose_i.p, pose_j.p
        self.n = pose_j.R @ c.axis_j
        self.R_j = pose_j.R
        self.a = pose_i.R @ c.axis if c.axis is not None else self.n

    @staticmethod
    def of(m: Mechanism, c: RollingContact, q: Vector) -> Place:
        """Return the place of a contact at a pose."""
        i, j = ends(c)
        return Place(c, target_pose(m, i, q), target_pose(m, j, q))

    @property
    def contact(self) -> Vec3:
        """The point of contact."""
        c = self.c
        if c.kind == "knife_edge":
            return self.p_i
        if c.kind in ("sphere", "rack"):
            return self.p_i - self.n * c.radius
        if c.kind == "gear":
            return self.p_i + (self.p_j - self.p_i) * (c.radius / (c.radius + c.radius_j))
        return self.p_i + self.lever

    @property
    def lever(self) -> Vec3:
        """From the centre of a disc or wheel to its contact."""
        return self.down * (self.c.radius - self.c.crown) - self.n * self.c.crown

    @property
    def down(self) -> Vec3:
        """The way down in the plane of the wheel."""
        return _unit(self.a * self.n.dot(self.a) - self.n)

    @property
    def forward(self) -> Vec3:
        """The direction in which a wheel or an edge heads."""
        return _unit(self.a.cross(self.n))

    def directions(self) -> list[Vec3]:
        """Return the direction along which each row measures slip."""
        kind, n = self.c.kind, self.n
        if kind == "sphere":
            x, y = across(self.c.axis_j)
            return [self.R_j @ x, self.R_j @ y, n]
        if kind == "gear":
            return [_unit(self.a.cross(self.p_j - self.p_i))]
        forward = self.forward
        side = n.cross(forward)
        if kind == "rack":
            return [forward]
        return [side, n] if kind == "knife_edge" else [forward, side, n]


def ends(c: RollingContact) -> tuple[tuple[int, Transform], tuple[int, Transform]]:
    """Return the frames at the centre of the rolling body and on what it rolls."""
    i, j = (Transform(Rotation(), p) for p in (c.point_i, c.point_j))
    return (c.body_i, i), (c.body_j, j)


def contact_rows(m: Mechanism, c: RollingContact, q: Vector, place: Place) -> Rows:
    """Return the rows of a rolling body at a pose and the place of its contact there."""
    here = place.contact
    slip = [Vec3.zero()] * m.nv
    for (body, at), p, sign in zip(ends(c), (place.p_i, place.p_j), (1, -1), strict=True):
        if body < 0:
            continue
        for k, (v, w) in enumerate(target_twists(m, (body, at), q, "base")):
            slip[k] = slip[k] + (v + w.cross(here - p)) * sign
    return [[d.dot(x) for x in slip] for d in place.directions()]


def _unit(x: Vec3) -> Vec3:
    return x * (1 / sqrt(x.dot(x)))
