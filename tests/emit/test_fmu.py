"""FMUs: valid, simulated by FMPy in both ways, with exact derivatives."""

import re
import shutil
import subprocess
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.emit.fmu import packed, sources
from dalembert.export import files
from dalembert.export.check import fmu as check_fmu
from dalembert.export.fmu import fmu_plant
from emitted import HELD
from machines.vehicles import ROLLING

fmpy = pytest.importorskip("fmpy")
pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here"),
    pytest.mark.slow,
]


def two_links():
    tensor = [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
    turn = {"type": "revolute", "name": "a", "axis": [0, 1, 0]}
    slide = {"type": "prismatic", "name": "b", "axis": [1, 0, 0]}
    slide["placement"] = {"translation": ["L", 0, 0]}
    first = {"name": "A", "parent": -1, "joint": turn, "mass": "M", "com": ["L/2", 0, 0]}
    second = {"name": "B", "parent": 0, "joint": slide, "mass": 1, "com": [0.1, 0, 0.1]}
    bodies = [first | {"inertia": tensor}, second | {"inertia": tensor}]
    return da.load({"name": "two links", "parameters": {"L": 0.4, "M": 2}, "bodies": bodies})


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    m = two_links()
    ((name, data),) = files(m, [], "fmu", parameters="all").items()
    place = tmp_path_factory.mktemp("fmu") / name
    place.write_bytes(data)
    return m, place


def timed():
    """A slider dragged by a velocity that depends on time, with a pendulum on it."""
    tensor = [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
    slide = {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}
    turn = {"type": "revolute", "name": "th", "axis": [0, 1, 0]}
    first = {"name": "A", "parent": -1, "joint": slide, "mass": 1, "com": [0, 0, 0]}
    second = {"name": "B", "parent": 0, "joint": turn, "mass": 1, "com": [0, 0, -0.5]}
    return da.load({
        "format": "dalembert/1", "name": "dragged", "speeds": ["th"],
        "bodies": [first | {"inertia": tensor}, second | {"inertia": tensor}],
        "velocity_constraints": [{"name": "c", "equation": "xd = 2*sin(3*t)"}],
    })  # fmt: skip


# machine -> start values by name, and what da.simulate takes for the same motion
CLASSES = {
    "tree": (two_links, {"position.a": 0.4, "force.b": 3.0}, {"torque": {"b": 3.0}}),
    "elastic": (da.robots.flexible2r, {"speed.{0}": 0.5}, {}),
    "flying": (da.robots.flying_arm, {"speed.base_wx": 0.7, "speed.base_wz": 1.0}, {}),
    "floating": (da.robots.spacecraft, {"speed.base_wy": 2.0, "speed.base_vx": 1.0}, {}),
    "fourbar": (da.robots.fourbar, {"speed.crank": 9.0, "force.crank": 0.3},
                {"torque": {"crank": 0.3}}),
    "fivebar": (da.robots.fivebar, {"speed.crankA": 1.0, "force.crankB": 2.0},
                {"torque": {"crankB": 2.0}}),
    "delta": (da.robots.delta, {"force.crank1": 1.0}, {"torque": {"crank1": 1.0}}),
    "stewart": (da.robots.stewart, {"force.L1_upper": 40.0}, {"torque": {"L1_upper": 40.0}}),
    "truck": (da.robots.truck, {"speed.v": 2.0, "steer.delta": 0.2, "traction.rear": 50.0},
              {"motion": {"delta": 0.2}, "torque": {"rear.traction": 50.0}}),
    "car": (da.robots.double_steering_car, {"speed.rear_v": 1.5, "steer.delta_f": 0.3},
            {"motion": {"delta_f": 0.3}}),
    "wheels": (da.robots.mobile_manipulator, {"speed.spin_left": 1.0, "speed.elbow": -1.0}, {}),
    "timed": (timed, {"position.th": 0.3}, {}),
    "lifted": (lambda: da.load(HELD), {"speed.a": 1.0, "speed.b": 0.5}, {}),
}  # fmt: skip


@pytest.fixture(scope="module", params=CLASSES)
def built(request, tmp_path_factory):
    make, values, options = CLASSES[request.param]
    m = make()
    ((name, data),) = files(m, [], "fmu").items()
    place = tmp_path_factory.mktemp("fmu") / name
    place.write_bytes(data)
    coordinates = [v.name for v in fmpy.read_model_description(str(place)).modelVariables]
    speeds = [name for name in coordinates if name.startswith("speed.")]
    values = {k if k in coordinates else speeds[0]: x for k, x in values.items()}
    return m, place, values, options


def test_fmpy_finds_no_problem(built):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(built[1])) == []


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_a_simulation_is_that_of_the_mechanism(built, kind):
    m, place, values, options = built
    names = [v.name for v in fmpy.read_model_description(str(place)).modelVariables]
    names = [name for name in names if name.startswith(("position.", "speed."))]
    r = fmpy.simulate_fmu(str(place), fmi_type=kind, stop_time=0.5, output=names,
                          output_interval=0.01, start_values=values,
                          relative_tolerance=1e-10)  # fmt: skip
    found = np.array([r[name] for name in names]).T
    q0, v0 = found[0, : m.nq], found[0, m.nq :]
    s = da.simulate(m, q0, v0, t=[0.0, 0.5], rtol=1e-11, **options)
    expected = np.concatenate([s.q[-1], s.speeds[-1]])
    assert np.abs(expected - found[0]).max() > 0.02  # it moves
    # Runge-Kutta's steps of a millisecond, or CVode's tolerance
    assert np.allclose(found[-1], expected, rtol=1e-4, atol=2e-5)
    if m.loops:
        residual = np.abs(da.closure(m, found[:, : m.nq]))
        assert residual.max() < 1e-5


def state_of(model, ref, values):
    model.setupExperiment()
    model.enterInitializationMode()
    model.setReal([ref[name] for name in values], list(values.values()))


def test_directional_derivatives_are_differences(built):
    _, place, values, _ = built
    unzipped = fmpy.extract(str(place))
    md = fmpy.read_model_description(unzipped)
    ref = {v.name: v.valueReference for v in md.modelVariables}
    causes = [n for n in ref if n.startswith(("position.", "speed.", "force.", "steer"))]
    effects = [ref[n] for n in ref if n.startswith(("der(", "energy."))]
    model = fmpy.instantiate_fmu(unzipped, md, fmi_type="ModelExchange")
    state_of(model, ref, values)
    model.exitInitializationMode()
    known = [ref[n] for n in causes]
    there = model.getReal(known)
    rng = np.random.default_rng(2)
    for _ in range(3):
        direction = rng.normal(size=len(known))
        ends = []
        for sign in (1, -1):
            step = 1e-6 * sign * direction
            model.setReal(known, [a + b for a, b in zip(there, step, strict=True)])
            ends.append(np.array(model.getReal(effects)))
        model.setReal(known, there)
        found = np.array(model.getDirectionalDerivative(effects, known, list(direction)))
        expected = (ends[0] - ends[1]) / 2e-6
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-7 * (1 + np.abs(expected).max()))
    model.terminate()
    model.freeInstance()
    shutil.rmtree(unzipped)


