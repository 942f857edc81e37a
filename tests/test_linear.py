"""Small motions: textbook frequencies, and the nonlinear model nearby."""

from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.closed_kinematics import closed_at
from dalembert.simulate.systems import system
from peers import ORACLES, absent

DOUBLE = """RX(), TZK(-1), RX(), TZK(-1);
body 1: M = 1, D = (0, 0, -1); body 2: M = 1, D = (0, 0, -1);"""


def test_a_double_pendulum_has_its_textbook_frequencies():
    found = da.linearize(da.load(DOUBLE), [0, 0]).frequencies * 2 * np.pi
    expected = np.sqrt(9.81 * np.array([2 - np.sqrt(2), 2 + np.sqrt(2)]))
    assert np.allclose(found, expected, rtol=1e-10)
    assert da.linearize(da.load(DOUBLE), [0, 0]).stable
    assert not da.linearize(da.load(DOUBLE), [np.pi, 0]).stable


def test_a_damped_spring_has_its_ratio():
    m = da.load(
        {
            "format": "dalembert/1",
            "phrase": "TX(), TXK(0); body 1: M = 2, D = (0, 0, 0);",
            "elastic": [{"joint": "j1", "stiffness": 8.0, "damping": 1.6}],
        }
    )
    (mode,) = da.linearize(m).modes
    assert mode.frequency == pytest.approx(2 / (2 * np.pi))
    assert mode.damping == pytest.approx(0.2)


def test_equilibria_are_found():
    m = da.load(DOUBLE)
    q = da.equilibrium(m, [0.4, -0.3], [2.0, 0.5])
    assert np.abs(da.gravity(m, q) - [2.0, 0.5]).max() < 1e-8
    with pytest.raises(da.ComputationError, match="no equilibrium"):
        da.equilibrium(m, [0.4, -0.3], [200.0, 0.0])


def test_a_model_is_traced_once_for_all_its_states(monkeypatch):
    module = import_module("dalembert.linearize")
    traced, real = [], module._flow
    monkeypatch.setattr(module, "_flow", lambda *given: traced.append(1) or real(*given))
    module._SLOPES.clear()
    m = da.load(DOUBLE)
    low, high = (da.linearize(m, [x, 0.1]).A for x in (0.0, 1.0))
    assert np.abs(low - high).max() > 0.1 and len(traced) == 1
    da.equilibrium(m, [0.4, -0.3], [2.0, 0.5])
    assert len(traced) == 1
    da.linearize(m, [0, 0], drives="none")
    assert len(traced) == 2  # other drives are another model


def small(m, q, v, steer=None, motion=None, time=1e-3, size=1e-6):
    """Compare the change of a short motion with A, from one state and from one beside it."""
    rng = np.random.default_rng(1)
    here = da.linearize(m, q, v, steer=steer)
    z = rng.normal(size=len(here.A)) * size
    n = len(here.coordinates)
    tangent = np.zeros(m.nv)
    tangent[list(here.coordinates)] = z[:n]
    if m.loops:
        plan = system(m).planned_at(q).plan
        assert plan.independent == here.coordinates
        tangent = np.array(closed_at(m.bound(), plan, list(map(float, q)), 0).expanded(z[:n]))
        moved = da.integrate(m, q, tangent.astype(float))
        moved = np.array(closed_at(m.bound(), plan, list(map(float, moved)), 5).q, dtype=float)
        change = np.array(v, dtype=float)
        change[list(here.coordinates)] += z[n:]
        v2 = np.array(closed_at(m.bound(), plan, list(moved), 0).velocity(list(change)), float)
    else:
        moved, v2 = da.integrate(m, q, tangent), v + z[n:]
    options = {"rtol": 1e-13, "atol": 1e-15, "events": "none", "motion": motion}
    base = da.simulate(m, q, v, t=[0, time], **options)
    other = da.simulate(m, moved, v2, t=[0, time], **options)
    speeds = list(here.coordinates) if m.loops else slice(None)
    change = (other.speeds - base.speeds)[-1][speeds]
    # two terms of the exponential; A itself changes with the state, little in so short a time
    grown = z + time * (here.A @ z) + time**2 / 2 * (here.A @ here.A @ z)
    reach = np.abs(here.A).max() * time
    assert np.abs(change - grown[n:]).max() < size * (reach**3 + 1e-6 * (1 + reach))


