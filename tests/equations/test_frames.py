"""Constant rotations in closed forms: folded into sums of angles, numbers computed off line."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.equations.angles import CONSTANT
from dalembert.equations.condense import shortest


def agrees(m, eq, values=None, seed=1):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, 5, m.nv))
    wanted = da.inverse_dynamics(m, q, qd, qdd, parameters=values or {})
    assert_allclose(eq.evaluate(values, q, qd, qdd), wanted, rtol=0, atol=1e-11)
    k = da.compile(eq, "inverse_dynamics", parameters=list(values or {}))
    found = k(q, qd, qdd, parameters=values) if values else k(q, qd, qdd)
    assert_allclose(found, wanted, rtol=0, atol=1e-11)


def test_a_constant_rotation_joins_the_sum_of_parallel_joints():
    m = da.load("RX(),TYK(A),RX(),RXK(al),RX(),TYK(B);")
    eq = da.equations(m)
    text = eq.text("report")
    assert "C123a = cos(q1+q2+q3+al), S123a = sin(q1+q2+q3+al), a = al" in text
    assert "Q(3) = +G*(+C123a*VY3)" in text and "K1" not in text
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(m.open_parameters)}
    agrees(m, eq, values)
    s = eq.to_sympy()
    assert "al + q1 + q2 + q3" in str(s.Q[2])


def test_the_data_of_a_sum_of_angles_hold_the_angle_itself():
    """The letter of an index is no name: a parameter may be called a."""
    m = da.load("RX(),TYK(a),RXK(b),RX(),TYK(1),RXK(2*c),RX(),TYK(1);")
    symbols = da.equations(m).json()["symbols"]
    assert symbols["C23ab"] == "cos(q2+q3+b+(2*c))" and symbols["S2a"] == "sin(q2+b)"


def test_a_turn_passes_quarter_turns_to_its_joint():
    # Y(a) X(90 deg) = X(90 deg) Z(a)
    m = da.load("RZ(),TXK(A),RYK(al),RXK(90deg),RZ(),TXK(B);")
    eq = da.equations(m)
    text = eq.text()
    assert "K1" not in text
    assert "C2a" in text or "C2ma" in text
    agrees(m, eq, {name: 0.3 + 0.1 * k for k, name in enumerate(m.open_parameters)})


BODIES = "".join(
    f"body {k}: M={k}, D=(0.1,0.2,0.03), I=(0.1,0.2,0.25,0.01,0.02,0.03);" for k in range(1, 5)
)
SKEW = (
    "RZK(0.3),RXK(0.7),RZ(),TXK(0.3),RXK(0.4),RYK(0.5),TYK(0.2),RY(),TZK(0.1),RZK(0.9),RXK(1.1),"
    "RX(),TXK(0.4),RZK(0.2),RYK(0.35),RZ(),TXK(0.2);"
)


def as_matrices(m):
    """Return the mechanism with every placement as one matrix of floats."""
    from dataclasses import replace

    from dalembert.algebra import Mat3, Rotation, Transform
    from dalembert.expr.exact import to_float

    def placed(T):
        rows = [[to_float(x) for x in row] for row in T.R.matrix().rows]
        return Transform(Rotation.of(Mat3(*map(tuple, rows))), T.p.map(to_float))

    bodies = tuple(replace(b, placement=placed(b.placement)) for b in m.bodies)
    return replace(m, bodies=bodies, checked=True)


def test_a_robot_of_numbers_has_the_same_terms_in_every_description():
    from dalembert.read import write

    phrase = da.load(SKEW + BODIES)
    forms = [phrase, da.load(write(phrase, "urdf")[0]), as_matrices(phrase)]
    made = [da.equations(m) for m in forms]
    assert made[0].counts() == made[1].counts() == made[2].counts()
    assert made[0].counts()["A"] < 955
    for m, eq in zip(forms, made, strict=True):
        agrees(m, eq)


TWO = BODIES[: BODIES.index("body 3")]


def test_gravity_behind_fixed_rotations_is_a_constant_vector():
    head, tail = "RZK(0.3),RXK(0.7),RYK(0.2),", "RZ(),TXK(0.3),RZ(),TXK(0.2);"
    eq = da.equations(da.load(head + tail + TWO))
    straight = da.equations(da.load(tail + "gravity = (G, 0, 0);" + TWO))
    assert eq.counts()["Q"] <= straight.counts()["Q"]
    agrees(eq.mechanism, eq)


@pytest.mark.parametrize("seed", range(6))
def test_random_constant_rotations(seed):
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(3):
        for _ in range(rng.integers(0, 3)):
            angle = rng.choice(["90deg", "-90deg", "0.4", "-1.1", "180deg"])
            parts.append(f"R{rng.choice(list('XYZ'))}K({angle})")
        kind = "T" if rng.random() < 0.3 else "R"
        parts += [f"{kind}{rng.choice(list('XYZ'))}()", f"T{rng.choice(list('XYZ'))}K(0.3)"]
    m = da.load(",".join(parts) + ";" + BODIES[: BODIES.index("body 4")])
    agrees(m, da.equations(m), seed=seed)
    assert math.isfinite(da.equations(m).prune({}, {"all": {"q": 1, "qd": 1, "qdd": 1}}, 0.1).kept)


def test_a_constant_angle_between_a_lever_and_a_joint_folds_away():
    """cos(al)*cos(q2+al)+sin(al)*sin(q2+al) is cos(q2); the numbers are those of the kernels."""
    m = da.load("RZ(),RZK(al),TXK(L1),RZ(),RZK(be),TXK(L2),RZ(),TXK(L3); gravity=(0,G,0);")
    eq = da.equations(m)
    assert str(eq.A[2, 3]) == "VX3*L2*C3+JZ3" and str(eq.B[2, 1, 3]) == "-2*VX3*L2*S3"
    agrees(m, eq, {name: 0.3 + 0.1 * k for k, name in enumerate(m.open_parameters)})


def test_a_constant_angle_between_two_levers_folds_where_it_can():
    """L2*(sin(al)*sin(q2+al)+cos(al)*cos(q2+al)) is L2*cos(q2), beside L1*cos(q2+al)."""
    m = da.load("RZ(),TXK(L1),RZK(al),TXK(L2),RZ(),TXK(L3); gravity=(0,G,0);")
    eq = da.equations(m)
    assert str(eq.A[1, 2]) == "VX2*(L1*C2a+L2*C2)+JZ2"
    assert str(eq.B[1, 1, 2]) == "-2*VX2*(L1*S2a+L2*S2)"
    agrees(m, eq, {name: 0.3 + 0.1 * k for k, name in enumerate(m.open_parameters)})


@pytest.mark.parametrize("sentence", [
    "RX(),RXK(al),TYK(L1),RXK(be),TYK(L2),RX(),TYK(L3),RXK(-al),TZK(L4),RX(),TZK(L5);",
    "RZ(),RYK(al),TXK(L1),RZK(be),RY(),RYK(0.4),TXK(L2),RYK(ga),TZK(L4),RY(),TXK(L3);",
    "RZ(),TXK(L1),RZK(al),RXK(be),TXK(L2),RZ(),TXK(1),RZK(be),TYK(L7),RZ(),TXK(2);",
])  # fmt: skip
def test_what_folds_is_what_it_was(sentence):
    """The short form of each coefficient and the sums as they come: the same numbers."""
    eq, rng = da.equations(da.load(sentence)), np.random.default_rng(3)
    angles, values = {}, []

    def angle(j):
        return math.copysign(1, j) * angles.setdefault(abs(j), rng.uniform(-2, 2))

    for kind, *of in (g.key for g in eq.ring.symbols.generators):
        if kind in ("sin", "cos"):
            values.append(getattr(math, kind)(sum(angle(j) for j in of[0])))
        elif kind in ("sinK", "cosK"):
            values.append(getattr(math, kind[:3])(angle(CONSTANT + of[0])))
        else:
            values.append(rng.uniform(0.5, 2))

    def value(p):
        return sum(
            int(c.p)
            / int(c.q)
            * math.prod(x ** int(n) for x, n in zip(values, powers, strict=True))
            for powers, c in p.terms()
        )

    for entry in (*eq.A, *eq.B, *eq.C, *eq.Q):
        assert value(shortest(entry)) == pytest.approx(value(entry.raw), rel=1e-12, abs=1e-12)
