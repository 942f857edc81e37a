"""The examples of docs/simulation.md run as they stand, and say what they say."""

import re

import numpy as np
import pytest

from peers import ROOT

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "simulation.md").read_text(), re.S)


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, "docs/simulation.md", "exec"), names)
    assert "no limit is passed" in capsys.readouterr().out
    assert {"pd.png", "pd.csv", "pd.npz", "torques.png"} <= {f.name for f in tmp_path.iterdir()}
    da, bar, rest = names["da"], names["bar"], names["rest"]
    assert np.abs(da.linearize(bar, rest).rate).max() < 1e-8
    assert not da.linearize(da.robots.truck(1), None, [-2.0]).stable
    assert names["r"].residual.max() < 1e-12
