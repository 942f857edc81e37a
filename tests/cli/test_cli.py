"""The shape of every command's help and of every error."""

import json
import subprocess
import sys

import click
import pytest

import dalembert.cli
from dalembert.cli import COMMANDS, main
from dalembert.cli import model as cli_model
from dalembert.errors import ComputationError, DescriptionError, Place

THERE = list(COMMANDS)


@pytest.fixture
def failing(monkeypatch):
    """Make `dalembert check` raise the given exception."""

    def arrange(exception):
        def raise_it(*_, **options):
            raise exception

        monkeypatch.setattr(cli_model, "read_model", raise_it)

    return arrange


def test_help_lists_exactly_the_commands_that_are_there(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out.partition("Commands:")[2]
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
    assert [name for name in listed if name in COMMANDS] == THERE


def test_without_arguments_the_help_is_shown(capsys):
    assert main([]) == 0
    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize("name", THERE)
def test_help_of_a_command_has_an_example_and_json(name, capsys):
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert "Example" in text
    assert f"dalembert {name}" in text.partition("Example")[2]
    assert "--json" in text or name == "talk"


def test_version(capsys):
    assert main(["--version"]) == 0
    assert dalembert.__version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["tables"],
        ["convert", "a.toml"],
        ["convert", "a.toml", "--to", "klingon"],
        ["tables", "--inertia", "odd", "RZ(A,B);"],
    ],
)
def test_a_usage_error_exits_2_and_ends_with_an_error_line(arguments, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.splitlines()[-1].startswith("error: ")


def test_an_error_ends_with_its_place_and_cause(failing, capsys):
    failing(DescriptionError("no axis", Place("<phrase>", 1, 3, "R(A,B);"), hint="write: RZ(A,B)"))
    assert main(["check", "R(A,B);"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "  R(A,B);",
        "    ^",
        "  hint: write: RZ(A,B)",
        "error: <phrase>:1:3: no axis",
    ]


@pytest.mark.parametrize(
    ("exception", "code", "last"),
    [
        (ComputationError("no solution"), 1, "error: no solution"),
        (KeyboardInterrupt(), 130, "error: interrupted"),
        (click.Abort(), 130, "error: interrupted"),
        (PermissionError(13, "Permission denied", "a.toml"), 2, "error: a.toml: Permission denied"),
        (ZeroDivisionError("bug"), 1, "error: unexpected ZeroDivisionError: bug"),
    ],
)
def test_no_failure_shows_a_traceback(exception, code, last, failing, capsys, monkeypatch):
    monkeypatch.delenv("DALEMBERT_DEBUG", raising=False)
    failing(exception)
    assert main(["check", "model"]) == code
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == last
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("model", "cause"),
    [
        ("nowhere.toml", "no such file: nowhere.toml"),
        (".", ". is a directory"),
        ("x" * 5000, "no such file: xxx"),
        ("a\0b", r"no such file: a\u0000b"),
    ],
)
def test_a_model_that_is_not_there_is_named(model, cause, capsys):
    assert main(["check", model]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"error: {cause}")


@pytest.mark.parametrize(
    "options", [["--set", "L1"], ["--set", "=3"], ["--gravity", "0,1"], ["--gravity", "0,,1"]]
)
def test_a_malformed_option_is_bad_input(options, capsys):
    assert main(["check", "RZ(A,B),TXK(L1);", *options]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: --")


def test_a_file_wins_over_a_phrase_of_the_same_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RZ(A,B);").write_text("RX(A,B),TXK(L1),;;", encoding="utf-8")
    assert main(["check", "RZ(A,B);"]) == 2
    assert "RZ(A,B);:1:" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("name", ["tables", "check"])
def test_json_output_is_json(name, capsys):
    assert main([name, "RZ(A,B),TXK(L1);", "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_an_unknown_ready_made_robot_is_bad_input(capsys):
    assert main(["check", "robot:nonsense"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "error: no ready-made robot is called 'nonsense'"


def test_a_closed_pipe_is_quiet():
    code = "import sys; from dalembert.cli import main; sys.exit(main(['--help']))"
    run = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    run.stdout.close()
    assert run.stderr.read() == ""
    assert run.wait() == 1
    run.stderr.close()


def test_a_nul_character_in_an_argument_is_refused(capsys):
    move = ["simulate", "robot:planar2r", "--set", "m1=1", "--time", "0.1", "--csv", "a\0b.csv"]
    for command in (["verify", "a\0b"], ["tables", "a\0b"], move):
        assert main(command) == 2
        assert "unexpected" not in capsys.readouterr().err


def test_digits_without_end_are_refused(capsys):
    digits = "9" * 5000
    for command in (
        ["eval", "robot:planar2r", "hybrid_dynamics", "--given", digits, "--q", "0,0"],
        ["derive", "robot:planar2r", "--freeze", digits],
        ["agree", "robot:planar2r", "--states", digits],
    ):
        assert main(command) == 2
        assert "unexpected" not in capsys.readouterr().err
