"""Ranks over a finite field: exact counts of base parameters, against floats and other branches."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
import peers
from dalembert.identify import field
from dalembert.identify.closed_base import EXACT, branch_of, closed_rows
from dalembert.identify.field_rank import exact_rank
from dalembert.mechanism import Drive, joint_name
from machines.linkages import PLANAR

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
    [
        ("fourbar", 8),
        ("fivebar", 11),
        ("parallelogram_arm", 18),
        ("differential_drive", 17),
        pytest.param("delta", 39, marks=pytest.mark.slow),
    ],
)
def test_counts_are_exact(name, count):
    m = getattr(da.robots, name)()
    base = da.base_parameters(m)
    assert len(base) == count == float_rank(m)
    assert base.notes[-1].endswith(EXACT)
    columns = list(range(len(base.standard)))
    assert {exact_rank(m, "inertia", columns, branch_of(m), seed) for seed in (2, 3)} == {count}


def test_what_a_field_cannot_say_is_left_to_floats():
    m = da.load(PLANAR["Stephenson III"]()[0])  # no closed form of its passive coordinates
    assert exact_rank(m, "inertia", [0, 1], branch_of(m)) is None
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
    """43 with the rotors of its file, 42 with those of its six motors: exact, and the rank.

    The file names a rotor on every joint; those of the two passive ones, 3 and 8, turn alike and
    are one parameter more. Khalil and Bennis, Symbolic calculation of the base inertial parameters
    of closed-loop robots (1995), treat this robot. Their table could not be had, so no published
    count stands here; the test below counts them in another way.
    """
    m = valued(sr400())
    assert len(da.base_parameters(m.tree)) == 55
    driven = [k for k, body in enumerate(m.bodies) if joint_name(body) in m.active]
    own = replace(m, drives=tuple(d for d in m.drives if d.joint in driven), checked=False)
    assert len(own.drives) == 6 and len(m.drives) == 8
    for robot, count in ((m, 43), (own, 42)):
        base = da.base_parameters(robot)
        assert len(base) == count == float_rank(robot) and base.notes[-1].endswith(EXACT)


def test_the_sr400_is_counted_rule_by_rule():
    """What each rule takes away, by hand: docs/loops.md, "Counted by hand"."""
    m = valued(sr400())
    base, tree = da.base_parameters(m), da.base_parameters(m.tree)
    # trees (Khalil and Dombre, chapter 9): YY, MZ, M of each revolute joint; link 1 about a
    # vertical axis keeps ZZ; rotors of joints 1, 2 and 7 join ZZ of their links
    assert len(base.standard) == 8 * 11
    assert len(tree) == 8 * 11 - 8 * 3 - 6 - 3 == 55
    # links that stay parallel have one tensor between them; YY went with the rule of trees
    tensors = {f"{x}{j}" for j in (7, 8) for x in ("XX", "XY", "XZ", "YZ", "ZZ")}
    before, after = (
        {f"{c.kind.upper()}{c.body + 1}" for c in (x.standard[k] for k in x.kept)}
        for x in (tree, base)
    )
    assert after < before and before - after == tensors | {"MX8", "IA8"}
    # MX of both coupled sides acts by the product of the same two velocities; rotors of joints 3
    # and 8 turn alike
    assert len(base) == len(tree) - len(tensors) - 1 - 1 == 43
    said = str(base)
    for line in ("XYR2 = XY2+XY8\n", "XZR3 = XZ3-YZ7\n", "IAR3 = IA3+IA8\n", "-0.4*MX8\n"):
        assert line in said


# the table of SR400.par: antecedent, alpha, d, r; frame 10 stands on link 3, turned by gamma
ANT = (0, 1, 2, 3, 4, 5, 1, 7, 8)
ALPHA = (0, -1, 0, -1, 1, -1, -1, 0, 0)
D = (0, 0.25, 0.75, 0.2, 0, 0, 0.25, -0.3, 0.75)
R = (0, 0, 0, 0.9, 0, 0, 0, 0, 0)


def frames(q):
    """Return rotation and origin of every frame of the SR400, by modified DH parameters."""
    T = [np.eye(4)]
    for a, alpha, d, r, x in zip(ANT, ALPHA, D, R, q, strict=True):
        c, s, ca, sa = np.cos(x), np.sin(x), np.cos(alpha * np.pi / 2), np.sin(alpha * np.pi / 2)
        own = [[c, -s, 0, d], [ca * s, ca * c, -sa, -r * sa], [sa * s, sa * c, ca, r * ca]]
        T.append(T[a] @ np.array([*own, [0, 0, 0, 1]]))
    return T


MOTORS = (1, 2, 4, 5, 6, 7)


def energies(q, qd, rotors):
    """Return coefficients of kinetic and potential energy: links 1 to 8, then these rotors."""
    T, w, v = frames(q), [np.zeros(3)], [np.zeros(3)]
    for j, a in enumerate(ANT, 1):
        spin = T[j][:3, 2] * qd[j - 1]
        v.append(v[a] + np.cross(w[a], T[j][:3, 3] - T[a][:3, 3]))
        w.append(w[a] + spin)
    moved, lifted = [], []
    for j in range(1, 9):
        R_j = T[j][:3, :3]
        x, y, z = R_j.T @ w[j]
        moved += [x * x / 2, x * y, x * z, y * y / 2, y * z, z * z / 2]
        moved += [*np.cross(R_j.T @ v[j], (x, y, z)), v[j] @ v[j] / 2]
        lifted += [0] * 6 + [*(9.81 * R_j[2]), 9.81 * T[j][2, 3]]
    turned = [qd[k - 1] ** 2 / 2 for k in rotors]
    return np.array([*moved, *turned]), np.array([*lifted, *[0] * len(turned)])


@pytest.mark.parametrize(("rotors", "count"), [(MOTORS, 42), ((*MOTORS, 3, 8), 43)])
def test_the_base_parameters_of_the_sr400_from_its_energy(rotors, count):
    """The same count by another way: plain energies of the DH table, no model of ours.

    Parameters act on no motor where they change neither the kinetic energy of closed motions nor
    the slope of the potential one.
    """
    rng, rows = np.random.default_rng(8), []
    first = None
    for _ in range(120):
        q, qd = rng.uniform(-1, 1, 9), rng.normal(size=9)
        # opposite sides of the loop 2, 3, 8, 7 stay parallel
        q[7], q[2] = q[1] - q[6], 1.5 * np.pi + q[6] - q[1]
        qd[7], qd[2] = qd[1] - qd[6], qd[6] - qd[1]
        T = frames(q)
        end = T[3] @ [0, -0.3, 0, 1]
        assert np.abs(T[9][:3, 3] - end[:3]).max() < 1e-12
        moved, lifted = energies(q, qd, rotors)
        first = lifted if first is None else first
        rows += [moved, lifted - first]
    Y = np.array(rows)
    size = np.linalg.norm(Y, axis=0)
    felt = size > 1e-9 * size.max()
    s = np.linalg.svd(Y[:, felt] / size[felt], compute_uv=False)
    assert s[count - 1] > 1e-4 * s[0] and s[count:].max() < 1e-12 * s[0]
