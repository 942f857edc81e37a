"""The tables of the benchmarks: several processes as one, written between the marks of a page."""

import json
import subprocess
import sys

import pytest

from peers import ROOT


@pytest.fixture
def spread(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import spread

    return spread


def row(model, ratio, single=None, error=1e-15):
    name = "inverse dynamics"
    return {"model": model, "quantity": name, "ours": 10.0, "peer": 10 * ratio, "ratio": ratio,
            "float32": single, "error": error}  # fmt: skip


def test_the_middle_of_three_processes_stands_between_the_least_and_the_largest(spread):
    runs = [[row("UR5", x, 2.0), row("chain", 5.0, None, x * 1e-14)] for x in (50.0, 53.0, 51.0)]
    rows = spread.combined(runs)
    assert (rows[0]["ratio"], rows[0]["least"], rows[0]["most"]) == (51.0, 50.0, 53.0)
    assert rows[1]["float32"] is None and rows[1]["error"] == 53.0 * 1e-14
    text = spread.table(rows, ["a machine", "load 1"], 3)
    assert "| 10 ns, **51.0** (50.0-53.0), 2.0 | 10 ns, **5.0** (5.0-5.0) |" in text


def test_a_table_replaces_the_one_between_the_marks(spread):
    page = f"before\n{spread.BEGIN}\nold\n{spread.END}\nafter\n"
    once = spread.placed(page, "new")
    assert once == f"before\n{spread.BEGIN}\n\nnew\n\n{spread.END}\nafter\n"
    assert spread.placed(once, "new") == once
    with pytest.raises(SystemExit, match="no marks"):
        spread.placed("nothing here", "new")
    spread.placed(spread.PAGE.read_text(encoding="utf-8"), "new")  # the page has them


def test_a_run_that_was_broken_off_goes_on_where_it_stopped(spread, monkeypatch, tmp_path):
    asked = []

    def measure(model, file, quick, each):
        asked.append((file.name[0], model, each))
        if len(asked) == 4:
            raise KeyboardInterrupt
        file.write_text(json.dumps({"rows": [row(model, 50.0 + len(asked))]}))

    monkeypatch.setattr(spread, "measure", measure)
    monkeypatch.setattr(spread, "PIECES", tmp_path / "pieces")
    monkeypatch.setattr(spread, "written", lambda rows: tmp_path / f"{len(rows)}.json")
    with pytest.raises(KeyboardInterrupt):
        [*spread.lines(["here"], 3, "UR5,Panda", True, "still")]
    *_, last = spread.lines(["here"], 3, "UR5,Panda", True, "still")
    assert asked[3] == asked[4] == ("1", "Panda", "still") and len(asked) == 7
    assert "**53.0** (51.0-56.0)" in last and "2.json" in last
    assert not [*tmp_path.rglob("*.json")]  # the next run measures anew


def test_an_unknown_part_is_refused():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "nothing"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 2 and "spread" in run.stderr
