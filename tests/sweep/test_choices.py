"""Choices among values in `optimise`: every combination counts, the rest is refined in each."""

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("scipy")
GEARED = da.load({
    "format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 50.0, "L": 0.5},
    "phrase": "RZ(), TXK(L); body 1: M = 0, I = (0, 0, 2 + (L - 0.4)^2);",
    "drives": [{"joint": "j1", "Ia": "0.0005*N^2 + 8/N^2"}],
})  # fmt: skip
MOVE = {"joint_moves": [{"from": [0.0], "to": [1.0], "time": 1.0}], "samples": 40}
RATIOS = [5.0, 8.0, 10.0, 12.0, 20.0]  # the best of all is (8 / 0.0005) ** 0.25 = 11.25


def inertia(n, length):
    return 2 + (length - 0.4) ** 2 + 5e-4 * n**2 + 8 / n**2


@pytest.mark.parametrize("given", [RATIOS, np.array(RATIOS), {"values": RATIOS}])
def test_the_best_of_some_values_is_found_with_the_rest_refined(given):
    best = da.optimise(GEARED, {"N": given, "L": (0.2, 0.9)}, task=MOVE, minimise="rms", samples=8)
    assert best.parameters["N"] == min(RATIOS, key=lambda n: inertia(n, 0.4)) == 12.0
    assert best.parameters["L"] == pytest.approx(0.4, abs=1e-3)
    assert best.exact
    own = np.ravel(da.mass_matrix(best.mechanism, [0.0]))
    assert own == pytest.approx(inertia(12.0, best.parameters["L"]), rel=1e-12)
    alone = da.optimise(
        GEARED.with_values(N=12.0), {"L": (0.2, 0.9)}, task=MOVE, minimise="rms", samples=8
    )
    assert best.value == pytest.approx(alone.value, rel=1e-12)
    assert best.evaluations > alone.evaluations


def test_values_alone_are_compared_with_expressions_and_limits():
    given = {"N": RATIOS, "L": [0.1, 0.3, 0.5, 0.7], "g": "L + 0.1"}
    m = da.load({
        "format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 1, "L": 1, "g": 1},
        "phrase": "RZ(), TXK(g); body 1: M = 0, I = (0, 0, 2 + (L - 0.4)^2);",
        "drives": [{"joint": "j1", "Ia": "0.0005*N^2 + 8/N^2"}],
    })  # fmt: skip
    best = da.optimise(m, given, task=MOVE, minimise="rms", subject_to=["reach >= 0.7"])
    assert best.parameters == {"N": 12.0, "L": 0.7, "g": pytest.approx(0.8)}
    s = da.sweep(m, given, task=MOVE, measure=["rms", "reach"], plan="grid", workers=1)
    kept = s.columns["reach"] >= 0.7
    assert best.value == pytest.approx(s.columns["rms"][kept].min(), rel=1e-12)
    largest = da.optimise(m, given, task=MOVE, maximise="reach")
    assert largest.parameters["L"] == 0.7
    with pytest.raises(da.ComputationError, match="keeps the constraints"):
        da.optimise(m, given, task=MOVE, minimise="rms", subject_to=["reach >= 99"])


@pytest.mark.parametrize("lengths", [(0.2, 0.9), [0.2, 0.4, 0.9]])
def test_a_front_may_hold_several_choices(lengths):
    given = {"N": RATIOS, "L": lengths}
    found = da.optimise(GEARED, given, task=MOVE, minimise=["rms", "reach"], samples=8, points=3)
    values = found.values
    assert (np.diff(values[:, 0]) > 0).all() and (np.diff(values[:, 1]) < 0).all()
    assert {d.parameters["N"] for d in found.designs} == {12.0}
    assert found[0].parameters["L"] == pytest.approx(0.4, abs=1e-2)
    assert found[len(found) - 1].parameters["L"] == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize(
    ("given", "said", "hint"),
    [
        ({"N": [5.0, 80.0]}, "may be a range or a choice", "(5.0, 80.0) is a range"),
        ({"N": np.array([5.0, 80.0])}, "may be a range or a choice", "(5.0, 80.0) is a range"),
        ({"N": "50"}, "no parameter varies", "(0.3, 0.8)"),
        ({"N": list(range(1, 99)), "L": (0.2, 0.9)}, "98 combinations of values", "fewer values"),
        ({"N": list(range(1, 99)), "L": list(range(1, 99))}, "9604 combinations", "a sweep"),
        ({"N": ["a", "b", "c"]}, "no numbers", ""),
    ],
)
def test_what_cannot_be_searched_says_what_to_write(given, said, hint):
    with pytest.raises(da.UsageError, match=said) as error:
        da.optimise(GEARED, given, task=MOVE, minimise="rms", samples=8)
    assert hint in error.value.hint
