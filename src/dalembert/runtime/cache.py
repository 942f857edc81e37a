"""Object code kept on disk: a kernel found here needs neither tracing nor code generation.

An entry is one file: a line with the digest of the rest, a line of JSON, the object code; after the
quick code of a long program what better code is made of. It is written under another name and
renamed, checked whole when read, and never fatal: whatever is wrong with an entry or its directory,
the answer is to compile again, with one warning.
`DALEMBERT_CACHE=off` keeps nothing; `DALEMBERT_CACHE=DIR` chooses the directory.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import stat
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .refused import hurried

_MAGIC = b"dalembert kernel 1 "
_DIGEST = 64  # hexadecimal characters
OBJECT = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86")  # how object code begins
_PACKED = b"\x78\x01"  # how text that zlib packed at level 1 begins
_LIMIT = 1 << 30  # bytes that no entry passes
_MOST = 4096  # entries kept; beyond them the older half goes
_ROOT = str(Path(__file__).resolve().parent.parent)
_HOUR = 3600.0  # no draft is written for so long: its process was killed
# nothing here decides object code
_APART = {
    "__pycache__", "bench", "cli", "emit", "equations", "export", "read", "robots", "studio",
    "view",
}  # fmt: skip
_warned: set[str] = set()


def directory() -> Path | None:
    """Return the directory of entries, or None when nothing is to be kept."""
    chosen = os.environ.get("DALEMBERT_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "dalembert"


def surroundings() -> str:
    """Return what object code depends on besides its program: our sources, LLVM, the processor."""
    return f"{_surroundings()}\nquick" if hurried() else _surroundings()


@functools.cache
def _surroundings() -> str:
    from .processor import generator, processor

    return "\n".join([_digest(_sources()), generator(), processor()])


def _digest(files: list[str]) -> str:
    """Return the digest of files, kept on disk under what the system says of them."""
    facts = hashlib.sha256()
    for file in files:
        found = os.stat(file)
        changed = found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
        facts.update(f"{file} {changed}\n".encode())
    place, memo = directory(), f"sources-{facts.hexdigest()}"
    if place is not None and _trusted(place, create=False):
        with contextlib.suppress(OSError):
            known = _contents(place / memo)
            if re.fullmatch(rb"[0-9a-f]{64}", known):
                return known.decode()
    own = hashlib.sha256()
    for file in files:
        with open(file, "rb") as opened:
            text = opened.read()
        own.update(f"{os.path.relpath(file, _ROOT)} {len(text)}\n".encode())
        own.update(text)
    if place is not None and _trusted(place, create=True):
        _kept(place, memo, own.hexdigest().encode())
    return own.hexdigest()


def _sources() -> list[str]:
    """Return our own files in order, without those that no kernel is made by."""
    found = []
    for place, inner, names in os.walk(_ROOT):
        inner[:] = [d for d in inner if d not in _APART]
        found += [os.path.join(place, n) for n in names if n.endswith((".py", ".json"))]
    return sorted(found)


def name(key: str) -> str:
    """Return the file name of an entry."""
    return hashlib.sha256(f"{surroundings()}\n{key}".encode()).hexdigest()


def read(key: str) -> tuple[dict[str, Any], bytes] | None:
    """Return the facts and the code kept under a key, or None."""
    place = directory()
    if place is None or not _trusted(place, create=False):
        return None
    path = place / name(key)
    try:
        data = _contents(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn("read", f"the kernel cache entry {path} cannot be read: {error}")
        return None
    found = _parsed(data, key)
    if found is None:
        damaged(key)
    return found


def parts(facts: Mapping[str, Any], data: bytes) -> tuple[bytes, bytes]:
    """Return the code that was kept of a kernel, and the packed IR text after it, often none.

    The text stands after quick code: better code can be made of it. Raises as `Card.from_dict`.
    """
    size = facts["code"]
    code, text = data[:size], data[size:]
    if size != len(code) or (text and not text.startswith(_PACKED)):
        raise ValueError(f"the code does not end at {size}")
    return code, text


def damaged(key: str) -> None:
    """Say that an entry cannot be used."""
    path = (directory() or Path()) / name(key)
    _warn("entry", f"the kernel cache entry {path} is damaged and will be made again")


def _contents(path: Path) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or not _own(facts) or facts.st_size > _LIMIT:
            raise OSError("it is not a file of this user")
        return file.read()


def _parsed(data: bytes, key: str) -> tuple[dict[str, Any], bytes] | None:
    start = len(_MAGIC) + _DIGEST + 1
    digest, rest = data[len(_MAGIC) : start - 1], data[start:]
    if not data.startswith(_MAGIC) or data[start - 1 : start] != b"\n":
        return None
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        return None
    head, _, code = rest.partition(b"\n")
    try:
        facts = json.loads(head)
    except (ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or not isinstance(facts.get("facts"), dict):
        return None
    if not code.startswith(OBJECT):
        return None  # LLVM would end the process
    same = facts.get("key") == key and facts.get("surroundings") == surroundings()
    return (facts["facts"], code) if same and facts.get("length") == len(code) else None


def write(key: str, facts: dict[str, Any], code: bytes) -> None:
    """Keep code under a key, if that is possible."""
    place = directory()
    if place is None or not _trusted(place, create=True):
        return
    about = {"key": key, "surroundings": surroundings(), "length": len(code), "facts": facts}
    rest = json.dumps(about, sort_keys=True).encode() + b"\n" + code
    data = _MAGIC + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest
    _kept(place, name(key), data)


def _kept(place: Path, entry: str, data: bytes) -> None:
    """Write an entry whole or not at all."""
    import secrets

    draft = place / f".{secrets.token_hex(16)}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, place / entry)
        _pruned(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        _warn("write", f"kernels are not kept in {place}: {error}")


def _pruned(place: Path) -> None:
    """Remove drafts of killed processes, and the older half of too many entries."""
    with os.scandir(place) as found:
        names = [entry.name for entry in found]
    drafts = [each for each in names if each.startswith(".")]
    if len(names) <= _MOST and not drafts:
        return
    many = len(names) > _MOST
    ages = []
    for each in names if many else drafts:
        with contextlib.suppress(OSError):  # another process may have removed it
            ages.append((os.stat(place / each).st_mtime, each))
    ages.sort()
    gone = [each for _, each in ages[: len(ages) // 2]] if many else []
    gone += [each for age, each in ages if each.startswith(".") and age < time.time() - _HOUR]
    for each in gone:
        with contextlib.suppress(OSError):
            os.unlink(place / each)


def _trusted(place: Path, create: bool) -> bool:
    """Return whether a directory is this user's alone to write to; make it if asked."""
    try:
        if create:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = os.stat(place)
    except FileNotFoundError:
        return False
    except OSError as error:
        _warn("write", f"kernels are not kept in {place}: {error}")
        return False
    if stat.S_ISDIR(facts.st_mode) and _own(facts):
        return True
    _warn("trust", f"kernels are not kept in {place}: others could write there")
    return False


def _own(facts: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return True
    return facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def _warn(kind: str, text: str) -> None:
    """Warn once per kind in a process."""
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(text, RuntimeWarning, stacklevel=4)
