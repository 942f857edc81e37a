"""Slopes of closed models against differences along the closure, and against each other."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import models
from dalembert.algebra import Vec3
from dalembert.catalog import quantity
from dalembert.catalog.models import DRIVEN
from dalembert.mechanism import JointSpring, PointSpring
from loops import planar, spatial

NE = DRIVEN["newton_euler"]


def sprung(m):
    """Return the mechanism with a spring in a joint and one between two points."""
    point = PointSpring(1, Vec3(0.1, 0.2, 0.3), -1, Vec3(1, 1, 0.5), 50, 0.1, 2)
    return replace(m, springs=(point,), elastic=(JointSpring(1, 30, 0.2, 1.5),))


def cases():
    five = da.robots.fivebar()
    q = da.assemble(five, [2.0, -1.0, 1.0, 1.0])
    three = da.robots.three_rrr()
    free = planar(6, 4, active=(0, 1))  # a freedom without a motor
    ball = spatial(5, 9, kinds=["revolute"] * 4 + ["spherical"])
    return {
        "five-bar": (five, q),
        "springs": (sprung(five), q),
        "3-RRR": (three, da.assemble(three)),
        "a freedom without motor": (free.m, free.q),
        "spare motors": (replace(five, active=("crankA", "crankB", "rodA")), q),
        "a ball": (ball.m, ball.q),
    }


CASES = cases()


def moved(m, plan, q, step):
    """Return the closed pose whose independent coordinates have moved."""
    full = np.zeros(m.nv)
    full[list(plan.independent)] = step
    return models.assembly(m.bound(), plan, da.integrate(m, q, full).tolist(), 8)[0]


@pytest.mark.parametrize("name", CASES)
def test_slopes_are_those_of_differences_along_the_closure(name):
    m, q = CASES[name]
    p, b = da.plan(m, q), m.bound()
    rng = np.random.default_rng(1)
    qd, qdd = rng.normal(size=(2, m.nv)).tolist()
    u = rng.normal(size=len(p.motors)).tolist()
    inverse = lambda q, qd, x: models.active_torques(b, p, q, qd, x, inverse=NE)[0]  # noqa: E731
    direct = lambda q, qd, x: models.closed_forward(b, p, q, qd, x, inverse=NE)[0]  # noqa: E731
    pairs = (
        (inverse, models.closed_inverse_derivatives, qdd, list(p.independent)),
        (direct, models.closed_forward_derivatives, u, range(len(u))),
    )
    n, h = len(p.independent), 1e-5
    for model, slopes, x, last in pairs:
        by_q, by_qd, by_x = (
            np.array(part) for part in slopes(b, p, q.tolist(), qd, x, inverse=NE)[:3]
        )
        differences = [[], [], []]
        for c in range(n):
            e = h * np.eye(n)[c]
            ends = [np.array(model(moved(m, p, q, s * e), qd, x)) for s in (1, -1)]
            differences[0].append((ends[0] - ends[1]) / (2 * h))
        for part, entries, k in ((qd, p.independent, 1), (x, last, 2)):
            for entry in entries:
                ends = []
                for s in (h, -h):
                    near = list(part)
                    near[entry] += s
                    given = (near, x) if k == 1 else (qd, near)
                    ends.append(np.array(model(q.tolist(), *given)))
                differences[k].append((ends[0] - ends[1]) / (2 * h))
        for found, expected in zip((by_q, by_qd, by_x), differences, strict=True):
            expected = np.array(expected).T
            scale = max(1.0, np.abs(expected).max())
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, atol=2e-7 * scale)


def test_the_direct_slopes_are_those_of_small_motions():
    m, q = CASES["five-bar"]
    tau = np.array([0.3, -0.2])
    small = da.linearize(m, q, None, tau)
    by_q, by_qd, by_tau = da.forward_dynamics_derivatives(m, q, np.zeros(4), tau)
    rows = list(small.coordinates)
    np.testing.assert_allclose(by_q[rows], small.A[2:, :2], rtol=1e-9)
    np.testing.assert_allclose(by_tau[rows], small.B[2:], rtol=1e-9)
    np.testing.assert_allclose(by_qd[rows], small.A[2:, 2:], atol=1e-9)
    # and the inverse of the inverse model's
    qdd = da.forward_dynamics(m, q, np.zeros(4), tau)
    dq, _, M = da.inverse_dynamics_derivatives(m, q, np.zeros(4), qdd)
    np.testing.assert_allclose(by_q[rows], -np.linalg.solve(M, dq), rtol=1e-9)
    np.testing.assert_allclose(M, da.active_mass_matrix(m, q), rtol=1e-12)


@pytest.mark.parametrize("given", [(), ("crankA",), ("crankB",), ("crankA", "crankB")])
def test_hybrid_dynamics_lies_between_the_direct_and_the_inverse_model(given):
    m, q = CASES["springs"]
    p, b = da.plan(m, q), m.bound()
    rng = np.random.default_rng(2)
    qd, x = rng.normal(size=(2, m.nv)).tolist()
    qdd, tau, *_ = models.closed_hybrid(b, p, q.tolist(), qd, x, inverse=NE, given=given)
    for k, name in enumerate(m.active):
        at = m.velocity_index[m.index[name]]
        assert (qdd[at] if name in given else tau[k]) == x[at]
    back = models.active_torques(b, p, q.tolist(), qd, qdd, inverse=NE)[0]
    np.testing.assert_allclose(back, tau, rtol=1e-10)
    again = models.closed_forward(b, p, q.tolist(), qd, tau, inverse=NE)[0]
    np.testing.assert_allclose(again, qdd, rtol=1e-9)


def test_hybrid_dynamics_refuses_what_follows_the_motors():
    m, q = CASES["five-bar"]
    with pytest.raises(da.ModelError, match="'rodA' is passive"):
        da.hybrid_dynamics(m, q, np.zeros(4), np.zeros(4), given=["rodA"])
    m, q = CASES["spare motors"]
    with pytest.raises(da.ModelError, match="share their load"):
        da.hybrid_dynamics(m, q, np.zeros(4), np.zeros(4))


@pytest.mark.parametrize("name", ["cartesian_mass", "elastic_inverse"])
def test_what_holds_for_trees_alone_is_refused(name):
    with pytest.raises(da.UsageError, match=f"{name} would be that of the cut tree"):
        quantity(name, da.robots.fourbar())


def test_point_springs_count_in_the_slopes_of_trees():
    five = sprung(da.robots.fivebar())
    m = replace(five, loops=(), active=())
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 4))
    h = 1e-5
    found = da.inverse_dynamics_derivatives(m, q, qd, qdd)
    direct = da.forward_dynamics_derivatives(m, q, qd, qdd)
    for k in range(4):
        e = h * np.eye(4)[k]
        for index, (a, b) in enumerate((((q + e, qd), (q - e, qd)), ((q, qd + e), (q, qd - e)))):
            for part, model in ((found, da.inverse_dynamics), (direct, da.forward_dynamics)):
                slope = (model(m, *a, qdd) - model(m, *b, qdd)) / (2 * h)
                scale = max(1.0, np.abs(slope).max())
                np.testing.assert_allclose(part[index][:, k], slope, atol=1e-7 * scale)
