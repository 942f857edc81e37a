"""Ranks over a finite field: exact counts of base parameters, against floats and other branches."""

import random
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
import peers
from dalembert.identify import field
from dalembert.identify.closed_base import EXACT, branch_of, closed_rows
from dalembert.identify.field_rank import exact_rank
from dalembert.mechanism import Drive

SYMORO = Path(__file__).parents[3] / "shared" / "peerdata" / "symoro"
LENGTHS = {"d2": 0.25, "d3": 0.75, "d4": 0.2, "r4": 0.9, "d8": 0.3, "G3": -9.81}


def float_rank(m, drives="inertia", seed=5):
    """Return the rank of all standard columns by singular values at other motions."""
    Y = closed_rows(m, drives, list(range(len(da.base_parameters(m.tree, drives).standard))), seed)
    size = np.linalg.norm(Y, axis=0)
    felt = size > 1e-9 * size.max()
    s = np.linalg.svd(Y[:, felt] / size[felt], compute_uv=False)
    return int((s > 1e-9 * s[0]).sum())


def test_the_field_has_its_roots_and_angles():
    two, three = field.Element(2).sqrt(), field.Element(3).sqrt()
    assert (two * two).n == 2 and (three * three).n == 3
    unit = field.fifteen_degrees()
    whole = unit * 24
    assert (whole.c.n, whole.s.n) == (1, 0)
    third = unit * 4  # 60 degrees
    assert (third.c * 2).n == 1
    rng = random.Random(3)
    for _ in range(20):
        a, b = field.random_angle(rng), field.random_angle(rng)
        assert (a.c * a.c + a.s * a.s).n == 1
        assert ((a + b).c - (a.c * b.c - a.s * b.s)).n == 0
        x = field.random_unit(rng)
        assert sum((y * y for y in x), field.Element(0)).n == 1
    assert field._residue(field.element(0.1)) * 10 % field.PRIME == 1


@pytest.mark.parametrize(
    ("name", "count"),
    [("fourbar", 8), ("fivebar", 11), ("parallelogram_arm", 18), ("differential_drive", 17)],
)
def test_counts_are_exact(name, count):
    m = getattr(da.robots, name)()
    base = da.base_parameters(m)
    assert len(base) == count == float_rank(m)
    assert base.notes[-1].endswith(EXACT)
    columns = list(range(len(base.standard)))
    assert {exact_rank(m, "inertia", columns, branch_of(m), seed) for seed in (2, 3)} == {count}


def test_what_a_field_cannot_say_is_left_to_floats():
    from dataclasses import replace

    assert exact_rank(da.robots.delta(), "inertia", [0, 1], branch_of(da.robots.delta())) is None
    m = da.robots.fourbar()
    rubbing = replace(m, drives=(Drive(0, 0.1, coulomb=(0.2, -0.2)),), checked=False)
    base = da.base_parameters(rubbing, "all")
    assert not base.notes[-1].endswith(EXACT) and len(base) == float_rank(rubbing, "all")


def sr400():
    file = SYMORO / "SR400.par"
    if not file.exists():
        peers.absent(file.name)
    return da.load(file)


def valued(m):
    rng = np.random.default_rng(1)
    known = {n: LENGTHS.get(n, round(float(rng.uniform(0.1, 2)), 3)) for n in m.open_parameters}
    return m.with_values(**known)


def test_the_sr400_is_a_parallelogram_in_letters():
    """Opposite sides of its loop stay parallel: rates follow with constants, lengths as letters."""
    eq = da.equations(sr400())
    text = eq.text()
    assert "q8 = q2-q7\nq3 = 1.5*pi+q7-q2\n" in text
    assert "qd3 = qd7-qd2\nqd8 = qd2-qd7\n" in text and not eq.loops.drifts
    assert [eq.G[3, 2], eq.G[3, 7], eq.G[8, 2], eq.G[8, 7]] == ["-1", "1", "1", "-1"]


def test_the_sr400_moves_as_its_kernels_say():
    m = valued(sr400())
    eq = da.equations(m)
    rng = np.random.default_rng(2)
    q = rng.uniform(-1, 1, (100, 8))
    q[:, 7], q[:, 2] = q[:, 1] - q[:, 6], 1.5 * np.pi + q[:, 6] - q[:, 1]
    qd, qdd = rng.normal(size=(2, 100, 8))
    found = eq.evaluate(None, list(q.T), list(qd.T), list(qdd.T))
    A, H = da.active_mass_matrix(m, q), da.active_bias(m, q, qd)
    for x, a in enumerate(eq.independent):
        for y, b in enumerate(eq.independent):
            if y >= x:
                own = found[eq.loops.name("Ac", a, b)]
                np.testing.assert_allclose(own, A[:, x, y], atol=1e-10 * np.abs(A).max())
        np.testing.assert_allclose(found[f"Hc{a}"], H[:, x], atol=1e-10 * np.abs(H).max())


def test_the_base_parameters_of_the_sr400():
    """43 with the rotors of its six motors: exact, and the rank at other motions.

    Khalil and Bennis, Symbolic calculation of the base inertial parameters of closed-loop robots
    (1995), treat this robot. Their table could not be had, so no published count stands here.
    """
    m = valued(sr400())
    base = da.base_parameters(m)
    assert len(base) == 43 == float_rank(m) and base.notes[-1].endswith(EXACT)
    assert len(da.base_parameters(m.tree)) == 55
