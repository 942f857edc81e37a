"""Joints that follow others have no coordinate; their dynamics are those of the tree, projected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from peers import missing


def machine() -> dict:
    """A chain of followers: slide after turn after turn, offsets, a negative ratio, a drive."""

    def body(name, parent, kind, axis, at, mass):
        joint = {"type": kind, "name": name, "axis": axis}
        joint["placement"] = {"translation": at, "rotation": []}
        return {"name": f"link {name}", "parent": parent, "joint": joint, "mass": mass,
                "com": [0.2, 0.1, 0.05], "inertia": [0.1, 0.2, 0.15]}  # fmt: skip

    return {
        "format": "dalembert/1",
        "bodies": [
            body("a", -1, "revolute", [0, 0, 1], [0, 0, 0], 2),
            body("b", 0, "revolute", [0, 1, 0], [0.5, 0, 0], 1.5),
            body("c", 1, "prismatic", [1, 0, 0], [0.4, 0, 0], 1.2),
            body("d", 1, "revolute", [1, 0, 0], [0.4, 0.3, 0], 0.7),
        ],
        "couplings": [
            {"joint": "c", "of": "d", "ratio": -0.3, "offset": 0.1},
            {"joint": "d", "of": "a", "ratio": 1.7, "offset": -0.2},
        ],
        "drives": [{"joint": "c", "Ia": 0.3, "viscous": 0.2}, {"joint": "a", "Ia": 0.1}],
        "elastic": [{"joint": "d", "stiffness": 3, "rest": 0.1}],
    }


R = np.array([[1, 0], [0, 1], [-0.51, 0], [1.7, 0]])
REST = np.array([0, 0, 0.1 + 0.3 * 0.2, -0.2])


@pytest.fixture(scope="module")
def both():
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    return da.load(machine()), da.load(machine(), mimic="free"), q, qd, qdd


def whole(q, qd, qdd):
    return R @ q + REST, R @ qd, R @ qdd


def test_a_follower_is_no_coordinate_and_keeps_its_frames(both):
    m, free, q, *_ = both
    assert m.joint_names == ("a", "b") and m.nq == m.nv == 2 and m.followers == ("c", "d")
    assert m.frames == free.frames
    for frame in m.frames:
        np.testing.assert_allclose(
            da.pose(m, q, frame=frame), da.pose(free, R @ q + REST, frame=frame), atol=1e-14
        )
        np.testing.assert_allclose(
            da.jacobian(m, q, frame=frame), da.jacobian(free, R @ q + REST, frame=frame) @ R,
            atol=1e-14,
        )  # fmt: skip


@pytest.mark.parametrize("drives", ["none", "inertia", "all"])
def test_every_formalism_gives_the_projected_forces(both, drives):
    m, free, *state = both
    want = R.T @ da.inverse_dynamics(free, *whole(*state), drives=drives)
    for row in da.catalog():
        if row.name == "inverse_dynamics":
            for method in row.methods:
                found = da.inverse_dynamics(m, *state, method=method, drives=drives)
                np.testing.assert_allclose(found, want, atol=1e-12)
    q, qd, qdd = state
    for method in ("composite", "direct_from_inverse"):
        found = da.forward_dynamics(m, q, qd, want, method=method, drives=drives)
        np.testing.assert_allclose(found, qdd, atol=1e-11)


def test_matrices_and_coefficients_are_projected(both):
    m, free, q, qd, qdd = both
    Q, Qd, _ = whole(q, qd, qdd)
    np.testing.assert_allclose(da.mass_matrix(m, q), R.T @ da.mass_matrix(free, Q) @ R, atol=1e-13)
    found = da.coriolis_matrix(m, q, qd)
    np.testing.assert_allclose(found, R.T @ da.coriolis_matrix(free, Q, Qd) @ R, atol=1e-13)
    np.testing.assert_allclose(found @ qd, da.coriolis(m, q, qd), atol=1e-13)
    bare = replace(m, elastic=())
    for method in ("composite", "augmented_body", "homogeneous"):
        g, A, B, C = da.lagrange_coefficients(bare, q, method=method)
        tau = A @ qdd + np.einsum("ijk,j,k", np.triu(B), qd, qd) + C @ qd**2 - g
        np.testing.assert_allclose(tau, da.inverse_dynamics(bare, q, qd, qdd), atol=1e-12)
    Y = da.regressor(bare, q, qd, qdd)
    phi = da.parameter_vector(bare.bound())
    np.testing.assert_allclose(Y @ phi, da.inverse_dynamics(bare, q, qd, qdd), atol=1e-12)
    wrench = {"link c": [1, 2, 3, 0.1, 0.2, 0.3]}
    np.testing.assert_allclose(
        da.inverse_dynamics(m, q, qd, qdd, wrench_on_body=wrench),
        R.T @ da.inverse_dynamics(free, *whole(q, qd, qdd), wrench_on_body=wrench),
        atol=1e-12,
    )


def test_hybrid_models_and_derivatives_are_those_of_the_reduced_machine(both):
    m, _, q, qd, _ = both
    qdd, tau = da.hybrid_dynamics(m, q, qd, [0.3, 0.4], given=["a"])
    assert qdd[0] == pytest.approx(0.3) and tau[1] == pytest.approx(0.4)
    np.testing.assert_allclose(da.inverse_dynamics(m, q, qd, qdd), tau, atol=1e-12)
    h = 1e-6
    for name, x in (("inverse_dynamics", qdd), ("forward_dynamics", tau)):
        slopes = getattr(da, f"{name}_derivatives")(m, q, qd, x)
        model = getattr(da, name)
        for k, e in enumerate(np.eye(2) * h):
            pairs = (
                (model(m, q + e, qd, x), model(m, q - e, qd, x)),
                (model(m, q, qd + e, x), model(m, q, qd - e, x)),
                (model(m, q, qd, x + e), model(m, q, qd, x - e)),
            )
            for slope, (up, down) in zip(slopes, pairs, strict=True):
                np.testing.assert_allclose(slope[:, k], (up - down) / (2 * h), atol=1e-6)


def test_the_acceleration_of_a_follower_is_not_taken_for_that_of_its_leader(both):
    m, _, q, qd, _ = both
    for name in ("c", "d"):
        with pytest.raises(da.UsageError, match=f"joint '{name}' follows 'a'"):
            da.hybrid_dynamics(m, q, qd, [0.3, 0.4], given=[name])
    # numbers count the coordinates that are left
    for k, name in enumerate(m.joint_names, 1):
        by_name, by_number = (
            da.hybrid_dynamics(m, q, qd, [0.3, 0.4], given=[x]) for x in (name, k)
        )
        np.testing.assert_array_equal(by_name, by_number)


def test_a_motion_is_that_of_the_coupled_machine_and_keeps_its_energy(both):
    m, _, q, qd, _ = both
    m = replace(m, drives=())
    other = replace(da.load(machine(), mimic="couple"), drives=())
    ours = da.simulate(m, q, qd, t=[0.0, 0.5, 1.0])
    theirs = da.simulate(other, R @ q + REST, R @ qd, t=[0.0, 0.5, 1.0])
    np.testing.assert_allclose(ours.q @ R.T + REST, theirs.q, atol=1e-6)
    assert np.ptp(ours.energy) < 1e-6
    law = da.control.ComputedTorque(goal=[0.3, -0.2], kp=100, kd=20)
    np.testing.assert_allclose(
        da.simulate(m, q, torque=law, t=[0.0, 2.0]).q[-1], [0.3, -0.2], atol=1e-6
    )


def test_locking_a_leader_locks_its_followers_and_the_other_way_round():
    m = da.load(machine())
    for held in (m.lock("a", at=0.2), m.lock(1, at=0.2), m.lock("d", at=1.7 * 0.2 - 0.2)):
        assert held.joint_names == ("b",) and not held.followers
        for frame in ("link c", "link d"):
            np.testing.assert_allclose(
                da.pose(held, [0.4], frame=frame), da.pose(m, [0.2, 0.4], frame=frame), atol=1e-12
            )
    rest = m.lock("b")
    assert rest.followers == ("c", "d") and rest.nq == 1


def test_a_follower_of_ratio_zero_is_held_at_its_offset_only():
    data = machine()
    data["couplings"] = [{**c, "ratio": 0, "offset": 0.3} for c in data["couplings"][:1]]
    m, joint = da.load(data), data["couplings"][0]["joint"]
    assert m.lock(joint, at=0.3).nv == m.nv  # the joint it is said to follow still moves
    for at in (0.0, 0.37):
        with pytest.raises(da.ModelError, match=r"does not allow(.|\n)*lock it at its offset"):
            m.lock(joint, at=at)


def test_a_saved_machine_loads_equal_and_couplings_come_back(tmp_path):
    m = da.load(machine())
    m.save(tmp_path / "m.toml")
    assert da.load(tmp_path / "m.toml") == m
    assert len(da.load(tmp_path / "m.toml", mimic="couple").couplings) == 2


def test_coupled_machines_refuse_what_would_be_that_of_the_tree(both):
    _, free, q, qd, qdd = both
    m = da.load(machine(), mimic="couple")
    state = whole(q, qd, qdd)
    found = da.inverse_dynamics(m, *state)
    np.testing.assert_allclose(found, R.T @ da.inverse_dynamics(free, *state), atol=1e-12)
    np.testing.assert_allclose(da.forward_dynamics(m, *state[:2], found)[:2], qdd, atol=1e-11)
    with pytest.raises(da.UsageError, match="couplings"):
        da.mass_matrix(m, state[0])


def test_what_needs_all_coordinates_says_so():
    m = da.load(machine())
    with pytest.raises(da.ModelError, match="square Jacobian; the machine has 2 speeds"):
        da.cartesian_mass(m, [0.0, 0.0])
    ring = machine()
    ring["couplings"].append({"joint": "a", "of": "c"})
    with pytest.raises(da.ModelError, match="in a circle"):
        da.load(ring)


def test_one_newton_on_the_fingers_of_a_gripper_moves_both_of_them(peer):
    """Pinocchio's M of the Panda with two finger joints, projected."""
    pin = peer("pin")
    prefix = Path(pin.__file__).resolve().parents[4]
    file = prefix / "share/example-robot-data/robots/panda_description/urdf/panda.urdf"
    if not file.exists():
        missing("example-robot-data")
    m, model = da.load(file), pin.buildModelFromUrdf(str(file))
    data, fold = model.createData(), np.eye(9)[:, :8]
    fold[8, 7] = 1
    q = np.random.default_rng(1).uniform(-0.5, 0.5, 8)
    M = fold.T @ pin.crba(model, data, fold @ q) @ fold
    h = fold.T @ pin.rnea(model, data, fold @ q, np.zeros(9), np.zeros(9))
    tau = np.eye(8)[7]
    np.testing.assert_allclose(da.mass_matrix(m, q), M, atol=1e-12)
    want = np.linalg.solve(M, tau - h)
    np.testing.assert_allclose(da.forward_dynamics(m, q, np.zeros(8), tau), want, atol=1e-9)


