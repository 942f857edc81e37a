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
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..compute import arrays_of, compile
from ..emit.unit import Unit
from ..errors import ComputationError, UsageError
from ..mechanism import Mechanism
from ..simulate import simulate
from .unit import ALL, unit_of

LINE = re.compile(r"^(\w+) (\w+) worst=(\S+) tol=(\S+) (ok|MISS)$")
Command = list[str | Path]


@dataclass(frozen=True, slots=True)
class Row:
    """How far one quantity is from the kernel, in parts of its largest value."""

    language: str
    quantity: str
    worst: float
    tolerance: float
    ok: bool

    def data(self) -> dict[str, Any]:
        """Return the row as JSON holds it."""
        return asdict(self)


def _c(d: Path, id: str, out: Path) -> list[Command]:
    sources = (d / f"{id}.c", d / f"{id}_test.c")
    program = out / "golden"
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
    return [["gcc", *strict, "-O1", *sources, "-o", program, "-lm"], [program]]


def _cpp(d: Path, id: str, out: Path) -> list[Command]:
    strict = ("-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
    return [
        ["g++", *strict, "-O1", d / f"{id}_test.cpp", "-o", out / "golden"],
        [out / "golden"],
    ]


def _python(suffix: str) -> Callable[[Path, str, Path], list[Command]]:
    return lambda d, id, out: [[sys.executable, d / f"{id}{suffix}_test.py"]]


def _octave(d: Path, id: str, out: Path) -> list[Command]:
    code = f"exit({id}_test())"
    return [["octave-cli", "--no-init-file", "--quiet", "--path", d, "--eval", code]]


def _fortran(d: Path, id: str, out: Path) -> list[Command]:
    sources = (d / f"{id}.f90", d / f"{id}_test.f90")
    strict = ("-std=f2008", "-Wall", "-Wno-unused-dummy-argument", "-Werror", "-J", out)
    return [["gfortran", *strict, "-O1", *sources, "-o", out / "golden"], [out / "golden"]]


def _rust(d: Path, id: str, out: Path) -> list[Command]:
    common = ("--edition", "2021", "-O")
    lib = out / f"lib{id}.rlib"
    made = ("--extern", f"{id}={lib}", "-o", out / "golden")
    return [
        ["rustc", *common, "--crate-type", "rlib", "--crate-name", id, d / "src/lib.rs", "-o", lib],
        ["rustc", *common, d / "examples/golden.rs", *made],
        [out / "golden"],
    ]


def _casadi(d: Path, id: str, out: Path) -> list[Command]:
    sources, library = (d / f"{id}.c", d / f"{id}_casadi.c"), out / f"{id}.so"
    strict = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC")
    return [
        ["gcc", *strict, *sources, "-o", library, "-lm"],
        [sys.executable, d / f"{id}_casadi_test.py", library],
    ]


# language -> what to run, the last command prints the lines
COMMANDS: dict[str, Callable[[Path, str, Path], list[Command]]] = {
    "c": _c,
    "cpp": _cpp,
    "python": _python(""),
    "numpy": _python("_numpy"),
    "octave": _octave,
    "matlab": _octave,
    "fortran": _fortran,
    "rust": _rust,
    "casadi": _casadi,
}


# program -> how it is had where it is not
INSTALL = {
    "gcc": "apt-get install gcc",
    "g++": "apt-get install g++",
    "gfortran": "apt-get install gfortran",
    "octave-cli": "apt-get install octave",
    "rustc": "apt-get install rustc, or rustup",
    "casadi": "pip install casadi",
    "fmpy": "pip install fmpy",
}


def tool(language: str) -> str | None:
    """Return the program or package that a language needs and that is not here, or None."""
    with tempfile.TemporaryDirectory() as place:
        commands = COMMANDS[language](Path(place), "x", Path(place))
    first = str(commands[0][0])
    if shutil.which(first) is None:
        return first
    return "casadi" if language == "casadi" and find_spec("casadi") is None else None


def _needs(missing: str) -> UsageError:
    return UsageError(
        f"--check needs {missing}, which is not here",
        hint=f"the files are written; {INSTALL[missing]}, or leave --check away",
    )


def run(language: str, directory: Path, id: str) -> list[Row]:
    """Return the rows that the golden vectors of a language print."""
    if language not in COMMANDS:
        raise UsageError(
            f"{language} is text to read: there is nothing to run",
            hint="the files are written; leave --check away",
        )
    missing = tool(language)
    if missing:
        raise _needs(missing)
    with tempfile.TemporaryDirectory() as place:
        text = ""
        for command in COMMANDS[language](directory.resolve(), id, Path(place)):
            done = subprocess.run(
                [str(word) for word in command], capture_output=True, text=True, cwd=place
            )
            text = done.stdout
            rows = [_row(language, line) for line in text.splitlines() if LINE.match(line)]
            if done.returncode and all(row.ok for row in rows):
                said = (done.stderr or done.stdout).strip().splitlines()
                raise ComputationError(
                    f"{language}: {Path(command[0]).name} failed", hint="\n".join(said[-8:])
                )
        worst: dict[str, Row] = {}
        for row in rows:
            old = worst.get(row.quantity, row)
            worst[row.quantity] = max(old, row, key=lambda r: (not r.ok, r.worst))
        return list(worst.values())


def _row(language: str, line: str) -> Row:
    found = LINE.match(line)
    assert found is not None
    quantity, output, worst, tolerance, verdict = found.groups()
    return Row(language, f"{quantity}.{output}", float(worst), float(tolerance), verdict == "ok")


def check_export(
    m: Mechanism, quantities: Sequence[str], language: str, written: Sequence[Path], **options: Any
) -> list[Row]:
    """Return how far exported code and kernels are apart; see `export` for the options."""
    if language == "fmu":
        return [row for path in written for row in fmu(m, path, options.get("drives", "inertia"))]
    unit = unit_of(m, list(quantities), **options)
    return run(language, written[0].parent, unit.id) + kernels(m, unit, **options)


def fmu(m: Mechanism, path: Path, drives: str = "inertia") -> list[Row]:
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
    rows = []
    for kind in ("ModelExchange", "CoSimulation"):
        how = {"fmi_type": kind, "stop_time": 0.1, "output": names, "relative_tolerance": 1e-10}
        table = simulate_fmu(str(path), start_values=moving, **how)
        first, last = (np.array([table[name][k] for name in names]) for k in (0, -1))
        s = simulate(m, first[: m.nq], first[m.nq :], t=[0.0, 0.1], rtol=1e-11, drives=drives)
        expected = np.concatenate([s.q[-1], s.speeds[-1]])
        worst = float(np.max(np.abs(last - expected)) / max(1.0, np.max(np.abs(expected))))
        rows.append(Row("fmu", kind, worst, 1e-6, worst <= 1e-6))
    return rows


def kernels(
    m: Mechanism, unit: Unit, method: str | None = None, parameters: Any = None, **options: Any
) -> list[Row]:
    """Return how far the kernels are from the golden vectors."""
    names = [p.name for p in unit.parameters]
    rows = []
    for entry in unit.entries:
        if entry.name == ALL:
            continue
        from ..catalog import quantity

        row = quantity(entry.name, m)
        own = {k: v for k, v in options.items() if k in row.options}
        by = method if method in row.methods else None
        kernel = compile(m, entry.name, by, parameters=names or None, **own)
        given = [
            np.array([g.inputs[k] for g in entry.golden]).reshape(len(entry.golden), *port.shape)
            for k, port in enumerate(entry.inputs)
        ]
        values = dict(zip(names, unit.trial, strict=True)) or None
        outs = arrays_of(kernel(*given, parameters=values))
        for k, port in enumerate(entry.outputs[: entry.own]):
            golden = np.array([g.outputs[k] for g in entry.golden])
            error = np.abs(outs[k].reshape(golden.shape) - golden) / entry.size(k)
            worst, most = float(error.max(initial=0.0)), entry.roundings(k) * 2.0**-52
            rows.append(Row("kernel", f"{entry.name}.{port.name}", worst, most, worst <= most))
    return rows
