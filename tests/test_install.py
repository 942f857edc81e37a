"""A wheel and a source archive are built, installed in a clean environment, and work there."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from peers import ROOT

LARGEST = 100e6  # bytes that the core and its dependencies may take to download


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_the_wheel_installs_in_a_clean_environment_and_computes(tmp_path):
    pytest.importorskip("build")
    # the archive is built from the tree, the wheel from the archive, as an index would have it
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (archive,) = (tmp_path / "dist").glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"dalembert/py.typed", "dalembert/read/native.schema.json"} <= names
    assert not [n for n in names if n.startswith(("tests/", "docs/", "node_modules"))]
    with tarfile.open(archive) as opened:
        inside = {name.partition("/")[2] for name in opened.getnames()}
    assert {"README.md", "LICENSE", "examples/arm6.urdf", "docs/index.md"} <= inside

    pool = tmp_path / "pool"
    run(sys.executable, "-m", "pip", "download", "--quiet", "--dest", pool, wheel)
    size = sum(file.stat().st_size for file in pool.iterdir())
    assert size < LARGEST, f"the core takes {size / 1e6:.0f} MB"

    run(sys.executable, "-m", "venv", tmp_path / "venv")
    bin = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(bin / "python", "-m", "pip", "install", "--no-index", "--find-links", pool, wheel)
    clean = {"cwd": tmp_path, "env": {"PATH": str(bin), "DALEMBERT_CACHE": "off", "HOME": "/"}}
    found = json.loads(run(bin / "dalembert", "doctor", "--json", **clean))
    assert found["jit"]["ok"] and all(found["core"].values())
    assert found["extras"]["sim"]["packages"]["scipy"] is None  # nothing optional came along
    arm = ROOT / "examples" / "arm6.urdf"
    run(bin / "dalembert", "eval", arm, "inverse_dynamics", **clean)
    run(bin / "dalembert", "derive", "RZ(), TXK(L1), RZ(), TXK(L2);", **clean)
    run(bin / "dalembert", "view", arm, "--out", tmp_path / "arm.html", **clean)
    run(bin / "dalembert", "export", arm, "gravity", "--to", "c", "--out", tmp_path / "c", **clean)


# what needs no engine beside the package's own: scalars, graphs, readers, kernels, motions
PORTABLE = (
    "test_algebra.py", "test_linalg.py", "test_joint.py", "expr/test_graph.py",
    "expr/test_forms.py", "runtime/test_kernel.py", "read/test_phrase.py",
    "equations/test_report.py", "test_files.py",
)  # fmt: skip


def pythons():
    """Return the interpreters found here of the versions that the package allows, but ours."""
    found = {}
    for minor in range(11, 15):
        if path := shutil.which(f"python3.{minor}"):
            found[minor] = path
    for path in Path.home().glob(".pyenv/versions/3.*/bin/python"):
        found[int(path.parts[-3].split(".")[1])] = str(path)
    return [found[minor] for minor in sorted(found) if 11 <= minor != sys.version_info.minor]


def runs_in_a_new_environment(tmp_path, python, constraints):
    run(python, "-m", "venv", tmp_path / "venv")
    inside = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    needed = ["numpy", "llvmlite", "python-flint", "click", "scipy", "matplotlib", "sympy"]
    run(inside, "-m", "pip", "install", "--quiet", "--constraint", ROOT / constraints, *needed)
    run(inside, "-m", "pip", "install", "--quiet", "pytest", "hypothesis")
    files = [ROOT / "tests" / name for name in PORTABLE]
    words = ["-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *files]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "DALEMBERT_CACHE": "off"}
    said = run(inside, *words, env=env | {"DALEMBERT_REQUIRE_PEERS": ""}, cwd=ROOT)
    assert re.search(r"\d{3,} passed", said), said[-500:]


@pytest.mark.slow
@pytest.mark.parametrize("python", pythons(), ids=lambda path: re.search(r"3\.\d+", path)[0])
def test_every_python_found_here_computes(tmp_path, python):
    runs_in_a_new_environment(tmp_path, python, "constraints.txt")


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the oldest wheels are of Python 3.11")
def test_the_oldest_versions_compute(tmp_path):
    runs_in_a_new_environment(tmp_path, sys.executable, "constraints-oldest.txt")


def test_the_oldest_versions_are_the_lower_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    bounds = {*project["dependencies"], *extras["sim"], *extras["symbolic"]}
    lines = (ROOT / "constraints-oldest.txt").read_text().splitlines()
    pinned = {line.replace("==", ">=") for line in lines if not line.startswith("#")}
    assert pinned == bounds


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    lines = {
        line.strip("- ").replace(" ", "") for line in recipe.partition("  run:")[2].splitlines()
    }
    assert {name.replace(" ", "") for name in project["dependencies"]} <= lines


def test_the_matrix_names_the_pythons_that_the_package_allows():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "\t" not in text and 'python: ["3.11", "3.12", "3.13", "3.14"]' in text
    assert all(system in text for system in ("ubuntu", "macos", "windows"))
