"""The sums of the condensed Lagrange equations: gravity forces Q_i and inertia coefficients A_ij.

Liégeois and Aldon, INRIA RR 32 (1980), sections 3.3 and 3.4, eqs (3-9)-(3-17), errata E0.10-E0.14;
on trees, over any scalar. Only products of a matrix and a vector are formed (section 4.4), and each
is taken where the angle sums are shortest: a vector on its way through parallel axes turns once, by
the sum of the angles, and a cross product with g_i is taken at the last frame that g_i is fixed in
("R_i^p differentiated", S34 rather than C3 S4 + S3 C4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from ..algebra import Mat3, Row, Vec3, is_plain_zero, plus, product
from ..carried import (
    Carried,
    Factors,
    Seen,
    Sums,
    coordinate,
    cross,
    dot,
    fixed_under,
    sum_of,
    total,
)
from ..expr import Scalar

Found = TypeVar("Found", bound=Callable[..., Any])


class Link(NamedTuple):
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


def met(method: Found) -> Found:
    """Return a method that finds each of its answers once."""
    name = method.__name__

    @wraps(method)
    def found(self: Condensed, *key: Any) -> Any:
        known = self._met[name]
        if key not in known:
            known[key] = method(self, *key)
        return known[key]

    return found  # type: ignore[return-value]


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
        self.angular: list[Row] = [tuple(link.angular) for link in links]
        self.linear: list[Row] = [tuple(link.linear) for link in links]
        self.axes = [coordinate(g) for g in self.angular]
        self.heavy = {j for j, link in enumerate(links) if not link.V.is_zero()}
        self.stiff = {j for j, k in enumerate(links) if not all(map(is_plain_zero, k.J.six()))}
        self.turning = [
            u is not None or not link.angular.is_zero()
            for u, link in zip(self.axes, links, strict=True)
        ]
        self.sliding = [not link.linear.is_zero() for link in links]
        self.arms = {(p, c) for p, k in enumerate(links) for c, l in k.levers.items()
                     if not l.is_zero()}  # fmt: skip
        self._way = [(link.parent, link.factors) for link in links]
        # what was met so far, by the method that found it
        self._met: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
        self._sums: Sums = {}
        # gravity behind the fixed turns of each root: a constant vector
        self.weight = {j: Carried(tuple(gravity), True).through(k.fixed).value
                       for j, k in enumerate(links) if k.parent < 0}  # fmt: skip

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (i, j), i <= j on one path from the base: all other A_ij are zero."""
        return ((i, j) for i in range(len(self.links)) for j in self.beyond[i])

    def depends(self, i: int, j: int, k: int) -> bool:
        """Return whether A_ij, i <= j, may depend on q_k: k after i, on the way to j or past it."""
        if i >= k:
            return False
        path = self.paths[j]
        return i in path and (k in path or j in self.paths[k])

    # -- vectors seen from other frames ------------------------------------------------------------

    @met
    def outward(self, i: int, k: int) -> Row:
        """Return g_i of a rotation in the axes of frame k, k beyond i."""
        return self._carried_outward(i, k).value

    def _carried_outward(self, i: int, k: int) -> Carried:
        # up to a frame that was met, and back
        known, frames = self._met["carried outward"], []
        while (i, k) not in known and k != i:
            frames.append(k)
            k = self.links[k].parent
        found: Carried = known.setdefault((i, k), Carried(self.angular[i], True))
        for c in reversed(frames):
            found = known[i, c] = found.through(self.links[c].factors, self._sums)
        return found

    def _seen(self, v: Row, frame: int) -> Seen:
        return Seen(v, frame, self._way, self._sums)

    @met
    def _slide(self, i: int) -> Seen:
        return self._seen(self.linear[i], i)

    def slide(self, i: int, f: int) -> Row:
        """Return g_i of a translation in frame f below i."""
        return self._slide(i).at(f)

    def swept(self, i: int, v: Row) -> Row:
        """Return g_i ∧ v; both in the axes of frame i, or of one that sees g_i likewise."""
        axis = self.axes[i]
        if axis is None:
            return cross(self.angular[i], v)
        u, sense = axis
        x, y = (-v[u - 1], v[u - 2]) if sense > 0 else (v[u - 1], -v[u - 2])
        return (0, x, y) if u == 0 else (y, 0, x) if u == 1 else (x, y, 0)

    def far(self, i: int, g: Row) -> dict[int, int]:
        """Return for each k beyond i the last frame on the way to it that sees g as i does."""
        return self._reached(i, g is self.angular[i])

    @met
    def _reached(self, i: int, turns: bool) -> dict[int, int]:
        g, reached = self.angular[i] if turns else self.linear[i], {i: i}
        for c in self.beyond[i][1:]:
            parent = self.links[c].parent
            last = reached[parent]
            same = last == parent and all(fixed_under(g, x) for x in self.links[c].factors)
            reached[c] = c if same else last
        return reached

    @met
    def _moment(self, k: int) -> Seen:
        return self._seen(tuple(self.links[k].V), k)

    def moment(self, k: int, f: int) -> Row:
        """Return M_k b_k in frame f."""
        return self._moment(k).at(f)

    @met
    def moments(self, c: int, f: int) -> Row:
        """Return Σ M_k b_k over c and all beyond, in frame f (3-7)."""
        return total([self.moment(k, f) for k in self.beyond[c] if k in self.heavy])

    @met
    def _swept(self, j: int, k: int) -> Seen:
        """Return ∂(M_k b_k)/∂q_j = g_j ∧ M_k b_k (3-8)."""
        r = self.far(j, self.angular[j])[k]
        return self._seen(self.swept(j, self.moment(k, r)), r)

    @met
    def swept_moments(self, j: int, c: int, f: int) -> Row:
        """Return Σ g_j ∧ M_k b_k over c and all beyond, in frame f."""
        return total([self._swept(j, k).at(f) for k in self.beyond[c] if k in self.heavy])

    @met
    def _lever(self, p: int, c: int) -> Seen:
        return self._seen(tuple(self.links[p].levers[c]), p)

    def lever(self, p: int, c: int, f: int) -> Row:
        """Return l_pc in frame f."""
        return self._lever(p, c).at(f)

    @met
    def _swept_lever(self, j: int, p: int, c: int) -> Seen:
        r = self.far(j, self.angular[j])[p]
        return self._seen(self.swept(j, self.lever(p, c, r)), r)

    def swept_lever(self, j: int, p: int, c: int, f: int) -> Row:
        """Return g_j ∧ l_pc in frame f, p beyond j."""
        return self._swept_lever(j, p, c).at(f)

    # -- the coefficients --------------------------------------------------------------------------

    def Q(self, i: int) -> Scalar:
        """Return the force of gravity on joint i: (3-9) of a rotation, (3-10) of a slide."""
        Q: Scalar = 0
        gravity = self.weight[self.paths[i][0]]
        if self.turning[i]:
            moments = [self._swept(i, k) for k in self.beyond[i] if k in self.heavy]
            for u, g in enumerate(gravity):
                if not is_plain_zero(g):
                    Q = plus(Q, product(g, sum_of([v.part(-1, u) for v in moments])))
        if self.sliding[i]:
            Q = plus(Q, dot(gravity, self.slide(i, -1)) * self.links[i].M)
        return Q

    def A(self, i: int, j: int) -> Scalar:
        """Return A_ij = A_ji for i <= j on one path: the four cases, all of them for two screws."""
        turns_i, turns_j = self.turning[i], self.turning[j]
        slides_i, slides_j = self.sliding[i], self.sliding[j]
        A: Scalar = 0
        if turns_i and turns_j:
            A = self._rotation_rotation(i, j)
        if turns_i and slides_j and i != j:
            A = plus(A, self._rotation_translation(i, j))
        if slides_i and turns_j and i != j:
            # (3-14)
            g = self.linear[i]
            A = plus(A, dot(g, self.swept_moments(j, j, self.far(i, g)[j])))
        if slides_i and slides_j:
            # (3-12)
            g = self.linear[i]
            A = plus(A, dot(g, self.slide(j, self.far(i, g)[j])) * self.links[j].M)
        return A

    def _rotation_rotation(self, i: int, j: int) -> Scalar:
        """Return (3-17) with the bounds of E0.13: inertias, levers below k, levers beyond j."""
        A: Scalar = 0
        arms, far = self.arms, self.far(i, self.angular[i])
        for k in self.beyond[j]:
            if k in self.stiff:
                A = plus(A, dot(self.outward(i, k), self.turned_inertia(j, k)))
        if i != j:
            path = self.paths[j]
            for arm in pairwise(path):
                p, c = arm
                if p >= i and arm in arms:
                    f = far[p]
                    A = plus(A, dot(self.swept_lever(i, p, c, f), self.swept_moments(j, j, f)))
        for p in self.beyond[j]:
            for c in self.children[p]:
                if (p, c) not in arms:
                    continue
                f = far[p]
                lever = self.swept_lever(i, p, c, f)
                if i == j:
                    A = plus(A, product(2, dot(lever, self.swept_moments(j, c, f))))
                else:
                    A = plus(A, dot(lever, self.swept_moments(j, c, f)))
                    moved = self.swept(i, self.moments(c, f))
                    A = plus(A, dot(moved, self.swept_lever(j, p, c, f)))
        return A

    @met
    def turned_inertia(self, j: int, k: int) -> Row:
        """Return [J_k] [R_k^j] [g_j] (E0.12)."""
        v, rows = self.outward(j, k), self.links[k].J.rows
        axis = coordinate(v)
        if axis is None:
            return dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)
        u, sense = axis
        return rows[u] if sense > 0 else tuple(-x for x in rows[u])

    def _rotation_translation(self, i: int, j: int) -> Scalar:
        """Return (3-13) with M_k b_k in its second term (E0.10)."""
        path, far = self.paths[j], self.far(i, self.angular[i])
        A: Scalar = 0
        for p, c in zip(path[path.index(i) :], path[path.index(i) + 1 :], strict=False):
            if (p, c) in self.arms:
                f = far[p]
                term = dot(self.swept_lever(i, p, c, f), self.slide(j, f))
                A = plus(A, term * self.links[j].M)
        f = far[j]
        return plus(A, dot(self.swept(i, self.moments(j, f)), self.slide(j, f)))
