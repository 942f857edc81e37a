"""Error bands of forces: against the spread of many noisy copies, and of many identifications."""

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("scipy")
ARM = da.load(
    "RZ(), TXK(0.5), RZ(), tip: TXK(0.4); gravity = (0, -9.81, 0);"
    "body 1: M = 4, D = (0.25, 0, 0), I = (0.02, 0.1, 0.1);"
    "body 2: M = 2, D = (0.2, 0.01, 0), I = (0.01, 0.04, 0.04);"
)


def log(seed):
    rng, t = np.random.default_rng(seed), np.linspace(0, 10, 1001)
    q = np.stack([np.sin(t) + 0.4 * np.sin(2.3 * t), np.cos(1.4 * t) + 0.3 * np.sin(3.1 * t)], 1)
    qd = np.stack([np.cos(t) + 0.92 * np.cos(2.3 * t),
                   -1.4 * np.sin(1.4 * t) + 0.93 * np.cos(3.1 * t)], 1)  # fmt: skip
    qdd = np.stack([-np.sin(t) - 2.116 * np.sin(2.3 * t),
                    -1.96 * np.cos(1.4 * t) - 2.883 * np.sin(3.1 * t)], 1)  # fmt: skip
    tau = da.inverse_dynamics(ARM, q, qd, qdd)
    noisy = tau + 0.3 * rng.normal(size=tau.shape)
    table = {"t": t}
    for k, n in enumerate(ARM.rate_names):
        table |= {f"q.{n}": q[:, k], f"qd.{n}": qd[:, k], f"qdd.{n}": qdd[:, k],
                  f"tau.{n}": noisy[:, k]}  # fmt: skip
    return table, (t, q, qd, qdd), tau


def test_doubt_about_parameters_becomes_a_band():
    _, motion, tau = log(0)
    off, bands = [], []
    for seed in range(12):
        d = da.read_motion(log(seed)[0], ARM)
        f = da.identify(ARM, d, friction=False, consistent=False, holdout=0.0)
        made = da.torques_along(f.mechanism, motion, uncertainty=f, drives="inertia")
        Y = f.equations.unknowns.rows(*motion[1:])
        fitted = Y[..., list(f.fit.seen)] @ f.fit.values
        off.append(fitted - tau)
        bands.append(made.band)
    real, told = np.sqrt(np.mean(np.square(off), axis=0)), np.mean(bands, axis=0)
    assert 0.5 < np.median(told / real) < 2.0
    with pytest.raises(da.UsageError, match="uncertainty is what identify gave"):
        da.torques_along(ARM, motion, uncertainty=3)
