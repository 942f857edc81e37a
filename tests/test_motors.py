"""No law pushes a joint without a motor: free bases, springs, passive joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da

ARM = """RY(), TZK(0.5), RY(), TZK(0.4);
body 1: M = 2, D = (0, 0, 0.25), I = (0.1, 0.1, 0.02);
body 2: M = 1, D = (0, 0, 0.2), I = (0.05, 0.05, 0.01);"""
LAWS = [da.control.PD, da.control.ComputedTorque, da.control.FeedForward]


@pytest.mark.parametrize("law", LAWS)
def test_a_free_base_falls_under_any_law(law):
    m = da.robots.flying_arm()
    goal = da.neutral(m)
    r = da.simulate(m, goal, torque=law(goal=goal, kp=50.0, kd=5.0), t=[0.0, 0.5, 1.0])
    assert not r.tau[:, :6].any()
    # the mass centre of all falls freely, whatever the joints do
    height = da.centre_of_mass(m, r.q)[:, 2]
    np.testing.assert_allclose(height - height[0], -9.81 * r.t**2 / 2, atol=1e-6)


def test_gains_are_per_velocity_variable_with_quaternions():
    m = da.robots.flying_arm()
    goal, gains = da.neutral(m), [0, 0, 0, 0, 0, 0, 50.0, 40.0]
    r = da.simulate(m, goal, torque=da.control.PD(goal=goal, kp=gains, kd=gains), t=[0.0, 0.1])
    assert r.tau.shape == (2, 8)


def test_springs_are_not_pushed_and_motors_hold_the_arm():
    m = da.load(ARM).with_flexible_joints(500, 0.1)
    law = da.control.PD(goal=[0.5, 0, -0.5, 0], kp=100.0, kd=20.0)
    r = da.simulate(m, torque=law, t=[0.0, 10.0])
    flexed = [k for k, name in enumerate(m.joint_names) if name.endswith(".flex")]
    assert not r.tau[:, flexed].any() and abs(r.tau).max() > 1
    load = da.gravity(m, r.q[-1])
    np.testing.assert_allclose(500 * r.q[-1][flexed], -load[flexed], atol=0.05)


def test_computed_torque_of_an_arm_with_a_passive_joint_is_partial_feedback():
    m = replace(da.load(ARM), active=("j1",))
    kp, kd, goal = 100.0, 20.0, np.array([0.4, 0.0])
    law = da.control.ComputedTorque(goal=goal, kp=kp, kd=kd)
    q0 = np.array([0.1, 0.2])
    t = np.linspace(0, 1, 21)
    r = da.simulate(m, q0, torque=law, t=t, rtol=1e-10)
    assert not r.tau[:, 1].any()
    # critically damped: e = (1 + 10 t) exp(-10 t) e0, whatever the passive joint does
    np.testing.assert_allclose(goal[0] - r.q[:, 0], 0.3 * (1 + 10 * t) * np.exp(-10 * t), atol=1e-7)


def test_a_machine_without_motors_has_no_law():
    m = da.load(ARM)
    bare = replace(m, prescribed=m.joint_names)
    with pytest.raises(da.UsageError, match="no joint has a motor"):
        da.control.PD(goal=[0.0, 0.0], kp=1.0).placed(bare)


def test_torques_tell_of_forces_where_no_motor_is():
    m = da.load("a: RZ(), TXK(1), b: RZ(), TXK(1); gravity = (0, -9.81, 0); "
                "body a: M = 1, D = (1, 0, 0); body b: M = 1, D = (1, 0, 0);")  # fmt: skip
    move = da.trajectory.quintic([0.0, 0.0], [1.0, 1.0], 1.0)
    assert da.torques_along(m, move).executable
    driven = replace(m, active=("a",))
    f = da.torques_along(driven, move)
    (excess,) = f.exceeded
    assert (excess.joint, excess.what) == ("b", "force without a motor")
    assert abs(excess.value) == f.peak[1] and not f.executable
    assert any("no motor gives the force" in note and "b " in note for note in f.notes)
    assert "force without a motor" in f.summary() and "slower" not in f.summary()
    told = da.torques_along(da.equations(driven), move)
    assert [e.joint for e in told.exceeded] == ["b"] and not told.executable
    # the motion that its motor gives needs nothing else
    swing = da.simulate(driven, [0.2, 0.1], None, {"a": 3.0}, t=[0.0, 0.1, 0.2, 0.3])
    assert da.torques_along(driven, swing).executable


def test_rounding_of_a_free_motion_needs_no_motor():
    """All forces of a free motion are rounding: they are measured by the terms of their sum."""
    m = replace(da.load(ARM), active=("j2",))
    f = da.torques_along(m, da.simulate(m, [0.3, 0.2], t=np.linspace(0, 1, 21)))
    assert f.executable and f.notes == () and 0 < np.abs(f.tau).max() < 1e-9
    soft = da.robots.flexible2r()
    assert not da.torques_along(soft, da.simulate(soft, t=[0.0, 0.1, 0.2, 0.3])).notes


def test_errors_of_differentiating_a_table_need_no_motor(tmp_path):
    m = replace(da.load(ARM), active=("j2",))
    r = da.simulate(m, [0.3, 0.2], None, {"j2": 2.0}, t=np.linspace(0, 1, 201))
    r.to_csv(tmp_path / "run.csv")
    for motion in (da.read_motion(tmp_path / "run.csv", m), (r.t, r.q)):
        f = da.torques_along(m, motion)
        assert f.executable and any("no motor gives the force" in note for note in f.notes)
    # a table of what the motor cannot do is still told
    (excess,) = da.torques_along(m, (r.t, r.q * 0 + 0.3)).exceeded
    assert (excess.joint, excess.what) == ("j1", "force without a motor")
