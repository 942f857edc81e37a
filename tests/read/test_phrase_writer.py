"""What is written as a phrase reads back as the same mechanism; what cannot be held is told."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.errors import ModelError
from dalembert.expr.exact import to_float
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Prismatic, Revolute, Spherical
from dalembert.mechanism import Body, Drive, Frame, Mechanism, Parameter
from dalembert.read.phrase import read_phrase
from dalembert.read.phrase_writer import write_phrase

PHRASES = [
    "RX;",
    "RX(-1,1),TZK(1);",
    "RY(T1MIN,T1MAX),TYK(L1),RX(a,b),TZK(0),RZ,TZK(L6); gravity = (0, G, 0);",
    "RZ,TZK(0.4),RXK(-1.5707963267948966),RZ(A2,B2),RYK(0.4),TZ(A3,B3),RZK(0.3),RX;",
    "RZ,TZK(0.4)[s:RX(-1,1),TXK(1)][RY],c:TXK(2),TZ; body s: M=3, D=(0,0,1), I=(1,2,3);"
    "body 1: M=M1, D=(d,0,0), IO=(A,B,C,0,0,1);",
    "[RX,TXK(L)][RY],RZ[RX][f: RXK(a),TZK(l),RYK(0.3)],RYK(a),TZK(l),RX,e:TXK(1),TXK(2);",
    "RX[f: TZK(1)],TXK(0);",
    "RX[f: TZK(1)];",
    "[b: TXK(1)],RX,TZK(3),RY;",
    "RX,TZK(L)[RY];",
    "RX[TXK(1)],RY;",
    "RXK(a),TZK(b),RXK(-a),RX(0,1),RXK(0.1),RXK(0.2),RY;",
    "RX,TZK(sqrt(a^2+b^2)/3-x**5*1/7);",
    "RX(-pi/3,2*pi),TZK(1/3),RY(-1e-50,123456789.125);",
    "RX,TZK(0),RY,TZK(0); body 2: M=0; gravity=(0,0,0);",
]


@pytest.mark.parametrize("phrase", PHRASES)
def test_reading_what_is_written_gives_the_same_mechanism(phrase):
    m = read_phrase(phrase)
    text, notes = write_phrase(m)
    again = read_phrase(text)
    assert again == m
    assert not notes


ITEMS = st.sampled_from(
    ["RX(a,b)", "RYK(t)", "TZ(0,1)", "TX", "RZ", "TXK(L)", "TYK(0.3)", "RXK(pi/2)", "RZK(0.2)"]
)
CHAINS = st.recursive(
    st.lists(ITEMS, min_size=1, max_size=4).map(",".join),
    lambda inner: st.tuples(ITEMS, st.lists(inner, min_size=1, max_size=2), inner).map(
        lambda t: t[0] + "".join(f"[{c}]" for c in t[1]) + "," + t[2]
    ),
    max_leaves=6,
)


@given(CHAINS)
def test_random_trees_read_back(chain):
    m = read_phrase("RX," + chain + ";")
    text, notes = write_phrase(m)
    # a frame is written before the branches of its body, which may change the order of parameters
    again = read_phrase(text)
    assert {x.name for x in again.parameters} == {x.name for x in m.parameters}
    assert replace(again, parameters=m.parameters) == m
    assert not notes


def poses(m, q):
    """Return the pose of every named frame at coordinates q, in floats."""
    m = m.bound()
    found = {-1: Transform()}
    for j, b in m.outward():
        found[j] = found[b.parent] @ Transform(*b.pose([q[j]]))
    return {
        f.name: [to_float(x) for r in T.R.matrix().rows for x in r] + [to_float(x) for x in T.p]
        for f in m.named
        for T in [found[f.body] @ f.placement]
    }


def moving(m, q):
    """Return the mass centre and tensor of every body at coordinates q, in base axes."""
    m = m.bound()
    found = {-1: Transform()}
    out = []
    for j, b in m.outward():
        found[j] = found[b.parent] @ Transform(*b.pose([q[j]]))
        inertia = b.inertia.moved(found[j])
        out.append([*inertia.centre, *inertia.about_centre.six()])
    return out


def test_other_axes_are_reached_through_constant_rotations():
    third = Fraction(1, 3)
    inertia = Inertia(2, Vec3(third, 1, 2), Mat3.symmetric(3, 4, 5, Fraction(1, 10), 0, 1))
    axes = [Vec3(0, 0, -1), Vec3(Fraction(3, 5), Fraction(4, 5), 0), Vec3(-1, 0, 0)]
    axes.append(Vec3(2 * third, -2 * third, third))
    R = Rotation.of(Mat3((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    tilted = Mat3((0.36, 0.48, -0.8), (-0.8, 0.6, 0), (0.48, 0.64, 0.6))
    bodies = [
        Body(
            f"b{k}",
            k - 1,
            Transform(R if k % 2 else Rotation.of(tilted), Vec3(k, 1, third)),
            (Prismatic if k == 2 else Revolute)(axis),
            inertia,
        )
        for k, axis in enumerate(axes)
    ]
    m = Mechanism(tuple(bodies), named=(Frame("tip", 3, Transform(R, Vec3(1, 2, 3))),))
    text, notes = write_phrase(m)
    again = read_phrase(text)
    assert any("b0 is reversed" in n for n in notes)
    assert any("b1 is not a coordinate axis" in n for n in notes)
    assert any("matrices" in n for n in notes)
    q = [0.3, -0.7, 0.2, 1.1]
    np.testing.assert_allclose(poses(again, q)["tip"], poses(m, q)["tip"], atol=1e-12)
    np.testing.assert_allclose(moving(again, q), moving(m, q), atol=1e-12)


def test_what_a_phrase_cannot_hold_is_told():
    m = read_phrase("RX,TZK(L),RY;")
    known = tuple(replace(p, value=0.4) if p.name == "L" else p for p in m.parameters)
    m = replace(m, drives=(Drive(0, inertia=1),), active=("j1",), parameters=known)
    first = replace(m.bodies[0], limits=((None, 1),), effort_limit=3, joint_name="hip")
    m = replace(m, bodies=(first, m.bodies[1]), active=("hip",))
    notes = " | ".join(write_phrase(m)[1])
    for part in ("1 drives", "1 active", "L = 0.4", "limits of j1", "hip"):
        assert part in notes


def test_names_become_words():
    m = read_phrase("RX,TZK(1),RY; body 1: M=1;")
    a, b = (replace(b, name=n) for b, n in zip(m.bodies, ("panda-joint 1", "2nd"), strict=True))
    text, notes = write_phrase(replace(m, bodies=(a, b)))
    assert read_phrase(text).joint_names == ("panda_joint_1", "j_2nd")
    assert len(notes) == 2


def test_fixed_bodies_are_merged_and_other_orders_renumbered():
    m = read_phrase("RX,TZK(1),RY,TZK(2); body 1: M=1; body 2: M=2;")
    m = replace(m, bodies=(*m.bodies, Body("plate", 0, Transform(), Fixed(), Inertia(3))))
    text, notes = write_phrase(m)
    assert read_phrase(text).bodies[0].m == 4
    assert any("plate" in n for n in notes)
    bodies = (Body("a", -1), Body("b", -1), Body("c", 0))
    bodies = tuple(replace(b, joint=Revolute(), inertia=Inertia(1)) for b in bodies)
    text, notes = write_phrase(Mechanism(bodies))
    assert read_phrase(text).joint_names == ("a", "c", "b")
    assert any("renumbered" in n for n in notes)


def test_joints_that_have_no_word_are_refused():
    m = Mechanism((Body("ball", -1, joint=Spherical()),))
    with pytest.raises(ModelError, match="no spherical joint"):
        write_phrase(m)
    with pytest.raises(ModelError, match="no joint"):
        write_phrase(Mechanism(()))


def test_a_parameter_that_no_phrase_can_name_is_refused():
    m = read_phrase("RX,TZK(L);")
    from dalembert.expr import Graph

    x = Graph().param("C1")
    body = replace(m.bodies[0], placement=Transform(p=Vec3(x, 0, 0)))
    m = replace(m, bodies=(body,), parameters=(*m.parameters, Parameter("C1")))
    with pytest.raises(ModelError, match="cannot be written"):
        write_phrase(replace(m, changes=()))


def test_a_long_chain_is_written():
    m = read_phrase("RX," + ",".join("TZK(L),RY(a,b)" for _ in range(2000)) + ";")
    text, notes = write_phrase(m)
    assert text.count("RY(a,b)") == 2000 and not notes
