"""The options that change a MODEL mean the same wherever one is taken."""

import json
import shlex
import tomllib

import numpy as np
import pytest

import dalembert as da
from dalembert import cli
from dalembert.cli import main
from peers import ROOT

PUMA = "robot:puma560"
OPTIONS = ("--lock", "--payload", "--mimic", "--set", "--gravity", "--base")
WITHOUT = ("verify", "sweep", "doctor")  # they take reference files, a study, nothing
COMMANDS = [command for command in cli.COMMANDS if command not in WITHOUT]
FOLLOWERS = """
<robot name="hand"><link name="base"/>
<link name="a"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1"
 ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1"
 ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
 <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
 <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="j1" multiplier="2"/></joint>
</robot>"""


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_on_a_model_takes_them(command, capsys):
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert ("MODEL" in text.splitlines()[0]) == (command in COMMANDS)
    assert all(option in text for option in OPTIONS) == (command in COMMANDS)


CHANGED = shlex.split(
    "--lock 3 --lock 4=90deg --lock j5 --lock 6 --payload tip=2 --gravity 0,0,-1.62"
    " --mimic couple --base fixed"
)
RUN = {
    "tables": (),
    "derive": ("--only", "Q"),
    "eval": ("gravity", "--q", "0.1,0.2"),
    "check": (),
    "convert": ("--to", "toml"),
    "export": ("gravity", "--to", "python", "--out", "."),
    "view": ("--out", "arm.svg"),
    "torques": ("--to", "1,1", "--time", "0.8"),
    "simulate": ("--q0", "0,0", "--time", "0.1"),
    "cost": ("--quantity", "gravity"),
    "agree": ("--states", "2"),
    "excite": ("--harmonics", "2", "--time", "2", "--rate", "10"),
    "bench": ("--seconds", "0.01"),
}


@pytest.mark.parametrize("command", RUN)
def test_a_command_runs_on_the_changed_model(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([command, PUMA, *RUN[command], *CHANGED]) == 0, capsys.readouterr().err


def value(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
    return np.array(json.loads(capsys.readouterr().out)["value"])


def test_a_locked_joint_and_a_payload_are_those_of_python(capsys):
    found = value(
        capsys, "eval", PUMA, "gravity", "--lock", "2=30deg", "--lock", "j5", "--payload",
        "tip=2.5,0,0,0.1", "--q", "0.1,0.2,0.3,0.4",
    )  # fmt: skip
    m = da.robots.puma560().lock([2, "j5"], {2: "pi/6", "j5": 0})
    m = m.with_payload("tip", 2.5, (0, 0, 0.1))
    assert np.allclose(found, da.gravity(m, [0.1, 0.2, 0.3, 0.4]), rtol=1e-12, atol=1e-12)


def test_numbers_of_joints_are_those_of_the_whole_model(capsys):
    assert main(["check", PUMA, "--lock", "1", "--lock", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["joint_names"] == ["j2", "j4", "j5", "j6"]


def test_the_mass_of_a_payload_may_be_a_parameter(capsys):
    arm = "RX(),TZK(-1); body 1: M = 1, D = (0, 0, -1); gravity = (0, 0, -9.81);"
    options = ("--payload", "tip=ML", "--set", "ML=3", "--q", "90deg")
    assert value(capsys, "eval", arm, "gravity", *options) == pytest.approx(4 * 9.81)


@pytest.mark.parametrize(("how", "joints"), [("couple", 2), ("free", 2), ("substitute", 1)])
def test_followers_are_read_as_asked(how, joints, tmp_path, capsys):
    file = tmp_path / "hand.urdf"
    file.write_text(FOLLOWERS)
    assert main(["check", str(file), "--mimic", how, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["nv"] == joints and bool(found["couplings"]) == (how != "free")


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--lock", "=3", "--lock =3: a joint and a value are needed"),
        ("--lock", "j9", "no joint 'j9'"),
        ("--lock", "2=", "--lock 2=: a joint and a value"),
        ("--lock", "2=0.3m", "--lock:1:6: m is a unit of length"),
        ("--lock", "j2 = 1 + 5mm", "--lock:1:11: mm is a unit of length"),
        ("--payload", "tip", "a frame and a mass"),
        ("--payload", "tip=1,2", "a frame and a mass"),
        ("--payload", "hand=1", "no frame 'hand'"),
        ("--payload", "tip=x y", "--payload:1:"),
        ("--gravity", "1,2", "three components are needed"),
    ],
)
def test_what_cannot_be_read_is_named(option, text, message, capsys):
    assert main(["check", PUMA, option, text]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_extras_are_those_of_the_contract():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    names = ["sim", "io", "symbolic", "ident", "sweep", "cluster", "studio", "docs", "all"]
    assert list(extras) == names
    assert extras["all"] == [f"dalembert[{','.join(names[:-1])}]"]
