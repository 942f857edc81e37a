"""What comes out of honest logs of whole machines."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.identify.closing import closed
from dalembert.identify.loop_noise import loop_noise
from dalembert.identify.unknowns import unknowns
from dalembert.mechanism import Drive
from logged import friction_of, honest, moving, rubbed, swayed, table_of, walk, walker

pytest.importorskip("scipy")


def test_a_ur5_with_a_late_and_broken_log():
    true = rubbed(da.robots.ur5(), 4.0, 3.0)
    t, q, qd, qdd = moving(true, 20, 250)
    tau = da.inverse_dynamics(true, q, qd, qdd, drives="all")
    table = honest(true, t, q, tau, delay=0.008)
    nominal = replace(true, bodies=tuple(
        replace(b, inertia=b.inertia.map(lambda x: 1.2 * x)) for b in true.bodies
    ), drives=())  # fmt: skip
    d = da.read_motion(table, nominal, cutoff=8.0)
    f = da.identify(nominal, d, delay="auto")
    for name, x in friction_of(f).items():
        assert x == pytest.approx(4.0 if name.startswith("Fv") else 3.0, rel=0.02), name
    assert any("ms late" in n for n in f.notes) and f.physical
    late = float(next(n for n in f.notes if "ms late" in n).split()[2])
    assert late == pytest.approx(8.0, abs=0.5)
    assert min(f.r_squared.values()) > 0.98
    v = f.validate(0.2)
    assert (v.identified < 0.5 * v.nominal).all() and "off by" in repr(v)


def test_a_payload_of_a_panda_to_one_percent():
    bare = rubbed(da.robots.panda(), 1.0, 0.5)
    true = bare.with_payload(bare.frames[-1], 1.5, (0.02, 0.01, 0.08), [4e-3, 4e-3, 3e-3, 0, 0, 0])
    t, q, qd, qdd = moving(true, 20, 250)
    tau = da.inverse_dynamics(true, q, qd, qdd, drives="all")
    d = da.read_motion(honest(true, t, q, tau, force=0.1), bare, cutoff=8.0)
    f = da.identify(bare, d, payload=bare.frames[-1])
    mass = f.parameters[f"m.{bare.frames[-1]}"]
    assert mass == pytest.approx(1.5, rel=0.01) and f.physical
    for name, x in friction_of(f).items():
        assert x == pytest.approx(1.0 if name.startswith("Fv") else 0.5, rel=0.02), name


def test_a_five_bar_through_its_motors():
    m = da.robots.fivebar()
    at = [m.joint_index(n) for n in m.active]
    true = rubbed(m, 3.0, 2.0, at)  # beside forces of 150 to 200 N m
    start = np.array(da.assemble(m), dtype=float)
    motion = swayed(start[[m.velocity_index[j] for j in at]])
    f = da.torques_along(true, motion, start=start)
    got = da.identify(replace(m, drives=()), da.read_motion(table_of(m, f), m, cutoff=8.0))
    for name, x in friction_of(got).items():
        assert x == pytest.approx(3.0 if name.startswith("Fv") else 2.0, rel=0.02), name
    assert min(got.r_squared.values()) > 0.98


@pytest.fixture(scope="module")
def swaying():
    """Return a five-bar of two motors, one with a third motor, and a motion with its forces.

    The third motor and a crank pass a dead point: alone they could not lead the machine there.
    """
    m = da.robots.fivebar()
    at = [m.joint_index(n) for n in m.active]
    start = np.array(da.assemble(m), dtype=float)
    motion = swayed(start[[m.velocity_index[j] for j in at]], 0.25, time=10)
    spare = next(n for n in m.joint_names if n not in m.active)
    more = replace(m, active=(*m.active, spare))
    f = da.torques_along(m, motion, start=start)
    assert np.abs(da.active_map(more, f.q)).max() > 1e4
    return m, more, f


def shared(m, more, f, share, **noise):
    """Return a table where the third motor pushes as it likes; G' S u stays."""
    spare = more.active[-1]
    k, push = m.velocity_index[m.joint_index(spare)], 5 * np.sin(3 * f.t)
    G = da.active_map(m, f.q)
    table = table_of(m, f, **noise)
    for i, n in enumerate(f.names):
        table[f"tau.{n}"] = table[f"tau.{n}"] - share * G[:, k, i] * push
    return table | {f"tau.{spare}": share * push}


