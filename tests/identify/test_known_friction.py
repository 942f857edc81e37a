"""Friction of the description beside an identification: known, replaced, or asked for."""

import numpy as np
import pytest

import dalembert as da

ARM = "RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 2, D = (0.5, 0, 0), I = (0, 0, 0.1);"
GEARED = {"Jm": 1e-2, "gear": -5, "coulomb": [0.3, -0.2], "viscous": 0.01}
FALLING = GEARED | {"static": [0.45, -0.3], "stribeck": 0.6}
T = np.linspace(0, 20, 2001)[:, None]
STATE = (
    np.sin(T) + 0.5 * np.sin(2.7 * T),
    np.cos(T) + 1.35 * np.cos(2.7 * T),
    -np.sin(T) - 3.645 * np.sin(2.7 * T),
)


def logged(real, m):
    """Return the log of a motion and its forces, friction counted, as m reads it."""
    heads = dict(zip(("q.j1", "qd.j1", "qdd.j1"), (x[:, 0] for x in STATE), strict=True))
    tau = da.inverse_dynamics(real, *STATE, drives="all")
    return da.read_motion({"t": T[:, 0], "tau.j1": tau[:, 0], **heads}, m), tau


@pytest.mark.parametrize("drive", [GEARED, FALLING])
@pytest.mark.parametrize("friction", [True, False, "asymmetric", "offset", "stribeck"])
@pytest.mark.parametrize("payload", [None, "tip"])
def test_the_machine_that_is_found_needs_the_forces_that_are_predicted(drive, friction, payload):
    m = da.load(ARM).with_drives({"j1": drive})
    real = m if payload is None else m.with_payload(payload, 0.7, (0, 0.1, 0))
    d, tau = logged(real, m)
    f = da.identify(m, d, friction=friction, payload=payload)
    again = da.inverse_dynamics(f.mechanism, *STATE, drives="all")
    np.testing.assert_allclose(f.predicted(), again, rtol=0, atol=1e-10)
    if drive is GEARED or not friction:  # the model can explain all
        np.testing.assert_allclose(again, tau, rtol=0, atol=1e-4)


def test_friction_that_is_not_asked_for_is_that_of_the_description():
    m = da.load(ARM).with_drives({"j1": GEARED})
    f = da.identify(m, logged(m, m)[0], friction=False)
    assert f.mechanism.drives[0].coulomb == m.drives[0].coulomb
    assert any("that of the description" in note for note in f.notes)


@pytest.mark.parametrize("friction", [True, "asymmetric", "offset"])
@pytest.mark.parametrize("static", [0.35, 0.8])
def test_a_joint_is_held_at_rest_by_no_less_than_the_friction_that_is_found(friction, static):
    known = {"coulomb": 0.3, "viscous": 0.1}
    m = da.load(ARM).with_drives({"j1": known | {"static": static}})
    real = da.load(ARM).with_drives({"j1": known | {"coulomb": 0.6}})
    (found,) = da.identify(m, logged(real, m)[0], friction=friction).mechanism.drives
    assert found.coulomb == pytest.approx((0.6, -0.6), abs=1e-3)
    assert found.static == pytest.approx((max(static, 0.6), -max(static, 0.6)), abs=1e-3)


def test_the_direction_of_gravity_is_found_beside_rotors_and_known_friction():
    m = da.load(ARM).with_drives({"j1": GEARED})
    real = m.with_gravity((3.0, -np.sqrt(9.81**2 - 9), 0))
    f = da.identify(m, logged(real, m)[0], friction=False, gravity=True)
    found = [float(x) for x in f.mechanism.gravity]
    np.testing.assert_allclose(found, [float(x) for x in real.gravity], rtol=0, atol=1e-5)


def test_a_regressor_refuses_friction_that_is_not_linear():
    m = da.load(ARM).with_drives({"j1": FALLING})
    state = [0.3], [0.4], [0.5]
    with pytest.raises(da.UsageError, match="not linear in its parameters"):
        da.regressor(m, *state, drives="all")
    Y, phi = da.regressor(m, *state), da.parameter_vector(m.bound())
    np.testing.assert_allclose(Y @ phi, da.inverse_dynamics(m, *state), rtol=1e-12)


def test_an_exciting_motion_of_a_machine_in_which_joints_follow():
    body = {"mass": 1, "com": [0.3, 0.05, 0], "inertia": [0.02, 0.02, 0.03]}
    joints = [{"type": "revolute", "name": n, "axis": [0, 0, 1]} for n in "ab"]
    joints[1]["placement"] = {"translation": [0.5, 0, 0]}
    m = da.load({
        "format": "dalembert/1", "gravity": [0, -9.81, 0],
        "bodies": [{"name": n, "parent": k - 1, "joint": joints[k], **body}
                   for k, n in enumerate("ab")],
        "couplings": [{"joint": "b", "of": "a", "ratio": -1.5, "offset": 0.3}],
    })  # fmt: skip
    x = da.excite(m, 4.0, 2)
    tau = da.inverse_dynamics(m, x.q, x.qd, x.qdd)
    f = da.identify(m, {"t": x.t, "q.a": x.q[:, 0], "qd.a": x.qd[:, 0], "qdd.a": x.qdd[:, 0],
                        "tau.a": tau[:, 0]}, friction=False)  # fmt: skip
    again = da.inverse_dynamics(f.mechanism, x.q, x.qd, x.qdd)
    np.testing.assert_allclose(again, tau, rtol=0, atol=1e-4)
