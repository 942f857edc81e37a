"""Fuzzing of every reader and command: seconds here, a minute each in test-all, hours in a soak."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import targets
from fuzz.mutate import mutated

NAMES = sorted(targets.targets())
RUN = str(Path(targets.__file__).parent / "run.py")

# what was found and mended stays found: target, text
MENDED = [
    ("motion", b"\r2"),
    ("motion", b"t,a\rb\n1,2\n"),
    ("studio", b'\x00{"text":"RZ();","q":{"":1}}'),
    ("studio", b'\x01{"text":"RZ();","kinds":5}'),
]


def run(name, seconds, seed=0):
    limit = str(max(180, 3 * seconds))
    return subprocess.run(
        [sys.executable, RUN, name, "--seconds", str(seconds), "--seed", str(seed)],
        capture_output=True, text=True, timeout=float(limit) + 300,
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_kept_for_every_target(name):
    kept = targets.targets()[name].seeds
    assert kept and all(len(seed) < 20_000 for seed in kept)


@pytest.mark.parametrize(("name", "data"), MENDED)
def test_what_was_found_stays_mended(name, data):
    with pytest.raises(targets.DalembertError):
        targets.targets()[name].run(data)


def test_mutations_are_many_and_repeatable():
    import random

    seeds = targets.targets()["urdf"].seeds
    first, second = ([mutated(seeds[0], seeds, rng) for _ in range(200)]
                     for rng in (random.Random(1), random.Random(1)))  # fmt: skip
    assert first == second and len(set(first)) > 150


def test_the_fuzzer_sees_raw_errors_hangs_and_files(tmp_path):
    """A target that misbehaves is found: the fuzzer itself works."""
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from fuzz import run, targets
def bad(data):
    if b"nan" in data: raise KeyError("x")
    if b"inf" in data: open("/etc/hostname").close()
    if b"9**9" in data:
        while True: pass
targets.targets = lambda: {{"bad": targets.Target("bad", bad, (b"1 2 3 4",), ".txt")}}
tried, found = run.fuzz("bad", 60, most=3)
print(sorted(what.split(":")[0] for what, _ in found), max(len(d) for _, d in found))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert out.stdout.startswith("['KeyError', 'hang', 'reached']"), out.stdout + out.stderr
    assert int(out.stdout.split()[-1]) <= 60  # shrunk


def test_a_kernel_cache_of_the_shell_is_not_touched(tmp_path):
    """Commands that compile would keep their kernels there, which is no finding."""
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from fuzz import run
print(repr(run.Runner("command").wrong(b"eval robot:planar2r gravity --q 0.1,0.2")))
"""
    cache = tmp_path / "kernels"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "DALEMBERT_CACHE": str(cache)},
    )  # fmt: skip
    assert out.stdout.strip() == "''", out.stdout + out.stderr
    assert not cache.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_minute_of_fuzzing_finds_nothing(name):
    seconds = int(os.environ.get("DALEMBERT_FUZZ_SECONDS", "60"))
    done = run(name, seconds)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
