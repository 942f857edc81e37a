"""A phrase gives the frames, limits, mass data and gravity that its sentence says."""

import json
import time
from fractions import Fraction

import numpy as np
import pytest

from dalembert.algebra import Mat3, Vec3, turn
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.joint import Prismatic, Revolute
from dalembert.mechanism import FrameChange, Parameter
from dalembert.read.context import Context
from dalembert.read.phrase import read_phrase

G = Graph()
REPORT = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),RX(T4MIN,T4MAX),"
    "TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6); gravity = (0, G, 0);"
)


def p(name):
    return G.param(name)


def names(m):
    return [x.name for x in m.parameters]


def numbers(T):
    """Return a transform as 4 x 4 floats."""
    R = [[to_float(x) for x in row] for row in T.R.matrix().rows]
    return np.block([[np.array(R), np.array([[to_float(x)] for x in T.p])], [np.zeros(3), 1]])


def test_the_sentence_of_the_report():
    m = read_phrase(REPORT)
    assert m.joint_names == ("j1", "j2", "j3", "j4", "j5", "j6")
    assert [b.parent for b in m.bodies] == [-1, 0, 1, 2, 3, 4]
    assert all(isinstance(b.joint, Revolute) for b in m.bodies)
    axes = ["xyz"[[*b.joint.axis].index(1)] for b in m.bodies]
    assert axes == ["y", "x", "x", "x", "y", "z"]
    assert m.bodies[3].placement.p == Vec3(0, 0, p("L3"))
    assert m.bodies[4].placement.is_identity()
    assert m.bodies[0].limits == ((p("T1MIN"), p("T1MAX")),)
    assert m.gravity == Vec3(0, p("G"), 0)
    assert m.values == {"G": Fraction(-981, 100)}
    assert m.frame("tip")[0] == 5 and m.frame("tip")[1].p == Vec3(0, 0, p("L6"))
    # printed: M1 0 D1 0 / M2 0 D2 0 / M3 0 0 D3 / 0 / 0 / M6 0 0 D6, and the diagonal inertias
    inertias = [b.inertia for b in m.bodies]
    assert [i.mass for i in inertias] == [p("M1"), p("M2"), p("M3"), 0, 0, p("M6")]
    assert inertias[1].lever == Vec3(0, p("D2"), 0) and inertias[5].lever == Vec3(0, 0, p("D6"))
    assert inertias[0].tensor == Mat3.symmetric(p("IX1"), 0, p("IZ1"), 0, 0, 0)
    assert inertias[2].tensor == Mat3.symmetric(p("IX3"), p("IY3"), 0, 0, 0, 0)
    assert inertias[3].is_massless() and inertias[4].is_massless()
    assert names(m)[:4] == ["T1MIN", "T1MAX", "L1", "T2MIN"]
    assert names(m)[-4:] == ["D6", "IX6", "IY6", "G"]


def test_the_parameters_stand_in_order_of_appearance():
    m = read_phrase("RX(a,b),TZK(L+b),RY(c,d);")
    assert names(m)[:5] == ["a", "b", "L", "c", "d"]
    assert names(m)[5:9] == ["M1", "D1", "IX1", "IY1"]
    assert names(m)[-1] == "G"


def test_greek_letters_and_the_slashed_zero_are_read():
    text = "RY(θ1MIN,θ1MAX),TYK(L1),RX(θ2MIN,θ2MAX),TZK(Ø),RX,TZK(∅);"
    m = read_phrase(text)
    assert names(m)[0] == "θ1MIN"
    assert m.bodies[2].placement.is_identity()


def test_every_frame_change_is_kept():
    m = read_phrase("TXK(a),RY,TYK(L1)[RXK(pi/2),TZ],TZK(2);")
    assert m.changes == (
        FrameChange("T", 0, -1, p("a")),
        FrameChange("R", 1, 0),
        FrameChange("T", 1, 0, p("L1")),
        FrameChange("R", 0, 0, G.pi() / 2),
        FrameChange("T", 2, 1),
        FrameChange("T", 2, 0, 2),
    )


def test_spellings_blanks_and_comments_are_free():
    a = read_phrase("ROTX ( a , b ) ,\n TRANSZK( L1 ), # the arm\n\tTRANSY(0,1);# end")
    b = read_phrase("RX(a,b),TZK(L1),TY(0,1);")
    assert a == b
    assert isinstance(b.bodies[1].joint, Prismatic)
    assert b.bodies[1].limits == ((0, 1),)
    assert read_phrase("RX;").bodies[0].limits == read_phrase("RX();").bodies[0].limits == ()


