"""States that are given to equations: arrays along the last axis, or refused with their size."""

import numpy as np
import pytest

import dalembert as da


def test_states_of_any_leading_shape_are_those_of_each_alone():
    eq = da.equations(da.robots.planar2r())
    values = dict.fromkeys(eq.mechanism.open_parameters, 0.7)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 4, 5, 2))
    tau = eq.evaluate(values, q, qd, qdd)
    assert tau.shape == (4, 5, 2)
    np.testing.assert_allclose(tau[2, 3], eq.evaluate(values, q[2, 3], qd[2, 3], qdd[2, 3]))
    # what is not given is zero
    np.testing.assert_allclose(eq.evaluate(values, q[0, 0]),
                               eq.evaluate(values, q[0, 0], [0, 0], [0, 0]))  # fmt: skip


@pytest.mark.parametrize(
    ("q", "said"), [(0.5, "q has 0 entries"), ([1, 2, 3], "q has 3 entries, the mechanism needs 2"),
                    (np.zeros((2, 1)), "q has 1 entries"), (["a", 1], "q does not hold numbers")],
)  # fmt: skip
def test_a_state_of_another_size_is_refused(q, said):
    eq = da.equations(da.robots.planar2r())
    with pytest.raises(da.UsageError, match=said):
        eq.evaluate({}, q)
