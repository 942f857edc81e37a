"""The generic branch, regular poses and poses nearby."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.plan.assembly import Closure, assemble, close
from dalembert.plan.elimination import null_space, rank_of
from dalembert.plan.generic import (
    _distance,
    general_pose,
    highest,
    is_regular,
    neighbours,
    others,
    regular_pose,
)
from loops import bricard, planar
from machines import linkages

BAR = {"mass": 1, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1]}


def bars(*bodies):
    """Return bodies that turn about z: name, parent, and where along the parent."""
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    return [
        BAR | {"name": n, "parent": p, "joint": turn | {"placement": {"translation": [x, 0, 0]}}}
        for n, p, x in bodies
    ]


def pin(i, at, j, to):
    """Return a loop that ties a point of a body to a point of another."""
    ends = {"body_i": i, "point_i": at, "body_j": j, "point_j": to}
    return ends | {"joint": "revolute", "axis": [0, 0, 1]}


def machine(bodies, *loops, **more):
    return da.load({"format": "dalembert/1", "bodies": bodies, "loops": [*loops], **more})


def flat(length=1, **more):
    """Return a parallelogram with cranks of 1 m, at rest flat: two branches meet there."""
    loop = pin("b", [length, 0, 0], "c", [1, 0, 0])
    return machine(bars(("a", -1, 0), ("b", 0, 1), ("c", -1, length)), loop, **more)


def yoke(radius):
    """Return a crank whose pin drives a yoke by r sin x, and a rack by r x: free for x³."""
    bodies = bars(("crank", -1, 0))
    for name, parent, axis in (("rack", -1, [0, 1, 0]), ("shoe", 1, [1, 0, 0])):
        joint = {"type": "prismatic", "name": name, "axis": axis}
        bodies.append(BAR | {"name": name, "parent": parent, "joint": joint})
    bodies[0]["joint"] |= {"name": "crank"}
    rolls = {"joint": "rack", "of": "crank", "ratio": radius}
    at = [radius, 0, 0]
    return machine(bodies, pin("crank", at, "shoe", at), couplings=[rolls])


def test_a_pose_is_regular_where_every_free_motion_can_be_made():
    m = flat(active=["a"])
    c = Closure(m)
    assert not is_regular(c, np.zeros(3))
    assert is_regular(c, np.array([0.6, -0.6, 0.6])) and is_regular(c, np.array([1.1, -1.1, 1.1]))
    for case in (planar(5, 2), bricard(1)):
        assert is_regular(Closure(case.m), case.q)
    # a bar between two pins that is just long enough: free at first order, and yet it holds
    shaky = replace(m, loops=(replace(m.loops[0], body_j=-1, point_j=m.loops[0].point_j * 2),))
    assert not is_regular(Closure(shaky), np.zeros(3))


@pytest.mark.parametrize("length", [0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 1.0, 1.3])
def test_a_flat_parallelogram_is_singular_whatever_its_lengths(length):
    """Where steps end near one of the branches, only the rank there tells that two of them meet."""
    c = Closure(flat(length))
    assert not is_regular(c, np.zeros(3))
    assert is_regular(c, np.array([0.6, -0.6, 0.6]))


@pytest.mark.parametrize("radius", [1.0, 0.3])
def test_a_machine_that_gives_way_up_to_third_order_is_singular(radius):
    """r x = r sin x holds at x = 0 alone, yet rounding sees no higher rank where a step ends."""
    c = Closure(yoke(radius))
    assert null_space(c.jacobian(np.zeros(3))).shape[1] == 1
    assert not is_regular(c, np.zeros(3))


@pytest.mark.parametrize("case", [planar(5, 2), planar(6, 1), bricard(1)])
def test_neighbours_are_closed_and_as_far_as_asked(case):
    c = Closure(case.m)
    for far in (0.01, 0.05):
        found = neighbours(c, case.q, 3, far)
        assert len(found) == 3
        for q in found:
            assert c.worst(q) < 1e-11 and 0.5 * far < np.abs(q - case.q).max() < 2 * far
    assert np.abs(found[0] - found[1]).max() > 1e-3 or null_space(c.jacobian(case.q)).shape[1] == 1


def test_a_structure_has_no_neighbours_but_itself():
    case = planar(3, 1)
    for q in neighbours(Closure(case.m), case.q, 2):
        np.testing.assert_allclose(q, case.q, atol=1e-10)


def test_the_pose_of_a_plan_is_closed_regular_and_always_the_same():
    for m in (flat(active=["a"]), flat(), da.robots.delta(), da.robots.fivebar()):
        c, q = general_pose(m)
        assert c.worst(q) < 1e-11 and is_regular(c, q)
        assert np.array_equal(q, general_pose(m)[1])
    # the crank moves: the branch is not the one on which it is held fast
    data, _ = linkages.parallel_cranks(3)
    c, q = general_pose(da.load(data))
    assert abs(null_space(c.jacobian(q))[0, 0]) > 0.1


def test_other_poses_are_closed_and_some_are_elsewhere():
    for m in (flat(active=["a"]), flat(), da.robots.fivebar()):
        c, q = Closure(m), assemble(m)
        found = others(c, q)
        assert 8 < len(found) <= 8 * 8  # eight of all joints free, and some with one held
        assert all(c.worst(p) < 1e-11 for p in found)
        assert max(np.abs(p - q).max() for p in found) > 0.3
        assert np.array_equal(found, others(c, q))


def test_the_highest_rank_is_taken_and_the_first_of_equals():
    c = Closure(flat())
    poses = [np.zeros(3), np.array([0.6, -0.6, 0.6]), np.array([1.1, -1.1, 1.1])]
    assert [rank_of(c.jacobian(q)) for q in poses] == [1, 2, 2]
    assert highest(poses, c) is poses[1]


def test_a_regular_pose_is_near_what_was_given_and_away_from_singular_ones():
    m = flat(active=["a"])
    c = Closure(m)
    for q in (None, [0.0, 0.0, 0.0], [0.8, -0.8, 0.8], [0.01, -0.01, 0.01]):
        found = regular_pose(m, q)
        assert c.worst(found) < 1e-11 and is_regular(c, found)
        assert da.plan(m, found).mobility == 1 and _distance(c, found) > 0.01
    np.testing.assert_allclose(regular_pose(m, [0.8, -0.8, 0.8]), [0.8, -0.8, 0.8], atol=1e-10)
    with pytest.raises(da.ModelError, match=r"needs \(3,\)"):
        regular_pose(m, [1.0])


def test_a_regular_pose_is_closed_wherever_its_search_starts():
    """A triangle, held twice, closes on one side; on the other gaps are smallest that remain."""
    ties = pin("b", [1, 0, 0], "base", [1, 1, 0]), pin("b", [0.5, 0, 0], "base", [1, 0.5, 0])
    m = machine(bars(("a", -1, 0), ("b", 0, 1)), *ties)
    c = Closure(m)
    assert close(c, np.array([1.5, -1.5]))[1] > 0.1
    for start in ([0, 1.5], [1.5, -1.5], [3, -1]):
        np.testing.assert_allclose(regular_pose(m, start), [0, np.pi / 2], atol=1e-11)


def test_the_distance_to_singular_poses_falls_to_zero_there():
    c = Closure(flat(active=["a"]))
    angles = (1.2, 0.6, 0.3, 0.1, 0.01)
    found = [_distance(c, np.array([a, -a, a])) for a in angles]
    assert all(0 < b < a <= 1 for a, b in itertools.pairwise(found))
    assert found[-1] < 0.02