def test_a_start_closes_the_loops_and_keeps_what_is_given(tmp_path, capsys):
    m = da.robots.fivebar()
    ((name, data),) = files(m, [], "fmu").items()
    (tmp_path / name).write_bytes(data)
    unzipped = fmpy.extract(str(tmp_path / name))
    md = fmpy.read_model_description(unzipped)
    ref = {v.name: v for v in md.modelVariables}
    states = [v for v in md.modelVariables if v.name.startswith(("position.", "speed."))]
    exact = {v.name for v in states if v.initial == "exact"}
    assert exact == {f"{kind}.crank{k}" for kind in ("position", "speed") for k in "AB"}
    model = fmpy.instantiate_fmu(unzipped, md, fmi_type="ModelExchange")
    state_of(model, {n: v.valueReference for n, v in ref.items()},
             {"position.crankA": 0.2 + float(ref["position.crankA"].start)})  # fmt: skip
    q = model.getReal([v.valueReference for v in states[: m.nq]])
    assert q[0] == pytest.approx(0.2 + float(ref["position.crankA"].start))
    assert np.abs(da.closure(m, q)).max() < 1e-12
    # before the start the other coordinates follow the given ones
    given = ref["position.crankA"].valueReference
    found = model.getDirectionalDerivative([v.valueReference for v in states[: m.nq]], [given], [1])
    assert np.allclose(found, da.active_map(m, q)[:, 0], atol=1e-10)
    model.setReal([given], [40.0])  # the cranks are too far apart there
    with pytest.raises(fmpy.fmi1.FMICallException):
        model.exitInitializationMode()
    assert "no start is found: the loops do not close" in capsys.readouterr().out
    model.freeInstance()
    shutil.rmtree(unzipped)


