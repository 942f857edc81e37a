"""Poses, Jacobians and their rates: against Pinocchio, and against each other."""

from math import cos, sin

import numpy as np
import pytest
from numpy.testing import assert_allclose

import textbook
from agreement import angle_factor, floats
from dalembert.algebra import Transform, Vec3
from dalembert.algorithms.kinematics import (
    acceleration,
    frame_pose,
    jacobian,
    jacobian_derivative,
    pose,
    velocity,
)
from dalembert.errors import UsageError
from dalembert.expr import Graph, evaluate, trace
from dalembert.expr.derive import push
from dalembert.mechanism import Frame, Mechanism
from mechanisms import random_mechanisms, random_state
from peers import peer
from pinocchio_model import _se3, to_pinocchio

AXES = ("base", "local")


def reach(m, q):
    """Return the largest length on the way, at least one."""
    q_ = m.split_q(q)
    steps = [np.abs(floats(b.pose(q_[j])[1])).max() for j, b in enumerate(m.bodies)]
    return 1.0 + sum(steps)


def cases(count, seed, **strata):
    for m in random_mechanisms(count, seed, **strata):
        b = m.bound()
        q, qd, qdd = random_state(m, seed, mild=True)
        yield b, q, qd, qdd, 1e-12 * reach(b, q) * angle_factor(b, q)


def test_the_tip_of_the_planar_arm():
    D = textbook.DATA
    arm = textbook.planar_2r(**D)
    m = Mechanism(arm.bodies, named=(Frame("tip", 1, Transform(p=Vec3(0.5, 0.0, 0.0))),))
    q, l1, l2 = [0.4, -0.9], D["l1"], 0.5
    c12, s12 = cos(q[0] + q[1]), sin(q[0] + q[1])
    T = floats(pose(m, "tip", q))
    assert_allclose(T[:2, 3], [l1 * cos(q[0]) + l2 * c12, l1 * sin(q[0]) + l2 * s12], atol=1e-15)
    assert_allclose(T[:2, 0], [c12, s12], atol=1e-15)
    J = floats(jacobian(m, "tip", q))
    top = [[-l1 * sin(q[0]) - l2 * s12, -l2 * s12], [l1 * cos(q[0]) + l2 * c12, l2 * c12]]
    assert_allclose(J, [*top, [0, 0], [0, 0], [0, 0], [1, 1]], atol=1e-15)


def pinocchio_frame(pin, model, m, name):
    """Add the frame of a mechanism to the Pinocchio model and return its id."""
    body, T = m.frame(name)
    offset = _se3(T)
    while body >= 0 and m.bodies[body].joint.nv == 0:
        offset = _se3(m.bodies[body].placement) * offset
        body = m.bodies[body].parent
    joint = 0 if body < 0 else 1 + [j for j, b in enumerate(m.bodies) if b.joint.nv].index(body)
    return model.addFrame(pin.Frame(name, joint, offset, pin.FrameType.OP_FRAME))


@pytest.mark.parametrize("seed", range(50, 53))
def test_pinocchio_gives_the_same_poses_jacobians_and_rates(seed):
    pin = peer("pin")
    for m, q, qd, _, tolerance in cases(30, seed, dof=(1, 30)):
        model = to_pinocchio(m)
        ids = {name: pinocchio_frame(pin, model, m, name) for name in ("tip", "side")}
        data = model.createData()
        pin.computeJointJacobiansTimeVariation(model, data, np.array(q), np.array(qd))
        pin.computeJointJacobians(model, data, np.array(q))
        pin.updateFramePlacements(model, data)
        for name, k in ids.items():
            assert_allclose(
                floats(pose(m, name, q)), data.oMf[k].homogeneous, rtol=0, atol=tolerance
            )
            for axes, ref in zip(AXES, ("LOCAL_WORLD_ALIGNED", "LOCAL"), strict=True):
                frame = getattr(pin.ReferenceFrame, ref)
                ref = pin.getFrameJacobian(model, data, k, frame).reshape(6, m.nv)
                J = floats(jacobian(m, name, q, axes))
                assert_allclose(J, ref, rtol=0, atol=tolerance, err_msg=m.name)