def test_constant_rotations_stay_elementary_factors():
    m = read_phrase("RZ,TZK(0.4),RXK(-90deg),RYK(0.3),RYK(0.1),RZ;")
    R = m.bodies[1].placement.R
    assert [f.axis for f in R.factors] == [0, 1]
    assert R.factors[0].angle == -G.pi() / 2 and R.factors[0].c == 0 and R.factors[0].s == -1
    assert R.factors[1] == turn(1, G.constant(Fraction(2, 5)))
    assert not read_phrase("RXK(a),RXK(-a),RZ;").bodies[0].placement.R.factors


def test_rounded_angles_are_noted():
    m = read_phrase("RXK(1.5707963267948966),RZ(-3.141592653589793,3.141592653589793);")
    assert m.bodies[0].placement.R.factors[0].angle == G.pi() / 2
    assert m.bodies[0].limits[0][1] == G.pi()
    assert "1.5707963267948966 read as pi/2" in m.notes[0]
    kept = read_phrase("RXK(1.5707963267948966),RZ;", Context(snap=0))
    assert kept.bodies[0].placement.R.factors[0].angle == Fraction("1.5707963267948966")
    assert not kept.notes
    assert read_phrase("RXK(1.5708),RZ;", Context(snap=1e-5)).notes


def test_branches_make_a_tree():
    m = read_phrase("RZ,TZK(h)[left: RX,TXK(a)][RY,TYK(b)],TZK(c),TZ;")
    assert m.joint_names == ("j1", "left", "j3", "j4")
    assert [b.parent for b in m.bodies] == [-1, 0, 0, 0]
    assert m.bodies[3].placement.p == Vec3(0, 0, p("h") + p("c"))
    assert [f.name for f in m.named] == ["tip_left", "tip_j3", "tip_j4"]
    # the lever of body 1 ends at the branch point
    assert m.bodies[0].inertia.lever == Vec3(0, 0, p("D1"))


def test_branches_from_the_base():
    m = read_phrase("[RX,TXK(a)][RY],TZK(1),RZ;")
    assert [b.parent for b in m.bodies] == [-1, -1, -1]
    assert m.bodies[2].placement.p == Vec3(0, 0, 1)


def test_nested_branches_and_named_frames():
    m = read_phrase("RX[RY[e: TXK(1)][RZ],TXK(2),RX],f: TZK(3),tool: RXK(pi/2);")
    assert [b.parent for b in m.bodies] == [-1, 0, 1, 1]
    assert [(f.name, f.body) for f in m.named] == [
        ("f", 0),
        ("tool", 0),
        ("tip_j1", 0),
        ("e", 1),
        ("tip_j3", 2),
        ("tip_j4", 3),
    ]
    assert m.frame("tool")[1].p == Vec3(0, 0, 3)


def test_a_name_may_be_tip():
    m = read_phrase("RX,tip: TZK(3);")
    assert [f.name for f in m.named] == ["tip"]


@pytest.mark.parametrize(
    ("text", "mass", "lever", "six"),
    [
        # along x: the two axes normal to it
        ("RX,TXK(L);", "M1", ("D1", 0, 0), (0, "IY1", "IZ1", 0, 0, 0)),
        # a sum along one axis, in the axes of the frame
        ("RX,TYK(L),TYK(2);", "M1", (0, "D1", 0), ("IX1", 0, "IZ1", 0, 0, 0)),
        ("RX,RXK(90deg),TYK(L);", "M1", (0, 0, "D1"), ("IX1", "IY1", 0, 0, 0, 0)),
        # two axes, and the end without a lever: all ten
        (
            "RX,TYK(L),TZK(L);",
            "M1",
            ("DX1", "DY1", "DZ1"),
            ("IX1", "IY1", "IZ1", "IXY1", "IXZ1", "IYZ1"),
        ),
        ("TX;", "M1", ("DX1", "DY1", "DZ1"), ("IX1", "IY1", "IZ1", "IXY1", "IXZ1", "IYZ1")),
        # zero and something follows: massless
        ("RX,TZK(0),RY;", 0, (0, 0, 0), (0, 0, 0, 0, 0, 0)),
        ("RX[RY],TZK(L);", 0, (0, 0, 0), (0, 0, 0, 0, 0, 0)),
    ],
)
def test_mass_data_are_generated_from_the_lever(text, mass, lever, six):
    def symbol(x):
        return p(x) if isinstance(x, str) else x

    inertia = read_phrase(text).bodies[0].inertia
    assert inertia.at == "centre"
    assert inertia.mass == symbol(mass)
    assert inertia.lever == Vec3(*map(symbol, lever))
    assert inertia.tensor == Mat3.symmetric(*map(symbol, six))


