"""Models written in base axes equal those in link axes, and Pinocchio's of a long chain."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert import bench
from dalembert.algorithms import base_axes, composite, derivatives
from dalembert.algorithms.joint_forces import JointForces
from dalembert.compute.cheapest import is_compact
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


def test_a_tree_far_from_the_base_loses_no_digits():
    """Masses and slopes do not know where a free base or a gantry has carried the tree."""
    swimmer = da.robots.snake(n=18)
    gantry = da.load(
        "X: TX(), Y: TY(), " + ", ".join(f"R{'XYZ'[k % 3]}(), TXK(0.1)" for k in range(18)) + ";"
    )
    gantry = gantry.with_values(**dict.fromkeys(gantry.open_parameters, 0.3))
    for m, moved in ((swimmer, [0, 1, 2]), (gantry, [0, 1])):
        assert is_compact(m)
        rng = np.random.default_rng(3)
        q = np.array(da.integrate(m, da.neutral(m), rng.normal(size=m.nv)))
        qd, qdd = rng.normal(size=(2, m.nv))
        away = q.copy()
        away[moved] += 1e6
        near, far = (da.mass_matrix(m, x, method="base_axes") for x in (q, away))
        assert_allclose(far, near, rtol=0, atol=1e-13 * np.abs(near).max())
        rows = [
            da.inverse_dynamics_derivatives(m, x, qd, qdd, method="base_axes") for x in (q, away)
        ]
        for near, far in zip(*rows, strict=True):
            assert_allclose(far, near, rtol=0, atol=1e-12 * np.abs(near).max())


def test_trees_that_slide_after_they_turn_keep_link_axes():
    chain = "RZ(), TXK(0.1), " * 20
    assert is_compact(da.load(chain[:-2] + ";"))
    assert not is_compact(da.load(chain + "TX(), " + chain[:-2] + ";"))
