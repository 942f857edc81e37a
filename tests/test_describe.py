"""Inputs by name, and the place that an error names."""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import describe
from dalembert.expr import Port

ZERO = np.zeros(6)


def test_inputs_may_be_named():
    m = da.robots.puma560()
    q, qd, qdd = np.linspace(0.1, 0.9, 18).reshape(3, 6)
    tau = da.inverse_dynamics(m, q, qd, qdd)
    assert (da.inverse_dynamics(m, qdd=qdd, q=q, qd=qd) == tau).all()
    assert (da.inverse_dynamics(m, q, qdd=qdd, qd=qd, drives="inertia") == tau).all()
    wrench = np.full((6, 6), 0.5)
    loaded = da.inverse_dynamics(m, q, qd, qdd, wrench_on_body=wrench)
    assert (da.inverse_dynamics(m, q=q, qd=qd, qdd=qdd, wrench_on_body=wrench) == loaded).all()


def test_motor_forces_have_two_names_where_loops_close_the_tree():
    m = da.robots.fivebar()
    q, qd, tau = da.assemble(m), np.zeros(4), [1.0, 2.0]
    qdd = da.forward_dynamics(m, q, qd, tau)
    assert (da.forward_dynamics(m, q, qd, tau=tau) == qdd).all()
    assert (da.forward_dynamics(m, q, qd, tau_active=tau) == qdd).all()


@pytest.mark.parametrize(
    "inputs, named, said",
    [
        ((ZERO,), {"qdd": ZERO}, r"inverse_dynamics: input 'qd' is missing"),
        ((), {"qd": ZERO}, r"inverse_dynamics: inputs \['q', 'qdd'\] are missing"),
        ((ZERO, ZERO, ZERO), {"q": ZERO}, "input 'q' is given twice"),
        ((ZERO,) * 4, {}, "takes 3 inputs, not 4"),
        ((ZERO,) * 3, {"tau": ZERO}, "has no option 'tau'"),
    ],
)
def test_an_input_that_is_missing_or_too_many_is_named(inputs, named, said):
    with pytest.raises(da.UsageError, match=said) as caught:
        da.inverse_dynamics(da.robots.puma560(), *inputs, **named)
    assert caught.value.hint


def broken(*shape: int, at: tuple[int, ...]) -> np.ndarray:
    array = np.zeros(shape)
    array[at] = np.nan
    return array


def test_a_motor_is_named_where_motor_forces_fail():
    m = da.robots.stewart()
    without_leg = np.eye(4)  # the platform stands on the foot of its first leg
    without_leg[:3, 3] = np.array([0.4924, -0.0868, 0]) - [0.1928, -0.2298, 0]
    with pytest.raises(da.ComputationError, match="tau is not finite at motor 'L1_upper'"):
        da.actuator_forces(m, without_leg, ZERO, ZERO)
    with pytest.raises(da.ComputationError, match="'twist' is not finite at entry 2"):
        da.actuator_forces(m, np.eye(4), broken(6, at=(2,)), ZERO)
    with pytest.raises(da.ComputationError, match=r"'pose' is not finite at entry \(1, 3\)"):
        da.platform_jacobian(m, np.eye(4) + broken(4, 4, at=(1, 3)))


def test_the_joint_and_the_state_of_an_input_are_named():
    m = da.robots.flying_arm()
    q = np.tile(da.neutral(m), (3, 1))
    q[2, 8] = np.nan
    with pytest.raises(da.ComputationError, match="'q' is not finite at joint 'j2', state 2"):
        da.mass_matrix(m, q)
    with pytest.raises(da.ComputationError, match="'qdd_joints' is not finite at joint 'j2'"):
        da.moving_base_inverse(m, da.neutral(m), np.zeros(8), [0.0, np.nan])
    with pytest.raises(da.ComputationError, match=r"'qd' is not finite at joint 'base\.wx'"):
        da.bias(m, da.neutral(m), broken(2, 8, at=(1, 3)))


def test_motors_of_loops_and_steering_of_wheels_are_named():
    m = da.robots.fivebar()
    q = da.assemble(m)
    with pytest.raises(da.ComputationError, match=f"at motor '{m.active[1]}'"):
        da.forward_dynamics(m, q, np.zeros(4), [0.0, np.nan])
    truck = da.robots.truck()
    state = [np.zeros(4), [1.0], [0.1], [0.0], np.zeros(4)]
    with pytest.raises(da.ComputationError, match="'traction' is not finite at wheel 'front'"):
        da.alpha_dot(truck, *state, [0.0, np.nan, 0.0])
    state[3] = [np.nan]
    with pytest.raises(da.ComputationError, match="not finite at steering 'delta'"):
        da.alpha_dot(truck, *state, np.zeros(3))


def test_an_entry_of_a_matrix_is_no_joint():
    m = da.robots.puma560()
    spot = describe.spot
    assert spot(m, "mass_matrix", Port("M", (6, 6)), (4, 2, 3)) == " at entry (2, 3), state 4"
    assert spot(m, "momentum", Port("h", (6,)), (2,)) == " at entry 2"
    assert spot(m, "bias", Port("h", (6,)), (2,)) == " at joint 'j3'"
    assert spot(m, "kinetic_energy", Port("T", ()), (1, 5)) == ", state (1, 5)"


def test_every_entry_of_every_quantity_has_a_unit():
    from dalembert.catalog import input_shape
    from dalembert.catalog.axes import input_port

    m = da.robots.stanford()
    tau, M = (da.catalog()[n].outputs[0] for n in ("inverse_dynamics", "mass_matrix"))
    assert tau.units(m)[2:4] == ["N", "N m"]
    assert M.units(m)[14:16] == ["kg", "kg m"]
    assert da.catalog()["kinetic_energy"].outputs[0].units(m) == ["J"]
    assert da.catalog()["acceleration_energy"].unit == "J/s2"
    assert input_port("qd").units(m) == ["rad/s", "rad/s", "m/s", "rad/s", "rad/s", "rad/s"]
    for row in da.catalog():
        assert row.unit and all(input_shape(n, m) for n in row.inputs if n == "q")