def test_full_inertia_gives_every_body_ten_parameters():
    m = read_phrase("RX,RY,TZK(L);", Context(inertia="full"))
    assert len(m.parameters) == 1 + 20 + 1
    assert m.bodies[0].inertia.lever == Vec3(p("DX1"), p("DY1"), p("DZ1"))


def test_body_statements_replace_generated_data():
    m = read_phrase(
        "RX,TZK(L),arm: RY,TZK(2); body 1: M = 2*a, D = (0, 0, 100mm), I = (1, 2, 3, 0.1, 0, 0);"
        "body arm: M=3, D=(0,0,1), IO=(5,5,1);"
    )
    assert m.bodies[0].m == 2 * p("a")
    assert m.bodies[0].inertia.lever == Vec3(0, 0, Fraction(1, 10))
    assert m.bodies[0].inertia.tensor == Mat3.symmetric(1, 2, 3, Fraction(1, 10), 0, 0)
    assert m.bodies[1].h == Vec3(0, 0, 3)
    assert m.bodies[1].Io == Mat3.symmetric(5, 5, 1, 0, 0, 0)
    assert m.bodies[1].inertia.about_centre == Mat3.symmetric(2, 2, 1, 0, 0, 0)
    assert names(m) == ["L", "a", "G"]


def test_bodies_without_a_statement_are_massless_and_told():
    m = read_phrase("RX,TZK(L),RY,TZK(2); body 2: M=1;")
    assert m.bodies[0].inertia.is_massless()
    assert any("massless" in note and "j1" in note for note in m.notes)


def test_gravity():
    assert read_phrase("RX;").gravity == Vec3(0, 0, p("G"))
    m = read_phrase("RX; gravity = (0, -9.81, 0);")
    assert m.gravity == Vec3(0, Fraction(-981, 100), 0)
    assert "G" not in names(m)
    m = read_phrase("RX; gravity = (g*sin(s), 0, g);")
    assert m.open_parameters[-2:] != () and "g" in names(m) and not m.values
    m = read_phrase("RX; gravity = (0, G/2, 0);")
    assert m.parameters[-1] == Parameter("G", Fraction(-981, 100))


def test_a_generated_name_that_the_phrase_uses_is_told():
    m = read_phrase("RX,TZK(M1);")
    assert any("M1" in note for note in m.notes)


def test_names_are_parameters_and_gravity_alone_has_a_value():
    m = read_phrase("RX,TZK(L1);")
    assert next(p.name for p in m.parameters) == "L1" and m.values == {"G": Fraction(-981, 100)}


@pytest.mark.parametrize(("base", "nq"), [("free", 8), ("planar", 4)])
def test_a_moving_base_comes_first(base, nq):
    m = read_phrase("RX,TZK(L);", Context(base=base))
    assert m.joint_names == ("base", "j1")
    assert m.nq == nq
    assert m.bodies[0].m == p("M0")
    m = read_phrase("RX,TZK(L); body base: M=5; body 1: M=1;", Context(base=base))
    assert [b.m for b in m.bodies] == [5, 1]


@pytest.mark.parametrize(
    "file", ["s000_constant_rotations", "s000_prismatic_cylindrical", "s000_robot6r"]
)
def test_the_placements_are_those_of_the_reference_files(oracles_dir, file):
    data = json.loads((oracles_dir / f"{file}.json").read_text())
    m = read_phrase(data["phrase"])
    values = {k: 0.0 for k in names(m)} | data.get("parameters", {})
    bound = m.bound(values)
    for body, want in zip(bound.bodies, data["model"]["bodies"], strict=True):
        assert body.parent == want["parent"]
        np.testing.assert_allclose(
            numbers(body.placement), want["joint"]["placement"], rtol=0, atol=1e-15
        )
        np.testing.assert_array_equal([float(x) for x in body.joint.axis], want["joint"]["axis"])


def test_the_time_of_a_long_phrase_is_linear():
    def seconds(count):
        text = ",".join(f"RX(a{k},b{k}),TZK(L{k})" for k in range(count)) + ";"
        start = time.process_time()
        assert read_phrase(text).nv == count
        return time.process_time() - start

    # ten times the joints: ten times the work, a hundred if anything were quadratic
    assert seconds(10_000) < 40 * min(seconds(1_000) for _ in range(3))


def test_deep_branches_do_not_recurse():
    m = read_phrase("RX[" * 2000 + "RY" + "]" * 2000 + ";")
    assert m.nv == 2001
    assert [b.parent for b in m.bodies] == list(range(-1, 2000))


def test_reading_twice_gives_the_same_digest():
    assert read_phrase(REPORT).digest == read_phrase(REPORT).digest
