"""Bounds over boxes of postures, attacked in intervals of many digits: no rounding is forgiven."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx

import dalembert as da
from dalembert.algorithms import closed_form, newton_euler
from dalembert.equations.attained import search
from dalembert.equations.bound import bends, definite, examined, proven
from dalembert.equations.box import Box, box_of
from dalembert.equations.force import Force
from dalembert.equations.interval import interval
from dalembert.equations.postures import Domain, Postures
from dalembert.equations.waves import Basis, Waves
from dalembert.expr import Graph

MOTIONS = [(), (0,), (1,), (0, 0), (1, 1), (0, 1), (1, 2), (0, 2)]


@pytest.fixture(autouse=True)
def _digits():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def _sums(rng, linked):
    L = np.eye(3)
    if linked:
        L[1, 0] = rng.choice([1.0, -1.0])
        L[2] = [L[1, 0] * rng.choice([0, 1]), rng.choice([0, 1]), 1.0]
    return L


# ranges of the joints, ranges of rates and accelerations, amplitudes, and how much of 1 is slides
CASES = {
    "full turns": ([(-np.pi, np.pi)] * 3, (-2, 2), "plain", 0),
    "narrow limits": ([(-1, 0.5), (0.2, 0.9), (-2, 2)], (-2, 2), "plain", 0),
    "a turn beside limits": ([(-4, 4), (0.2, 0.9), (-2, 2)], (-1, 3), "plain", 0),
    "several periods": ([(3, 20), (-40, 2), (100, 101)], (-2, 2), "plain", 0),
    "no width": ([(0.3, 0.3), (2.7, 2.7), (-1e3, -1e3)], (1.5, 1.5), "plain", 0),
    "no width, cancelling": ([(0.3, 0.3), (2.7, 2.7), (1.1, 1.1)], (1.5, 1.5), "cancelling", 0),
    "no width, at zero": ([(0, 0)] * 3, (1.5, 1.5), "plain", 0),
    "hardly any width": ([(7, 7 + 1e-13), (2, 2 + 1e-9), (1, 1)], (1.5, 1.5 + 1e-15), "plain", 0),
    "cancelling": ([(-1, 0.5), (0.2, 0.9), (-2, 2)], (99, 101), "cancelling", 0),
    "huge ratios": ([(-4, 4)] * 3, (-2, 2), "ratios", 0),
    "slides": ([(-1, 0.5), (0.2, 0.9), (1000, 1001)], (-2, 2), "plain", 1),
    "a slide without width": ([(0.1, 0.1), (0.2, 0.2), (1000, 1000)], (3, 3), "plain", 1),
    "tiny numbers": ([(-1, 0.5), (0.2, 0.9), (-2, 2)], (-1e-3, 2e-3), "tiny", 0),
}


def _force(case, seed):
    """Return a force of random waves, and how to evaluate it in many digits."""
    ranges, rate, sizes, slides = CASES[case]
    rng = np.random.default_rng([seed, *map(ord, case)])
    turns = [True, True, not slides]
    linked = rng.random() < 0.6 and not slides
    postures = Postures(ranges, turns, _sums(rng, linked))
    count = int(rng.integers(4, 14))
    K = rng.integers(-2, 3, (count, 3)).astype(float)
    E = np.zeros((count, 3), dtype=np.int64)
    if slides:
        K[:, 2], E[:, 2] = 0, rng.integers(0, 3, count)
    a, b = rng.normal(size=(2, len(MOTIONS), count))
    if sizes == "cancelling":  # what is left is 1e-9 of the parts
        a[:, 1::2], b[:, 1::2] = -a[:, : 2 * (count // 2) : 2], -b[:, : 2 * (count // 2) : 2]
        K[1::2], E[1::2] = K[: 2 * (count // 2) : 2], E[: 2 * (count // 2) : 2]
        a *= 1 + 1e-9 * rng.normal(size=a.shape)
    if sizes == "ratios":
        a, b = (x * 10.0 ** rng.uniform(-12, 12, x.shape) for x in (a, b))
    if sizes == "tiny":
        a, b = a * 1e-290, b * 1e-305
    waves = Waves(postures, K, E, a, b, np.abs(a) + np.abs(b), np.zeros(len(a)), np.ones(len(a)))
    box = Box(tuple(ranges), (rate,) * 3, (rate,) * 3, {})
    force = Force(waves, MOTIONS, box)

    def exact(q, qd, qdd):
        """Return the force at a motion, an interval of many digits."""
        q = [arb(float(x)) for x in q]
        s = [sum((int(x) * y for x, y in zip(row, q, strict=True)), arb(0)) for row in
             postures.sums]  # fmt: skip
        total = arb(0)
        for p, m in enumerate(MOTIONS):
            w = arb(1)
            for j in m:
                w *= arb(float(qd[j] if len(m) == 2 else qdd[j]))
            for k in range(count):
                phase = sum((int(x) * y for x, y in zip(K[k], s, strict=True)), arb(0))
                front = w * q[2] ** int(E[k, 2]) if E[k, 2] else w
                wave = arb(float(a[p, k])) * phase.cos() + arb(float(b[p, k])) * phase.sin()
                total += wave * front
        return abs(total)

    return force, exact, rng


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_no_motion_passes_the_bound_of_waves(case, seed):
    force, exact, rng = _force(case, seed)
    found, motion = search(force)
    bound, found = proven(force, found, 40_000)
    ends = [np.array(r, dtype=float) for r in (force.box.q, force.qd, force.qdd)]
    tried = [motion]
    for _ in range(25):
        u = [rng.random(3) if rng.random() < 0.5 else np.round(rng.random(3)) for _ in ends]
        tried.append([np.clip(a + (b - a) * x, a, b)
                      for (a, b), x in zip((r.T for r in ends), u, strict=True)])  # fmt: skip
    top = max(exact(*x).lower() for x in tried)
    assert top <= arb(bound)
    # and it is not idle, but for what rounding hides; waves that cancel are one wave in equations
    if case != "cancelling":
        assert bound <= 1.5 * float(top) + 20 * force.slack
    if "no width" in case:
        assert bound <= float(top) + 4 * force.slack


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_of_one_wave_is_its_largest_value(seed):
    """|x sin(k q + p)| over a range: its peak if it has one there, else the larger of both ends."""
    rng = np.random.default_rng(seed)
    low = float(rng.choice([0.0, 1.0, -3.0, 40.0, 1e4]) + rng.normal())
    high = low + float(rng.choice([0.0, 1e-12, 1e-3, 0.3, 2.0, 6.0]) * rng.random())
    k, (a, b) = int(rng.integers(1, 4)), rng.normal(size=2)
    one = np.ones((1, 1))
    waves = Waves(Postures([(low, high)], [True], one), k * one, np.zeros((1, 1), dtype=np.int64),
                  a * one, b * one, (abs(a) + abs(b)) * one, np.zeros(1), np.ones(1))  # fmt: skip
    force = Force(waves, [()], Box(((low, high),), ((0, 0),), ((0, 0),), {}))
    bound, found = proven(force, search(force)[0], 40_000, close=1 + 1e-7)
    wave = [arb(a) * (k * arb(x)).cos() + arb(b) * (k * arb(x)).sin() for x in (low, high)]
    # peaks of a cos x + b sin x stand at atan2(b, a) and every half turn on
    peak = arb.atan2(arb(b), arb(a)) / arb.pi()
    turns = [k * arb(x) / arb.pi() - peak for x in (low, high)]
    inside = turns[0].floor() != turns[1].floor()
    largest = (arb(a) ** 2 + arb(b) ** 2).sqrt() if inside else max(map(abs, wave))
    assert largest <= arb(bound)
    assert bound <= float(largest) * (1 + 1e-6) + 10 * force.slack
    assert arb(found) <= largest + arb(force.slack)


@pytest.mark.parametrize("seed", range(10))
def test_the_part_that_holds_the_largest_value_says_so(seed):
    """Cosines in phase are largest at zero, Σ a, inside or at a limit: a part's corner too."""
    rng = np.random.default_rng(seed)
    ranges = [[(-4, 4), (0, 2.5), (-2.5, 0)][k * (seed > 4)] for k in rng.integers(0, 3, 3)]
    postures = Postures(ranges, [True] * 3, _sums(rng, all(r == (-4, 4) for r in ranges)))
    count = 1 + seed % 4
    K = rng.integers(0, 3, (count, 3)).astype(float)
    a = rng.random((1, count))
    waves = Waves(postures, K, np.zeros((count, 3), dtype=np.int64), a, 0 * a, a, np.zeros(1),
                  np.ones(1))  # fmt: skip
    force = Force(waves, [()], Box(tuple(ranges), ((0, 0),) * 3, ((0, 0),) * 3, {}))
    half = rng.random((500, 3)) * 10.0 ** rng.uniform(-3, 0, (500, 1))
    centre = half * rng.uniform(-1, 1, half.shape)  # each part holds zero
    centre[::2] = half[::2] * (1 - 1e-12)
    upper, _, kept = examined(force, Domain(postures, waves.steep.any(axis=0)), bends(force),
                              centre, half)  # fmt: skip
    assert len(kept) == 500
    assert (upper >= a.sum()).all()


