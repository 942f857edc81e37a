"""Code that is made beside Python, and code that is made better where it runs long."""

import os
import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime import ahead, cache, kernel, module
from dalembert.runtime.ahead import Ahead
from dalembert.runtime.build import begin_program, compile_program
from runtime.programs import pendulum_chain

Q = np.random.default_rng(8)
T = [0.0, 0.4, 0.9]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Code is made well unless a test says otherwise, and not found in a cache."""
    monkeypatch.delenv("DALEMBERT_JIT", raising=False)
    monkeypatch.setenv("DALEMBERT_CACHE", "off")


def test_work_beside_gives_its_result_or_its_error():
    assert Ahead(lambda: 3).result() == 3
    with pytest.raises(ZeroDivisionError):
        Ahead(lambda: 1 // 0).result()
    assert not ahead._working


def test_without_threads_the_work_is_done_at_once(monkeypatch):
    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert Ahead(lambda: 4).result() == 4 and not ahead._working


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_waits_for_code_that_is_being_made():
    go, done = threading.Event(), []
    begun = Ahead(lambda: done.append(go.wait(30)))
    threading.Timer(0.05, go.set).start()
    child = os.fork()
    if child == 0:
        os._exit(7 if done == [True] and not ahead._working else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    begun.result()


def test_a_kernel_that_was_begun_is_the_kernel():
    made, (q, qd) = pendulum_chain(4), Q.normal(size=(2, 9, 4))
    begun = begin_program(made)
    assert np.array_equal(begun()(q, qd), compile_program(made)(q, qd))


def kernels_of(monkeypatch):
    """Return the list of kernels that simulations ask for from now on."""
    from dalembert.simulate.job import Job

    asked, model = [], Job.model

    def noted(self, *given):
        found = model(self, *given)
        asked.extend(k for k in (found.rhs, found.project) if k is not None)
        return found

    monkeypatch.setattr(Job, "model", noted)
    return asked


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_a_motion_by_quick_code_has_the_same_bits_whenever_better_code_comes(method, monkeypatch):
    m, asked = da.robots.fivebar(), kernels_of(monkeypatch)

    def motion(most, long):
        monkeypatch.setattr(module, "DRIVEN", most)
        monkeypatch.setattr(kernel, "LONG", long)
        from dalembert.simulate.kernels import _KERNELS

        _KERNELS.clear()
        asked.clear()
        found = da.simulate(m, torque=[1.0, -2.0], t=T, method=method, step=1e-2)
        return np.concatenate([found.q, found.qd], axis=-1)

    usual = motion(10**9, 0.0)
    assert all(k.better is None and k.later is None for k in asked)
    quick = motion(0, 1e9)
    assert asked and all(k.better is not None and k.later is None for k in asked)
    turned = motion(0, 0.0)
    first = [k.code.engine for k in asked]
    assert all(k.better is None and k.wait(60) for k in asked)
    assert np.array_equal(quick, usual) and np.array_equal(turned, usual)
    again = da.simulate(m, torque=[1.0, -2.0], t=T, method=method, step=1e-2)
    assert np.array_equal(again.q, usual[:, : m.nq])
    assert len(first) == 2 and all(k.code.engine is k.code._before[-1] for k in asked)
    assert all(len(k.code._before) == 2 for k in asked)


def test_a_driver_takes_the_better_code_while_it_runs(monkeypatch, tmp_path):
    from dalembert.runtime.fixed import RECORD
    from dalembert.runtime.task import Task

    tmp_path.chmod(0o700)
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "DRIVEN", 0)
    k, task = compile_program(pendulum_chain(4), key="driven", driven=True), Task(RECORD)
    task.kernel("rhs", k, "batch")
    first = int(task["rhs"])
    task.ran(kernel.LONG / 2)
    assert k.later is None and int(task["rhs"]) == first
    task.ran(kernel.LONG)
    assert k.wait(60)
    task.ran(0.0)
    assert int(task["rhs"]) == k.code.batch_address != first
    assert cache.parts(*cache.read("driven"))[1] == b""  # the next process has it from the start
