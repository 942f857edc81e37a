"""Energies, mass centre and momentum, and the balance of power."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from agreement import drive_scale, floats, force_scale, without_gravity
from dalembert.algebra import Transform, Vec3
from dalembert.algorithms.drives import friction
from dalembert.algorithms.energy import centre_of_mass, momentum, potential_energy
from dalembert.algorithms.kinematics import velocity
from dalembert.errors import ModelError
from dalembert.expr import Graph, evaluate, trace
from dalembert.expr.derive import push
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Revolute
from dalembert.mechanism import Body, Mechanism
from mechanisms import random_mechanisms, random_state
from models import articulated_body, composite, kinetic_energy, newton_euler
from peers import peer
from pinocchio_model import to_pinocchio


def cases(count, seed, mild=True, **strata):
    for m in random_mechanisms(count, seed, **strata):
        yield m.bound(), *random_state(m, seed, mild)


def coordinate_rates(m, q, qd):
    q_, qd_ = m.split_q(q), m.split(qd)
    parts = {j: b.joint.coordinate_rate(q_[j], qd_[j]) for j, b in enumerate(m.bodies)}
    return [float(x) for x in m.join(parts)]


def rate_of(m, f, q, qd, qdd):
    """Return d/dt f(q, qd) on the graph, exactly."""
    graph = Graph()
    traced = trace(f, [("q", m.nq), ("qd", m.nv)], graph=graph)
    seeds = {graph.input("q", k).id: r for k, r in enumerate(coordinate_rates(m, q, qd))}
    seeds |= {graph.input("qd", k).id: r for k, r in enumerate(qdd)}
    moved = push(graph, traced.results, seeds)
    return floats(evaluate(graph, [x.id for x in moved], {"q": q, "qd": qd}, {}))


def test_kinetic_energy_is_half_the_mass_matrix():
    for m, q, qd, _ in cases(60, 60, dof=(1, 20)):
        T = kinetic_energy(m, q, qd)[0]
        M = floats(composite(m, q))
        scale = np.abs(qd) @ np.abs(M) @ np.abs(qd)
        assert abs(T - 0.5 * np.array(qd) @ M @ qd) <= 1e-12 * scale, m.name


def test_gravity_is_the_slope_of_the_potential_energy():
    for m, q, qd, _ in cases(40, 61, dof=(1, 12)):
        still = [0.0] * m.nv
        g = floats(newton_euler(m, q, still, still))
        slope = rate_of(m, lambda x, v, m=m: potential_energy(m, x), q, qd, still)
        scale = force_scale(m, q, still, still) @ np.abs(qd)
        assert abs(g @ qd - slope[0]) <= 1e-11 * scale, m.name


@pytest.mark.parametrize("seed", range(62, 64))
def test_the_power_of_the_joint_forces_is_the_rate_of_the_energy_and_the_friction(seed):
    for m, q, qd, qdd in cases(25, seed, dof=(1, 12)):
        tau = floats(newton_euler(m, q, qd, qdd, drives="all"))
        lost = sum(force * qd[k] for k, force in friction(m, qd, "all").items())

        def energy(x, v, m=m):
            return [kinetic_energy(m, x, v)[0] + potential_energy(m, x)[0]]

        rate = rate_of(m, energy, q, qd, qdd)[0]
        scale = (force_scale(m, q, qd, qdd, form="spatial") + drive_scale(m, qd, qdd)) @ np.abs(qd)
        assert lost >= 0
        assert abs(rate - (tau @ qd - lost)) <= 1e-11 * (scale + abs(rate)), m.name


def test_the_mass_centre_and_the_momentum_are_those_of_pinocchio():
    pin = peer("pin")
    for m, q, qd, _ in cases(40, 65, dof=(1, 30)):
        grounded = m.bodies[0].joint.nv == 0 or any(
            b.parent < 0 and b.joint.nv == 0 for b in m.bodies
        )
        if grounded:
            continue  # what is welded to the base is not part of Pinocchio's tree
        model = to_pinocchio(m)
        data = model.createData()
        com = pin.centerOfMass(model, data, np.array(q), np.array(qd))
        size = np.abs(com).max() + 1 + np.abs(q).max() * 1e-3
        total = sum(b.m for b in m.bodies)
        if total:
            assert_allclose(centre_of_mass(m, q), com, rtol=0, atol=1e-12 * size * m.nv)
        h = floats(momentum(m, q, qd))
        pin.computeCentroidalMomentum(model, data, np.array(q), np.array(qd))
        ref = np.concatenate([data.hg.linear, data.hg.angular + np.cross(com, data.hg.linear)])
        scale = np.abs(ref).max() + np.abs(h).max() + total * size
        assert_allclose(h, ref, rtol=0, atol=1e-11 * scale * m.nv, err_msg=m.name)


def test_momentum_is_the_mass_times_the_velocity_of_the_mass_centre():
    for m, q, qd, _ in cases(25, 66, dof=(1, 12)):
        total = sum(b.m for b in m.bodies)
        if not total:
            continue
        still = [0.0] * m.nv
        v = rate_of(m, lambda x, u, m=m: centre_of_mass(m, x), q, qd, still)
        p = floats(momentum(m, q, qd))[:3]
        scale = sum(np.abs(b.m) for b in m.bodies) * (1 + np.abs(v).max()) * 10
        assert_allclose(p, total * v, rtol=1e-10, atol=1e-11 * scale, err_msg=m.name)


def test_a_free_floating_mechanism_keeps_its_momentum():
    found = 0
    for m, q, qd, qdd in cases(60, 67, dof=(6, 14), root=1.0, masses={"decade": 1}, massless=0):
        if m.bodies[0].joint.kind != "free" or any(b.parent < 0 for b in m.bodies[1:]):
            continue
        found += 1
        m = without_gravity(m)
        tau = [0.0] * 6 + [float(x) for x in np.random.default_rng(1).normal(size=m.nv - 6)]
        qdd = articulated_body(m, q, qd, tau)
        rate = rate_of(m, lambda x, v, m=m: momentum(m, x, v), q, qd, qdd)
        scale = np.abs(floats(composite(m, q))).max() * (np.abs(qdd).max() + 1)
        assert_allclose(rate, 0, atol=1e-11 * scale, err_msg=m.name)
    assert found > 20


def test_a_deep_chain_costs_in_proportion_to_its_joints():
    # every pair of neighbours turns about another axis, so that no two rotations merge
    load, step = Inertia(1.0, Vec3(0.1, 0.2, 0.3)), Transform(p=Vec3(0.1, 0.0, 0.0))
    n = 3000
    m = Mechanism(
        tuple(Body(f"b{j}", j - 1, step, Revolute(UNITS[j % 3]), load) for j in range(n))
    ).bound()
    q = [0.1] * n
    assert kinetic_energy(m, q, q)[0] > 0
    assert np.all(np.isfinite(floats(centre_of_mass(m, q))))
    assert np.all(np.isfinite(floats(velocity(m, f"b{n - 1}", q, q))))


def test_a_mechanism_without_mass_has_no_mass_centre():
    m = Mechanism((Body("a", -1, joint=Revolute()),)).bound()
    with pytest.raises(ModelError, match="no mass"):
        centre_of_mass(m, [0.0])


def test_rotors_count_in_the_energy_unless_left_out():
    for m, q, qd, _ in cases(10, 68, dof=(1, 8), drives=1.0):
        with_, without = (kinetic_energy(m, q, qd, drives=d)[0] for d in ("inertia", "none"))
        rotors = sum(
            0.5 * float(d.gear) ** 2 * d.inertia * qd[m.velocity_index[d.joint]] ** 2
            for d in m.drives
        )
        assert_allclose(with_ - without, rotors, atol=1e-12 * (1 + with_))
