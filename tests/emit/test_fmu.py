"""FMUs: valid, simulated by FMPy in both ways, with exact derivatives."""

import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.emit.fmu import packed, sources
from dalembert.export import files
from dalembert.export.fmu import fmu_unit

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


@pytest.mark.parametrize("make", [two_links, da.robots.flying_arm, da.robots.flexible2r])
def test_fmpy_finds_no_problem(make, tmp_path):
    from fmpy.validation import validate_fmu

    ((name, data),) = files(make(), [], "fmu", parameters=None).items()
    (tmp_path / name).write_bytes(data)
    assert validate_fmu(str(tmp_path / name)) == []


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


def test_the_sources_compile_without_a_warning(tmp_path):
    unit = fmu_unit(two_links(), "all", "inertia")
    for name, text in sources(unit, [0.0] * 4, []).items():
        (tmp_path / name.rpartition("/")[2]).write_text(text, encoding="utf-8")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-c")
    inputs = sorted(tmp_path.glob("*.c"))
    subprocess.run([shutil.which("gcc"), *strict, *inputs], cwd=tmp_path, check=True)


def test_loops_and_open_parameters_are_refused():
    with pytest.raises(da.UsageError, match="trees"):
        files(da.robots.fivebar(), [], "fmu")
    with pytest.raises(da.ParameterError, match="start value"):
        files(da.robots.report6r(), [], "fmu")


def test_an_archive_has_no_date():
    assert packed({"a": "1"}) == packed({"a": "1"})
