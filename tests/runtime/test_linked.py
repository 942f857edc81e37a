"""A kernel that is written as an object file gives C programs the same bits."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UsageError

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")

MAIN = """
#include "{name}.h"
#include <stdio.h>
#include <stdlib.h>

static {real} *read_all(const char *path, long n)
{{
    {real} *x = malloc((n + 1)*sizeof *x);
    FILE *f = fopen(path, "rb");
    if (!x || !f || fread(x, sizeof *x, n, f) != (size_t)n) exit(3);
    fclose(f);
    return x;
}}

int main(void)
{{
    FILE *f;
    void *scratch = aligned_alloc(64, {up}_SCRATCH);
    {reads}
    {makes}
    {name}({count}, {given}, scratch);
    f = fopen("out", "wb");
    {writes}
    fclose(f);
    return 0;
}}
"""


def run_c(k, name, folder: Path, arrays, parameters=None):
    """Return the outputs of the C program of a kernel, as one row of bytes."""
    header = k.save(folder, name)
    assert header == folder / f"{name}.h"
    count, real = len(arrays[0]), "float" if k.card.form.dtype == "float32" else "double"
    words, reads = [], []
    given = [*arrays, *([np.array(parameters)] if parameters else [])]
    for j, x in enumerate(given):
        (folder / f"in{j}").write_bytes(x.tobytes())
        reads.append(f'{real} *a{j} = read_all("in{j}", {x.size});')
        words.append(f"a{j}")
    makes, writes = [], []
    for j, port in enumerate(k.outputs):
        makes.append(f"{real} *b{j} = malloc({count * port.size}*sizeof *b{j});")
        writes.append(f"fwrite(b{j}, sizeof *b{j}, {count * port.size}, f);")
        words.append(f"b{j}")
    text = MAIN.format(
        name=name, up=name.upper(), real=real, count=count, given=", ".join(words),
        reads="\n    ".join(reads), makes="\n    ".join(makes), writes="\n    ".join(writes),
    )  # fmt: skip
    (folder / "main.c").write_text(text)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    build = ["gcc", *flags, "main.c", f"{name}.o", "-lm", "-o", "program"]
    subprocess.run(build, cwd=folder, check=True)
    subprocess.run(["./program"], cwd=folder, check=True)
    return (folder / "out").read_bytes()


def states(k, count, seed=2):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(count, *p.shape)).astype(k.card.form.dtype) for p in k.inputs]


def python_bytes(result):
    return b"".join(x.tobytes() for x in (result if isinstance(result, tuple) else (result,)))


CASES = [
    ("inverse_dynamics", {}),
    ("inverse_dynamics_derivatives", {"packed": True}),
    ("forward_dynamics", {"dtype": "float32"}),
    ("mass_matrix", {"layout": "tiles"}),
]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_c_gives_the_bits_of_the_kernel(name, form, tmp_path):
    k = da.compile(da.robots.ur5(), name, **form)
    given = states(k, 7)  # the last tile is not full
    assert run_c(k, f"arm_{name}", tmp_path, given) == python_bytes(k(*given))


def test_a_chain_of_many_links_and_parameters_of_any_name(tmp_path):
    long = da.compile(da.robots.eel(60), "forward_dynamics")
    given = [np.repeat(da.neutral(da.robots.eel(60))[None], 5, 0), *states(long, 5)[1:]]
    assert run_c(long, "eel", tmp_path, given) == python_bytes(long(*given))
    m = da.load("RZ(), TXK(λ), RZ(), TXK(0.4); body 1: M = 2, D = (λ/2, 0, 0); body 2: M = 1;")
    k = da.compile(m, "inverse_dynamics", wrt=["λ"])
    given = states(k, 6)
    wanted = python_bytes(k(*given, parameters={"λ": 0.7}))
    assert run_c(k, "letters", tmp_path, given, [0.7]) == wanted
    assert "x4" in (tmp_path / "letters.h").read_text()  # dtau_dλ is no word in C


def test_two_kernels_are_linked_together(tmp_path):
    m = da.robots.planar2r()
    for name in ("gravity", "mass_matrix"):
        da.compile(m, name).save(tmp_path)
    main = '#include "gravity.h"\n#include "mass_matrix.h"\nint main(void) { return 0; }\n'
    (tmp_path / "main.cpp").write_text(main)
    build = ["g++", "-Wall", "main.cpp", "gravity.o", "mass_matrix.o", "-lm", "-o", "both"]
    subprocess.run(build, cwd=tmp_path, check=True)


def test_what_has_no_header_says_why(tmp_path):
    m = da.robots.planar2r()
    for bad in ("1st", "int", "a b", "../x"):
        with pytest.raises(UsageError, match="no name in C"):
            da.compile(m, "gravity").save(tmp_path, bad)
    with pytest.raises(UsageError, match="reduces"):
        da.compile(m, "gravity", reduce="max").save(tmp_path)
    assert not list(tmp_path.iterdir())
