"""Motions given as functions of time and as tables: their accelerations count, and are right."""

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime.signal import held, smooth
from dalembert.simulate.prescribed import polynomials

TIMES = np.linspace(0.0, 2.0, 201)
SLIDE = {"type": "prismatic", "axis": [1, 0, 0]}
BLOCK = {
    "format": "dalembert/1",
    "gravity": [0, 0, 0],
    "bodies": [
        {"name": "cart", "parent": -1, "joint": SLIDE, "mass": 3},
        {"name": "block", "parent": 0, "joint": SLIDE, "mass": 2},
    ],
    "elastic": [{"joint": "block", "stiffness": 50}],
}  # fmt: skip
A, W = 0.3, 2.0  # the cart moves by A sin(W t)


def sine(t):
    return 0.2 + A * np.sin(W * t)


@pytest.mark.parametrize("given", ["function", "table", "spline"])
def test_a_block_on_a_spring_follows_a_cart_as_the_closed_form_says(given):
    fine = np.linspace(0, 2, 401)
    motion = {
        "function": sine,
        "table": (fine, sine(fine)),
        "spline": da.trajectory.sampled(lambda t: sine(t)[:, None], fine),
    }[given]
    r = da.simulate(da.load(BLOCK), [0.2, 0], t=TIMES, motion={"cart": motion}, rtol=1e-10)
    own = 5.0  # sqrt(50 / 2)
    C = A * W**2 / (own**2 - W**2)
    want = C * np.sin(W * TIMES) - C * W / own * np.sin(own * TIMES)
    assert r.q[:, 1] == pytest.approx(want, abs=1e-8 if given == "function" else 1e-5)
    assert r.q[:, 0] == pytest.approx(sine(TIMES), abs=1e-9)
    # the force on the cart moves both masses: 3 x'' - 50 y
    force = -3 * A * W**2 * np.sin(W * TIMES) - 50 * want
    assert r.tau[5:-5, 0] == pytest.approx(force[5:-5], abs=1e-6 if given == "function" else 1e-2)


def test_a_function_that_does_not_change_has_no_rates():
    f = polynomials("x", lambda t: 0.2, TIMES)
    assert not f.derivative().coefficients.any()


@pytest.mark.parametrize("end", [0.5, 30.0])
def test_second_derivatives_of_smooth_functions_are_exact_to_seven_digits(end):
    times = np.linspace(0, end, 201)
    f = polynomials("x", sine, times)
    assert f(times)[:, 0] == pytest.approx(sine(times), abs=1e-12)
    second = f.derivative().derivative()(times)[:, 0]
    assert second == pytest.approx(-A * W**2 * np.sin(W * times), abs=1e-7)


def test_a_corner_between_two_samples_is_found_and_what_is_too_fast_is_refused():
    f = polynomials("x", lambda t: max(0.0, t - 0.314), TIMES)
    assert f(TIMES)[:, 0] == pytest.approx(np.maximum(0, TIMES - 0.314), abs=1e-3)
    with pytest.raises(da.UsageError, match="'x': the function changes too fast"):
        polynomials("x", lambda t: np.sin(2e4 * t), TIMES)


@pytest.mark.parametrize("rows, degree", [(2, 1), (3, 2), (5, 3), (40, 3)])
def test_a_table_of_a_polynomial_is_that_polynomial(rows, degree):
    c = [0.3, -1.0, 2.0, 0.5][3 - degree :]
    t = np.sort(np.random.default_rng(rows).uniform(0, 2, rows))
    f, at = smooth(t, np.polyval(c, t)[:, None]), np.linspace(t[0], t[-1], 50)
    assert f(at)[:, 0] == pytest.approx(np.polyval(c, at), abs=1e-10)
    assert f.derivative()(at)[:-1, 0] == pytest.approx(np.polyval(np.polyder(c), at)[:-1], abs=1e-8)


