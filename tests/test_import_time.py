"""`import dalembert` and `dalembert --help` stay light."""

import re
import subprocess
import sys

HEAVY = {"numpy", "llvmlite", "flint", "scipy", "sympy", "mujoco", "matplotlib", "rich"}
LIMIT = 60_000  # microseconds
MODULES = 105  # of ours that a call from the cache of kernels may import (101 do)


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


def ours(code: str) -> set[str]:
    return {name for name in import_times(code) if name.startswith("dalembert.")}


def test_the_catalog_imports_no_algorithm():
    found = ours("import dalembert.catalog")
    assert not {n for n in found if n.startswith(("dalembert.algorithms.", "dalembert.plan"))}


def test_a_kernel_from_the_cache_is_had_without_tracing():
    run = "import dalembert as da; da.inverse_dynamics(da.robots.ur5(), *[[0.0] * 6] * 3)"
    ours(run)  # fills the cache
    found = ours(run)
    assert not {n for n in found if n.startswith(("dalembert.algorithms.", "dalembert.plan"))}
    assert not found & {"dalembert.compute.trace", "dalembert.reframe", "dalembert.runtime.module"}
    assert len(found) <= MODULES


def test_rubbish_is_left_alone_by_a_process_that_ends_with_its_command():
    start = "import gc, sys; sys.argv = ['dalembert', '--version']; from dalembert.cli import main;"
    ends = "print(main(%s), gc.isenabled(), gc.get_freeze_count() > 0, gc.get_threshold()[0])"
    found = [
        subprocess.run([sys.executable, "-c", start + ends % given], capture_output=True, text=True)
        for given in ("", "['--version']")
    ]
    assert [run.stdout.split()[-4:] for run in found] == [
        ["0", "False", "True", "100000"],
        ["0", "True", "False", "700"],
    ]


def test_every_algorithm_that_the_catalog_names_is_there():
    from importlib import import_module

    import dalembert.catalog  # noqa: F401
    from dalembert.catalog.later import NAMED

    assert len(NAMED) > 60
    assert all(callable(getattr(import_module(module), name)) for module, name in NAMED)
