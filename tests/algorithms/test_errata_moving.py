"""Errata E2.22-E2.35 of Khalil (2010): each printed formula fails, the corrected one holds.

A plain recursion over 6 x 6 matrices, linear part first, with one switch per erratum.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algorithms.joint_forces import joint_springs
from dalembert.algorithms.moving_base import BASE
from dalembert.joint import Free
from dalembert.mechanism import JointSpring
from mechanisms import random_mechanisms, random_state
from models import (
    articulated_body,
    composite,
    elastic_inverse_by_partition,
    moving_base_by_partition,
    newton_euler,
)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class Screws:
    """Link matrices jTi, J_j, a_j, γ_j and β_j of a bound mechanism at a state."""

    def __init__(self, b, q, qd):
        self.b, self.n = b, len(b.bodies)
        q_, qd_ = b.split_q(q), b.split(qd)
        self.parent = [body.parent for body in b.bodies]
        self.T, self.J, self.a, self.gamma, self.beta, w = [], [], [], [], [], {-1: np.zeros(3)}
        for j, body in enumerate(b.bodies):
            R, P = body.pose(q_[j])
            R = floats([list(r) for r in R.matrix().rows]).reshape(3, 3)
            P = floats(list(P))
            T = np.block([[R.T, -R.T @ skew(P)], [np.zeros((3, 3)), R.T]])
            h, m = floats(list(body.h)), float(body.m)
            Io = floats([list(r) for r in body.Io.rows]).reshape(3, 3)
            self.T.append(T)
            self.J.append(np.block([[m * np.eye(3), -skew(h)], [skew(h), Io]]))
            a = np.array(
                [[*floats(list(v)), *floats(list(u))] for v, u in body.joint.columns(q_[j])]
            )
            self.a.append(a.T.reshape(6, body.joint.nv))
            wJ, _, vJ, vdJ = (
                floats(list(x)) for x in body.rates(q_[j], qd_[j], [0] * body.joint.nv)
            )
            w_i = w[body.parent]
            w_j = R.T @ w_i
            turning = R.T @ np.cross(w_i, np.cross(w_i, P))
            self.gamma.append(np.r_[turning + vdJ + 2 * np.cross(w_j, vJ), np.cross(w_j, wJ)])
            w[j] = w_j + wJ
            f = np.cross(w[j], np.cross(w[j], h))
            self.beta.append(-np.r_[f, np.cross(w[j], Io @ w[j])])
        self.R0 = R0 = floats([list(r) for r in b.bodies[0].pose(q_[0])[0].matrix().rows])
        self.g = np.r_[R0.reshape(3, 3).T @ floats(list(b.gravity)), 0, 0, 0]


def inverse(s, qdd, wrong=""):
    """Return (base acceleration, joint torques) by (89)-(100)."""
    J, beta = [x.copy() for x in s.J], [x.copy() for x in s.beta]
    start = s.b.velocity_index
    zeta = [s.gamma[j] + s.a[j] @ qdd[start[j] : start[j] + s.a[j].shape[1]] for j in range(s.n)]
    for j in reversed(range(1, s.n)):
        i, T = s.parent[j], s.T[j]
        if wrong == "E2.28":
            beta[i] = beta[i] - (T.T @ beta[j] + T.T @ J[j] @ zeta[j])
        else:
            beta[i] = beta[i] + T.T @ beta[j] - T.T @ J[j] @ zeta[j]
        J[i] = J[i] + T.T @ J[j] @ T
    V = {0: np.linalg.solve(J[0], beta[0])}
    tau = []
    for j in range(1, s.n):
        V[j] = s.T[j] @ V[s.parent[j]] + zeta[j]
        tau.extend(s.a[j].T @ (J[j] @ V[j] - beta[j]))
    base = V[0] if wrong == "E2.24" else V[0] + s.g
    return base, np.array(tau), beta[0]


def direct(s, tau, wrong=""):
    """Return (base acceleration, qdd of the joints) by (101)-(112)."""
    J, beta = [x.copy() for x in s.J], [x.copy() for x in s.beta]
    start, kept = s.b.velocity_index, {}
    for j in reversed(range(1, s.n)):
        i, T, a = s.parent[j], s.T[j], s.a[j]
        t = tau[start[j] - BASE : start[j] - BASE + a.shape[1]]
        H = a.T @ J[j] @ a
        U = J[j] @ a @ np.linalg.inv(H) if a.shape[1] else np.zeros((6, 0))
        K = J[j] - U @ a.T @ J[j]
        alpha = K @ s.gamma[j] + U @ (t + a.T @ beta[j]) - beta[j]
        kept[j] = (H, a, t)
        if wrong == "E2.32":  # printed: the bare J_i, β_i on the right, so brothers are forgotten
            J[i], beta[i] = s.J[i] + T.T @ K @ T, s.beta[i] - T.T @ alpha
        else:
            J[i], beta[i] = J[i] + T.T @ K @ T, beta[i] - T.T @ alpha
    V = {0: np.linalg.solve(J[0], beta[0])}
    qdd = []
    for j in range(1, s.n):
        H, a, t = kept[j]
        carried = V[s.parent[j]] if wrong == "E2.34" else s.T[j] @ V[s.parent[j]]
        right = -a.T @ J[j] @ (carried + s.gamma[j]) + t + a.T @ beta[j]
        own = np.linalg.solve(H, right) if a.shape[1] else np.zeros(0)
        V[j] = carried + a @ own + s.gamma[j]
        qdd.extend(own)
    return V[0] + s.g, np.array(qdd)


def models():
    found = random_mechanisms(
        30,
        seed=11,
        dof=(8, 14),
        root=1.0,
        massless=0,
        masses={"decade": 1},
        lengths={"metre": 1},
        shapes={"binary": 1},
        drives=0,
    )
    return [
        m
        for m in found
        if isinstance(m.bodies[0].joint, Free)
        and sum(b.parent < 0 for b in m.bodies) == 1
        and any(x != 0 for x in m.gravity)
    ][:4]


MODELS = models()
IDS = [m.name for m in MODELS]


def prepared(m, seed=2):
    b = m.bound()
    q, qd, qdd = (np.array(x) for x in random_state(m, seed, mild=True))
    return b, q, qd, qdd, Screws(b, q, qd)


@pytest.mark.parametrize("m", MODELS, ids=IDS)
def test_the_corrected_inverse_recursion_holds_and_the_printed_ones_fail(m):
    b, q, qd, qdd, s = prepared(m)
    base, tau = (floats(x) for x in moving_base_by_partition(b, q, qd, qdd[BASE:]))
    qdd[:BASE] = 0
    found = inverse(s, qdd)
    scale = np.abs(base).max() + np.abs(tau).max()
    np.testing.assert_allclose(found[0], base, atol=1e-10 * scale)
    np.testing.assert_allclose(found[1], tau, atol=1e-10 * scale)
    assert np.abs(inverse(s, qdd, "E2.28")[0] - base).max() > 1e-6
    assert np.abs(inverse(s, qdd, "E2.24")[0] - base).max() > 1e-6


@pytest.mark.parametrize("m", MODELS, ids=IDS)
def test_e2_29_the_composite_beta_is_minus_h1_minus_a12_qdd(m):
    b, q, qd, qdd, s = prepared(m)
    qdd[:BASE] = 0
    still = replace(b, gravity=b.gravity * 0.0, checked=True)
    rates = floats(newton_euler(still, q, qd, [0.0] * m.nv))
    # H1 for the classical acceleration: take out what A11 makes of w × v (E2.25)
    A = floats([list(r) for r in composite(b, q)]).reshape(m.nv, m.nv)
    drift = np.r_[np.cross(qd[3:6], qd[:3]), 0, 0, 0]
    H1 = rates[:BASE] - A[:BASE, :BASE] @ drift
    right = H1 + A[:BASE] @ qdd
    beta = inverse(s, qdd)[2]
    np.testing.assert_allclose(beta, -right, atol=1e-10 * np.abs(right).max())
    assert np.abs(beta - right).max() > 1e-6


@pytest.mark.parametrize("m", MODELS, ids=IDS)
def test_the_corrected_direct_recursion_holds_and_the_printed_ones_fail(m):
    b, q, qd, tau, s = prepared(m)
    tau[:BASE] = 0
    ref = floats(articulated_body(b, q, qd, tau))
    classical = ref[:BASE] + np.r_[np.cross(qd[3:6], qd[:3]), 0, 0, 0]
    base, qdd = direct(s, tau[BASE:])
    scale = np.abs(ref).max() + 10
    np.testing.assert_allclose(base, classical, atol=1e-8 * scale)
    np.testing.assert_allclose(qdd, ref[BASE:], atol=1e-8 * scale)
    assert np.abs(direct(s, tau[BASE:], "E2.32")[0] - classical).max() > 1e-6
    assert np.abs(direct(s, tau[BASE:], "E2.34")[1] - ref[BASE:]).max() > 1e-6


def test_e2_25_classical_and_spatial_accelerations_differ_by_w_cross_v():
    b, q, qd, qdd, _ = prepared(MODELS[0])
    classical, _ = moving_base_by_partition(b, q, qd, qdd[BASE:])
    spatial, _ = moving_base_by_partition(b, q, qd, qdd[BASE:], convention="spatial")
    gap = floats(classical) - floats(spatial)
    np.testing.assert_allclose(gap[:3], np.cross(qd[3:6], qd[:3]), atol=1e-10)
    assert np.abs(gap).max() > 1e-6


def elastic(s, qdd, force, wrong=""):
    """Return (qdd of elastic joints, torques of rigid ones) by (72)-(82), one-freedom joints."""
    J, beta, kept = [x.copy() for x in s.J], [x.copy() for x in s.beta], {}
    for j in reversed(range(s.n)):
        i, T, a = s.parent[j], s.T[j], s.a[j][:, 0]
        K, given = J[j], J[j] @ a * qdd[j]
        H = a @ J[j] @ a
        if j in force:
            K = J[j] - np.outer(J[j] @ a, J[j] @ a) / H
            given = J[j] @ a * ((force[j] + a @ beta[j]) / H)
        alpha = K @ s.gamma[j] + given - beta[j]
        kept[j] = (H, a, K, alpha)
        if i >= 0:
            J[i], beta[i] = J[i] + T.T @ K @ T, beta[i] - T.T @ alpha
    V, found, tau = {-1: -np.r_[floats(list(s.b.gravity)), 0, 0, 0]}, {}, {}
    for j in range(s.n):
        H, a, K, alpha = kept[j]
        carried = s.T[j] @ V[s.parent[j]]
        f = K @ carried + alpha
        if j in force:
            found[j] = (-a @ J[j] @ (carried + s.gamma[j]) + force[j] + a @ beta[j]) / H
            V[j] = carried + a * found[j] + s.gamma[j]
        else:
            tau[j] = a @ f
            own = a * qdd[j] + s.gamma[j]
            V[j] = carried + (0 if wrong == "E2.22" else own)  # printed: (81) for elastic j only
    return np.array([found[j] for j in sorted(found)]), np.array([tau[j] for j in sorted(tau)])


def test_e2_22_rigid_joints_have_accelerations_too():
    plain = {"root": 0, "massless": 0, "drives": 0, "masses": {"decade": 1}}
    m = random_mechanisms(
        1, seed=5, dof=(6, 6), joints={"revolute": 1}, shapes={"chain": 1}, **plain
    )[0]
    springs = (JointSpring(1, 100, 0, 0), JointSpring(4, 300, Fraction(1, 5), 1))
    m = replace(m, elastic=springs, checked=False)
    b, q, qd, qdd, s = prepared(m, 3)
    force = {j: float(f) for j, f in joint_springs(b, q, qd).items()}
    wanted = [floats(x) for x in elastic_inverse_by_partition(b, q, qd, qdd)]
    scale = np.abs(np.concatenate(wanted)).max()
    for x, y in zip(elastic(s, qdd, force), wanted, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-11 * scale)
    for x, y in zip(elastic(s, qdd, force, "E2.22"), wanted, strict=True):
        assert np.abs(x - y).max() > 1e-6


def test_e2_23_rotors_and_friction_of_motorised_joints_count():
    """(82) as printed has no friction; rotor inertia belongs to joints that have a motor."""
    m = da.robots.flexible2r()
    drives = tuple(replace(d, coulomb=(2, -2), viscous=3) for d in m.drives)
    m = replace(m, drives=drives, checked=False)
    b = m.bound()
    q, qd, qdd = (np.array(x) for x in random_state(m, 3, mild=True))
    soft, tau = elastic_inverse_by_partition(b, q, qd, qdd, drives="all")
    again, printed = elastic_inverse_by_partition(b, q, qd, qdd, drives="inertia")
    np.testing.assert_allclose(floats(soft), floats(again), atol=1e-12 * np.abs(floats(soft)).max())
    gap = floats(tau) - floats(printed)
    np.testing.assert_allclose(gap, 2 * np.sign(qd[[0, 2]]) + 3 * qd[[0, 2]], atol=1e-9)
    assert np.abs(gap).max() > 1e-6
