"""Where the tests find reference numbers and independent engines."""

import ast
import importlib
import importlib.util
import os
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "dalembert"
# numbers to agree with stand beside the checkout, not in it
ORACLES = Path(os.environ.get("DALEMBERT_ORACLES") or ROOT.parent / "shared" / "oracles")
PEERDATA = ORACLES.parent / "peerdata"


@cache
def sources() -> dict[str, tuple[str, ast.Module]]:
    """Return every file of the package by its path: its text, and the tree of it."""
    files = sorted(SOURCE.rglob("*.py"))
    texts = {f.relative_to(SOURCE).as_posix(): f.read_text(encoding="utf-8") for f in files}
    return {name: (text, ast.parse(text)) for name, text in texts.items()}


def absent(what: str) -> NoReturn:
    """Skip the test for lack of files or of a tool chain, which nothing here can install."""
    pytest.skip(f"{what} is not here")


def missing(package: str) -> NoReturn:
    """Skip the test for lack of a package, or fail it where all of them must be there."""
    if os.environ.get("DALEMBERT_REQUIRE_PEERS"):
        pytest.fail(f"{package} is not here and DALEMBERT_REQUIRE_PEERS is set", pytrace=False)
    pytest.skip(f"{package} is not here")


def peer(name: str) -> ModuleType:
    """Return an independent engine, `pin` for Pinocchio or `mujoco`."""
    try:
        return importlib.import_module({"pin": "pinocchio"}.get(name, name))
    except ImportError:
        missing(name)


def eigen() -> Path | None:
    """Return where the headers of Eigen are: of the system, else those that CasADi brings."""
    places = [Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3")]
    found = importlib.util.find_spec("casadi")
    if found is not None and found.origin:
        places.append(Path(found.origin).parent / "include" / "eigen3")
    return next((p for p in places if (p / "Eigen" / "Core").exists()), None)


def oracle_files() -> list[Path]:
    """Return the reference files in order of name; none where there are none."""
    return sorted(ORACLES.glob("*.json"))
