"""Odd values where numbers, names and tables are asked: refused in words, not read as others."""

import time

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.errors import DalembertError
from dalembert.sweep.task import checked_task

ARM = da.load(
    "RZ(-3, 3), TXK(1), RZ(), TXK(1); gravity = (0, -9.81, 0); "
    "body 1: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1); "
    "body 2: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"
)
T = np.linspace(0, 1, 51)
LOG = {"t": T, "q.j1": np.sin(T), "q.j2": np.cos(T)}
MOTION = {"t": T, **{n: np.zeros((51, 2)) for n in ("q", "qd", "qdd")}}
MOTOR = {"name": "A", "peak": 100, "continuous": 50, "speed": 100}
MOVE = {"to": [1, 1], "time": 1}


def refused(match, call, *args, **options):
    start = time.process_time()
    with pytest.raises(DalembertError, match=match) as caught:
        call(*args, **options)
    assert time.process_time() - start < 1
    assert "something of another kind" not in str(caught.value)  # in words of its own


@pytest.mark.parametrize(
    ("drives", "match"),
    [
        ({"j1": {"Ia": "90deg"}}, "is a unit of angle"),
        ({"j1": {"Jm": "1m"}}, "is a unit of length"),
        ({"j1": {"gear": "100mm"}}, "is a unit of length"),
        ({"j1": {"viscous": "1rad"}}, "is a unit of angle"),
        ({"j1": {"coulomb": ["1m", 2]}}, "is a unit of length"),
        ({"j1": {"static": "1m"}}, "is a unit of length"),
        ({"j1": {"Ia": "nan"}}, "not a finite number"),
        ({"j1": {"viscous": " -Inf"}}, "not a finite number"),
        ({True: {"Ia": 1}}, "no joint True"),
        ([{"joint": "j1", "Ia": 1}] * 10**6, "more than there are joints"),
    ],
    ids=lambda x: str(x)[:60],
)
def test_drives(drives, match):
    refused(match, ARM.with_drives, drives)


def test_a_load_of_a_command_and_a_joint_that_is_held_have_units_of_their_kind(capsys):
    phrase = "RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, D = (1, 0, 0);"
    for load in ("tip=1m", "tip=90deg", "tip=1,90deg,0,0"):
        assert main(["check", phrase, "--payload", load]) != 0
        assert "is a unit of" in capsys.readouterr().err
    assert main(["check", phrase, "--payload", "tip=1,100mm,0,0"]) == 0
    bodies = [{"name": "a", "parent": -1, "joint": {"type": "revolute"}, "mass": 1}]
    held = {"format": "dalembert/1", "bodies": bodies, "simplified": {"freeze": {"a": "1m"}}}
    refused("is a unit of length", da.load, held)


def test_what_a_load_is_has_no_unit_of_another_kind():
    refused("is a unit of length", ARM.with_payload, "tip", "1m")
    refused("is a unit of angle", ARM.with_payload, "tip", 1, ("90deg", 0, 0))
    refused("is a unit of length", ARM.with_payload, "tip", 1, (0, 0, 0), ("1m", 1, 1))
    assert ARM.with_payload("tip", 1, ("100mm", 0, 0)) == ARM.with_payload("tip", 1, (0.1, 0, 0))


