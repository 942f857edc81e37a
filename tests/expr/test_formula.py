"""Formulas are trees; a style writes them, and lines break between summands of the tree."""

import random
from fractions import Fraction

import pytest

from dalembert.errors import Place
from dalembert.expr import Graph, cos, sqrt
from dalembert.expr.exact import to_float
from dalembert.expr.formula import Product, Sum, Symbol, formula, mapped, name, total
from dalembert.expr.style import (
    LATEX,
    REPORT,
    TEXT,
    latex_name,
    latex_width,
    pieces,
    text_lines,
    write,
)
from dalembert.read.expressions import expression


def parameters(*names):
    graph = Graph()
    return [graph.param(n) for n in names]


def test_brackets_around_one_term_are_those_of_the_report():
    alone = Sum((name("M2"),), signed=True)
    lever = Sum((name("D1") * name("M1"), name("L1") * Product(1, ((alone, 1),))))
    assert write(lever, REPORT) == "D1*M1+L1*(+M2)"
    assert write(lever, TEXT) == "D1*M1+L1*M2"
    assert write(lever, LATEX) == r"D_{1}\,M_{1}+L_{1}\,M_{2}"


@pytest.mark.parametrize(
    ("make", "text", "latex"),
    [
        (lambda a, b: a / b, "a/b1", r"\frac{a}{b_{1}}"),
        (lambda a, b: a / (a + b), "a/(a+b1)", r"\frac{a}{a+b_{1}}"),
        (lambda a, b: (a + b) / (a * b), "(a+b1)/(a*b1)", r"\frac{a+b_{1}}{a\,b_{1}}"),
        (lambda a, b: (a + b) ** 2, "(a+b1)**2", r"\left(a+b_{1}\right)^{2}"),
        (lambda a, b: a / 3, "(1/3)*a", r"\tfrac{1}{3}\,a"),
        (lambda a, b: cos(a) ** 2, "cos(a)**2", r"\cos^{2}(a)"),
        (lambda a, b: sqrt(a + b), "sqrt(a+b1)", r"\sqrt{a+b_{1}}"),
    ],
)
def test_fractions_powers_and_functions(make, text, latex):
    f = formula(make(*parameters("a", "b1")))
    assert write(f, TEXT) == text and write(f, LATEX) == latex


def test_the_numbers_of_a_sum_are_one():
    g = Graph()
    a, b = g.param("a"), g.param("b")
    for x, text in ((1 - a + 2, "3-a"), (a + 1 - 1, "a"), ((a + 2) * (b - 1 + 4), "(a+2)*(b+3)")):
        assert write(formula(x), TEXT) == text


def test_a_formula_of_numbers_is_a_number():
    assert formula(Fraction(1, 3)).number == Fraction(1, 3)
    assert write(formula(Fraction(1, 3)), TEXT) == "1/3"
    assert write(Sum(), TEXT) == "0" and total([Product(2), name("a"), Product(-2)]).terms == (
        name("a"),
    )


def random_expression(rng, leaves, depth):
    if depth == 0:
        return rng.choice([*leaves, *leaves, rng.randint(1, 9), Fraction(rng.randint(1, 9), 7)])
    a, b = (random_expression(rng, leaves, depth - 1) for _ in range(2))
    return rng.choice([lambda: a + b, lambda: a - b, lambda: a * b, lambda: a * b + a])()


@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_reads_back_as_the_same_number(seed):
    rng = random.Random(seed)
    names = ("a", "b1", "cx", "L_2")
    x = random_expression(rng, parameters(*names), 5)
    values = {n: rng.uniform(0.5, 2) for n in names}
    lines = text_lines("x", formula(x))
    assert all(len(line) <= 100 for line in lines)
    assert all(line.startswith(("  +", "  -")) for line in lines[1:])
    text = "".join(lines).removeprefix("x = ").replace(" ", "")
    assert text == write(formula(x), TEXT)
    read = expression(text, Graph(), Place("test"))
    assert to_float(read, values) == pytest.approx(to_float(x, values), rel=1e-9, abs=1e-9)


def test_a_line_ends_before_a_sign_of_the_tree_not_of_a_name():
    terms = tuple(Product(1e-7, ((Symbol(f"a-b{k}"), 1),)) for k in range(20))
    lines = text_lines("long", Sum(terms))
    assert len(lines) > 1 and all(line.count("a-b") == line.count("1e-07") for line in lines)


def test_long_products_open_their_brackets_in_latex():
    inner = Sum(tuple(name(f"alpha{k}", 2) for k in range(40)))
    parts = pieces(Sum((Product(-2, ((Symbol("V"), 1), (inner, 1))),)), LATEX)
    assert len(parts) == 40 and parts[0] == r"-2\,V\,\bigl(\alpha_{0}^{2}"
    assert parts[-1].endswith(r"\bigr)") and max(map(latex_width, parts)) < 60


def test_generators_get_their_symbols():
    one = Sum((Product(2, ((0, 1), (Sum((Product(1, ((1, 2),)), Product(-1))), 1))),))
    found = mapped(one, [Symbol("x"), Symbol("y")].__getitem__)
    assert write(found, TEXT) == "2*x*(y**2-1)"


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("VZ6", "V_{Z6}"), ("IY1", "I_{Y1}"), ("JXY12", "J_{XY12}"), ("DX3", "D_{X3}"),
        ("theta1", r"\theta_{1}"), ("θ1", r"\theta_{1}"), ("CK1", r"\mathit{CK}_{1}"),
        ("L_arm", "L_{arm}"), ("m", "m"), ("mass", r"\mathit{mass}"), ("IX", r"\mathit{IX}"),
        ("a b", r"\mathit{a b}"), ("x_θ", r"x_{{\theta}}"), ("x_é", r"x_{\text{é}}"),
    ],
)  # fmt: skip
def test_names_in_latex(text, latex):
    assert latex_name(text) == latex


def test_numbers_in_latex():
    assert write(formula(1.5e-9), LATEX) == r"1.5 \cdot 10^{-9}"
    assert write(formula(Fraction(10**30 + 1, 10**30)), TEXT) == "1"
    assert float(write(formula(Fraction(10**30, 7)), TEXT)) == pytest.approx(1e30 / 7, rel=1e-15)
