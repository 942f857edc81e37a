"""A log with a mistake in it is told: columns, signs, units, clocks, the model."""

import numpy as np
import pytest

import dalembert as da
from logged import moving, rubbed

pytest.importorskip("scipy")
N = ("j1", "j2")


@pytest.fixture(scope="module")
def log():
    """Return an arm in a vertical plane, and a log of it."""
    m = da.load("RZ(-3,3), TXK(1), RZ(-3,3), TXK(1); gravity = (0, -9.81, 0); "
                "body 1: M = 4, D = (0.5, 0, 0), I = (0, 0, 0.3); "
                "body 2: M = 2, D = (0.4, 0, 0), I = (0, 0, 0.2);")  # fmt: skip
    m = rubbed(m, 2.0, 1.0)
    t, q, qd, qdd = moving(m, 10, 100, size=0.8)
    tau = da.inverse_dynamics(m, q, qd, qdd, drives="all")
    tau = tau + 0.05 * np.random.default_rng(0).normal(size=tau.shape)
    table = {"t": t} | {f"q.{n}": q[:, k] for k, n in enumerate(N)}
    return m, table | {f"tau.{n}": tau[:, k] for k, n in enumerate(N)}


def jitter(t):
    return t + np.random.default_rng(1).uniform(-0.004, 0.004, len(t))


FAULTS = {
    "their sign may be turned: j1": lambda x: x | {"tau.j1": -x["tau.j1"]},
    "negative friction, as if time": lambda x: x | {"t": 20 - x["t"]},
    "j1 and j2 may be swapped": lambda x: x | {"tau.j1": x["tau.j2"], "tau.j2": x["tau.j1"]},
    "explains little of the forces of j1": lambda x: x | {"q.j1": x["q.j2"], "q.j2": x["q.j1"]},
    "a constant offset": lambda x: x | {"tau.j2": x["tau.j2"] + 100},
    "1e+03 times those of the nominal model": lambda x: x | {f"tau.{n}": 1e3 * x[f"tau.{n}"]
                                                             for n in N},
    "no friction of it: j2": lambda x: x | {"q.j2": 0 * x["q.j2"] + 0.3},
    "force of j2 never changes": lambda x: x | {"tau.j2": 0 * x["tau.j2"]},
    "the record may be clipped": lambda x: x | {"tau.j1": np.clip(x["tau.j1"], -9, 9)},
    "ms apart; if the clock": lambda x: x | {"t": jitter(x["t"])},
    "10 s apart; if their times are ms": lambda x: x | {"t": 1000 * x["t"]},
}  # fmt: skip


@pytest.mark.parametrize("told", FAULTS)
def test_a_mistake_in_a_log_is_told(log, told):
    m, table = log
    cutoff = None if "are ms" in told else 8.0
    f = da.identify(m, da.read_motion(FAULTS[told](table), m, cutoff=cutoff))
    assert any(told in n for n in f.notes), f.notes


def test_a_model_that_cannot_exist_is_refused_with_a_way_on(log):
    m, table = log
    d = da.read_motion(table | {"tau.j1": -table["tau.j1"]}, m, cutoff=8.0)
    with pytest.raises(da.ComputationError, match="no body can have: body 'j2': negative mass"):
        da.identify(m, d, consistent=False)


def test_a_log_without_mistakes_brings_no_doubt(log):
    m, table = log
    f = da.identify(m, da.read_motion(table, m, cutoff=8.0))
    assert [n for n in f.notes if "filtered alike" not in n] == []


def test_a_clock_that_goes_back_is_refused_and_late_samples_are_sorted(log):
    m, table = log
    t = table["t"].copy()
    t[500:] -= 3
    with pytest.raises(da.DescriptionError, match=r"goes back from 4.99 to 2 s at sample 501"):
        da.read_motion(table | {"t": t}, m)
    order = np.argsort(np.arange(len(t)) + np.random.default_rng(0).uniform(0, 3, len(t)))
    d = da.read_motion({n: x[order] for n, x in table.items()}, m)
    assert "out of order" in d.notes[0] and (np.diff(d.t) > 0).all()
