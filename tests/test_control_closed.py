"""Control laws of closed loops, in motor coordinates, and of joints with quaternions."""

import numpy as np
import pytest

import dalembert as da
from dalembert.control import PD, ComputedTorque, FeedForward
from dalembert.runtime.signal import Signal
from dalembert.trajectory import quintic

HINGE = {"type": "revolute", "axis": [1, 0, 0]}


def motors(m, q):
    return np.asarray(q)[..., [m.joint_names.index(name) for name in m.active]]


@pytest.fixture(scope="module")
def five_bar():
    m = da.robots.fivebar()
    q = da.assemble(m)
    return m, q, motors(m, q)


def test_a_five_bar_rests_at_its_goal_under_pd_with_gravity(five_bar):
    m, q, start = five_bar
    goal = start + [0.15, -0.1]
    r = da.simulate(m, q, torque=PD(goal, 60.0, 12.0), t=[0, 5.0, 10.0], rtol=1e-10)
    assert np.abs(motors(m, r.q[-1]) - goal).max() < 1e-6
    assert r.residual.max() < 1e-12
    # what holds it there is its own weight
    still = np.zeros(m.nv)
    load = da.inverse_dynamics(m, r.q[-1], still, still)
    assert np.abs(load).max() > 0.1
    assert np.allclose(r.tau[-1], load, atol=1e-4)
    bare = da.simulate(m, q, torque=PD(goal, 60.0, 12.0, gravity=False), t=[0, 10.0])
    assert np.abs(motors(m, bare.q[-1]) - goal).max() > 1e-3


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_computed_torque_of_a_five_bar_makes_the_error_linear(five_bar, method):
    m, q, start = five_bar
    off = np.array([0.02, -0.03])
    path = quintic(start + off, start + off + [0.2, -0.1], 1.0)
    law = ComputedTorque(path, 100.0, 20.0)  # critically damped at 10 rad/s
    r = da.simulate(m, q, torque=law, t=np.linspace(0, 1, 21), rtol=1e-11, method=method, step=1e-3)
    s = r.t[:, None]
    exact = off * (1 + 10 * s) * np.exp(-10 * s)
    assert np.abs(path(r.t) - motors(m, r.q) - exact).max() < 1e-8


def test_feed_forward_of_a_five_bar_needs_no_feedback(five_bar):
    m, q, start = five_bar
    path = quintic(start, start + [0.2, -0.1], 1.0)
    r = da.simulate(m, q, torque=FeedForward(path, 50.0, 10.0), t=1.0, rtol=1e-11)
    assert np.abs(path(r.t) - motors(m, r.q)).max() < 1e-8


def test_a_law_may_believe_in_other_masses(five_bar):
    m, q, start = five_bar
    path = quintic(start, start + [0.2, -0.1], 1.0)
    heavier = m.with_payload(m.bodies[1].name, 0.5, [0.2, 0, 0])
    wrong = da.simulate(heavier, q, torque=FeedForward(path, 50.0, 10.0, model=m), t=1.0)
    assert 1e-4 < np.abs(path(wrong.t) - motors(m, wrong.q)).max() < 0.3


def test_a_four_bar_goes_to_its_goal():
    m = da.robots.fourbar()
    q = da.assemble(m)
    start = motors(m, q)
    goal = start + 0.1
    r = da.simulate(m, q, torque=PD(goal, 80.0, 16.0), t=[0, 10.0], rtol=1e-10)
    assert np.abs(motors(m, r.q[-1]) - goal).max() < 1e-6


# -- orientations ------------------------------------------------------------------------------


def body(name, parent, joint, place=(0, 0, 0)):
    pose = np.eye(4)
    pose[:3, 3] = place
    return {"name": name, "parent": parent, "joint": {**joint, "placement": pose.tolist()},
            "mass": 2.0, "com": [0.1, 0.2, -0.1],
            "inertia": np.diag([0.3, 0.4, 0.5]).tolist()}  # fmt: skip


def machine(first):
    # a base that flies has motors where they are named
    return da.load({"format": "dalembert/1", "active": ["a", "b", "c"], "bodies": [
        body("a", -1, {"type": first}), body("b", 0, HINGE, (0.2, 0.1, 0.3)),
        body("c", 1, {"type": "spherical"}, (0, 0.4, 0))]})  # fmt: skip


def turned(axis, angle):
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return np.array([*(np.sin(angle / 2) * axis), np.cos(angle / 2)])


def apart(a, b):
    """Return the angle between two orientations."""
    return 2 * np.arccos(np.minimum(1, np.abs(np.sum(a * b, axis=-1))))


