"""dalembert export: files written, checked, and the same bytes every time."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from dalembert.cli import main

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


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path):
    made = []
    for seed in ("1", "2"):
        place = tmp_path / seed
        code = "import sys; from dalembert.cli import main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", code, "export", "robot:planar2r", "inverse_dynamics"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        arguments = ["mass_matrix", "--to", "c", "--out", str(place)]
        subprocess.run([*command, *arguments], check=True, env=environment, capture_output=True)
        made.append({path.name: path.read_bytes() for path in place.iterdir()})
    assert made[0] == made[1]
