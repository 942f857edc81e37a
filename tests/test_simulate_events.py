"""Events of fixed steps, stops, and states side by side in threads."""

import os
import signal as signals
import threading
import time

import numpy as np
import pytest

import dalembert as da

PENDULUM = "RX(-1, 1), TZK(-1); body 1: M = 1, D = (0, 0, -1);"
DOUBLE = """RX(), TZK(-1), RX(), TZK(-1);
body 1: M = 1, D = (0, 0, -1); body 2: M = 1, D = (0, 0, -1);"""
TURN = {"turn": lambda t, q, qd: qd[0]}


def period(amplitude):
    special = pytest.importorskip("scipy.special")
    return 4 * special.ellipk(np.sin(amplitude / 2) ** 2) / np.sqrt(9.81)


def test_events_of_fixed_steps_have_the_order_of_the_method():
    m = da.load(PENDULUM)
    exact = period(0.8) / 2
    errors = []
    for step in (0.04, 0.02, 0.01):
        r = da.simulate(m, [0.8], t=[0, 1.5], method="rk4", step=step, events=TURN)
        errors.append(abs(r.events[0].time - exact))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.5).all(), (errors, orders)
    assert errors[-1] < 1e-6


@pytest.mark.parametrize("t", [[0, 2.0], [0, 0.9, 2.0], np.linspace(0, 2, 9)])
@pytest.mark.parametrize("method", ["rk4", "dop853", "dopri5", "rosenbrock"])
def test_events_between_coarse_samples_are_not_lost(method, t):
    """The limit is passed and come back to between two samples."""
    m = da.load(PENDULUM)
    r = da.simulate(m, [0.5], [3.0], t=t, method=method, rtol=1e-11)
    fine = da.simulate(m, [0.5], [3.0], t=np.linspace(0, 2, 2001), rtol=1e-11)
    assert [e.name for e in r.events] == [e.name for e in fine.events]
    for a, b in zip(r.events, fine.events, strict=True):
        assert a.time == pytest.approx(b.time, abs=1e-9)
        assert abs(a.q[0]) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("method", ["rk4", "dop853", "radau"])
def test_a_stop_ends_every_method(method):
    m = da.load(PENDULUM)
    r = da.simulate(m, [0.5], [3.0], t=2.0, method=method, stop="j1 upper limit", rtol=1e-10)
    assert r.stopped == "j1 upper limit" and len(r.events) == 1
    assert r.events[0].time - 0.01 <= r.t[-1] <= r.events[0].time
    assert r.events[0].q[0] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("method", ["rk4", "dop853", "dopri5", "rosenbrock"])
def test_each_state_of_a_batch_stops_by_itself(method):
    m = da.load(PENDULUM)
    starts = np.array([[0.1], [0.5], [0.9]])
    r = da.simulate(m, starts, [[0.0], [3.0], [3.0]], t=1.0, method=method, stop="j1")
    kept = np.isfinite(r.q[..., 0]).sum(axis=1)
    assert kept[0] == 201 and kept[2] < kept[1] < 201
    assert sorted({e.state for e in r.events}) == [(1,), (2,)]


def test_events_under_a_python_function_and_of_loops():
    m = da.load(PENDULUM)
    ways = [lambda t, q, qd: [-0.2 * qd[0]], None]
    first, free = (da.simulate(m, [0.8], torque=w, t=3.0, method="rk4", events=TURN) for w in ways)
    assert abs(first.events[0].time - free.events[0].time) > 1e-3
    same = da.simulate(m, [0.8], torque=ways[0], t=3.0, rtol=1e-11, events=TURN)
    assert first.events[0].time == pytest.approx(same.events[0].time, abs=1e-8)
    bar = da.robots.fourbar()
    runs = [
        da.simulate(bar, da.assemble(bar), t=2.0, method=x, rtol=1e-11, events=TURN)
        for x in ("rk4", "dop853")
    ]
    assert len(runs[0].events) == len(runs[1].events) > 0
    for a, b in zip(runs[0].events, runs[1].events, strict=True):
        assert a.time == pytest.approx(b.time, abs=1e-7)
        assert np.abs(da.closure(bar, a.q)).max() < 1e-10


# -- threads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dop853", "dopri5", "rosenbrock"])
def test_threads_change_nothing(method):
    m = da.load(DOUBLE)
    q0 = np.random.default_rng(5).normal(size=(300, 2))
    seen = []
    one = da.simulate(m, q0, t=1.0, method=method, events=TURN)
    two = da.simulate(m, q0, t=1.0, method=method, events=TURN, threads=2, progress=seen.append)
    assert (one.q == two.q).all() and one.steps == two.steps
    assert [(e.state, e.time) for e in one.events] == [(e.state, e.time) for e in two.events]
    assert seen == sorted(seen) and seen[-1] == 1.0


def test_a_failing_state_is_named_whatever_the_threads():
    m = da.load(DOUBLE)

    def law(t, q, qd):
        return [0.0, np.nan if t > 0.5 else 0.0]

    with pytest.raises(da.ComputationError, match="not finite"):
        da.simulate(m, np.zeros((5, 2)) + 0.1, torque=law, t=1.0, threads=2)