@pytest.mark.parametrize("name", ["spacecraft", "walker", "flexible2r", "puma560", "snake"])
def test_small_motions_of_trees_and_moving_bases(name):
    m = getattr(da.robots, name)()
    rng = np.random.default_rng(2)
    q = da.integrate(m, da.neutral(m), rng.uniform(-0.5, 0.5, m.nv))
    small(m, q, rng.normal(size=m.nv) * 0.3, time=2e-4)


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
def test_small_motions_of_closed_loops(name):
    m = getattr(da.robots, name)()
    q = da.assemble(m)
    motors = [m.joint_names.index(n) for n in m.active]
    v = np.zeros(m.nv)
    v[motors] = 0.4
    v = da.tree_motion(m, q, v, np.zeros(m.nv))[0]
    small(m, q, v, time=5e-5)


@pytest.mark.parametrize("trailers", [0, 1, 2])
def test_small_motions_on_wheels(trailers):
    m = da.robots.truck(trailers)
    q = np.random.default_rng(3).uniform(-0.4, 0.4, m.nq)
    small(m, q, np.array([1.5]), steer=[0.2], motion={"delta": 0.2})


def test_a_trailer_is_stable_forwards_and_folds_backwards():
    m = da.robots.truck(1)
    forwards = np.linalg.eigvals(da.linearize(m, None, [2.0]).A).real
    backwards = np.linalg.eigvals(da.linearize(m, None, [-2.0]).A).real
    # speed over the length of the trailer, 7.2 m
    assert forwards.min() == pytest.approx(-2 / 7.2) and forwards.max() < 1e-9
    assert backwards.max() == pytest.approx(2 / 7.2)


def cart_with_pendulum():
    """A cart on one axle, on a slope about its own wheel's axis, with a pendulum."""

    def part(name, parent, kind, axis, mass=0.0, com=(0, 0, 0), inertia=0.0):
        joint = {"type": kind, "axis": axis, "name": name}
        return {"name": f"b_{name}", "parent": parent, "joint": joint, "mass": mass,
                "com": list(com), "inertia": (np.eye(3) * inertia).tolist()}  # fmt: skip

    bodies = [part("x", -1, "prismatic", [1, 0, 0]), part("y", 0, "prismatic", [0, 1, 0]),
              part("th", 1, "revolute", [0, 0, 1], 3.0, (0.1, 0, 0), 0.4),
              part("swing", 2, "revolute", [0, 1, 0], 1.0, (0, 0, -0.5), 0.05)]  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": bodies, "speeds": ["axle.v", "th", "swing"],
        "wheels": [{"name": "axle", "body": "b_th", "point": [0, 0, 0], "normal": [0, 1, 0]}]}
    )  # fmt: skip


def test_a_machine_on_wheels_has_its_rest_and_its_modes():
    m = cart_with_pendulum()
    q = da.equilibrium(m, [0.3, -0.2, 0.7, 0.4])
    assert abs(q[3]) < 1e-9 and abs(np.hypot(q[0] - 0.3, q[1] + 0.2)) < 0.5
    # nothing moves sideways on the way
    way = q[:2] - [0.3, -0.2]
    assert abs(-np.sin(0.7) * way[0] + np.cos(0.7) * way[1]) < 1e-3
    (f,) = da.linearize(m, q).frequencies
    # a pendulum on a cart that rolls freely: ω² = g m l / (J + m l² - (m l)² / (M + m))
    J = 0.05 + 0.25 - 0.25 / 4
    assert 2 * np.pi * f == pytest.approx(np.sqrt(9.81 * 0.5 / J), rel=1e-9)
    assert da.linearize(m, q).stable


def test_a_free_body_on_springs_has_its_rest_and_its_modes():
    corner = [[0.5, 0.4], [-0.5, 0.4], [0.5, -0.4], [-0.5, -0.4]]
    body = {"name": "hull", "parent": -1, "joint": {"type": "free"}, "mass": 4.0,
            "com": [0, 0, 0], "inertia": np.diag([0.3, 0.4, 0.6]).tolist()}  # fmt: skip
    springs = [{"body_i": "hull", "point_i": [*c, 0], "body_j": -1, "point_j": [*c, 1.0],
                "stiffness": 100.0, "length": 0.5} for c in corner]  # fmt: skip
    m = da.load({"format": "dalembert/1", "bodies": [body], "springs": springs})
    q = da.equilibrium(m, [0, 0, 0.2, 0, 0, 0, 1])
    # four springs carry the weight: 400 (1 - z - 0.5) = 4 g
    assert q[2] == pytest.approx(0.5 - 4 * 9.81 / 400, abs=1e-8)
    linear = da.linearize(m, q)
    assert linear.stable
    wanted = np.sqrt(400 / 4.0) / (2 * np.pi)
    assert np.abs(linear.frequencies - wanted).min() < 1e-8
    assert len(linear.frequencies) == 6
    with pytest.raises(da.ComputationError, match="no equilibrium"):
        da.equilibrium(da.robots.spacecraft().with_gravity((0, 0, -1)), steps=5)


