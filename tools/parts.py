"""The named parts of `make test-all`: every test file is in one of them.

python tools/parts.py           # the names, and how many files each has
python tools/parts.py corpus    # the files of a part; a folder of tests/ is a part too
python tools/parts.py --run [names]   # runs the slow tests of parts, all without names: a table

A run leaves build/parts/NAME.log and a row in build/parts/table.json, so it can be done in pieces.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TESTS, BUILD = ROOT / "tests", ROOT / "build" / "parts"
COUNTS = ("passed", "failed", "skipped", "error")

# patterns under tests/; what none of them names is the part `rest`
PARTS: dict[str, tuple[str, ...]] = {
    "corpus": ("test_corpus.py", "read/test_second_reading.py"),
    "soak": ("test_soak.py",),
    "fuzz": ("test_fuzz.py", "test_hostile.py", "test_every_door.py"),
    "verdict": ("test_verdict.py", "test_referee.py"),
    "names": ("emit/test_hostile_names.py",),
    "languages": ("emit/test_languages.py", "emit/test_c.py", "emit/test_sizes.py"),
    "emit": ("emit/test_*.py",),
    "round-trips": ("equations/test_round_trips.py", "equations/test_model.py"),
    "equations": ("equations/*.py",),
    "bases": ("identify/test_closed_base.py",),
    "measured": ("identify/*.py", "measure/*.py"),
    "faults": ("runtime/*.py", "test_processes.py", "test_extremes.py"),
    "everywhere": ("test_everywhere.py", "test_install.py", "test_site.py", "test_stub.py"),
    "algorithms": ("algorithms/*.py",),
    "simulate": ("test_simulate*.py", "test_control*.py", "test_follow.py"),
    "agree": ("test_agree*.py", "test_rolling*.py", "test_graph.py"),
    "read": ("read/*.py",),
    "uses": ("cli/*.py", "studio/*.py", "sweep/*.py", "view/*.py", "test_examples.py"),
}


def parts() -> dict[str, list[str]]:
    """Return the files of each part; a file belongs to the first part that names it."""
    left = {p.relative_to(TESTS).as_posix() for p in TESTS.rglob("test_*.py")}
    found: dict[str, list[str]] = {}
    for name, patterns in PARTS.items():
        own = {p.relative_to(TESTS).as_posix() for x in patterns for p in TESTS.glob(x)} & left
        found[name], left = sorted(own), left - own
    return found | {"rest": sorted(left)}


def counted(line: str) -> dict[str, int]:
    """Return the counts of the last line that pytest prints."""
    found = {word: int(n) for n, word in re.findall(r"(\d+) (\w+?)s?\b", line)}
    return {word: found.get(word, 0) for word in COUNTS}


def run(name: str, files: list[str]) -> dict[str, Any]:
    """Return the row of a part whose slow tests were run: counts, seconds, commit."""
    commit = ["git", "rev-parse", "--short", "HEAD"]
    told = subprocess.run(commit, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-m", "slow", "--durations=20"]
    began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(BUILD / f"{name}.log", "w") as log:
        subprocess.run(
            [*command, *(f"tests/{x}" for x in files)], cwd=ROOT, stdout=log, stderr=log,
            env={"HYPOTHESIS_PROFILE": "all", **os.environ},
        )  # fmt: skip
    wall, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    counts = counted((BUILD / f"{name}.log").read_text().strip().rpartition("\n")[2])
    return {"part": name, **counts, "seconds": round(wall), "processor": round(processor),
            "commit": told}  # fmt: skip


def run_all(names: list[str]) -> int:
    """Run parts one after the other and print all that were run; exit 1 where a test failed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    table, known = BUILD / "table.json", parts()
    rows = json.loads(table.read_text()) if table.exists() else {}
    for name in names or known:
        rows[name] = run(name, known[name])
        table.write_text(json.dumps(rows, indent=1))
    columns = ("part", *COUNTS, "seconds", "processor", "commit")
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for name in (x for x in known if x in rows):
        print("| " + " | ".join(str(rows[name][x]) for x in columns) + " |")
    return int(any(rows[name]["failed"] + rows[name]["error"] for name in names or known))


def main() -> int:
    """Print the parts, or the files of one; exit 2 where there is none of that name."""
    if sys.argv[1:2] == ["--run"]:
        unknown = [x for x in sys.argv[2:] if x not in parts()]
        if unknown:
            print(f"there is no part {unknown[0]}", file=sys.stderr)
        return 2 if unknown else run_all(sys.argv[2:])
    if not sys.argv[1:]:
        for name, files in parts().items():
            print(f"{name:12} {len(files):4} files")
        return 0
    name = sys.argv[1]
    folder = TESTS / name
    files = parts().get(name) or ([name] if name.isidentifier() and folder.is_dir() else [])
    print(" ".join(f"tests/{x}" for x in files))
    return 0 if files else 2


if __name__ == "__main__":
    sys.exit(main())
