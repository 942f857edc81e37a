"""Dry friction in time against closed forms, an independent event-driven solver, and energy."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import dalembert as da

METHODS = ("dop853", "dopri5", "rosenbrock", "rk4", "euler", "constant_acceleration")


def pendulum(drive: str, gravity: str = "[0, -9.81, 0]") -> da.Mechanism:
    return da.load(f"""
format = "dalembert/1"
name = "pendulum"
gravity = {gravity}
phrase = "elbow: RZ(), TXK(1); body 1: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"
drives = [ {{ joint = "elbow", {drive} }} ]
""")


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_held_by_twice_the_friction_it_takes_does_not_move(method):
    m = pendulum("coulomb = 9.81")  # gravity asks for 4.905
    da.simulate(m, [0.0], t=0.1, method=method)
    start = time.process_time()
    r = da.simulate(m, [0.0], t=5.0, method=method)
    spent = time.process_time() - start
    assert not r.q.any() and not r.qd.any() and not r.accelerations.any()
    assert r.events == ()
    assert spent < 0.05  # 1-2 ms on an idle machine


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_asked_for_more_than_its_friction_falls(method):
    m = pendulum("coulomb = 4.9")
    r = da.simulate(m, [0.0], t=[0.0, 0.1], method=method)
    assert r.qd[-1, 0] < 0
    m = pendulum("coulomb = 4.91")
    assert not da.simulate(m, [0.0], t=[0.0, 0.1], method=method).qd.any()


def test_amplitudes_of_a_spring_with_dry_friction_fall_by_equal_steps():
    """The amplitude of a mass on a spring falls by 2 F / k each half swing, then it sticks."""
    k, F, x0 = 100.0, 3.0, 0.5
    m = da.load(f"""
format = "dalembert/1"
name = "block"
gravity = [0, 0, 0]
phrase = "block: TX(); body 1: M = 2;"
drives = [ {{ joint = "block", coulomb = {F} }} ]
elastic = [ {{ joint = "block", stiffness = {k} }} ]
""")
    half = np.pi / np.sqrt(k / 2)
    times = np.arange(12) * half
    r = da.simulate(m, [x0], t=times)
    expected, x = [], x0
    for _ in times:
        expected.append(x)
        if abs(x) * k > F:
            x = -np.sign(x) * (abs(x) - 2 * F / k)
    np.testing.assert_allclose(r.q[:, 0], expected, atol=1e-8)
    assert [e.name for e in r.events] == ["block sticks"]
    assert r.events[0].time == pytest.approx(8 * half, abs=1e-8)
    for method in ("radau", "lsoda"):
        slow = da.simulate(m, [x0], t=times, method=method)
        np.testing.assert_allclose(slow.q[:, 0], expected, atol=1e-5)
        assert [e.name for e in slow.events] == ["block sticks"]
    fine = da.simulate(m, [x0], t=np.linspace(0, times[-1], 500))
    assert (np.diff(fine.energy) <= 1e-12).all()


def driven_block(static: float, coulomb: float, more: str = "") -> da.Mechanism:
    return da.load(f"""
