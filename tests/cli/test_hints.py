"""Hints on the command line name what can be written there."""

import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.errors import ParameterError

ARM = "RZ(A1,B1),TXK(L1),RZ(A2,B2),TXK(L2); gravity = (0, G, 0);"
TURN = "RZ(-1,1); body 1: M = 1, I = (1, 1, 1);"
WHEEL = "robot:unicycle"


FREELY = "RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0), I = (0, 0, 1);"


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["simulate", ARM], "simulate: no value for parameter L1", "--set L1="),
        (["eval", ARM, "gravity"], "gravity: no value for parameter L1", "--set L1="),
        (["torques", ARM, "--to", "1,2"], "no value for parameter L1", "--set L1="),
        (["bench", ARM], "no value for parameter L1", "--set L1="),
        (["convert", ARM, "--to", "urdf"], "no value for L1", "--set L1="),
        (["derive", ARM, "--prune", "1%"], "no value for parameter L1", "--set"),
        (["derive", WHEEL], "closed forms are those of a tree", "--form kane"),
        (["derive", ARM, "--base", "free"], "joint 'base' is free", "--expand"),
        (["eval", TURN, "base_acceleration"], "has no free base", "--base free"),
        (["torques", TURN, "--to", "1,2"], "--to has 2 numbers, it takes 1", "in this order: j1"),
        (["simulate", TURN, "--stop", "zz"], "no event 'zz'", '"all", j1 lower limit'),
        (["simulate", FREELY, "--stop", "zz"], "no event 'zz'", "no joint has a limit"),
        (["torques", "robot:puma560", "--point", "9,9,9"], "% along the path, at (0.64", "end the"),
    ],
)
def test_a_hint_can_be_followed(arguments, message, hint, capsys):
    assert main(arguments) in (1, 2)
    *details, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: ") and message in last
    assert any(line.startswith("  hint: ") and hint in line for line in details)


def test_the_options_of_hints_are_there(capsys):
    assert main(["eval", TURN, "base_acceleration", "--base", "free"]) == 0
    assert main(["check", "robot:puma560", "--base", "planar"]) == 0
    assert "base   planar" in capsys.readouterr().out
    assert (
        main(["bench", "RZ(); body 1: M=M, I=(1,1,1);", "--set", "M=1", "--seconds", "0.001"]) == 0
    )


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["derrive", ARM], "derive"),
        (["check", "robot:pumma560"], "puma560"),
        (["eval", "robot:puma560", "mass_matirx"], "mass_matrix"),
    ],
)
def test_what_is_nearly_right_is_named(arguments, near, capsys):
    assert main(arguments) == 2
    *details, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: ") and any(f"did you mean {near}" in d for d in details)


def test_hints_of_python_stay_in_python(capsys):
    assert main(["eval", "robot:fourbar", "mass_matrix", "--q", "0,0,0"]) == 2
    shown = capsys.readouterr().err
    assert "active_mass_matrix" in shown and "m.tree" not in shown
    with pytest.raises(ParameterError) as raised:
        da.gravity(da.load(ARM), [0, 0])
    assert "parameters={'L1': ...}" in str(raised.value) and "--set" not in str(raised.value)
    assert "--set" in raised.value.command


def test_one_term_is_not_terms(capsys):
    assert main(["derive", ARM, "--only", "B,C"]) == 0
    out = capsys.readouterr().out
    assert "# B: 1 term in all, 1 in B(1,1,2)" in out and "# C: 2 terms in all" in out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["check", "ur5"], "did you mean robot:ur5?"),
        (["check", "robot:ur"], "did you mean ur5?"),
        (["chek", "robot:ur5"], "did you mean check?"),
        (["eval", "robot:ur5", "gravty"], "did you mean gravity"),
        (["eval", "robot:ur5", "gravity", "--method", "newton_eular"], "newton_euler?"),
        (["eval", "robot:ur5", "pose", "--frame", "tol0"], "did you mean tool0?"),
        (["check", "robot:ur5", "--lock", "elbw_joint"], "elbow_joint"),
        (["check", "robot:scara", "--set", "MM4=1"], "did you mean M4"),
        (["export", "robot:ur5", "gravity", "--to", "fortan", "--out", "x"], "mean fortran"),
        (["derive", "robot:planar2r", "--form", "latx"], "did you mean latex?"),
        (["derive", "robot:planar2r", "--neglect", "velocit"], "did you mean velocity?"),
        (["derive", "robot:planar2r", "--only", "constnts"], "did you mean constants?"),
        (["simulate", "robot:ur5", "--method", "dopri"], "did you mean dopri5"),
        (["eval", "robot:ur5", "gravity", "--methd", "kane"], "did you mean --method"),
    ],
)
def test_a_misspelt_name_brings_the_nearest_one(arguments, hint, capsys):
    assert main(arguments) == 2
    assert hint in capsys.readouterr().err


def test_a_misspelt_file_brings_its_neighbour(tmp_path, capsys):
    (tmp_path / "arm6.urdf").write_text("<robot name='a'><link name='b'/></robot>")
    assert main(["check", str(tmp_path / "arm7.urdf")]) == 2
    assert f"did you mean {tmp_path / 'arm6.urdf'}?" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "none" / "arm7.urdf")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_total_mass_has_a_number_where_every_mass_has(capsys):
    assert main(["check", "robot:scara"]) == 0
    assert "total mass: M1+M2+M3+M4 = 19.5 kg\n" in capsys.readouterr().out
