"""Which inertial parameters a joint cannot feel: the linear relations between neighbouring bodies.

Gautier and Khalil, Direct calculation of minimum set of inertial parameters of serial robots
(1990), in one statement: the energy of body j is h_j(q, qd) phi_j, and with parent i

    h_j v = h_i Λ(q_j) v + qd_j S' I(v) ξ_i + ½ qd_j² S' I(v) S

Λ moves ten parameters to the parent's frame, I(v) is the inertia of the parameters v, S the joint's
motion and ξ_i the motion of the parent. A combination v hands itself over to the parent when this
does not depend on q_j and qd_j, for all motions the parent can have. In general position that
leaves, for a revolute joint about a: the mass, the first moment along a, the tensor 1 - a aᵀ; for a
prismatic one: the tensor. Near the base more: what their rules for parallel axes, for gravity along
an axis and for prismatic joints enumerate is found here from the motions the parent can have.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..algebra import Mat3, Transform, Vec3, is_plain_zero
from ..expr import Scalar
from ..inertia import Inertia
from ..mechanism import Body, Mechanism
from ..spatial import Twist
from .subspace import Rows, null_space, reduced, span

TEN = ("m", "mx", "my", "mz", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
IA = 10  # place of the rotor inertia behind the ten
TENSOR = {(0, 0): 4, (0, 1): 5, (1, 1): 6, (0, 2): 7, (1, 2): 8, (2, 2): 9}
Basis = dict[int, list[float]]  # relations by pivot


@dataclass(frozen=True, slots=True)
class Relation:
    """h_j · vector = h_i · Λ vector (eleven numbers, 1 at the pivot): the pivot can be spared."""

    pivot: int
    vector: tuple[Scalar, ...]


def entry(a: int, b: int) -> int:
    """Return the place of a tensor entry among the ten parameters."""
    return TENSOR[min(a, b), max(a, b)]


def inertia_of(v: Sequence[Scalar]) -> Inertia:
    """Return the inertia whose ten parameters are v."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = v[:10]
    return Inertia(m, Vec3(x, y, z), Mat3.symmetric(xx, yy, zz, xy, xz, yz), "origin")


def ten_of(I: Inertia) -> list[Scalar]:
    """Return the ten parameters of an inertia about its frame origin."""
    xx, yy, zz, xy, xz, yz = I.Io.six()
    return [I.m, *I.h, xx, xy, yy, xz, yz, zz]


def carried(v: Sequence[Scalar], T: Transform) -> list[Scalar]:
    """Return Λ v: ten parameters seen from the frame in which their own stands at T."""
    return ten_of(inertia_of(v).moved(T))


# -- general position --------------------------------------------------------------------------


def main_axis(body: Body) -> int:
    """Return the coordinate axis nearest to the joint axis of a body with numbers (z if none)."""
    axis = getattr(body.joint, "axis", None)
    return 2 if axis is None else max((2, 0, 1), key=lambda k: abs(axis[k]))


def closed_form(body: Body, k: int) -> list[Relation]:
    """Return the relations that hold for this joint wherever it stands; k: its main axis."""
    kind = body.joint.kind
    if kind == "fixed":
        return [_unit(p) for p in range(10)]
    if kind == "prismatic":
        return [_unit(p) for p in range(4, 10)]
    if kind == "spherical":
        return [_unit(0)]
    axis = getattr(body.joint, "axis", Vec3(0, 0, 1))
    if kind == "revolute" or (kind == "screw" and is_plain_zero(body.joint.pitch)):  # type: ignore[attr-defined]
        return [_unit(0), _along(axis, k), _disc(axis, k)]
    return [_disc(axis, k)] if kind in ("screw", "planar") else []


def _unit(p: int) -> Relation:
    return Relation(p, tuple(1 if r == p else 0 for r in range(11)))


def _along(axis: Vec3, k: int) -> Relation:
    """The first moment along the axis."""
    return Relation(1 + k, _over((0, *axis, *[0] * 7), 1 + k))


def _disc(axis: Vec3, k: int) -> Relation:
    """The tensor 1 - a aᵀ, which has no inertia about the axis."""
    v: list[Scalar] = [0] * 11
    for (a, b), p in TENSOR.items():
        v[p] = (1 if a == b else 0) - axis[a] * axis[b]
    pivot = entry((k + 2) % 3, (k + 2) % 3)
    return Relation(pivot, _over(v, pivot))


def _over(v: Sequence[Scalar], p: int) -> tuple[Scalar, ...]:
    if is_plain_zero(v[p] - 1):
        return tuple(v)
    return tuple(x if is_plain_zero(x) else (1 if r == p else x / v[p]) for r, x in enumerate(v))


def preference(body: Body, k: int) -> tuple[int, ...]:
    """Return the places in the order in which parameters are spared."""
    z, x, y = k, (k + 1) % 3, (k + 2) % 3
    cross = (entry(x, y), entry(x, z), entry(y, z))
    if body.joint.kind == "prismatic":
        return (IA, *range(4, 10), 1 + x, 1 + y, 1 + z, 0)
    return (IA, 0, 1 + z, entry(y, y), entry(x, x), 1 + x, 1 + y, *cross, entry(z, z))


