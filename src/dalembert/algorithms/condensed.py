"""The sums of the condensed Lagrange equations: gravity forces Q_i and inertia coefficients A_ij.

Liégeois and Aldon, INRIA RR 32 (1980), sections 3.3 and 3.4, eqs (3-9)-(3-17), errata E0.10-E0.14;
on trees, over any scalar. Only products of a matrix and a vector are formed (section 4.4), and each
is taken where the angle sums are shortest: a vector on its way through parallel axes turns once, by
the sum of the angles, and a cross product with g_i is taken at the last frame that g_i is fixed in
("R_i^p differentiated", S34 rather than C3 S4 + S3 C4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3, Row, Turn, Vec3, is_plain_zero, minus, plus, product, turn
from ..expr import Scalar

Factors = tuple[Turn | Mat3, ...]
Sums = dict[tuple[int, int], tuple[Turn, Turn, Turn]]  # of two turns, kept with them


@dataclass(frozen=True, slots=True)
class Link:
    """One augmented body at a posture; vectors in the axes of its frame."""

    parent: int
    factors: Factors  # of the rotation of its frame in the parent's frame
    linear: Vec3  # g_j of a translation; pitch times g_j of a screw
    angular: Vec3  # g_j of a rotation
    M: Scalar
    V: Vec3  # M_j b_j
    J: Mat3
    levers: Mapping[int, Vec3]  # child c -> l_jc
    fixed: Factors = ()  # of a root: constant turns before its factors, which gravity takes


class Carried:
    """A vector on its way through frames: turns about one axis add up, then act once."""

    __slots__ = ("_value", "base", "outward", "turn")

    def __init__(self, base: Vec3, outward: bool, turn: Turn | None = None):
        self.base, self.outward, self.turn = base, outward, turn
        self._value: Vec3 | None = None if turn else base

    @property
    def value(self) -> Vec3:
        """The vector in the frame that was reached."""
        if self._value is None:
            assert self.turn is not None
            self._value = turned(self.turn, self.base, self.outward)
        return self._value

    def through(self, factors: Factors, sums: Sums | None = None) -> Carried:
        """Return the vector seen from the next frame, factors of the child's rotation.

        `sums` are the sums of two turns that were made so far.
        """
        at, sums = self, {} if sums is None else sums
        for factor in factors if self.outward else reversed(factors):
            last = at.turn
            if not isinstance(factor, Turn):
                at = Carried((factor.T if self.outward else factor) @ at.value, self.outward)
            elif last is not None and last.axis == factor.axis:
                made = sums.get((id(last), id(factor)))
                if made is None:
                    whole = turn(factor.axis, last.angle + factor.angle)
                    made = sums[id(last), id(factor)] = (whole, last, factor)
                at = Carried(at.base, self.outward, made[0])
            elif not fixed_under(at.value, factor):
                at = Carried(at.value, self.outward, factor)
        return at


def turned(turn: Turn, v: Vec3, back: bool) -> Vec3:
    """Return the turn, or its inverse, of a vector; what is zero by structure is left out."""
    c, s, axis = turn.c, -turn.s if back else turn.s, turn.axis
    x, y = (v.y, v.z) if axis == 0 else (v.z, v.x) if axis == 1 else (v.x, v.y)
    if x.__class__ is int and x == 0:
        if y.__class__ is int and y == 0:
            return v
        a, b = -(s * y), c * y
    elif y.__class__ is int and y == 0:
        a, b = c * x, s * x
    else:
        a, b = c * x - s * y, s * x + c * y
    return Vec3(v.x, a, b) if axis == 0 else Vec3(b, v.y, a) if axis == 1 else Vec3(a, b, v.z)


def dot(a: Vec3 | Row, b: Vec3) -> Scalar:
    """Return the scalar product without what is zero by structure."""
    out: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if x.__class__ is int:
            x, y = y, x
        if y.__class__ is int:
            if y == 0:
                continue
            x = product(x, y)
        else:
            x = x * y
        out = x if out.__class__ is int and out == 0 else out + x
    return out


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Return the vector product without what is zero by structure."""
    return Vec3(
        minus(product(a.y, b.z), product(a.z, b.y)),
        minus(product(a.z, b.x), product(a.x, b.z)),
        minus(product(a.x, b.y), product(a.y, b.x)),
    )


def fixed_under(v: Vec3, factor: Turn | Mat3) -> bool:
    """Return whether a vector lies, by structure, along the axis of an elementary turn."""
    if not isinstance(factor, Turn):
        return False
    x, y = (v.y, v.z) if factor.axis == 0 else (v.z, v.x) if factor.axis == 1 else (v.x, v.y)
    return is_plain_zero(x) and is_plain_zero(y)


