"""The sums (3-9)-(3-18) against Newton-Euler, and the errata of the printed ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.algebra import Vec3
from dalembert.algorithms.augmented_body import augmented_bodies, condensed
from dalembert.errors import ModelError
from dalembert.expr import Graph, evaluate, text, trace
from dalembert.inertia import Inertia
from dalembert.joint import Planar, Spherical
from dalembert.mechanism import Body, Mechanism
from models import augmented_body, augmented_coefficients, lagrange_coefficients, newton_euler
from sentences import mechanism
from trees import tree_state as tree


@pytest.mark.parametrize("seed", range(25))
def test_the_condensed_equations_give_the_forces_of_newton_euler(seed):
    m, state = tree(seed)
    truth = newton_euler(m, *state)
    assert_allclose(augmented_body(m, *state), truth, atol=1e-13 * np.abs(truth).max())


@pytest.mark.parametrize("seed", range(10))
def test_each_coefficient_is_the_true_one(seed):
    m, (q, _, _) = tree(seed)
    for mine, truth in zip(augmented_coefficients(m, q), lagrange_coefficients(m, q), strict=True):
        truth = np.array(truth, float)
        assert_allclose(np.array(mine, float), truth, atol=1e-13 * (1 + np.abs(truth).max()))


def test_the_sums_run_on_expressions():
    m, state = tree(3)
    n = m.nv
    traced = trace(
        lambda q, qd, qdd: augmented_body(m, q, qd, qdd),
        [("q", n), ("qd", n), ("qdd", n)],
        graph=Graph(),
    )
    given = dict(zip(("q", "qd", "qdd"), state, strict=True))
    tau = evaluate(traced.graph, traced.results, given, {})
    assert_allclose(tau, newton_euler(m, *state), atol=1e-11)


def test_runs_of_parallel_axes_turn_once_by_the_sum_of_their_angles():
    m = mechanism("RX TZK(1) RX TZK(1) RX TZK(1)", {3: (1, (0, 0, 1), (1, 1, 1))})
    graph = Graph()
    q = [graph.input("q", k) for k in range(3)]
    seen = list(condensed(m, q).moment(2, -1))
    assert text(seen[2]) == "cos(q[0]+(q[1]+q[2]))"


def printed_centrifugal(A, q, i, j, h=1e-6):
    """Return (3-18) as printed, by central differences."""

    def slope(a, b, k):
        up, down = list(q), list(q)
        up[k], down[k] = q[k] + h, q[k] - h
        return (A(up)[a][b] - A(down)[a][b]) / (2 * h)

    return 2 * slope(i, j, j) - slope(j, j, i)


@pytest.mark.parametrize("seed", [0, 2])
def test_the_printed_centrifugal_coefficient_is_twice_the_true_one(seed):
    # E0.15, and with it the rules E0.16 (i < j) and E0.17 (i > j)
    m, (q, _, _) = tree(seed)
    C = augmented_coefficients(m, q)[3]
    n = m.nv
    printed = [
        [printed_centrifugal(lambda x: augmented_coefficients(m, x)[1], q, i, j) for j in range(n)]
        for i in range(n)
    ]
    assert_allclose(np.array(printed), 2 * np.array(C, float), atol=1e-6)
    assert np.abs(np.array(printed) - np.array(C, float)).max() > 1e-3


def test_the_printed_coupling_of_a_turn_with_a_slide_lacks_a_mass():
    # E0.10: (3-13) prints b_k where M_k b_k belongs; E0.9 in the same place
    masses = {2: (3, (0.2, 0.3, 0), ()), 3: (2, (0.5, 0, 0), ())}
    m = mechanism("RZ TXK(0.4) TY TYK(0.1) RX", masses)
    q = [0.3, 0.7, 0.2]
    A = lagrange_coefficients(m.map(float), q)[1]
    here = condensed(m.map(float), q)
    assert_allclose(here.A(0, 1), A[0][1], atol=1e-14)
    made = augmented_bodies(m.map(float))
    b = made[1].reported_mass(q[1]) * (1 / made[1].M)
    k = made[2].V * (1 / made[2].M)
    lever = made[0].levers[0][1]
    printed = -made[1].M * lever.y + lever.x * made[1].M + b.x + k.x
    assert abs(printed - A[0][1]) > 1e-6


def test_the_printed_bounds_count_levers_twice():
    # E0.13: with p = i..N-1 for every k, levers beyond k are counted that are in J_k already
    m = mechanism(
        "RZ TXK(0.5) RZ TXK(0.4) RZ", {k: (2, (0.3, 0, 0), (0, 0, 0.1)) for k in (1, 2, 3)}
    ).map(float)
    q = [0.3, 0.7, 0.2]
    truth = lagrange_coefficients(m, q)[1][0][0]
    here = condensed(m, q)
    assert_allclose(here.A(0, 0), truth, atol=1e-14)
    g = here.links[0].angular
    levers = [Vec3(*here.lever(p, c, 0)) for p, c in ((0, 1), (1, 2))]
    printed = sum(float(link.J[2, 2]) for link in here.links)
    for lever in levers:
        for k in range(3):
            printed += 2 * g.cross(lever).dot(g.cross(Vec3(*here.moment(k, 0))))
    assert abs(printed - truth) > 1e-6


def test_a_planar_joint_is_expanded_and_a_ball_joint_refused():
    load = Inertia(2.0)
    flat = Mechanism((Body("a", -1, joint=Planar(), inertia=load),)).map(float)
    state = [0.1, 0.2, 0.3]
    truth = newton_euler(flat, state, state, state)
    assert_allclose(augmented_body(flat, state, state, state), truth)
    ball = Mechanism((Body("a", -1, joint=Spherical(), inertia=load),))
    with pytest.raises(ModelError, match="one coordinate per joint"):
        augmented_body(ball, [0, 0, 0, 1], state, state)
