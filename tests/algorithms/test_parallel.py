"""Platform and legs by (59)-(66) against the same robots as closed loops."""

import json
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import models
from dalembert.algebra import Vec3
from dalembert.algorithms import parallel
from dalembert.algorithms.platform import platform_of
from dalembert.mechanism import JointSpring, PointSpring
from dalembert.plan import planned
from dalembert.plan.assembly import assemble


def rotation(w):
    """Return the rotation of a rotation vector."""
    angle = np.linalg.norm(w)
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    if angle < 1e-12:
        return np.eye(3)
    return np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * K @ K


def motions(name, rng):
    """Return (pose, twist, rate) of a platform, within its freedoms."""
    T = np.eye(4)
    twist, rate = rng.normal(size=6), rng.normal(size=6)
    if name == "stewart":
        T[:3, :3] = rotation(rng.uniform(-0.2, 0.2, 3))
        T[:3, 3] = [*rng.uniform(-0.05, 0.05, 2), 0.55 + rng.uniform(-0.05, 0.05)]
    elif name == "delta":
        T[:3, 3] = [*rng.uniform(-0.05, 0.05, 2), -0.45 + rng.uniform(-0.05, 0.05)]
        twist[3:], rate[3:] = 0, 0
    else:
        T[:3, :3] = rotation([0, 0, rng.uniform(-0.3, 0.3)])
        T[:2, 3] = rng.uniform(-0.03, 0.03, 2)
        for x in (twist, rate):
            x[2:5] = 0
    return T, twist, rate


def tree_state(m, T, twist, rate, q_legs):
    """Return (q, qd, qdd) of the whole tree for legs in order and a platform that is last."""
    kind = m.bodies[-1].joint.kind
    R = T[:3, :3]
    if kind == "free":
        quaternion = _quaternion(R)
        v, w = R.T @ twist[:3], R.T @ twist[3:]
        own = [*T[:3, 3], *quaternion], [*v, *w]
        a = R.T @ rate[:3] - np.cross(w, v)
        own = (*own, [*a, *(R.T @ rate[3:])])
    elif kind == "planar":
        angle = np.arctan2(R[1, 0], R[0, 0])
        pick = [0, 1, 5]
        own = [*T[:2, 3], angle], twist[pick], rate[pick]
    else:
        own = T[:3, 3], twist[:3], rate[:3]
    legs = [np.ravel(x) for x in q_legs]
    return tuple(np.concatenate([a, b]) for a, b in zip(legs, own, strict=True))


def _quaternion(R):
    w = np.sqrt(1 + np.trace(R)) / 2
    return [(R[2, 1] - R[1, 2]) / 4 / w, (R[0, 2] - R[2, 0]) / 4 / w,
            (R[1, 0] - R[0, 1]) / 4 / w, w]  # fmt: skip


@pytest.mark.parametrize("name", ["stewart", "delta", "three_rrr"])
def test_legs_and_loops_give_the_same_forces(name):
    m = getattr(da.robots, name)()
    rng = np.random.default_rng(1)
    for branch in (1,) if name == "stewart" else (1, -1):
        for _ in range(5):
            T, twist, rate = motions(name, rng)
            q, qd, qdd, gap = da.leg_states(m, T, twist, rate, branch=branch)
            assert np.abs(gap).max() < 1e-14
            x, xd, xdd = tree_state(m, T, twist, rate, (q, qd, qdd))
            assert np.abs(da.closure(m, x)).max() < 1e-14
            assert np.abs(da.loop_jacobian(m, x) @ xd).max() < 1e-12
            forces = da.actuator_forces(m, T, twist, rate, branch=branch)
            again = da.active_torques(m, x, xd, xdd)
            assert np.allclose(forces, again, rtol=1e-10, atol=1e-11)
            closed = da.tree_motion(m, x, xd, xdd)
            assert np.allclose(closed[0], xd, atol=1e-10) and np.allclose(closed[1], xdd, atol=1e-9)
            # J_p, the Cartesian model and the direct model
            J = da.platform_jacobian(m, T, branch=branch)
            motors = list(planned(m).motors)
            assert np.allclose(J @ xd[motors], twist, atol=1e-10)
            A, H = da.cartesian_model(m, T, twist, branch=branch)
            assert np.allclose(J.T @ (A @ rate + H), forces, rtol=1e-10, atol=1e-11)
            assert np.allclose(A, A.T) and np.linalg.eigvalsh(A).min() > 0
            back = da.platform_acceleration(m, T, twist, forces, branch=branch)
            assert np.allclose(back, rate, rtol=1e-9, atol=1e-9)


def test_the_bracket_is_the_wrench_that_holds_the_platform(oracles_dir):
    data = json.loads((oracles_dir / "stewart_platform.json").read_text())
    m = da.load(oracles_dir / "stewart_platform.json")
    state = data["states"][0]
    T = np.array(state["platform_pose"])
    v, a = (state[f"platform_{k}_world"] for k in ("velocity", "acceleration"))
    forces = np.array(state["expected"]["actuator_forces"])
    right = da.actuator_forces(m, T, v, a)
    assert np.allclose(right, forces, atol=1e-11)
    # E2.20: J_r of (62) is J_p; E2.21: without the platform's weight the forces are wrong
    J = da.platform_jacobian(m, T)
    weight = 6.0 * 9.81
    without = forces - J.T @ _weight(T, np.array([0.01, -0.02, 0.04]), weight)
    assert np.abs(without - forces).max() > 1
    light = parallel.ParallelModel(platform_of(_weightless(m)), T.ravel(), v, a)
    legs_only = J.T @ np.array(light.wrench(a, light.robot.m.gravity))
    full = J.T @ da.platform_wrench(m, T, v, a)
    assert np.abs(full - legs_only - (forces - without)).max() < 1e-10


