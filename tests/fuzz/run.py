"""Fuzz one target for a while: `python tests/fuzz/run.py urdf --seconds 60 [--engine atheris]`.

Own mutations of the seeds kept beside this file, or atheris (coverage guided) where it is
installed. A finding is shrunk, written to --out and printed; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True  # a module that a text is the first to need is no file it reached

HANG = 1.0  # seconds of processor time for one text
MEMORY = 500 << 20  # bytes above those of the start
FORBIDDEN = ("os.system", "os.exec", "os.fork", "os.posix_spawn", "subprocess.Popen",
             "socket.connect", "socket.bind", "os.remove", "os.rename", "shutil.rmtree",
             "urllib.Request", "pickle.find_class", "os.symlink", "os.mkdir")  # fmt: skip


class Hang(BaseException):
    """A text took too long."""


class Reached(BaseException):
    """Something was opened or run that was not named."""


class Watch:
    """Sees every file opened and program run while a target works."""

    def __init__(self, allowed: tuple[str, ...]):
        self.on, self.allowed, self.seen, self.named = False, allowed, "", b""
        sys.addaudithook(self.hook)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on or self.seen:
            return
        if event in FORBIDDEN:
            self.seen = f"{event}{args!r}"[:300]
        elif event == "open" and isinstance(args[0], (str, bytes)):
            path = os.path.abspath(os.fsdecode(args[0]))
            if not path.startswith(self.allowed) and os.fsencode(path) not in self.named:
                self.seen = f"open {path!r}"[:300]


def resident() -> int:
    """Return the most memory this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Runner:
    """Runs one target on texts and says what is wrong with each."""

    def __init__(self, name: str):
        import numpy

        from fuzz.targets import FOLDER, targets

        warnings.simplefilter("ignore")
        os.environ["DALEMBERT_CACHE"] = "off"  # kernels that are kept are written to a folder
        self.target, self.command = targets()[name], name == "command"
        source = Path(__file__).resolve().parent.parent.parent
        prefixes = {str(FOLDER), sys.prefix, sys.base_prefix, str(source)}
        prefixes |= {str(Path(numpy.__file__).parent.parent), "/proc/", "/sys/", "/dev/null"}
        prefixes |= {"/usr/lib", "/usr/share/zoneinfo", "/etc/mime.types", "/etc/localtime"}
        for seed in self.target.seeds:  # everything is imported before it counts
            self._call(seed)
        self.watch = Watch(tuple(prefixes))
        self.base = resident()
        signal.signal(signal.SIGVTALRM, self._late)

    def _late(self, *_: Any) -> None:
        raise Hang

    def _call(self, data: bytes) -> str:
        from dalembert.errors import DalembertError

        try:
            self.target.run(data)
        except DalembertError:
            return ""
        except Hang:
            return f"hang: more than {HANG} s"
        except (Exception, SystemExit) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            return f"{type(error).__name__}: {error!s:.200} ({where})"
        return ""

    def wrong(self, data: bytes) -> str:
        """Return what is wrong with how a text is handled, or nothing."""
        self.watch.seen, self.watch.on = "", True
        self.watch.named = data if self.command else b""  # a command may name any file
        signal.setitimer(signal.ITIMER_VIRTUAL, HANG)
        try:
            found = self._call(data)
        except Hang:  # it arrived between two lines of ours
            found = f"hang: more than {HANG} s"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.watch.on = False
        if not found and self.watch.seen:
            found = f"reached: {self.watch.seen}"
        if not found and resident() - self.base > MEMORY:
            found = f"memory: {(resident() - self.base) >> 20} MB more than at the start"
            self.base = resident()
        return found

    def shrunk(self, data: bytes, kind: str) -> bytes:
        """Return a shorter text that fails alike, within some seconds."""
        end, step = time.monotonic() + 20, max(1, len(data) // 2)
        while step and time.monotonic() < end:
            at = 0
            while at < len(data) and time.monotonic() < end:
                less = data[:at] + data[at + step :]
                if self.wrong(less).split(":")[0] == kind:
                    data = less
                else:
                    at += step
            step //= 2
        return data


def fuzz(
    name: str, seconds: float, seed: int = 0, most: int = 1
) -> tuple[int, list[tuple[str, bytes]]]:
    """Return how many texts were tried and the findings (what, text), at most so many."""
    from fuzz.mutate import mutated

    runner = Runner(name)
    rng = random.Random(f"{name} {seed}")
    seeds = runner.target.seeds
    end, tried, kinds = time.monotonic() + seconds, 0, set()
    found: list[tuple[str, bytes]] = []
    while time.monotonic() < end and len(found) < most:
        data = mutated(rng.choice(seeds), seeds, rng)
        what = runner.wrong(data)
        tried += 1
        if what:
            where = what.rpartition("(")[2] if what.endswith(")") else what[:40]
            if where not in kinds:
                kinds.add(where)
                found.append((what, runner.shrunk(data, what.split(":")[0])))
    return tried, found


def guided(name: str, seconds: float, folder: str) -> int:
    """Fuzz with atheris; it ends the process itself."""
    import atheris

    with atheris.instrument_imports(include=["dalembert"]):
        from fuzz.targets import targets

        for seed in targets()[name].seeds:  # what a target imports late is followed too
            with contextlib.suppress(Exception, SystemExit):
                targets()[name].run(seed)
    runner = Runner(name)
    count = [0]

    def one(data: bytes) -> None:
        count[0] += 1
        what = runner.wrong(data)
        if what:
            print(f"FOUND {name}: {what}\n{data!r}", flush=True)
            (Path(folder) / f"{name}-{abs(hash(data)):x}").write_bytes(data)
            raise RuntimeError(what)

    corpus = Path(folder) / name
    corpus.mkdir(parents=True, exist_ok=True)
    for k, seed in enumerate(runner.target.seeds):
        (corpus / f"seed{k}").write_bytes(seed)
    atheris.Setup([sys.argv[0], f"-max_total_time={int(seconds)}", "-max_len=20000",
                   f"-artifact_prefix={folder}/{name}-", str(corpus)], one)  # fmt: skip
    atheris.Fuzz()
    return 0


def main() -> int:
    """Fuzz and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=5, help="different findings to stop at")
    parser.add_argument("--engine", choices=("own", "atheris"), default="own")
    parser.add_argument("--out", help="folder for findings")
    asked = parser.parse_args()
    if asked.engine == "atheris":
        return guided(asked.target, asked.seconds, asked.out or "build/fuzz")
    tried, found = fuzz(asked.target, asked.seconds, asked.seed, asked.most)
    print(f"{asked.target}: {tried} tried, {len(found)} found", flush=True)
    for k, (what, data) in enumerate(found):
        print(f"  {what}\n    {data[:400]!r}")
        if asked.out:
            Path(asked.out).mkdir(parents=True, exist_ok=True)
            (Path(asked.out) / f"{asked.target}-{asked.seed}-{k}").write_bytes(data)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
