"""Q, A, B and C put together are the inverse dynamics; the rules of Liégeois and Aldon hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
import textbook
from agreement import assert_forces, drive_scale, floats, force_scale
from dalembert.algorithms.lagrange_coefficients import gravity_forces
from dalembert.errors import ModelError
from dalembert.expr import Graph, trace
from dalembert.inertia import Inertia
from dalembert.joint import Spherical
from dalembert.mechanism import Body, Mechanism, Parameter
from mechanisms import random_mechanisms, random_state
from models import lagrange_coefficients, newton_euler

PLAIN = {"revolute": 3, "any": 2, "prismatic": 2, "screw": 1, "planar": 1, "fixed": 1}


def test_the_planar_arm():
    q, D = [0.4, 1.2], textbook.DATA
    Q, A, B, C = lagrange_coefficients(textbook.planar_2r(**D), q)
    h = D["m2"] * D["l1"] * D["c2"] * np.sin(q[1])
    assert_allclose(floats(A), textbook.planar_2r_mass(q, **D), atol=1e-14)
    assert_allclose(B[0][0][1], -2 * h, atol=1e-14)
    assert_allclose(floats(C), [[0, -h], [h, 0]], atol=1e-14)
    still = [0.0, 0.0]
    assert_allclose(Q, -floats(textbook.planar_2r_torques(q, still, still, **D)), atol=1e-13)


def assembled(Q, A, B, C, qd, qdd):
    n, B = len(Q), floats(B)
    pairs = sum(
        B[:, j, k] * qd[j] * qd[k] for j in range(n) for k in range(j + 1, n)
    ) if n > 1 else np.zeros(n)  # fmt: skip
    return floats(A) @ qdd + pairs + floats(C) @ np.square(qd) - floats(Q)


@pytest.mark.parametrize("seed", [95, 96])
def test_the_coefficients_assemble_to_the_inverse_dynamics(seed):
    for m in random_mechanisms(20, seed, dof=(1, 7), joints=PLAIN, root=0):
        b, (q, qd, qdd) = m.bound(), random_state(m, seed)
        Q, A, B, C = lagrange_coefficients(b, q)
        scale = force_scale(b, q, qd, qdd, form="spatial") + drive_scale(b, qd, qdd)
        tau = newton_euler(b, q, qd, qdd)
        assert_forces(assembled(Q, A, B, C, qd, qdd), tau, scale * m.nv, m.name, 10)


def test_the_rules_of_the_report_hold_for_chains_and_trees():
    # E0.15-E0.20: C_ii = 0, B_iki = 0 for i > k, B symmetric in its last two indices
    for m in random_mechanisms(20, 97, dof=(2, 6), joints=PLAIN, root=0, lengths={"metre": 1}):
        b, (q, _, _) = m.bound(), random_state(m, 97, mild=True)
        _, A, B, C = map(floats, lagrange_coefficients(b, q))
        size = 1e-12 * max(1, np.abs(B).max(), np.abs(A).max())
        assert_allclose(np.diag(C), 0, atol=size)
        assert_allclose(B, B.transpose(0, 2, 1), atol=size)
        for i in range(m.nv):
            assert_allclose(B[i, :i, i], 0, atol=size)
            assert B[i, i, i] == 0


def test_the_graph_gives_the_same_coefficients():
    for m in random_mechanisms(5, 98, dof=(2, 5), joints=PLAIN, root=0):
        b, (q, _, _) = m.bound(), random_state(m, 98, mild=True)
        n, graph = m.nv, Graph()
        shapes = [("Q", (n,)), ("A", (n, n)), ("B", (n, n, n)), ("C", (n, n))]
        f = trace(
            lambda x, b=b: lagrange_coefficients(b, x), [("q", n)], outputs=shapes, graph=graph
        )
        ref = np.concatenate([floats(x).ravel() for x in lagrange_coefficients(b, q)])
        assert_allclose(floats(f(q)), ref, atol=1e-12 * (1 + np.abs(ref).max()))


def test_symbolic_lengths_and_masses_are_parameters_of_the_coefficients():
    graph, D = Graph(), textbook.DATA
    names = {k: graph.param(k) for k in ("m2", "l1", "c2")}
    m = textbook.planar_2r(**(D | names), parameters=tuple(map(Parameter, names)))
    traced, q = Graph(), [0.4, 1.2]
    shapes = [("Q", (2,)), ("A", (2, 2)), ("B", (2, 2, 2)), ("C", (2, 2))]
    f = trace(
        lambda x: lagrange_coefficients(m.bound(graph=traced), x), [("q", 2)],
        outputs=shapes, graph=traced,
    )  # fmt: skip
    ref = lagrange_coefficients(textbook.planar_2r(**D), q)
    made = f(q, parameters={k: D[k] for k in names})
    assert_allclose(made, np.concatenate([floats(x).ravel() for x in ref]), atol=1e-13)


def test_gravity_forces_are_minus_the_gravity_load():
    m, still = textbook.pendulum().bound(), [0.0]
    assert gravity_forces(m, [0.4]) == [-x for x in newton_euler(m, [0.4], still, still)]


def test_joints_whose_rates_are_not_those_of_q_are_refused():
    m = Mechanism((Body("ball", -1, joint=Spherical(), inertia=Inertia(1)),)).bound()
    with pytest.raises(ModelError, match="'ball' is spherical"):
        lagrange_coefficients(m, [0.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize("robot", ["puma560", "stanford"])
def test_kernels_of_every_method_give_the_same_coefficients(robot):
    m = getattr(da.robots, robot)()
    q = np.random.default_rng(5).uniform(-1, 1, (7, m.nq))
    truth = da.lagrange_coefficients(m, q)
    for method in ("augmented_body", "homogeneous"):
        for mine, wanted in zip(da.lagrange_coefficients(m, q, method=method), truth, strict=True):
            assert np.abs(mine - wanted).max() <= 1e-12 * np.abs(wanted).max()