class Condensed:
    """Q_i and A_ij of a chain or tree of one-freedom joints; indices from 0."""

    def __init__(self, links: Sequence[Link], gravity: Vec3):
        self.links, self.gravity = links, gravity
        n = len(links)
        self.children: list[list[int]] = [[] for _ in range(n)]
        self.beyond: list[list[int]] = [[j] for j in range(n)]  # body j and all it carries
        self.paths: list[list[int]] = [[] for _ in range(n)]  # from the root to j
        for j, link in enumerate(links):
            if link.parent >= 0:
                self.children[link.parent].append(j)
                self.paths[j] = [*self.paths[link.parent]]
            self.paths[j].append(j)
            for i in self.paths[j][:-1]:
                self.beyond[i].append(j)
        self.heavy = {j for j, link in enumerate(links) if not link.V.is_zero()}
        self.stiff = {j for j, k in enumerate(links) if not all(map(is_plain_zero, k.J.six()))}
        self.turning = [not link.angular.is_zero() for link in links]
        self.sliding = [not link.linear.is_zero() for link in links]
        self.arms = {(p, c) for p, k in enumerate(links) for c, l in k.levers.items()
                     if not l.is_zero()}  # fmt: skip
        self._seen: dict[tuple[Any, ...], Any] = {}
        self._reached: dict[tuple[int, bool], dict[int, int]] = {}
        self._sums: Sums = {}
        # gravity behind the fixed turns of each root: a constant vector
        self.weight = {j: Carried(gravity, True).through(k.fixed).value
                       for j, k in enumerate(links) if k.parent < 0}  # fmt: skip

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (i, j), i <= j on one path from the base: all other A_ij are zero."""
        return ((i, j) for i in range(len(self.links)) for j in self.beyond[i])

    def depends(self, i: int, j: int, k: int) -> bool:
        """Return whether A_ij, i <= j, may depend on q_k: k after i, on the way to j or past it."""
        path = self.paths[j]
        return i < k and i in path and (k in path or j in self.paths[k])

    # -- vectors seen from other frames ------------------------------------------------------------

    def outward(self, i: int, k: int) -> Vec3:
        """Return g_i of a rotation in the axes of frame k, k beyond i."""
        return self._outward(i, k).value

    def _outward(self, i: int, k: int) -> Carried:
        seen, path = self._seen, self.paths[k]
        at = seen.setdefault(("out", i, i), Carried(self.links[i].angular, True))
        for c in path[path.index(i) + 1 :]:
            if ("out", i, c) not in seen:
                seen["out", i, c] = at.through(self.links[c].factors, self._sums)
            at = seen["out", i, c]
        return at

    def inward(self, name: tuple[Any, ...], v: Vec3, k: int, f: int) -> Vec3:
        """Return the vector v of frame k in the axes of frame f below it (-1: the base)."""
        seen, at = self._seen, k
        key = (name, f)
        if key in seen:
            return seen[key].value
        if (name, k) not in seen:
            seen[name, k] = Carried(v, False)
        while at != f:
            below = self.links[at].parent
            if (name, below) not in seen:
                seen[name, below] = seen[name, at].through(self.links[at].factors, self._sums)
            at = below
        return seen[key].value

    def far(self, i: int, g: Vec3, k: int) -> int:
        """Return the last frame on the way from i to k that sees g as frame i does."""
        key = (i, g is self.links[i].angular)
        if key not in self._reached:
            reached = self._reached[key] = {i: i}
            for c in self.beyond[i][1:]:
                last = reached[self.links[c].parent]
                same = last == self.links[c].parent and all(
                    fixed_under(g, factor) for factor in self.links[c].factors
                )
                reached[c] = c if same else last
        return self._reached[key][k]

    def moment(self, k: int, f: int) -> Vec3:
        """Return M_k b_k in frame f."""
        return self.inward(("V", k), self.links[k].V, k, f)

    def moments(self, c: int, f: int) -> Vec3:
        """Return Σ M_k b_k over c and all beyond, in frame f (3-7)."""
        key = ("U", c, f)
        if key not in self._seen:
            self._seen[key] = total(self.moment(k, f) for k in self.beyond[c] if k in self.heavy)
        return self._seen[key]

    def swept_moment(self, j: int, k: int, f: int) -> Vec3:
        """Return ∂(M_k b_k)/∂q_j = g_j ∧ M_k b_k in frame f (3-8)."""
        g = self.links[j].angular
        r = self.far(j, g, k)
        name = ("gV", j, k)
        v = g if (name, r) in self._seen else cross(g, self.moment(k, r))
        return self.inward(name, v, r, f)

    def swept_moments(self, j: int, c: int, f: int) -> Vec3:
        """Return Σ g_j ∧ M_k b_k over c and all beyond, in frame f."""
        key = ("Y", j, c, f)
        if key not in self._seen:
            heavy = (k for k in self.beyond[c] if k in self.heavy)
            self._seen[key] = total(self.swept_moment(j, k, f) for k in heavy)
        return self._seen[key]

    def swept_lever(self, j: int, p: int, c: int, f: int) -> Vec3:
        """Return g_j ∧ l_pc in frame f, p beyond j."""
        g = self.links[j].angular
        r = self.far(j, g, p)
        name = ("gl", j, p, c)
        if (name, r) in self._seen:
            return self.inward(name, g, r, f)
        lever = self.inward(("l", p, c), self.links[p].levers[c], p, r)
        return self.inward(name, cross(g, lever), r, f)

    # -- the coefficients --------------------------------------------------------------------------

    def Q(self, i: int) -> Scalar:
        """Return the force of gravity on joint i: (3-9) of a rotation, (3-10) of a slide."""
        link, Q = self.links[i], 0
        gravity = self.weight[self.paths[i][0]]
        if self.turning[i]:
            Q = dot(gravity, self.swept_moments(i, i, -1))
        if self.sliding[i]:
            along = self.inward(("v", i), link.linear, i, -1)
            Q = plus(Q, dot(gravity, along) * link.M)
        return Q

    def A(self, i: int, j: int) -> Scalar:
        """Return A_ij = A_ji for i <= j on one path: the four cases, all of them for two screws."""
        a, b = self.links[i], self.links[j]
        turns_i, turns_j = self.turning[i], self.turning[j]
        slides_i, slides_j = self.sliding[i], self.sliding[j]
        A: Scalar = 0
        if turns_i and turns_j:
            A = self._rotation_rotation(i, j)
        if turns_i and slides_j and i != j:
            A = plus(A, self._rotation_translation(i, j))
        if slides_i and turns_j and i != j:
            # (3-14)
            f = self.far(i, a.linear, j)
            A = plus(A, dot(a.linear, self.swept_moments(j, j, f)))
        if slides_i and slides_j:
            # (3-12)
            f = self.far(i, a.linear, j)
            A = plus(A, dot(a.linear, self.inward(("v", j), b.linear, j, f)) * b.M)
        return A

    def _rotation_rotation(self, i: int, j: int) -> Scalar:
        """Return (3-17) with the bounds of E0.13: inertias, levers below k, levers beyond j."""
        A: Scalar = 0
        for k in self.beyond[j]:
            if k in self.stiff:
                A = plus(A, dot(self.outward(i, k), self.turned_inertia(j, k)))
        path = self.paths[j]
        for p, c in zip(path[path.index(i) :], path[path.index(i) + 1 :], strict=False):
            if (p, c) in self.arms:
                f = self.far(i, self.links[i].angular, p)
                A = plus(A, dot(self.swept_lever(i, p, c, f), self.swept_moments(j, j, f)))
        for p in self.beyond[j]:
            for c in self.children[p]:
                if (p, c) not in self.arms:
                    continue
                f = self.far(i, self.links[i].angular, p)
                term = dot(self.swept_lever(i, p, c, f), self.swept_moments(j, c, f))
                if i == j:
                    A = plus(A, product(2, term))
                else:
                    moved = cross(self.links[i].angular, self.moments(c, f))
                    A = plus(plus(A, term), dot(moved, self.swept_lever(j, p, c, f)))
        return A

    def turned_inertia(self, j: int, k: int) -> Vec3:
        """Return [J_k] [R_k^j] [g_j] (E0.12)."""
        key = ("J", j, k)
        if key not in self._seen:
            v = self.outward(j, k)
            self._seen[key] = Vec3(*(dot(row, v) for row in self.links[k].J.rows))
        return self._seen[key]

    def _rotation_translation(self, i: int, j: int) -> Scalar:
        """Return (3-13) with M_k b_k in its second term (E0.10)."""
        a, b, path = self.links[i], self.links[j], self.paths[j]
        A: Scalar = 0
        for p, c in zip(path[path.index(i) :], path[path.index(i) + 1 :], strict=False):
            if (p, c) in self.arms:
                f = self.far(i, a.angular, p)
                along = self.inward(("v", j), b.linear, j, f)
                A = plus(A, dot(self.swept_lever(i, p, c, f), along) * b.M)
        f = self.far(i, a.angular, j)
        moved = cross(a.angular, self.moments(j, f))
        return plus(A, dot(moved, self.inward(("v", j), b.linear, j, f)))


def total(vectors: Iterator[Vec3]) -> Vec3:
    """Return the sum of vectors."""
    out = next(vectors, Vec3.zero())
    for v in vectors:
        out = Vec3(plus(out.x, v.x), plus(out.y, v.y), plus(out.z, v.z))
    return out
