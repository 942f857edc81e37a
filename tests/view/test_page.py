"""A view is one file: small, self-contained, safe against what names hold."""

import json
import re

import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.view import page
from view.browser import need_bundle

HOSTILE = "</script><script>alert(1)</script>&lt;!--\u2028 <img src=x onerror=alert(2)>"


@pytest.fixture(scope="module", autouse=True)
def bundle():
    need_bundle()


def data_of(text):
    return json.loads(re.search(r'<script id="scene"[^>]*>(.*?)</script>', text, re.S)[1])


def test_the_page_of_an_arm_is_one_file_below_a_megabyte_and_a_half(tmp_path):
    path = da.robots.panda().save_html(tmp_path / "panda.html")
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size < 1.5e6
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=(?![\"']data:)", text)


def test_names_are_text_wherever_they_stand():
    m = da.load({
        "format": "dalembert/1", "name": HOSTILE,
        "bodies": [{"name": HOSTILE, "parent": -1, "joint": {"type": "revolute", "axis": [0, 0, 1],
                    "name": HOSTILE}, "mass": 1, "com": [1, 0, 0]}],
    })  # fmt: skip
    text = page(m)
    assert "<script>alert" not in text and "<img src=x" not in text
    assert text.count("</script>") == 2
    assert data_of(text)["bodies"][0]["joint"].startswith("</script>")


def test_a_simulation_and_forces_have_a_page(tmp_path):
    m = da.robots.fourbar()
    r = da.simulate(m, da.assemble(m), t=1.0)
    data = data_of(r.save_html(tmp_path / "run.html").read_text(encoding="utf-8"))
    assert len(data["motion"]["t"]) == len(r.t)
    assert [p["title"] for p in data["motion"]["plots"]] == ["angles", "energy"]
    arm = da.robots.puma560()
    forces = da.torques_along(arm, da.trajectory.quintic([0.0] * 6, [0.5] * 6, 1.0))
    data = data_of(forces.save_html(tmp_path / "forces.html").read_text(encoding="utf-8"))
    assert [p["unit"] for p in data["motion"]["plots"]] == ["deg", "N m"]
    arrows = data["motion"]["forces"]
    assert arrows["joints"] == [0, 1, 2, 3, 4, 5]
    assert arrows["tau"][0] == pytest.approx(forces.tau[0], rel=1e-4, abs=1e-9)


def test_a_batch_is_refused_with_a_hint():
    m = da.load("RX(), TZK(-1); body 1: M = 1, D = (0, 0, -1);")
    r = da.simulate(m, [[0.1], [0.2]], t=[0.0, 0.1])
    with pytest.raises(da.UsageError, match="one motion"):
        r.show()


def test_show_without_a_browser_prints_the_path(monkeypatch, capsys):
    monkeypatch.setenv("DALEMBERT_BROWSER", "off")
    view = da.robots.planar2r().show()
    assert capsys.readouterr().out.strip() == str(view.path)
    assert view.path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert repr(view).startswith("<View of planar2r") and "<iframe" in view._repr_html_()
    view.path.unlink()


def test_the_command_writes_pages_and_schemes(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["view", "robot:puma560", "--q", "0,-1,0.5,0,0.4,0", "--out", "p.html"]) == 0
    assert capsys.readouterr().out == "wrote p.html\n"
    assert main(["view", "robot:fourbar", "--out", "f.svg", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == "f.svg"
    assert main(["view", "robot:puma560", "--out", "p.docx"]) == 2
    assert "error: --out p.docx" in capsys.readouterr().err


def test_a_motion_table_is_played(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("t,q.j1,q.j2\n0,0,0\n0.5,0.1,\n1,0.2,0.3\n")
    assert main(["view", "robot:planar2r", "--motion", "m.csv", "--out", "m.html"]) == 0
    motion = data_of((tmp_path / "m.html").read_text(encoding="utf-8"))["motion"]
    assert motion["t"] == [0, 1] and motion["q"][1][:2] == [0.2, 0.3]  # a gap is left out
    (tmp_path / "bad.csv").write_text("t,act\n0,1\n1,2\n")
    assert main(["view", "robot:planar2r", "--motion", "bad.csv"]) == 2
    assert "no column for 'j1'" in capsys.readouterr().err


def test_without_a_bundle_the_page_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("dalembert.view.document.program", lambda: None)
    text = page(da.robots.puma560())
    assert "Node.js" in text and "<svg" in text


def test_a_second_model_is_a_ghost(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["view", "robot:puma560", "--ghost", "robot:stanford", "--out", "two.html"]
    assert main(arguments) == 0
    ghost = data_of((tmp_path / "two.html").read_text(encoding="utf-8"))["ghost"]
    assert ghost["name"] == "stanford"
