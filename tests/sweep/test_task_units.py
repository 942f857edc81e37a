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


def test_units_are_those_of_the_coordinates():
    m = da.load("RZ(-3, 3), TXK(0.5), TX(0, 2), tip: TXK(0.1); body 1: M = 1; body 2: M = 1;")
    made = checked_task(m, {"joint_moves": [{"to": ["60deg", "400mm"]}]}, None)
    assert made["joint_moves"][0]["to"] == [math.radians(60), 0.4]
    for task in (
        {"joint_moves": [{"to": ["400mm", "60deg"]}]},
        {"poses": [{"frame": "tip", "point": ["400mm", "30deg", 0]}]},
        {"poses": [{"frame": "tip", "point": ["400mm", 0, 0]}], "start": [0, "30deg"]},
    ):
        with pytest.raises(da.DalembertError, match="is a unit of"):
            checked_task(m, task, None)


def test_a_motion_of_another_mechanism_is_no_task():
    chain = "{}: RZ(), TXK(0.5), {}: RZ(), TXK(0.4); body 1: M = 1; body 2: M = 1;"
    m, other = (da.load(chain.format(*names)) for names in (("a", "b"), ("b", "a")))
    t = [0.1 * k for k in range(20)]
    d = da.read_motion({"t": t, "q.a": t, "q.b": [x * x for x in t]}, m)
    for task in (d, {"motion": d}):
        assert checked_task(m, task, None)["samples"] == 20
        with pytest.raises(da.UsageError, match="belongs to another mechanism"):
            checked_task(other, task, None)
