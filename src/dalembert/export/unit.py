"""Quantities of a mechanism as a Unit: traced once, one `prepare`, golden vectors in floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import __version__
from ..algorithms import kinematics
from ..algorithms.closed_kinematics import checks_of
from ..algorithms.parallel import platform_of
from ..catalog import Quantity, algorithm, quantity
from ..catalog.loops import is_closed
from ..compute import trace_quantity
from ..compute.model import left_out
from ..emit.names import CodeNames
from ..emit.reserved import RESERVED
from ..emit.unit import Entry, Golden, Slot, Unit
from ..errors import ComputationError, UsageError, shown
from ..expr import Expr, Function, Graph, Port, Program, count, expand, programs
from ..expr.block import ready
from ..expr.exact import to_float
from ..mechanism import Mechanism, joint_name
from ..plan import general_pose
from ..plan.assembly import close
from ..reference import in_floats

STATES = 3  # golden vectors per function
ALL = "everything"  # the function that computes every quantity at once
CHECKED = "_checked"  # after the name of a quantity: the function that gives its checks too
CHECKS_TEXT = (
    "checks: the largest residual of all closure equations (m or rad), the smallest pivot ratio "
    "(below 1e-8 the pose is singular), the certificate (above 1e-9 the plan is not that of this "
    "branch and the result is wrong)"
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
LENGTHS = {"angle": "rad", **dict.fromkeys(("x", "y", "px", "py", "pz"), "m")}


def unit_of(
    m: Mechanism,
    quantities: Sequence[str],
    method: str | None = None,
    parameters: Sequence[str] | str | None = None,
    together: bool = True,
    **options: Any,
) -> Unit:
    """Return quantities as one Unit; where there are several, `everything` computes all at once.

    Parameters without a value, and those named, are inputs of `prepare`; "all" names every one.
    """
    names = list(dict.fromkeys(quantities))
    settings = settings_of(m, names, method, options)
    rows = [quantity(name, m) for name in names]
    asked = [p.name for p in m.parameters] if parameters == "all" else list(parameters or ())
    traced = [
        trace_quantity(m, row.name, by, parameters=asked, **own)
        for row, (by, own) in zip(rows, settings, strict=True)
    ]
    functions = [_plain(f, row) for f, row in zip(traced, rows, strict=True)]
    checked = [_checked(f, row) for f, row in zip(traced, rows, strict=True)]
    used = {n for f in functions for n in f.parameters}
    if parameters == "all":
        asked = [n for n in asked if n in used]
    run_time = [p.name for p in m.parameters if p.name in {*m.open_parameters, *asked}]
    whole = [_together(functions, rows)] if together and rows[1:] else []
    single = [f for pair in zip(functions, checked, strict=True) for f in pair if f is not None]
    made = programs([*single, *whole], run_time)
    trial = _trial(m, run_time)
    missing = {n: trial[n] for n in m.open_parameters}
    samples = Samples(m.with_values(**missing) if missing else m)
    jobs = dict(zip(names, zip(rows, settings, strict=True), strict=True))
    entries = [
        _entry(*jobs[program.name.removesuffix(CHECKED)], program, samples, tuple(trial.values()))
        for program in made[: len(single)]
    ]
    if whole:
        entries.append(_all_entry([e for e in entries if e.name in jobs], made[-1]))
    taken = CodeNames()
    slots = [parameter_slot(m, name, taken) for name in run_time]
    return Unit(
        CodeNames().new(m.name),
        m.name,
        __version__,
        *coordinates(m),
        tuple(slots),
        tuple(float(trial[name]) for name in run_time),
        ready(made[0].prepare),
        len(made[0].prepare.results),
        tuple(entries),
        left_out(m),
    )


def settings_of(
    m: Mechanism, names: Sequence[str], method: str | None, options: Mapping[str, Any]
) -> list[tuple[str | None, dict[str, Any]]]:
    """Return method and options of each quantity: those it knows, none may be left over."""
    if not names:
        raise UsageError("no quantity is named", hint='give one, such as "inverse_dynamics"')
    rows = [quantity(name, m) for name in names]
    for name in options:
        if not any(name in row.options for row in rows):
            known = sorted({o for row in rows for o in row.options})
            raise UsageError(
                f"none of these quantities has an option {shown(name)!r}",
                hint="their options: " + (", ".join(known) or "none"),
            )
    if method is not None and not any(method in row.methods for row in rows):
        algorithm(rows[0], method)  # raises the error that names the methods
    return [
        (
            method if method in row.methods else None,
            {k: v for k, v in options.items() if k in row.options},
        )
        for row in rows
    ]


def _plain(function: Function, row: Quantity) -> Function:
    """Return the function with the outputs of the quantity alone."""
    ports = function.outputs[: len(row.outputs)]
    if not any(port.size for port in ports):
        raise UsageError(
            f"{row.name} of this mechanism has no entries: there is nothing to write",
            hint="loops, wheels or springs that it speaks of are not in the description",
        )
    results = function.results[: sum(port.size for port in ports)]
    return replace(function, outputs=ports, results=results)


def _checked(function: Function, row: Quantity) -> Function | None:
    """Return the function that gives the three checks too; None where there is nothing to close."""
    own, more = function.outputs[: len(row.outputs)], function.outputs[len(row.outputs) :]
    if not more or not more[0].size:
        return None
    at, graph = sum(port.size for port in own), function.graph
    ends = [Expr(graph, i) for i in function.results[at:]]
    checks = checks_of(ends[: more[0].size], *ends[more[0].size :])
    return replace(
        function,
        name=row.name + CHECKED,
        outputs=(*own, Port("checks", (3,))),
        results=(*function.results[:at], *(graph.lift(x) for x in checks)),
    )


def _together(functions: Sequence[Function], rows: Sequence[Quantity]) -> Function:
    """Return one Function with the outputs of all."""
    graph, inputs = Graph(), {}
    outputs: list[Port] = []
    results: list[int] = []
    for function, row in zip(functions, rows, strict=True):
        source, ids = expand(function.graph, function.results)
        ports = function.outputs[: len(row.outputs)]
        ids = ids[: sum(p.size for p in ports)]
        made = source.copy_into(graph, ids)
        results += [made[i] for i in ids]
        outputs += [replace(p, name=f"{row.name}_{p.name}") for p in ports]
        inputs.update({p.name: p for p in function.inputs})
    return Function(ALL, graph, tuple(inputs.values()), tuple(outputs), tuple(results))


# -- entries -----------------------------------------------------------------------------------


def _entry(
    row: Quantity,
    settings: tuple[str | None, Mapping[str, Any]],
    program: Program,
    s: Samples,
    trial: Sequence[float],
) -> Entry:
    (method, options), given = settings, [s.of(port) for port in program.inputs]
    checked = program.name != row.name
    try:
        outs = in_floats(s.m, row.name, method, given, checks=checked, **options)
    except ZeroDivisionError:
        raise ComputationError(
            f"{row.name} has no value: it divides by zero at every state",
            hint="a Jacobian that is never regular? choose another frame",
        ) from None
    step = ready(program.step)
    return Entry(
        program.name,
        row.summary + (f"; {CHECKS_TEXT}" if checked else ""),
        row.unit,
        algorithm(row, method)[0],
        program.inputs,
        program.outputs,
        _arguments(program),
        step,
        count(program.step),
        tuple(_golden(given, outs, k) for k in range(STATES)),
        _growth(program, given, trial, outs),
    )


def _all_entry(entries: Sequence[Entry], program: Program) -> Entry:
    inputs = {p.name: (e, n) for e in entries for n, p in enumerate(e.inputs)}
    golden = []
    for k in range(STATES):
        found = [inputs[p.name] for p in program.inputs]
        outs = [o for e in entries for o in e.golden[k].outputs]
        golden.append(Golden(tuple(e.golden[k].inputs[n] for e, n in found), tuple(outs)))
    return Entry(
        ALL,
        "all quantities at once, what they share computed once",
        "mixed",
        ", ".join(dict.fromkeys(e.method for e in entries)),
        program.inputs,
        program.outputs,
        _arguments(program),
        ready(program.step),
        count(program.step),
        tuple(golden),
        tuple(g for e in entries for g in e.growth),
    )


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
        if not body.joint.nv:
            continue
        word, unit = taken.new(name), "m" if kind == "prismatic" else "rad"
        if kind not in PARTS:
            positions.append(Slot(name, word, unit))
            speeds.append(Slot(name, word, unit + "/s"))
            continue
        for part in PARTS[kind]:
            positions.append(Slot(f"{name}.{part}", f"{word}_{part}", LENGTHS.get(part, "1")))
        for part in RATES[kind]:
            unit = "m/s" if part[0] == "v" else "rad/s"
            speeds.append(Slot(f"{name}.{part}", f"{word}_{part}", unit))
    return tuple(positions), tuple(speeds)
