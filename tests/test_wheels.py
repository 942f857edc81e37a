"""Wheels and velocity constraints count in every quantity, or the quantity refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DescriptionError, ModelError, UsageError
from wheeled import Referee, castor, machine, snake


def test_a_robot_on_two_wheels_and_a_castor_does_not_spin_its_wheels_in_place():
    rng = np.random.default_rng(1)
    described = castor(rng)
    m, referee = da.load(described), Referee(described)
    q, tau = rng.uniform(-1, 1, m.nq), [0, 0, 0, 0.5, -0.3, 0, 0]
    for qd in (np.zeros(m.nv), referee.allowed(q, rng)):
        want = referee.accelerations(q, qd, tau)
        np.testing.assert_allclose(da.forward_dynamics(m, q, qd, tau), want, atol=1e-9)
        by_multipliers = da.forward_dynamics(m, q, qd, tau, method="multipliers")
        # the second wheel of the axle holds nothing more sideways: its row is left out
        np.testing.assert_allclose(by_multipliers, want, atol=1e-9)


def test_named_motors_give_back_the_forces_that_made_the_motion():
    rng = np.random.default_rng(2)
    described = castor(rng, ("pr", "pl"))
    m, referee = da.load(described), Referee(described)
    q = rng.uniform(-1, 1, (5, m.nq))
    qd = np.stack([referee.allowed(x, rng) for x in q])
    tau = rng.normal(size=(5, 2))
    qdd = da.forward_dynamics(m, q, qd, tau)
    want = [
        referee.accelerations(*s[:2], referee.spread(s[2])) for s in zip(q, qd, tau, strict=True)
    ]
    np.testing.assert_allclose(qdd, want, atol=1e-8)
    for name in ("inverse_dynamics", "active_torques"):
        for method in ("newton_euler", "world_spatial", "kane"):
            found = getattr(da, name)(m, q, qd, qdd, method=method)
            np.testing.assert_allclose(found, tau, atol=1e-10)
    kernel = da.compile(m, "inverse_dynamics")
    np.testing.assert_allclose(kernel(q, qd, qdd)[0], tau, atol=1e-10)
    assert [port.name for port in kernel.outputs][1:3] == ["residual", "pivot"]


@pytest.mark.parametrize("seed", range(12))
def test_random_machines_move_as_the_referee_says(seed):
    described, rng = machine(seed), np.random.default_rng([seed, 1])
    m, referee = da.load(described), Referee(described)
    q = rng.uniform(-1, 1, m.nq)
    qd, u = referee.allowed(q, rng), rng.normal(size=len(m.active))
    want = referee.accelerations(q, qd, referee.spread(u))
    size = 1 + abs(want).max()
    np.testing.assert_allclose(da.forward_dynamics(m, q, qd, u), want, atol=1e-9 * size)
    # motors may be spare: any forces that make the motion, of no larger norm
    found = da.inverse_dynamics(m, q, qd, want)
    made = referee.accelerations(q, qd, referee.spread(found))
    np.testing.assert_allclose(made, want, atol=1e-8 * size)
    assert np.linalg.norm(found) <= np.linalg.norm(u) + 1e-8


def snakeboard(heading):
    """Return a snakeboard, x leads beside its motors; its pose; rates of all joints, of leaders."""
    from machines.wheeled import wheeled

    data, _ = wheeled(3)
    m = da.load(data)
    assert [m.joint_names[k] for k in da.plan(m).independent] == ["front", "back", "rotor", "x"]
    q = np.array([0.1, 0.2, heading - 0.3, 0.3, 0.3, 0.1])  # both axles steer along the heading
    v = np.array([np.cos(heading), np.sin(heading), 0, 0.3, -0.2, 0.1])
    lead = v.copy()
    lead[[1, 2]] = 0
    return m, q, v, lead


@pytest.mark.parametrize("off", [0.5, 1e-2, 1e-4, 1e-7])
def test_leading_joints_stay_those_of_the_plan_where_they_hardly_lead(off):
    m, q, v, lead = snakeboard(np.pi / 2 - off)
    assert da.kinetic_energy(m, q, lead) == pytest.approx(da.kinetic_energy(m, q, v), rel=1e-6)
    assert da.momentum(m, [q, q], [v, lead])[1] == pytest.approx(da.momentum(m, q, v), abs=1e-6)
    G = da.active_map(m, q)
    assert G[0] == pytest.approx([0, 0, 0, 1], abs=1e-9)
    assert G[1, 3] == pytest.approx(v[1] / v[0], rel=1e-6)
    A = da.active_mass_matrix(m, q)
    assert lead[[3, 4, 5, 0]] @ A @ lead[[3, 4, 5, 0]] / 2 == pytest.approx(
        da.kinetic_energy(m, q, v), rel=1e-6
    )


def test_joints_that_cannot_lead_are_named_and_all_rates_are_asked_for():
    m, q, v, lead = snakeboard(np.pi / 2)
    with pytest.raises(da.SingularPose, match="active_mass_matrix: x cannot lead the motion here"):
        da.active_mass_matrix(m, q)
    k = da.compile(m, "active_mass_matrix", plan=da.plan(m, q))
    assert k(q)[0].shape == (4, 4)
    assert da.kinetic_energy(m, q, v) > 5
    lead[0] = 1e-3
    with pytest.raises(da.SingularPose, match="the rates given do not keep the constraints"):
        da.kinetic_energy(m, q, lead)


def test_hybrid_dynamics_lets_some_motors_follow_and_others_push():
    described = snake(np.random.default_rng(3), 3, ("p1", "p2"))
    m, referee = da.load(described), Referee(described)
    rng = np.random.default_rng(4)
    q = rng.uniform(-1, 1, m.nq)
    qd = referee.allowed(q, rng)
    x = np.zeros(m.nv)
    x[3], x[4] = 0.7, 0.2  # qdd of p1, force of p2
    qdd, tau = da.hybrid_dynamics(m, q, qd, x, given=["p1"])
    assert qdd[3] == pytest.approx(0.7) and tau[1] == pytest.approx(0.2)
    np.testing.assert_allclose(qdd, referee.accelerations(q, qd, referee.spread(tau)), atol=1e-8)


def test_derivatives_are_those_of_the_constrained_model():
    described = castor(np.random.default_rng(5), ("pl", "pr"))
    m, referee = da.load(described), Referee(described)
    rng = np.random.default_rng(6)
    q, tau = rng.uniform(-1, 1, m.nq), rng.normal(size=2)
    qd = referee.allowed(q, rng)
    by_q, by_qd, by_tau = da.forward_dynamics_derivatives(m, q, qd, tau)
    G, h = da.active_map(m, q), 1e-6
    for k in range(2):
        ends = [
            da.forward_dynamics(m, q + s * h * G[:, k], _same(m, q + s * h * G[:, k], qd), tau)
            for s in (1, -1)
        ]
        np.testing.assert_allclose(by_q[:, k], (ends[0] - ends[1]) / (2 * h), atol=1e-6)
        ends = [da.forward_dynamics(m, q, qd + s * h * G[:, k], tau) for s in (1, -1)]
        np.testing.assert_allclose(by_qd[:, k], (ends[0] - ends[1]) / (2 * h), atol=1e-6)
        more = tau + np.eye(2)[k]
        slope = da.forward_dynamics(m, q, qd, more) - da.forward_dynamics(m, q, qd, tau)
        np.testing.assert_allclose(by_tau[:, k], slope, atol=1e-9)


def _same(m, q, qd):
    """Return rates at another pose with the same rates of the motors."""
    return da.tree_motion(m, q, qd, np.zeros(m.nv))[0]


def test_steering_that_is_no_joint_is_told_to_the_quantities():
    m = da.robots.truck(1)
    rng = np.random.default_rng(7)
    q, tau = rng.uniform(-0.3, 0.3, m.nq), rng.normal(size=m.nv)
    qd, qdd = da.kane_motion(m, q, [1.3], [0.2], [0.4], tau, np.zeros(3))
    np.testing.assert_allclose(da.forward_dynamics(m, q, qd, tau, [0.2], [0.4]), qdd, atol=1e-12)
    with pytest.raises(da.UsageError, match="steer"):
        da.forward_dynamics(m, q, qd, tau)


@pytest.mark.parametrize("name", ["mass_matrix", "gravity", "coriolis", "coriolis_matrix", "bias",
                                  "lagrange_coefficients", "regressor"])  # fmt: skip
def test_models_of_the_tree_alone_are_refused_on_wheels(name):
    m = da.robots.unicycle()
    row = next(r for r in da.catalog() if r.name == name)
    inputs = [np.zeros(m.nv) for _ in row.inputs]
    with pytest.raises(da.UsageError, match=name) as error:
        getattr(da, name)(m, *inputs)
    assert "m.tree" in error.value.hint and "active_" in error.value.hint
    getattr(da, name)(m.tree, *inputs)


def test_the_mass_matrix_of_the_motors_is_that_of_the_speeds():
    m = replace(da.robots.differential_drive(), active=("spin_left", "spin_right"))
    q = np.array([0.2, -0.1, 0.7, 0.0, 0.0])
    by_speeds = replace(m, speeds=("spin_left", "spin_right"))
    np.testing.assert_allclose(da.active_mass_matrix(m, q), da.kane_D(by_speeds, q, []), atol=1e-12)


def test_forces_are_refused_where_no_motor_is_named_or_where_motors_cannot():
    m = da.robots.unicycle()
    still = np.zeros(m.nv)
    for name in ("inverse_dynamics", "active_torques"):
        with pytest.raises(da.UsageError, match="no motor is named") as error:
            getattr(da, name)(m, still, still, still)
        assert "active" in error.value.hint
    with pytest.raises(da.UsageError, match="no motor is named"):
        da.hybrid_dynamics(m, still, still, still)
    one = replace(m, active=("th",))  # turns, and cannot drive ahead
    with pytest.raises(da.ComputationError, match=r"cannot make this motion.*'x'") as error:
        da.inverse_dynamics(one, still, still, [1.0, 0.0, 0.0])
    assert "active" in error.value.hint
    turning = da.forward_dynamics(one, still, still, [0.3])
    np.testing.assert_allclose(da.inverse_dynamics(one, still, still, turning), [0.3])


def test_the_hint_for_missing_motors_names_the_spins_of_the_wheels():
    m = da.load(castor(np.random.default_rng(3)))
    still = np.zeros(m.nv)
    with pytest.raises(da.UsageError, match="no motor is named") as error:
        da.inverse_dynamics(m, still, still, still)
    assert 'active = ["pl", "pr", "roll"]' in error.value.hint


@pytest.mark.parametrize("speeds", [(), ("p1", "p2"), ("w0.v", "th")])
def test_a_snake_on_passive_wheels_keeps_its_energy_whatever_speeds_are_named(speeds):
    described = snake(np.random.default_rng(3), 3)
    m, referee = da.load({**described, "speeds": list(speeds)}), Referee(described)
    q0 = np.array([0, 0, 0.3, 0.4, -0.2])
    qd0 = referee.allowed(q0, np.random.default_rng(1))
    r = da.simulate(m, q0, qd0, t=10.0, rtol=1e-8)
    assert np.ptp(r.energy) < 1e-7 * r.energy.max()
    np.testing.assert_allclose(
        r.q[-1], [-0.2784434, 0.7387007, -5.7407531, 1.4248814, 1.089693], atol=2e-6
    )
    slip = np.einsum("tij,tj->ti", [referee.rows(x) for x in r.q], r.qd)
    assert abs(slip).max() < 1e-12
    # the named speeds are those of the rates
    np.testing.assert_allclose(
        np.einsum("tij,tj->ti", da.kane_J_nh(m, r.q[::20], []), r.speeds[::20]), r.qd[::20],
        atol=1e-9,
    )  # fmt: skip


def test_a_straight_start_works_with_rates_and_says_which_speeds_do_not_decide():
    m = da.load({**snake(np.random.default_rng(3), 3), "speeds": ["p1", "p2"]})
    straight = np.zeros(5)
    r = da.simulate(m, straight, [1, 0, 0, 0, 0], t=[0.0, 2.0])
    np.testing.assert_allclose(r.q[-1], [2, 0, 0, 0, 0], atol=1e-9)
    with pytest.raises(da.SingularPose, match="speeds p1, p2 do not decide the motion"):
        da.simulate(m, straight, [1.0, 0.5], t=[0.0, 2.0])


def test_a_machine_with_redundant_wheels_is_simulated():
    rng = np.random.default_rng(9)
    described = castor(rng, ("pl", "pr"))
    m, referee = da.load(described), Referee(described)
    q0 = np.array([0, 0, 0, 0, 0, 0.3, 0])
    qd0 = referee.allowed(q0, rng)
    r = da.simulate(m, q0, qd0, t=5.0)
    assert np.ptp(r.energy) < 1e-7 * r.energy.max()
    assert abs(np.einsum("tij,tj->ti", [referee.rows(x) for x in r.q], r.qd)).max() < 1e-11


def test_assembly_closes_equations_of_the_coordinates():
    slide = {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}
    turn = {"type": "revolute", "name": "th", "axis": [0, 0, 1]}
    yoke = da.load({
        "format": "dalembert/1", "speeds": ["th"], "active": ["th"],
        "bodies": [{"name": "yoke", "parent": -1, "joint": slide, "mass": 2},
                   {"name": "crank", "parent": -1, "joint": turn, "mass": 1,
                    "inertia": [0, 0, 0.1]}],
        "velocity_constraints": [{"name": "slot", "equation": "x = 0.3*cos(th)"}],
    })  # fmt: skip
    want = [0.3 * np.cos(0.5), 0.5]
    np.testing.assert_allclose(da.assembly(yoke, [0.0, 0.5]), want, atol=1e-12)
    np.testing.assert_allclose(da.assemble(yoke, [0.0, 0.5], hold=["th"]), want, atol=1e-12)
    assert da.kane_D(yoke, want, []).shape == (1, 1)
    # x follows: 2 (0.3 s)^2 + 0.1 turns
    s = np.sin(0.5)
    qdd = da.forward_dynamics(yoke, want, [0.0, 0.0], [1.0])
    assert qdd[1] == pytest.approx(1 / (0.1 + 2 * (0.3 * s) ** 2))
    with pytest.raises(da.ComputationError, match="slot"):
        da.forward_dynamics(yoke, [0.0, 0.5], [0.0, 0.0], [1.0])


CART = [
    {"name": "c", "parent": -1, "joint": {"type": "planar", "name": "base"}, "mass": 10,
     "inertia": [0, 0, 2]},
    {"name": "w", "parent": "c", "joint": {"type": "revolute", "name": "spin", "axis": [0, 1, 0]},
     "mass": 1, "inertia": [0.01, 0.02, 0.01]},
]  # fmt: skip
DRIVE = {"name": "drive", "body": "c", "point": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3,
         "spin": "spin"}  # fmt: skip


def cart(*wheels, **more):
    return da.load({"format": "dalembert/1", "bodies": CART, "wheels": list(wheels), **more})


def test_a_positive_spin_rolls_along_the_normal_times_the_vertical():
    """A wheel seen from its other side rolls the other way; an axle against its normal is told."""
    ahead = da.forward_dynamics(cart(DRIVE, active=["spin"]), [0] * 4, [0] * 4, [1.0])
    np.testing.assert_allclose(
        ahead, np.array([0.3, 0, 0, 1]) / (11 * 0.3**2 + 0.02), rtol=0, atol=1e-12
    )
    with pytest.raises(ModelError, match="turns about the axis opposite to its normal") as error:
        cart(DRIVE | {"normal": [0, -1, 0]})
    assert error.value.hint == "write normal = [0, 1, 0], the axis of the spin"


@pytest.mark.parametrize("change, said", [
    ({"radius": -0.3}, "its radius is -0.3"),
    ({"radius": "0*r"}, "its radius is 0"),
    ({"tyre": {"stiffness": -5}}, "stiffness of its tyre is -5"),
    ({"tyre": {"stiffness": 5, "peak": 0}}, "peak of its tyre is 0"),
])  # fmt: skip
def test_wheels_that_cannot_be_say_why(change, said):
    with pytest.raises(ModelError, match=said) as error:
        cart(DRIVE | change, parameters={"r": 1})
    assert "> 0" in error.value.hint


@pytest.mark.parametrize("more", [
    {"velocity_constraints": [{"name": "p", "equation": "v(c).x = 1"},
                              {"name": "q", "equation": "v(c).x = 2"}]},
    {"velocity_constraints": [{"name": "p", "equation": "v(c).x = 2*t"}], "prescribed": ["spin"]},
])  # fmt: skip
def test_equations_that_contradict_are_told_by_every_quantity(more):
    m = cart(DRIVE, **more)
    told = ([1.0, 0.5], [0.0, 1.0]) if m.prescribed else ()
    with pytest.raises(ModelError, match="contradicts"):
        da.forward_dynamics(m, [0] * 4, [0] * 4, [0] * 4, *told)


@pytest.mark.parametrize("equation, said", [
    ("t*base.thetad", "depends on time"), ("base.thetad**2", "not linear"),
])  # fmt: skip
def test_speeds_that_cannot_be_say_why(equation, said):
    with pytest.raises(DescriptionError, match=said):
        cart(DRIVE, speeds=["v", {"name": "u", "equation": equation}])


def test_the_forces_of_a_run_are_named_where_their_number_is_wrong():
    with pytest.raises(UsageError, match=r"shape \(2,\)") as error:
        da.simulate(cart(DRIVE, active=["spin"]), torque=[1.0, 2.0], t=[0, 1])
    assert "base.theta, spin, drive.traction" in error.value.hint


def test_rates_that_break_a_wheel_are_changed_and_said():
    m = cart({k: DRIVE[k] for k in ("name", "body", "point", "normal")})
    r = da.simulate(m, np.zeros(4), [1.0, 0.5, 0, 0], t=[0, 1])
    assert r.notes == ("qd0 breaks the constraints: base.y is changed by 0.5",)
    np.testing.assert_allclose(r.q[-1], [1, 0, 0, 0], atol=1e-9)
    assert da.simulate(m, np.zeros(4), [1.0, 0, 0, 0], t=[0, 1]).notes == ()


def test_an_axle_across_the_normal_of_its_wheel_is_refused():
    """Its rim would roll along its axle."""
    hub = {"type": "revolute", "name": "spin", "axis": [0, 1, 0]}
    wheel = {"name": "left", "body": "cart", "point": [0, 0, 0], "radius": 0.2, "spin": "spin",
             "normal": [1, 0, 0]}  # fmt: skip
    file = {
        "format": "dalembert/1", "wheels": [wheel],
        "bodies": [{"name": "cart", "parent": -1, "joint": {"type": "planar", "name": "p"}},
                   {"name": "rim", "parent": "cart", "joint": hub, "mass": 1}],
    }  # fmt: skip
    with pytest.raises(ModelError, match="does not turn about its normal") as error:
        da.load(file)
    assert "normal = [0, 1, 0]" in error.value.hint
    wheel["normal"] = [0, 1, 0]
    assert len(da.kane_speeds(da.load(file))) == 2


@pytest.mark.parametrize("forces", [{"drives": "all"}, {"wrench_on_body": np.zeros((5, 6))}])
def test_a_motion_of_all_joints_is_taken_with_drives_and_wrenches(forces):
    """No motor is named: whether qd is one motion is looked at, whatever forces are counted."""
    m = da.robots.differential_drive()
    r = da.simulate(m, None, [0.5, 0.3], t=[0.0, 0.4])
    assert m.nv == len(m.bodies) == 5 and np.abs(r.qd[-1]).min() > 0
    given = r.q[-1], r.qd[-1], np.full(5, 0.1)
    wanted = da.forward_dynamics(m, *given)
    assert np.abs(da.forward_dynamics(m, *given, **forces) - wanted).max() < 1e-12
    with pytest.raises(da.UsageError, match="qd is not one motion"):
        da.forward_dynamics(m, given[0], np.ones(5), given[2], **forces)
