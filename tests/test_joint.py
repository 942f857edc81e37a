"""Joints: pose, columns, drift, rates and steps say the same motion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agreement import floats
from dalembert.algebra import Vec3
from dalembert.expr import Graph, evaluate, push, trace
from dalembert.joint import (
    JOINT_KINDS,
    UNITS,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    quaternion_matrix,
    quaternion_product,
    rates,
    rotation_about,
)

AXIS = Vec3(0.6, 0.0, -0.8)
ALL = [
    Revolute(AXIS),
    Revolute(UNITS[1]),
    Prismatic(AXIS),
    Screw(AXIS, 0.3),
    Screw(-UNITS[0], -0.1),
    Spherical(),
    Planar(),
    Free(),
    Fixed(),
]
NAMES = [f"{type(j).__name__}-{k}" for k, j in enumerate(ALL)]


def state(joint, seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=joint.nq)
    if joint.kind in ("spherical", "free"):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q.tolist(), *rng.normal(size=(2, joint.nv)).tolist()


def matrix(joint, q):
    R, p = joint.pose(q)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = floats(R.matrix()), floats(p)
    return T


def test_every_kind_is_in_the_table():
    assert {j.kind for j in ALL} == set(JOINT_KINDS)
    for kind, joint in JOINT_KINDS.items():
        assert joint.kind == kind


def graph_rates(joint, q, qd, qdd):
    """Return T, dT/dt and d²T/dt² of the pose, exactly, along q̇ = coordinate_rate(q, qd)."""
    graph = Graph()

    def pose(x, v, a):
        R, p = joint.pose(x)
        return [*(e for row in R.matrix().rows for e in row), *p]

    ports = [("q", joint.nq), ("qd", joint.nv), ("qdd", joint.nv)]
    f = trace(pose, ports, graph=graph)
    x = [graph.input("q", k) for k in range(joint.nq)]
    v = [graph.input("qd", k) for k in range(joint.nv)]
    a = [graph.input("qdd", k) for k in range(joint.nv)]
    seeds = {i.id: r for i, r in zip(x, joint.coordinate_rate(x, v), strict=True)}
    seeds |= {i.id: r for i, r in zip(v, a, strict=True)}
    first = push(graph, f.results, seeds)
    second = push(graph, [e.id for e in first], seeds)
    ids = [*f.results, *(e.id for e in first), *(e.id for e in second)]
    values = floats(evaluate(graph, ids, {"q": q, "qd": qd, "qdd": qdd}, {})).reshape(3, 12)
    return [(row[:9].reshape(3, 3), row[9:]) for row in values]


@pytest.mark.parametrize("joint", [j for j in ALL if j.nv], ids=NAMES[:-1])
@pytest.mark.parametrize("seed", range(3))
def test_velocities_and_accelerations_are_the_rates_of_the_pose(joint, seed):
    q, qd, qdd = state(joint, seed)
    (R, _), (Rd, pd), (Rdd, pdd) = graph_rates(joint, q, qd, qdd)
    w, wd, v, vd = map(floats, rates(joint, q, qd, qdd))
    W = R.T @ Rd
    assert_allclose([W[2, 1], W[0, 2], W[1, 0]], w, atol=1e-13)
    assert_allclose(R.T @ pd, v, atol=1e-13)
    # dW/dt, in child axes: Ẇ = Rᵀ R̈ + Ṙᵀ Ṙ
    Wd = R.T @ Rdd + Rd.T @ Rd
    assert_allclose([Wd[2, 1], Wd[0, 2], Wd[1, 0]], wd, atol=1e-12)
    assert_allclose(R.T @ pdd, vd, atol=1e-12)


@pytest.mark.parametrize("joint", ALL, ids=NAMES)
def test_a_small_step_is_the_rate(joint):
    q, qd, _ = state(joint, 4)
    h = 1e-6
    ahead, behind = (floats(joint.integrate(q, [s * h * x for x in qd])) for s in (1, -1))
    slope = floats(joint.coordinate_rate(q, qd))
    assert_allclose((ahead - behind) / (2 * h), slope, atol=1e-9)


@pytest.mark.parametrize("joint", ALL, ids=NAMES)
def test_many_small_steps_are_one_large_one(joint):
    # a constant body twist: the same screw motion, however it is cut
    q, qd, _ = state(joint, 5)
    once = joint.integrate(q, qd)
    cut = list(q)
    for _ in range(64):
        cut = joint.integrate(cut, [x / 64 for x in qd])
    assert_allclose(floats(cut), floats(once), atol=1e-12)
    back = joint.integrate(once, [-x for x in qd])
    assert_allclose(floats(back), q, atol=1e-13)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1e-3, 9.9e-3, 1.01e-2, 0.1, 3.0, 30.0])
def test_steps_are_right_near_zero_and_far_from_it(size):
    from scipy.linalg import expm

    rng = np.random.default_rng(6)
    direction = rng.normal(size=6)
    dq = (size * direction / np.linalg.norm(direction[3:])).tolist()
    q, _, _ = state(Free(), 6)
    v, w = dq[:3], dq[3:]
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    twist[:3, 3] = v
    moved = matrix(Free(), Free().integrate(q, dq))
    assert_allclose(moved, matrix(Free(), q) @ expm(twist), atol=1e-13 * max(1, size))
    # and the quaternion stays of unit length
    turned = Spherical().integrate(q[3:], dq[3:])
    assert abs(sum(x * x for x in turned) - 1) < 1e-15


def test_steps_run_on_arrays_and_on_the_graph():
    for joint in ALL:
        if not joint.nv:
            continue
        batch = [state(joint, s)[:2] for s in range(4)]
        batch[0] = (batch[0][0], [1e-9 * x for x in batch[0][1]])
        q = list(np.array([b[0] for b in batch]).T)
        dq = list(np.array([b[1] for b in batch]).T)
        together = np.array(joint.integrate(q, dq)).T
        f = trace(joint.integrate, [("q", joint.nq), ("dq", joint.nv)])
        for k, (one, step) in enumerate(batch):
            assert_allclose(together[k], floats(joint.integrate(one, step)), atol=1e-15)
            assert_allclose(f(one, step), floats(joint.integrate(one, step)), atol=1e-15)


def test_quaternions_multiply_as_their_matrices():
    a, b = (state(Spherical(), s)[0] for s in (7, 8))
    A, B = (floats(quaternion_matrix(*x)) for x in (a, b))
    product = floats(quaternion_matrix(*quaternion_product(a, b)))
    assert_allclose(product, A @ B, atol=1e-15)
    assert_allclose(product @ product.T, np.eye(3), atol=1e-15)


@given(st.floats(-7, 7), st.integers(0, 2), st.sampled_from([1, -1]))
def test_rotations_about_coordinate_axes_are_turns(angle, k, sign):
    from dalembert.algebra import Turn

    axis = UNITS[k] * sign
    R = rotation_about(axis, angle)
    assert all(isinstance(f, Turn) for f in R.factors)
    rodrigues = rotation_about(Vec3(*(x + 0.0 for x in axis)), angle).matrix()
    assert_allclose(floats(R.matrix()), floats(rodrigues), atol=1e-15)
    oblique = rotation_about(AXIS, angle)
    u = floats(AXIS)
    assert_allclose(floats(oblique.matrix()) @ u, u, atol=1e-15)
    assert_allclose(np.trace(floats(oblique.matrix())), 1 + 2 * np.cos(angle), atol=1e-14)
