"""Coefficients as sums of waves, c cos(k·q) + s sin(k·q), and how far their numbers may be off.

A product of sines and cosines of sums of angles is a sum of waves with whole frequencies k, the
weights powers of 1/2; slides stand in front as powers. `bound` proves what such sums never pass;
only their values and slopes at points are computed, no interval is multiplied.

Rounding. A coefficient f is a real function of the posture. The floats a and b of its waves make
another one, f' = Σ slides (a cos k·q + b sin k·q): that is the function `bound` argues about, and
its frequencies and weights are whole numbers and powers of 1/2, hence exact. `slack` pays for f
against f' anywhere in the box, and for the computed values and slopes of f' against the true ones.
With u = 2⁻⁵³, S the sum of the absolute amplitudes of one coefficient, slides at their largest:
 1. a constant in front is an interval of flint with middle x and radius r (decimals, ranges of
    parameters). Its movement is at most as large as its slides: r times that, summed as `radius`;
 2. an amplitude is a sum of T constants times weights: off by (T + 2) u S, in whatever order;
 3. a phase k·q is a sum of V products, off by (V + 2) u Σ |k_v q_v|, and sines have the slope 1;
    NumPy promises its cosines and sines within 4 units in the last place of numbers up to 1, and
    its powers likewise: 8 u are counted for the wave and for each power of a slide;
 4. the sum of K waves, cosines and sines, is off by 2 (K + 2) u S.
A slope is the same sum with each wave times its steepness, and `bound` multiplies it by half
widths: so all of this counts times the largest steepness and the widths of the box, and twice over.
Sums of positive numbers of N parts are rounded up by `up(N)`, 1 + 4 N u. What underflows is less
than 1e-300. Where anything overflows, the bound is infinite and nothing is proven.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, fmpq

from .angles import CONSTANT
from .box import Box
from .enclosure import Enclosure
from .interval import Interval
from .postures import Array, Postures, U, up
from .ring import Monomial, Term

if TYPE_CHECKING:
    from .closed_form import Equations

Wave = tuple[tuple[int, ...], tuple[int, ...]]  # frequencies, powers of slides
Waves2 = dict[Wave, tuple[float, float]]  # of each wave: in front of its cosine and of its sine
LEAST = 1e-3  # a slide counts as at least so large
SMALL = 200_000  # products in one part of a product of matrices


class Basis:
    """The variables of some equations over a box, and every product of sines met so far."""

    def __init__(self, eq: Equations, box: Box):
        self.eq, self.box, self.n = eq, box, eq.n
        self.enclosure = Enclosure(eq, box.values, box.ranges)
        symbols = eq.ring.symbols
        used = {abs(j) for g in symbols.generators if g.kind == "cos" for j in g.key[1]}
        self.constants = sorted(j for j in used if j > CONSTANT)
        ranges = [*box.q, *(self.enclosure.angle(j) for j in self.constants)]
        self.slides = [k < eq.n and symbols.slides[k] and eq.mechanism.bodies[k].joint.kind
                       == "prismatic" for k in range(len(ranges))]  # fmt: skip
        self.screws = any(symbols.slides[k] != self.slides[k] for k in range(eq.n))
        turns = [not x and not self.screws for x in self.slides]
        self.postures = Postures(ranges, turns, self._sums(len(ranges)))
        self.size = len(ranges)
        self._made: dict[Monomial, Waves2] = {(): {((0,) * self.size, (0,) * self.n): (1.0, 0.0)}}

    def _sums(self, size: int) -> Array:
        """Return the sums of angles that stand for the joints: q2, q2 + q3, q2 + q3 + q4, ...

        One for each variable, that of its joint the longest that ends there: products of sines
        depend on few of them. Slides, screws and constants stand for themselves.
        """
        L = np.eye(size)
        symbols = self.eq.ring.symbols
        for g in symbols.generators:
            joints = g.key[1] if g.kind == "cos" else ()
            if not joints or any(abs(j) > CONSTANT or symbols.slides[abs(j) - 1] for j in joints):
                continue
            row = np.zeros(size)
            for j in joints:
                row[abs(j) - 1] += 1.0 if j > 0 else -1.0
            last = max(abs(j) for j in joints) - 1
            if abs(row[last]) == 1 and np.abs(row).sum() > np.abs(L[last]).sum():
                L[last] = row * row[last]
        return L

    def waves(
        self,
        polys: Sequence[Sequence[Term]],
        less: Mapping[int, Mapping[int, float]] | None = None,
    ) -> Waves:
        """Return the waves of some sums of terms; `less` takes off some with joints held."""
        grouped = [self.grouped(terms) for terms in polys]
        index: dict[Wave, int] = {}
        entries: list[tuple[int, int, float, float]] = []
        radius, count = np.zeros((2, len(polys)))
        for p, constants in enumerate(grouped):
            held = less.get(p) if less else None
            count[p] = len(constants) * (1 if held is None else 2)
            for movement, (middle, off) in constants.items():
                radius[p] += off * self._largest(movement)
                found = list(self.expanded(movement).items())
                if held is not None:
                    rest = [_held(wave, *cs, held) for wave, cs in found]
                    lost = sum(x for *_, x in rest)  # of its rounding, and of the constant's
                    radius[p] += (abs(middle) + off) * lost + off * sum(size for _, size, _ in rest)
                    found += [wave for wave, *_ in rest]
                for wave, (c, s) in found:
                    k = index.setdefault(wave, len(index))
                    entries.append((p, k, middle * c, middle * s))
        K = np.array([w[0] for w in index], dtype=float).reshape(len(index), self.size)
        K = K @ self.postures.parts  # frequencies of the sums: whole numbers, exact
        E = np.array([w[1] for w in index], dtype=np.int64).reshape(len(index), self.n)
        ab, total = np.zeros((2, len(polys), len(index))), np.zeros((len(polys), len(index)))
        if entries:
            p_, k_ = (np.array([e[i] for e in entries]) for i in (0, 1))
            c_, s_ = (np.array([e[i] for e in entries]) for i in (2, 3))
            np.add.at(ab[0], (p_, k_), c_)
            np.add.at(ab[1], (p_, k_), s_)
            np.add.at(total, (p_, k_), np.abs(c_) + np.abs(s_))
        return Waves(self.postures, K, E, ab[0], ab[1], total, radius, count)

    def grouped(self, terms: Sequence[Term]) -> dict[Monomial, tuple[float, float]]:
        """Return what moves -> the constant in front, its middle and radius."""
        out: dict[Monomial, Interval] = {}
        enclosure, symbols = self.enclosure, self.eq.ring.symbols
        for c, monomial in terms:
            parts: dict[Monomial, Interval] = {(): arb(fmpq(c.numerator, c.denominator))}
            for i, e in monomial:
                if symbols.generators[i].kind in ("sin", "cos", "q"):
                    parts = {(*m, (i, e)): x for m, x in parts.items()}
                elif symbols.moving[i]:
                    for _ in range(e):
                        parts = _times(parts, enclosure.grown(i))
                else:
                    x = enclosure.constant(i)
                    for _ in range(e):
                        parts = {m: y * x for m, y in parts.items()}
            for m, x in parts.items():
                key = _sorted(m)
                out[key] = out[key] + x if key in out else x
        return {m: _middle(x) for m, x in out.items()}

    def expanded(self, movement: Monomial) -> Waves2:
        """Return a product of sines, cosines and slides as waves; the weights are exact."""
        if movement not in self._made:
            *head, (i, e) = movement
            rest: Monomial = (*head, (i, e - 1)) if e > 1 else tuple(head)
            self._made[movement] = self._times(self.expanded(rest), i)
        return self._made[movement]

    def _times(self, waves: Waves2, i: int) -> Waves2:
        kind, key = self.eq.ring.symbols.generators[i].key[:2]
        out: dict[Wave, list[float]] = {}
        if kind == "q":
            more = [int(k == key - 1) for k in range(self.n)]
            return {(k, tuple(map(add, e, more))): x for (k, e), x in waves.items()}
        m = [0] * self.size
        for j in key:
            at = abs(j) - 1 if abs(j) < CONSTANT else self.n + self.constants.index(abs(j))
            m[at] += 1 if j > 0 else -1
        for (k, e), (c, s) in waves.items():
            for sign in (1, -1):
                f = tuple(x + sign * y for x, y in zip(k, m, strict=True))
                # cos m = (e^im + e^-im)/2, sin m = (e^im - e^-im)/2i
                a, b = (c / 2, s / 2) if kind == "cos" else (-sign * s / 2, sign * c / 2)
                first = next((x for x in f if x), 0)
                if first < 0:
                    f, b = tuple(-x for x in f), -b
                found = out.setdefault((f, e), [0.0, 0.0])
                found[0] += a
                found[1] += b if first else 0.0
        return {w: (c, s) for w, (c, s) in out.items() if c or s}

    def _largest(self, movement: Monomial) -> float:
        """Return what a product of sines, cosines and slides never passes."""
        size = 1.0
        for i, e in movement:
            kind, key = self.eq.ring.symbols.generators[i].key[:2]
            if kind == "q":
                size *= float(self.postures.most[key - 1]) ** e * (1 + 1e-15 * e)
        return size


def _held(wave: Wave, c: float, s: float, held: Mapping[int, float]) -> Any:
    """Return minus a wave with some joints at rest somewhere, its size, and what rounding lost."""
    k, e = wave
    angle = math.fsum(k[j] * x for j, x in held.items())
    size = math.prod(x ** e[j] for j, x in held.items())
    f = tuple(0 if j in held else x for j, x in enumerate(k))
    # c cos(f + angle) + s sin(f + angle)
    a = (c * math.cos(angle) + s * math.sin(angle)) * size
    b = (s * math.cos(angle) - c * math.sin(angle)) * size
    first = next((x for x in f if x), 0)
    if first < 0:
        f, b = tuple(-x for x in f), -b
    rest = tuple(0 if j in held else x for j, x in enumerate(e))
    most = (abs(c) + abs(s)) * abs(size) * (1 + 1e-12)
    # a joint's place is off by u of itself, its product with k too, each power by e u
    turned = math.fsum(abs(k[j] * x) for j, x in held.items())
    lost = most * U * (4 * turned + 16 + 8 * sum(e))
    return ((f, rest), (-a, -b if first else 0.0)), most, lost


def _sorted(m: Monomial) -> Monomial:
    powers: dict[int, int] = {}
    for i, e in m:
        powers[i] = powers.get(i, 0) + e
    return tuple(sorted(powers.items()))


def _times(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> dict[Any, Any]:
    out: dict[Any, Any] = {}
    for m, x in a.items():
        for n, y in b.items():
            key = _sorted((*m, *n))
            out[key] = out[key] + x * y if key in out else x * y
    return out


def _middle(x: Interval) -> tuple[float, float]:
    """Return the middle of an interval as a float, and how far anything in it is away."""
    middle = float(x.mid())
    off = float((x - arb(middle)).abs_upper())
    return middle, off * (1 + 1e-12) + 5e-324


def _product(x: Array, y: Array) -> Array:
    """Return x yᵀ in parts so small that no library of matrices starts threads for them."""
    rows = max(1, SMALL // max(1, y.size))
    return np.concatenate([x[k : k + rows] @ y.T for k in range(0, len(x), rows)] or [x @ y.T])


class Waves:
    """Some coefficients over one set of waves: values and slopes, and what is lost by rounding."""

    def __init__(self, postures: Postures, K: Array, E: Array, a: Array, b: Array, total: Array,
                 radius: Array, count: Array):  # fmt: skip
        self.postures, self.K, self.E, self.a, self.b = postures, K, E, a, b
        self.sliding = bool(E.any())
        n, V = E.shape[1], K.shape[1]
        most = np.maximum(postures.most, LEAST)
        # slides in front at their largest, and how steep each wave is along each variable
        self.power = np.prod(most[:n] ** E, axis=1) * (1 + 8 * U * (n + E.sum(axis=1)))
        self.steep = np.abs(K)
        self.steep[:, :n] += E / most[:n] * up(1)
        size = total * self.power
        phase = np.abs(K) @ postures.most
        lost = count[:, None] + 2 + (V + 2) * phase + 8 + 8 * E.sum(axis=1) + 2 * (len(K) + 2)
        rate = np.maximum(1.0, self.steep.max(axis=1, initial=1.0))
        wide = 1 + (postures.to - postures.from_).sum()  # what a slope is multiplied by at most
        rounding = 2 * U * (1 + wide) * up(len(K)) * ((size * lost) @ rate)
        self.slack = radius * up(int(count.max(initial=0)) + 1) + rounding + 1e-300
        self.amount = size.sum(axis=1) * up(2 * len(K)) + self.slack  # never passed by any value

    def at(self, q: Array) -> tuple[Array, Array]:
        """Return values (N, P) and slopes (N, P, variables) at sums of angles (N, variables)."""
        phase = q @ self.K.T
        c, s = np.cos(phase), np.sin(phase)
        front = np.ones_like(phase)
        if self.sliding:
            for j in range(self.E.shape[1]):
                if self.E[:, j].any():
                    front = front * q[:, j, None] ** self.E[:, j]
        cf, sf = c * front, s * front
        value = _product(cf, self.a) + _product(sf, self.b)
        slope = np.empty((*value.shape, self.K.shape[1]))
        for v in range(self.K.shape[1]):
            k = self.K[:, v]
            at = _product(cf, k * self.b) - _product(sf, k * self.a) if k.any() else 0.0
            if v < self.E.shape[1] and self.E[:, v].any():
                grown = self._grown(q, v)
                at = at + _product(c * grown, self.a) + _product(s * grown, self.b)
            slope[..., v] = at
        return value, slope

    def values(self, q: Array) -> Array:
        """Return values alone."""
        phase = q @ self.K.T
        c, s = np.cos(phase), np.sin(phase)
        if self.sliding:
            front = np.prod(q[:, None, : self.E.shape[1]] ** self.E, axis=2)
            c, s = c * front, s * front
        return _product(c, self.a) + _product(s, self.b)

    def _grown(self, q: Array, v: int) -> Array:
        """Return the slope of the slides in front along one of them."""
        out = np.ones((len(q), len(self.K)))
        for j in range(self.E.shape[1]):
            e = self.E[:, j]
            if j == v:
                out = out * e * q[:, j, None] ** np.maximum(e - 1, 0)
            elif e.any():
                out = out * q[:, j, None] ** e
        return out
