"""What is asked: a mechanism with ranges for its parameters, a task, measures, a plan.

A study is plain data with one canonical text. Workers get that text and the number of a chunk;
equal texts give equal bytes, whoever computes them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import (
    DescriptionError,
    ParameterError,
    Place,
    UsageError,
    closest,
    shown,
)
from ..expr import Graph
from ..expr.exact import to_float
from ..mechanism import Mechanism, freed
from ..mechanism.letters import given_values
from ..read import load
from ..read.document import Inside, inside, plain_document
from ..read.expressions import expression
from ..read.native_writer import native_text
from ..read.near import placed

Array = np.ndarray
KINDS = ("grid", "lhs", "sobol", "list")
CHUNKS = (1024, 65536)  # designs in one file, fewest and most
STATES = 2**19  # about as many states as one file is made of
MOST = 10**9  # designs of a study
RANGE = "a range (0.3, 0.8), values [50, 80, 100], or an expression '1 - L1'"
RANGE_IN_FILE = 'a range [0.3, 0.8], { values = [50, 80] }, or an expression "1 - L1"'
KEYS = ("model", "parameters", "task", "measure", "plan")
PLAN = ("kind", "samples", "seed", "chunk")


@dataclass(frozen=True)
class Study:
    """A study as plain data; `text` is its canonical form."""

    data: dict[str, Any]

    @cached_property
    def text(self) -> str:
        """The canonical JSON text."""
        return json.dumps(self.data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    @staticmethod
    def of_text(text: str) -> Study:
        """Return the study of its canonical text."""
        return Study(json.loads(text))

    @cached_property
    def digest(self) -> str:
        """A name for the study that changes with anything that decides a result."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, with the parameters of the study kept as parameters."""
        return load(self.data["model"])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters that vary."""
        return tuple(self.data["parameters"])

    @property
    def count(self) -> int:
        """The number of designs."""
        return int(self.data["plan"]["count"])

    @property
    def chunk(self) -> int:
        """The number of designs in one chunk."""
        return int(self.data["plan"]["chunk"])

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return -(-self.count // self.chunk)


def study_of(
    model: Mechanism, parameters: Mapping[str, Any], task: Any, measure: Any,
    plan: Mapping[str, Any], where: Place | None = None,
) -> Study:  # fmt: skip
    """Return a checked study; everything wrong with it is said before any work begins."""
    from .measure import checked_measures
    from .task import checked_task

    model = freed(model, parameters if isinstance(parameters, Mapping) else ())
    varied = _named(model, parameters, where)
    data: dict[str, Any] = {"model": native_text(_numbers_only(model, parameters, where), "json")}
    data["parameters"] = {n: _range(n, x, inside(where, "parameters", n)) for n, x in varied}
    if not data["parameters"]:
        raise UsageError("no parameter varies", where=where, hint='{"L1": (0.3, 0.8)}')
    data["task"] = checked_task(model, task, inside(where, "task"), data["parameters"])
    states = int(data["task"]["samples"])
    data["plan"] = _plan(data["parameters"], plan, states, inside(where, "plan"))
    data["measure"] = checked_measures(model, measure, inside(where, "measure"))
    made = Study(data)
    _check_expressions(made, where)
    return made


def _numbers_only(
    m: Mechanism, parameters: Mapping[str, Any], where: Place | None = None
) -> Mechanism:
    """Return the mechanism, if everything that does not vary has a value."""
    missing = [n for n in m.open_parameters if n not in parameters]
    if missing:
        raise ParameterError(
            "no value for parameter " + ", ".join(map(shown, missing[:8])), where,
            hint=f"give a range, a value or an expression: {missing[0]} = [0.3, 0.8]",
        )  # fmt: skip
    return m


def _named(m: Mechanism, parameters: Any, where: Place | None) -> list[tuple[str, Any]]:
    if not isinstance(parameters, Mapping):
        raise UsageError("parameters are a mapping", hint='{"L1": (0.3, 0.8), "N": [50, 80]}')
    known = list(dict.fromkeys([*(p.name for p in m.parameters), *given_values(m)]))
    for name in parameters:
        if name not in known:
            raise ParameterError(
                f"there is no parameter {shown(str(name))!r}", where,
                hint=closest(str(name), known) if known else
                'the model has none: write lengths as names, parameters = { L1 = 0.4 }',
            )  # fmt: skip
    return list(parameters.items())


def _range(name: str, given: Any, where: Place | None) -> dict[str, Any]:
    """Return {"range": [lo, hi]}, {"values": [...]} or {"expression": text}."""

    def wrong(why: str, better: str = "") -> UsageError:
        return UsageError(
            f"parameter {shown(name)!r}: {why}",
            where=where,
            hint=better or (RANGE if where is None else RANGE_IN_FILE),
        )

    if isinstance(given, str):
        return {"expression": given}
    if isinstance(given, Mapping):
        if set(given) != {"values"}:
            raise wrong(f"keys {', '.join(map(str, given))}")
        given = given["values"]
        given = list(given) if isinstance(given, Sequence | np.ndarray) else [given]
    try:
        numbers = np.asarray(given)
    except ValueError:  # lists of several lengths
        numbers = np.array("")
    if numbers.dtype.kind not in "iuf" or numbers.ndim > 1:
        raise wrong(
            "no numbers, in SI units and radians" if len(numbers.shape) < 2 else "a list of lists"
        )
    numbers = numbers.astype(float).ravel()
    if not np.isfinite(numbers).all() or not len(numbers):
        raise wrong("not finite, or nothing")
    if isinstance(given, tuple):
        if len(numbers) != 2 or not numbers[0] < numbers[1]:
            low, high = float(numbers.min()), float(numbers.max())
            ends = f"[{low:g}, {high:g}]" if where is not None else f"({low:g}, {high:g})"
            raise wrong(
                f"the range {tuple(numbers.tolist())} is empty",
                f"the smaller end comes first: {ends}" if low < high else "",
            )
        return {"range": numbers.tolist()}
    return {"values": numbers.tolist()}


def _chunk(samples: int) -> int:
    """Return how many designs make a file: a power of two, fewer where motions are long."""
    most = STATES // max(1, samples)
    return int(min(max(2 ** (max(most, 1).bit_length() - 1), CHUNKS[0]), CHUNKS[1]))


def _plan(
    ranges: dict[str, Any], plan: Mapping[str, Any], states: int, where: Place | None
) -> dict[str, Any]:
    """Return the plan with the number of its designs."""
    for key in plan:
        if key not in PLAN:
            near = closest(str(key), PLAN)
            at = inside(where, str(key))
            raise UsageError(f"plan has no {shown(str(key))!r}", at, hint=near)
    kind = plan.get("kind") or ("grid" if _all_values(ranges) else "lhs")
    if kind not in KINDS:
        raise UsageError(
            f"plan {shown(str(kind))!r} is not known",
            inside(where, "kind"),
            closest(str(kind), KINDS),
        )
    usual = {"samples": None, "seed": 0, "chunk": _chunk(states)}
    numbers = {k: plan.get(k, d) for k, d in usual.items()}
    for key, x in numbers.items():
        whole = isinstance(x, int) and not isinstance(x, bool) and x >= (0 if key == "seed" else 1)
        if x is not None and not whole:
            at = inside(where, key)
            raise UsageError(f"plan: {key} = {shown(repr(x))}", at, hint="a whole number")
    samples = numbers["samples"]
    free = {n: r for n, r in ranges.items() if "expression" not in r}
    if kind == "grid":
        sizes = [len(r["values"]) if "values" in r else samples for r in free.values()]
        if None in sizes:
            raise UsageError("a grid over a range needs samples", where, hint="samples = 20")
        count = math.prod(sizes)
    elif kind == "list":
        sizes = [len(r["values"]) if "values" in r else 0 for r in free.values()]
        if not sizes or len(set(sizes)) != 1 or 0 in sizes:
            raise UsageError("a list needs as many values of each parameter", where)
        count = sizes[0]
    else:
        count = samples or 1000
    if not 1 <= count <= MOST:
        many = f"{count:.3g}" if count < 10**300 else "more than 1e300"
        told = f"{many} designs; a study may have {MOST:.0e}"
        raise UsageError(told, where, hint="take coarser steps")
    return {"kind": kind, "samples": samples, "seed": numbers["seed"], "count": count,
            "chunk": numbers["chunk"]}  # fmt: skip


def _all_values(ranges: dict[str, Any]) -> bool:
    return all("range" not in r for r in ranges.values())


def _check_expressions(s: Study, where: Place | None) -> None:
    from .designs import designs

    try:
        values = designs(s, 0, min(2, s.count))
    except ParameterError as error:
        raise UsageError(error.message, where, hint=error.hint) from None
    for name, x in values.items():
        if not np.isfinite(x).all():
            raise UsageError(f"parameter {shown(name)!r} is not finite", where)


def evaluated(text: str, known: Mapping[str, Array], name: str) -> Array:
    """Return an expression of other parameters, for arrays of their values."""
    value: Any = expression(text, Graph(), Place(name, 1, 1, text))
    names = tuple(getattr(value, "names", tuple)())
    for n in names:
        if n not in known:
            raise ParameterError(
                f"{shown(name)!r} is an expression of {shown(n)!r}, no parameter before it",
                hint="parameters: " + ", ".join(known),
            )
    size = len(next(iter(known.values()))) if known else 1
    if not names:
        return np.full(size, float(to_float(value)))
    from ..expr.function import evaluate

    with np.errstate(all="ignore"):  # such designs are kept, as not physical
        (made,) = evaluate(value.graph, [value.id], {}, dict(known))
    return np.broadcast_to(np.asarray(made, dtype=float), (size,)).copy()


def evaluated_number(value: Any, m: Mechanism, given: Mapping[str, Array]) -> Any:
    """Return a number of a mechanism for arrays of some of its parameters."""
    if not hasattr(value, "names"):
        return float(value)
    from ..expr.function import evaluate

    known = m.floats | dict(given)
    return evaluate(value.graph, [value.id], {}, known)[0]


def _within(folder: Path, name: str, where: Place | None) -> Path:
    """Return a file named by a study; a study of somebody else reads nothing from elsewhere."""
    try:
        real = (folder / name).resolve()
        homes = [folder.resolve(), Path.cwd()]
    except (OSError, ValueError, RuntimeError):  # a NUL, links that go round
        raise DescriptionError(f"{shown(name)!r} is no file name", where) from None
    if not any(real.is_relative_to(home) for home in homes):
        raise DescriptionError(
            f"{shown(name)!r} lies outside the study's folder",
            where,
            hint="copy it beside the study, or start from a folder that holds both",
        )
    return folder / name


def read_study(path: str | Path) -> Study:
    """Return the study of a TOML file; the model and the motion are looked for beside it."""
    file = Path(path)
    document = plain_document(file)
    with placed(file):
        return _study(file, document.data, Inside(str(path), document=document))


def _study(file: Path, data: dict[str, Any], where: Place) -> Study:
    """Return the study that a file holds."""
    for key in data:
        if key not in KEYS:
            hint = closest(key, KEYS)
            raise DescriptionError(f"a study has no {shown(key)!r}", inside(where, key), hint)
    for key in ("model", "parameters"):
        if key not in data:
            raise DescriptionError(f"the study has no {key!r}", where, hint=", ".join(KEYS))
    for key in ("parameters", "task", "plan"):
        if not isinstance(data.get(key, {}), dict):
            raise DescriptionError(
                f"{key} is no table", inside(where, key), hint=f"write [{key}] above its lines"
            )
    model = str(data["model"])
    beside = _within(file.parent, model, inside(where, "model"))
    m = load(str(beside) if os.path.isfile(beside) else model)
    # two numbers in a study file are a range
    ranges = {
        n: tuple(x) if isinstance(x, list) and len(x) == 2 else x
        for n, x in dict(data["parameters"]).items()
    }
    task = dict(data.get("task", {}))
    if "motion" in task:
        task["motion"] = str(
            _within(file.parent, str(task["motion"]), inside(where, "task", "motion"))
        )
    plan = dict(data.get("plan", {}))
    return study_of(m, ranges, task, data.get("measure", ["peak"]), plan, where)
