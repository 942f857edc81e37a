"""Faults put into the code one by one: do the fast tests notice?

    python tools/mutate.py --sample 60 [--seed 0] [--again] [FILE or FOLDER...]

Without files: as many in each of algorithms/, equations/, plan/ and runtime/. Each fault is one
change (`tools/faults.py`), and has a name that stays when other lines change, so that a seed goes
on choosing the same faults. Those of which `tools/explained.toml` says why no result depends on
them are counted apart and not tried. For each of the others the quickest fast tests that reach its
line (`tools/reach.py` makes that map first), and other parameters of the same functions, are run
until one fails or takes ten times as long; a fault that no test of the map reaches has survived.
Tests are read once, in a copy of the checkout in a temporary folder; each fault is put into a fork
of that process and into the file of the copy, for tests that start Python. Every answer is added
to a log, from which a run that was stopped goes on; `--again` tries survivors once more, after
tests were added and `tools/reach.py TESTS` has seen them.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib.util
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from types import CodeType, FunctionType

import faults
import pytest
from reach import FOLDER, LAYERS, ROOT, SOURCE, Reach, digest

TESTS, SECONDS = 80, 8.0  # what a fault may cost: tests, and processor seconds without the fault
EVERY = range(10**6)  # lines
# files that only run beside another library: left out where it is not installed
BESIDE = {"runtime/as_torch.py": "torch", "runtime/as_jax.py": "jax"}
KILLED = ("failed", "long")
PYTEST = ["-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
Fault = tuple[str, int]  # a file of the package, and the number of the fault in it
Choice = dict[Fault, dict[str, float]]  # for each fault its tests, with their processor seconds


def choose(reach: Reach, file: str, spot: faults.Spot) -> dict[str, float]:
    """Return the tests for a fault: those named like its file first, then the quickest."""
    words = {*Path(file).parent.parts, *Path(file).stem.split("_")}
    text = (SOURCE / file).read_text()
    first = reach.tests(file, text, spot.lines if spot.inside else EVERY)
    near = [file]  # what is kept after its first use is reached by one test of the map alone
    if not spot.inside:  # read once, used by others
        near += [f.relative_to(SOURCE).as_posix() for f in (SOURCE / file).parent.glob("*.py")]
    more = {t for name in near for t in reach.tests(name, "", EVERY)} if first else set()
    mirrors = {f"test_{Path(file).stem}.py", f"test_{Path(file).parent.name}.py"}  # also of tables
    more |= {t for t in reach.seconds if Path(t.partition("::")[0]).name in mirrors}

    def rank(test: str) -> tuple[int, float]:
        path = Path(test.partition("::")[0])
        return -len(words & {*path.stem.split("_"), *path.parts}), reach.seconds[test]

    taken: dict[str, float] = {}
    for test in [*sorted(first, key=rank), *sorted(more - {*first}, key=rank)]:
        cost = sum(taken.values()) + reach.seconds[test]
        if len(taken) < TESTS and (not taken or cost <= SECONDS):
            taken[test] = reach.seconds[test]
    return taken


def _codes(code: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    """Return the code of every function of a file, by its name and line."""
    found: dict[tuple[str, int], list[CodeType]] = {}
    todo = [code]
    while todo:
        code = todo.pop()
        found.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
        todo += [c for c in code.co_consts if isinstance(c, CodeType)]
    return found


def replaced(file: Path, wrong: ast.Module) -> bool:
    """Give the functions of a loaded file their wrong code; return whether all could be given."""
    codes = _codes(compile(wrong, str(file), "exec"))
    live = [f for f in gc.get_objects() if isinstance(f, FunctionType)]
    mine = [f for f in live if f.__code__.co_filename == str(file)]
    for function in mine:
        old = function.__code__
        found = codes.get((old.co_qualname, old.co_firstlineno), [])
        if len(found) != 1 or len(found[0].co_freevars) != len(old.co_freevars):
            return False  # two lambdas on one line, or a name that is no longer used
        function.__code__ = found[0]
    return bool(mine)


def _with_others(chosen: dict[str, float], there: list[str]) -> dict[str, float]:
    """Return the chosen tests, then other parameters of the same functions, as long as those."""
    found = {t: x for t, x in chosen.items() if t in there}
    by_name = {t.partition("[")[0]: x for t, x in reversed(found.items())}
    left = SECONDS
    for test in there:
        usual = by_name.get(test.partition("[")[0])
        if usual is not None and test not in found and usual <= left:
            left -= usual
            found[test] = usual
    return found


class Campaign:
    """A plugin of pytest that runs faults instead of tests."""

    def __init__(self, copy: Path, choice: Choice, log: Path, end: float) -> None:
        self.copy, self.choice, self.log, self.end = copy, choice, log, end
        self.first = copy / "first"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.first.write_text(report.nodeid)
            os._exit(1)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            print(f"cannot be read: {report.nodeid}\n{report.longrepr}", file=sys.stderr)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        with self.log.open("a") as notes:
            for file, which in self.choice:
                if time.monotonic() < self.end:
                    notes.write(json.dumps(self.tried(items, file, which)) + "\n")
                    notes.flush()
        return True

    def tried(self, items: dict[str, pytest.Item], file: str, which: int) -> dict[str, object]:
        """Put one fault in, run its tests and take it out; return what to log."""
        text = (SOURCE / file).read_text()
        spot, name = (of(ast.parse(text))[which] for of in (faults.spots, faults.names))
        wrong, what = faults.broken(text, which)
        tests = _with_others(self.choice[file, which], list(items))
        self.first.write_text("")
        line, start, word = getattr(spot.node, "lineno", 0), time.monotonic(), "unreached"
        if tests:
            usual = sum(tests.values())
            place = self.copy / "src" / "dalembert" / file
            child = os.fork()
            if not child:
                try:
                    self._inside([items[t] for t in tests], place, wrong, spot.inside, usual)
                finally:
                    os._exit(3)
            word = _ended(child, 120 + 60 * usual)
            if word == "no tests" and self.first.read_text():
                word = "failed"  # what the tests import could not be read with the fault
            _write(place, text)
        return {
            "file": file, "mark": digest(text), "name": name, "line": line, "what": what,
            "end": word, "by": self.first.read_text(), "tests": len(tests),
            "seconds": round(time.monotonic() - start, 1),
        }  # fmt: skip

    def _inside(
        self, items: list[pytest.Item], place: Path, wrong: ast.Module, inside: bool, usual: float
    ) -> None:
        """Run tests with a fault in a fork, which ends with 0 where all of them pass."""
        limit = int(10 + 10 * usual)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (12 * 2**30, 12 * 2**30))
        out = os.open(self.copy / "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        shutil.rmtree(self.copy / "kernels", ignore_errors=True)
        (self.copy / "kernels").mkdir(mode=0o700)
        done = inside and replaced(place, wrong)
        _write(place, ast.unparse(wrong))
        if not done:  # what is made when a file is read: read everything anew
            for name, module in list(sys.modules.items()):
                if str(getattr(module, "__file__", "")).startswith(str(self.copy)):
                    del sys.modules[name]
            told = [str(i.nodeid) for i in items]
            os._exit(int(pytest.main([*PYTEST, "-x", *told], [_Told(self.first)])))
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        os._exit(0)


class _Told(Campaign):
    """Notes the first test that fails or cannot be read."""

    def __init__(self, first: Path) -> None:
        self.first = first

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:  # type: ignore[override]
        return None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.first.write_text(f"{report.nodeid} cannot be read")


def _ended(child: int, seconds: float) -> str:
    """Wait for a process; return how its tests ended."""
    end = time.monotonic() + seconds  # by the clock: it waits for ever
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid and os.WIFSIGNALED(status):
            return "long" if os.WTERMSIG(status) == signal.SIGXCPU else "failed"
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return {0: "passed", 4: "no tests", 5: "no tests"}.get(code, "failed")
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "long"


def _write(target: Path, text: str) -> None:
    """Write a source so that no compiled form of another text is taken for it."""
    target.write_text(text)
    for old in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        old.unlink()


def copied(folder: Path) -> Path:
    """Return a copy of the checkout with its compiled files, and work there from now on."""
    copy = folder / "checkout"
    leave = shutil.ignore_patterns(".git", ".venv", "build", "node_modules", ".*_cache", "dist")
    shutil.copytree(ROOT, copy, ignore=leave, symlinks=True)
    paths = [str(copy / "src"), str(copy / "tests")]
    sys.path[:] = [*paths, *(p for p in sys.path if not p.startswith(str(ROOT)))]
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "DALEMBERT_CACHE": str(copy / "kernels")}
    os.environ.setdefault("DALEMBERT_ORACLES", str(ROOT.parent / "shared" / "oracles"))
    os.chdir(copy)
    return copy


def samples(asked: list[str], count: int, seed: int) -> dict[str, tuple[dict[Fault, str], int]]:
    """Return the faults of a sample and their names by layer, and how many there are in all."""
    layers: dict[str, list[tuple[str, Fault, str]]] = {}
    for place in [Path(f).resolve() for f in asked] or [SOURCE / layer for layer in LAYERS]:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            file = path.relative_to(SOURCE).as_posix()
            if file in BESIDE and importlib.util.find_spec(BESIDE[file]) is None:
                continue
            every = layers.setdefault(file.partition("/")[0], [])
            for k, name in enumerate(faults.names(ast.parse(path.read_text()))):
                every.append((digest(f"{seed} {file} {name}"), (file, k), name))
    return {
        layer: ({fault: name for _, fault, name in sorted(every)[:count]}, len(every))
        for layer, every in layers.items()
    }


def explained() -> dict[tuple[str, str], str]:
    """Return why the faults that no result depends on do not matter, by file and name."""
    told = tomllib.loads((ROOT / "tools" / "explained.toml").read_text())
    found = {(file, name): why for file, rows in told.items() for name, why in rows.items()}
    for file, rows in told.items():
        path = SOURCE / file
        there = faults.names(ast.parse(path.read_text())) if path.exists() else []
        for name in rows.keys() - {*there}:
            print(f"no longer there, remove it from explained.toml: {file} {name}")
    return found


def known(log: Path) -> dict[tuple[str, str, str], dict]:
    """Return the last answer for each fault of a log."""
    notes = [json.loads(t) for t in log.read_text().splitlines()] if log.exists() else []
    return {(n["file"], n["mark"], n["name"]): n for n in notes}


def run(todo: list[Fault], folder: Path, minutes: float) -> None:
    """Try faults, and add the answers to the log."""
    end, reach = time.monotonic() + 60 * minutes, Reach(folder)
    if not reach.seconds:
        sys.exit("there is no map of the tests: run tools/reach.py first")
    spots = {f: faults.spots(ast.parse((SOURCE / f).read_text())) for f, _ in todo}
    choice = {(file, k): choose(reach, file, spots[file][k]) for file, k in todo}
    tests = sorted({test.partition("[")[0] for tests in choice.values() for test in tests})
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    with tempfile.TemporaryDirectory(prefix="dalembert-mutate-") as place:
        copy = copied(Path(place))
        pytest.main([*PYTEST, *tests], [Campaign(copy, choice, folder / "log.jsonl", end)])
    os._exit(0)


def main() -> int:
    """Put faults in, count those noticed by layer; exit 1 where fewer than wanted are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--sample", type=int, default=60, help="faults in each layer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--want", type=float, default=0.0, help="share that must be noticed")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop then, to go on later")
    parser.add_argument("--again", action="store_true", help="try survivors of the log once more")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the map and the log")
    asked = parser.parse_args()
    log, short = asked.folder.resolve() / "log.jsonl", False
    chosen, reasons = samples(asked.files, asked.sample, asked.seed), explained()
    marks = {f: digest((SOURCE / f).read_text()) for c, _ in chosen.values() for f, _ in c}
    before, todo = known(log), []
    for (file, which), name in [pair for c, _ in chosen.values() for pair in c.items()]:
        note = before.get((file, marks[file], name))
        new = note is None or (asked.again and note["end"] not in KILLED)
        if new and (file, name) not in reasons:
            todo.append((file, which))
    if todo:
        run(todo, log.parent, asked.minutes)
    after = known(log)
    for layer, (picked, count) in chosen.items():
        harmless = [f for f, name in picked.items() if (f[0], name) in reasons]
        notes = [after.get((f[0], marks[f[0]], picked[f])) for f in picked if f not in harmless]
        told = [n for n in notes if n is not None]
        killed = sum(n["end"] in KILLED for n in told)
        for n in told:
            if n["end"] not in KILLED:
                print(f"SURVIVED {n['file']}:{n['line']} {n['what']} ({n['end']}, {n['tests']} "
                      f"tests)\n    {n['name']}")  # fmt: skip
        print(f"{layer}: seed {asked.seed}, {killed} of {len(told)} faults noticed "
              f"({killed / max(1, len(told)):.0%}), {len(harmless)} explained, "
              f"{len(picked) - len(told) - len(harmless)} not tried, {count} in all")  # fmt: skip
        short |= killed < asked.want * len(told)
    return int(short)


if __name__ == "__main__":
    sys.exit(main())
