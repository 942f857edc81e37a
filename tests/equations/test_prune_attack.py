"""Adversarial motions against the bound that pruning proves."""

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.box import box_of
from report_values import VALUES

BOX = {"all": {"qd": 2.0, "qdd": 5.0}}
STARTS, STEPS, H = 440, 24, 1e-6


def climb(error, low, high, joint, rng):
    """Return (largest |error| of one joint, motions tried) of projected gradient ascent."""
    size = len(low)
    x = low + (high - low) * rng.random((STARTS, size))
    n = size // 3
    # rates and accelerations start in corners
    x[:, n:] = np.where(rng.random((STARTS, 2 * n)) < 0.5, low[n:], high[n:])
    top, tried = 0.0, 0
    for step in range(STEPS):
        near = np.repeat(x[:, None], size + 1, axis=1)
        # one-sided differences, inwards at the upper ends
        side = np.where(x + H > high, -H, H)
        near[:, np.arange(1, size + 1), np.arange(size)] += side
        value = np.abs(error(near.reshape(-1, size))[:, joint]).reshape(STARTS, size + 1)
        tried += value.size
        top = max(top, float(value.max()))
        slope = (value[:, 1:] - value[:, :1]) / side * (high - low)
        length = np.abs(slope).max(axis=1, keepdims=True) + 1e-300
        width = 0.25 * 0.8**step
        move = width * slope / length
        move[:, n:] = 0.5 * np.sign(slope[:, n:]) * (np.abs(slope[:, n:]) > 1e-9 * length)
        x = np.clip(x + move * (high - low), low, high)
    return top, tried


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report6r", "puma560", "stanford"])
def test_a_million_adversarial_motions_never_pass_the_bound_and_come_near(name):
    m = getattr(da.robots, name)()
    m = m.with_values(VALUES) if name == "report6r" else m
    eq = da.equations(m)
    found = eq.prune({}, BOX, 0.01)
    assert found.gone >= 0.3 * (found.gone + found.kept)
    box = box_of(eq, {}, BOX)
    low, high = (np.concatenate(x) for x in zip(*(np.array(r, float).T for r in
                 (box.q, box.qd, box.qdd)), strict=True))  # fmt: skip
    whole, short = (da.compile(x, "inverse_dynamics") for x in (m, found.equations))

    def error(x):
        q, qd, qdd = (np.ascontiguousarray(part) for part in np.split(x, 3, axis=1))
        return whole(q, qd, qdd) - short(q, qd, qdd)

    total = 0
    for i in range(eq.n):
        # round-off of two evaluations of the full force
        slack = 1e-12 * found.reference[i]
        top, tried = climb(error, low, high, i, np.random.default_rng(i))
        total += tried
        print(f"joint {i + 1}: {top:.4e} reached, {found.bound[i]:.4e} proven")
        assert top <= found.bound[i] + slack
        assert top >= 0.7 * found.bound[i] or found.bound[i] <= slack
    assert total >= 10**6
