"""Limits of joints in numbers: open ends and letters without a value are infinite."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.limits import coordinate_limits, rate_limits


def test_limits_are_numbers_or_infinite():
    m = da.load("RZ(-1, T1MAX), TXK(1), TX(0, 2), RZ();", base="free")
    bodies = (*m.bodies[:-1], replace(m.bodies[-1], effort_limit=-3, velocity_limit=2))
    m = replace(m, bodies=bodies)
    assert coordinate_limits(m) == [(-inf, inf)] * 7 + [(-1, inf), (0, 2), (-inf, inf)]
    assert rate_limits(m, "effort_limit") == [inf] * 8 + [3.0]
    assert rate_limits(m, "velocity_limit")[-1] == 2
    assert coordinate_limits(m.with_values(T1MAX=1))[7] == (-1, 1)


HAND = {
    "format": "dalembert/1",
    "bodies": [
        {"name": name, "parent": parent, "mass": 1, "inertia": [1, 1, 1],
         "joint": {"type": "revolute", "name": name, "limits": limits, "velocity_limit": speed}}
        for name, parent, limits, speed in (
            ("a", -1, [-1, 1], 3), ("b", "a", [-0.2, 0.6], 0.5), ("c", "b", [5, 6], 9)
        )
    ],
    "couplings": [{"joint": "b", "of": "a", "ratio": -2, "offset": 0.1}],
}  # fmt: skip


def test_a_leader_is_held_by_the_limits_of_its_followers():
    m = da.load(HAND)  # b = 0.1 - 2 a in (-0.2, 0.6): a in (-0.25, 0.15)
    assert coordinate_limits(m)[0] == pytest.approx((-0.25, 0.15))
    assert rate_limits(m, "velocity_limit") == [0.25, 9]
    f = da.torques_along(m, da.trajectory.quintic([0, 5.5], [0.2, 5.5], 10.0), drives="none")
    assert [(x.joint, x.what) for x in f.exceeded] == [("a", "upper position")]
    events = da.simulate(m, [0, 5.5], [0.2, 0], t=1.0).events
    assert [e.name for e in events] == ["a upper limit"]
    assert events[0].time == pytest.approx(0.75, abs=1e-6)


def test_limits_of_a_follower_that_leave_no_room_do_not_count():
    more = {"joint": "c", "of": "a", "ratio": 1, "offset": 0}
    m = da.load({**HAND, "couplings": [*HAND["couplings"], more]})
    assert coordinate_limits(m) == [pytest.approx((-0.25, 0.15))]


@pytest.mark.parametrize("base", ["fixed", "planar", "free"])
def test_positions_beyond_limits_are_told_on_every_base(base):
    m = da.load("RZ(-1, 1), TXK(1); body 1: M = 1;", base=base)
    t = np.linspace(0, 1, 11)
    q = np.repeat(np.asarray(da.neutral(m), float)[None], 11, axis=0)
    q[:, -1] = 2 * t
    f = da.torques_along(m, (t, q, np.zeros((11, m.nv)), np.zeros((11, m.nv))))
    assert [(x.joint, x.what, x.value) for x in f.exceeded] == [("j1", "upper position", 2.0)]


def test_a_motion_up_to_the_limit_of_a_follower_keeps_it():
    """(0.2 - 0.3) / -0.1 is 0.9999999999999998: rounding is no limit that is passed."""
    bodies = [
        {"name": "a", "parent": -1, "joint": {"type": "revolute"}, "mass": 1, "com": [0.1, 0, 0]},
        {"name": "b", "parent": "a", "mass": 1,
         "joint": {"type": "prismatic", "axis": [1, 0, 0], "limits": [0.2, 0.31]}},
    ]  # fmt: skip
    follows = [{"joint": "b", "of": "a", "ratio": -0.1, "offset": 0.3}]
    m = da.load({"bodies": bodies, "couplings": follows})
    assert da.torques_along(m, da.trajectory.quintic([0.0], [1.0], 1.0)).executable
    (excess,) = da.torques_along(m, da.trajectory.quintic([0.0], [1.0001], 1.0)).exceeded
    assert excess.what == "upper position"
