"""Native files read exactly, say where they are wrong, and come back equal after writing."""

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import dalembert as da
from dalembert.algebra import Mat3, Turn, Vec3
from dalembert.expr import Expr, Graph
from dalembert.joint import Revolute
from dalembert.mechanism import Body, Mechanism
from dalembert.read import native_fields, native_keys
from dalembert.read.document import Document
from dalembert.read.native_writer import native_text, save
from random_descriptions import random_mechanism

ARM = {
    "format": "dalembert/1",
    "name": "arm",
    "bodies": [
        {"name": "a", "parent": -1, "joint": {"type": "revolute"}, "mass": 1.5, "com": [0.1, 0, 0]},
        {"name": "b", "parent": "a", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "mass": 2},
    ],
}


def arm(**changes):
    return {**ARM, **changes}


def body(**changes):
    return arm(bodies=[{**ARM["bodies"][0], **changes}, ARM["bodies"][1]])


def joint(**changes):
    return body(joint={"type": "revolute", **changes})


# -- round trips -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("language", ["toml", "json"])
def test_reading_undoes_writing(seed, language):
    m = random_mechanism(seed)
    text = native_text(m, language)
    assert da.load(text, mimic="couple") == m
    assert native_text(m, language) == text


@pytest.mark.slow
def test_reading_undoes_writing_of_many():
    for seed in range(60, 1500):
        m = random_mechanism(seed)
        assert da.load(native_text(m, "toml"), mimic="couple") == m, seed
        assert da.load(native_text(m, "json"), mimic="couple") == m, seed


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_saved_file_loads_equal(tmp_path, ending):
    m, file = random_mechanism(3), tmp_path / f"m.{ending}"
    m.save(file)
    assert da.load(file) == m == da.load(str(file))
    assert os.listdir(tmp_path) == [file.name]


def test_saving_fails_whole(tmp_path):
    m, file = da.load(ARM), tmp_path / "m.toml"
    file.write_text("kept")
    with pytest.raises(da.UsageError, match="cannot save"):
        save(m, tmp_path / "m.xyz")
    with pytest.raises(da.UsageError, match="cannot write"):
        save(m, tmp_path / "none" / "m.toml")
    bad = Mechanism((Body("\ud800", -1, joint=Revolute()),))
    with pytest.raises(da.UsageError, match="Unicode"):
        save(bad, file)
    assert file.read_text() == "kept" and os.listdir(tmp_path) == ["m.toml"]


def test_shared_parts_do_not_make_a_text_grow():
    graph = Graph()
    x = graph.param("L")
    for _ in range(200):
        x = (x + x.sin()) * x
    m = da.load(arm(symbols=["L"]))
    bodies = (Body("a", -1, joint=Revolute(), limits=((None, x),)),)
    big = Mechanism(bodies, parameters=m.parameters)
    text = native_text(big, "json")
    assert len(text) < 50_000 and da.load(text) == big


def test_ten_thousand_bodies_in_a_chain():
    rows = [
        {"name": f"b{k}", "parent": k - 1, "joint": {"type": "revolute"}, "mass": 1}
        for k in range(10_000)
    ]
    m = da.load({"bodies": rows})
    assert m.nv == 10_000 and da.load(native_text(m, "json")) == m
    backwards = [{**row, "parent": f"b{k - 1}" if k else -1} for k, row in enumerate(rows)][::-1]
    again = da.load({"bodies": backwards})
    assert again == m and any("order" in note for note in again.notes)


# -- exact numbers ---------------------------------------------------------------------------------


def test_decimals_are_exact_in_every_language():
    text = 'format = "dalembert/1"\n[[bodies]]\nparent = -1\nmass = 0.1\ncom = [1e-3, 0.30, -2.5]\n'
    for m in (
        da.load(text),
        da.load(json.dumps(tomllib.loads(text))),
        da.load(tomllib.loads(text)),
    ):
        inertia = m.bodies[0].inertia
        assert inertia.mass == Fraction(1, 10)
        assert inertia.lever == Vec3(Fraction(1, 1000), Fraction(3, 10), Fraction(-5, 2))


