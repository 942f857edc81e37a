"""Integration methods: orders of their tableaux, agreement among them and with SciPy, stiffness."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.control import PD
from dalembert.runtime.methods import DOP853, DOPRI5, RK4, RODAS5P
from dalembert.simulate.given_forces import Given
from dalembert.simulate.job import Job
from dalembert.simulate.kernels import Kernels
from dalembert.simulate.systems import system
from mechanisms import random_mechanisms, random_state

ADAPTIVE = ("dop853", "dopri5", "rosenbrock")
DOUBLE = """RX(), TZK(-1), RX(), TZK(-1);
body 1: M = 1, D = (0, 0, -1); body 2: M = 1, D = (0, 0, -1);"""


def flow(x, t):
    return np.array([x[1], -np.sin(x[0]) - 0.3 * x[1] * x[0] ** 2])


def slope(x, t):
    return np.array([[0, 1], [-np.cos(x[0]) - 0.6 * x[1] * x[0], -0.3 * x[0] ** 2]])


@pytest.mark.parametrize("method", [RK4, DOPRI5, DOP853, RODAS5P], ids=lambda m: m.name)
def test_the_order_of_a_tableau_is_the_one_it_states(method):
    start = np.array([1.0, 0.5])
    exact = solve_ivp(lambda t, x: flow(x, t), (0, 2), start, "DOP853", rtol=1e-13, atol=1e-15)
    errors = []
    for steps in (3, 6) if method is DOP853 else (32, 64):
        x, h = start, 2 / steps
        for k in range(steps):
            given = (flow, slope) if method is RODAS5P else (flow,)
            x = method.step(*given, x, k * h, h)
        errors.append(np.abs(x - exact.y[:, -1]).max())
    assert abs(np.log2(errors[0] / errors[1]) - method.order) < 0.7


@pytest.mark.parametrize("method", ["dopri5", "rosenbrock"])
def test_the_compiled_step_is_that_of_the_tableau(method):
    """Global errors fall as tolerance^1, and the interpolant is as good as the steps."""
    m = da.load(DOUBLE)
    times = np.linspace(0, 3, 301)
    exact = da.simulate(m, [0.6, -0.4], t=times, rtol=1e-13, atol=1e-14)
    gaps = []
    for rtol in (1e-6, 1e-9):
        r = da.simulate(m, [0.6, -0.4], t=times, method=method, rtol=rtol)
        gaps.append(max(np.abs(r.q - exact.q).max(), np.abs(r.qd - exact.qd).max()))
    assert gaps[0] < 3e-4 and gaps[1] < 3e-7
    assert gaps[1] < gaps[0] / 100


def test_dopri5_takes_the_steps_of_scipy():
    m = da.load(DOUBLE)
    r = da.simulate(m, [0.6, -0.4], t=[0.0, 5.0], method="dopri5", rtol=1e-7, atol=1e-9)
    kernel = da.compile(m, "forward_dynamics")

    def rate(t, x):
        return np.concatenate([x[2:], kernel(x[:2], x[2:], [0.0, 0.0])])

    other = solve_ivp(rate, (0, 5), [0.6, -0.4, 0, 0], "RK45", rtol=1e-7, atol=1e-9)
    assert abs(r.steps - (len(other.t) - 1)) <= 0.05 * len(other.t)
    assert np.abs(r.q[-1] - other.y[:2, -1]).max() < 1e-5


@pytest.mark.parametrize("method", ["dopri5", "rosenbrock"])
@pytest.mark.parametrize("k", range(6))
def test_random_trees_move_as_with_dop853(method, k):
    """Free bases and spherical joints with quaternions are among them."""
    m = random_mechanisms(6, 77, dof=(2, 8), root=0.4)[k]
    q, qd, _ = (np.asarray(x, dtype=float) for x in random_state(m, k, mild=True))
    own = [da.simulate(m, q, qd, t=[0.0, 0.3], method=x, rtol=1e-9) for x in ("dop853", method)]
    assert np.abs(own[0].q - own[1].q).max() < 1e-5 * (1 + np.abs(own[0].q).max())


@pytest.mark.parametrize("name", ["fivebar", "fourbar"])
def test_loops_stay_closed_and_move_as_with_dop853(name):
    m = getattr(da.robots, name)()
    pose = da.assemble(m)
    tau = np.full(len(m.active), 0.05)
    own = [
        da.simulate(m, pose, torque=tau, t=[0.0, 0.2, 0.4], method=x, rtol=1e-9) for x in ADAPTIVE
    ]
    for r in own[1:]:
        assert np.abs(r.q - own[0].q).max() < 1e-6
        assert r.residual.max() < 1e-9


def test_wheels_roll_under_every_method():
    m = da.robots.unicycle()
    qd = np.full(len(m.speeds), 0.5)
    own = [da.simulate(m, None, qd, t=[0.0, 1.0], method=x, rtol=1e-9) for x in ADAPTIVE]
    for r in own[1:]:
        assert np.abs(r.q - own[0].q).max() < 1e-7


@pytest.mark.parametrize("method", ["dopri5", "rosenbrock"])
def test_what_depends_on_time_keeps_the_order(method):
    """A table of forces, a goal that moves and a prescribed joint."""
    m = da.load(DOUBLE)
    table = (np.linspace(0, 2, 9), np.random.default_rng(1).normal(size=(9, 2)))
    law = PD(da.trajectory.quintic([0, 0], [1, -0.5], 2.0), kp=[20, 10], kd=[5, 3])
    motion = {"motion": {m.joint_names[1]: da.trajectory.quintic([0.0], [1.0], 2.0)}}
    for torque, more in ((table, {}), (law, {}), (None, motion)):
        own = [
            da.simulate(m, [0.1, 0.0], torque=torque, t=[0.0, 1.3, 2.0], method=x, rtol=r, **more)
            for x, r in (("dop853", 1e-12), (method, 1e-6), (method, 1e-9))
        ]
        gaps = [np.abs(r.q - own[0].q).max() for r in own[1:]]
        assert gaps[1] < 2e-8 and gaps[0] < 2e-5


def test_the_jacobian_is_that_of_the_right_hand_side():
    for m in (da.load(DOUBLE), da.robots.fourbar(), *random_mechanisms(4, 5, dof=(2, 7), root=0.4)):
        own = system(m)
        kernels = Kernels(own, Given(np.zeros(own.forces)), 0, own.forces)
        job = Job(kernels, None, np.zeros(own.forces), {})
        rng = np.random.default_rng(0)
        q = da.assemble(m) if m.loops else np.asarray(random_state(m, 3, mild=True)[0], dtype=float)
        x = np.concatenate([q, 0.1 * rng.normal(size=own.speeds)])
        n, p = len(x), np.zeros(max(1, own.forces))
        rest = ([0.0], np.zeros(max(1, kernels.inputs)), p)
        found = np.reshape(job.kernels.jacobian()(x, *rest), (n, n)).T
        step = 1e-6
        moved = kernels.rhs()(np.concatenate([x + step * np.eye(n), x - step * np.eye(n)]), *rest)
        wanted = ((moved[:n] - moved[n:]) / (2 * step)).T
        assert np.abs(found - wanted).max() < 1e-5 * (1 + np.abs(wanted).max())


def stiff_arm(stiffness=1e6, damping=100.0):
    """Return an arm of two links behind elastic transmissions."""
    return da.load(f"""
