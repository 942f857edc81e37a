"""Analytic derivatives: against the graph, against Pinocchio, and of the direct model."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from agreement import (
    assert_forces,
    conditioning,
    drive_scale,
    floats,
    force_scale,
    mass_scale,
)
from dalembert.algebra import Vec3
from dalembert.expr import Graph, evaluate, trace
from dalembert.expr.derive import push
from dalembert.mechanism import PointSpring
from mechanisms import random_mechanisms, random_state
from models import (
    articulated_body,
    composite,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    newton_euler,
)
from peers import peer
from pinocchio_model import to_pinocchio

MILD = dict(lengths={"metre": 1}, masses={"decade": 1, "equal": 1})


def cases(count, seed, **strata):
    for m in random_mechanisms(count, seed, **(MILD | strata)):
        yield m.bound(), *random_state(m, seed, mild=True)


def slopes(m, f, at):
    """Return d f/d(q along qd, qd) by directional derivatives on the graph; f(q, qd, last)."""
    graph = Graph()
    q, qd, last = at
    ports = [("q", m.nq), ("qd", m.nv), ("last", m.nv)]
    traced = trace(lambda a, b, c: f(a, b, c), ports, graph=graph)
    columns = []
    for k in range(m.nv):
        unit = [float(i == k) for i in range(m.nv)]
        rates = m.join(
            {
                j: b.joint.coordinate_rate(m.split_q(q)[j], m.split(unit)[j])
                for j, b in enumerate(m.bodies)
            }
        )
        columns.append({graph.input("q", i).id: float(r) for i, r in enumerate(rates) if r})
    columns += [{graph.input("qd", k).id: 1.0} for k in range(m.nv)]
    moved = [push(graph, traced.results, seeds) for seeds in columns]
    ids = [x.id for column in moved for x in column]
    values = floats(evaluate(graph, ids, {"q": q, "qd": qd, "last": last}, {}))
    D = values.reshape(2, m.nv, m.nv)
    return D[0].T, D[1].T


@pytest.mark.parametrize("drives", ["none", "inertia", "all"])
def test_the_graph_gives_the_same_derivatives_of_inverse_dynamics(drives):
    for m, q, qd, qdd in cases(15, 80, dof=(1, 10)):
        dq, dqd, M = map(floats, inverse_dynamics_derivatives(m, q, qd, qdd, drives))
        ref_q, ref_qd = slopes(
            m, lambda a, b, c, m=m: newton_euler(m, a, b, c, drives=drives), (q, qd, qdd)
        )
        for x, ref in ((dq, ref_q), (dqd, ref_qd)):
            assert_allclose(x, ref, rtol=0, atol=1e-12 * (np.abs(ref).max() + 1), err_msg=m.name)
        rotors = np.diag(drive_scale(m, [0.0] * m.nv, [1.0] * m.nv))
        assert_forces(M, composite(m, q, drives), mass_scale(m, q) + rotors, m.name, 10)


@pytest.mark.parametrize("seed", range(81, 83))
def test_pinocchio_gives_the_same_derivatives(seed):
    pin = peer("pin")
    for m, q, qd, qdd in cases(30, seed, dof=(1, 25), depth_first=True):
        if any(b.joint.kind == "planar" for b in m.bodies):
            continue  # Pinocchio takes the columns of a composite joint as constant
        model = to_pinocchio(m)
        data = model.createData()
        ref = pin.computeRNEADerivatives(model, data, *map(np.array, (q, qd, qdd)))
        for x, r in zip(inverse_dynamics_derivatives(m, q, qd, qdd)[:2], ref, strict=False):
            size = np.abs(r).max(initial=0) + 1
            x = floats(x)
            assert_allclose(x, np.reshape(r, x.shape), rtol=0, atol=1e-11 * size, err_msg=m.name)


def test_finite_differences_agree_to_six_digits():
    for m, q, qd, qdd in cases(10, 83, dof=(1, 8)):
        dq, dqd, _ = map(floats, inverse_dynamics_derivatives(m, q, qd, qdd))
        h, q_ = 1e-6, m.split_q(q)
        for k in range(m.nv):
            step = [h * (i == k) for i in range(m.nv)]
            moved = []
            for s in (1, -1):
                d = m.split([s * x for x in step])
                at = m.join({j: b.joint.integrate(q_[j], d[j]) for j, b in enumerate(m.bodies)})
                moved.append(floats(newton_euler(m, at, qd, qdd)))
            size = force_scale(m, q, qd, qdd).max() + drive_scale(m, qd, qdd).max() + 1
            assert_allclose(dq[:, k], (moved[0] - moved[1]) / (2 * h), atol=1e-5 * size)
            speeds = [[a + s * b for a, b in zip(qd, step, strict=True)] for s in (1, -1)]
            ahead, behind = (floats(newton_euler(m, q, v, qdd)) for v in speeds)
            assert_allclose(dqd[:, k], (ahead - behind) / (2 * h), atol=1e-5 * size)


@pytest.mark.parametrize("drives", ["inertia", "all"])
def test_the_graph_gives_the_same_derivatives_of_direct_dynamics(drives):
    for m, q, qd, tau in cases(12, 84, dof=(1, 6), massless=0):
        M = floats(composite(m, q, drives))
        kappa = conditioning(M)[0]
        if kappa > 1e6:
            continue
        dq, dqd, inverse = map(floats, forward_dynamics_derivatives(m, q, qd, tau, drives))
        ref_q, ref_qd = slopes(
            m, lambda a, b, c, m=m: articulated_body(m, a, b, c, drives=drives), (q, qd, tau)
        )
        for x, ref in ((dq, ref_q), (dqd, ref_qd)):
            size = (np.abs(ref).max() + 1) * kappa
            assert_allclose(x, ref, rtol=0, atol=1e-12 * m.nv * size, err_msg=m.name)
        assert_allclose(inverse @ M, np.eye(m.nv), atol=1e-12 * kappa * m.nv)


def _sprung(m):
    to_ground = PointSpring(-1, Vec3(0.3, 0.1, 1.5), 0, Vec3(0.1, 0, 0.2), 400, 0.2, 30)
    return replace(m, springs=(to_ground,))


def _moved(m, q, step):
    q_, d = m.split_q(list(q)), m.split(list(step))
    at = {j: b.joint.integrate(q_[j], d[j]) for j, b in enumerate(m.bodies)}
    return np.array(m.join(at), float)


@pytest.mark.parametrize("method", ["analytic", "base_axes"])
@pytest.mark.parametrize("sprung", [False, True])
def test_a_flying_base_answers_as_finite_differences_do(method, sprung):
    m = _sprung(da.robots.walker()) if sprung else da.robots.walker()
    _, qd, tau = random_state(m, 5, mild=True)
    rng = np.random.default_rng(5)
    q = np.concatenate([rng.normal(size=7), rng.uniform(-2, 2, m.nq - 7)])
    q[3:7] /= np.linalg.norm(q[3:7])
    dq, dqd, _ = da.forward_dynamics_derivatives(m, q, qd, tau, method=method)
    h = 1e-6
    for k in range(m.nv):
        step = h * np.eye(m.nv)[k]
        there, back = (_moved(m, q, s * step) for s in (1, -1))
        slope = da.forward_dynamics(m, there, qd, tau) - da.forward_dynamics(m, back, qd, tau)
        assert_allclose(dq[:, k], slope / (2 * h), rtol=0, atol=1e-7 * np.abs(dq).max())
        slope = da.forward_dynamics(m, q, qd + step, tau) - da.forward_dynamics(
            m, q, qd - step, tau
        )
        assert_allclose(dqd[:, k], slope / (2 * h), rtol=0, atol=1e-7 * np.abs(dqd).max())


def test_what_turns_or_moves_a_flying_base_turns_and_moves_nothing_else():
    m = da.robots.walker()
    q, qd, tau = random_state(m, 6, mild=True)
    dq, dqd, _ = da.forward_dynamics_derivatives(m, q, qd, tau)
    assert not dq[:, :3].any() and not dq[3:, 3:6].any() and not dqd[3:, :3].any()
    assert dq[:3, 3:6].any() and dqd[:3, :3].any()