def test_a_pose_without_inertia_is_at_rest_where_the_forces_hold_it():
    """A point mass below a vertical axis: j1 moves no inertia there, and yet it hangs."""
    m = da.load("RZ(), RX(), TZK(-1); body 2: M = 1, D = (0, 0, -1);")
    assert (da.equilibrium(m) == 0).all()
    with pytest.raises(da.SingularModel, match="at this pose: joint 'j1' moves no inertia"):
        da.linearize(m, [0.0, 0.0])
    with pytest.raises(da.SingularModel, match="j1"):
        da.equilibrium(m, tau=[1.0, 0.0])
    # a cart without mass below a pendulum: the mass matrix is singular at the pose of rest
    cart = da.load("TX(), RY(), TZK(-1); body 2: M = 1, D = (0, 0, -1);")
    assert abs(da.equilibrium(cart, [0.0, 0.3])[1]) < 1e-10


def test_a_four_bar_swings_with_its_linear_frequency():
    path = ORACLES / "fourbar.json"
    if not path.exists():
        absent("the directory of reference files")
    m = da.load(path)
    q = da.equilibrium(m, da.assemble(m))
    linear = da.linearize(m, q)
    assert np.abs(linear.rate).max() < 1e-8 and linear.stable
    (f,) = linear.frequencies
    start = q.copy()
    start[0] += 1e-4
    start = da.assembly(m, start)
    turn = {"turn": lambda t, q, qd: qd[0]}
    r = da.simulate(m, start, t=2.0 / f, rtol=1e-11, events=turn)
    times = [e.time for e in r.events]
    assert np.diff(times)[0] == pytest.approx(0.5 / f, rel=1e-4)


# -- without what is no motion ---------------------------------------------------------------------


def without_zeros(values, count):
    """Return eigenvalues, `count` of the smallest left out."""
    return np.sort_complex(values[np.argsort(np.abs(values))][count:])


@pytest.mark.parametrize("speed", [0, 3, 5, 10])
def test_the_reduced_bicycle_has_its_four_eigenvalues_and_its_speed(speed):
    m = da.load(Path(__file__).parents[1] / "examples/bicycle.toml")
    linear = da.linearize(m, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [0, 0, speed / 0.35])
    # two contacts; then where it stands, its heading, and two spins
    assert linear.A.shape == (12, 12) and linear.on_contacts.A.shape == (10, 10)
    small = linear.reduced
    assert small.A.shape == (5, 5) and small.names == ("base.wx", "steer")
    assert "rear_tyre.contact" in small.notes[-2] and "base.wz" in small.notes[-1]
    found = np.linalg.eigvals(small.A)
    # the one that is left is that of the forward speed: any of them is a steady motion
    assert np.abs(found).min() < 1e-10
    np.testing.assert_allclose(
        without_zeros(found, 1), without_zeros(np.linalg.eigvals(linear.A), 8), atol=1e-8
    )


def test_what_depends_on_a_position_is_not_reduced_away():
    """A trailer folds at v/l2 though the speed does not feel it; a pendulum keeps its angle."""
    m = da.robots.truck(1)
    small = da.linearize(m, None, [-2.0]).reduced
    l2 = m.values["l2"]
    assert small.names == ("phi1",) and not small.stable
    assert np.abs(np.linalg.eigvals(small.A) - 2.0 / l2).min() < 1e-9
    bar = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    assert da.linearize(bar, [0.0]).reduced.A.shape == (2, 2)


