"""Robots on a free base: three ways to one answer, and the laws of momentum."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algebra import Vec3
from dalembert.algorithms.moving_base import BASE, base_size
from dalembert.errors import ModelError, UsageError
from dalembert.joint import Free, Planar
from dalembert.mechanism import JointSpring, PointSpring
from dalembert.reference import in_floats
from mechanisms import random_mechanisms, random_state
from models import (
    moving_base_by_articulated_bodies,
    moving_base_by_partition,
    moving_base_by_recursion,
    moving_base_direct,
    moving_base_direct_by_partition,
    moving_base_inverse,
    newton_euler,
    prescribed_base_from_start,
    prescribed_base_inverse,
)
from pinocchio_model import to_pinocchio

INVERSE = (
    moving_base_inverse,
    moving_base_by_recursion,
    moving_base_by_partition,
    moving_base_by_articulated_bodies,
)
DIRECT = (moving_base_direct, moving_base_direct_by_partition)


def floating(count: int, seed: int):
    """Return random trees on a free base with everyday masses."""
    found = random_mechanisms(
        3 * count, seed=seed, dof=(8, 20), root=1.0, massless=0.1, masses={"decade": 1}
    )
    return [m for m in found if isinstance(m.bodies[0].joint, Free) and _one_root(m)][:count]


def _one_root(m) -> bool:
    return sum(b.parent < 0 for b in m.bodies) == 1


def random_wrenches(m, seed=1):
    """Return a force and a couple on the environment for each link."""
    rng = np.random.default_rng(seed)
    return [(Vec3(*rng.normal(size=3)), Vec3(*rng.normal(size=3))) for _ in m.bodies]


def state(m, seed):
    """Return q, qd, qdd of everyday size as arrays."""
    return tuple(np.array(x) for x in random_state(m, seed, mild=True))


MODELS = floating(12, seed=70)
PLANAR = [
    replace(m, bodies=(replace(m.bodies[0], joint=Planar()), *m.bodies[1:]), checked=False)
    for m in MODELS[:6]
]


def test_there_are_models():
    assert len(MODELS) >= 8


@pytest.mark.parametrize("m", MODELS + PLANAR, ids=lambda m: m.name)
@pytest.mark.parametrize("methods", [INVERSE, DIRECT], ids=["inverse", "direct"])
def test_recursion_partition_and_articulated_bodies_agree(m, methods):
    b = m.bound()
    q, qd, qdd = state(m, seed=3)
    wrenches = dict(enumerate(random_wrenches(m)))
    found = [f(b, q, qd, qdd[base_size(m) :], wrenches) for f in methods]
    for other in found[1:]:
        for x, y in zip(found[0], other, strict=True):
            scale = max(1.0, np.abs(floats(x)).max(initial=0), np.abs(floats(y)).max(initial=0))
            np.testing.assert_allclose(floats(x), floats(y), atol=1e-11 * scale, rtol=0)


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
    np.testing.assert_allclose(floats(a), [*g, 0, 0, 0], atol=1e-14 * (1 + np.abs(g).max()))
    assert np.all(floats(tau) == 0)
    # the other methods carry the weight of each body and find that it cancels
    weight = sum(float(x.m) for x in b.bodies) * (1 + np.abs(g).max()) * (1 + np.abs(q).max())
    for other in INVERSE[1:]:
        a, tau = other(b, q, rest, rest[BASE:], drives="none")
        np.testing.assert_allclose(floats(a), [*g, 0, 0, 0], atol=1e-11 * (1 + np.abs(g).max()))
        np.testing.assert_allclose(floats(tau), 0, atol=1e-11 * weight)


@pytest.mark.parametrize("falls", [False, True], ids=["no gravity", "gravity"])
@pytest.mark.parametrize("m", MODELS, ids=lambda m: m.name)
def test_momentum_changes_by_the_weight_alone(m, falls):
    """Pinocchio's rate of momentum about the mass centre, at each evaluation.

    Under internal torques the linear one is m g and the angular one zero, to 1e-12 of the momentum
    that the motion of single bodies passes among them; rotors (Ia) would hold some of their own.
    """
    pin = pytest.importorskip("pinocchio")
    m = replace(m, drives=(), gravity=m.gravity if falls else Vec3.zero(), checked=True)
    model = to_pinocchio(m)
    data = model.createData()
    q, qd, given = state(m, seed=6)
    b = m.bound()
    base, tau = moving_base_inverse(b, q, qd, given[BASE:], convention="spatial")
    direct = moving_base_direct(b, q, qd, tau, convention="spatial")
    ways = [[*base, *given[BASE:]], [*direct[0], *direct[1]]]
    weight = data_mass(model) * floats(list(m.bound().gravity))
    for qdd in ways:
        rate = pin.computeCentroidalMomentumTimeVariation(model, data, q, qd, floats(qdd))
        size = passed_on(model, data)
        np.testing.assert_allclose(rate.linear, weight, atol=1e-12 * size[0])
        np.testing.assert_allclose(rate.angular, 0, atol=1e-12 * size[1])


def data_mass(model) -> float:
    return sum(float(i.mass) for i in model.inertias)


def passed_on(model, data) -> tuple[float, float]:
    """Return the sum of |force| and of |moment| that the bodies ask for, about the mass centre."""
    force = moment = 0.0
    centre = data.com[0]
    for k, inertia in enumerate(model.inertias):
        if k:
            ask = inertia * data.a[k] + data.v[k].cross(inertia * data.v[k])
            world = data.oMi[k].act(ask)
            force += np.abs(ask.linear).max()
            arm = np.abs(data.oMi[k].translation - centre).max() + np.abs(inertia.lever).max()
            moment += np.abs(ask.angular).max() + arm * np.abs(world.linear).max()
    return force + 1e-9, moment + 1e-9


def test_linear_momentum_grows_with_time_by_the_weight():
    m = da.robots.walker()
    rng = np.random.default_rng(2)
    torque = np.array([0, 0, 0, 0, 0, 0, *rng.normal(size=6)])
    start = da.neutral(m)
    start[7:] = rng.uniform(-0.5, 0.5, 6)
    qd = 0.2 * rng.normal(size=m.nv)
    t = np.linspace(0, 0.3, 4)
    r = da.simulate(m, start, qd, torque=torque, t=t, rtol=1e-11, atol=1e-13, events="none")
    p = da.momentum(m, r.q, r.qd)
    mass = float(m.total_mass)
    np.testing.assert_allclose(
        p[:, :3] - p[0, :3], np.outer(t, [0, 0, -9.81 * mass]), atol=1e-8 * mass
    )


# -- the base wrench, prescribed motion, both ways of introducing the base ------------------------


@pytest.mark.parametrize("m", MODELS + PLANAR, ids=lambda m: m.name)
@pytest.mark.parametrize("convention", ["classical", "spatial"])
def test_the_base_may_be_where_the_recursion_starts_or_a_link_on_a_virtual_one(m, convention):
    b, k = m.bound(), base_size(m)
    q, qd, qdd = state(m, seed=8)
    given = (q, qd, qdd[:k], qdd[k:], dict(enumerate(random_wrenches(m))), "all", convention)
    link, start = prescribed_base_inverse(b, *given), prescribed_base_from_start(b, *given)
    for x, y in zip(link, start, strict=True):
        scale = max(1.0, np.abs(floats(x)).max(initial=0))
        np.testing.assert_allclose(floats(x), floats(y), atol=1e-12 * scale)


@pytest.mark.parametrize("m", MODELS[:6] + PLANAR[:3], ids=lambda m: m.name)
def test_a_base_that_moves_as_prescribed_needs_the_wrench_of_pinocchio(m):
    pin = pytest.importorskip("pinocchio")
    k = base_size(m)
    q, qd, qdd = state(m, seed=9)
    model = to_pinocchio(m)
    wanted = pin.rnea(model, model.createData(), q, qd, qdd)
    scale = np.abs(wanted).max()
    for way in (prescribed_base_inverse, prescribed_base_from_start):
        wrench, tau = way(m.bound(), q, qd, qdd[:k], qdd[k:], convention="spatial")
        np.testing.assert_allclose(floats([*wrench, *tau]), wanted, atol=1e-11 * scale)
    # the same acceleration by its other name: w × v lies between
    if k == BASE:
        classical = qdd[:BASE] + np.r_[np.cross(qd[3:6], qd[:3]), 0, 0, 0]
        again = prescribed_base_inverse(m.bound(), q, qd, classical, qdd[k:])
        np.testing.assert_allclose(floats(again[0]), wanted[:k], atol=1e-11 * scale)


@pytest.mark.parametrize(
    "m", [da.robots.walker(), da.robots.flying_arm(), PLANAR[0]], ids=lambda m: m.name
)
def test_the_wrench_that_moves_the_base_leads_to_that_motion(m):
    """The wrench of the prescribed motion, given as input, returns the prescribed acceleration."""
    k = base_size(m)
    q, qd, qdd = state(m, seed=10)
    wrench, tau = da.prescribed_base_inverse(m, q, qd, qdd[:k], qdd[k:], convention="spatial")
    scale = np.abs(qdd).max() + 1
    found = da.forward_dynamics(m, q, qd, [*wrench, *tau])
    np.testing.assert_allclose(found, qdd, atol=1e-9 * scale)
    if k == BASE:
        pushed = np.zeros((len(m.bodies), 6))
        pushed[0] = wrench
        base, again = da.moving_base_inverse(
            m, q, qd, qdd[k:], wrench_on_body=pushed, convention="spatial"
        )
        np.testing.assert_allclose(base, qdd[:k], atol=1e-9 * scale)
        np.testing.assert_allclose(again, tau, atol=1e-9 * np.abs(tau).max(initial=1))
    # torques given, motion of the base prescribed
    x = [*qdd[:k], *tau]
    hybrid, forces = da.hybrid_dynamics(m, q, qd, x, given=(m.joint_names[0],))
    np.testing.assert_allclose(hybrid, qdd, atol=1e-9 * scale)
    np.testing.assert_allclose(forces, [*wrench, *tau], atol=1e-9 * np.abs(wrench).max())


def test_springs_in_joints_and_between_points_act_on_a_moving_base():
    m = da.robots.spacecraft()
    m = replace(
        m,
        elastic=(JointSpring(2, 300, Fraction(1, 10), 5),),
        springs=(PointSpring(3, Vec3(0, 0, Fraction(1, 10)), -1, Vec3(2, 1, 0), 400, 1, 3),),
        checked=False,
    )
    q, qd, qdd = state(m, seed=11)

    def run(name, method, *given, **options):
        found = in_floats(m, name, method, [np.array([x]) for x in given], **options)
        return [x[0] for x in found]

    spatial = {"convention": "spatial"}
    for method in ("composite", "recursion", "partition", "articulated_body"):
        base, tau = run("moving_base_inverse", method, q, qd, qdd[BASE:], **spatial)
        (whole,) = run("inverse_dynamics", None, q, qd, [*base, *qdd[BASE:]])
        scale = np.abs(whole).max()
        np.testing.assert_allclose(whole, [*np.zeros(BASE), *tau], atol=1e-11 * scale)
    for method in ("articulated_body", "partition"):
        again = run("moving_base_direct", method, q, qd, tau, **spatial)
        np.testing.assert_allclose(again[0], base, atol=1e-10 * np.abs(base).max())
        np.testing.assert_allclose(again[1], qdd[BASE:], atol=1e-10 * np.abs(base).max())
        # three joints driven, three moved
        x = [*np.zeros(6), *tau[:3], *qdd[9:12]]
        hybrid = run("hybrid_dynamics", method, q, qd, x, given=m.joint_names[4:])
        np.testing.assert_allclose(hybrid[0][6:], qdd[6:], atol=1e-9 * np.abs(qdd).max())
        np.testing.assert_allclose(hybrid[1][6:], tau, atol=1e-9 * np.abs(tau).max())


# -- what has no answer ------------------------------------------------------------------------


HOLLOW = "RZ(), TXK(1); body base: M = 0; body 1: M = {}, D = (0.5, 0, 0), I = {};"


@pytest.mark.parametrize("base", ["free", "planar"])
def test_a_robot_without_inertia_names_its_base(base):
    m = da.load(HOLLOW.format(0, "(0, 0, 0)"), base=base)
    q, qd = da.neutral(m), np.zeros(m.nv)
    for method in ("composite", "recursion", "partition", "articulated_body"):
        with pytest.raises(da.SingularModel, match="joint 'base' moves no inertia"):
            da.moving_base_inverse(m, q, qd, [0], method=method)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_a_base_without_inertia_has_an_inverse_model_and_no_direct_one(base):
    """The bodies that the base carries move with it; torques alone leave its turning open."""
    m = da.load(HOLLOW.format(1, "(0.1, 0.1, 0.1)"), base=base)
    q, qd = da.neutral(m), np.zeros(m.nv)
    a, _ = da.moving_base_inverse(m, q, qd, [0])
    assert a[2 if base == "free" else 0] == pytest.approx(-9.81 if base == "free" else 0)
    for method in ("articulated_body", "partition"):
        with pytest.raises(da.SingularModel, match="joint 'base' moves no inertia"):
            da.moving_base_direct(m, q, qd, [0], method=method)
    with pytest.raises(da.SingularModel, match="joint 'base' moves no inertia"):
        da.forward_dynamics(m, q, qd, np.zeros(m.nv))


def test_a_point_mass_on_a_free_base_does_not_resist_turning():
    m = da.load("RZ(), TXK(1); body base: M = 0.3, D = (0.1, 0.2, 0.3);", base="free")
    for method in ("composite", "recursion", "partition", "articulated_body"):
        with pytest.raises(da.SingularModel, match="joint 'base' moves no inertia"):
            da.moving_base_inverse(m, da.neutral(m), np.zeros(7), [0], method=method)


def test_a_planar_base_has_three_accelerations_and_feels_no_force():
    text = "RZ(), TXK(0.5), RZ(), TXK(0.4); gravity = (0, -9.81, 0);"
    data = "body base: M = 5, D = (0.1, 0, 0), I = (0, 0, 0.3);"
    data += "body 1: M = 2, D = (0.25, 0, 0), I = (0, 0, 0.1);"
    data += "body 2: M = 1, D = (0.2, 0, 0), I = (0, 0, 0.05);"
    m = da.load(text + data, base="planar")
    q, qd, qdd = state(m, seed=7)
    found = [
        da.moving_base_inverse(m, q, qd, qdd[3:], method=method)
        for method in ("composite", "recursion", "partition", "articulated_body")
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