def test_a_short_pulse_beside_a_motion_or_a_law_is_not_stepped_over():
    """At rest an adaptive step grows to seconds: with other signals beside it a pulse was lost."""
    m = da.load("[a: TX()] [b: TY()]; gravity = (0, 0, 0); body 1: M = 1; body 2: M = 1;")
    times, push = np.array([0, 5, 5.001, 5.002, 10]), np.array([0, 0, 1000.0, 0, 0])  # 1 N s
    torque = (times, np.stack([push, 0 * push], axis=1))
    wrench = {"a": (times, np.stack([push, *(0 * push for _ in range(5))], axis=1))}
    goal = da.trajectory.quintic([0.0, 0.0], [0.0, 1.0], 10.0)
    law = da.control.PD(goal, kp=[0, 1], kd=[0, 1])
    for given in (
        {"torque": torque, "motion": {"b": lambda t: 0.1 * t}},
        {"torque": torque, "motion": {"b": ([0, 3, 10], [0, 1.0, 2])}},
        {"torque": torque, "motion": {"b": goal.signal.columns([1])}},
        {"torque": law, "wrench_on_body": wrench},
    ):
        r = da.simulate(m, [0.0, 0.0], t=10.0, **given)
        assert r.qd[-1, 0] == pytest.approx(1, abs=1e-6), given


def test_a_bump_of_a_sampled_motion_is_not_stepped_over():
    m = da.load({
        "format": "dalembert/1", "gravity": [0, 0, 0],
        "phrase": "b: TX(), a: TX(); body 1: M = 1; body 2: M = 1;",
        "elastic": [{"joint": "a", "stiffness": 100}],
    })  # fmt: skip
    t = np.linspace(0, 10, 1001)
    given = {"motion": {"b": (t, np.where(abs(t - 5) < 0.3, np.exp(-(((t - 5) / 0.05) ** 2)), 0))}}
    ends = [da.simulate(m, [0, 0], t=10.0, method=way, **given).q[-1] for way in ("dop853", "rk4")]
    assert abs(ends[0][1]) > 0.2
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_a_dense_table_of_a_smooth_motion_takes_few_steps():
    m = da.load("[a: TX()] [b: TX()]; gravity = (0, 0, 0); body 1: M = 1; body 2: M = 1;")
    t = np.linspace(0, 10, 10_001)
    r = da.simulate(m, [0, 0], t=10.0, motion={"a": (t, np.sin(t))})
    assert r.steps < 300
    assert da.simulate(m, [0, 0], t=10.0, motion={"a": (t, 0.1 * t)}).steps < 30
    r = da.simulate(m, [0, 0], t=10.0, motion={"a": (t, np.sin(t))}, torque=(t, np.stack([
        0 * t, np.where(abs(t - 5) < 0.01, 10.0, 0)], axis=1)))  # fmt: skip
    assert r.steps < 400
    assert r.qd[-1, 1] == pytest.approx(10 * 0.02, rel=0.06)


def test_a_joint_is_not_told_to_jump():
    """A stop within no time is a blow to all other joints, of which they felt nothing."""
    m = da.load("b: TX(), a: RZ(), TXK(1); gravity = (0, 0, 0);"
                "body 1: M = 1; body 2: M = 1, D = (0, 1, 0);")  # fmt: skip
    fast = da.trajectory.constant_acceleration([0.0], [0.5], 1.0)  # ends at 1 m/s
    stop = fast.then(da.trajectory.quintic([0.5], [1.0], 1.0))
    on = fast.then(da.trajectory.quintic([0.5], [1.0], 1.0, qd0=1.0))
    with pytest.raises(da.UsageError, match="its speed jumps at t = 1 s"):
        da.simulate(m, t=2.0, motion={"b": stop})
    assert len(da.simulate(m, t=2.0, motion={"b": on}).t) == 201
    assert len(da.simulate(m, t=1.0, motion={"b": stop}).t) == 201  # not yet
    with pytest.raises(da.UsageError, match="its place jumps at t = 1 s"):
        da.simulate(m, t=2.0, motion={"b": held([0.0, 1.0], [[0.0], [0.2]])})
    one = da.load("TX(); gravity = (0, 0, 0); body 1: M = 1;")
    assert "the speed of the motion jumps at t = 1 s" in da.torques_along(one, stop).notes[0]
    rest = da.trajectory.quintic([0.0], [0.5], 1.0).then(da.trajectory.quintic([0.5], [1.7], 0.3))
    for smooth_one in (on, rest, da.trajectory.spline([0, 0.2, 1.0], [[0.0], [0.3], [0.1]])):
        assert not da.torques_along(one, smooth_one).notes
