"""SYMORO files: every one loads, loops are cut joints, mistakes have a place."""

import random
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import Place
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.read.expressions import expression
from models import newton_euler
from peers import PEERDATA, absent

SYMORO = PEERDATA / "symoro"

# name: links, loops, motors
FILES = {
    "AKR3000": (10, 2, ("t1", "r5", "r6", "t8", "t9", "t10")),
    "RX90": (6, 0, ()),
    "SR400": (8, 1, ("th1", "th2", "th4", "th5", "th6", "th7")),
    "Stanford": (6, 0, ()),
    "Stanford4": (4, 0, ()),
    "TwoLoops": (8, 2, ("th1", "th2", "th3", "th5")),
    "testLoop": (4, 1, ("th1", "th3")),
}


def load(name):
    file = SYMORO / f"{name}.par"
    if not file.exists():
        absent(f"peer data {name}.par")
    return da.load(file)


@pytest.mark.parametrize("name", FILES)
def test_every_published_file_loads(name):
    m = load(name)
    links, loops, motors = FILES[name]
    assert (m.name, m.nv, len(m.loops), m.active) == (name, links, loops, motors)
    assert any("modified Denavit-Hartenberg" in note for note in m.notes)
    assert any("FX" in note for note in m.notes)


def test_no_published_file_is_left_out():
    if not SYMORO.exists():
        absent("peer data of SYMORO")
    assert {f.stem for f in SYMORO.glob("*.par")} == set(FILES)


def test_joint_variables_are_no_parameters():
    m = load("Stanford")
    assert m.joint_names == ("th1", "th2", "r3", "th4", "th5", "th6")
    assert {"RL2", "XX1", "M6", "IA3", "G3"} <= {p.name for p in m.parameters}
    assert not {"th1", "r3"} & {p.name for p in m.parameters}


def test_a_parallelogram_closes_where_its_sides_are_parallel():
    m = load("testLoop")
    loop = m.loops[0]
    bound = m.with_values(d=0.5, G3=0).bound({p: 1.0 for p in m.open_parameters if p != "d"})
    q = [0.3, 0.4, 0.7, -0.4]  # links 1, 2 against links 3, 4 in a rhombus
    ends = []
    for body, point in (
        (loop.body_i, bound.loops[0].point_i),
        (loop.body_j, bound.loops[0].point_j),
    ):
        while body >= 0:
            R, p = bound.bodies[body].pose([q[body]])
            point, body = R @ point + p, bound.bodies[body].parent
        ends.append([float(x) for x in point])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
    assert loop.joint == "revolute" and (loop.body_i, loop.body_j) == (3, 1)


def test_expressions_stand_in_cells_and_frames_on_frames():
    m = load("TwoLoops")
    values = {p.name: 0.1 for p in m.parameters}
    bound = m.bound(values)
    assert bound.bodies[5].placement.p.z == pytest.approx(0.1 * np.cos(0.1), rel=1e-14)
    # frame 12 stands on frame 11, which is fixed to link 8
    assert [loop.body_j for loop in m.loops] == [7, 7]


def test_rx90_inverse_model_agrees_with_the_listing_of_symoro():
    m = load("RX90")
    file = SYMORO / "RX90_idm.txt"
    random_numbers = random.Random(5)
    values = {p.name: random_numbers.uniform(0.2, 1.5) for p in m.parameters}
    values["G3"] = 0.0  # the listing was made without gravity
    q, qd, qdd = ([random_numbers.uniform(-2, 2) for _ in range(6)] for _ in range(3))
    known = dict(values)
    for k in range(6):
        known |= {f"th{k + 1}": q[k], f"QP{k + 1}": qd[k], f"QDP{k + 1}": qdd[k]}
        known[f"SIGN{k + 1}"] = np.sign(qd[k])
    known |= dict.fromkeys(("FX6", "FY6", "FZ6", "CX6", "CY6", "CZ6"), 0.0)
    for line in file.read_text().split("Equations:")[1].splitlines():
        name, equals, right = line.partition(" = ")
        if equals:
            right = re.sub(r"sign\(QP([1-6])\)", r"SIGN\1", right)
            known[name] = to_float(expression(right, Graph(), Place("")), known)
    tau = newton_euler(m.bound(values), q, qd, qdd, drives="all")
    np.testing.assert_allclose(tau, [known[f"GAM{k + 1}"] for k in range(6)], rtol=1e-12)


