"""The tables of the 1980 report: its own sentence word for word, and what lies beyond it."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.algorithms.augmented_body import augmented_bodies
from dalembert.errors import ModelError, Place, UsageError
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Free, Planar, Revolute, Screw, Spherical
from dalembert.mechanism import Body, Frame, Mechanism
from dalembert.read.expressions import expression
from dalembert.read.phrase import read_phrase
from dalembert.tables import tables_data, tables_text
from sentences import REPORT, REPORT_MASSES, mechanism

PRINTED = """\
TABLE MRR
0 1 0 0
0 1 0 1
2 0 0 0
0 2 0 1
3 0 0 0
0 0 3 1
4 0 0 0
0 0 4 1
0 5 0 0
0 0 5 1
0 0 6 0
0 0 6 1

CONSTANT TRANSLATIONS
0 L1 0
0 L2 0
0 0  L3
0 0  0
0 0  0
0 0  L6

ANGLE
0   1 0
2   0 0
23  0 0
234 0 0
0   5 0
0   0 6

NUMBER OF FRAME CHANGES 12

NUMBER OF DEGREES OF FREEDOM 6

BODIES
BODY LENGTH
1    L1
2    L2
3    L3
4    0
5    0
6    L6

LIMITS
DOF MIN   MAX
1   T1MIN T1MAX
2   T2MIN T2MAX
3   T3MIN T3MAX
4   T4MIN T4MAX
5   T5MIN T5MAX
6   T6MIN T6MAX

MASS DATA
BODY MASS VCG
1    M1   0   D1 0
2    M2   0   D2 0
3    M3   0   0  D3
4    0    0   0  0
5    0    0   0  0
6    M6   0   0  D6

INERTIA TENSORS
BODY 1 : IX1 0   IZ1
BODY 2 : IX2 0   IZ2
BODY 3 : IX3 IY3 0
BODY 6 : IX6 IY6 0

REPORTED MASSES
VY1 = D1*M1+L1*(+M2+M3+M6)
VY2 = D2*M2+L2*(+M3+M6)
VZ3 = D3*M3+L3*(+M6)
VZ6 = D6*M6

REPORTED INERTIAS
WY1 = D1**2*M1+L1**2*(M2+M3+M6)
WY2 = D2**2*M2+L2**2*(M3+M6)
WZ3 = D3**2*M3+L3**2*(M6)
WZ6 = D6**2*M6

TOTAL INERTIAS
JX1 = IX1+WY1
JZ1 = IZ1+WY1
JX2 = IX2+WY2
JZ2 = IZ2+WY2
JX3 = IX3+WZ3
JY3 = IY3+WZ3
JX6 = IX6+WZ6
JY6 = IY6+WZ6

# massless bodies: 4 5"""


def report():
    return mechanism(REPORT, REPORT_MASSES, limits=True)


def section(text, head):
    """Return the lines of one table."""
    parts = {p.splitlines()[0]: p.splitlines()[1:] for p in text.split("\n\n")}
    return parts.get(head, [])


def test_the_report_is_printed_word_for_word():
    assert tables_text(report()) == PRINTED


def test_the_report_is_printed_from_its_phrase():
    items = iter(REPORT.replace(" ", ",").split(","))
    joints = (f"({{0}}{k}MIN,{{0}}{k}MAX)" for k in range(1, 7))
    phrase = ",".join(x if "K" in x else x + next(joints) for x in items) + ";"
    assert tables_text(read_phrase(phrase.format("T"))) == PRINTED
    greek = re.sub(r"T(\d)M", r"θ\1M", PRINTED)
    assert tables_text(read_phrase(phrase.format("θ").replace("(0)", "(Ø)"))) == greek


