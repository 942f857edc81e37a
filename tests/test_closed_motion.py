"""Kinematics and energies of closed machines are those of the closed motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from scissors import slider_crank_data

NAMES = ("fourbar", "fivebar", "delta")


@pytest.mark.parametrize("name", NAMES)
def test_only_the_rates_of_independent_joints_are_read(name):
    m, rng = getattr(da.robots, name)(), np.random.default_rng(1)
    q = da.regular_pose(m)
    x, qdd = rng.normal(size=da.mobility(m)), rng.normal(size=m.nv)
    qd = np.zeros(m.nv)
    qd[list(da.plan(m).independent)] = x
    full, accelerations = da.tree_motion(m, q, qd, qdd)
    assert da.kinetic_energy(m, q, qd) == pytest.approx(x @ da.active_mass_matrix(m, q) @ x / 2)
    assert da.kinetic_energy(m, q, qd) == pytest.approx(da.kinetic_energy(m.tree, q, full))
    np.testing.assert_allclose(da.momentum(m, q, qd), da.momentum(m.tree, q, full), atol=1e-12)
    frame = m.bodies[-1].name
    np.testing.assert_allclose(
        da.velocity(m, q, qd, frame=frame), da.velocity(m.tree, q, full, frame=frame), atol=1e-12
    )
    np.testing.assert_allclose(
        da.acceleration(m, q, qd, qdd, frame=frame),
        da.acceleration(m.tree, q, full, accelerations, frame=frame),
        atol=1e-10,
    )
    kernel = da.compile(m, "kinetic_energy")
    assert [p.name for p in kernel.outputs] == ["T", "residual", "pivot", "certificate"]


def test_an_open_pose_is_refused():
    m = da.robots.fivebar()
    with pytest.raises(da.ComputationError, match="open"):
        da.kinetic_energy(m, da.regular_pose(m) + 0.1, np.ones(4))


def test_a_dead_point_is_answered_where_all_rates_are_given():
    m = da.load(slider_crank_data())
    r = da.simulate(m, da.regular_pose(m), da.active_map(m, da.regular_pose(m)) @ [3.0],
                    t=np.linspace(0, 2, 201))  # fmt: skip
    T = da.kinetic_energy(m, r.q, r.qd)
    np.testing.assert_allclose(T, r.kinetic_energy, rtol=1e-7)


IN_MOTION = {
    "velocity": 1, "acceleration": 2, "jacobian_derivative": 1, "spatial_velocity": 1,
    "spatial_acceleration": 2, "momentum": 1, "kinetic_energy": 1, "acceleration_energy": 2,
    "energy_regressor": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", ["fivebar", "mobile_manipulator"])
@pytest.mark.parametrize("asked", IN_MOTION)
def test_rates_that_slip_or_open_a_loop_are_not_read(name, asked):
    m, rng = getattr(da.robots, name)(), np.random.default_rng(2)
    if not m.active:
        m = replace(m, active=tuple(m.rate_names[k] for k in da.plan(m).independent))
    q = da.regular_pose(m) if m.loops else rng.normal(size=m.nq)
    given = rng.normal(size=(2, m.nv))
    closed, orders = da.tree_motion(m, q, *given), IN_MOTION[asked]
    found = getattr(da, asked)(m, q, *given[:orders])
    wanted = getattr(da, asked)(m.tree, q, *closed[:orders])
    np.testing.assert_allclose(found, wanted, atol=1e-11)
    if (name, asked) != ("fivebar", "jacobian_derivative"):  # its last frame follows one crank
        assert np.abs(found - getattr(da, asked)(m.tree, q, *given[:orders])).max() > 1e-3


def test_rates_without_motors_are_one_motion_or_those_of_the_joints_that_lead():
    """Which joints lead is a matter of the plan there: no other rate is passed over in silence."""
    for m, wrong in ((replace(da.robots.fourbar(), active=()), 0), (da.robots.fivebar(), None),
                     (da.robots.differential_drive(), 0)):  # fmt: skip
        lead = list(da.plan(m).independent)
        q = da.assemble(m) if m.loops else np.full(m.nq, 0.3)
        qd = np.zeros((2, m.nv))
        qd[:, lead] = 0.7
        full, _ = da.tree_motion(m, q, qd, np.zeros(m.nv))
        T = da.kinetic_energy(m.tree, q, full)
        np.testing.assert_allclose(da.kinetic_energy(m, q, qd), T, rtol=1e-12)
        np.testing.assert_allclose(da.kinetic_energy(m, q, full), T, rtol=1e-12)
        if wrong is None:
            continue
        qd[1, wrong] += 0.1
        with pytest.raises(da.UsageError, match=r"one motion.*state 1.*no motor"):
            da.kinetic_energy(m, q, qd)
        with pytest.raises(da.UsageError, match="qdd is not one motion"):
            da.acceleration_energy(m, q, full[0], qd[1] + 0.3)
        da.kinetic_energy(m, q, qd, check=False)


def test_a_steered_machine_is_told_its_angle():
    truck = da.robots.truck()
    with pytest.raises(da.UsageError, match="steer"):
        da.kinetic_energy(truck, np.zeros(4), np.ones(4))
    T = da.kinetic_energy(truck, np.zeros(4), [2.0, 0, 0, 0], steer=[0.0], steer_rate=[0.0])
    assert pytest.approx((truck.values["m1"] + truck.values["m2"]) / 2 * 4) == T


def test_a_start_that_leaves_loops_open_is_told():
    m = da.robots.fourbar()
    q = da.assemble(m, {"crank": 0.7})
    assert not da.simulate(m, q.round(4), t=0.01).notes
    off = q + [0, 0.2, -0.1]
    (note,) = da.simulate(m, off, t=0.01).notes
    assert note.startswith("q0 leaves loops open: ") and "is changed by 0.2" in note


def test_rates_at_the_start_that_would_open_a_loop_are_told():
    """Motors lead, and a zero is what is not given: any other rate that is changed is told."""
    m = da.robots.fourbar()
    q = da.assemble(m, {"crank": 0.7})
    full, _ = da.tree_motion(m, q, [2.0, 0, 0], np.zeros(3))
    for qd in ([2.0, 0, 0], full, full.round(4)):
        assert not da.simulate(m, q, qd, t=0.01).notes
    (note,) = da.simulate(m, q, full + [0, 0.5, 0.1], t=0.01).notes
    assert note == "qd0 would open loops: coupler is changed by 0.5"
    (note,) = da.simulate(m, q, [0, 1.5, 0], t=0.01).notes  # it stays at rest
    assert note == "qd0 would open loops: coupler is changed by 1.5"
    (note,) = da.simulate(m, [q, q], [full, full + [0, 0, -0.3]], t=0.01).notes
    assert note == "qd0 would open loops: rocker is changed by 0.3"
    led = da.simulate(m, q, full + [0, 0.5, 0], t=0.01, motion={"crank": lambda t: q[0] + 2 * t})
    assert led.notes[0] == "qd0 would open loops: coupler is changed by 0.5"


@pytest.mark.parametrize("make", [
    lambda: (da.robots.fourbar(), "crank", da.assemble(da.robots.fourbar(), {"crank": 0.7})),
    lambda: (da.robots.unicycle(), "th", np.array([0, 0, 0.7])),
    lambda: (da.load("th: RZ(), TXK(1); body 1: M = 1, I = (1, 1, 1);"), "th", np.array([0.7])),
])  # fmt: skip
def test_a_prescribed_joint_that_starts_elsewhere_is_told(make):
    m, name, q = make()
    k = m.joint_names.index(name)
    qd = np.zeros(m.nv)
    motion = {name: lambda t: 0.7 + 2 * t}
    assert not da.simulate(m, q, qd, t=0.01, motion=motion).notes
    qd[k] = 2.0
    if not m.loops:
        assert not da.simulate(m, q, qd, t=0.01, motion=motion).notes
    qd[k], q[k] = 3.0, 0.6
    notes = da.simulate(m, q, qd, t=0.01, motion=motion).notes
    assert f"q0: {name} starts as its motion prescribes, 0.7" in notes
    assert f"qd0: {name} starts as its motion prescribes, 2" in notes
