"""Screws: the readable reference, and the errata of its source that numbers can show."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from agreement import floats
from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.algorithms.screw_form import inertia_matrix, screw_transform
from dalembert.expr import Graph, trace
from dalembert.inertia import Inertia
from dalembert.joint import Prismatic, Revolute
from dalembert.mechanism import Body, Mechanism
from models import (
    articulated_body,
    articulated_body_wrenches,
    composite,
    direct_from_inverse,
    newton_euler,
    screw_form,
)
from screw_recursions import direct, links, screw_inverse, vector_inverse

TRUE = 1e-9  # what a right formula may differ by here, and a misprint must exceed a thousandfold
WRONG = 1e-6


def tree(seed):
    """Return (tree of revolute and prismatic joints on z, state, end wrenches) as in the source."""
    rng = np.random.default_rng(seed)
    bodies = []
    for j in range(6):
        I = rng.normal(size=(3, 3))
        inertia = Inertia(
            float(rng.uniform(1, 3)), _vec(rng), Mat3(*(tuple(map(float, r)) for r in I @ I.T))
        )
        R = Rotation.about(2, float(rng.normal())) @ Rotation.about(0, float(rng.normal()))
        joint = Prismatic() if j in (2, 4) else Revolute()
        parent = j - 1 if j != 4 else 1
        bodies.append(Body(f"b{j}", parent, Transform(R, _vec(rng)), joint, inertia))
    m = Mechanism(tuple(bodies)).bound()
    q, qd, qdd = rng.normal(size=(3, 6)).tolist()
    fe = rng.normal(size=(6, 6))
    wrenches = {j: (Vec3(*map(float, w[:3])), Vec3(*map(float, w[3:]))) for j, w in enumerate(fe)}
    return m, q, qd, qdd, fe, wrenches


def _vec(rng):
    return Vec3(*map(float, rng.normal(size=3)))


@pytest.mark.parametrize("seed", range(5))
def test_the_corrected_recursions_give_the_forces_of_every_engine(seed):
    # E2.36: (27)-(30) are right, f_e and m_e gather the wrenches of the children
    m, q, qd, qdd, fe, wrenches = tree(seed)
    tau = newton_euler(m, q, qd, qdd, wrenches)
    assert_allclose(screw_inverse(m, q, qd, qdd, fe), tau, atol=TRUE)
    assert_allclose(vector_inverse(m, q, qd, qdd, fe), tau, atol=TRUE)
    assert_allclose(screw_form(m, q, qd, qdd, wrenches), tau, atol=TRUE)


@pytest.mark.parametrize("erratum", ["E2.6", "E2.7", "E2.12"])
def test_the_printed_screw_recursion_fails(erratum):
    for seed in range(5):
        m, q, qd, qdd, fe, wrenches = tree(seed)
        tau = newton_euler(m, q, qd, qdd, wrenches)
        assert np.abs(screw_inverse(m, q, qd, qdd, fe, {erratum}) - tau).max() > WRONG


def test_the_seven_printed_entries_are_right_without_their_first_zero():
    # E2.7
    m, q, *_ = tree(0)
    for l in links(m, q):
        printed = [0.0, 0, 0, l.sigma, 0, 0, 1 - l.sigma]
        assert list(l.column(())) == printed[1:]


def test_the_printed_skew_of_speed_instead_of_acceleration_fails():
    # E2.11
    for seed in range(5):
        m, q, qd, qdd, fe, wrenches = tree(seed)
        tau = newton_euler(m, q, qd, qdd, wrenches)
        assert np.abs(vector_inverse(m, q, qd, qdd, fe, {"E2.11"}) - tau).max() > WRONG


@pytest.mark.parametrize("seed", range(5))
def test_the_corrected_direct_recursion_gives_accelerations_and_wrenches(seed):
    # E2.37: (38), (47)-(50) are right once E2.14-E2.16 are applied
    m, q, qd, tau, fe, wrenches = tree(seed)
    qdd, f = direct(m, q, qd, tau, fe)
    assert_allclose(qdd, articulated_body(m, q, qd, tau, wrenches), atol=TRUE)
    assert_allclose(f, floats(articulated_body_wrenches(m, q, qd, tau, wrenches)), atol=TRUE)
    assert_allclose(newton_euler(m, q, qd, list(qdd), wrenches), tau, atol=TRUE)


@pytest.mark.parametrize("erratum", ["E2.15", "E2.16", "E2.17"])
def test_the_printed_direct_recursion_fails(erratum):
    for seed in range(5):
        m, q, qd, tau, fe, wrenches = tree(seed)
        qdd = articulated_body(m, q, qd, tau, wrenches)
        assert np.abs(direct(m, q, qd, tau, fe, {erratum})[0] - qdd).max() > WRONG


def test_the_printed_sign_of_the_direct_model_fails():
    # E2.3: (8)
    m, q, qd, tau, _, wrenches = tree(0)
    H = floats(newton_euler(m, q, qd, [0.0] * 6, wrenches))
    A = floats(composite(m, q))
    qdd = floats(direct_from_inverse(m, q, qd, tau, wrenches))
    assert_allclose(np.linalg.solve(A, tau - H), qdd, atol=TRUE)
    assert np.abs(-np.linalg.solve(A, tau - H) - qdd).max() > WRONG


def test_the_matrices_of_the_source():
    # E2.4: without the hats (11) is not even a matrix; with them it is symmetric
    m, q, *_ = tree(1)
    for body, l, x in zip(m.bodies, links(m, q), q, strict=True):
        assert_allclose(floats(inertia_matrix(body)), l.inertia, atol=1e-14)
        assert_allclose(l.inertia, l.inertia.T, atol=1e-14)
        assert_allclose(floats(screw_transform(*body.pose([x]))), l.T, atol=1e-14)


def test_the_graph_runs_the_screw_form():
    m, q, qd, qdd, _, wrenches = tree(2)
    graph = Graph()
    f = trace(
        lambda a, b, c: screw_form(m, a, b, c, wrenches),
        [("q", 6), ("qd", 6), ("qdd", 6)],
        graph=graph,
    )
    assert_allclose(f(q, qd, qdd), newton_euler(m, q, qd, qdd, wrenches), atol=TRUE)
