"""Kernels at every phase of the stack, and in the forms that `compile` offers."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import dalembert as da
from dalembert.runtime import llvm
from dalembert.runtime.native import address, scratch

PHASES = (0, 16, 32, 48)  # bytes between the caller's stack and the kernel
STATES, LONG = 256, 4096
_word, _int = ctypes.c_void_p, ctypes.c_int64


def trampolines() -> tuple[Any, list[Any]]:
    """Return an engine and functions that call `batch` with so much more on the stack."""
    given = "ptr %a, ptr %b, ptr %c, i64 %d, ptr %e, i64 %n, ptr %s"
    text = llvm.table(1) + "".join(
        f"""
define void @phase{k}(ptr %f, {given}) #0 {{
  %x = alloca [{bytes_ + 16} x i8], align 1
  store volatile i8 1, ptr %x
  call void %f({given})
  store volatile i8 2, ptr %x
  ret void
}}"""
        for k, bytes_ in enumerate(PHASES)
    )
    engine = llvm.Engine(llvm.generate(text, 1), (_word * 1)())
    kind = ctypes.CFUNCTYPE(None, _word, _word, _word, _word, _int, _word, _int, _word)
    return engine, [kind(engine.address(f"phase{k}")) for k in range(len(PHASES))]


def shortest(calls: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the shortest time of each call in nanoseconds a state; calls alternate."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - start)
    return [1e9 * t / STATES for t in best]


def inputs_of(kernel: Any, dtype: Any = np.float64) -> list[np.ndarray]:
    """Return random states."""
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, (STATES, *p.shape)).astype(dtype) for p in kernel.inputs]


def phases(kernel: Any, rounds: int) -> list[float]:
    """Return the time of a kernel at each phase of the stack."""
    engine, functions = trampolines()
    code, ins = kernel.code, inputs_of(kernel)
    outs = [np.empty((STATES, *p.shape)) for p in kernel.outputs]
    memory, start = scratch(kernel.card.scratch_batch)
    tables = [(_word * len(a))(*map(address, a)) for a in (ins, outs)]
    strides = (_int * len(ins))(*(8 * p.size for p in kernel.inputs))
    given = (code.batch_address, tables[0], strides, None, 0, tables[1], STATES, start)
    found = shortest([lambda f=f: f(*given) for f in functions], rounds)  # type: ignore[misc]
    del memory, engine
    return found


FORMS: tuple[dict[str, Any], ...] = (
    {},
    {"packed": True},
    {"layout": "tiles"},
    {"reduce": "max"},
    {"reduce": "sum"},
    {"dtype": "float32"},
    {"dtype": "float32", "layout": "tiles"},
)


def named(form: dict[str, Any]) -> str:
    """Return the name of a form."""
    return ", ".join(k if v is True else str(v) for k, v in form.items()) or "plain"


def forms(m: Any, name: str, rounds: int) -> list[float]:
    """Return the time of a quantity in each form, states and results where they belong."""
    calls = []
    for form in FORMS:
        kernel = da.compile(m, name, **form)
        rng = np.random.default_rng(0)
        shapes = [p.shape for p in da.compile(m, name).inputs]
        dtype = form.get("dtype", "float64")
        ins = [rng.uniform(-1, 1, (LONG, *s)).astype(dtype) for s in shapes]
        if "layout" in form:
            ins = [kernel.to_tiles(x) for x in ins]
        out = kernel(*ins)
        calls.append(lambda k=kernel, x=ins, y=out: k(*x, out=y))
    return [t * STATES / LONG for t in shortest(calls, rounds)]


def rows(quick: bool = False) -> Iterator[str]:
    """Return the tables as lines of Markdown."""
    rounds = 100 if quick else 1000
    robots = {"UR5": da.robots.ur5(), "Panda": da.robots.panda()}
    quantities = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")
    yield "\n### Phases of the stack\n"
    yield f"Nanoseconds a state, {STATES} states, bytes on the stack before the call.\n"
    yield "| robot | quantity | " + " | ".join(map(str, PHASES)) + " | largest / least |"
    yield "|---" * (len(PHASES) + 3) + "|"
    for robot, m in robots.items():
        for name in quantities:
            times = phases(da.compile(m, name), rounds)
            shown = " | ".join(f"{t:.1f}" for t in times)
            yield f"| {robot} | {name} | {shown} | {max(times) / min(times):.3f} |"
    yield "\n### Forms of kernels\n"
    yield f"Nanoseconds a state, {LONG} states, `out=` given; in brackets the gain over plain.\n"
    yield "| robot | quantity | " + " | ".join(map(named, FORMS)) + " |"
    yield "|---" * (len(FORMS) + 2) + "|"
    for robot, m in robots.items():
        for name in (*quantities, "mass_matrix"):
            times = forms(m, name, rounds // 4)
            shown = " | ".join(f"{t:.1f} ({times[0] / t:.2f})" for t in times)
            yield f"| {robot} | {name} | {shown} |"
