"""Base parameters: as many as the regressor has rank, and tau = Y_b K phi."""

import json
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Rotation, Transform, Vec3
from dalembert.algorithms.base_parameters import _Guesses, _number, base_parameters
from dalembert.algorithms.energy import potential_energy
from dalembert.algorithms.regressor import energy_regressor, parameter_vector, regressor
from dalembert.expr import Graph
from dalembert.expr.exact import to_float
from dalembert.joint import UNITS, Planar, Prismatic, Revolute, Screw, Spherical
from dalembert.mechanism import Body, Drive, Mechanism, Parameter
from dalembert.read.mdh import read_dh
from mechanisms import random_mechanisms
from models import kinetic_energy
from symoro import rx90


def plain_mechanism(seed: int) -> Mechanism:
    """Trees of right angles: parallel axes, gravity along an axis, prismatic joints, drives."""
    rng = np.random.default_rng([77, seed])
    graph = Graph()
    kinds = [Revolute, Revolute, Revolute, Prismatic, Prismatic]
    kinds += [Screw] if seed % 5 == 0 else []
    bodies = []
    for j in range(int(rng.integers(1, 7))):
        kind = kinds[rng.integers(len(kinds))]
        axis = UNITS[2] if rng.random() < 0.7 else UNITS[rng.integers(3)]
        joint = Screw(axis, Fraction(1, 7)) if kind is Screw else kind(axis)
        if seed % 20 == 0 and rng.random() < 0.3:
            joint = [Planar(), Spherical()][rng.integers(2)]
        R = Rotation()
        if rng.random() < 0.4:
            R = Rotation.about(int(rng.integers(3)), graph.pi() * Fraction(int(rng.integers(4)), 2))
        elif rng.random() < 0.2:
            R = Rotation.about(int(rng.integers(3)), graph.pi() * Fraction(1, 3))
        p = [Fraction(int(rng.integers(1, 9)), 10) * int(rng.random() < 0.4) for _ in range(3)]
        parent = j - 1 if rng.random() < 0.75 else int(rng.integers(-1, j)) if j else -1
        bodies.append(Body(f"b{j}", parent, Transform(R, Vec3(*p)), joint))
    gravity = [Vec3(0, 0, 0), Vec3(0, 0, -10), Vec3(0, 0, -10), Vec3(3, 0, 4)][rng.integers(4)]
    drives = [Drive(j, 1) for j, b in enumerate(bodies) if b.joint.nv == 1 and rng.random() < 0.5]
    return Mechanism(tuple(bodies), f"plain({seed})", gravity, drives=tuple(drives))


def states(m: Mechanism, count: int, seed: int = 3) -> list[np.ndarray]:
    """Return q, qd, qdd of `count` states, (variables, states)."""
    rng = np.random.default_rng(seed)
    q = []
    for b in m.bodies:
        x = rng.uniform(-2, 2, size=(b.joint.nq, count))
        if b.joint.kind in ("spherical", "free"):
            x[-4:] /= np.linalg.norm(x[-4:], axis=0)
        q.append(x)
    return [np.concatenate(q), *rng.normal(size=(2, m.nv, count))]


def stacked(m: Mechanism, count: int, columns: str = "standard") -> np.ndarray:
    """Return the regressor at many states, one below the other."""
    Y = regressor(m.bound(), *(list(x) for x in states(m, count)), columns=columns)
    full = np.zeros((m.nv, len(Y[0]), count))
    for r, row in enumerate(Y):
        for c, x in enumerate(row):
            full[r, c] = x
    return full.transpose(2, 0, 1).reshape(-1, len(Y[0]))


def rank(Y: np.ndarray) -> int:
    """Return the numeric rank of columns brought to one size."""
    sizes = np.linalg.norm(Y, axis=0)
    Y = Y[:, sizes > 1e-9 * max(sizes.max(), 1e-300)]
    if not Y.size:
        return 0
    s = np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)
    return int((s > 1e-8 * s[0]).sum())


RANDOM = random_mechanisms(60, seed=5, dof=(1, 6), lengths={"metre": 1})
PLAIN = [plain_mechanism(k) for k in range(140)]


