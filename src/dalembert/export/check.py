"""Exported code compiled and run where the tools are, and compared with the kernels.

Every language writes a program that runs its golden vectors and prints a line per result:
`QUANTITY OUTPUT worst=... tol=... ok`. Kernels are run on the same vectors.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from ctypes.util import find_library
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.drives import Drives, rounded
from ..compute import arrays_of, compile
from ..compute.model import model_of
from ..compute.ways import named
from ..emit.unit import Unit
from ..errors import ComputationError, UsageError
from ..mechanism import Mechanism, freed
from ..simulate import simulate
from .jobs import Job, asked_slopes, jobs_of, on_environment
from .unit import ALL, CHECKED, unit_of
from .write import LANGUAGES, language_of

LINE = re.compile(r"^(\w+) (\w+) worst=(\S+) tol=(\S+) (ok|MISS)$")


@dataclass(frozen=True, slots=True)
class Compared:
    """How far one quantity is from the kernel, in parts of its largest value."""

    language: str
    quantity: str
    worst: float
    tolerance: float
    ok: bool

    def data(self) -> dict[str, Any]:
        """Return the row as JSON holds it."""
        return asdict(self)


# what holds C code and its golden vectors beside other files: only the code is built and run
PACKAGES = {"arduino": "the sketch is for a board", "ros2": "the plugin needs ROS 2"}
# program -> how to install it
INSTALL = {
    "gcc": "apt-get install gcc",
    "g++": "apt-get install g++",
    "gfortran": "apt-get install gfortran",
    "octave-cli": "apt-get install octave",
    "rustc": "apt-get install rustc, or rustup",
    "julia": "see julialang.org",
    "casadi": "pip install casadi",
    "jax": "pip install jax",
    "fmpy": "pip install fmpy",
    "OpenCL": "apt-get install pocl-opencl-icd ocl-icd-opencl-dev",
}


def commands(language: str, d: Path, id: str, out: Path) -> list[list[str]]:
    """Return what builds and runs the golden vectors of a language, in directories."""
    if language not in LANGUAGES:
        raise UsageError(
            f"{language} is text to read: there is nothing to run",
            hint="the files are written; omit --check",
        )
    words = {"d": d, "id": id, "out": out, "python": sys.executable}
    return [[word.format(**words) for word in row] for row in language_of(language).run]


def tool(language: str) -> str | None:
    """Return the program or package that a language needs and that is not here, or None."""
    first = commands(language, Path(), "x", Path())[0][0]
    found = language_of(language)
    missing = [name for name in found.needs if find_spec(name) is None]
    missing += [name for name in found.libraries if find_library(name) is None]
    return first if shutil.which(first) is None else next(iter(missing), None)


def _needs(missing: str) -> UsageError:
    return UsageError(
        f"--check needs {missing}, which is not here",
        hint=f"the files are written; {INSTALL[missing]}, or omit --check",
    )


def run(language: str, directory: Path, id: str) -> list[Compared]:
    """Return the rows that the golden vectors of a language print."""
    missing = tool(language)
    if missing:
        raise _needs(missing)
    return _ran(language, lambda out: commands(language, directory.resolve(), id, out))


def package(language: str, written: Sequence[Path]) -> list[Compared]:
    """Return the rows that the golden vectors of a package print: those of the C model in it."""
    if shutil.which("gcc") is None:
        raise _needs("gcc")
    test = next(path.resolve() for path in written if path.name.endswith("_test.c"))
    code = next(path.resolve() for path in written if path.name == test.name[:-7] + ".c")
    build = ["gcc", "-std=c99", "-O1", f"-I{code.parent}", str(code), str(test), "-lm", "-o"]
    return _ran(language, lambda out: [[*build, str(out / "golden")], [str(out / "golden")]])


def _ran(language: str, made: Callable[[Path], list[list[str]]]) -> list[Compared]:
    """Return the rows that commands print, run in a directory of their own."""
    with tempfile.TemporaryDirectory() as place:
        text = ""
        for command in made(Path(place)):
            done = subprocess.run(command, capture_output=True, text=True, cwd=place)
            text = done.stdout
            rows = [_row(language, line) for line in text.splitlines() if LINE.match(line)]
            if done.returncode and all(row.ok for row in rows):
                said = (done.stderr or done.stdout).strip().splitlines()
                raise ComputationError(
                    f"{language}: {Path(command[0]).name} failed", hint="\n".join(said[-8:])
                )
        worst: dict[str, Compared] = {}
        for row in rows:
            old = worst.get(row.quantity, row)
            worst[row.quantity] = max(old, row, key=lambda r: (not r.ok, r.worst))
        return list(worst.values())


def _row(language: str, line: str) -> Compared:
    found = LINE.match(line)
    assert found is not None
    quantity, output, worst, tolerance, verdict = found.groups()
    return Compared(
        language, f"{quantity}.{output}", float(worst), float(tolerance), verdict == "ok"
    )


def check_export(
    m: Mechanism, quantities: Sequence[str], language: str, written: Sequence[Path], **options: Any
) -> list[Compared]:
    """Return how far exported code and kernels are apart; see `export` for the options."""
    m = model_of(m, "check_export")
    if language in ("fmu", "fmu3"):
        return [row for path in written for row in fmu(m, path, options.get("drives", "all"))]
    if language in PACKAGES:
        return package(language, written)
    unit = unit_of(m, list(quantities), **options)
    asked = dict(options)
    asked.pop("parameters", None)
    wrt = asked.pop("wrt", None)
    jobs = jobs_of(freed(m, named(wrt)), list(quantities), asked.pop("method", None), asked)
    return run(language, written[0].parent, unit.id) + kernels(m, unit, jobs, wrt)


def fmu(m: Mechanism, path: Path, drives: Drives = "all") -> list[Compared]:
    """Return how far both kinds of simulation are from `simulate` after a tenth of a second.

    An FMU in which FMPy's validation finds a problem is an error.
    """
    if find_spec("fmpy") is None:
        raise _needs("fmpy")
    if shutil.which("gcc") is None:
        raise _needs("gcc")
    from fmpy import read_model_description, simulate_fmu
    from fmpy.validation import validate_fmu

    problems = validate_fmu(str(path))
    if problems:
        raise ComputationError(f"{path.name}: {problems[0]}")
    variables = read_model_description(str(path)).modelVariables
    names = [v.name for v in variables if v.name.startswith(("position.", "speed."))]
    given = [v.name for v in variables if v.name.startswith("speed.") and v.initial == "exact"]
    moving = dict.fromkeys(given, 0.1)
    rows, smooth = [], rounded(m)
    for kind in ("ModelExchange", "CoSimulation"):
        how = {"fmi_type": kind, "stop_time": 0.1, "output": names, "relative_tolerance": 1e-10}
        table = simulate_fmu(str(path), start_values=moving, **how)
        first, last = (np.array([table[name][k] for name in names]) for k in (0, -1))
        s = simulate(
            smooth, first[: m.nq], first[m.nq :], t=[0.0, 0.1], rtol=1e-11, drives=drives,
            motion=_still(m, first),
        )  # fmt: skip
        expected = np.concatenate([s.q[-1], s.speeds[-1]])
        worst = float(np.max(np.abs(last - expected)) / max(1.0, np.max(np.abs(expected))))
        rows.append(Compared("fmu", kind, worst, 1e-6, worst <= 1e-6))
    return rows


def _still(m: Mechanism, q: np.ndarray) -> dict[str, float]:
    """Return the motion of prescribed joints that stay where q has them."""
    joints = {name: m.joint_index(name) for name in m.prescribed if name in m.joint_names}
    return {name: float(q[m.coordinate_index[j]]) for name, j in joints.items()}


def kernels(m: Mechanism, unit: Unit, jobs: Sequence[Job], wrt: Any = None) -> list[Compared]:
    """Return how far the kernels are from the golden vectors."""
    names = [p.name for p in unit.parameters]
    by_name = {job.name: job for job in jobs}
    rows = []
    for entry in unit.entries:
        if entry.name == ALL or entry.name.endswith(CHECKED):
            continue
        job = by_name[entry.name]
        row = job.row
        (slopes,) = asked_slopes(m, [row], [n for n in named(wrt) if n in (*row.inputs, *names)])
        kernel = compile(
            m, row.name, job.method, parameters=names or None, wrt=slopes or None,
            wrench=bool(job.wrenches), **job.options,
        )  # fmt: skip
        given = [
            np.array([g.inputs[k] for g in entry.golden]).reshape(len(entry.golden), *port.shape)
            for k, port in enumerate(entry.inputs)
        ]
        forces = on_environment(m.bound(dict(zip(names, unit.trial, strict=True))), job, given)
        if forces is not None:
            given = [*given[: len(given) - len(job.wrenches)], forces]
        values = dict(zip(names, unit.trial, strict=True)) or None
        outs = arrays_of(kernel(*given, parameters=values))
        for k, port in enumerate(entry.outputs):
            golden = np.array([g.outputs[k] for g in entry.golden])
            error = np.abs(outs[k].reshape(golden.shape) - golden) / entry.size(k)
            worst, most = float(error.max(initial=0.0)), entry.roundings(k) * 2.0**-52
            rows.append(Compared("kernel", f"{entry.name}.{port.name}", worst, most, worst <= most))
    return rows
