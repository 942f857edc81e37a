"""Exported C of machines on wheels and of joints that follow others, compiled and compared."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
import referee
from test_followers import machine as followers
from wheeled import castor, machine, snake

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not here")

WHEELED = {
    "castor": castor(np.random.default_rng(1), ("pl", "pr")),
    "snake": snake(np.random.default_rng(3), 3, ("p1", "p2")),
    "random": machine(4),
}


def library(m, names, folder):
    """Return the compiled export; its own golden vectors hold."""
    da.export(m, names, language="c", path=folder)
    source = next(p for p in folder.glob("*.c") if not p.name.endswith("_test.c"))
    test = folder / f"{source.stem}_test.c"
    flags = ["gcc", "-O1", "-Wall", "-Werror"]
    subprocess.run([*flags, "-o", folder / "golden", source, test, "-lm"], check=True)
    subprocess.run([folder / "golden"], check=True)
    shared = folder / "model.so"
    subprocess.run([*flags, "-shared", "-fPIC", "-o", shared, source, "-lm"], check=True)
    return ctypes.CDLL(str(shared)), source.stem


def call(function, size, *inputs, checks=0):
    out, own = np.zeros(size), np.zeros(checks)
    arrays = [np.ascontiguousarray(x, float) for x in inputs]
    more = [own.ctypes] if checks else []
    function(*(x.ctypes for x in arrays), None, out.ctypes, *more)
    return (out, own) if checks else out


@pytest.mark.parametrize("name", WHEELED)
def test_c_of_a_machine_on_wheels(name, tmp_path):
    data, rng = WHEELED[name] | {"name": "rolls"}, np.random.default_rng(2)
    m = da.load(data)
    q = rng.uniform(-1, 1, m.nq)
    qd, _ = referee.feasible(data, q, rng)
    tau = rng.normal(size=len(m.active))
    qdd = referee.forward(data, q, qd, tau)
    lib, stem = library(m, ["inverse_dynamics", "forward_dynamics"], tmp_path)
    forward = getattr(lib, f"{stem}_forward_dynamics_checked")
    found, checks = call(forward, m.nv, q, qd, tau, checks=3)
    scale = 1 + abs(qdd).max()
    np.testing.assert_allclose(found, qdd, atol=1e-8 * scale)
    assert checks[0] <= 1e-12 and checks[1] > 1e-6 and checks[2] <= 1e-9
    plain = getattr(lib, f"{stem}_forward_dynamics")
    np.testing.assert_array_equal(call(plain, m.nv, q, qd, tau), found)
    back, _ = call(getattr(lib, f"{stem}_inverse_dynamics_checked"), len(tau), q, qd, qdd, checks=3)
    np.testing.assert_allclose(back, da.inverse_dynamics(m, q, qd, qdd), atol=1e-9 * scale)


def test_c_of_joints_that_follow_others(tmp_path):
    m, rng = da.load(followers() | {"name": "follows"}), np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, m.nv))
    lib, stem = library(m, ["inverse_dynamics", "forward_dynamics", "mass_matrix"], tmp_path)
    tau = call(getattr(lib, f"{stem}_inverse_dynamics"), 2, q, qd, qdd)
    np.testing.assert_allclose(tau, da.inverse_dynamics(m, q, qd, qdd), atol=1e-12)
    found = call(getattr(lib, f"{stem}_forward_dynamics"), 2, q, qd, tau)
    np.testing.assert_allclose(found, qdd, atol=1e-10)
    M = call(getattr(lib, f"{stem}_mass_matrix"), 4, q).reshape(2, 2)
    np.testing.assert_allclose(M, da.mass_matrix(m, q), atol=1e-12)