format = "dalembert/1"
name = "stick-slip"
gravity = [0, 0, 0]
phrase = "[block: TX()] [belt: TX()]; body 1: M = 1.5; body 2: M = 1;"
drives = [ {{ joint = "block", coulomb = {coulomb}, static = {static} {more} }} ]
[[springs]]
body_i = "block"
point_i = [0, 0, 0]
body_j = "belt"
point_j = [0, 0, 0]
stiffness = 80
""")


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rosenbrock", "rk4"])
def test_a_block_on_a_driven_spring_has_the_period_of_the_closed_form(method):
    mass, k, V, Fs, Fc = 1.5, 80.0, 0.1, 4.0, 2.5
    m = driven_block(Fs, Fc)
    r = da.simulate(
        m, motion={"belt": ([0.0, 100.0], [0.0, 100 * V])}, t=[0.0, 8.0], method=method, rtol=1e-10
    )
    w, A = np.sqrt(k / mass), (Fs - Fc) / k
    period = 2 * A / V + (2 * np.pi - 2 * np.arctan(A * w / V)) / w
    slips = [e.time for e in r.events if e.name == "block slips"]
    sticks = [e.time for e in r.events if e.name == "block sticks"]
    assert slips[0] == pytest.approx(Fs / k / V, abs=1e-8)
    assert len(slips) > 5 and abs(len(slips) - len(sticks)) <= 1
    np.testing.assert_allclose(np.diff(slips), period, atol=1e-6)
    np.testing.assert_allclose(np.diff(sticks), period, atol=1e-6)


def test_a_stribeck_speed_lets_friction_fall_smoothly():
    m = driven_block(4.0, 2.5, ", stribeck = 0.05")
    r = da.simulate(m, motion={"belt": ([0.0, 100.0], [0.0, 10.0])}, t=8.0)
    assert "block slips" in [e.name for e in r.events]
    # in a quantity: at speed v the level is T_c + (T_s - T_c) exp(-(v/v_s)^2)
    q, qd = [0.0, 0.0], [0.05, 0.0]
    with_, without = (
        da.inverse_dynamics(m, q, qd, [0.0, 0.0], drives=d)[0] for d in ("all", "inertia")
    )
    assert with_ - without == pytest.approx(2.5 + 1.5 * np.exp(-1.0), rel=1e-12)


# -- several joints at once --------------------------------------------------------------------

ARM = """
format = "dalembert/1"
name = "arm"
gravity = [0, -9.81, 0]
phrase = "RZ(), TXK(1), RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0); body 2: M = 2, D = (1, 0, 0);"
drives = [ {drives} ]
"""
LEVELS = np.array([6.0, 4.0])


def arm() -> da.Mechanism:
    rows = ", ".join(f'{{ joint = "j{k + 1}", coulomb = {x} }}' for k, x in enumerate(LEVELS))
    return da.load(ARM.format(drives=rows))


def textbook(q, qd):
    """Mass matrix and bias of two point masses on massless rods of length 1."""
    m1, m2, g = 1.0, 2.0, 9.81
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    M = np.array([[m1 + m2 * (2 + 2 * c2), m2 * (1 + c2)], [m2 * (1 + c2), m2]])
    h = m2 * s2 * np.array([-(2 * qd[0] * qd[1] + qd[1] ** 2), qd[0] ** 2])
    G1 = (m1 + m2) * g * np.cos(q[0]) + m2 * g * np.cos(q[0] + q[1])
    return M, h + np.array([G1, m2 * g * np.cos(q[0] + q[1])])


def modes_at_rest(q, qd, resting):
    """Try every mode of the joints at rest and return the one that fits."""
    M, b = textbook(q, qd)
    free = [(0, 1, -1) if r else (int(np.sign(v)),) for r, v in zip(resting, qd, strict=True)]
    for modes in itertools.product(*free):
        s = np.array(modes)
        slide = s != 0
        f = s * LEVELS
        a = np.zeros(2)
        if slide.any():
            a[slide] = np.linalg.solve(M[np.ix_(slide, slide)], (-b - f)[slide])
        hold = -b - M @ a
        if (np.abs(hold[~slide]) <= LEVELS[~slide]).all() and (
            (a * s)[np.array(resting) & slide] >= 0
        ).all():
            return s
    raise AssertionError("no mode fits")


def rate_of(s):
    def rate(t, y):
        M, b = textbook(y[:2], y[2:])
        slide = s != 0
        a = np.zeros(2)
        if slide.any():
            a[slide] = np.linalg.solve(M[np.ix_(slide, slide)], (-b - s * LEVELS)[slide])
        return [*y[2:], *a]

    return rate


def guard_of(s, k):
    def guard(t, y):
        if s[k]:
            return s[k] * y[2 + k] + 1e-13
        M, b = textbook(y[:2], y[2:])
        hold = (-b - M @ np.array(rate_of(s)(t, y)[2:]))[k]
        return LEVELS[k] - abs(hold) + 1e-11

    guard.terminal, guard.direction = True, -1
    return guard


def independent(q, qd, end, samples):
    """Return the motion by SciPy between events, all modes tried at each."""
    from scipy.integrate import solve_ivp

    t, y, out = 0.0, np.array([*q, *qd]), {}
    s = modes_at_rest(y[:2], y[2:], np.abs(y[2:]) < 1e-9)
    while t < end:
        found = solve_ivp(
            rate_of(s), (t, end), y, "DOP853", rtol=1e-11, atol=1e-12, max_step=0.01,
            events=[guard_of(s, 0), guard_of(s, 1)], dense_output=True,
        )  # fmt: skip
        for x in samples:
            if t <= x <= found.t[-1]:
                out[x] = found.sol(x)
        t, y = found.t[-1], found.y[:, -1].copy()
        if found.status == 1:
            resting = (s == 0) | (np.abs(y[2:]) < 1e-8)
            y[2:][resting] = 0.0
            s = modes_at_rest(y[:2], y[2:], resting)
    return np.array([out[x] for x in samples])


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rosenbrock", "rk4"])
@pytest.mark.parametrize("start", [([0.3, 0.4], [0, 0]), ([-1.2, 0.1], [1.5, -3.0])])
def test_two_joints_stick_and_slip_as_an_independent_solver_finds(method, start):
    times = np.linspace(0, 4, 41)
    r = da.simulate(arm(), *start, t=times, method=method, rtol=1e-10)
    reference = independent(*start, 4.0, times)
    np.testing.assert_allclose(r.q, reference[:, :2], atol=2e-7)
    np.testing.assert_allclose(r.qd, reference[:, 2:], atol=2e-6)
    assert len(r.events) >= 2
    assert (np.diff(r.energy) <= 1e-9).all()


def test_states_of_a_batch_stick_each_at_its_own_time():
    m = arm()
    rng = np.random.default_rng(3)
    q0, qd0 = rng.uniform(-1.5, 1.5, (2, 12, 2))
    qd0[::3] = 0.0
    times = np.linspace(0, 2, 11)
    for method in ("dop853", "rk4"):
        r = da.simulate(m, q0, qd0, t=times, method=method)
        for k in (0, 1, 11):
            one = da.simulate(m, q0[k], qd0[k], t=times, method=method)
            np.testing.assert_allclose(r.q[k], one.q, atol=1e-9)
            mine = [e.name for e in r.events if e.state == (k,)]
            assert mine == [e.name for e in one.events]
        assert (np.diff(r.energy, axis=-1) <= 1e-6).all()
    with_threads = da.simulate(m, q0, qd0, t=times, method="rk4", threads=2)
    np.testing.assert_array_equal(with_threads.q, da.simulate(m, q0, qd0, t=times, method="rk4").q)


def test_forces_of_a_function_and_of_a_table_hold_and_release():
    m = pendulum("coulomb = 2", "[0, 0, 0]")
    table = ([0.0, 4.0], [[0.0], [4.0]])
    by_table = da.simulate(m, torque=table, t=np.linspace(0, 3, 7))
    by_law = da.simulate(m, torque=lambda t, q, qd: [t], t=np.linspace(0, 3, 7))
    for r in (by_table, by_law):
        assert [e.name for e in r.events] == ["elbow slips"]
        assert r.events[0].time == pytest.approx(2.0, abs=1e-8)
        assert not r.q[:5].any()
        np.testing.assert_allclose(r.q[-1, 0], 1 / 6 / 0.35, atol=1e-8)  # I = 0.1 + 0.25
    jump = da.simulate(m, torque=([0.0, 1.0], [[1.0], [3.0]]), hold=True, t=[0.0, 1.0, 2.0])
    np.testing.assert_allclose(jump.q[:, 0], [0, 0, 0.5 / 0.35], atol=1e-8)


BLOCK = """
format = "dalembert/1"
gravity = [0, 0, 0]
drives = [ { joint = "block", coulomb = 1 } ]
[[bodies]]
name = "block"
parent = -1
mass = 2
joint = { type = "prismatic", axis = [1, 0, 0] }
"""


@pytest.mark.parametrize("values", [{"fs": 0.5}, {"fc": 2.0}, {"fs": [1.5, 0.5], "fc": 1.0}])
def test_a_static_level_by_letters_is_checked_when_it_has_a_value(values):
    text = BLOCK.replace("coulomb = 1", 'coulomb = "fc", static = "fs"')
    m = da.load(text + "[parameters]\nfs = 1.2\nfc = 1.0\n")
    assert da.simulate(m, [0.0], [1.0], t=0.1, parameters={"fs": 1.5}).q[-1, 0] > 0
    with pytest.raises(da.ModelError, match="is below the Coulomb friction of motion"):
        da.simulate(m, [0.0], [1.0], t=0.1, parameters=values)
    if not any(isinstance(x, list) for x in values.values()):
        with pytest.raises(da.ModelError, match="is below the Coulomb friction of motion"):
            m.with_values(values)
    with pytest.raises(da.ModelError, match="is below the Coulomb friction of motion"):
        da.load(text + "[parameters]\nfs = 0.5\nfc = 1.0\n")


def test_a_simulation_stops_where_a_joint_sticks():
    m = pendulum("coulomb = 20")
    r = da.simulate(m, [0.0], [5.0], t=5.0, stop="elbow sticks")
    assert r.stopped == "elbow sticks" and r.t[-1] < 1.0
    assert da.simulate(m, [0.0], [5.0], t=5.0, events="none").events == ()
    with pytest.raises(da.UsageError, match="no event"):
        da.simulate(m, stop="elbow jumps")


# -- other classes -----------------------------------------------------------------------------

FOUR_BAR = """
format = "dalembert/1"
name = "four-bar"
gravity = [0, -9.81, 0]
phrase = '''[crank: RZ(), TXK(0.4), rod: RZ(), TXK(1)] [TXK(0.9), rocker: RZ(), TXK(0.8)];
  body 1: M = 1, D = (0.2, 0, 0), I = (0, 0, 0.02); body 2: M = 2, D = (0.5, 0, 0), I = (0, 0, 0.1);
  body 3: M = 1.5, D = (0.4, 0, 0), I = (0, 0, 0.05);'''