def test_plain_data_hold_the_same_tables():
    data = tables_data(report())
    assert json.loads(json.dumps(data)) == data
    assert (data["NR"], data["N"]) == (12, 6)
    assert data["MRR"][:2] == [[0, 1, 0, 0], [0, 1, 0, 1]]
    assert [r["translation"] for r in data["constant_translations"]][2] == [0, 0, "L3"]
    assert [r[0] for r in data["ANGLE"]] == ["0", "2", "23", "234", "0", "0"]
    assert data["limits"][0] == {"dof": 1, "min": "T1MIN", "max": "T1MAX"}
    assert data["reported_masses"]["VY1"] == "D1*M1+L1*(+M2+M3+M6)"
    assert data["total_inertias"]["JX1"] == "IX1+WY1"


def test_numbers_are_added_up(oracles_dir):
    oracle = json.loads((oracles_dir / "s000_robot6r.json").read_text())
    data = tables_data(report().with_values(**oracle["parameters"]))
    found = data["reported_masses"] | data["reported_inertias"] | data["total_inertias"]
    truth = oracle["reported_constants"]
    assert found.keys() == truth.keys()
    assert_allclose([found[k] for k in truth], list(truth.values()), rtol=1e-14)
    assert "VY1 = 23.825" in tables_text(report().with_values(**oracle["parameters"]))


def test_what_keeps_the_sentence_and_what_drops_it():
    m = report()
    given = m.with_values(L1=0.5)
    assert section(tables_text(given), "CONSTANT TRANSLATIONS")[0].split() == ["0", "0.5", "0"]
    assert tables_data(m.with_gravity((0, "G", 0)))["NR"] == 12
    assert tables_data(m.with_payload("tip", 2))["NR"] == 12
    for other in (m.lock([4]), m.rooted(Transform(p=Vec3(0, 0, 1))), m.attach(m.lock([1]), "tip")):
        assert other.changes == ()
        assert tables_data(other)["N"] == other.nv


def test_placements_are_taken_apart_where_there_was_no_sentence():
    sentence = "TXK(2) RXK(B) RZ TZK(L) TYK(0) RX RYK(A) TXK(1) RY"
    data = tables_data(mechanism(sentence, changes=False))
    rows = "0 0 0 1/0 0 0 3/0 0 1 0/0 0 1 1/2 0 0 0"
    assert data["MRR"][:5] == [[int(x) for x in r.split()] for r in rows.split("/")]
    # the lever is seen from frame 2: cos(A) along x, -sin(A) along z, then the turn
    assert data["MRR"][5:] == [[2, 0, 0, 1], [0, 0, 2, 1], [0, 2, 0, 3], [0, 3, 0, 0]]
    assert data["constant_rotations"][1] == {"body": 2, "axis": "Y", "angle": "A"}
    lever = {r["body"]: r["translation"] for r in data["constant_translations"]}
    assert lever["0>1"] == [2, 0, 0]
    assert lever["2"] == ["cos(A)", 0, "-sin(A)"]


def test_a_matrix_is_written_as_three_turns():
    angles = (0.3, -0.5, 0.7)
    R = Rotation.about(2, angles[0]) @ Rotation.about(1, angles[1]) @ Rotation.about(0, angles[2])
    quarter = Rotation.about(1, np.pi / 2) @ Rotation.about(0, 0.4)
    for turn in (R, quarter):
        body = Body("a", -1, Transform(Rotation.of(turn.matrix())), Revolute())
        rows = tables_data(Mechanism((body,)))["constant_rotations"]
        again = Rotation()
        for r in rows:
            again = again @ Rotation.about("XYZ".index(r["axis"]), r["angle"])
        assert_allclose(
            np.array(again.matrix().rows, float), np.array(turn.matrix().rows, float), atol=1e-12
        )


