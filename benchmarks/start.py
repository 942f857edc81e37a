"""How long a command takes from nothing to its answer, in processor time.

`python -m benchmarks start`; byte code and kernels are cached, the least of many processes counts.
What Python and its packages take alone stands beside. The first simulation of a Stewart platform
finds no kernels: of that the clock counts, the least and the middle of some processes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median
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

FIRST = "import dalembert as da; da.simulate(da.robots.stewart(), t=[0.0, 0.1])"


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
        first = sorted(_first(env) for _ in range(2 if quick else 7))
    for name, seconds in least.items():
        yield f"| `{name}` | {seconds:.3f} |"
    yield "\nFirst `simulate` of a Stewart platform, no kernels kept, by the clock: "
    yield f"{first[0]:.2f} s at least, {median(first):.2f} s in the middle."


def _first(env: dict[str, str]) -> float:
    """Return the seconds of a process that simulates and finds no kernels."""
    with TemporaryDirectory() as kernels:
        begin = time.perf_counter()
        own = env | {"DALEMBERT_CACHE": kernels}
        subprocess.run([sys.executable, "-c", FIRST], env=own, check=True)
        return time.perf_counter() - begin


def _seconds(command: list[str], env: dict[str, str]) -> float:
    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = spent()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    return spent() - before
