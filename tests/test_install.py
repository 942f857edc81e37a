"""A wheel and a source archive are built, installed in a clean environment, and work there."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile

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
    assert {"dalembert/py.typed", "dalembert/read/phrase.lark"} <= names
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


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    import tomllib

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
