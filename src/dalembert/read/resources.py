"""Files that a description names: package://, model://, file:// and plain paths.

A package is found by walking up from the description: a folder of that name above it, or beside
one of the folders above it. Nothing outside the package is reached: `..` and links that leave it
are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

SCHEMES = ("package://", "model://")


def find_package(name: str, start: Path) -> Path | None:
    """Return the folder of a package, walking up from a file or a folder."""
    if not name or "/" in name or "\\" in name or name in (".", ".."):
        return None
    for above in _upwards(start):
        if above.name == name:
            return above
        beside = above / name
        if beside.is_dir():
            return beside
    return None


def find_file(uri: str, description: Path) -> Path | None:
    """Return the file that a description names, None where it is not there."""
    uri = uri.strip()
    if not uri or "\0" in uri or len(uri) > 4096:
        return None
    for scheme in SCHEMES:
        if uri.startswith(scheme):
            package, _, rest = unquote(uri[len(scheme) :]).partition("/")
            return _in_any(package, rest, description)
    if uri.startswith("file://"):
        uri = unquote(uri[len("file://") :])
    elif "://" in uri:
        return None
    path = Path(uri)
    if path.is_absolute():
        return path if _is_file(path) else None
    for above in _upwards(description):
        if _is_file(above / path):
            return above / path
    return None


def _in_any(package: str, rest: str, description: Path) -> Path | None:
    """Return a file of a package; of several folders with its name the nearest that has it."""
    if not package or "\\" in package or package in (".", ".."):
        return None
    for above in _upwards(description):
        for folder in ([above] if above.name == package else []) + [above / package]:
            found = folder / rest
            if _is_file(found) and _within(found, folder):
                return found
    return None


def _upwards(start: Path) -> Iterator[Path]:
    try:
        here = Path(os.path.abspath(start))
    except OSError:
        return
    yield from ((here, *here.parents) if here.is_dir() else here.parents)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _within(path: Path, folder: Path) -> bool:
    """Return whether a path stays in a folder; the folder itself may be a link."""
    plain = Path(os.path.normpath(path))
    return plain.is_relative_to(os.path.normpath(folder)) and path.resolve().is_relative_to(
        folder.resolve()
    )
