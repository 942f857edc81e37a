"""Profiles, fixtures and the last line shared by all tests."""

import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

import peers

# hundreds of files are imported by every worker and by every process that a test starts: they are
# compiled once, also where the shell says that Python keeps no bytecode
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SLACK = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=SLACK)
settings.register_profile("all", max_examples=1000, deadline=None, suppress_health_check=SLACK)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_configure(config: pytest.Config) -> None:
    """Make code quickly where only fast tests run: it was two fifths of their time.

    Tests that use the fixture `made_well`, and all of `make test-all`, get it as users do.
    """
    if config.option.markexpr == "not slow":
        os.environ.setdefault("DALEMBERT_JIT", "quick")


@pytest.fixture(scope="module")
def made_well() -> Iterator[None]:
    """Code is generated well rather than quickly, also in processes that a test starts."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("DALEMBERT_JIT") == "quick":
            patch.delenv("DALEMBERT_JIT")
        _forget()
        yield
    _forget()


def _forget() -> None:
    """Kernels that this process keeps are made again when they are asked for."""
    for name in ("compute", "simulate"):
        import_module(f"dalembert.{name}.kernels")._KERNELS.clear()


@pytest.fixture(scope="session")
def oracles_dir() -> Path:
    """The directory of reference files."""
    if not peers.oracle_files():
        peers.absent("the directory of reference files")
    return peers.ORACLES


@pytest.fixture(scope="session")
def peer() -> Callable[[str], ModuleType]:
    """peer("pin") or peer("mujoco"): an independent engine."""
    return peers.peer


# the last line: passed, skipped and slow-not-run, also when the tests run in several processes
NOT_RUN = pytest.StashKey[int]()


def pytest_deselected(items: list[pytest.Item]) -> None:
    if items:
        config = items[0].config
        config.stash[NOT_RUN] = config.stash.get(NOT_RUN, 0) + len(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["not_run"] = session.config.stash.get(NOT_RUN, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    # every worker deselects the same tests
    output = getattr(node, "workeroutput", {})
    node.config.stash[NOT_RUN] = max(node.config.stash.get(NOT_RUN, 0), output.get("not_run", 0))


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    counts = {kind: len(terminalreporter.getreports(kind)) for kind in ("passed", "skipped")}
    terminalreporter.write_line(
        f"passed {counts['passed']}, skipped {counts['skipped']}, "
        f"not selected {config.stash.get(NOT_RUN, 0)}"
    )
