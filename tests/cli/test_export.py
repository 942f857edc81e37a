"""dalembert export: files written, checked, and the same bytes every time."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from dalembert.cli import main
from dalembert.cli.export import command
from dalembert.export import LANGUAGES
from dalembert.export.write import WHOLE
from peers import SOURCE

PENDULUM = "RZ(), TXK(0.5); body 1: M = 2, D = (0.5, 0, 0);"


def test_c_files_have_the_names_and_the_signature_of_the_contract(tmp_path, capsys):
    assert (
        main(["export", "robot:ur5", "inverse_dynamics", "--to", "c", "--out", str(tmp_path)]) == 0
    )
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["CMakeLists.txt", "ur5.c", "ur5.h", "ur5_test.c"]
    assert (
        "void ur5_inverse_dynamics(const ur5_real *q, const ur5_real *qd, const ur5_real *qdd, "
        "const ur5_real *r, ur5_real *tau);" in (tmp_path / "ur5.h").read_text()
    )
    assert str(tmp_path / "ur5.h") in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
def test_check_compares_with_the_kernel(tmp_path, capsys):
    command = ["export", PENDULUM, "inverse_dynamics", "gravity", "--to", "c", "--check", "--json"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {row["language"] for row in report["check"]} == {"c", "kernel"}
    assert all(row["ok"] for row in report["check"]) and len(report["files"]) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["inverse_dynamics", "--to", "cobol"], "there is no language 'cobol'"),
        (["nonsense", "--to", "c"], "unknown quantity 'nonsense'"),
        (["gravity", "--to", "c", "--frame", "tip"], "none of these quantities has an option"),
        (["gravity", "--to", "c", "--method", "magic"], "gravity has no method 'magic'"),
        (["gravity", "--to", "c", "--parameter", "L9"], "there is no parameter 'L9'"),
    ],
)
def test_errors_say_what_to_write(arguments, said, tmp_path, capsys):
    assert main(["export", PENDULUM, *arguments, "--out", str(tmp_path / "x")]) == 2
    captured = capsys.readouterr().err
    assert said in captured.splitlines()[-1] and captured.splitlines()[-1].startswith("error: ")
    assert not (tmp_path / "x").exists()


DIGESTS = """
import hashlib, sys
import dalembert as da
from dalembert.export import files

QUANTITIES = {"planar2r": ["inverse_dynamics", "mass_matrix"],
              "fourbar": ["inverse_dynamics", "forward_dynamics"],
              "truck": ["alpha_dot", "constraint_forces"]}
name, *languages = sys.argv[1:]
m = getattr(da.robots, name)()
m = m.with_values({p: 0.5 for p in m.open_parameters}) if m.open_parameters else m
for language in languages:
    for path, data in files(m, QUANTITIES[name], language, parameters="all").items():
        data = data if isinstance(data, bytes) else data.encode()
        print(name, language, path, hashlib.sha256(data).hexdigest())
