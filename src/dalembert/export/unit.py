"""Quantities of a mechanism as a Unit: traced once, one `prepare`, golden vectors in floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log10
from typing import Any

import numpy as np

from .. import __version__
from ..algorithms import kinematics
from ..algorithms.closed_kinematics import CERTIFIED, SINGULAR, checks_of
from ..algorithms.platform import platform_of
from ..catalog import Quantity, algorithm
from ..compute import trace_quantity
from ..compute.ways import named
from ..emit.names import CodeNames
from ..emit.reserved import RESERVED
from ..emit.unit import Entry, Golden, Slot, Unit
from ..errors import ComputationError, UsageError
from ..expr import Expr, Function, Graph, Port, Program, count, expand, programs
from ..expr.block import ready
from ..expr.exact import to_float
from ..mechanism import Mechanism, freed, is_closed, joint_name
from ..mechanism.units import coordinate_units, rate_units
from ..plan import general_pose
from ..plan.assembly import close
from ..reference import in_floats
from .equation_words import with_words
from .jobs import (
    Job,
    asked_slopes,
    jobs_of,
    on_environment,
    sloped,
    slopes_in_floats,
    with_wrenches,
)
from .remarks import remarks

STATES = 3  # golden vectors per function
ALL = "everything"  # the function that computes every quantity at once
CHECKED = "_checked"  # after the name of a quantity: the function that gives its checks too
_LOW, _HIGH = (f"1e{round(log10(x))}" for x in (SINGULAR, CERTIFIED))
CHECKS_TEXT = (
    "checks: the largest residual of all closure equations (m or rad), the smallest pivot ratio "
    f"(below {_LOW} the pose is singular), the certificate (above {_HIGH} the plan is not that of "
    "this branch and the result is wrong); in single precision both limits are 1e-4"
)
PARTS: dict[str, tuple[str, ...]] = {
    "planar": ("x", "y", "angle"),
    "spherical": ("qx", "qy", "qz", "qw"),
}
PARTS["free"] = ("px", "py", "pz", *PARTS["spherical"])
RATES: dict[str, tuple[str, ...]] = {
    "planar": ("vx", "vy", "w"),
    "spherical": ("wx", "wy", "wz"),
}
RATES["free"] = ("vx", "vy", "vz", *RATES["spherical"])


def unit_of(
    m: Mechanism,
    quantities: Sequence[str],
    method: str | None = None,
    parameters: Sequence[str] | str | None = None,
    together: bool = True,
    wrt: Sequence[str] | str | None = None,
    **options: Any,
) -> Unit:
    """Return quantities as one Unit; if there are several, `everything` computes all at once.

    Parameters without a value, and those named, are inputs of `prepare`; "all" names every one.
    Derivatives by the inputs and parameters of `wrt` are further results.
    """
    m = freed(m, (*(parameters or () if parameters != "all" else ()), *named(wrt)))
    jobs = jobs_of(m, quantities, method, options)
    names = [job.name for job in jobs]
    by_names = asked_slopes(m, [job.row for job in jobs], wrt)
    known = [p.name for p in m.parameters]
    asked = known if parameters == "all" else list(parameters or ())
    asked += [n for n in named(wrt) if n in known and n not in asked]
    functions, checked = _functions(m, jobs, by_names, asked)
    used = {n for f in (*functions, *checked) if f is not None for n in f.parameters}
    if parameters == "all":
        asked = [n for n in asked if n in used]
    run_time = [p.name for p in m.parameters if p.name in {*m.open_parameters, *asked}]
    slopes = dict(zip(names, functions, strict=True)) if wrt else {}
    whole = [_together(functions)] if together and jobs[1:] else []
    single = [f for pair in zip(functions, checked, strict=True) for f in pair if f is not None]
    made = programs([*single, *whole], run_time)
    trial = _trial(m, run_time)
    missing = {n: trial[n] for n in m.open_parameters}
    samples = Samples(m.with_values(**missing) if missing else m)
    by_name = dict(zip(names, jobs, strict=True))
    entries = [
        _entry(
            by_name[name := program.name.removesuffix(CHECKED)],
            program,
            samples,
            {n: float(x) for n, x in trial.items()},
            slopes.get(name),
        )
        for program in made[: len(single)]
    ]
    if whole:
        entries.append(_all_entry([e for e in entries if e.name in by_name], made[-1]))
    slots = [parameter_slot(m, name, taken) for taken in [CodeNames()] for name in run_time]
    return Unit(
        CodeNames().new(m.name),
        m.name,
        __version__,
        *coordinates(m),
        tuple(slots),
        tuple(float(trial[name]) for name in run_time),
        ready(made[0].prepare),
        len(made[0].prepare.results),
        with_words(entries, m, {n: float(trial[n]) for n in run_time}, made[0].prepare),
        remarks(m, jobs),
    )


def _functions(
    m: Mechanism, jobs: Sequence[Job], by_names: Sequence[Any], asked: Sequence[str]
) -> tuple[list[Function], list[Function | None]]:
    """Return the function of each quantity, and the one that gives its checks too."""
    traced = [
        sloped(m, _traced(m, job, asked), job.row, names)
        for job, names in zip(jobs, by_names, strict=True)
    ]
    widths = [len(job.row.outputs) * (1 + len(n)) for job, n in zip(jobs, by_names, strict=True)]
    functions = [_plain(f, job.row, w) for f, job, w in zip(traced, jobs, widths, strict=True)]
    return functions, [_checked(f, w) for f, w in zip(traced, widths, strict=True)]


def _traced(m: Mechanism, job: Job, asked: Sequence[str]) -> Function:
    forces = bool(job.wrenches)
    function = trace_quantity(
        m, job.row.name, job.method, parameters=asked, wrench=forces, **job.options
    )
    return replace(with_wrenches(m, function, job), name=job.name)


def _plain(function: Function, row: Quantity, width: int) -> Function:
    """Return the function with the outputs of the quantity alone, and their derivatives."""
    ports = function.outputs[:width]
    if not any(port.size for port in ports):
        raise UsageError(
            f"{row.name} of this mechanism has no entries: there is nothing to write",
            hint="loops, wheels or springs that it speaks of are not in the description",
        )
    results = function.results[: sum(port.size for port in ports)]
    return replace(function, outputs=ports, results=results)


def _checked(function: Function, width: int) -> Function | None:
    """Return the function that gives the three checks too; None where there is nothing to close."""
    own, more = function.outputs[:width], function.outputs[width:]
    if not more or not more[0].size:
        return None
    at, graph = sum(port.size for port in own), function.graph
    ends = [Expr(graph, i) for i in function.results[at:]]
    checks = checks_of(ends[: more[0].size], *ends[more[0].size :])
    return replace(
        function,
        name=function.name + CHECKED,
        outputs=(*own, Port("checks", (3,))),
        results=(*function.results[:at], *(graph.lift(x) for x in checks)),
    )


def _together(functions: Sequence[Function]) -> Function:
    """Return one Function with the outputs of all."""
    graph, inputs = Graph(), {}
    outputs: list[Port] = []
    results: list[int] = []
    for function in functions:
        source, ids = expand(function.graph, function.results)
        ports = function.outputs
        made = source.copy_into(graph, ids)
        results += [made[i] for i in ids]
        outputs += [replace(p, name=f"{function.name}_{p.name}") for p in ports]
        inputs.update({p.name: p for p in function.inputs})
    return Function(ALL, graph, tuple(inputs.values()), tuple(outputs), tuple(results))


# -- entries -----------------------------------------------------------------------------------


def _entry(
    job: Job,
    program: Program,
    s: Samples,
    trial: Mapping[str, float],
    slopes: Function | None = None,
) -> Entry:
    row, given = job.row, [s.of(port) for port in program.inputs]
    checked = program.name != job.name
    state, forces = given[: len(given) - len(job.wrenches)], on_environment(s.m, job, given)
    try:
        outs = in_floats(s.m, row.name, job.method, state, forces, checks=checked, **job.options)
    except ZeroDivisionError:
        raise ComputationError(
            f"{row.name} has no value: it divides by zero at every state",
            hint="a Jacobian that is never regular? choose another frame",
        ) from None
    if slopes is not None:
        more = slopes_in_floats(slopes, len(row.outputs), given, dict(trial))
        own = len(row.outputs)
        outs = (*outs[:own], *more, *outs[own:])
    return entry_of(
        program, job.summary + (f"; {CHECKS_TEXT}" if checked else ""), row.unit,
        algorithm(row, job.method)[0], _arguments(program),
        [_golden(given, outs, k) for k in range(STATES)],
        _growth(program, given, tuple(map(float, trial.values())), outs),
    )  # fmt: skip


def entry_of(
    program: Program, summary: str, unit: str, method: str, words: Sequence[str],
    golden: Sequence[Golden] = (), growth: Sequence[float] = (),
) -> Entry:  # fmt: skip
    """Return the function of a program; `words` are the identifiers of inputs and outputs."""
    return Entry(
        program.name, summary, unit, method, program.inputs, program.outputs, tuple(words),
        ready(program.step), count(program.step), tuple(golden), tuple(growth),
    )  # fmt: skip


def _all_entry(entries: Sequence[Entry], program: Program) -> Entry:
    inputs = {p.name: (e, n) for e in entries for n, p in enumerate(e.inputs)}
    golden = []
    for k in range(STATES):
        found = [inputs[p.name] for p in program.inputs]
        outs = [o for e in entries for o in e.golden[k].outputs]
        golden.append(Golden(tuple(e.golden[k].inputs[n] for e, n in found), tuple(outs)))
    methods = ", ".join(dict.fromkeys(e.method for e in entries))
    return entry_of(
        program, "results of all quantities at once, what they share computed once", "mixed",
        methods, _arguments(program), golden, [g for e in entries for g in e.growth],
    )  # fmt: skip


def _arguments(program: Program) -> tuple[str, ...]:
    """Return identifiers of inputs and outputs, unlike each other in more than case."""
    keywords = RESERVED - {p.name.lower() for p in (*program.inputs, *program.outputs)}
    keywords |= {"lambda", "r", "p"}
    taken = {program.name.lower()}
    words = []
    for k, port in enumerate((*program.inputs, *program.outputs)):
        word = port.name
        if word.lower() in taken or word.lower() in keywords:
            word += "_in" if k < len(program.inputs) else "_out"
        taken.add(word.lower())
        words.append(word)
    return tuple(words)


def _golden(given: Sequence[np.ndarray], outs: Sequence[np.ndarray], k: int) -> Golden:
    def row(x: np.ndarray) -> tuple[float, ...]:
        return tuple(float(v) for v in np.ravel(x[k]))

    return Golden(tuple(row(x) for x in given), tuple(row(x) for x in outs))


def _growth(
    program: Program, given: Sequence[np.ndarray], trial: Sequence[float], outs: Sequence[Any]
) -> tuple[float, ...]:
    """Return how many roundings of the largest value each output may be off.

    Measured: the same lines in single precision, whose roundings stand for those of any order.
    """
    single = np.float32
    columns = {
        port.name: list(np.asarray(x, single).reshape(len(x), -1).T)
        for port, x in zip(program.inputs, given, strict=True)
    }
    with np.errstate(all="ignore"):
        parameters = [single(x) for x in trial]
        prepared = program.prepare.run({}, parameters, (), single)
        values = program.step.run(columns, parameters, prepared, single)
    at, growth = 0, []
    for x in outs:
        x = x.reshape(len(x), -1)
        size = x.shape[1]
        found = np.stack([np.broadcast_to(v, len(x)) for v in values[at : at + size]], -1)
        error = np.max(np.abs(found - x), initial=0) / max(np.max(np.abs(x), initial=0), 1e-300)
        error = float(error) / float(np.finfo(single).eps)
        growth.append(round(max(4.0, error), 1) if np.isfinite(error) else 1e6)
        at += size
    return tuple(growth)


# -- states ------------------------------------------------------------------------------------


class Samples:
    """Always the same random states of a mechanism, loops closed, by the name of an input."""

    def __init__(self, m: Mechanism, count: int = STATES):
        self.m, self.count = m, count
        self.known: dict[str, np.ndarray] = {}

    def of(self, port: Port) -> np.ndarray:
        """Return (states, size) values of an input."""
        if port.name not in self.known:
            rng = np.random.default_rng([7, *port.name.encode()])
            if port.name == "q":
                self.known["q"] = self._q(rng)
            elif port.name == "pose":
                self.known["pose"] = self._poses()
            else:
                self.known[port.name] = rng.uniform(-1, 1, (self.count, port.size)).round(6)
        return self.known[port.name]

    def _q(self, rng: np.random.Generator) -> np.ndarray:
        out = []
        if is_closed(self.m):
            c, first = general_pose(self.m)
            steps = 0.05 * rng.uniform(-1, 1, (self.count - 1, self.m.nv))
            return np.array([first, *(close(c, c.moved(first, step))[0] for step in steps)])
        for _ in range(self.count):
            parts: list[float] = []
            for body in self.m.bodies:
                own = rng.uniform(-1.5, 1.5, body.joint.nq).round(6)
                if body.joint.kind in ("spherical", "free"):
                    own[-4:] /= np.linalg.norm(own[-4:])
                parts += own.tolist()
            out.append(np.array(parts))
        return np.array(out)

    def _poses(self) -> np.ndarray:
        bound, body = self.m.bound(), platform_of(self.m).body
        q = self.of(Port("q", (self.m.nq,)))
        frame = self.m.bodies[body].name
        return np.array(
            [np.array(kinematics.pose(bound, frame, list(x)), float).ravel() for x in q]
        )


def _trial(m: Mechanism, names: Sequence[str]) -> dict[str, Any]:
    """Return values of parameters for golden vectors: their own, or some number."""
    values = {n: m.values.get(n) for n in names}
    return {
        n: to_float(v) if v is not None else 0.5 + 0.0625 * (k % 8)
        for k, (n, v) in enumerate(values.items())
    }


# -- names -------------------------------------------------------------------------------------


def parameter_slot(m: Mechanism, name: str, taken: CodeNames) -> Slot:
    """Return the name, identifier and value of a parameter."""
    value = m.values.get(name)
    return Slot(name, taken.new(name), "", None if value is None else to_float(value))


def coordinates(m: Mechanism) -> tuple[tuple[Slot, ...], tuple[Slot, ...]]:
    """Return names and units of the coordinates and of the speeds."""
    taken, positions, speeds = CodeNames(), [], []
    for body in m.bodies:
        kind, name = body.joint.kind, joint_name(body)
        if body.joint.nv:
            word = taken.new(name)
            positions += [_part(name, word, part) for part in PARTS.get(kind, ("",))]
            speeds += [_part(name, word, part) for part in RATES.get(kind, ("",))]
    return (
        tuple(replace(s, unit=u) for s, u in zip(positions, coordinate_units(m), strict=True)),
        tuple(replace(s, unit=f"{u}/s") for s, u in zip(speeds, rate_units(m), strict=True)),
    )


def _part(name: str, word: str, part: str) -> Slot:
    return Slot(f"{name}.{part}", f"{word}_{part}", "") if part else Slot(name, word, "")
