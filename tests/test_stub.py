"""Editors and type checkers know the public names, though the package finds them lazily."""

import importlib.util
import os
import subprocess
import sys

import pytest

from peers import ROOT, SOURCE

BAD = """
import dalembert as da

m = da.robots.ur5()
q = [0.0] * 6
k = da.compile(m, "inverse_dynamics")
da.simulat(m)
m.with_value(L1=1)
k(q)
da.inverse_dynamics(m, q)
"""
GOOD = """
import dalembert as da

m = da.robots.ur5()
q = [0.0] * 6
k = da.compile(m, "inverse_dynamics", "newton_euler", threads=2)
print(k(q, q, q).shape, da.mass_matrix(m, q).shape, da.jacobian(m, q, frame="tool0").shape)
print(da.compile(m, "inverse_dynamics", wrench=True)(q, q, q, [[0.0] * 6] * 6))
print(da.simulate(m, q, t=1.0), m.with_values().nq)
"""
WRONG = (7, 8, 9, 10)  # the lines of BAD


def test_the_stub_is_what_the_catalog_says():
    spec = importlib.util.spec_from_file_location("stub", ROOT / "tools" / "stub.py")
    stub = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stub)
    written = (SOURCE / "__init__.pyi").read_text(encoding="utf-8")
    assert written == stub.text(), "run: python tools/stub.py"


def checked(command, tmp_path, text):
    (tmp_path / "used.py").write_text(text)
    environment = os.environ | {"MYPYPATH": str(SOURCE.parent)}
    files = [tmp_path / "used.py", *(ROOT / "examples").glob("*.py")]
    done = subprocess.run(
        [*command, *files], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    assert all("used.py" in line for line in lines), done.stdout  # the examples are accepted
    return {int(line.split("used.py:")[1].split(":")[0]) for line in lines}


@pytest.mark.slow
def test_mypy_accepts_the_examples_and_rejects_mistakes(tmp_path):
    command = [sys.executable, "-m", "mypy", "--config-file=", "--ignore-missing-imports"]
    assert checked(command, tmp_path, BAD) == set(WRONG)
    assert checked(command, tmp_path, GOOD) == set()


@pytest.mark.slow
def test_pyright_accepts_the_examples_and_rejects_mistakes(tmp_path):
    pytest.importorskip("basedpyright")
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    command += ["--level", "error"]
    assert checked(command, tmp_path, BAD) == set(WRONG)
    assert checked(command, tmp_path, GOOD) == set()
