"""Which reported constants there are, told from letters alone, beside those written out."""

import random

import pytest

import dalembert as da
from dalembert.equations.reported import of_letters
from dalembert.equations.symbols import TreeSymbols

FULL = "body {0}: M=M{0}, D=({1}), I=({2});"


def sentence(seed):
    chance = random.Random(seed)
    count = chance.randint(1, 5)
    parts, bodies = [], ""
    for j in range(1, count + 1):
        parts.append(f"R{chance.choice('XYZ')}()")
        parts += [f"T{u}K(L{u}{j})" for u in "XYZ" if chance.random() < 0.5]
        if chance.random() < 0.7:
            D = ",".join(chance.choice(("0", f"D{u}{j}")) for u in "XYZ")
            I = ",".join(chance.choice(("0", f"I{k}_{j}")) for k in range(6))
            bodies += FULL.format(j, D, I)
    return ",".join(parts) + ";" + bodies * chance.randint(0, 1)


@pytest.mark.parametrize("seed", range(40))
def test_letters_tell_what_the_written_constants_tell(seed):
    m = da.load(sentence(seed))
    symbols = TreeSymbols(m)
    assert symbols.letters == symbols._present()


@pytest.mark.parametrize(
    "other",
    [
        "RZ(),TXK(1/2),RZ(),TXK(L2);",  # a number
        "RZ(),TXK(L1),TX(),TYK(L2);",  # a slide
        "RZ(),TXK(L1); body 1: M=M1, D=(D,E,0), I=(A,B,C,M1*D*E,0,0);",  # a product of inertia
    ],
)
def test_anything_else_is_written_first(other):
    assert of_letters(da.load(other)) is None


def test_a_product_of_inertia_that_cancels_is_no_symbol():
    eq = da.equations(da.load("RZ(),TXK(L1); body 1: M=M1, D=(D,E,0), I=(A,B,C,M1*(D*E),0,0);"))
    assert "JXY1" not in eq.ring.symbols.names
