"""How sure parameters are: closed forms, and intervals of random regressions."""

import numpy as np
import pytest

from dalembert.identify.rows import triangle
from dalembert.identify.sureness import covariance_of


def test_a_mean_of_equal_stretches_is_as_sure_as_the_spread_of_their_means():
    y = np.random.default_rng(0).normal(size=(12, 5))
    covariance, freedom = covariance_of([triangle([np.stack([np.ones(5), x], 1)]) for x in y])
    assert covariance[0, 0] == pytest.approx(y.mean(axis=1).var(ddof=1) / 12, rel=1e-12)
    assert freedom[0] == pytest.approx(11, rel=1e-12)


def test_a_parameter_that_one_stretch_nearly_shows_alone_has_few_degrees_of_freedom():
    scipy = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(24, 10, 2))
    X[0, :, 1] *= 8
    inside = []
    for _ in range(500):
        y = rng.normal(size=(24, 10))
        rows = [np.concatenate([x, v[:, None]], axis=1) for x, v in zip(X, y, strict=True)]
        covariance, freedom = covariance_of([triangle([r]) for r in rows])
        found = np.linalg.lstsq(X.reshape(-1, 2), y.ravel(), rcond=None)[0]
        half = scipy.t.ppf(0.975, freedom) * np.sqrt(np.diag(covariance))
        inside.append(np.abs(found) <= half)
    assert freedom[0] > 15 and freedom[1] < 3
    # 500 draws: 0.95 with a deviation of 0.01; two degrees of freedom are a little too cautious
    share = np.mean(inside, axis=0)
    assert share[0] == pytest.approx(0.95, abs=0.03) and 0.93 <= share[1] <= 0.995


def test_what_one_stretch_shows_alone_is_not_sure():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24, 10, 2))
    X[1:, :, 1] = 0
    rows = [np.concatenate([x, rng.normal(size=(10, 1))], axis=1) for x in X]
    covariance, freedom = covariance_of([triangle([r]) for r in rows])
    alone = 1 / (X[0, :, 1] ** 2).sum()
    assert covariance[1, 1] >= 0.9 * alone and freedom[1] == 1
    assert covariance[0, 1] == 0
