"""A mechanism as an FMU: its state model traced, differentiated along a direction, and packed."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..algorithms.drives import ROUNDED, Drives, dry_drives, rounded
from ..compute.counted import counted
from ..compute.model import left_out
from ..emit.fmu import STEP, Plant, packed, sources
from ..emit.names import CodeNames
from ..emit.unit import Entry, Unit
from ..errors import ComputationError, DalembertError, ParameterError
from ..expr import Program, programs
from ..expr.block import ready
from ..linearize import linearize
from ..mechanism import Mechanism, how_to_give
from ..plan.loops import with_motors
from .plant import StateModel
from .unit import entry_of, parameter_slot

FLAGS = ("-std=c99", "-shared", "-fPIC", "-fvisibility=hidden")
MOST = 10  # halvings of the step of co-simulation
LARGE = 20_000  # lines above which a compiler is asked for less


def fmu_files(
    m: Mechanism,
    names: Sequence[str] = (),
    parameters: Sequence[str] | str | None = None,
    drives: Drives = "all",
    binary: bool = True,
    version: int = 2,
) -> dict[str, str | bytes]:
    """Return <id>.fmu of FMI 2.0 or 3.0, with a Linux binary where a compiler is present."""
    plant = fmu_plant(m, parameters, drives)
    made: dict[str, str | bytes] = dict(sources(plant, version))
    if binary and shutil.which("gcc"):
        folder = "linux64" if version == 2 else f"{platform.machine()}-linux"
        made[f"binaries/{folder}/{plant.unit.id}.so"] = _built(plant.unit, made)
    return {f"{plant.unit.id}.fmu": packed(made)}


def fmu3_files(m: Mechanism, names: Sequence[str], **options: Any) -> dict[str, str | bytes]:
    """Return <id>.fmu of FMI 3.0."""
    return fmu_files(m, names, **options, version=3)


def _built(unit: Unit, made: dict[str, str | bytes]) -> bytes:
    """Return the shared library of the sources."""
    id, lines = unit.id, sum(len(e.step.lines) for e in unit.entries)
    with tempfile.TemporaryDirectory() as place:
        for name, text in made.items():
            if name.startswith("sources/") and not name.endswith(".xml"):
                assert isinstance(text, str)
                (Path(place) / Path(name).name).write_text(text, encoding="utf-8")
        inputs, level = [f"{id}.c", f"{id}_fmu.c"], "-O1" if lines > LARGE else "-O2"
        command = ["gcc", *FLAGS, level, *inputs, "-o", f"{id}.so", "-lm"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True)
        if done.returncode:
            raise ComputationError(
                "gcc does not build the FMU", hint="\n".join(done.stderr.splitlines()[-8:])
            )
        return (Path(place) / f"{id}.so").read_bytes()


def fmu_plant(m: Mechanism, parameters: Sequence[str] | str | None, drives: Drives) -> Plant:
    """Return the state model of a mechanism with its functions and names."""
    if m.open_parameters:
        raise ParameterError(
            "an FMU needs a start value of every parameter: " + ", ".join(m.open_parameters[:8]),
            **how_to_give(m.open_parameters[0]),
        )
    asked = [p.name for p in m.parameters] if parameters == "all" else list(parameters or ())
    m = with_motors(m)
    notes = (*counted(m, drives), *left_out(m)) if m.form is not None else counted(m, drives)
    if drives == "all" and dry_drives(m):
        m = rounded(m)
        notes += (f"dry friction grows to its level about {ROUNDED:g} rad/s or m/s",)
    model = StateModel.of(m, asked, drives)
    functions = model.functions()
    used = {n for f in functions for n in f.parameters}
    names = [n for n in asked if n in used or parameters != "all"]
    made = programs(functions, names)
    taken = CodeNames()
    slots = tuple(parameter_slot(m, name, taken) for name in names)
    positions, speeds, inputs = model.slots()
    unit = Unit(
        CodeNames().new(m.name),
        m.name,
        __version__,
        positions,
        speeds,
        slots,
        tuple(p.value or 0.0 for p in slots),
        ready(made[0].prepare),
        len(made[0].prepare.results),
        tuple(_entry(program) for program in made),
    )
    return Plant(
        unit,
        tuple(model.start()),
        inputs,
        model.own.forces,
        model.found(),
        model.settled,
        model.closed,
        model.own.speeds != m.nv,
        model.timed,
        notes,
        _step(m, model.start()) if m.drives and m.drives[0].rounded else STEP,
    )


def _step(m: Mechanism, start: Sequence[float]) -> float:
    """Return a step of co-simulation that is stable where rounded friction stops a joint."""
    try:
        rates = np.abs(np.linalg.eigvals(linearize(m, start[: m.nq]).A)).max(initial=0.0)
    except DalembertError:  # no pose to linearize at: a rate that gears and light links have
        rates = 1e5
    halvings = int(np.ceil(np.log2(max(1.0, 4 * STEP * float(rates)))))
    return STEP / 2.0 ** min(halvings, MOST)


def _entry(program: Program) -> Entry:
    words = [p.name for p in (*program.inputs, *program.outputs)]
    return entry_of(program, " ".join(program.name.split("_")), "SI", "state model", words)
