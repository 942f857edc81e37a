"""Machines of every class, written as code and compared with the algorithms in floats."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.emit.unit import Entry, Unit
from dalembert.export import language_of, writer
from dalembert.export.check import LINE, Compared, _row, commands
from dalembert.export.check import run as run_one
from dalembert.export.unit import CHECKED, Samples, unit_of
from dalembert.reference import in_floats

RIGID = ["inverse_dynamics", "mass_matrix", "forward_dynamics"]
CLOSED = ["inverse_dynamics", "forward_dynamics", "active_mass_matrix"]
LEGS = ["actuator_forces", "platform_jacobian"]
WHEELS = ["alpha_dot", "constraint_forces"]
SPHERES = """{"name": "balls", "bodies": [
  {"name": "a", "parent": -1, "joint": {"type": "spherical"}, "mass": 2, "com": [0, 0.1, 0.3],
   "inertia": [[0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.1]]},
  {"name": "b", "parent": 0, "joint": {"type": "planar",
   "placement": {"translation": [0, 0.2, 0.5]}}, "mass": 1, "com": [0.1, 0, 0],
   "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]},
  {"name": "c", "parent": 1, "joint": {"type": "screw", "pitch": 0.02, "axis": [0, 1, 0]},
   "mass": 1, "com": [0.1, 0, 0.2], "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}]}"""

# a coordinate that follows an equation in time
HELD = {
    "format": "dalembert/1", "name": "lifted", "speeds": ["a", "b"],
    "bodies": [
        {"name": f"L{k}", "parent": k - 1, "mass": 1, "com": [0.1, 0, 0],
         "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
         "joint": {"type": "revolute", "name": name, "axis": axis,
                   "placement": {"translation": [0.3, 0, 0]}}}
        for k, (name, axis) in enumerate((("a", [0, 0, 1]), ("b", [0, 1, 0]), ("c", [0, 1, 0])))
    ],
    "velocity_constraints": [{"name": "held", "equation": "c = 0.5 + 0.1*sin(t)"}],
}  # fmt: skip

# name -> (how to make it, quantities, parameters that stay inputs)
MACHINES = {
    "serial": (da.robots.puma560, [*RIGID, "gravity", "regressor"], None),
    "tree": (da.robots.walker, ["inverse_dynamics", "mass_matrix"], None),
    "prismatic": (da.robots.stanford, [*RIGID, "jacobian", "pose"], None),
    "scara": (da.robots.scara, ["inverse_dynamics_derivatives", "coriolis_matrix"], None),
    "symbolic": (da.robots.report6r, ["inverse_dynamics", "mass_matrix"], None),
    "parametric": (da.robots.planar2r, ["inverse_dynamics", "kinetic_energy"], "all"),
    "joints": (lambda: da.load(SPHERES), RIGID, None),
    "fourbar": (da.robots.fourbar, CLOSED, None),
    "fivebar": (da.robots.fivebar, CLOSED, None),
    "stewart": (da.robots.stewart, LEGS, None),
    "elastic": (da.robots.flexible2r, ["elastic_inverse", "forward_dynamics"], None),
    "moving base": (da.robots.spacecraft, ["moving_base_inverse", "momentum"], None),
    "eel": (lambda: da.robots.eel(5), ["base_acceleration", "moving_base_direct"], None),
    "truck": (da.robots.truck, WHEELS, None),
    "car": (da.robots.double_steering_car, WHEELS, None),
}


@lru_cache(maxsize=64)
def unit(name: str) -> tuple[da.Mechanism, Unit]:
    """Return a machine and its Unit."""
    make, quantities, parameters = MACHINES[name]
    m = make()
    return m, unit_of(m, quantities, parameters=parameters)


def trial_model(m: da.Mechanism, made: Unit) -> da.Mechanism:
    """Return the machine with the parameters of its golden vectors."""
    values = dict(zip((p.name for p in made.parameters), made.trial, strict=True))
    missing = {n: values[n] for n in m.open_parameters}
    return m.with_values(**missing) if missing else m


def expected(m: da.Mechanism, made: Unit, entry: Entry, count: int) -> tuple[list, list]:
    """Return inputs and results at some states, one array (states, size) each."""
    samples = Samples(trial_model(m, made), count)
    given = [samples.of(port).reshape(count, -1) for port in entry.inputs]
    if entry.name == "everything":
        by_name = {p.name: x for p, x in zip(entry.inputs, given, strict=True)}
        outs = []
        for other in (e for e in made.entries[:-1] if not e.name.endswith(CHECKED)):
            outs += in_floats(samples.m, other.name, None, [by_name[p.name] for p in other.inputs])
    else:
        name = entry.name.removesuffix(CHECKED)
        outs = in_floats(samples.m, name, None, given, checks=name != entry.name)
    return given, [x.reshape(count, -1) for x in outs]


def worst(found: np.ndarray, reference: np.ndarray, growth: float) -> float:
    """Return the largest difference in parts of the largest value.

    Results that lose digits by themselves (an acceleration, a loop) count in units of that loss:
    the same lines in single precision tell how many roundings it is.
    """
    largest = max(float(np.abs(reference).max(initial=0.0)), 1e-30)
    difference = np.abs(found - reference)
    assert np.all(np.isfinite(difference))
    return float(difference.max(initial=0.0)) / largest / max(1.0, growth / 100)


def write(made: Unit, language: str, directory: Path) -> None:
    """Write a Unit in a language."""
    for name, text in writer(language)(made).items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(str(text), encoding="utf-8")


# scripts one after the other in one interpreter; a line before each says which it is
SCRIPTS = """
import os, runpy, sys
for k, (script, *given) in enumerate(a.split("\\n") for a in sys.argv[1:]):
    print("model", k, flush=True)
    sys.argv, sys.path[0] = [script, *given], os.path.dirname(script)
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
"""


def run_together(language: str, places: Iterable[tuple[Path, str]]) -> list[list[Compared]]:
    """Return the rows of golden vectors as `check.run` does, of several models.

    Interpreters that take long to start (JAX, CasADi, Octave) are started once for all.
    """
    models = [(d.resolve(), id) for d, id in places]
    assert len({id for _, id in models}) == len(models)  # names of modules
    last = language_of(language).run[-1][0]
    if last == "octave-cli":
        paths = [word for d, _ in models for word in ("--path", str(d))]
        calls = "".join(f"disp('model {k}'); {id}_test(); " for k, (_, id) in enumerate(models))
        text = _out([last, "--no-init-file", "-q", *paths, "--eval", calls])
    elif last == "{python}":
        told = []
        for d, id in models:
            *builds, script = commands(language, d, id, d)
            for command in builds:
                _out(command)
            told.append("\n".join(script[1:]))
        text = _out([sys.executable, "-c", SCRIPTS, *told])
    else:
        return [run_one(language, d, id) for d, id in models]
    parts = text.split("model ")[1:]
    assert len(parts) == len(models), text
    return [[_row(language, x) for x in part.splitlines() if LINE.match(x)] for part in parts]


def _out(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
