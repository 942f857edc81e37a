"""Design studies, gradients, identification and bands: processor time beside what was asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import dalembert as da
from dalembert.expr import Graph
from dalembert.identify.rows import Stretch
from dalembert.identify.unknowns import unknowns
from dalembert.mechanism import Parameter
from dalembert.sweep.chunk import chunk_bytes
from dalembert.sweep.study import study_of
from dalembert.trajectory.bands import of_noise

SIX = {
    "format": "dalembert/1", "name": "sixr", "gravity": [0, 0, -9.81],
    "parameters": {"L1": 0.4, "L2": 0.5, "L3": 0.4, "M2": 5.0},
    "phrase": "RZ(), TZK(L1), RY(), TZK(L2), RY(), TZK(L3), RZ(), TZK(0.1), RY(), TZK(0.1), RZ(), "
    "tip: TZK(0.1); body 1: M = 8, D = (0, 0, L1/2), I = (0.1, 0.1, 0.05); "
    "body 2: M = M2, D = (0, 0, L2/2), I = (0.1, 0.1, 0.02); "
    "body 3: M = 3, D = (0, 0, L3/2), I = (0.05, 0.05, 0.01); "
    "body 4: M = 1, D = (0, 0, 0.05), I = (0.01, 0.01, 0.005); "
    "body 5: M = 1, D = (0, 0, 0.05), I = (0.01, 0.01, 0.005); "
    "body 6: M = 0.5, D = (0, 0, 0.05), I = (0.01, 0.01, 0.005);",
}  # fmt: skip
FOUR = {
    "format": "dalembert/1", "name": "fourbar", "parameters": {"A": 0.2, "B": 0.5, "C": 0.4},
    "active": ["crank"],
    "phrase": "[crank: RZ(), TXK(A), rod: RZ(), TXK(B)] [TXK(0.6), rocker: RZ(), TXK(C)]; "
    "body 1: M = 1; body 2: M = 1; body 3: M = 1;",
    "loops": [{"body_i": "rod", "point_i": ["B", 0, 0], "body_j": "rocker",
               "point_j": ["C", 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
}  # fmt: skip


def seconds(call: Callable[[], Any], rounds: int = 3) -> float:
    """Return the least processor time of a call."""
    call()
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def _study(model: Any, ranges: Any, move: Any, samples: int, measure: list[str]) -> float:
    """Return the processor time of a million designs, Parquet files included."""
    task = {"joint_moves": [move], "samples": samples}
    plan = {"kind": "sobol", "samples": 1_000_000, "seed": 0}
    s = study_of(da.load(model), ranges, task, measure, plan)
    return seconds(lambda: chunk_bytes(s.text, 1)) * s.count / s.chunk


def sixr() -> float:
    """Return seconds for a million 6R arms, 100 samples each, peak and RMS."""
    ranges = {"L1": (0.3, 0.6), "L2": (0.3, 0.6), "L3": (0.3, 0.6), "M2": (3.0, 8.0)}
    move = {"from": [0] * 6, "to": [1, 0.5, -0.5, 0.3, 0.4, 0.2], "time": 1.0}
    return _study(SIX, ranges, move, 100, ["peak", "rms"])


def fourbars() -> float:
    """Return seconds for a million four-bars, closed at two poses, forces measured."""
    ranges = {"A": (0.18, 0.22), "B": (0.48, 0.52), "C": (0.38, 0.42)}
    return _study(FOUR, ranges, {"from": [0], "to": [0.3], "time": 1.0}, 2, ["peak"])


def gradient() -> float:
    """Return the cost of gradients by seven masses of a Panda over that of its forces."""
    m, graph = da.robots.panda(), Graph()
    own = [Parameter(f"S{k}", 1.0) for k, b in enumerate(m.bodies) if float(b.m) > 0]
    scale = {p.name: graph.param(p.name) for p in own}
    bodies = tuple(
        replace(b, inertia=b.inertia.map(lambda x, s=scale[f"S{k}"]: x * s))
        if f"S{k}" in scale else b for k, b in enumerate(m.bodies)
    )  # fmt: skip
    m = replace(m, bodies=bodies, parameters=tuple(own), changes=())
    q, qd, qdd, w = np.random.default_rng(0).normal(size=(4, 20_000, m.nv))
    plain = da.compile(m, "inverse_dynamics", parameters=list(scale))
    back = da.compile(m, "inverse_dynamics", wrt=list(scale), adjoint=True)
    return seconds(lambda: back(q, qd, qdd, w), 9) / seconds(lambda: plain(q, qd, qdd), 9)


def panda_rows() -> float:
    """Return seconds for the triangles of a million samples of a Panda."""
    m, count, piece = da.robots.panda(), 200_000, 8192
    u = unknowns(m, True, None)
    t = np.arange(count)[:, None] / 1000
    w, at = 0.3 + 0.1 * np.arange(m.nv), np.arange(m.nv)
    q, qd = np.sin(w * t + at), w * np.cos(w * t + at)
    qdd, tau = -w * w * q, np.random.default_rng(0).normal(size=q.shape)
    use = np.ones((piece, m.nv), bool)

    def run() -> None:
        s = Stretch.empty(m.nv, len(u.names))
        for k in range(0, count, piece):
            some = slice(k, k + piece)
            flat, layout = u.flat(q[some], qd[some], qdd[some])
            s.add(flat, layout, tau[some], use[: len(flat)])

    return seconds(run) * 1e6 / count


def bands() -> float:
    """Return seconds for the bands of 100,000 samples of 30 joints."""
    links = ", ".join(f"R{'XYZ'[k % 3]}(), T{'YZX'[k % 3]}K(0.2)" for k in range(30))
    data = " ".join(f"body {k + 1}: M = 1, D = (0.05, 0.02, 0.1), I = (0.01, 0.02, 0.03);"
                    for k in range(30))  # fmt: skip
    rng, count = np.random.default_rng(0), 10_240
    made: Any = type("Motion", (), {})()
    made.m = da.load(f"{links}; {data}")
    made.q, made.qd, made.qdd = rng.normal(size=(3, count, 30))
    half = rng.normal(size=(count, 30, 3, 3))
    spread = half @ half.transpose(0, 1, 3, 2)
    return seconds(lambda: of_noise(made, spread, np.arange(count), None, "all")) * 1e5 / count


ROWS: tuple[tuple[str, Callable[[], float], str], ...] = (
    ("1,000,000 6R arms, 100 samples, peak and RMS, Parquet (s of one core)", sixr, "120"),
    ("1,000,000 four-bars closed and measured, Parquet (s of one core)", fourbars, "2"),
    ("gradient by 7 masses of a Panda over the forces (times)", gradient, "4"),
    ("regressor and triangles of 1,000,000 samples of a Panda (s)", panda_rows, "3"),
    ("bands of 100,000 samples of 30 joints (s)", bands, "2"),
)


def lines() -> Iterator[str]:
    """Yield a table."""
    yield "| | measured | asked at most |"
    yield "|---|---|---|"
    for what, run, wanted in ROWS:
        yield f"| {what} | {run():.2f} | {wanted} |"
