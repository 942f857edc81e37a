"""A scripted conversation: from nothing to the equations of the 1980 report."""

import io
import json
import sys

import pytest

import dalembert as da
from dalembert import robots
from dalembert.cli import main
from dalembert.cli.talk import Conversation

PHRASE = "RZ(A1,B1),TXK(L1);"
SESSION = """\
RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RQ(T3MIN,T3MAX);
RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),
RX(T4MIN,T4MAX),TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6); gravity = (0, G, 0);
tables
mass
M1; 0,D1,0; IX1,0,IZ1


0


derive report Q,A
freeze 4=0.3,5,6
derive A
undo
neglect velocity
drop A12:1
derive A
undo
save {path}
nonsense
quit
"""


def converse(monkeypatch, capsys, text, code=0, *options):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["talk", *options]) == code
    return capsys.readouterr()


def test_a_script_reproduces_the_report_from_nothing(monkeypatch, capsys, tmp_path):
    path = tmp_path / "robot.toml"
    out, err = converse(monkeypatch, capsys, SESSION.replace("{path}", str(path)), 2)
    assert "error" not in out
    assert "^" in err and err.splitlines()[-1] == "error: unknown word 'nonsense'"
    assert "NUMBER OF DEGREES OF FREEDOM 6" in out
    assert "Q(3) = +G*(-C23*VZ3)+Q(4)" in out
    assert "3 degrees of freedom are left" in out
    assert "dropped: A12: 1 of 6 terms" in out
    ours = da.equations(da.load(path))
    truth = da.equations(robots.report6r())
    for kind in "QA":
        for a, b in zip(getattr(ours, kind), getattr(truth, kind), strict=True):
            assert str(a) == str(b)


def test_values_are_asked_and_terms_ranked(monkeypatch, capsys):
    text = "RZ(),TXK(L1); gravity = (0, G, 0);\nset L1=0.4\nterms 3\n2\n0.5\n0.1\n0.2\n1\n1\nquit\n"
    out, err = converse(monkeypatch, capsys, text)
    assert "%" in out and not err


