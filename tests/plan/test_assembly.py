"""Assembled poses in floats: scaled residuals, Newton steps, many starts, joints that are held."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Transform
from dalembert.plan.assembly import Closure, assemble, close, search, velocity_indices
from loops import planar, slider_crank, spatial
from machines.spatial import SPATIAL

ROBOTS = ("fourbar", "fivebar", "three_rrr", "delta", "stewart")


def grown(m, by):
    """Return a machine with all its lengths multiplied."""
    bodies = [replace(b, placement=Transform(b.placement.R, b.placement.p * by)) for b in m.bodies]
    loops = [replace(x, point_i=x.point_i * by, point_j=x.point_j * by) for x in m.loops]
    return replace(m, bodies=tuple(bodies), loops=tuple(loops), checked=False)


@pytest.mark.parametrize("by", [1e-3, 40.0])
def test_a_closure_and_its_plan_do_not_depend_on_the_unit_of_length(by):
    case = slider_crank(3)
    m, large = case.m, grown(case.m, by)
    slides = np.array([by if b.joint.kind == "prismatic" else 1.0 for b in m.bodies])
    here, there = Closure(m), Closure(large)
    q = case.q + 0.1
    assert here.size > 0 and there.size == pytest.approx(by * here.size)
    np.testing.assert_allclose(there.residual(slides * q), here.residual(q), atol=1e-12)
    np.testing.assert_allclose(there.jacobian(slides * q), here.jacobian(q), atol=1e-12)
    assert there.worst(slides * q) == pytest.approx(here.worst(q))
    one, other = da.plan(m, case.q), da.plan(large, slides * case.q)
    assert (one.rows, one.dependent, one.independent) == (
        other.rows, other.dependent, other.independent,
    )  # fmt: skip


def test_the_jacobian_of_the_search_is_the_slope_of_its_residuals():
    for case in (slider_crank(1), spatial(7, 2), planar(5, 3)):
        c, h = Closure(case.m), 1e-6
        q = case.q + np.random.default_rng(0).uniform(-0.3, 0.3, len(case.q))
        slope = [(c.residual(c.moved(q, h * e)) - c.residual(c.moved(q, -h * e))) / (2 * h)
                 for e in np.eye(case.m.nv)]  # fmt: skip
        np.testing.assert_allclose(c.jacobian(q, far=True), np.transpose(slope), atol=1e-8)
        # at a closed pose it is that of the closure
        one, other = c.jacobian(case.q, far=True), c.jacobian(case.q)
        np.testing.assert_allclose(np.linalg.matrix_rank(one, 1e-8),
                                   np.linalg.matrix_rank(other, 1e-8))  # fmt: skip


@pytest.mark.parametrize("robot", ROBOTS)
def test_newton_closes_a_pose_that_is_a_little_open_in_a_few_steps(robot):
    m = getattr(da.robots, robot)()
    c, q = Closure(m), assemble(m)
    rng = np.random.default_rng(0)
    for _ in range(4):
        start = c.moved(q, rng.uniform(-0.03, 0.03, m.nv))
        found, worst = close(c, start, steps=6)
        assert worst < 1e-12 and c.worst(found) == worst
        # it is one nearby
        assert np.abs(found - start).max() < 0.3 * max(1.0, c.size)


@pytest.mark.parametrize("robot", ROBOTS)
def test_no_step_makes_a_pose_worse(robot):
    m = getattr(da.robots, robot)()
    c, rng = Closure(m), np.random.default_rng(1)
    for _ in range(3):
        q = c.moved(np.array(m.neutral), rng.uniform(-2, 2, m.nv))
        sizes = [float(np.linalg.norm(c.residual(q)))]
        for _ in range(8):
            q, _ = close(c, q, steps=1)
            sizes.append(float(np.linalg.norm(c.residual(q))))
        assert all(b <= a for a, b in itertools.pairwise(sizes))
        assert sizes[-1] < 0.7 * sizes[0] or sizes[-1] < 1e-9


@pytest.mark.parametrize(
    "start",
    [(0.305, 0.308, 0.015, -0.214, -0.446), (0.519, -1.247, 0.008, -0.158, -0.742),
     (1.637, 0.211, -0.974, 0.905, 0.654)],
)  # fmt: skip
def test_where_no_part_of_a_step_leads_on_a_damped_one_does(start):
    """Sarrus' linkage, from poses at which six tries along Newton's direction make it worse."""
    m = da.load(SPATIAL["Sarrus"]()[0])
    c = Closure(m)
    rng = np.random.default_rng(1)
    for _ in range(4):
        assert close(c, c.moved(np.array(start), 1e-4 * rng.normal(size=m.nv)))[1] < 1e-11


def test_joints_that_are_held_stay_where_they_are():
    for case, hold in ((planar(5, 3), (0, 2)), (spatial(8, 1), (1, 3))):
        c, rng = Closure(case.m), np.random.default_rng(2)
        start = case.q.copy()
        start[list(hold)] += 0.02
        start[[k for k in range(case.m.nv) if k not in hold]] += 0.05
        found, worst = close(c, start, hold)
        assert worst < 1e-12 and np.array_equal(found[list(hold)], start[list(hold)])
        many = start + rng.uniform(-0.2, 0.2, (6, case.m.nv))
        many[:, list(hold)] = start[list(hold)]
        ends = search(c, many, hold, least=0.0, steps=25)
        assert np.array_equal(ends[:, list(hold)], many[:, list(hold)])
        # best first, and none is worse than the start that it came from could be
        cost = np.sum(c.residual(ends) ** 2, axis=1)
        assert (np.diff(cost) >= 0).all() and cost[0] < 1e-18
        assert cost.max() <= np.sum(c.residual(many) ** 2, axis=1).max()


def test_a_search_of_many_starts_closes_most_of_them():
    m = da.robots.fivebar()
    c, rng = Closure(m), np.random.default_rng(3)
    starts = rng.uniform(-3, 3, (40, 4))
    ends = search(c, starts, least=0.0)
    closed = np.sum(c.residual(ends) ** 2, axis=1) < 1e-18
    assert closed.sum() >= 30
    # it ends as soon as one is closed
    soon = search(c, starts)
    cost = np.sum(c.residual(soon) ** 2, axis=1)
    assert cost[0] < 1e-18 < cost[-1]
    assert np.array_equal(starts, np.random.default_rng(3).uniform(-3, 3, (40, 4)))


def test_a_far_start_is_left_for_others_the_same_every_time():
    """From a pose where no step helps, random starts lead to a closed one."""
    m = da.robots.fourbar()
    stuck = np.array([np.pi, 0.0, 0.0])  # crank and rocker point apart
    found = assemble(m, stuck)
    assert Closure(m).worst(found) < 1e-12
    assert np.array_equal(found, assemble(m, stuck))
    held = assemble(m, [1.0, 2.5, -2.5], hold=["crank"])
    assert held[0] == 1.0 and Closure(m).worst(held) < 1e-12
    with pytest.raises(da.ComputationError, match="from 1 starts"):
        far = replace(m.loops[0], point_i=m.loops[0].point_i * 9)
        assemble(replace(m, loops=(far,), checked=False), stuck, starts=1)


def test_the_largest_residual_is_told_with_its_place():
    m = da.robots.fourbar()
    c = Closure(m)
    q = assemble(m, [0.4, 0.2, 1.1])
    q[2] += 0.01  # the rocker of 0.6 m turns: its pin moves by 6 mm
    r = np.abs(da.closure(m, q))
    assert f"{r.max():.3g} m" in c.gap(q) and "loop 1" in c.gap(q)
    assert c.gap(q).startswith(f"{r.max():.3g} m along {'xyz'[int(r.argmax())]} in ")
    assert Closure(da.robots.puma560()).gap(np.zeros(6)) == "no loop is open"


def test_a_guess_of_a_quaternion_need_not_have_length_one():
    m = da.robots.stewart()
    q = assemble(m)
    at = m.coordinate_index[[b.joint.kind for b in m.bodies].index("free")]
    long = q.copy()
    long[at + 3 : at + 7] *= 3
    found = assemble(m, long)
    assert np.linalg.norm(found[at + 3 : at + 7]) == pytest.approx(1, abs=1e-12)
    assert Closure(m).worst(found) < 1e-12 and np.abs(found - q).max() < 1e-9
    long[at + 3 : at + 7] = 0
    with pytest.raises(da.ModelError, match=r"quaternion of joint .* is 0"):
        assemble(m, long)


def test_velocity_variables_are_those_of_the_joints_in_order():
    m = da.robots.stewart()
    names = [b.joint_name or b.name for b in m.bodies]
    found = velocity_indices(m, names[::-1])
    assert sorted(found) == list(range(m.nv))
    one = [velocity_indices(m, [n]) for n in names[::-1]]
    assert found == tuple(k for own in one for k in own)
    assert [len(own) for own in one][::-1] == [b.joint.nv for b in m.bodies]


@pytest.mark.parametrize("seed", [3, 4])
def test_ends_near_half_a_turn_apart_are_turned_round(seed):
    """Sines of angles vanish there, and steps that follow them would stay: the search leaves."""
    case = spatial(7, seed)
    loop = case.m.loops[0]
    c = Closure(replace(case.m, loops=(replace(loop, axis=-loop.axis),), checked=False))
    assert c.worst(case.q) == pytest.approx(2)
    assert close(c, case.q + 0.01)[1] < 1e-12


@pytest.mark.parametrize("name", ["crankA", "rodA", "crankB"])
def test_a_joint_that_is_held_stays_at_rest_without_a_pose(name):
    m = da.robots.fivebar()
    q = assemble(m, hold=[name])
    assert q[[b.name for b in m.bodies].index(name)] == 0.0
    assert abs(np.array(da.closure(m, q))).max() < 1e-12
