"""Slopes of models on which wrenches act, beside differences of these models and Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Vec3
from mechanisms import random_mechanisms, random_state
from models import inverse_dynamics_derivatives
from peers import peer
from pinocchio_model import to_pinocchio
from test_followers import machine as followers
from wheeled import castor

PLANAR = (
    "RY(), TXK(0.3), TX(), TXK(0.5); body 1: M = 1, I = (.1, .2, .3);"
    "body 2: M = 2, D = (.3, .1, 0), I = (.1, .2, .3);"
)


def five():
    m = da.robots.fivebar()
    return m, da.assemble(m, [2.0, -1.0, 1.0, 1.0])


def rolling():
    m = da.load(castor(np.random.default_rng(2), ("pl", "pr")))
    return m, np.array([0.3, -0.2, 0.7, 0.1, 0.2, 0.5, 0.3])


def tree(m, seed=3):
    return m, np.array(random_state(m, seed, mild=True)[0])


CASES = {
    "free base": lambda: tree(da.robots.walker()),
    "planar base": lambda: tree(da.load(PLANAR, base="planar")),
    "followers": lambda: (da.load(followers()), np.array([0.4, -0.7])),
    "five-bar": five,
    "wheels": rolling,
}


def moved(m, q, step):
    """Return the state moved along the velocity variables of what is independent."""
    if not (m.loops or m.wheels):
        return q + step if m.followers else da.integrate(m, q, step)
    full = da.integrate(m, q, da.active_map(m, q) @ step)
    return da.assembly(m, full) if m.loops else full


def differences(model, m, q, others, n, h=1e-5):
    """Return the slopes of model(q, *others) by q, by central differences."""
    e = h * np.eye(n)
    ends = [[model(moved(m, q, s * e[c]), *others) for s in (1, -1)] for c in range(n)]
    return np.array([(a - b) / (2 * h) for a, b in ends]).T


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("by_frame", [False, True])
def test_wrenches_turn_with_their_links(name, by_frame):
    m, q = CASES[name]()
    rng = np.random.default_rng(5)
    if by_frame:
        frame = m.bodies[-1].name
        acting = {"wrench_on_body": {frame: rng.normal(size=6)}}
    else:
        acting = {"wrench_on_environment": rng.normal(size=(len(m.bodies), 6))}
    held = bool(m.loops or m.wheels)
    independent = list(da.plan(m, q).independent) if held else None
    n = len(independent) if held else m.nv
    qd, qdd = rng.normal(size=(2, m.nv))
    tau = rng.normal(size=len(m.active) if held else m.nv)

    direct = lambda q, qd, tau: da.forward_dynamics(m, q, qd, tau, **acting)  # noqa: E731
    inverse = lambda q, qd, qdd: da.inverse_dynamics(m, q, qd, qdd, **acting)  # noqa: E731
    by_q, by_qd, by_tau = da.forward_dynamics_derivatives(m, q, qd, tau, **acting)
    dq, dqd, M = da.inverse_dynamics_derivatives(m, q, qd, qdd, **acting)
    for found, model, last in ((by_q, direct, tau), (dq, inverse, qdd)):
        expected = differences(model, m, q, (qd, last), n)
        np.testing.assert_allclose(found, expected, atol=1e-6 * max(1, np.abs(expected).max()))
    # without wrenches the slopes by q are others, those by rates and forces the same
    bare = da.inverse_dynamics_derivatives(m, q, qd, qdd)
    assert np.abs(bare[0] - dq).max() > 1e-3
    np.testing.assert_allclose(bare[1], dqd, atol=1e-12)
    np.testing.assert_allclose(bare[2], M, atol=1e-12)
    h = 1e-6
    for k in range(tau.size):
        step = h * np.eye(tau.size)[k]
        slope = (direct(q, qd, tau + step) - direct(q, qd, tau - step)) / (2 * h)
        np.testing.assert_allclose(by_tau[:, k], slope, atol=1e-5 * max(1, np.abs(by_tau).max()))
    assert by_qd.shape == by_q.shape


def test_pinocchio_has_the_same_slopes_with_wrenches():
    pin = peer("pin")
    kinds = dict(lengths={"metre": 1}, masses={"decade": 1}, depth_first=True, dof=(2, 12))
    for m in random_mechanisms(12, 91, **kinds):
        if any(b.joint.kind == "planar" for b in m.bodies):
            continue
        q, qd, qdd = (np.array(x) for x in random_state(m, 91, mild=True))
        w = np.random.default_rng(6).normal(size=(len(m.bodies), 6))
        model = to_pinocchio(m)
        data = model.createData()  # results are views of it
        outside = pin.StdVec_Force()
        joints = [0] + [j for j, b in enumerate(m.bodies) if b.joint.nv]
        if len(joints) != model.njoints:
            continue
        for k, j in enumerate(joints):
            outside.append(pin.Force(-w[j]) if k else pin.Force.Zero())
        fixed = [j for j, b in enumerate(m.bodies) if not b.joint.nv]
        w[fixed] = 0
        ref = pin.computeRNEADerivatives(model, data, q, qd, qdd, outside)
        found = da.inverse_dynamics_derivatives(m, q, qd, qdd, wrench_on_environment=w)
        for x, r in zip(found[:2], ref, strict=False):
            np.testing.assert_allclose(x, r, atol=1e-10 * (np.abs(r).max() + 1), err_msg=m.name)


def test_a_planar_joint_keeps_the_wrenches_of_bodies_beyond_it():
    m = da.load(PLANAR, base="planar")
    b = m.bound()
    q, qd, qdd = random_state(m, 4, mild=True)
    last = {len(m.bodies) - 1: (Vec3(1.0, 2.0, 0.0), Vec3.zero())}
    dq = np.array(inverse_dynamics_derivatives(b, q, qd, qdd, wrenches=last)[0], dtype=float)
    w = np.zeros((len(m.bodies), 6))
    w[-1, :2] = 1, 2
    expected = da.inverse_dynamics_derivatives(m, q, qd, qdd, wrench_on_environment=w)[0]
    np.testing.assert_allclose(dq, expected, atol=1e-10)
