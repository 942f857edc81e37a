"""A log with a mistake in it is told: columns, signs, units, clocks, the model."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Transform
from dalembert.identify.mistakes import mistakes
from logged import honest, moving, rubbed

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


ELBOW = (
    "RZ(), TXK(0.3), a: RX(), TZK(1), b: RX(), TZK(0.8); "
    "body 1: M = 4, D = (0.1, 0, 0), I = (0.1, 0.1, 0.3); "
    "body 2: M = 5, D = (0, 0.02, 0.5), I = (0.4, 0.4, 0.02); "
    "body 3: M = 2, D = (0, 0.05, 0.3), I = (0.1, 0.1, 0.01);"
)


def elbow_log(seed):
    """Return an arm without limits, so that no angle looks too large, and an honest log of it."""
    m = rubbed(da.load(ELBOW), 2.0, 1.0)
    t, q, qd, qdd = moving(m, 20, 100, seed=seed, size=0.5)
    return m, honest(m, t, q, da.inverse_dynamics(m, q, qd, qdd, drives="all"), seed=seed)


def every(table, change):
    return table | {n: change(x) for n, x in table.items() if n.startswith("q.")}


POSITIONS = {
    "a and b may be swapped: map a=q.b,b=q.a;": lambda x: x | {"q.a": x["q.b"], "q.b": x["q.a"]},
    "b may have the other sign: map b=q.b:-;": lambda x: x | {"q.b": -x["q.b"]},
    "a may count positions and forces the other way":
        lambda x: x | {"q.a": -x["q.a"], "tau.a": -x["tau.a"]},
    "may be degrees: map j1=q.j1:deg and so on;": lambda x: every(x, np.rad2deg),
    "radians that were read as degrees": lambda x: every(x, np.deg2rad),
    "the zero of a may be off by 0.": lambda x: x | {"q.a": x["q.a"] - 0.2},
}  # fmt: skip


@pytest.mark.parametrize("told", POSITIONS)
def test_a_mistake_in_the_positions_is_found_by_its_residual(told):
    m, table = elbow_log(0)
    f = da.identify(m, da.read_motion(POSITIONS[told](table), m, cutoff=10.0))
    assert any(told in n for n in f.notes), f.notes


def test_a_mend_names_the_columns_of_the_log():
    m, table = elbow_log(0)
    heads = {"a": "Winkel, links", "b": "Winkel rechts"}
    log = {{f"q.{n}": h for n, h in heads.items()}.get(k, k): x for k, x in table.items()}
    turned = log | {heads["a"]: -log[heads["a"]]}
    f = da.identify(m, da.read_motion(turned, m, heads, cutoff=10.0))
    note = next(n for n in f.notes if "other sign" in n)
    columns = note.split("other sign: map ")[1].split(";")[0]
    assert columns == 'a="Winkel, links":-'
    mended = f"{columns},b={heads['b']}"
    assert not mistakes(da.identify(m, da.read_motion(turned, m, mended, cutoff=10.0)))
    off = log | {heads["a"]: log[heads["a"]] - 0.2}
    f = da.identify(m, da.read_motion(off, m, heads, cutoff=10.0))
    assert any("off by 0." in n and 'map a="Winkel, links":+0.' in n for n in f.notes), f.notes


def test_a_zero_that_is_off_is_mended_as_the_note_says():
    m, table = elbow_log(1)
    wrong = table | {"q.a": table["q.a"] - 0.2}
    f = da.identify(m, da.read_motion(wrong, m, cutoff=10.0))
    note = next(n for n in f.notes if "zero of a" in n)
    columns = note.split("map ")[1].split(";")[0]
    assert float(columns.split(":")[1]) == pytest.approx(0.2, abs=0.02)
    again = da.identify(m, da.read_motion(wrong, m, columns=columns, cutoff=10.0))
    assert again.base["FS2"] == pytest.approx(1.0, rel=0.05)
    assert not any("zero of" in n for n in again.notes)


@pytest.mark.parametrize("seed", range(3))
def test_honest_logs_bring_no_word_on_positions(seed):
    m, table = elbow_log(seed)
    assert mistakes(da.identify(m, da.read_motion(table, m, cutoff=10.0))) == []


SCARA = (
    "j1: RZ(), TXK(0.4), j2: RZ(), TXK(0.3), j3: TZ(), j4: RZ(); "
    "body 1: M = 6, D = (0.2, 0, 0), I = (0.05, 0.1, 0.1); "
    "body 2: M = 4, D = (0.15, 0, 0), I = (0.03, 0.05, 0.05); "
    "body 3: M = 1, I = (0.01, 0.01, 0.002); "
    "body 4: M = 0.5, D = (0.01, 0, 0), I = (0.001, 0.001, 0.001);"
)


def scara_log(seed):
    """Return a SCARA, whose arms no gravity moves, and an honest log of it."""
    m = rubbed(da.load(SCARA), 2.0, 1.0)
    t, *motion = moving(m, 20, 100, seed=seed, size=0.5)
    for x in motion:
        x[:, 2] *= 0.2
    tau = da.inverse_dynamics(m, *motion, drives="all")
    return m, honest(m, t, motion[0], tau, seed=seed, force=0.05)


def ur5_log(seed):
    m = rubbed(da.robots.ur5(), 4.0, 3.0)
    t, q, qd, qdd = moving(m, 20, 100, seed=seed)
    return m, honest(m, t, q, da.inverse_dynamics(m, q, qd, qdd, drives="all"), seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("log", [elbow_log, scara_log, ur5_log])
@pytest.mark.parametrize("seed", range(17))
def test_fifty_honest_logs_bring_no_word_on_positions(log, seed):
    m, table = log(seed)
    assert mistakes(da.identify(m, da.read_motion(table, m, cutoff=10.0))) == []


def turned(x, *heads):
    return x | {h: -x[h] for h in heads}


SIGNS = {
    ("q.j1",): "j1 may have the other sign: map j1=q.j1:-; or the positions of j2",
    ("q.j2", "tau.j2"): "or j2 may count positions and forces the other way: map j2=q.j2:-,tau.j2",
    ("q.j3",): "j3 may have the other sign: map j3=q.j3:-; or j3 may count",
    ("tau.j4",): "their sign may be turned: j4",
}


@pytest.mark.parametrize("heads", SIGNS)
def test_signs_of_a_scara_are_found_up_to_its_mirror(heads):
    """Seen in a mirror it is the same machine: which of two arms is turned cannot be told."""
    m, table = scara_log(3)
    f = da.identify(m, da.read_motion(turned(table, *heads), m, cutoff=10.0))
    assert any(SIGNS[heads] in n for n in f.notes), f.notes
    assert not any("zero of" in n or "may lie" in n for n in f.notes)


def test_a_delay_is_told_and_undone():
    m, table = elbow_log(0)
    t = table["t"]
    late = table | {n: np.interp(t - 0.02, t, x) for n, x in table.items() if n.startswith("tau")}
    d = da.read_motion(late, m, cutoff=10.0)
    assert mistakes(da.identify(m, d))[0].startswith("forces may come late: delay='auto'")
    f = da.identify(m, d, delay="auto")
    assert mistakes(f) == [] and any("forces come 2" in n or "forces come 1" in n for n in f.notes)


def test_a_sample_that_stands_out_is_told():
    m, table = elbow_log(0)
    wrong = table["q.a"].copy()
    wrong[500] += 0.3
    d = da.read_motion(table | {"q.a": wrong}, m, cutoff=10.0)
    assert any("a: 1 samples stand alone, that of t = 5 s by 0.3" in n for n in d.notes), d.notes
    step = table["q.a"].copy()
    step[500:] += 0.3  # a step is no spike
    assert not any("stand alone" in n for n in da.read_motion(table | {"q.a": step}, m).notes)


def test_a_small_zero_is_found_and_others_are_said_to_be_hidden():
    m, table = elbow_log(0)
    d = da.read_motion(table | {"q.a": table["q.a"] - 0.05}, m, cutoff=10.0)
    note = mistakes(da.identify(m, d))[0]
    assert float(note.split("map a=q.a:")[1].split(";")[0]) == pytest.approx(0.05, abs=0.01)
    assert "; cannot be told: j1, b" in note


@pytest.mark.parametrize("by", [0.8, 1.1])
def test_a_wrong_length_is_found(by):
    m, table = elbow_log(0)
    bodies = list(m.bodies)
    place = bodies[2].placement
    bodies[2] = replace(bodies[2], placement=Transform(place.R, place.p * by))
    wrong = replace(m, bodies=tuple(bodies))
    note = mistakes(da.identify(wrong, da.read_motion(table, wrong, cutoff=10.0)))[0]
    assert float(note.split("b may lie ")[1].split()[0]) == pytest.approx(1.0, abs=0.03)
    assert f"not {by:g}" in note


def test_jumps_that_are_no_full_turns_are_left_and_told():
    m = da.load("RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0);")
    t = np.linspace(0, 2, 201)
    d = da.read_motion({"t": t, "q.j1": 400 * np.sin(3 * t)}, m, cutoff=None)
    assert any("are no full turns and were left" in n for n in d.notes)
    assert np.abs(d.q[:, 0] - 400 * np.sin(3 * t)).max() < 1
    d = da.read_motion({"t": t, "q.j1": (3 * t) % (2 * np.pi)}, m)
    assert np.abs(d.q[:, 0] - 3 * t).max() < 1e-6
