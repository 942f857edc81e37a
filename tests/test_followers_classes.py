"""Elastic joints, moving bases and Kane's quantities where joints follow others."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da


def data(active=(), elastic=()):
    def body(name, parent, axis, p, kind="revolute"):
        return {"name": name, "parent": parent, "mass": 1.5, "com": [0.1, 0.2, -0.05],
                "joint": {"type": kind, "axis": axis, "placement": {"translation": p}},
                "inertia": [0.04, 0.05, 0.06, 0.001, 0.002, -0.003]}  # fmt: skip

    return {
        "format": "dalembert/1", "name": "m", "gravity": [0.3, -0.2, -9.81],
        "bodies": [body("a", -1, [0, 0, 1], [0, 0, 0.3]), body("b", 0, [0, 1, 0], [0.4, 0, 0]),
                   body("c", 1, [0, 1, 0], [0.3, 0.1, 0], "prismatic"),
                   body("d", 1, [0, 1, 0], [0.3, -0.1, 0])],
        "couplings": [{"joint": "d", "of": "c", "ratio": -1.7, "offset": 0.2}],
        "drives": [{"joint": n, "Ia": 0.2, "viscous": 0.3} for n in "bd"],
        "active": list(active), "elastic": list(elastic),
    }  # fmt: skip


def on_base(base, **given):
    """Return the arm on a base that has a mass."""
    m = da.load(data(**given), base=base)
    return m.with_payload("base", 4.0, (0.1, 0.0, 0.2), (0.3, 0.4, 0.5, 0, 0, 0))


def state(m, seed=0):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, 4, m.nv))
    if m.nq != m.nv:
        turn = rng.normal(size=(4, 4))
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        q = np.concatenate([q[:, :3], turn, q[:, 6:]], axis=1)
    return q, qd, qdd


@pytest.mark.parametrize("base", ["free", "planar"])
@pytest.mark.parametrize("convention", ["classical", "spatial"])
def test_a_moving_base(base, convention):
    m = on_base(base)
    q, qd, qdd = state(m)
    k = m.nv - 3
    kind = {"convention": convention}
    there, tau = da.moving_base_inverse(m, q, qd, qdd[:, k:], **kind)
    # the direct model gives the motion back, and no force acts on the base
    again, found = da.moving_base_direct(m, q, qd, tau, **kind)
    assert again == pytest.approx(there, abs=1e-9) and found == pytest.approx(qdd[:, k:], abs=1e-9)
    wrench, same = da.prescribed_base_inverse(m, q, qd, there, qdd[:, k:], **kind)
    assert wrench == pytest.approx(0, abs=1e-9) and same == pytest.approx(tau, abs=1e-9)
    assert da.base_acceleration(m, q, qd, qdd[:, k:], **kind) == pytest.approx(there, abs=1e-9)
    full = np.concatenate([np.zeros((4, k)), tau], axis=1)
    rates = da.forward_dynamics(m, q, qd, full)
    assert rates[:, k:] == pytest.approx(qdd[:, k:], abs=1e-9)
    if convention == "spatial":
        assert rates[:, :k] == pytest.approx(there, abs=1e-9)


def test_an_elastic_joint():
    spring = {"joint": "b", "stiffness": 350, "rest": 0.2, "damping": 1.5}
    m = da.load(data(elastic=[spring]))
    q, qd, qdd = state(m)
    soft, tau = da.elastic_inverse(m, q, qd, qdd)
    assert soft.shape == (4, 1) and tau.shape == (4, 2)
    full = np.stack([tau[:, 0], np.zeros(4), tau[:, 1]], axis=1)
    found = da.forward_dynamics(m, q, qd, full)
    assert found == pytest.approx(np.stack([qdd[:, 0], soft[:, 0], qdd[:, 2]], axis=1), abs=1e-8)


def test_a_passive_joint_and_a_spring_on_a_follower():
    spring = {"joint": "d", "stiffness": 20, "rest": 0.1}
    m = da.load(data(active=["a", "c"], elastic=[spring]))
    q, qd, qdd = state(m)
    soft, tau = da.elastic_inverse(m, q, qd, qdd)
    full = np.stack([tau[:, 0], np.zeros(4), tau[:, 1]], axis=1)
    found = da.forward_dynamics(m, q, qd, full)
    assert found == pytest.approx(np.stack([qdd[:, 0], soft[:, 0], qdd[:, 2]], axis=1), abs=1e-8)


def test_a_welded_plate_changes_no_elastic_model_of_followers():
    springs = [{"joint": n, "stiffness": 20, "rest": 0.1} for n in "bd"]
    given = data(elastic=springs)
    plate = {"name": "plate", "parent": -1, "joint": {"type": "fixed"}}
    moved = [b | {"parent": b["parent"] + 1} for b in given["bodies"]]
    bare, welded = da.load(given), da.load(given | {"bodies": [plate, *moved]})
    motion = state(bare)
    pairs = zip(da.elastic_inverse(welded, *motion), da.elastic_inverse(bare, *motion), strict=True)
    for found, want in pairs:
        assert found == pytest.approx(want, abs=1e-10)


def test_an_elastic_joint_on_a_moving_base():
    spring = {"joint": "b", "stiffness": 350, "rest": 0.2, "damping": 1.5}
    m = on_base("free", elastic=[spring])
    q, qd, qdd = state(m)
    there, soft, tau = da.elastic_base_inverse(m, q, qd, qdd[:, 6:], convention="spatial")
    full = np.concatenate([np.zeros((4, 6)), tau[:, :1], np.zeros((4, 1)), tau[:, 1:]], axis=1)
    wanted = np.concatenate([there, qdd[:, 6:7], soft, qdd[:, 8:]], axis=1)
    assert da.forward_dynamics(m, q, qd, full) == pytest.approx(wanted, abs=1e-8)


def test_kane():
    m, c = da.load(data()), da.load(data(), mimic="couple")
    q, alpha, tau = state(m)
    none = np.zeros((4, 0))
    whole = np.concatenate([q, -1.7 * q[:, 2:] + 0.2], axis=1)
    assert da.kane_D(m, q, none) == pytest.approx(da.mass_matrix(m, q), abs=1e-11)
    g0, gw = da.kane_g0(m, q, alpha, none, none), da.kane_gw(m, q, none)
    C = da.kane_C(m, q, alpha, none, none)
    moving = np.einsum("nij,nj->ni", C, alpha)
    assert moving == pytest.approx(da.coriolis(m, q, alpha), abs=1e-10)
    assert np.einsum("nij,nj->ni", gw, -moving) == pytest.approx(g0, abs=1e-9)
    force = da.kane_tau(m, q, alpha, none, none, tau, none)
    rate = da.alpha_dot(m, q, alpha, none, none, tau, none)
    assert rate == pytest.approx(g0 + np.einsum("nij,nj->ni", gw, force), abs=1e-9)
    assert rate == pytest.approx(da.forward_dynamics(m, q, alpha, tau), abs=1e-9)
    assert da.kane_motion(m, q, alpha, none, none, tau, none)[1] == pytest.approx(rate, abs=1e-9)
    # the machine with a coupling says the same
    J = da.kane_J(replace(c, speeds=("a", "b", "c")), whole, none)
    assert da.kane_J(m, q, none) == pytest.approx(J, abs=1e-11)


def test_kane_with_friction_and_wrenches():
    m = da.load(data())
    q, alpha, tau = state(m)
    none, w = np.zeros((4, 0)), np.random.default_rng(3).normal(size=(4, 4, 6))
    options = {"drives": "all", "wrench_on_body": w}
    rate = da.alpha_dot(m, q, alpha, none, none, tau, none, **options)
    assert rate == pytest.approx(da.forward_dynamics(m, q, alpha, tau, **options), abs=1e-9)


@pytest.mark.parametrize("ratio, offset", [(1, 0), (-1.7, 0.2)])
def test_kane_in_closed_form(ratio, offset):
    given = data()
    given["couplings"][0] |= {"ratio": ratio, "offset": offset}
    m = da.load(given)
    form = da.kane_form(m)
    assert "follows" in form.text()
    sympy = pytest.importorskip("sympy")
    D = form.D.to_sympy()
    q = np.array([0.3, -0.4, 0.2])
    names = {str(s): s for s in D.free_symbols}
    at = dict(zip("abcd", [*q, ratio * q[2] + offset], strict=True))
    at |= {f"q{k + 1}": x for k, x in enumerate(list(at.values()))}
    found = np.array(D.subs({s: at[n] for n, s in names.items()}).evalf(), dtype=float)
    assert found == pytest.approx(da.mass_matrix(m, q), abs=1e-9), sympy.__name__


def test_the_models_of_1979_and_of_a_frame_are_projected():
    link = {"mass": 1.3, "com": [0.2, 0.03, 0], "inertia": [0.01, 0.02, 0.03]}
    bodies = [
        {"name": f"b{k}", "parent": k - 1, "joint": {
            "type": "revolute", "name": f"j{k}", "axis": [0, 0, 1],
            "placement": {"translation": [0.4, 0, 0]}}} | link
        for k in range(4)
    ]  # fmt: skip
    given = {"format": "dalembert/1", "gravity": [0, -9.81, 0], "bodies": bodies,
             "couplings": [{"joint": "j2", "of": "j1", "ratio": -1.5, "offset": 0.2}],
             "drives": [{"joint": "j2", "Ia": 0.3}]}  # fmt: skip
    m, tree = da.load(given), da.load(given, mimic="free")
    R, r = np.array([[1, 0, 0], [0, 1, 0], [0, -1.5, 0], [0, 0, 1]]), np.array([0, 0, 0.2, 0])
    q, qd, tau = np.random.default_rng(0).normal(size=(3, 3))
    x, xd = R @ q + r, R @ qd
    W, V = da.active_chain_W(m, q), da.active_chain_V(m, q, qd)
    assert pytest.approx(R.T @ da.active_chain_W(tree, x) @ R, abs=1e-12) == W
    assert pytest.approx(R.T @ da.active_chain_V(tree, x, xd), abs=1e-12) == V
    keep, at = [0, 1, 5], {"frame": "b3", "axes": "local"}
    J = da.jacobian(tree, x, **at)[keep] @ R
    Jd = da.jacobian_derivative(tree, x, xd, **at)[keep] @ R
    M, back = R.T @ da.mass_matrix(tree, x) @ R, np.linalg.inv(J)
    c = R.T @ da.coriolis(tree, x, xd)
    assert da.cartesian_mass(m, q, frame="b3") == pytest.approx(back.T @ M @ back, abs=1e-10)
    force = da.cartesian_force(m, q, tau, frame="b3")
    assert force == pytest.approx(back.T @ tau, abs=1e-11)
    bias = da.cartesian_bias(m, q, qd, frame="b3")
    assert bias == pytest.approx(back.T @ (c - M @ back @ Jd @ qd), abs=1e-10)
