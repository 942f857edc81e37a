"""Prescribed joints of closed machines: held at rest, refused where no input tells their motion."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import referee
from machines.linkages import PLANAR
from machines.platforms import motion


def five_bar(**fields):
    data, q = PLANAR["five-bar"]()
    led = data | {"active": ["crankA"], "prescribed": ["crankB"]} | fields
    return da.load(led), led, motion(data, q)


def test_no_force_of_a_loop_is_told_of_a_prescribed_joint_that_would_be_free():
    """As a motor that is given its acceleration it has the motion of the referee."""
    m, data, (q, qd, qdd) = five_bar()
    still = np.zeros(m.nv)
    asked = (
        lambda: da.forward_dynamics(m, q, qd, [0.3]),
        lambda: da.inverse_dynamics(m, q, qd, qdd),
        lambda: da.forward_dynamics_derivatives(m, q, qd, [0.3]),
        lambda: da.active_regressor(m, q, qd, still),
        lambda: da.task_model(m, "d"),
        lambda: da.equations(m),
    )
    for ask in asked:
        with pytest.raises(da.UsageError, match="'crankB' is prescribed, and no input says how"):
            ask()
    with pytest.raises(da.UsageError, match=r"^tree_torques: 'crankB' is prescribed"):
        da.tree_torques(m, q, qd, qdd)
    driven = replace(m, active=("crankA", "crankB"))
    found, _ = da.hybrid_dynamics(driven, q, qd, [0.3, 0, qdd[2], 0], given=["crankB"])
    wanted = referee.forward(data, q, qd, [0.3], given={"crankB": (qd[2], qdd[2])})
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def test_a_prescribed_motor_of_a_loop_has_forces_along_a_motion():
    """As the hint of the refusal says: once it is in `active`."""
    both = ["crankA", "crankB"]
    (led, _, (q, *_)), (free, *_) = five_bar(active=both), five_bar(active=both, prescribed=[])
    move = da.trajectory.quintic(q[[0, 2]], q[[0, 2]] + 0.1, 0.5)
    found, wanted = (da.torques_along(m, move, start=q).peak for m in (led, free))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_rest_and_small_motions_leave_a_prescribed_joint_where_it_is():
    m, data, (q, *_) = five_bar()
    rest = da.equilibrium(m, q)
    assert rest[2] == q[2] and abs(rest[0] - q[0]) > 0.01
    still, held = np.zeros(4), {"crankB": (0.0, 0.0)}
    assert np.abs(referee.forward(data, rest, still, [0.0], given=held)).max() < 1e-7
    small = da.linearize(m, rest)
    assert (
        small.names == ("crankA",) and "prescribed joints do not take part: crankB" in small.notes
    )
    # the slope of the referee's acceleration along the motion that is left
    at = referee.State(data, rest, given=held)
    way = at.Z[at.n :, 0] / at.Z[at.n, 0]
    found = []
    for h in (1e-5, -1e-5):
        near = referee.close(data, rest + h * way, fixed=["crankA", "crankB"])
        found.append(referee.forward(data, near, still, [0.0], given=held)[0])
    np.testing.assert_allclose(small.A[1, 0], (found[0] - found[1]) / 2e-5, rtol=1e-6)


def test_a_pendulum_on_a_prescribed_cart_swings_as_if_it_hung_on_a_wall():
    cart = {"name": "cart", "parent": -1, "mass": 2,
            "joint": {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}}  # fmt: skip
    bob = {"name": "bob", "parent": "cart", "mass": 1, "com": [0, 0, -1],
           "joint": {"type": "revolute", "name": "swing", "axis": [0, 1, 0]}}  # fmt: skip
    m = da.load({"format": "dalembert/1", "bodies": [cart, bob], "prescribed": ["x"]})
    small = da.linearize(m, [0.2, 0.0])
    assert small.names == ("swing",)
    np.testing.assert_allclose(small.frequencies, [np.sqrt(9.81) / (2 * np.pi)], rtol=1e-12)
    np.testing.assert_allclose(da.equilibrium(m, [0.2, 0.4]), [0.2, 0.0], atol=1e-9)


def test_where_all_is_prescribed_nothing_moves():
    cart = {"name": "cart", "parent": -1, "mass": 2, "joint": {"type": "prismatic", "name": "x"}}
    m = da.load({"bodies": [cart], "prescribed": ["x"]})
    small = da.linearize(m, [0.3])
    assert small.names == () and small.A.shape == (0, 0) and small.B.shape == (0, 1)
    assert len(small.frequencies) == 0 and small.steady
    assert da.equilibrium(m, [0.3]).tolist() == [0.3]
    m, _, (q, *_) = five_bar(active=["crankA", "crankB"], prescribed=["crankA", "crankB"])
    np.testing.assert_allclose(da.equilibrium(m, q), q, atol=1e-12)
    assert da.linearize(m, q).A.shape == (0, 0)


@pytest.mark.parametrize("limits", [[6, 7], [1, 2]])
def test_limits_neither_move_nor_refuse_a_prescribed_joint(limits):
    bodies = [
        {"name": n, "parent": k - 1, "mass": 1, "com": [0, 0, -1],
         "joint": {"type": "revolute", "name": n, "axis": [0, 1, 0]}}
        for k, n in enumerate("ab")
    ]  # fmt: skip
    bodies[0]["joint"]["limits"] = limits
    m = da.load({"bodies": bodies, "prescribed": ["a"]})
    np.testing.assert_allclose(da.equilibrium(m, [0.3, 0.1]), [0.3, -0.3], atol=1e-9)


def test_tangents_of_a_moving_base_turn_though_loops_hold_the_machine():
    """Both states keep their rates: the change between them moves by the rates alone."""
    data, q = PLANAR["crank-rocker"]()
    hull = {"name": "hull", "parent": -1, "joint": {"type": "free", "name": "base"}, "mass": 3.0,
            "com": [0.1, 0.05, -0.1], "inertia": [0.3, 0.4, 0.5]}  # fmt: skip
    bodies = [b | {"parent": "hull" if b["parent"] == -1 else b["parent"]} for b in data["bodies"]]
    loops = [x | {k: "hull" for k in ("body_i", "body_j") if x[k] == -1} for x in data["loops"]]
    data = data | {"bodies": [hull, *bodies], "loops": loops}
    m = da.load(data)
    q, qd, _ = motion(data, np.concatenate([[0, 0, 0, 0, 0, 0, 1], q]))
    small = da.linearize(m, q, qd, drives="inertia")
    n = len(small.names)
    assert n == 7 and small.coordinates[:6] == tuple(range(6))
    d = np.zeros(m.nv)
    d[:6] = np.random.default_rng(1).normal(size=6) * 1e-6
    h, now = 1e-5, []
    for t in (h, -h):
        T, S = (
            da.pose(m.tree, da.integrate(m, x, t * qd), frame="hull")
            for x in (q, da.integrate(m, q, d))
        )
        E = np.linalg.inv(T) @ S
        turn = [E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]
        now.append([*E[:3, 3], *(np.array(turn) / 2)])
    rate = (np.array(now[0]) - now[1]) / (2 * h)
    np.testing.assert_allclose(small.A[:6, :6] @ d[:6], rate, atol=1e-4 * np.abs(rate).max())
