"""Vectors, matrices and rotations that keep their factors."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agreement import floats
from dalembert.algebra import (
    LONG,
    Mat3,
    Rotation,
    Transform,
    Turn,
    Vec3,
    is_plain_zero,
    yaw_pitch_roll,
)
from dalembert.expr import Graph, program, trace

angles = st.floats(-6, 6).map(float)
turns = st.lists(st.tuples(st.integers(0, 2), angles), max_size=4)


def product(parts):
    R = Rotation()
    for axis, angle in parts:
        R = R @ Rotation.about(axis, angle)
    return R


def reference(parts):
    R = np.eye(3)
    for axis, angle in parts:
        c, s = np.cos(angle), np.sin(angle)
        T, i, j = np.eye(3), (axis + 1) % 3, (axis + 2) % 3
        T[i, i], T[j, j], T[i, j], T[j, i] = c, c, -s, s
        R = R @ T
    return R


@given(turns, turns)
def test_products_of_turns_are_those_of_their_matrices(a, b):
    R = product(a) @ product(b)
    assert_allclose(floats(R.matrix()), reference(a) @ reference(b), atol=1e-14)
    assert_allclose(floats(R.T.matrix()), (reference(a) @ reference(b)).T, atol=1e-14)
    # no two neighbours turn about the same axis
    axes = [f.axis for f in R.factors]
    assert all(x != y for x, y in pairwise(axes))


@given(turns)
def test_vectors_and_tensors_turn_with_the_matrix(parts):
    R, M = product(parts), reference(parts)
    v = Vec3(0.3, -1.0, 2.0)
    assert_allclose(floats(R @ v), M @ floats(v), atol=1e-14)
    S = Mat3.symmetric(1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
    turned = floats(R.rotate(S))
    assert_allclose(turned, M @ floats(S) @ M.T, atol=1e-13)
    assert np.array_equal(turned, turned.T)
    A = Mat3((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 10.0))
    assert_allclose(floats(R @ A), M @ floats(A), atol=1e-13)
    for S in (R, Rotation.of(R.matrix())):
        assert_allclose(floats(S.rotate_any(A)), M @ floats(A) @ M.T, atol=1e-12)


def test_parallel_turns_add_their_angles():
    g = Graph()
    a, b = g.input("q", 0), g.input("q", 1)
    R = Rotation.about(0, a) @ Rotation.about(0, b)
    assert len(R.factors) == 1 and R.factors[0].angle == a + b
    back = R @ Rotation.about(0, -b)
    assert back.factors[0].angle == a
    assert not (back @ Rotation.about(0, -a)).factors
    # cancellation reaches through: Rx(a) Ry(b) · Ry(-b) Rx(-a) is nothing
    S = Rotation.about(0, a) @ Rotation.about(1, b)
    assert not (S @ S.T).factors


def test_an_exact_quarter_turn_only_changes_places_and_signs():
    g = Graph()
    R = Rotation.about(2, g.pi() * Fraction(1, 2))
    v = Vec3(g.input("v", 0), g.input("v", 1), g.input("v", 2))
    turned = R @ v
    assert turned == Vec3(-v.y, v.x, v.z)
    f = trace(lambda x: list(Rotation.about(1, g.pi()) @ Vec3(*x)), [("v", 3)], graph=g)
    assert all(line.op == "neg" for line in program(f).step.lines)


def test_a_rotation_by_zero_is_nothing():
    assert not Rotation.about(0, 0).factors and not Rotation.about(1, Graph().constant(0)).factors


@given(turns, turns, st.tuples(angles, angles, angles))
def test_transforms_compose_and_invert(a, b, p):
    S, T = Transform(product(a), Vec3(*p)), Transform(product(b), Vec3(0.1, 0.2, 0.3))
    x = Vec3(1.0, -2.0, 0.5)
    assert_allclose(floats((S @ T) @ x), floats(S @ (T @ x)), atol=1e-12)
    assert_allclose(floats(S.inverse @ (S @ x)), floats(x), atol=1e-12)


def test_vectors_and_skew_matrices():
    rng = np.random.default_rng(1)
    a, b = (Vec3(*map(float, v)) for v in rng.normal(size=(2, 3)))
    assert_allclose(floats(a.cross(b)), np.cross(floats(a), floats(b)), atol=1e-15)
    assert_allclose(floats(a.skew() @ b), np.cross(floats(a), floats(b)), atol=1e-15)
    assert_allclose(a.dot(b), floats(a) @ floats(b), atol=1e-15)
    assert_allclose(floats(a.outer(b)), np.outer(floats(a), floats(b)), atol=1e-15)


@pytest.mark.parametrize("x", [0, 0.0, Fraction(0), Graph().constant(0), Graph().constant(0.0)])
def test_zero_is_known_in_every_dress(x):
    assert is_plain_zero(x)


@pytest.mark.parametrize("x", [1, 1e-300, Fraction(1, 9), Graph().input("q", 0)])
def test_what_is_not_zero_is_not(x):
    assert not is_plain_zero(x)


def test_long_products_stay_short_and_right():
    parts = [(k % 3, 0.1 * k) for k in range(1, 200)]
    R, factors = Rotation(), []
    for axis, angle in parts:
        R = (R @ Rotation.about(axis, angle)).bounded()
        factors.append(len(R.factors))
    assert max(factors) <= LONG and factors[:LONG] == list(range(1, LONG + 1))
    assert_allclose(floats(R.matrix()), reference(parts), atol=1e-13)
    assert isinstance(R.factors[-1], Turn)  # a parallel neighbour still merges


def test_a_matrix_factor_does_not_merge():
    M = Rotation.about(0, 0.3).matrix()
    R = Rotation.of(M) @ Rotation.about(0, 0.4)
    assert len(R.factors) == 2 and isinstance(R.factors[1], Turn)
    assert_allclose(floats(R.matrix()), reference([(0, 0.7)]), atol=1e-15)


@pytest.mark.parametrize("pitch", [0.3, -1.2, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-11])
def test_three_angles_make_their_rotation_again_near_a_quarter_turn_too(pitch):
    for yaw, roll in ((0.4, -2.5), (-3.0, 0.2), (1.1, 1.1)):
        R = product([(2, yaw), (1, pitch), (0, roll)]).matrix()
        again = product([*zip((2, 1, 0), yaw_pitch_roll(R), strict=True)]).matrix()
        assert_allclose(np.array(again.rows, float), np.array(R.rows, float), atol=1e-14)