@pytest.fixture
def interruptible():
    before = signals.signal(signals.SIGINT, signals.default_int_handler)
    yield
    signals.signal(signals.SIGINT, before)


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_ctrl_c_stops_all_threads(method, interruptible):
    m = da.load(DOUBLE)
    da.simulate(m, [2.0, 1.0], t=0.01, method=method)
    sent = []

    def press():
        sent.append(time.process_time())
        os.kill(os.getpid(), signals.SIGINT)

    timer = threading.Timer(0.5, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        states = np.full((300, 2), 2.0)
        da.simulate(m, states, t=1e6, method=method, step=1e-4, rtol=1e-12, threads=2,
                    max_steps=10**9)  # fmt: skip
    timer.join()
    assert time.process_time() - sent[0] < 1.0  # of both threads


def test_no_states_at_all():
    r = da.simulate(da.load(DOUBLE), np.zeros((0, 2)), t=1.0)
    assert r.q.shape == (0, 201, 2)


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rosenbrock"])
@pytest.mark.parametrize("t", [10.0, [0.0, 10.0]])
def test_a_limit_passed_and_passed_back_within_one_step_is_seen(method, t):
    """A body thrown up moves on a parabola, which one step covers: nothing changed its sign."""
    m = da.load("TZ(-10000, 1); body 1: M = 1;")
    r = da.simulate(m, [0.0], [5.0], t=t, method=method)
    room = np.sqrt(25 - 2 * 9.81)
    assert [e.name for e in r.events] == ["j1 upper limit"] * 2
    assert [e.time for e in r.events] == pytest.approx([(5 - room) / 9.81, (5 + room) / 9.81])
    ended = da.simulate(m, [0.0], [5.0], t=t, method=method, stop="j1 upper limit")
    assert ended.stopped == "j1 upper limit" and ended.t[-1] <= (5 - room) / 9.81
    below = da.simulate(m, [0.0], [4.4], t=t, method=method)  # 0.987 m high
    assert not below.events and not below.notes


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rosenbrock"])
def test_functions_bent_along_a_straight_motion_are_seen_within_one_step(method):
    m = da.load("TX(), TY(); gravity = (0, 0, 0); body 1: M = 1; body 2: M = 1;")
    ball = {"ball": lambda t, q, qd: (q[0] - 1.5) ** 2 + q[1] ** 2 - 0.04}
    r = da.simulate(m, [0.0, 0.0], [1.0, 0.0], t=[0.0, 3.0], method=method, events=ball)
    assert [e.time for e in r.events] == pytest.approx([1.3, 1.7])
    three = {"three": lambda t, q, qd: (q[0] - 1) * (q[0] - 1.2) * (q[0] - 2)}
    given = {"t": [0.0, 3.0], "method": method, "events": three}
    r = da.simulate(m, [0.0, 0.0], [1.0, 0.0], **given, stop="three")
    assert r.stopped == "three" and r.events[0].time == pytest.approx(1)


@pytest.mark.parametrize("method", ["dop853", "rk4", "radau"])
def test_a_motion_that_starts_at_a_limit_or_beyond_says_so(method):
    m = da.load("TZ(0, 1); body 1: M = 1;")
    said = {0.0: ["j1 lower limit, 0"], 2.0: ["j1 upper limit, 1"], 0.5: []}
    for start, told in said.items():
        r = da.simulate(m, [start], t=0.2, method=method)
        assert not r.events
        assert [note.partition(":")[0] for note in r.notes] == told
    assert not da.simulate(m, [2.0], t=0.2, method=method, events="none").notes
    batch = da.simulate(m, [[0.5], [2.0]], t=0.2, method=method)
    assert len(batch.notes) == 1 and "upper limit" in batch.notes[0]
    inside = da.simulate(m, [0.0], [3.0], t=0.2, method=method)  # from the limit, inwards
    assert not inside.notes


def lettered(kind="revolute"):
    joint = {"type": kind, "name": "j", "axis": [0, 0, 1], "limits": [-5, "N/10"]}
    body = {"parent": -1, "mass": 2, "com": [0.5, 0, 0], "inertia": [0, 0, 0.1], "joint": joint}
    return da.load({"format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 10.0},
                    "bodies": [body]})  # fmt: skip


def test_a_limit_with_a_letter_is_that_of_the_value_given():
    m, t = lettered(), np.linspace(0, 3, 31)
    for n in (5.0, 10.0, 20.0):
        r = da.simulate(m, [0.0], [1.0], t=t, parameters={"N": n}, stop="j upper limit")
        assert [e.time for e in r.events] == pytest.approx([n / 10])
    beyond = da.simulate(m, [0.7], [1.0], t=t, parameters={"N": 5.0})
    assert any("j upper limit, 0.5: the motion starts" in x for x in beyond.notes)


def test_limits_of_several_values_are_not_watched_which_is_told():
    m, t = lettered(), np.linspace(0, 3, 31)
    r = da.simulate(m, [0.0], [1.0], t=t, parameters={"N": [5.0, 20.0]})
    assert not r.events
    assert any(x.startswith("limits that depend on N are not watched") for x in r.notes)
    with pytest.raises(da.UsageError, match="no event 'j upper limit'"):
        da.simulate(m, [0.0], [1.0], t=t, parameters={"N": [5.0, 20.0]}, stop="j upper limit")


def test_poses_are_found_within_the_limits_of_each_machine():
    m = lettered("prismatic")
    found = da.inverse_kinematics(m, [0, 0, 0.8], rows="z", parameters={"N": [5.0, 10.0, 20.0]})
    assert np.allclose(found[:, 0], [np.nan, 0.8, 0.8], equal_nan=True)
