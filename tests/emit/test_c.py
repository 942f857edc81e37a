"""C99: compiled without a warning, run, and compared with the algorithms in floats."""

import ctypes
import re
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.emit import c
from dalembert.export import writer
from dalembert.export.unit import unit_of
from emitted import MACHINES, expected, unit, worst

GCC = shutil.which("gcc")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not here")


def build(directory, made, *flags, library=True):
    """Return the file that gcc makes of a Unit: a library, or the program of its golden vectors."""
    for name, text in writer("c")(made).items():
        (directory / name).write_text(text, encoding="utf-8")
    sources = [directory / f"{made.id}.c"]
    out = directory / (f"{made.id}.so" if library else f"{made.id}_test")
    kind = ("-shared", "-fPIC") if library else (directory / f"{made.id}_test.c",)
    subprocess.run([GCC, *STRICT, *flags, *kind, *sources, "-o", out, "-lm"], check=True)
    return out


def pointers(rows):
    return [row.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for row in rows]


@needs_gcc
@pytest.mark.parametrize("name", MACHINES)
def test_c_equals_the_algorithms(name, tmp_path):
    m, made = unit(name)
    library = ctypes.CDLL(str(build(tmp_path, made, "-O1")))
    r = np.zeros(max(1, made.prepared))
    if made.parameters:
        getattr(library, f"{made.id}_prepare")(*pointers([np.array(made.trial), r]))
    for entry in made.entries:
        given, outs = expected(m, made, entry, 10)
        function = getattr(library, f"{made.id}_{entry.name}")
        for k in range(10):
            rows = [np.ascontiguousarray(x[k]) for x in given]
            found = [np.full(max(1, x.shape[1]), np.nan) for x in outs]
            function(*pointers([*rows, r, *found]))
            for x, ref, growth in zip(found, outs, entry.growth, strict=True):
                error = worst(x[: ref.shape[1]], ref[k], growth)
                assert error < 1e-13, (entry.name, error)


