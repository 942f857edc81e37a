"""Studies whose workers, clusters and own processes are killed: the same bytes in the end."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dalembert as da
from dalembert.sweep.run import run
from dalembert.sweep.study import study_of

pytest.importorskip("pyarrow")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]
KILLS = int(os.environ.get("DALEMBERT_KILLS", "200"))
ARM = {
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "L2": 0.4},
    "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(L2); body 1: M = 3*L1, D = (L1/2, 0, 0); "
    "body 2: M = 2*L2, D = (L2/2, 0, 0), I = (0, 0, L2^3/6);",
}  # fmt: skip
MOVE = {"joint_moves": [{"from": [0.0, 0.0], "to": [1.0, 0.5], "time": 1.0}], "samples": 200}
CODE = (
    "import sys; from pathlib import Path; from dalembert.sweep.study import Study;"
    "from dalembert.sweep.run import run;"
    "text, out, on = Path(sys.argv[1]).read_text(), Path(sys.argv[2]), sys.argv[3];"
    "run(Study.of_text(text), out, on=on, resume=True, workers=2)"
)


def study():
    ranges = {"L1": (0.3, 0.6), "L2": (0.3, 0.6)}
    return study_of(da.load(ARM), ranges, MOVE, ["peak", "energy"], {"samples": 3000, "chunk": 20})


def files(folder):
    return {f.name: f.read_bytes() for f in sorted(folder.iterdir())}


def start(place, out, on="local"):
    command = [sys.executable, "-c", CODE, str(place / "study.json"), str(out), on]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def children(pid):
    """Return the processes that one started."""
    try:
        own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(x) for x in own]


def whole(folder):
    """Require that no file under a final name is torn, and drop some so that work is left."""
    done = sorted(folder.glob("chunk-*.parquet"))
    assert all(f.read_bytes()[-4:] == b"PAR1" for f in done)
    if len(done) > 100:
        for f in random.sample(done, 60):
            f.unlink()


@pytest.fixture
def place(tmp_path):
    s = study()
    run(s, tmp_path / "whole", workers=1)
    (tmp_path / "study.json").write_text(s.text)
    random.seed(1)
    return tmp_path


def test_local_workers_and_their_parents_are_killed(place):
    out, kills, process = place / "killed", 0, None
    while kills < KILLS // 2:
        if process is None or process.poll() is not None:
            if out.exists():
                whole(out)
            process = start(place, out)
        time.sleep(random.uniform(0.2, 2.5))
        workers = children(process.pid)
        # one time in four the study itself dies
        target = process.pid if not workers or random.random() < 0.25 else random.choice(workers)
        if process.poll() is None:
            os.kill(target, signal.SIGKILL)
            kills += 1
    process.kill()
    process.wait()
    run(study(), out, resume=True, workers=2)
    assert files(out) == files(place / "whole")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """A scheduler and two workers as processes of their own."""

    def __init__(self):
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.parts = [self.part("scheduler", "--host", "127.0.0.1", "--port", str(self.port),
                                "--no-dashboard")]  # fmt: skip
        self.parts += [self.worker(), self.worker()]

    def part(self, *words):
        return subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_" + words[0],
                                 *words[1:]], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)  # fmt: skip

    def worker(self):
        return self.part("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                         "--host", "127.0.0.1")  # fmt: skip

    def kill(self, k):
        self.parts[k].kill()
        self.parts[k].wait()
        if k:
            self.parts[k] = self.worker()

    def close(self):
        for p in self.parts:
            p.kill()
            p.wait()


def test_dask_workers_and_schedulers_are_killed_and_studies_move(place):
    pytest.importorskip("distributed")
    out, kills, cluster, process = place / "killed", 0, Cluster(), None
    try:
        while kills < KILLS - KILLS // 2:
            if process is None or process.poll() is not None:
                if out.exists():
                    whole(out)
                # every third time the study goes on without the cluster
                on = "local" if random.random() < 0.33 else cluster.address.replace("tcp", "dask")
                process = start(place, out, on)
            time.sleep(random.uniform(0.5, 3.0))
            chance = random.random()
            if chance < 0.15:  # the scheduler: its clients end with an error, and go on later
                cluster.close()
                # it waits two minutes for bytes that died with their worker, and then to be closed
                process.kill() if random.random() < 0.5 else process.wait(timeout=400)
                cluster = Cluster()
            elif chance < 0.25:
                process.kill()
            else:
                cluster.kill(random.choice([1, 2]))
            kills += 1
        process.kill()
        process.wait()
        run(study(), out, on=cluster.address.replace("tcp", "dask"), resume=True)
    finally:
        cluster.close()
    assert files(out) == files(place / "whole")
