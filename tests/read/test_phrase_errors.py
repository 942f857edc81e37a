"""A bad phrase is refused with its place, the line with a caret, the cause and a hint."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import DalembertError, DescriptionError
from dalembert.read.context import Context
from dalembert.read.phrase import read_phrase

CASES = [
    # text, line, column, part of the message, part of the hint
    ("RX(A,B),TZK(L)", 1, 15, "missing ;", "end with ;"),
    ("RX(A,B) gravity = (0,0,G);", 1, 9, "missing ; before gravity", "ends with ;"),
    ("RX; body 1: M=3 body 2: M=1;", 1, 17, "missing ; before body 2", "ends with ;"),
    ("RX; body 1: M=3 D=(0,0,1);", 1, 17, "missing , before D", "commas"),
    ("RX(A,B), FOO(L);", 1, 10, "unknown keyword 'FOO'", "RX RY RZ"),
    ("rx(A,B);", 1, 1, "unknown keyword 'rx'", "write RX"),
    ("RX(A,B),TWK(L);", 1, 10, "bad axis letter 'W'", "X, Y or Z"),
    ("ROTQ(A,B);", 1, 4, "bad axis letter 'Q'", "X, Y or Z"),
    ("R(A,B);", 1, 2, "no axis", "RX"),
    ("RX(A,B,TZK(L);", 1, 8, "missing ) before TZK", "column 3"),
    ("RX(A,B;", 1, 7, "missing ) before ;", "column 3"),
    ("RX(A,B", 1, 7, "missing ) at the end", "column 3"),
    ("RX A,B);", 1, 4, "missing , before A", "commas"),
    ("RX(A,B)),TZK(L);", 1, 8, "no ( for this )", "remove"),
    ("RX(A,B)(C,D);", 1, 8, "second bracket", "one bracket"),
    (",RX(A,B);", 1, 1, "leading comma", "remove"),
    ("RX(A,B),,TZK(L);", 1, 9, "double comma", "remove"),
    ("RX(A,B),;", 1, 9, "element is missing before ;", "remove the comma"),
    ("RX(,B);", 1, 4, "leading comma: a value", "number, a name"),
    ("RX(A,,B);", 1, 6, "double comma: a value", "number, a name"),
    ("RX(A,);", 1, 6, "value is missing before )", "number, a name"),
    ("RX(A);", 1, 3, "takes two limits, 1 is given", "RXK(value)"),
    ("RX(A,B,C);", 1, 3, "takes two limits, 3 are given", "RX(min, max)"),
    ("RX,TZK;", 1, 7, "takes one value, 0 are given", "TZK(L1)"),
    ("RX,TZK();", 1, 7, "takes one value, 0 are given", "TZK(L1)"),
    ("RX,TZK(A,B);", 1, 7, "takes one value, 2 are given", "TZ(min, max)"),
    ("RX[RY,RZ;", 1, 3, "this [ is never closed", "]"),
    ("RX],RZ;", 1, 3, "no [ for this ]", "remove"),
    ("RX[],RZ;", 1, 4, "empty branch", "elements"),
    ("RX[RY,],RZ;", 1, 7, "element is missing before ]", "remove the comma"),
    ("RX,[RY],RZ;", 1, 4, "must follow its element", "remove the comma before ["),
    ("gravity = (0,0,G); RX;", 1, 1, "statement comes before the phrase", "after its ;"),
    ("body 1: M=1; RX;", 1, 1, "statement comes before the phrase", "after its ;"),
    ("TZK(L);", 1, 1, "no joint", "RY("),
    (";", 1, 1, "no joint", "RY("),
    ("", 1, 1, "empty", "RY("),
    (" # only a remark\n", 1, 1, "empty", "RY("),
    ("a: RX, a: RY;", 1, 8, "duplicate name 'a'", "differ"),
    ("j2: RX, RY;", 1, 9, "duplicate name 'j2'", "j1, j2"),
    ("RX, TZK(3km);", 1, 10, "unknown unit 'km'", "deg, rad, m, mm"),
    ("RX, TZK(90deg);", 1, 11, "deg is a unit of angle", "m or mm"),
    ("RX(0, 3mm);", 1, 8, "mm is a unit of length", "deg or rad"),
    ("RX; body 1: M = 3mm;", 1, 18, "mm is a unit of length", "without a unit"),
    ("RX(2, 1);", 1, 4, "not in order", "smaller"),
    ("RX(1, 1);", 1, 4, "not in order", "smaller"),
    ("RX(pi, 90deg);", 1, 4, "not in order", "smaller"),
    ("RX, TZK(L/0);", 1, 10, "division by zero", "zero"),
    ("RX, TZK(1e999);", 1, 9, "number out of range", "1e300"),
    ("RX, TZK(٣);", 1, 9, "not a digit", "write 3"),
    ("RX, TZK(__import__('os'));", 1, 9, "begin with _", "letter"),
    ("RX, TZK(f(L));", 1, 9, "no function 'f'", "sqrt"),
    ("RX, TZK(os.system);", 1, 11, "dot", "number"),
    ('RX, TZK("L");', 1, 9, "quote", "without quotes"),
    ("RX, TZK(2 L);", 1, 11, "operator is missing", "*"),
    ("RX, TZK(G);", 1, 9, "G is a reserved name", "another"),
    ("RX(-G, G);", 1, 4, "name of gravity", "otherwise"),
    ("RX, TZK(C1);", 1, 9, "C1 is a reserved name", "another"),
    ("RX, RX, TZK(S12);", 1, 13, "S12 is a reserved name", "another"),
    ("RX, TZK(VY1);", 1, 9, "VY1 is a reserved name", "another"),
    ("RX, RY, TZK(A12);", 1, 13, "A12 is a reserved name", "another"),
    ("RXK(0.4), RX, TZK(CK1);", 1, 19, "CK1 is a reserved name", "another"),
    ("pi: RX;", 1, 1, "pi is a reserved name", "another"),
    ("RX, TZK(" + "1+" * 5001 + "1);", 1, 9, "more than 10000", "parameters"),
    ("RX, TZK(" + "(" * 101 + "1" + ")" * 101 + ");", 1, 109, "100 deep", "parameters"),
    ("RX; body 1: M=1; body 1: M=2;", 1, 18, "two statements", "in one"),
    ("RX; body 2: M=1;", 1, 10, "no body 2", "1 to 1"),
    ("RX; body 0: M=1;", 1, 10, "no body 0", "1 to 1"),
    ("RX; body arm: M=1;", 1, 10, "no body arm", "j1"),
    ("RX; body 1: M=-1;", 1, 15, "negative mass", "zero or more"),
    ("RX; body 1: M=1, I=(1,2,3,4);", 1, 20, "I has 4 entries", "xx, yy, zz"),
    ("RX; body 1: M=1, I=(1,2,3,4,5);", 1, 20, "I has 5 entries", "xx, yy, zz"),
    ("RX; body 1: D=(1,2);", 1, 15, "D has 2 entries", "D = (x, y, z)"),
    ("RX; body 1: D=1;", 1, 15, "D has 1 entries", "D = (x, y, z)"),
    ("RX; body 1: M=1, M=2;", 1, 18, "is given twice", "once"),
    ("RX; body 1: I=(1,1,1), IO=(1,1,1);", 1, 24, "is given twice", "not both"),
    ("RX; body 1: X=2;", 1, 13, "unknown field 'X'", "M = mass"),
    ("RX; body 1: M=2,, D=(0,0,0);", 1, 17, "field is missing", "remove the comma"),
    ("RX; gravity = (0,0);", 1, 15, "gravity has 2 entries", "(0, 0, G)"),
    ("RX; gravity = (0,0,1); gravity = (0,0,1);", 1, 24, "gravity is given twice", "once"),
    ("RX; wind = (0,0,1);", 1, 5, "'wind' begins no statement", "gravity"),
    ("RX; RY(A,B);", 1, 5, "'RY' begins no statement", "commas"),
    ("RX;;", 1, 4, "empty statement", "remove"),
    ("RX; gravity (0,0,G);", 1, 13, "not a gravity statement", "gravity = "),
    ("RX; body 1 M=3;", 1, 12, "not a body statement", "body 1: M"),
    ("RX TZK(L);", 1, 4, "missing , before TZK", "commas"),
    ("elbow: ,RX;", 1, 8, "joint or a constant is missing", "elbow: RX"),
    ("RX = 3;", 1, 4, "= has no place", "end the phrase"),
    ("RX, 3;", 1, 5, "'3' has no place", "RX(A1,B1)"),
    ("RX(A,B), # first\n  TZK(L),\n  FOO(1);", 3, 3, "unknown keyword 'FOO'", "RX RY RZ"),
    ("RX,\nTZK(L1\n+ $);", 3, 3, "'$' has no place", "numbers, names"),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"), CASES, ids=[c[0][:30] for c in CASES]
)
def test_a_bad_phrase_says_where_what_and_what_instead(text, line, column, message, hint):
    with pytest.raises(DescriptionError) as caught:
        read_phrase(text)
    error = caught.value
    assert message in error.message
    assert hint in error.hint
    assert str(error.where) == f"<phrase>:{line}:{column}"
    shown = str(error).splitlines()
    assert shown[0].startswith(f"<phrase>:{line}:{column}: ")
    if text.strip():
        assert shown[2].strip() == "^" and shown[3].startswith("  hint: ")


def test_the_source_is_named():
    with pytest.raises(DescriptionError, match=r"arm\.txt:1:3"):
        read_phrase("RX(A);", Context("arm.txt"))


@pytest.mark.parametrize(
    "text",
    [
        "RX(A1,B1),TZK(M1);",
        "RX(Q1MIN,Q1MAX);",
        "RX(C1,S1);",
        "RX,TZK(A12);",
        "RX,RY,TZK(C12);",
        "RX,TZK(VY2);",
        "RX,TZK(CK1);",
        "RX,TZK(VXX1);",
    ],
)
def test_names_that_this_model_does_not_print_are_free(text):
    assert read_phrase(text).bodies


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("RZ(),TXK(D1),RZ(),TXK(L3);", 10, "D1 is also the name of generated mass data of body j1"),
        ("RZ(),TXK(L),RZ(),TXK(IZ1);", 22, "IZ1 is also the name of generated mass data"),
        ("RZ(),TXK(q2),RZ(),TXK(L3);", 10, "q2 is a reserved name: the coordinate of joint 2"),
        ("RZ(),TXK(qd1),RZ(),TXK(L);", 10, "qd1 is a reserved name: the rate of joint 1"),
        ("RZ(),TXK(qdd2),RZ(),TXK(L);", 10, "qdd2 is a reserved name: the acceleration of joint"),
    ],
)
def test_names_never_mean_two_things(text, column, says):
    with pytest.raises(DalembertError) as raised:
        read_phrase(text)
    assert says in raised.value.message
    assert raised.value.where.column == column
    assert raised.value.hint


def test_a_length_called_like_a_mass_and_limits_called_like_mass_data_are_two_things():
    m = read_phrase("RX(A1,B1),TZK(M1);")
    assert {"M1", "M1_"} <= {p.name for p in m.parameters}
    assert m.bodies[0].inertia.mass.names() == ("M1_",)
    read_phrase("RZ(D1,IZ1),TXK(D2);")  # limits stand in no equation
    read_phrase("RZ(),TXK(q2);")  # there is no joint 2


VALID = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(-90deg,pi/2),e: TZK(120mm)[w: RZ,RXK(pi/3)],TZ(0,1),TZK(0.1);"
    " body 1: M=M1, D=(0,D1,0), I=(1,2,3); body w: M=2; gravity = (0, G, 0);"
)


def refused_or_read(text):
    try:
        read_phrase(text)
    except DalembertError as error:
        assert error.message
        assert error.where is not None


@given(st.text(max_size=60) | st.text("RTXYZK(),;[]:= 0123.LMD+-*/bodygravity\n#", max_size=80))
def test_any_text_is_read_or_refused(text):
    refused_or_read(text)


@given(st.integers(0, 10**9), st.integers(1, 4))
def test_any_change_of_a_good_phrase_is_read_or_refused(seed, count):
    pick = random.Random(seed)
    text = VALID
    for _ in range(count):
        at = pick.randrange(len(text))
        size = pick.choice([0, 1, 1, 3])
        new = pick.choice(["", "", *"RTXK(),;[]:=.#9'Ω\n", text[at : at + 5], "1e9", "body", "**"])
        text = text[:at] + new + text[at + size :]
    refused_or_read(text)
