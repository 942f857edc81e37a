"""What URDF cannot hold is written as nearly as it can be, and noted."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Mat3, Vec3
from dalembert.inertia import Inertia
from dalembert.read import write


def test_friction_of_two_sizes_is_written_as_its_mean_with_a_note():
    m = da.robots.puma560()
    text, notes = write(m, "urdf")
    again = da.load(text)
    assert sum("one friction for both directions" in note for note in notes) == 6

    # far from rest the two ways differ by the Coulomb friction alone: its size is their mean
    q, qd = np.zeros(6), np.full(6, 0.7)
    sizes = [da.inverse_dynamics(r, q, v, q, drives="all") for r in (m, again) for v in (qd, -qd)]
    none = [da.inverse_dynamics(r, q, v, q, drives="none") for r in (m, again) for v in (qd, -qd)]
    friction = np.array(sizes) - np.array(none)
    np.testing.assert_allclose(friction[0] - friction[1], friction[2] - friction[3], rtol=1e-12)
    np.testing.assert_allclose(friction[2], -friction[3], rtol=1e-12)


def test_inertia_without_mass_is_written_and_a_first_moment_without_mass_noted():
    m = da.load("RZ(),TXK(1),RZ(),TXK(1); body 1: M=1, D=(0.5,0,0), I=(0,0.1,0.1); body 2: M=1;")
    tensor = Mat3.symmetric(1, 2, 3, 0, 0, 0)
    for lever, noted in ((Vec3(0, 0, 0), 0), (Vec3(1, 0, 0), 1)):
        odd = Inertia(0, lever, tensor, "origin")
        changed = replace(m, bodies=(m.bodies[0], replace(m.bodies[1], inertia=odd)))
        text, notes = write(changed, "urdf")
        again = da.load(text)
        assert sum("first moment" in note for note in notes) == noted
        assert again.bodies[1].inertia.mass == 0
        assert again.bodies[1].inertia.Io == tensor


@pytest.mark.parametrize(
    "phrase",
    [
        "RZ(-1,1),TXK(0.5); body 1: M=1,I=(.01,.01,.01);",
        "TZ(-1,1),TXK(0.5),TX(),TXK(1); body 1: M=1,I=(.01,.01,.01); body 2: M=1,I=(.01,.01,.01);",
        "RZ(),TXK(0.5); body 1: M=1,I=(.01,.01,.01);",
    ],
)
def test_limits_are_written_whole_and_unknown_ones_come_back_as_none(phrase):
    pin = pytest.importorskip("pinocchio")
    m = da.load(phrase)
    text, notes = write(m, "urdf")
    assert pin.buildModelFromXML(text).nv == m.nv  # raises where a limit lacks effort or velocity
    again = da.load(text)
    limits = [[b.limits or ((None, None),) for b in r.bodies if b.joint.nv] for r in (m, again)]
    assert limits[0] == limits[1]
    assert all(b.effort_limit is None and b.velocity_limit is None for b in again.bodies)
    assert any("1e9" in note for note in notes) == ("<limit" in text)
