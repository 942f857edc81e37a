"""Control laws in the loop: what theory promises of them holds in simulation."""

import numpy as np
import pytest

import dalembert as da
from dalembert.control import PD, ComputedTorque, FeedForward
from dalembert.trajectory import quintic

ARM = """RZ(), TXK(0.8), RZ(), TXK(0.6); gravity = (0, -9.81, 0);
body 1: M = 3, D = (0.4, 0, 0), I = (0.1, 0.2, 0.2);
body 2: M = 2, D = (0.3, 0, 0), I = (0.05, 0.1, 0.1);"""
GOAL = np.array([0.9, -0.7])


def test_pd_with_gravity_goes_to_its_goal_and_lyapunov_never_rises():
    m = da.load(ARM)
    law = PD(GOAL, [60.0, 40.0], [18.0, 9.0])
    r = da.simulate(m, [-0.5, 0.4], [0.3, -0.2], law, t=np.linspace(0, 6, 3001), rtol=1e-10)
    V = law.lyapunov(m, r.q, r.qd)
    assert np.abs(r.q[-1] - GOAL).max() < 1e-4
    assert (np.diff(V) <= 1e-9 * V[0]).all()
    # its rate is -q̇' Kd q̇ (6.17)
    power = (r.qd**2 * [18.0, 9.0]).sum(axis=1)
    assert np.abs(np.gradient(V, r.t)[10:-1] + power[10:-1]).max() < 0.02 * power.max()


def test_gains_may_be_matrices_and_goals_many():
    m = da.load(ARM)
    full = np.array([[60.0, 5.0], [5.0, 40.0]])
    goals = np.array([[0.9, -0.7], [0.1, 0.2], [-0.4, 1.0]])
    r = da.simulate(m, [0, 0], torque=PD(goals, full, full / 3), t=[0, 8.0], method="rk4")
    assert r.q.shape == (3, 2, 2) and np.abs(r.q[:, -1] - goals).max() < 1e-3


def test_without_gravity_compensation_pd_rests_beside_its_goal():
    m = da.load(ARM)
    r = da.simulate(m, GOAL, torque=PD(GOAL, 200.0, 60.0, gravity=False), t=[0, 8.0])
    q = r.q[-1]
    assert np.allclose(200 * (GOAL - q), da.gravity(m, q), atol=1e-3)


def test_computed_torque_makes_the_error_linear():
    m = da.load(ARM)
    path = quintic([0, 0], GOAL, 2.0)
    law = ComputedTorque(path, 25.0, 10.0)  # critically damped at 5 rad/s
    start = np.array([0.1, -0.2])
    r = da.simulate(m, start, torque=law, t=np.linspace(0, 2, 41), rtol=1e-11)
    e = path(r.t) - r.q
    s = r.t[:, None]
    exact = (-start * (1 + 5 * s)) * np.exp(-5 * s)
    assert np.abs(e - exact).max() < 1e-8


def test_feed_forward_of_the_exact_model_needs_no_feedback():
    m = da.load(ARM)
    path = quintic([0, 0], GOAL, 1.0)
    r = da.simulate(m, [0, 0], torque=FeedForward(path, 100.0, 20.0), t=1.0, rtol=1e-11)
    assert np.abs(path(r.t) - r.q).max() < 1e-8
    other = m.with_payload("tip", 1.0)
    wrong = da.simulate(other, [0, 0], torque=FeedForward(path, 100.0, 20.0, model=m), t=1.0)
    assert 1e-3 < np.abs(path(wrong.t) - wrong.q).max() < 0.3


def test_forces_saturate():
    m = da.load(ARM)
    r = da.simulate(m, [0, 0], torque=PD(GOAL, 60.0, 18.0, limit=[20.0, 5.0]), t=1.0)
    assert np.abs(r.tau).max(axis=0) == pytest.approx([20.0, 5.0])


def test_laws_say_what_they_need():
    m = da.load(ARM)
    with pytest.raises(da.UsageError, match="for 3 coordinates"):
        da.simulate(m, torque=PD([0, 0, 0], 1.0, 1.0), t=1.0)
    with pytest.raises(da.UsageError, match="kp has shape"):
        da.simulate(m, torque=PD([0, 0], [1.0, 2.0, 3.0], 1.0), t=1.0)
    with pytest.raises(da.UsageError, match="needs a goal"):
        da.simulate(m, torque=PD(), t=1.0)


