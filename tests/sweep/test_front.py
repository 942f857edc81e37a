"""Fronts of several measures, and optima that are known in closed form."""

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("scipy")
pytest.importorskip("pyarrow")
FOUR = {
    "format": "dalembert/1", "name": "fourbar", "gravity": [0, -9.81, 0],
    "parameters": {"H1": 0.0, "H3": 0.0}, "active": ["crank"],
    "phrase": "[crank: RZ(), TXK(0.2), rod: RZ(), TXK(0.5)] [TXK(0.6), rocker: RZ(), TXK(0.4)]; "
    "body 1: M = 1, D = (0.1 + H1, 0, 0), I = (0, 0, 0.01); "
    "body 2: M = 2, D = (0.25, 0, 0), I = (0, 0, 0.02); "
    "body 3: M = 3, D = (0.2 + H3, 0, 0), I = (0, 0, 0.02);",
    "loops": [{"body_i": "rod", "point_i": [0.5, 0, 0], "body_j": "rocker",
               "point_j": [0.4, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
}  # fmt: skip
SLIDER = {
    "format": "dalembert/1", "name": "slidercrank", "gravity": [0, -9.81, 0],
    "parameters": {"H1": 0.0}, "active": ["crank"],
    "phrase": "[crank: RZ(), TXK(0.2), rod: RZ(), TXK(0.5)] [slider: TX()]; "
    "body 1: M = 1.5, D = (0.1 + H1, 0, 0), I = (0, 0, 0.01); "
    "body 2: M = 2, D = (0.25, 0, 0), I = (0, 0, 0.02); body 3: M = 3;",
    "loops": [{"body_i": "rod", "point_i": [0.5, 0, 0], "body_j": "slider",
               "point_j": [0, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
}  # fmt: skip
SLOW = {"joint_moves": [{"from": [0.0], "to": [5.0], "time": 1e4}], "samples": 40}


def test_a_four_bar_is_balanced_by_the_known_counterweights():
    # half the rod's mass hangs on each pin: the first moments of crank and rocker must cancel it
    m = da.load(FOUR)
    best = da.optimise(m, {"H1": (-0.5, 0.1), "H3": (-0.5, 0.1)}, task=SLOW, minimise="rms",
                       samples=64, starts=2)  # fmt: skip
    assert best.parameters["H1"] == pytest.approx(-(0.1 * 1 + 0.2 * 1) / 1, abs=2e-4)
    assert best.parameters["H3"] == pytest.approx(-(0.2 * 3 + 0.4 * 1) / 3, abs=2e-4)
    assert best.value < 1e-3


@pytest.mark.parametrize("first", [0.3, 2.0])
def test_closed_machines_move_from_where_the_task_says(first):
    m, move = da.load(FOUR), {"from": [first], "to": [first + 0.5], "time": 1.0}
    s = da.sweep(m, {"H1": [-0.1, 0.1]}, task={"joint_moves": [move], "samples": 400}, workers=1)
    for k, H1 in enumerate([-0.1, 0.1]):
        along = da.trajectory.quintic([first], [first + 0.5], 1.0)
        peak = np.abs(da.torques_along(m.with_values(H1=H1), along).tau).max()
        assert s.columns["peak"][k] == pytest.approx(peak, rel=1e-3)  # other samples of the motion


def test_a_slider_crank_is_balanced_by_the_known_counterweight():
    # the slider's half of the rod moves level: the crank carries its own moment and half the rod
    best = da.optimise(da.load(SLIDER), {"H1": (-0.6, 0.1)}, task=SLOW, minimise="rms", samples=32,
                       starts=2)  # fmt: skip
    assert best.parameters["H1"] == pytest.approx(-(0.1 * 1.5 + 0.2 * 1) / 1.5, abs=2e-4)


def test_the_best_gear_is_the_root_of_the_inertias():
    # force at the motor: (J/N + J_m N) q̈, least at N = sqrt(J / J_m)
    J, rotor = 2.0, 5e-4
    m = da.load({"format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 50.0},
                 "phrase": "RZ(), TXK(1); body 1: M = 0, I = (0, 0, 0);",
                 "drives": [{"joint": "j1", "Ia": f"{J}/N + {rotor}*N"}]})  # fmt: skip
    move = {"joint_moves": [{"to": [1.0], "time": 1.0}]}
    best = da.optimise(m, {"N": (5.0, 200.0)}, task=move, minimise="peak")
    assert best.parameters["N"] == pytest.approx(np.sqrt(J / rotor), rel=1e-4)


def test_a_front_is_that_of_a_fine_grid():
    m = da.load({"format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
                 "parameters": {"L1": 0.5, "L2": 0.4},
                 "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(L2); "
                 "body 1: M = 3*L1, D = (L1/2, 0, 0), I = (0, 0, L1^3/4); "
                 "body 2: M = 2 + 0.2/L2, D = (L2/2, 0, 0), I = (0, 0, L2^3/6);"})  # fmt: skip
    task = {"joint_moves": [{"to": [1.0, 0.5], "time": 0.8}], "samples": 40}
    ranges = {"L1": (0.2, 0.7), "L2": (0.1, 0.7)}
    front = da.optimise(m, ranges, task=task, minimise=["peak.j1", "peak.j2"],
                        subject_to=["rms <= 40"], points=5, samples=128)  # fmt: skip
    assert len(front) >= 3 and "Front of" in repr(front)
    v = front.values
    assert (np.diff(v[:, 0]) > 0).all() and (np.diff(v[:, 1]) < 0).all()
    s = da.sweep(m, ranges, task=task, measure=["peak", "rms"], plan="grid", samples=60, workers=1)
    a, b, ok = s.columns["peak.j1"], s.columns["peak.j2"], s.columns["rms"] <= 40
    for x, y in v:
        assert not ((a < 0.995 * x) & (b < 0.995 * y) & ok).any()
    pytest.importorskip("matplotlib")
    front.plot()


def test_wrong_goals_are_refused():
    with pytest.raises(da.UsageError, match="minimise names measures"):
        da.optimise(da.load(FOUR), {"H1": (-0.5, 0.1)}, task=SLOW, minimise=[])
