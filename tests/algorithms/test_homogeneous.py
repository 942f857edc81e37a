"""Section 2 of the 1980 report against Newton-Euler, and its errata."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.algorithms.augmented_body import one_freedom_each
from dalembert.algorithms.homogeneous import (
    Posture,
    operator,
    pseudo_inertia,
    trace,
)
from dalembert.inertia import Inertia
from dalembert.joint import Prismatic, Revolute
from dalembert.linalg import Matrix
from models import homogeneous, homogeneous_coefficients, lagrange_coefficients, newton_euler
from sentences import mechanism
from trees import tree_state as tree


@pytest.mark.parametrize("seed", range(10))
def test_the_homogeneous_form_gives_the_forces_of_newton_euler(seed):
    m, state = tree(seed)
    truth = newton_euler(m, *state)
    assert_allclose(homogeneous(m, *state), truth, atol=1e-13 * np.abs(truth).max())


@pytest.mark.parametrize("seed", range(4))
def test_each_coefficient_is_the_true_one(seed):
    m, (q, _, _) = tree(seed)
    pairs = zip(homogeneous_coefficients(m, q), lagrange_coefficients(m, q), strict=True)
    for mine, truth in pairs:
        truth = np.array(truth, float)
        assert_allclose(np.array(mine, float), truth, atol=1e-13 * (1 + np.abs(truth).max()))


def test_the_operators_are_the_printed_ones_about_z():
    turn, slide = operator(Revolute()), operator(Prismatic())
    assert [list(row) for row in turn[:2]] == [[0, -1, 0, 0], [1, 0, 0, 0]]
    assert list(slide[2]) == [0, 0, 0, 1] and not np.any(np.array([*turn[2:], *slide[:2]]))
    assert np.allclose(np.array(turn @ turn), np.diag([-1, -1, 0, 0]))
    assert not np.any(np.array(slide @ slide))


def test_a_constant_before_the_joint_moves_its_operator():
    # E0.28: D_i = K D K⁻¹, the printed matrix only without a constant in front
    m = mechanism("RX TYK(0.5) RZ", {2: (1, (1, 0, 0), ())}).map(float)
    at = Posture(m, [0.3, 0.4])
    h = 1e-6
    up, down = Posture(m, [0.3, 0.4 + h]).steps[1], Posture(m, [0.3, 0.4 - h]).steps[1]
    slope = (np.array(up) - np.array(down)) / (2 * h)
    assert_allclose(np.array(at.D[1] @ at.steps[1]), slope, atol=1e-9)
    printed = np.array(operator(m.bodies[1].joint) @ at.steps[1])
    assert np.abs(printed - slope).max() > 1e-6


def test_the_pseudo_inertia_is_about_the_frame_origin():
    # E0.5: with the tensor about the mass centre the inertia coefficients are wrong
    m, (q, _, _) = tree(1)
    truth = np.array(lagrange_coefficients(m, q)[1], float)
    at = Posture(one_freedom_each(m), q)
    at.J = [
        pseudo_inertia(Inertia(b.m, b.h, b.inertia.about_centre, "origin")) for b in at.m.bodies
    ]
    n = range(at.m.nv)
    assert np.abs(np.array([[at.A(i, k) for k in n] for i in n]) - truth).max() > 1e-6


def test_the_double_sum_of_the_printed_coefficients_counts_twice():
    # E0.6: (2-13) with B = 2 Tr of (2-11) sums each pair twice over
    m, (q, qd, _) = tree(2)
    rest = [0] * m.nv
    truth = np.array(newton_euler(m, q, qd, rest, drives="none"))
    at, n = Posture(one_freedom_each(m), q), range(m.nv)
    printed = [
        at.Q(i) + sum((1 + (k != p)) * at.T(i, k, p) * qd[k] * qd[p] for k in n for p in n)
        for i in n
    ]
    assert np.abs(printed - truth).max() > 1e-6


def test_the_two_signs_of_gravity_are_opposite():
    # E0.7: (2-9) is the load, (3-9) its negative
    m, (q, _, _) = tree(2)
    rest = [0] * m.nv
    load = newton_euler(m, q, rest, rest)
    assert_allclose([Posture(one_freedom_each(m), q).Q(i) for i in range(m.nv)], load, atol=1e-12)
    assert_allclose(homogeneous_coefficients(m, q)[0], [-x for x in load], atol=1e-12)


def test_a_trace_is_the_sum_of_products():
    a = Matrix([(1, 2, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
    assert trace(a, a) == 8
