"""How long a command takes from nothing to its answer, in processor time.

`python -m benchmarks start`; byte code and kernels are cached, the least of many processes counts.
What Python and its packages take alone stands beside.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

EVAL = "import sys; from dalembert.cli import main; sys.exit(main())"  # as installed
CASES = {
    "python": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import llvmlite.binding": ["-c", "import llvmlite.binding"],
    "import dalembert": ["-c", "import dalembert"],
    "dalembert eval robot:ur5 inverse_dynamics": ["-c", EVAL, "eval", "robot:ur5",
                                                  "inverse_dynamics"],
}  # fmt: skip


def lines(quick: bool = False) -> Iterator[str]:
    """Yield the table."""
    yield "\n| process | processor time, s |"
    yield "|---|---|"
    with TemporaryDirectory() as folder:
        env = os.environ | {"PYTHONPYCACHEPREFIX": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        least = dict.fromkeys(CASES, float("inf"))
        for _ in range(3 if quick else 15):
            for name, words in CASES.items():
                least[name] = min(least[name], _seconds([sys.executable, *words], env))
    for name, seconds in least.items():
        yield f"| `{name}` | {seconds:.3f} |"


def _seconds(command: list[str], env: dict[str, str]) -> float:
    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = spent()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    return spent() - before
