"""Pruned equations: the proven bound holds for every motion of the box, and is not idle."""

import math
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.equations import attained
from dalembert.equations.box import _sine_range, box_of
from dalembert.equations.units import lost, passive, plain
from pruning import arm, errors
from report_values import LIMITS, VALUES


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


def test_where_every_joint_is_frozen_nothing_goes_and_nothing_is_kept():
    eq = da.equations(arm()).freeze({1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4})
    found = eq.prune({}, {"all": {"qd": 1.5, "qdd": 4.0}}, 0.01)
    assert (found.gone, found.kept, found.bound) == (0, 0, ())


@pytest.mark.parametrize("kind", ["sin", "cos"])
def test_the_range_of_a_sine_is_met_and_never_passed(kind):
    """Over random intervals, those that begin or end at an extreme, and whole turns."""
    rng, f = np.random.default_rng(3), getattr(np, kind)
    ends = [sorted(rng.uniform(-12, 12, 2)) for _ in range(200)]
    ends += [
        (k * math.pi / 2 - 0.1, k * math.pi / 2 + w) for k in range(-8, 9) for w in (0.2, 3, 6)
    ]
    ends += [(a, a + rng.uniform(0, 1)) for a in rng.uniform(-12, 12, 200)]
    ends += [(a, a + 2 * math.pi) for a in rng.uniform(-9, 9, 5)]
    for low, high in ends:
        a, b = _sine_range(low, high, kind)
        seen = f(np.linspace(low, high, 4001))
        assert a - 1e-15 <= seen.min() <= a + 1e-4 and b - 1e-4 <= seen.max() <= b + 1e-15


def screwed():
    """Return a hinge that carries a screw: only one of two joints comes back after a turn."""
    one = {"type": "revolute", "name": "hinge", "axis": [0, 1, 0]}
    two = {"type": "screw", "name": "screw", "axis": [1, 0, 0], "pitch": 0.03,
           "placement": {"translation": [0.3, 0, 0]}}  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": [
        {"name": "a", "parent": -1, "joint": one, "mass": 3, "com": [0.2, 0.1, 0],
         "inertia": [0.1, 0.2, 0.3]},
        {"name": "b", "parent": "a", "joint": two, "mass": 2, "com": [0.05, 0.02, 0.03],
         "inertia": [0.02, 0.03, 0.04]}]})  # fmt: skip


@pytest.mark.parametrize("turns", [(-20, 20), (0, 20), (-1, 2)])
def test_no_motion_passes_the_bound_of_a_screw_of_several_turns(turns):
    """It moves on with each turn, so its range is not that of one turn."""
    eq = da.equations(screwed())
    limits = {"all": {"qd": 1.5, "qdd": 4.0}, "screw": {"q": turns}}
    found = eq.prune({}, limits, 0.05)
    worst = errors(eq, found.equations, box_of(eq, {}, limits), 20000, 3)
    assert found.gone > 5
    for i, (error, bound, limit) in enumerate(
        zip(worst, found.bound, found.reference, strict=True)
    ):
        assert error <= bound <= 0.05 * limit
        assert abs(eq.evaluate({}, *found.motions[i])[i]) == pytest.approx(limit, rel=1e-12)
        q = found.motions[i][0]
        assert turns[0] - 1e-9 <= q[1] <= turns[1] + 1e-9
        assert error >= 0.5 * bound


def test_the_reference_force_is_attained_by_the_motion_shown():
    eq = da.equations(arm())
    found = eq.prune({}, {"all": {"qd": 1.5, "qdd": 4.0}}, 0.01)
    for i, motion in enumerate(found.motions):
        assert abs(eq.evaluate({}, *motion)[i]) == pytest.approx(found.reference[i], rel=1e-12)


def test_progress_grows_to_one():
    seen = []
    limits = {"all": {"qd": 1.5, "qdd": 4.0}}
    da.equations(arm()).prune({}, limits, 0.01, progress=seen.append)
    assert seen == sorted(seen) and 0 <= seen[0] < 0.5 and seen[-1] == 1 and len(seen) > 3


def wrist(IY2):
    """Return an arm whose last joint needs no force where IX2 = IY2."""
    return da.load(
        "RY(),TZK(0.4),RX(),TZK(0.3),RZ(),TZK(0.1);"
        "body 1: M=4, D=(0,0,0.2), I=(0.1,0.1,0.02); body 2: M=3, D=(0,0,0.1), I=(0.05,0.06,0);"
        f"body 3: M=0.2, D=(0,0,0.03), I=(0.003,{IY2},0);"
    )