@pytest.mark.parametrize("m", RANDOM + PLAIN, ids=lambda m: m.name)
def test_as_many_base_parameters_as_the_regressor_has_rank(m):
    base = base_parameters(m)
    assert not base.notes
    Y = stacked(m, 25 * len(m.bodies) // m.nv + 15)
    assert len(base) == rank(Y)
    # the kept columns span all: Y = Y_b K
    K = np.array([[to_float(x) for x in row] for row in base.matrix]).reshape(len(base), -1)
    scale = np.abs(Y).max(initial=1.0) * max(1.0, np.abs(K).max(initial=1.0))
    assert np.abs(Y[:, list(base.kept)] @ K - Y).max(initial=0) < 1e-9 * scale


def test_grouping_of_the_rx90_is_that_of_symoro():
    base = base_parameters(rx90())
    assert len(base) == 36
    assert base.groups["ZZR1"] == "ZZ1+YY2+YY3+D3**2*(M3+M4+M5+M6)"
    assert base.groups["XXR2"] == "XX2-YY2-D3**2*(M3+M4+M5+M6)"
    assert base.groups["XXR3"] == "XX3-YY3+YY4+RL4**2*(M4+M5+M6)+2*RL4*MZ4"
    assert base.groups["XXR6"] == "XX6-YY6"
    assert "M1" in base.no_effect and "MZ2" in base.no_effect
    assert r"\mathit{XXR}_{6} = \mathit{XX}_{6}-\mathit{YY}_{6}" in base.latex()
    assert json.loads(json.dumps(base.json()))["base"][0]["name"] == "ZZR1"


def test_rotor_inertias_join_the_inertia_about_their_axis_where_it_feels_them_alone():
    m = rx90(drives=True)
    base = base_parameters(m)
    assert base.groups["ZZR1"].startswith("ZZ1+IA1")
    assert base.groups["ZZR2"].startswith("ZZ2+IA2")
    assert {"IA3", "IA4", "IA5", "IA6"} <= set(base.names)


@pytest.mark.parametrize("seed", range(40))
def test_symbolic_lengths_group_as_numeric_ones_do(seed):
    m = plain_mechanism(seed)
    graph = Graph()
    names, bodies = {}, []
    for j, b in enumerate(m.bodies):
        p = []
        for k, x in enumerate(b.placement.p):
            if x:
                names[f"L{j}{k}"] = 0.3 + 0.1 * len(names)
            p.append(graph.param(f"L{j}{k}") if x else 0)
        bodies.append(
            Body(b.name, b.parent, Transform(b.placement.R, Vec3(*p)), b.joint, b.inertia)
        )
    symbolic = Mechanism(
        tuple(bodies), m.name, m.gravity, tuple(map(Parameter, names)), drives=m.drives
    )
    base, numeric = base_parameters(symbolic), base_parameters(symbolic.with_values(**names))
    assert base.names == numeric.names and not base.notes
    for row, other in zip(base.matrix, numeric.matrix, strict=True):
        for x, y in zip(row, other, strict=True):
            assert to_float(x, names) == pytest.approx(to_float(y), abs=1e-12)


ODD = (
    [{}, {"alpha": "al2", "d": "D2"}, {"sigma": 1, "alpha": "al3"}, {"alpha": "al4"}],
    [{}, {"sigma": 1, "alpha": "al2", "d": "D2"}, {"alpha": "al3", "d": "D3"}],
    [{}, {"sigma": 1, "d": "D2"}, {"sigma": 1, "alpha": "al3", "gamma": "g3"}, {"alpha": "al4"}],
)


@pytest.mark.parametrize("rows", ODD)
def test_symbolic_angles_group_too(rows):
    m = read_dh(rows, name="odd").with_gravity((0, 0, "G"))
    values = {p.name: 0.3 + 0.17 * k for k, p in enumerate(m.parameters)}
    numbers = m.with_values(**values)
    base = base_parameters(m)
    assert not base.notes
    Y = stacked(numbers, 60)
    assert len(base) == rank(Y)
    K = np.array([[to_float(x, values) for x in row] for row in base.matrix])
    assert np.abs(Y[:, list(base.kept)] @ K - Y).max() < 1e-10 * np.abs(Y).max()


SIMPLE = {
    "a": lambda a, b, c: a,
    "-a*b": lambda a, b, c: -a * b,
    "a**2": lambda a, b, c: a * a,
    "-b/c": lambda a, b, c: -b / c,
    "a*b/c": lambda a, b, c: a * b / c,
    "a**2/b": lambda a, b, c: a * a / b,
    "1/c": lambda a, b, c: 1 / c,
}


@pytest.mark.parametrize("letters", ["a", "ab", "abc"])
def test_products_and_ratios_of_lengths_are_guessed_from_two_draws(letters):
    """The formula found holds for all other lengths too; what is no such product is not found."""
    graph, rng = Graph(), np.random.default_rng(4)
    bodies = [
        Body(f"b{k}", k - 1, Transform(Rotation(), Vec3(graph.param(x), 0, 0)), Revolute(UNITS[2]))
        for k, x in enumerate(letters)
    ]
    m = Mechanism(tuple(bodies), gravity=Vec3(0, 0, 0), parameters=tuple(map(Parameter, letters)))
    guesses = _Guesses(m, len(letters) - 1)
    for text, formula in SIMPLE.items():
        if set("abc") & set(text) <= set(letters):
            found = guesses.find([formula(*(_number(x, k) for x in "abc")) for k in range(2)])
            for values in rng.uniform(0.3, 2, (3, 3)):
                told = to_float(found, dict(zip("abc", values, strict=True)))
                assert told == pytest.approx(formula(*values), rel=1e-12), text
    assert guesses.find([0.123, 4.56]) is None


@pytest.mark.parametrize("name", ["stanford", "tx40", "ur5", "panda", "puma560"])
def test_known_robots_have_the_rank_of_their_regressor(name):
    m = getattr(da.robots, name)()
    assert len(da.base_parameters(m)) == rank(stacked(m, 60))


@pytest.mark.parametrize("m", random_mechanisms(8, seed=9, dof=(2, 8), massless=0), ids=str)
def test_energy_regressor_times_the_parameters_is_the_energy(m):
    numbers = m.bound()
    q, qd, _ = (list(x[:, 0]) for x in states(m, 1))
    E = energy_regressor(numbers, q, qd)
    energy = sum(e * p for e, p in zip(E, parameter_vector(numbers), strict=True))
    expected = kinetic_energy(numbers, q, qd)[0] + potential_energy(numbers, q)[0]
    assert energy == pytest.approx(expected, rel=1e-10, abs=1e-9)


def test_kernels_of_both_kinds_of_columns_give_the_torques():
    m = da.robots.puma560()
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 5, 6))
    tau = da.inverse_dynamics(m, q, qd, qdd, drives="all")
    numbers = m.bound()
    phi = np.array(parameter_vector(numbers, "all"))
    base = da.base_parameters(m, drives="all")
    Y = da.regressor(m, q, qd, qdd, drives="all")
    assert np.abs(Y @ phi - tau).max() < 1e-11 * np.abs(tau).max()
    Yb = da.regressor(m, q, qd, qdd, drives="all", columns="base")
    assert Yb.shape == (5, 6, len(base))
    phi_b = np.array([to_float(x) for x in base.values(numbers, "all")])
    assert np.abs(Yb @ phi_b - tau).max() < 1e-11 * np.abs(tau).max()
    E = da.energy_regressor(m, q, qd, columns="base")
    assert E.shape == (5, len(da.base_parameters(m)))


@pytest.mark.parametrize("drives", ["none", "inertia", "all"])
def test_base_parameters_count_the_drives_they_were_made_with(drives):
    m = da.robots.puma560()
    base = base_parameters(m, drives)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    Y = da.regressor(m, q, qd, qdd, drives=drives, columns="base")
    phi = np.array([to_float(x) for x in base.values(m.bound())])
    tau = da.inverse_dynamics(m, q, qd, qdd, drives=drives)
    np.testing.assert_allclose(Y @ phi, tau, atol=1e-11)
    other = "none" if drives != "none" else "all"
    with pytest.raises(da.UsageError, match="were made with"):
        base.values(m.bound(), other)
    with pytest.raises(da.UsageError, match="another mechanism"):
        base.values(da.robots.panda())


def test_unknown_drives_of_base_parameters_are_refused():
    with pytest.raises(da.UsageError, match="unknown drives"):
        base_parameters(da.robots.puma560(), "rotors")
