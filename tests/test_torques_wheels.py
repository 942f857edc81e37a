"""Forces along motions of machines on wheels: those of the motors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from wheeled import snake

SPINS = ("spin_left", "spin_right")


def drive():
    m = replace(da.robots.differential_drive(), active=SPINS)
    from dalembert.mechanism import Drive

    at = [m.joint_index(n) for n in SPINS]
    return replace(m, drives=tuple(Drive(j, 0.01, coulomb=(0.1, -0.1), viscous=0.05) for j in at))


def test_forces_of_the_motors_make_the_motion():
    m, move = drive(), da.trajectory.quintic([0.0, 0.0], [3.0, 4.0], 2.0)
    f = da.torques_along(m, move, start=np.zeros(5))
    assert f.names == SPINS and f.tau.shape == (len(f.t), 2)
    want = da.inverse_dynamics(m, f.q, f.qd, f.qdd, drives="all")
    np.testing.assert_allclose(f.tau, want, atol=1e-12)
    np.testing.assert_allclose(sum(f.parts.values()), f.tau, atol=1e-12)
    # the direct model, run with these forces, ends where the motion does
    table = np.zeros((len(f.t), 5 + len(m.wheels)))
    table[:, 3:5] = f.tau
    r = da.simulate(m, np.zeros(5), torque=(f.t, table), t=[0.0, 2.0])
    np.testing.assert_allclose(r.q[-1], f.q[-1], atol=2e-3)
    np.testing.assert_allclose(f.q[-1, 3:], [3.0, 4.0], atol=1e-12)


def test_a_motion_of_all_joints_must_keep_the_wheels():
    m, move = drive(), da.trajectory.quintic([0.0, 0.0], [3.0, 4.0], 2.0)
    f = da.torques_along(m, move, start=np.zeros(5))
    again = da.torques_along(m, (f.t, f.q, f.qd, f.qdd))
    np.testing.assert_allclose(again.tau, f.tau, atol=1e-12)
    bad = f.qd.copy()
    bad[:, 1] += 0.1
    with pytest.raises(da.ComputationError, match="break the constraints"):
        da.torques_along(m, (f.t, f.q, bad, f.qdd))


def test_motors_must_be_named_and_decide_the_motion():
    move = da.trajectory.quintic([0.0, 0.0], [0.3, 0.4], 2.0)
    with pytest.raises(da.UsageError, match="no motor is named"):
        da.torques_along(da.robots.differential_drive(), move)
    one = da.load(snake(np.random.default_rng(3), 3, ("p1",)))
    with pytest.raises(da.UsageError, match="no motor moves"):
        da.torques_along(one, move)
    truck = replace(da.robots.truck(1), active=("x",))
    with pytest.raises(da.UsageError, match="delta"):
        da.torques_along(truck, move)


def test_small_motions_on_wheels_take_rates_and_forces_of_motors():
    m = replace(da.robots.mobile_manipulator(), active=(*SPINS, "elbow", "shoulder"))
    q = np.array([0, 0, 0.2, 0, 0, 0.3, 0.5])
    speeds = np.array([1.0, 1.5, 0.1, -0.2])
    qd = da.kane_J_nh(m, q, []) @ speeds
    tau = np.array([0.1, 0.2, -0.3, 0.4])
    full = np.zeros(7 + len(m.wheels))
    full[[3, 4, 6, 5]] = tau
    ours, theirs = da.linearize(m, q, qd, tau), da.linearize(m, q, speeds, full)
    np.testing.assert_allclose(ours.A, theirs.A, atol=1e-9)
    np.testing.assert_allclose(ours.B, theirs.B[:, [3, 4, 6, 5]], atol=1e-12)
    # the rate of the speeds is that of the direct model
    qdd = da.forward_dynamics(m, q, qd, tau)
    np.testing.assert_allclose(ours.rate, qdd[[3, 4, 5, 6]], atol=1e-9)
    with pytest.raises(da.UsageError, match="breaks the constraints"):
        da.linearize(m, q, qd + np.eye(7)[1], tau)
    with pytest.raises(da.UsageError, match="for the motors"):
        da.linearize(m, q, qd, tau[:3])
