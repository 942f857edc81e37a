"""Functions of time as pieces, beside the splines of SciPy and NumPy's own polynomials."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from dalembert.errors import UsageError
from dalembert.runtime import signal

T = np.array([0.0, 0.4, 1.1, 1.5, 2.6, 3.0])
Y = np.random.default_rng(4).normal(size=(len(T), 2))
DENSE = np.linspace(0, 3, 61)


@pytest.mark.parametrize("n", [4, 5, 6])
@pytest.mark.parametrize(
    ("ends", "theirs"), [("free", "not-a-knot"), ("natural", "natural"), ("clamped", "clamped")]
)
def test_splines_are_those_of_scipy(ends, theirs, n):
    t, y = T[:n], Y[:n]
    made = signal.cubic(t, y, signal.spline_slopes(t, y, ends))
    wanted = CubicSpline(t, y, bc_type=theirs)
    inside = DENSE[t[-1] >= DENSE]
    assert made(inside) == pytest.approx(wanted(inside), abs=1e-12)
    assert made.derivative()(inside[:-1]) == pytest.approx(wanted(inside[:-1], 1), abs=1e-11)


def test_three_rows_are_a_parabola_and_two_a_line():
    wanted = np.polynomial.Polynomial.fit(T[:3], Y[:3, 0], 2)
    inside = DENSE[T[2] >= DENSE]
    assert signal.smooth(T[:3], Y[:3])(inside)[:, 0] == pytest.approx(wanted(inside), abs=1e-12)
    assert signal.smooth(T[:2], Y[:2])(0.1) == pytest.approx(0.75 * Y[0] + 0.25 * Y[1])


def test_lines_pass_through_their_rows_and_hold_outside():
    made = signal.linear(T, Y)
    for j in range(2):
        assert made(DENSE)[:, j] == pytest.approx(np.interp(DENSE, T, Y[:, j]), abs=1e-14)
    assert made([-1.0, 9.0]) == pytest.approx(Y[[0, -1]])


def test_held_values_jump_at_their_times():
    made = signal.held(T, Y)
    assert (made(T) == Y).all() and (made(T[1:] - 1e-9) == Y[:-1]).all()
    assert made.held and not signal.linear(T, Y).held
    assert (signal.constant([1.0, 2.0])([-5.0, 0.0, 7.0]) == [1.0, 2.0]).all()
    assert (made.derivative()(DENSE) == 0).all()


def test_signals_side_by_side_keep_their_values():
    a = signal.smooth(T, Y)
    b = signal.linear([0.5, 0.9, 2.0], np.array([[1.0], [3.0], [-1.0]]))
    both = a.beside(b)
    assert both(DENSE) == pytest.approx(np.hstack([a(DENSE), b(DENSE)]), abs=1e-12)
    assert (both.columns([2])(DENSE) == both(DENSE)[:, 2:]).all() and both.size == 3


def test_a_longer_time_holds_the_ends_at_rest():
    made = signal.smooth(T, Y)
    longer = made.spanning(-1.0, 5.0)
    assert (longer.breaks[0], longer.breaks[-1]) == (-1.0, 5.0)
    assert longer([-0.5, 4.0]) == pytest.approx(Y[[0, -1]], abs=1e-12)
    assert (longer.derivative()([-0.5, 4.0]) == 0).all()
    assert longer(DENSE) == pytest.approx(made(DENSE), abs=1e-14)
    assert (made.spanning(0.0, 3.0).breaks == made.breaks).all()


def test_what_is_no_function_of_time_is_refused():
    with pytest.raises(UsageError, match="must increase"):
        signal.held([0.0, 0.0], Y[:2])
    with pytest.raises(UsageError, match="3 breaks do not bound 1 pieces"):
        signal.Signal(np.arange(3.0), np.zeros((1, 1, 1)))
    with pytest.raises(UsageError, match="from t = 1 s, column 2"):
        signal.held([0.0, 1.0], [[0.0, 0.0], [0.0, np.nan]])


def test_a_signal_says_where_a_solver_must_stop():
    steps = signal.held([0.0, 1.0, 1.001, 4.0], [[0.0], [2.0], [0.0], [0.0]])
    assert steps.stops(0.0, 5.0)[0] == [1.0, 1.001]
    assert steps.stops(1.0, 5.0)[0] == [1.001]
    bent = signal.linear([0.0, 1.0, 2.0, 3.0], [[0.0], [1.0], [2.0], [0.0]])
    assert bent.stops(0.0, 3.0) == ([2.0], 1.0)  # not at 1, where it goes straight on
    curve = signal.smooth(np.linspace(0, 1, 11), np.sin(np.linspace(0, 1, 11))[:, None])
    stops, longest = curve.stops(0.0, 1.0)
    assert stops == [] and longest == pytest.approx(0.1)
    short = signal.smooth([0.0, 1.0, 1.01, 2.0], [[0.0], [1.0], [1.1], [0.0]])
    assert short.stops(0.0, 2.0)[0] == [1.0, 1.01]
    assert signal.linear([0.0, 1.0], [[0.0], [1.0]]).stops(0.0, 1.0) == ([], np.inf)
