"""The smoothing spline: its response, its ends, its noise, missing samples."""

import numpy as np
import pytest

import dalembert as da
from dalembert.measure.smooth import smooth, smoothed
from dalembert.measure.spline import Spline, rate_matrix
from dalembert.measure.spread import Part, Spread

pytest.importorskip("scipy")
T = np.linspace(0, 10, 1001)
ONES = np.ones(len(T))


def deviations(s, y):
    """Return the variances of x, ẋ and ẍ at every sample."""
    n = len(s.spline.t)
    part = Part(0, n, (0,), s.spline.curve, s.noise**2, s.end_errors(y))
    return np.einsum("nkii->ni", Spread(n, 1, (part,))[:])


@pytest.mark.parametrize("frequency", [1.0, 3.0, 6.0, 12.0])
def test_a_cutoff_is_the_zero_phase_butterworth_filter_of_order_three(frequency):
    y = np.sin(2 * np.pi * frequency * T)[:, None]
    x = smooth(T, y, ONES, 6.0).x[300:700, 0]
    gain = 1 / (1 + (np.sqrt(2) - 1) * (frequency / 6.0) ** 6)
    phase = np.sin(2 * np.pi * frequency * T[300:700])
    assert np.dot(x, phase) / np.dot(phase, phase) == pytest.approx(gain, rel=5e-3)


def test_samples_of_a_computed_motion_are_interpolated_up_to_the_ends():
    s = smooth(T, np.cos(T)[:, None], ONES, None)
    assert np.abs(s.xd[:, 0] + np.sin(T)).max() < 1e-9
    assert np.abs(s.xdd[:, 0] + np.cos(T)).max() < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_cross_validation_finds_the_noise_and_the_band_covers_the_error(seed):
    y = np.cos(T) + 0.3 * np.sin(2.3 * T + 1)
    truth = -np.cos(T) - 0.3 * 2.3**2 * np.sin(2.3 * T + 1)
    noise = np.deg2rad(0.2)
    noisy = (y + noise * np.random.default_rng(seed).normal(size=len(T)))[:, None]
    s = smooth(T, noisy, ONES, None)
    assert s.noise[0] == pytest.approx(noise, rel=0.08)
    error = s.xdd[:, 0] - truth
    assert np.sqrt((error**2).mean()) < 0.04  # plain differences of the samples: about 86
    sigma = np.sqrt(deviations(s, noisy)[:, 2])
    assert (np.abs(error) < 2 * sigma).mean() > 0.95


def test_residual_analysis_keeps_the_signal_and_takes_the_noise():
    y = np.sin(2 * np.pi * T)[:, None]
    noisy = y + 0.01 * np.random.default_rng(3).normal(size=y.shape)
    s = smooth(T, noisy, ONES, "auto")
    assert 1.0 < s.cutoff < 10.0
    assert np.sqrt(((s.x - y) ** 2).mean()) < 0.006  # of 0.01


def test_missing_samples_and_unequal_times_leave_the_rates_right():
    rng = np.random.default_rng(4)
    t = np.sort(rng.uniform(0, 10, 1200))
    weight = np.ones(len(t))
    weight[300:320] = 0.0
    y = np.where(weight[:, None] > 0, np.sin(t)[:, None], np.nan)
    s = smooth(t, y, weight, None)
    assert np.abs(s.xd[:, 0] - np.cos(t)).max() < 1e-3


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("level", [0.0, 1.0, -2.5e3, 1e-9])
def test_a_joint_that_stands_still_has_no_rates(level):
    m = da.load("RZ(), TXK(1), RZ(); body 1: M = 1, D = (1, 0, 0); body 2: M = 1;")
    t = np.linspace(0, 1, 101)
    d = da.read_motion({"t": t, "q.j1": np.full(101, level), "q.j2": np.sin(t)}, m)
    np.testing.assert_allclose(d.q[:, 0], level, rtol=1e-12, atol=1e-15)
    assert np.abs(d.qd[:, 0]).max() <= 1e-9 * max(1.0, abs(level))
    assert np.abs(d.qdd[:, 0]).max() <= 1e-6 * max(1.0, abs(level))


@pytest.mark.parametrize("gap", [(2.4, 2.59), (0.002, 0.19), (4.81, 4.998)])
def test_bands_cross_a_gap_wherever_it_is(gap):
    """A stretch without samples has no spline of its own: the whole record is taken."""
    t = np.arange(0, 5, 1e-3)
    y = np.sin(3 * t)[:, None]
    weight = np.where((t > gap[0]) & (t < gap[1]), 0.0, 1.0)
    made = smoothed(t, y, weight, 1 / (2 * np.pi * 120))
    assert np.isfinite(deviations(made, y)).all()


def test_nothing_is_known_of_a_gap():
    """In a gap of fourteen cut-off lengths a band is far wider than beside it."""
    t = np.arange(0, 5, 1e-3)
    y = np.sin(3 * t) + 1e-4 * np.random.default_rng(0).normal(size=len(t))
    weight = np.where((t > 2.4) & (t < 2.55), 0.0, 1.0)
    sure = np.sqrt(deviations(smooth(t, y[:, None], weight, 15.0), y[:, None]))
    assert (sure[weight == 0].max(axis=0) > np.array([5, 4, 1.5]) * np.median(sure, axis=0)).all()


@pytest.mark.parametrize("times", ["even", "random"])
@pytest.mark.parametrize("length", [0.004, 0.03, 0.4])
def test_covariances_are_those_of_a_dense_inverse(times, length):
    n, rng = 800, np.random.default_rng(5)
    t = np.linspace(0, 8, n) if times == "even" else np.sort(rng.uniform(0, 8, n))
    weight = np.ones(n)
    weight[370:382] = 0.0
    s = Spline(t, weight, length)
    U = np.zeros((s.normal.shape[1],) * 2)
    for d in range(6):
        U += np.diag(s.normal[5 - d, d:], d)
    S = np.linalg.inv(U.T @ U)
    for k in range(3):
        B = rate_matrix(t, s.knots, k).toarray()
        want = ((B @ S) * B).sum(axis=1)
        np.testing.assert_allclose(s.covariance(np.arange(n))[:, k, k], want, rtol=1e-5)


def uneven(seed, count=20000):
    """Return times of which some lie close together and some far apart."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.exponential(np.where(np.arange(count) // 2000 % 2, 0.002, 0.01)))


def test_bands_of_uneven_samples_are_the_spread_of_many_noisy_copies():
    """Dense and sparse stretches: the share that noise has in a band is the same everywhere."""
    t = uneven(0)
    s = smoothed(t, np.zeros((len(t), 1)), np.ones(len(t)), 1 / (2 * np.pi * 4))
    inner = slice(500, -500)
    sure = np.einsum("nii->ni", s.spline.covariance(np.arange(len(t))))[inner]
    rng, total = np.random.default_rng(1), 0.0
    for _ in range(20):
        noisy = rng.normal(size=(len(t), 20))
        made = Spline(t, np.ones(len(t)), s.spline.length)(noisy)
        total = total + np.stack([(x[inner] ** 2).mean(axis=1) for x in made], axis=1) / 20
    share = np.sqrt(total / sure)
    # the filter 1/(1 + u⁶) squared over itself, times u⁰, u², u⁴: √(5/6), √(1/2), √(1/6)
    want = np.sqrt([5 / 6, 1 / 2, 1 / 6])
    low, high = np.quantile(share, [0.05, 0.95], axis=0)
    assert (low > 0.88 * want).all() and (high < 1.16 * want).all()
