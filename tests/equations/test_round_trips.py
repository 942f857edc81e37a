"""Equations after any chain of simplifications, as kernels and in every language: their numbers.

Compared is with `eq.evaluate`, which takes the polynomials term by term, to 1e-13 of the largest
sum of absolute terms of a joint: what rounding of any order of the sum can make.
"""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.compute.model import model_of
from dalembert.export.check import run, tool
from dalembert.export.unit import unit_of
from emitted import run_together, write
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


def golden_hold(eq, unit):
    """The golden vectors are the numbers of `eq.evaluate`; return the size of what is added."""
    entry = next(e for e in unit.entries if e.name == "inverse_dynamics")
    q, qd, qdd = (np.array([g.inputs[k] for g in entry.golden]).reshape(-1, eq.n) for k in range(3))
    wanted = np.array([g.outputs[0] for g in entry.golden]).reshape(-1, eq.n)
    size = largest(eq, q, qd, qdd)
    assert np.abs(eq.evaluate({}, q, qd, qdd) - wanted).max() <= 1e-13 * size
    return size / entry.size(0)


def rows_hold(rows, size):
    """A language gives the golden vectors."""
    found = [r for r in rows if r.quantity == "inverse_dynamics.tau"]
    assert found
    assert all(r.worst <= 1e-13 * size for r in found)


@pytest.mark.parametrize("seed", range(6))
def test_kernels_give_the_numbers(seed):
    kernel_holds(chain(seed), seed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_gives_the_numbers(language, tmp_path):
    if tool(language):
        pytest.skip(f"no {language}")
    eq = chain(len(language))
    unit = unit_of(model_of(eq, "round trip"), ["inverse_dynamics"])
    files = da.export(eq, ["inverse_dynamics"], language, tmp_path)
    rows_hold(run(language, files[0].parent, unit.id), golden_hold(eq, unit))


def test_what_is_exported_is_what_is_written_of_a_unit(tmp_path):
    eq = chain(1)
    unit = unit_of(model_of(eq, "round trip"), ["inverse_dynamics"])
    for language in LANGUAGES:
        da.export(eq, ["inverse_dynamics"], language, tmp_path / "exported" / language)
        write(unit, language, tmp_path / "written" / language)
    texts = [
        {p.relative_to(top): p.read_bytes() for p in top.rglob("*") if p.is_file()}
        for top in (tmp_path / "exported", tmp_path / "written")
    ]
    assert texts[0] == texts[1] and len(texts[0]) > len(LANGUAGES)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6, 106, 10))
def test_kernels_and_all_languages_give_the_numbers_of_a_hundred_robots(first, tmp_path):
    made = [chain(seed) for seed in range(first, first + 10)]
    for k, eq in enumerate(made):
        kernel_holds(eq, first + k)
    named = [replace(model_of(eq, "round trip"), name=f"robot{k}") for k, eq in enumerate(made)]
    units = [unit_of(m, ["inverse_dynamics"]) for m in named]
    sizes = [golden_hold(eq, unit) for eq, unit in zip(made, units, strict=True)]
    for language in LANGUAGES:
        if tool(language):
            continue
        places = [(tmp_path / language / unit.id, unit.id) for unit in units]
        for unit, (place, _) in zip(units, places, strict=True):
            write(unit, language, place)
        for rows, size in zip(run_together(language, places), sizes, strict=True):
            rows_hold(rows, size)
