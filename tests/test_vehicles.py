"""Vehicles as users write them, through every door, against maximal coordinates."""

import numpy as np
import pytest

import dalembert as da
import referee
from machines.vehicles import CORNERS, ROLLING, SKID


def placed(data, seed=3):
    """Return (machine, q, qd, forces of the motors or of all joints, what is prescribed)."""
    m, rng = da.load(data), np.random.default_rng(seed)
    q = np.array(da.integrate(m.tree, da.neutral(m.tree), rng.uniform(-0.2, 0.2, m.nv)))
    q[[k for k, n in enumerate(m.coordinate_names) if n.endswith(".pz")]] += 0.4
    given = {n: (0.2, 0.1) for n in m.prescribed}
    q = referee.close(data, q, given=given)
    qd, _ = referee.feasible(data, q, rng, given=given)
    return m, q, qd, rng.uniform(-1, 1, len(m.active) or m.nv), given


@pytest.mark.parametrize("name", ROLLING)
def test_vehicles_move_as_maximal_coordinates_say(name):
    data = ROLLING[name]
    m, q, qd, tau, given = placed(data)
    wanted = referee.forward(data, q, qd, tau, given=given)
    told = tuple([x[k] for x in given.values()] for k in (0, 1)) if given else ()
    found = da.forward_dynamics(m, q, qd, tau, *told)
    scale = 1 + np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * scale)
    if m.active:
        back = da.inverse_dynamics(m, q, qd, wanted, *told)
        np.testing.assert_allclose(back, tau, rtol=0, atol=1e-10 * scale)


@pytest.mark.parametrize("name", [n for n in ROLLING if n not in ("motorcycle", "ballbot")])
def test_vehicles_print_their_steps_and_stand(name):
    m, q, *_ = placed(ROLLING[name])
    assert da.kane_form(m).text().count("# step") == 10
    still = {n: 0.2 for n in m.prescribed} or None
    r = da.simulate(m, q, np.zeros(len(da.kane_speeds(m))), t=[0, 0.2], motion=still)
    energy = r.energy
    assert np.abs(energy - energy[0]).max() < 1e-6 * (1 + np.abs(energy).max())
    angles = {n: x for n, x in (still or {}).items() if n not in m.joint_names}
    assert da.linearize(m, q, steer=angles).reduced.A.size


def test_steering_is_linearized_by_name_and_its_absence_said():
    m = da.load(ROLLING["tractor"])
    by_name = da.linearize(m, steer={"delta": 0.1})
    np.testing.assert_array_equal(by_name.A, da.linearize(m, steer=[0.1]).A)
    assert by_name.notes == ()
    assert da.linearize(m).notes == ("steering delta is not given and stays 0: give steer=",)
    with pytest.raises(da.UsageError, match="there is no 'dleta'"):
        da.linearize(m, steer={"dleta": 0.1})
    with pytest.raises(da.UsageError, match="'h1' is a joint, no steering angle"):
        da.linearize(m, steer={"h1": 0.1})


def test_a_skid_steer_is_pushed_by_its_tyres():
    m, (c, s), rate, com = da.load(SKID), (np.cos(0.3), np.sin(0.3)), 0.5, 0.05
    qd = np.array([1.0, 0.4, rate])
    ahead, aside = c * qd[0] + s * qd[1], -s * qd[0] + c * qd[1]
    force = couple = 0.0
    for x, y in CORNERS:
        slip = np.arctan2(aside + rate * x, np.hypot(ahead - rate * y, 0.1))
        own = -8000 * slip / np.hypot(1, 8000 * slip / 900)
        force, couple = force + own, couple + (x - com) * own
    turn = couple / 60
    along, across = rate**2 * com, force / 300 - turn * com
    wanted = [c * along - s * across, s * along + c * across, turn]
    found = da.forward_dynamics(m, [0, 0, 0.3], qd, np.zeros(3))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