@needs_gcc
@pytest.mark.parametrize("flags", [("-O2",), ("-O3", "-march=native", "-ffp-contract=fast"),
    ("-O2", "-ffast-math"), ("-O2", "-D{}_LIBM_SINCOS"), ("-O2", "-D{}_FLOAT"),
    ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")],
    ids=["plain", "contracted", "fast", "libm", "single", "sanitized"])  # fmt: skip
@pytest.mark.parametrize(
    "name",
    ["parametric", *(pytest.param(n, marks=pytest.mark.slow) for n in ("serial", "fivebar"))],
)
def test_golden_vectors_hold(name, flags, tmp_path):
    _, made = unit(name)
    flags = [flag.format(made.id.upper()) for flag in flags]
    subprocess.run([build(tmp_path, made, *flags, library=False)], check=True)


FAR = """{"name": "far", "parameters": {"tiny": 1e-60, "huge": 1e60}, "bodies": [
  {"name": "a", "parent": -1, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "mass": 2,
   "com": [0.3, 0, 1e-50], "inertia": [[0.3, 1e-45, 0], [1e-45, 0.3, 0], [0, 0, 0.1]]},
  {"name": "b", "parent": 0, "joint": {"type": "revolute", "axis": [1, 0, 0],
   "placement": {"translation": [1e-41, 0.5, "tiny*huge"]}}, "mass": 1, "com": [0.1, 1e-50, 0],
   "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}]}"""


@needs_gcc
@pytest.mark.parametrize("parameters", [None, "all"])
@pytest.mark.parametrize("single", [False, True])
def test_numbers_beyond_single_precision_build_in_both(parameters, single, tmp_path):
    made = unit_of(da.load(FAR), ["inverse_dynamics", "mass_matrix"], parameters=parameters)
    name = made.id.upper()
    flags = [f"-D{name}_FLOAT"] * single
    program = build(tmp_path, made, "-O1", *flags, library=False)
    text = "".join(path.read_text() for path in tmp_path.glob("*.[ch]"))
    assert re.search(rf"{name}_FAR\(\d", text)
    if not (single and parameters):  # 1e-60 times 1e60 is one, in single precision zero
        subprocess.run([program], check=True)


@pytest.mark.parametrize(
    ("x", "text"),
    [(1.0, "X_K(1.0)"), (-0.0, "-X_K(0.0)"), (1e-37, "X_K(1e-37)"), (-1e-39, "-X_FAR(1e-39, 0.0)"),
     (1e39, "X_FAR(1e+39, 3.4028234663852886e+38)"), (float("inf"), "INFINITY")],
)  # fmt: skip
def test_constants_have_a_form_for_single_precision(x, text):
    assert c.constant(x, "X") == text


@needs_gcc
def test_a_wrong_result_fails_the_golden_vectors(tmp_path):
    _, made = unit("serial")
    program = build(tmp_path, made, library=False)
    text = (tmp_path / f"{made.id}.c").read_text(encoding="utf-8")
    (tmp_path / f"{made.id}.c").write_text(text.replace("tau[2] = ", "tau[2] = 1e-6 + "))
    sources = [tmp_path / f"{made.id}.c", tmp_path / f"{made.id}_test.c"]
    subprocess.run([GCC, *sources, "-o", program, "-lm"], check=True)
    assert subprocess.run([program], check=False, capture_output=True).returncode == 1


SINES = """
#include "{id}.c"
void all(int n, const {id}_real *x, {id}_real *s, {id}_real *c);
void all(int n, const {id}_real *x, {id}_real *s, {id}_real *c) {{ {id}_sincos(n, x, s, c); }}
"""


@cache
def exact_sines(single):
    """Return angles, and their sines and cosines to 200 bits (None where they have none)."""
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(3)
    multiples = np.arange(-60000, 60000, 7) * (np.pi / 2)
    special = [0.0, -0.0, 1e-300, 99999.99, 1e5, 1.0001e5, 1e15, np.inf, np.nan]
    near, far = rng.uniform(-8, 8, 3000), rng.uniform(-1e5, 1e5, 3000)
    x = np.concatenate([near, far, multiples, special])
    with np.errstate(under="ignore"):
        x = x.astype(np.float32 if single else np.float64)
    with mpmath.workprec(200):
        return x, [mpmath.cos_sin(v)[::-1] if np.isfinite(v) else None for v in x.tolist()]


@needs_gcc
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("fused", [False, True])
def test_sines_are_within_two_units_in_the_last_place(single, fused, tmp_path):
    x, known = exact_sines(single)
    import mpmath

    _, made = unit("parametric")
    for name, text in writer("c")(made).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "sines.c").write_text(SINES.format(id=made.id))
    flags = [f"-D{made.id.upper()}_FLOAT"] * single
    flags += ["-O3", "-mfma", "-ffp-contract=fast"] if fused else ["-O2"]
    out = tmp_path / "sines.so"
    command = [GCC, *STRICT, *flags, "-shared", "-fPIC", tmp_path / "sines.c", "-o", out, "-lm"]
    subprocess.run(command, check=True)
    s, co = np.zeros_like(x), np.zeros_like(x)
    function = ctypes.CDLL(str(out)).all
    function(len(x), *(ctypes.c_void_p(a.ctypes.data) for a in (x, s, co)))
    worst_ulp = 0.0
    with mpmath.workprec(200):
        for pair, *both in zip(known, s, co, strict=True):
            if pair is None:
                assert np.isnan(both).all()
                continue
            for found, exact in zip(both, pair, strict=True):
                last = float(np.spacing(np.abs(x.dtype.type(float(exact)))))
                worst_ulp = max(worst_ulp, abs(float(mpmath.mpf(float(found)) - exact)) / last)
    assert worst_ulp <= 2, worst_ulp


@pytest.mark.parametrize("language", ["c", "rust"])
def test_the_head_says_that_quaternions_are_not_normalised(language, tmp_path):
    said = "(base: x, y, z, w) must have length 1"
    for base in ("free", "fixed"):
        da.export(
            da.load("RZ(), TXK(0.5);", base=base).with_values(M1=1, D1=0.2, IY1=0.1, IZ1=0.1),
            ["gravity"], language=language, path=tmp_path / base,
        )  # fmt: skip
        texts = [f.read_text() for f in (tmp_path / base).rglob("*") if f.is_file()]
        assert any(said in " ".join(t.split()) for t in texts) == (base == "free")
