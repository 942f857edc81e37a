"""How noisy each equation of a closed machine is: near a dead point of its motors far more so.

Motors that hardly move the others there pass the noise of their positions on many times larger.
Least squares is right only if such equations count less (weights that are inverse variances:
Khalil and Dombre, Modeling, Identification and Control of Robots, section 12.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..measure.motion import MeasuredMotion
from ..mechanism import is_closed
from ..plan import planned
from .closing import free_motions, leaders, led
from .unknowns import Unknowns, freedom_forces

Array = np.ndarray
FEW = 1000  # samples that say what is usual
NORMAL = 1.4826  # standard deviations in a median of sizes


@dataclass(frozen=True, eq=False)
class LoopNoise:
    """Deviations of the equations of a closed machine, from those of positions and of forces."""

    u: Unknowns
    d: MeasuredMotion
    fast: Array  # of each force, what is left of its noise in an equation
    usual: Array  # the deviation of most samples, that weights are parts of

    def weights(self, at: slice, thinned: Callable[[Array], Array]) -> Array:
        """Return weights of equations, (equations, forces), from samples and how they are thinned.

        Noise of positions is slow, as its filter made it: over the samples of an equation it is one
        number, and what it does to them may cancel. Noise of forces changes with every sample.
        """
        total = self.fast**2
        for change in changes(self.u, self.d, at):
            total = total + thinned(change) ** 2
        deviation = np.sqrt(np.maximum(total, 1e-24 * self.usual**2))
        return np.asarray(np.where(np.isfinite(deviation), self.usual / deviation, 0.0))


def loop_noise(u: Unknowns, d: MeasuredMotion, tau: Array, window: Array) -> LoopNoise | None:
    """Return the noise of a closed machine; None for others, and where none is known.

    On a tree it hardly changes along a motion.
    """
    if d.spread is None or not is_closed(u.m) or u.m.nq != u.m.nv:
        return None
    fast = force_noise(tau) * np.sqrt((window**2).sum())
    some = slice(0, len(d), max(1, len(d) // FEW))
    moved = sum(change**2 for change in changes(u, d, some))
    usual = np.sqrt(np.nanmedian(fast**2 + moved, axis=0))
    return LoopNoise(u, d, fast, usual) if (usual > 0).all() else None


def changes(u: Unknowns, d: MeasuredMotion, at: slice) -> Iterator[Array]:
    """Yield what one deviation of the noise of a leading joint does to the forces of samples.

    To first order, by the nominal model, where loops are closed: (n, forces) for each coordinate
    that leads and each independent error of its position, rate and acceleration.
    """
    assert d.spread is not None
    rows = np.arange(len(d))[at]
    good = d.valid[rows] & np.isfinite(d.spread[rows]).all(axis=(1, 2, 3))
    whole = rows[good]
    if not len(whole):
        return
    groups = [(own, led(own, *(x[whole[part]] for x in (d.q, d.qd, d.qdd))), part)
              for own, part in leaders(u.m, free_motions(u.m, d.q[whole]))]  # fmt: skip
    values, vectors = np.linalg.eigh(d.spread[whole])
    half = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    known = [freedom_forces(u.m, *state, "inertia") for _, state, _ in groups]
    for k in sorted({k for own, _, _ in groups for k in planned(own).independent}):
        for r in range(3):
            out = np.zeros((len(rows), known[0].shape[1]))
            for (own, state, part), rest in zip(groups, known, strict=True):
                moved = [np.array(x) for x in state]
                for x, off in zip(moved, half[part, k, :, r].T, strict=True):
                    x[:, k] += off
                there = np.flatnonzero(good)[part]
                out[there] = freedom_forces(u.m, *led(own, *moved), "inertia") - rest
            yield out


def force_noise(tau: Array) -> Array:
    """Return the deviation of a sample of each force that changes from one to the next.

    By second differences of the samples, whose median no motion moves.
    """
    made = []
    for x in tau.T:
        x = x[np.isfinite(x)]
        bend = np.abs(x[2:] - 2 * x[1:-1] + x[:-2])
        made.append(NORMAL * float(np.median(bend)) / np.sqrt(6.0) if len(bend) else 0.0)
    return np.array(made)
