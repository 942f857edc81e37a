"""Records at a prompt: what one would write, every number in full under a key."""

from dataclasses import fields
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.algebra import Vec3
from dalembert.display import exactly
from dalembert.mechanism.parts import Drive

MACHINES = ["fourbar", "puma560", "stewart", "unicycle"]


def test_a_record_shows_what_is_not_usual():
    drive = Drive(joint=0, gear=Fraction(1, 3), viscous=Fraction(3, 200))
    assert repr(drive) == "Drive(joint=0, gear=1/3, viscous=0.015)"
    assert repr(Vec3(0, Fraction(1, 2), 2)) == "Vec3(0, 0.5, 2)"


@pytest.mark.parametrize("name", MACHINES)
def test_the_parts_of_a_machine_show_no_inside(name):
    m = getattr(da.robots, name)()
    text = repr([getattr(m, f.name) for f in fields(m) if f.repr])
    assert "Fraction(" not in text and "0x" not in text and "factors=" not in text


def test_close_numbers_have_different_keys():
    one, other = (Vec3(0, 0, Fraction(1, 3) + Fraction(k, 10**30)) for k in (0, 1))
    assert exactly(one) != exactly(other)
    a, b = (Vec3(0, 0, x) for x in (0.1, 0.1 + 2e-17 + 1e-17))
    assert exactly(a) != exactly(b)


def test_a_mechanism_with_another_number_has_another_digest():
    phrase = "RZ(), TXK(0.4); body 1: M = {}, D = (0.2, 0, 0);"
    digests = {da.load(phrase.format(x)).digest for x in ("1", "1.0000000000001", "2")}
    assert len(digests) == 3


def test_coefficients_are_typeset_in_a_notebook():
    eq = da.equations(da.robots.planar2r())
    assert r"A_{12} &= V_{X2}\,l_{1}\,c_{2}+J_{Z2}" in eq.A._repr_latex_()
    assert eq.with_sign("section3").neglect("gravity").Q._repr_latex_() == "$$Q = 0$$"
    held = eq.freeze({2: 0})
    assert "1 joint;" in repr(held) and "1 joint:" in repr(held.to_sympy())
    assert r"A &= \left[" in held.to_sympy()._repr_latex_()


def test_a_part_without_terms_is_said_to_have_none():
    eq = da.equations(da.load("RZ(), TXK(L1);"))
    assert "\\paragraph{Coriolis}\n\\noindent none\\par" in eq.latex(only=["B"])
    assert "## Centrifugal\n\n- none" in eq.markdown(only=["C"])


def test_the_ends_of_a_kernel_read_as_in_its_listing():
    k = da.compile(da.robots.scara(), "mass_matrix")
    assert repr(k.inputs) == "(q(4),)" and repr(k.outputs) == "(M(4, 4),)"
