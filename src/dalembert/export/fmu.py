"""A mechanism as an FMU: its state model traced, differentiated along a direction, and packed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..catalog.loops import is_closed
from ..compute import neutral, trace_quantity
from ..emit.fmu import packed, sources
from ..emit.names import CodeNames
from ..emit.ready import ready
from ..emit.unit import Entry, Unit
from ..errors import ParameterError, UsageError
from ..expr import Function, Graph, Port, Program, count, expand, programs, push
from ..mechanism import Mechanism
from ..simulate.systems import joined_rate
from .unit import coordinates, parameter_slot

KEPT = frozenset({"solve", "newton"})  # forms that are differentiated as equations
FLAGS = ("-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")


def fmu_files(
    m: Mechanism,
    parameters: Sequence[str] | str | None = None,
    drives: str = "inertia",
    binary: bool = True,
) -> dict[str, str | bytes]:
    """Return <id>.fmu, with a Linux binary where a compiler is present."""
    unit = fmu_unit(m, parameters, drives)
    start = [*(float(x) for x in neutral(m)), *([0.0] * m.nv)]
    at, quaternions = 0, []
    for body in m.bodies:
        if body.joint.kind in ("spherical", "free"):
            quaternions.append(at + body.joint.nq - 4)
        at += body.joint.nq
    made: dict[str, str | bytes] = dict(sources(unit, start, quaternions))
    if binary and shutil.which("gcc"):
        made[f"binaries/linux64/{unit.id}.so"] = _built(unit.id, made)
    return {f"{unit.id}.fmu": packed(made)}


def _built(id: str, made: dict[str, str | bytes]) -> bytes:
    """Return the shared library of the sources."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in made.items():
            if name.startswith("sources/"):
                assert isinstance(text, str)
                (Path(place) / Path(name).name).write_text(text, encoding="utf-8")
        inputs = [f"{id}.c", f"{id}_fmu.c"]
        command = ["gcc", *FLAGS, *inputs, "-o", f"{id}.so", "-lm"]
        subprocess.run(command, cwd=place, check=True)
        return (Path(place) / f"{id}.so").read_bytes()


def fmu_unit(m: Mechanism, parameters: Sequence[str] | str | None, drives: str) -> Unit:
    """Return rates, energies, and the derivatives of both along a direction, as one Unit."""
    if is_closed(m) or m.velocity_constraints or m.wheels:
        raise UsageError(
            "an FMU is made of trees; loops and velocity constraints are not in it",
            hint="export forward_dynamics or alpha_dot to c, and integrate with a projection",
        )
    if m.open_parameters:
        raise ParameterError(
            "an FMU needs a start value of every parameter: " + ", ".join(m.open_parameters[:8]),
            hint=f"write m.with_values({m.open_parameters[0]}=...) or --set",
        )
    asked = [p.name for p in m.parameters] if parameters == "all" else list(parameters or ())
    plain = [_rates(m, asked, drives), _energies(m, asked, drives)]
    functions = [*plain, *(_along(f) for f in plain)]
    used = {n for f in functions for n in f.parameters}
    names = [n for n in asked if n in used or parameters != "all"]
    made = programs(functions, names)
    taken = CodeNames()
    slots = tuple(parameter_slot(m, name, taken) for name in names)
    return Unit(
        CodeNames().new(m.name),
        m.name,
        __version__,
        *coordinates(m),
        slots,
        tuple(p.value or 0.0 for p in slots),
        ready(made[0].prepare),
        len(made[0].prepare.results),
        tuple(_entry(program) for program in made),
    )


def _rates(m: Mechanism, asked: Sequence[str], drives: str) -> Function:
    """Return (q, v, tau) -> (dq/dt, dv/dt)."""
    f = trace_quantity(m, "forward_dynamics", parameters=asked, drives=drives)
    graph, results = expand(f.graph, f.results, KEPT)
    q = [graph.input("q", k) for k in range(m.nq)]
    qd = [graph.input("qd", k) for k in range(m.nv)]
    rate = [graph.lift(x) for x in joined_rate(m.bound(graph=graph), q, qd)]
    outputs = (Port("q_rate", (m.nq,)), Port("qd_rate", (m.nv,)))
    return Function("rates", graph, f.inputs, outputs, (*rate, *results))


def _energies(m: Mechanism, asked: Sequence[str], drives: str) -> Function:
    """Return (q, v) -> kinetic and potential energy."""
    kinetic = trace_quantity(m, "kinetic_energy", parameters=asked, drives=drives)
    potential = trace_quantity(m, "potential_energy", parameters=asked)
    graph, results = Graph(), []
    for f in (kinetic, potential):
        source, ids = expand(f.graph, f.results)
        made = source.copy_into(graph, ids)
        results += [made[i] for i in ids]
    outputs = (Port("kinetic", ()), Port("potential", ()))
    return Function("energies", graph, kinetic.inputs, outputs, tuple(results))


def _along(function: Function) -> Function:
    """Return the derivative of a function along a direction of its inputs: d_q, d_qd, ..."""
    graph, ids = expand(function.graph, function.results, KEPT)
    seeds: dict[int, Any] = {}
    for port in function.inputs:
        for k in range(port.size):
            seeds[graph.input(port.name, k).id] = graph.input(f"d_{port.name}", k)
    made = tuple(x.id for x in push(graph, ids, seeds))
    more = tuple(Port(f"d_{p.name}", p.shape) for p in function.inputs)
    outputs = tuple(Port(f"d_{p.name}", p.shape) for p in function.outputs)
    inputs = (*function.inputs, *more)
    return Function(f"{function.name}_along", graph, inputs, outputs, made)


def _entry(program: Program) -> Entry:
    words = tuple(p.name for p in (*program.inputs, *program.outputs))
    summary = program.name.replace("_", " ")
    step, cost = ready(program.step), count(program.step)
    ends = (program.inputs, program.outputs, words, len(program.outputs))
    return Entry(program.name, summary, "SI", "articulated_body", *ends, step, cost, (), ())
