"""Machines on wheels that are put together, or whose joints are locked."""

import numpy as np
import pytest

import dalembert as da

R = da.robots


def arm():
    links = "body 1: M = 1, D = (0.15, 0, 0); body 2: M = 0.5, D = (0.1, 0, 0);"
    return da.load(f"RZ(), TXK(0.3), RZ(), TXK(0.2); {links}")


def test_an_arm_on_a_cart_moves_as_one_machine():
    m = R.differential_drive().attach(arm(), "chassis")
    assert m.speeds == ("spin_left", "spin_right", "j1", "j2")
    rng = np.random.default_rng(1)
    s = [rng.uniform(-1, 1, n) for n in (7, 4, 0, 0, 7, 1)]
    both = [da.kane_motion(m, *s, method=x)[1] for x in ("kane", "multipliers")]
    np.testing.assert_allclose(*both, rtol=0, atol=1e-11)


def test_two_machines_of_one_kind_keep_their_own_constraints():
    cart = R.differential_drive()
    m = cart.attach(cart, "chassis")
    assert m.speeds[2:] == ("differential_drive_spin_left", "differential_drive_spin_right")
    names = [w.name for w in m.wheels] + [c.name for c in m.velocity_constraints]
    assert len(set(names)) == len(names) == 6
    # the upper one rolls on the lower as it would on the ground while that stands still
    q = np.zeros(10)
    q[5:] = [0.2, -0.1, 0.7, 0.3, 0.4]
    J = da.kane_J_nh(m, q, [])
    np.testing.assert_allclose(J[5:, 2:], da.kane_J_nh(cart, q[5:], []), rtol=0, atol=1e-14)
    np.testing.assert_allclose(J[:5, 2:], 0, rtol=0, atol=1e-14)


def test_two_steered_machines_have_two_steering_angles():
    m = R.truck(0).attach(R.truck(0).with_values(l1=2), "chassis.y")
    assert m.prescribed == ("delta", "car_delta")
    assert {w.steer for w in m.wheels} == {None, "delta", "car_delta"}
    assert m.speeds == ("v", "car_rear.v")
    assert da.kane_D(m, np.zeros(6), [0.1, 0.2]).shape == (2, 2)


def test_a_crane_that_gets_wheels_names_all_speeds():
    m = R.crane().attach(R.unicycle(), "trolley")
    assert m.speeds == ("trolley", "swing", "axle.v", "th")
    assert da.kane_speeds(m) == m.speeds


def test_a_locked_joint_is_no_speed():
    m = R.mobile_manipulator().lock(["elbow"], at=0.3)
    assert m.speeds == ("spin_left", "spin_right", "shoulder")
    q, whole = np.full(6, 0.2), np.full(7, 0.2)
    whole[6] = 0.3
    D = da.kane_D(R.mobile_manipulator(), whole, [])
    np.testing.assert_allclose(da.kane_D(m, q, []), D[:3, :3], rtol=1e-11)
    with pytest.raises(da.ModelError, match="the constraints leave 0") as error:
        da.kane_speeds(R.truck(1).lock(["phi1"]))
    assert error.value.hint == "they decide the motion"
