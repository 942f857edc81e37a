"""Files written whole or not at all: a reader, a full disk or Ctrl-C never meets half of one."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from .errors import UsageError, shown

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def write_file(path: str | Path, data: str | bytes) -> Path:
    """Return the path of a file after writing it through a draft beside it.

    What is not a plain file, a terminal or a pipe, is written directly; a link keeps its target.
    """
    target = Path(path)
    content = data.encode("utf-8") if isinstance(data, str) else data
    try:
        if target.is_symlink():
            target = target.resolve()
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot write {shown(str(path))}: {why}") from None
    return Path(path)


@contextmanager
def writing(path: str | Path) -> Iterator[TextIO]:
    """Open a text that takes its name when it is whole, for what is too long to be held."""
    target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
    draft, opened = target.parent / f".{secrets.token_hex(8)}.part", False
    try:
        with open(draft, "x", encoding="utf-8", newline="") as stream:
            opened = True
            yield stream
        os.replace(draft, target)
    except OSError as error:
        if opened and error.errno not in FULL:  # what is written comes from somewhere
            raise
        why = error.strerror or str(error)
        raise UsageError(f"cannot write {shown(str(path))}: {why}") from None
    finally:
        draft.unlink(missing_ok=True)


def _replace(target: Path, content: bytes) -> None:
    draft = target.parent / f".{secrets.token_hex(8)}.part"
    try:
        with open(draft, "xb") as stream:
            stream.write(content)
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        os.replace(draft, target)
    except BaseException:
        # Ctrl-C may come just after the draft took its place
        draft.unlink(missing_ok=True)
        raise
