"""Pruned equations: the proven bound holds for every motion of the box, and is not idle."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.box import box_of
from dalembert.equations.enclosure import Enclosure, enclosed
from report_values import LIMITS, VALUES


def arm():
    """Return a spatial arm with a slide and a light hand."""
    return da.load(
        "RZ(),TZK(0.5),RY(),TX(0.2,0.6),TXK(0.1),RX();"
        "body 1: M=5, D=(0,0,0.2), I=(0.1,0.1,0.2); body 2: M=8, D=(0.1,0,0), I=(0.1,0.3,0.3);"
        "body 3: M=3, D=(0.2,0,0), I=(0.01,0.05,0.05);"
        "body 4: M=0.2, D=(0.02,0.01,0), I=(0.001,0.0012,0.0013,0.0001,0,0);"
    )


def errors(eq, shorter, box, count, seed):
    """Return the largest error found, by joint, with corners of rates and accelerations."""
    rng = np.random.default_rng(seed)

    def draw(ranges, corners):
        low, high = np.array(ranges, float).T
        u = rng.random((count, eq.n))
        return low + (high - low) * (np.round(u) if corners else u)

    q, qd, qdd = draw(box.q, False), draw(box.qd, True), draw(box.qdd, True)
    full, short = (e.evaluate(box.values, q, qd, qdd) for e in (eq, shorter))
    return np.abs(full - short).max(axis=0)


@pytest.mark.parametrize("tolerance", [0.002, 0.02])
def test_no_motion_passes_the_proven_bound(tolerance):
    eq = da.equations(arm())
    limits = {"all": {"qd": 1.5, "qdd": 4.0}}
    found = eq.prune({}, limits, tolerance)
    assert found.gone > 0
    assert all(share <= tolerance for share in found.share)
    worst = errors(eq, found.equations, box_of(eq, {}, limits), 20000, 3)
    for i in range(eq.n):
        assert worst[i] <= found.bound[i]
        assert found.bound[i] == 0 or worst[i] >= 0.3 * found.bound[i]
    # A is one matrix still, and the larger budget only makes it shorter
    assert found.equations.A[2, 1].poly == found.equations.A[1, 2].poly
    assert found.positive_definite == "proven"


def test_the_reference_force_is_attained_by_the_motion_shown():
    eq = da.equations(arm())
    found = eq.prune({}, {"all": {"qd": 1.5, "qdd": 4.0}}, 0.01)
    for i, motion in enumerate(found.motions):
        assert abs(eq.evaluate({}, *motion)[i]) == pytest.approx(found.reference[i], rel=1e-12)


def test_nothing_goes_without_tolerance():
    found = da.equations(arm()).prune({}, {"all": {"qd": 1.5, "qdd": 4.0}}, 0.0)
    assert max(found.bound) == 0


@pytest.mark.slow
def test_a_third_of_the_report_s_terms_go_at_one_percent():
    eq = da.equations(da.robots.report6r())
    found = eq.prune(VALUES, {"all": {"qd": 2.0, "qdd": 5.0}}, 0.01)
    assert found.gone >= 0.3 * (found.gone + found.kept)
    box = box_of(eq, VALUES, {"all": {"qd": 2.0, "qdd": 5.0}})
    worst = errors(eq, found.equations, box, 100_000, 4)
    for i in range(6):
        assert worst[i] <= found.bound[i] <= 0.01 * found.reference[i]
        assert found.bound[i] == 0 or worst[i] >= 0.3 * found.bound[i]
    assert found.positive_definite == "not proven"  # A66 = 0


def test_enclosures_hold_the_values():
    eq = da.equations(arm())
    box = box_of(eq, {}, {"all": {"qd": 1, "qdd": 1}})
    enclosure = Enclosure(eq, {})
    rng = np.random.default_rng(0)
    used = range(len(eq.ring.symbols.generators))
    for _ in range(20):
        ends = [sorted(rng.uniform(a, b, size=2)) for a, b in box.q]
        at = enclosure.at(enclosure.variables(ends, used), used)
        q = [rng.uniform(a, b) for a, b in ends]
        for entry in eq.A:
            x = enclosed(enclosure.grouped(entry.terms("report")), at)
            value = entry.value({}, q)
            assert float(x.lower()) - 1e-12 <= value <= float(x.upper()) + 1e-12


def test_open_limits_are_named_and_turning_joints_turn_fully():
    eq = da.equations(da.load("RZ(),TXK(1),TX(),TXK(1);").with_values(M1=1, D1=1, IY1=0, IZ1=1))
    with pytest.raises(da.ParameterError, match="M2"):
        box_of(eq, {}, {})
    values = {"M2": 1.0, "D2": 0.5, "IY2": 0.1, "IZ2": 0.1}
    with pytest.raises(da.UsageError, match="no limit of"):
        box_of(eq, values, {"all": {"qd": 1, "qdd": 1}})
    box = box_of(eq, values, {"all": {"qd": 1, "qdd": 1}, 2: {"q": (0, 1)}})
    assert box.q == ((-math.pi, math.pi), (0.0, 1.0))
    with pytest.raises(da.UsageError, match="name no joint"):
        box_of(eq, values, {"all": {"q": (0, 1), "qd": 1, "qdd": 1}, "elbow": {"q": (0, 1)}})
    assert LIMITS["all"]["qd"] == 2.0
