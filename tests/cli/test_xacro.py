"""Xacro files on the command line; packages found by walking up; never in Python."""

import pytest

import dalembert as da
from dalembert.cli import main

xacrodoc = pytest.importorskip("xacrodoc")

MACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="bar"
 params="name m"><link name="${name}"><inertial><mass value="${m}"/><inertia ixx="${m/12}" iyy="1"
 izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro></robot>"""
ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="2"/><xacro:include filename="$(find parts)/bar.xacro"/>
<link name="base"/><xacro:bar name="a" m="$(arg mass)"/>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/>
<axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "bar.xacro").write_text(MACRO)
    (tmp_path / "arm" / "urdf").mkdir(parents=True)
    file = tmp_path / "arm" / "urdf" / "arm.urdf.xacro"
    file.write_text(ARM)
    return file


def test_a_xacro_file_is_expanded_on_the_command_line(arm, capsys):
    assert main(["check", str(arm)]) == 0
    assert "total mass: 2.0 kg\n" in capsys.readouterr().out
    assert main(["check", str(arm), "--xacro", "mass=3.5"]) == 0
    assert "total mass: 3.5 kg\n" in capsys.readouterr().out
    assert main(["convert", str(arm), "--to", "urdf"]) == 0
    assert da.load(capsys.readouterr().out).joint_names == ("j",)


def test_python_does_not_expand_it(arm):
    with pytest.raises(da.DescriptionError, match="runs Python") as caught:
        da.load(arm)
    assert "dalembert convert arm.urdf.xacro --to urdf" in caught.value.hint


def test_errors_name_the_file(arm, capsys):
    (arm.parent / "bad.xacro").write_text(ARM.replace("parts", "no_such_package"))
    assert main(["check", str(arm.parent / "bad.xacro")]) == 2
    assert "there is no package 'no_such_package'" in capsys.readouterr().err
    assert main(["check", str(arm.parents[2] / "parts" / "bar.xacro")]) == 2
    said = capsys.readouterr().err
    assert "macros alone" in said and "bar.xacro (expanded)" in said
    (arm.parent / "worse.xacro").write_text(ARM.replace("$(arg mass)", "${1/0}"))
    assert main(["check", str(arm.parent / "worse.xacro")]) == 2
    assert "error: " in capsys.readouterr().err.splitlines()[-1]
