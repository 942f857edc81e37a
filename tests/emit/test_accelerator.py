"""OpenCL and CUDA: many states at once, checked on whatever device is here."""

import shutil
import subprocess

import pytest

import dalembert as da
from dalembert.export.check import run, tool
from emitted import unit, write


@pytest.mark.parametrize("language", ["opencl", "cuda"])
@pytest.mark.parametrize("name", ["parametric", "fourbar"])
def test_kernels_hold_the_golden_vectors(language, name, tmp_path):
    if tool(language):
        pytest.skip(f"{tool(language)} is not here")
    _, made = unit(name)
    write(made, language, tmp_path)
    rows = run(language, tmp_path, made.id)
    assert len(rows) >= 2 and all(row.ok and row.worst < 1e-13 for row in rows), rows


def test_single_precision_on_opencl(tmp_path):
    if tool("opencl"):
        pytest.skip(f"{tool('opencl')} is not here")
    da.export(da.robots.puma560(), ["inverse_dynamics"], language="opencl", path=tmp_path)
    build = ["gcc", "-std=c99", "-DPUMA560_FLOAT", "puma560.c", "puma560_opencl.c", "-o", "golden"]
    subprocess.run([*build, "-lOpenCL", "-lm"], cwd=tmp_path, check=True)
    said = subprocess.run(["./golden"], cwd=tmp_path, capture_output=True, text=True, check=True)
    worst = float(said.stdout.partition("worst=")[2].split()[0])
    assert 1e-9 < worst < 1e-5  # it was single precision, and it is right


@pytest.mark.slow
def test_the_compiler_of_cuda_takes_it(tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not here")
    da.export(da.robots.puma560(), ["inverse_dynamics"], language="cuda", path=tmp_path)
    subprocess.run([nvcc, "puma560_test.cu", "-o", "golden"], cwd=tmp_path, check=True)
    subprocess.run(["./golden"], cwd=tmp_path, check=True)  # on the host where there is no device