def test_angle_runs_follow_the_parent_path():
    def angle(sentence):
        return ["/".join(r) for r in tables_data(mechanism(sentence))["ANGLE"]]

    # a slide does not break a run, a constant turn about another axis does
    assert angle("RX TZ RX RXK(0.3) RX") == ["1/0/0", "0/0/0", "13/0/0", "134/0/0"]
    assert angle("RX RYK(0.2) RX") == ["1/0/0", "2/0/0"]
    assert angle("RX RYK(0) RX RYK(B) TZ RX") == ["1/0/0", "12/0/0", "0/0/0", "4/0/0"]
    assert angle("RX [RX RY] [RZ] RX") == ["1/0/0", "12/0/0", "0/3/0", "0/0/4", "15/0/0"]
    # dots from ten joints on, where 12 could be a joint or a sum
    assert angle("RX " * 10)[1] == "1.2/0/0"
    assert angle("RX " * 10)[9] == "1.2.3.4.5.6.7.8.9.10/0/0"
    assert angle("RX " * 300)[299] == "1.2..299.300/0/0"


def test_slides_and_constant_turns_have_their_codes():
    data = tables_data(mechanism("TZ TXK(1) RYK(2) TX [RZ] RX"))
    rows = "0 0 1 2/1 0 0 1/0 1 0 3/2 0 0 2/0 0 3 0/4 0 0 0"
    assert data["MRR"] == [[int(x) for x in r.split()] for r in rows.split("/")]


TREE = "RZ TXK(L1) [RY TXK(L2) RY TXK(L3)] TZK(L4) TZ TXK(0.5)"
TREE_MASSES = {
    1: ("M1", ("D1", 0, 0), (0, "IY1", "IZ1")),
    2: ("M2", ("DX2", "DY2", 0.25), ("IX2", "IY2", "IZ2", "IXY2", 0, 0)),
    3: (2, (0, 0, 0), (1, 2, 3)),
    4: ("M4", (0, 0, "D4"), ("IX4", "IY4", 0)),
}


def test_a_tree_has_a_row_for_each_child_and_slides_print_with_q():
    text = tables_text(mechanism(TREE, TREE_MASSES))
    assert [r.split() for r in section(text, "CONSTANT TRANSLATIONS")] == [
        ["1>2", "L1", "0", "0"],
        ["1>4", "L1", "0", "L4"],
        ["2", "L2", "0", "0"],
        ["3", "L3", "0", "0"],
        ["4", "0.5", "0", "0"],
    ]
    assert section(text, "REPORTED MASSES") == [
        "VX1 = D1*M1+L1*(+M2+2)+L1*(+M4)",
        "VZ1 = L4*(+M4)",
        "VX2 = DX2*M2+2*L2",
        "VY2 = DY2*M2",
        "VZ2 = 0.25*M2",
        "VZ4 = D4*M4+q4*(+M4)",
    ]
    inertias = section(text, "REPORTED INERTIAS")
    assert "WXZ1 = -L1*L4*(M4)" in inertias
    assert "WZ2 = (DX2**2+DY2**2)*M2+2*L2**2" in inertias
    assert inertias[-1] == "WZ4 = D4**2*M4+2*q4*D4*M4+q4**2*(M4)"
    assert section(text, "TOTAL INERTIAS")[-5:] == [
        "JX3 = 1",
        "JY3 = 2",
        "JZ3 = 3",
        "JX4 = IX4+WZ4",
        "JY4 = IY4+WZ4",
    ]


@pytest.mark.parametrize("naming", ["simple", "full"])
@pytest.mark.parametrize("sentence", [TREE, "TX TZK(L1) TZ RXK(B) TXK(L2) TY TXK(L3) RZ"])
def test_the_texts_have_the_values_of_the_augmented_bodies(sentence, naming):
    m = mechanism(sentence, TREE_MASSES)
    rng = np.random.default_rng(5)
    values = {p.name: float(rng.uniform(0.2, 2)) for p in m.parameters}
    q = rng.uniform(0.2, 2, size=4)
    names = values | {f"q{j + 1}": float(x) for j, x in enumerate(q)}
    data, graph = tables_data(m, naming), Graph()
    found = {}
    for key in ("reported_masses", "reported_inertias", "total_inertias"):
        for name, text in data[key].items():
            value = expression(str(text), graph, Place("<table>"))
            found[name] = names[name] = to_float(value, names)
    for j, body in enumerate(augmented_bodies(m.bound(values)), 1):
        V, x = body.reported_mass(q[j - 1]), q[j - 1]
        for u in range(3):
            assert_allclose(found.get(f"V{'XYZ'[u]}{j}", 0), V[u], rtol=1e-12, atol=1e-12)
        letters = ("X", "Y", "Z", "XY", "XZ", "YZ")
        for k, J in zip(letters, body.total_inertia(x).six(), strict=True):
            assert_allclose(found.get(f"J{k}{j}", 0), J, rtol=1e-12, atol=1e-12)
        W = body.reported_inertia(x)
        if naming == "full" or f"WXY{j}" in found:
            for k, w in zip(letters, W.six(), strict=True):
                assert_allclose(found.get(f"W{k}{j}", 0), w, rtol=1e-12, atol=1e-12)


