"""The mass matrix: textbook, slope of inverse dynamics, symmetry, definiteness, other engines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import textbook
from agreement import (
    assert_forces,
    columns_of_inverse_dynamics,
    conditioning,
    drive_scale,
    floats,
    mass_scale,
)
from dalembert.expr import Graph, trace
from mechanisms import random_mechanisms, random_state
from models import composite, mass_matrix_by_columns, newton_euler
from peers import peer
from pinocchio_model import to_pinocchio


def rotor_scale(m):
    return np.diag(drive_scale(m, [0.0] * m.nv, [1.0] * m.nv))


def test_the_planar_arm():
    q = [0.3, -1.1]
    D = textbook.DATA
    M = composite(textbook.planar_2r(**D), q)
    assert_allclose(floats(M), textbook.planar_2r_mass(q, **D), atol=1e-14)


def check(seed, count, **strata):
    for m in random_mechanisms(count, seed, **strata):
        b, (q, _, _) = m.bound(), random_state(m, seed)
        M, scale = floats(composite(b, q)), mass_scale(b, q) + rotor_scale(b)
        assert_array_equal(M, M.T)
        assert_forces(M, columns_of_inverse_dynamics(b, q), scale, m.name)
        assert_forces(mass_matrix_by_columns(b, q), M, scale, m.name)
        d = np.sqrt(np.abs(np.diag(M)))
        d[d == 0] = 1
        smallest = np.linalg.eigvalsh(M / np.outer(d, d))[0]
        assert smallest >= -1e-12 * np.max(scale / np.outer(d, d)), m.name


@pytest.mark.parametrize("seed", range(30, 34))
def test_the_mass_matrix_is_the_slope_of_inverse_dynamics(seed):
    check(seed, 25, dof=(1, 20))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300, 305))
def test_the_mass_matrix_is_the_slope_of_inverse_dynamics_at_length(seed):
    check(seed, 60)


def test_the_slope_does_not_depend_on_the_motion():
    for m in random_mechanisms(30, 35, dof=(1, 10)):
        b, (q, qd, qdd) = m.bound(), random_state(m, 35, mild=True)
        M = floats(composite(b, q))
        tau = floats(newton_euler(b, q, qd, qdd)) - newton_euler(b, q, qd, [0.0] * m.nv)
        assert_forces(tau, M @ qdd, np.abs(tau) + mass_scale(b, q).max() * 1e3, m.name)


def test_positive_definite_where_every_body_has_inertia():
    for m in random_mechanisms(60, 36, dof=(1, 20), massless=0, masses={"decade": 1}, joints={
        "revolute": 2, "any": 2, "prismatic": 1, "spherical": 1, "planar": 1}):  # fmt: skip
        b, (q, _, _) = m.bound(), random_state(m, 36, mild=True)
        kappa, _ = conditioning(composite(b, q))
        assert kappa < 1e14, m.name


@pytest.mark.parametrize("seed", range(37, 40))
def test_pinocchio_gives_the_same_columns(seed):
    pin = peer("pin")
    for m in random_mechanisms(20, seed, dof=(1, 20)):
        b, (q, _, _) = m.bound(), random_state(m, seed)
        model = to_pinocchio(b)
        model.gravity.linear = np.zeros(3)
        data, rest = model.createData(), np.zeros(m.nv)
        columns = [pin.rnea(model, data, np.array(q), rest, e).copy() for e in np.eye(m.nv)]
        scale = mass_scale(b, q) + rotor_scale(b)
        assert_forces(composite(b, q), np.array(columns).T, scale, m.name)


def test_drives_choose_the_rotor_inertia():
    for m in random_mechanisms(20, 41, dof=(1, 10), drives=1.0):
        b, (q, _, _) = m.bound(), random_state(m, 41)
        with_, without = (floats(composite(b, q, d)) for d in ("inertia", "none"))
        Ia = np.zeros(m.nv)
        for d in b.drives:
            Ia[b.velocity_index[d.joint]] = float(d.gear) ** 2 * d.inertia
        assert_array_equal(with_, without + np.diag(Ia))
        assert_array_equal(floats(composite(b, q, "all")), with_)


def test_arrays_and_the_graph_give_the_same_matrix():
    for m in random_mechanisms(15, 42, dof=(1, 12)):
        b = m.bound()
        batch = [random_state(m, s)[0] for s in range(3)]
        together = composite(b, list(np.array(batch).T))
        graph = Graph()
        f = trace(
            lambda q, m=m, g=graph: composite(m.bound(graph=g), q), [("q", m.nq)], graph=graph
        )
        for s, q in enumerate(batch):
            M, scale = composite(b, q), mass_scale(b, q) + rotor_scale(b)
            at = [[np.broadcast_to(x, 3)[s] for x in row] for row in together]
            assert_forces(at, M, scale, m.name)
            assert_forces(np.reshape(f(q), (m.nv, m.nv)), M, scale, m.name)
