"""The RX90 in full symbols against the models OpenSYMORO wrote for it (their gravity is zero)."""

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from peers import PEERDATA, absent
from symoro import assignments, evaluate, rx90

SYMORO = PEERDATA / "symoro"
SIX = range(1, 7)


def listing(name: str) -> list[tuple[str, str]]:
    path: Path = SYMORO / name
    if not path.exists():
        absent(str(path))
    return [(a, re.sub(r"sign\((\w+)\)", r"SIGN\1", b)) for a, b in assignments(path)]


@pytest.fixture(scope="module")
def numbers():
    """Return (the RX90 in numbers, the same numbers by SYMORO's names)."""
    rng = np.random.default_rng(90)
    m = rx90(drives=True)
    values = {p.name: float(rng.uniform(0.2, 1.5)) for p in m.parameters} | {"G3": 0.0}
    # positive definite: each link is a solid of some size about its origin
    values |= {f"{axes}{k}": values[f"{axes}{k}"] / 20 for axes in ("XY", "XZ", "YZ") for k in SIX}
    values |= {f"{axes}{k}": values[f"{axes}{k}"] + 9 for axes in ("XX", "YY", "ZZ") for k in SIX}
    for port in ("th", "QP", "QDP", "GAM"):
        values |= {f"{port}{k}": float(rng.normal()) for k in SIX}
    values |= {f"SIGNQP{k}": float(np.sign(values[f"QP{k}"])) for k in SIX}
    values |= {f"{axis}6": float(rng.normal()) for axis in ("FX", "FY", "FZ", "CX", "CY", "CZ")}
    given = {p.name: values[p.name] for p in m.parameters}
    return m.with_values(**given), values


def vector(values: dict[str, float], name: str) -> np.ndarray:
    return np.array([values[f"{name}{k}"] for k in SIX])


def wrench(values: dict[str, float]) -> np.ndarray:
    w = np.zeros((6, 6))
    w[5] = [values[f"{axis}6"] for axis in ("FX", "FY", "FZ", "CX", "CY", "CZ")]
    return w


def assert_close(found, expected):
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


def test_inverse_model(numbers):
    m, values = numbers
    expected = vector(evaluate(listing("RX90_idm.txt"), values), "GAM")
    state = (vector(values, name) for name in ("th", "QP", "QDP"))
    tau = da.inverse_dynamics(m, *state, drives="all", wrench_on_environment=wrench(values))
    assert_close(tau, expected)


def test_coriolis_and_friction(numbers):
    m, values = numbers
    expected = vector(evaluate(listing("RX90_ccg.txt"), values), "GAM")
    state = (vector(values, name) for name in ("th", "QP"))
    h = da.bias(m, *state, drives="all", wrench_on_environment=wrench(values))
    assert_close(h, expected)


def test_direct_model(numbers):
    m, values = numbers
    expected = vector(evaluate(listing("RX90_ddm.txt"), values), "QDP")
    state = (vector(values, name) for name in ("th", "QP", "GAM"))
    qdd = da.forward_dynamics(m, *state, drives="all", wrench_on_environment=wrench(values))
    assert_close(qdd, expected)


def test_base_parameters(numbers):
    m, values = numbers
    expected = evaluate(listing("RX90_regp.txt"), values)
    base = da.base_parameters(rx90(drives=True))
    found = dict(zip(base.names, base.values(m.bound(), parameters=values), strict=True))
    for name, value in found.items():
        assert value == pytest.approx(expected[name], rel=1e-12), name
    # they name MR1..MR6 and MZR2 too, none of which any joint feels
    grouped = {name for name in expected if re.fullmatch(r"[XYZM]+R\d", name)}
    assert grouped - set(found) == {"MR1", "MR2", "MR3", "MR4", "MR5", "MZR2", "YYR2"}
