"""Angles such as 1.5708 are kept, told, and made exact when asked."""

import pytest

import dalembert as da
from dalembert.cli import main

ARM = """<robot name="arm"><link name="base"/>
<link name="a"><inertial><mass value="1"/><origin xyz="0 0 0.2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/>
<origin rpy="{} 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3.14159" upper="3.14159" effort="1" velocity="1"/>
</joint></robot>"""
TOLD = "almost a multiple of pi/12"


def told(m):
    return [note for note in m.notes if TOLD in note]


@pytest.mark.parametrize(
    "text",
    [
        ARM.format("1.5708"),
        "RXK(1.5708), RZ(), TXK(0.5);",
        '{"format": "dalembert/1", "bodies": [{"name": "a", "parent": -1, "joint": {"type": '
        '"revolute", "axis": [0, 0, 1], "placement": {"rotation": ["x", 1.5708]}}, "mass": 1}]}',
    ],
)
def test_an_angle_rounded_to_five_digits_is_kept_and_told_once(text):
    note = told(da.load(text))
    assert len(note) == 1 and "1.5708" in note[0] and "snap=1e-5" in note[0]
    assert not told(da.load(text, snap=1e-5)) and not told(da.load(text, snap=0))


@pytest.mark.parametrize("angle", ["1.5707963267948966", "0.3", "0", "1.57", "0.000001"])
def test_exact_and_other_angles_bring_no_note(angle):
    assert not told(da.load(ARM.format(angle)))


def test_limits_of_joints_are_no_such_angles():
    assert not told(da.load("RZ(-3.14159, 3.14159), TXK(1);"))


def test_snap_on_the_command_line_shortens_the_equations(tmp_path, capsys):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.format("1.5708"))
    command = ["derive", str(file), "--only", "Q"]
    assert main(command) == 0
    plain = capsys.readouterr()
    assert TOLD in plain.err and "--snap 1e-5" in plain.err
    assert main([*command, "--snap", "1e-5"]) == 0
    exact = capsys.readouterr()
    assert TOLD not in exact.err and len(exact.out) < len(plain.out)
    assert main([*command, "--snap", "5"]) == 2
