"""dalembert doctor: what works on this machine, and what an optional package or tool would add."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

from .. import __version__
from ..display import aligned
from .model import JSON, echo_answer

# extra -> what its packages add; the packages themselves are in the metadata of the distribution
EXTRAS = {
    "sim": "plots; the stiff integrators radau, bdf and lsoda",
    "io": "MJCF and xacro files; meshes in check --meshes",
    "symbolic": "equations as SymPy expressions",
    "ident": "measured motions and identification",
    "sweep": "design studies stored as Parquet files",
    "cluster": "design studies on several machines",
    "studio": "the studio, a local page for one machine",
    "docs": "building the manual as a site",
}

# program -> what it adds
TOOLS = {
    "gcc": "export --check in C, FMU binaries",
    "g++": "export --check in C++",
    "gfortran": "export --check in Fortran",
    "rustc": "export --check in Rust",
    "octave-cli": "export --check in Octave",
    "julia": "export --check in Julia",
    "node": "bundling the 3-D view when dalembert is installed from source",
    "chromium": "tests of the pages in a browser",
}

OTHER = {"pin": "bench --peers", "casadi": "export --to casadi --check", "fmpy": "FMU checks"}


@click.command()
@JSON
def command(as_json: bool) -> int:
    """Show versions, whether compilation works, the cache, and what optional parts would add.

    Exit code 1 means that a kernel cannot be compiled and run here.

    \b
    Example:
      dalembert doctor
    """
    found = examine()
    echo_answer(as_json, found, told(found))
    return 0 if found["jit"]["ok"] else 1


def examine() -> dict[str, Any]:
    """Return everything the doctor looks at, as JSON holds it."""
    core, extras = requirements()
    return {
        "dalembert": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "core": {name: version(name) for name in core},
        "jit": jit(),
        "cache": cache(),
        "view": _view(),
        "extras": {
            name: {"adds": adds, "packages": {p: version(p) for p in extras.get(name, [])}}
            for name, adds in EXTRAS.items()
        },
        "packages": {p: {"adds": adds, "version": version(p)} for p, adds in OTHER.items()},
        "tools": {name: {"adds": adds, **tool(name)} for name, adds in TOOLS.items()},
    }


def requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Return the packages of the core, and those of each extra, from the installed metadata."""
    core, extras = list[str](), dict[str, list[str]]()
    try:
        listed = importlib.metadata.requires("dalembert") or []
    except importlib.metadata.PackageNotFoundError:
        listed = []
    for line in listed:
        name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
        if name == "dalembert":
            continue
        (extras.setdefault(extra[1], []) if extra else core).append(name)
    return core, extras


def version(package: str) -> str | None:
    """Return the version of an installed package, None where it is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def jit() -> dict[str, Any]:
    """Return whether a kernel compiles, runs and gives the right number, and in which time."""
    begin, kept = time.perf_counter(), os.environ.get("DALEMBERT_CACHE")
    os.environ["DALEMBERT_CACHE"] = "off"  # a kernel from the cache would prove nothing
    try:
        from .. import compute, read

        pendulum = read.load("RX(), TZK(-1); body 1: M = 2, D = (0, 0, -0.5);", snap=None)
        value = float(compute.compile(pendulum, "inverse_dynamics")([0], [0], [4])[0])
        ok, what = abs(value - 2.0) < 1e-12, f"pendulum: {value!r} N m, expected 2"
    except Exception as error:  # whatever is wrong is the finding
        ok, what = False, f"{type(error).__name__}: {error}"
    finally:
        del os.environ["DALEMBERT_CACHE"]
        os.environ.update({} if kept is None else {"DALEMBERT_CACHE": kept})
    return {"ok": ok, "seconds": round(time.perf_counter() - begin, 3), "result": what}


def cache() -> dict[str, Any]:
    """Return where compiled kernels are kept, how many there are, and whether more can be."""
    from ..runtime.cache import directory

    place = directory()
    if place is None:
        return {"path": None, "writable": False, "kernels": 0, "bytes": 0}
    try:
        sizes = [file.stat().st_size for file in place.iterdir() if file.is_file()]
    except OSError:
        sizes = []
    there = next((p for p in (place, *place.parents) if p.exists()), Path("/"))
    writable = os.access(there, os.W_OK)
    return {"path": str(place), "writable": writable, "kernels": len(sizes), "bytes": sum(sizes)}


def _view() -> bool:
    """Return whether the program of the 3-D view was bundled."""
    from importlib.resources import files

    return files("dalembert.view").joinpath("static", "view.js").is_file()


def tool(name: str) -> dict[str, str | None]:
    """Return the path of a program and the first line of what it says about its version."""
    path = shutil.which(name)
    if path is None:
        return {"path": None, "version": None}
    try:
        run = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return {"path": path, "version": None}
    lines = (run.stdout or run.stderr).strip().splitlines()
    return {"path": path, "version": lines[0][:70] if lines else None}


def told(found: dict[str, Any]) -> list[str]:
    """Return the findings as lines of text."""
    jit, cache = found["jit"], found["cache"]
    kept = f"{cache['kernels']} kernels, {cache['bytes'] / 1e6:.1f} MB"
    where = "off (DALEMBERT_CACHE=off)" if cache["path"] is None else f"{cache['path']}: {kept}"
    if cache["path"] is not None and not cache["writable"]:
        where += "; not writable, so nothing is kept: set DALEMBERT_CACHE to another folder"
    view = "bundled" if found["view"] else "schemes only: install again with Node.js for 3-D pages"
    rows = [
        ["dalembert", found["dalembert"]],
        ["python", f"{found['python']} at {sys.executable}"],
        ["platform", found["platform"]],
        *([name, at or "MISSING: pip install " + name] for name, at in found["core"].items()),
        ["compiler", f"{'works' if jit['ok'] else 'FAILS'}, {jit['seconds']} s; {jit['result']}"],
        ["cache", where],
        ["view", view],
    ]
    return [*aligned(rows, (0, 1)), "", "optional packages:", *_extras(found), "", *_tools(found)]


def _extras(found: dict[str, Any]) -> list[str]:
    rows = []
    for name, extra in found["extras"].items():
        missing = [p for p, at in extra["packages"].items() if at is None]
        state = f"missing: pip install {' '.join(missing)}" if missing else "installed"
        state = state if extra["packages"] else "unknown: dalembert itself is not installed"
        rows.append([f"  {name}", extra["adds"], state])
    for name, package in found["packages"].items():
        state = package["version"] or f"missing: pip install {name}"
        rows.append([f"  {name}", package["adds"], state])
    return aligned(rows, (0, 1, 2))


def _tools(found: dict[str, Any]) -> list[str]:
    rows = [
        [f"  {name}", one["adds"], one["version"] or one["path"] or "not found"]
        for name, one in found["tools"].items()
    ]
    return ["optional tools:", *aligned(rows, (0, 1, 2))]
