"""Exciting motions: within the limits, at rest at both ends, better than random ones."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.identify.bounds import bounds_of
from dalembert.identify.excite import Criterion, Series, _random
from dalembert.identify.unknowns import unknowns

pytest.importorskip("scipy")
ARM = da.load(
    "RZ(-2, 2), TXK(0.5), RY(-1, 1.5), tip: TXK(0.4);"
    "body 1: M = 4, D = (0.25, 0, 0), I = (0.02, 0.1, 0.1);"
    "body 2: M = 2, D = (0.2, 0.01, 0), I = (0.01, 0.04, 0.04);"
)


@pytest.fixture(scope="module")
def motion():
    return da.excite(ARM, time=6.0, harmonics=4, acceleration=8.0, starts=1)


def test_limits_are_kept_and_the_ends_are_at_rest(motion):
    assert (motion.q >= [-2, -1]).all() and (motion.q <= [2, 1.5]).all()
    assert np.abs(motion.qdd).max() <= 8.0
    for x in (motion.qd, motion.qdd):
        assert np.abs(x[[0, -1]]).max() < 1e-9
    assert "times smaller" in motion.notes[0]


def test_the_gradient_of_the_criterion_is_exact():
    box = {"tip": [[-0.5, 0.6], [-0.4, 0.5], [-0.2, 0.3]]}
    c = Criterion(unknowns(ARM, True, None), Series(2, 4, 6.0), bounds_of(ARM, 8.0, box))
    rng = np.random.default_rng(0)
    x, d = 1.5 * _random(c, rng), rng.normal(size=2 * c.series.size)
    h = 1e-6
    slope = (c(x + h * d)[0] - c(x - h * d)[0]) / (2 * h)
    assert c(x)[1] @ d == pytest.approx(slope, rel=1e-6)


def test_a_workspace_is_kept():
    box = [[-0.95, 0.95], [-0.5, 0.5], [-0.3, 0.4]]
    d = da.excite(ARM, time=6.0, harmonics=4, acceleration=8.0, starts=1, workspace={"tip": box})
    p = da.pose(ARM, d.q, frame="tip")[:, :3, 3]
    assert (p >= np.array(box)[:, 0]).all() and (p <= np.array(box)[:, 1]).all()


def test_it_beats_random_motions_in_the_spread_of_parameters(motion):
    u = unknowns(ARM, True, None)

    def spread(q, qd, qdd):
        Y = u.rows(q, qd, qdd).reshape(-1, len(u.names))
        return np.sqrt(np.diag(np.linalg.inv(Y.T @ Y)))

    c = Criterion(u, Series(2, 4, 6.0), bounds_of(ARM, 8.0, {}))
    rng = np.random.default_rng(11)
    basis = c.series.basis(motion.t)
    others = [spread(*c.motion(c.fitting(_random(c, rng)), basis)) for _ in range(15)]
    own = spread(motion.q, motion.qd, motion.qdd)
    ratio = np.exp(np.mean(np.log(np.median(others, axis=0) / own)))
    assert ratio > 1.4


def test_the_table_plays_back(motion, tmp_path):
    motion.save(tmp_path / "e.csv")
    again = da.read_motion(tmp_path / "e.csv", ARM)
    assert np.array_equal(again.q, motion.q)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time": -1.0}, "time=-1.0"),
        ({"harmonics": 1}, "harmonics=1"),
        ({"workspace": {"hand": [[0, 1]] * 3}}, "no frame 'hand'"),
        ({"workspace": {"tip": [0, 1]}}, "the box of"),
    ],
)
def test_bad_options_are_typed_errors(given, message):
    with pytest.raises(da.DalembertError, match=message):
        da.excite(ARM, **given)


def test_machines_that_are_held_are_refused_by_name():
    phrase = "RZ(), TXK(0.5), RZ(), TXK(0.4); body 2: M = 1, I = (.1, .1, .1);"
    coupled = {"phrase": phrase, "couplings": [{"joint": "j2", "of": "j1", "ratio": -0.5}]}
    for m in (da.load(coupled, mimic="couple"), da.robots.fourbar(), da.robots.truck()):
        with pytest.raises(da.UsageError, match="trees of joints"):
            da.excite(m)


HANGING = (
    "RZ(-1, 1), TXK(0.5), RZ(-1, 1), TXK(0.3); gravity = (0, -9.81, 0);"
    "body 1: M = 1, D = (0.3, 0, 0), I = (0, 0, 0.1);"
    "body 2: M = 1, D = (0.3, 0, 0), I = (0, 0, 0.1);"
)


def test_motors_too_weak_to_hold_the_load_are_named():
    """A motion that stands still and passes the limits of force was given before."""
    m = da.load(HANGING)
    weak = replace(m, bodies=tuple(replace(b, effort_limit=1) for b in m.bodies))
    with pytest.raises(da.UsageError, match=r"'j1' needs 10.79 to hold its load, of 1"):
        da.excite(weak, time=4.0, harmonics=3, starts=1)


def test_a_box_around_another_pose_than_the_middle_is_moved_in():
    m, box = da.load(HANGING), [[-9, 9], [0.2, 9], [-1, 1]]
    d = da.excite(m, time=4.0, harmonics=3, starts=1, workspace={"tip": box})
    y = da.pose(m, d.q, frame="tip")[:, 1, 3]
    assert y.min() > 0.2 - 1e-9 and np.ptp(d.q, axis=0).min() > 0.02
    weak = replace(m, bodies=tuple(replace(b, effort_limit=1) for b in m.bodies))
    for one in (m, weak):  # out of reach, whatever the motors can hold
        with pytest.raises(da.UsageError, match="none of them lies in the boxes"):
            da.excite(one, time=4.0, workspace={"tip": [[5, 9], [5, 9], [-1, 1]]})


@pytest.mark.parametrize("acceleration", [0, -5.0, float("nan")])
def test_an_acceleration_that_limits_nothing_is_refused(acceleration):
    with pytest.raises(da.UsageError, match="acceleration"):
        da.excite(da.load(HANGING), time=4.0, acceleration=acceleration)
