"""Exact derivatives in exported code (`export(..., wrt=...)`)."""

import json
import shutil

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.export.check import check_export

ARM = {
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "link 2": 0.4},
    "phrase": "RZ(), TXK(L1), RZ(), TXK(0.4); body 1: M = 3*L1, D = (L1/2, 0, 0); "
    "body 2: M = 2, D = (0.2, 0, 0), I = (0, 0, 0.02);",
}  # fmt: skip
WRT = ["q", "L1"]
TOOLS = {"c": "gcc", "cpp": "g++", "fortran": "gfortran", "python": "python3", "numpy": "python3"}


@pytest.mark.parametrize("language", TOOLS)
def test_exported_derivatives_are_those_of_the_kernel(tmp_path, language):
    if shutil.which(TOOLS[language]) is None:
        pytest.skip(f"no {TOOLS[language]}")
    m = da.load(ARM)
    names = ["inverse_dynamics", "mass_matrix"]
    written = da.export(m, names, language, tmp_path, wrt=WRT)
    rows = check_export(m, names, language, written, wrt=WRT)
    assert all(r.ok for r in rows)
    told = {r.quantity for r in rows}
    assert {"inverse_dynamics.dtau_dq", "inverse_dynamics.dtau_dL1", "mass_matrix.dM_dq"} <= told


def test_exported_python_gives_the_slope_by_a_length(tmp_path):
    m = da.load(ARM)
    da.export(m, "inverse_dynamics", "python", tmp_path, wrt="L1")
    space = {}
    exec(compile((tmp_path / "arm.py").read_text(), "arm.py", "exec"), space)  # our own text
    r = space["prepare"]([0.5])
    made = space["inverse_dynamics"]([0.1, 0.2], [0.3, 0.4], [0.5, 0.6], r)
    wanted = da.compile(m, "inverse_dynamics", wrt="L1")([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    for mine, own in zip(made, wanted, strict=True):
        assert np.allclose(np.ravel(mine), np.ravel(own), rtol=1e-13)


def test_loops_keep_their_checked_function(tmp_path):
    m = da.robots.fivebar()
    da.export(m, "inverse_dynamics", "c", tmp_path, wrt="q")
    text = next(tmp_path.glob("*.h")).read_text()
    assert "inverse_dynamics_checked" in text and "dtau_dq" in text


def test_wrong_names_are_refused_and_the_command_line_has_wrt(tmp_path, capsys):
    with pytest.raises(da.UsageError, match="no input and no parameter"):
        da.export(da.load(ARM), "inverse_dynamics", "c", tmp_path, wrt=["L9"])
    (tmp_path / "arm.json").write_text(json.dumps(ARM))
    out = tmp_path / "out"
    assert main(["export", str(tmp_path / "arm.json"), "inverse_dynamics", "--to", "c", "--wrt",
                 "L1", "--wrt", "qd", "--out", str(out)]) == 0  # fmt: skip
    capsys.readouterr()
    assert "dtau_dqd" in (out / "arm.h").read_text()
