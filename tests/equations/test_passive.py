"""Pruning beyond one tolerance: passive models, budgets of operations, curves, held joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.equations.box import box_of
from dalembert.equations.units import potential
from pruning import arm, errors

LIMITS = {"all": {"qd": 1.5, "qdd": 4.0}}


def states(eq, count=200, seed=1):
    box = box_of(eq, {}, LIMITS)
    rng = np.random.default_rng(seed)
    low, high = np.array(box.q, float).T
    q = low + (high - low) * rng.random((count, eq.n))
    qd, qdd = (rng.uniform(-x, x, (count, eq.n)) for x in (1.5, 4.0))
    return q, qd, qdd


def test_gravity_is_the_slope_of_the_potential():
    eq = da.equations(arm())
    V = eq.ring.reduced(potential(eq))
    for i in range(eq.n):
        assert eq.ring.reduced(eq.ring.slope(V, i)) == -eq.poly("Q", (i + 1,))


@pytest.fixture(scope="module")
def passive():
    return da.equations(arm()).prune({}, LIMITS, 0.05, keep="passive")


def test_a_passive_model_is_shorter_and_within_its_bound(passive):
    eq = da.equations(arm())
    assert passive.gone > 0 and passive.positive_definite == "proven"
    worst = errors(eq, passive.equations, box_of(eq, {}, LIMITS), 20000, 5)
    assert all(w <= b for w, b in zip(worst, passive.bound, strict=True))
    assert all(share <= 0.05 for share in passive.share)


def test_a_passive_model_has_energies(passive):
    eq = passive.equations
    q, qd, _ = states(eq)
    M = da.mass_matrix(eq, q)
    assert_allclose(M, np.swapaxes(M, 1, 2))
    assert (np.linalg.eigvalsh(M) > 0).all()
    # Mdot - 2C is skew: qd (½ Mdot) qd = qd · coriolis, at random states
    h = 1e-6
    rate = (da.mass_matrix(eq, q + h * qd) - da.mass_matrix(eq, q - h * qd)) / (2 * h)
    power = np.einsum("ni,nij,nj->n", qd, rate, qd) / 2
    assert_allclose((qd * da.coriolis(eq, q, qd)).sum(axis=1), power, atol=1e-7)
    # and entry by entry, with Christoffel's symbols of the pruned A
    ring = eq.ring
    for i, j, k in eq.places("B"):
        a = {pair: eq.poly("A", tuple(sorted(pair))) for pair in ((i, j), (i, k), (j, k))}
        wanted = (ring.slope(a[i, j], k - 1) + ring.slope(a[i, k], j - 1)
                  - ring.slope(a[j, k], i - 1))  # fmt: skip
        assert ring.reduced(wanted - eq.poly("B", (i, j, k))) == 0


@pytest.mark.slow
def test_a_passive_model_keeps_its_energy_for_100_seconds(passive):
    eq = passive.equations
    m = arm()
    start = [0.1, 0.4, 0.4, 0.2], [0.3, 0.0, 0.0, 0.5]
    weightless = eq.neglect("gravity")
    t = np.linspace(0, 100, 401)
    r = da.simulate(m.with_gravity((0, 0, 0)), *start, t=t, plant=weightless, drives="inertia",
                    rtol=1e-11, atol=1e-11)  # fmt: skip
    M = da.mass_matrix(weightless, r.q)
    T = np.einsum("ni,nij,nj->n", r.qd, M, r.qd) / 2
    assert len(T) == 401
    assert np.abs(T / T[0] - 1).max() < 1e-6


def test_a_model_without_inertia_is_not_passive():
    eq = da.equations(da.load("RZ(),TXK(0.4),RX(); body 1: M=1, D=(0.2,0,0);"))
    with pytest.raises(da.DalembertError, match="positive definite"):
        eq.prune({}, LIMITS, 0.05, keep="passive")


@pytest.mark.slow
def test_the_best_model_under_a_number_of_operations():
    from dalembert.equations.curve import operations

    eq = da.equations(arm())
    whole = operations(eq)
    found = eq.prune({}, LIMITS, operations=whole // 2)
    assert operations(found.equations) <= whole // 2
    cost = da.compile(found, "inverse_dynamics").cost["step"]
    assert cost.mul + cost.add == operations(found.equations)
    worst = errors(eq, found.equations, box_of(eq, {}, LIMITS), 5000, 5)
    assert all(w <= b for w, b in zip(worst, found.bound, strict=True))
    assert eq.prune({}, LIMITS, operations=whole).gone == 0
    with pytest.raises(da.UsageError, match="operations"):
        eq.prune({}, LIMITS, operations=1)
    with pytest.raises(da.UsageError, match="one of them"):
        eq.prune({}, LIMITS)


def test_the_curve_of_error_against_operations(tmp_path):
    curve = da.equations(arm()).prune_curve({}, LIMITS, points=5)
    costs = [row[0] for row in curve.rows]
    shares = [max(row[2]) for row in curve.rows]
    assert costs == sorted(costs, reverse=True) and shares == sorted(shares)
    assert shares[0] == 0 and len(costs) > 2
    assert str(curve).splitlines()[0].split()[:2] == ["operations", "terms"]
    curve.plot(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 1000


def test_the_error_of_a_held_joint_while_it_moves():
    m = arm()
    eq = da.equations(m)
    limits = {"all": {"qd": 1.5, "qdd": 4.0}, 4: {"q": (-0.3, 0.5), "qd": 2.0, "qdd": 6.0}}
    off = eq.freeze_error({4: 0.1}, {}, limits)
    frozen = eq.freeze({4: 0.1})
    rng = np.random.default_rng(4)
    box = box_of(eq, {}, limits)
    q, qd, qdd = (np.array(r, float).T[0] + np.ptp(np.array(r, float), axis=1) * np.round(
        rng.random((20000, 4)) if k else rng.random((20000, 4)) * 1e3) / (1 if k else 1e3)
        for k, r in enumerate((box.q, box.qd, box.qdd)))  # fmt: skip
    full = da.inverse_dynamics(m, q, qd, qdd)[:, :3]
    worst = np.abs(full - frozen.evaluate({}, q[:, :3], qd[:, :3], qdd[:, :3])).max(axis=0)
    assert (worst <= off.bound).all()
    assert (worst >= 0.4 * np.array(off.bound)).all()
    assert off.joints == m.joint_names[:3]