def test_a_simulation_knows_the_goal_of_its_law_and_draws_it():
    m = da.load("RZ(), TXK(1), TX(); body 1: M = 1; body 2: M = 1;")
    t = np.linspace(0, 1, 21)
    way = da.trajectory.quintic([0.0, 0.0], [0.5, 0.2], 1.0)
    r = da.simulate(m, [0.0, 0.0], t=t, torque=da.control.PD(goal=way, kp=100, kd=20))
    np.testing.assert_allclose(r.goal, way(t), atol=1e-12)
    goals = np.array([[0.1, 0.2], [0.3, 0.4]])
    law = da.control.PD(goal=goals, kp=100, kd=20)
    many = da.simulate(m, np.zeros((2, 2)), t=t, torque=law)
    assert (many.state(1).goal == goals[1]).all()
    assert da.simulate(m, [0.0, 0.0], t=t).goal is None
    pytest.importorskip("matplotlib")
    figure = r.plot()
    labels = [a.get_ylabel() for a in figure.axes if a.get_visible()]
    assert "goal − angle  [rad]" in labels and "goal − length  [m]" in labels
    lines = [x for x in figure.axes[0].lines if x.get_linestyle() == "--"]
    np.testing.assert_allclose(lines[0].get_ydata(), way(t)[:, 0])
    assert figure.legends[0].get_texts()[-1].get_text() == "goal"


@pytest.mark.parametrize("law", [da.control.PD, da.control.FeedForward, da.control.ComputedTorque])
def test_a_law_given_its_arguments_in_another_order_says_so(law):
    m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    move = da.trajectory.quintic([0.0], [0.5], 1.0)
    with pytest.raises(da.UsageError, match="goal is a Mechanism"):
        law(m, move)
    with pytest.raises(da.UsageError, match="kp is a Trajectory"):
        law([0.0], move)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ({"kp": np.nan}, "kp holds a number that is not finite"),
        ({"kp": 60.0, "kd": [1.0, np.inf]}, "kd holds a number that is not finite"),
        ({"kp": 60.0, "limit": -5.0}, "limit holds -5"),
        ({"kp": 60.0, "limit": [5.0, np.nan]}, "limit holds nan"),
        ({"kp": 60.0, "limit": [5.0, 5.0, 5.0]}, "limit has shape"),
        ({"kp": 60.0, "goal": [np.nan, 0.0]}, "goal holds a number that is not finite"),
    ],
)
def test_numbers_that_no_law_can_mean_are_refused(law, said):
    """A negative limit pushed with full force one way."""
    with pytest.raises(da.UsageError, match=said):
        da.simulate(da.load(ARM), torque=PD(**{"goal": GOAL, **law}), t=0.1)


def test_a_law_is_not_held_between_steps_and_that_is_said():
    r = da.simulate(da.load(ARM), torque=PD(GOAL, 60.0, 18.0, limit=np.inf), t=0.1, hold=True)
    assert any("hold reads tables" in note for note in r.notes)


def listed(order, y="revolute"):
    body = {"parent": -1, "mass": 2, "com": [0.1, 0.2, 0], "inertia": [0.1, 0.1, 0.2]}
    bodies = [
        {**body, "joint": {"name": n, "type": y if n == "y" else "revolute", "axis": [0, 1, 0]},
         "mass": 1.0 + "xyz".index(n)}
        for n in order
    ]  # fmt: skip
    return da.load({"format": "dalembert/1", "gravity": [0, 0, -9.81], "bodies": bodies})


@pytest.mark.parametrize("law", [PD, ComputedTorque, FeedForward])
@pytest.mark.parametrize("model", [listed("zxy"), listed("xyz", "prismatic"), listed("xy")])
def test_a_model_has_the_joints_of_the_machine_in_their_order(law, model):
    with pytest.raises(da.UsageError, match=r"those of the law's model are"):
        da.simulate(listed("xyz"), torque=law([1.0, 2.0, 3.0], 10.0, 3.0, model=model), t=0.1)


def test_a_model_has_the_loops_of_the_machine():
    m = da.robots.fivebar()
    with pytest.raises(da.UsageError, match="the mechanism has 1 loops, the law's model 0"):
        da.simulate(m, torque=ComputedTorque([0.5, 0.6], 10.0, 3.0, model=m.tree), t=0.1)


@pytest.mark.parametrize("law", [PD, ComputedTorque, FeedForward])
def test_frozen_equations_lead_a_machine_with_few_motors(law):
    bodies = [
        {"parent": k - 1, "mass": 2 + k, "com": [0.1, 0.2, 0.05], "inertia": [0.1, 0.12, 0.2],
         "joint": {"type": "revolute", "name": name, "axis": axis,
                   "placement": {"translation": [0.5 * (k > 0), 0, 0.1]}}}
        for k, (name, axis) in enumerate(zip("abc", ([0, 0, 1], [0, 1, 0], [1, 0, 0]), strict=True))
    ]  # fmt: skip
    m = da.load({"format": "dalembert/1", "bodies": bodies, "active": ["c"]})
    q, qd, goal = np.array([0.2, 0.3, -0.4]), np.array([0.3, 0.0, 0.5]), np.array([0.5, 0.3, 0.1])
    believed = law(goal, 10.0, 2.0, model=da.equations(m).freeze({"b": 0.3}))
    found = da.simulate(m, q, qd, believed, t=[0, 1e-4]).tau[0]
    some = [0, 2]
    wanted = da.simulate(
        m.lock({"b": 0.3}), q[some], qd[some], law(goal[some], 10.0, 2.0), t=[0, 1e-4]
    ).tau[0]
    assert np.allclose(found[some], wanted, rtol=1e-9)
    assert found[0] == found[1] == 0 != found[2]
