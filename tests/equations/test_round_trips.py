"""Equations after any chain of simplifications, as kernels and in every language: their numbers.

Compared is with `eq.evaluate`, which takes the polynomials term by term, to 1e-13 of the largest
sum of absolute terms of a joint: what rounding of any order of the sum can make.
"""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute.model import model_of
from dalembert.export.check import run, tool
from dalembert.export.unit import unit_of
from pruning import robot

LANGUAGES = ["c", "cpp", "python", "octave", "fortran", "rust", "casadi", "jax"]
LIMITS = {"all": {"qd": 1, "qdd": 2}}


def _freeze(eq, rng):
    if eq.n < 2:
        return eq
    if eq.changed:  # numbers of terms would be those of other equations
        with pytest.raises(da.UsageError, match="freeze first"):
            eq.freeze([1])
        return eq
    return eq.freeze({int(rng.integers(1, eq.n + 1)): float(rng.choice([0, 0.3]))})


def _neglect(eq, rng):
    return eq.neglect(str(rng.choice(["coriolis", "centrifugal", "gravity", "velocity"])))


def _drop(eq, rng):
    entries = [e for kind in "QABC" for e in getattr(eq, kind) if len(e.terms("report")) > 1]
    return eq.drop(f"{rng.choice([e.name for e in entries])}:1") if entries else eq


def _prune(eq, rng):
    return eq.prune({}, LIMITS, float(rng.choice([0.02, 0.1]))).equations


def _passive(eq, rng):
    try:
        return eq.prune({}, LIMITS, 0.1, keep="passive").equations
    except (da.UsageError, da.ComputationError):  # terms are gone, or A may be singular
        return eq


STEPS = [_freeze, _neglect, _drop, _prune, _passive]


def chain(seed):
    """Return equations after some simplifications in random order."""
    rng = np.random.default_rng([173, seed])
    eq = da.equations(robot(seed))
    for k in rng.permutation(len(STEPS))[: rng.integers(1, len(STEPS) + 1)]:
        eq = STEPS[k](eq, rng)
    return eq


def largest(eq, q, qd, qdd):
    """Return the largest sum of absolute terms of a joint, over some states."""
    ring, n = eq.ring, eq.n
    tau = np.zeros((len(q), n))
    values = [np.abs(x) for x in eq.values({}, list(q.T))]
    for kind in "QABC":
        for place in eq.places(kind):
            positive = ring.sum((abs(c), m) for c, m in ring.terms(eq.poly(kind, place)))
            x = ring.evaluate(positive, values) if len(positive) else 0.0
            i, *rest = (k - 1 for k in place)
            if kind == "A":
                tau[:, i] += x * np.abs(qdd[:, rest[0]])
                tau[:, rest[0]] += x * np.abs(qdd[:, i])
            else:
                speeds = {"Q": [], "B": rest, "C": rest * 2}[kind]
                tau[:, i] += x * np.prod([np.abs(qd[:, k]) for k in speeds], axis=0)
    return max(1e-300, float(tau.max()))


def kernel_holds(eq, seed):
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 20, eq.n))
    found = da.compile(eq, "inverse_dynamics")(q, qd, qdd)
    off = np.abs(found - eq.evaluate({}, q, qd, qdd)).max()
    assert off <= 1e-13 * largest(eq, q, qd, qdd)


def language_holds(eq, language, place):
    """The golden vectors are the numbers of `eq.evaluate`, and the language gives them."""
    unit = unit_of(model_of(eq, "round trip"), ["inverse_dynamics"])
    entry = next(e for e in unit.entries if e.name == "inverse_dynamics")
    q, qd, qdd = (np.array([g.inputs[k] for g in entry.golden]).reshape(-1, eq.n) for k in range(3))
    wanted = np.array([g.outputs[0] for g in entry.golden]).reshape(-1, eq.n)
    size = largest(eq, q, qd, qdd)
    assert np.abs(eq.evaluate({}, q, qd, qdd) - wanted).max() <= 1e-13 * size
    files = da.export(eq, ["inverse_dynamics"], language, place)
    rows = [r for r in run(language, files[0].parent, unit.id)
            if r.quantity == "inverse_dynamics.tau"]  # fmt: skip
    assert rows
    assert all(r.worst * entry.size(0) <= 1e-13 * size for r in rows)


@pytest.mark.parametrize("seed", range(6))
def test_kernels_give_the_numbers(seed):
    kernel_holds(chain(seed), seed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_gives_the_numbers(language, tmp_path):
    if tool(language):
        pytest.skip(f"no {language}")
    language_holds(chain(len(language)), language, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 106))
def test_kernels_and_all_languages_give_the_numbers_of_a_hundred_robots(seed, tmp_path):
    eq = chain(seed)
    kernel_holds(eq, seed)
    for language in LANGUAGES:
        if not tool(language):
            language_holds(eq, language, tmp_path / language)
