"""Packages around the C of a model: ROS 2 (against stub headers), Arduino, FMI 3.0."""

import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.errors import UsageError
from dalembert.export import check, files
from dalembert.export.check import check_export
from peers import eigen

EIGEN = eigen()
STRICT = ["-Wall", "-Wextra", "-Werror"]

# the few declarations of ROS that the plugin uses, written for this test
STUBS = {
    "rclcpp/parameter.hpp": """#pragma once
#include <string>
#include <vector>
namespace rclcpp {
class Parameter {
public:
  std::vector<std::string> names;
  std::vector<std::string> as_string_array() const { return names; }
};
}
""",
    "rclcpp/node_interfaces/node_parameters_interface.hpp": """#pragma once
#include <memory>
#include <string>
#include <rclcpp/parameter.hpp>
namespace rclcpp { namespace node_interfaces {
class NodeParametersInterface {
public:
  using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
  virtual ~NodeParametersInterface() {}
  virtual bool get_parameter(const std::string & name, rclcpp::Parameter & parameter) const = 0;
};
} }
""",
    "pluginlib/class_list_macros.hpp": """#pragma once
#include <memory>
#define PLUGINLIB_EXPORT_CLASS(derived, base) \\
  extern "C" base * make_solver() { return new derived(); }
""",
    "inverse_dynamics_solver/inverse_dynamics_solver.hpp": """#pragma once
#include <string>
#include <Eigen/Core>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>
namespace inverse_dynamics_solver {
class InverseDynamicsSolver {
public:
  virtual ~InverseDynamicsSolver() {}
  virtual void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters = nullptr,
    const std::string & prefix = "", const std::string & description = "") = 0;
  virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & q) const = 0;
  virtual Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & q, const Eigen::VectorXd & qd) const = 0;
  virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd & q) const = 0;
  virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & qd) const = 0;
  virtual Eigen::VectorXd getTorques(const Eigen::VectorXd & q, const Eigen::VectorXd & qd,
    const Eigen::VectorXd & qdd) const = 0;
};
}
""",
}
MAIN = """#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <cstdio>
#include <stdexcept>
extern "C" inverse_dynamics_solver::InverseDynamicsSolver * make_solver();
struct Told : rclcpp::node_interfaces::NodeParametersInterface {
  std::vector<std::string> names;
  bool get_parameter(const std::string & name, rclcpp::Parameter & p) const override
  {
    p.names = names;
    return name == "robot.joints" && !names.empty();
  }
};
static void print(const Eigen::MatrixXd & x)
{
  for (int i = 0; i < x.rows(); ++i) {
    for (int j = 0; j < x.cols(); ++j) std::printf("%.17g ", x(i, j));
  }
  std::printf("\\n");
}
int main(int n, char ** words)
{
  std::unique_ptr<inverse_dynamics_solver::InverseDynamicsSolver> solver(make_solver());
  auto told = std::make_shared<Told>();
  for (int k = 1; k < n; ++k) told->names.push_back(words[k]);
  try {
    solver->initialize(told, "robot");
  } catch (const std::invalid_argument & e) {
    std::printf("%s\\n", e.what());
    return 3;
  }
  Eigen::VectorXd q(6), qd(6), qdd(6);
  q << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6;
  qd << 1, -1, 0.5, 0, -0.5, 2;
  qdd << 3, 2, 1, 0, -1, -2;
  print(solver->getInertiaMatrix(q));
  print(solver->getCoriolisVector(q, qd));
  print(solver->getGravityVector(q));
  print(solver->getFrictionVector(qd));
  print(solver->getTorques(q, qd, qdd));
}
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    if shutil.which("g++") is None or EIGEN is None:
        pytest.skip("no g++ or no Eigen")
    place = tmp_path_factory.mktemp("ros2")
    da.export(da.robots.puma560(), [], "ros2", place / "package")
    for name, text in STUBS.items():
        (place / "stubs" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "stubs" / name).write_text(text)
    (place / "main.cpp").write_text(MAIN)
    src = place / "package" / "src"
    subprocess.run(["gcc", "-std=c99", *STRICT, "-O1", "-c", src / "puma560.c", "-o", "c.o"],
                   cwd=place, check=True)  # fmt: skip
    build = ["g++", "-std=c++17", *STRICT, "-O1", "-isystem", EIGEN, "-Istubs", f"-I{src}"]
    build += [src / "solver.cpp", "main.cpp", "c.o", "-o", "main", "-lm"]
    subprocess.run(build, cwd=place, check=True)
    return place


def asked(place, *names):
    done = subprocess.run(["./main", *names], cwd=place, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (5, 0, 3, 1, 4, 2)])
def test_the_plugin_answers_in_the_order_of_its_caller(plugin, order):
    m = da.robots.puma560()
    q, qd, qdd = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [1, -1, 0.5, 0, -0.5, 2], [3, 2, 1, 0, -1, -2]
    code, text = asked(plugin, *(m.joint_names[k] for k in order))
    assert code == 0
    M, c, g, f, tau = (np.array(line.split(), float) for line in text.splitlines())
    own = [np.empty(6) for _ in range(3)]
    for x, given in zip(own, (q, qd, qdd), strict=True):
        x[list(order)] = given
    pick = list(order)
    assert np.allclose(M.reshape(6, 6), da.mass_matrix(m, own[0])[np.ix_(pick, pick)], atol=1e-12)
    assert np.allclose(c, da.coriolis(m, own[0], own[1])[pick], atol=1e-12)
    assert np.allclose(g, da.gravity(m, own[0])[pick], atol=1e-12)
    assert np.allclose(tau, da.inverse_dynamics(m, *own)[pick], atol=1e-11)
    friction = da.inverse_dynamics(m, *own, drives="all") - da.inverse_dynamics(m, *own)
    assert np.allclose(f, friction[pick], atol=1e-11)


def test_the_plugin_refuses_joints_that_are_not_there(plugin):
    names = list(da.robots.puma560().joint_names)
    assert asked(plugin, *names[:5])[0] == 3
    assert "no joint elbow" in asked(plugin, *names[:5], "elbow")[1]
    assert "named twice" in asked(plugin, *names[:5], names[0])[1]


def test_the_package_says_what_it_is():
    made = files(da.robots.ur5(), [], "ros2")
    assert "stub headers" in made["README.md"] and "ament_package()" in made["CMakeLists.txt"]
    assert 'type="ur5_dynamics::Solver"' in made["plugin.xml"]
    import xml.etree.ElementTree as ET

    assert ET.fromstring(made["package.xml"]).find("name").text == "ur5_dynamics"
    ET.fromstring(made["plugin.xml"])


@pytest.mark.parametrize("name", ["fourbar", "truck", "walker", "rx90"])
def test_machines_that_are_no_arms_have_no_plugin(name):
    with pytest.raises(UsageError, match="no ROS 2 package"):
        files(getattr(da.robots, name)(), [], "ros2")


# -- Arduino -----------------------------------------------------------------------------------

BOARDS = {
    "avr-gcc": (["-mmcu=atmega2560"], 24_000),
    "arm-none-eabi-gcc": (["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "--specs=nosys.specs",
                           "-mfpu=fpv4-sp-d16"], 24_000),
}  # fmt: skip
SKETCH = """#include "ur5.h"
#include <stddef.h>
volatile float sink;
int main(void)
{
    ur5_real q[6] = {0}, qd[6] = {0}, qdd[6] = {0}, tau[6];
    q[0] = sink;
    ur5_inverse_dynamics(q, qd, qdd, NULL, tau);
    sink = tau[1];
    return 0;
}
"""


@pytest.mark.parametrize("compiler", BOARDS)
def test_an_arduino_library_fits_a_small_board(compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not here")
    da.export(da.robots.ur5(), ["inverse_dynamics"], "arduino", tmp_path)
    src = tmp_path / "ur5" / "src"
    (tmp_path / "main.c").write_text(SKETCH)
    flags, most = BOARDS[compiler]
    build = [compiler, *flags, "-std=gnu99", "-Os", *STRICT, "-ffunction-sections", f"-I{src}"]
    build += ["-Wl,--gc-sections", "main.c", src / "ur5.c", "-lm", "-o", "image"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tool = compiler.replace("gcc", "size")
    size = subprocess.run([tool, "image"], cwd=tmp_path, check=True, capture_output=True, text=True)
    text, data, _ = map(int, size.stdout.splitlines()[1].split()[:3])
    assert 0 < text + data < most


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
@pytest.mark.parametrize("language", ["arduino", "ros2"])
def test_the_code_in_a_package_is_checked_on_request(language, tmp_path, capsys):
    asked = ["inverse_dynamics"] if language == "arduino" else []
    to = ["--to", language, "--out", str(tmp_path), "--check"]
    assert main(["export", "robot:ur5", *asked, *to]) == 0
    told = capsys.readouterr()
    assert f"{language} inverse_dynamics.tau" in told.out and "MISS" not in told.out
    assert told.out.endswith(f"built, run and compared ({language}): every result agrees\n")
    assert "it was not built" in told.err
    code = next(tmp_path.rglob("ur5.c"))
    code.write_text(code.read_text().replace(" - ", " + "))
    rows = check.package(language, list(tmp_path.rglob("*.c")))
    assert not all(row.ok for row in rows)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
def test_the_library_is_single_precision_and_its_golden_vectors_hold(tmp_path):
    da.export(da.robots.planar2r(), ["inverse_dynamics"], "arduino", tmp_path)
    src, extras = tmp_path / "planar2r" / "src", tmp_path / "planar2r" / "extras"
    for flags in ([], ["-DPLANAR2R_DOUBLE"]):
        build = ["gcc", "-std=c99", *STRICT, *flags, f"-I{src}", src / "planar2r.c"]
        build += [extras / "planar2r_test.c", "-lm", "-o", "golden"]
        subprocess.run(build, cwd=tmp_path, check=True)
        subprocess.run(["./golden"], cwd=tmp_path, check=True)
    sketch = (tmp_path / "planar2r/examples/inverse_dynamics/inverse_dynamics.ino").read_text()
    assert "planar2r_prepare(&p, r);" in sketch


# -- FMI 3.0 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["planar", "fourbar", "truck", "puma560"])
def test_fmi_3_moves_as_simulate_does(name, tmp_path, peer):
    peer("fmpy")
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    text = "RZ(), TXK(0.5), RZ(), TXK(0.4); body 1: M = 2, D = (0.2, 0, 0), I = (0, 0, 0.1);"
    m = da.load(text) if name == "planar" else getattr(da.robots, name)()
    if name == "planar":
        m = da.load(text + "body 2: M = 1, D = (0.2, 0, 0), I = (0, 0, 0.1);")
    written = da.export(m, [], "fmu3", tmp_path)
    rows = check_export(m, [], "fmu3", written)
    assert len(rows) == 2 and all(row.ok for row in rows)


def test_fmi_3_directional_derivatives_are_those_of_fmi_2(tmp_path, peer):
    fmpy = peer("fmpy")
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    from fmpy.fmi2 import FMU2Model
    from fmpy.fmi3 import FMU3Model

    m = da.robots.fourbar()
    made = []
    for version, language in ((2, "fmu"), (3, "fmu3")):
        (file,) = da.export(m, [], language, tmp_path / language)
        told = fmpy.read_model_description(str(file))
        folder = fmpy.extract(str(file))
        kind = FMU2Model if version == 2 else FMU3Model
        key = "guid" if version == 2 else "instantiationToken"
        model = kind(guid=getattr(told, key), unzipDirectory=folder, instanceName="a",
                     modelIdentifier=told.modelExchange.modelIdentifier)  # fmt: skip
        model.instantiate()
        if version == 2:
            model.setupExperiment()
        model.enterInitializationMode()
        n = m.nq + m.nv
        unknown, known = list(range(n, 2 * n)), [0]
        if version == 2:
            made.append(model.getDirectionalDerivative(unknown, known, [1.0]))
        else:
            made.append(model.getDirectionalDerivative(unknown, known, [1.0], len(unknown)))
        model.exitInitializationMode()
        model.terminate()
        model.freeInstance()
    assert np.allclose(made[0], made[1], atol=1e-13)
