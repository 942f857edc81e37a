"""Closed loops against maximal coordinates, energy, other cuts and other worlds."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import models
from dalembert.algorithms import loop_closure
from dalembert.algorithms.closed_kinematics import Closed
from dalembert.plan import plan
from loops import (
    Maximal,
    bricard,
    concurrent,
    parallelogram,
    planar,
    random_rotation,
    slider_crank,
    spatial,
)

LOOPS = {
    "four-bar": (lambda **o: planar(4, 1, **o), 1),
    "five-bar": (lambda **o: planar(5, 2, active=(0, 1), **o), 2),
    "seven-bar": (lambda **o: planar(7, 3, active=(0, 1, 2, 3), **o), 4),
    "slider-crank": (lambda **o: slider_crank(4, **o), 1),
    "parallelogram": (lambda **o: parallelogram(5, **o), 1),
    "spherical four-bar": (lambda **o: concurrent(4, 6, **o), 1),
    "seven revolutes": (lambda **o: spatial(7, 7, **o), 1),
    "eight revolutes": (lambda **o: spatial(8, 8, active=(0, 3), **o), 2),
    "a ball": (lambda **o: spatial(5, 9, kinds=["revolute"] * 4 + ["spherical"], **o), 1),
    "a slide": (
        lambda **o: spatial(7, 10, kinds=["revolute", "prismatic"] + ["revolute"] * 5, **o),
        1,
    ),
    "a cut slide": (
        lambda **o: spatial(8, 11, active=(0, 1), kinds=["revolute"] * 7 + ["prismatic"], **o),
        2,
    ),
    "a cut cylinder": (
        lambda **o: spatial(6, 13, kinds=["revolute"] * 5 + ["cylindrical"], **o),
        1,
    ),
    "a cut cross": (lambda **o: spatial(6, 14, kinds=["revolute"] * 5 + ["universal"], **o), 1),
    "a cut weld": (lambda **o: spatial(8, 15, kinds=["revolute"] * 7 + ["fixed"], **o), 1),
    "a rod": (
        lambda **o: spatial(4, 16, active=(0, 2), kinds=["revolute"] * 3 + ["rod"], **o),
        2,
    ),
    "bricard": (lambda **o: bricard(12, **o), 1),
}


def states(case, seed=0, p=None):
    """Return (plan, q, qd, qdd) with a motion that keeps the loops closed."""
    rng = np.random.default_rng(seed)
    p = p or plan(case.m, case.q)
    m, q = case.m.bound(), case.q.tolist()
    qd, qdd, residual, *_ = models.tree_motion(
        m, p, q, rng.normal(size=m.nv).tolist(), rng.normal(size=m.nv).tolist()
    )
    assert np.abs(residual).max() < 1e-14
    return p, q, qd, qdd


@pytest.mark.parametrize("name", LOOPS)
def test_the_direct_model_is_that_of_maximal_coordinates(name):
    make, mobility = LOOPS[name]
    rng, p = np.random.default_rng(3), None
    for k in range(20):
        case = make(world=random_rotation(rng) if k else None)
        # the plan is the same in every world: the first three make their own
        p, q, qd, _ = states(case, k, p if k > 2 else None)
        assert p.mobility == mobility and p.free == 0 and p.spare_motors == 0
        u = rng.normal(size=len(p.motors)) * 10
        tau = np.zeros(case.m.nv)
        tau[list(p.motors)] = u
        peer = Maximal(case.m, case.q, np.array(qd))
        expected = peer.accelerations(tau)
        assert peer.misfit < 1e-9 * (1 + np.abs(expected).max())
        m, limit = case.m.bound(), 1e-9 * (1 + np.abs(expected).max())
        found = models.closed_forward(m, p, q, qd, u.tolist())[0]
        assert np.abs(found - expected).max() < limit
        if k < 2:
            found = models.closed_forward_multipliers(m, p, q, qd, u.tolist())[0]
            assert np.abs(found - expected).max() < limit
        # the inverse model undoes it
        back = models.active_torques(m, p, q, qd, found)[0]
        assert np.abs(np.array(back) - u).max() < limit


FAMILIES = {
    "planar": lambda k, **o: planar(4 + k % 5, 100 + k, active=range(1 + k % 5), **o),
    "parallelogram": lambda k, **o: parallelogram(100 + k, **o),
    "slider-crank": lambda k, **o: slider_crank(100 + k, **o),
    "concurrent": lambda k, **o: concurrent(4 + k % 3, 100 + k, active=range(1 + k % 3), **o),
    "spatial": lambda k, **o: spatial(7 + k % 3, 100 + k, active=range(1 + k % 3), **o),
    "spatial four-bar": lambda k, **o: spatial(
        5, 100 + k, kinds=["revolute"] * 4 + ["spherical"], **o
    ),
    "bricard": lambda k, **o: bricard(100 + k, **o),
}


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_random_loops_in_random_worlds_are_those_of_maximal_coordinates(family):
    rng = np.random.default_rng(5)
    for k in range(20):
        case = FAMILIES[family](k, world=random_rotation(rng))
        p, q, qd, _ = states(case, k)
        u = rng.normal(size=len(p.motors)) * 10
        tau = np.zeros(case.m.nv)
        tau[list(p.motors)] = u
        peer = Maximal(case.m, case.q, np.array(qd))
        expected = peer.accelerations(tau)
        # drawn poses may be near singular ones: both sides lose the digits of the condition
        far = da.singularity(case.m, case.q)
        near = min(far.closure, far.type2)
        limit = 1e-10 / max(near, 1e-4) ** 2 * (1 + np.abs(expected).max())
        m = case.m.bound()
        found = models.closed_forward(m, p, q, qd, u.tolist())[0]
        assert np.abs(found - expected).max() < limit, k
        back = models.active_torques(m, p, q, qd, found)[0]
        assert np.abs(np.array(back) - u).max() < limit, k


@pytest.mark.parametrize("name", LOOPS)
def test_rotating_the_world_changes_nothing(name):
    make, _ = LOOPS[name]
    here, there = make(), make(world=random_rotation(np.random.default_rng(1)))
    p, q, qd, qdd = states(here)
    other = plan(there.m, there.q)
    a = models.active_torques(here.m.bound(), p, q, qd, qdd)[0]
    b = models.active_torques(there.m.bound(), other, q, qd, qdd)[0]
    assert np.allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["four-bar", "seven revolutes", "bricard", "spherical four-bar"])
def test_cutting_at_another_joint_or_reversing_the_loop_changes_nothing(name):
    make, _ = LOOPS[name]
    case = make()
    p, q, qd, qdd = states(case)
    expected = models.active_torques(case.m.bound(), p, q, qd, qdd)[0]
    rates = dict(zip(case.m.joint_names, zip(qd, qdd, strict=True), strict=True))
    for options in ({"reverse": True}, {"cut": 2}, {"cut": 1}, {"cut": 2, "reverse": True}):
        other = make(**options)
        own = plan(other.m, other.q)
        motion = [rates.get(n, (0.0, 0.0)) for n in other.m.joint_names]
        m, pose = other.m.bound(), other.q.tolist()
        found = models.active_torques(m, own, pose, [v for v, _ in motion], [a for _, a in motion])[
            0
        ]
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9), options


@pytest.mark.parametrize("name", LOOPS)
def test_motor_power_is_the_rate_of_energy(name):
    case = LOOPS[name][0]()
    p, q, qd, qdd = states(case)
    m = case.m.bound()
    u = models.active_torques(m, p, q, qd, qdd)[0]
    power = sum(x * qd[k] for x, k in zip(u, p.motors, strict=True))
    # Ṫ + V̇ by the tree, whose joint forces do the same work
    gamma = models.tree_torques(m, p, q, qd, qdd)[0]
    assert power == pytest.approx(float(np.dot(gamma, qd)), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("name", LOOPS)
def test_reactions_hold_the_cut_tree_in_its_motion(name):
    case = LOOPS[name][0]()
    p, q, qd, qdd = states(case)
    m = case.m.bound()
    gamma = np.array(models.tree_torques(m, p, q, qd, qdd)[0])
    u = np.zeros(m.nv)
    u[list(p.motors)] = models.active_torques(m, p, q, qd, qdd)[0]
    wrench = np.array(models.loop_reactions(m, p, q, qd, qdd)[0][0])
    peer = Maximal(case.m, case.q, np.array(qd))
    loop = m.loops[0]
    total = np.zeros(m.nv)
    for body, point, sign in ((loop.body_i, loop.point_i, -1), (loop.body_j, loop.point_j, 1)):
        if body >= 0:
            arm = peer.R[body] @ np.array(list(point), float)
            at_origin = np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])
            total += sign * peer.S[6 * body : 6 * body + 6].T @ at_origin
    assert np.allclose(gamma, u + total, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "options"),
    [("four-bar", {}), ("four-bar", {"cut": 1}), ("a ball", {}), ("a cut slide", {}),
     ("bricard", {}), ("bricard", {"cut": 1, "reverse": True})],
)  # fmt: skip
def test_joints_transmit_their_motor_force_and_passive_ones_nothing(name, options):
    case = LOOPS[name][0](**options)
    p, q, qd, qdd = states(case)
    m = case.m.bound()
    f = np.array(models.closed_link_wrenches(m, p, q, qd, qdd)[0])
    u = np.zeros(m.nv)
    u[list(p.motors)] = models.active_torques(m, p, q, qd, qdd)[0]
    for k, body in enumerate(m.bodies):
        axis = np.array(list(body.joint.axis))
        along = axis @ (f[k, :3] if body.joint.kind == "prismatic" else f[k, 3:])
        assert along == pytest.approx(u[k], abs=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_the_root_of_a_machine_with_a_cut_slide_carries_its_whole_weight(kind):
    # slides whose points lie apart: the reaction on both bodies acts at one place
    pins = {"a": ("root", 0.1), "b": ("a", 0.5), "c": ("b", 0.6)}
    bodies = [
        {"name": name, "parent": of, "mass": 2, "com": [0.2, 0.1, 0], "inertia": [0.1, 0.1, 0.2],
         "joint": {"type": "revolute", "placement": {"translation": [x, 0, 0]}}}
        for name, (of, x) in {"root": (-1, 0), **pins}.items()
    ]  # fmt: skip
    slide = {"body_i": "root", "point_i": [0, -0.2, 0], "body_j": "c", "point_j": [0, 0, 0],
             "joint": kind, "axis": [1, 0, 0]}  # fmt: skip
    m = da.load({"format": "dalembert/1", "gravity": [1, -9.81, 2], "bodies": bodies,
                 "active": ["root", "a"], "loops": [slide]})  # fmt: skip
    q, rest = da.assemble(m, [0.3, 0.9, -1.6, 0.7]), np.zeros(4)
    R, arm = da.pose(m, q, frame="root")[:3, :3], da.centre_of_mass(m, q)
    weight = -8 * np.array([1, -9.81, 2])
    f = da.link_wrenches(m, q, rest, rest)[0]
    assert R @ f[:3] == pytest.approx(weight, abs=1e-9)
    assert R @ f[3:] == pytest.approx(np.cross(arm, weight), abs=1e-9)


def test_redundant_motors_share_the_load_with_least_norm():
    case = planar(4, 1, active=(0, 1))
    p, q, qd, qdd = states(case)
    assert p.mobility == 1 and p.spare_motors == 1
    m = case.m.bound()
    one = plan(replace(case.m, active=("j0",)), case.q)
    single = models.active_torques(m, one, q, qd, qdd)[0][0]
    G = np.array(models.active_map(m, one, q)[0])[:, 0]
    u = np.array(models.active_torques(m, p, q, qd, qdd)[0])
    rows = G[list(p.motors)]
    assert rows @ u == pytest.approx(single * rows[0], rel=1e-10)
    assert np.allclose(u, rows * (rows @ u) / (rows @ rows))
    weighted = np.array(models.active_torques(m, p, q, qd, qdd, weights=(1, 4))[0])
    assert rows @ weighted == pytest.approx(single * rows[0], rel=1e-10)
    assert weighted[1] / weighted[0] == pytest.approx(rows[1] / 4 / rows[0])
    # both exert their share: the direct model gives the motion back
    for forces in (u, weighted):
        again = models.closed_forward(m, p, q, qd, forces.tolist())[0]
        assert np.allclose(again, qdd, rtol=1e-9, atol=1e-9)


def test_free_coordinates_move_without_force():
    case = planar(5, 2, active=(0,))
    p, q, qd, qdd = states(case)
    assert p.mobility == 2 and p.free == 1 and len(p.free_joints) == 1
    m = case.m.bound()
    u = models.active_torques(m, p, q, qd, qdd)[0]
    found = models.closed_forward(m, p, q, qd, u)[0]
    assert found[p.motors[0]] == pytest.approx(qdd[p.motors[0]], rel=1e-10)
    tau = np.zeros(m.nv)
    tau[list(p.motors)] = u
    assert np.allclose(found, Maximal(case.m, case.q, np.array(qd)).accelerations(tau), atol=1e-9)


def test_the_printed_projection_lacks_a_transpose(oracles_dir):
    """E2.19: (57) multiplies Γ_p by ∂q̇_p/∂q̇_a, the transpose holds."""
    m = da.load(oracles_dir / "fivebar.json")
    q = np.array([1.689, -0.744200374002147, 1.243, 0.8990480482268934])
    qd, qdd = [0.353, 0, -1.496, 0], [-5.757, 0, -5.736, 0]
    gamma, G = da.tree_torques(m, q, qd, qdd), da.active_map(m, q)
    active, passive = [0, 2], [1, 3]
    right = gamma[active] + G[passive].T @ gamma[passive]
    printed = gamma[active] + G[passive] @ gamma[passive]
    assert np.allclose(right, da.active_torques(m, q, qd, qdd), atol=1e-13)
    assert np.abs(printed - right).max() > 1e-3


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "a ball", "a slide", "bricard"])
def test_kernels_are_the_float_run(name):
    case = LOOPS[name][0]()
    p, q, qd, qdd = states(case)
    m = case.m
    expected = models.active_torques(m.bound(), p, q, qd, qdd)[0]
    found = da.inverse_dynamics(m, [q] * 5, [qd] * 5, [qdd] * 5)
    assert np.allclose(found, expected, rtol=1e-10, atol=1e-10)
    assert np.allclose(da.forward_dynamics(m, q, qd, found[0]), qdd, rtol=1e-8, atol=1e-8)
    kernel = da.compile(m, "inverse_dynamics", plan=p)
    names = ["tau", "residual", "pivot", "certificate"]
    assert [port.name for port in kernel.outputs] == names
    tau, residual, pivot, certificate = kernel(q, qd, qdd)
    assert residual.shape == (loop_closure.equation_count(m),) and pivot[0] > 1e-6
    assert certificate.shape == (1,) and certificate[0] < 1e-12
    # a start nearby is assembled inside the kernel
    near = np.array(q)
    near[list(p.dependent)] += 1e-2
    refined = da.compile(m, "inverse_dynamics", plan=p, steps=6)(near, qd, qdd)
    assert np.abs(refined[1]).max() < 1e-13 and np.allclose(refined[0], tau, rtol=1e-9, atol=1e-9)


def test_every_cut_joint_has_an_exact_jacobian():
    base = spatial(8, 1).m
    loop = base.loops[0]
    cuts = [replace(loop, joint=kind) for kind in loop_closure.EQUATIONS if kind != "rod"]
    cuts.append(replace(loop, joint="rod", length=0.7))
    m = replace(base, loops=tuple(cuts), checked=False).bound()
    rng = np.random.default_rng(0)
    q, v, h = rng.normal(size=m.nv), rng.normal(size=m.nv), 1e-5

    def rows(x):
        return np.array(loop_closure.closure(m, x.tolist()))

    J = np.array(loop_closure.loop_jacobian(m, q.tolist()))
    assert len(J) == 5 + 5 + 4 + 4 + 3 + 6 + 1
    assert np.allclose((rows(q + h * v) - rows(q - h * v)) / (2 * h), J @ v, atol=1e-8)
    first, second = loop_closure.closure_rates(m, q.tolist(), v.tolist())
    slope = [
        np.array(loop_closure.closure_rates(m, (q + s * h * v).tolist(), v.tolist())[0])
        for s in (1, -1)
    ]
    assert np.allclose(first, J @ v, atol=1e-13)
    assert np.allclose((slope[0] - slope[1]) / (2 * h), second, atol=1e-7)


def test_a_plan_that_leaves_out_too_much_opens_the_loop():
    """What was left out is checked: the motion of too few rows opens the others."""
    m = da.robots.fivebar()
    q, own = da.assemble(m).tolist(), plan(m)
    few = replace(
        own, rows=own.rows[:-1], dependent=own.dependent[:-1],
        independent=(*own.independent, own.dependent[-1]),
    )  # fmt: skip
    assert Closed.at(m, own, q).opening < 1e-12
    found = Closed.at(m, few, q)
    gap = np.array(found.J, dtype=float)[own.rows[-1]] @ np.array(found.G, dtype=float)
    assert abs(gap).max() > 0.1 and found.opening > 0.1
