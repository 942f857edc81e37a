"""The subproblems of legs: the angles found do what is asked, rotations made by SciPy.

Random legs of all kinds: every branch puts the point of the leg where it was asked for, and one of
them is the pose that the target was taken from.
"""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert.algebra import Rotation as Turn
from dalembert.algebra import Transform, Vec3
from dalembert.algorithms.kinematics import poses
from dalembert.algorithms.leg_kinematics import (
    LEGS,
    Angle,
    leg_coordinates,
    plain,
    sign,
    turn_to,
    turn_to_distance,
    two_turns_to,
)
from dalembert.errors import ModelError
from dalembert.joint import Prismatic, Revolute
from dalembert.mechanism import Body, Mechanism


@pytest.fixture
def unit():
    """Draws unit vectors, the same in every test."""
    rng = np.random.default_rng(8)

    def draw():
        x = rng.normal(size=3)
        return x / np.linalg.norm(x)

    return draw


def turned(axis, angle, x):
    return Rotation.from_rotvec(axis * angle).apply(x)


def vec(x):
    return Vec3(*map(float, x))


@pytest.mark.parametrize("angle", [-2.5, -0.3, 0.0, 1.2, 3.0])
def test_one_turn_takes_p_to_q(unit, angle):
    u, p = unit(), 3 * unit()
    q = 2 * turned(u, angle, p) + 0.7 * u  # neither its length nor what is along u matters
    found = turn_to(vec(u), vec(p), vec(q))
    assert found.angle == pytest.approx(angle, abs=1e-12)
    assert (found.cos(), found.sin()) == pytest.approx((np.cos(angle), np.sin(angle)), abs=1e-12)


@pytest.mark.parametrize("a", [-2.0, 0.4])
@pytest.mark.parametrize("b", [-1.1, 2.2])
def test_two_turns_about_oblique_axes_take_p_to_q_in_two_ways(unit, a, b):
    u, v, p = unit(), unit(), unit()
    q = turned(u, a, turned(v, b, p))
    ways = [two_turns_to(vec(u), vec(v), vec(p), vec(q), side) for side in (1, -1)]
    found = [(x.angle, y.angle) for x, y in ways]
    for x, y in found:
        assert turned(u, x, turned(v, y, p)) == pytest.approx(q, abs=1e-9)
    near = [np.cos(x - a) + np.cos(y - b) for x, y in found]
    assert max(near) == pytest.approx(2, abs=1e-9) and min(near) < 2 - 1e-6


@pytest.mark.parametrize("side", [1, -1])
def test_a_turn_brings_p_to_a_distance_from_q(unit, side):
    u, p, q = unit(), 2 * unit(), 1.5 * unit()
    gap = turned(u, 0.8, p) - q
    found = turn_to_distance(vec(u), vec(p), vec(q), float(gap @ gap), side)
    there = turned(u, found.angle, p) - q
    assert there @ there == pytest.approx(gap @ gap, rel=1e-12)
    # the two ways lie on the two sides of the angle that takes p to q
    assert np.sin(found.angle - turn_to(vec(u), vec(p), vec(q)).angle) * side > 0


def test_angles_add_by_their_cosines_and_sines():
    a, b = Angle(np.cos(0.7), np.sin(0.7)), Angle(np.cos(1.1), np.sin(1.1))
    assert (a + b).angle == pytest.approx(1.8) and (-a).angle == pytest.approx(-0.7)
    assert plain(a) == pytest.approx(0.7) and plain(0.3) == 0.3


def test_a_sign_that_is_not_given_is_positive():
    assert [sign(-1, k) for k in range(3)] == [-1.0, 1.0, 1.0]
    assert [sign((1, -1), k) for k in range(3)] == [1.0, -1.0, 1.0]


X, Y, Z = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)
# joints of a leg: kind, axis, turns of the frame before it, its origin, of random numbers a and b
KINDS = {
    "UPS": (("R", Z, 0, (0, 0, 0)), ("R", Y, 2, (0, 0, 0)), ("P", X, 0, ("a", 0, 0))),
    "RUS": (("R", Z, 0, (0, 0, 0)), ("R", Y, 2, ("a", "b", 0.2)), ("R", X, 1, (0, 0, 0))),
    "PUS": (("P", Z, 0, (0, 0, 0)), ("R", Y, 2, ("a", "b", 0.2)), ("R", X, 1, (0, 0, 0))),
    "RRR": (("R", Z, 0, (0, 0, 0)), ("R", Z, 2, ("a", "b", 0.3))),
    "PRR": (("P", X, 0, (0, 0, 0)), ("R", Z, 2, ("a", "b", 0.3))),
    "RPR": (("R", Z, 0, (0, 0, 0)), ("P", X, 2, ("a", "b", 0.3))),
}
ENDS = {"UPS": (0.3, 0, 0), "RUS": (0.9, 0.5, 0.7), "PUS": (0.9, 0.5, 0.7)}


def leg(kind, rng, bad=0.0):
    """Return a random leg of a kind, its axes by `bad` beside where they should be."""
    bodies = []
    for k, (joint, axis, turn, p) in enumerate(KINDS[kind]):
        size = {"a": rng.uniform(0.2, 0.6), "b": rng.uniform(-0.4, 0.4)}
        R = Turn.about(turn, float(rng.uniform(-2, 2)))
        if not k:
            R = R @ Turn.about(1, float(rng.uniform(-2, 2)))
            p = rng.normal(size=3).tolist()
        at = Vec3(*(float(size.get(x, x)) + bad * (k == len(KINDS[kind]) - 1) for x in p))
        own = Revolute(axis) if joint == "R" else Prismatic(axis)
        bodies.append(Body(f"{kind}{k}", k - 1, Transform(R, at), own))
    return Mechanism(tuple(bodies))


NEAR = Vec3(*map(np.float64, (0.4, 0.5, 0.6)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_every_branch_of_a_leg_puts_its_point_at_the_target(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    m = leg(kind, rng)
    point = Vec3(*map(float, ENDS.get(kind, (0.8, 0.3, 0.1))))
    q = rng.uniform(0.3, 1.2, m.nv) * rng.choice([-1, 1], m.nv)
    target = (poses(m, q.tolist())[m.nv - 1] @ point).map(np.float64)
    signs = LEGS[tuple(b.joint.kind for b in m.bodies)][1]
    gaps = []
    for branch in product((1.0, -1.0), repeat=signs):
        with np.errstate(invalid="ignore"):  # some cranks leave the joint no way to the target
            found = [float(plain(x)) for x in leg_coordinates(m, point, target, branch)]
        if np.isnan(found).any():
            continue
        there = poses(m, found)[m.nv - 1] @ point
        np.testing.assert_allclose([*there], [*target], atol=1e-9)
        off = np.array(found) - q
        turns = [b.joint.kind == "revolute" for b in m.bodies]
        gaps.append(np.abs(np.where(turns, np.remainder(off + 3, 2 * np.pi) - 3, off)).max())
    assert min(gaps) < 1e-8 and sum(g < 1e-6 for g in gaps) == 1


@pytest.mark.parametrize("kind", ["UPS", "RUS", "PUS"])
def test_axes_that_do_not_meet_have_no_closed_form(kind):
    m, target = leg(kind, np.random.default_rng(1), bad=0.01), NEAR
    with np.errstate(invalid="ignore"), pytest.raises(ModelError, match="its axes do not meet"):
        leg_coordinates(m, Vec3(0.3, 0.0, 0.0), target, 1.0)