@pytest.mark.filterwarnings("ignore:overflow")
def test_what_overflows_proves_nothing():
    force, _, _ = _force("full turns", 0)
    force.waves.a[0, 0] = 1e308
    force.waves.a[1, 0] = 1e308
    assert proven(force, 1.0, 1000)[0] == np.inf


# -- whole robots ----------------------------------------------------------------------------------

ROBOTS = {
    "parallel axes with limits": (
        "RY(-1,2),TZK(0.4),RX(-1.5,1),TZK(0.3),RX(-2,2),TZK(0.2),RX(0.2,0.9),TZK(0.1);",
        {"all": {"qd": 2, "qdd": (-1, 5)}},
    ),
    "a slide far out": (
        "RZ(),TZK(0.5),RY(-1,1),TX(30,30.5),TXK(0.1),RX(-7,9);",
        {"all": {"qd": (0.5, 2), "qdd": 5}},
    ),
    "a folded constant and no width": (
        "RX(),TYK(0.3),RX(),RXK(0.7),RX(),TYK(0.2),RZ(),TYK(0.1);",
        {"all": {"qd": (1, 1), "qdd": (2, 2)}, 1: {"q": (1, 1)}, 2: {"q": (100, 100)},
         3: {"q": (-2, -2)}, 4: {"q": (0.5, 0.5)}},
    ),
}  # fmt: skip


