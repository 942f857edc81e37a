"""Several frames and wrenches in one export; Eigen; the times of single calls."""

import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, UsageError
from dalembert.export.check import check_export
from dalembert.export.unit import unit_of
from peers import eigen

BOTH = {"frame": ["tool0", "forearm_link"], "wrenches": ["tool0", "forearm_link"]}
NAMES = ["inverse_dynamics", "pose", "jacobian", "forward_dynamics"]


def test_a_function_for_each_frame_and_an_input_for_each_wrench():
    unit = unit_of(da.robots.ur5(), NAMES, **BOTH)
    assert [e.name for e in unit.entries] == [
        "inverse_dynamics", "pose_tool0", "pose_forearm_link", "jacobian_tool0",
        "jacobian_forearm_link", "forward_dynamics", "everything",
    ]  # fmt: skip
    first = unit.entries[0]
    assert first.given == ("q", "qd", "qdd", "wrench_tool0", "wrench_forearm_link")


def test_wrenches_are_those_on_the_body():
    """tau with a wrench on the body is that of da.inverse_dynamics(wrench_on_body=...)."""
    m = da.robots.ur5()
    entry = unit_of(m, ["inverse_dynamics"], wrenches=["tool0"]).entries[0]
    for golden in entry.golden:
        q, qd, qdd, w = golden.inputs
        tau = da.inverse_dynamics(m, q, qd, qdd, wrench_on_body={"tool0": w})
        assert np.allclose(golden.outputs[0], tau, atol=1e-12)
    bare = unit_of(m, ["inverse_dynamics"]).entries[0]
    assert not np.allclose(bare.golden[0].outputs[0], entry.golden[0].outputs[0])


@pytest.mark.parametrize("language", ["c", "cpp", "python", "numpy"])
@pytest.mark.parametrize(
    ("name", "frames"),
    [("ur5", ["tool0", "forearm_link"]), ("fourbar", ["coupler"]), ("rx90", ["j6", "j3"])],
)
def test_code_with_wrenches_agrees_with_kernels(language, name, frames, tmp_path):
    m = getattr(da.robots, name)()
    options = {"wrenches": frames, "parameters": None}
    files = da.export(m, ["inverse_dynamics"], language, tmp_path, **options)
    rows = check_export(m, ["inverse_dynamics"], language, files, **options)
    assert rows and all(row.ok for row in rows)


def test_one_frame_keeps_the_short_name():
    for frame in ("tool0", ["tool0"]):
        unit = unit_of(da.robots.ur5(), ["pose"], frame=frame)
        assert [e.name for e in unit.entries] == ["pose"]


@pytest.mark.parametrize(
    ("quantities", "options", "message"),
    [
        (["mass_matrix"], {"wrenches": ["tool0"]}, "takes external wrenches"),
        (["inverse_dynamics"], {"wrenches": ["tol0"]}, "no frame 'tol0'"),
        (["inverse_dynamics"], {"wrenches": ["base"]}, "does not move"),
        (["pose"], {"frame": ["tool0", "tol0"]}, "no frame 'tol0'"),
        (["mass_matrix"], {"frame": ["tool0"]}, "no .* option 'frame'|has an option 'frame'"),
    ],
)
def test_what_is_not_there_is_said(quantities, options, message):
    with pytest.raises(DalembertError, match=message):
        unit_of(da.robots.ur5(), quantities, **options)
    with pytest.raises(UsageError):
        unit_of(da.robots.ur5(), [])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
@pytest.mark.parametrize("name", ["ur5", "planar2r", "fourbar"])
def test_the_bench_prints_the_times_of_every_function(name, tmp_path):
    m = getattr(da.robots, name)()
    da.export(m, ["inverse_dynamics", "forward_dynamics"], "c", tmp_path)
    up = name.upper()
    build = ["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-D{up}_BENCH"]
    build += [f"{name}.c", f"{name}_test.c", "-lm", "-o", "bench"]
    subprocess.run(build, cwd=tmp_path, check=True)
    said = subprocess.run(["./bench"], cwd=tmp_path, check=True, capture_output=True, text=True)
    lines = said.stdout.splitlines()
    assert lines[0].startswith("inverse_dynamics mean=") and "p99.9=" in lines[0]
    words = dict(w.split("=") for w in lines[0].split() if "=" in w)
    assert 0 < float(words["median"]) <= float(words["p99.9"]) <= float(words["max"])


EIGEN = """#include <Eigen/Core>
#include "ur5.hpp"
#include <cstdio>
int main()
{
    Eigen::VectorXd q(6), qd = Eigen::VectorXd::Zero(6);
    q << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6;
    Eigen::Matrix<double, 6, 1> qdd;
    qdd << 1, 2, 3, 4, 5, 6;
    const Eigen::Matrix<double, 6, 1> tau = ur5::eigen::inverse_dynamics(q, qd, qdd);
    const Eigen::Matrix<double, 6, 6> M = ur5::eigen::mass_matrix(q);
    const auto d = ur5::eigen::inverse_dynamics_derivatives(q, qd, qdd);
    const Eigen::Matrix<double, 6, 1> none = Eigen::Matrix<double, 6, 1>::Zero();
    const Eigen::Matrix<double, 6, 1> g = ur5::eigen::inverse_dynamics(q, none, none);
    const double far = (M*qdd + g - tau).norm() + (d.M - M).norm();
    bool refused = false;
    try {
        ur5::mass_matrix(Eigen::VectorXd(5));
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    std::printf("%.1e\\n", far);
    return far < 1e-12 && refused ? 0 : 1;
}
"""


@pytest.mark.skipif(shutil.which("g++") is None or eigen() is None, reason="no g++ or no Eigen")
def test_eigen_vectors_go_in_and_come_out(tmp_path):
    names = ["inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives"]
    da.export(da.robots.ur5(), names, "cpp", tmp_path)
    (tmp_path / "main.cpp").write_text(EIGEN)
    build = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-isystem", str(eigen())]
    subprocess.run([*build, "main.cpp", "-o", "main"], cwd=tmp_path, check=True)
    subprocess.run(["./main"], cwd=tmp_path, check=True)
