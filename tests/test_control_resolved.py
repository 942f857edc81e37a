"""Resolved acceleration and velocity, and the rate of the Lyapunov function of the PD law."""

import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.errors import SingularPose

R = da.robots


def test_the_truck_accelerates_as_asked():
    m = R.truck(2)
    q, v, steer, rate = [0.1, 0.2, 0.3, 0.4, -0.2], [3.0], [0.2], [0.1]
    (tau,) = control.resolved_acceleration(m, q, v, [0.7], steer, rate)
    found = da.alpha_dot(m, q, v, steer, rate, np.zeros(5), [tau, 0, 0, 0])  # at the rear axle
    np.testing.assert_allclose(found, [0.7], rtol=1e-12)


def test_wheels_turn_as_asked_and_speeds_are_reached():
    m = R.differential_drive()
    q = np.zeros((3, 5))
    alpha = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]])
    wanted = np.array([2.0, 2.0])
    tau = control.resolved_velocity(m, q, alpha, wanted, 4.0)
    motors = np.zeros((3, 5))
    motors[:, 3:] = tau
    found = da.alpha_dot(m, q, alpha, [], [], motors, [0])
    np.testing.assert_allclose(found, 4.0 * (wanted - alpha), rtol=0, atol=1e-11)
    full = control.resolved_velocity(m, q, alpha, wanted, np.diag([4.0, 4.0]))
    np.testing.assert_allclose(full, tau, rtol=0, atol=1e-12)


def test_an_arm_moves_its_tool_as_asked():
    m = R.ur5()
    rng = np.random.default_rng(3)
    q = np.array([[0.1, -1, 1, 0.3, 1, 0.2], [0.4, -0.8, 1.2, 0.1, 0.9, 0.0]])
    qd, vd = rng.uniform(-1, 1, (2, 6)), rng.uniform(-1, 1, (2, 6))
    v = np.einsum("sij,sj->si", da.jacobian(m, q, frame="tool0", axes="local"), qd)
    np.testing.assert_allclose(control.joint_rates(m, q, v, "tool0"), qd, rtol=0, atol=1e-11)
    qdd = control.joint_accelerations(m, q, qd, vd, "tool0")
    tau = da.inverse_dynamics(m, q, qd, qdd)
    # the Cartesian model asks the same: F_x = M_x v̇ + V_x, and gravity beside it
    F = da.cartesian_force(m, q, tau - da.gravity(m, q), frame="tool0")
    Mx = da.cartesian_mass(m, q, frame="tool0")
    V = da.cartesian_bias(m, q, qd, frame="tool0")
    asked = np.einsum("sij,sj->si", Mx, vd) + V
    np.testing.assert_allclose(F, asked, rtol=0, atol=1e-9 * np.abs(asked).max())
    with pytest.raises(SingularPose, match="tool0"):
        control.joint_rates(m, np.zeros(6), np.zeros(6), "tool0")


def test_the_lyapunov_function_falls_at_its_rate():
    """(6.13)-(6.16), E3.10: along the motion dV/dt = -q̇' Kd q̇."""
    values = {"l1": 0.8, "l2": 0.6, "m1": 3, "m2": 2, "j1": 0.1, "j2": 0.1, "G": -9.81}
    m = R.planar2r().with_values(**values)
    Kp, Kd = np.array([[60.0, 5], [5, 40]]), np.array([8.0, 6.0])
    law = control.PD(goal=[0.5, -0.4], kp=Kp, kd=Kd)
    q, qd = np.array([0.1, 0.9]), np.array([0.7, -1.1])
    tau = Kp @ (np.array([0.5, -0.4]) - q) - Kd * qd + da.gravity(m, q)
    qdd = da.forward_dynamics(m, q, qd, tau)
    h = 1e-6
    ahead, behind = (law.lyapunov(m, q + s * qd, qd + s * qdd) for s in (h, -h))
    rate = law.lyapunov_rate(m, q, qd)
    assert abs((ahead - behind) / (2 * h) - rate) < 1e-6 and rate < 0


def test_a_platform_accelerates_as_a_task_asks():
    """Loops and a redundant arm: the acceleration that the direct model makes of the forces."""
    rng = np.random.default_rng(2)
    delta = R.delta()
    for m, q in ((delta, da.regular_pose(delta)), (R.panda(), rng.uniform(0.2, 1, 7))):
        t = da.task_model(m)
        qd = 0.3 * rng.normal(size=m.nv)
        n = len(t.rows)
        xdd, xd, error = rng.normal(size=(3, n))
        tau = control.resolved_task(t, q, qd, xdd, xd, error, kp=9.0, kd=6.0)
        qdd = da.forward_dynamics(m, q, qd, tau)
        rows = ["vx", "vy", "vz", "wx", "wy", "wz"]
        keep = [rows.index(r) for r in t.rows]
        made = da.acceleration(m, q, qd, qdd, frame=t.frame)[keep]
        v = da.velocity(m, q, qd, frame=t.frame)[keep]
        np.testing.assert_allclose(made, xdd + 6 * (xd - v) + 9 * error, rtol=0, atol=1e-7)
