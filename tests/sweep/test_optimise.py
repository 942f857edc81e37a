"""Best designs and drives: closed forms, exact gradients, constraints, hostile input."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.sweep.optimise import Search, _limit
from dalembert.sweep.study import study_of

pytest.importorskip("scipy")
ARM = da.load({
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "L2": 0.4, "m": 1.0},
    "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(L2); body 1: M = 3*L1, D = (L1/2, 0, 0), "
    "I = (0, 0, L1^3/4); body 2: M = 2*L2 + m, D = (L2/2, 0, 0), I = (0, 0, L2^3/6);",
})  # fmt: skip
MOVE = {"joint_moves": [{"from": [0.0, 0.0], "to": [1.0, 0.5], "time": 0.8}], "samples": 80}


@pytest.mark.parametrize("measure", ["rms", "peak", "energy", "power", "rms.j2", "peak.j1"])
def test_slopes_of_measures_are_exact(measure):
    root = measure.partition(".")[0]
    s = study_of(ARM, {"L1": (0.3, 0.7), "L2": (0.3, 0.7)}, MOVE, [root], {"samples": 4})
    search = Search(s, measure, ())
    assert search.exact
    x, h = np.array([0.3, 0.6]), 1e-6
    value, slope = (part[measure] for part in search._exactly(x))
    assert value == pytest.approx(search.columns(x[None])[measure][0], rel=1e-12)
    for k in range(2):
        step = np.eye(2)[k] * h
        up, down = (search._exactly(x + sign * step)[0][measure] for sign in (1, -1))
        assert slope[k] == pytest.approx((up - down) / (2 * h), rel=1e-5)


def test_a_constraint_holds_the_best_design():
    best = da.optimise(ARM, {"L1": (0.3, 0.7), "L2": (0.3, 0.7)}, task=MOVE, minimise="rms",
                       subject_to=["reach >= 1.0"])  # fmt: skip
    assert best.measures["reach"] == pytest.approx(1.0, abs=1e-5)
    assert best.parameters["L1"] + best.parameters["L2"] == pytest.approx(1.0, abs=1e-5)
    assert "reach >= 1" in best.active
    s = da.sweep(ARM, {"L1": (0.3, 0.7), "L2": "1.0 - L1"}, task=MOVE, measure=["rms"],
                 plan="grid", samples=201, workers=1)  # fmt: skip
    assert best.value <= s.columns["rms"].min() * (1 + 1e-6)


@pytest.mark.slow
def test_poses_are_optimised_too():
    first = {"frame": "tip", "point": [0.7, 0.2, 0], "time": 0.8}
    task = {"poses": [first, {**first, "point": [0.3, 0.5, 0]}], "samples": 30}
    best = da.optimise(ARM, {"L1": (0.3, 0.7), "L2": (0.3, 0.7)}, task=task, minimise="energy",
                       samples=64, starts=2)  # fmt: skip
    assert not best.exact and np.isfinite(best.value)
    s = da.sweep(ARM, {"L1": (0.3, 0.7), "L2": (0.3, 0.7)}, task=task, measure=["energy"],
                 plan="grid", samples=15, workers=1)  # fmt: skip
    assert best.value <= np.nanmin(s.columns["energy"]) * 1.01


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"minimise": "weight"}, "not known"),
        ({"minimise": "peak.j9"}, "no measure"),
        ({"minimise": "rms", "subject_to": ["reach around 1"]}, "not understood"),
        ({"minimise": "rms", "subject_to": ["reach >= 99"]}, "keeps the constraints"),
    ],
)
def test_bad_questions_are_typed_errors(given, message):
    with pytest.raises(da.DalembertError, match=message):
        da.optimise(ARM, {"L1": (0.3, 0.7)}, task=MOVE, samples=16, **given)


def test_limits_are_read():
    assert str(_limit("peak.j1 <= 50")) == "peak.j1 <= 50"


JOINT = da.load("RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 2);")
CYCLE = {"moves": [{"to": [1.0], "time": 1.0}, {"dwell": 0.5}, {"to": [0.0], "time": 1.0}]}
MOTOR = {"name": "A", "inertia": 5e-4, "continuous": 0.3, "peak": 1.0, "speed": 400.0, "mass": 1.5}


def test_the_best_gear_matches_the_inertias():
    gears = [{"name": str(n), "ratio": float(n)} for n in range(20, 141)]
    made = da.size(JOINT, CYCLE, [MOTOR], gears)
    least = min(made.choices["j1"], key=lambda c: c.rms)
    assert least.gear.ratio == pytest.approx(np.sqrt(2 / 5e-4), abs=1.0)
    assert least.inertia_ratio == pytest.approx(1.0, rel=0.05)


def test_loads_are_those_of_the_equation():
    choice = da.size(JOINT, CYCLE, [MOTOR], [{"ratio": 50.0, "efficiency": 0.8}]).choices["j1"][0]
    t = np.linspace(0, 1, 60)
    qd, qdd = 30 * t**2 - 60 * t**3 + 30 * t**4, 60 * t - 180 * t**2 + 120 * t**3
    tau = 2 * qdd
    motor = tau / 50 * np.where(tau * qd >= 0, 1 / 0.8, 0.8) + 5e-4 * 50 * qdd
    assert choice.peak == pytest.approx(np.abs(motor).max(), rel=1e-12)
    assert choice.speed == pytest.approx(50 * qd.max(), rel=1e-12)
    assert choice.loads["speed"] == pytest.approx(choice.speed / 400)


def test_a_payload_and_heat_count():
    m = da.load("RY(), tip: TXK(1); body 1: M = 1, D = (0.5, 0, 0), I = (0, 0.1, 0);")
    moves = [{"to": [0.5], "time": 1.0}, {"to": [0.0], "time": 1.0,
              "payload": {"frame": "tip", "mass": 3.0}}]  # fmt: skip
    hot = {**MOTOR, "resistance": 1.0, "constant": 0.1, "thermal": 2.0}
    light = da.size(m, {"moves": moves[:1]}, [hot], [{"ratio": 100.0}]).choices["j1"][0]
    heavy = da.size(m, {"moves": moves}, [hot], [{"ratio": 100.0}]).choices["j1"][0]
    assert heavy.rms > 1.5 * light.rms and heavy.temperature > light.temperature > 25


def pair(**more):
    """A joint and one on it, each with a rotor."""
    link = {"mass": 1, "com": [0.2, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    bodies = [{"name": n, "parent": p, "joint": {"type": "revolute"}, **link}
              for n, p in (("a", -1), ("b", "a"))]  # fmt: skip
    drives = [{"joint": "a", "Ia": 3}, {"joint": "b", "Ia": 7}]
    return da.load({"bodies": bodies, "gravity": [0, 0, 0], "drives": drives, **more})


def test_the_rotor_of_a_joint_that_follows_is_load():
    m = pair(couplings=[{"joint": "b", "of": "a", "ratio": 2}])
    made = da.size(m, {"moves": [{"to": [1.0], "time": 1.0}]}, [MOTOR])
    inertia = 0.1 + 0.04 + 9 * (0.1 + 0.04) + 4 * 7  # b turns three times as fast as a
    assert list(made.choices) == ["a"]
    assert np.allclose(made.tau[:, 0], inertia * made.qdd[:, 0])
    geared = da.size(m, {"moves": [{"to": [1.0], "time": 1.0}]}, [MOTOR], [{"ratio": 100.0}])
    assert geared.choices["a"][0].inertia_ratio == pytest.approx(inertia / 5, rel=1e-12)


def test_motors_are_sized_where_there_are_motors_only():
    moves = {"moves": [{"to": [1.0, 0.5], "time": 1.0}]}
    for passive in ({"active": ["a"]}, {"elastic": [{"joint": "b", "stiffness": 5}]}):
        with pytest.raises(da.UsageError, match="'b' has no motor, and needs up to"):
            da.size(pair(**passive), moves, [MOTOR])
    named = pair(elastic=[{"joint": "b", "stiffness": 5}], active=["a", "b"])
    assert list(da.size(named, moves, [MOTOR]).choices) == ["a", "b"]
    with pytest.raises(da.UsageError, match="no joint has a motor"):
        da.size(pair(prescribed=["a", "b"]), moves, [MOTOR])


def test_a_joint_of_three_freedoms_has_three_motors():
    body = {"name": "p", "parent": -1, "joint": {"type": "planar"}, "mass": 1000}
    m = da.load({"bodies": [{**body, "inertia": [1, 1, 1]}], "active": ["p"]})
    made = da.size(m, {"moves": [{"to": [1.0, 2.0, 0.1], "time": 1.0}]}, [MOTOR])
    assert list(made.choices) == ["p.x", "p.y", "p.theta"]
    assert made.choices["p.y"][0].peak == pytest.approx(2000 * 5.7735, rel=1e-2)


def test_planes_show_the_cycle_on_the_shaft_of_the_best_or_nearest_pair():
    pytest.importorskip("matplotlib")
    m = da.load("RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 2);")
    cycle = {"moves": [{"to": [1.0], "time": 1.0}, {"dwell": 0.5}]}
    motor = {"name": "A", "inertia": 5e-4, "continuous": 0.3, "peak": 1.0, "speed": 400.0,
             "resistance": 0.5, "constant": 0.1, "thermal": 2.0}  # fmt: skip
    for ratio, title in ((63, "j1: A, i63"), (2, "j1: none fits, nearest A, i2")):
        s = da.size(m, cycle, [motor], [{"name": f"i{ratio}", "ratio": ratio, "efficiency": 0.8}])
        panel = s.plot().axes[0]
        assert panel.get_title() == title
        c = s.choices["j1"][0]
        assert panel.lines[0].get_ydata().max() == pytest.approx(c.peak)
        assert panel.lines[0].get_xdata().max() == pytest.approx(c.speed)
    assert "none fits" in str(s) and "°C" not in str(s)


def test_the_command_line_names_the_best_pair(tmp_path, capsys):
    (tmp_path / "cycle.toml").write_text("moves = [{ to = [1.0], time = 1.0 }, { dwell = 0.5 }]")
    (tmp_path / "motors.toml").write_text(
        '[[motor]]\nname = "A"\ninertia = 5e-4\ncontinuous = 0.3\npeak = 1.0\nspeed = 400.0\n'
        '[[motor]]\nname = "tiny"\ncontinuous = 0.001\npeak = 0.002\nspeed = 10.0\n'
        '[[gear]]\nname = "i63"\nratio = 63\n'
    )
    phrase = "RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 2);"
    given = [str(tmp_path / "cycle.toml"), "--motors", str(tmp_path / "motors.toml")]
    assert main(["size", phrase, *given, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["j1"]["motor"] == "A" and 0 < data["j1"]["margin"] < 1
    assert main(["size", phrase, *given]) == 0
    assert "i63" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cycle", "motors", "message"),
    [
        ({}, [MOTOR], "list of moves"),
        (CYCLE, [], "list of records"),
        (CYCLE, [{"torque": 3}], "has no 'torque'"),
        (CYCLE, [{"peak": "much"}], "not a number"),
        (CYCLE, [{"peak": -1}], "negative"),
        ({"moves": [{"to": [1, 2, 3], "time": 1}]}, [MOTOR], "to = "),
        ({"moves": [{"to": [1], "tme": 1}]}, [MOTOR], "move 1 has no 'tme'"),
        ({"moves": [{"to": [1]}, {"from": [0], "to": [2]}]}, [MOTOR], "begins elsewhere"),
        ({"moves": [{"to": [1], "payload": {"frame": "tip", "mass": -1}}]}, [MOTOR], "mass = -1"),
        ("missing.toml", [MOTOR], "no such file"),
    ],
)
def test_bad_catalogues_and_cycles_are_typed_errors(cycle, motors, message):
    with pytest.raises(da.DalembertError, match=message):
        da.size(JOINT, cycle, motors)


def test_a_parameter_that_changes_nothing_is_named():
    m = da.load({
        "format": "dalembert/1", "gravity": [0, -9.81, 0], "parameters": {"L": 0.5, "N": 50.0},
        "phrase": "RZ(), TXK(L), RZ(), TXK(0.2); body 1: M = 3, D = (L, 0, 0); "
        "body 2: M = 0.1, D = (0.2, 0, 0);", "drives": [{"joint": "j2", "Ia": "1e-6*N^2"}],
    })  # fmt: skip
    best = da.optimise(m, {"L": (0.3, 0.7), "N": (20, 80)}, task=MOVE, minimise="rms", samples=16)
    assert best.idle == ("N",) and "L = 0.3" in best.active
    assert "N could have other values" in repr(best)


def test_a_measure_without_a_value_is_told():
    s = da.sweep(ARM, {"L1": [0.4, 0.5]}, task=MOVE, measure=["peak", "frequency"], workers=1)
    assert "2 designs have no frequency: nothing draws them back" in s.summary()


def test_a_motor_that_bears_nothing_fits_nowhere():
    motors = [{"name": "A", "peak": 5.0, "continuous": 0.0}, {"name": "B", "peak": 500.0}]
    sized = da.size(ARM, {"moves": [{"to": [1.0, 0.5], "time": 0.8}]}, motors)
    assert not any(c.fits for c in sized.choices["j1"] if c.motor.name == "A")
    assert sized.best("margin")["j1"].motor.name == "B"


def test_the_largest_measure_is_found_too():
    """Reach is L1 + L2, so that it is largest at a corner, or on the limit of the force."""
    ranges = {"L1": (0.3, 0.7), "L2": (0.3, 0.7)}
    best = da.optimise(ARM, ranges, task=MOVE, maximise="reach")
    assert best.value == pytest.approx(1.4, abs=1e-6)
    held = da.optimise(ARM, ranges, task=MOVE, maximise="reach", subject_to=["rms <= 20"])
    assert held.value < 1.4 and held.measures["rms"] == pytest.approx(20, abs=1e-3)
    exact = da.optimise(ARM, ranges, task=MOVE, maximise="rms")
    assert exact.exact and exact.parameters == pytest.approx({"L1": 0.7, "L2": 0.7})
    for wrong in ({}, {"minimise": "rms", "maximise": "reach"}, {"maximise": ["rms"]}):
        with pytest.raises(da.UsageError):
            da.optimise(ARM, ranges, task=MOVE, **wrong)


def test_where_no_motor_fits_the_nearest_pair_is_told_in_json(tmp_path, capsys):
    (tmp_path / "cycle.toml").write_text("[[moves]]\nto = [1.0]\ntime = 0.01\n")
    (tmp_path / "motors.toml").write_text(
        "[[motor]]\nname = 'A'\ninertia = 5e-4\ncontinuous = 0.3\npeak = 1.0\nspeed = 400.0\n"
        "[[gear]]\nname = 'i20'\nratio = 20\n"
    )
    phrase = "RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 2);"
    given = [str(tmp_path / "cycle.toml"), "--motors", str(tmp_path / "motors.toml")]
    assert main(["size", phrase, *given, "--json"]) == 0
    pair = json.loads(capsys.readouterr().out)["j1"]
    assert not pair["fits"] and pair["motor"] == "A" and pair["margin"] < 0


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ('[[motor]]\nname = "A"\n[[gears]]\nratio = 63\n', "a catalogue has no 'gears'"),
        ("[[motor]]\ncontinuous = 3.0\npeak = 1.0\n", "is below its continuous torque 3 N m"),
    ],
)
def test_a_catalogue_that_cannot_be_meant_is_refused(text, refused, tmp_path):
    from dalembert.sweep.size import catalogue

    file = tmp_path / "motors.toml"
    file.write_text(text)
    with pytest.raises(da.DalembertError, match=refused):
        catalogue(file)
    with pytest.raises(da.DescriptionError, match=r"no\.csv:1:1: no such file"):
        catalogue(tmp_path / "no.csv")
