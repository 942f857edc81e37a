"""Robots on a free base: three ways to one answer, and the laws of momentum."""

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algorithms.articulated_body import articulated_body
from dalembert.algorithms.energy import centre_of_mass, momentum
from dalembert.algorithms.moving_base import (
    BASE,
    moving_base_by_articulated_bodies,
    moving_base_by_partition,
    moving_base_inverse,
)
from dalembert.algorithms.newton_euler import newton_euler
from dalembert.errors import ModelError, UsageError
from dalembert.joint import Free
from mechanisms import random_mechanisms, random_state

METHODS = (moving_base_inverse, moving_base_by_partition, moving_base_by_articulated_bodies)


def floating(count: int, seed: int):
    """Return random trees on a free base with everyday masses."""
    found = random_mechanisms(
        3 * count, seed=seed, dof=(8, 20), root=1.0, massless=0.1, masses={"decade": 1}
    )
    return [m for m in found if isinstance(m.bodies[0].joint, Free) and _one_root(m)][:count]


def _one_root(m) -> bool:
    return sum(b.parent < 0 for b in m.bodies) == 1


def state(m, seed):
    """Return q, qd, qdd of everyday size as arrays."""
    return tuple(np.array(x) for x in random_state(m, seed, mild=True))


MODELS = floating(12, seed=70)


def test_there_are_models():
    assert len(MODELS) >= 8


@pytest.mark.parametrize("m", MODELS, ids=lambda m: m.name)
def test_recursion_partition_and_articulated_bodies_agree(m):
    b = m.bound()
    q, qd, qdd = state(m, seed=3)
    found = [f(b, q, qd, qdd[BASE:]) for f in METHODS]
    for other in found[1:]:
        for x, y in zip(found[0], other, strict=True):
            scale = max(1.0, np.abs(floats(x)).max(initial=0), np.abs(floats(y)).max(initial=0))
            np.testing.assert_allclose(floats(x), floats(y), atol=1e-9 * scale, rtol=0)


@pytest.mark.parametrize("m", MODELS[:6], ids=lambda m: m.name)
def test_the_inverse_model_leaves_no_force_on_the_base(m):
    b = m.bound()
    q, qd, qdd = state(m, seed=4)
    spatial, tau = moving_base_inverse(b, q, qd, qdd[BASE:], convention="spatial")
    whole = floats(newton_euler(b, q, qd, [*spatial, *qdd[BASE:]]))
    scale = np.abs(whole).max() + np.abs(floats(spatial)).max()
    np.testing.assert_allclose(whole[:BASE], 0, atol=1e-9 * scale)
    np.testing.assert_allclose(whole[BASE:], floats(tau), atol=1e-9 * scale)


@pytest.mark.parametrize("m", MODELS[:6], ids=lambda m: m.name)
def test_released_at_rest_with_still_joints_it_falls_with_g_and_needs_no_torque(m):
    b = m.bound()
    q = state(m, seed=5)[0]
    rest = np.zeros(m.nv)
    a, tau = moving_base_inverse(b, q, rest, rest[BASE:], drives="none")
    R = np.array(
        [[float(x) for x in r] for r in b.bodies[0].pose(b.split_q(q)[0])[0].matrix().rows]
    )
    g = R.T @ [float(x) for x in b.gravity]
    np.testing.assert_allclose(floats(a), [*g, 0, 0, 0], atol=1e-9 * (1 + np.abs(g).max()))
    np.testing.assert_allclose(floats(tau), 0, atol=1e-8)


@pytest.mark.parametrize("m", MODELS[:6], ids=lambda m: m.name)
def test_momentum_grows_by_the_weight_alone(m):
    """Under any joint torques d/dt of linear momentum is m g, of the angular one its moment."""
    b = m.bound()
    q, qd, qdd = state(m, seed=6)
    tau = [0.0] * BASE + list(qdd[BASE:])
    found = floats(articulated_body(b, q, qd, tau, drives="none"))
    step = 1e-6

    def moved(t):
        there = [
            x
            for body, own, rate in zip(
                b.bodies, b.split_q(q), b.split(qd * t + found * t * t / 2), strict=True
            )
            for x in body.joint.integrate(own, rate)
        ]
        return floats(momentum(b, there, qd + found * t))

    slope = (moved(step) - moved(-step)) / (2 * step)
    mass = sum(float(x.m) for x in b.bodies)
    weight = mass * floats(list(b.gravity))
    c = floats(centre_of_mass(b, q))
    size = np.abs(moved(0.0)).max() * (1 + np.abs(qd).max()) ** 2 + np.abs(weight).max() + 1
    np.testing.assert_allclose(slope[:3], weight, atol=1e-6 * size)
    np.testing.assert_allclose(
        slope[3:], np.cross(c, weight), atol=1e-6 * size * (1 + np.abs(c).max())
    )


def test_a_planar_base_has_three_accelerations_and_feels_no_force():
    text = "RZ(), TXK(0.5), RZ(), TXK(0.4); gravity = (0, -9.81, 0);"
    data = "body base: M = 5, D = (0.1, 0, 0), I = (0, 0, 0.3);"
    data += "body 1: M = 2, D = (0.25, 0, 0), I = (0, 0, 0.1);"
    data += "body 2: M = 1, D = (0.2, 0, 0), I = (0, 0, 0.05);"
    m = da.load(text + data, base="planar")
    q, qd, qdd = state(m, seed=7)
    found = [
        da.moving_base_inverse(m, q, qd, qdd[3:], method=method)
        for method in ("composite", "partition", "articulated_body")
    ]
    for base, tau in found:
        whole = da.inverse_dynamics(m, q, qd, [*base, *qdd[3:]])
        np.testing.assert_allclose(whole[:3], 0, atol=1e-11)
        np.testing.assert_allclose(whole[3:], tau, atol=1e-11)
        np.testing.assert_allclose(base, found[0][0], atol=1e-11)


def test_a_fixed_base_is_refused_and_says_what_to_do():
    m = random_mechanisms(1, seed=1, dof=(3, 3), root=0.0)[0]
    with pytest.raises(ModelError, match="no free base"):
        moving_base_inverse(m.bound(), [0.0] * m.nq, [0.0] * m.nv, [])


def test_an_unknown_convention_is_refused():
    m = MODELS[0]
    q, qd, qdd = state(m, seed=1)
    with pytest.raises(UsageError, match="convention"):
        moving_base_inverse(m.bound(), q, qd, qdd[BASE:], convention="body")