@pytest.mark.parametrize("share", [0, 1])
def test_a_spare_motor_of_a_five_bar_shares_the_load_as_it_likes(swaying, share):
    m, more, f = swaying
    d = da.read_motion(shared(m, more, f, share, position=1e-6, force=0.01), more, cutoff=12.0)
    got = da.identify(more, d, friction=False)
    assert got.equations.forces == more.active
    for name, x in got.nominal_base.items():
        assert got.base[name] == pytest.approx(x, rel=0.01, abs=0.002), name
    assert min(got.r_squared.values()) > 0.999


@pytest.mark.parametrize("share", [0, 1])
def test_a_spare_motor_costs_no_digits_at_a_dead_point_of_the_others(swaying, share):
    m, more, f = swaying
    table = shared(m, more, f, share, position=0, force=0)
    for kind, rates in (("qd", f.qd), ("qdd", f.qdd)):
        table |= {f"{kind}.{n}": rates[:, k] for k, n in enumerate(m.rate_names)}
    got = da.identify(more, da.read_motion(table, more), friction=False)
    for name, x in got.nominal_base.items():
        assert got.base[name] == pytest.approx(x, rel=1e-6, abs=1e-6), name
    assert not any("dead point" in n for n in got.notes)


def test_equations_near_a_dead_point_count_less():
    m = da.robots.fivebar()
    start = np.array(da.assemble(m), dtype=float)
    motors = [m.velocity_index[m.joint_index(n)] for n in m.active]
    f = da.torques_along(m, swayed(start[motors]), start=start)
    d = closed(m, da.read_motion(table_of(m, f), m, cutoff=8.0))
    tau = d.tau[:, motors]
    made = loop_noise(unknowns(m, False, None), d, tau, np.ones(1))
    weight = made.weights(slice(None), lambda x: x)
    usual = np.median(weight, axis=0)
    worst = int(np.argmax(np.abs(da.active_map(m, d.q)).max(axis=(1, 2))))
    assert (usual > 0.5).all() and (weight[worst] < 0.2 * usual).any()
    assert loop_noise(unknowns(ONE, False, None), d, tau, np.ones(1)) is None  # a tree


def test_motors_that_pass_a_dead_point_are_named_in_the_notes(swaying):
    m, more, f = swaying
    alone = replace(m, active=more.active[1:])
    table = table_of(m, f, position=0, force=0)
    tau = da.inverse_dynamics(alone, f.q, f.qd, f.qdd)
    for kind, rates in (("qd", f.qd), ("qdd", f.qdd)):
        table |= {f"{kind}.{n}": rates[:, k] for k, n in enumerate(m.rate_names)}
    table |= {f"tau.{n}": tau[:, k] for k, n in enumerate(alone.active)}
    got = da.identify(alone, da.read_motion(table, alone), friction=False)
    assert any("near a dead point in" in n for n in got.notes)


def test_rows_of_a_spare_motor_are_its_inverse_dynamics(swaying):
    _, more, f = swaying
    Y = da.active_regressor(more, f.q, f.qd, f.qdd)
    phi = np.array([float(x) for x in da.parameter_vector(more.bound())])
    want = da.inverse_dynamics(more, f.q, f.qd, f.qdd)
    assert Y.shape[1] == 3 and np.abs(Y @ phi - want).max() < 1e-6 * np.abs(want).max()


def rolling():
    """Return a cart on two driven wheels, a motion of them, and the cart's friction."""
    m = replace(da.robots.differential_drive(), active=("spin_left", "spin_right"))
    t = np.arange(0, 15, 1 / 200)
    move = np.stack([3 * np.sin(1.1 * t) + 1.2 * np.sin(3.3 * t) + 0.5 * np.sin(7.1 * t),
                     2.5 * np.sin(1.7 * t + 1) + np.cos(4.3 * t)], axis=1)  # fmt: skip
    return m, (t, move - move[0])