@pytest.mark.parametrize("first", ["spherical", "free"])
def test_orientations_go_the_short_way_to_their_goal(first):
    m = machine(first)
    place = [0.3, -0.2, 0.5] if first == "free" else []
    goal = np.array([*place, *-turned([1, 2, 3], 1.2), 0.4, *turned([0, 1, 1], 2.5)])
    law = PD(goal, 80.0, 30.0)
    r = da.simulate(m, None, torque=law, t=np.linspace(0, 20, 41), rtol=1e-10)
    k = len(place)
    end = r.q[-1]
    assert apart(end[k : k + 4], goal[k : k + 4]) < 1e-6 and abs(end[k + 4] - 0.4) < 1e-6
    assert apart(end[-4:], goal[-4:]) < 1e-6
    assert np.abs(end[:k] - place).max(initial=0.0) < 1e-6
    # 2.5 rad to go, never more than that
    assert apart(r.q[:, -4:], goal[-4:]).max() < 2.6
    # one row of forces per velocity variable
    assert r.tau.shape[-1] == m.nv


@pytest.mark.parametrize("first", ["spherical", "free"])
def test_moving_orientations_are_tracked(first):
    """A straight line between quaternions, not of unit length, and a curve of the base."""
    m = machine(first)
    begin, end = da.neutral(m), da.neutral(m)
    k = 3 if first == "free" else 0
    end[:k], end[k : k + 4], end[k + 4] = 0.3, turned([1, 2, 3], 1.2), 0.7
    end[-4:] = turned([0, -1, 1], 1.0)
    path = Signal([0.0, 1.0], np.stack([0.3 * (begin - end), 1.3 * (end - begin), begin], -1)[None])
    rates = path.derivative()

    # at the start every quaternion is one and stands still in length: ω = 2 vec(q')
    v0 = np.zeros(m.nv)
    first_rate = rates(0.0)
    v0[:k], v0[k : k + 3] = first_rate[:k], 2 * first_rate[k : k + 3]
    v0[k + 3] = first_rate[k + 4]
    v0[-3:] = 2 * first_rate[-4:-1]
    for law in (ComputedTorque(path, 100.0, 20.0), FeedForward(path, 0.0, 0.0)):
        r = da.simulate(m, begin, v0, law, t=np.linspace(0, 0.9, 10), rtol=1e-11)
        goal = path(r.t)
        unit = goal[:, k : k + 4] / np.linalg.norm(goal[:, k : k + 4], axis=1)[:, None]
        assert np.abs(goal[:, :k] - r.q[:, :k]).max(initial=0.0) < 1e-7
        assert np.abs(goal[:, k + 4] - r.q[:, k + 4]).max() < 1e-7
        assert apart(r.q[:, k : k + 4], unit).max() < 1e-6


def test_laws_refuse_what_they_do_not_hold_for():
    with pytest.raises(da.UsageError, match="no motor is named"):
        da.simulate(da.robots.truck(1), torque=PD([0, 0, 0, 0], 1.0, 1.0), t=1.0)
    with pytest.raises(da.UsageError, match="for 5 motors, the mechanism has 2"):
        da.simulate(da.robots.fivebar(), torque=PD([0.0] * 5, 1.0, 1.0), t=1.0)
    with pytest.raises(da.UsageError, match="no quaternions"):
        m = machine("free")
        PD(da.neutral(m), 1.0, 1.0).lyapunov(m, da.neutral(m), np.zeros(m.nv))


def crank_with_a_driven_slider():
    from machines.linkages import PLANAR

    m = da.load(PLANAR["dead point"]()[0])  # crank, rod, slider: the slider is the motor
    q, v = da.regular_pose(m), np.zeros(m.nv)
    v[m.joint_names.index("slider")] = 0.5  # towards the dead point
    return m, q, v


@pytest.mark.parametrize("law", [
    da.control.PD([0.9], kp=50), da.control.ComputedTorque([0.9], kp=10),
])  # fmt: skip
def test_a_law_without_limits_is_refused_at_a_dead_point(law):
    m, q, v = crank_with_a_driven_slider()
    with pytest.raises(da.SingularPose, match=r"dead point at t = 0\.00"):
        da.simulate(m, q, v, law, t=1.0)


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_a_law_with_limits_passes_a_dead_point_and_says_so(method):
    m, q, v = crank_with_a_driven_slider()
    law = da.control.ComputedTorque([0.9], kp=10, limit=20)
    r = da.simulate(m, q, v, law, t=0.5, method=method, events="limits")
    times = [e.time for e in r.events if "dead point" in e.name]
    crank = r.q[:, m.joint_names.index("crank")]
    assert len(times) > 2 and len(times) == np.sum(np.diff(np.floor(crank / np.pi)) != 0)
    assert not da.simulate(m, q, v, law, t=0.5, method=method, events="none").events


def test_a_law_that_asks_no_model_passes_a_dead_point():
    m, q, v = crank_with_a_driven_slider()
    law = da.control.PD([0.9], kp=50, gravity=False)
    assert not da.simulate(m, q, v, law, t=0.5).events
