"""Mistakes in the positions of a log: what would explain its forces far better.

Each guess changes the positions as a mistake would (columns swapped, another sign, degrees, a zero
that is off), fits all parameters again to some samples and compares residuals. Noise cannot be
fitted away by any of them, so a log without mistakes keeps its residual.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

from ..errors import shown
from ..measure.columns import told_map
from ..mechanism import is_closed
from .geometry import geometry
from .result import Identification
from .sample import Sample, State, sample_of, single_joints
from .unknowns import equation_indices

Array = np.ndarray
SOME = 200  # samples that are fitted
MOST = 12  # joints of which all pairs are tried, else only neighbours
BETTER = 0.5  # of the residual of a force, below which a guess is told
WORSE = 1.2  # of the others, above which it is not
ALIKE = 1.2  # times the best residual, below which a guess is told beside it
DEGREE = np.pi / 180


def mistakes(f: Identification) -> list[str]:
    """Return the mistake in the positions that explains the forces best, if one does."""
    s = None if is_closed(f.nominal) else sample_of(f, SOME)
    if s is None:
        return []
    have = s.weight > 0
    own = s.residual(s.state)[have]
    if np.sqrt((own**2).mean()) < 0.5:  # forces that are computed: all but rounding is explained
        return []
    guesses = []
    for text, state in _guesses(s):
        share = s.residual(state)[have] / own
        # one force is explained far better, and none is explained worse
        if share.min() < BETTER and (share < WORSE).all():
            guesses.append((float(np.exp(np.log(share).mean())), float(share.min()), text))
    if guesses:
        best = min(x for x, *_ in guesses)
        alike = [g for g in guesses if g[0] < ALIKE * best]
        told = "; or ".join(text for *_, text in alike)
        return [f"{told}; the residual falls to {100 * alike[0][1]:.2g} % so"]
    return geometry(f)


def _guesses(s: Sample) -> Iterator[tuple[str, State]]:
    """Yield what may be wrong, and the samples without that mistake."""
    m, joints, heads = s.f.nominal, single_joints(s.f), s.f.motion.heads
    near = combinations(joints, 2) if len(joints) <= MOST else pairwise(joints)
    for (a, i, j), (b, k, v) in near:
        state = _copied(s)
        for x, pair in ((state[0], (i, k)), (state[1], (j, v)), (state[2], (j, v))):
            x[:, pair] = x[:, pair[::-1]]
        swap = f"map {told_map(heads, a, f'q.{b}')},{told_map(heads, b, f'q.{a}')}"
        yield f"the positions of {shown(a)} and {shown(b)} may be swapped: {swap}", state
    for name, i, j in joints:
        n, state = shown(name), _scaled(s, [(i, j)], -1.0)
        turned = told_map(heads, name, f"q.{name}", ":-")
        yield f"the positions of {n} may have the other sign: map {turned}", state
        tau = state[3].copy()
        tau[:, equation_indices(m).index(j)] *= -1
        force = told_map(heads, f"tau.{name}", f"tau.{name}", ":-")
        told = f"{n} may count positions and forces the other way: map {turned},{force}"
        yield told, (*state[:3], tau)
    owner = [body for body in m.bodies for _ in range(body.joint.nv)]
    angles = [x for x in joints if owner[x[2]].joint.kind == "revolute"]
    if angles:
        at, n = [(i, j) for _, i, j in angles], angles[0][0]
        first = told_map(heads, n, f"q.{n}", ":deg")
        told = f"the positions may be degrees: map {first} and so on"
        yield told, _scaled(s, at, DEGREE)
        told = "the positions may be radians that were read as degrees: leave :deg out"
        yield told, _scaled(s, at, 1 / DEGREE)


def _copied(s: Sample) -> State:
    q, qd, qdd, tau = s.state
    return q.copy(), qd.copy(), qdd.copy(), tau


def _scaled(s: Sample, at: list[tuple[int, int]], times: float) -> State:
    state = _copied(s)
    for i, j in at:
        state[0][:, i] *= times
        state[1][:, j] *= times
        state[2][:, j] *= times
    return state
