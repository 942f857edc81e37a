"""tau = Y phi, and how many combinations of parameters the forces feel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
import textbook
from agreement import assert_forces, drive_scale, floats, force_scale
from dalembert.algebra import Mat3, Transform, Vec3
from dalembert.algorithms.regressor import parameter_names, parameter_vector, regressor
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Revolute
from dalembert.mechanism import Body, Drive, Mechanism
from mechanisms import random_mechanisms, random_state
from models import newton_euler


@pytest.mark.parametrize("drives", ["none", "inertia", "all"])
def test_forces_are_linear_in_the_inertial_parameters(drives):
    for m in random_mechanisms(60, 90, dof=(1, 15)):
        b, (q, qd, qdd) = m.bound(), random_state(m, 90)
        Y = floats(regressor(b, q, qd, qdd, drives))
        phi = floats(parameter_vector(b, drives))
        assert Y.shape == (m.nv, len(phi)) == (m.nv, len(parameter_names(b, drives)))
        scale = force_scale(b, q, qd, qdd) + drive_scale(b, qd, qdd)
        tau = newton_euler(b, q, qd, qdd, drives=drives)
        assert_forces(Y @ phi, tau, scale, m.name)


def rank(m, samples=12):
    """Return rank of Y over many states: the number of base parameters."""
    rows = []
    for seed in range(samples):
        q, qd, qdd = np.random.default_rng(seed).normal(size=(3, m.nv)).tolist()
        rows.append(floats(regressor(m, q, qd, qdd, "none")))
    return int(np.linalg.matrix_rank(np.vstack(rows), tol=1e-9))


def test_the_rank_is_the_number_of_base_parameters():
    # planar 2R under gravity in its plane: ZZ1R, MX1R, MY1, ZZ2, MX2, MY2
    D = textbook.DATA
    assert rank(textbook.planar_2r(**D)) == 6
    assert rank(textbook.pendulum()) == 3  # ZZ, MX, MY


def test_the_puma_has_thirty_six_base_parameters():
    # Gautier and Khalil (1990): 36 for the PUMA 560 without rotors
    half = np.pi / 2
    rows = [(0, 0, 0, 0), (-half, 0, 0, 0), (0, 0.4318, 0.15, 0), (-half, 0.0203, 0.4318, 0),
            (half, 0, 0, 0), (-half, 0, 0, 0)]  # fmt: skip
    from dalembert.algebra import Rotation

    load = Inertia(1.0, Vec3(0.1, 0.2, 0.3), Mat3.symmetric(1.0, 1.1, 1.2, 0.1, 0.2, 0.3))
    bodies = []
    for j, (alpha, d, r, _) in enumerate(rows):
        R = Rotation.about(0, float(alpha))
        T = Transform(R, Vec3(float(d), 0.0, 0.0) + R @ Vec3(0.0, 0.0, float(r)))
        bodies.append(Body(f"b{j}", j - 1, T, Revolute(), load))
    assert rank(Mechanism(tuple(bodies)).bound(), 40) == 36


def test_the_columns_of_drives_have_their_names():
    load = Inertia(1.0, Vec3(1.0, 0.0, 0.0))
    bodies = (Body("a", -1, joint=Revolute(UNITS[1]), inertia=load),)
    for coulomb, names in (((2, -2), ["Ia", "Fv", "Fs"]), ((2, -3), ["Ia", "Fv", "Fs+", "Fs-"])):
        m = Mechanism(bodies, drives=(Drive(0, 0.1, -5, coulomb, 0.3),)).bound()
        assert parameter_names(m, "all")[10:] == [f"{n}.a" for n in names]
        assert parameter_names(m, "none")[10:] == []
        for speed in (1.5, -1.5, 0.0):
            Y, phi = regressor(m, [0.2], [speed], [0.7], "all"), parameter_vector(m, "all")
            tau = newton_euler(m, [0.2], [speed], [0.7], drives="all")
            assert_allclose(floats(Y) @ floats(phi), tau, rtol=1e-14)


def test_columns_are_named_in_the_order_of_the_regressor():
    m = da.robots.puma560()
    for drives in ("inertia", "all", "none"):
        for columns in ("standard", "base"):
            names = da.parameter_names(m, drives, columns)
            Y = da.regressor(m, *np.full((3, 6), 0.3), drives=drives, columns=columns)
            assert len(names) == len(set(names)) == Y.shape[1]
    # a change of one named number moves the forces along its column
    more = m.with_payload("j3", 0.5)
    phi, other = (np.array(da.parameter_vector(x.bound()), dtype=float) for x in (m, more))
    (changed,) = np.flatnonzero(abs(phi - other) > 1e-12)
    assert da.parameter_names(m)[changed] == "m.j3"
    with pytest.raises(da.UsageError, match="unknown columns 'all'"):
        da.parameter_names(m, columns="all")
