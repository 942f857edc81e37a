"""Closed poses by geometry: circles that meet, dyads in order, poses told apart by their points."""

import math
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.plan import closed_poses
from dalembert.plan.assembly import Closure, assemble, search
from dalembert.plan.closed_poses import (
    Points,
    _half_turn,
    _meeting,
    _planar,
    _random_poses,
    _wrapped,
    closed_form,
    dyads,
    planar_branches,
    sought,
)
from loops import planar, spatial
from machines import linkages

Z = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("seed", range(5))
def test_circles_meet_where_both_distances_are_right(seed):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    a, c, pin = rng.normal(size=(3, 3))
    pin = a + (pin - a) - axis * (axis @ (pin - a))  # in the plane of a
    flat = c - axis * (axis @ (c - a))
    r, s = np.linalg.norm(pin - a), np.linalg.norm(pin - flat)
    found = _meeting(axis, a, c, r, s)
    assert len(found) == 2
    for x in found:
        assert np.linalg.norm(x - a) == pytest.approx(r) and axis @ (x - a) == pytest.approx(0)
        assert np.linalg.norm(x - flat) == pytest.approx(s)
    assert min(np.linalg.norm(x - pin) for x in found) < 1e-9
    # the first lies to the left, seen along the axis
    left = [axis @ np.cross(flat - a, x - a) for x in found]
    assert left[0] > 0 > left[1] and left[0] == pytest.approx(-left[1])


def test_circles_that_touch_meet_once_and_others_never():
    a, c = np.zeros(3), np.array([2.0, 0.0, 0.0])
    for r, s, x in ((1.5, 0.5, 1.5), (3.0, 1.0, 3.0), (1.0, 3.0, -1.0)):  # outside, inside
        (pin,) = _meeting(Z, a, c, r, s)
        np.testing.assert_allclose(pin, [x, 0, 0], atol=1e-12)
    for r, s in ((1.0, 0.9), (3.1, 1.0), (1.0, 3.1)):
        assert _meeting(Z, a, c, r, s) == []
    assert len(_meeting(Z, a, c, 1.0, 1.001)) == 2
    # one about the other
    assert _meeting(Z, a, a, 1.0, 1.0) == [] == _meeting(Z, a, a + 1e-12 * Z[::-1], 1.0, 1.0)
    assert len(_meeting(Z, a, a + 1e-6 * Z[::-1], 1.0, 1.0)) == 2


def test_the_order_of_dyads_leaves_two_pins_to_each_loop():
    data, q = linkages.peaucellier()
    m = da.load(data)
    crank = [b.name for b in m.bodies].index("crank")
    motor = [m.velocity_index[crank]]
    chain = dyads(m, motor)
    assert chain is not None and len(chain) == len(m.loops) == 3
    known = {crank}
    for _, ends in chain:
        own = {j for j, _ in ends}
        assert len(own) == 2 and not own & known
        known |= own
    assert known == set(range(len(m.bodies)))
    assert dyads(m, []) is None  # three pins are unknown in every loop
    assert dyads(m, list(range(m.nv))) is None  # nothing is left to find
    poses = closed_form(Closure(m), chain, q)
    assert any(np.abs(np.sin((p - q) / 2)).max() < 1e-9 for _, p in poses)
    # one sign for each dyad; which way, or 0 where both are one
    assert all(len(n.split()) == 4 and {*n.split()[1:]} <= {*"+-0"} for n, _ in poses)


def test_loops_that_are_not_planar_have_no_dyads_that_close():
    flat, deep = planar(4, 1), spatial(7, 1)
    assert _planar(Closure(flat.m), flat.q) and not _planar(Closure(deep.m), deep.q)
    case = spatial(4, 2)
    c = Closure(case.m)
    chain = dyads(case.m, [0])
    assert chain is not None and closed_form(c, chain, case.q + 0.1) is None
    # out of reach is not the same: a planar one has no pose, and that is an answer
    m = da.robots.fivebar()
    apart = np.array([np.pi, 0.0, 0.0, 0.0])
    held = [k for b, k in zip(m.bodies, m.velocity_index, strict=True) if "crank" in b.name]
    assert closed_form(Closure(m), dyads(m, held), apart) == []


def test_branches_need_one_loop_with_a_pin():
    case = planar(5, 2, active=(0, 1))
    assert len(planar_branches(case.m, case.q)) == 2
    two = replace(case.m, loops=case.m.loops * 2, checked=True)
    slot = replace(case.m, loops=(replace(case.m.loops[0], joint="spherical"),), checked=True)
    for other in (two, slot):
        with pytest.raises(da.ModelError, match="one loop with a revolute cut"):
            planar_branches(other, case.q)
    for motors in ((0,), (0, 1, 2)):  # three passive joints, or one
        m = planar(5, 2, active=motors).m
        with pytest.raises(da.ModelError, match="two passive revolute joints"):
            planar_branches(m, case.q)
    # a body that is fixed in between is no passive joint
    data, q = linkages.four_bar("four-bar", 0.3, 0.8, 0.6, 0.7, 0.9, straight=0.5)
    assert len(planar_branches(da.load(data), q)) == 2


