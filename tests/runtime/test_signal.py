"""Functions of time as pieces, beside the splines of SciPy and NumPy's own polynomials."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from dalembert.errors import UsageError
from dalembert.runtime import signal
from dalembert.runtime.stops import stops

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
    assert [t for t, _ in stops(steps, 0.0, 5.0)] == [1.0, 1.001, 5.0]  # not at 4: zero goes on
    assert stops(steps, 0.0, 5.0)[1][1] == pytest.approx(0.001)
    assert stops(steps, 1.0, 5.0)[0][0] == 1.001
    bent = signal.linear([0.0, 1.0, 2.0, 3.0], [[0.0], [1.0], [2.0], [0.0]])
    assert stops(bent, 0.0, 3.0) == [(2.0, 2.0), (3.0, 1.0)]  # not at 1, where it goes straight on
    assert stops(bent, 0.0, 6.0)[-2:] == [(3.0, 1.0), (6.0, 3.0)]  # held from 3 on
    stairs = signal.held([0.0, 1.0, 2.0, 3.0], [[0.0], [1.0], [2.0], [0.0]])
    assert [t for t, _ in stops(stairs, 0.0, 3.0)] == [1.0, 2.0, 3.0]
    curve = signal.smooth(np.linspace(0, 1, 6), np.sin(3 * np.linspace(0, 1, 6))[:, None])
    # the first two cubics are one, and so are the last two
    assert stops(curve, 0.0, 1.0) == [(0.4, 0.4), (1.0, pytest.approx(0.2))]
    short = signal.linear([0.0, 1.0, 1.01, 2.0], [[0.0], [1.0], [1.1], [0.0]])
    assert [t for t, _ in stops(short, 0.0, 2.0)] == [1.0, 1.01, 2.0]
    assert stops(signal.linear([0.0, 1.0], [[0.0], [1.0]]), 0.0, 1.0) == [(1.0, 1.0)]
    assert stops(None, 1.0, 1.0) == [(1.0, 1.0)]


@pytest.mark.parametrize("rows", [10_000, 10_001, 9_001])
def test_steps_are_short_only_where_a_dense_table_asks(rows):
    """Steps as short as the samples of a smooth table are waste, over a bump they are needed."""
    t = np.linspace(0, 10, rows)
    own = signal.smooth(t, np.sin(t)[:, None])
    own = own.beside(own.derivative(), own.derivative().derivative())
    ends, limits = np.array(stops(own, 0.0, 10.0)).T
    assert (np.diff([0.0, *ends]) / limits).sum() < 300
    straight = signal.smooth(t, 3 * t[:, None])  # of its second rate only rounding is left
    both = straight.beside(straight.derivative(), straight.derivative().derivative())
    assert stops(both, 0.0, 10.0) == [(10.0, 10.0)]
    for width in (0.002, 0.05, 0.4):
        bump = np.exp(-(((t - 5.123) / width) ** 2))
        for size in (1e-3, 1.0):
            found = stops(signal.smooth(t, (np.sin(t) + size * bump)[:, None]), 0.0, 10.0)
            assert next(limit for end, limit in found if end > 5.123) < width, (width, size)