@pytest.mark.parametrize(
    ("task", "match"),
    [
        ({"joint_moves": [{"to": [True, 0]}]}, "to = "),
        ({"joint_moves": [{"to": [np.True_, np.False_]}]}, "to = "),
        ({"joint_moves": [{"to": [10**400, 0]}]}, "to = "),
        ({"joint_moves": [{**MOVE, "time": 1e-300}]}, "time = "),
        ({"joint_moves": [MOVE] * 10**6}, "in 100 samples"),
        ({"poses": [{"point": [1, 1, 0]}] * 101}, "in 100 samples"),
        ({"motion": {"a": 1}}, "has no 'a'"),
        ({"motion": {"t": T}}, "q has shape"),
        ({"motion": {**MOTION, "t": T[::-1]}}, "do not increase"),
        ({"motion": {**MOTION, "t": 0 * T}}, "do not increase"),
        ({"motion": {**MOTION, "t": 1.0}}, "t has shape"),
        ({"motion": {**MOTION, "t": T[:, None]}}, "t has shape"),
        ({"motion": {**MOTION, "q": np.zeros((51, 3))}}, "q has shape"),
        ({"motion": {**MOTION, "qd": np.zeros((50, 2))}}, "qd has shape"),
        ({"motion": {**MOTION, "qdd": np.zeros((51, 2)) > 0}}, "qdd has shape"),
        ({"motion": {**MOTION, "q": np.zeros((51, 2)) + 0j}}, "q has shape"),
        ((T, MOTION["q"], MOTION["qd"], "qdd"), "qdd has shape"),
    ],
    ids=lambda x: str(x)[:60],
)
def test_tasks(task, match):
    refused(match, checked_task, ARM, task, None)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"motors": [{**MOTOR, "mass": True}]}, "mass = True is not a number"),
        ({"motors": [{**MOTOR, "inertia": np.inf}]}, "inertia = inf"),
        ({"motors": [{**MOTOR, "peak": "nan"}]}, "peak = 'nan'"),
        ({"motors": [{**MOTOR, "name": [1]}]}, "is not a name"),
        ({"motors": [MOTOR] * 10**6}, "1000000 motors"),
        ({"gears": [{"ratio": np.nan}]}, "ratio = nan"),
        ({"gears": [{"ratio": np.inf}]}, "ratio = inf"),
        ({"gears": False}, "gears are a list"),
        ({"cycle": {"moves": [{}]}}, "goes `to` a place"),
        ({"cycle": {"moves": [{"to": [1, 1], "dwell": 1}]}}, "goes `to` a place"),
        ({"cycle": {"moves": [{**MOVE, "payload": 0}]}}, "has a frame and a mass"),
    ],
    ids=lambda x: str(x)[:60],
)
def test_motors_and_cycles(given, match):
    refused(match, da.size, ARM, **{"cycle": {"moves": [MOVE]}, "motors": [MOTOR], **given})


def test_a_limit_of_a_motor_may_be_infinite_and_a_gear_may_turn_back():
    gears = [{"ratio": -10, "speed": np.inf}]
    assert da.size(ARM, {"moves": [MOVE]}, [{**MOTOR, "peak": np.inf}], gears).choices


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"time": True}, "time=True"),
        ({"time": "10s"}, "time='10s'"),
        ({"rate": 1e12}, "rate=1000000000000.0"),
        ({"starts": np.nan}, "starts=nan"),
        ({"starts": 0}, "starts=0"),
        ({"starts": 10**9}, "starts=1000000000"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": None}, "seed=None"),
        ({"acceleration": True}, "acceleration=True"),
        ({"acceleration": "8"}, "acceleration='8'"),
        ({"acceleration": [1, 2, 3]}, "one positive number, or 2"),
        ({"acceleration": 1e308}, "leave it out"),
        ({"workspace": []}, r"workspace=\[\]"),
        ({"workspace": {"tip": [[0, 1], [0]]}}, "the box of 'tip'"),
        ({"workspace": {"tip": [["0", "1"]] * 3}}, "the box of 'tip'"),
        ({"workspace": {"tip": [[1, 0]] * 3}}, "the box of 'tip'"),
    ],
    ids=lambda x: str(x)[:60],
)
def test_exciting_motions(options, match):
    refused(match, da.excite, ARM, **{"time": 2.0, "harmonics": 2, "rate": 20, **options})


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ("j1=q.j2,j1=q.j1", "'j1' twice"),
        ({"j1": "q.j1", "q.j1": "q.j2"}, r"'q\.j1' twice"),
        ("j1=q.j2:deg:deg", "more than one unit"),
        ("j1=q.j2:*1_0", "neither a unit nor a step"),
        ("j1=q.j2:*\u0663", "neither a unit nor a step"),
        ("j1=q.j2:*nan", "neither a unit nor a step"),
        ("j1=q.j2" + ":-" * 10**6, "1000000 steps"),
    ],
    ids=lambda x: str(x)[:40],
)
def test_columns(columns, match):
    refused(match, da.read_motion, LOG, ARM, columns)