def _bodies(rng, n):
    return "".join(
        f"body {k}: M={rng.uniform(0.3, 5) * 8.0 ** (1 - k):.4g}, D=({rng.normal():.3f},"
        f"{rng.normal():.3f},{rng.normal():.3f}), I=({rng.uniform(0.4, 0.6) * 8.0 ** (1 - k):.4g},"
        f"{0.5 * 8.0 ** (1 - k):.4g},{rng.uniform(0.4, 0.6) * 8.0 ** (1 - k):.4g});"
        for k in range(1, n + 1)
    )


def _exact(mechanism, algorithm):
    """Return the forces of an algorithm as a function of a motion, in intervals of many digits."""
    graph, n = Graph(), mechanism.nv
    names = [[f"{x}_{k}" for k in range(n)] for x in ("q", "qd", "qdd")]
    state = [[graph.param(name) for name in row] for row in names]
    tau = algorithm(mechanism.bound(mechanism.values, graph), *state)

    def at(motion):
        known = {name: arb(float(x)) for row, xs in zip(names, motion, strict=True)
                 for name, x in zip(row, xs, strict=True)}  # fmt: skip
        return [interval(x, known) if hasattr(x, "graph") else arb(x) for x in tau]

    return at


@pytest.mark.parametrize("name", ROBOTS)
def test_no_motion_passes_the_bound_of_a_robot(name):
    phrase, limits = ROBOTS[name]
    rng = np.random.default_rng(list(map(ord, name)))
    m = da.load(phrase + _bodies(rng, 4))
    eq = da.equations(m)
    made = eq.prune({}, limits, 0.05)
    assert made.gone > 0
    full = _exact(m, newton_euler.newton_euler)
    short = _exact(made.equations.model, closed_form.inverse_dynamics)
    box = box_of(eq, {}, limits)
    motions = [*made.motions]
    ends = [np.array(r, dtype=float) for r in (box.q, box.qd, box.qdd)]
    for _ in range(40):
        u = [np.round(rng.random(4)) if rng.random() < 0.5 else rng.random(4) for _ in ends]
        motions.append([np.clip(a + (b - a) * x, a, b)
                        for (a, b), x in zip((r.T for r in ends), u, strict=True)])  # fmt: skip
    for motion in motions:
        off = [abs(a - b) for a, b in zip(full(motion), short(motion), strict=True)]
        assert all(x.lower() <= arb(b) for x, b in zip(off, made.bound, strict=True))
        if "no width" in name:
            assert all(float(x) >= b - 1e-9 * (1 + r) for x, b, r in
                       zip(off, made.bound, made.reference, strict=True))  # fmt: skip


