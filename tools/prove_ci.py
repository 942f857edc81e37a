"""Prove that `.ci/run` fails on a fault of each kind: style, type, number, layer, text, document.

    python tools/prove_ci.py [KIND...]      # a clone for each fault; minutes each

Each fault is put into a fresh clone, and the step of `.ci/run` that must notice it is run there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = ["-m", "pytest", "-q", "-x", "-n", "0", "-m", "not slow", "-p", "no:cacheprovider"]

# what: the file, what stands there, what is put there, the step that must fail
FAULTS: dict[str, tuple[str, str, str, list[str]]] = {
    "style": ("src/dalembert/files.py", "import os\n", "import os\nimport sys\n",
              ["-m", "ruff", "check", "."]),
    "type": ("src/dalembert/files.py", "return Path(path)", 'return "path"',
             ["-m", "mypy", "src"]),
    "layer": ("src/dalembert/files.py", "import secrets\n",
              "import secrets\n\nfrom .cli import main as _main  # noqa: F401\n",
              [*PYTEST, "tests/test_layers.py"]),
    "forbidden call": ("src/dalembert/files.py", "    target = Path(path)\n",
                       "    target = Path(path)\n    eval('1')\n",
                       [*PYTEST, "tests/test_no_eval.py"]),
    "number": ("src/dalembert/algebra.py", "self.y * o.z - self.z * o.y",
               "self.y * o.z + self.z * o.y", [*PYTEST, "tests/test_algebra.py"]),
    "behaviour": ("src/dalembert/files.py", "os.replace(draft, target)", "os.unlink(draft)",
                  [*PYTEST, "tests/test_files.py"]),
    "document": ("docs/kernels.md", ">>> import dalembert as da",
                 ">>> import dalembert as da\n>>> 1\n2",
                 [*PYTEST, "tests/test_examples.py", "-k", "kernels"]),
}  # fmt: skip


def fails(folder: Path, step: list[str]) -> bool:
    """Return whether a step of the check fails in a clone."""
    path = os.pathsep.join([str(folder / "src"), str(folder / "tests")])
    run = subprocess.run(
        [sys.executable, *step], cwd=folder, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True,
    )  # fmt: skip
    return run.returncode != 0


def main() -> int:
    """Put in each fault; exit 1 where the check does not notice one."""
    missed, asked = [], sys.argv[1:] or [*FAULTS]
    for what in asked:
        file, old, new, step = FAULTS[what]
        with tempfile.TemporaryDirectory(prefix="dalembert-ci-") as folder:
            clone = Path(folder) / "clone"
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            target = clone / file
            text = target.read_text()
            if old not in text:
                print(f"{what}: {file} no longer holds {old!r}")
                missed.append(what)
                continue
            target.write_text(text.replace(old, new, 1))
            seen = fails(clone, step)
            print(f"{what}: {'fails, as it must' if seen else 'PASSES'}", flush=True)
            missed += [] if seen else [what]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