active = ["crank"]
"""
LOOP = """
[[loops]]
body_i = "rod"
point_i = [1, 0, 0]
body_j = "rocker"
point_j = [0.8, 0, 0]
joint = "revolute"
axis = [0, 0, 1]
"""


@pytest.mark.parametrize("levels", [(0, 0, 6.0), (4.0, 0, 0), (2.0, 2.0, 2.0)])
@pytest.mark.parametrize("method", ["dop853", "dopri5", "rosenbrock", "rk4"])
def test_loops_with_dry_friction_lose_energy_and_come_to_rest(levels, method):
    rows = [
        f'{{ joint = "{n}", coulomb = {x} }}'
        for n, x in zip(("crank", "rod", "rocker"), levels, strict=True)
        if x
    ]
    m = da.load(FOUR_BAR + f"drives = [ {', '.join(rows)} ]" + LOOP)
    start = da.assemble(m)
    r = da.simulate(m, start, [6.0, 0, 0], t=np.linspace(0, 6, 301), method=method)
    assert (np.diff(r.energy) <= 1e-7).all()
    assert np.abs(r.qd[-1]).max() < 1e-9
    assert r.events[-1].name.endswith("sticks")
    # work of friction is what energy lost: kinetic levels times the way of each joint
    way = np.abs(np.diff(r.q, axis=0)).sum(axis=0)
    fine = da.simulate(m, start, [6.0, 0, 0], t=np.linspace(0, 6, 6001), method=method)
    way = np.abs(np.diff(fine.q, axis=0)).sum(axis=0)
    assert fine.energy[0] - fine.energy[-1] == pytest.approx(float(way @ levels), rel=1e-4)


def test_a_loop_held_by_friction_stays():
    drives = 'drives = [ { joint = "crank", coulomb = 20 }, { joint = "rod", coulomb = 20 } ]'
    m = da.load(FOUR_BAR + drives + LOOP)
    start = da.assemble(m)
    r = da.simulate(m, start, t=5.0)
    assert r.events == () and np.abs(r.q - r.q[0]).max() < 1e-12


def test_a_wheel_with_dry_friction_rolls_to_rest():
    """A disc on a straight road: deceleration = T / (r (m + I/r²)), way = v²/(2 a)."""
    m = da.load("""
