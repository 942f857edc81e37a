"""Laws on wheels and constraints work through the motors; gains and goals by joint name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from wheeled import castor, snake

SPINS = ("spin_left", "spin_right")


def drive():
    return replace(da.robots.differential_drive(), active=SPINS)


def test_pd_turns_the_wheels_to_their_goal_and_rolls():
    m = drive()
    law = da.control.PD(goal={"spin_left": 2.0, "spin_right": 3.0}, kp=20.0, kd=10.0)
    r = da.simulate(m, np.zeros(5), torque=law, t=[0.0, 10.0])
    np.testing.assert_allclose(r.q[-1, 3:], [2.0, 3.0], atol=1e-3)
    assert not r.tau[:, :3].any() and r.q[-1, 0] > 0.1


def test_computed_torque_has_a_linear_error():
    m, t = drive(), np.linspace(0, 1, 11)
    law = da.control.ComputedTorque(goal=[1.0, 2.0], kp=100.0, kd=20.0)
    r = da.simulate(m, np.zeros(5), torque=law, t=t, rtol=1e-10)
    left = (1 + 10 * t) * np.exp(-10 * t)
    np.testing.assert_allclose(r.q[:, 3:], np.outer(1 - left, [1.0, 2.0]), atol=1e-7)


def test_feed_forward_alone_follows_the_trajectory():
    m = drive()
    move = da.trajectory.quintic([0.0, 0.0], [3.0, 4.0], 2.0)
    r = da.simulate(m, np.zeros(5), torque=da.control.FeedForward(goal=move), t=[0.0, 2.0],
                    rtol=1e-10)  # fmt: skip
    np.testing.assert_allclose(r.q[-1, 3:], [3.0, 4.0], atol=1e-6)


def test_partial_feedback_of_a_snake_on_passive_wheels():
    m = da.load(snake(np.random.default_rng(3), 3, ("p1",)))
    q0, t = np.array([0, 0, 0.3, 0.4, -0.2]), np.linspace(0, 0.5, 6)
    law = da.control.ComputedTorque(goal={"p1": 0.7}, kp={"p1": 100.0}, kd={"p1": 20.0})
    r = da.simulate(m, q0, np.zeros(5), torque=law, t=t, rtol=1e-10)
    np.testing.assert_allclose(0.7 - r.q[:, 3], 0.3 * (1 + 10 * t) * np.exp(-10 * t), atol=1e-7)
    assert not np.delete(r.tau, 3, axis=1).any()


def test_wheels_on_one_axle_and_steering_are_known_to_the_law():
    m = da.load(castor(np.random.default_rng(1), ("pl", "pr")))
    law = da.control.ComputedTorque(goal=[1.0, 1.5], kp=100.0, kd=20.0)
    q0 = np.array([0, 0, 0, 0, 0, 0.3, 0])
    r = da.simulate(m, q0, np.zeros(7), torque=law, t=[0.0, 2.0], rtol=1e-9)
    np.testing.assert_allclose(r.q[-1, 3:5], [1.0, 1.5], atol=1e-6)


def test_gravity_compensation_says_what_it_cannot_hold():
    arm = da.robots.mobile_manipulator()
    some = replace(arm, active=(*SPINS, "shoulder"))
    goal = {"spin_left": 0.0, "spin_right": 0.0, "shoulder": 0.3}
    q0 = np.array([0, 0, 0, 0, 0, 0.3, 0.5])
    law = da.control.PD(goal=goal, kp=0.0)
    r = da.simulate(some, q0, np.zeros(7), torque=law, t=[0.0, 0.1])
    assert r.notes[-1] == "gravity compensation does not hold elbow: no motor"
    load = da.active_bias(some, q0, np.zeros(7))
    np.testing.assert_allclose(r.tau[0, [3, 4, 5]], load[:3], atol=1e-9)
    every = replace(arm, active=(*SPINS, "shoulder", "elbow"))
    held = da.simulate(every, q0, np.zeros(7), torque=da.control.PD(goal={**goal, "elbow": 0.5}),
                       t=[0.0, 1.0])  # fmt: skip
    assert held.notes == ("PD law: kp and kd are 0: no error is corrected",)
    np.testing.assert_allclose(held.q[-1], q0, atol=1e-9)
    fly = da.robots.flying_arm()
    goal = da.neutral(fly)
    r = da.simulate(fly, goal, torque=da.control.PD(goal=goal, kp=1.0), t=[0.0, 0.1])
    assert r.notes[-1].startswith("gravity compensation does not hold base")


def test_laws_refuse_where_no_motor_is_named():
    bare = replace(da.robots.fivebar(), active=())
    for m in (da.robots.differential_drive(), bare):
        with pytest.raises(da.UsageError, match="no motor is named") as error:
            da.simulate(m, torque=da.control.PD(goal=[0.0, 0.0], kp=1.0), t=0.1)
        assert "active" in error.value.hint


def test_goals_and_gains_by_name_are_checked():
    m = drive()
    with pytest.raises(da.UsageError, match="says nothing of spin_right"):
        da.simulate(m, torque=da.control.PD(goal={"spin_left": 1.0}), t=0.1)
    with pytest.raises(da.UsageError, match="no motor 'x'"):
        da.simulate(m, torque=da.control.PD(goal=[0, 0], kp={"x": 1.0}), t=0.1)
    arm = da.robots.puma560()
    names = dict.fromkeys(arm.joint_names, 0.1)
    by_name = da.control.PD(goal=names, kp=dict.fromkeys(names, 50.0), kd=5.0, limit={"j1": 10.0})
    rows = da.control.PD(goal=[0.1] * 6, kp=50.0, kd=5.0, limit=[10.0, *[np.inf] * 5])
    ends = [da.simulate(arm, torque=law, t=[0.0, 0.2]).q[-1] for law in (by_name, rows)]
    np.testing.assert_array_equal(*ends)
