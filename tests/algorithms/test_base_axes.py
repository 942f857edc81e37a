"""Models written in base axes equal those in link axes, and Pinocchio's of a long chain."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert import bench
from dalembert.algorithms import base_axes, composite, derivatives
from dalembert.algorithms.joint_forces import JointForces
from mechanisms import random_mechanisms, random_state
from peers import peer

MILD = dict(lengths={"metre": 1}, masses={"decade": 1, "equal": 1})


def close(found, wanted, part):
    a, b = (np.array([[float(x) for x in row] for row in M]) for M in (found, wanted))
    assert_allclose(a, b, atol=part * max(1.0, np.abs(b).max()), rtol=0)


@pytest.mark.parametrize("drives", ["none", "all"])
def test_base_axes_and_link_axes_give_the_same(drives):
    for m in random_mechanisms(25, 5, **MILD):
        q, qd, last = random_state(m, 5, mild=True)
        m = m.bound()
        forces = JointForces(m, drives)
        close(base_axes.composite_base(m, q), composite.composite(m, q), 1e-11)
        given = forces, q, qd, last
        wanted = derivatives.inverse_dynamics_derivatives(*given)
        for a, b in zip(base_axes.inverse_derivatives_base(*given), wanted, strict=True):
            close(a, b, 1e-10)


def test_the_recursion_undoes_the_mass_matrix():
    for m in random_mechanisms(25, 6, **MILD):
        q, qd, tau = random_state(m, 6, mild=True)
        m = m.bound()
        M = np.array([[float(x) for x in row] for row in composite.composite(m, q)])
        if np.linalg.cond(M) > 1e5:
            continue
        given = JointForces(m, "none"), q, qd, tau
        found = base_axes.forward_derivatives_base(*given)
        wanted = derivatives.forward_dynamics_derivatives(*given)
        close(np.array(found[2], dtype=float) @ M, np.eye(m.nv), 1e-9)
        for a, b in zip(found, wanted, strict=True):
            close(a, b, 1e-8)


@pytest.mark.parametrize("name", ["mass_matrix", "inverse_dynamics_derivatives"])
def test_a_long_chain_moves_as_in_pinocchio(name):
    peer("pinocchio")
    from dalembert.bench.peers import Pinocchio
    from dalembert.bench.rows import difference, ours, states

    m = bench.chain(35)  # base axes are its default
    run, out = ours(m, name, 5)
    peer_run, peer_out = Pinocchio(m).run(name, states(m, 5), True)
    run(1)
    peer_run(1)
    assert difference(out, peer_out()) < 1e-12
