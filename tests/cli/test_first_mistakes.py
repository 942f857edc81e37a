"""What a beginner writes wrong: each message says what is wrong and what to write instead."""

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main

ARM6 = Path(__file__).parents[2] / "examples" / "arm6.urdf"
ARM = "a: RZ(-2,2), TXK(0.5), b: RZ(-2,2), tip: TXK(0.4); body a: M = 1; body b: M = 2;"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Run in a folder with a good file and files that are wrong in one way each."""
    text = ARM6.read_text()
    (tmp_path / "arm6.urdf").write_text(text)
    (tmp_path / "cut.urdf").write_text(text[:1500])
    (tmp_path / "comma.urdf").write_text(text.replace("0 0 0.42", "0 0 0,42"))
    (tmp_path / "light.urdf").write_text(re.sub("<inertial>.*?</inertial>", "", text, flags=re.S))
    (tmp_path / "log.csv").write_text("t,q.waist\n0,1\n")
    (tmp_path / "dh.csv").write_text("theta;d;a;alpha\nq1;0,5;0,25;90deg\n")
    (tmp_path / "units.csv").write_text("convention,craig\ntheta,d,a,alpha (deg)\nq1,0,0,90\n")
    (tmp_path / "spelled.csv").write_text("convention,craig\ntheta,d,a,alfa\nq1,0,0,90\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


MISTAKES = {
    "check arm.urdf": ("no such file: arm.urdf", "did you mean arm6.urdf?"),
    "check ARM6.URDF": ("no such file", "did you mean arm6.urdf?"),
    "check ur5": ("no such file: ur5", "did you mean robot:ur5?"),
    "check robots:ur5": ("no such file", "did you mean robot:ur5?"),
    "check robot:UR5": ("no ready-made robot", "did you mean ur5?"),
    "check cut.urdf": ("cut.urdf:53:7: XML: unclosed token", "is it cut off?"),
    "check comma.urdf": ("origin xyz: '0,42' is not", "decimals with a point"),
    "eval robot:scara gravity --q 0,45deg,60deg,0": ("--q:1:11: deg is", "a length: use m or mm"),
    "eval arm6.urdf gravity --q 0,90mm,0,0,0,0": ("mm is a unit of length", "use deg or rad"),
    "eval robot:scara gravity --q j1=1,j3=30deg": ("deg is a unit of angle", "use m or mm"),
    "simulate robot:scara --q0 0,0,30deg,0": ("--q0:1:7: deg is", "use m or mm"),
    "torques robot:scara --to 1,1,30deg,0": ("--to:1:7: deg is", "use m or mm"),
    "eval arm6.urdf gravity --lock elbow=90mm": ("mm is a unit of length", "use deg or rad"),
    "eval robot:scara gravity --lock 3=45deg": ("deg is a unit of angle", "use m or mm"),
    "eval arm6.urdf gravity --lock elbow=1 --lock elbow=2": ("joint elbow twice", "lock it once"),
    "simulate arm6.urdf --q0 100,200": ("q0 has shape (2,), expected (..., 6)", "waist"),
    "eval arm6.urdf torque": ("unknown quantity", "did you mean inverse_dynamics?"),
    "eval arm6.urdf rnea": ("unknown quantity", "did you mean inverse_dynamics?"),
    "eval arm6.urdf gravty": ("unknown quantity", "did you mean gravity?"),
    "eval arm6.urdf Gravity": ("unknown quantity", "did you mean gravity?"),
    "eval arm6.urdf": ("Missing argument 'QUANTITY'", "inverse_dynamics"),
    "eval arm6.urdf gravity --q 0,45": ("--q has 2 numbers, 6 are needed", "waist, shoulder"),
    "eval arm6.urdf gravity --q 0_1_2deg": (
        "has blanks",
        "write commas between numbers: --q 0,1,2deg",
    ),
    "eval arm6.urdf gravity --q 1": ("--q has 1 number, 6 are needed", "waist, shoulder"),
    "eval arm6.urdf gravity --q [0,1]": ("--q has 2 numbers, 6 are needed", "waist, shoulder"),
    "eval arm6.urdf gravity --q [[0,1]]": ("a bracket has no place", "write commas between"),
    "eval arm6.urdf gravity --q 0 45deg 0": ("extra arguments", "commas and no blanks between"),
    "torques arm6.urdf log.csv": ("extra argument (log.csv)", "write --motion log.csv"),
    "simulate arm6.urdf --to 0,0,0,0,0,0": ("no such option: --to", "did you mean --goal?"),
    "identify log.csv arm6.urdf": ("unknown column 't'", "the model comes first, then the log"),
    "check dh.csv": ("dh.csv:2:1: the convention", "write a line convention;standard above"),
    "check units.csv": ("unknown column 'alpha (deg)'", "units in the cells: 90deg"),
    "check spelled.csv": ("unknown column 'alfa'", "did you mean alpha?"),
    "eval arm6.urdf gravity --q elbow=90°": ("not a unit", "write deg: 90deg"),
    "derive arm6.urdf --prune 1%": (
        "no limit of qdd",
        "--limits FILE with a line such as: all = {",
    ),
    "eval arm6.urdf gravity --q elbo=1": ("--q: there is no 'elbo'", "did you mean elbow?"),
    "eval arm6.urdf gravity --q elbow=1,2": ("'2' is not NAME=NUMBER", "elbow=90deg,wrist=0.1"),
    "eval arm6.urdf gravity --q elbow=1,elbow=2": ("names 'elbow' twice", "give it one number"),
    "eval arm6.urdf pose --frame tol": ("no frame 'tol'", "did you mean tool?"),
    "torques arm6.urdf --to 0,1": (
        "--to has 2 numbers, it takes 6",
        "in this order: waist, shoulder",
    ),
    "export arm6.urdf gravity --to c++ --out x": ("no language 'c++'", "did you mean cpp?"),
    "export arm6.urdf gravity --to C --out x": ("no language 'C'", "did you mean c?"),
    "export arm6.urdf gravity --out x": ("Missing option '--to'", "--to LANGUAGE: c, cpp"),
    "export arm6.urdf gravity --to c": (
        "Missing option '--out'",
        "--out: The directory to write into",
    ),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_on_the_command_line_is_answered_with_what_to_write(line, folder, capsys):
    assert main([word.replace("_", " ") for word in line.split()]) == 2
    told = capsys.readouterr().err
    message, hint = MISTAKES[line]
    assert message in told.splitlines()[-1] and told.splitlines()[-1].startswith("error: ")
    assert hint in told


IN_PYTHON = {
    "load": (lambda m: da.load("arm.urdf"), "did you mean arm6.urdf?"),
    "robot": (lambda m: da.load("UR5"), "did you mean robot:ur5?"),
    "log": (lambda m: da.read_motion("arm6.csv", m), "did you mean arm6.urdf?"),
    "degrees": (lambda m: da.gravity(m, [0, "45deg"]), "np.radians"),
    "few": (lambda m: da.gravity(m, [0.0]), "a state has 2 numbers"),
    "transposed": (lambda m: da.gravity(m, np.zeros((2, 7))), "the transposed array"),
    "names": (lambda m: da.gravity(m, {"a": 1.0}), "the order of m.coordinate_names"),
    "frame of a pose": (lambda m: da.pose(m, [0.0, 0.0], "tip"), "pose(m, q, frame='tip')"),
    "an argument": (lambda m: da.simulate(m, tau=[0, 0]), "did you mean torque? call: simulate("),
    "a near argument": (lambda m: da.simulate(m, q=[0, 0]), "did you mean q0?"),
    "a format": (lambda m: m.save("arm.urdf"), "dalembert convert --to"),
    "rnea": (lambda m: da.compile(m, "rnea"), "did you mean inverse_dynamics?"),
    "frame": (lambda m: da.inverse_kinematics(m, "tip"), "frame='tip'"),
    "linearize": (lambda m: da.linearize(m, [0.0]), "q has m.nq numbers"),
    "language": (lambda m: da.export(m, "gravity", "eigen"), "did you mean cpp?"),
}


@pytest.mark.parametrize("mistake", IN_PYTHON)
def test_a_mistake_in_python_is_answered_with_what_to_write(mistake, folder):
    call, hint = IN_PYTHON[mistake]
    with pytest.raises(da.DalembertError) as error:
        call(da.load(ARM))
    assert hint in error.value.hint


def test_a_robot_without_masses_is_not_given_zeros_without_a_word(folder, capsys):
    for command in (
        ["eval", "light.urdf", "gravity"],
        ["torques", "light.urdf", "--to", "0,1,0,0,0,0"],
        ["derive", "light.urdf", "--only", "Q"],
    ):
        assert main(command) == 0
        assert "note: no body has a mass" in capsys.readouterr().err
    assert main(["eval", "light.urdf", "pose"]) == 0 and main(["eval", "arm6.urdf", "gravity"]) == 0
    assert "mass" not in capsys.readouterr().err


def test_angles_that_look_like_degrees_are_noted(folder, capsys):
    assert main(["eval", "arm6.urdf", "gravity", "--q", "0,45,60,0,30,0"]) == 0
    assert "if they are degrees, write 45deg" in capsys.readouterr().err
    assert main(["torques", "arm6.urdf", "--to", "0,45,60,0,30,0"]) == 0
    assert "if they are degrees, write 45deg" in capsys.readouterr().err


@pytest.mark.parametrize(("limits", "noted"), [("-180, 180", True), ("-180deg, 180deg", False)])
def test_limits_that_look_like_degrees_are_noted(limits, noted, capsys):
    assert main(["check", f"RZ({limits}), TXK(1); body 1: M = 1;"]) == 0
    said = "joint 'j1' has a limit of 180 rad: is it in degrees? 180deg is 3.142 rad"
    assert (said in capsys.readouterr().out) is noted


def test_angles_of_a_urdf_that_look_like_degrees_are_noted(folder, capsys):
    text = ARM6.read_text().replace('<origin xyz="0 0 0.42"', '<origin rpy="0 0 90" xyz="0 0 0.42"')
    said = "an angle of 90 rad: is it in degrees? 90deg is 1.571 rad"
    assert said in da.load(text).notes
    assert not [n for n in da.load(ARM6).notes if "degrees" in n]


def test_numbers_of_turned_inertias_are_shown_as_numbers(tmp_path):
    text = ARM6.read_text().replace(
        '<origin xyz="0 0 0.21"', '<origin rpy="0.3 0 0.2" xyz="0 0 0.21"'
    )
    assert text != ARM6.read_text()
    assert "sin(" not in str(da.load(text))


def test_a_method_is_named_once_where_its_call_fails():
    with pytest.raises(da.UsageError, match=r"^Equations\.terms\(\) missing"):
        da.equations(da.load(ARM)).terms()


def test_what_needs_more_memory_than_there_is_is_no_defect(monkeypatch, capsys):
    def too_large(*given, **options):
        raise MemoryError("Unable to allocate 745. GiB")

    monkeypatch.setattr("dalembert.cli.group.main", too_large)
    assert main(["excite", "robot:scara", "--time", "1e9"]) == 1
    told = capsys.readouterr().err
    assert told.endswith("error: there is not enough memory: Unable to allocate 745. GiB\n")
    assert "fewer samples" in told


def test_a_table_of_excel_has_decimal_commas(folder):
    text = "convention;standard\n" + (folder / "dh.csv").read_text()
    m = da.load(text)
    assert [float(x) for x in m.frame("tip")[1].p] == [0.25, 0.0, 0.5]


def test_numbers_may_stand_in_brackets_as_python_writes_them(folder, capsys):
    assert main(["eval", "arm6.urdf", "gravity", "--q", "[0, 45deg, 0, 0, 0, 0]"]) == 0
    first = capsys.readouterr().out
    assert main(["eval", "arm6.urdf", "gravity", "--q", "0,45deg,0,0,0,0"]) == 0
    assert capsys.readouterr().out == first


def test_friction_that_no_joint_has_is_not_promised(folder, capsys):
    words = "RZ(), TXK(1); body 1: M = 1;"
    export = ["export", words, "gravity,inverse_dynamics", "--to", "c", "--out", "x"]
    assert main([*export, "--drives", "all"]) == 0
    assert "no joint of the model has friction" in capsys.readouterr().err
    assert "mechanism_gravity" in (folder / "x" / "mechanism.h").read_text()
