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
    with pytest.raises(da.UsageError, match="3 columns") as told:
        da.torques_along(drive(), da.trajectory.quintic([0.0] * 3, [0.3] * 3, 2.0))
    assert told.value.hint == "5 for all coordinates, or 2 for spin_left, spin_right"


def driven_car():
    """Return a car steered by an angle that is no joint, with a motor on its rear axle."""
    base = {"type": "planar", "name": "base"}
    spin = {"type": "revolute", "name": "spin", "axis": [0, 1, 0]}
    bodies = [{"name": "chassis", "parent": -1, "joint": base, "mass": 1500, "com": [1.3, 0, 0],
               "inertia": [0, 0, 2500]},
              {"name": "axle", "parent": "chassis", "joint": spin, "mass": 40,
               "inertia": [1, 2, 1]}]  # fmt: skip
    wheels = [{"name": "rear", "body": "chassis", "point": [0, 0, 0], "normal": [0, 1, 0],
               "radius": 0.3, "spin": "spin"},
              {"name": "front", "body": "chassis", "point": [2.7, 0, 0], "normal": [0, 1, 0],
               "steer": "delta"}]  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": bodies, "wheels": wheels,
                    "prescribed": ["delta"], "active": ["spin"]})  # fmt: skip


def test_a_steered_car_has_the_torque_of_its_drive_along_a_path():
    """The motor pushes as hard as the traction of the law did, and as inverse_dynamics says."""
    m, law = driven_car(), da.control.FollowPath(da.control.Line((0, 1.0)), length=4)
    r = da.simulate(m, np.zeros(4), [10.0], t=np.linspace(0, 4, 9), motion={"delta": law},
                    torque=da.control.Cruise(4.0, 2e3))  # fmt: skip
    f = da.torques_along(m, r)
    assert f.names == ("spin",)
    np.testing.assert_allclose(f.tau[:, 0], 0.3 * r.tau[:, -2], atol=1e-8)
    own, angle, rate = slice(0, 4), r.q[:, 4:5], r.qd[:, 4:5]
    want = da.inverse_dynamics(m, r.q[:, own], r.qd[:, own], r.accelerations[:, own], angle, rate)
    np.testing.assert_allclose(f.tau, want, atol=1e-9)
    # the motors alone, the angle last
    move = da.trajectory.quintic([0.0, 0.0], [10.0, 0.3], 2.0)
    f = da.torques_along(m, move, start=np.zeros(5))
    at = dict(steer=f.q[:, 4:], steer_rate=f.qd[:, 4:])
    want = da.inverse_dynamics(m, f.q[:, own], f.qd[:, own], f.qdd[:, own], **at)
    np.testing.assert_allclose(f.tau, want, atol=1e-9 * np.abs(want).max())
    held = da.simulate(m, np.zeros(4), [1.0], t=1.0, motion={"delta": 0.1})
    with pytest.raises(da.UsageError, match="does not hold delta") as told:
        da.torques_along(m, held)
    assert "steer it by a law" in told.value.hint


def test_a_simulation_of_a_tree_is_a_motion():
    m = da.load("RZ(), TXK(1), RZ(), TXK(1); gravity = (0, -9.81, 0);"
                "body 1: M = 2, D = (1, 0, 0); body 2: M = 1, D = (1, 0, 0);")  # fmt: skip
    r = da.simulate(m, [0.3, 0.2], torque=[1.0, -0.5], t=1.0, drives="all")
    np.testing.assert_allclose(da.torques_along(m, r).tau, r.tau, atol=1e-9)


def test_hints_name_joints_that_can_be_motors():
    from pathlib import Path

    bicycle = da.load(Path(__file__).parents[1] / "examples" / "bicycle.toml")
    with pytest.raises(da.UsageError, match="no motor is named") as told:
        da.inverse_dynamics(bicycle, da.neutral(bicycle), np.zeros(9), np.zeros(9))
    assert '["rear", "steer"]' in told.value.hint


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


def test_an_equation_of_rates_with_time_is_refused_and_the_way_out_works():
    body = {"mass": 2, "com": [0.1, 0.2, 0], "inertia": [0.1, 0.1, 0.2]}
    bodies = [
        {**body, "name": n, "parent": k - 1, "joint": {
            "type": "revolute", "name": n, "axis": [0, 0, 1],
            "placement": {"translation": [0.5 * (k > 0), 0, 0]}}}
        for k, n in enumerate("abc")
    ]  # fmt: skip
    m = da.load({
        "format": "dalembert/1", "gravity": [0, -9.81, 0], "bodies": bodies,
        "velocity_constraints": [{"name": "tie", "equation": "cd = 0.5*cos(t) + 0.3*ad*sin(b)"}],
        "speeds": ["a", "b"], "active": ["b", "a"],
    })  # fmt: skip
    r = da.simulate(m, [0.1, 0.2, 0.5], [0.3, -0.2], t=[0, 0.2], torque={"a": 1.0, "b": 2.0})
    with pytest.raises(da.UsageError, match="depends on time") as error:
        da.torques_along(m, r)
    assert "the last entries are the time and 1" in error.value.hint
    state, told = (r.q[1], r.qd[1]), ([0.2], [1.0])
    qdd = da.forward_dynamics(m, *state, [2.0, 1.0], *told)
    assert np.allclose(da.inverse_dynamics(m, *state, qdd, *told), [2.0, 1.0], rtol=1e-9)
