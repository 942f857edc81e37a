"""What drivers of integrators do in Python: how far they are, how long the first step is."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

from dalembert.runtime.integrate import TILE, FixedStep, VariableStep


def test_progress_of_a_batch_grows_from_nothing_to_one():
    times, states = np.linspace(0, 1, 11), np.zeros((4 * TILE, 2))

    def at(first, sample):
        task = {"first": first, "sample": sample}
        return FixedStep.progress(SimpleNamespace(task=task, times=times, states=states))

    assert at(0, 0) == 0 and at(4 * TILE, 0) == 1
    assert at(2 * TILE, 0) == pytest.approx(0.5)
    assert at(TILE, 5) == pytest.approx((1 + 5 / 11) / 4)
    done = [at(k * TILE, s) for k in range(4) for s in range(12)]
    assert done == sorted(done) and max(done) <= 1
    # a tile that is not full does not count for more than all
    few = SimpleNamespace(task={"first": 0, "sample": 11}, times=times, states=states[:1])
    assert FixedStep.progress(few) == 1


@pytest.mark.parametrize(("method", "peer"), [("dopri5", RK45), ("dop853", DOP853)])
def test_the_first_step_is_that_of_scipy(method, peer):
    def swinging(t, x):
        return np.array([x[1], -9.81 * np.sin(x[0]) - 0.1 * x[1] + np.cos(t)])

    for x in ([1.0, 0.0], [0.3, -2.0], [1e-9, 1e-9], [50.0, 3.0]):
        x = np.array(x)
        own = SimpleNamespace(
            x=x, t=0.2, rate=lambda x, t: swinging(t, x), rtol=1e-6, atol=1e-9, method=method
        )
        wanted = peer(swinging, 0.2, x, 1e3, rtol=1e-6, atol=1e-9).h_abs
        assert VariableStep._first_step(own) == pytest.approx(wanted, rel=1e-12)


def test_a_first_step_is_short_where_nothing_can_be_said():
    for x, rate in (([0.0], [0.0]), ([np.nan], [1.0]), ([1.0], [np.inf])):
        own = SimpleNamespace(x=np.array(x), t=0.0, rate=lambda x, t, r=rate: np.array(r),
                              rtol=1e-6, atol=1e-9, method="dopri5")  # fmt: skip
        assert 0 < VariableStep._first_step(own) <= 1e-4
