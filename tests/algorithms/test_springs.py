"""Springs between two points: energy, power, and Andrews' squeezing mechanism."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import models
from andrews import data, order, squeezer
from dalembert.algebra import Vec3
from dalembert.algorithms.springs import spring_forces
from dalembert.mechanism import PointSpring
from mechanisms import random_mechanisms


def sprung(m, rng, length=0.3, damping=0.0):
    last = len(m.bodies) - 1
    ends = [Vec3(*(float(x) for x in rng.uniform(-1, 1, 3))) for _ in range(4)]
    springs = (
        PointSpring(last, ends[0], -1, ends[1], 120.0, length, damping),
        PointSpring(0, ends[2], last // 2, ends[3], 70.0, length, damping),
    )
    return replace(m, springs=springs if last // 2 else springs[:1], checked=False)


@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("length", [0.0, 0.3])
def test_spring_forces_are_minus_the_slope_of_their_energy(k, length):
    (m,) = random_mechanisms(k + 1, seed=5, dof=(2, 7), root=0, joints={"any": 1, "prismatic": 1},
                             lengths={"metre": 1}, masses={"decade": 1})[k:]  # fmt: skip
    rng = np.random.default_rng(k)
    m = sprung(m.bound(), rng, length)
    q, h = rng.uniform(-1, 1, m.nv), 1e-6
    forces = spring_forces(m, q.tolist(), [0.0] * m.nv)
    free = replace(m, springs=(), checked=True)

    def energy(x):
        return da.potential_energy(m, x) - da.potential_energy(free, x)

    for j in range(m.nv):
        e = np.eye(m.nv)[j] * h
        slope = (energy(q + e) - energy(q - e)) / (2 * h)
        assert forces[j] == pytest.approx(-float(slope), rel=1e-6, abs=1e-6)


def test_springs_act_in_the_inverse_and_the_direct_model():
    (m,) = random_mechanisms(1, seed=8, dof=(4, 4), root=0, massless=0, joints={"any": 1},
                             lengths={"metre": 1}, masses={"decade": 1})  # fmt: skip
    rng = np.random.default_rng(0)
    m = sprung(m.bound(), rng, damping=3.0)
    free = replace(m, springs=(), checked=True)
    q, qd, qdd = rng.normal(size=(3, m.nv))
    pull = spring_forces(m, q.tolist(), qd.tolist())
    tau = da.inverse_dynamics(m, q, qd, qdd)
    assert np.allclose(tau, da.inverse_dynamics(free, q, qd, qdd) - pull, rtol=1e-12, atol=1e-12)
    for method in ("articulated_body", "direct_from_inverse"):
        back = da.forward_dynamics(m, q, qd, tau, method=method)
        assert np.allclose(back, qdd, rtol=1e-9, atol=1e-9)
    # dampers take power away
    still = spring_forces(m, q.tolist(), [0.0] * m.nv)
    assert np.dot(np.subtract(pull, still), qd) < 0


def test_andrews_mechanism_starts_with_the_published_accelerations():
    source = data()
    m, at = squeezer(source), order(source)
    p = da.plan(m)
    assert (p.equations, p.rank, p.mobility) == (15, 6, 1)
    start = {k: np.array(source["initial"][k])[at] for k in ("q", "v", "a")}
    assert np.abs(da.closure(m, start["q"])).max() < 1e-16
    mom = source["params"]["mom"]
    for method in ("projection", "multipliers"):
        a = da.forward_dynamics(m, start["q"], start["v"], [mom], method=method)
        assert np.allclose(a, start["a"], rtol=1e-11, atol=1e-6), method
    tau = da.inverse_dynamics(m, start["q"], start["v"], start["a"])
    assert tau[0] == pytest.approx(mom, rel=1e-11)


def test_andrews_mechanism_agrees_after_thirty_milliseconds():
    """The published state holds about ten digits: positions 1e-13, velocities less."""
    source = data()
    m, at = squeezer(source), order(source)
    late = source["reference_t_0.03"]
    q, v, a = (np.array(late[k])[at] for k in ("q", "v", "a"))
    q = da.assembly(m, q)
    found = da.forward_dynamics(m, q, v, [source["params"]["mom"]])
    assert np.allclose(found, a, rtol=1e-7, atol=1e-7 * np.abs(a).max())


@pytest.mark.parametrize("when", ["initial", "reference_t_0.03"])
def test_andrews_reactions_are_the_published_multipliers(when):
    """As generalized forces on the seven coordinates: M q̈ - f = -Gᵀ λ in the source."""
    source = data()
    m, at = squeezer(source), order(source)
    q, v, a = (np.array(source[when][k])[at] for k in ("q", "v", "a"))
    G = _constraint_matrix(source, np.array(source[when]["q"]))
    published = (-G.T @ np.array(source[when]["lambda"]))[at]
    tau = np.zeros(7)
    tau[0] = source["params"]["mom"]
    # the forces that hold the cut tree: by our multipliers
    p = da.plan(m)
    from dalembert.algorithms import closed_kinematics

    b = m.bound()
    gamma = models.tree_torques(b, p, q.tolist(), v.tolist(), a.tolist())[0]
    closed = closed_kinematics.Closed.at(b, p, q.tolist())
    lam = closed.multipliers(np.subtract(gamma, tau).tolist())
    J = np.array(closed.J)[list(p.rows)]
    found = J.T @ np.array(lam)
    assert np.allclose(found, published, rtol=1e-6, atol=1e-7 * np.abs(published).max())


def _constraint_matrix(source, q):
    """Return the derivatives of the six printed closure equations, by central differences."""
    p = source["params"]

    def g(x):
        beta, theta, gamma, phi, delta, omega, eps = x
        A = p["rr"] * np.cos(beta) - p["d"] * np.cos(beta + theta)
        B = p["rr"] * np.sin(beta) - p["d"] * np.sin(beta + theta)
        return np.array(
            [
                A - p["ss"] * np.sin(gamma) - p["xb"],
                B + p["ss"] * np.cos(gamma) - p["yb"],
                A - p["e"] * np.sin(phi + delta) - p["zt"] * np.cos(delta) - p["xa"],
                B + p["e"] * np.cos(phi + delta) - p["zt"] * np.sin(delta) - p["ya"],
                A - p["zf"] * np.cos(omega + eps) - p["u"] * np.sin(eps) - p["xa"],
                B - p["zf"] * np.sin(omega + eps) + p["u"] * np.cos(eps) - p["ya"],
            ]
        )

    h = 1e-5
    return np.column_stack([(g(q + h * e) - g(q - h * e)) / (2 * h) for e in np.eye(7)])
