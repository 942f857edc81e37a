"""Samples to triangles: regressor and force are filtered alike, thinned out and factored.

Only triangular factors are kept: one for every joint and every stretch of time, so that any weight
of the joints and any choice of stretches can be solved without the samples (Golub and Van Loan,
section 5.2: QR of stacked rows).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..errors import UsageError
from ..measure.motion import MeasuredMotion
from .loop_noise import LoopNoise, loop_noise
from .loud import noise_of_columns
from .unknowns import Unknowns, equation_indices

Array = np.ndarray
Layout = Sequence[tuple[Array, Array]]  # of each force: where its values lie, which columns
CHUNK = 8192  # samples held at once
ROUNDED = 1e-13  # pivots of columns of unit length that are roundings
PIECE = 128  # rows of a product or of a factor
NOISY = 1e-4  # residual of the force that shows measured data
STRETCHES = 24  # of the training part, whose residuals say how sure the fit is
FEW = 2000  # samples whose spread is looked at
DEAD = 3.0  # standard deviations of a speed below which its sign is not known
SHARP = 5.0  # samples kept per period of the cut-off


@dataclass
class Stretch:
    """Triangular factors of [Y tau], one per joint, of some stretch of time."""

    R: list[Array]  # (columns + 1) squared at most
    rows: Array  # how many equations each joint has
    sum: Array  # (2, forces): of what is fitted, and of the measured forces; for R²
    squares: Array  # of both

    @staticmethod
    def empty(forces: int, columns: int) -> Stretch:
        """Return a stretch without samples."""
        R = [np.zeros((0, columns + 1)) for _ in range(forces)]
        return Stretch(R, np.zeros(forces), np.zeros((2, forces)), np.zeros((2, forces)))

    def add(
        self, flat: Array, layout: Layout, both: tuple[Array, Array], use: Array,
        weight: Array | None = None,
    ) -> None:  # fmt: skip
        """Take equations in: values (n, size), where those of each force lie, forces, use, weight.

        - `both`: the forces less their known part, and as they were measured.
        """
        tau = both[0]
        across = np.ascontiguousarray(flat.T)  # columns are gathered row by row
        forces = np.ascontiguousarray(tau.T)
        for j, (places, columns) in enumerate(layout):
            rows = use[:, j]
            if not rows.any():
                continue
            a = np.empty((len(places) + 1, len(flat)))
            np.take(across, places, axis=0, out=a[:-1])
            a[-1] = forces[j]
            if weight is not None:
                a *= weight[:, j]
            R = factor(a if rows.all() else a[:, rows])
            wide = np.zeros((len(R), self.R[j].shape[1]))
            wide[:, [*columns, -1]] = R
            self.R[j] = triangle([self.R[j], wide])
            self.rows[j] += rows.sum()
            self.sum[:, j] += [x[rows, j].sum() for x in both]
            self.squares[:, j] += [(x[rows, j] ** 2).sum() for x in both]

    def merge(self, other: Stretch) -> None:
        """Take in the equations of another stretch."""
        for j, R in enumerate(other.R):
            if len(R):
                self.R[j] = triangle([self.R[j], R])
        self.rows, self.sum = self.rows + other.rows, self.sum + other.sum
        self.squares = self.squares + other.squares


def factor(a: Array) -> Array:
    """Return R with RᵀR = a aᵀ, a row of `a` being a column, the last one the measured force.

    By the product a aᵀ, which costs a third of Householder's reflections. It is off by roundings of
    its largest entries, so it serves where noise leaves a residual far above them (`NOISY`, in
    parts of the force), as measurements do; data without noise are reflected.
    """
    if a.shape[1] > 4 * len(a):
        gram = product(a)
        size = np.sqrt(np.diag(gram))
        size[size == 0] = 1.0
        unit = gram / np.outer(size, size)
        try:
            R = np.linalg.cholesky(unit).T
        except np.linalg.LinAlgError:  # columns that this piece cannot tell apart
            R = semidefinite(unit)
        if R[-1, -1] > NOISY:
            return np.asarray(R * size)
    return triangle([a.T])


def semidefinite(gram: Array) -> Array:
    """Return R with RᵀR = gram of unit diagonal, its last row that of the last column.

    Cholesky's factor with the largest pivot first, until what is left is rounding (Higham, Accuracy
    and Stability of Numerical Algorithms, section 10.3).
    """
    left, rows = gram.copy(), []
    for _ in range(len(gram) - 1):
        k = int(np.argmax(left.diagonal()[:-1]))
        if left[k, k] <= ROUNDED:
            break
        rows.append(left[k] / np.sqrt(left[k, k]))
        left -= np.outer(rows[-1], rows[-1])
    last = np.zeros(len(gram))
    last[-1] = np.sqrt(max(left[-1, -1], 0.0))
    return np.array([*rows, last])


def product(a: Array) -> Array:
    """Return a aᵀ by pieces too small for a BLAS to start threads, which cost more than they do."""
    whole = a.shape[1] // PIECE * PIECE
    parts = a[:, :whole].reshape(len(a), -1, PIECE).transpose(1, 0, 2)
    rest = a[:, whole:]
    return np.asarray((parts @ parts.transpose(0, 2, 1)).sum(axis=0) + rest @ rest.T)


def triangle(rows: Sequence[Array]) -> Array:
    """Return R of the QR factors of stacked rows: of short pieces, then of their triangles.

    Demmel, Grigori, Hoemmen and Langou, Communication-optimal parallel and sequential QR (2012),
    section 3: a tree of factors. The pieces stay in the cache, and start no threads of a BLAS.
    """
    a = np.concatenate(rows)
    wide = a.shape[1]
    high = max(PIECE, 4 * wide)
    while len(a) > high and wide:
        whole = len(a) // high * high
        R = np.asarray(np.linalg.qr(a[:whole].reshape(-1, high, wide), mode="r"))
        a = np.concatenate([R.reshape(-1, wide), a[whole:]])
    return np.asarray(np.linalg.qr(a, mode="r"))


@dataclass(frozen=True)
class Equations:
    """All equations of a log: stretches to fit, and what was held out."""

    unknowns: Unknowns
    training: list[Stretch] = field(repr=False)
    holdout: Stretch = field(repr=False)
    forces: tuple[str, ...] = ()
    every: int = 1  # samples per equation
    held_from: int = 0  # the first sample that is held out
    notes: tuple[str, ...] = ()
    noise: Array | None = field(default=None, repr=False)  # of the columns, per equation


def equations(u: Unknowns, d: MeasuredMotion, holdout: float) -> Equations:
    """Return the equations of a log; its last part is held out."""
    if d.tau is None:
        raise UsageError(
            "the motion holds no measured forces",
            hint="a table needs columns tau.<joint>; --columns tau.j1=current_1:*12.5",
        )
    indices = equation_indices(u.m)
    tau = d.tau if indices == [*range(d.tau.shape[1])] else d.tau[:, indices]  # no copy of a log
    names = tuple(u.m.rate_names[k] for k in indices)
    seen = np.isfinite(tau).any(axis=0)
    if not seen.any():
        raise UsageError("no joint has measured forces", hint="columns tau.<joint>")
    notes = [f"{n}: no measured force" for n, s in zip(names, seen, strict=True) if not s]
    every = _every(d)
    first, last = _spans(len(d), holdout, len(_window(every)))
    training = [Stretch.empty(len(indices), len(u.names)) for _ in first[1:]]
    kept = Stretch.empty(len(indices), len(u.names))
    with_friction = (
        {u.m.velocity_index[x.joint] for x in u.m.drives} if u.drives == "all" else set()
    )
    dead = np.where([k in with_friction for k in indices], dead_zone(d, indices), 0.0)
    noisy = loop_noise(u, d, tau, _window(every))
    for a, b, target, w in [
        *((a, b, s, noisy) for a, b, s in zip(first[:-1], first[1:], training, strict=True)),
        (last[0], last[1], kept, None),
    ]:
        for part in _filtered(u, d, tau, indices, (int(a), int(b)), every, dead, w):
            target.add(*part)
    if not any(s.rows.sum() for s in training):
        raise _nothing(d, tau, dead, len(_window(every)))
    if every > 1:
        notes.append(f"regressor and forces filtered alike, one equation per {every} samples")
    moving = np.stack([np.abs(d.qd[:, k]) > x for k, x in zip(indices, dead, strict=True)], axis=1)
    noise = noise_of_columns(u, d, np.isfinite(tau) & (moving | (dead == 0)))
    return Equations(u, training, kept, names, every, last[0], tuple(notes), noise)


def _nothing(d: MeasuredMotion, tau: Array, dead: Array, reach: int) -> UsageError:
    """Return why no equation is left."""
    whole = d.valid & np.isfinite(tau).any(axis=1)
    if not whole.any():
        return UsageError("no sample is whole: position, rates and forces are needed together")
    if not dead.any():
        return UsageError(
            f"the log is too short: an equation takes {reach} whole samples in a row",
            hint="log for longer, or give cutoff= in Hz",
            command="log for longer, or give --cutoff HZ",
        )
    return UsageError(
        "the joints stand still: no speed is larger than its noise, so friction has no sign",
        hint="let every joint move; friction=False needs no speed",
        command="let every joint move; --no-friction needs no speed",
    )


def _every(d: MeasuredMotion) -> int:
    """Return how many samples make one equation: the motion holds nothing above its cut-off."""
    if d.cutoff is None or not np.isfinite(d.cutoff).any():
        return 1
    rate = 1.0 / float(np.median(np.diff(d.t)))
    return max(1, int(rate / (SHARP * float(np.nanmax(d.cutoff)))))


def require_share(holdout: float) -> None:
    """Raise UsageError if a share that is held out is none."""
    if isinstance(holdout, bool) or not 0 <= holdout < 0.9:
        raise UsageError(f"holdout={holdout!r} is not a share", hint="0.2 keeps the last fifth")


def _spans(n: int, holdout: float, reach: int) -> tuple[Array, tuple[int, int]]:
    """Return the ends of stretches, each of two equations or more, and what is held out."""
    require_share(holdout)
    end = round(n * (1 - holdout))
    count = min(STRETCHES, max(1, end // (2 * reach))) if reach > 1 else STRETCHES
    return np.linspace(0, end, count + 1).astype(int), (end, n)


def dead_zone(d: MeasuredMotion, indices: list[int]) -> Array:
    """Return the speed of each motor below which the noise hides the sign."""
    if d.spread is None:
        return np.zeros(len(indices))
    some = np.unique(np.linspace(0, len(d) - 1, FEW).astype(int))
    return DEAD * np.sqrt(np.nanmedian(d.spread[some][:, indices, 1, 1], axis=0))


def _window(every: int) -> Array:
    """Return the samples' shares in one equation."""
    window = np.hanning((4 * every if every > 1 else 1) + 2)[1:-1]
    return np.asarray(window / window.sum())


