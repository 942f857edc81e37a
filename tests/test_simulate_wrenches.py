"""Forces from outside and of imposed joints against closed forms and inverse dynamics."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime.signal import linear

SLED = "sled: TX(); body 1: M = 2; gravity = (0, 0, 0);"


@pytest.mark.parametrize("method", ["dop853", "rk4", "radau"])
def test_a_constant_and_a_growing_thrust_push_a_sled(method):
    m = da.load(SLED)
    t = np.linspace(0, 2, 5)
    r = da.simulate(m, t=t, wrench_on_body={"sled": [3, 7, 0, 0, 1, 0]}, method=method)
    np.testing.assert_allclose(r.q[:, 0], 0.75 * t**2, atol=1e-6)
    other = da.simulate(m, t=t, wrench_on_environment={"sled": [-3, 0, 0, 0, 0, 0]}, method=method)
    np.testing.assert_allclose(other.q, r.q, atol=1e-9)
    table = ([0.0, 2.0], [[0.0] * 6, [4.0, 0, 0, 0, 0, 0]])
    for given in (table, linear(*table), lambda t, q, qd: [2 * t, 0, 0, 0, 0, 0]):
        r = da.simulate(m, t=t, wrench_on_body={"sled": given}, method=method)
        np.testing.assert_allclose(r.q[:, 0], t**3 / 6, atol=1e-6)


def test_drag_that_grows_with_the_square_of_speed():
    """v = v0 / (1 + c v0 t / m)."""
    m = da.load(SLED)
    t = np.linspace(0, 3, 7)
    drag = {"sled": lambda t, q, qd: [-0.4 * qd[0] * abs(qd[0]), 0, 0, 0, 0, 0]}
    for method in ("dop853", "rk4"):
        r = da.simulate(m, [0.0], [5.0], t=t, wrench_on_body=drag, method=method)
        np.testing.assert_allclose(r.qd[:, 0], 5 / (1 + 0.4 * 5 * t / 2), rtol=1e-7)


def test_a_ground_spring_knows_where_its_frame_is():
    """A mass hung from a spring to the ground at its tip swings at the frequency of both."""
    m = da.load("h: TZ(), TZK(0.5), tip: TXK(0.2); body 1: M = 2;")
    spring = {"tip": lambda t, q, qd, at: [*at.local([0, 0, -200 * (at.p[2] - 0.5)]), 0, 0, 0]}
    w, rest = 10.0, -2 * 9.81 / 200
    t = np.linspace(0, 1, 11)
    r = da.simulate(m, [0.0], t=t, wrench_on_body=spring)
    np.testing.assert_allclose(r.q[:, 0], rest * (1 - np.cos(w * t)), atol=1e-7)


@pytest.mark.parametrize("name", ["fivebar", "flying_arm"])
def test_a_wrench_gives_the_accelerations_of_the_quantity(name):
    m = getattr(da.robots, name)()
    q = da.assemble(m) if m.loops else da.neutral(m) if hasattr(da, "neutral") else None
    six = [1.0, -2.0, 0.5, 0.3, 0.2, -0.1]
    frame = m.frames[-1]
    r = da.simulate(m, q, t=[0.0, 0.01], wrench_on_body={frame: six}, drives="inertia")
    tau = np.zeros(r.tau.shape[-1])
    expected = da.forward_dynamics(
        m, r.q[0], r.qd[0], tau, wrench_on_body={frame: six}, drives="inertia"
    )
    np.testing.assert_allclose(r.accelerations[0], expected, atol=1e-9)


def test_a_wrench_pushes_a_vehicle():
    m = da.robots.truck(1)
    frame = m.frames[0]
    r = da.simulate(m, qd0=[0.0], t=[0.0, 0.5], wrench_on_body={frame: [100.0, 0, 0, 0, 0, 0]})
    s = da.simulate(m, qd0=[0.0], t=[0.0, 0.5])
    work = r.kinetic_energy[-1] - s.kinetic_energy[-1]
    assert work > 0
    # straight ahead all is one mass
    assert r.speeds[-1, 0] == pytest.approx(100 * 0.5 / float(m.bound().total_mass), rel=1e-6)


def test_wrenches_that_cannot_be_are_refused():
    m = da.load(SLED)
    for bad in ([1, 2, 3], "push", ([0, 1], [[1, 2], [3, 4]]), lambda t, q, qd: [1, 2]):
        with pytest.raises(da.UsageError):
            da.simulate(m, t=1.0, wrench_on_body={"sled": bad})
    with pytest.raises(da.DalembertError):
        da.simulate(m, t=1.0, wrench_on_body={"nowhere": [0] * 6})
    with pytest.raises(da.UsageError, match="both"):
        da.simulate(m, wrench_on_body={"sled": [0] * 6}, wrench_on_environment={"sled": [0] * 6})
    with pytest.raises(da.UsageError, match="name of its frame"):
        da.simulate(m, wrench_on_body=[0] * 6)


# -- imposed joints ----------------------------------------------------------------------------


def test_the_force_of_an_imposed_joint_is_that_of_the_inverse_model():
    m = da.load("""RZ(), TXK(1), RZ(), TXK(1); gravity = (0, -9.81, 0);
        body 1: M = 1, D = (1, 0, 0); body 2: M = 2, D = (1, 0, 0);""")
    times = np.linspace(0, 1, 21)
    path = da.trajectory.quintic([0.0], [1.0], 1.0)
    push = {"tip": [0.0, 3.0, 0.0, 0.0, 0.0, 0.0]}
    r = da.simulate(m, [0.0, 0.2], t=times, motion={"j1": path}, wrench_on_body=push, torque=[9, 1])
    tau = da.inverse_dynamics(m, r.q, r.qd, r.accelerations, wrench_on_body=push)
    np.testing.assert_allclose(r.tau, tau, atol=1e-8)
    np.testing.assert_allclose(r.tau[:, 1], 1.0, atol=1e-12)


def test_the_force_of_an_imposed_motor_of_a_loop():
    m = da.robots.fivebar()
    pose = da.assemble(m)
    k = m.joint_names.index("crankA")
    path = da.trajectory.quintic(pose[k : k + 1], pose[k : k + 1] + 0.4, 1.0)
    r = da.simulate(m, pose, torque=[5.0, 0.3], t=np.linspace(0, 1, 11), motion={"crankA": path})
    tau = da.inverse_dynamics(m, r.q, r.qd, r.accelerations)
    np.testing.assert_allclose(r.tau, tau, atol=1e-6)


# -- Kane's quantities -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["kane", "multipliers"])
def test_quantities_of_kane_take_wrenches(method):
    """What a wrench adds to the rates of the speeds is gw times J_nh' of its joint forces."""
    m = da.robots.truck(1)
    rng = np.random.default_rng(1)
    count = len(da.compile(m, "alpha_dot").inputs)
    sizes = {p.name: p.size for p in da.compile(m, "alpha_dot").inputs}
    q, alpha = rng.uniform(-0.3, 0.3, sizes["q"]), rng.uniform(0.5, 1, sizes["alpha"])
    steer = rng.uniform(-0.2, 0.2, sizes["steer"])
    rest = [np.zeros(sizes[n]) for n in ("steer_rate", "tau", "traction")]
    state = (q, alpha, steer, *rest)
    assert count == len(state)
    six = [3.0, -20.0, 0.0, 0.0, 0.0, 5.0]
    frame = m.frames[-1]
    plain = da.alpha_dot(m, *state, method=method)
    pushed = da.alpha_dot(m, *state, method=method, wrench_on_body={frame: six})
    J = da.jacobian(m, q, frame=frame)
    R = da.pose(m, q, frame=frame)[:3, :3]
    world = np.concatenate([R @ six[:3], R @ six[3:]])
    J_nh = da.kane_J_nh(m, q, steer)
    for axes in (six, world):  # whichever axes the Jacobian is in
        added = da.kane_gw(m, q, steer) @ J_nh.T @ J.T @ axes
        if np.allclose(pushed - plain, added, atol=1e-9):
            break
    else:
        raise AssertionError((pushed - plain, added))
    more = da.kane_tau(m, *state, wrench_on_body={frame: six}) - da.kane_tau(m, *state)
    np.testing.assert_allclose(da.kane_gw(m, q, steer) @ more, pushed - plain, atol=1e-9)


