"""A scripted conversation: from nothing to the equations of the 1980 report."""

import io

import pytest

import dalembert as da
from dalembert import robots
from dalembert.cli import main
from dalembert.cli.talk import Conversation

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


def converse(monkeypatch, capsys, text):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["talk"]) == 0
    return capsys.readouterr().out


def test_a_script_reproduces_the_report_from_nothing(monkeypatch, capsys, tmp_path):
    path = tmp_path / "robot.toml"
    out = converse(monkeypatch, capsys, SESSION.replace("{path}", str(path)))
    assert "^" in out and "error" in out  # the caret under RQ
    assert "NUMBER OF DEGREES OF FREEDOM 6" in out
    assert "Q(3) = +G*(-C23*VZ3)+Q(4)" in out
    assert "3 degrees of freedom are left" in out
    assert "dropped: A12: 1 of 6 terms" in out
    assert "unknown word 'nonsense'" in out
    ours = da.equations(da.load(path))
    truth = da.equations(robots.report6r())
    for kind in "QA":
        for a, b in zip(getattr(ours, kind), getattr(truth, kind), strict=True):
            assert str(a) == str(b)


def test_values_are_asked_and_terms_ranked(monkeypatch, capsys):
    text = "RZ(),TXK(L1); gravity = (0, G, 0);\nset L1=0.4\nterms 3\n2\n0.5\n0.1\n0.2\n1\n1\nquit\n"
    out = converse(monkeypatch, capsys, text)
    assert "%" in out


def test_a_model_is_needed_first(monkeypatch, capsys):
    out = converse(monkeypatch, capsys, "derive\nundo\n")
    assert "there is no model yet" in out and "nothing to take back" in out


@pytest.mark.parametrize("answer", ["1; 2,3", "a b", "1;2,3,4;5"])
def test_bad_mass_data_are_explained(capsys, answer):
    talk = Conversation(io.StringIO(f"{answer}\n"), False)
    talk.answer("RZ(),TXK(L1);")
    talk.answer("mass")
    assert "error" in capsys.readouterr().out