@pytest.mark.parametrize("head", ["t", "q.j1", "tau.j1"])
@pytest.mark.parametrize(
    "column",
    [T + 0j, T > 0.5, np.arange(51).astype("datetime64[ns]"), [10**400] * 51],
    ids=["complex", "truths", "dates", "huge"],
)
def test_columns_of_other_things_than_numbers(head, column):
    refused("does not hold numbers", da.read_motion, {**LOG, head: column}, ARM)


def test_counts_are_whole_numbers_above_zero():
    bar, modes = da.robots.fivebar(), {"crankA": 2.0, "crankB": 1.0}
    tip, eq = [0.3, 0.2, 0.0], da.equations(ARM)
    for count in (0, -1, True, 2.5, np.inf, 10**12, "many"):
        for call, name in (
            (lambda n: da.assembly_modes(bar, modes, starts=n), "starts"),
            (lambda n: da.assemble(bar, starts=n), "starts"),
            (lambda n: da.equilibrium(ARM, [0.3, 0.4], steps=n), "steps"),
            (lambda n: da.inverse_kinematics(ARM, tip, [0.1, 0.1], steps=n), "steps"),
            (lambda n: eq.prune_curve({}, {"all": {"qd": 1, "qdd": 1}}, points=n), "points"),
        ):
            with pytest.raises(da.UsageError, match=f"{name}="):
                call(count)
    assert len(da.assembly_modes(bar, modes, starts=np.int64(100))) == 2


@pytest.mark.parametrize("method", ["dop853", "rosenbrock", "lsoda"])
def test_an_absolute_tolerance_is_a_number(method):
    for atol in (-1, np.nan, np.inf, "fine", [1e-9, 1e-9]):
        with pytest.raises(da.UsageError, match="atol is"):
            da.simulate(ARM, [0.1, 0.2], t=0.1, atol=atol, method=method)


def test_inverse_kinematics_leaves_no_option_out_of_account():
    poses = [[0.3, 0.2, 0.0], [0.4, 0.2, 0.0]]
    with pytest.raises(da.UsageError, match="many poses at once has no option 'rest'"):
        da.inverse_kinematics(ARM, poses, frame=ARM.frames[-1], rest=[0, 0])
    markers = {ARM.frames[-1]: poses}
    for option in ({"rest": [0, 0]}, {"frame": ARM.frames[-1]}, {"parameters": {"L": 1}}):
        with pytest.raises(da.UsageError, match=f"has no option '{next(iter(option))}'"):
            da.inverse_kinematics(ARM, markers, **option)


def test_forces_along_a_motion_leave_no_option_out_of_account():
    path, eq = da.trajectory.quintic([0, 0], [1, 0.5], 1.0), da.equations(ARM)
    for option in ({"parameters": {"L": 2}}, {"uncertainty": 3}, {"start": [0, 0]}):
        for asked in (lambda **x: da.torques_along(ARM, path, model=eq, **x),
                      lambda **x: da.torques_along(eq, path, **x)):  # fmt: skip
            with pytest.raises(da.UsageError, match=f"no option '{next(iter(option))}'"):
                asked(**option)
    t, q = np.linspace(0, 1, 20), np.zeros((20, 2))
    for samples in ((t, q), (t, q, q, q), da.simulate(ARM, [0, 0.1], t=0.1)):
        with pytest.raises(da.UsageError, match="of samples has no option 't'"):
            da.torques_along(ARM, samples, t=[0, 0.5])


def test_a_machine_that_is_not_steered_takes_no_steering_angles():
    for use in (da.linearize, da.equilibrium):
        for m in (ARM, da.robots.fivebar()):
            with pytest.raises(da.UsageError, match="no option 'steer'"):
                use(m, steer=[0.3])
    da.linearize(ARM, steer=[])  # nothing is left out
