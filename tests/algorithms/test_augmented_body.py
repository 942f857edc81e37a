"""Augmented bodies: (3-2)-(3-4), E0.9 and (3-7) on random chains and trees."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.algebra import Mat3, Vec3
from dalembert.algorithms.augmented_body import augmented_bodies
from dalembert.errors import ModelError
from dalembert.inertia import Inertia
from dalembert.joint import Free, Planar, Spherical
from dalembert.mechanism import Body, Mechanism
from sentences import REPORT, REPORT_MASSES, mechanism
from trees import random_tree


def array(x):
    return np.array([list(r) for r in x.rows] if isinstance(x, Mat3) else list(x), float)


def point(m, c):
    return m * (c @ c * np.eye(3) - np.outer(c, c))


def branch(m, j, p):
    """Return the child of j through which body p is reached; j itself for p = j; else None."""
    child = p
    while p != j and p >= 0:
        child, p = p, m.bodies[p].parent
    return child if p == j else None


@pytest.mark.parametrize("seed", range(20))
def test_each_constant_is_a_sum_over_the_bodies_beyond(seed):
    m, _ = random_tree(seed)
    for j, (body, made) in enumerate(zip(m.bodies, augmented_bodies(m), strict=True)):
        d, mass = array(body.inertia.centre), float(body.m)
        M, V, W = mass, array(body.h), point(mass, d)
        for p, other in enumerate(m.bodies):
            c = branch(m, j, p)
            if c is not None and c != j:
                l = array(m.bodies[c].placement.p)
                M, V, W = M + other.m, V + other.m * l, W + point(other.m, l)
        assert_allclose(made.M, M, atol=1e-13)
        assert_allclose(array(made.V), V, atol=1e-12)
        assert_allclose(array(made.W), W, atol=1e-12)
        assert_allclose(array(made.J), array(body.inertia.about_centre) + W, atol=1e-12)


def world(m, q):
    """Return each body's rotation and origin, and its joint's origin before any slide."""
    R, O, O0 = {-1: np.eye(3)}, {-1: np.zeros(3)}, {}
    for j, body in enumerate(m.bodies):
        O0[j] = O[body.parent] + R[body.parent] @ array(body.placement.p)
        turn, origin = body.pose(q[j])
        O[j] = O[body.parent] + R[body.parent] @ array(origin)
        R[j] = R[body.parent] @ array(turn.matrix())
    return R, O, O0


@pytest.mark.parametrize("seed", range(20))
def test_reported_masses_add_up_to_first_moments_and_the_printed_ones_do_not(seed):
    # (3-7) from the joint of each root; with the printed q_j sum over p > j it fails (E0.9)
    m, rng = random_tree(seed)
    q = m.split_q([float(x) for x in rng.normal(size=m.nq)])
    made, (R, O, O0) = augmented_bodies(m), world(m, q)
    for i, root in enumerate(m.bodies):
        beyond = [k for k in range(len(m.bodies)) if branch(m, i, k) is not None]
        truth = sum(m.bodies[k].m * (O[k] - O0[i]) + R[k] @ array(m.bodies[k].h) for k in beyond)
        at = {k: q[k][0] if m.bodies[k].joint.nv else 0.0 for k in beyond}
        V = sum(R[k] @ array(made[k].reported_mass(at[k])) for k in beyond)
        assert_allclose(V, truth, atol=1e-11)
        printed = V - sum(R[k] @ array(made[k].slide) * at[k] * m.bodies[k].m for k in beyond)
        slides = [k for k in beyond if not made[k].slide.is_zero() and m.bodies[k].m > 0]
        assert bool(slides) == bool(np.abs(printed - truth).max() > 1e-6)
        assert root.parent < i


@pytest.mark.parametrize("seed", range(10))
def test_reported_inertia_is_that_of_the_moved_masses(seed):
    m, rng = random_tree(seed)
    for j, made in enumerate(augmented_bodies(m)):
        body, x = m.bodies[j], float(rng.normal())
        if body.inertia.at == "origin" and body.m == 0:
            continue  # a first moment without mass is not a point
        shift = array(made.slide) * x
        W = point(body.m, array(body.inertia.centre) + shift)
        for c, l in made.levers:
            W = W + point(augmented_bodies(m)[c].M, array(l) + shift)
        assert_allclose(array(made.reported_inertia(x)), W, atol=1e-11)
        total = array(body.inertia.about_centre) + W
        assert_allclose(array(made.total_inertia(x)), total, atol=1e-11)


def test_the_printed_inertia_of_a_sliding_body_is_wrong():
    # E0.9 on a slide along z: body mass 2 at 0.5, load 3 at 1
    m = mechanism("TZ TZK(1) RZ", {1: (2, (0, 0, 0.5), ()), 2: (3, (0, 0, 0), ())})
    made, q = augmented_bodies(m)[0], 0.7
    truth = 2 * (0.5 + q) ** 2 + 3 * (1 + q) ** 2
    printed = 2 * 0.5**2 + 3 * (1 + q) ** 2
    assert_allclose(array(made.reported_inertia(q)), np.diag([truth, truth, 0]), atol=1e-14)
    assert abs(printed - truth) > 1e-6


def test_the_constants_of_the_report_have_their_values(oracles_dir):
    oracle = json.loads((oracles_dir / "s000_robot6r.json").read_text())
    m = mechanism(REPORT, REPORT_MASSES).bound(oracle["parameters"])
    made = augmented_bodies(m)
    for name, value in oracle["reported_constants"].items():
        body, u = made[int(name[2]) - 1], "XYZ".index(name[1])
        if name[0] == "V":
            assert_allclose(body.V[u], value, rtol=1e-14)
        elif name[0] == "J":
            assert_allclose(body.J[u, u], value, rtol=1e-14)
        else:
            normal = [k for k in range(3) if k != u]
            assert_allclose([body.W[k, k] for k in normal], value, rtol=1e-14)


def test_a_ball_joint_has_constants_and_a_free_base_is_refused():
    load = Inertia(2.0, Vec3(0.0, 0.0, 1.0))
    ball = Mechanism((Body("a", -1, joint=Spherical(), inertia=load),))
    assert list(augmented_bodies(ball)[0].V) == [0, 0, 2]
    for joint in (Free(), Planar()):
        with pytest.raises(ModelError, match="expand the base"):
            augmented_bodies(Mechanism((Body("a", -1, joint=joint, inertia=load),)))