def _filtered(
    u: Unknowns, d: MeasuredMotion, tau: Array, indices: list[int], span: tuple[int, int],
    every: int, dead: Array, noise: LoopNoise | None = None,
) -> Iterator[tuple[Array, Layout, tuple[Array, Array], Array, Array | None]]:  # fmt: skip
    """Yield (values, layout, forces, use, weight) of a stretch in pieces; all filtered alike."""
    whole = d.valid
    window = _window(every)
    reach = len(window)
    step = CHUNK // every * every or every
    for a in range(span[0], span[1], step):
        b = min(a + step + reach - every, span[1])
        if b - a < reach:
            continue
        at = slice(a, b)
        ok = whole[at]
        q, qd, qdd = (np.where(ok[:, None], x[at], x[at][ok][0] if ok.any() else 0.0)
                      for x in (d.q, d.qd, d.qdd))  # fmt: skip
        if not ok.any():
            continue
        flat, layout = u.flat(q, qd, qdd)
        force = tau[at] - u.known(q, qd, qdd)
        good = ok[:, None] & np.isfinite(force)
        force, measured = (np.where(good, x, 0.0) for x in (force, tau[at]))
        moving = np.abs(qd[:, indices]) > dead
        if every == 1:
            weight = None if noise is None else noise.weights(at, lambda x: x)
            yield flat, layout, (force, measured), good & (moving | (dead == 0)), weight
            continue
        count = (b - a - reach) // every + 1
        index = every * np.arange(count)[:, None] + np.arange(reach)
        thinning = partial(thinned, window=window, every=every, count=count)
        thin = thinning(flat)
        use = good[index].all(axis=1) & (moving[index].all(axis=1) | (dead == 0))
        weight = None if noise is None else noise.weights(at, thinning)
        yield thin, layout, (thinning(force), thinning(measured)), use, weight


def thinned(x: Array, window: Array, every: int, count: int) -> Array:
    """Return Σ_w window[w] x[every k + w] of each k, without copies of stretches that overlap."""
    hops = len(window) // every
    blocks = x[: (count + hops - 1) * every].reshape(count + hops - 1, every, -1)
    parts = window.reshape(hops, every) @ blocks  # (blocks, hops, columns)
    return np.asarray(sum(parts[h : h + count, h] for h in range(hops)))