def test_both_kinds_of_simulation_agree_and_keep_the_energy(fmu):
    _, place = fmu
    made = {}
    for kind in ("ModelExchange", "CoSimulation"):
        out = ["position.a", "position.b", "energy.kinetic", "energy.potential"]
        r = fmpy.simulate_fmu(
            str(place),
            fmi_type=kind,
            stop_time=0.5,
            output=out,
            start_values={"position.a": 0.3, "parameter.L": 0.5},
            relative_tolerance=1e-9,
        )
        energy = r["energy.kinetic"] + r["energy.potential"]
        assert np.ptp(energy) < 1e-5
        made[kind] = [float(r[name][-1]) for name in out]
    assert np.allclose(made["ModelExchange"], made["CoSimulation"], atol=1e-6)


def test_rates_and_directional_derivatives_are_those_of_the_model(fmu):
    m, place = fmu
    unzipped = fmpy.extract(str(place))
    md = fmpy.read_model_description(unzipped)
    ref = {v.name: v.valueReference for v in md.modelVariables}
    model = fmpy.instantiate_fmu(unzipped, md, fmi_type="ModelExchange")
    model.setupExperiment()
    model.enterInitializationMode()
    q, v, u = [0.3, 0.2], [0.5, -0.4], [1.0, 2.0]
    names = ("position.a", "position.b", "speed.a", "speed.b", "force.a", "force.b")
    known = [ref[name] for name in names]
    model.setReal(known, [*q, *v, *u])
    model.exitInitializationMode()
    unknown = [ref["der(speed.a)"], ref["der(speed.b)"], ref["energy.kinetic"]]
    found = model.getReal(unknown)
    assert np.allclose(found[:2], da.forward_dynamics(m, q, v, u), atol=1e-12)
    assert np.isclose(found[2], da.kinetic_energy(m, q, v))
    D = da.forward_dynamics_derivatives(m, q, v, u)
    columns = np.hstack(D)
    for k, reference in enumerate(known):
        along = model.getDirectionalDerivative(unknown, [reference], [1.0])
        assert np.allclose(along[:2], columns[:, k], atol=1e-10)
    state = model.getFMUState()
    model.setReal([ref["parameter.M"]], [3.0])
    heavier = model.getReal(unknown)
    other = m.with_values(M=3)
    assert np.allclose(heavier[:2], da.forward_dynamics(other, q, v, u), atol=1e-12)
    model.setFMUState(state)
    assert model.getReal(unknown) == found
    model.terminate()
    model.freeInstance()
    shutil.rmtree(unzipped)


@pytest.mark.parametrize("make", [two_links, da.robots.fourbar, da.robots.truck, timed])
def test_the_sources_compile_without_a_warning(make, tmp_path):
    for name, text in sources(fmu_plant(make(), "all", "inertia")).items():
        (tmp_path / name.rpartition("/")[2]).write_text(text, encoding="utf-8")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-c")
    inputs = sorted(tmp_path.glob("*.c"))
    subprocess.run([shutil.which("gcc"), *strict, *inputs], cwd=tmp_path, check=True)


def test_open_parameters_are_refused():
    with pytest.raises(da.ParameterError, match="start value"):
        files(da.robots.report6r(), [], "fmu")


def guid_of(plant, version):
    files = sources(plant, version)
    (found,) = re.findall(
        r'(?:guid|instantiationToken)="(\{[-0-9a-f]+\})"', files["modelDescription.xml"]
    )
    assert f'#define GUID "{found}"' in files[f"sources/{plant.unit.id}_fmu.c"]
    return found


