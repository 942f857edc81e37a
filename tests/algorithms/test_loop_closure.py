"""Residuals of loops and couplings, their rates, and what is taken where nothing is given."""

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.kinematics import frame_pose
from dalembert.algorithms.loop_closure import (
    _loop_rows,
    closure,
    closure_rates,
    ends,
    half_turns,
    loop_jacobian,
)
from loops import planar, spatial

GEARED = {
    "format": "dalembert/1",
    "bodies": [
        {"name": n, "parent": -1, "joint": {"type": "revolute", "name": n, "axis": [0, 0, 1]},
         "mass": 1, "inertia": [1, 1, 1]}
        for n in ("a", "b")
    ],
    "couplings": [{"joint": "b", "of": "a", "ratio": -2.5, "offset": 0.3}],
}  # fmt: skip


@pytest.mark.parametrize("m", [planar(5, 1).m, spatial(7, 2).m, da.load(GEARED, mimic="couple")])
def test_rates_of_residuals_are_their_slopes_in_time(m):
    m, rng, h = m.bound(), np.random.default_rng(0), 1e-5
    q, qd, qdd = rng.uniform(-1, 1, (3, m.nv))

    def at(t):
        return np.array(closure(m, (q + qd * t + qdd * t * t / 2).tolist()), dtype=float)

    first, second = (np.array(x, dtype=float) for x in closure_rates(m, q, qd, qdd))
    np.testing.assert_allclose(first, (at(h) - at(-h)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(second, (at(h) - 2 * at(0) + at(-h)) / (h * h), atol=1e-4)
    J = np.array(loop_jacobian(m, q), dtype=float)
    np.testing.assert_allclose(first, J @ qd, atol=1e-12)
    # without accelerations: those of a motion at constant rates
    same, bias = (np.array(x, dtype=float) for x in closure_rates(m, q, qd))
    np.testing.assert_array_equal(same, first)
    np.testing.assert_allclose(second - bias, J @ qdd, atol=1e-12)


def test_a_loop_knows_by_how_much_its_axes_are_apart():
    """cos²(a/2) beside the angle of the two axes themselves, also upside down."""
    m, rng = spatial(7, 2).m.bound(), np.random.default_rng(3)
    (loop,) = m.loops
    for q in rng.uniform(-3, 3, (20, m.nv)).tolist():
        axes = (loop.body_i, loop.axis), (loop.body_j, loop.axis_j or loop.axis)
        i, j = (x if k < 0 else frame_pose(m, m.bodies[k].name, q).R @ x for k, x in axes)
        cosine = i.dot(j)
        assert half_turns(m, q)[0] == pytest.approx((1 + cosine) / 2, abs=1e-14)
        far = [jet.x for jet in _loop_rows(loop, *ends(m, loop, q), far=True)[3:]]
        assert np.linalg.norm(far) == pytest.approx(2 * np.sqrt((1 - cosine) / 2), abs=1e-6)
