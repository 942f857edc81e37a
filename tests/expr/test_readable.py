"""Numbers for people: as given, without the digits that rounding left."""

import re
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.expr.show import readable


@pytest.mark.parametrize("number, text", [
    (0.04**2, "0.0016"), (0.1 + 0.2, "0.3"), (Fraction(1, 3), "1/3"), (Fraction(2, 5), "0.4"),
    (0.24740395925452294, "0.24740395925452294"), (1 / 3, "0.3333333333333333"),
    (Fraction("0.24740395925452294") * 2, "0.4948079185090459"), (-1e-9, "-1e-09"), (12, "12"),
    (Fraction(12000000000000001, 450000000000000000), "0.02666666666666667"),
])  # fmt: skip
def test_a_number_is_as_short_as_it_was_meant(number, text):
    assert readable(number) == text
    assert float(Fraction(readable(number))) == pytest.approx(float(number), rel=1e-15)


def test_no_form_shows_what_rounding_left():
    joint = {"type": "revolute", "axis": [0, 0, 1]}
    slide = {"type": "prismatic", "axis": [1, 0, 0],
             "placement": {"translation": [0.1 * 3, 0.7 * 1.1, 0]}}  # fmt: skip
    own = {"com": [0.1 + 0.2, 0, 0], "inertia": [0.04**2, 0.1, 0.2]}
    m = da.load({"format": "dalembert/1", "name": "x", "bodies": [
        {"name": "a", "parent": -1, "mass": 0.1 + 0.2, "joint": joint, **own},
        {"name": "b", "parent": 0, "mass": 1.1 * 1.1, "joint": slide, **own},
    ]})  # fmt: skip
    eq, kane = da.equations(m), da.kane_form(m)
    from dalembert.tables import tables_text

    for text in (eq.text(), eq.text("report"), eq.latex(), eq.markdown(), kane.text(),
                 kane.latex(), str(kane.D), tables_text(m)):  # fmt: skip
        assert not re.search(r"\d0{7,}\d|9{8,}|\d{9,}/\d{9,}", text)
