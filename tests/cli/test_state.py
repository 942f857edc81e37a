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