def test_each_line_is_answered_by_a_line_of_json(monkeypatch, capsys):
    text = "RZ(),TXK(L1),\nRZ();\nmass\nM1\n\nfreeze 2=1+\n\nfreeze 2=pi/2\nquit\n"
    out, err = converse(monkeypatch, capsys, text, 2, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    said = ["RZ(),TXK(L1),\nRZ();", "mass\nM1\n", "freeze 2=1+", "freeze 2=pi/2"]
    assert [row["said"] for row in rows] == said
    assert rows[0]["answer"] == "3 frame changes, 2 degrees of freedom"
    assert rows[3] == {"said": said[3], "answer": "1 degree of freedom is left", "error": None}
    assert rows[2]["error"].startswith("freeze:1:5: the expression ends too early")
    assert err.splitlines()[-1] == "error: freeze:1:5: the expression ends too early"


def test_a_model_is_needed_first(monkeypatch, capsys):
    out, err = converse(monkeypatch, capsys, "derive\nundo\n", 2)
    assert not out and "there is no model yet" in err
    assert err.splitlines()[-1] == "error: there is nothing to take back"


@pytest.mark.parametrize("answer", ["1; 2,3", "a b", "1;2,3,4;5"])
def test_bad_mass_data_are_explained(capsys, answer):
    talk = Conversation(io.StringIO(f"{answer}\n"), False)
    assert talk.answer("RZ(),TXK(L1);") == 0
    assert talk.answer("mass") == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: ")


def test_a_mistake_in_mass_data_is_asked_again_and_loses_nothing(monkeypatch, capsys, tmp_path):
    path = tmp_path / "arm.toml"
    text = (
        "RZ(),TXK(L1),RZ(),TXK(L2);\nmass\n2.5; 0.2,0,0\n"
        "3; 0.1,0\n3; 0.1,0,0; 0,0.1,0.1\n"  # the second body, with two numbers first
        f"save {path}\nquit\n"
    )
    _, err = converse(monkeypatch, capsys, text, 2)
    assert "cannot read '3; 0.1,0'" in err
    m = da.load(path)
    assert [float(b.inertia.mass) for b in m.bodies] == [2.5, 3]


def test_a_mistake_in_a_value_is_asked_again_and_values_are_asked_once(monkeypatch, capsys):
    text = (
        "RZ(),TXK(L1); gravity = (0, G, 0);\nset L1=0.4\nterms 3\n2\n0.5x\n0.5\n0.1\n0.2\n1\n1\n"
        "terms 3\nterms 2 new\n2\n0.5\n0.1\n0.2\n1\n1\nquit\n"
    )
    out, err = converse(monkeypatch, capsys, text, 2)
    assert err.count("error:") == 1
    lines = [line for line in out.splitlines() if "%" in line]
    assert lines[: len(lines) // 2] and "unknown word" not in err


def test_save_keeps_what_is_left_out(monkeypatch, capsys, tmp_path):
    path = tmp_path / "arm.toml"
    text = f"RZ(),TXK(1),RZ(),TXK(1);\nsave {path}\nneglect velocity\ndrop A12:1\nsave {path}\n"
    out, _ = converse(monkeypatch, capsys, text)
    assert out.count("saved") == 2
    assert out.count("the file keeps what is left out: neglect, drop") == 1
    assert da.load(path).simplified == {"neglect": ["velocity"], "drop": ["A12:1"]}


def test_a_sentence_is_mended_by_its_elements():
    from dalembert.cli.sentence import mended

    phrase = "RZ(A,B),TXK(L)[RX,TYK(1)],RY; body 1: M = 1; body 2: M = 2; body 3: M = 3;"
    assert mended(phrase, "replace", "2 TXK(0.5)").startswith("RZ(A,B),TXK(0.5)[RX,")
    found = mended(phrase, "insert", "1 RZ")
    bodies = "; body 2: M = 1; body 3: M = 2; body 4: M = 3;"
    assert found == "RZ,RZ(A,B),TXK(L)[RX,TYK(1)],RY" + bodies
    found = mended(phrase, "delete", "3-4")
    assert found == "RZ(A,B),TXK(L),RY; body 1: M = 1; body 2: M = 3;"
    assert mended(phrase, "branch", "5 RX").split(";")[0] == "RZ(A,B),TXK(L)[RX,TYK(1)],RY[RX]"
    assert mended("RZ,TXK(1);", "insert", "3 RX").startswith("RZ,TXK(1),RX;")
    for wrong in ("0 RX", "9 RX", "x RX", "2", "1-2 RX"):
        with pytest.raises(da.UsageError):
            mended(phrase, "replace", wrong)
    # what comes of it reads
    for word, text in (("delete", "2"), ("delete", "5"), ("insert", "5 TZ"), ("replace", "1 TX")):
        da.load(mended(phrase, word, text))


def test_a_conversation_mends_prunes_and_uses_other_commands(monkeypatch, capsys, tmp_path):
    words = f"""\
RZ(),TXK(0.4),RZ(),TXK(L2); gravity = (0, -9.81, 0); body 1: M=3, D=(0.2,0,0), I=(0,0.1,0.1);
delete 99
insert 4 TYK(0.1)
undo
replace 4 TXK(0.3)
help tables
prune 10%
2
wrong
5
show
torques --to 1,0.5 --time 1
export inverse_dynamics --to python --out {tmp_path}
save {tmp_path}/arm.toml
load {tmp_path}/arm.toml
show
quit
"""
    monkeypatch.setattr("sys.stdin", io.StringIO(words))
    assert main(["talk"]) == 2  # two slips, nothing lost
    out = capsys.readouterr().out
    assert "  4  TXK(0.3)" in out and "TABLE MRR" in out and "error at most" in out
    assert "peak power" in out and (tmp_path / "mechanism.py").exists()
    assert out.count("prune: tolerance = 10%") == 2


def test_ctrl_c_gives_up_a_line_and_loses_nothing(monkeypatch, capsys):
    said = iter([PHRASE, KeyboardInterrupt, "neglect gravity", "mass", KeyboardInterrupt, "mass",
                 "quit", "show", "quit"])  # fmt: skip

    def typed(prompt):
        line = next(said)
        if line is KeyboardInterrupt:
            raise line
        return line

    monkeypatch.setattr("builtins.input", typed)
    assert Conversation(sys.stdin, interactive=True).run(None, {}) == 2
    out, err = capsys.readouterr()
    assert "interrupted: nothing has changed" in err and "left without an answer" in err
    assert out.endswith("  2  TXK(L1)\nneglect: gravity\n")  # the sentence as it was typed


def test_a_change_of_the_model_keeps_what_is_left_out(monkeypatch, capsys, tmp_path):
    path = tmp_path / "arm.toml"
    text = f"""RZ(),TXK(L1),RZ(),TXK(L2),RY(),TXK(1);
neglect velocity
set L1=0.4
replace 6 TXK(2)
drop A11:1
set L2=0.3
neglect gravity
save {path}
"""
    out, _ = converse(monkeypatch, capsys, text)
    assert "the model is another one: drop taken back" in out
    assert da.load(path).simplified == {"neglect": ["velocity", "gravity"]}


def test_what_a_file_leaves_out_stays_when_more_is(monkeypatch, capsys, tmp_path):
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    phrase = "RZ(),TXK(0.4),RZ(),TXK(0.3),RY(),TXK(0.2);"
    told = {"freeze": {"j3": "0.2"}, "neglect": ["coriolis"]}
    da.load({"phrase": phrase, "simplified": told}).save(first)
    text = f"load {first}\nneglect gravity\nshow\nsave {second}\ndelete 5-6\nshow\n"
    out, _ = converse(monkeypatch, capsys, text)
    kept = da.load(second).simplified
    assert kept["neglect"] == ["coriolis", "gravity"] and list(kept["freeze"]) == ["j3"]
    assert out.count("freeze: j3 = 0.2\nneglect: coriolis, gravity") == 1
    assert "freeze taken back" in out  # the joint is gone


def test_speeds_and_efforts_stand_in_a_phrase():
    m = da.load(
        "RZ(-1,1),TXK(1),elbow: TX; joint 1: speed = 2, effort = 50; joint elbow: speed = v;"
    )
    assert m.bodies[0].velocity_limit == 2 and m.bodies[0].effort_limit == 50
    from dalembert.read import write

    again = da.load(write(m, "phrase")[0])
    assert again.bodies[0].effort_limit == 50 and str(again.bodies[1].velocity_limit) == "v"
    with pytest.raises(da.DalembertError, match="sped"):
        da.load("RZ; joint 1: sped = 2;")


def test_the_listing_s_sentence_is_told_what_to_write():
    with pytest.raises(da.DalembertError) as error:
        da.load("RY(01MIN,01MAX),TYK(L1);")
    assert "write T1MIN for 01MIN" in str(error.value)


def test_a_plane_arm_under_gravity_along_its_axes_gets_a_note():
    flat, upright = (da.load("RZ,TXK(1),RZ,TXK(1);" + more) for more in ("", "gravity=(0,G,0);"))
    assert "along every axis" in "".join(flat.notes)
    assert "along every axis" not in "".join(upright.notes)
    assert not any("along every axis" in n for n in da.load("RZ,TXK(1),RX,TXK(1);").notes)


def test_show_keeps_the_brackets_of_branches():
    from dalembert.cli.sentence import numbered

    shown = numbered("RZ(),TXK(A)[RX(),TYK(B)[RY()]][TZ(0,1)],RX(); body 1: M=1;")
    assert shown.splitlines() == [
        "  1  RZ()",
        "  2  TXK(A)",
        "  3    [RX()",
        "  4    TYK(B)",
        "  5      [RY()]]",
        "  6    [TZ(0,1)]",
        "  7  RX()",
        "body 1: M=1;",
    ]
    assert numbered("[RX()][RY()];").splitlines() == ["  1    [RX()]", "  2    [RY()]"]


def test_gravity_may_be_said_as_a_phrase_says_it(monkeypatch, capsys):
    text = (
        "RZ(),TXK(1); body 1: M = 2, D = (0.5, 0, 0);\ngravity = (0, G, 0);\neval gravity\nquit\n"
    )
    out, err = converse(monkeypatch, capsys, text)
    assert "1 degree of freedom" in out and "9.81  N m" in out and not err


def test_another_command_fails_in_the_words_of_the_conversation(monkeypatch, capsys):
    said = converse(monkeypatch, capsys, "RZ(),TXK(L1);\nsimulate --time 1\nquit\n", 2)
    hint, error = said.err.splitlines()
    assert hint.startswith("  hint: write set ") and error.startswith("error: simulate: no value")


def test_equations_are_said_in_latex_and_formalisms_agree(monkeypatch, capsys):
    out = converse(monkeypatch, capsys, "RZ(),TXK(L1);\nderive latex A\nagree\nquit\n").out
    assert "A_{11} = J_{Z1}" in out and "formalisms and the kernel agree to" in out
