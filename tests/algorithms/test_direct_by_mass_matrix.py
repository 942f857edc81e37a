"""The direct model by composite bodies undoes the inverse model, in fewer operations."""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import program_of
from mechanisms import random_mechanisms, random_state, random_wrenches
from models import composite_direct, newton_euler
from symoro import base, rx90


@pytest.mark.parametrize(
    "m", random_mechanisms(20, seed=31, dof=(1, 8), massless=0, masses={"decade": 1}), ids=str
)
def test_direct_undoes_inverse(m):
    m = m.bound()
    q, qd, qdd = random_state(m, seed=2, mild=True)
    wrenches = random_wrenches(m, 3)
    tau = newton_euler(m, q, qd, qdd, wrenches, "all")
    found = composite_direct(m, q, qd, tau, wrenches, "all")
    assert np.allclose(found, qdd, rtol=1e-7, atol=1e-7)


def test_the_kernel_agrees_with_articulated_bodies():
    m = da.robots.puma560()
    q, qd, tau = np.random.default_rng(0).normal(size=(3, 4, 6))
    one, other = (
        da.forward_dynamics(m, q, qd, tau, method=method)
        for method in ("composite", "articulated_body")
    )
    assert np.abs(one - other).max() < 1e-11 * np.abs(other).max()


def test_rx90_needs_fewer_operations_than_any_published_direct_model():
    cost = program_of(rx90(base), "forward_dynamics", "composite", drives="none").cost
    assert sum(c.mul + c.add for c in cost.values()) <= 850


@pytest.mark.parametrize("method", ["composite", "direct_from_inverse", "articulated_body"])
def test_a_joint_that_moves_nothing_is_named(method):
    m = da.load("RZ(),RX(),TXK(1); body 1: M = 1, D = (1, 0, 0);")
    with pytest.raises(da.SingularModel, match="j2"):
        da.compile(m, "forward_dynamics", method)
