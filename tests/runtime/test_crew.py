"""Threads that share batches in compiled code: every piece is done once, whoever does it."""

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime import crew as crews
from dalembert.runtime import stub
from dalembert.runtime.build import compile_program
from dalembert.runtime.crew import Crew, crew
from dalembert.runtime.crew_lines import DESK, LINE, PORTS, module
from dalembert.runtime.form import Form
from runtime.programs import pendulum_chain

STATES = 3000


def kernel(threads, **form):
    return compile_program(pendulum_chain(5), key="chain 5", threads=threads, form=Form(**form))


def given(states=STATES):
    return np.random.default_rng(3).normal(size=(2, states, 5))


@pytest.fixture
def plain(monkeypatch):
    """Kernels without the quick entry: calls go through Python."""
    monkeypatch.setattr("dalembert.runtime.fast.entry", lambda: None)


@pytest.mark.parametrize("threads", [2, 3, 9])
@pytest.mark.parametrize("states", [1, 65, 130, 1001, STATES])
def test_every_state_is_computed_once(threads, states):
    q, qd = given(states)
    alone, shared = kernel(1)(q, qd), kernel(threads)
    for _ in range(5):  # threads that sleep, that wake up, that look for work
        out = np.full_like(alone, np.nan)
        shared(q, qd, out=out)
        assert np.array_equal(out, alone)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("threads", [2, 4])
def test_calls_through_python_share_as_well(threads):
    q, qd = given()
    assert np.array_equal(kernel(threads)(q, qd), kernel(1)(q, qd))


def test_an_input_that_is_not_batched_serves_all_threads():
    q, qd = given()
    shared, alone = kernel(3), kernel(1)
    for _ in range(2):
        assert np.array_equal(shared(q, qd[0]), alone(q, qd[0]))


def test_threads_that_sleep_are_woken():
    q, qd = given()
    shared, alone = kernel(2), kernel(1)(q, qd)
    for pause in (0.0, 0.002, 0.01):
        time.sleep(pause)
        assert np.array_equal(shared(q, qd), alone)


def test_calls_that_come_together_are_all_right():
    q, qd = given()
    shared, alone, wrong = kernel(3), kernel(1)(q, qd), []

    def call():
        for _ in range(50):
            if not np.array_equal(shared(q, qd), alone):
                wrong.append(1)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert not wrong


def test_threads_end_and_the_caller_goes_on():
    own = Crew(3)
    own.begin()
    assert len(own) == 2 and all(t.is_alive() for t in own.threads)
    own.end()
    assert not any(t.is_alive() for t in own.threads)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no threads on cores here")
def test_a_core_that_was_taken_away_stops_nobody(monkeypatch):
    def refuse(*_):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(crews, "_crews", {})
    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    q, qd = given()
    assert np.array_equal(kernel([min(os.sched_getaffinity(0))])(q, qd), kernel(1)(q, qd))


def test_the_code_of_a_crew_is_made_once(plain, monkeypatch):
    monkeypatch.setattr(crews, "_crews", {})
    crews.code.cache_clear()
    made = []
    monkeypatch.setattr(crews, "_code", lambda own=crews._code: made.append(1) or own())
    q, qd = given()
    assert np.array_equal(kernel(5)(q, qd), kernel(1)(q, qd)) and made == [1]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no threads on cores here")
def test_a_call_after_the_end_works_alone(monkeypatch):
    monkeypatch.setattr(crews, "_crews", {})
    q, qd = given()
    team = [min(os.sched_getaffinity(0))]
    shared, alone = kernel(team), kernel(1)(q, qd)
    assert np.array_equal(shared(q, qd), alone)
    crew(tuple(team)).end()
    assert np.array_equal(shared(q, qd), alone)


def test_without_more_threads_the_caller_works_alone(monkeypatch):
    q, qd = given()

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(crews, "_crews", {})
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert np.array_equal(kernel(5)(q, qd), kernel(1)(q, qd))
    if hasattr(os, "sched_getaffinity"):
        core = min(os.sched_getaffinity(0))
        assert np.array_equal(kernel([core])(q, qd), kernel(1)(q, qd))


@pytest.mark.parametrize("team", [3, (0,)])
def test_threads_without_memory_leave_their_work_to_the_caller(team, plain, monkeypatch):
    class Library:
        malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda place: None)

    own = crews._Code(Library)
    monkeypatch.setattr(crews, "code", lambda: own)
    monkeypatch.setattr(crews, "_crews", {})
    q, qd = given()
    team = team if isinstance(team, int) else tuple(sorted(os.sched_getaffinity(0))[:1])
    assert np.array_equal(kernel(team)(q, qd), kernel(1)(q, qd))
    crew(team).end()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_begins_threads_of_its_own():
    script = """
import os, sys, numpy as np
import dalembert as da
m = da.robots.planar2r().with_values(**dict.fromkeys(da.robots.planar2r().open_parameters, 1.0))
q = np.random.default_rng(0).normal(size=(5000, 2))
k = da.compile(m, "mass_matrix", threads=2)
alone = da.compile(m, "mass_matrix")(q)
for _ in range(3):
    assert np.array_equal(k(q), alone)
child = os.fork()
assert np.array_equal(k(q), alone) and np.array_equal(k(q), alone)
if child == 0:
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1])
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


def test_the_words_of_a_desk_fit_its_head():
    assert 8 * len(DESK) <= LINE and stub.PORTS <= PORTS
    assert 'asm sideeffect "yield"' in module("aarch64-linux")
    assert "asm sideeffect" in module("riscv64-linux")


def test_the_public_call_gives_the_same_bits():
    m = da.robots.puma560()
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 777, 6))
    one, two = (da.compile(m, "inverse_dynamics", threads=n) for n in (1, 2))
    for _ in range(3):
        assert np.array_equal(one(q, qd, qdd), two(q, qd, qdd))
