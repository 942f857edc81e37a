"""`import dalembert` and `dalembert --help` stay light."""

import re
import subprocess
import sys

HEAVY = {"numpy", "lark", "llvmlite", "flint", "scipy", "sympy", "mujoco", "matplotlib", "rich"}
LIMIT = 60_000  # microseconds


def import_times(code: str) -> dict[str, int]:
    """Return the cumulative import time in microseconds of each module that code imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    rows = re.findall(r"^import time:\s+\d+ \|\s+(\d+) \|\s+(\S+)$", run.stderr, re.MULTILINE)
    return {name: int(time) for time, name in rows}


def heavy(times: dict[str, int]) -> set[str]:
    return {name.partition(".")[0] for name in times} & HEAVY


def test_importing_dalembert_is_light_and_quick():
    runs = [import_times("import dalembert") for _ in range(3)]
    assert not heavy(runs[0])
    assert min(times["dalembert"] for times in runs) < LIMIT


def test_help_imports_nothing_heavy():
    code = "import sys; from dalembert.cli import main; sys.exit(main(['--help']))"
    assert not heavy(import_times(code))