# -- a small file of our own -------------------------------------------------------------------

PAR = """(* Robotname = 'arm' *)
NL = 2
NJ = 2
NF = 2
Type = 0
(* Geometric parameters *)
ant = {0,1}
Sigma = {0,1}
d = {0,L*cos(g)}
r = {0.5,
     r2}
alpha = {0,Pi/2}
theta = {th1,0}
M = {M1,2}
MX = {MX1,0}
ZZ = {ZZ1,0}
FS = {0,FS2}
G = {0,0,-9.81}
Z = {1,0,0,0.1,0,1,0,0,0,0,1,0,0,0,0,1}
(* End of definition *)
"""


def test_a_file_without_all_entries():
    m = da.load(PAR)
    assert m.name == "arm" and m.joint_names == ("th1", "r2")
    assert [p.name for p in m.parameters] == ["M1", "MX1", "ZZ1", "L", "g", "FS2"]
    assert m.bodies[0].placement.p.x == da.load("TXK(0.1),RZ();").bodies[0].placement.p.x
    assert m.bodies[1].placement.R.factors[0].s == 1
    assert len(m.drives) == 1 and m.drives[0].joint == 1


def test_a_floating_base_keeps_its_mass_data():
    text = PAR.replace("Type = 0", "Type = 0\nis_floating = True").replace("M = {", "M = {M0,")
    text = text.replace("MX = {", "MX = {0,").replace("ZZ = {", "ZZ = {0,")
    m = da.load(text.replace("FS = {", "FS = {0,"))
    assert m.bodies[0].joint.kind == "free" and str(m.bodies[0].m) == "M0"
    assert str(m.bodies[1].m) == "M1" and m.drives[0].joint == 2


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("ant = {0,1}", "ant = {0,1,2}", "7", "ant: 3 entries, 2 needed"),
        ("ant = {0,1}", "ant = {0,2}", "7:10", "row 2, column a: the frames form a cycle"),
        ("ant = {0,1}", "ant = {0,}", "7", "ant: entry 2 is empty"),
        ("Sigma = {0,1}", "Sigma = {0,4}", "8:12", "column sigma: 4 is not 0, 1 or 2"),
        ("Pi/2", "Pi/", "12:12", "row 2, column alpha"),
        ("NL = 2", "NL = two", "2", "NL: 'two' is not a number"),
        ("NL = 2", "NL = 3", "2", "3 links and 2 joints"),
        ("NF = 2", "NF = 3", "4", "3 frames"),
        ("NJ = 2\n", "", "1", "NJ is missing"),
        ("MX = {", "MQ = {", "15:1", "unknown entry 'MQ'"),
        ("MX = {MX1,0}", "MX : {MX1,0}", "15:1", "not an entry"),
        ("MX = {", "M = {", "15:1", "a second M"),
    ],
)
def test_a_mistake_has_its_place(tmp_path, old, new, place, message):
    file = tmp_path / "arm.par"
    file.write_text(PAR.replace(old, new))
    with pytest.raises(da.DescriptionError, match=message) as caught:
        da.load(file)
    assert str(caught.value).startswith(f"{file}:{place}")


def test_a_damaged_file_is_refused_with_our_own_error():
    damage = random.Random(1)
    pieces = ("", "(", ")", "{", "}", ",", "=", "1e999", "\0", "é", "/0", "th1", "\n")
    for _ in range(300):
        text = list(PAR)
        for _ in range(damage.randint(1, 5)):
            text[damage.randrange(len(text))] = damage.choice(pieces)
        try:
            assert da.load("(* Robotname = 'arm' *)" + "".join(text)).bodies
        except da.DalembertError:
            continue
