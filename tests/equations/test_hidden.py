"""Terms that vanish although their formulas, in sums of angles, do not show it: C3, C34 and C4."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.joint import Revolute

MASS = "M={m}, D=(X{j},Y{j},Z{j}), I=(A{j},B{j},E{j});"
FIRST = (  # a slide, then axes of which two are parallel but for what stands between them
    "TX(), RZ(), RX(), RXK(A), RZ(), TYK(L);",
    "TY(), TYK(H), RZ(), TYK(L), RXK(A), RZ(), TZK(B), RX(), TYK(E);",
    "TZ(), TXK(H), RX(), RXK(0.7), RZ(), RZ(), TYK(L);",
)
LATER = (
    "RZ(), TXK(L), RX(), RXK(A), RZ(), TYK(B), TZK(E);",
    "RZ(), TXK(H), TX(), RX(), RXK(A), RZ(), TYK(L);",
    "RZ(), RXK(A), TZ(), TXK(L), RX(), RXK(B), RZ();",
)


def tree(phrase, turned=()):
    """Return a tree with a general body at its end; `turned` joints count the other way."""
    n = phrase.count("()")
    m = da.load(phrase + f" body {n}: " + MASS.format(m="M", j=n) + " gravity = (0, 0, G);")
    bodies = [
        replace(b, joint=Revolute(-b.joint.axis)) if j in turned else b
        for j, b in enumerate(m.bodies)
    ]
    return replace(m, bodies=tuple(bodies), checked=False)


def random_values(m, seed=3):
    rng = np.random.default_rng(seed)
    values = {p.name: rng.uniform(0.5, 1.5) for p in m.parameters}
    return values, rng.normal(size=(3, len(m.bodies), 4))


@pytest.mark.parametrize("turned", [(), (1,), (2,), (1, 2), (3,)])
@pytest.mark.parametrize("phrase", FIRST)
def test_the_speed_of_a_slide_that_comes_first_is_in_no_force(phrase, turned):
    """Galilei: B(i,1,k) = C(i,1) = 0, and no entry of the regressor has qd1."""
    m = tree(phrase, [j for j in turned if isinstance(tree(phrase).bodies[j].joint, Revolute)])
    eq = da.equations(m)
    for kind, at in (("B", 1), ("C", 1)):
        for place in eq.places(kind):
            if 1 in place[at:]:
                assert not len(eq.poly(kind, place)) and not len(eq.raw(kind, place)), place
    Y = eq.regressor()
    index = Y.ring.symbols.index["rate", 1]
    assert not any(Y.raw("Y", entry.place).degrees()[index] for entry in Y)


@pytest.mark.parametrize("turned", [(), (2,), (3,)])
@pytest.mark.parametrize("phrase", FIRST + LATER)
def test_every_term_in_the_rates_has_a_value(phrase, turned):
    """What a regressor and the equations have beside a product of rates is somewhere not zero."""
    plain = tree(phrase)
    m = tree(phrase, [j for j in turned if j < len(plain.bodies)
                      and isinstance(plain.bodies[j].joint, Revolute)])  # fmt: skip
    values, states = random_values(m)
    eq = da.equations(m)
    for kind in "BC":
        for entry in getattr(eq, kind):
            found = eq.ring.evaluate(entry.poly, eq.values(values, states[..., 0].T))
            assert entry.is_zero() == (np.abs(found).max() < 1e-12), entry.place
    Y = eq.regressor()
    at = Y.values(values, *(states[..., k] for k in range(3)))
    rates = [k for key, k in Y.ring.symbols.index.items() if key[0] in ("rate", "second")]
    for entry in Y:
        parts = {}
        for c, monomial in Y.ring.terms(entry.poly):
            beside = tuple(x for x in monomial if x[0] in rates)
            parts.setdefault(beside, []).append((c, monomial))
        for beside, terms in parts.items():
            found = Y.ring.evaluate(Y.ring.sum(terms), at)
            assert np.abs(found).max() > 1e-9, (entry.place, beside)
