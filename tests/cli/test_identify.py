"""`dalembert excite` and `dalembert identify`: from a model to a motion, from a log to a model."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.measure.table import write_table

pytest.importorskip("scipy")
ARM = """
format = "dalembert/1"
name = "arm"
gravity = [0, -9.81, 0]
phrase = "RZ(-2, 2), TXK(0.5), RZ(-2, 2), tip: TXK(0.4); body 1: M = 4, D = (0.25, 0, 0), I = (0, 0, 0.1); body 2: M = 2, D = (0.2, 0, 0), I = (0, 0, 0.04);"
drives = [ { joint = "j1", coulomb = 0.8, viscous = 1.2 }, { joint = "j2", coulomb = 0.4, viscous = 0.5 } ]
"""  # noqa: E501


def test_from_an_exciting_motion_to_a_model_and_a_report(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    model = tmp_path / "arm.toml"
    model.write_text(ARM)
    table = tmp_path / "excite.csv"
    given = ["--time", "6", "--rate", "200", "--acceleration", "6", "--out", str(table)]
    assert main(["excite", str(model), *given]) == 0
    assert "times smaller" in capsys.readouterr().out
    m = da.load(model)
    d = da.read_motion(table, m)
    rng = np.random.default_rng(0)
    tau = da.inverse_dynamics(m, d.q, d.qd, d.qdd, drives="all") + 0.1 * rng.normal(size=d.q.shape)
    log = tmp_path / "log.csv"
    heads = ["t", "q.j1", "q.j2", "tau.j1", "tau.j2"]
    write_table(log, heads, np.concatenate([d.t[:, None], d.q, tau], axis=1))
    out, report = tmp_path / "identified.toml", tmp_path / "report.html"
    words = ["identify", str(model), str(log), "--cutoff", "5", "--out", str(out)]
    assert main([*words, "--report", str(report), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["base"]["FV1"]["value"] == pytest.approx(1.2, rel=0.03)
    assert data["physical"] and report.stat().st_size > 10_000
    made = da.load(out)
    assert np.allclose(da.gravity(made, [0.3, 0.2]), da.gravity(m, [0.3, 0.2]), rtol=0.02)
    assert main(words) == 0
    assert "R² on samples held out" in capsys.readouterr().out


def test_a_log_without_forces_is_said(tmp_path, capsys):
    model = tmp_path / "arm.toml"
    model.write_text(ARM)
    log = tmp_path / "log.csv"
    t = np.linspace(0, 2, 200)
    write_table(log, ["t", "q.j1", "q.j2"], np.stack([t, np.sin(t), np.cos(t)], axis=1))
    assert main(["identify", str(model), str(log)]) == 2
    assert "no measured forces" in capsys.readouterr().err


def test_the_model_is_written_by_the_ending_of_its_file(tmp_path, capsys):
    model, log = tmp_path / "arm.toml", tmp_path / "log.csv"
    model.write_text(ARM)
    m, t = da.load(model), np.linspace(0, 10, 1001)
    q = np.stack([np.sin(1.3 * t) + 0.4 * np.sin(3 * t), 0.8 * np.cos(1.9 * t)], axis=1)
    tau = da.torques_along(m, (t, q)).tau
    heads = ["t", "q.j1", "q.j2", "tau.j1", "tau.j2"]
    write_table(log, heads, np.concatenate([t[:, None], q, tau], axis=1))
    words = ["identify", str(model), str(log), "--out"]
    assert main([*words, str(tmp_path / "found.c")]) == 0
    text = (tmp_path / "found.c").read_text()
    assert '#include "found.h"' in text and "found_inverse_dynamics" in text
    assert "found_forward_dynamics" in (tmp_path / "found.h").read_text()
    assert not (tmp_path / "found_test.c").exists()
    assert main([*words, str(tmp_path / "found.urdf")]) == 0
    assert da.load(tmp_path / "found.urdf").nv == 2
    capsys.readouterr()
    # refused before the log is read
    log.unlink()
    assert main([*words, str(tmp_path / "found.xyz")]) == 2
    assert "end the name in .toml, .json, .urdf, .c" in capsys.readouterr().err
