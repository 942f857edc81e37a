"""Closed mechanisms without independent coordinates: the same motion, also past dead points."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.augmented_closure import Held, balance
from dalembert.algorithms.closed_loop import ClosedModel
from dalembert.inertia import Inertia
from dalembert.linalg import Definite
from dalembert.plan import general_pose, planned
from dalembert.plan.assembly import assemble
from dalembert.reframe import simplify

ROBOTS = ["fourbar", "fivebar", "delta", "parallelogram_arm"]
ROBOTS += [pytest.param(name, marks=pytest.mark.slow) for name in ("three_rrr", "stewart")]


def held(m, q, scale=1.0):
    plan, (c, _) = planned(m), general_pose(m)
    mass = float(m.total_mass)
    weights = [scale * mass * (c.size / c.row_size[r]) ** 2 for r in plan.rows]
    bound = m.bound()
    pose = [float(x) for x in q]
    model = ClosedModel.at(bound, plan, pose, simplify(bound.bare_tree))
    return Held.at(model, weights)


def state(m, q, seed=3):
    rng = np.random.default_rng(seed)
    qd = da.tree_motion(m, q, rng.normal(size=m.nv), np.zeros(m.nv))[0]
    return qd, rng.normal(size=len(planned(m).motors))


@pytest.mark.parametrize("name", ROBOTS)
def test_the_motion_is_that_of_independent_coordinates(name):
    m = getattr(da.robots, name)()
    q = general_pose(m)[1]
    qd, tau = state(m, q)
    expected = da.forward_dynamics(m, q, qd, tau)
    for scale in (1.0, 100.0):  # the weights do not matter
        found, lam = held(m, q, scale).acceleration(list(qd), list(tau))
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-10 * np.abs(expected).max())
    left = balance(held(m, q).model, qd, tau, found, lam)
    assert np.abs(left).max() < 1e-9 * max(1, np.abs(lam).max())


def test_massless_links_are_no_obstacle():
    m = da.robots.fourbar()
    light = replace(m.bodies[1], inertia=Inertia())
    m = replace(m, bodies=(m.bodies[0], light, m.bodies[2]))
    q = general_pose(m)[1]
    qd, tau = state(m, q)
    found, _ = held(m, q).acceleration(list(qd), list(tau))
    assert np.allclose(found, da.forward_dynamics(m, q, qd, tau), rtol=1e-9)


def test_a_motor_may_pass_a_dead_point():
    """A motor on the rocker of a crank-rocker has no power where crank and coupler are in line."""
    m = da.robots.fourbar()
    m = replace(m, active=(m.joint_names[2],))
    crank = da.robots.fourbar()
    q, worst = general_pose(crank)[1], 1.0
    for angle in np.linspace(0, 2 * np.pi, 13):
        q = assemble(crank, np.array([angle, *q[1:]]), hold=("crank",))
        worst = min(worst, float(held(m, q).measure))
    assert worst > 1e-3  # the closure itself never loses rank


@pytest.mark.parametrize("name", ["fivebar", "delta"])
def test_the_nearest_state_is_closed(name):
    m = getattr(da.robots, name)()
    rng = np.random.default_rng(5)
    q = general_pose(m)[1] + 1e-3 * rng.normal(size=m.nq)
    qd = rng.normal(size=m.nv)
    for _ in range(4):
        step, speeds, _ = held(m, q).nearest(list(qd))
        q = q + np.array(step)
    assert np.abs(da.closure(m, q)).max() < 1e-13
    assert np.abs(da.loop_jacobian(m, q) @ speeds).max() < 1e-12
    # least kinetic energy: the change is orthogonal, in M, to every closed velocity
    change = np.array(speeds) - qd
    G = da.active_map(m, q)
    M = da.mass_matrix(replace(m, loops=(), active=()), q)
    assert np.abs(G.T @ M @ change).max() < 1e-11 * np.abs(M).max()


def test_a_definite_matrix_is_solved_in_any_pattern():
    rng = np.random.default_rng(1)
    A = np.diag(rng.uniform(1, 2, 8))
    for i, j in ((0, 5), (2, 7), (5, 7), (1, 3)):
        A[i, j] = A[j, i] = 0.3
    b = rng.normal(size=8)
    rows = [[float(x) if x else 0 for x in row] for row in A]
    assert np.allclose(Definite(rows).solve(list(b)), np.linalg.solve(A, b), rtol=1e-13)
