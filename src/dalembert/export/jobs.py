"""What is written: a function for each quantity, frame and set of wrenches that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..catalog import WRENCHED, Quantity, algorithm, quantity
from ..compute.slopes import with_slopes
from ..compute.ways import check_wrt, named
from ..compute.wrenches import at_frames, moving_frame
from ..emit.names import CodeNames, identifier
from ..errors import UsageError, shown
from ..expr import Function, Graph, Port
from ..mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class Job:
    """One function of the code: a quantity by a method, at a frame, with wrenches on frames."""

    name: str
    row: Quantity
    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    wrenches: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What the function computes."""
        text = self.row.summary
        if self.name != self.row.name:
            text += f" of frame {self.options['frame']}"
        if self.wrenches:
            words = ", ".join(map(wrench_word, self.wrenches))
            text += f"; {words}: force and couple on the body, at the frame's origin, in its axes"
        return text


def wrench_word(frame: str) -> str:
    """Return the name of the input that holds the wrench on a frame."""
    return f"wrench_{identifier(frame)}"


def jobs_of(
    m: Mechanism, names: Sequence[str], method: str | None, options: Mapping[str, Any]
) -> list[Job]:
    """Return the functions to write; every option must be that of some quantity.

    `frame` may name several frames: quantities of a frame get a function for each, `pose_tool0`.
    `wrenches` names frames: each is an input of the quantities that take external wrenches.
    """
    if not names:
        raise UsageError("no quantity is named", hint='give one, such as "inverse_dynamics"')
    rows = [quantity(name, m) for name in dict.fromkeys(names)]
    wrenches = _wrenches(m, rows, options.get("wrenches"))
    options = {k: v for k, v in options.items() if k != "wrenches"}
    for name in options:
        if not any(name in row.options for row in rows):
            known = sorted({o for row in rows for o in row.options})
            raise UsageError(
                f"none of these quantities has an option {shown(name)!r}",
                hint="their options: " + (", ".join(known) or "none"),
            )
    if method is not None and not any(method in row.methods for row in rows):
        algorithm(rows[0], method)  # raises the error that names the methods
    jobs, taken = [], CodeNames()
    for row in rows:
        own = {k: v for k, v in options.items() if k in row.options}
        by = method if method in row.methods else None
        forces = wrenches if row.name in WRENCHED else ()
        frames = own.get("frame")
        if not isinstance(frames, (list, tuple)):
            jobs.append(Job(row.name, row, by, own, forces))
            continue
        for frame in dict.fromkeys(frames):
            m.frame(frame)
            several = len(frames) > 1
            name = taken.new(f"{row.name}_{identifier(frame)}") if several else row.name
            jobs.append(Job(name, row, by, {**own, "frame": frame}, forces))
    return jobs


def _wrenches(m: Mechanism, rows: Sequence[Quantity], given: Any) -> tuple[str, ...]:
    frames = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given or ()))
    if not frames:
        return ()
    if not any(row.name in WRENCHED for row in rows):
        hint = "those that do: " + ", ".join(sorted(WRENCHED))
        raise UsageError("none of these quantities takes external wrenches", hint=hint)
    for frame in frames:
        moving_frame(m, frame)
    words = [wrench_word(f) for f in frames]
    if len(set(words)) < len(words):
        raise UsageError("two frames have the same name in code", hint="rename one of them")
    return frames


def with_wrenches(m: Mechanism, function: Function, job: Job) -> Function:
    """Return a function whose last input, wrenches of all bodies, comes from those on frames."""
    if not job.wrenches:
        return function
    graph = Graph()
    given = {name: graph.param(name) for name in function.parameters}
    bound = m.bound({k: v for k, v in m.values.items() if k not in given}, graph)
    own = function.inputs[:-1]
    ports = (*own, *(Port(wrench_word(f), (6,)) for f in job.wrenches))
    vectors = [[graph.input(port.name, k) for k in range(port.size)] for port in ports]
    flat: list[Any] = [0] * (6 * len(m.bodies))
    for frame, six in zip(job.wrenches, vectors[len(own) :], strict=True):
        body, T = bound.frame(frame)
        force, couple = T.R @ Vec3(*six[:3]), T.R @ Vec3(*six[3:])
        couple = couple + T.p.cross(force)
        for k, x in enumerate((*force, *couple)):
            # the quantity takes the wrench on the environment, the code that on the body
            flat[6 * body + k] = flat[6 * body + k] - x
    values = function(*vectors[: len(own)], flat, parameters=given)
    return Function(
        function.name, graph, ports, function.outputs, tuple(graph.lift(x) for x in values)
    )


def on_environment(m: Mechanism, job: Job, given: Sequence[np.ndarray]) -> np.ndarray | None:
    """Return the wrenches on the environment, (states, bodies, 6), of the last inputs of a job."""
    if not job.wrenches:
        return None
    six = given[len(given) - len(job.wrenches) :]
    return -np.asarray(at_frames(m, dict(zip(job.wrenches, six, strict=True))))


# -- exact derivatives: further results of each function, `wrt` names by what ---------------------


def asked_slopes(m: Mechanism, rows: Sequence[Quantity], wrt: Any) -> list[tuple[str, ...]]:
    """Return what each quantity is differentiated by: its own inputs, and parameters."""
    names = named(wrt)
    every = list(dict.fromkeys(n for row in rows for n in row.inputs))
    check_wrt(m, every, names)
    return [tuple(n for n in names if n not in every or n in row.inputs) for row in rows]


def sloped(m: Mechanism, function: Function, row: Quantity, names: Sequence[str]) -> Function:
    """Return the function with derivatives after its own results, each an identifier."""
    if not names:
        return function
    made = with_slopes(m, function, names, len(row.outputs))
    ports = list(made.outputs)
    words = CodeNames(p.name.lower() for p in (*made.inputs, *function.outputs))
    for k in range(len(row.outputs), len(row.outputs) * (1 + len(names))):
        ports[k] = replace(ports[k], name=words.new(ports[k].name))
    return replace(made, outputs=tuple(ports))


def slopes_in_floats(
    function: Function, first: int, given: Sequence[np.ndarray], parameters: dict[str, float]
) -> list[np.ndarray]:
    """Return the results after the `first` ones at some states, from the graph itself."""
    count = len(given[0]) if given else 1
    at = sum(p.size for p in function.outputs[:first])
    columns = [list(np.asarray(x, float).reshape(count, -1).T) for x in given]
    flat = function(*columns, parameters=parameters)[at:]
    values = [np.broadcast_to(np.asarray(x, float), (count,)) for x in flat]
    out = []
    for port in function.outputs[first:]:
        out.append(np.stack(values[: port.size], axis=-1).reshape(count, *port.shape))
        values = values[port.size :]
    return out
