"""dalembert derive from the command line."""

import json

import pytest

import dalembert as da
from dalembert import robots
from dalembert.cli import main


def run(capsys, *arguments):
    code = main(["derive", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_report_form_is_printed(capsys):
    code, out, _ = run(capsys, robots.REPORT, "--form", "report", "--only", "Q,A")
    assert code == 0
    assert "Q(3) = +G*(-C23*VZ3)+Q(4)" in out.splitlines()
    assert "A16 = 0" in out.splitlines()


def test_options_reach_the_equations(capsys):
    _, out, _ = run(capsys, robots.REPORT, "--freeze", "4=0.3,5,6", "--only", "A")
    assert "A33" in out and "A44" not in out
    _, out, _ = run(capsys, robots.REPORT, "--neglect", "velocity", "--only", "B,C")
    assert all(line.endswith("= 0") for line in out.splitlines() if not line.startswith("#"))
    signed = ["--sign-of-Q", "section2", "--only", "Q", "--form", "report"]
    _, out, _ = run(capsys, robots.REPORT, *signed)
    assert "Q(5) = +G*(-S234*S5*VZ6)" in out
    _, out, _ = run(capsys, robots.REPORT, "--drop", "Q2:1", "--only", "Q", "--form", "report")
    assert "-S2*VY2" not in out
    _, out, _ = run(capsys, robots.REPORT, "--gravity", "0,0,-9.81", "--only", "Q")
    assert "gravity = (0, 0, -9.81)" in out
    _, out, _ = run(capsys, robots.REPORT, "--inertia", "full", "--only", "constants")
    assert "JXY4" in out
    _, out, _ = run(capsys, robots.REPORT, "--set", "L2=0.5", "--only", "A")
    assert "L2" not in out


@pytest.mark.parametrize("text", ["pi/2", "90deg", "(pi + 1)/2 - 1/2"])
def test_a_joint_is_frozen_at_an_expression(capsys, text):
    phrase = "RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);"
    _, exact, _ = run(capsys, phrase, "--freeze", f"2={text}", "--only", "Q,constants")
    made = da.equations(da.load(phrase)).freeze({2: text})
    assert exact == made.text("condensed", ["Q", "constants"])
    # at a right angle the second link adds no lever along x
    at = {"L1": 0.5, "L2": 0.5, "M1": 1, "M2": 1, "D1": 0.2, "D2": 0.3, "G": -9.81}
    rest = dict.fromkeys(("IY1", "IZ1", "IY2", "IZ2"), 0.0)
    assert made.evaluate(at | rest, [0.0])[0] == pytest.approx(9.81 * (0.2 + 0.5))


def test_what_cannot_be_read_is_shown_with_its_place(capsys):
    for option, text, place in (
        ("--freeze", "1,2=1+", "--freeze:1:7"),
        ("--gravity", "0,2*,0", "--gravity:1:5"),
        ("--set", "L1=2*", "--set:1:6"),
    ):
        code, _, err = run(capsys, "RZ(),TXK(L1),RZ();", option, text)
        assert code == 2 and err.splitlines()[-1].startswith(f"error: {place}: ")


def test_json_latex_and_markdown(capsys):
    code, out, _ = run(capsys, robots.REPORT, "--json", "--only", "Q")
    assert code == 0 and json.loads(out)["Q"][0]["index"] == [1]
    _, out, _ = run(capsys, robots.REPORT, "--form", "latex", "--only", "Q")
    assert out.startswith(r"\documentclass")
    _, out, _ = run(capsys, robots.REPORT, "--form", "markdown", "--only", "Q")
    assert out.startswith("# ") and "$$" in out


def test_pruning_prints_its_proof(capsys, tmp_path):
    phrase = (
        "RZ(),TXK(0.5),RZ(),TXK(0.1); body 1: M=5, D=(0.2,0,0), I=(0,0,0.1);"
        "body 2: M=0.01, D=(0.05,0,0), I=(0,0,0.001);"
    )
    limits = tmp_path / "limits.toml"
    limits.write_text("[all]\nqd = 1.0\nqdd = 2.0\n")
    code, out, _ = run(capsys, phrase, "--prune", "5%", "--limits", str(limits), "--only", "A")
    assert code == 0
    assert "terms are left out" in out and "joint 1: error at most" in out
    code, _, err = run(capsys, phrase, "--prune", "much")
    assert code == 2 and "a share between 0 and 1" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "D"], "no section"),
        (["--freeze", "9"], "no joint 9"),
        (["--freeze", "4="], "a joint and a value"),
        (["--neglect", "mass"], "cannot neglect"),
        (["--drop", "A12"], "cannot read"),
    ],
)
def test_bad_options_are_explained(capsys, arguments, message):
    code, _, err = run(capsys, robots.REPORT, *arguments)
    assert code == 2
    assert message in err.splitlines()[-1] and err.splitlines()[-1].startswith("error: ")


def test_a_listing_is_printed_for_any_quantity_and_parameter_set(capsys):
    phrase = "RZ(A,B),TXK(L1),RZ(C,D),TXK(L2); gravity = (0, G, 0);"
    options = ["--form", "listing", "--quantity", "mass_matrix", "--parameters", "base"]
    assert main(["derive", phrase, *options]) == 0
    text = capsys.readouterr().out
    assert "mass_matrix by composite, base parameters" in text
    assert "# ZZR1 = ZZ1+L1**2*M2" in text and "C2 = cos(q2)" in text
    assert main(["derive", phrase, *options, "--freeze", "2", "--json"]) == 0
    assert "C2" not in capsys.readouterr().out
    assert main(["derive", phrase, "--form", "listing", "--quantity", "magic"]) == 2


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--form", "kane", "--neglect", "gravity"], "--neglect"),
        (["--form", "kane", "--sign-of-Q", "section2"], "--sign-of-Q"),
        (["--form", "listing", "--only", "Q"], "--only"),
        (["--quantity", "bias"], "--quantity"),
        (["--form", "latex", "--latex"], "--latex"),
    ],
)
def test_an_option_that_a_form_would_not_heed_is_refused(capsys, arguments, option):
    code, _, err = run(capsys, robots.REPORT, *arguments)
    assert code == 2 and f"error: {option} is not for --form" in err and "--form" in err


TWO = (
    "RZ(),TXK(1),RZ(),TXK(1); body 1: M=1, D=(.1,0,0), I=(0,.1,.1);"
    "body 2: M=1, D=(.1,0,0), I=(0,.1,.1);"
)


@pytest.mark.parametrize("frozen", ["1", "2", "1,2", "j1=30deg"])
def test_limits_of_frozen_joints_may_stay_in_their_file(tmp_path, capsys, frozen):
    file = tmp_path / "limits.toml"
    file.write_text(
        '[1]\nq = ["-150deg", "pi/2"]\nqd = 1\nqdd = 1\n[j2]\nq = "100deg"\nqd = 1\nqdd = 1\n'
    )
    values = tmp_path / "values.toml"
    values.write_text("")
    options = ["--prune", "1%", "--limits", str(file), "--values", str(values)]
    assert main(["derive", TWO, "--freeze", frozen, *options]) == 0
    assert "terms are left out" in capsys.readouterr().out
    assert main(["derive", TWO, *options]) == 0


def test_a_square_root_is_called_a_square_root(capsys):
    code = main(["derive", "robot:rolling_disc", "--form", "kane"])
    err = capsys.readouterr().err
    assert code == 0 or "sine" not in err
    angle = da.kane_form(da.robots.rolling_disc()).setting.q[3].sin()
    with pytest.raises(da.NotPolynomialError, match="square root"):
        angle.sqrt()
