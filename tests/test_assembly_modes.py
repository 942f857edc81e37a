"""All closed poses at given motors: counted by geometry, named, usable as starts."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ComputationError, UsageError
from machines import linkages


def loaded(drawn):
    data, q = drawn
    return da.load(data), q


def values(m, q):
    return {name: q[m.joint_names.index(name)] for name in m.active}


def found(m, q, **options):
    """Return the modes at the motors of a pose, which are closed and apart from each other."""
    modes = da.assembly_modes(m, values(m, q), **options)
    for mode in modes:
        assert np.abs(da.closure(m, mode.q)).max() < 1e-10
        for name, value in values(m, q).items():
            assert mode.q[m.joint_names.index(name)] == pytest.approx(value, abs=1e-9)
        assert modes.of(mode.q) is mode and modes[mode.name] is mode
        free = [b.joint.kind == "revolute" and n not in m.active
                for b, n in zip(m.bodies, m.joint_names, strict=True)]  # fmt: skip
        if len(free) == m.nq:  # passive angles are within half a turn
            assert np.abs(mode.q[free]).max(initial=0) <= np.pi
    assert len(set(modes.names)) == len(modes)
    return modes


def test_a_four_bar_has_two_modes_as_two_circles_meet_twice():
    m, q = loaded(linkages.four_bar("four-bar", 0.3, 0.8, 0.6, 0.7, 0.9))
    modes = found(m, q)
    assert modes.names == ("elbow +", "elbow -") and not modes.starts
    assert len(found(m, q, starts=96)) == 2
    names = {modes.of(q).name}
    for crank in np.linspace(1.0, 2.0, 4):  # the branch is kept while the crank turns
        there = da.assembly_along(m, q, [[crank]])[0]
        names |= {modes.of(there).name, da.assembly_modes(m, [crank]).of(there).name}
    assert len(names) == 1


def test_a_five_bar_has_two_and_none_where_its_rods_are_too_short():
    m = da.robots.fivebar()
    modes = found(m, da.regular_pose(m))
    assert len(modes) == 2
    pins = [da.pose(m, mode.q, frame="rodA")[:3] @ [0.6, 0, 0, 1] for mode in modes]
    assert np.abs(pins[0] - pins[1]).max() > 0.1
    apart = da.assembly_modes(m, {"crankA": np.pi, "crankB": 0.0})
    assert len(apart) == 0 and str(apart).startswith("no assembly modes")


def test_a_slider_crank_has_two():
    m, q = loaded(linkages.slider_crank())
    modes = found(m, q)
    assert len(modes) == 2


def test_peaucellier_has_as_many_as_its_dyads_allow():
    m, q = loaded(linkages.peaucellier())
    modes = found(m, q)
    sought = found(m, q, starts=400)
    assert len(modes) == len(sought) >= 4
    here = da.assembly_modes(m, values(m, q)).of(q)
    assert np.abs(np.sin((here.q - q) / 2)).max() < 1e-6


def test_three_rrr_has_two_to_six():
    m = da.robots.three_rrr()
    modes = found(m, da.regular_pose(m))
    assert 2 <= len(modes) <= 6 and len(modes) % 2 == 0 and modes.starts


@pytest.mark.slow
def test_a_hexapod_has_several_and_at_most_forty():
    m = da.robots.stewart()
    q = da.regular_pose(m)
    at = {b.joint_name or b.name: sum(x.joint.nq for x in m.bodies[:j])
          for j, b in enumerate(m.bodies)}  # fmt: skip
    modes = da.assembly_modes(m, {name: q[at[name]] for name in m.active})
    assert 2 <= len(modes) <= 40
    assert all(np.abs(da.closure(m, mode.q)).max() < 1e-10 for mode in modes)


def test_a_mode_is_a_start():
    m = da.robots.fivebar()
    modes = da.assembly_modes(m, da.regular_pose(m)[[0, 2]])
    for mode in modes:
        r = da.simulate(m, mode, t=[0.0, 0.05])
        np.testing.assert_allclose(r.q[0], mode.q, atol=1e-12)
        assert np.abs(da.closure(m, r.q)).max() < 1e-7
        np.testing.assert_allclose(da.assemble(m, mode), mode.q, atol=1e-12)


@pytest.mark.parametrize(
    ("motors", "says"),
    [
        ({"crankA": 1.0}, "'crankB' has no value"),
        ([1.0], "1 values, there are 2"),
        ({"crankA": 1.0, "crankB": 1.0, "ankle": 0.0}, "'ankle' is not a joint"),
        ({"crankA": "far", "crankB": 1.0}, "needs a number"),
        ({"crankA": float("nan"), "crankB": 1.0}, "finite"),
        (None, "a mapping joint"),
    ],
)
def test_what_is_given_is_checked(motors, says):
    with pytest.raises(UsageError, match=says):
        da.assembly_modes(da.robots.fivebar(), motors)


def test_poses_that_are_not_single_ones_are_refused():
    with pytest.raises(UsageError, match="no loops"):
        da.assembly_modes(da.robots.puma560(), {})
    data, q = linkages.four_bar("four-bar", 0.3, 0.8, 0.6, 0.7, 0.9)
    m = da.load({**data, "active": []})
    with pytest.raises(UsageError, match="not single ones"):
        da.assembly_modes(m, {})
    first = m.joint_names[0]
    assert len(da.assembly_modes(m, {first: q[0]})) == 2


def test_an_open_pose_has_no_mode():
    m = da.robots.fivebar()
    modes = da.assembly_modes(m, da.regular_pose(m)[[0, 2]])
    with pytest.raises(ComputationError, match="open"):
        modes.of(modes[0].q + 0.1)
