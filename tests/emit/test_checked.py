"""Exported code of closed machines says how far it can be trusted: residual, pivot, certificate."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.export.unit import unit_of
from scissors import scissor, scissor_pose

NAMES = ("residual", "pivot", "certificate")


def checks(m, name, *inputs):
    """Return the three numbers by the compiled kernel."""
    kernel = da.compile(m, name)
    out = dict(zip([p.name for p in kernel.outputs], kernel(*inputs), strict=True))
    return out, np.array([np.abs(out["residual"]).max(), out["pivot"][0], out["certificate"][0]])


@pytest.fixture(scope="module")
def lift(tmp_path_factory):
    """A two-stage lift as C, loaded as a library."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    m, folder = scissor(2), tmp_path_factory.mktemp("lift")
    header, source, *_ = da.export(m, ["inverse_dynamics"], language="c", path=folder)
    library = folder / "lift.so"
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", source, "-o", library,
         "-lm"], check=True,
    )  # fmt: skip
    return m, header.stem, header.read_text(), ctypes.CDLL(str(library))


def called(function, *arrays):
    function.restype = None
    function(*(None if x is None else np.ascontiguousarray(x, float).ctypes for x in arrays))


def test_c_has_a_plain_function_and_one_with_three_checks(lift):
    m, id, header, library = lift
    assert f"void {id}_inverse_dynamics(const {id}_real *q, " in header
    assert f"{id}_real *tau, {id}_real *checks);" in header
    for word in NAMES:
        assert word in header
    rest = np.zeros(m.nv)
    for q in (scissor_pose(m, 0.5), scissor_pose(m, 1.1), scissor_pose(m, 0.5) + 1e-3):
        tau, plain, found = np.zeros(1), np.zeros(1), np.zeros(3)
        called(library[f"{id}_inverse_dynamics"], q, rest, rest, None, plain)
        called(library[f"{id}_inverse_dynamics_checked"], q, rest, rest, None, tau, found)
        out, expected = checks(m, "inverse_dynamics", q, rest, rest)
        np.testing.assert_allclose(tau, out["tau"], rtol=1e-11)
        np.testing.assert_allclose(plain, tau, rtol=1e-11)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


def test_the_certificate_of_c_tells_a_pose_of_another_branch(lift):
    m, id, _, library = lift
    found, tau, rest = np.zeros(3), np.zeros(1), np.zeros(m.nv)
    called(library[f"{id}_inverse_dynamics_checked"], scissor_pose(m, 0.5), rest, rest, None, tau,
           found)  # fmt: skip
    assert found[0] < 1e-12 and found[1] > 1e-4 and found[2] < 1e-12
    called(library[f"{id}_inverse_dynamics_checked"], rest, rest, rest, None, tau, found)
    assert not (found[1] > 1e-8 and found[2] < 1e-9)  # folded flat: branches meet


