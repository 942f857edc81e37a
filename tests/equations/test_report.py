"""The equations printed in the 1980 report, and that its two misprints are misprints."""

from pathlib import Path

import pytest

import dalembert as da
from dalembert import robots
from printed import added, logical_lines, product, read_named, read_sum

PRINTED = logical_lines((Path(__file__).parent / "printed_report.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def eq():
    return da.equations(robots.report6r())


@pytest.fixture(scope="module")
def ours(eq):
    return logical_lines(eq.text("report"))


def resolved(lines, name):
    """Return the monomials of a line, other Q(i) in it written out."""
    total = read_sum(lines[name])
    while any("Q(" in x for m in total for x in m):
        ((inner,),) = [m for m in total if "Q(" in m[0]]
        total = added(added(total, {(inner,): 1}, -1), read_sum(lines[inner]), 1)
    return total


def test_every_printed_line_is_there(ours):
    assert set(PRINTED) <= set(ours)


@pytest.mark.parametrize("name", PRINTED)
def test_a_line_equals_the_printed_one(ours, name):
    assert resolved(ours, name) == resolved(PRINTED, name)


def test_gravity_of_parallel_joints_is_reused(ours):
    assert ours["Q(3)"] == "+G*(-C23*VZ3)+Q(4)"
    assert ours["Q(2)"] == "+G*(-S2*VY2)+Q(3)"


def test_constants_are_printed_word_for_word(ours):
    for name in PRINTED:
        if name[0] in "VWJ":
            assert ours[name] == PRINTED[name]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("A11", "JX6*C6*S5*S234*C6*S5*S234", "JX6*C6*S5*S234+C5*S5*S234"),  # E0.1
        ("A33", "2*VZ6*L3*(+C4*C5)", "2*VZ3*L3*(+C4*C5)"),  # E0.2
    ],
)
def test_the_uncorrected_print_is_wrong(ours, name, right, wrong):
    misprinted = PRINTED[name].replace(right, wrong)
    assert misprinted != PRINTED[name]
    assert read_sum(misprinted) != read_sum(ours[name])


def test_all_coefficients_are_there_zeros_included(ours):
    assert sum(name[0] == "A" for name in ours) == 21
    assert sum(name.startswith("B(") for name in ours) == 90
    assert sum(name.startswith("C(") for name in ours) == 36
    assert ours["A16"] == "0"


def test_long_sums_continue_with_two_blanks_and_an_operator(eq):
    for line in eq.text("report").splitlines():
        assert len(line) <= 100
        assert not line.startswith(" ") or (line.startswith("  ") and line[2] in "+-")


def test_every_output_states_its_conventions(eq):
    for text in (eq.text("report"), eq.text(), eq.latex(), eq.markdown()):
        for word in ("sign of Q", "gravity = ", "axes of its body"):
            assert word in text.replace("\\", "")
    for text in (eq.text("report"), eq.text()):
        assert "C234 = cos(q2+q3+q4), S234 = sin(q2+q3+q4)" in text
    # in LaTeX C_{23} is a coefficient, c_{23} a cosine
    for text in (eq.latex(), eq.markdown()):
        assert r"c_{234} = \cos(q_{2}+q_{3}+q_{4})" in text and "C234" not in text


def test_the_condensed_form_is_the_same_function(eq):
    # exactly: the difference is zero once every s² is 1 - c²
    text = logical_lines(eq.text())
    names = {name: i for i, name in enumerate(eq.ring.symbols.names)}
    for kind in "QABC":
        for entry in getattr(eq, kind):
            terms = []
            for monomial, c in read_named(text, text[entry.name]).items():
                powers = {names[x]: monomial.count(x) for x in monomial}
                terms.append((c, tuple(powers.items())))
            assert eq.ring.reduced(eq.ring.sum(terms) - entry.raw) == 0


def test_the_condensed_form_prints_what_repeats_once(eq):
    text = eq.text()
    lines = logical_lines(text)
    assert lines["B(1,3,4)"] == "B(1,2,4)" and lines["Q(3)"] == "Q(4)-VZ3*G*C23"
    assert lines["C(1,4)"] == "0.5*B(1,2,4)"
    rights = [right for right in lines.values() if right.count("*") > 1]
    assert len(rights) == len(set(rights))
    assert "# drop: Q(5):1 Q(4):1 Q(3):1-2" in text
    # 1175 products before; the report's own form has more than 2000
    assert text.count("*") < 460 < eq.text("report").count("*") / 4


def test_structure_of_the_robot_with_own_axis_inertias():
    m = da.load(
        robots.REPORT
        + "body 1: M=M1, D=(0,D1,0), I=(IX1,IY1,IZ1); body 2: M=M2, D=(0,D2,0), I=(IX2,IY2,IZ2);"
        "body 3: M=M3, D=(0,0,D3), I=(IX3,IY3,IZ3); body 6: M=M6, D=(0,0,D6), I=(IX6,IY6,IZ6);"
    )
    found = da.equations(m).structure()
    assert found.zero["A"] == ("A56",)
    assert found.nonzero["B"] == (69, 90)
    assert found.nonzero["C"] == (25, 36)
    assert da.equations(robots.report6r()).structure().nonzero["B"] == (69, 90)


def test_structure_agrees_with_the_expanded_coefficients(eq):
    for kind in "QABC":
        for entry in getattr(eq, kind):
            assert (eq.structure_of(kind, entry.place) == "zero") == entry.is_zero()


@pytest.mark.parametrize("second", ["RZ()", "TX()"])
@pytest.mark.parametrize("mass", [("M1", "D1", "M2", "D2"), ("2", "0.2", "1", "0.3")])
def test_sums_w_are_printed_where_inertias_are_about_the_origin(second, mass):
    """`I` or `IO`, letters or numbers, a joint that turns or slides: W is the same sum."""
    m1, d1, m2, d2 = mass
    phrase = "RZ(), TXK(L1), {}, TXK(L2); body 1: M={}, D=({}, 0, 0), {io}=(0, JA, JB); "
    phrase += "body 2: M={}, D=({}, 0, 0), {io}=(0, JC, JD);"
    texts = [da.equations(da.load(phrase.format(second, m1, d1, m2, d2, io=io))).text("report")
             for io in ("I", "IO")]  # fmt: skip
    first, other = (
        {name: read_sum(line) for name, line in logical_lines(text).items() if name[0] == "W"}
        for text in texts
    )
    assert first == other
    assert set(first) == {"WX1", "WX2"}


@pytest.mark.parametrize("axis", "XYZ")
def test_sums_w_of_what_slides_are_those_of_a_mass_at_its_place(axis):
    """M (r·r 1 - r rᵀ) with r = D + q: off the axis of the slide there are mixed moments too."""
    m = da.load(
        f"RZ(), TXK(L), T{axis}(); body 1: M=M1, I=(0,JA,JB); "
        "body 2: M=M2, D=(DX,DY,DZ), I=(IX,IY,IZ);"
    )
    lines = logical_lines(da.equations(m).text("report"))
    r = {u: {(f"D{u}",): 1} | ({("q2",): 1} if u == axis else {}) for u in "XYZ"}
    squares = {u: product(product(r[u], r[u]), {("M2",): 1}) for u in "XYZ"}
    for u, v, w in ("XYZ", "YZX", "ZXY"):
        assert read_sum(lines[f"W{u}2"]) == added(squares[v], squares[w], 1)
        mixed = product(product(r[u], r[v]), {("M2",): -1})
        assert read_sum(lines["W" + "".join(sorted(u + v)) + "2"]) == mixed
