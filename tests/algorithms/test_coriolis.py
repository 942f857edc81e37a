"""The Coriolis matrix: Christoffel's, skew with the rate of the mass matrix, right on the rates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import textbook
from agreement import assert_forces, coriolis_scale, floats, force_scale, without_gravity
from dalembert.algorithms.coriolis import coriolis_matrix
from dalembert.expr import Graph, evaluate, trace
from dalembert.expr.derive import push
from mechanisms import random_mechanisms, random_state
from models import composite, newton_euler
from peers import peer
from pinocchio_model import to_pinocchio


def test_the_planar_arm():
    q, qd = [0.3, -1.1], [0.7, -0.4]
    D = textbook.DATA
    C = coriolis_matrix(textbook.planar_2r(**D), q, qd)
    assert_allclose(floats(C), textbook.planar_2r_coriolis_matrix(q, qd, **D), atol=1e-15)


def cases(count, seed, **strata):
    for m in random_mechanisms(count, seed, **strata):
        b = without_gravity(m.bound())
        yield b, *random_state(m, seed)[:2]


@pytest.mark.parametrize("seed", range(70, 73))
def test_the_matrix_times_the_rates_is_the_coriolis_and_centrifugal_force(seed):
    for m, q, qd in cases(40, seed, dof=(1, 20)):
        still = [0.0] * m.nv
        tau = newton_euler(m, q, qd, still)
        C = floats(coriolis_matrix(m, q, qd))
        scale = force_scale(m, q, qd, still, form="world")
        assert_forces(C @ qd, tau, scale, m.name)


def rate_of_mass_matrix(m, q, qd):
    """Return dM/dt on the graph, exactly."""
    graph = Graph()
    f = trace(lambda v: composite(m, v, "none"), [("q", m.nq)], graph=graph)
    q_, qd_ = m.split_q(q), m.split(qd)
    rates = m.join({j: b.joint.coordinate_rate(q_[j], qd_[j]) for j, b in enumerate(m.bodies)})
    seeds = {graph.input("q", k).id: float(r) for k, r in enumerate(rates)}
    moved = push(graph, f.results, seeds)
    values = evaluate(graph, [x.id for x in moved], {"q": q}, {})
    return np.reshape(floats(values), (m.nv, m.nv))


@pytest.mark.parametrize("seed", range(73, 75))
def test_the_rate_of_the_mass_matrix_less_twice_the_matrix_is_skew(seed):
    for m, q, qd in cases(25, seed, dof=(1, 10)):
        C = floats(coriolis_matrix(m, q, qd))
        N = rate_of_mass_matrix(m, q, qd) - 2 * C
        scale = coriolis_scale(m, q, qd)
        assert_forces(N + N.T, np.zeros_like(N), scale, m.name)


def test_pinocchio_gives_the_same_matrix():
    pin = peer("pin")
    seen = 0
    for m, q, qd in cases(60, 76, dof=(1, 20), depth_first=True):
        kinds = {b.joint.kind for b in m.bodies}
        if kinds & {"spherical", "free", "planar"}:
            continue  # other factorisations are as right there
        seen += 1
        model = to_pinocchio(m)
        data = model.createData()
        ref = pin.computeCoriolisMatrix(model, data, np.array(q), np.array(qd))
        C = floats(coriolis_matrix(m, q, qd))
        still = [0.0] * m.nv
        scale = force_scale(m, q, qd, still, form="world")
        assert_forces(C @ qd, ref @ qd, scale, m.name)
        assert_forces(C, ref.reshape(C.shape), coriolis_scale(m, q, qd), m.name)
    assert seen > 15