def plain_drag(t, q, qd, at):
    """Quadratic drag, in a way that cannot be traced."""
    import math

    speed = math.sqrt(sum(x * x for x in at.v))
    if speed < 1e-12:
        return [0.0] * 6
    return [*at.local([-0.4 * speed * x for x in at.v]), 0, 0, 0]


@pytest.mark.parametrize("method", ["dop853", "rk4", "radau", "euler"])
def test_a_function_that_cannot_be_traced_is_asked_at_every_evaluation(method):
    from dalembert.expr import sqrt

    def traced(t, q, qd, at):
        speed = sqrt(sum(x * x for x in at.v) + 1e-300)
        return [*at.local([-0.4 * speed * x for x in at.v]), 0, 0, 0]

    m = da.load("RY(), TXK(0.5), RY(), TXK(0.4); body 1: M = 2, D = (0.2, 0, 0), I = (1, 1, 1);"
                "body 2: M = 1, D = (0.2, 0, 0), I = (0.1, 0.2, 0.3);")  # fmt: skip
    given = {"qd0": [0.3, -0.5], "t": [0.0, 0.2, 0.4], "method": method, "rtol": 1e-9}
    slow = da.simulate(m, [0.1, 0.2], wrench_on_body={"tip": plain_drag}, **given)
    fast = da.simulate(m, [0.1, 0.2], wrench_on_body={"tip": traced}, **given)
    assert slow.q == pytest.approx(fast.q, abs=1e-9) and slow.qd == pytest.approx(fast.qd, abs=1e-8)
    assert slow.accelerations == pytest.approx(fast.accelerations, abs=1e-7)
    assert any("asked of Python" in n for n in slow.notes) and not fast.notes


