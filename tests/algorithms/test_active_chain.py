"""Vukobratović and Potkonjak (1979) against Newton-Euler, its data form, and its errata."""

import json
import time
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
import models
from dalembert.algebra import Vec3
from dalembert.algorithms import active_chain as chain
from dalembert.read.active_chain import read_active_chain, rows_of, triad
from models import newton_euler
from peers import ORACLES, absent
from trees import tree_state as tree


def two_dof():
    path = ORACLES / "s001_twodof_chain.json"
    if not path.exists():
        absent("the directory of reference files")
    data = json.loads(path.read_text())
    state = data["states"][0]
    m = read_active_chain(data["seed001_data"])
    return data, m.bound(), [state[k] for k in ("q", "qd", "qdd")]


@pytest.mark.parametrize("seed", range(10))
def test_the_active_chain_gives_the_forces_of_newton_euler(seed):
    m, state = tree(seed)
    truth = newton_euler(m, *state)
    assert_allclose(models.active_chain(m, *state), truth, atol=1e-13 * np.abs(truth).max())


def test_the_model_is_solved_either_way():
    m = da.robots.puma560()
    rng = np.random.default_rng(2)
    q, qd, P = rng.normal(size=(3, 6))
    W, V = da.active_chain_W(m, q), da.active_chain_V(m, q, qd)
    qdd = np.linalg.solve(W, P + V)
    assert_allclose(qdd, da.forward_dynamics(m, q, qd, P), rtol=1e-9)
    assert_allclose(da.inverse_dynamics(m, q, qd, qdd, method="active_chain"), P, atol=1e-11)


def test_circling_adds_members_one_by_one():
    """W of a chain is W of the chain without its last member, and what that member adds (31)."""
    _, m, (q, _, _) = two_dof()
    whole = models.active_chain_W(m, q)
    short = replace(m, bodies=m.bodies[:4], named=(), checked=True)
    before = np.array(models.active_chain_W(short, q[:4]))
    members = {-1: chain.Member(-1, chain.Mat3.identity(), Vec3.zero())}
    for i, body in m.outward():
        members[i] = chain.joined(members[body.parent], i, body, q[i : i + 1])
    Z = [[0.0] * 6 for _ in range(6)]
    chain.add_inertia(Z, members[5], m.bodies[5])
    grown = np.array(Z)
    grown[:4, :4] += before
    assert_allclose(whole, grown, atol=1e-14)


# -- the data form -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_chain_goes_to_its_data_form_and_back(seed):
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(4):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        R *= np.sign(np.linalg.det(R))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, rng.normal(size=3)
        root = rng.normal(size=(3, 3))
        axis = rng.normal(size=3)
        tensor = root @ root.T + 3 * np.eye(3)
        bodies.append(
            {
                "name": f"b{k}",
                "parent": k - 1,
                "joint": {
                    "type": "prismatic" if (seed + k) % 3 == 0 else "revolute",
                    "axis": (axis / np.linalg.norm(axis)).tolist(),
                    "placement": T.tolist(),
                },
                "mass": float(rng.uniform(1, 3)),
                "com": rng.normal(size=3).tolist(),
                "inertia": ((tensor + tensor.T) / 2).tolist(),
            }
        )
    m = da.load({"format": "dalembert/1", "bodies": bodies})
    rows, offsets = rows_of(m)
    other = read_active_chain(rows)
    q, qd, qdd = rng.normal(size=(3, 4))
    truth = da.inverse_dynamics(m, q, qd, qdd)
    found = da.inverse_dynamics(other, q + offsets, qd, qdd)
    assert_allclose(found, truth, atol=1e-11 * np.abs(truth).max())


def test_the_zero_position_where_r_is_parallel_to_e():
    """The projection of the first own axis that is not parallel to e takes its place."""
    T = triad(np.array([1.0, 0, 0]), np.array([2.0, 0, 0]))
    assert_allclose(T, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=0)
    row = {
        "joint": "rotation",
        "e_in_previous_body": [0, 0, 1],
        "e_in_own_body": [0, 0, 1],
        "r_ii_own_body": [0, 0, 0.3],
        "r_prev_from_A_i_to_T_im1_in_previous_body": [0, 0, 0],
        "mass": 1.0,
        "principal_inertia": [1, 1, 1],
    }
    m = read_active_chain([row])
    assert_allclose(da.pose(m, [0.0], frame="T1")[:3, :3], np.eye(3), atol=1e-15)


def test_bad_rows_say_which_member():
    with pytest.raises(da.DescriptionError, match="member 1 has no"):
        read_active_chain([{"mass": 1}])
    with pytest.raises(da.DescriptionError, match="unknown joint 'ball'"):
        read_active_chain([{"joint": "ball"}])


# -- errata ------------------------------------------------------------------------------------


def members_of(m, q):
    members = {-1: chain.Member(-1, chain.Mat3.identity(), Vec3.zero())}
    for i, body in m.outward():
        members[i] = chain.joined(members[body.parent], i, body, q[i : i + 1])
    return members