def test_any_number_may_be_an_expression():
    m = da.load(
        arm(
            symbols=["M1"],
            parameters={"L": 0.4, "open": None},
            gravity=[0, "-9.81*cos(30deg)", "L"],
            bodies=[
                {"name": "a", "parent": -1, "joint": {"type": "revolute"}, "mass": "2*M1 + open"}
            ],
        )
    )
    assert [(p.name, p.value) for p in m.parameters] == [
        ("M1", None),
        ("L", Fraction(2, 5)),
        ("open", None),
    ]
    assert set(m.bodies[0].m.names()) == {"M1", "open"}
    assert m.gravity.z.names() == ("L",)


def test_elementary_rotations_stay_factors():
    place = {"translation": [0.1, 0, 0], "rotation": [["x", "pi/2"], ["z", 0.3]]}
    R = da.load(joint(placement=place)).bodies[0].placement.R
    assert [f.axis for f in R.factors] == [0, 2]
    assert (R.factors[0].c, R.factors[0].s) == (0, 1)
    assert R.factors[1].angle == Fraction(3, 10) and isinstance(R.factors[1].c, Expr)


@pytest.mark.parametrize("k", range(-11, 13))
@pytest.mark.parametrize("axis", range(3))
def test_rounded_multiples_of_a_twelfth_of_pi_become_exact(axis, k):
    from math import cos, pi, sin

    c, s = cos(k * pi / 12), sin(k * pi / 12)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rows = [[float(a == b) for b in range(4)] for a in range(4)]
    rows[i][i] = rows[j][j] = c
    rows[j][i], rows[i][j] = s, -s
    R = da.load(joint(placement=rows)).bodies[0].placement.R
    if k == 0:
        assert R.factors == ()
    else:
        (factor,) = R.factors
        assert isinstance(factor, Turn)
        assert (factor.axis, factor.angle.over_pi % 2) == (axis, Fraction(k, 12) % 2)
    if k % 6:
        kept = da.load(joint(placement=rows), snap=0).bodies[0].placement.R
        assert isinstance(kept.factors[0], Mat3)


def test_all_rotations_of_a_cube_are_quarter_turns():
    from itertools import permutations, product

    count = 0
    for places in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            rows = [[signs[i] * (places[i] == k) for k in range(3)] for i in range(3)]
            a, b, c = (Vec3(*r) for r in rows)
            given = [[*r, 0] for r in rows] + [[0, 0, 0, 1]]
            if a.dot(b.cross(c)) < 0:
                with pytest.raises(da.DescriptionError, match="reflection"):
                    da.load(joint(placement=given))
                continue
            m = da.load(joint(placement=given))
            R = m.bodies[0].placement.R
            assert all(isinstance(f, Turn) for f in R.factors) and len(R.factors) <= 2
            assert R.matrix() == Mat3(*map(tuple, rows)) and not m.notes
            count += 1
    assert count == 24


def test_an_axis_is_made_a_unit_vector_exactly():
    def axis(*given):
        return da.load(joint(axis=list(given))).bodies[0].joint.axis

    assert axis(0, 0, 2) == Vec3(0, 0, 1) and axis(0, -1e300, 0) == Vec3(0, -1, 0)
    assert axis(3, 0, 4) == Vec3(Fraction(3, 5), 0, Fraction(4, 5))
    assert axis(0.6, 0, 0.8) == Vec3(Fraction(3, 5), 0, Fraction(4, 5))
    diagonal = axis(1, 1, 0)
    assert diagonal.x * diagonal.x == Fraction(1, 2) or isinstance(diagonal.x, Expr)
    for far in (1e-200, 1e200):
        unit = da.load(joint(axis=[far, far, far])).bound().bodies[0].joint.axis
        assert tuple(unit) == pytest.approx((3**-0.5,) * 3, rel=1e-15)


def test_a_drive_is_given_at_the_joint_or_at_the_motor():
    drives = [{"joint": "a", "Ia": 0.5, "gear": -50, "coulomb": 0.4}, {"joint": "b", "Jm": 0.1}]
    first, second = da.load(arm(drives=drives)).drives
    assert first.inertia * first.gear**2 == Fraction(1, 2)
    assert first.coulomb == (Fraction(2, 5), Fraction(-2, 5))
    assert (second.joint, second.inertia) == (1, Fraction(1, 10))


def test_a_base_may_move():
    m = da.load(arm(frames=[{"name": "f", "body": -1}]), base="free")
    assert m.joint_names == ("base", "a", "b") and m.nv == 8
    assert m.bodies[1].parent == 0 and m.named[0].body == 0
    assert da.load(ARM, base="planar").bodies[0].joint.kind == "planar"
    with pytest.raises(da.UsageError, match="base"):
        da.load(ARM, base="floating")


