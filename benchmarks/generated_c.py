"""Our C beside our own scalar kernel and beside CasADi's C of the textbook recursion.

All three are called from one C loop, one call per state; C is compiled by gcc -O3 -march=native
-ffp-contract=fast. Export and compile times go with it.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import bench
from dalembert.bench.casadi import FLAGS, _function
from dalembert.compute import compile
from dalembert.export import export
from dalembert.mechanism import Mechanism

COUNT = 256
LOOPS = """
#include "{id}.c"
void loop_c(long n, long nq, long nv, const double *q, const double *v, const double *a,
            double *tau) {{
  for (long i = 0; i < n; ++i)
    {id}_inverse_dynamics(q + i * nq, v + i * nv, a + i * nv, 0, tau + i * nv);
}}
void loop_kernel(long n, long nq, long nv, const double *q, const double *v, const double *a,
                 double *tau, void *scratch,
                 void (*f)(const void *, const void *, void *, void *)) {{
  for (long i = 0; i < n; ++i) {{
    const double *in[3] = {{q + i * nq, v + i * nv, a + i * nv}};
    double *out[1] = {{tau + i * nv}};
    f(in, 0, out, scratch);
  }}
}}
"""
CASADI = """
void loop_casadi(long n, long nq, long nv, const double *q, const double *v, const double *a,
                 double *tau, double *w, long long *iw) {
  for (long i = 0; i < n; ++i) {
    const double *in[3] = {q + i * nq, v + i * nv, a + i * nv};
    double *out[1] = {tau + i * nv};
    inverse_dynamics(in, out, iw, w, 0);
  }
}
"""


def tables(found: dict[str, Mechanism], seconds: float = 0.5) -> Iterator[str]:
    """Yield the table as Markdown; nothing where there is no gcc."""
    if shutil.which("gcc") is None:
        return
    yield (
        "\n| model | our C ns | kernel ns | C / kernel | CasADi's C ns | CasADi / C "
        "| export s | gcc -O2 s |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for label, m in found.items():
        with tempfile.TemporaryDirectory() as place:
            yield _row(label, m, Path(place), seconds)


def _row(label: str, m: Mechanism, place: Path, seconds: float) -> str:
    start = time.process_time()
    written = export(m, ["inverse_dynamics"], "c", place, drives="none")
    exported = time.process_time() - start
    id = written[0].stem
    start = time.perf_counter()
    _gcc(["-O2", "-c", place / f"{id}.c", "-o", place / "x.o"])
    compiled = time.perf_counter() - start
    (place / "loops.c").write_text(LOOPS.format(id=id), encoding="utf-8")
    _gcc([*FLAGS, place / "loops.c", "-o", place / "loops.so", "-lm"])
    library = ctypes.CDLL(str(place / "loops.so"))
    given = [np.ascontiguousarray(x) for x in bench.states(m, COUNT)]
    outs = [np.zeros((COUNT, m.nv)) for _ in range(3)]
    common = [ctypes.c_long(n) for n in (COUNT, m.nq, m.nv)]
    common += [ctypes.c_void_p(x.ctypes.data) for x in given]  # type: ignore[misc]
    kernel = compile(m, "inverse_dynamics", drives="none")
    scratch = np.zeros(kernel.card.scratch_one // 8 + 16)
    aligned = ctypes.c_void_p(scratch.ctypes.data + -scratch.ctypes.data % 64)
    entry = ctypes.c_void_p(kernel.code.one_address)
    runs = [
        _loop(library.loop_c, [*common, _pointer(outs[0])]),
        _loop(library.loop_kernel, [*common, _pointer(outs[1]), aligned, entry]),
    ]
    if find_spec("casadi"):
        runs.append(_loop(*_casadi(m, place, common, outs[2])))
    with bench.pinned():
        times = [x * 1e9 / COUNT for x in bench.best(*runs, budget=seconds)]
    assert bench.difference(outs[0], outs[1]) < 1e-12
    cells = [label, f"{times[0]:.1f}", f"{times[1]:.1f}", f"{times[0] / times[1]:.2f}"]
    cells += [f"{times[2]:.1f}", f"{times[2] / times[0]:.2f}"] if times[2:] else ["", ""]
    return "| " + " | ".join([*cells, f"{exported:.2f}", f"{compiled:.1f}"]) + " |"


def _casadi(m: Mechanism, place: Path, common: list, out: np.ndarray) -> tuple[Any, list]:
    casadi: Any = import_module("casadi")
    function = _function(casadi, m)
    generator = casadi.CodeGenerator("peer.c")
    generator.add(function)
    (place / "peer.c").write_text(generator.dump() + CASADI, encoding="utf-8")
    _gcc([*FLAGS, place / "peer.c", "-o", place / "peer.so", "-lm"])
    w, iw = np.zeros(function.sz_w() + 1), np.zeros(function.sz_iw() + 1, np.int64)
    library = ctypes.CDLL(str(place / "peer.so"))
    library.kept = (w, iw)
    return library.loop_casadi, [*common, _pointer(out), _pointer(w), _pointer(iw)]


def _pointer(x: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


def _loop(function: Any, arguments: list) -> bench.Run:
    def run(loops: int) -> None:
        for _ in range(loops):
            function(*arguments)

    return run


def _gcc(arguments: list) -> None:
    subprocess.run(["gcc", *map(str, arguments)], check=True)
