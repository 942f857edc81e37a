"""One chunk of a study: from its text and a number to the bytes of a Parquet file."""

from __future__ import annotations

import io
import time
from functools import lru_cache
from threading import local
from typing import Any

import numpy as np

from ..measure.motion import NO_FORCE, ROUGH
from ..measure.packages import optional
from ..mechanism import Mechanism
from .designs import designs
from .measure import Room, Trial, measured
from .study import Study, evaluated_number
from .task import motion_of

Array = np.ndarray
BATCH = 2**15  # states that are computed at once
_ROOMS = local()  # memory of each thread that computes chunks, kept from one to the next


@lru_cache(maxsize=4)
def _study(text: str) -> Study:
    return Study.of_text(text)


def columns_of(s: Study, number: int) -> dict[str, Array]:
    """Return the columns of a chunk: design, parameters, measures, feasible, reason."""
    start = number * s.chunk
    values = designs(s, start, start + s.chunk)
    count = len(next(iter(values.values())))
    step = max(1, BATCH // int(s.data["task"]["samples"]))
    room = _ROOMS.__dict__.setdefault("room", Room())
    parts = [
        measures_of(s, {n: x[a : a + step] for n, x in values.items()}, room)
        for a in range(0, count, step)
    ]
    out: dict[str, Array] = {"design": start + np.arange(count), **values}
    for name in parts[0]:
        out[name] = np.concatenate([p[name] for p in parts])
    return out


def measures_of(s: Study, values: dict[str, Array], room: Room | None = None) -> dict[str, Array]:
    """Return measures of some designs; those that cannot do the task are kept, with the reason."""
    m = s.mechanism
    count = len(next(iter(values.values())))
    out: dict[str, Array] = {}
    with np.errstate(all="ignore"):
        motion = motion_of(m, s.data["task"], values)
        share = ROUGH if s.data["task"].get("measured") else NO_FORCE
        trial = Trial(m, values, motion, room or Room(), share)
        for name in s.data["measure"]:
            out |= {k: np.broadcast_to(x, (count,)) for k, x in measured(name, trial).items()}
        trial.look()
    reason = motion.reason.copy()
    reason[trial.lost & (reason == "")] = "singular"
    reason[trial.helpless & (reason == "")] = "force without a motor"
    reason[_unphysical(m, values)] = "not physical"
    finite = np.logical_and.reduce([~np.isnan(x) | _may_be_nan(n) for n, x in out.items()])
    reason[~finite & (reason == "")] = "singular"
    good = reason == ""
    made = {n: np.where(good, x, np.nan) for n, x in out.items()}
    return {**made, "feasible": good, "reason": reason.astype(str)}


def _unphysical(m: Mechanism, values: dict[str, Array]) -> Array:
    """Return where a parameter is not a number, or a mass or a moment of inertia is negative."""
    bad = ~np.logical_and.reduce([np.isfinite(x) for x in values.values()])
    for body in m.bodies:
        I = body.inertia.tensor
        for x in (body.m, I.a[0], I.b[1], I.c[2]):
            if hasattr(x, "names") and not values.keys().isdisjoint(x.names()):
                bad |= evaluated_number(x, m, values) < -1e-12
    return bad


def _may_be_nan(name: str) -> bool:
    return name == "frequency"


def chunk_bytes(text: str, number: int) -> bytes:
    """Return the Parquet file of a chunk; the same bytes for the same text and number, anywhere."""
    columns = columns_of(_study(text), number)
    pyarrow, parquet = optional("pyarrow"), optional("pyarrow.parquet")
    table = pyarrow.table({n: _arrow(pyarrow, x) for n, x in columns.items()})
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd", use_dictionary=["reason"],
                        write_statistics=True, store_schema=False)  # fmt: skip
    return out.getvalue()


def timed_chunks(text: str, numbers: list[int]) -> tuple[list[bytes], float]:
    """Return the files of some chunks, and the seconds that the last of them took."""
    made, took = [], 0.0
    for number in numbers:
        begun = time.perf_counter()
        made.append(chunk_bytes(text, number))
        took = time.perf_counter() - begun
    return made, took


def _arrow(pyarrow: Any, x: Array) -> Any:
    if x.dtype.kind in "US":
        return pyarrow.array(x.tolist(), pyarrow.string())
    return pyarrow.array(x)