format = "dalembert/1"
name = "roller"
gravity = [0, 0, -9.81]
phrase = "cart: TX(), TZK(0.3), spin: RY(); body 1: M = 4; body 2: M = 1, I = (0.02, 0.04, 0.02);"
velocity_constraints = [ { name = "roll", equation = "cartd - 0.3*spind = 0" } ]
speeds = ["cart"]
drives = [ { joint = "spin", coulomb = 0.6 } ]
""")
    v = 2.0
    a = 0.6 / 0.3 / (5 + 0.04 / 0.09)
    r = da.simulate(m, qd0=[v], t=[0.0, 0.5, 2 * v / a])
    x = r.q[:, 0]
    np.testing.assert_allclose(x[1], v * 0.5 - a / 8, rtol=1e-8)
    np.testing.assert_allclose(x[2], v * v / (2 * a), rtol=1e-8)
    assert [e.name for e in r.events] == ["spin sticks"]
    assert r.events[0].time == pytest.approx(v / a, rel=1e-8)


# -- what is counted ---------------------------------------------------------------------------


def test_uses_count_friction_and_say_so():
    m = da.robots.puma560()
    r = da.simulate(m, t=[0.0, 0.01])
    assert r.notes == ("friction of 6 joints counted",)
    r = da.simulate(m, t=[0.0, 0.01], drives="inertia")
    assert r.notes == ('friction of 6 joints not counted: drives="inertia"',)
    assert da.simulate(da.load("RX(); body 1: M = 1, I = (1, 1, 1);"), t=[0.0, 0.1]).notes == ()


def test_linear_models_at_rest_keep_viscous_friction_and_leave_coulomb_out():
    m = pendulum("coulomb = 3, viscous = 0.7")
    small = da.linearize(m, [-np.pi / 2])
    assert small.A[1, 1] == pytest.approx(-0.7 / 0.35)
    assert small.notes[-1] == "Coulomb friction is left out at rest: elbow"
    assert not any("Coulomb" in x for x in da.linearize(m, [-np.pi / 2], [0.1]).notes)