def test_positive_definite_is_said_only_of_matrices_that_are():
    """A = 1 + c cos q1 + s sin(q1 + q2), 2 by 2: definite while its parts together are below 1."""
    said = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        postures = Postures([(-4, 4), (-4, 4)], [True, True], np.eye(2))
        K = np.array([[0.0, 0], [1, 0], [1, 1], [0, 2]])
        size = rng.uniform(0.1, 0.5)
        a = np.array([[1, *(size * rng.normal(size=3))], [0, *(size * rng.normal(size=3))],
                      [1, *(size * rng.normal(size=3))]])  # fmt: skip
        b = size * rng.normal(size=a.shape) * (K.any(axis=1))
        waves = Waves(postures, K, np.zeros((4, 2), dtype=np.int64), a, b, np.abs(a) + np.abs(b),
                      np.zeros(3), np.ones(3))  # fmt: skip
        grid = np.stack(np.meshgrid(*[np.linspace(-np.pi, np.pi, 241)] * 2), -1).reshape(-1, 2)
        v = waves.values(grid)
        least = np.linalg.eigvalsh(v[:, [0, 1, 1, 2]].reshape(-1, 2, 2))[:, 0].min()
        said.append(definite(waves, 2, 40_000))
        assert not (said[-1] and least <= 0)
        assert said[-1] or least < 0.01
    assert 5 < sum(said) < 35


def test_products_of_slides_are_largest_at_their_limits():
    eq = da.equations(da.load("RZ(), TX(), TZ(); body 2: M = 1; body 3: M = 1, D = (0.1, 0, 0);"))
    limits = {1: (-1, 2), 2: (-0.5, 0.25), 3: (1, 3)}
    box = box_of(eq, {}, {k: {"q": q, "qd": 1, "qdd": 1} for k, q in limits.items()})
    basis = Basis(eq, box)
    keys = [g.key for g in eq.ring.symbols.generators]
    slides = {key[1]: i for i, key in enumerate(keys) if key[0] == "q"}
    turn = next(i for i, key in enumerate(keys) if key[0] == "cos")
    for j, i in slides.items():
        top = max(map(abs, limits[j]))
        for power in (1, 2):
            assert basis._largest(((i, power),)) == pytest.approx(top**power, rel=1e-8)
            assert basis._largest(((i, power), (turn, 1))) >= top**power
    assert slides and basis._largest(((turn, 3),)) == 1