def test_a_disc_that_rolls_straight_wobbles_at_its_textbook_rate():
    """ω² = (C (C + m r²) Ω² - m g r A) / (A (A + m r²)), A about the diameter, C about the axle."""
    disc, spin, m = da.robots.rolling_disc(), 9.0, 2.0
    r = disc.values["r"]
    A, C = m * r * r / 4, m * r * r / 2
    wobble = (C * (C + m * r * r) * spin**2 - m * 9.81 * r * A) / (A * (A + m * r * r))
    small = da.linearize(disc, None, [0, 0, spin]).reduced
    # the lean, and beside it two rates of steady motions: a slow turn, another speed
    assert small.names == ("lean",)
    found = np.linalg.eigvals(small.A)
    np.testing.assert_allclose(found.real, 0, atol=1e-7)
    wanted = np.array([-1, 0, 0, 1]) * np.sqrt(wobble)
    np.testing.assert_allclose(np.sort(found.imag), wanted, atol=1e-7)


def test_a_figure_of_modes_names_joints_and_draws_no_rounding():
    pytest.importorskip("matplotlib")
    m = da.load("RY(),TXK(1),RY(); body 1: M = 1, D = (1,0,0), I = (0,0.1,0.1);"
                " body 2: M = 1, D = (1,0,0), I = (0,0.1,0.1);")  # fmt: skip
    made = da.linearize(m, [np.pi / 2, 0.0]).plot()
    left, right = made.axes
    assert [x.get_text() for x in right.get_xticklabels()] == ["j1", "j2"]
    assert np.abs(left.lines[1].get_xdata()).max() == 0
    assert len(made.legends) == 1


def test_a_state_that_is_no_equilibrium_is_told():
    m = da.load("RY(), TXK(1); body 1: M = 2, D = (0.5, 0, 0);")
    falling = da.linearize(m, [0.0])
    assert not falling.steady and "no equilibrium: j1 accelerates by 19.62" in falling.notes[-1]
    held = da.linearize(m, [0.0], tau=da.gravity(m, [0.0]))
    assert held.steady and not held.notes and "equilibrium" not in repr(held)


def test_an_equilibrium_keeps_the_limits():
    sentence = "RX({}), TZK(-1); body 1: M = 1, D = (0, 0, -1);"
    with pytest.raises(da.ComputationError, match="beyond limits: j1 would be at"):
        da.equilibrium(da.load(sentence.format("0.2, 3")), [0.4])
    m = da.load(sentence.format("0.2, 3"))
    np.testing.assert_allclose(da.equilibrium(m, [0.4], limits=False), [0], atol=1e-9)
    # a joint that turns is brought back by whole turns
    m = da.load(sentence.format("-1, 1"))
    np.testing.assert_allclose(da.equilibrium(m, [2 * np.pi + 0.1]), [0], atol=1e-9)


def constrained(active):
    body = {"mass": 2, "com": [0.1, 0.2, 0], "inertia": [0.1, 0.1, 0.2]}
    bodies = [
        {**body, "name": n, "parent": k - 1, "joint": {
            "type": "revolute", "name": n, "axis": [0, 0, 1],
            "placement": {"translation": [0.5 * (k > 0), 0, 0]}}}
        for k, n in enumerate("abc")
    ]  # fmt: skip
    return da.load({
        "format": "dalembert/1", "gravity": [0, -9.81, 0], "bodies": bodies,
        "velocity_constraints": [{"name": "tie", "equation": "cd = 0.3*ad*sin(b)"}],
        "speeds": ["a", "b"], "active": list(active),
    })  # fmt: skip


def test_forces_are_in_the_order_of_the_motors():
    q, force = np.array([0.1, 0.2, 0.3]), {"a": 1.0, "b": 2.0, "c": 3.0}
    qd = np.array([0.3, -0.2, 0.3 * 0.3 * np.sin(0.2)])
    plain, m = constrained("abc"), constrained("cab")
    tau = [force[n] for n in m.active]
    found, usual = da.linearize(m, q, qd, tau), da.linearize(plain, q, qd, [1.0, 2.0, 3.0])
    assert np.allclose(found.rate, da.forward_dynamics(m, q, qd, tau)[:2], rtol=1e-9)
    assert np.allclose(found.A, usual.A, rtol=1e-9)
    assert np.allclose(found.B, usual.B[:, [2, 0, 1]], rtol=1e-9)
    hold = da.inverse_dynamics(m, [-1.2, 0.3, 0.2], [0, 0, 0], [0, 0, 0])
    rest = da.equilibrium(m, [-1.2, 0.3, 0.2], hold)
    assert np.allclose(rest, [-1.2, 0.3, 0.2], atol=1e-6)


