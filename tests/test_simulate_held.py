"""Dry friction where joints follow others and where machines roll."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import referee
from dalembert.mechanism import Drive
from test_followers import REST, R, machine
from wheeled import snake


def gripper(**own):
    """Two fingers, each 0.2 kg, that close along x; dry friction at each of them."""
    slide = {"type": "prismatic", "axis": [1, 0, 0]}
    return {
        "format": "dalembert/1",
        "bodies": [
            {"name": "f1", "parent": -1, "joint": slide | {"name": "one"}, "mass": 0.2},
            {"name": "f2", "parent": -1, "joint": slide | {"name": "two"}, "mass": 0.2},
        ],
        "couplings": [{"joint": "two", "of": "one", "ratio": -2}],
        "drives": [{"joint": "one", "coulomb": 0.5}, {"joint": "two", "coulomb": [0.3, -0.4]}],
    } | own


def test_a_gripper_sticks_within_the_friction_of_all_its_fingers():
    m = da.load(gripper())
    # leader 0.5 + 2 * 0.4 ahead: the follower then goes back
    r = da.simulate(m, [0.0], torque=[1.29], t=[0.0, 1.0])
    assert not r.q.any() and not r.events
    r = da.simulate(m, [0.0], torque=[1.31], t=[0.0, 1.0])
    inertia = 0.2 + 4 * 0.2
    np.testing.assert_allclose(r.q[-1], 0.5 * 0.01 / inertia, rtol=1e-9)
    back = da.simulate(m, [0.0], torque=[-1.11], t=[0.0, 1.0])
    np.testing.assert_allclose(back.q[-1], -0.5 * 0.01 / inertia, rtol=1e-9)
    assert "friction of 2 joints counted" in r.notes


def test_a_gripper_slows_down_and_comes_to_rest():
    m = da.load(gripper())
    r = da.simulate(m, [0.0], [2.6], t=np.linspace(0, 4, 9))
    np.testing.assert_allclose(r.q[-1], 2.6**2 / (2 * 1.3), rtol=1e-9)
    assert [e.name for e in r.events] == ["one sticks"]
    assert r.events[0].time == pytest.approx(2.0)
    fixed = da.simulate(m, [0.0], [2.6], t=np.linspace(0, 4, 9), method="rk4", step=1e-2)
    np.testing.assert_allclose(fixed.q[-1], r.q[-1], rtol=1e-8)


def test_friction_of_a_gripper_may_have_a_static_level_that_fades():
    drives = [{"joint": "two", "coulomb": 0.3, "static": 0.5, "stribeck": 0.1}]
    m = da.load(gripper(drives=drives))
    assert not da.simulate(m, [0.0], torque=[0.99], t=1.0).q.any()
    moving = da.simulate(m, [0.0], torque=[1.01], t=[0.0, 2.0])
    # long after, friction is 2 * 0.3
    assert moving.accelerations[-1, 0] == pytest.approx(1.01 - 0.6, abs=1e-6)


def test_the_motion_is_that_of_the_coupled_machine_with_friction():
    described = machine()
    described["drives"] = [
        {"joint": "c", "Ia": 0.3, "viscous": 0.2, "coulomb": [8.0, -6.0]},
        {"joint": "a", "Ia": 0.1, "coulomb": 1.5},
        {"joint": "b", "coulomb": 4.0},
    ]
    q, qd = np.array([0.3, -0.4]), np.array([1.5, -1.0])
    t = np.linspace(0, 2, 21)
    ours = da.simulate(da.load(described), q, qd, t=t, rtol=1e-9)
    theirs = da.simulate(da.load(described, mimic="couple"), R @ q + REST, R @ qd, t=t, rtol=1e-9)
    np.testing.assert_allclose(ours.q @ R.T + REST, theirs.q, atol=1e-6)
    assert ours.events and np.diff(ours.energy).max() < 1e-9


def test_the_force_of_an_imposed_leader_moves_its_followers():
    described = machine() | {"elastic": []}
    described["drives"] = [{"joint": "c", "viscous": 0.2, "coulomb": 0.4}]
    m = da.load(described)
    move = da.trajectory.quintic([0.0], [0.5], 1.0)
    t = np.linspace(0.1, 0.9, 5)
    r = da.simulate(m, [0.0, 0.2], t=t, motion={"a": move})
    want = da.inverse_dynamics(m, r.q, r.qd, r.accelerations, drives="all")
    np.testing.assert_allclose(r.tau[:, 0], want[:, 0], atol=1e-8)
    np.testing.assert_allclose(want[:, 1], 0, atol=1e-8)


def test_wheels_with_dry_friction_roll_to_rest():
    m = da.robots.differential_drive()
    m = replace(m, drives=tuple(
        Drive(m.joint_index(n), coulomb=(0.2, -0.2)) for n in ("spin_left", "spin_right")
    ))  # fmt: skip
    q0 = np.zeros(5)
    r = da.simulate(m, q0, [1.0, 1.0], t=np.linspace(0, 2, 11))
    # 0.2 N m at each wheel slows the speed v evenly
    slow = da.alpha_dot(m, q0, [1, 1], [], [], [0, 0, 0, -0.2, -0.2], np.zeros(len(m.wheels)))
    assert slow[0] < 0
    want = np.maximum(0, 1 + slow[0] * r.t)
    np.testing.assert_allclose(r.speeds, np.stack([want, want], axis=-1), atol=1e-8)
    assert {e.name for e in r.events} == {"spin_left sticks", "spin_right sticks"}
    still = [0, 0, 0, 0.19, -0.19, *np.zeros(len(m.wheels))]
    held = da.simulate(m, q0, [0.0, 0.0], torque=still, t=1.0)
    assert not held.q[:, 3:].any() and abs(held.q).max() < 1e-15


def test_speeds_are_chosen_anew_where_joints_rub():
    """Energy falls by the work of friction alone, whatever speeds were named."""
    described = snake(np.random.default_rng(3), 3)
    described["drives"] = [{"joint": "p1", "coulomb": 0.01}, {"joint": "p2", "coulomb": 0.02}]
    q0 = np.array([0, 0, 0.3, 0.4, -0.2])
    qd0, _ = referee.feasible(described, q0, np.random.default_rng(1))
    ends = []
    for speeds in ([], ["p1", "p2"], ["w0.v", "th"]):
        m = da.load({**described, "speeds": speeds})
        r = da.simulate(m, q0, qd0, t=np.linspace(0, 6, 601), rtol=1e-9)
        ends.append(r.q[-1])
        rate = -(0.01 * abs(r.qd[:, 3]) + 0.02 * abs(r.qd[:, 4]))
        lost = np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(r.t))])
        np.testing.assert_allclose(r.energy - r.energy[0], lost, atol=2e-5)
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-6)


def test_the_force_of_an_imposed_joint_on_wheels_is_that_of_its_constraint():
    described = snake(np.random.default_rng(3), 3)
    m = da.load(described)
    q0 = np.array([0, 0, 0.3, 0.0, -0.2])
    s = referee.State(described, q0)
    N = s.Z[s.n :]
    qd0 = N @ np.linalg.lstsq(N[[3]], [0.0], rcond=None)[0]
    move = da.trajectory.quintic([0.0], [0.4], 1.0)
    r = da.simulate(m, q0, qd0, t=np.linspace(0.0, 0.8, 5), motion={"p1": move})
    motor = replace(m, active=("p1",))
    want = [da.inverse_dynamics(motor, *x)[0] for x in zip(r.q, r.qd, r.accelerations, strict=True)]
    np.testing.assert_allclose(r.tau[:, 3], want, atol=1e-7)


def test_wrenches_from_outside_push_followers_too():
    described = machine() | {"drives": [], "elastic": []}
    q, qd, t = np.array([0.3, -0.4]), np.array([0.5, -1.0]), np.linspace(0, 1, 5)
    push = {"link c": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3], "link d": lambda t, q, qd, at: [
        -0.4 * at.v[0], 0, 0, 0, 0, 0]}  # fmt: skip
    ours = da.simulate(da.load(described), q, qd, t=t, wrench_on_body=push)
    theirs = da.simulate(
        da.load(described, mimic="couple"), R @ q + REST, R @ qd, t=t, wrench_on_body=push
    )
    np.testing.assert_allclose(ours.q @ R.T + REST, theirs.q, atol=1e-7)


def even_snake():
    """Three links of 0.4 m, each on a passive wheel at its middle."""
    link = {"mass": 1, "com": [-0.2, 0, 0], "inertia": [0, 0, 0.02]}
    turn, slide = {"type": "revolute", "axis": [0, 0, 1]}, {"type": "prismatic"}
    joint = turn | {"placement": {"translation": [-0.4, 0, 0]}}
    bodies = [
        {"name": "sx", "parent": -1, "joint": slide | {"name": "x", "axis": [1, 0, 0]}},
        {"name": "sy", "parent": "sx", "joint": slide | {"name": "y", "axis": [0, 1, 0]}},
        {"name": "l0", "parent": "sy", "joint": turn | {"name": "th"}} | link,
        {"name": "l1", "parent": "l0", "joint": joint | {"name": "p1"}} | link,
        {"name": "l2", "parent": "l1", "joint": joint | {"name": "p2"}} | link,
    ]  # fmt: skip
    wheels = [{"name": f"w{k}", "body": f"l{k}", "point": [-0.2, 0, 0], "normal": [0, 1, 0]}
              for k in range(3)]  # fmt: skip
    return {"format": "dalembert/1", "name": "snake", "bodies": bodies, "wheels": wheels}


@pytest.mark.parametrize("rtol, drift", [(1e-6, 1e-4), (1e-8, 1e-7)])
def test_a_snake_keeps_its_energy_while_its_speeds_pass_singular_ones(rtol, drift):
    data, q = even_snake(), np.array([0, 0, 0.1, 0.6, -0.5])
    s = referee.State(data, q)
    # a basis of the motions without slip, in one order and sign
    free = np.linalg.qr(s.Z[s.n :])[0]
    free = free @ np.linalg.inv(free[3:])
    r = da.simulate(da.load(data), q, free @ [0.75, 0.58], t=np.linspace(0, 10, 41), rtol=rtol)
    assert np.ptp(np.sign(r.q[:, 3] - r.q[:, 4])) == 2  # the angles pass each other
    assert np.abs(r.energy / r.energy[0] - 1).max() < drift
