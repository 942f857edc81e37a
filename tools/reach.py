"""Which fast test reaches which line: a map that `tools/mutate.py` chooses its tests by.

    python tools/reach.py [--folder DIR] [TESTS...]     # made once, minutes; adds to what is there

Of each test function one parameter is run (`--each n`: so many), under coverage with branches, and
its processor time is noted. A test that fails, or takes more than some seconds, is left out. The
map is kept outside the repository: in `dalembert-reach` of the folder for temporary files, unless
`--folder` says where.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import coverage
import coverage.exceptions
import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "dalembert"
LAYERS = ("algorithms", "equations", "plan", "runtime")
FOLDER = Path(tempfile.gettempdir()) / "dalembert-reach"
BROWSER = "tests/view/test_chromium.py"
LONGEST = 10.0  # processor seconds of one test; a longer one is no help in finding faults


def digest(text: str) -> str:
    """Return a short name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Watch:
    """A plugin of pytest: some parameters of each function, each test in its context, timed."""

    def __init__(self, cover: coverage.Coverage, each: int) -> None:
        """Watch with a coverage that has been started."""
        self.cover, self.each = cover, each
        self.seconds: dict[str, float] = {}
        self.bad: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the first parameters of each test that is not slow."""
        kept: dict[str, list[pytest.Item]] = {}
        for item in items:
            same = kept.setdefault(item.nodeid.partition("[")[0], [])
            if not item.get_closest_marker("slow") and len(same) < self.each:
                same.append(item)
        items[:] = [item for same in kept.values() for item in same]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run one test in its own context, as long as it may take."""
        self.cover.switch_context(item.nodeid)
        start = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - start
            self.cover.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Stop a test that takes too long."""
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out what did not pass."""
        if report.outcome != "passed":
            self.bad.add(report.nodeid)


def _stop(_: int, frame: FrameType | None) -> None:
    """Stop a test inside the package, where no lock of others is held; else ask again soon."""
    if frame is not None and frame.f_code.co_filename.startswith(str(SOURCE)):
        pytest.skip("it takes too long to be of use")
    signal.setitimer(signal.ITIMER_PROF, 0.02)


def measure(tests: list[str], folder: Path, each: int) -> None:
    """Run tests and add what they reach to the map."""
    folder.mkdir(parents=True, exist_ok=True)
    name = digest(" ".join(tests))
    cover = coverage.Coverage(
        data_file=str(folder / f"{name}.coverage"), branch=True, config_file=False,
        include=[str(SOURCE / layer / "*") for layer in LAYERS],
    )  # fmt: skip
    signal.signal(signal.SIGPROF, _stop)
    watch = Watch(cover, each)
    cover.erase()
    cover.start()
    pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", *tests], [watch])
    cover.stop()
    cover.save()
    passed = {k: round(t, 3) for k, t in watch.seconds.items() if k not in watch.bad}
    marks = {
        f.relative_to(SOURCE).as_posix(): digest(f.read_text())
        for layer in LAYERS
        for f in (SOURCE / layer).rglob("*.py")
    }
    (folder / f"{name}.json").write_text(json.dumps({"seconds": passed, "marks": marks}))
    print(
        f"{len(passed)} tests in the map, {len(watch.bad)} left out, {sum(passed.values()):.0f} s"
    )


class Reach:
    """The map: tests by the lines that they reach."""

    def __init__(self, folder: Path) -> None:
        """Open what `measure` left in a folder."""
        self.seconds: dict[str, float] = {}
        self.kept: dict[tuple[int, str], dict[int, list[str]]] = {}
        self.parts: list[tuple[coverage.CoverageData, dict[str, str]]] = []
        for note in sorted(folder.glob("*.json"), key=lambda p: p.stat().st_mtime):
            told = json.loads(note.read_text())
            # a browser does not start in a fork: its tests would notice every fault
            own = {t: x for t, x in told["seconds"].items() if BROWSER not in t}
            self.seconds |= own
            data = coverage.CoverageData(str(note.with_suffix(".coverage")))
            data.read()
            self.parts.append((data, told["marks"]))

    def tests(self, file: str, text: str, lines: range) -> list[str]:
        """Return the tests that reach one of the lines of a file; of a changed file, any line."""
        found: dict[str, None] = {}
        for place, (_, marks) in enumerate(self.parts):
            same = marks.get(file) == digest(text)
            for line, contexts in self._lines(place, file).items():
                if line in lines or not same:
                    found |= dict.fromkeys(contexts)
        return [t for t in found if t in self.seconds]

    def _lines(self, place: int, file: str) -> dict[int, list[str]]:
        """Return the tests that reach each line of a file, of one part of the map."""
        if (place, file) not in self.kept:
            data = self.parts[place][0]
            names = [n for n in data.measured_files() if n.endswith(f"/src/dalembert/{file}")]
            found: dict[int, list[str]] = {}
            for name in names:
                found |= data.contexts_by_lineno(name)
            self.kept[place, file] = found
        return self.kept[place, file]


def branches(folder: Path) -> str:
    """Return the share of lines and of branches that the tests of the map reach, by layer."""
    both = coverage.Coverage(data_file=str(folder / "all.coverage"), branch=True, config_file=False)
    both.combine([str(p) for p in folder.glob("????????????.coverage")], keep=True)
    rows = [f"{'layer':<12}{'lines':>9}{'branches':>11}"]
    for layer in LAYERS:
        told = folder / f"{layer}.report"
        try:
            both.json_report(outfile=str(told), include=[str(SOURCE / layer / "*")])
        except coverage.exceptions.NoDataError:
            continue
        sums = json.loads(told.read_text())["totals"]
        told.unlink()
        lines = sums["covered_lines"] / max(1, sums["num_statements"])
        ways = sums["covered_branches"] / max(1, sums["num_branches"])
        rows.append(f"{layer:<12}{lines:>9.1%}{ways:>11.1%}")
    return "\n".join(rows)


def main() -> int:
    """Make the map, or add tests to it, and print what its tests reach."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--each", type=int, default=1, help="parameters of each test function")
    parser.add_argument("--show", action="store_true", help="only print what the map reaches")
    asked = parser.parse_args()
    if asked.show and not [*asked.folder.glob("*.json")]:
        return 1  # there is no map yet
    if not asked.show:
        measure(asked.tests or [str(ROOT / "tests")], asked.folder, asked.each)
    print(branches(asked.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