def test_full_names_every_component():
    text = tables_text(report(), "full")
    assert section(text, "REPORTED INERTIAS")[:2] == [
        "WX1 = D1**2*M1+L1**2*(M2+M3+M6)",
        "WZ1 = D1**2*M1+L1**2*(M2+M3+M6)",
    ]
    assert section(text, "INERTIA TENSORS")[0] == "BODY 1 : IX1 0   IZ1 0 0 0"
    with pytest.raises(UsageError, match="simple"):
        tables_text(report(), "half")


def test_fixed_links_are_part_of_their_body():
    m = mechanism("RZ TXK(0.5) RZ", {1: (2, (0.25, 0, 0), ()), 2: (1, (0, 0, 0), ())})
    tool = Body("tool", 0, Transform(p=Vec3(0, 1, 0)), Fixed(), Inertia(4, Vec3(0, 0, 0)))
    data = tables_data(replace(m, bodies=(*m.bodies, tool), changes=(), checked=False))
    assert data["N"] == 2
    assert data["mass_data"][0]["mass"] == 6
    assert data["reported_masses"] == {"VX1": 1, "VY1": 4}


def test_a_tensor_about_the_origin_stays_as_it_was_given():
    m = read_phrase("RZ,TXK(L1),RZ; body 1: M=M1, D=(a,b,0), IO=(1,2,Z); body 2: M=M2;")
    J = {"JX1": 1, "JY1": "L1**2*(M2)+2", "JZ1": "Z+L1**2*(M2)"}
    assert tables_data(m)["total_inertias"] == J


def test_other_joints_print_what_makes_sense():
    load = Inertia(2, Vec3(0, 0, 1), Mat3.symmetric(1, 1, 0, 0, 0, 0))
    m = Mechanism(
        (
            Body("a", -1, joint=Revolute(Vec3(0, 0, -1)), inertia=load),
            Body("b", 0, joint=Screw(Vec3(0, 0, 1), 3), inertia=load),
            Body("c", 1, joint=Spherical(), inertia=load),
        ),
        named=(Frame("tip", 2, Transform(p=Vec3(0, 0, 1))),),
    )
    data = tables_data(m)
    assert data["MRR"] == [[0, 0, -1, 0], [0, 0, 2, 4], [3, 3, 3, 5], [0, 0, 3, 1]]
    assert [r[2] for r in data["ANGLE"]] == ["-1", "-12", "3"]
    assert data["reported_masses"] == {"VZ1": 2, "VZ2": "2+12*q2", "VZ3": 2}
    for joint in (Free(), Planar()):
        with pytest.raises(ModelError, match="expand the base"):
            tables_text(Mechanism((Body("a", -1, joint=joint, inertia=load),)))


def test_a_thousand_joints_are_printed():
    n = 1000
    masses = {j: (f"M{j}", (0, f"D{j}", 0), ("I", 0, "I")) for j in range(1, n + 1)}
    text = tables_text(mechanism("RX TYK(L) " * n, masses))
    assert len(text) < 2_000_000
    # long sums go by augmented masses, defined once each
    sums = section(text, "AUGMENTED MASSES")
    assert sums[0].startswith("M(") and len(sums) < n
    assert section(text, "REPORTED MASSES")[-1] == "VY1000 = D1000*M1000"
