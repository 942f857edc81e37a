"""Random mechanisms and states, stratified and deterministic: the same seed, the same mechanism.

Sizes, shapes, joints, masses, lengths and angles are drawn from a published mixture, or from what a
test asks for: `random_mechanisms(20, seed=1, dof=(1, 8), massless=0)`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.inertia import Inertia
from dalembert.joint import (
    UNITS,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    rotation_about,
)
from dalembert.mechanism import Body, Drive, Frame, Mechanism
from dalembert.spatial import Wrench

SIZES = (((1, 8), 60), ((9, 30), 30), ((31, 120), 10))
SHAPES = {"chain": 40, "attach": 30, "star": 10, "binary": 10, "comb": 10}
JOINTS = {
    "revolute": 30,
    "any": 25,
    "prismatic": 15,
    "screw": 8,
    "spherical": 8,
    "universal": 4,
    "planar": 3,
    "fixed": 7,
}
MASSES = {"decade": 60, "spread": 20, "equal": 10, "thin": 10}
LENGTHS = {"metre": 70, "scaled": 20, "mixed": 10}


@dataclass(frozen=True)
class Strata:
    """What to draw from; a dict gives relative weights."""

    dof: tuple[int, int] | None = None  # None: the mixture of SIZES
    shapes: Any = None
    joints: Any = None
    masses: Any = None
    lengths: Any = None
    root: float = 0.07  # how often the first joint is free (a planar root a third as often)
    massless: float = 0.15  # of inner bodies
    drives: float = 0.3
    depth_first: bool = False


def random_mechanisms(count: int, seed: int, **strata: Any) -> list[Mechanism]:
    """Return `count` mechanisms; number k of a seed does not depend on `count`."""
    return [random_mechanism(seed, k, Strata(**strata)) for k in range(count)]


def _pick(rng: np.random.Generator, weights: dict[str, int]) -> str:
    p = np.array(list(weights.values()), float)
    return str(rng.choice(list(weights), p=p / p.sum()))


def random_mechanism(seed: int, k: int, strata: Strata | None = None) -> Mechanism:
    """Return mechanism number k of a seed."""
    rng = np.random.default_rng([seed, k])
    return _Draw(rng, strata or Strata(), f"random({seed}, {k})").mechanism()


class _Draw:
    """The choices that hold for one whole mechanism, and the draws that depend on them."""

    def __init__(self, rng: np.random.Generator, strata: Strata, name: str):
        self.rng, self.strata, self.name, self.graph = rng, strata, name, Graph()
        self.shape = _pick(rng, strata.shapes or SHAPES)
        self.masses = _pick(rng, strata.masses or MASSES)
        self.lengths = _pick(rng, strata.lengths or LENGTHS)
        self.size = 10 ** rng.uniform(-3, 3) if self.lengths == "scaled" else 1.0
        low, high = strata.dof or self._size()
        self.dof = int(rng.integers(low, high + 1))

    def _size(self) -> tuple[int, int]:
        p = np.array([w for _, w in SIZES], float)
        return SIZES[int(self.rng.choice(len(SIZES), p=p / p.sum()))][0]

    # -- numbers -----------------------------------------------------------------------------------

    def length(self) -> float:
        if self.lengths == "mixed":
            return float(10 ** self.rng.uniform(-3, 3))
        return float(self.size * 10 ** self.rng.uniform(-1, 0.3))

    def vector(self) -> Vec3:
        """Zero, along one axis, or anywhere."""
        kind = self.rng.random()
        if kind < 0.2:
            return Vec3(0, 0, 0)
        if kind < 0.5:
            return UNITS[self.rng.integers(3)] * float(self.length() * self.rng.choice([-1, 1]))
        return _vec3(self.unit() * self.length())

    def unit(self) -> np.ndarray:
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)

    def rotation(self) -> Rotation:
        """No rotation, exact multiples of pi/12, odd angles about axes, or any matrix."""
        rng, R = self.rng, Rotation()
        kind = rng.random()
        if kind < 0.3:
            return R
        if kind < 0.6:
            for _ in range(rng.integers(1, 3)):
                angle = self.graph.pi() * Fraction(int(rng.integers(-11, 13)), 12)
                R = R @ Rotation.about(int(rng.integers(3)), angle)
            return R
        if kind < 0.8:
            for _ in range(rng.integers(1, 3)):
                R = R @ Rotation.about(int(rng.integers(3)), float(rng.uniform(-3, 3)))
            return R
        return rotation_about(_vec3(self.unit()), float(rng.uniform(-3, 3)))

    # -- bodies ------------------------------------------------------------------------------------

    def joint(self, kind: str) -> Any:
        rng = self.rng
        axis = UNITS[rng.integers(3)]
        if rng.random() < 0.2:
            axis = -axis
        if kind == "any" or (kind in ("prismatic", "screw") and rng.random() < 0.5):
            axis = _vec3(self.unit())
        if kind in ("revolute", "any", "universal"):
            return Revolute(axis)
        if kind == "prismatic":
            return Prismatic(axis)
        if kind == "screw":
            return Screw(axis, float(10 ** rng.uniform(-4, 0) * rng.choice([-1, 1])))
        return {"spherical": Spherical, "planar": Planar, "fixed": Fixed, "free": Free}[kind]()

    def inertia(self) -> Inertia:
        """A solid ellipsoid, or with `thin` masses a point or a rod (the triangle's boundary)."""
        rng = self.rng
        mass = {
            "decade": 10 ** rng.uniform(-0.5, 0.5),
            "spread": 10 ** rng.uniform(-6, 6),
            "equal": 1.0,
            "thin": 10 ** rng.uniform(-0.5, 0.5),
        }[self.masses]
        axes2 = np.array([self.length(), self.length(), self.length()]) ** 2
        if self.masses == "thin":
            axes2 = axes2 * (rng.random() < 0.7) * np.array([1.0, 0, 0])
        principal = mass / 5 * (axes2.sum() - axes2)
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0] if rng.random() < 0.7 else np.eye(3)
        I = Q @ np.diag(principal) @ Q.T
        six = [float(I[a]) for a in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        made = Inertia(float(mass), self.vector(), Mat3.symmetric(*six))
        if self.masses == "thin" or self.lengths == "mixed" or rng.random() < 0.8:
            return made  # about the origin, the tensor at the centre would be lost in rounding
        return Inertia(made.m, made.h, made.Io, "origin")

    def parent(self, j: int, last: int) -> int:
        """The body that body j stands on, j > 0."""
        rng, shape = self.rng, self.shape
        if shape == "chain":
            return j - 1
        if shape == "star":
            return 0 if rng.random() < 0.7 else -1
        if shape == "binary":
            return (j - 1) // 2
        if shape == "comb":
            return last if rng.random() < 0.5 else j - 1
        return int(rng.integers(-1 if rng.random() < 0.3 else 0, j))

    def mechanism(self) -> Mechanism:
        rng, strata = self.rng, self.strata
        bodies: list[Body] = []
        dof, spine = 0, 0
        while dof < self.dof:
            j = len(bodies)
            parent = self.parent(j, spine) if j else -1
            spine = j if self.shape == "comb" and parent == spine else spine
            kind = _pick(rng, strata.joints or JOINTS)
            if j == 0 and rng.random() < strata.root:
                kind = "free"
            elif j == 0 and rng.random() < strata.root / 3:
                kind = "planar"
            joint = self.joint(kind)
            place = Transform(self.rotation(), self.vector())
            inertia = self.inertia()
            if kind == "universal" and dof + 2 <= self.dof:
                # two crossing axes through one point, the cross between them massless
                bodies.append(Body(f"b{j}", parent, place, joint))
                dof, parent, j, place = dof + 1, j, j + 1, Transform()
                normal = np.cross([float(x) for x in joint.axis], self.unit())
                joint = Revolute(_vec3(normal / np.linalg.norm(normal)))
            bodies.append(Body(f"b{j}", parent, place, joint, inertia))
            dof += joint.nv
        bodies = self._lightened(bodies)
        if strata.depth_first:
            bodies = depth_first(bodies)
        n = len(bodies)
        tip = Frame("tip", n - 1, Transform(self.rotation(), self.vector()))
        side = Frame("side", int(rng.integers(n)), Transform(self.rotation(), self.vector()))
        gravity = self._gravity()
        return Mechanism(
            tuple(bodies), self.name, gravity, named=(tip, side), drives=self._drives(bodies)
        )

    def _lightened(self, bodies: list[Body]) -> list[Body]:
        """Return the bodies with some inner ones massless."""
        inner = {b.parent for b in bodies if b.joint.nv}
        for j, b in enumerate(bodies):
            if j in inner and b.joint.nv == 1 and self.rng.random() < self.strata.massless:
                bodies[j] = Body(b.name, b.parent, b.placement, b.joint)
        return bodies

    def _gravity(self) -> Vec3:
        kind = self.rng.random()
        if kind < 0.6:
            return Vec3(0, 0, Fraction("-9.81"))
        return Vec3(0, 0, 0) if kind < 0.75 else _vec3(self.rng.normal(size=3) * 9.81)

    def _drives(self, bodies: list[Body]) -> tuple[Drive, ...]:
        rng, out = self.rng, []
        for j, b in enumerate(bodies):
            if b.joint.nv == 1 and rng.random() < self.strata.drives:
                forward = float(rng.uniform(0, 2))
                backward = -forward if rng.random() < 0.5 else -float(rng.uniform(0, 2))
                gear = [1, -1, 50, Fraction(-7, 2)][rng.integers(4)]
                Jm, B = float(rng.uniform(0, 1e-2)), float(rng.uniform(0, 0.1))
                out.append(Drive(j, Jm, gear, (forward, backward), B))
        return tuple(out)


def _vec3(v: Any) -> Vec3:
    return Vec3(*(float(x) for x in v))


def depth_first(bodies: list[Body]) -> list[Body]:
    """Return the bodies renumbered depth first."""
    children: dict[int, list[int]] = {}
    for j, b in enumerate(bodies):
        children.setdefault(b.parent, []).append(j)
    order, stack = [], list(reversed(children.get(-1, [])))
    while stack:
        j = stack.pop()
        order.append(j)
        stack.extend(reversed(children.get(j, [])))
    new = {-1: -1} | {j: k for k, j in enumerate(order)}
    return [replace(bodies[j], parent=new[bodies[j].parent]) for j in order]


State = tuple[list[float], list[float], list[float]]


def random_state(m: Mechanism, seed: int, mild: bool = False) -> State:
    """Return (q, qd, qdd); angles include 0, pi/2, pi and, not if `mild`, 1e6 and speeds to 1e3."""
    rng = np.random.default_rng([seed, m.nv, len(m.bodies)])
    huge = not mild and rng.random() < 0.1
    speed = float(rng.choice([0.0, 1.0, 1.0, 10 ** rng.uniform(0, 3)]))
    speed = 1.0 if mild else speed
    q: list[float] = []
    for b in m.bodies:
        kind, size = b.joint.kind, max([abs(float(x)) for x in b.placement.p.map(to_float)])
        for _ in range(0 if kind in ("spherical", "free") else b.joint.nq):
            special = [0.0, np.pi / 2, np.pi, 1e6 if huge else 0.0]
            any_ = rng.uniform(-np.pi, np.pi) * ((size or 1) if kind == "prismatic" else 1)
            q.append(float(any_ if rng.random() < 0.7 else rng.choice(special)))
        if kind == "free":
            q.extend(float(x) for x in rng.normal(size=3))
        if kind in ("spherical", "free"):
            x = rng.normal(size=4) if rng.random() < 0.9 else np.array([0, 0, 0, 1.0])
            q.extend(float(v) for v in x / np.linalg.norm(x))
    qd = [float(x) for x in speed * rng.uniform(-1, 1, size=m.nv)]
    qdd = [float(x) for x in speed * rng.normal(size=m.nv)]
    return q, qd, qdd


def random_wrenches(m: Mechanism, seed: int) -> dict[int, Wrench]:
    """Return the wrenches some bodies exert on the environment."""
    rng = np.random.default_rng([seed, 7, m.nv])
    made = {
        j: Wrench(_vec3(rng.normal(size=3)), _vec3(rng.normal(size=3)))
        for j in range(len(m.bodies))
    }
    return {j: w for j, w in made.items() if rng.random() < 0.3}