def test_the_jacobian_is_the_slope_of_the_pose():
    for m, q, qd, _, _ in cases(25, 53, dof=(1, 12), lengths={"metre": 1}):
        J = floats(jacobian(m, "tip", q))
        h = 1e-6
        ahead, behind = (
            floats(pose(m, "tip", m.join({
                j: b.joint.integrate(m.split_q(q)[j], [s * h * x for x in m.split(qd)[j]])
                for j, b in enumerate(m.bodies)
            })))
            for s in (1, -1)
        )  # fmt: skip
        rate = (ahead - behind) / (2 * h)
        R = floats(pose(m, "tip", q))[:3, :3]
        W = rate[:3, :3] @ R.T
        moved = [*rate[:3, 3], W[2, 1], W[0, 2], W[1, 0]]
        assert_allclose(J @ qd, moved, atol=1e-7 * reach(m, q))


@pytest.mark.parametrize("axes", AXES)
def test_velocity_is_the_jacobian_times_the_rates(axes):
    for m, q, qd, _, tolerance in cases(40, 54, dof=(1, 30)):
        J = floats(jacobian(m, "side", q, axes))
        v = floats(velocity(m, "side", q, qd, axes))
        assert_allclose(J @ qd, v, rtol=0, atol=tolerance * m.nv)


def test_acceleration_is_the_rate_of_the_jacobian_and_the_jacobian():
    for m, q, qd, qdd, tolerance in cases(40, 55, dof=(1, 30)):
        J, Jd = (floats(f) for f in (jacobian(m, "tip", q), jacobian_derivative(m, "tip", q, qd)))
        a = floats(acceleration(m, "tip", q, qd, qdd))
        size = np.abs(Jd).max() + 1
        assert_allclose(J @ qdd + Jd @ qd, a, rtol=0, atol=tolerance * size * m.nv)


@pytest.mark.parametrize("axes", AXES)
def test_the_rate_of_the_jacobian_is_that_of_the_graph(axes):
    for m, q, qd, _, tolerance in cases(15, 56, dof=(1, 10)):
        graph = Graph()
        f = trace(lambda v, m=m: jacobian(m, "tip", v, axes), [("q", m.nq)], graph=graph)
        rates = m.join(
            {j: b.joint.coordinate_rate(m.split_q(q)[j], m.split(qd)[j])
             for j, b in enumerate(m.bodies)}
        )  # fmt: skip
        seeds = {graph.input("q", k).id: float(r) for k, r in enumerate(rates)}
        moved = push(graph, f.results, seeds)
        values = evaluate(graph, [x.id for x in moved], {"q": q}, {})
        Jd = floats(jacobian_derivative(m, "tip", q, qd, axes))
        size = np.abs(Jd).max() + 1
        assert_allclose(np.reshape(values, Jd.shape), Jd, rtol=0, atol=tolerance * size)


def test_pinocchio_gives_the_same_rate_of_the_jacobian():
    pin = peer("pin")
    for m, q, qd, _, tolerance in cases(40, 57, dof=(1, 20)):
        if any(b.joint.kind == "planar" for b in m.bodies):
            continue  # Pinocchio takes the columns of a composite joint as constant
        model = to_pinocchio(m)
        k = pinocchio_frame(pin, model, m, "tip")
        data = model.createData()
        pin.computeJointJacobiansTimeVariation(model, data, np.array(q), np.array(qd))
        pin.updateFramePlacements(model, data)
        frame = pin.ReferenceFrame.LOCAL
        ref = pin.getFrameJacobianTimeVariation(model, data, k, frame).reshape(6, m.nv)
        Jd = floats(jacobian_derivative(m, "tip", q, qd, "local"))
        size = np.abs(ref).max() + 1
        assert_allclose(Jd, ref, rtol=0, atol=10 * tolerance * size, err_msg=m.name)


def test_a_frame_on_the_base_stands_still():
    m = textbook.pendulum()
    assert not np.any(floats(jacobian(m, "base", [0.3])))
    assert velocity(m, "world", [0.3], [1.0]) == [0] * 6
    assert_allclose(floats(jacobian_derivative(m, "base", [0.3], [1.0])), np.zeros((6, 1)))
    assert frame_pose(m, "base", [0.3]).is_identity()


def test_unknown_axes_are_refused():
    for f in (
        lambda m: jacobian(m, "rod", [0.0], "world"),
        lambda m: jacobian_derivative(m, "rod", [0.0], [0.0], "world"),
    ):
        with pytest.raises(UsageError, match="unknown axes"):
            f(textbook.pendulum())
