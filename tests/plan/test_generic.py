"""The generic branch, regular poses and poses nearby."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.plan.assembly import Closure, assemble
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


def flat(**more):
    """Return a parallelogram of 1 m, whose rest pose is flat: two branches meet there."""
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    bar = {"mass": 1, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    bodies = [
        bar | {"name": n, "parent": p, "joint": turn | {"placement": {"translation": [x, 0, 0]}}}
        for n, p, x in (("a", -1, 0), ("b", 0, 1), ("c", -1, 1))
    ]
    loop = {"body_i": "b", "point_i": [1, 0, 0], "body_j": "c", "point_j": [1, 0, 0],
            "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": bodies, "loops": [loop], **more})


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


def test_the_distance_to_singular_poses_falls_to_zero_there():
    c = Closure(flat(active=["a"]))
    angles = (1.2, 0.6, 0.3, 0.1, 0.01)
    found = [_distance(c, np.array([a, -a, a])) for a in angles]
    assert all(0 < b < a <= 1 for a, b in itertools.pairwise(found))
    assert found[-1] < 0.02