def test_a_joint_that_needs_no_force_does_not_stop_the_others():
    limits = {"all": {"qd": 2.0, "qdd": 5.0}}
    round_hand, other = (
        da.equations(wrist(x)).prune({}, limits, 0.05) for x in ("0.003", "0.00299")
    )
    assert other.gone > 5 and round_hand.gone > 5
    assert round_hand.kept <= other.kept
    assert round_hand.idle == (False, False, True)
    assert round_hand.share[2] == 0
    assert round_hand.bound[2] < 1e-15
    assert "joint 3: error at most" in str(round_hand)
    assert "it needs no force" in str(round_hand)


@pytest.mark.parametrize("seed", range(6))
def test_random_motions_hardly_pass_the_force_that_is_attained(seed):
    rng = np.random.default_rng([47, seed])
    words = []
    for _ in range(int(rng.integers(3, 5))):
        kind, axis, along = rng.choice(["R", "R", "R", "T"]), *rng.choice(list("XYZ"), 2)
        words.append(f"{kind}{axis}(-1,1),T{along}K({rng.uniform(0.2, 1):.3f})")
    bodies = "".join(
        f"body {k + 1}: M={rng.uniform(1, 5):.3f}, D=({rng.normal():.3f},{rng.normal():.3f},0),"
        f"I=({rng.uniform(0.1, 1):.3f},0.6,0.7);"
        for k in range(len(words))
    )
    eq = da.equations(da.load(",".join(words) + ";" + bodies))
    limits = {"all": {"qd": 3.0, "qdd": 6.0}}
    reference, motions, _ = attained.forces(eq, box_of(eq, {}, limits))
    rng = np.random.default_rng(5)
    low, high = np.array(box_of(eq, {}, limits).q).T
    q = low + (high - low) * rng.random((20000, eq.n))
    qd, qdd = (np.where(rng.random((20000, eq.n)) < 0.5, -x, x) for x in (3.0, 6.0))
    drawn = np.abs(eq.evaluate({}, q, qd, qdd)).max(axis=0)
    assert all(r >= 0.995 * d for r, d in zip(reference, drawn, strict=True))
    for i, motion in enumerate(motions):
        assert abs(eq.evaluate({}, *motion)[i]) == pytest.approx(reference[i], rel=1e-12)


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


@pytest.mark.slow
def test_the_bound_holds_for_every_value_between():
    eq = da.equations(da.load(
        "RZ(),TZK(L1),RY(),TXK(L2),RY(),TX(0,0.3);"
        "body 1: M=5, D=(0,0,0.2), I=(0.1,0.1,0.2); body 2: M=8, D=(0.1,0,0), I=(0.1,0.3,0.3);"
        "body 3: M=M3, D=(D3,0,0), I=(0.001,IY3,IY3); body 4: M=M4, D=(0.02,0.01,0), I=(0.002,0,0);"
    ))  # fmt: skip
    ranges = {"L1": (0.4, 0.5), "L2": 0.5, "M3": (0.3, 0.9), "D3": (-0.02, 0.05),
              "IY3": (0.01, 0.02), "M4": [0.01, 0.05]}  # fmt: skip
    limits = {"all": {"qd": 1.5, "qdd": (-1.0, 4.0)}}
    found = eq.prune(ranges, limits, 0.02)
    assert found.gone > 0 and max(found.share) <= 0.02
    box = box_of(eq, ranges, limits)
    assert set(box.ranges) == {"L1", "M3", "D3", "IY3", "M4"} and box.values["L2"] == 0.5
    rng = np.random.default_rng(5)
    worst = np.zeros(eq.n)
    for k in range(30):
        # inside, and in the corners
        shares = {name: rng.random() for name in box.ranges}
        shares = {name: round(u) if k % 2 else u for name, u in shares.items()}
        between = {name: a + (b - a) * shares[name] for name, (a, b) in box.ranges.items()}
        case = replace(box, values=dict(box.values) | between)
        worst = np.maximum(worst, errors(eq, found.equations, case, 500, k))
    for i in range(eq.n):
        assert worst[i] <= found.bound[i]
        assert found.bound[i] == 0 or found.found[i] >= 0.3 * found.bound[i]
        values, motion = found.values[i], found.motions[i]
        assert all(a <= values[name] <= b for name, (a, b) in box.ranges.items())
        assert abs(eq.evaluate(values, *motion)[i]) == pytest.approx(found.reference[i], rel=1e-12)
        assert all(-1.0 <= x <= 4.0 for x in motion[2])


