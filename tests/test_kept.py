"""What is made once is kept, and the least used is forgotten."""

import os
import signal
import sys
from importlib import import_module

import pytest

import dalembert as da
from dalembert.expr import function
from dalembert.kept import Kept


def test_the_least_recently_used_is_forgotten():
    made = []
    kept = Kept(2)
    for key in (1, 2, 1, 3, 1, 2):
        assert kept.get(key, lambda key=key: made.append(key) or key) == key
    assert made == [1, 2, 3, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_does_not_wait_for_a_thread_that_it_has_not():
    kept = Kept(2)
    with kept._lock:  # as if held by another thread
        child = os.fork()
        if not child:
            signal.alarm(10)
            os._exit(kept.get(1, lambda: 7))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


CACHES = [
    ("dalembert.plan.assembly", "_TRACED"),
    ("dalembert.plan.loops", "_PLANS"),
    ("dalembert.compute.kernels", "_KERNELS"),
    ("dalembert.simulate.kernels", "_KERNELS"),
]


def test_a_simulation_of_loops_starts_with_four_traces(monkeypatch, tmp_path):
    """One of the closure; the others are kernels, each made once."""
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))  # what was compiled before is not known
    for module, name in CACHES:
        monkeypatch.setattr(import_module(module), name, Kept(8))
    traced = []

    def counted(*given, **options):
        traced.append(options.get("name", "closure"))
        return function_trace(*given, **options)

    function_trace = function.trace
    for name, module in list(sys.modules.items()):
        if name.startswith("dalembert") and getattr(module, "trace", None) is function_trace:
            monkeypatch.setattr(module, "trace", counted)
    da.simulate(da.robots.fourbar(), t=0.01)
    assert traced.count("closure") == 1 and len(traced) <= 4, traced
