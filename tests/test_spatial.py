"""Twists, wrenches and motions: power, duality and the laws of Newton and Euler."""

import numpy as np
import pytest

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.inertia import Inertia
from dalembert.spatial import Articulated, CoriolisFactor, Motion, Twist, Wrench, inertia_to_parent

RNG = np.random.default_rng(4)


def vec():
    return Vec3(*RNG.normal(size=3).tolist())


def twist():
    return Twist(vec(), vec())


def wrench():
    return Wrench(vec(), vec())


def pose():
    a, b = RNG.uniform(-2, 2, 2)
    return Rotation.about(0, float(a)) @ Rotation.about(2, float(b)), vec()


def body():
    c, A = vec(), RNG.normal(size=(3, 3))
    xx = A @ A.T
    own = Mat3(*map(tuple, xx.tolist()))
    I = Inertia(1.7, c, own)
    return Inertia(I.m, I.h, I.Io, "origin")


def close(a, b):
    assert np.allclose([float(x) for x in a.entries()], [float(x) for x in b.entries()])


def test_power_does_not_depend_on_the_frame():
    for _ in range(5):
        (R, P), xi, f = pose(), twist(), wrench()
        assert np.isclose(xi.dot(f.to_parent(R, P)), xi.to_child(R, P).dot(f))


def test_entries_are_linear_first():
    assert Twist(Vec3(1, 2, 3), Vec3(4, 5, 6)).entries() == [1, 2, 3, 4, 5, 6]
    assert Wrench(Vec3(1, 2, 3), Vec3(4, 5, 6)).entries() == [1, 2, 3, 4, 5, 6]


def test_the_two_cross_products_are_dual():
    xi, s, f = twist(), twist(), wrench()
    assert np.isclose(xi.cross(s).dot(f), -s.dot(xi.cross_star(f)))


def test_a_motion_needs_the_rate_of_momentum():
    """I ξ̇ + ξ ×* I ξ, with V̇ = v̇ + ω × v."""
    I, xi, rate = body(), twist(), twist()
    motion = Motion(xi.w, rate.w, rate.v + xi.w.cross(xi.v))
    close(motion.needs(I), I @ rate + xi.cross_star(I @ xi))


def test_wrenches_add_onto_those_of_the_parent():
    (R, P), f, onto = pose(), wrench(), wrench()
    close(f.to_parent(R, P, onto=onto), onto + f.to_parent(R, P))


def test_an_articulated_body_without_joints_is_rigid():
    I, a, (R, P) = body(), twist(), pose()
    close(Articulated.of(I) @ a, I @ a)
    there, seen = inertia_to_parent(I, R, P), Articulated.of(I).to_parent(R, P)
    close(seen @ a, there @ a)
    assert isinstance(there, Inertia) and there.at == "origin"
    close(I.moved(Transform(R, P)) @ a, there @ a)


@pytest.mark.parametrize("seed", range(3))
def test_the_coriolis_factor_gives_the_forces_of_the_motion(seed):
    """B ξ = ½ ξ ×* I ξ on the angular part that meets it: twice B(I, ξ) ξ + I (ξ × ξ)."""
    I, xi = body(), twist()
    B = CoriolisFactor.of(I, xi)
    still = Motion(w=xi.w, vd=xi.w.cross(xi.v))
    close(B @ xi, still.needs(I) - I @ Twist(Vec3.zero(), Vec3.zero()))
