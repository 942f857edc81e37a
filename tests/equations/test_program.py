"""The program form: named assignments, few operations, read by a reader of its own."""

import ast
import math
import operator
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import program_of
from dalembert.listing import listing_text

REPORT = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),RX(T4MIN,T4MAX),"
    "TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6); gravity = (0, G, 0);"
)
OPS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
       ast.Div: operator.truediv, ast.Pow: operator.pow}  # fmt: skip


def plain(text):
    bracket = re.compile(r"\b([QABC])\((\d+(?:,\d+)*)\)")
    return bracket.sub(lambda x: x[1] + "_" + x[2].replace(",", "_"), text)


class Reader:
    """Reads `name = expression` lines, and counts what they do."""

    def __init__(self, text, known):
        self.known, self.count = dict(known), 0
        for line in text.splitlines():
            if not line.startswith("#"):
                name, right = plain(line).split(" = ")
                assert name not in self.known, name
                self.known[name] = self.value(ast.parse(right, mode="eval").body)

    def value(self, x):
        if isinstance(x, ast.BinOp):
            self.count += 1
            return OPS[type(x.op)](self.value(x.left), self.value(x.right))
        if isinstance(x, ast.UnaryOp):
            return -self.value(x.operand)
        if isinstance(x, ast.Call):
            return getattr(math, x.func.id)(self.value(x.args[0]))
        return x.value if isinstance(x, ast.Constant) else self.known[x.id]


def machine(name):
    return da.load(REPORT) if name == "report" else getattr(da.robots, name)()


def read(eq, seed=1):
    m = eq.mechanism
    values = {p: 0.3 + 0.07 * k for k, p in enumerate(m.open_parameters)}
    values |= {k: float(v) for k, v in m.values.items()}
    q = np.random.default_rng(seed).uniform(-2, 2, eq.n)
    text = eq.text("program")
    reader = Reader(text, values | {f"q{j}": x for j, x in enumerate(q, 1)})
    exact = eq.coefficients(values, list(q))
    scale = max(1.0, *(abs(float(x)) for x in exact.values()))
    for kind in "QABC":
        for e in getattr(eq, kind):
            found = reader.known.get(plain(e.name), 0.0)
            assert abs(found - float(exact[kind, e.place])) <= 1e-12 * scale, e.name
    return text, reader


@pytest.mark.parametrize("name", ["report", "puma560", "stanford", "rx90"])
def test_a_reader_of_its_own_finds_the_coefficients_in_few_operations(name):
    m = machine(name)
    _, reader = read(da.equations(m))
    kernel = program_of(m, "lagrange_coefficients").cost
    ours = sum(c.mul + c.add for c in kernel.values())
    assert reader.count <= 1.1 * ours + len(m.bodies)


def test_the_names_are_those_of_the_equations():
    text, _ = read(da.equations(da.load(REPORT)))
    for line in ("VZ6 = M6*D6", "S234 = ", "A45 = ", "Q(2) = ", "B(1,3,4) = B(1,2,4)"):
        assert f"\n{line}" in text
    assert "# zero: Q(1) Q(6) A16" in text


@pytest.mark.parametrize(
    "change",
    [
        lambda eq: eq.freeze([3]).neglect("coriolis"),
        lambda eq: eq.drop("A11:1,2 Q(2):1"),
        lambda eq: eq.with_sign("section2"),
    ],
)
def test_simplified_equations_have_a_program_too(change):
    text, _ = read(change(da.equations(da.robots.puma560())))
    assert "A11 = " in text


def test_a_program_is_whole():
    with pytest.raises(da.UsageError, match="all coefficients"):
        da.equations(da.robots.planar2r()).text("program", only=["Q"])


def test_a_greek_name_stays_what_it_is_beside_its_spelling():
    m = da.load("TX(),RXK(λ1),RZ(),TXK(lamda1),RZ(),TXK(ω);")
    text = da.equations(m).text("program")
    assert "sin(λ1)" in text and "lamda1" in text and "lamda1_2" not in text
    listed = listing_text(m)
    assert "λ1" in listed and "lamda1_2" not in listed


def test_values_that_became_numbers_are_named():
    native = {"phrase": "RY(),TXK(L1),RX(),TYK(1);", "parameters": {"L1": 0.5}}
    text = da.equations(da.load({"format": "dalembert/1", **native})).text("program")
    assert "\n# as numbers: L1 = 0.5, G = -9.81\n" in text and "L1" not in text.split("zero")[1]