def test_a_cart_on_wheels_shows_its_mass_and_friction():
    m, motion = rolling()
    true = rubbed(m, 1.0, 0.8, [m.joint_index(n) for n in m.active])
    f = da.torques_along(true, motion, start=np.zeros(5))
    got = da.identify(m, da.read_motion(table_of(m, f, force=0.02), m, cutoff=8.0))
    for name, x in friction_of(got).items():
        assert x == pytest.approx(1.0 if name.startswith("Fv") else 0.8, rel=0.02), name
    for name in ("MR2", "ZZR3", "MX3"):
        assert got.base[name] == pytest.approx(got.nominal_base[name], rel=0.01), name
    assert min(got.r_squared.values()) > 0.999 and got.physical


def test_a_wheel_without_a_motor_feels_no_force():
    m, _ = rolling()
    alone = replace(m, active=("spin_left",))
    t = np.linspace(0, 15, 3001)
    push = 2 * np.sin(2 * t) + 1.5 * np.sin(5.3 * t + 1)
    table = np.zeros((len(t), 5 + len(m.wheels)))
    table[:, 3] = push
    r = da.simulate(m, np.zeros(5), torque=(t, table), t=t, drives="inertia", rtol=1e-10)
    log = {"t": t, "tau.spin_left": push}
    log |= {f"q.{n}": r.q[:, k] for k, n in enumerate(m.rate_names)}
    got = da.identify(alone, da.read_motion(log, alone), friction=False, consistent=False)
    assert got.equations.forces == ("spin_left", "spin_right")
    assert got.r_squared["spin_left"] > 0.9999
    for name in ("MR2", "ZZR3", "MX3"):
        assert got.base[name] == pytest.approx(got.nominal_base[name], rel=0.01), name


def test_a_floating_walker_on_force_plates():
    true = rubbed(walker(), 2.0, 1.5)
    t, q, qd, qdd = walk(true)
    rest = da.torques_along(true, (t, q, qd, qdd), drives="none")
    force, couple = rest.residual
    # one plate carries what the base needs: the wrench at foot1, in its axes
    T = da.pose(true, q, frame="foot1")
    base = da.pose(true, q, frame="base")
    F = np.einsum("nij,nj->ni", base[:, :3, :3], force)
    M = np.einsum("nij,nj->ni", base[:, :3, :3], couple)
    M = M - np.cross(T[:, :3, 3] - base[:, :3, 3], F)
    wrench = {"t": t}
    for k, n in enumerate("xyz"):
        wrench |= {f"foot1.f{n}": F[:, k], f"foot1.m{n}": M[:, k]}
    f = da.torques_along(true, (t, q, qd, qdd), wrench_on_body={"foot1": wrench})
    assert np.abs(f.tau[:, :6]).max() < 1e-8 * np.abs(force).max()  # the base is carried
    rng = np.random.default_rng(0)
    table = {"t": t}
    for k, n in enumerate(true.coordinate_names):
        table[f"q.{n}"] = q[:, k] + 1e-5 * rng.normal(size=len(t))
    for k, n in enumerate(true.rate_names[6:]):
        table[f"tau.{n}"] = f.tau[:, 6 + k] + 0.2 * rng.normal(size=len(t))
    heavy = {n: x if n == "t" else x + 0.3 * rng.normal(size=len(t)) for n, x in wrench.items()}
    nominal = replace(true, drives=())
    d = da.read_motion(table, nominal, cutoff=10.0)
    got = da.identify(nominal, d, wrench_on_body={"foot1": heavy}, consistent=False)
    for name, x in friction_of(got).items():
        assert x == pytest.approx(2.0 if name.startswith("Fv") else 1.5, rel=0.02), name
    # all turn about y: what another axis would show, only the noise of the positions moves
    assert "noise" in got.unseen["XXR1"] and "noise" in got.unseen["ZZR1"]
    # the vertical force of the base shows every mass
    total = float(true.total_mass)
    T = np.array([0, 0, 0, 0, 0, 0, 1.0, *([0.0] * 4)])
    lifted = got.equations.unknowns.rows(T[None], np.zeros((1, 10)), np.zeros((1, 10)))[0, :3]
    seen = list(got.fit.seen)
    pull = lifted[:, seen] @ got.fit.values
    assert np.linalg.norm(pull) / 9.81 == pytest.approx(total, rel=0.01)


