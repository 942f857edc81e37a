"""Frames re-chosen and inertias regrouped change no joint-space quantity."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert
import textbook
from agreement import (
    acceleration_law,
    assert_forces,
    conditioning,
    drive_scale,
    floats,
    force_scale,
    mass_scale,
)
from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.expr import Graph, program, trace
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Prismatic, Revolute
from dalembert.mechanism import Body, Mechanism, Parameter
from dalembert.reframe import reframe, regroup, simplify
from mechanisms import random_mechanisms, random_state
from models import articulated_body, composite, newton_euler


def size_of(m, q, qd, qdd):
    return force_scale(m, q, qd, qdd) + drive_scale(m, qd, qdd)


@pytest.mark.parametrize("lighten", [False, True])
@pytest.mark.parametrize("seed", range(100, 103))
def test_the_simplified_mechanism_has_the_same_forces(seed, lighten):
    for m in random_mechanisms(35, seed, dof=(1, 30)):
        b, (q, qd, qdd) = m.bound(), random_state(m, seed)
        s = simplify(b, lighten)
        assert (s.nq, s.nv) == (b.nq, b.nv)
        tau = newton_euler(b, q, qd, qdd, drives="all")
        again = newton_euler(s, q, qd, qdd, drives="all")
        assert_forces(again, tau, size_of(b, q, qd, qdd), m.name)


@pytest.mark.parametrize("lighten", [False, True])
def test_the_simplified_mechanism_has_the_same_mass_matrix_and_accelerations(lighten):
    done = 0
    for m in random_mechanisms(40, 103, dof=(1, 16)):
        b, (q, qd, qdd) = m.bound(), random_state(m, 103)
        s = simplify(b, lighten)
        M, rotors = composite(b, q), np.diag(drive_scale(b, [0.0] * m.nv, [1.0] * m.nv))
        scale = np.maximum(mass_scale(b, q), mass_scale(s, q)) + rotors
        assert_forces(composite(s, q), M, scale, m.name)
        if conditioning(M)[0] > 1e11:
            continue
        done += 1
        tau = newton_euler(b, q, qd, qdd)
        load = np.maximum(size_of(b, q, qd, qdd), size_of(s, q, qd, qdd))
        bound = acceleration_law(M, qdd, load)[1]
        assert np.all(np.abs(floats(articulated_body(s, q, qd, tau)) - qdd) <= bound), m.name
    assert done > 20


@pytest.mark.parametrize("step", [reframe, regroup])
def test_each_step_alone_changes_no_force(step):
    for m in random_mechanisms(30, 104, dof=(1, 20)):
        b, (q, qd, qdd) = m.bound(), random_state(m, 104)
        s = step(b)
        scale = np.maximum(size_of(b, q, qd, qdd), size_of(s, q, qd, qdd))
        assert_forces(newton_euler(s, q, qd, qdd), newton_euler(b, q, qd, qdd), scale, m.name)


def test_after_reframing_axes_are_on_z():
    for m in random_mechanisms(30, 105, dof=(1, 10)):
        for body in reframe(m.bound()).bodies:
            axis = getattr(body.joint, "axis", None)
            assert axis is None or list(axis) == [0, 0, 1]


def test_regrouping_leaves_what_a_joint_feels():
    load = Inertia(2.0, Vec3(0.1, 0.2, 0.3))
    T = Transform(p=Vec3(0.5, 0.0, 0.0))
    m = Mechanism(
        (
            Body("a", -1, joint=Revolute(), inertia=load),
            Body("b", 0, T, Revolute(), load),
            Body("c", 1, T, Prismatic(UNITS[2]), load),
        )
    ).bound()
    r = regroup(m)
    assert r.bodies[0].m == 0 and r.bodies[1].m == 0 and r.bodies[2].m == 2
    assert r.bodies[1].h.z == 0
    assert not any(r.bodies[2].Io.six())
    q, qd, qdd = [0.3, 0.4, 0.5], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]
    assert_allclose(newton_euler(r, q, qd, qdd), newton_euler(m, q, qd, qdd), atol=1e-13)


def test_parametric_inertias_regroup_too():
    graph = Graph()
    D = textbook.DATA
    numeric = textbook.planar_2r(**D)
    symbols = {"M2": D["m2"], "I2": D["i2"]}
    M2, I2 = graph.param("M2"), graph.param("I2")
    second = numeric.bodies[1]
    inertia = Inertia(M2, second.inertia.lever, Mat3.symmetric(0.0, I2, I2, 0.0, 0.0, 0.0))
    m = replace(
        numeric,
        bodies=(numeric.bodies[0], replace(second, inertia=inertia)),
        parameters=(Parameter("M2"), Parameter("I2")),
        checked=False,
    )
    traced = Graph()
    f = trace(
        lambda q, qd, qdd: newton_euler(simplify(m.bound(graph=traced)), q, qd, qdd),
        [("q", 2), ("qd", 2), ("qdd", 2)],
        graph=traced,
    )
    q, qd, qdd = [0.3, -0.8], [1.0, 2.0], [0.5, -0.5]
    expected = textbook.planar_2r_torques(q, qd, qdd, **D)
    assert_allclose(f(q, qd, qdd, parameters=symbols), expected, atol=1e-13)
    assert program(f).prepare.lines  # regrouping is done once per parameter set


@pytest.mark.parametrize("tilt", [0.1, 1e-2, 1e-3, 1e-6, 1e-8, 3e-9])
def test_nearly_parallel_axes_cost_no_digits(tilt):
    load = Inertia(1.0, Vec3(0.2, 0.1, 0.3), Mat3.symmetric(0.1, 0.2, 0.15, 0.01, 0.02, 0.03))
    step = Vec3(0.5, 0.3, 0.2)
    m = Mechanism(
        tuple(
            Body(f"b{j}", j - 1, Transform(Rotation.about(0, angle), step), Revolute(), load)
            for j, angle in enumerate((0.3, 1.3, tilt, 1.1, tilt))
        )
    ).bound()
    q, qd, qdd = random_state(m, 3, mild=True)
    for lighten in (False, True):
        tau = newton_euler(simplify(m, lighten), q, qd, qdd)
        assert_forces(tau, newton_euler(m, q, qd, qdd), force_scale(m, q, qd, qdd))


def test_the_simplified_model_costs_less():
    for m in random_mechanisms(10, 106, dof=(4, 8), shapes={"chain": 1}, joints={"any": 1},
                               drives=0, massless=0, root=0):  # fmt: skip
        costs = []
        for model in (m.bound(), simplify(m.bound(), lighten=True)):
            f = trace(
                lambda q, qd, qdd, model=model: newton_euler(model, q, qd, qdd),
                [("q", m.nq), ("qd", m.nv), ("qdd", m.nv)],
            )
            costs.append(program(f).cost["step"].mul)
        assert costs[1] < costs[0]


@pytest.mark.parametrize("levers", ["few", "axial", "foot"])
def test_frames_that_would_cost_digits_are_not_slid(levers):
    """A light body that carries a heavy, balanced one: no lever is made for the heavy mass."""
    text = """
    RX(), TXK(0.0001), TYK(-0.0003), TZK(0.0008), RXK(0.3), RY(), RXK(pi/6), RZ(), TZK(0.1);
    body 1: M = 0.001, D = (0.0006, 0.0002, 0.0002), I = (2e-8, 2e-8, 2e-9);
    body 2: M = 0.26, D = (-0.0021, -0.0034, 0.0011), I = (3e-7, 7e-7, 7e-7);
    body 3: M = 648376, D = (0, 0, 0), I = (7.6, 4.2, 5.3);
    """
    m, rest = dalembert.load(text).bound(), [0.0] * 3
    largest = 0.26 * 9.81 * 0.0024
    for k in range(20):
        q = [0.9 + k, 2.8 - k, 2.9]
        got, want = (newton_euler(x, q, rest, rest)[1] for x in (simplify(m, levers=levers), m))
        assert abs(float(got) - float(want)) < 1e-14 * largest


def test_a_slide_near_a_far_joint_keeps_its_digits():
    """A body slides beside the first axis: a frame slid far along it would cost its digits."""
    text = """
    RY()[TXK(-165), TYK(106), RX(), TXK(1)], TXK(0.0006), TZK(0.0022), RXK(0.8), TZ();
    body 1: M = 2, D = (-39, 86, 63), I = (192, 138, 124);
    body 2: M = 1.5, D = (1, -300, 20), I = (3000, 9000, 9000);
    body 3: M = 0.4, I = (1049, 1056, 10);
    """
    m = dalembert.load(text).bound()
    for levers in ("few", "axial", "foot"):
        M, want = (composite(x, [0.3, -0.2, 0.003]) for x in (simplify(m, levers=levers), m))
        assert abs(float(M[0][2]) - float(want[0][2])) <= 1e-13 * 0.4 * 0.0023
