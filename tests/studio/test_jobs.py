"""What the studio computes, and that a page reaches no file and no code."""

import io
import json
import os
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.read import write
from dalembert.studio.jobs import JOBS, run
from dalembert.studio.worker import Said

ARM = (
    "RZ(-1,1),TXK(0.4),RY(),TXK(0.3); body 1: M = 2, D = (0.2,0,0), I = (0.001,0.03,0.03);"
    " body 2: M = 1, D = (0.15,0,0), I = (0.001,0.01,0.01);"
)


def test_every_job_answers_in_plain_data():
    given = {
        "text": ARM, "language": "c", "quantity": "inverse_dynamics", "seconds": 0.2,
        "start": [0, 0], "end": [0.5, 0.5], "q": [0.1, 0.2], "kinds": ["Q", "A", "B", "C"],
    }  # fmt: skip
    for name in JOBS:
        answer = run(name, given)
        assert "error" not in answer, (name, answer)
        json.dumps(answer, allow_nan=False)


def test_long_jobs_say_how_far_they_are():
    for name, more in (("simulate", {"seconds": 2}), ("reduce", {"tolerance": 0.05})):
        parts = []
        assert "error" not in run(name, {"text": ARM, "q": [0.1, 0.2], **more}, parts.append)
        assert parts and all(0 <= x <= 1 for x in parts)


def test_a_worker_says_how_far_it_is_before_it_answers():
    out = io.StringIO()
    said = Said(out)
    for k in range(1000):
        said.part(k / 1000)
    said.line({"answer": {}})
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert lines[0] == {"part": 0.0} and lines[-1] == {"answer": {}} and len(lines) < 50


def test_equations_are_those_of_the_package():
    rows = {r["name"]: r for g in run("equations", {"text": da.robots.REPORT})["groups"]
            for r in g["rows"]}  # fmt: skip
    eq = da.equations(da.robots.report6r())
    assert rows["A12"]["latex"] == eq.A[1, 2].latex() and rows["A12"]["terms"] == len(eq.A[1, 2])
    assert rows["Q(5)"]["joints"] == [4]


@pytest.mark.parametrize("name", ["fourbar", "delta", "truck", "differential_drive"])
def test_machines_that_are_no_trees_show_their_steps(name):
    from dalembert.read import write

    text = write(getattr(da.robots, name)(), "toml")[0]
    groups, m = run("equations", {"text": text})["groups"], da.load(text)
    assert len(groups) >= 5 and all(g["rows"] for g in groups)
    whole = (da.equations(m) if m.loops else da.kane_form(m)).latex()
    for row in groups[0]["rows"]:  # long formulas are broken into lines there
        assert row["latex"].partition(" = ")[2][:12] in whole


def test_a_mistake_is_told_with_its_place():
    error = run("describe", {"text": "RZ(-1,1),TXK(0.4),RQ();"})["error"]
    assert error["line"] == 1 and error["column"] == 20 and "X, Y or Z" in error["hint"]


def test_sliders_give_values():
    text = "RZ(),TXK(L1); body 1: M = 2, D = (L1, 0, 0);"
    far = run("describe", {"text": text, "values": {"L1": 3.0, "nonsense": 1}})["scene"]
    assert far["bodies"][0]["points"][1] == [3.0, 0.0, 0.0]
    told = run("describe", {"text": text, "values": {"L1": 3.0}})["parameters"]
    assert [p["key"] for p in told] == ["L1", "G"]  # a slider stays when it has moved
    assert "no value" in run("simulate", {"text": text})["error"]["message"]


@pytest.mark.parametrize("text", [
    "/etc/passwd", "../../etc/passwd", "file:///etc/passwd", "~/.ssh/id_rsa", "model.toml",
    "<mujoco><include file='/etc/passwd'/></mujoco>", "C:\\windows\\win.ini", "\\\\host\\share",
    "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'/>",
    "format = \"dalembert/1\"\nphrase = \"/etc/passwd\"",
])  # fmt: skip
def test_a_description_never_opens_a_file(text, tmp_path, monkeypatch):
    (tmp_path / "model.toml").write_text('format = "dalembert/1"\nphrase = "RZ();"\n')
    monkeypatch.chdir(tmp_path)
    run("describe", {"text": "RZ();"})  # everything is imported
    opened = []
    watching = [True]

    def hook(event, arguments):
        if watching[0] and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(hook)
    answer = run("describe", {"text": text})
    watching[0] = False
    assert "error" in answer
    assert not [p for p in opened if "passwd" in p or p.endswith((".toml", ".ini", "id_rsa"))]
    assert os.getcwd() == str(tmp_path)