format = "dalembert/1"
name = "elastic arm"
gravity = [0, -9.81, 0]
phrase = '''rotor1: RZ(), link1: RZ(), TXK(0.8), rotor2: RZ(), link2: RZ(), TXK(0.6);
body 1: M = 1, I = (0.1, 0.1, 0.1); body 2: M = 3, D = (0.4, 0, 0), I = (0, 0, 0.2);
body 3: M = 1, I = (0.1, 0.1, 0.1); body 4: M = 2, D = (0.3, 0, 0), I = (0, 0, 0.1);'''
elastic = [ {{ joint = "link1", stiffness = {stiffness}, damping = {damping} }},
            {{ joint = "link2", stiffness = {stiffness}, damping = {damping} }} ]
""")


def test_a_stiff_arm_takes_few_steps_and_stays_right():
    m = stiff_arm(damping=1000.0)
    options = {"t": np.linspace(0, 2, 21), "events": "none"}
    exact = da.simulate(m, [0.3, 0, 0.2, 0], rtol=1e-11, **options)
    r = da.simulate(m, [0.3, 0, 0.2, 0], method="rosenbrock", rtol=1e-7, **options)
    assert np.abs(r.q - exact.q).max() < 1e-4
    assert r.steps < exact.steps / 5


@pytest.mark.slow
def test_a_stiff_arm_is_twenty_times_faster_than_with_radau():
    """Both on the same compiled kernel, in one run."""
    m, spent = stiff_arm(), {}
    for method in ("rosenbrock", "rosenbrock", "radau"):
        begin = time.process_time()
        da.simulate(m, [0.3, 0, 0.2, 0], t=10.0, method=method, rtol=1e-6, events="none")
        spent[method] = time.process_time() - begin
    assert spent["radau"] > 20 * spent["rosenbrock"]


def test_python_functions_have_no_derivatives():
    m = da.load(DOUBLE)
    with pytest.raises(da.DalembertError, match="derivatives"):
        da.simulate(m, [0.1, 0.0], torque=lambda t, q, qd: -q, method="rosenbrock")
    r = da.simulate(m, [0.1, 0.0], torque=lambda t, q, qd: -q, t=[0.0, 1.0], method="dopri5")
    assert np.isfinite(r.q).all()


def test_states_side_by_side_are_those_of_one_alone():
    m = stiff_arm()
    q0 = np.array([[0.3, 0, 0.2, 0], [1.0, 0, -0.5, 0]])
    both = da.simulate(m, q0, t=[0.0, 1.0], method="rosenbrock", rtol=1e-6, threads=2)
    one = da.simulate(m, q0[1], t=[0.0, 1.0], method="rosenbrock", rtol=1e-6)
    assert np.array_equal(both.q[1], one.q)


@pytest.mark.parametrize("method, off", [("rk4", 1e-8), ("dop853", 1e-5)])
def test_a_parallelogram_passes_its_flat_pose_on_its_own_branch(method, off):
    """A step that ends next to the flat pose is taken, whatever its length: nothing hangs there."""
    bar = {"mass": 1.0, "com": [0.15, 0, 0], "inertia": [0, 0.0075, 0.0075]}

    def body(name, parent, at, **data):
        place = {"type": "revolute", "axis": [0, 0, 1], "placement": {"translation": [at, 0, 0]}}
        return {"name": name, "parent": parent, "joint": place, **data}

    coupler = body("coupler", "crank", 0.3, mass=1.0, com=[0.35, 0, 0], inertia=[0, 0.04, 0.04])
    pin = {"body_i": "coupler", "point_i": [0.7, 0, 0], "body_j": "rocker", "point_j": [0.3, 0, 0]}
    m = da.load({
        "format": "dalembert/1", "gravity": [0, -9.81, 0], "active": ["crank"],
        "bodies": [body("crank", -1, 0, **bar), coupler, body("rocker", -1, 0.7, **bar)],
        "loops": [{**pin, "joint": "revolute", "axis": [0, 0, 1]}],
    })  # fmt: skip
    r = da.simulate(m, [1.0, -1.0, 1.0], [6.0, -6.0, 6.0], t=1.0, method=method)
    assert any("singular pose of its constraints near t = " in note for note in r.notes)
    assert np.abs(r.q[:, 0] - r.q[:, 2]).max() < 1e-12 and np.abs(r.q[:, :2].sum(1)).max() < 1e-12
    # the coupler only slides: one pendulum of inertia 2 (0.0075 + 0.15²) + 0.3²
    inertia, weight = 2 * (0.0075 + 0.15**2) + 0.3**2, 9.81 * (2 * 0.15 + 0.3)
    one = solve_ivp(lambda t, x: [x[1], -weight * np.cos(x[0]) / inertia], (0, 1), [1.0, 6.0],
                    rtol=1e-12, atol=1e-12)  # fmt: skip
    assert r.q[-1, 0] > 2 * np.pi and abs(r.q[-1, 0] - one.y[0, -1]) < off


@pytest.mark.parametrize("drives", ["none", "inertia"])
def test_the_energy_counts_the_rotors_that_moved(drives):
    body = {"name": "a", "parent": -1, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "mass": 1,
            "com": [0.3, 0, 0], "inertia": [0, 0.01, 0.01]}  # fmt: skip
    rotor = {"joint": "a", "Ia": 0.02, "gear": -3}
    m = da.load({"format": "dalembert/1", "bodies": [body], "drives": [rotor]})
    r = da.simulate(m, [0.3], [1.0], t=1.0, rtol=1e-10, drives=drives)
    assert np.ptp(r.energy) < 1e-8 and r.q[-1, 0] > 1
