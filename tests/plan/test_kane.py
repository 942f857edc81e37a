"""Speeds and constraints of Kane's equations: rank at sampled states, positions, singular ones."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.algorithms.velocity_rows import Row
from dalembert.errors import ModelError, SingularPose
from dalembert.plan import kane
from dalembert.plan.kane import (
    Contradiction,
    RedundantConstraint,
    _cleared,
    _decided,
    _dependent,
    _gap,
    _matrix,
    _placed,
    _sample,
    explain,
    require_consistent,
    with_speeds,
)

R = da.robots


def slides(*equations, joints="xyz", **more):
    """Return slides in a row under equations c0, c1, ..."""
    axes = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}
    bodies = [
        {"name": n, "parent": k - 1, "joint": {"type": "prismatic", "name": n, "axis": axes[n]},
         "mass": 1, "com": [0, 0, 0], "inertia": [0, 0, 0]}
        for k, n in enumerate(joints)
    ]  # fmt: skip
    told = [{"name": f"c{k}", "equation": e} for k, e in enumerate(equations)]
    return da.load(
        {"format": "dalembert/1", "bodies": bodies, "velocity_constraints": told, **more}
    )


def rows(*given):
    """Return rows of velocities r0, r1, ... with their right sides."""
    return [
        Row(f"r{k}", [float(x) for x in H], [0.0] * len(H), h) for k, (H, h) in enumerate(given)
    ]


def test_rows_have_length_one_and_rounding_is_nothing():
    found = rows(([3, 0, 4], 0), ([0, 0, 0], 0), ([0, 1e-3, 0], 0))
    H = _matrix(found)
    np.testing.assert_allclose(H, [[0.6, 0, 0.8], [0, 0, 0], [0, 1, 0]])
    kept = _cleared([*found, *rows(([0, 1e-13, 0], 0))])
    assert [any(r.H) for r in kept] == [True, False, True, False]
    assert _cleared([]) == []


def test_the_gap_of_a_row_is_the_sine_of_its_angle_to_the_others():
    plane = np.array([[1.0, 0, 0], [0, 1.0, 0], [0.6, 0.8, 0]])
    for angle in (0.0, 0.3, 1.2):
        own = np.array([np.cos(angle), 0, np.sin(angle)])
        assert _gap(plane, own) == pytest.approx(np.sin(angle), abs=1e-12)
    assert _gap(None, np.array([0.6, 0.8])) == pytest.approx(1)


def test_a_row_is_redundant_only_where_it_follows_in_every_state():
    m = slides("xd = yd", "yd = zd", "xd = zd")
    assert with_speeds(m).idle == ("c2",)
    assert "c2 follows from c0, c1" in with_speeds(m).notes[-2]
    # it follows from one of those before it, which is the one that is named
    m = slides("xd = yd", "zd = 0", "2*yd - 2*xd = 0")
    assert with_speeds(m).idle == ("c2",)
    assert with_speeds(m).notes[-2].endswith("c2 follows from c0")
    # parallel at some states alone
    m = slides("xd = yd", "xd = (1 + z)*yd")
    assert with_speeds(m).idle == () and len(da.kane_speeds(m)) == 1
    twice = slides("xd = yd", "xd = yd", "yd = xd")
    assert with_speeds(twice).idle == ("c1", "c2")


def test_a_right_side_that_differs_contradicts_and_one_that_agrees_does_not():
    with_speeds(slides("xd = yd + 1", "3*xd - 3*yd = 3"))
    for equations in (("xd = yd + 1", "3*xd - 3*yd = 1"), ("xd = 1", "yd = 2", "xd + yd = 4")):
        m = slides(*equations)
        last = f"c{len(equations) - 1}"
        with pytest.raises(Contradiction, match=f"'{last}' contradicts"):
            with_speeds(m)
        with pytest.raises(Contradiction):
            require_consistent(m)
    require_consistent(slides("xd = 1", "yd = 2", "xd + yd = 3"))
    require_consistent(slides("xd = yd", speeds=["x", "y"]))  # speeds are another matter
    m = slides("xd = yd", "xd = yd")
    held = [rows(([1, -1, 0], 0), ([2, -2, 0], 1e-3))]
    with pytest.raises(Contradiction, match="'r1' contradicts 'r0'"):
        _dependent(m, held)
    with pytest.raises(RedundantConstraint, match="'r1' follows from 'r0'"):
        _dependent(m, [rows(([1, -1, 0], 1), ([2, -2, 0], 2))])
    assert _dependent(m, [rows(([1, -1, 0], 0), ([1, 0, 0], 9))]) == {}


def test_a_speed_is_refused_where_the_others_decide_it_in_every_state():
    held = [rows(([1, 0, 0], 0)), rows(([1, 0, 0], 0))]
    _decided(held, [rows(([0, 1, 0], 0), ([0, 0, 1], 0))] * 2)
    _decided(held, [rows(([1, 0, 0], 0)), rows(([0, 1, 0], 0))])  # in one state alone
    for bad in (rows(([2, 0, 0], 0)), rows(([0, 1, 0], 0), ([1, 3, 0], 0))):
        with pytest.raises(ModelError, match=f"'{bad[-1].name}' is decided by"):
            _decided(held, [bad, bad])
    _decided([[]], [rows(([1, 0, 0], 0))])


def test_sampled_states_differ_and_fulfil_the_constraints_of_position():
    m = slides("x = y + 1", "zd = xd", joints="xyz")
    states = [_sample(m, seed) for seed in range(3)]
    for b, q, _ in states:
        assert b.nv == 3 and abs(q[0] - q[1] - 1) < 1e-12
    assert len({tuple(q) for _, q, _ in states}) == 3
    assert _sample(m, 0)[1] == states[0][1]
    open_ = slides("xd = k*yd", parameters={"k": None})
    slopes = [Constraints.of(b).rows(q, [0.0] * 3, told)[0].H
              for b, q, told in (_sample(open_, seed) for seed in range(3))]  # fmt: skip
    assert len({float(H[1] / H[0]) for H in slopes}) == 3
    four = R.fourbar()
    b, q, _ = _sample(replace(four, active=()), 1)
    assert np.abs(da.closure(four, q)).max() < 1e-9
    truck = [_sample(R.truck(1), s)[2] for s in range(3)]
    angles = [float(t[0]) for told in truck for t in told.values()]
    assert len({*angles}) == len(angles) and max(map(abs, angles)) <= 0.5
    assert min(angles) < 0 < max(angles)


def test_positions_are_found_from_far_away_and_at_the_time_told():
    m = slides("x^2 + y^2 = 4").bound()
    q = _placed(m, [0.1, 0.2, 5.0], {})
    assert np.hypot(q[0], q[1]) == pytest.approx(2, abs=1e-12) and q[2] == 5
    timed = slides("x = 3*t").bound()
    (clock,) = Constraints.of(timed).inputs
    assert _placed(timed, [0.0, 1.0, 2.0], {clock: (0.5, 1.0)}) == pytest.approx([1.5, 1.0, 2.0])
    free = slides("xd = yd").bound()
    assert _placed(free, [1.0, 2.0, 3.0], {}) == [1.0, 2.0, 3.0]


def test_states_at_which_the_speeds_decide_nothing_are_named_and_others_are_not():
    m = slides("xd = yd*z", speeds=["x", "z"])
    explain(m, [0, 0, 1], [])
    explain(m, [0, 0, 1e-3], [])
    with pytest.raises(SingularPose, match=r"x, z do not decide the motion here: 'c0', 'x'"):
        explain(m, [0, 0, 0], [], " here")
    explain(R.puma560(), [0.0] * 6, [])  # nothing is constrained
    explain(slides("xd = k*yd", parameters={"k": None}), [0, 0, 0], [])
    truck = R.truck(0)
    explain(truck, [0.0] * truck.nq, [0.3])
    with pytest.raises(SingularPose, match="'front'"):
        explain(truck, [0.0] * truck.nq, [np.pi / 2])


def test_chosen_speeds_prefer_motors_and_stand_clear_of_the_constraints():
    base = slides("xd = 0.1*yd")
    for motors in (["x"], ["y"], ["z", "y"]):
        m = slides("xd = 0.5*yd", active=motors)
        assert {*motors} <= {*da.kane_speeds(m)}
    # along x the constraint leaves little: y is taken, though it comes later from the tips
    assert da.kane_speeds(base) == ("y", "z")
    with pytest.raises(ModelError, match="1 speed is named, the constraints leave 2"):
        da.kane_speeds(replace(base, speeds=("x",)))


def test_no_speeds_are_chosen_for_a_machine_that_cannot_move():
    held = [{"name": f"hold {n}", "equation": f"{n}d = 0"} for n in "ab"]
    data = {"format": "dalembert/1", "velocity_constraints": held, "bodies": [
        {"name": n, "parent": k - 1, "mass": 1, "inertia": [1, 1, 1],
         "joint": {"type": "prismatic", "name": n, "axis": [1 - k, k, 0]}}
        for k, n in enumerate("ab")
    ]}  # fmt: skip
    found = kane.with_speeds(da.load(data))
    assert found.speeds == () and found.notes == ()
