"""Ctrl-C ends a study and its workers at once, and what is finished can be resumed."""

import os
import signal
import struct
import subprocess
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest

from dalembert.sweep import run
from peers import SOURCE

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
STUDY = """
model = "arm.toml"
measure = ["peak"]
[parameters]
L = [0.3, 0.6]
[task]
joint_moves = [{ from = [0, 0], to = [1, 0.5], time = 0.8 }]
samples = 200
[plan]
kind = "sobol"
samples = 2000000
"""
ARM = """
format = "dalembert/1"
parameters = { L = 0.5 }
phrase = "RZ(), TXK(L), RZ(), TXK(0.4); body 1: M = 3*L, D = (L/2, 0, 0); body 2: M = 1;"
"""


@pytest.fixture
def study(tmp_path):
    """A study that runs on two workers, the first chunk of which is written."""
    (tmp_path / "arm.toml").write_text(ARM)
    (tmp_path / "study.toml").write_text(STUDY)
    command = [sys.executable, "-m", "dalembert", "sweep", "study.toml", "--out", "out"]
    started = subprocess.Popen(
        [*command, "--workers", "2"], cwd=tmp_path, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 90
    while not list((tmp_path / "out").glob("*.parquet")) and time.monotonic() < until:
        assert started.poll() is None
        time.sleep(0.02)
    yield started
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGKILL)
    started.communicate()


class Worker:
    ended = 0

    def terminate(self):
        self.ended += 1
        signal.raise_signal(signal.SIGINT)  # a second Ctrl-C, at the worst moment

    def join(self, seconds):
        assert self.ended and seconds > 0


def test_a_second_ctrl_c_leaves_no_worker_behind():
    workers, shut = [Worker(), Worker(), Worker()], []
    pool = SimpleNamespace(
        _processes=dict(enumerate(workers)),
        _result_queue=None,
        shutdown=lambda **how: shut.append(how),
    )
    usual = signal.getsignal(signal.SIGINT)
    run._end(pool)
    assert [w.ended for w in workers] == [1, 1, 1] and len(shut) == 1
    assert signal.getsignal(signal.SIGINT) is usual


POOLS = []  # a fork knows them


def sent_in_parts():
    """Begin to send a result of eight bytes, and stop."""
    os.write(POOLS[-1]._result_queue._writer.fileno(), struct.pack("!i", 8) + b"half")
    time.sleep(60)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_worker_that_ends_while_it_sends_is_not_waited_for():
    POOLS.append(pool := ProcessPoolExecutor(1, get_context("fork")))
    pool.submit(sent_in_parts)
    manager, until = pool._executor_manager_thread, time.monotonic() + 30

    def reads():
        frame = sys._current_frames()[manager.ident]
        return "_recv" in [x.name for x in traceback.extract_stack(frame)]

    while not reads() and time.monotonic() < until:
        time.sleep(0.02)
    run._end(pool)
    manager.join(30)
    assert not manager.is_alive()


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_the_study_and_all_its_workers(study, times, tmp_path):
    for _ in range(times):  # a terminal sends it to every process of the group
        os.killpg(study.pid, signal.SIGINT)
    assert study.wait(60) == 130
    assert "error: interrupted" in study.stderr.read()
    with pytest.raises(ProcessLookupError):  # nobody of the group is left
        for _ in range(100):
            os.killpg(study.pid, 0)
            time.sleep(0.1)
    assert list((tmp_path / "out").glob("*.parquet"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_a_worker_leaves_ctrl_c_to_the_study(study, tmp_path):
    children = Path(f"/proc/{study.pid}/task/{study.pid}/children").read_text().split()
    before = len(list((tmp_path / "out").glob("*.parquet")))
    for worker in children:
        os.kill(int(worker), signal.SIGINT)
    until = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("*.parquet"))) < before + 5:
        assert study.poll() is None, "the study ended"
        assert time.monotonic() < until
        time.sleep(0.02)
    assert set(children) <= set(
        Path(f"/proc/{study.pid}/task/{study.pid}/children").read_text().split()
    )