def test_an_attached_machine_keeps_its_followers_though_names_change():
    arm = da.load(machine())
    both = arm.attach(arm, "link b")
    assert both.nq == 4 and len(both.followers) == 4
    q = np.array([0.1, 0.2, 0.3, 0.4])
    held = da.pose(both, q, frame="link b")
    frame = both.frames[-1] if both.frames[-1].endswith("link d") else f"{arm.name}_link d"
    np.testing.assert_allclose(
        da.pose(both, q, frame=frame), held @ da.pose(arm, q[2:], frame="link d"), atol=1e-12
    )
    qd, qdd = np.array([0.5, -0.2, 0.7, 0.1]), np.array([0.3, 0.4, -0.2, 0.6])
    both = replace(both, elastic=())  # springs are not in closed forms, a remark says so
    tau = da.inverse_dynamics(both, q, qd, qdd)
    np.testing.assert_allclose(da.equations(both).evaluate({}, q, qd, qdd), tau, atol=1e-11)


def test_joints_that_move_no_inertia_are_named():
    told = machine() | {"drives": []}
    told["bodies"] = [
        b | {"mass": 0, "com": [0, 0, 0], "inertia": [0, 0, 0]} for b in told["bodies"]
    ]
    m = da.load(told, mimic="substitute")
    with pytest.raises(da.SingularModel, match="no inertia moves with a, c, d:"):
        da.compile(m, "forward_dynamics")


def test_a_follower_shows_its_motion_units_and_whom_it_follows():
    told = machine()
    told["bodies"][2]["joint"] |= {"limits": [[-0.1, 0.4]], "velocity_limit": 2}
    m = da.load(told)
    text = str(m)
    assert "c follows: -0.51*a + 0.16" in text and "d follows: 1.7*a - 0.2" in text
    assert "drive c: rotor inertia 0.3 kg, viscous 0.2 N s/m" in text
    assert "limits c: q -0.1 to 0.4 m, speed 2 m/s" in text
    assert not any("does not move" in odd for odd in m.report())