@pytest.mark.parametrize("version", [2, 3])
def test_a_guid_is_that_of_what_is_written(version):
    m = two_links()
    plant = fmu_plant(m, "all", "all")
    guid = guid_of(plant, version)
    assert guid_of(fmu_plant(two_links(), "all", "all"), version) == guid
    # the parameters of golden vectors are written nowhere
    assert guid_of(replace(plant, unit=replace(plant.unit, trial=(7.0, 8.0))), version) == guid
    others = [
        fmu_plant(m.with_values(L=0.5), "all", "all"),
        fmu_plant(m.with_gravity((0, 0, -1.62)), "all", "all"),
        fmu_plant(m, ["L"], "all"),
        replace(plant, start=(0.1, 0.0, 0.0, 0.0)),
        replace(plant, notes=("other",)),
    ]
    assert len({guid, *(guid_of(x, version) for x in others)}) == 6


def test_an_archive_has_no_date():
    assert packed({"a": "1"}) == packed({"a": "1"})


def test_lengths_and_masses_of_loops_may_be_tuned(tmp_path):
    da.robots.fourbar().save(tmp_path / "fourbar.toml")
    text = (tmp_path / "fourbar.toml").read_text(encoding="utf-8")
    text = text.replace("translation = [0.3, 0, 0]", 'translation = ["L", 0, 0]')
    text = text.replace("mass = 1.5", 'mass = "M"').replace(
        "[[bodies]]", "[parameters]\nL = 0.3\nM = 1.5\n\n[[bodies]]", 1
    )
    m = da.load(text)
    ((name, data),) = files(m, [], "fmu", parameters="all").items()
    (tmp_path / name).write_bytes(data)
    tuned = {"parameter.L": 0.25, "parameter.M": 2.0, "speed.crank": 2.0}
    names = ["position.crank", "position.coupler", "position.rocker"]
    names += [n.replace("position", "speed") for n in names]
    for kind in ("ModelExchange", "CoSimulation"):
        r = fmpy.simulate_fmu(str(tmp_path / name), fmi_type=kind, stop_time=0.4, output=names,
                              start_values=tuned, relative_tolerance=1e-10)  # fmt: skip
        found = np.array([r[n] for n in names]).T
        other = m.with_values(L=0.25, M=2.0)
        assert np.abs(da.closure(other, found[0, :3])).max() < 1e-12
        s = da.simulate(other, found[0, :3], found[0, 3:], t=[0.0, 0.4], rtol=1e-11)
        expected = np.concatenate([s.q[-1], s.speeds[-1]])
        assert np.allclose(found[-1], expected, rtol=1e-5, atol=1e-6)


RUBBING = """
format = "dalembert/1"
name = "rubbing"
gravity = [0, -9.81, 0]
phrase = "elbow: RZ(), TXK(1); body 1: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"
drives = [ { joint = "elbow", coulomb = 2, viscous = 0.5 } ]
"""


def test_friction_counts_unless_told_otherwise_and_the_description_says_so(tmp_path):
    m = da.load(RUBBING)
    plant = fmu_plant(m, None, "all")
    assert plant.notes[0] == "friction of 1 joint counted" and "dry friction" in plant.notes[1]
    assert plant.step < 1e-3
    (path,) = da.export(m, [], "fmu", tmp_path)
    text = zipfile.ZipFile(path).read("modelDescription.xml").decode()
    assert 'description="friction of 1 joint counted; dry friction' in text
    plain = fmu_plant(m, None, "inertia")
    assert plain.step == 1e-3 and "not counted" in plain.notes[0]


def test_an_fmu_with_dry_friction_moves_as_simulate_does_between_its_events(tmp_path):
    m = da.load(RUBBING)
    (path,) = da.export(m, [], "fmu", tmp_path)
    assert all(row.ok for row in check_fmu(m, path))
    for kind in ("ModelExchange", "CoSimulation"):
        table = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=1.0, relative_tolerance=1e-9,
            output=["position.elbow"],
        )  # fmt: skip
        r = da.simulate(m, [0.0], t=[0.0, 1.0])
        assert r.q[-1, 0] != pytest.approx(da.simulate(m, [0.0], t=1.0, drives="inertia").q[-1, 0])
        assert table["position.elbow"][-1] == pytest.approx(r.q[-1, 0], abs=1e-3)


def test_a_vehicle_that_leans_and_is_steered_is_checked(tmp_path):
    m = da.load(ROLLING["unicycle, steered"])
    ((name, data),) = files(m, [], "fmu").items()
    (tmp_path / name).write_bytes(data)
    assert all(row.ok for row in check_fmu(m, tmp_path / name))
