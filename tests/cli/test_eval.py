"""dalembert eval: numbers in, a table or JSON out."""

import json
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main

ROD = "RZ(A,B),TXK(0.5); body 1: M = 2, D = (0.5, 0, 0); gravity = (0, -9.81, 0);"
ARM = "RZ(),TXK(0.5),RZ(),TXK(0.4); gravity = (0, -9.81, 0);" + "".join(
    f"body {k}: M = {k}, D = (0.2, 0, 0), I = (0, 0, 0.01);" for k in (1, 2)
)


def answer(arguments, capsys):
    assert main(["eval", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_holds_inputs_and_value(capsys):
    data = answer([ROD, "inverse_dynamics", "--q", "0", "--qdd", "1"], capsys)
    assert list(data) == ["quantity", "method", "inputs", "value"]
    assert data["method"] == "newton_euler"
    assert data["inputs"] == {"q": [0], "qd": [0], "qdd": [1]}
    assert data["value"] == pytest.approx([0.5 + 9.81], rel=1e-15)


def test_several_outputs_are_by_name(capsys):
    value = answer([ARM, "lagrange_coefficients", "--q", "0.1,0.2"], capsys)["value"]
    assert list(value) == ["Q", "A", "B", "C"]
    assert np.shape(value["B"]) == (2, 2, 2)


GIVEN = {"q": [0.3, -0.4], "qd": [1.0, 0.5], "qdd": [0.1, 0.2], "tau": [2.0, 1.0], "x": [1.0, 3.0]}
ASKED = [row for row in da.catalog() if set(row.inputs) <= set(GIVEN)]


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row.name)
def test_every_quantity_is_what_python_gives(row, capsys):
    m, given = da.load(ARM), GIVEN
    try:
        expected = getattr(da, row.name)(m, *(given[k] for k in row.inputs))
    except da.ModelError:
        pytest.skip(f"an arm has no {row.name}")
    arguments = [f"--{k}={','.join(map(str, given[k]))}" for k in row.inputs]
    value = answer([ARM, row.name, *arguments], capsys)["value"]
    parts = value.values() if isinstance(value, dict) else [value]
    wanted = expected if isinstance(expected, tuple) else [expected]
    for x, y in zip(parts, wanted, strict=True):
        np.testing.assert_allclose(np.reshape(x, np.shape(y)), y, rtol=1e-13, atol=1e-13)


def test_numbers_may_be_expressions_or_a_file(tmp_path, capsys):
    file = tmp_path / "q.json"
    file.write_text("[0.5235987755982988, -1]", encoding="utf-8")
    one = answer([ARM, "gravity", "--q", "30deg,-1"], capsys)["value"]
    other = answer([ARM, "gravity", "--q", f"@{file}"], capsys)["value"]
    third = answer([ARM, "gravity", "--q", "pi/6,-1.0"], capsys)["value"]
    assert one == pytest.approx(other, rel=1e-15) and one == third


def test_the_table_names_joints(capsys):
    assert main(["eval", ARM, "mass_matrix", "--method", "world_spatial"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("mass_matrix by world_spatial")
    assert out[1].split() == ["q", "0", "0"]
    assert out[4].split() == ["j1", "j2"] and out[5].split()[0] == "j1"


def test_a_quaternion_begins_at_no_rotation(tmp_path, capsys):
    native = {"bodies": [{"name": "b", "parent": -1, "joint": {"type": "free"}, "mass": 2,
                          "inertia": [1, 1, 1]}]}  # fmt: skip
    file = tmp_path / "free.json"
    file.write_text(json.dumps(native), encoding="utf-8")
    data = answer([str(file), "forward_dynamics"], capsys)
    assert data["inputs"]["q"] == [0, 0, 0, 0, 0, 0, 1]
    assert data["value"] == pytest.approx([0, 0, -9.81, 0, 0, 0], abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (["RY(A,B),TXK(L1);", "gravity"], "gravity: no value for parameter M1, D1"),
        ([ARM, "gravitation"], "unknown quantity 'gravitation'"),
        ([ARM, "gravity", "--method", "magic"], "gravity has no method 'magic'"),
        ([ARM, "gravity", "--q", "1"], "--q has 1 number, 2 are needed"),
        ([ARM, "gravity", "--qd", "1,2"], "gravity takes no qd"),
        ([ARM, "gravity", "--drives", "all"], "gravity has no option --drives"),
        ([ARM, "gravity", "--q", "1,x"], "--q:1:3: 'x' is not a number"),
        ([ARM, "gravity", "--q", "1,2,"], "--q:1:5: an expression is missing"),
        ([ARM, "pose", "--frame", "nowhere"], "no frame 'nowhere'"),
        ([ARM, "hybrid_dynamics", "--given", "3"], "there is no joint 3"),
    ],
)
def test_bad_input_is_named(arguments, last, capsys):
    assert main(["eval", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out and err.splitlines()[-1].startswith(f"error: {last}")


def test_part_of_a_vector_has_the_option_of_the_whole(oracles_dir, capsys):
    file = str(oracles_dir / "floating_base_robot.json")
    arguments = ["--qdd", "1,0,0,0,0", "--convention", "spatial"]
    data = answer([file, "moving_base_inverse", *arguments], capsys)
    assert data["inputs"]["qdd_joints"] == [1, 0, 0, 0, 0] and len(data["value"]["tau"]) == 5


@pytest.mark.parametrize("text", ["{", "[[1, 2]]", '["a", "b"]', "[true, false]"])
def test_a_file_without_a_list_of_numbers_is_bad_input(text, tmp_path, capsys):
    file = tmp_path / "q.json"
    file.write_text(text, encoding="utf-8")
    assert main(["eval", ARM, "gravity", "--q", f"@{file}"]) == 2
    assert str(file) in capsys.readouterr().err.splitlines()[-1]


def test_components_are_not_joints_though_there_are_as_many(capsys):
    assert main(["eval", "robot:puma560", "jacobian"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2].split() == ["frame", "tip"]  # said, since none was asked for
    assert out[5].split() == ["j1", "j2", "j3", "j4", "j5", "j6"]
    assert [line.split()[0] for line in out[6:]] == ["x", "y", "z", "rx", "ry", "rz"]
    assert main(["eval", "robot:puma560", "link_wrenches"]) == 0
    assert capsys.readouterr().out.splitlines()[6].split() == ["x", "y", "z", "rx", "ry", "rz"]


def test_other_inputs_are_given_by_name(capsys):
    data = answer(["robot:unicycle", "alpha_dot", "--input", "alpha=1,2"], capsys)
    assert data["inputs"]["alpha"] == [1, 2]
    assert main(["eval", "robot:unicycle", "alpha_dot", "--input", "beta=1"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "error: alpha_dot takes no beta"


def test_a_pose_begins_at_no_rotation(capsys):
    data = answer(["robot:stewart", "platform_wrench"], capsys)
    assert data["inputs"]["pose"] == np.eye(4).tolist()


def test_a_result_without_numbers_is_none(capsys):
    assert main(["eval", ARM, "closure"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].strip() == "none"


def test_a_closed_machine_is_assembled_when_no_pose_is_given(capsys):
    assert main(["eval", "robot:fivebar", "active_mass_matrix", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    five = da.robots.fivebar()
    assert np.abs(da.closure(five, data["inputs"]["q"])).max() < 1e-12
    wanted = da.active_mass_matrix(five, data["inputs"]["q"])
    assert np.array(data["value"]) == pytest.approx(wanted)


def test_mobility_is_a_count(capsys):
    assert main(["eval", "robot:fourbar", "mobility", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 1
    assert main(["eval", "robot:fourbar", "mobility", "--q", "1,2"]) == 2
    assert "error: q has shape (2,)" in capsys.readouterr().err


def test_the_lines_of_a_regressor_are_named_by_parameters(capsys):
    state = ["--q", "0.1,0.2", "--qd", "1,1", "--qdd", "1,1", "--set", "l1=0.5"]
    assert main(["eval", "robot:planar2r", "regressor", "--columns", "base", *state]) == 0
    out = capsys.readouterr().out
    table = [line.split() for line in out.split("\nY\n")[1].splitlines()]
    assert table[0] == ["transposed", "j1", "j2"]
    names = list(da.base_parameters(da.robots.planar2r()).names)
    assert [row[0] for row in table[1:]] == names
    wanted = da.regressor(
        da.robots.planar2r().with_values(l1=0.5), [0.1, 0.2], [1, 1], [1, 1], columns="base"
    )
    shown = np.array([[float(x) for x in row[1:]] for row in table[1:]])
    np.testing.assert_allclose(shown, wanted.T, rtol=1e-5)
    assert main(["eval", "robot:planar2r", "energy_regressor", *state[:4], *state[-2:]]) == 0
    assert re.search(r"^  ZZ1 +0.5  1/s2$", capsys.readouterr().out, re.MULTILINE)


def test_results_on_a_moving_base_with_springs_carry_their_names(tmp_path, capsys):
    file = tmp_path / "vehicle.toml"
    flexible = da.robots.flying_arm().with_flexible_joints(100, 0.01, joints=["j2"])
    flexible.save(file)
    assert main(["eval", str(file), "elastic_base_inverse"]) == 0
    out = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert out[out.index("qdd_elastic") :] == ["qdd_elastic", "j2.flex", "tau_rigid", "j1", "j2"]
    assert main(["eval", str(file), "elastic_inverse"]) == 0
    out = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    rigid = out[out.index("tau_rigid") + 1 :]
    assert rigid[0] == "base.vx" and rigid[-2:] == ["j1", "j2"] and len(rigid) == 8


def test_degrees_that_do_not_say_so_bring_a_note(capsys):
    rod = ROD.replace("(A,B)", "(-2,2)")
    assert main(["eval", rod, "gravity", "--q", "45"]) == 0
    assert "if they are degrees, write 45deg" in capsys.readouterr().err
    assert main(["eval", rod, "gravity", "--q", "45deg"]) == 0
    assert capsys.readouterr().err == ""


def test_rates_that_the_loops_do_not_let_be_bring_a_note(capsys):
    """The motors lead; what was given for the other joints is not taken, which is said."""
    asked = ["eval", "robot:fivebar", "inverse_dynamics", "--q", "crankA=0.7,crankB=2.4"]
    assert main([*asked, "--qd", "1,2,3,4"]) == 0
    note = capsys.readouterr().err
    assert "qd is not one motion" in note and "crankA, crankB lead" in note
    assert "rodA has 11.6291, not 2" in note
    assert main([*asked, "--qd", "1,11.629143415,3,8.956251522"]) == 0  # their motion
    assert main([*asked, "--qd", "crankA=1,crankB=3"]) == 0
    assert "one motion" not in capsys.readouterr().err


def test_rates_that_break_rolling_bring_a_note(tmp_path, capsys):
    file = tmp_path / "cart.toml"
    da.robots.differential_drive().save(file)
    text = file.read_text().replace("\n", '\nactive = ["spin_left", "spin_right"]\n', 1)
    file.write_text(text)
    assert main(["eval", str(file), "forward_dynamics", "--qd", "1,2,3,4,5"]) == 0
    assert "spin_left, spin_right lead" in capsys.readouterr().err


def test_the_motion_that_is_printed_closes_the_loop(capsys):
    asked = ["robot:fourbar", "inverse_dynamics", "--q", "crank=0.5", "--qd", "crank=2"]
    first = answer(asked, capsys)
    q, qd, qdd = (np.array(first["inputs"][k]) for k in ("q", "qd", "qdd"))
    m = da.robots.fourbar()
    closed = da.tree_motion(m, q, np.array([2.0, 0, 0]), np.zeros(3))
    assert np.allclose(qd, closed[0], rtol=1e-12) and abs(qd[1]) > 1
    assert np.allclose(qdd, closed[1], rtol=1e-12) and abs(qdd[1]) > 1
    again = [
        x for k in ("q", "qd", "qdd") for x in (f"--{k}", ",".join(map(repr, first["inputs"][k])))
    ]
    assert answer([*asked[:2], *again], capsys)["value"] == pytest.approx(first["value"], rel=1e-9)
    assert main(["eval", *asked]) == 0
    assert "qd   2 -2.77269602" in capsys.readouterr().out


@pytest.mark.parametrize("given", [
    ("--lock", "j1=True", 4), ("--set", "L1=None", 4), ("--payload", "tip=1,0,inf,0", 9),
    ("--gravity", "0, 0,nan", 6),
])  # fmt: skip
def test_a_word_for_no_number_is_told_with_its_place(given, capsys):
    option, text, column = given
    assert main(["eval", "RZ(), TXK(L1), RZ(), tip: TXK(0.4);", "gravity", option, text]) == 2
    told = capsys.readouterr().err
    assert f"error: {option}:1:{column}: " in told and "is not a number" in told
