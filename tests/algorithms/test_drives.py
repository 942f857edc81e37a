"""Rotor inertia and friction: the signs of gears and of speeds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.algebra import Vec3
from dalembert.algorithms.drives import friction, rotor_inertia, rounded
from dalembert.errors import ModelError, UsageError
from dalembert.expr import Graph, trace
from dalembert.inertia import Inertia
from dalembert.joint import Revolute, Spherical
from dalembert.mechanism import Body, Drive, Mechanism
from models import articulated_body, newton_euler


def arm(drive, joint=Revolute()):  # noqa: B008 - a frozen value
    body = Body("a", -1, joint=joint, inertia=Inertia(1.0, Vec3(0.5, 0.0, 0.0)))
    return Mechanism((body,), drives=(drive,)).bound()


# motor data of the first joint of the PUMA 560, gear negative
PUMA = Drive(0, 200e-6, -62.6111, (0.395, -0.435), 1.48e-3)


@pytest.mark.parametrize("speed", [2.0, -2.0, 0.0])
def test_friction_opposes_motion_whatever_the_sign_of_the_gear(speed):
    N = 62.6111
    coulomb = {1: 0.395, -1: -0.435, 0: 0.0}[np.sign(speed)]
    expected = N * (1.48e-3 * N * speed + coulomb)
    assert_allclose(friction(arm(PUMA), [speed])[0], expected, rtol=1e-14)
    assert expected * speed >= 0


def test_rounded_friction_is_zero_at_rest_and_has_both_levels_far_from_it():
    m = arm(PUMA)
    smooth = rounded(m, 1e-6)
    for speed in (2.0, -2.0, 0.0):
        assert_allclose(friction(smooth, [speed])[0], friction(m, [speed])[0], rtol=1e-9)
    mean, half = (0.395 - 0.435) / 2, (0.395 + 0.435) / 2  # where q̇² is the square of the width
    at = 62.6111 * (half / np.sqrt(2) + mean / 2 + 1.48e-3 * 62.6111 * 1e-6)
    assert_allclose(friction(smooth, [1e-6])[0], at, rtol=1e-12)


def test_the_rotor_is_felt_with_the_square_of_the_gear():
    assert_allclose(rotor_inertia(arm(PUMA))[0], 62.6111**2 * 200e-6, rtol=1e-14)
    assert rotor_inertia(arm(PUMA), "none") == {}
    assert friction(arm(PUMA), [1.0], "inertia") == {}


def test_what_each_choice_adds_to_the_torque():
    m = arm(PUMA)
    tau = {d: newton_euler(m, [0.3], [1.0], [2.0], drives=d)[0] for d in ("none", "inertia", "all")}
    assert_allclose(tau["inertia"] - tau["none"], 2 * rotor_inertia(m)[0], rtol=1e-13)
    assert_allclose(tau["all"] - tau["inertia"], friction(m, [1.0])[0], rtol=1e-12)
    for choice, torque in tau.items():
        qdd = articulated_body(m, [0.3], [1.0], [torque], drives=choice)
        assert_allclose(qdd, [2.0], rtol=1e-12)


def test_arrays_and_the_graph_know_both_senses():
    m = arm(PUMA)
    speeds = np.array([-1.0, 0.0, 2.0])
    expected = [friction(m, [float(v)])[0] for v in speeds]
    assert_allclose(friction(m, [speeds])[0], expected)
    graph = Graph()
    f = trace(lambda qd: [friction(m, qd)[0]], [("qd", 1)], graph=graph)
    assert_allclose([f([float(v)])[0] for v in speeds], expected)
    assert_allclose(f([speeds])[0], expected)


def test_a_drive_on_a_ball_joint_and_an_unknown_choice_are_refused():
    with pytest.raises(ModelError, match="3 degrees of freedom"):
        rotor_inertia(arm(Drive(0, 1), Spherical()))
    with pytest.raises(UsageError, match="unknown drives"):
        newton_euler(arm(PUMA), [0.0], [0.0], [0.0], drives="some")
