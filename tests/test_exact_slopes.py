"""Slopes of a long chain beside exact ones: who is off where two engines differ by 1e-12."""

import numpy as np
import pytest

from dalembert import bench
from dalembert.algorithms.articulated_body import articulated_body
from dalembert.bench.rows import difference, ours, states

BITS = 6000  # balls grow along the chain
STEP = -130  # of central differences, 2**STEP: they are off by 2**(2 STEP)


def exact_column(m, state, which, k):
    """Return the derivative of the accelerations by entry k of q (0) or qd (1)."""
    flint = pytest.importorskip("flint")
    before, flint.ctx.prec = flint.ctx.prec, BITS
    try:
        h = flint.arb(2) ** STEP
        ends = []
        for sign in (1, -1):
            given = [[flint.arb(float(x)) for x in row] for row in state]
            given[which][k] += sign * h
            ends.append(articulated_body(m, *given))
        found = [(a - b) / (2 * h) for a, b in zip(*ends, strict=True)]
        assert all(x.rad() < 1e-20 for x in found)
        return np.array([float(x.mid()) for x in found])
    finally:
        flint.ctx.prec = before


@pytest.mark.slow
def test_slopes_of_a_chain_of_100_joints_are_exact_to_1e_12():
    from dalembert.bench.peers import Pinocchio

    pytest.importorskip("pinocchio")
    m, count = bench.chain(100), 8
    given = states(m, count)
    run, out = ours(m, "forward_dynamics_derivatives", count)
    run(1)
    peer_run, peer_out = Pinocchio(m).run("forward_dynamics_derivatives", given, True)
    peer_run(1)
    theirs = peer_out()
    assert difference(out, theirs) < 1e-11  # κ of the scaled mass matrix is 4e5
    # at the entry where both differ most
    apart = [np.abs(a - b) for a, b in zip(out[:2], theirs[:2], strict=True)]
    which = max((0, 1), key=lambda w: apart[w].max() / np.abs(out[w]).max())
    state, _, k = np.unravel_index(apart[which].argmax(), apart[which].shape)
    wanted = exact_column(m.bound(m.values), [x[state] for x in given], which, int(k))
    scale = np.abs(theirs[which]).max()
    mine, other = (np.abs(x[which][state][:, k] - wanted).max() / scale for x in (out, theirs))
    assert mine < 1e-12 and mine < other
