"""Wrenches on named frames reach the joints through the Jacobians of these frames."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from mechanisms import random_state


def test_a_wrench_on_a_frame_acts_through_its_jacobian():
    m = da.robots.walker()
    q, qd, qdd = (np.array(x) for x in random_state(m, 3, mild=True))
    rng = np.random.default_rng(1)
    left, right = rng.normal(size=(2, 6))
    free = da.inverse_dynamics(m, q, qd, qdd)
    loaded = da.inverse_dynamics(
        m, q, qd, qdd, wrench_on_body={"foot_left": left, "foot_right": right}
    )
    carried = sum(
        da.jacobian(m, q, frame=frame, axes="local").T @ w
        for frame, w in (("foot_left", left), ("foot_right", right))
    )
    np.testing.assert_allclose(free - loaded, carried, atol=1e-11)
    other = da.inverse_dynamics(
        m, q, qd, qdd, wrench_on_environment={"foot_left": -left, "foot_right": -right}
    )
    np.testing.assert_allclose(other, loaded, atol=1e-12)


def test_wrenches_on_frames_broadcast():
    m = da.robots.flying_arm()
    q, qd, qdd = (np.array(x) for x in random_state(m, 4, mild=True))
    thrust = np.zeros((3, 6))
    thrust[:, 2] = [1, 2, 3]
    many = da.base_acceleration(m, q, qd, qdd[6:], wrench_on_body={"rotor1": thrust})
    for row, w in zip(many, thrust, strict=True):
        one = da.base_acceleration(m, q, qd, qdd[6:], wrench_on_body={"rotor1": w})
        np.testing.assert_allclose(row, one, rtol=1e-12)


def test_four_thrusts_of_a_quarter_weight_hold_the_flying_arm(capsys):
    m = da.robots.flying_arm()
    quarter = float(m.total_mass) * 9.81 / 4
    arguments = [f"--wrench=rotor{k}=0,0,{quarter},0,0,0" for k in (1, 2, 3, 4)]
    assert main(["eval", "robot:flying_arm", "moving_base_inverse", "--json", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)["value"]
    np.testing.assert_allclose([*found["base_acceleration"], *found["tau"]], 0, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [("rotor1=1,2", "six numbers"), ("wing=0,0,1,0,0,0", "no frame 'wing'"), ("rotor1", "frame")],
)
def test_a_bad_wrench_says_what_to_write(text, said, capsys):
    assert main(["eval", "robot:flying_arm", "moving_base_inverse", "--wrench", text]) == 2
    assert said in capsys.readouterr().err


def test_what_does_not_move_takes_no_wrench():
    m = da.robots.planar2r().with_values(m1=1, m2=1, l1=1, l2=1, j1=0, j2=0)
    with pytest.raises(da.UsageError, match="does not move"):
        da.inverse_dynamics(m, *np.zeros((3, 2)), wrench_on_body={"world": np.zeros(6)})
    with pytest.raises(da.UsageError, match="has shape"):
        da.inverse_dynamics(m, *np.zeros((3, 2)), wrench_on_body={"j1": np.zeros(3)})


def test_a_pair_of_times_and_rows_is_refused_along_a_motion():
    m = da.load("RZ(), tip: TXK(0.5); body 1: M = 1, D = (0.5, 0, 0);")
    move, t = da.trajectory.quintic([0.0], [1.0], 1.0), np.linspace(0, 1, 11)
    with pytest.raises(da.UsageError, match="'tip' is a pair of times and rows"):
        da.torques_along(m, move, t=t, wrench_on_body={"tip": (t, np.ones((11, 6)))})