"""
WRITERS = [*LANGUAGES, "listing"]


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("planar2r", [*WRITERS, "latex"]),
        *(pytest.param(name, ["fmu"], marks=pytest.mark.slow) for name in ("planar2r", "fourbar")),
        *(pytest.param(n, WRITERS, marks=pytest.mark.slow) for n in ("fourbar", "truck")),
    ],
)
def test_bytes_do_not_depend_on_the_hash_seed(name, languages):
    made = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "DALEMBERT_CACHE": "off"}
        command = [sys.executable, "-c", DIGESTS, name, *languages]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        made.append(done.stdout.splitlines())
    assert made[0] == made[1] and len(made[0]) >= len(languages)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
def test_the_control_loop_of_the_documentation_holds_the_robot(tmp_path):
    command = ["export", "robot:ur5", "inverse_dynamics", "forward_dynamics", "--to", "c"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    text = (SOURCE.parents[1] / "docs/export.md").read_text(encoding="utf-8")
    section = text.partition("## In a 1 kHz loop")[2].partition("```c\n")[2]
    (tmp_path / "loop.c").write_text(section.partition("```")[0], encoding="utf-8")
    strict = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
    sources = [tmp_path / "loop.c", tmp_path / "ur5.c"]
    subprocess.run(["gcc", *strict, *sources, "-o", tmp_path / "loop", "-lm"], check=True)
    done = subprocess.run([tmp_path / "loop"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("largest error")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("rust", "error: --check needs rustc, which is not here"),
        ("octave", "error: --check needs octave-cli, which is not here"),
        ("latex", "error: latex is text to read: there is nothing to run"),
    ],
)
def test_check_says_what_is_missing_and_how_it_is_had(
    language, said, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = ["gravity", "--to", language, "--out", str(tmp_path / "x"), "--check"]
    assert main(["export", PENDULUM, *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == said and "the files are written" in lines[-2]
    assert any((tmp_path / "x").iterdir())


@pytest.mark.parametrize("language", ["fmu", "latex"])
def test_what_holds_the_whole_mechanism_has_few_options(language, tmp_path, capsys):
    arguments = ["--to", language, "--frame", "tip", "--out", str(tmp_path / "x")]
    assert main(["export", PENDULUM, *arguments]) == 2
    assert f"{language} has no option 'frame'" in capsys.readouterr().err


def test_the_help_names_every_language():
    """The text stands in the command: writers are not loaded to print it."""
    (told,) = (p.help for p in command.params if p.name == "language")
    assert set(re.findall(r"\w+", told)) - {"or"} == {*LANGUAGES, *WHOLE}


@pytest.mark.parametrize(("quantity", "said"), [("pose", False), ("gravity", True)])
def test_missing_masses_are_noted_only_where_they_count(quantity, said, tmp_path, capsys):
    massless = "RZ(), TXK(0.5); body 1: M = 0;"
    assert main(["export", massless, quantity, "--to", "c", "--out", str(tmp_path)]) == 0
    assert ("no body has a mass" in capsys.readouterr().err) is said


@pytest.mark.parametrize(
    ("options", "header", "note"),
    [
        ((), "Friction of 6 joints is left out.", "friction of 6 joints is left out: add --drives"),
        (("--drives", "inertia"), "Friction of 6 joints is left out.", None),
        (("--drives", "all"), "Friction of 6 joints is counted.", None),
    ],
)
def test_code_says_whether_it_counts_friction(options, header, note, tmp_path, capsys):
    command = ["export", "robot:puma560", "inverse_dynamics", "--to", "c", "--out", str(tmp_path)]
    assert main([*command, *options]) == 0
    assert header in (tmp_path / "puma560.h").read_text()
    said = capsys.readouterr().err
    assert note in said if note else "friction" not in said


def test_a_quantity_without_friction_says_nothing_of_it(tmp_path, capsys):
    assert main(["export", "robot:puma560", "gravity", "--to", "c", "--out", str(tmp_path)]) == 0
    assert "friction" not in capsys.readouterr().err
    assert "riction" not in (tmp_path / "puma560.h").read_text()


def test_pruned_equations_that_cost_more_than_the_recursion_are_told(tmp_path, capsys):
    limits = tmp_path / "limits.toml"
    limits.write_text("[all]\nq = 3\nqd = 1\nqdd = 1\n")
    phrase = (
        "RZ(), TXK(0.4), RY(), TXK(0.4), RX(), TYK(0.3);"
        "body 1: M = 3, D = (0.1, 0.2, 0.3), I = (0.1, 0.2, 0.25, 0.01, 0.02, 0.03);"
        "body 2: M = 2, D = (0.2, 0.1, 0.1), I = (0.1, 0.2, 0.25, 0.01, 0.02, 0.03);"
        "body 3: M = 1, D = (0.1, 0.2, 0.1), I = (0.1, 0.2, 0.25, 0.01, 0.02, 0.03);"
    )
    command = ["export", phrase, "inverse_dynamics", "--to", "c", "--limits", str(limits)]
    assert main([*command, "--prune", "0.001%", "--out", str(tmp_path / "much")]) == 0
    assert "as a recursion that leaves nothing out" in capsys.readouterr().err
    assert main([*command, "--prune", "30%", "--out", str(tmp_path / "little")]) == 0
    assert "recursion" not in capsys.readouterr().err
