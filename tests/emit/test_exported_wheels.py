"""Machines that roll as FMUs against `simulate`, and Kane's quantities in C against kernels."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.export import files

fmpy = pytest.importorskip("fmpy")
STEP = 1e-3
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(place, m, T, start, inputs=None):
    """Return positions and speeds of an FMU: by model exchange, with inputs by co-simulation.

    Inputs are set once for each step of a millisecond, so that they are given half a step early.
    """
    ((name, data),) = files(m, [], "fmu").items()
    (place / name).write_bytes(data)
    names = [v.name for v in fmpy.read_model_description(str(place / name)).modelVariables]
    kept = [n for n in names if n.startswith(("position.", "speed."))]
    assert set(start) <= set(names) and (
        inputs is None or set(inputs.dtype.names[1:]) <= set(names)
    )
    how = ("ModelExchange", 0.01) if inputs is None else ("CoSimulation", STEP)
    r = fmpy.simulate_fmu(
        str(place / name), fmi_type=how[0], stop_time=T, output=kept, input=inputs,
        output_interval=how[1], start_values=start, relative_tolerance=1e-10,
    )  # fmt: skip
    return np.array([r[n] for n in kept]).T


def table(t, **columns):
    """Return inputs by time, as fmpy reads them."""
    names = ["time", *columns]
    rows = np.zeros(len(t), dtype=[(n, float) for n in names])
    for n, x in zip(names, [t - STEP / 2, *columns.values()], strict=True):
        rows[n] = x
    return rows


@pytest.mark.slow
def test_a_bicycle_rides_in_its_fmu_as_in_simulate(tmp_path):
    m = replace(da.load(EXAMPLES / "bicycle.toml"), speeds=("base.wx", "steer", "front"))
    found = run(tmp_path, m, 1.0, {"speed.base_wx": 0.1, "speed.front": 5 / 0.35})
    s = da.simulate(m, found[0, : m.nq], found[0, m.nq :], t=[0, 1.0], rtol=1e-11, atol=1e-12)
    expected = np.concatenate([s.q[-1], s.speeds[-1]])
    assert abs(expected[0] - found[0, 0]) > 4.5 and np.abs(s.q[-1, 3:6]).max() > 0.01
    np.testing.assert_allclose(found[-1], expected, atol=1e-6)
    # the wheels stay on the ground
    assert np.abs(da.closure(m, found[:, : m.nq])).max() < 1e-7


def test_a_truck_is_steered_in_its_fmu_as_in_simulate(tmp_path):
    m = da.robots.truck(2)
    t = np.linspace(0, 4, 2001)
    delta, rate = 0.2 * np.sin(1.5 * t), 0.3 * np.cos(1.5 * t)
    given = table(t, **{"steer.delta": delta, "steer_rate.delta": rate, "traction.rear": 300 * t})
    found = run(tmp_path, m, 4.0, {"speed.v": 2.0}, given)
    others = [0] * (len(m.wheels) - 1)
    s = da.simulate(
        m, np.zeros(m.nq), [2.0], t=[0, 4.0], rtol=1e-10,
        motion={"delta": lambda t: 0.2 * np.sin(1.5 * t)},
        torque=lambda t, q, qd: [*([0] * m.nv), 300 * t, *others],
    )  # fmt: skip
    expected = np.concatenate([s.q[-1], s.speeds[-1]])
    assert np.abs(s.q[-1, 3:]).max() > 0.02
    np.testing.assert_allclose(found[-1], expected, atol=2e-5)


def test_a_differential_drive_under_a_law_moves_so_in_its_fmu(tmp_path):
    m = replace(da.robots.differential_drive(), active=("spin_left", "spin_right"))
    law = da.control.ComputedTorque(goal={"spin_left": 6, "spin_right": 4}, kp=9, kd=6)
    t = np.linspace(0, 3, 3001)
    s = da.simulate(m, np.zeros(5), torque=law, t=t, rtol=1e-10)
    forces = {f"force.{n}": s.tau[:, k] for k, n in enumerate(m.rate_names) if n in m.active}
    found = run(tmp_path, m, 3.0, {}, table(t, **forces))
    assert np.abs(s.q[-1, 3:] - [6, 4]).max() < 0.05
    # inputs by the trapezoidal rule: T h²/12 of the change of the slope of q̈, which is 6 kp kd
    np.testing.assert_allclose(found[-1, : m.nq], s.q[-1], atol=3 * STEP**2 / 12 * 324 * 1.1)


KANE = ("alpha_dot", "forward_dynamics", "kane_J_h", "kane_J_nh", "kane_J", "kane_Jdot", "kane_D",
        "kane_C", "kane_g0", "kane_gw", "kane_tau", "kane_motion", "constraint_forces")  # fmt: skip


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
@pytest.mark.parametrize("model", ["robot:truck", "robot:differential_drive"])
def test_the_quantities_of_kane_in_c_are_those_of_the_kernels(model, tmp_path, capsys):
    command = ["export", model, *KANE, "--to", "c", "--out", str(tmp_path), "--check"]
    assert main(command) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if " worst=" in line]
    assert len(rows) >= 2 * len(KANE) and all(line.endswith(" ok") for line in rows)