# -- near the base -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Excitation:
    """What motions excite of a body: rows of its parameters (10 wide), and its twists (6 wide)."""

    felt: Rows
    twists: Rows

    @property
    def is_general(self) -> bool:
        """Whether every inertial parameter acts on a joint, and every twist occurs."""
        return len(self.felt) == 10 and len(self.twists) == 6


def base_excitation(gravity: Vec3) -> Excitation:
    """Return the excitation of a fixed base: no twist, but gravity acts on first moments."""
    g = [float(x) for x in gravity]
    size = max(map(abs, g))
    return Excitation([[0.0, *(x / size for x in g), *[0.0] * 6]] if size else [], [])


def scaled(m: Mechanism) -> tuple[Mechanism, float]:
    """Return a mechanism of numbers with its largest length 1, and that length."""
    lengths = [abs(x) for b in m.bodies for x in b.placement.p]
    lengths += [abs(b.joint.pitch) for b in m.bodies if b.joint.kind == "screw"]  # type: ignore[attr-defined]
    size = max(lengths, default=0.0) or 1.0
    bodies = []
    for b in m.bodies:
        placement = Transform(b.placement.R, b.placement.p.map(lambda x: x / size))
        joint = b.joint
        if joint.kind == "screw":
            joint = replace(joint, pitch=joint.pitch / size)  # type: ignore[type-var, attr-defined]
        bodies.append(replace(b, placement=placement, joint=joint))
    return replace(m, bodies=tuple(bodies), checked=True), size


_SAMPLES = {"revolute": 6, "prismatic": 3, "screw": 18, "spherical": 40, "planar": 30, "free": 4}


def _poses(body: Body) -> list[list[float]]:
    """Return enough sample poses to determine a short trigonometric polynomial of q."""
    draw = random.Random(body.joint.kind)
    poses = []
    for _ in range(_SAMPLES.get(body.joint.kind, 1)):
        q = [draw.uniform(-1.5, 1.5) for _ in range(body.joint.nq)]
        if body.joint.kind in ("spherical", "free"):
            norm = math.sqrt(sum(x * x for x in q[-4:]))
            q[-4:] = [x / norm for x in q[-4:]]
        poses.append(q)
    return poses


def numeric_relations(
    body: Body, parent: Excitation, driven: bool, k: int
) -> tuple[Basis, Excitation]:
    """Return (the relations by pivot, reduced by preference; the motion of the body).

    A relation has eleven entries; that of the rotor inertia is zero without a drive.
    """
    hand_over: Rows = []  # rows that must vanish on a relation
    felt: Rows = []  # rows of what the body feels
    twists: Rows = []
    there = [_from_parent(row, body.placement) for row in parent.felt]
    for q in _poses(body):
        T = Transform(*body.pose(q))
        for row, still in zip(parent.felt, there, strict=True):
            felt.append(_from_parent(row, T))
            hand_over.append([a - b for a, b in zip(felt[-1], still, strict=True)] + [0.0])
        S = body.joint.columns(q)
        passive = [_floats(Twist.of(twist).to_child(T.R, T.p)) for twist in parent.twists]
        own = [_floats(s) for s in S]
        twists += passive + own
        for a, column in enumerate(S):
            for twist in passive:
                felt.append(_momentum(column, twist))
                hand_over.append([*felt[-1], 0.0])
            for b, twist in enumerate(own):
                felt.append(_momentum(column, twist))
                hand_over.append([*felt[-1], 1.0 if driven and a == b else 0.0])
    if not driven:
        hand_over.append([0.0] * 10 + [1.0])
    basis = reduced(null_space(hand_over, 11), preference(body, k))
    return basis, Excitation(span(felt), span(twists))


def _from_parent(row: Sequence[float], T: Transform) -> list[float]:
    """Return f Λ(T): the row f of the parent, acting on parameters of a frame at T."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = row
    F, h, p = Mat3.symmetric(xx, yy, zz, xy / 2, xz / 2, yz / 2), Vec3(x, y, z), T.p
    trace, Fp, R = xx + yy + zz, F @ p, T.R.T
    mass = m + h.dot(p) + trace * p.dot(p) - p.dot(Fp)
    moment = R @ (h + (p * trace - Fp) * 2)
    a, b, c, ab, ac, bc = R.rotate(F).six()
    return [float(v) for v in (mass, *moment, a, 2 * ab, b, 2 * ac, 2 * bc, c)]


def _floats(twist: Twist) -> list[float]:
    return [float(x) for x in twist.entries()]


def _momentum(column: Twist, twist: Sequence[float]) -> list[float]:
    """Return S' I(e) ξ for each of the ten unit parameters e."""
    (v, w), (lin, ang) = Twist.of(twist), column
    moment = lin.cross(w) + v.cross(ang)
    tensor = [ang.x * w.x, ang.x * w.y + ang.y * w.x, ang.y * w.y]
    tensor += [ang.x * w.z + ang.z * w.x, ang.y * w.z + ang.z * w.y, ang.z * w.z]
    return [float(x) for x in (lin.dot(v), *moment, *tensor)]


def unscaled(row: Sequence[float], body: Body, size: float) -> list[float]:
    """Return a relation found on a scaled mechanism in its own units."""
    powers = [2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2 if body.joint.kind == "prismatic" else 0]
    return [x / size**n for x, n in zip(row, powers, strict=True)]