def test_a_run_reads_forces_in_the_order_of_the_motors():
    """As `forward_dynamics` and `linearize` do; where all joints have motors it says so."""
    q, force = [0.1, 0.2, 0.3], {"a": 1.0, "b": 2.0, "c": 3.0}
    run = partial(da.simulate, q0=q, qd0=[0, 0], t=[0, 0.1])
    named, row = run(constrained("abc"), torque=force), [3.0, 1.0, 2.0]
    m = constrained("cab")
    for torque in (row, lambda t, q, qd: row, ([0.0, 1.0], [row, row])):
        found = run(m, torque=torque)
        assert np.allclose(found.q, named.q, rtol=1e-9)
        assert np.allclose(found.tau, named.tau, rtol=1e-9)
        assert any(n.startswith("torque has the order of active") for n in found.notes)
    for same in (run(m, torque=force), run(constrained("abc"), torque=[1.0, 2.0, 3.0])):
        assert np.allclose(same.q, named.q, rtol=1e-9)
        assert not any("order" in n for n in same.notes)


def test_a_run_replays_the_forces_of_another_by_their_names():
    m = constrained("cab")
    t = np.linspace(0, 0.2, 21)
    first = da.simulate(m, [0.3, -0.4, 0.2], None, lambda t, q, qd: [3 * t, 1.0, -2.0], t=t)
    again = da.simulate(m, [0.3, -0.4, 0.2], None, first, t=t)
    assert np.allclose(again.q, first.q, atol=1e-6) and not any("order" in n for n in again.notes)
    needed = da.torques_along(m, first)
    replayed = da.simulate(m, [0.3, -0.4, 0.2], None, needed, t=t)
    assert np.allclose(replayed.q, first.q, atol=1e-3)
    many = da.simulate(m, np.tile([0.3, -0.4, 0.2], (2, 1)), None, {"a": 1.0}, t=t)
    log = da.read_motion({"t": t} | {f"q.{n}": 0 * t for n in "abc"}, m)
    with pytest.raises(da.UsageError, match="no table of forces"):
        da.simulate(m, [0.3, -0.4, 0.2], None, log, t=t)
    with pytest.raises(da.UsageError, match="forces of one run"):
        da.simulate(m, [0.3, -0.4, 0.2], None, many, t=t)


def test_a_run_takes_forces_of_the_motors_alone():
    m, force = constrained("ca"), {"c": 3.0, "a": 1.0}
    table = [0.0, 0.05, 1.0], np.array([[3.0, 1.0], [2.0, 5.0], [2.0, 5.0]])
    run = partial(da.simulate, m, [0.1, 0.2, 0.3], [0, 0], t=[0, 0.1])
    named = run(torque=force)
    for torque in ([3.0, 1.0], [1.0, 0.0, 3.0], lambda t, q, qd: [3.0, 1.0]):
        assert np.allclose(run(torque=torque).q, named.q, rtol=1e-9)
    whole = table[0], np.stack([table[1][:, 1], np.zeros(3), table[1][:, 0]], axis=1)
    assert np.allclose(run(torque=table).q, run(torque=whole).q, rtol=1e-9)
    rows = run(torque=[[3.0, 1.0], [0.0, 0.0]])
    assert np.allclose(rows.q[0], named.q, rtol=1e-9)
    cart = replace(da.robots.differential_drive(), active=("spin_right", "spin_left"))
    one = da.simulate(cart, torque=[1.0, 2.0], t=0.1)
    two = da.simulate(cart, torque={"spin_left": 2.0, "spin_right": 1.0}, t=0.1)
    assert np.allclose(one.q, two.q, rtol=1e-9)
    with pytest.raises(da.UsageError, match="torque has shape"):
        run(torque=[1.0])


@pytest.mark.parametrize("what", ["q", "qd", "tau"])
def test_numbers_that_are_not_finite_are_refused(what):
    m = da.load("RZ(), TXK(0.5), RZ(), TXK(0.4); body 1: M = 1; body 2: M = 1;")
    state = {"q": [0.1, 0.2], "qd": [0, 0], "tau": [0, 0]} | {what: [float("nan"), 1]}
    with pytest.raises(da.UsageError, match=f"{what} holds a number that is not finite"):
        da.linearize(m, **state)
