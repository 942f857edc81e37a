"""The subproblems of legs: the angles found do what is asked, rotations made by SciPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert.algebra import Vec3
from dalembert.algorithms.leg_kinematics import (
    Angle,
    plain,
    sign,
    turn_to,
    turn_to_distance,
    two_turns_to,
)


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
