"""The ring of closed forms: slopes, reductions, sums of angles that depend on each other."""

import pytest

import dalembert as da
from dalembert.equations.angles import CONSTANT
from dalembert.equations.ring import _dependent

PLANAR = "RX(),TYK(A),RX(),TYK(B),RX(),TYK(E);"
SLIDING = "RZ(),TXK(A),TZ(),RZ(),TXK(B),RY(),TZK(E);"


def symbols(eq):
    return dict(zip(eq.ring.symbols.names, eq.ring.gens, strict=True))


@pytest.mark.parametrize(
    ("text", "tied"),
    [
        ("C1*C2-C12", True),
        ("C12*C3-S12*S3-C123", True),  # three sums of three joints, and yet they depend
        ("C1*C3+C123*S23", True),
        ("C12*C23+S123", False),
        ("C1*C12+S1", False),
        ("A*B", False),
    ],
)
def test_angle_sums_that_depend_on_each_other_are_found(text, tied):
    eq = da.equations(da.load(PLANAR))
    g = symbols(eq)
    p = eq.ring.zero
    for part in text.replace("-", "+-").split("+"):
        term = eq.ring.one * (-1 if part.startswith("-") else 1)
        for name in part.lstrip("-").split("*"):
            term = term * g[name]
        p = p + term
    assert eq.ring.entangled(p) is tied


@pytest.mark.parametrize("phrase", [PLANAR, SLIDING])
def test_reduced_slopes_are_the_slopes_reduced(phrase):
    eq = da.equations(da.load(phrase))
    ring = eq.ring
    squares = [s for s, _, _ in ring.circles]
    for place in eq.places("A"):
        for k in range(eq.n):
            p = eq.poly("A", place)
            found = ring.reduced_slope(p, k)
            assert found == ring.reduced(ring.slope(p, k))
            assert all(found.degrees()[s] < 2 for s in squares)


def test_slopes_and_reductions_are_those_of_sines_and_cosines():
    eq = da.equations(da.load(PLANAR))
    ring, g = eq.ring, symbols(eq)
    S1, C1, S12, C12, A = (g[name] for name in ("S1", "C1", "S12", "C12", "A"))
    assert ring.zero == 0 and ring.reduced(ring.zero) == 0
    assert ring.reduced(A * S1**2) == A - A * C1**2
    p = A * C1 + S1 * S12
    assert ring.slope(p, 0) == -A * S1 + C1 * S12 + S1 * C12
    assert ring.slope(p, 1) == S1 * C12 and ring.slope(A * C1, 0) == -A * S1
    assert ring.slope(p, 2) == 0
    assert ring.reduced_slope(S1 * C1, 0) == 2 * C1**2 - 1


def test_the_sum_of_two_angles_depends_on_them():
    eq = da.equations(da.load("RX(),TYK(A),RX(),TYK(B);"))
    g = symbols(eq)
    assert eq.ring.entangled(g["C1"] * g["C2"] - g["C12"])
    assert not eq.ring.entangled(g["C1"] * g["C12"])


def test_sums_of_angles_depend_where_they_are_more_than_their_joints():
    constant = CONSTANT + 1  # an angle that does not move
    for sums in ([], [(1,)], [(1,), (2,)], [(1,), (1, 2)], [(1, 2), (2, 3)], [(1, constant), (2,)]):
        assert not _dependent(sums)
    for sums in ([(1,), (1, constant)], [(1,), (2,), (1, 2)], [(1,), (-2,), (1, -2)],
                 [(1, 2), (3,), (1, 2, 3)]):  # fmt: skip
        assert _dependent(sums)
