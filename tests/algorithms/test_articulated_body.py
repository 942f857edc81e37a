"""Articulated bodies: direct dynamics undoes inverse dynamics, and transmits the same wrenches."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import textbook
from agreement import (
    acceleration_law,
    assert_forces,
    conditioning,
    drive_scale,
    floats,
    force_scale,
)
from dalembert.algebra import Vec3
from dalembert.errors import SingularModel
from dalembert.expr import Graph, trace
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Revolute, Spherical
from dalembert.mechanism import Body, Mechanism
from mechanisms import random_mechanisms, random_state, random_wrenches
from models import (
    articulated_body,
    articulated_body_wrenches,
    composite,
    direct_from_inverse,
    hybrid_dynamics,
    link_wrenches,
    newton_euler,
)

HOPELESS = 1e11  # above this kappa the law promises no digit


def solvable(count, seed, **strata):
    """Yield (mechanism, q, qd, qdd, M, wrenches, load) where the direct model has digits."""
    kept = 0
    for m in random_mechanisms(count, seed, **strata):
        b = m.bound()
        q, qd, qdd = random_state(m, seed)
        M = floats(composite(b, q))
        if conditioning(M)[0] > HOPELESS:
            continue
        kept += 1
        wrenches = random_wrenches(b, seed)
        load = force_scale(b, q, qd, qdd, wrenches) + drive_scale(b, qd, qdd)
        yield b, q, qd, qdd, M, wrenches, load
    assert kept >= 0.7 * count


@pytest.mark.parametrize("seed", range(5))
def test_the_planar_arm(seed):
    q, qd, tau = np.random.default_rng(seed).normal(size=(3, 2)).tolist()
    D = textbook.DATA
    qdd = articulated_body(textbook.planar_2r(**D), q, qd, tau)
    assert_allclose(textbook.planar_2r_torques(q, qd, qdd, **D), tau, atol=1e-13)
    qdd = articulated_body(textbook.cart_pole(), q, qd, tau)
    assert_allclose(textbook.cart_pole_forces(q, qd, qdd), tau, atol=1e-13)


def check(seed, count, **strata):
    for m, q, qd, qdd, M, wrenches, load in solvable(count, seed, **strata):
        tau = newton_euler(m, q, qd, qdd, wrenches, "all")
        bound = acceleration_law(M, qdd, load)[1]
        again, same, transmitted = hybrid_dynamics(m, q, qd, tau, (), wrenches, "all")
        assert np.all(np.abs(floats(again) - qdd) <= bound), m.name
        assert same == tau
        # the wrenches belong to the accelerations found: those of newton_euler at `again`
        ref = floats(link_wrenches(m, q, qd, again, wrenches))
        size = np.abs(ref).max(axis=0, initial=0) + np.max(load, initial=0)
        assert_forces(transmitted, ref, np.broadcast_to(size.max(), ref.shape), m.name, 1e2)


@pytest.mark.parametrize("seed", range(20, 24))
def test_direct_undoes_inverse_and_transmits_the_same_wrenches(seed):
    check(seed, 40, dof=(1, 30))


def test_direct_undoes_inverse_for_many_joints():
    check(25, 6, dof=(40, 120), massless=0, masses={"decade": 1})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 210))
def test_direct_undoes_inverse_and_transmits_the_same_wrenches_at_length(seed):
    check(seed, 100)


def test_inverse_undoes_direct():
    for m, q, qd, _, M, wrenches, load in solvable(40, 26, dof=(1, 12), masses={"decade": 1}):
        rng = np.random.default_rng(1)
        tau = (rng.normal(size=m.nv) * (load + 1)).tolist()
        found = articulated_body(m, q, qd, tau, wrenches)
        again = newton_euler(m, q, qd, found, wrenches)
        kappa, d = conditioning(M)
        size = np.max(np.abs(d * floats(found))) + np.max(load / d)
        tolerance = 1e3 * m.nv * np.finfo(float).eps * kappa * size * d
        assert np.all(np.abs(floats(again) - tau) <= tolerance), m.name


@pytest.mark.parametrize("drives", ["none", "inertia", "all"])
def test_the_two_direct_models_agree(drives):
    for m, q, qd, _, M, wrenches, load in solvable(40, 27, dof=(1, 16)):
        tau = newton_euler(m, q, qd, [0.0] * m.nv, wrenches, drives)
        tau = [t + x for t, x in zip(tau, np.sqrt(np.diag(M)), strict=True)]
        M = floats(composite(m, q, drives))
        if conditioning(M)[0] > HOPELESS:
            continue
        a = articulated_body(m, q, qd, tau, wrenches, drives)
        b = direct_from_inverse(m, q, qd, tau, wrenches, drives)
        bound = acceleration_law(M, a, load + np.abs(tau))[1]
        assert np.all(np.abs(floats(a) - b) <= bound), m.name


def test_hybrid_dynamics_takes_accelerations_of_some_joints_and_forces_of_the_others():
    for m, q, qd, qdd, M, wrenches, load in solvable(40, 28, dof=(2, 12), masses={"decade": 1}):
        tau = newton_euler(m, q, qd, qdd, wrenches, "all")
        given = [j for j in range(len(m.bodies)) if j % 2]
        accelerations, forces = m.split(qdd), m.split(tau)
        x = m.join({j: accelerations[j] if j in given else forces[j] for j in range(len(m.bodies))})
        a, t, _ = hybrid_dynamics(m, q, qd, x, given, wrenches, "all")
        kappa, d = conditioning(M)
        bound = acceleration_law(M, qdd, load)[1]
        assert np.all(np.abs(floats(a) - qdd) <= bound), m.name
        size = np.max(np.abs(d * floats(qdd))) + np.max(load / d)
        assert np.all(
            np.abs(floats(t) - tau) <= 1e3 * m.nv * np.finfo(float).eps * kappa * size * d
        )


def test_massless_links_are_legal_inside_a_chain_as_the_mass_matrix_says():
    link = Inertia(1.0, Vec3(0.3, 0.2, 0.1))
    axes = [Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)]
    for k in range(1, 6):
        for pattern in range(2**k):
            bodies = tuple(
                Body(
                    f"b{j}",
                    j - 1,
                    joint=Revolute(axes[j % 3]),
                    inertia=Inertia() if pattern >> j & 1 else link,
                )
                for j in range(k)
            )
            m = Mechanism(bodies).bound()
            q = [0.3 + 0.2 * j for j in range(k)]
            smallest = np.linalg.eigvalsh(floats(composite(m, q)))[0]
            try:
                qdd = articulated_body(m, q, [0.1] * k, [1.0] * k)
            except SingularModel:
                assert smallest < 1e-12, (k, pattern)
            else:
                if smallest > 1e-6:
                    tau = newton_euler(m, q, [0.1] * k, qdd)
                    assert_allclose(tau, 1.0, atol=1e-8)


@pytest.mark.parametrize("joint", [Revolute(), Spherical()])
def test_a_joint_that_moves_no_inertia_is_named(joint):
    rod = Inertia(1.0, Vec3(0.0, 0.0, 1.0))  # a point mass on z: no inertia about z
    m = Mechanism((Body("tip", -1, joint=joint, inertia=rod),)).bound()
    q, nv = ([0.0], 1) if joint.nv == 1 else ([0.0, 0.0, 0.0, 1.0], 3)
    with pytest.raises(SingularModel, match="'tip' moves no inertia"):
        articulated_body(m, q, [0.0] * nv, [0.0] * nv)


def test_the_graph_gives_the_same_accelerations():
    for m in random_mechanisms(20, 29, dof=(1, 12), masses={"decade": 1}):
        b, (q, qd, tau) = m.bound(), random_state(m, 29)
        M = floats(composite(b, q))
        if conditioning(M)[0] > HOPELESS:
            continue
        graph = Graph()
        f = trace(
            lambda q, qd, tau, m=m, g=graph: articulated_body(m.bound(graph=g), q, qd, tau),
            [("q", m.nq), ("qd", m.nv), ("tau", m.nv)],
            graph=graph,
        )
        qdd = articulated_body(b, q, qd, tau)
        load = force_scale(b, q, qd, qdd) + drive_scale(b, qd, qdd) + np.abs(tau)
        bound = acceleration_law(M, qdd, load)[1]
        assert np.all(np.abs(floats(f(q, qd, tau)) - qdd) <= bound), m.name


def test_a_welded_body_has_a_wrench_too():
    load = Inertia(2.0)
    m = Mechanism((Body("a", -1, joint=Revolute(), inertia=Inertia(1.0, Vec3(1, 0, 0))),
                   Body("b", 0, joint=Fixed(), inertia=load))).bound()  # fmt: skip
    wrench = articulated_body_wrenches(m, [0.0], [0.0], [0.0])[1]
    assert_allclose(wrench, [0, 0, 2 * 9.81, 0, 0, 0], atol=1e-14)