def test_gravity_points_where_it_points():
    true = rubbed(da.robots.ur5(), 4.0, 3.0).with_gravity((1.5, -2.0, -9.49))
    t, q, qd, qdd = moving(true, 15, 200)
    tau = da.inverse_dynamics(true, q, qd, qdd, drives="all")
    nominal = replace(da.robots.ur5(), drives=true.drives)
    d = da.read_motion(honest(nominal, t, q, tau), nominal, cutoff=8.0)
    f = da.identify(nominal, d, gravity=True)
    g = np.array([f.base[n] for n in ("gx", "gy", "gz")])
    assert np.abs(g - [1.5, -2.0, -9.49]).max() < 0.05
    found = f.mechanism.bound().gravity
    assert np.linalg.norm([found.x, found.y, found.z]) == pytest.approx(9.81, rel=1e-6)


ONE = da.load(
    "RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 2, D = (0.5, 0, 0), I = (0, 0, 1);"
)


def test_an_offset_is_told_apart_from_friction():
    t, q, qd, qdd = moving(ONE, 20, 200)
    tau = da.inverse_dynamics(ONE, q, qd, qdd) + 0.8 * qd + 0.5 * np.sign(qd) + 0.35
    f = da.identify(ONE, da.read_motion(honest(ONE, t, q, tau, force=0.05), ONE, cutoff=8.0),
                    friction="offset")  # fmt: skip
    low, high = f.interval["F0.j1"]
    assert low <= 0.35 <= high and high - low < 0.1
    assert f.parameters["Fs.j1"] == pytest.approx(0.5, rel=0.03)
    up, down = f.mechanism.drives[0].coulomb
    assert up == pytest.approx(0.85, rel=0.04) and down == pytest.approx(-0.15, rel=0.15)


def test_friction_that_falls_with_speed_is_found():
    true = replace(ONE, drives=(Drive(0, viscous=0.8, coulomb=(0.5, -0.5), static=(0.9, -0.9),
                                      stribeck=0.15),))  # fmt: skip
    t, q, qd, qdd = moving(ONE, 40, 400)
    tau = da.inverse_dynamics(true, q, qd, qdd, drives="all")
    table = honest(ONE, t, q, tau, force=0.03, encoder=2e-6)
    f = da.identify(ONE, da.read_motion(table, ONE, cutoff=20.0), friction="stribeck")
    d = f.mechanism.drives[0]
    assert d.stribeck == pytest.approx(0.15, rel=0.3)
    assert d.coulomb[0] == pytest.approx(0.5, rel=0.05)
    assert d.static[0] == pytest.approx(0.9, rel=0.15)
    with pytest.raises(da.UsageError, match="friction='sticky'"):
        da.identify(ONE, da.read_motion(table, ONE), friction="sticky")


def test_an_elastic_joint_needs_no_force_and_shows_its_bodies():
    m = da.load({
        "format": "dalembert/1", "name": "soft", "gravity": [0, -9.81, 0],
        "phrase": "motor: RZ(), TXK(0.3), spring: RZ(), TXK(0.3); "
        "body 1: M = 2, D = (0.15, 0, 0), I = (0, 0, 0.1); "
        "body 2: M = 1, D = (0.15, 0, 0), I = (0, 0, 0.05);",
        "elastic": [{"joint": "spring", "stiffness": 60, "rest": 0.1, "damping": 0.2}],
    })  # fmt: skip
    t = np.linspace(0, 20, 4001)
    push = np.stack([6 * np.sin(2 * t) + 3 * np.sin(5.3 * t + 1) + 4, 0 * t], axis=1)
    r = da.simulate(m, [0.0, 0.0], torque=(t, push), t=t, drives="inertia", rtol=1e-10)
    table = {"t": t, "q.motor": r.q[:, 0], "q.spring": r.q[:, 1], "tau.motor": push[:, 0]}
    f = da.identify(m, da.read_motion(table, m), friction=False, consistent=False)
    for name, x in f.base.items():
        assert x == pytest.approx(f.nominal_base[name], rel=0.03, abs=0.01), name
    assert set(f.equations.forces) == {"motor", "spring"}
