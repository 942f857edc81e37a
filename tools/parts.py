"""The named parts of `make test-all`: every test file is in one of them.

python tools/parts.py           # the names, and how many files each has
python tools/parts.py corpus    # the files of a part; a folder of tests/ is a part too
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"

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


def main() -> int:
    """Print the parts, or the files of one; exit 2 where there is none of that name."""
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
