"""Numbers of a task may be texts with a unit, as in a native file."""

import math

import pytest

import dalembert as da
from dalembert.sweep.task import checked_task

ARM = da.load("RZ(-3, 3), TXK(0.5), RZ(-3, 3), TXK(0.4); body 1: M = 1; body 2: M = 1;")


def test_angles_of_a_move_may_be_degrees():
    task = {"joint_moves": [{"from": [0, 0], "to": ["60deg", "pi/4"], "time": 0.8}]}
    (move,) = checked_task(ARM, task, None)["joint_moves"]
    assert move["to"] == [math.radians(60), math.pi / 4]


def test_a_text_that_is_no_number_is_refused():
    task = {"joint_moves": [{"from": [0, 0], "to": ["60degrees", 0], "time": 0.8}]}
    with pytest.raises(da.DalembertError):
        checked_task(ARM, task, None)
