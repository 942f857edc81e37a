"""What is fuzzed: every reader, the expression grammar, tables, studies, studio jobs, commands.

A target takes bytes and calls a public door with them. Only DalembertError may come out, within a
second of processor time, and nothing may be opened, run or reached that was not named.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dalembert as da
from dalembert.errors import DalembertError

HERE = Path(__file__).parent
_FOLDER = tempfile.TemporaryDirectory(prefix="dalembert-fuzz-")
FOLDER = Path(_FOLDER.name)


@dataclass(frozen=True)
class Target:
    """A door and the texts to begin from."""

    name: str
    run: Callable[[bytes], Any]
    seeds: tuple[bytes, ...]
    ending: str


def _file(ending: str, data: bytes) -> str:
    path = FOLDER / f"case{ending}"
    path.write_bytes(data)
    return str(path)


def used(m: Any) -> None:
    """Do with a mechanism what users do first: show, write in every language, hash."""
    from dalembert.read import write

    repr(m)
    m.digest  # noqa: B018
    if len(m.bodies) > 60:
        return
    for language in ("phrase", "toml", "json", "urdf", "mdh"):
        with contextlib.suppress(DalembertError):
            write(m, language)


def reader(ending: str) -> Callable[[bytes], Any]:
    """Return the target of files with an ending."""

    def run(data: bytes) -> None:
        used(da.load(_file(ending, data)))

    return run


def table(ending: str) -> Callable[[bytes], Any]:
    """Return the target of motion tables with an ending."""
    m = da.load("elbow: RZ(), TXK(1), wrist: RZ(), TXK(1); body 1: M = 1; body 2: M = 1;")

    def run(data: bytes) -> None:
        da.read_motion(_file(ending, data), m)

    return run


def phrase(data: bytes) -> None:
    """Read a phrase that is given as text."""
    used(da.load(data.decode("utf-8", "surrogateescape") + ";"))


def expression(data: bytes) -> None:
    """Read one expression as the value of a parameter, as the value of a joint, as a length."""
    text = data.decode("utf-8", "surrogateescape")
    joint = {"type": "revolute", "axis": [0, 0, 1], "placement": {"translation": [text, 0, 0]}}
    body = {"name": "a", "parent": -1, "mass": text, "joint": joint}
    used(da.load({"format": "dalembert/1", "parameters": {"L": text}, "bodies": [body]}))


def study(data: bytes) -> None:
    """Read a study."""
    from dalembert.sweep.study import read_study

    read_study(_file(".study.toml", data))


LARGEST = 24  # brackets of a text for the studio, about twelve joints


def studio(data: bytes) -> None:
    """Run a job of the studio in this process; the first byte chooses which."""
    from dalembert.studio.jobs import JOBS

    names = ("describe", "equations", "terms", "save")
    job = JOBS[names[(data[:1] or b"\0")[0] % len(names)]]
    try:
        given = json.loads(data[1:])
    except (ValueError, RecursionError):
        given = {"text": data[1:].decode("utf-8", "surrogateescape")}
    if isinstance(given, dict) and str(given.get("text")).count("(") <= LARGEST:
        json.dumps(job(given))  # equations of longer chains take seconds, which the page shows


_SAFE = ("derive", "tables", "convert", "check", "eval", "cost", "torques", "view")


def command(data: bytes) -> None:
    """Run a command line in this process: no error but those with a code and a message."""
    from dalembert import cli

    try:
        words = shlex.split(data.decode("utf-8", "surrogateescape").replace("\0", ""))
    except ValueError:
        return
    if not words or words[0] not in _SAFE or any(w.startswith(("--o", "-o")) for w in words):
        return  # nothing is written here
    os.environ["DALEMBERT_DEBUG"] = "1"
    out, err = io.StringIO(), io.StringIO()
    here = os.getcwd()
    os.chdir(FOLDER)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(words)
    finally:
        os.chdir(here)
    if code not in (0, 1, 2):
        raise AssertionError(f"exit code {code}")
    if code and not err.getvalue().strip().splitlines()[-1].startswith("error: "):
        raise AssertionError("the last line on stderr is not an error")


def _seeds(name: str) -> tuple[bytes, ...]:
    """Return the small texts kept for a target: one a file, or one a line of NAME.txt."""
    found = [p.read_bytes() for p in sorted((HERE / name).glob("*"))]
    lines = HERE / f"{name}.txt"
    if lines.exists():
        found += [line for line in lines.read_bytes().split(b"\n") if line]
    return tuple(found)


def _target(name: str, run: Callable[[bytes], Any], ending: str = ".txt") -> Target:
    return Target(name, run, _seeds(name), ending)


def targets() -> dict[str, Target]:
    """Return every target by its name."""
    made = [
        _target("phrase", phrase),
        _target("expression", expression),
        _target("urdf", reader(".urdf"), ".urdf"),
        _target("toml", reader(".toml"), ".toml"),
        _target("json", reader(".json"), ".json"),
        _target("csv", reader(".csv"), ".csv"),
        _target("par", reader(".par"), ".par"),
        _target("yaml", reader(".yaml"), ".yaml"),
        _target("mjcf", reader(".xml"), ".xml"),
        _target("sdf", reader(".sdf"), ".sdf"),
        _target("motion", table(".csv"), ".csv"),
        _target("motion_json", table(".json"), ".json"),
        _target("motion_npz", table(".npz"), ".npz"),
        _target("motion_sto", table(".sto"), ".sto"),
        _target("motion_trc", table(".trc"), ".trc"),
        _target("motion_c3d", table(".c3d"), ".c3d"),
        _target("motion_mcap", table(".mcap"), ".mcap"),
        _target("study", study, ".toml"),
        _target("studio", studio),
        _target("command", command),
    ]
    return {t.name: t for t in made if t.seeds}
