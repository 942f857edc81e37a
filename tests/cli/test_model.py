"""MODEL and its options reach the reader and the mechanism as they were written."""

import json
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import dalembert as da
import dalembert.read.expressions
from dalembert.cli import main
from dalembert.cli.model import print_json
from dalembert.robots.named import ready_made


@dataclass(frozen=True)
class Stand:
    """A stand-in for a mechanism, which remembers what it was made from."""

    source: object
    values: tuple = ()
    gravity: tuple = ()
    name: str = "stand"
    nq: int = 1
    nv: int = 1
    joint_names: tuple = ("j1",)
    frames: tuple = ("j1", "tip")
    parameters: tuple = (SimpleNamespace(name="L1", value=None),)
    total_mass: Fraction = Fraction(5, 2)
    notes: tuple = ("kept",)
    inertia: str = "simple"
    loops: tuple = ()
    couplings: tuple = ()
    prescribed: tuple = ()
    wheels: tuple = ()
    rolling: tuple = ()
    velocity_constraints: tuple = ()
    prescribed: tuple = ()

    def bound(self):
        raise da.UsageError("L1 has no value")

    def with_values(self, values):
        return replace(self, values=tuple(values.items()))

    def with_gravity(self, gravity):
        return replace(self, gravity=gravity)

    def report(self):
        return ["body j1 has no mass"]

    def __str__(self):
        return f"{self.source!r} {self.values} {self.gravity}"


@pytest.fixture(autouse=True)
def stand_in_modules(monkeypatch):
    home = import_module("dalembert.robots").__path__
    read, tables, robots = (ModuleType(f"dalembert.{n}") for n in ("read", "tables", "robots"))

    def puma():
        return Stand("puma")

    def eel(n=12):
        return Stand(f"eel {n}")

    def load(source, **options):
        robot = isinstance(source, str) and source.startswith("robot:")
        return ready_made(source.removeprefix("robot:")) if robot else Stand(source, **options)

    puma.__module__ = eel.__module__ = "dalembert.robots"
    read.load, read.write = load, lambda m, language: (f"{language} text\n", ["a loop is lost"])
    tables.tables_text = lambda m, inertia: f"{m} {inertia}"
    tables.tables_data = lambda m: {"source": str(m.source)}
    robots.puma, robots.eel, robots.Path, robots.__path__ = puma, eel, Path, home
    for module in (read, tables, robots):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    # names that were bound before, or are bound to a stand-in here, do not reach other tests
    bound = {n: vars(da)[n] for n in da.EXPORTS if n in vars(da)}
    _rebind({})
    yield
    _rebind(bound)


def _rebind(names):
    for name in da.EXPORTS:
        vars(da).pop(name, None)
    vars(da).update(names)


def run(capsys, *arguments):
    assert main(arguments) == 0
    return capsys.readouterr()


def test_a_phrase_stays_text_and_a_file_becomes_a_path(capsys, tmp_path):
    assert run(capsys, "tables", "RZ(A,B);").out == "'RZ(A,B);' () () simple\n"
    file = tmp_path / "arm.toml"
    file.touch()
    assert run(capsys, "tables", str(file)).out == f"{file!r} () () simple\n"


def test_options_reach_the_mechanism(capsys):
    out = run(capsys, "tables", "RZ();", "--set", "L1=0.1", "--set", "M1 = -G").out
    assert out == "'RZ();' (('L1', Fraction(1, 10)), ('M1', '-G')) () simple\n"
    out = run(capsys, "tables", "RZ();", "--gravity", "-1e0, G,0").out
    assert out == "'RZ();' () (Fraction(-1, 1), 'G', Fraction(0, 1)) simple\n"
    assert run(capsys, "tables", "RZ();", "--inertia", "full").out.endswith(" full\n")


@pytest.mark.parametrize(
    ("value", "kept"),
    [("1/3", Fraction(1, 3)), ("400mm", Fraction(2, 5)), ("2*L2", "2*L2"), (" 90deg", "90deg")],
)
def test_a_value_is_an_expression(value, kept, capsys):
    assert run(capsys, "tables", "RZ();", "--set", f"L1={value}").out.startswith(
        f"'RZ();' (('L1', {kept!r}),)"
    )


@pytest.mark.parametrize("value", ["", "1e9999", "nan()", "٣", "1" * 200, "0x10", "2*", "1mmm"])
def test_a_value_that_cannot_be_read_is_shown_with_its_place(value, capsys):
    assert main(["check", "RZ();", "--set", f"L1={value}"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("error: --set:1:") and lines[1].strip() == "^"


def test_values_may_name_other_values_in_any_order(capsys):
    for settings in (("L1=2*L2", "L2=0.3"), ("L2=0.3", "L1=2*L2")):
        options = [x for text in settings for x in ("--set", text)]
        assert "(('L2', Fraction(3, 10)),)" in run(capsys, "tables", "RZ();", *options).out
    assert main(["tables", "RZ();", "--set", "L1=L2", "--set", "L2=L1"]) == 2
    assert "each needs another: L1=L2, L2=L1" in capsys.readouterr().err


def test_a_ready_made_robot_may_have_a_size(capsys):
    assert run(capsys, "check", "robot:eel(7)").out.startswith("'eel 7'")
    for name in ("eel(", "eel)", "eel()", "eel(-1)", "eel(1.5)", "eel(7)x", "puma(3)", "dog(3)"):
        assert main(["check", f"robot:{name}"]) == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith("error: ")


def test_a_ready_made_robot_is_found_by_name_only_among_robots(capsys):
    assert run(capsys, "check", "robot:puma").out.startswith("'puma'")
    for name in ("Path", "__name__", ""):
        assert main(["check", f"robot:{name}"]) == 2
        assert "puma" in capsys.readouterr().err.splitlines()[-2]


def test_check_shows_notes_and_warnings(capsys):
    out = run(capsys, "check", "RZ();").out
    assert out.splitlines()[2:] == ["note: kept", "warning: body j1 has no mass"]


def test_convert_writes_text_to_stdout_and_notes_to_stderr(capsys):
    out, err = run(capsys, "convert", "RZ();", "--to", "urdf")
    assert (out, err) == ("urdf text\n", "note: a loop is lost\n")
    data = json.loads(run(capsys, "convert", "RZ();", "--to", "mdh", "--json").out)
    assert data == {"language": "mdh", "text": "mdh text\n", "notes": ["a loop is lost"]}


def test_json_holds_no_word_that_json_does_not_have(capsys):
    print_json({"a": [1.5, float("nan")], "b": np.array([np.inf, 0.1]), "c": Fraction(1, 4)})
    text = capsys.readouterr().out
    assert json.loads(text, parse_constant=pytest.fail) == {
        "a": [1.5, None],
        "b": [None, 0.1],
        "c": 0.25,
    }