def test_a_plain_function_beside_a_table_and_a_torque_function_on_loops():
    m = da.robots.fourbar()
    q = da.regular_pose(m)

    def push(t, q, qd):
        return [0, 3.0 if t > 0.05 else 1.0, 0, 0, 0, 0]

    def torque(t, q, qd):
        return [0.2 if q[0] > 0 else 0.1]

    table = ([0.0, 1.0], [[1.0, 0, 0, 0, 0, 0], [2.0, 0, 0, 0, 0, 0]])
    frames = {m.bodies[1].name: push, m.bodies[2].name: table}
    r = da.simulate(m, q, torque=torque, t=[0.0, 0.04], wrench_on_body=frames, drives="inertia")
    six = {m.bodies[1].name: [0, 1.0, 0, 0, 0, 0], m.bodies[2].name: [1.0, 0, 0, 0, 0, 0]}
    first = da.forward_dynamics(m, r.q[0], r.qd[0], r.tau[0], wrench_on_body=six)
    assert r.accelerations[0] == pytest.approx(first, abs=1e-9)


def test_what_a_plain_function_raises_is_seen():
    m = da.load("TX(); body 1: M = 2;")

    def wrong(t, q, qd):
        if t > 0.1:
            raise RuntimeError("the sensor is gone")
        return [1.0, 0, 0, 0, 0, 0]

    with pytest.raises(Exception, match="the sensor is gone"):
        da.simulate(m, t=1.0, wrench_on_body={"j1": wrong})
    with pytest.raises(da.UsageError, match=r"not six|six numbers"):
        da.simulate(m, t=1.0, wrench_on_body={"j1": lambda t, q, qd: [float(q[0])] * 5})
