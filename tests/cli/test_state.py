"""States by the names of joints are those that are written out in numbers."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main


@pytest.fixture
def answer(capsys):
    """Return what a command prints as JSON."""

    def run(line):
        assert main([*line.split(), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_joints_that_are_not_named_rest(answer):
    named = answer("eval robot:puma560 inverse_dynamics --q j3=90deg,j2=0.2 --qdd j1=1")
    plain = answer("eval robot:puma560 inverse_dynamics --q 0,0.2,90deg,0,0,0 --qdd 1,0,0,0,0,0")
    assert named == plain


def test_the_other_joints_of_a_closed_machine_follow(answer):
    m = da.robots.fourbar()
    q = da.assemble(m, {"crank": 0.7})
    assert q[0] == 0.7
    assert np.abs(da.closure(m, q)).max() < 1e-12
    found = answer("eval robot:fourbar inverse_dynamics --q crank=0.7 --qd crank=2")
    assert found["inputs"]["q"] == pytest.approx(q, abs=1e-12)
    torque = da.inverse_dynamics(m, q, [2, 0, 0], [0, 0, 0])
    assert found["value"] == pytest.approx(torque, abs=1e-12)


def test_a_platform_is_held_where_a_table_says():
    m = da.robots.stewart()
    pose = [0.05, 0, 0.8, 0, 0, 0, 1]
    q = da.assemble(m, {"platform": pose})
    assert np.abs(da.closure(m, q)).max() < 1e-12
    at = m.coordinate_names.index("platform.px")
    assert q[at : at + 7] == pytest.approx(pose, abs=0)
    with pytest.raises(da.DalembertError, match="not a joint"):
        da.assemble(m, {"crank": 1})


def test_a_simulation_starts_at_named_joints_and_speeds(answer):
    named = answer("simulate robot:truck --qd v=3 --time 0.1 --samples 2")
    assert named["q"] == answer("simulate robot:truck --qd 3 --time 0.1 --samples 2")["q"]
    started = answer("simulate robot:puma560 --q j2=0.3 --torque j1=2 --time 0.1 --samples 2")
    plain = answer(
        "simulate robot:puma560 --q 0,0.3,0,0,0,0 --torque 2,0,0,0,0,0 --time 0.1 --samples 2"
    )
    assert started["q"] == plain["q"]


def test_a_joint_that_the_end_of_a_move_does_not_name_stays(answer):
    named = answer("torques robot:puma560 --from j2=0.4 --to j1=1 --samples 3")
    plain = answer("torques robot:puma560 --from 0,0.4,0,0,0,0 --to 1,0.4,0,0,0,0 --samples 3")
    assert named["tau"] == plain["tau"]
    closed = answer("torques robot:fourbar --from crank=0.2 --to crank=0.9 --samples 3")
    assert closed["tau"] == answer("torques robot:fourbar --from 0.2 --to 0.9 --samples 3")["tau"]


def test_a_gravity_that_is_given_takes_back_the_note_on_one_that_is_not():
    phrase = "RZ(), TXK(1), RZ(), TXK(1);"
    assert any("moves no joint" in note for note in da.load(phrase).notes)
    native = {"format": "dalembert/1", "phrase": phrase, "gravity": [0, -9.81, 0]}
    for m in (da.load(native), da.load(phrase).with_gravity((0, -9.81, 0))):
        assert not any("moves no joint" in note for note in m.notes)


REFUSED = {
    "eval robot:fourbar inverse_dynamics --q crank=40deg --qd rocker=2": "follows the motors",
    "simulate robot:fourbar --qd rocker=2 --time 0.1": "follows the motors",
    "eval robot:stewart velocity --q platform=0.1": "has 7 coordinates",
    "eval robot:stewart velocity --q platform.px=0.1": "has 7 coordinates",
    "torques robot:fourbar --from 0.1,0.2,0.3 --to crank=1": "--from has 3 numbers",
    "torques robot:puma560 --from 0.1,0.2,0.3 --to j1=1": "--from has 3 numbers",
    "eval robot:puma560 gravity --q j1=@list.json": "is not NAME=NUMBER",
}


@pytest.mark.parametrize("line", REFUSED)
def test_states_that_cannot_be_meant_are_refused(line, capsys):
    assert main(line.split()) == 2
    assert REFUSED[line] in capsys.readouterr().err


@pytest.mark.parametrize("end", ["shoulder_pan_joint=90", "90,0,0,0,0,0"])
def test_the_end_of_a_move_may_look_like_degrees(end, capsys):
    assert main(["torques", "robot:ur5", "--to", end]) == 0
    assert "if they are degrees" in capsys.readouterr().err


def test_the_end_of_a_closed_machine_may_be_far(capsys):
    assert main(["torques", "robot:fourbar", "--from", "0.2", "--to", "6.5"]) == 0
    assert "crank" in capsys.readouterr().out


def test_tables_of_joints_are_read_or_refused():
    m = da.robots.stewart()
    bad = ({"platform": 0.1}, {"platform": [0] * 6}, {"L1_upper": "40deg"}, {"L1_upper": np.nan})
    for table in (*bad, {1: 0.7}):
        with pytest.raises(da.DalembertError, match=r"takes|not a joint"):
            da.assemble(m, table)
    hand = da.load({
        "format": "dalembert/1",
        "bodies": [{"name": n, "parent": -1, "mass": 1, "com": [0.1, 0, 0],
                    "inertia": [0, 0, 0.1], "joint": {"type": "revolute"}} for n in "ab"],
        "couplings": [{"joint": "b", "of": "a", "ratio": 2, "offset": 0}],
    })  # fmt: skip
    with pytest.raises(da.DalembertError, match="b"):
        da.assemble(hand, {"b": 0.5})


def test_a_tree_rests_near_the_joints_that_are_named():
    m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    assert abs(float(da.equilibrium(m, {"j1": 0.4})[0])) < 1e-9
