"""How long the steps of a solver may be along a signal, so that nothing of it is stepped over.

Neighbouring pieces that one cubic reproduces are a block. Within blocks of like length no step is
longer than the shortest of them; where they end, or the signal jumps or bends, a step ends too.
"""

from __future__ import annotations

import numpy as np

from .signal import Signal

Array = np.ndarray
CLOSE = 1e-6  # of a column's range: what a cubic leaves out of a block
ROUNDING = 1e-13  # of a column's largest value
MANY = 65536  # pieces that are looked at together
_NODES = np.arange(4) / 3


def stops(signal: Signal | None, start: float, end: float) -> list[tuple[float, float]]:
    """Return times at which a step must end, `end` the last, and the longest step up to each."""
    whole = end - start or 1.0
    if signal is None or not end > start:
        return [(end, whole)]
    own = _within(signal.spanning(start, end), start, end)
    values = own.coefficients[:, :, -1]
    close = CLOSE * np.ptp(values, axis=0) + ROUNDING * np.abs(values).max(axis=0) + own.noise
    first = np.flatnonzero(_begins(own, close))
    lengths = np.diff(own.breaks[[*first, -1]])
    power = np.frexp(lengths)[1]
    bent = _bent(own, close)[first[1:] - 1]
    cut = np.flatnonzero((power[1:] != power[:-1]) | bent) + 1
    limits = np.minimum.reduceat(lengths, [0, *cut])
    times = [*own.breaks[first[cut]], end]
    return [(float(t), float(limit)) for t, limit in zip(times, limits, strict=True)]


def _within(signal: Signal, start: float, end: float) -> Signal:
    """Return the pieces between two times, which the signal spans."""
    inner = signal.breaks[(signal.breaks > start) & (signal.breaks < end)]
    return signal.about(np.array([start, *inner, end]))


def _begins(signal: Signal, close: Array) -> Array:
    """Return for each piece whether a block begins there: twice as many pieces while they fit."""
    n, width = len(signal.breaks) - 1, 1
    size, good = np.ones(n, dtype=int), np.ones(n, dtype=bool)
    while width < n and good.any():
        width *= 2
        padded = np.append(good, np.ones(len(good) % 2, dtype=bool))
        good = np.asarray(padded.reshape(-1, 2).all(axis=1))
        asked = np.flatnonzero(good)
        for few in np.array_split(asked, len(asked) * width // MANY + 1):
            good[few] = _fits(signal, close, few * width, width)
        size[np.repeat(good, width)[:n]] = width
    return np.asarray(np.arange(n) % size == 0)


def _fits(signal: Signal, close: Array, first: Array, width: int) -> Array:
    """Return whether a cubic through four values of each block is all its pieces.

    It is looked at in so many places of a piece, both ends among them, that none can differ.
    """
    breaks = signal.breaks
    last = np.minimum(first + width, len(breaks) - 1)
    a, length = breaks[first], breaks[last] - breaks[first]
    nodes = signal(a[:, None] + length[:, None] * _NODES)
    nodes[:, 3] = signal.at_parts(np.ones(1), last - 1)[:, 0]  # before it jumps, if it does
    # the last block may have fewer pieces: its last one again
    k = np.minimum(first[:, None] + np.arange(width), last[:, None] - 1)
    parts = np.linspace(0, 1, max(4, signal.coefficients.shape[2]))
    t = breaks[k][..., None] + np.diff(breaks)[k][..., None] * parts
    s = (t - a[:, None, None]) / length[:, None, None]
    cubic = np.einsum("bwpi,bic->bwpc", _weights(s), nodes)
    samples = signal.at_parts(parts, k.ravel()).reshape(cubic.shape)
    return np.asarray((np.abs(cubic - samples) <= close).all(axis=(1, 2, 3)))


def _weights(s: Array) -> Array:
    """Return the weights of four values at equal distances in their cubic at parts s."""
    out = np.ones((*s.shape, 4))
    for i, own in enumerate(_NODES):
        for other in np.delete(_NODES, i):
            out[..., i] *= (s - other) / (own - other)
    return out


def _bent(signal: Signal, close: Array) -> Array:
    """Return for each inner break whether a column jumps there, or bends too much for its range."""
    h = np.diff(signal.breaks)
    near = np.maximum(h[:-1], h[1:])[:, None]
    out = np.zeros(len(h) - 1, dtype=bool)
    for own, size in ((signal, 1.0), (signal.derivative(), near)):
        before = own.at_parts(np.ones(1))[:-1, 0]
        out |= (np.abs(before - own.coefficients[1:, :, -1]) * size > close).any(axis=1)
    return out
