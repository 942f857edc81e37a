"""Coefficients of integration methods: those of SciPy, and the conditions that their order sets."""

import numpy as np
import pytest
from scipy.integrate import RK45
from scipy.integrate._ivp import dop853_coefficients as hairer

from dalembert.runtime.methods import DOP853, DOPRI5, RK4, RODAS5P

EXPLICIT = {"rk4": RK4, "dopri5": DOPRI5, "dop853": DOP853}


def dense(row, size):
    out = np.zeros(size)
    for j, a in row:
        out[j] += a
    return out


def nodes(tableau):
    """Return the times of all rows that a step writes, in parts of the step."""
    return np.array([*tableau.C, 1.0, *(c for c, _ in tableau.extra)])


@pytest.mark.parametrize("tableau", EXPLICIT.values(), ids=EXPLICIT)
def test_a_stage_is_where_its_coefficients_lead(tableau):
    rows = [*zip(tableau.C, tableau.A, strict=True), *tableau.extra]
    assert len(rows) == tableau.stages + len(tableau.extra)
    for c, row in rows:
        assert sum(a for _, a in row) == pytest.approx(c, abs=1e-12)
    for i, row in enumerate(tableau.A):
        assert all(0 <= j < i for j, _ in row)


@pytest.mark.parametrize("tableau", EXPLICIT.values(), ids=EXPLICIT)
def test_a_step_integrates_powers_of_time_up_to_its_order(tableau):
    c, b = np.array(tableau.C), dense(tableau.B, tableau.stages)
    for k in range(tableau.order):
        assert b @ c**k == pytest.approx(1 / (k + 1), abs=2e-14)


def test_the_tables_are_those_of_scipy():
    stages = DOP853.stages
    assert [DOP853.C, [c for c, _ in DOP853.extra]] == [
        pytest.approx(hairer.C[:stages], abs=1e-15),
        pytest.approx(hairer.C[stages + 1 :], abs=1e-15),
    ]
    for ours, theirs in [
        *zip(DOP853.A, hairer.A, strict=False),
        *zip([row for _, row in DOP853.extra], hairer.A[stages + 1 :], strict=True),
        *zip(DOP853.dense, hairer.D, strict=True),
        (DOP853.B, hairer.B),
        (DOP853.E, hairer.E5),
        (DOP853.E2, hairer.E3),
    ]:
        assert dense(ours, len(theirs)) == pytest.approx(theirs, rel=1e-14, abs=1e-15)
    for ours, theirs in [*zip(DOPRI5.A, RK45.A, strict=True), (DOPRI5.B, RK45.B)]:
        assert dense(ours, len(theirs)) == pytest.approx(theirs, rel=1e-14)
    # ours is the difference the other way round
    assert dense(DOPRI5.E, 7) == pytest.approx(-RK45.E, rel=1e-13)
    assert pytest.approx(RK45.C, rel=1e-15) == DOPRI5.C


@pytest.mark.parametrize(("tableau", "order"), [(DOPRI5, 4), (DOP853, 7)])
@pytest.mark.parametrize("s", [0.25, 0.6])
def test_an_interpolant_integrates_powers_of_time_up_to_its_order(tableau, order, s):
    c, n = nodes(tableau), tableau.stages
    for k in range(order):
        K, r = c**k, 1 - s
        F = [dense(tableau.B, len(c)) @ K]
        F += [K[0] - F[0], 2 * F[0] - K[0] - K[n]]  # the right slopes at both ends
        F += [dense(row, len(c)) @ K for row in tableau.dense]
        value = 0.0
        for i in reversed(range(len(F))):
            value = (F[i] + value) * (r if i % 2 else s)
        # rounded as the largest coefficients are
        assert value == pytest.approx(s ** (k + 1) / (k + 1), abs=2e-13)


def test_an_error_is_nothing_where_both_orders_are_exact():
    for tableau, row, order in [
        (DOPRI5, DOPRI5.E, 4),
        (DOP853, DOP853.E, 5),
        (DOP853, DOP853.E2, 3),
    ]:
        c = nodes(tableau)
        for k in range(order):
            assert dense(row, len(c)) @ c**k == pytest.approx(0, abs=2e-14)
        assert abs(dense(row, len(c)) @ c**order) > 1e-6


def test_rosenbrock_solves_linear_equations_to_its_order():
    """x' = λ x: one step multiplies by a rational function that agrees with exp to order five."""
    at, errors = RODAS5P, []
    for z in (0.05, 0.1):
        x = at.step(lambda x, t: -x, lambda x, t: -np.eye(1), np.ones(1), 0.0, z)[0]
        errors.append(abs(x - np.exp(-z)))
    assert errors[0] < 1e-11 and errors[1] / errors[0] > 2**5.7
    # stiffly accurate: an infinitely stiff part is gone after one step
    far = at.step(lambda x, t: -1e9 * x, lambda x, t: -1e9 * np.eye(1), np.ones(1), 0.0, 1.0)[0]
    assert abs(far) < 1e-7


def test_rosenbrock_asks_for_rates_at_the_times_of_its_stages():
    seen = []
    RODAS5P.step(
        lambda x, t: (seen.append(t), -x)[1], lambda x, t: -np.eye(1), np.ones(1), 2.0, 0.5
    )
    assert seen == pytest.approx([2.0 + 0.5 * a for a in RODAS5P.alpha]) and max(seen) == 2.5


def test_the_interpolant_of_rosenbrock_is_of_order_four():
    """On x' = -x, whose solution is known; F as in the sum of `tableau.py`."""
    at, errors = RODAS5P, []
    for h in (0.1, 0.2):
        J, x, U = -1.0, 1.0, []
        W = 1 / (h * at.diagonal) - J
        for a, c in zip(at.A, at.C, strict=True):
            f = J * (x + sum(w * U[j] for j, w in a))
            U.append((f + sum(w * U[j] for j, w in c) / h) / W)
        F = [sum(w * U[j] for j, w in row) for row in (at.M, *at.dense)]
        worst = 0.0
        for s in (0.3, 0.7):
            value = 0.0
            for i in reversed(range(len(F))):
                value = (F[i] + value) * (1 - s if i % 2 else s)
            worst = max(worst, abs(x + value - np.exp(-s * h)))
        errors.append(worst)
    assert errors[0] < 1e-7 and errors[1] / errors[0] > 2**4.5
