"""Rows of constraints on rates: the rate of a row is its slope along the motion."""

import numpy as np
import pytest

import dalembert as da
import wheeled
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.algorithms.velocity_rows import wheel_angle

STEP = 1e-6
MACHINES = [
    *(pytest.param(lambda k=k: da.load(wheeled.machine(k)), id=f"random {k}") for k in range(5)),
    pytest.param(lambda: da.load(wheeled.snake(np.random.default_rng(1))), id="snake"),
    pytest.param(da.robots.double_steering_car, id="two steered axles"),
]


@pytest.mark.parametrize("make", MACHINES)
def test_the_rate_of_a_row_is_its_slope_along_the_motion(make):
    m = make()
    m = m.bound(dict.fromkeys(m.open_parameters, 0.7))
    rng, c = np.random.default_rng(2), Constraints.of(m)
    q, qd = rng.uniform(-1, 1, m.nq), rng.uniform(-1, 1, m.nv)
    steer = {name: tuple(rng.uniform(-0.5, 0.5, 2)) for name in c.inputs}
    assert m.nq == m.nv and c.count

    def rows(t):
        told = {name: (x + t * rate, rate) for name, (x, rate) in steer.items()}
        return c.rows(list(q + t * qd), list(qd), told)

    for before, now, after in zip(rows(-STEP), rows(0), rows(STEP), strict=True):
        slope = (np.array(after.H) - np.array(before.H)) / (2 * STEP)
        assert np.array(now.Hd) == pytest.approx(slope, abs=1e-8)
        assert np.abs(np.array(now.H)).max() > 0


def test_a_wheel_that_does_not_steer_points_ahead():
    m = da.load(wheeled.snake(np.random.default_rng(1)))
    for wheel in m.wheels:
        assert wheel_angle(m, wheel, [0.3] * m.nq, [0.4] * m.nv, {}) == (0, 0)
