"""The release checklist: every step is checked, nothing is published.

    python tools/release.py 0.2.0

Prints one line per step, and exits 1 at the first that does not hold.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def output(*command: str) -> str:
    """Return what a command prints; one that fails is an error."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip()[-2000:])
    return done.stdout


def text(name: str) -> str:
    """Return a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def clean(version: str) -> bool:
    """Nothing is uncommitted."""
    return not output("git", "status", "--porcelain")


def named(version: str) -> bool:
    """The version is that of the package, the citation and the changelog."""
    return (
        f'__version__ = "{version}"' in text("src/dalembert/__init__.py")
        and f"version: {version}" in text("CITATION.cff")
        and f"## [{version}]" in text("CHANGELOG.md")
    )


def untagged(version: str) -> bool:
    """The tag is free."""
    return not output("git", "tag", "--list", f"v{version}").strip()


def fresh(version: str) -> bool:
    """The stub is what the catalog says."""
    output(sys.executable, "tools/stub.py", "--check")
    return True


def tested(version: str) -> bool:
    """All tests pass, the slow ones too."""
    output("make", "test-all")
    return True


def built(version: str) -> bool:
    """Wheel and sdist are built, and the wheel works alone."""
    with tempfile.TemporaryDirectory() as place:
        output(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", place, ".")
        (wheel,) = Path(place).glob("*.whl")
        output(sys.executable, "-m", "venv", f"{place}/env")
        python = f"{place}/env/bin/python"
        output(python, "-m", "pip", "install", "--quiet", str(wheel))
        code = "import dalembert as da; print(da.mass_matrix(da.robots.ur5(), [0] * 6)[0, 0])"
        return float(output(python, "-c", code)) > 0


STEPS: list[Callable[[str], bool]] = [clean, named, untagged, fresh, tested, built]


def main(version: str) -> int:
    """Check the steps in order; return the exit code."""
    for step in STEPS:
        try:
            good, why = step(version), ""
        except (RuntimeError, OSError, ValueError) as error:
            good, why = False, f"\n{error}"
        print(f"{'ok  ' if good else 'FAIL'} {step.__doc__}{why}", flush=True)
        if not good:
            return 1
    print(f"now: git tag v{version} && git push --tags, then upload the wheel and the sdist")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
