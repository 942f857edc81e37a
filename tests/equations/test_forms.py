"""Other forms of the same equations: LaTeX, Markdown, JSON, dropped, neglected and ranked terms."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.equations.sections import whole
from printed import read_sum
from report_values import LIMITS, VALUES


@pytest.fixture(scope="module")
def eq():
    return da.equations(da.robots.report6r())


@pytest.mark.parametrize(
    "m", [da.robots.report6r(), da.robots.puma560(), da.load("RZ(),TX(),TXK(0.3),RYK(0.4),RZ();")]
)
def test_latex_is_well_formed(m):
    text = whole(da.equations(m).latex())
    assert text.count("{") == text.count("}")
    assert text.count(r"\left(") == text.count(r"\right)")
    assert text.count(r"\[") == text.count(r"\]")
    assert len(re.findall(r"\\begin\{", text)) == len(re.findall(r"\\end\{", text))
    # brackets are closed before a line ends
    for line in re.split(r"\\\\|\\\[|\\\]", text):
        assert line.count(r"\left(") == line.count(r"\right)")


def test_json_holds_the_terms(eq):
    data = json.loads(json.dumps(eq.json()))
    entry = next(x for x in data["A"] if x["index"] == [5, 5])
    assert entry["terms"] == [
        {"coefficient": "1", "factors": {"JX6": 1, "S6": 2}},
        {"coefficient": "1", "factors": {"JY6": 1, "C6": 2}},
    ]
    assert data["constants"]["VZ6"] == "D6*M6"
    assert data["symbols"]["C234"] == "cos(q2+q3+q4)"
    assert set(eq.json(["Q"])) & {"A", "B", "C", "constants"} == set()


def test_dropped_terms_are_those_printed(eq):
    less = eq.drop("A12:1,2 Q(2):3")
    before, after = read_sum(_right(eq, "A12")), read_sum(_right(less, "A12"))
    assert len(before) == 6 and len(after) == 4 and set(after) < set(before)
    assert {("L2", "VZ6", "C2", "S5"), ("L3", "VZ6", "S23", "S5")} == {
        tuple(sorted(m, key=lambda x: (x[0] not in "LV", x))) for m in set(before) - set(after)
    }
    assert less.A[1, 3].poly == eq.A[1, 3].poly
    assert less.B[1, 2, 3].poly == eq.B[1, 2, 3].poly
    assert "dropped" in less.text("report", ["Q"])
    for bad in ("A12:9", "X1:1", "A12", "A99:1"):
        with pytest.raises(da.UsageError):
            eq.drop(bad)


def _right(eq, name):
    lines = eq.text("report", ["A"]).replace("\n  ", "").splitlines()
    return next(x for x in lines if x.startswith(f"{name} = ")).partition(" = ")[2]


def test_neglecting_leaves_the_rest(eq):
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    zero = [0.0] * 6
    still = eq.neglect("velocity")
    assert_allclose(still.evaluate(VALUES, q, q, q), eq.evaluate(VALUES, q, zero, q))
    assert all(e.is_zero() for e in eq.neglect("coriolis").B)
    assert not all(e.is_zero() for e in eq.neglect("coriolis").C)
    assert all(e.is_zero() for e in eq.neglect("gravity").Q)
    with pytest.raises(da.UsageError, match="cannot neglect"):
        eq.neglect("friction")


def test_terms_are_ranked_by_their_largest_share(eq):
    found = eq.terms(VALUES, LIMITS)
    total = sum(len(e.terms("report")) for k in "QABC" for e in getattr(eq, k))
    assert len(found) == total
    shares = [x.share for x in found]
    assert shares == sorted(shares, reverse=True)
    # no term gives more than its bound
    rng = np.random.default_rng(0)
    for q in rng.uniform(-3.1, 3.1, size=(20, 6)):
        for x in found[:40]:
            if x.entry.startswith("Q("):
                entry = eq.Q[int(x.entry[2])]
                term = entry.terms("report")[x.number - 1]
                value = eq.ring.evaluate(eq.ring.sum([term]), eq.values(VALUES, list(q)))
                assert abs(value) <= x.force * (1 + 1e-12)
    with pytest.raises(da.ParameterError, match="L1"):
        eq.terms({}, LIMITS)
    with pytest.raises(da.UsageError, match="no limit of qd"):
        eq.terms(VALUES, {})


def test_freezing_equals_the_locked_mechanism(eq):
    locked = da.equations(da.robots.report6r().lock([4, 5, 6], at=0))
    frozen = eq.freeze({4: 0, 5: 0, 6: 0})
    for kind in "QABC":
        for a, b in zip(getattr(locked, kind), getattr(frozen, kind), strict=True):
            assert str(a) == str(b)
    assert frozen.n == 3
    wrist = eq.freeze({1: 0, 2: "t2", 3: "t3"})
    assert wrist.n == 3 and not wrist.Q[1].is_zero()


def test_condensed_sums_are_chosen_for_each_entry():
    m = da.load("RX(),TYK(L1),RY(),TXK(L2),TX(),TYK(L3),RX(),TYK(L4),TZK(H4),RX(),TYK(L5);")
    eq = da.equations(m)
    assert len(eq.A[1, 5].terms("report")) == 9
    assert len(eq.A[1, 5].terms("condensed")) == 7
    rng = np.random.default_rng(0)
    q = rng.normal(size=(50, 5))
    at = eq.values({p.name: rng.uniform(0.1, 2) for p in m.parameters}, list(q.T))
    for kind in "QABC":
        for entry in getattr(eq, kind):
            forms = [eq.ring.evaluate(entry.form(x), at) for x in ("report", "condensed")]
            assert_allclose(*forms, rtol=1e-11, atol=1e-11)
            assert len(entry.terms("condensed")) <= len(entry.terms("report"))


def test_coefficients_are_found_by_joint_names_too():
    eq = da.equations(da.load("one: RZ(), TXK(L1), two: RZ(), TXK(L2); gravity = (0, G, 0);"))
    assert eq.A["one", "two"].poly == eq.A[1, 2].poly
    assert eq.Q["two"].poly == eq.Q[2].poly
    with pytest.raises(da.ModelError, match="there is no joint 'three'"):
        eq.Q["three"]


def test_freezing_keeps_how_the_equations_were_made():
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2), RZ(), TXK(L3); gravity = (0, G, 0);")
    frozen = da.equations(m, full=True).freeze({3: 0})
    assert list(frozen.constants) == list(da.equations(m.lock([3]), full=True).constants)
    with pytest.raises(da.UsageError, match="dropped"):
        da.equations(m).drop("A12:1").freeze({3: 0.0})


def test_a_joint_held_at_a_number_leaves_numbers():
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2), RZ(), TXK(L3); gravity = (0, G, 0);")
    eq = da.equations(m).freeze({2: 0.3})
    text = eq.text("report", only=["constants"])
    assert "K1" not in text and "0.955336489125606" in text and "/" not in text
    assert max(map(len, text.splitlines())) <= 101


def test_a_joint_held_at_an_angle_leaves_a_named_pair():
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2), RZ(), TXK(L3); gravity = (0, G, 0);")
    eq = da.equations(m).freeze({2: "al"})
    used = [line for line in eq.text("report").split("\n") if "cos(" in line and line[0] != "#"]
    assert used == ["CK1 = cos(al)"]
    names = list(eq.constants)
    assert {"SK1", "CK1"} <= set(names) and not {"F1", "F2"} & set(names)
    assert names.index("CK1") < names.index("VX1")  # a name stands before its use
    values = {p.name: 0.3 + 0.1 * k for k, p in enumerate(m.parameters)}
    q, qd, qdd = [0.2, 0.3, -0.4], [0.5, 0.0, 0.7], [1.0, 0.0, -1.0]
    wanted = da.inverse_dynamics(m, q, qd, qdd, parameters=values)
    kept = [0, 2]
    found = eq.evaluate({**values, "al": 0.3}, *([x[k] for k in kept] for x in (q, qd, qdd)))
    assert_allclose(found, wanted[kept], atol=1e-12)


def test_terms_are_numbered_as_drop_counts_them():
    eq = da.equations(da.robots.planar2r())
    lines = eq.text(only=["terms"]).splitlines()
    assert "# A12:1  +VX2*l1*C2*qdd" in lines and "# A12:2  +JZ2*qdd" in lines
    assert str(eq.drop("A12:1").A[1, 2]) == "JZ2"
    assert eq.json(["terms"])["terms"][0] == "Q(1):1  +VX1*G*C1"


def test_a_kind_that_vanishes_is_one_line():
    eq = da.equations(da.robots.planar2r()).neglect("velocity")
    text = eq.text()
    assert "# B: all 2 are zero\n# C: all 4 are zero\n" in text and "B(1,1,2)" not in text
    assert "B(1,1,2) = 0\n" in eq.text("report")


def test_like_terms_of_constants_are_one():
    masses = "body 1: M = 1, D = (a/2, 0, 0); body 2: M = 2, D = (b/2, 0, 0);"
    eq = da.equations(da.load(f"RZ(), TXK(a), RZ(), TXK(b); gravity = (0, G, 0); {masses}"))
    for form in ("condensed", "report"):
        assert "VX1 = 2.5*a\n" in eq.text(form=form)
        assert "WX1 = 2.25*a**2\n" in eq.text(form=form)


def test_the_condensed_form_prints_the_constants_that_are_needed():
    eq = da.equations(da.robots.scara())
    text = eq.text()
    assert "\nJZ1 = " in text and "\nJX1 = " not in text
    assert re.search(r"\n# in no coefficient: VX1, VY1, .*\n#   .*JYZ4\n", text)
    # all of them where they are asked for, and in the report's own form
    for whole_text in (eq.text(only=["constants"]), eq.text("report")):
        assert "\nJX1 = XX1\n" in whole_text and "in no coefficient" not in whole_text
    assert "in no coefficient" in eq.latex() and "J_{X1}" not in eq.latex()


def test_a_sliding_body_given_about_its_origin_has_no_sum_w():
    eq = da.equations(da.robots.scara())
    assert not [n for n in eq.constants if n.startswith("W")]
    assert eq.constants["JX3"] == "XX3+2*q3*MZ3+q3**2*(M3+M4)"


def test_signs_and_equal_brackets_stand_once():
    m = da.load("RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);")
    Y = da.equations(m).regressor()
    assert str(Y[1, "MY2"]) == "G*S12-L1*(S2*(2*qdd1+qdd2)+C2*qd2*(2*qd1+qd2))"
    text = da.equations(da.robots.stanford()).text(only=["Q"])
    assert "T1 = VY5-VZ6\nQ(5) = -9.81*T1*(S2*S4*C5+C2*S5)\n" in text


def test_the_squares_of_a_sine_and_its_cosine_are_one_in_print():
    text = da.equations(da.robots.puma560()).text(only=["A"])
    assert "C4**2*(JX5+JX4+JX6*C5**2+JZ6*S5**2)" in text
    assert not re.search(r"S(\d+)\*\*2\+C\1\*\*2", text)