@pytest.mark.parametrize("given", [
    {}, {"text": 5}, {"text": "RZ();" * 300_000}, {"text": ARM, "values": {"G": "x"}},
    {"text": ARM, "values": 3}, {"text": ARM, "q": "abc"}, {"text": ARM, "q": [1] * 99},
    {"text": "RZ()," * 5000 + "RZ();"}, {"text": "9**9**9"}, {"text": "(" * 100_000},
])  # fmt: skip
def test_odd_questions_have_an_answer(given):
    assert "error" in run("describe", given)


def test_struck_terms_have_a_proven_error():
    listed = run("terms", {"text": ARM})["rows"]
    least = [t["name"] for t in listed[-2:]]
    found = run("reduce", {"text": ARM, "strike": least})
    assert found["after"]["terms"] < found["before"]["terms"]
    bound = [row["error"] for row in found["joints"]]
    eq = da.equations(da.load(ARM))
    short, rng = eq.drop(least), np.random.default_rng(0)
    whole, less = (da.compile(x, "inverse_dynamics") for x in (eq, short))
    q, qd, qdd = (rng.uniform(-x, x, (4000, 2)) for x in (np.pi, 1.5, 4))
    worst = np.abs(whole(q, qd, qdd) - less(q, qd, qdd)).max(axis=0)
    assert (worst <= np.array(bound) + 1e-12).all() and max(worst) > 0


@pytest.mark.parametrize("strike", ["A12:1", [5], ["A12:1; import os"], ["Z1:1"], ["A99:1"],
                                    ["A12:99999"], ["x" * 5000], [None] * 3000])  # fmt: skip
def test_odd_terms_are_refused(strike):
    assert "error" in run("reduce", {"text": ARM, "strike": strike})


def test_a_notebook_begins_where_the_page_ended():
    nbformat = pytest.importorskip("nbformat")
    odd = "name = 'a \" \\ {0} 0x'\n"
    from dalembert.read import write

    text = write(da.load(ARM), "toml")[0].replace('name = "mechanism"\n', odd)
    kept = run("save", {"text": text, "kind": "ipynb", "strike": ["A11:1"], "tolerance": 0.01})
    assert "error" not in kept, kept
    book = nbformat.reads(kept["text"], as_version=4)
    nbformat.validate(book)
    place = {}
    for cell in book.cells:
        if cell.cell_type == "code" and "show" not in cell.source:
            exec(compile(cell.source, "cell", "exec"), place)
    assert place["m"].nv == 2 and place["small"].gone >= 0


def test_the_code_of_a_smaller_model_says_what_is_left_out():
    given = {"text": ARM, "language": "c", "quantity": "inverse_dynamics", "tolerance": 0.05}
    said = "".join(run("code", given)["files"].values())
    assert "pruned" in said and "error at most" in said


def test_sample_values_are_those_of_rods():
    told = run("describe", {"text": "RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);"})
    values = {p["key"]: p["sample"] for p in told["parameters"]}
    assert values["L1"] == 0.4 and values["M1"] == 2 and values["D1"] == 0.2
    assert values["IZ1"] == pytest.approx(2 * 0.4**2 / 12, abs=1e-4) and values["G"] is None


@pytest.mark.parametrize("name", ["puma560", "panda", "scara"])
def test_a_table_gives_the_same_forces(name):
    m = getattr(da.robots, name)()
    q = np.linspace(0.1, 0.9, m.nq)
    again = da.load(run("table", {"text": write(m, "toml")[0]})["text"])
    want = da.inverse_dynamics(m, q, q, q)
    assert np.abs(da.inverse_dynamics(again, q, q, q) - want).max() < 1e-12 * np.abs(want).max()


@pytest.mark.parametrize("name", ["fourbar", "eel"])
def test_forces_of_loops_and_floating_machines_are_given(name):
    text = write(getattr(da.robots, name)(), "toml")[0]
    told = run("torques", {"text": text, "seconds": 1})
    assert "error" not in told and len(told["motion"]["t"]) == 201


def test_a_joint_that_moves_no_mass_is_named():
    rod = "M = 1, D = (0, 0, 0.1), I = (0.1, 0.1, 0);"
    text = f"RZ(),TZK(0.3),RY(),TZK(0.4); body 1: {rod} body 2: {rod}"
    for job in ("simulate", "frequencies"):
        assert "joint 'j1' moves no mass" in run(job, {"text": text})["error"]["message"]