def _weight(T, centre, weight):
    f = np.array([0, 0, weight])
    return np.concatenate([f, np.cross(T[:3, :3] @ centre, f)])


def _weightless(m):
    m = m.bound()
    return replace(m, gravity=m.gravity * 0.0, checked=True)


@pytest.mark.parametrize("name", ["three_rrr", "delta"])
def test_springs_in_the_legs_act_and_others_are_refused(name):
    m = getattr(da.robots, name)()
    soft = (JointSpring(0, 20, 0.3, 0.4), JointSpring(1, 7, -0.2, 0.1))
    m = replace(m, elastic=soft, checked=False)
    T, twist, rate = motions(name, np.random.default_rng(6))
    x, xd, xdd = tree_state(m, T, twist, rate, da.leg_states(m, T, twist, rate)[:3])
    forces = da.actuator_forces(m, T, twist, rate)
    assert np.allclose(forces, da.active_torques(m, x, xd, xdd), rtol=1e-10, atol=1e-11)
    assert np.allclose(da.platform_acceleration(m, T, twist, forces), rate, rtol=1e-9, atol=1e-9)
    plate = m.index["platform"]
    pull = PointSpring(plate, Vec3(0, 0, 0), -1, Vec3(0, 0, 1), 10)
    with pytest.raises(da.ModelError, match="not in the models of the legs"):
        da.actuator_forces(replace(m, springs=(pull,)), T, twist, rate)
    if m.bodies[plate].joint.nv == 1:  # others have no springs of their own
        with pytest.raises(da.ModelError, match="not in the models of the legs"):
            da.actuator_forces(replace(m, elastic=(JointSpring(plate, 1),)), T, twist, rate)


def test_a_leg_that_is_too_short_has_no_finite_answer():
    m = da.robots.three_rrr()
    T = np.eye(4)
    T[0, 3] = 2.0
    with pytest.raises(da.ComputationError, match="not finite"):
        da.leg_states(m, T, np.zeros(6), np.zeros(6))


def test_what_is_no_parallel_robot_is_refused():
    with pytest.raises(da.ModelError, match="not a parallel robot"):
        da.actuator_forces(da.robots.fourbar(), np.eye(4), np.zeros(6), np.zeros(6))
    m = da.robots.delta()
    m = replace(m, active=("crank1", "crank2"), checked=False)
    with pytest.raises(da.ModelError, match="2 motors in the legs for 3 degrees of freedom"):
        da.platform_jacobian(m, np.eye(4))


def test_a_five_bar_carries_a_serial_wrist():
    """Hybrid robots are closed loops with more joints behind them."""
    arm = da.load("RX(), TZK(0.1), RY(), TZK(0.1); body 1: M = 0.4, D = (0, 0, 0.05), "
                  "I = (0.01, 0.01, 0.01); body 2: M = 0.3, D = (0, 0, 0.05), "
                  "I = (0.01, 0.01, 0.01); gravity = (0, -9.81, 0);")  # fmt: skip
    m = da.robots.fivebar().attach(arm, "rodB")
    names = tuple(n for n in m.joint_names if n not in ("crankA", "rodA", "crankB", "rodB"))
    m = replace(m, active=("crankA", "crankB", *names), checked=False)
    p = planned(m)
    assert p.mobility == 4 and not p.free
    q = assemble(m, [2.2, -1.0, 0.9, 1.0, 0.3, -0.4])
    rng = np.random.default_rng(0)
    qd, qdd = da.tree_motion(m, q, rng.normal(size=m.nv), rng.normal(size=m.nv))
    tau = da.inverse_dynamics(m, q, qd, qdd)
    assert np.allclose(da.forward_dynamics(m, q, qd, tau), qdd, rtol=1e-9, atol=1e-9)
    power = tau @ qd[list(p.motors)]
    assert power == pytest.approx(float(da.tree_torques(m, q, qd, qdd) @ qd), rel=1e-10)


def test_two_stacked_stewart_platforms_are_loops_on_loops():

    m = da.robots.stewart()
    two = m.attach(m, "platform")
    p = planned(two)
    assert (p.equations, p.rank, p.mobility, len(p.motors)) == (36, 36, 12, 12)
    T, twist, rate = motions("stewart", np.random.default_rng(3))
    legs = da.leg_states(m, T, twist, rate)
    one = tree_state(m, T, twist, rate, legs[:3])
    q = np.concatenate([one[0], one[0]]).tolist()
    b = two.bound()
    rng = np.random.default_rng(4)
    qd, qdd, residual, *_ = models.tree_motion(b, p, q, *rng.normal(size=(2, 48)))
    assert np.abs(residual).max() < 1e-13
    u = models.active_torques(b, p, q, qd, qdd)[0]
    back = models.closed_forward(b, p, q, qd, u)[0]
    assert np.allclose(back, qdd, rtol=1e-8, atol=1e-8 * np.abs(qdd).max())
    # a lower platform at rest does not feel how the upper one is held, only what it weighs
    still = models.active_torques(b, p, q, [0.0] * 48, [0.0] * 48)[0]
    alone = da.active_torques(m, one[0], np.zeros(24), np.zeros(24))
    lifted = np.array(models.active_torques(m.bound(), planned(m), one[0].tolist(),
                                                 [0.0] * 24, [0.0] * 24)[0])  # fmt: skip
    assert np.allclose(lifted, alone, rtol=1e-10) and len(still) == 12
