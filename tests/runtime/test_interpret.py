"""Kernels run by NumPy, where no compiler is wanted."""

import warnings

from dalembert.cli import main


def test_outputs_of_size_zero_are_empty(monkeypatch, capsys):
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(["agree", "robot:fourbar", "--states", "3"]) == 0
    assert "8 formalisms and the kernel agree to" in capsys.readouterr().out
