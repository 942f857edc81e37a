"""An error of a study or a cycle points at the line and the key that are wrong."""

import pytest

import dalembert as da
from dalembert.sweep.catalogue import catalogue
from dalembert.sweep.study import read_study

ARM = """format = "dalembert/1"
parameters = { L1 = 0.5 }
phrase = "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(0.4); body 1: M = 1; body 2: M = 1;"
"""
STUDY = """# moves of the arm
model = "arm.toml"
measure = ["peak"]

[parameters]
L1 = [0.3, 0.8]

[task]
samples = 50
joint_moves = [
  { from = [0, 0], to = [1, 0.5], time = 0.8 },  # out, [and
  { to = [0, 0], time = 0.7 },
]

[plan]
kind = "lhs"
samples = 100
"""
TABLES = STUDY.replace("""joint_moves = [
  { from = [0, 0], to = [1, 0.5], time = 0.8 },  # out, [and
  { to = [0, 0], time = 0.7 },
]
""", """
[[task.joint_moves]]
to = [1, 0.5]
time = 0.8

[[task.joint_moves]]
to = [0, 0]
time = 0.7
""")  # fmt: skip


def place_of(tmp_path, text, old, new):
    """Return the error of a study with one change, and the line that the error shows."""
    (tmp_path / "arm.toml").write_text(ARM)
    file = tmp_path / "study.toml"
    file.write_text(text)
    read_study(file)  # it is right before the change
    assert text.count(old) == 1
    text = text.replace(old, new)
    file.write_text(text)
    with pytest.raises(da.DalembertError) as e:
        read_study(file)
    where = e.value.where
    assert where.source == str(file)
    assert where.text == text.splitlines()[where.line - 1]
    return where


@pytest.mark.parametrize(
    ("old", "new", "line", "shown"),
    [
        ("samples = 50", "samples = -3", 9, "samples = -3"),
        ("samples = 100", "samples = -3", 17, "samples = -3"),
        ("to = [1, 0.5]", "to = [1, 0.5, 2]", 11, "to = [1, 0.5, 2]"),
        ("to = [0, 0], time", "to = [0], time", 12, "to = [0], time"),
        ("to = [0, 0], time", "to = [0, 9], time", 12, "to = [0, 9]"),
        ("to = [0, 0], time", 'to = [0, "9dig"], time', 12, 'dig"], time'),
        ("from = [0, 0]", 'from = "home"', 11, 'home"'),
        ("time = 0.7", "time = -1", 12, "time = -1"),
        ("time = 0.7", "tume = 0.7", 12, "tume"),
        ("L1 = [0.3, 0.8]", "L1 = [0.8, 0.3]", 6, "L1 = "),
        ('kind = "lhs"', 'kind = "lsh"', 16, 'lsh"'),
        ('measure = ["peak"]', 'measure = [3]', 3, "measure = "),
    ],
)  # fmt: skip
def test_an_error_of_a_study_points_at_its_key(tmp_path, old, new, line, shown):
    where = place_of(tmp_path, STUDY, old, new)
    assert where.line == line
    assert where.text[where.column - 1 :].startswith(shown)


def test_moves_in_tables_of_their_own_are_found_too(tmp_path):
    where = place_of(tmp_path, TABLES, "to = [0, 0]", "to = [0]")
    assert (where.line, where.column, where.text) == (16, 1, "to = [0]")


def test_an_error_of_a_cycle_points_at_its_move(tmp_path):
    file = tmp_path / "cycle.toml"
    text = "# out and back\nmoves = [\n  { to = [1, 0.5], time = 0.8 },\n  { to = [0, 0, 0] },\n]\n"
    file.write_text(text)
    motor = {"name": "A", "inertia": 5e-4, "continuous": 0.3, "peak": 1.0, "speed": 400.0}
    motors, gears = catalogue([motor], [{"name": "i63", "ratio": 63, "efficiency": 0.85}])
    with pytest.raises(da.UsageError) as e:
        da.size(da.load(ARM), str(file), motors, gears)
    assert (e.value.where.line, e.value.where.text) == (4, "  { to = [0, 0, 0] },")
