"""The doctor tells what works here, and says so when something does not."""

import json

import pytest

import dalembert.compute
from dalembert.cli import doctor, main


@pytest.fixture(autouse=True)
def no_tools(monkeypatch):
    """Programs of the machine play no part, except one that is not there."""
    monkeypatch.setattr(doctor, "TOOLS", {"no-such-program": "nothing"})


def test_a_healthy_machine_gives_exit_code_0(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "compiler      works" in out
    assert "no-such-program  nothing  not found" in out


def test_json_holds_versions_cache_extras_and_tools(capsys):
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["core"]["numpy"] and found["jit"]["ok"]
    assert set(found["extras"]) == set(doctor.EXTRAS)
    assert "scipy" in found["extras"]["sim"]["packages"]
    assert found["tools"]["no-such-program"]["path"] is None


def test_a_compiler_that_fails_gives_exit_code_1_and_the_reason(capsys, monkeypatch):
    def broken(*_):
        raise OSError("no LLVM here")

    monkeypatch.setattr(dalembert.compute, "compile", broken)
    assert main(["doctor"]) == 1
    assert "FAILS" in (out := capsys.readouterr().out) and "no LLVM here" in out


def test_the_compiler_is_tried_without_the_cache_and_the_setting_comes_back(monkeypatch, tmp_path):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    assert doctor.jit()["ok"]
    assert not list(tmp_path.iterdir())
    assert doctor.cache() == {"path": str(tmp_path), "writable": True, "kernels": 0, "bytes": 0}


def test_a_missing_package_is_named_with_its_pip_line(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "requirements", lambda: (["numpy"], {"sim": ["no_such_package"]}))
    assert main(["doctor"]) == 0
    assert "missing: pip install no_such_package" in capsys.readouterr().out
