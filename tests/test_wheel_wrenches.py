"""What the ground bears: wrenches of links on wheels, judged by the referee's balance of bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import referee
from referee.description import skew
from referee.rows import rolling_rows
from test_rolling_random import drawn
from wheeled import machine, snake


def balance(data, q, qd, qdd, tau):
    """Return the wrench of each parent on its link, link axes, from the balance of every body.

    The ground acts on wheels by the rows of the referee; the couple of a rolling row acts on the
    link that spins.
    """
    s = referee.State(data, q, qd)
    n, x = s.n, s._from_joints(np.asarray(qdd, float), s.second[: s.n])
    need = s.mass @ x - s.force
    C = s.rows[0][n:]
    motors = s.push(tau)
    joints = np.vstack([np.linalg.solve(s.rows[0][:n, :n], -s.rows[0][:n, n:]), np.eye(s.m.nv)])
    lam = np.linalg.lstsq((C @ joints).T, joints.T @ (need - motors), rcond=1e-11)[0]
    net, at = need[:n].reshape(-1, 6).copy(), 0
    for w in s.m.wheels:
        for row, force in zip(C[at:], lam[at : at + 1 + (w["radius"] is not None)], strict=False):
            net -= (row[:n] * force).reshape(-1, 6)
        at += 1
        if w["radius"] is not None:
            k = next(k for k, b in enumerate(s.m.bodies) if b.joint == w["spin"])
            net[k, 3:] += w["radius"] * lam[at] * (s.at[k][0] @ s.m.bodies[k].axis)
            at += 1
    for c in s.m.rolling:
        for row in rolling_rows(s.m, s.at, c).real:
            net -= (row[:n] * lam[at]).reshape(-1, 6)
            at += 1
    out = np.zeros_like(net)
    for k in reversed(range(len(net))):
        R, p = s.at[k]
        parent = s.m.bodies[k].parent
        if parent >= 0:
            arm = skew(p - s.at[parent][1])
            net[parent] += np.concatenate([net[k, :3], net[k, 3:] + arm @ net[k, :3]])
        out[k] = np.concatenate([R.T @ net[k, :3], R.T @ net[k, 3:]])
    return out


def drive(active=("pl", "pr")):
    """A robot on two driven wheels of one axle, one of which holds it sideways."""
    from wheeled import base, body

    bodies = base(np.random.default_rng(1))
    own = (1.0, (0, 0, 0), (0.004, 0.008, 0.004))
    for name, y in (("pl", 0.25), ("pr", -0.25)):
        bodies.append(body(name, 2, "revolute", "y", (0, y, 0), *own))
    side = [0, 1, 0]
    wheels = [
        {"name": "left", "body": "body th", "point": [0, 0.25, 0], "normal": side, "radius": 0.1,
         "spin": "pl"}]  # fmt: skip
    turn = {"name": "right", "equation": "prd = pld + 5*thd"}
    return {"format": "dalembert/1", "bodies": bodies, "wheels": wheels,
            "velocity_constraints": [turn], "active": list(active)}  # fmt: skip


CASES = {"snake": snake(np.random.default_rng(3), 3, ("p1", "p2")), "drive": drive()}
CASES |= {f"random {k}": machine(k) for k in range(20)}

ROLLING = [("gear", 1), ("rack", 1), ("plate", 1)]


@pytest.mark.parametrize("name", CASES)
def test_link_wrenches_hold_what_the_ground_bears(name):
    data, rng = CASES[name], np.random.default_rng(5)
    m = da.load(data)
    q = rng.uniform(-1, 1, m.nq)
    s = referee.State(data, q)
    if s.rank < len(s.J):
        pytest.skip("rows follow from each other: reactions are not unique")
    qd, _ = referee.feasible(data, q, rng)
    tau = rng.normal(size=len(m.active))
    qdd = referee.forward(data, q, qd, tau)
    tau = da.inverse_dynamics(m, q, qd, qdd)  # of least norm where a motor is idle
    want = balance(data, q, qd, qdd, tau)
    found = da.link_wrenches(m, q, qd, qdd)
    np.testing.assert_allclose(found, want, atol=1e-8 * (1 + abs(want).max()))


@pytest.mark.parametrize("kind, seed", ROLLING)
def test_link_wrenches_hold_what_the_ground_bears_beside_rolling_bodies(kind, seed):
    """Bodies that roll and one wheel on a body that stays in the plane, where there is one."""
    data = drawn(kind, seed)
    wheel = {"name": "blade", "body": "b0", "point": [0.2, 0.1, 0], "normal": [0, 1, 0]}
    planar = data["bodies"][0]["joint"]["type"] == "planar"
    motors = [b["joint"]["name"] for b in data["bodies"]]
    data = data | {"wheels": [wheel] if planar else [], "active": motors}
    m, rng = da.load(data), np.random.default_rng(seed)
    q = np.array(da.integrate(m.tree, da.neutral(m.tree), rng.uniform(-0.5, 0.5, m.nv)))
    q = referee.close(data, q)
    s = referee.State(data, q)
    assert s.rank == len(s.J)
    qd, _ = referee.feasible(data, q, rng)
    qdd = referee.forward(data, q, qd, rng.uniform(-1, 1, m.nv))
    want = balance(data, q, qd, qdd, da.inverse_dynamics(m, q, qd, qdd))
    found = da.link_wrenches(m, q, qd, qdd)
    np.testing.assert_allclose(found, want, atol=1e-8 * (1 + abs(want).max()))


def test_the_wrench_along_each_joint_is_the_force_of_its_motor():
    data = snake(np.random.default_rng(3), 3, ("p1", "p2"))
    m, rng = da.load(data), np.random.default_rng(6)
    q = rng.uniform(-1, 1, m.nq)
    qd, _ = referee.feasible(data, q, rng)
    qdd = da.forward_dynamics(m, q, qd, [0.4, -0.7])
    f = da.link_wrenches(m, q, qd, qdd)
    along = [f[0, 0], f[1, 1], f[2, 5], f[3, 5], f[4, 5]]  # x, y slide; th, p1, p2 turn
    np.testing.assert_allclose(along, [0, 0, 0, 0.4, -0.7], atol=1e-9)


def test_a_motion_that_the_motors_cannot_make_has_no_wrenches():
    m = replace(da.robots.unicycle(), active=("th",))
    still = np.zeros(3)
    with pytest.raises(da.ComputationError, match="link_wrenches: the motors cannot make"):
        da.link_wrenches(m, still, still, [1.0, 0.0, 0.0])
    with pytest.raises(da.UsageError, match="no motor is named"):
        da.link_wrenches(da.robots.unicycle(), still, still, still)
