"""Text is written once: language files hold no loop, nothing emitted is searched or cut again."""

import ast
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

import dalembert as da
from dalembert.emit.text import part
from dalembert.export import LANGUAGES, writer
from dalembert.export.unit import unit_of
from emitted import unit, write
from peers import SOURCE

EMIT = SOURCE / "emit"
PARTS = EMIT / "parts"
MODULES = sorted({module for module, _ in LANGUAGES.values()})
# names.py makes identifiers of names from files, check.py reads what other programs print, drop.py
# reads what users write
READS = {"emit/names.py", "export/check.py", "equations/drop.py"}
WRITERS = {
    str(f.relative_to(SOURCE)): f
    for room in ("emit", "export", "equations")
    for f in sorted((SOURCE / room).rglob("*.py"))
}
SEARCHES = ("replace", "partition", "rpartition", "rfind", "translate")


def searches(text):
    """Return the calls of a module that look into text, or change it."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [x.name for x in node.names]
        else:
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
        called = node.func if isinstance(node, ast.Call) else None
        if "re" in names:
            found.append(f"line {node.lineno}: re")
        elif isinstance(called, ast.Attribute) and called.attr in SEARCHES:
            found.append(f"line {node.lineno}: {ast.unparse(called)}")
    return found


def test_the_writers_are_all_there():
    assert {"emit/c.py", "export/write.py", "equations/text.py"} < set(WRITERS)
    assert set(WRITERS) > READS and len(WRITERS) > 80
    assert searches("import re") and searches("x.replace('a', 'b')") and not searches("replace(m)")


@pytest.mark.parametrize("name", sorted(set(WRITERS) - READS))
def test_nothing_emitted_is_searched_or_replaced(name):
    assert not searches(WRITERS[name].read_text(encoding="utf-8"))


LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@pytest.mark.parametrize("module", MODULES)
def test_a_language_holds_no_loop(module):
    tree = ast.parse((EMIT / f"{module}.py").read_text(encoding="utf-8"))
    assert not any(isinstance(node, LOOPS) for node in ast.walk(tree))


def test_the_languages_are_short():
    own = [*MODULES, "c_golden"]
    lines = {m: len((EMIT / f"{m}.py").read_text().splitlines()) for m in own}
    assert sum(lines.values()) <= 1250 and max(lines.values()) <= 175, lines


def test_a_part_with_a_hole_that_nobody_fills_is_an_error():
    made = unit("parametric")[1]
    with pytest.raises(FileNotFoundError, match="about"):
        part("model.jl", made)
    assert "ur5_x" in part("kernel.h", made, dict.fromkeys(KERNEL, ""), "x").replace(made.id, "ur5")


KERNEL = ("every", "local", "get", "words", "put", "names")


# -- parts are real files that tools can read --------------------------------------------------

HEADER = """
#include <float.h>
#include <math.h>
#include <stdio.h>
#include "real.h"
#include "functions.h"
#include "sincos.h"
#include "minimum.h"
#include "maximum.h"
#include "sign.h"
#include "epsilon.h"
#include "differs.h"
int main(void)
{
    model_real x[2] = {0.5, 1e9}, s[2], c[2];
    model_sincos(2, x, s, c);
    s[0] = model_min(s[0], model_max(c[0], model_sign(x[0])));
    return model_differs("x y", 2, 1, s, s, 1.0, MODEL_EPSILON);
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
@pytest.mark.parametrize("flag", ["-DMODEL_DOUBLE", "-DMODEL_FLOAT", "-DMODEL_LIBM_SINCOS"])
def test_the_parts_of_c_compile_as_they_are(flag, tmp_path):
    (tmp_path / "all.c").write_text(HEADER)
    strict = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{PARTS}", flag)
    command = ["gcc", *strict, tmp_path / "all.c", "-o", tmp_path / "all", "-lm"]
    subprocess.run(command, check=True)
    subprocess.run([tmp_path / "all"], check=True, capture_output=True)


FMU = """
#define MODEL_H
typedef struct {{ double a; }} model_parameters;
void model_prepare(const model_parameters *p, double *r);
void model_rates(const double *q, const double *v, const double *u, {w} const double *r,
                 double *dq, double *dv {measure});
void model_energies(const double *q, const double *v, {w} const double *r, double *a, double *b);
void model_project(const double *q, const double *v, {w} const double *r, double *a, double *b,
                   double *gap);
void model_assemble(const double *q, const double *v, const double *r, double *a, double *b,
                    double *gap);
void model_assemble_along(const double *q, const double *v, const double *dq, const double *dv,
                          const double *r, double *a, double *b);
void model_rates_along(const double *q, const double *v, const double *u, {w} const double *dq,
                       const double *dv, const double *du, {dw} const double *r, double *a,
                       double *b);
void model_energies_along(const double *q, const double *v, {w} const double *dq,
                          const double *dv, {dw} const double *r, double *a, double *b);
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
@pytest.mark.parametrize("kind", range(16))
def test_the_part_of_an_fmu_compiles_in_every_kind(kind, tmp_path):
    settled, loops, timed, some = (kind >> k & 1 for k in range(4))
    signals = 3 if timed else 2 * some
    words = {"w": "const double *w," if signals else "", "measure": ", double *m" * loops}
    words["dw"] = "const double *dw," if signals else ""
    (tmp_path / "model.h").write_text(FMU.format(**words))
    sizes = {"NQ": 2, "NV": 2, "NF": 2, "NU": 3, "NS": signals, "NP": some, "NR": 1, "TIMED": timed}
    sizes |= {"SETTLED": settled, "LOOPS": loops, "STEP": 0.001, "GUID": '"x"'}
    sizes |= {"START_X": "1,2,3,4", "START_P": "1,2" if some else "1"}
    sizes |= {"CLOSED": 1e-9, "FADED": 1e-10}
    flags = [f"-D{k}={v}" for k, v in sizes.items()] + ["-DPARAMETERS(p,x)=((p).a=(x)[0])"]
    strict = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{tmp_path}")
    for api in ("fmi2", "fmi3"):
        before = [
            x for name in ("plant.c", f"{api}.h", "fmi.c") for x in ("-include", PARTS / name)
        ]
        subprocess.run(["gcc", *strict, *flags, *before, PARTS / f"{api}.c"], check=True)


# -- Julia: there is none here; its tokens, blocks and one golden file are checked --------------

GOLDEN = Path(__file__).parent / "planar2r.jl"
OPENS = {"function", "module", "if", "for", "while", "begin", "let", "struct", "do"}


def test_julia_is_the_golden_file():
    made = writer("julia")(unit("parametric")[1])
    assert made["planar2r.jl"] == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["serial", "parametric", "fivebar", "truck", "symbolic"])
def test_julia_has_good_tokens_and_balanced_blocks(name):
    for text in writer("julia")(unit(name)[1]).values():
        depth = 0
        for kind, word in get_lexer_by_name("julia").get_tokens(text):
            assert kind not in Token.Error, word
            depth += (word in OPENS) - (word == "end") if kind in Token.Keyword else 0
            assert depth >= 0
        assert depth == 0


# -- JAX: pure functions ------------------------------------------------------------------------


@pytest.mark.slow
def test_jax_functions_are_compiled_differentiated_and_mapped(tmp_path, monkeypatch):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    m = da.robots.ur5()
    made = unit_of(m, ["inverse_dynamics", "mass_matrix"])
    write(made, "jax", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    model = __import__(f"{made.id}_jax")
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, 6))
    tau = da.inverse_dynamics(m, q, qd, qdd)
    np.testing.assert_allclose(model.inverse_dynamics(q, qd, qdd), tau, atol=1e-12)
    fast = jax.jit(jax.vmap(model.inverse_dynamics))
    np.testing.assert_allclose(fast(q, qd, qdd), tau, atol=1e-12)
    slope = jax.jacfwd(model.inverse_dynamics, 2)(q[0], qd[0], qdd[0])
    np.testing.assert_allclose(slope, da.mass_matrix(m, q[0]), atol=1e-12)


# -- a primitive is one row ---------------------------------------------------------------------

SCRIPT = """
import math, sys
from pathlib import Path
from dalembert.expr import ops

# the row
tanh = ops.primitive("tanh", math.tanh, lambda x, v: (1 - v * v,), parity="odd", libm="tanh")

import numpy as np
from dalembert.emit.unit import Entry, Golden, Unit
from dalembert.export import writer
from dalembert.export.check import run, tool
from dalembert.expr import count, jacobian, program, trace
from dalembert.expr.block import ready
from dalembert.runtime import compile_program

f = trace(lambda x: [tanh(x[0] * x[1]), tanh(-x[0])], [("x", 2)], name="f")
x = [0.3, 0.7]
p = program(f)
want = [math.tanh(0.21), math.tanh(-0.3)]
np.testing.assert_allclose(f(x), want, rtol=1e-15)
np.testing.assert_allclose(compile_program(p)(np.array(x)), want, rtol=1e-15)
np.testing.assert_allclose(compile_program(p)(np.array([x] * 9)), [want] * 9, rtol=1e-15)
slope = jacobian(f, "x")(x)
np.testing.assert_allclose(slope, [0.7 / math.cosh(0.21) ** 2, 0.3 / math.cosh(0.21) ** 2,
                                   -1 / math.cosh(0.3) ** 2, 0], rtol=1e-14)
entry = Entry("f", "two of them", "1", "direct", p.inputs, p.outputs, ("x", "y"), ready(p.step),
              count(p.step), (Golden((tuple(x),), (tuple(want),)),), (4.0,))
unit = Unit("row", "row", "0", (), (), (), (), ready(p.prepare), 0, (entry,))
for language in sys.argv[2:]:
    place = Path(sys.argv[1]) / language
    for name, text in writer(language)(unit).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    if tool(language) is None:
        assert all(row.ok for row in run(language, place, "row")), language
        print(language, "ran")
"""


def added(tmp_path, monkeypatch, *languages):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), *languages]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return set(re.findall(r"^(\w+) ran$", done.stdout, re.M))


def test_adding_a_primitive_is_one_row(tmp_path, monkeypatch):
    assert {"python", "numpy"} <= added(tmp_path, monkeypatch, "python", "numpy", "c", "julia")


@pytest.mark.slow
def test_a_new_primitive_runs_in_every_language(tmp_path, monkeypatch):
    assert len(added(tmp_path, monkeypatch, *LANGUAGES)) >= 2


def test_friction_that_falls_with_speed_is_exported(tmp_path):
    """Golden vectors are many states at once: levels of friction are arrays then."""
    body = {"name": "a", "parent": -1, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "mass": 1,
            "com": [0.3, 0, 0], "inertia": [0, 0.01, 0.01]}  # fmt: skip
    drive = {"joint": "a", "coulomb": [0.4, -0.4], "static": 1.2, "stribeck": 0.1}
    m = da.load({"format": "dalembert/1", "name": "one", "bodies": [body], "drives": [drive]})
    (path, *_) = da.export(m, ["forward_dynamics"], language="python", path=tmp_path, drives="all")
    code = runpy.run_path(str(path))
    for speed in (0.05, -0.2):
        level = np.sign(speed) * (0.4 + 0.8 * np.exp(-((speed / 0.1) ** 2)))
        wanted = (0.7 - level + 9.81 * 0.3) / (0.01 + 0.09)
        assert abs(code["forward_dynamics"]([0.0], [speed], [0.7])[0] - wanted) < 1e-12