def test_ranges_hold_what_grows_with_a_slide():
    """VX2 = 0.6 + 3 q2 of the mass beyond a slide, and JZ2 with its square."""
    m = da.load(
        "RZ(), TXK(0.2), TX(), RY(), TXK(0.3); gravity = (0, -9.81, 0); "
        "body 1: M = 1, D = (0.1, 0.2, 0.3), I = (1, 1, 1); "
        "body 2: M = 2, D = (0.3, 0.1, 0.2), I = (1, 2, 2); "
        "body 3: M = 1, D = (0.1, 0.2, 0.3), I = (1, 1, 1);"
    )
    eq = da.equations(m)
    box = box_of(eq, {}, {"all": {"q": (-0.5, 0.5), "qd": 1, "qdd": 1}})
    keys = [g.key for g in eq.ring.symbols.generators]
    assert box.range_of(eq, keys.index(("V", 1, 0))) == pytest.approx((-0.9, 2.1))
    assert box.range_of(eq, keys.index(("V", 0, 0))) == pytest.approx((0.7, 0.7))
    low, high = box.range_of(eq, keys.index(("J", 1, 2, 2)))
    found = [2.2 + 1.2 * x + 3 * x * x for x in np.linspace(-0.5, 0.5, 501)]
    assert low == pytest.approx(min(found), rel=1e-3) and high == pytest.approx(max(found))


@pytest.mark.parametrize("seed", range(5))
def test_rates_that_are_tried_reach_at_least_the_best_corner(seed):
    """Of random forms in three rates without squares; limits not about zero."""
    rng = np.random.default_rng(seed)
    motions = [(0, 1), (1, 2), (0, 2)]
    box = SimpleNamespace(qd=[(-1.0, 2.0), (-2.0, 1.0), (-1.5, 1.5)], qdd=[(-1.0, 1.0)] * 3)
    force, f = Force(None, motions, box), rng.normal(size=(400, len(motions)))

    def value(qd):
        return sum(f[:, p] * qd[:, a] * qd[:, b] for p, (a, b) in enumerate(motions))

    reached = value(force._rates(f))
    for corner in product(*box.qd):
        assert (reached >= value(np.tile(corner, (400, 1))) - 1e-12).all()
    for qd in rng.uniform(*np.array(box.qd).T, (200, 3)):
        assert (reached >= value(np.tile(qd, (400, 1))) - 1e-12).all()


def test_limits_name_each_joint_once_and_names_go_before_numbers():
    arm = da.load("a: RZ(), TXK(1), b: RZ(), TXK(1); body 1: M = 1; body 2: M = 1;")
    every = {"q": 1, "qd": 1, "qdd": 1}
    assert box_of(da.equations(arm), {}, {"all": every, 2: {"qd": 3}}).qd[1] == (-3, 3)
    for twice in ({"b": {"qd": 3}, 2: {"qd": 1}}, {2: {"qd": 3}, "2": {"qd": 1}}):
        with pytest.raises(da.UsageError, match="'b' twice"):
            box_of(da.equations(arm), {}, {"all": every, **twice})
    with pytest.raises(da.UsageError, match="no joint 'c'"):
        box_of(da.equations(arm), {}, {"all": every, "c": {}})
    bodies = [{"name": n, "parent": k - 1, "mass": 1, "com": [0.1, 0, 0],
               "joint": {"type": "revolute", "name": n}} for k, n in enumerate("213")]  # fmt: skip
    numbered = da.load({"format": "dalembert/1", "name": "n", "bodies": bodies})
    limits = {"all": every, "1": {"qd": 5}, "2": {"qd": 7}, 3: {"qd": 9}}
    speeds = box_of(da.equations(numbered), {}, limits).qd
    assert [high for _, high in speeds] == [7, 5, 9]
    # a number is a number: joint 1 is the first, whatever its name
    box = box_of(da.equations(numbered), {}, {"all": every, 1: {"qd": 4}})
    assert [high for _, high in box.qd] == [4, 1, 1]
