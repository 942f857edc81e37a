"""The text with which the studio begins is the user's own wherever the page can edit it."""

import json

import pytest

import dalembert as da
from dalembert.cli.model import read_model
from dalembert.studio.first import FIRST, first_text
from dalembert.studio.jobs import mechanism_of, save

NATIVE = '''# the arm of the lab
format = "dalembert/1"
name = "arm"
parameters = { L1 = 0.3, M1 = 2 }
phrase = """
RZ(-pi, pi), TXK(L1),  # shoulder
RZ(), TXK(0.2);
body 1: M = M1, D = (L1/2, 0, 0), I = (0, 0, L1^3/1.5);
"""
'''
URDF = """<robot name="pair"><!-- one hinge --><link name="base"/><link name="a"><inertial>
<mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="hinge" type="continuous"><parent link="base"/><child link="a"/></joint></robot>
"""
MJCF = """<mujoco><worldbody><body><joint name="a" axis="0 0 1"/>
<geom type="sphere" size="0.1" pos="0.3 0 0"/></body></worldbody></mujoco>"""


def shown(tmp_path, name, text, **changes):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return first_text(read_model(str(file), **changes), str(file))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("arm.toml", NATIVE),
        ("pair.urdf", URDF),
        ("arm.phrase", "# ours\nRZ(A1, B1), TXK(L1),\nRZ(A2, B2), TXK(L2);\n"),
        ("arm.json", json.dumps({"format": "dalembert/1", "phrase": "RZ(), TXK(L1^3/1.5);"})),
    ],
)
def test_a_file_that_the_page_reads_is_shown_as_it_is(tmp_path, name, text):
    assert shown(tmp_path, name, text) == text


def test_a_phrase_of_the_command_line_is_shown_as_it_is():
    phrase = "RZ(), TXK(L1^3/1.5), RY(), TXK(0.2);"
    assert first_text(read_model(phrase), phrase) == phrase


def test_options_are_not_lost_for_the_sake_of_the_text(tmp_path):
    text = shown(tmp_path, "arm.toml", NATIVE, gravity=[0, -3, 0])
    assert text.startswith("# The machine of arm.toml as TOML, changed as the options")
    assert [float(x) for x in mechanism_of({"text": text}).gravity] == [0, -3, 0]


def test_what_the_page_does_not_read_is_written_and_said_so(tmp_path):
    pytest.importorskip("mujoco")
    text = shown(tmp_path, "ball.xml", MJCF)
    assert text.startswith("# The studio does not edit files of this kind.\n# The machine of ball")
    assert mechanism_of({"text": text}).joint_names == ("a",)


def test_a_machine_without_a_text_is_written():
    assert first_text(None) == FIRST
    m = da.robots.fourbar()
    assert mechanism_of({"text": first_text(m, "robot:fourbar")}).joint_names == m.joint_names


def test_toml_is_saved_as_it_was_typed_and_with_the_sliders():
    assert save({"text": NATIVE, "values": {}})["text"] == NATIVE
    moved = save({"text": NATIVE, "values": {"M1": 5}})["text"]
    assert moved != NATIVE
    m = da.load(moved)
    assert m.floats == {"L1": 0.3, "M1": 5.0, "G": -9.81} and str(m.bodies[0].m) == "M1"
    assert float(m.bound().bodies[0].m) == 5
    assert "[[bodies]]" in save({"text": "RZ(), TXK(0.3);"})["text"]


def test_a_slider_that_moves_leaves_its_letter_in_what_is_saved():
    text = "a: RZ(), TXK(L1), b: RZ(), TXK(L2); gravity = (0, G, 0);"
    given = {"text": text, "values": {"L1": 0.45, "M2": 0.1}}
    m = da.load(save(given)["text"])
    assert m.floats == {"L1": 0.45, "M2": 0.1, "G": -9.81}
    assert set(m.open_parameters) == set(da.load(text).open_parameters) - {"L1", "M2"}
    back = m.with_values(L1=0.6)
    assert float(back.bodies[1].placement.p.x) == 0.6


def test_a_notebook_has_the_equations_of_the_page():
    given = {"text": NATIVE, "values": {"M1": 5}, "kind": "ipynb"}
    cells = [c["source"] for c in json.loads(save(given)["text"])["cells"]]
    place = {}
    exec(compile(cells[1], "cell", "exec"), place)  # our own text, as a notebook runs it
    shown_there = mechanism_of(given)
    assert da.equations(place["m"]).text() == da.equations(shown_there).text()
    assert "M1 = 5" in cells[1]
