"""What drivers of integrators do in Python: how far they are, how long the first step is."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

from dalembert.expr import cos, program, trace
from dalembert.runtime import compile_program
from dalembert.runtime.integrate import TILE, FixedStep, Model, VariableStep
from dalembert.runtime.methods import DOP853 as OWN853
from dalembert.runtime.methods import DOPRI5, RODAS5P


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


def one_step(method, f, slope, x, t, h):
    """Return the state after one step of length h, as the driver takes it."""
    n = len(x)
    ports = [("x", n), ("t", 1), ("u", 1), ("p", 1)]

    def rates(x, t, u, p):
        return f(x, t[0], cos)

    def columns(x, t, u, p):
        return [row[j] for j in range(n) for row in slope(x, t[0], cos)]

    rhs, jacobian = (compile_program(program(trace(g, ports))) for g in (rates, columns))
    run = VariableStep(
        Model(rhs, jacobian=jacobian), np.array(x), np.array([t, t + h]), 1e12, 1e12, np.zeros(1),
        first_step=h, longest=h, method=method,
    )  # fmt: skip
    run.run(t + h)
    return run


@pytest.mark.parametrize("method", [DOPRI5, OWN853, RODAS5P], ids=lambda m: m.name)
@pytest.mark.parametrize("n", [1, 3, 5, 8])
def test_a_step_is_that_of_the_tableau_where_rows_must_be_exchanged(method, n):
    """I / (h γ) - J is a permutation of a diagonal, of which the first entry is the largest."""
    rng, h = np.random.default_rng(n), 0.05
    turned = np.roll(np.eye(n), 1, axis=0)
    turned[:2] = np.eye(n)[:2] if n > 4 else turned[:2]
    P = turned + 1e-11 * rng.normal(size=(n, n))
    P[:, 0] *= 30
    A = (np.eye(n) - P) / (h * getattr(method, "diagonal", 1.0))

    def f(x, t, cos):
        return [sum(a * y for a, y in zip(row, x, strict=True)) + cos(t) + 1e-4 * x[0] * x[0]
                for row in A.tolist()]  # fmt: skip

    def slope(x, t, cos):
        rows = A.tolist()
        return [[row[0] + 2e-4 * x[0], *row[1:]] for row in rows]

    x = rng.normal(size=n)
    x[0] = 0
    if method is RODAS5P:  # its tableau is for x' = f(x): time is a state more

        def rate(z, t):
            return np.array([*f(z[:-1], z[-1], np.cos), 1.0])

        def jacobian(z, t):
            J = np.column_stack([slope(z[:-1], t, np.cos), np.full(n, -np.sin(z[-1]))])
            return np.vstack([J, np.zeros(n + 1)])

        wanted = method.step(rate, jacobian, np.array([*x, 0.3]), 0.0, h)[:-1]
    else:
        wanted = method.step(lambda x, t: np.array(f(x, t, np.cos)), x, 0.3, h)
    run = one_step(method.name, f, slope, x, 0.3, h)
    assert run.task["steps"] == 1 and run.t == pytest.approx(0.3 + h, rel=1e-15)
    np.testing.assert_allclose(run.x, wanted, rtol=1e-9, atol=1e-9 * abs(wanted).max())