def test_a_wrong_range_is_named():
    eq = da.equations(da.load("RZ(),TXK(L1);"))
    values = {"M1": 1, "D1": 0.5, "IY1": 0.1, "IZ1": 0.1}
    for bad in ((2, 1), (1, 2, 3), "x", (0, math.inf)):
        with pytest.raises(da.UsageError, match="parameter 'M1'"):
            box_of(eq, values | {"M1": bad}, {"all": {"qd": 1, "qdd": 1}})


def test_a_tolerance_has_the_unit_of_its_joint():
    eq = da.equations(da.load("RZ(),TXK(1),TX(0,1);body 1:M=1,D=(1/2,0,0);body 2:M=1;"))
    limits = {"all": {"qd": 1, "qdd": 1}}
    for given in ("0.5 N", "0.5 N m", {1: "0.5 N", 2: "1%"}, {1: "1%", 2: "0.5Nm"}):
        with pytest.raises(da.UsageError, match="its force is in N"):
            eq.prune({}, limits, given)
    found = eq.prune({}, limits, {1: "0.5 N m", 2: "0.5 N"})
    assert all(bound <= 0.5 for bound in found.bound)


def test_a_motion_outside_the_proven_limits_is_told():
    m = da.load("RZ(),TXK(1/2),RZ(),TXK(1/3); body 1: M=2,D=(1/5,0,0); body 2: M=1,D=(1/6,0,0);")
    pruned = da.equations(m).prune({}, {"all": {"qd": 1, "qdd": 2}}, "20%")
    assert pruned.gone

    def told(time):
        motion = da.trajectory.quintic([0, 0], [0.4, 0.2], time)
        notes = da.torques_along(m, motion, model=pruned).notes
        return [x for x in notes if "do not hold" in x]

    assert told(5.0) == []
    (note,) = told(0.5)
    assert "qd of j1 is 1.5 (-1 to 1)" in note and "qdd of j1" in note


def test_runs_outside_the_limits_of_the_proof_are_told():
    """The plant and the law of pruned equations are bounded inside their box alone."""
    m = da.robots.puma560()
    limits = {"all": {"q": (-0.5, 0.5), "qd": 1, "qdd": 2}}
    short = da.equations(m).prune({}, limits, 0.05)
    far, near = (da.trajectory.quintic([0] * 6, [x] * 6, 2.0) for x in (1.0, 0.1))
    for move, told in ((far, True), (near, False)):
        law = da.control.FeedForward(goal=move, kp=400, kd=40, model=short)
        r = da.simulate(m, [0] * 6, t=1.5, torque=law)
        assert any("leaves their limits: q of j1" in note for note in r.notes) == told
    r = da.simulate(m, [0] * 6, t=0.5, plant=short)
    assert any("qd of j2" in note for note in r.notes)


def test_the_force_of_a_unit_is_no_less_than_the_one_it_makes():
    """Of coefficients that do not move, to the last digit: what is proven may not be too small."""
    eq = da.equations(arm())
    box = box_of(eq, {}, {"all": {"qd": 1.5, "qdd": 4.0}})
    still = 0
    for unit in plain(eq, box):
        (((kind, _), terms),) = unit.changes.items()
        moving = any(eq.ring.symbols.moving[i] for _, monomial in terms for i, _ in monomial)
        if kind != "A" or moving:
            continue
        at = eq.values({}, [0.3] * eq.n)
        size = abs(sum(float(c) * math.prod(float(at[i]) ** e for i, e in m) for c, m in terms))
        still += 1
        for force in unit.force.values():
            assert size * 4.0 <= force <= size * 4.0 * (1 + 1e-8)
    assert still


@pytest.mark.parametrize("sign", ["section3", "section2"])
@pytest.mark.parametrize("units", [plain, passive])
def test_units_together_are_the_equations(units, sign):
    eq = da.equations(arm()).with_sign(sign)
    box = box_of(eq, {}, {"all": {"qd": 1.5, "qdd": 4.0}})
    made = units(eq, box)
    gone = lost(eq, made, range(len(made)))
    for kind in ("A", "B", "C", "Q"):
        for place in eq.places(kind):
            rest = eq.poly(kind, place) - gone.get((kind, place), eq.ring.zero)
            assert len(eq.ring.reduced(rest)) == 0, (kind, place)
