"""Simulated motions: closed forms, conservation laws, orders of accuracy, and what stops them."""

import csv
import json
import math
import signal as signals
import threading
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import andrews
import dalembert as da
import loops
from dalembert.mechanism import JointSpring
from dalembert.simulate import SimulationStopped
from mechanisms import random_mechanisms, random_state
from peers import ORACLES, absent

PEERDATA = ORACLES.parent / "peerdata"
PENDULUM = "RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);"
DOUBLE = """RX(), TZK(-1), RX(), TZK(-1);
body 1: M = 1, D = (0, 0, -1); body 2: M = 1, D = (0, 0, -1);"""


def spread(values):
    return np.ptp(values) / max(np.abs(values).max(), 1e-300)


# -- closed forms ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_an_oscillator_follows_its_cosine(method):
    m = da.load(
        {
            "format": "dalembert/1",
            "gravity": [0, 0, 0],
            "bodies": [
                {
                    "name": "mass",
                    "parent": -1,
                    "joint": {"type": "prismatic", "axis": [1, 0, 0]},
                    "mass": 2.0,
                    "com": [0, 0, 0],
                    "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                }
            ],
            "elastic": [{"joint": "mass", "stiffness": 8.0}],
        }
    )
    t = np.linspace(0, 5, 51)
    r = da.simulate(m, [1.0], t=t, method=method, rtol=1e-11, step=1e-3)
    assert np.abs(r.q[:, 0] - np.cos(2 * t)).max() < 1e-9
    assert np.abs(r.qd[:, 0] + 2 * np.sin(2 * t)).max() < 2e-9


def test_constant_acceleration_steps_are_exact_for_constant_forces():
    m = da.load("TX(), TXK(0); body 1: M = 2, D = (0, 0, 0);")
    r = da.simulate(m, [0.5], [1.0], torque=[3.0], t=[0, 1.0], method="constant_acceleration")
    assert r.q[-1, 0] == pytest.approx(0.5 + 1.0 + 0.75, abs=1e-12)
    assert r.qd[-1, 0] == pytest.approx(2.5, abs=1e-12)


@pytest.mark.parametrize(
    ("method", "order"), [("euler", 1), ("constant_acceleration", 1), ("rk4", 4)]
)
def test_observed_orders_are_those_of_theory(method, order):
    m = da.load(DOUBLE)
    args = ([0.4, -0.3], [0.1, 0.2])
    exact = da.simulate(m, *args, t=[0, 1.0], rtol=1e-13, atol=1e-13).q[-1]
    errors = []
    for step in (0.02, 0.01, 0.005):
        q = da.simulate(m, *args, t=[0, 1.0], method=method, step=step).q[-1]
        errors.append(np.abs(q - exact).max())
    found = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(found - order).max() < 0.2, (errors, found)


def test_the_error_of_the_adaptive_method_follows_its_tolerance():
    m = da.load(DOUBLE)
    exact = da.simulate(m, [0.4, -0.3], t=[0, 5.0], rtol=1e-13, atol=1e-13).q[-1]
    for rtol in (1e-4, 1e-7, 1e-10):
        q = da.simulate(m, [0.4, -0.3], t=[0, 5.0], rtol=rtol).q[-1]
        assert np.abs(q - exact).max() < 100 * rtol


# -- conservation ------------------------------------------------------------------------------


# the second motion is chaotic: starts that differ by 1e-9 keep their energy to 5e-8 ... 1.4e-7
@pytest.mark.parametrize(("q0", "bound"), [([0.3, -0.2], 1e-9), ([2.5, 1.0], 3e-7)])
def test_a_double_pendulum_keeps_its_energy_for_100_s(q0, bound):
    r = da.simulate(da.load(DOUBLE), q0, t=100.0, rtol=1e-9, atol=1e-12)
    scale = np.abs(r.potential_energy).max()
    assert np.ptp(r.energy) / scale < bound


def link(name, parent, joint, place, mass, com, inertia):
    pose = [[1, 0, 0, place[0]], [0, 1, 0, place[1]], [0, 0, 1, place[2]], [0, 0, 0, 1]]
    return {
        "name": name,
        "parent": parent,
        "joint": {**joint, "placement": pose},
        "mass": mass,
        "com": com,
        "inertia": np.diag(inertia).tolist(),
    }


def test_a_tumbling_free_robot_keeps_its_momentum():
    hinge = {"type": "revolute", "axis": [1, 0, 0]}
    bodies = [
        link("hull", -1, {"type": "free"}, (0, 0, 0), 4.0, [0.1, 0, 0], [0.3, 0.4, 0.5]),
        link("a", 0, hinge, (0, 0, 0.4), 2.0, [0.1, 0, 0.2], [0.1, 0.2, 0.15]),
        link("b", 1, {"type": "spherical"}, (0, 0.1, 0.3), 1.0, [0, 0.2, 0], [0.02, 0.03, 0.02]),
    ]
    m = da.load({"format": "dalembert/1", "gravity": [0, 0, 0], "bodies": bodies})
    rng = np.random.default_rng(3)
    q0 = da.neutral(m)
    qd0 = rng.normal(size=m.nv)
    r = da.simulate(m, q0, qd0, t=10.0, rtol=1e-11)
    h = r.quantity("momentum")
    assert np.abs(h - h[0]).max() / np.abs(h[0]).max() < 1e-9
    quaternion = r.q[:, 3:7]
    assert np.abs(np.linalg.norm(quaternion, axis=1) - 1).max() < 1e-12
    assert spread(r.energy) < 1e-9


# -- other engines -----------------------------------------------------------------------------


MILD = {"dof": (1, 6), "masses": {"decade": 1}, "lengths": {"metre": 1}, "massless": 0.0}


@pytest.mark.parametrize("m", random_mechanisms(6, 41, **MILD), ids=lambda m: m.name)
def test_random_trees_agree_with_scipy(m):
    scipy = pytest.importorskip("scipy.integrate")
    q, qd, _ = random_state(m, 5, mild=True)
    q, qd = np.array(q, float), np.array(qd, float) * 0.3
    tau = np.zeros(m.nv)

    def rate(t, x):
        q, qd = x[: m.nq], x[m.nq :]
        parts = zip(m.bodies, m.split_q(list(q)), m.split(list(qd)), strict=True)
        qdot = [y for b, a, v in parts for y in b.joint.coordinate_rate(a, v)]
        return np.concatenate([qdot, da.forward_dynamics(m, q, qd, tau)])

    t = np.linspace(0, 0.2, 5)
    found = scipy.solve_ivp(
        rate, (0, 0.2), np.concatenate([q, qd]), "DOP853", t, rtol=1e-11, atol=1e-13
    )
    r = da.simulate(m, q, qd, t=t, rtol=1e-11, atol=1e-13, events="none", drives="inertia")
    ours = np.concatenate([r.q, r.qd], axis=1)
    assert np.abs(ours - found.y.T).max() <= 1e-7 * max(1.0, np.abs(found.y).max())


def test_the_light_cart_pole():
    if not PEERDATA.exists():
        absent("the directory of peer data")
    data = json.loads((PEERDATA / "light_cartpole.json").read_text())
    p = data["params"]
    m = da.load(
        "TX(), RY(), TZK(-1); body 1: M = 1/1000000, D = (0, 0, 0); body 2: M = 1, D = (0, 0, -1);"
    )
    rows = np.array(data["rows"], dtype=float)
    # theta counts from the downward vertical towards +x, our joint turns about y towards -x
    start = [p["x0"], -np.pi / 2]
    r = da.simulate(m, start, t=rows[:, 0], rtol=1e-13, atol=1e-14)
    x, theta = r.q[:, 0], -r.q[:, 1]
    assert np.abs(x - rows[:, 1]).max() < 1e-6
    assert np.abs(theta - rows[:, 2]).max() < 1e-6


# -- batches and ways to give forces -----------------------------------------------------------


def test_a_state_does_not_depend_on_its_place_in_a_batch():
    m = da.load(DOUBLE)
    rng = np.random.default_rng(5)
    q0 = rng.normal(size=(37, 2))
    whole = da.simulate(m, q0, t=0.3, method="rk4", step=0.01)
    assert whole.q.shape == (37, 201, 2)
    for k in (0, 17, 36):
        one = da.simulate(m, q0[k], t=0.3, method="rk4", step=0.01)
        assert (one.q == whole.q[k]).all()
    shared = da.simulate(m, q0, t=0.3, method="rk4", step=0.01, threads=2)
    assert (shared.q == whole.q).all()
    assert whole.state(3).q.shape == (201, 2)


def test_parameter_sets_run_side_by_side():
    m = da.load("RX(), TZK(-L); body 1: M = 1, D = (0, 0, -L);")
    lengths = np.array([0.5, 1.0, 2.0])
    for method in ("rk4", "dop853"):
        r = da.simulate(m, [0.1], t=[0, 1.0], parameters={"L": lengths}, method=method)
        for k, L in enumerate(lengths):
            one = da.simulate(m.with_values(L=L), [0.1], t=[0, 1.0], method=method)
            assert np.allclose(r.q[k], one.q, atol=1e-9)
            assert np.allclose(r.energy[k], one.energy, atol=1e-8)


def test_all_ways_to_give_forces_agree():
    m = da.load(DOUBLE)
    t = np.linspace(0, 1, 11)
    ways = [
        [0.5, -0.2],
        {"j1": 0.5, "j2": -0.2},
        ([0.0, 10.0], [[0.5, -0.2], [0.5, -0.2]]),
        lambda t, q, qd: [0.5, -0.2],
    ]
    runs = [da.simulate(m, [0.1, 0.2], torque=w, t=t, rtol=1e-10) for w in ways]
    for r in runs:
        assert np.abs(r.q - runs[0].q).max() < 1e-9
        assert np.allclose(r.tau, [0.5, -0.2])
    stepped = [da.simulate(m, [0.1, 0.2], torque=w, t=t, method="rk4") for w in ways]
    for r in stepped:
        assert np.abs(r.q - runs[0].q).max() < 1e-8


def test_a_held_table_changes_the_force_at_its_times():
    m = da.load("TX(), TXK(0); body 1: M = 1, D = (0, 0, 0);")
    table = ([0.0, 1.0, 2.0], [[1.0], [-1.0], [0.0]])
    for method in ("dop853", "rk4"):
        r = da.simulate(m, torque=table, t=[0, 1, 2, 3.0], hold=True, method=method)
        assert np.allclose(r.q[:, 0], [0, 0.5, 1.0, 1.0], atol=1e-9)


def test_a_prescribed_joint_moves_as_it_is_told():
    m = da.load(DOUBLE)
    from dalembert.trajectory import quintic

    path = quintic([0.0], [1.0], 2.0)
    r = da.simulate(m, [0.0, 0.3], motion={"j1": path}, t=np.linspace(0, 2, 21), rtol=1e-10)
    assert np.abs(r.q[:, 0] - path(r.t)[:, 0]).max() < 1e-12
    qdd = np.stack([path.qdd(r.t)[:, 0], r.accelerations[:, 1]], axis=1)
    tau = da.inverse_dynamics(m, r.q, r.qd, qdd)
    assert np.abs(tau[:, 1]).max() < 1e-9
    # the force that makes it move so
    assert np.allclose(r.quantity("inverse_dynamics"), tau, atol=1e-9)
    with pytest.raises(da.UsageError, match="does not hold"):
        r.quantity("forward_dynamics")
    # a joint that its model prescribes does not fall where nothing is said of it
    with pytest.raises(da.UsageError, match="'j1' is prescribed and its motion is not given"):
        da.simulate(replace(m, prescribed=("j1",)), [0.0, 0.3], t=1.0)


# -- what happens on the way -------------------------------------------------------------------


def test_joint_limits_are_events():
    m = da.load("RX(-1, 1), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    r = da.simulate(m, [0.5], [3.0], t=2.0, rtol=1e-11)
    names = [e.name for e in r.events]
    assert names == ["j1 upper limit"] * 2 + ["j1 lower limit"] * 2
    for e in r.events:
        assert abs(abs(e.q[0]) - 1) < 1e-9
    stopped = da.simulate(m, [0.5], [3.0], t=2.0, stop="j1 upper limit")
    assert stopped.stopped == "j1 upper limit" and stopped.t[-1] <= stopped.events[0].time
    sampled = da.simulate(m, [0.5], [3.0], t=2.0, method="rk4")
    assert [e.name for e in sampled.events] == names


def test_an_event_of_the_user():
    m = da.load(PENDULUM)
    r = da.simulate(m, [0.5], t=3.0, events={"turn": lambda t, q, qd: qd[0]}, rtol=1e-11)
    # the period of a pendulum of length 1 at amplitude 0.5, by its elliptic integral
    special = pytest.importorskip("scipy.special")
    period = 4 * special.ellipk(np.sin(0.25) ** 2) / np.sqrt(9.81)
    assert r.events[0].time == pytest.approx(period / 2, abs=1e-9)


@pytest.mark.parametrize("method", ["dop853", "rk4", "euler"])
def test_a_motion_that_is_not_finite_stops_and_says_where(method):
    m = da.load(DOUBLE)
    law = ([0.0, 0.5, 0.50001, 9.0], [[0, 0], [0, 0], [0, 1e200], [0, 1e200]])
    with pytest.raises(SimulationStopped) as caught:
        da.simulate(m, [0.1, 0.2], torque=law, t=1.0, method=method)
    error = caught.value
    assert error.joint in ("j1", "j2") and 0.4 < error.time <= 0.503
    assert np.isfinite(error.q).all() and np.isfinite(error.qd).all()
    assert "not finite after t = 0.5" in str(error) or "not finite after t = 0.4" in str(error)


def test_too_many_steps_are_given_up():
    """A stiff spring makes an explicit method creep."""
    m = da.load(PENDULUM)
    stiff = replace(m, elastic=(JointSpring(0, 1e10),))
    for method in ("dop853", "lsoda"):
        with pytest.raises(SimulationStopped, match="more than 2000 steps") as caught:
            da.simulate(stiff, [0.3], t=20.0, max_steps=2000, method=method)
        assert 0 < caught.value.time < 20
    with pytest.raises(SimulationStopped, match="time limit"):
        da.simulate(stiff, [0.3], t=1e5, max_steps=10**9, time_limit=0.05)


def test_an_error_of_a_torque_function_reaches_the_caller():
    def torque(t, q, qd):
        raise ZeroDivisionError("mine")

    for method in ("dop853", "rk4"):
        with pytest.raises(ZeroDivisionError, match="mine"):
            da.simulate(da.load(PENDULUM), torque=torque, t=1.0, method=method)


@pytest.fixture
def interruptible():
    """Let Ctrl-C reach the test also where the tests themselves run in the background."""
    before = signals.signal(signals.SIGINT, signals.default_int_handler)
    yield
    signals.signal(signals.SIGINT, before)


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_ctrl_c_is_heard_soon(method, interruptible):
    m = da.load(DOUBLE)
    da.simulate(m, [2.0, 1.0], t=0.01, method=method)  # compiled
    sent = []
    timer = threading.Timer(0.3, lambda: (sent.append(time.process_time()), _interrupt()))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        da.simulate(m, [2.0, 1.0], t=1e6, method=method, step=1e-4, rtol=1e-12)
    timer.join()
    assert time.process_time() - sent[0] < 0.5


def _interrupt():
    import os

    os.kill(os.getpid(), signals.SIGINT)


def test_progress_is_reported_often():
    seen = []
    da.simulate(da.load(DOUBLE), [2.0, 1.0], t=5.0, method="rk4", step=1e-4, progress=seen.append)
    assert seen[-1] == 1.0 and seen == sorted(seen)


# -- results -----------------------------------------------------------------------------------


def test_results_are_written(tmp_path):
    r = da.simulate(da.load(DOUBLE), [0.1, 0.2], torque=[0.1, 0.0], t=np.linspace(0, 1, 11))
    r.to_csv(tmp_path / "r.csv")
    with open(tmp_path / "r.csv") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["t", "q.j1", "q.j2", "qd.j1", "qd.j2", "tau.j1", "tau.j2", "energy"]
    table = np.array(rows[1:], dtype=float)
    assert (table[:, 1:3] == r.q).all() and (table[:, 5] == 0.1).all()
    r.to_npz(tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz") as kept:
        assert (kept["q"] == r.q).all() and (kept["energy"] == r.energy).all()
    pytest.importorskip("matplotlib")
    r.plot(tmp_path / "r.png")
    assert (tmp_path / "r.png").stat().st_size > 5000


def test_unclear_requests_are_refused():
    m = da.load(DOUBLE)
    for options, words in (
        ({"method": "magic"}, "unknown method"),
        ({"t": [0, 0.0]}, "increasing"),
        ({"t": np.inf}, "a time that is not finite"),
        ({"q0": [1.0]}, "q0 has shape"),
        ({"q0": [np.nan, 0]}, "not finite"),
        ({"torque": [1.0]}, "torque has shape"),
        ({"torque": {"elbow": 1.0}}, "no force 'elbow'"),
        ({"events": "all"}, "unknown events"),
        ({"motion": {"elbow": 1.0}}, "neither a joint"),
        ({"q0": "abc"}, "q0 does not hold numbers"),
        ({"torque": "abc"}, "torque does not hold numbers"),
        ({"step": 0.0, "method": "rk4"}, "step is 0.0"),
        ({"rtol": -1.0}, "rtol is -1.0"),
        ({"threads": 0}, "threads is 0"),
        ({"events": {"up": lambda t, q, qd: math.sin(q[0])}}, "event 'up' is traced"),
    ):
        with pytest.raises(da.UsageError, match=words):
            da.simulate(m, **options)


# -- other classes -----------------------------------------------------------------------------


def test_andrews_squeezing_mechanism():
    source = andrews.data()
    m, places = andrews.squeezer(source), andrews.order(source)
    start = np.array(source["initial"]["q"])[places]
    end = source["reference_t_0.03"]
    torque = [source["params"]["mom"]]
    r = da.simulate(m, start, torque=torque, t=[0, 0.03], rtol=1e-12, atol=1e-12, drives="none")
    expected = np.array(end["q"])[places]
    assert np.abs(r.q[-1] - expected).max() < 1e-6
    speeds = np.array(end["v"])[places]
    assert np.abs(r.qd[-1] - speeds).max() < 1e-5 * np.abs(speeds).max()
    assert r.residual.max() < 1e-12


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_a_five_bar_passes_dead_points_of_its_motors(method):
    m = da.robots.fivebar()
    q0 = da.assemble(m)
    r = da.simulate(m, q0, t=2.0, rtol=1e-10, method=method, step=5e-4)
    assert r.residual.max() < 1e-12
    assert np.ptp(r.energy) < (1e-7 if method == "dop853" else 1e-5) * np.abs(r.energy).max()


def test_a_five_bar_that_turns_over_keeps_its_energy():
    """No step ends, and no sample lies, where the choice of independent joints has faded."""
    m = da.robots.fivebar()
    r = da.simulate(m, da.assemble(m), t=np.linspace(0, 100, 2001), rtol=1e-9, atol=1e-12,
                    drives="none", events="none")  # fmt: skip
    assert np.abs(r.energy - r.energy[0]).max() < 2e-6 * r.kinetic_energy.max()  # was 1e-2
    assert r.residual.max() < 1e-12


@pytest.mark.slow
def test_a_four_bar_stays_closed_for_1000_s():
    m = da.robots.fourbar()
    r = da.simulate(m, da.assemble(m), t=1000.0, rtol=1e-9)
    assert r.residual.max() < 1e-12


def test_a_loop_of_bricard_keeps_its_energy_and_stays_closed_for_1000_s():
    """Six equations, five of them independent; 78 rtol measured, 100 for each 100 s is the goal."""
    ring = loops.bricard(1)
    r = da.simulate(ring.m, ring.q, t=1000.0, rtol=1e-10)
    assert r.residual.max() < 1e-12
    assert np.ptp(r.energy) < 3e-8 * r.kinetic_energy.max()
    assert np.ptp(r.q, axis=0).max() > 1


@pytest.mark.slow
def test_a_stewart_platform_on_springs_keeps_its_energy_and_stays_closed_for_1000_s(tmp_path):
    """Springs beside the legs carry it through 7,400 swings; 1,900 rtol measured."""
    da.robots.stewart().save(tmp_path / "stewart.json")
    data = json.loads((tmp_path / "stewart.json").read_text())
    feet = [b["joint"]["placement"]["translation"] for b in data["bodies"][0:18:3]]
    data["springs"] = [
        {"body_i": "base", "point_i": foot, "body_j": "platform", "point_j": loop["point_j"],
         "stiffness": 5000.0, "length": 0.68}
        for foot, loop in zip(feet, data["loops"], strict=True)
    ]  # fmt: skip
    m = da.load(data)
    q0 = da.assemble(m, {"platform": [0, 0, 0.6, 0, 0, 0, 1]}, hold=["platform"])
    r = da.simulate(m, q0, t=1000.0, rtol=1e-10, drives="none", events="none")
    assert r.residual.max() < 1e-12
    assert np.ptp(r.energy) < 1e-6 * r.kinetic_energy.max()
    assert np.ptp(r.q, axis=0).max() > 0.02


def test_a_tumbling_body_keeps_energy_momentum_and_unit_quaternions_for_1000_s():
    """It turns over about its middle axis; momentum in base axes is R I w."""
    inertia = [1.0, 2.0, 3.0]
    body = {"name": "b", "parent": -1, "joint": {"type": "free"}, "mass": 2, "com": [0, 0, 0]}
    body["inertia"] = [*inertia, 0, 0, 0]
    m = da.load({"format": "dalembert/1", "gravity": [0, 0, 0], "bodies": [body]})
    r = da.simulate(m, [0, 0, 0, 0, 0, 0, 1], [0.3, -0.2, 0.1, 0.01, 2, 0.01], t=1000.0, rtol=1e-10)
    x, y, z, w = r.q[:, 3:].T
    assert np.abs(x * x + y * y + z * z + w * w - 1).max() < 1e-12
    assert r.qd[:, 4].min() < -1.9 and r.qd[:, 4].max() > 1.9
    assert np.ptp(r.energy) < 1e-9 * r.kinetic_energy.max()
    L = r.qd[:, 3:] * inertia
    v = r.q[:, 3:6]
    turned = L + 2 * np.cross(v, np.cross(v, L) + w[:, None] * L)
    assert np.abs(turned - turned[0]).max() < 1e-9 * np.linalg.norm(L[0])


def test_a_truck_keeps_its_energy_and_its_constraints():
    m = da.robots.truck(1)
    steer = ([0.0, 10.0, 20.0], [[0.0], [0.3], [-0.2]])
    r = da.simulate(m, None, [1.5], t=20.0, rtol=1e-11, motion={"delta": steer})
    assert spread(r.kinetic_energy) < 1e-9
    # the rear axle does not slide sideways
    x, y, th = r.q[:, 0], r.q[:, 1], r.q[:, 2]
    assert np.abs(np.cos(th) * r.qd[:, 1] - np.sin(th) * r.qd[:, 0]).max() < 1e-12
    assert np.ptp(x) > 1 and np.ptp(y) > 0.1


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_a_four_bar_whose_crank_is_prescribed_turns_full_circles(method):
    m = da.robots.fourbar()
    q0 = da.assemble(m)
    name = m.active[0]
    k = m.joint_names.index(name)
    turn = ([0.0, 1.0], [[q0[k]], [q0[k] + 4 * np.pi]])
    r = da.simulate(m, q0, t=np.linspace(0, 1, 101), motion={name: turn}, method=method)
    assert np.abs(r.q[:, k] - (q0[k] + 4 * np.pi * r.t)).max() < 1e-12
    assert r.residual.max() < 1e-12
    assert np.abs(np.sin((r.q[-1] - r.q[50]) / 2)).max() < 1e-9
    # the mechanism is where its crank takes it
    poses = da.assembly_along(m, q0, r.q[:, [k]])
    assert np.abs(poses - r.q).max() < 1e-9


def driven_fivebar():
    """A five-bar whose first crank moves as it is told and whose second has a motor."""
    m = da.robots.fivebar()
    return replace(m, active=("crankB",), prescribed=("crankA",), checked=False)


def test_loops_with_a_prescribed_joint_are_planned(tmp_path):
    m = driven_fivebar()
    m.save(tmp_path / "fivebar.toml")
    for one in (m, da.load(tmp_path / "fivebar.toml")):
        plan = da.plan(one)
        assert (plan.mobility, len(plan.motors)) == (2, 1)
        (led,) = da.linearize(one).names  # the prescribed crank stays where it is
        assert led != "crankA"


def test_a_five_bar_with_a_prescribed_crank_moves_as_one_with_two_motors():
    two = da.robots.fivebar()
    q0, t = da.assemble(two), np.linspace(0, 0.5, 26)
    motion = {"crankA": lambda t: q0[0] + 0.3 * np.sin(2 * t)}
    r = da.simulate(driven_fivebar(), q0, torque=[0.4], t=t, motion=motion, rtol=1e-11)
    assert np.abs(r.q[:, 0] - q0[0] - 0.3 * np.sin(2 * t)).max() < 1e-12
    assert np.ptp(r.q[:, 2]) > 0.3 and r.residual.max() < 1e-12
    led = da.simulate(two, q0, torque=[0.0, 0.4], t=t, motion=motion, rtol=1e-11)
    assert np.abs(r.q - led.q).max() < 1e-9 and np.abs(r.qd - led.qd).max() < 1e-8
    # the motor's own equation, by the inverse dynamics of the machine with two motors
    qdd = np.array([np.gradient(x, t, edge_order=2) for x in r.qd.T]).T
    tau = da.inverse_dynamics(two, r.q[1:-1], r.qd[1:-1], qdd[1:-1])
    assert np.abs(tau[:, 1] - 0.4).max() < 0.05


def test_a_prescribed_joint_of_a_loop_needs_its_motion():
    with pytest.raises(da.UsageError, match="'crankA' is prescribed and its motion is not given"):
        da.simulate(driven_fivebar(), t=0.1)


def test_joints_that_cannot_both_be_prescribed_are_named():
    m = da.robots.fourbar()
    with pytest.raises(da.ComputationError, match="not independent"):
        da.simulate(m, da.assemble(m), motion=dict.fromkeys(m.joint_names[:2], 0.1), t=0.1)


def test_damped_springs_only_lose_energy():
    m = da.robots.flexible2r()
    assert any(float(s.damping) > 0 for s in m.elastic)
    r = da.simulate(m, t=1.0, rtol=1e-11)
    assert (np.diff(r.energy) <= 1e-10).all() and r.energy[-1] < r.energy[0]


def scipy_states(rate, x0, t):
    scipy = pytest.importorskip("scipy.integrate")
    found = scipy.solve_ivp(rate, (t[0], t[-1]), x0, "DOP853", t, rtol=1e-11, atol=1e-13)
    return found.y.T


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "parallelogram_arm"])
def test_loops_agree_with_scipy(name):
    m = getattr(da.robots, name)()
    q0, t = da.assemble(m), np.linspace(0, 0.25, 5)  # the arm is flat, singular, at 0.3 s
    tau = np.linspace(0.5, -0.3, len(m.active))
    n = m.nq

    def rate(t, x):
        return np.concatenate([x[n:], da.forward_dynamics(m, x[:n], x[n:], tau, check=False)])

    found = scipy_states(rate, np.concatenate([q0, np.zeros(n)]), t)
    r = da.simulate(m, q0, torque=tau, t=t, rtol=1e-11, atol=1e-13, events="none")
    ours = np.concatenate([r.q, r.qd], axis=1)
    assert np.abs(ours - found).max() < 1e-7 * max(1.0, np.abs(found).max())


@pytest.mark.parametrize("trailers", [0, 1, 2])
def test_trucks_agree_with_scipy(trailers):
    m = da.robots.truck(trailers)
    t = np.linspace(0, 5, 6)
    steer, force = np.array([0.15]), np.zeros(len(m.wheels))
    force[0] = 500.0
    still, tau = np.zeros(1), np.zeros(m.nv)

    def rate(t, x):
        q, v = x[:-1], x[-1:]
        qd = da.kane_J_nh(m, q, steer) @ v
        return np.concatenate([qd, da.alpha_dot(m, q, v, steer, still, tau, force)])

    start = np.concatenate([np.zeros(m.nq), [1.0]])
    found = scipy_states(rate, start, t)
    r = da.simulate(m, None, [1.0], torque=np.concatenate([tau, force]), t=t, rtol=1e-11,
                    atol=1e-13, motion={"delta": 0.15})  # fmt: skip
    ours = np.concatenate([r.q, r.speeds], axis=1)
    assert np.abs(ours - found).max() < 1e-8 * max(1.0, np.abs(found).max())


@pytest.mark.parametrize("name", ["spacecraft", "flying_arm", "walker", "snake"])
def test_moving_bases_agree_with_scipy(name):
    m = getattr(da.robots, name)()
    q, qd, _ = random_state(m, 3, mild=True)
    x0, t = np.array([*q, *(0.2 * np.array(qd))]), np.linspace(0, 0.2, 3)
    tau = np.zeros(m.nv)

    def rate(t, x):
        q, qd = x[: m.nq], x[m.nq :]
        parts = zip(m.bodies, m.split_q(list(q)), m.split(list(qd)), strict=True)
        qdot = [y for b, a, v in parts for y in b.joint.coordinate_rate(a, v)]
        return np.concatenate([qdot, da.forward_dynamics(m, q, qd, tau)])

    found = scipy_states(rate, x0, t)
    r = da.simulate(m, q, 0.2 * np.array(qd), t=t, rtol=1e-11, atol=1e-13, events="none")
    ours = np.concatenate([r.q, r.qd], axis=1)
    assert np.abs(ours - found).max() < 1e-7 * max(1.0, np.abs(found).max())


def test_without_compiled_code_numpy_and_scipy_answer(monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    m = da.load(DOUBLE.replace("M = 1", "M = 1.25"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        a = da.simulate(m, [0.3, 0.2], t=[0, 0.1, 0.2], rtol=1e-10)
        b = da.simulate(m, [[0.3, 0.2], [0.1, 0.1]], t=[0, 0.1, 0.2], method="rk4", step=1e-2)
        c = da.simulate(m, [0.3, 0.2], t=[0, 0.1, 0.2], method="euler", step=1e-3)
    assert np.abs(a.q - b.q[0]).max() < 1e-7 and np.abs(a.q - c.q).max() < 1e-2
    monkeypatch.delenv("DALEMBERT_JIT")
    true = da.simulate(m, [0.3, 0.2], t=[0, 0.1, 0.2], rtol=1e-10)
    assert np.abs(a.q - true.q).max() < 1e-8


@pytest.mark.parametrize("shape", [(3,), (2, 1)])
def test_one_state_of_a_batch_has_its_own_parameters(shape):
    m = da.load(
        "RZ(), TXK(0.5); gravity = (0, -9.81, 0); body 1: M = M1, D = (0.3, 0, 0), I = (0, 0, 0.1);"
    )
    masses = np.linspace(1.0, 3.0, int(np.prod(shape))).reshape(shape)
    start = np.full((*shape[:-1], 3, 1), 0.2)
    r = da.simulate(m, start, t=np.linspace(0, 0.1, 5), parameters={"M1": masses})
    index = (1, 2) if len(shape) == 2 else (1,)
    one = r.state(*index)
    assert one.energy.shape == (5,)
    np.testing.assert_array_equal(one.energy, r.energy[index])
    np.testing.assert_array_equal(one.quantity("mass_matrix"), r.quantity("mass_matrix")[index])
