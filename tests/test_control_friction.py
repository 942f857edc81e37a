"""Control laws count what the machine they push has: rotors, and friction too."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.control import PD, ComputedTorque, FeedForward
from dalembert.mechanism import Drive
from dalembert.trajectory import quintic

ARM = """upper: RZ(), TXK(0.8), fore: RZ(), TXK(0.6); gravity = (0, -9.81, 0);
body 1: M = 3, D = (0.4, 0, 0), I = (0.1, 0.2, 0.2);
body 2: M = 2, D = (0.3, 0, 0), I = (0.05, 0.1, 0.1);"""
GOAL = np.array([0.9, -0.7])


def arm(coulomb, viscous, active=()):
    own = {"inertia": 0.3, "coulomb": coulomb, "viscous": viscous}
    m = da.load(ARM)
    return replace(m, drives=(Drive(0, **own), Drive(1, **own)), active=tuple(active))


def test_computed_torque_makes_the_error_linear_in_spite_of_viscous_friction():
    m, path = arm((0, 0), 4.0), quintic([0, 0], GOAL, 2.0)
    start = np.array([0.1, -0.2])
    law = ComputedTorque(path, 25.0, 10.0)
    r = da.simulate(m, start, torque=law, t=np.linspace(0, 2, 41), rtol=1e-11)
    s = r.t[:, None]
    exact = (-start * (1 + 5 * s)) * np.exp(-5 * s)
    assert np.abs(path(r.t) - r.q - exact).max() < 1e-8
    assert any("law" in n and "friction of 2 joints" in n for n in r.notes)


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_feed_forward_with_dry_friction_needs_no_feedback(method):
    m, path = arm((3.0, -2.0), 1.0), quintic([0, 0], GOAL, 1.0)
    law = FeedForward(path, 100.0, 20.0)
    r = da.simulate(m, [0, 0], torque=law, t=1.0, rtol=1e-10, method=method)
    assert np.abs(path(r.t) - r.q).max() < 1e-6
    blind = FeedForward(path, 100.0, 20.0, drives="inertia")
    r = da.simulate(m, [0, 0], torque=blind, t=1.0, rtol=1e-10, method=method)
    assert np.abs(path(r.t) - r.q).max() > 1e-2


def test_computed_torque_with_dry_friction_follows():
    m, path = arm((3.0, -2.0), 1.0), quintic([0, 0], GOAL, 1.0)
    law = ComputedTorque(path, 400.0, 40.0)
    r = da.simulate(m, [0, 0], torque=law, t=1.0)
    blind = da.simulate(m, [0, 0], torque=ComputedTorque(path, 400.0, 40.0, drives="none"), t=1.0)
    far, near = (np.abs(path(x.t) - x.q).max() for x in (blind, r))
    assert near < 5e-3 and near < far / 4


def test_a_law_counts_what_the_simulation_counts():
    m, path = arm((3.0, -2.0), 5.0), quintic([0, 0], GOAL, 1.0)
    for drives in ("none", "inertia"):
        law = ComputedTorque(path, 100.0, 20.0)
        r = da.simulate(m, [0, 0], torque=law, t=1.0, drives=drives, rtol=1e-10)
        assert np.abs(path(r.t) - r.q).max() < 1e-8


def test_partial_feedback_counts_friction():
    """The elbow has the motor: it follows although the shoulder hangs free."""
    m, path = arm((0, 0), 2.0, active=["fore"]), quintic([0, 0], [0, 0.7], 1.0)
    law = ComputedTorque(path, 100.0, 20.0)
    r = da.simulate(m, [-1.5, 0], torque=law, t=1.0, rtol=1e-10)
    assert np.abs(path(r.t)[:, 1] - r.q[:, 1]).max() < 1e-7


def test_laws_of_loops_count_friction():
    m = da.robots.fivebar()
    motors = [m.joint_names.index(n) for n in m.active]
    moving = [j for j, b in enumerate(m.bodies) if b.joint.nv]
    m = replace(m, drives=tuple(Drive(moving[j], viscous=1.5) for j in range(len(moving))))
    q = da.regular_pose(m)
    path = quintic(q[motors], q[motors] + [0.1, -0.1], 1.0)
    r = da.simulate(m, q, torque=ComputedTorque(path, 100.0, 20.0), t=1.0, rtol=1e-10)
    assert np.abs(path(r.t) - r.q[:, motors]).max() < 1e-7
    r = da.simulate(m, q, torque=FeedForward(path, 100.0, 20.0), t=1.0, rtol=1e-10)
    assert np.abs(path(r.t) - r.q[:, motors]).max() < 1e-7


def test_unknown_drives_are_refused():
    with pytest.raises(da.UsageError, match="unknown drives"):
        da.simulate(arm((0, 0), 1.0), torque=PD(GOAL, 1.0, 1.0, drives="some"), t=0.1)
