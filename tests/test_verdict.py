"""dalembert against the referee: 300 closed graphs, 63 linkages, 100 vehicles; none wrong.

Some thirty machines of all families run always, the others with the slow tests.
"""

import shutil

import numpy as np
import pytest

import dalembert as da
import peers
import referee
import verdict
from machines.graphs import closed_graph
from machines.linkages import PLANAR
from machines.spatial import SPATIAL
from machines.wheeled import wheeled

NAMED = PLANAR | SPATIAL
ALWAYS = (
    "scissors 2", "scissors 3", "three parallel cranks", "antiparallelogram", "Peaucellier", "Hart",
    "Stephenson II", "dead point", "scotch yoke", "geared five-bar", "Bennett", "RSSR",
)  # fmt: skip
slow = pytest.mark.slow


def some(all_of, always):
    """Return every parameter, slow but for a few."""
    return [p if p in always else pytest.param(p, marks=slow) for p in all_of]


@pytest.mark.parametrize("name", some(NAMED, ALWAYS))
def test_a_linkage_by_name(name):
    assert not verdict.judge(*NAMED[name]())


@pytest.mark.parametrize("seed", some(range(300), [*range(12, 20), 266]))
def test_a_closed_graph(seed):
    assert not verdict.judge(*closed_graph(seed), seed)


@pytest.mark.parametrize("seed", some(range(100), range(10)))
def test_a_vehicle(seed):
    assert not verdict.judge(*wheeled(seed), seed)


CODE = ["scissors 2", "five parallel cranks", "Peaucellier", "Jansen", "Bennett", "3-UPU", "RSCR"]


@pytest.mark.parametrize("name", some(CODE, CODE[:1]))
def test_exported_code(name, tmp_path):
    if shutil.which("gcc") is None:
        peers.absent("gcc")
    assert not verdict.exported(*NAMED[name](), tmp_path)


@slow
@pytest.mark.parametrize("make, seed", [(closed_graph, k) for k in range(0, 300, 23)] +
                         [(wheeled, k) for k in range(0, 100, 9)])  # fmt: skip
def test_exported_code_of_random_machines(make, seed, tmp_path):
    if shutil.which("gcc") is None:
        peers.absent("gcc")
    assert not verdict.exported(*make(seed), tmp_path, seed)


@pytest.mark.parametrize("name", ["five-bar", "crank-rocker", "scissors 2"])
def test_a_batch_mixes_assembly_branches(name):
    """States of all branches in one call, in any order, give what each gives alone."""
    data, q = NAMED[name]()
    m, rng, cases = da.load(data), np.random.default_rng(5), []
    for c in verdict.cases(data, q, seed=5, count=8):
        if c.tau is not None and referee.motors_suffice(data, c.q):
            cases.append(c)
    q, qd, qdd = (np.stack([getattr(c, k) for c in cases]) for k in ("q", "qd", "qdd"))
    order = rng.permutation(np.tile(np.arange(len(cases)), 4))
    found = da.inverse_dynamics(m, q[order], qd[order], qdd[order])
    wanted = np.stack([c.tau for c in cases])[order]
    assert found == pytest.approx(wanted, rel=1e-7, abs=1e-7 * np.abs(wanted).max())


# -- the judge itself --------------------------------------------------------------------------


def test_the_judge_sees_another_mass(monkeypatch):
    data, q = NAMED["five-bar"]()

    def heavier(data, **options):
        first, *rest = data["bodies"]
        return load(data | {"bodies": [first | {"mass": 1.001 * first["mass"]}, *rest]}, **options)

    load = da.load
    monkeypatch.setattr(verdict.da, "load", heavier)
    found = verdict.judge(data, q)
    for what in ("inverse", "forward", "hybrid", "batch", "kernel"):
        assert any(f"{what}: WRONG" in line for line in found), what


def test_the_judge_sees_a_refusal_and_an_answer_too_many():
    data, q = NAMED["five-bar"]()
    case = next(verdict.cases(data, q))
    assert "REFUSED" in verdict.asked("x", lambda: da.load("nothing"), 1.0, 1, case)[0]
    assert "ANSWERED" in verdict.asked("x", lambda: 1.0, None, 1, case)[0]
    assert "RAW" in verdict.asked("x", lambda: [][0], 1.0, 1, case)[0]


@pytest.mark.parametrize("name", some(NAMED, ALWAYS))
def test_the_referee_keeps_energy(name):
    """Power of the motors and of the weights is the rate of kinetic energy; it knows no rows."""
    data, q = NAMED[name]()
    for c in verdict.cases(data, q, count=2):
        if c.answer is None:
            continue
        s = referee.State(data, c.q, c.qd)
        step = 1e-5

        def energy(t, c=c, data=data):
            m = referee.read(data)
            moved = referee.shifted(m, c.q, t * c.qd + t * t / 2 * c.answer)
            x = referee.State(m, moved, c.qd + t * c.answer)
            return x.x @ x.mass @ x.x / 2 + verdict.potential(m, moved)

        rate = (energy(step) - energy(-step)) / (2 * step)
        power = c.push @ c.qd[s.motors]
        assert rate == pytest.approx(power, abs=1e-5 * (c.scale + abs(power)))
