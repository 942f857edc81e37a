"""What is left out of the equations on the command line: --freeze, --neglect, --drop, --prune."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main

LIMITS = {"all": {"q": [-3, 3], "qd": 2, "qdd": 5}}


@pytest.fixture
def run(capsys):
    def call(*args, code=0):
        assert main(list(map(str, args))) == code
        found = capsys.readouterr()
        return found.err if code else found.out

    return call


def test_eval_answers_for_the_joints_that_are_left(run):
    out = run("eval", "robot:puma560", "inverse_dynamics", "--freeze", "4,5,6", "--neglect",
              "velocity", "--drop", "A11:1", "--q", "0.1,0.2,0.3", "--qd", "1,1,1",
              "--json")  # fmt: skip
    eq = da.equations(da.robots.puma560()).freeze([4, 5, 6]).neglect("velocity").drop("A11:1")
    expected = eq.evaluate({}, [0.1, 0.2, 0.3], [1, 1, 1], [0, 0, 0])
    assert np.allclose(json.loads(out)["value"], expected, atol=1e-12)


def test_export_writes_the_pruned_model_and_its_proof(run, tmp_path):
    limits = tmp_path / "limits.json"
    limits.write_text(json.dumps(LIMITS))
    run("export", "robot:puma560", "inverse_dynamics", "--to", "python", "--out", tmp_path,
        "--freeze", "4,5,6", "--prune", "5%", "--limits", limits, "--check")  # fmt: skip
    assert "error at most" in (tmp_path / "puma560.py").read_text()


def test_cost_and_torques_and_simulate_leave_it_out(run):
    rows = json.loads(run("cost", "robot:puma560", "--neglect", "velocity", "--json"))
    assert {r["method"] for r in rows} == {"closed_form"}
    assert [r["mul"] for r in rows if r["quantity"] == "coriolis"] == [0]
    out = json.loads(run("torques", "robot:puma560", "--to", "1,0.5,-0.5,0,0,0", "--freeze",
                         "4,5,6", "--neglect", "gravity", "--json"))  # fmt: skip
    assert out["joints"] == ["j1", "j2", "j3"] and not np.any(out["parts"]["static"])
    out = run("simulate", "robot:puma560", "--freeze", "4,5,6", "--time", "0.1", "--samples", "3")
    assert "frozen: j4 = 0" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--limits", "{limits}"), "belong to --prune"),
        (("--neglect", "friction"), "cannot neglect"),
        (("--freeze", "9"), "no joint 9"),
        (("--freeze", "2=0.3,2=0.4"), "names joint 2 twice"),
        (("--freeze", "2=0.3m"), "--freeze:1:6: m is a unit of length"),
        (("--freeze", "1,3= 20deg+ 1mm"), "--freeze:1:14: mm is a unit of length"),
        (("--drop", "A99:1"), "does not exist"),
        (("--prune", "200%"), "a share between 0 and 1"),
    ],
)
def test_what_cannot_be_left_out_is_said(run, options, message, tmp_path):
    limits = tmp_path / "limits.json"
    limits.write_text(json.dumps(LIMITS))
    given = [x.format(limits=limits) for x in options]
    assert message in run("eval", "robot:puma560", "gravity", *given, code=2)


@pytest.mark.parametrize(
    ("text", "told"),
    [("2=0.3rad", "2 = 3/10"), ("2=0.3", "2 = 3/10"), ("2=30deg", "2 = 30deg"), ("2", "2 = 0"),
     ("3=250mm", "3 = 1/4"), ("2=a1", "2 = a1")],
)  # fmt: skip
def test_remarks_give_the_exact_value_of_frozen_joints(run, text, told):
    assert f"# frozen: {told}; " in run("derive", "robot:scara", "--freeze", text)


def test_a_file_that_leaves_out_is_applied_by_the_commands(run, tmp_path):
    m = da.load({"phrase": "RZ(), TXK(1), RZ(), TXK(1);", "simplified": {"neglect": ["gravity"]}})
    m.save(tmp_path / "m.toml")
    assert "Q(1) = 0\n" in run("derive", tmp_path / "m.toml", "--form", "report")


def test_prune_says_operations_passive_and_curve_in_words(run, tmp_path):
    limits = tmp_path / "l.toml"
    limits.write_text("[all]\nqd = 1.5\nqdd = 4\n")
    arm = "RZ(),TXK(0.4),RZ(),TXK(0.3); gravity = (0, -9.81, 0); body 1: M=3, D=(0.2,0,0),"
    arm += "I=(0.1,0.1,0.1); body 2: M=0.2, D=(0.1,0,0), I=(0.001,0.01,0.01);"
    told = [arm, "--limits", str(limits)]
    out = run("derive", *told, "--prune", "10% passive")
    assert "T and V pruned alike" in out
    assert "positive definite over the box: proven" in out
    out = run("derive", *told, "--prune", "18 operations")
    assert "# pruned:" in out
    out = run("derive", *told, "--prune", "curve")
    assert out.split()[:2] == ["operations", "terms"]
    out = run("derive", *told, "--prune", "curve", "--json")
    assert json.loads(out)[0]["share"] == [0.0, 0.0]