def test_other_languages_have_the_same_two_functions(tmp_path):
    m = da.robots.fivebar()
    da.export(m, ["inverse_dynamics"], language="python", path=tmp_path)
    spec = importlib.util.spec_from_file_location("fivebar", tmp_path / "fivebar.py")
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    q, rest = da.assemble(m), np.zeros(m.nv)
    tau, found = code.inverse_dynamics_checked(q, rest, rest)
    out, expected = checks(m, "inverse_dynamics", q, rest, rest)
    np.testing.assert_allclose(tau, out["tau"], rtol=1e-12)
    np.testing.assert_allclose(code.inverse_dynamics(q, rest, rest), tau, rtol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


def test_a_machine_without_loops_has_no_checks():
    names = [e.name for e in unit_of(da.robots.puma560(), ["inverse_dynamics"]).entries]
    assert names == ["inverse_dynamics"]
    closed = unit_of(da.robots.fivebar(), ["inverse_dynamics", "forward_dynamics"])
    assert [e.name for e in closed.entries] == [
        "inverse_dynamics", "inverse_dynamics_checked", "forward_dynamics",
        "forward_dynamics_checked", "everything",
    ]  # fmt: skip
    assert all([p.name for p in e.outputs][-1:] == ["checks"] for e in closed.entries[1:4:2])


def test_a_parameter_of_the_checks_alone_is_asked_for(tmp_path):
    """A shift across a planar loop opens it and changes no force: only the residual knows it."""

    def body(name, parent, at):
        place = {"type": "revolute", "axis": [0, 0, 1], "placement": {"translation": at}}
        return {"name": name, "parent": parent, "joint": place, "mass": 1, "com": [0.2, 0, 0],
                "inertia": [0.01, 0.01, 0.01]}  # fmt: skip

    pin = {"body_i": "b", "point_i": [0.8, 0, 0], "body_j": "c", "point_j": [0.6, 0, 0]}
    m = da.load({
        "format": "dalembert/1", "name": "bars", "parameters": {"shift": 0.0}, "active": ["a"],
        "bodies": [body("a", -1, [0, 0, 0]), body("b", "a", [0.3, 0, 0]),
                   body("c", -1, [0.7, 0, "shift"])],
        "loops": [{**pin, "joint": "revolute", "axis": [0, 0, 1]}],
    })  # fmt: skip
    (path, *_) = da.export(
        m, ["forward_dynamics"], language="python", path=tmp_path, parameters="all"
    )
    spec = importlib.util.spec_from_file_location("bars", path)
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    assert code.PARAMETER_NAMES == ["shift"]
    q = da.assemble(m)
    for shift in (0.0, 0.25):
        r = code.prepare([shift])
        *_, found = code.forward_dynamics_checked(q, np.zeros(3), np.zeros(1), r)
        assert abs(found[0] - shift) < 1e-12
    with pytest.raises(ValueError, match="shift"):  # names are not numbers
        code.prepare({"shift": 0.25})


def parallelogram():
    """Return a four-bar that lies flat, and is singular, at q = 0 and at half a turn."""

    def body(name, parent, at, length):
        place = {"type": "revolute", "axis": [0, 0, 1], "placement": {"translation": [at, 0, 0]}}
        return {"name": name, "parent": parent, "joint": place, "mass": 1,
                "com": [length / 2, 0, 0], "inertia": [0.01, 0.01, 0.01]}  # fmt: skip

    pin = {"body_i": "rod", "point_i": [0.5, 0, 0], "body_j": "rocker", "point_j": [0.3, 0, 0]}
    return da.load({
        "format": "dalembert/1", "name": "bars", "active": ["crank"], "gravity": [0, -9.81, 0],
        "bodies": [body("crank", -1, 0, 0.3), body("rod", "crank", 0.3, 0.5),
                   body("rocker", -1, 0.5, 0.3)],
        "loops": [{**pin, "joint": "revolute", "axis": [0, 0, 1]}],
    })  # fmt: skip


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_python_gives_the_checks_of_a_singular_pose(tmp_path, quantity):
    m = parallelogram()
    (path, *_) = da.export(m, [quantity], language="python", path=tmp_path)
    spec = importlib.util.spec_from_file_location("bars", path)
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    last = [0.0] * (3 if quantity == "inverse_dynamics" else 1)
    out, found = getattr(code, f"{quantity}_checked")([0, 0, 0], [1, -1, 1], last)
    assert found[1] == 0 and not np.isfinite(out).any()
    assert not np.isfinite(getattr(code, quantity)([0, 0, 0], [1, -1, 1], last)).any()
    out, found = getattr(code, f"{quantity}_checked")([0.7, -0.7, 0.7], [1, -1, 1], last)
    wanted = getattr(da, quantity)(m, [0.7, -0.7, 0.7], [1, -1, 1], last)
    np.testing.assert_allclose(out, wanted, rtol=1e-12)
    assert found[1] > 0.1


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_in_single_precision_the_stated_limit_finds_a_singular_pose(tmp_path):
    m = parallelogram()
    header, source, *_ = da.export(m, ["forward_dynamics"], language="c", path=tmp_path)
    assert "in single precision both limits are 1e-4" in " ".join(header.read_text().split())
    library = tmp_path / "bars.so"
    subprocess.run(["gcc", "-std=c99", "-O1", "-DBARS_FLOAT", "-shared", "-fPIC", source, "-o",
                    library, "-lm"], check=True)  # fmt: skip
    function = ctypes.CDLL(str(library)).bars_forward_dynamics_checked
    function.restype = None
    pivots = []
    for angle in (0.7, np.pi):
        given = [np.array(x, np.float32) for x in
                 ([angle, -angle, angle], [1, -1, 1], [0], [0] * 3, [0] * 3)]  # fmt: skip
        function(*(x.ctypes for x in given[:3]), None, *(x.ctypes for x in given[3:]))
        pivots.append(given[4][1])
    assert pivots[0] > 0.1 and 1e-8 < pivots[1] < 1e-4