def test_a_phrase_inside_a_file_takes_its_parameters():
    text = 'format = "dalembert/1"\nphrase = "RZ(A1,B1),TXK(L1);"\n[parameters]\nL1 = 0.4\nM1 = 2\n'
    m = da.load(text)
    assert m.values["L1"] == Fraction(2, 5) and m.values["M1"] == 2
    assert "G" in m.values
    still = da.load(text.replace("phrase", "gravity = [0, 0, -1]\nphrase"))
    assert still.gravity == Vec3(0, 0, -1) and "G" not in still.values


def test_places_without_a_number_are_named():
    with pytest.raises(da.DescriptionError) as caught:
        da.load('{"bodies": [\n {"parent": -1, "mass": "2*"}]}')
    assert caught.value.where.line == 2 and "bodies[0].mass" in caught.value.message


# -- errors ----------------------------------------------------------------------------------------

WRONG = {
    "unknown key 'massa'": body(massa=1),
    "did you mean mass": body(massa=1),
    "bodies\\[0\\].joint: unknown key|axs": joint(axs=[0, 0, 1]),
    "unknown joint type 'revolut'": joint(type="revolut"),
    "did you mean revolute": joint(type="revolut"),
    "negative mass -1": body(mass=-1),
    "negative mass -0.5": body(mass="-1/2"),
    "2 entries, 3 needed": body(com=[0, 0]),
    "an inertia of 4 entries": body(inertia=[1, 2, 3, 4]),
    "not symmetric": body(inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
    "not finite|nan": body(mass=float("nan")),
    "not a finite|inf": body(mass=float("inf")),
    "duplicate body name 'b'": body(name="b"),
    "duplicate joint name 'b'": joint(name="b"),
    "not true or false": body(mass=True),
    "the axis is zero": joint(axis=[0, 0, 0]),
    "there is no body 'c'": body(parent="c"),
    "there is no body 7": body(parent=7),
    "a cycle": body(parent="b"),
    "no parent": arm(bodies=[{"name": "x"}]),
    "type is missing": joint(type=None) and body(joint={"axis": [0, 0, 1]}),
    "has no pitch": joint(pitch=1),
    "lower limit above upper": joint(limits=[1, 0]),
    "3 entries, 2 needed|pairs of limits": joint(limits=[1, 2, 3]),
    "the last row": joint(placement=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2]]),
    "not orthogonal": joint(placement=[[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    "unknown format": arm(format="dalembert/9"),
    "both a phrase and bodies": arm(phrase="RZ();"),
    "neither a phrase nor bodies": {"name": "x"},
    "unknown name 'L'": body(mass="2*L"),
    "duplicate symbol": arm(symbols=["a", "a"]),
    "a text is needed": body(name=3),
    "a name is empty": body(name=""),
    "10001 characters": body(name="x" * 10_001),
    "a table is needed": arm(bodies=[3]),
    "a list is needed": arm(bodies={"a": 1}),
    "joint 'c' does not exist": arm(drives=[{"joint": "c"}]),
    "joint is missing": arm(drives=[{"Ia": 1}]),
    "is given together with Ia": arm(drives=[{"joint": "a", "Ia": 1, "Jm": 1}]),
    "gear ratio of zero": arm(drives=[{"joint": "a", "Ia": 1, "gear": 0}]),
    "unknown loop joint": arm(
        loops=[{"body_i": 0, "point_i": [0, 0, 0], "body_j": 1, "point_j": [0, 0, 0], "joint": "x"}]
    ),
    "an equation has one =": arm(velocity_constraints=[{"name": "c", "equation": "xd"}]),
    "is not a joint": arm(active=["zz"]),
    "is given together with com": body(first_moment=[0, 0, 0]),
    "not an earlier node": body(mass={"nodes": [["add", 0, 1]]}),
    "not a node": body(mass={"nodes": [["os.system", 0]]}),
}


UNITS = {
    "bodies[0].com[1]: deg is a unit of angle": body(com=[0, "30deg", 0]),
    "bodies[0].mass: mm is a unit of length": body(mass="30mm"),
    "translation[0]: deg is a unit of angle": joint(placement={"translation": ["1deg", 0, 0]}),
    "rotation[0]: mm is a unit of length": joint(placement={"rotation": ["x", "30mm"]}),
    "limits[0][1]: mm is a unit of length": joint(limits=["-30deg", "30mm"]),
    "velocity_limit: m is a unit of length": joint(velocity_limit="3m"),
    "limits[0][0]: deg is a unit of angle": joint(type="prismatic", limits=["-30deg", 1]),
    "limits[1][0]: deg is a unit of angle": joint(type="floating", limits=[[0, 1], ["1deg", 2]]),
    "limits[3][1]: deg is a unit of angle": joint(
        type="spherical", limits=[[0, 1], [0, 1], [0, 1], [0, "1deg"]]),
    "axis[2]: deg is a unit of angle": arm(
        loops=[{"body_i": 0, "point_i": [0, 0, 0], "body_j": -1, "point_j": [0, 0, 0],
                "axis": [0, 0, "1deg"]}]),
    "elastic[0].rest: mm is a unit of length": arm(
        elastic=[{"joint": "a", "stiffness": 1, "rest": "30mm"}]),
    "couplings[0].offset: deg is a unit of angle": arm(
        couplings=[{"joint": "b", "of": "a", "ratio": 1, "offset": "3deg"}]),
}  # fmt: skip


@pytest.mark.parametrize("message", UNITS)
def test_a_unit_of_the_wrong_kind_is_refused(message):
    with pytest.raises(da.DescriptionError) as error:
        da.load(UNITS[message])
    assert message in str(error.value)
    assert any(hint in error.value.hint for hint in ("use deg or rad", "use m or mm", "no unit"))


def test_a_unit_of_the_right_kind_is_read():
    made = joint(limits=["-30deg", "0.5rad"], placement={"translation": ["30mm", "1m", 0]})
    m = da.load(made | {"elastic": [{"joint": "b", "stiffness": 1, "rest": "3mm"}]})
    assert str(m.bodies[0].limits[0][0]) == "-pi/6"
    assert m.bodies[0].placement.p == Vec3(Fraction(3, 100), 1, 0)
    assert m.elastic[0].rest == Fraction(3, 1000)


@pytest.mark.parametrize("asked", [
    {"drives": [{"joint": 1, "Ia": 1}]}, {"elastic": [{"joint": 0, "stiffness": 1}]},
    {"active": [1]}, {"couplings": [{"joint": 1, "of": "a", "ratio": 1}]},
])  # fmt: skip
def test_a_joint_is_not_called_by_a_number(asked):
    """`freeze` and the command line count from 1, bodies from 0: a number could be either."""
    with pytest.raises(da.DescriptionError, match="from 0 or from 1") as error:
        da.load(arm(**asked))
    assert error.value.hint == "write the name of the joint, one of: a, b"


@pytest.mark.parametrize("message", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_said(message):
    with pytest.raises(da.DalembertError, match=message):
        da.load(WRONG[message])


def test_an_error_in_a_file_has_line_and_column(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text(
        'format = "dalembert/1"\n\n[[bodies]]\nname = "a"\nparent = -1\n\n'
        '[[bodies]]\nname = "b"\nparent = 0\njoint = { type = "revolute", axis = [0, 0, 0] }\n'
    )
    with pytest.raises(da.DescriptionError, match="axis is zero") as caught:
        da.load(file)
    where = caught.value.where
    assert (where.line, where.column) == (10, 30) and str(where).startswith(str(file))
    file.write_text('format = "dalembert/1"\nname = \n')
    with pytest.raises(da.DescriptionError) as caught:
        da.load(file)
    assert (caught.value.where.line, caught.value.where.column) == (2, 8)
    other = tmp_path / "m.json"
    other.write_text('{"a": 1,\n "a": 2}')
    with pytest.raises(da.DescriptionError, match="duplicate key 'a'"):
        da.load(other)
    other.write_text('{"a": 1,\n b}')
    with pytest.raises(da.DescriptionError) as caught:
        da.load(other)
    assert (caught.value.where.line, caught.value.where.column) == (2, 2)


HOSTILE = [
    '{"bodies": ' + "[" * 100_000,
    '{"bodies": [{"mass": 1e999999999}]}',
    '{"bodies": [{"mass": ' + "9" * 10_000 + "}]}",
    "bodies = " + "[" * 100_000,
    "phrase = 'x'\n" + "a." * 1_000_000 + "b = 1",
    "phrase = 'x'\n" + '"a" . ' * 100_000 + "b = 1",
    "phrase = 'x'\nm = " + "9" * 10_000,
    "phrase = 'x'\nm = 1e999999999",
    '{"bodies": [{"parent": -1, "mass": {"nodes": [["const", 2]'
    + "".join(f', ["mul", {k}, {k}]' for k in range(100))
    + "]}}]}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_refused_quickly(text):
    with pytest.raises(da.DalembertError):
        da.load(text)


# -- the schema ------------------------------------------------------------------------------------


def schema():
    from importlib.resources import files

    return json.loads((files("dalembert.read") / "native.schema.json").read_text("utf-8"))


def test_schema_and_page_are_what_the_table_of_keys_says():
    tool = Path(__file__).parents[2] / "tools" / "native_keys.py"
    done = subprocess.run([sys.executable, tool, "--check"])
    assert done.returncode == 0, "run: python tools/native_keys.py"


def test_every_key_of_the_table_is_described():
    found = schema()
    assert list(found["properties"]) == list(native_keys.TOP)
    items = found["properties"]["bodies"]["items"]
    assert list(items["properties"]) == list(native_keys.BODIES.keys)
    joint = items["properties"]["joint"]
    assert joint["properties"]["type"]["enum"] == [*native_keys.KINDS, *native_keys.IN_PARTS]
    assert joint["required"] == list(native_keys.MOVES.needed) == ["type"]
    for key, record in native_keys.RECORDS.items():
        items = found["properties"][key]["items"]
        assert list(items["properties"]) == list(record.keys)
        assert items["required"] == list(record.needed)


def test_a_new_key_is_one_row_of_the_table(monkeypatch):
    from dalembert.read import native, native_schema, native_writer
    from dalembert.read.native_fields import Field
    from dalembert.read.native_types import TEXT

    # a second word for the name: read, written and described by the row alone
    row = Field("title", TEXT, "what it is called", fills="name")
    rows = (row, *native_keys.FILE)
    monkeypatch.setattr(native_writer, "FILE", rows)
    monkeypatch.setattr(native_schema, "FILE", rows)
    assert native_writer.native_data(da.load(ARM))["title"] == "arm"
    assert native_schema.schema()["properties"]["title"]["description"] == "what it is called"
    reading = native.Reading(Document({}))
    assert native.taken(reading, {"title": "x"}, (row,), native.Index()) == {"name": "x"}


def written(key, m, names):
    field = native_keys.TOP[key]
    return field.type.write(field.of(m), names)


def test_a_key_that_has_its_default_is_not_written():
    from dalembert.mechanism import Coupling, Drive

    m = da.load(ARM)
    names = native_fields.Names(lambda k: k, lambda k: f"j{k}")
    one = replace(m, drives=(Drive(0, inertia=2, gear=-50, viscous=3),), checked=True)
    assert written("drives", one, names) == [{"joint": "j0", "Jm": 2, "gear": -50, "viscous": 3}]
    direct = replace(m, drives=(Drive(0, inertia=2),), checked=True)
    assert written("drives", direct, names) == [{"joint": "j0", "Ia": 2}]
    coupled = replace(m, couplings=(Coupling(1, 0),), checked=True)
    assert written("couplings", coupled, names) == [{"joint": "j1", "of": "j0", "ratio": 1}]


def test_what_is_written_and_what_is_read_satisfies_the_schema(oracles_dir):
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(schema())
    for seed in range(20):
        check.validate(json.loads(native_text(random_mechanism(seed), "json")))
    for file in sorted(oracles_dir.glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        if "model" in data:
            check.validate(data["model"])
    assert not check.is_valid(body(massa=1)) and check.is_valid(ARM)


TURN = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]


@pytest.mark.parametrize(
    "rotation", [TURN, [TURN], ["x", "90deg"], [["x", "90deg"]], [["x", "30deg"], ["x", "60deg"]]]
)
def test_a_rotation_is_rows_of_a_matrix_or_turns(rotation):
    m = da.load(joint(placement={"translation": [0, 0, 1], "rotation": rotation}))
    assert [
        [round(float(x), 12) for x in row] for row in m.bound().bodies[0].placement.R.matrix().rows
    ] == TURN


@pytest.mark.parametrize(
    "rotation",
    [[[1, 0, 0], [0, 1, 0], [0, 0, 2]], [[1, 0], [0, 1]], ["x"], ["w", 1], 3, [[1, 0, 0]] * 2],
)
def test_what_is_no_rotation_is_refused_with_its_place(rotation):
    with pytest.raises(da.DescriptionError, match="rotation"):
        da.load(joint(placement={"rotation": rotation}))


@pytest.mark.parametrize(("text", "hint"), [
    ("gravity = [0, 0, -.5]", "a number begins with a digit: -0.5"),
    ("bodies = [ { name = 'a', parent = -1,\n mass = 1 } ]", "stands on one line"),
])  # fmt: skip
def test_mistakes_of_toml_that_its_reader_does_not_explain_are_told(text, hint):
    with pytest.raises(da.DescriptionError, match="TOML: ") as found:
        da.load(f'format = "dalembert/1"\n{text}\n')
    assert hint in found.value.hint


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (body(com=["10deg", 0, 0]), "a length: use m or mm|deg"),
        (body(mass="2mm"), "no unit is allowed here|mm"),
        (body(joint={"type": "revolute", "placement": {"rotation": ["x", "5mm"]}}), "mm"),
        (body(joint={"type": "screw", "axis": [0, 0, 1]}), "a screw needs a pitch"),
    ],
)
def test_numbers_that_mean_something_else_are_refused(data, said):
    with pytest.raises(da.DescriptionError, match=said):
        da.load(data)
    # an angle inside a function is one, wherever it stands
    made = da.load(body(com=["0.2*cos(60deg)", "10mm", 0]))
    assert float(made.bodies[0].inertia.lever.x) == pytest.approx(0.1)


def test_pi_is_the_number_and_a_note_says_so_where_a_parameter_has_its_name():
    m = da.load({**body(mass="pi"), "parameters": {"pi": 3}})
    assert float(m.bound().bodies[0].m) == pytest.approx(3.141592653589793)
    assert m.notes == (
        "pi is read as the number, not as the parameter of that name: bodies[0].mass",
    )


@pytest.mark.parametrize("angle", [90, -90.0, "90", 6.29])
def test_a_plain_number_beyond_a_turn_is_refused_with_both_spellings(angle):
    with pytest.raises(da.DescriptionError, match="more than a turn") as caught:
        da.load(joint(placement={"rotation": [["x", angle]]}))
    assert f'"{angle}deg"' in caught.value.hint and f'"{angle}rad"' in caught.value.hint


@pytest.mark.parametrize("angle", [6.2831, "90deg", "90rad", "30*pi", "1/2"])
def test_angles_that_say_what_they_are_are_read_and_written(angle, tmp_path):
    m = da.load(joint(placement={"rotation": [["x", angle]]}))
    assert da.load(m.save(tmp_path / "m.toml") or tmp_path / "m.toml") == m


def test_a_drive_behind_a_gear_of_zero_is_refused_with_whatever_it_holds():
    # it was read, and took rotor and friction away
    for held in ({"Ia": 1}, {"Jm": 1}, {"viscous": 1}):
        with pytest.raises(da.DalembertError, match="gear ratio of zero"):
            da.load(arm(drives=[{"joint": "a", "gear": 0, **held}]))


def test_numbers_of_a_file_do_not_count_the_base_that_is_asked_for():
    """Bodies from 0 and frozen joints from 1 are those of the phrase, on any base."""
    text = "RZ(), TXK(0.5), RZ(), TXK(0.4); body 2: M = 2, I = (1, 1, 1); gravity = (0, G, 0);"
    point = {"point_i": [0, 0, 0], "point_j": [1, 0, 0], "stiffness": 1, "length": 0.1}
    data = {
        "phrase": text,
        "springs": [{"body_i": 1, "body_j": -1, **point}],
        "simplified": {"freeze": {"2": 0.1}},
    }
    for base in ("fixed", "free", "planar"):
        m = da.load(data, base=base)
        (spring,) = m.springs
        assert m.bodies[spring.body_i].name == "j2" and list(m.simplified["freeze"]) == ["j2"]
        # what stood on the base moves with it, and nothing is told of a base that was asked for
        assert spring.body_j == (-1 if base == "fixed" else 0)
        assert not any("changes nothing" in note for note in m.notes)
    data["simplified"] = {"drop": ["A11:1"]}
    with pytest.raises(da.ModelError, match="base='free': terms are dropped by number"):
        da.load(data, base="free")
