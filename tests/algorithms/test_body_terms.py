"""Rows of positions of bodies are the slopes of their values."""

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.body_terms import term_rows, term_value
from dalembert.mechanism import BodyTerm

ARM = da.robots.puma560()
POINTS = ((0.2, -0.3, 0.1), (-0.1, 0.4, 0.3))
Q = np.array([0.3, -0.8, 1.1, 0.4, 0.9, -0.6])
QD = np.array([0.5, 1.2, -0.7, 0.3, -1.4, 0.8])


def term(quantity, component, in_base):
    names = [b.name for b in ARM.bodies]
    frames = (names[2], names[5]) if quantity in ("distance", "direction") else (names[4],)
    return BodyTerm("x", quantity, frames, POINTS[: len(frames)], component, in_base)


def slope(f, x, h=1e-6):
    steps = [h * e for e in np.eye(len(x))]
    return np.array([(np.asarray(f(x + d)) - np.asarray(f(x - d))) / (2 * h) for d in steps])


@pytest.mark.parametrize("in_base", [True, False])
@pytest.mark.parametrize("component", [0, 1, 2])
@pytest.mark.parametrize("quantity", ["p", "axis", "distance", "direction"])
def test_a_row_is_the_slope_of_the_value(quantity, component, in_base):
    t = term(quantity, component, in_base)
    row, rate = term_rows(ARM, t, list(Q), list(QD), {})
    assert row == pytest.approx(slope(lambda q: term_value(ARM, t, list(q), {}), Q), abs=1e-8)
    rows = slope(lambda q: term_rows(ARM, t, list(q), list(QD), {})[0], Q)
    assert rate == pytest.approx(QD @ rows, abs=1e-7)


@pytest.mark.parametrize("component", [0, 1, 2])
def test_velocities_in_base_axes_are_the_rates_of_positions(component):
    given = list(Q), list(QD), {}
    of_velocity = term_rows(ARM, term("v", component, True), *given)[0]
    of_position = term_rows(ARM, term("p", component, True), *given)[0]
    assert of_velocity == pytest.approx(of_position, abs=1e-12)


def test_distance_and_direction_lead_from_one_point_to_the_other():
    names = [b.name for b in ARM.bodies]

    def point(frame, place):
        terms = [BodyTerm("x", "p", (frame,), (place,), k, True) for k in range(3)]
        return np.array([term_value(ARM, t, list(Q), {}) for t in terms])

    gap = point(names[5], POINTS[1]) - point(names[2], POINTS[0])
    size = np.linalg.norm(gap)
    assert term_value(ARM, term("distance", 0, True), list(Q), {}) == pytest.approx(size)
    found = [term_value(ARM, term("direction", k, True), list(Q), {}) for k in range(3)]
    assert found == pytest.approx(gap / size)
    local = [term_value(ARM, term("direction", k, False), list(Q), {}) for k in range(3)]
    assert np.linalg.norm(local) == pytest.approx(1) and local != pytest.approx(found)