def test_erratum_1_7_the_rate_of_B_uses_the_inverse_of_A_i():
    """(34) printed A_j⁻¹ β̇_j; A_i⁻¹ β̇_j gives the true Ñ̇ q̇."""
    _, m, (q, qd, _) = two_dof()
    step = 1e-6

    def N(q):
        last = members_of(m, q)[5]
        return {j: np.array(list(v), float) for j, v in last.N.items()}

    ahead = N([a + step * b for a, b in zip(q, qd, strict=True)])
    behind = N([a - step * b for a, b in zip(q, qd, strict=True)])
    true = {j: (ahead[j] - behind[j]) / (2 * step) for j in ahead}
    members = members_of(m, q)
    last = members[5]
    for j in (2, 4):
        rate = sum((np.array(list(last.dN(s)[j])) * qd[s] for s in last.path), np.zeros(3))
        assert_allclose(rate, true[j], atol=1e-8)
    j = 2
    beta_rate = sum((np.array(list(last.dbeta[j][s])) * qd[s] for s in last.path), np.zeros(3))
    A_rate = sum((np.array(last.dA[s].rows) * qd[s] for s in last.path), np.zeros((3, 3)))
    printed = A_rate.T @ np.array(list(last.beta[j])) + np.array(members[j].A.rows).T @ beta_rate
    assert np.abs(printed - true[j]).max() > 1e-2


def test_erratum_1_15_the_gravity_force_of_a_slide_is_along_the_slide():
    """(54) printed e_i · Σ m g; the translation is along r_ii."""
    data, m, (q, _, _) = two_dof()
    expected = -np.array(data["states"][0]["expected"]["gravity_load"])
    Y = np.array(models.active_chain_V(m, q, [0] * 6))
    assert_allclose(Y, expected, atol=1e-12)
    members, g = members_of(m, q), np.array([0, 0, -9.81])
    mass = sum(float(m.bodies[k].m) for k in (1, 3, 5))
    printed = np.array(list(members[1].beta[0])) @ g * mass
    corrected = np.array(list(members[1].gamma[1])) @ g * mass
    assert corrected == pytest.approx(expected[1], abs=1e-12)
    assert abs(printed - expected[1]) > 1


@pytest.mark.parametrize("erratum", ["E1.4", "E1.5", "E1.6", "E1.7", "E1.11"])
def test_printed_sums_and_factors_fail(erratum, monkeypatch):
    """Each printed formula, put in the place of the corrected one, spoils W or V."""
    _, m, state = two_dof()
    truth = np.array(newton_euler(m, *state))
    assert_allclose(models.active_chain(m, *state), truth, atol=1e-12)
    made, motion = chain.joined, chain.add_motion
    members: dict[int, chain.Member] = {}

    def joined(before, i, body, q):
        member = members[i] = made(before, i, body, q)
        if erratum == "E1.4" and body.joint.kind == "prismatic":  # γ = A r, not its unit vector
            return replace(member, gamma=member.gamma | {i: member.gamma[i] * q[0]})
        if erratum == "E1.5":  # the second sum of (16) from k = 1
            reach = dict(member.reach)
            for j in member.path:
                for k in range(j):
                    reach[j] = reach[j] + members[k].reach[k]
            return replace(member, reach=reach)
        if erratum == "E1.11":  # (45) with ∂A_(i-1) in the place of ∂A_(j-1)
            dbeta = {j: dict(parts) for j, parts in member.dbeta.items()}
            for j in before.path[1:]:
                e = members[j - 1].A.T @ member.beta[j]
                for s in before.path:
                    dbeta[j][s] = before.dA[s] @ e
            return replace(member, dbeta=dbeta)
        return member

    def add_motion(V, member, body, qd):
        motion(V, member, body, qd)
        if erratum == "E1.6":  # (33) as printed: the last two terms without their dots
            J = body.inertia.about_centre
            w = chain._sum(member.N, qd)
            Nd = {j: Vec3.zero() for j in member.path}
            for s in member.path:
                for j, x in member.dN(s).items():
                    Nd[j] = Nd[j] + x * qd[s]
            wd = chain._sum(Nd, qd)
            for j in member.path:
                V[j] = V[j] + Nd[j].dot(J @ w) + member.N[j].dot(J @ wd)
                V[j] = V[j] - 2 * member.N[j].dot(J @ w)
        if erratum == "E1.7":  # (34) as printed: the rate of β_j in the axes of member j, not i
            J, w = body.inertia.about_centre, chain._sum(member.N, qd)
            off = {j: Vec3.zero() for j in member.path}
            for j in member.path:
                for s, slope in member.dbeta[j].items():
                    off[j] = off[j] + (members[j].A.T @ slope - member.A.T @ slope) * qd[s]
            for j in member.path:
                V[j] = V[j] - off[j].dot(J @ w) - member.N[j].dot(J @ chain._sum(off, qd))

    monkeypatch.setattr(chain, "joined", joined)
    monkeypatch.setattr(chain, "add_motion", add_motion)
    assert np.abs(np.array(models.active_chain(m, *state)) - truth).max() > 1e-6


def test_forming_the_model_takes_less_than_in_1979():
    """0.3 s on a PDP-11/45; in plain Python it is milliseconds."""
    path = ORACLES / "s001_example_assumed_geometry.json"
    if not path.exists():
        absent("the directory of reference files")
    m = da.load(path).bound()
    begin = time.process_time()
    models.circle(m, [0.0, -0.3, 1.9], [0.1, 0.2, 0.3])
    assert time.process_time() - begin < 0.3