def test_random_poses_hold_what_is_held_and_reach_everywhere():
    m = da.robots.stewart()
    c, start = Closure(m), assemble(m)
    held = (m.velocity_index[m.joint_names.index(m.active[0])],)
    poses = _random_poses(c, start, held, 400, np.random.default_rng(0))
    assert poses.shape == (400, m.nq)
    for j, body in enumerate(m.bodies):
        own = poses[:, m.coordinate_index[j] : m.coordinate_index[j] + body.joint.nq]
        if m.velocity_index[j] in held and body.joint.nv == 1:
            assert (own == start[m.coordinate_index[j]]).all()
            continue
        if body.joint.kind in ("free", "spherical"):
            np.testing.assert_allclose(np.linalg.norm(own[:, -4:], axis=1), 1, atol=1e-12)
            places, own = own[:, :-4], own[:, -4:]
            assert (np.abs(places) <= 2 * c.size).all()
            assert not places.size or (np.abs(places).max(axis=0) > 1.9 * c.size).all()
            assert (np.abs(places.mean(axis=0)) < 0.3 * c.size).all()
        reach = {"prismatic": 2 * c.size, "revolute": np.pi}.get(body.joint.kind, 0.5)
        assert (own.min(axis=0) < -0.9 * reach).all() and (own.max(axis=0) > 0.9 * reach).all()


def test_random_poses_of_planar_joints_reach_twice_the_size():
    case = da.load({
        "format": "dalembert/1",
        "bodies": [
            {"name": "plate", "parent": -1, "joint": {"type": "planar", "name": "p"}, "mass": 1},
            {"name": "arm", "parent": -1, "joint": {"type": "revolute", "axis": [0, 0, 1]},
             "mass": 1}],
        "loops": [{"body_i": "plate", "point_i": [3, 0, 0], "body_j": "arm",
                   "point_j": [5, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}]})  # fmt: skip
    c = Closure(case)
    poses = _random_poses(c, np.zeros(4), (), 500, np.random.default_rng(1))
    top = [2 * c.size, 2 * c.size, np.pi, np.pi]
    assert (poses.max(axis=0) <= top).all() and (poses.max(axis=0) > 0.95 * np.array(top)).all()
    assert (poses.min(axis=0) < -0.95 * np.array(top)).all()
    turned = _wrapped(case, [9.0, -9.0, 4.0, -4.0])
    np.testing.assert_allclose(turned, [9, -9, 4 - 2 * np.pi, 2 * np.pi - 4], atol=1e-12)


def test_angles_are_told_within_half_a_turn():
    for x in np.linspace(-20, 20, 81):
        y = _half_turn(x)
        assert -math.pi <= y <= math.pi
        assert (x - y) / (2 * math.pi) == pytest.approx(round((x - y) / (2 * math.pi)), abs=1e-12)
    assert _half_turn(1.5) == 1.5 and _half_turn(math.pi) == math.pi
    m = da.robots.stewart()
    q = assemble(m)
    other = q.copy()
    for body, at in zip(m.bodies, m.coordinate_index, strict=True):
        if body.joint.kind in ("free", "spherical"):
            other[at + body.joint.nq - 4 : at + body.joint.nq] *= -1  # the same turn
        if body.joint.kind == "revolute":
            other[at] += 2 * np.pi
    np.testing.assert_allclose(_wrapped(m, other), _wrapped(m, q), atol=1e-12)
    np.testing.assert_allclose(Closure(m).residual(_wrapped(m, other)), 0, atol=1e-12)


def test_poses_are_one_where_all_their_points_are():
    m = da.robots.fivebar()
    c, q = Closure(m), assemble(m)
    points = Points(c)
    assert points.new(q, []) and not points.new(q, [q + 1, q]) and points.new(q, [q + 1])
    assert not points.new(q + 2 * np.pi, [q]) and not points.new(q + 1e-9, [q])
    assert points.new(q + 1e-4, [q]) and not points.new(q + 1e-4, [q], 1e-2)
    # in parts of the size: origins of all bodies, then where the loops are cut
    x = points.at(q[None])[0].reshape(-1, 3) * c.size
    for k, body in enumerate(m.bodies):
        np.testing.assert_allclose(x[k], da.pose(m, q, frame=body.name)[:3, 3], atol=1e-12)
    loop = m.loops[0]
    tip = da.pose(m, q, frame=m.bodies[loop.body_i].name) @ [*map(float, loop.point_i), 1]
    np.testing.assert_allclose(x[-1], tip[:3], atol=1e-12)


def test_a_search_finds_the_poses_of_the_closed_form_and_counts_its_starts():
    case = planar(5, 2, active=(0, 1))
    m, c = case.m, Closure(case.m)
    both = planar_branches(m, case.q)
    found, count = sought(c, case.q, (0, 1), 40)
    assert len(found) == 2 and count == 40
    for q in found:
        assert c.worst(q) < 1e-11 and (np.abs(q[2:]) <= np.pi).all()
        assert min(np.abs(np.sin((q - other) / 2)).max() for other in both) < 1e-9
    ends = search(c, np.repeat(case.q[None], 3, axis=0), (0, 1))
    np.testing.assert_allclose(ends, np.repeat(case.q[None], 3, axis=0), atol=1e-9)


def test_a_search_ends_after_two_rounds_without_a_new_pose(monkeypatch):
    monkeypatch.setattr(closed_poses, "STARTS", 12)
    m = da.robots.fivebar()
    held = [k for b, k in zip(m.bodies, m.velocity_index, strict=True) if "crank" in b.name]
    apart = np.array([np.pi, 0.0, 0.0, 0.0])  # the rods do not reach each other
    assert sought(Closure(m), apart, held, None) == ([], 24)
    assert sought(Closure(m), apart, held, 30) == ([], 30)
    case = planar(5, 2, active=(0, 1))
    found, count = sought(Closure(case.m), case.q, (0, 1), None)
    assert len(found) == 2 and 24 < count < 8 * 12
