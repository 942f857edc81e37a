"""Regressors of the motors of closed machines: rows are motors, columns those of the machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da

WHEELED = replace(
    da.robots.mobile_manipulator(), active=("spin_left", "spin_right", "shoulder", "elbow")
)
BAR = da.robots.fivebar()
MACHINES = {
    "five-bar": BAR,
    "five-bar, one motor to spare": replace(BAR, active=("crankA", "crankB", "rodA")),
    "five-bar, motors named the other way": replace(BAR, active=("crankB", "crankA")),
    "on wheels": WHEELED,
}


def states(m, seed=0):
    """Return a closed motion, and rates that open the loops or slip."""
    rng = np.random.default_rng(seed)
    q = da.regular_pose(m) if m.loops else rng.normal(size=m.nq)
    loose = rng.normal(size=(2, m.nv))
    return q, loose, da.tree_motion(m, q, *loose)


@pytest.mark.parametrize("name", MACHINES)
def test_motor_forces_are_linear_in_the_parameters(name):
    m = MACHINES[name]
    q, loose, (qd, qdd) = states(m)
    wanted = da.inverse_dynamics(m, q, qd, qdd)
    phi = np.array(da.parameter_vector(m.bound()), dtype=float)
    for motion in ((qd, qdd), loose):  # rates of joints that follow are not read
        Y = da.active_regressor(m, q, *motion)
        assert Y.shape == (len(m.active), len(phi))
        np.testing.assert_allclose(Y @ phi, wanted, atol=1e-9)


@pytest.mark.parametrize("name", ["five-bar", "on wheels"])
def test_base_columns_are_those_of_the_base_parameters(name):
    m = MACHINES[name]
    q, _, (qd, qdd) = states(m, 1)
    base = da.base_parameters(m)
    Y = da.active_regressor(m, q, qd, qdd, columns="base")
    assert Y.shape[-1] == len(base) < len(da.base_parameters(m.tree))
    values = np.array(base.values(m.bound()), dtype=float)
    np.testing.assert_allclose(Y @ values, da.inverse_dynamics(m, q, qd, qdd), atol=1e-8)
    with pytest.raises(da.UsageError, match="cut tree"):
        da.energy_regressor(m, q, qd, columns="base")
    with pytest.raises(da.UsageError, match="columns"):
        da.active_regressor(m, q, qd, qdd, columns="all")


def test_what_no_motor_makes_has_no_tree_torques():
    m = replace(da.robots.mobile_manipulator(), active=("spin_left", "spin_right", "shoulder"))
    q, _, (qd, qdd) = states(m)
    made = da.forward_dynamics(m, q, qd, [0.3, -0.2, 1.0])
    forces = da.tree_torques(m, q, qd, made)
    np.testing.assert_allclose(forces, da.inverse_dynamics(m.tree, q, qd, made), atol=1e-9)
    with pytest.raises(da.ComputationError, match="cannot make this motion"):
        da.tree_torques(m, q, qd, qdd)
