"""Code of equations: the names of the equations, a remark for each result, no numbered lines."""

import re
import subprocess
import sys

import numpy as np
import pytest

import dalembert as da

LANGUAGES = ["c", "cpp", "python", "fortran", "octave", "rust", "julia"]


@pytest.fixture(scope="module")
def eq():
    return da.equations(da.robots.puma560()).freeze([4, 5, 6]).drop("A12:1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_have_the_names_of_the_equations(eq, language, tmp_path):
    da.export(eq, ["inverse_dynamics"], language=language, path=tmp_path)
    files = [f.read_text() for f in tmp_path.rglob("*") if f.is_file()]
    text = next(t for t in files if "joint 1 (j1): tau(1)" in t)
    assert not re.search(r"\bt\d+\b", text)
    for name in ("S23", "C2", "A11", "A12_minus", "C_21", "B_113"):
        assert re.search(rf"\b{name}\b *=", text), name
    assert "A11*qdd1" in text and "joint 3 (j3)" in text


def test_named_code_gives_the_numbers_of_the_equations(eq, tmp_path):
    da.export(eq, ["inverse_dynamics"], language="python", path=tmp_path)
    script = tmp_path / "run.py"
    script.write_text("import puma560; print(puma560.inverse_dynamics([.1,.2,.3],[1,2,3],[4,5,6]))")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    found = [float(x) for x in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", done.stdout)]
    wanted = eq.evaluate({}, [0.1, 0.2, 0.3], [1, 2, 3], [4, 5, 6])
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_parametric_code_names_its_constants(tmp_path):
    eq = da.equations(da.load("RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);"))
    da.export(eq, ["inverse_dynamics"], language="c", path=tmp_path)
    assert "JZ2 = r[" in (tmp_path / "mechanism.c").read_text()


def test_recursions_are_written_as_before(tmp_path):
    da.export(da.robots.puma560(), ["inverse_dynamics"], language="c", path=tmp_path)
    assert re.search(r"\bt12\b", (tmp_path / "puma560.c").read_text())
