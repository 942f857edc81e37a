"""What a reader may have meant by the name of a file that is not there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from ..errors import ComputationError, DalembertError, Place, closest, shown

SAID = re.compile(r"""(?:"[^"]*"|'[^']*'|[^#"'])*""")  # up to a # that is not in a text
GIVE = 'give a file, robot:NAME, or a phrase such as "RZ(A1,B1),TXK(L1);"'


def near_model(model: str) -> str:
    """Return a hint at a ready-made robot or a file with a similar name, else what to give."""
    # robots are made by the readers: this way round they are found only when asked for
    robots = import_module("dalembert.robots").__all__
    called = model.rpartition(":")[2].lower()
    if called in robots:
        return f"did you mean robot:{called}?"
    return near_file(model) or GIVE


def near_file(path: str) -> str:
    """Return a hint at a file of the same folder with a similar name; nothing where none is."""
    folder, name = os.path.split(path)
    try:
        files = os.listdir(folder or ".")
    except (OSError, ValueError):
        return f"there is no folder {shown(folder)}" if folder else ""
    near = closest(name, files, most=1)
    if not near.startswith("did"):
        return ""
    return near.replace("mean ", f"mean {shown(folder)}/") if folder else near


@contextmanager
def placed(file: str | Path) -> Iterator[None]:
    """Give an error of a file's content its place: where the first word that it quotes stands."""
    try:
        yield
    except ComputationError:
        raise
    except DalembertError as error:
        where = error.where
        if where is None or (where.source == str(file) and not where.text):  # the file as a whole
            error.where = _place(file, error.message)
        elif where.source == str(file) and (word := _quoted(error.message)):
            found = word.search(_said(where.text), where.column - 1)
            if found is not None:
                error.where = Place(where.source, where.line, found.start() + 1, where.text)
        raise


def _quoted(message: str) -> re.Pattern[str] | None:
    quoted = re.search(r"'([^']+)'", message)
    return re.compile(rf"(?<!\w){re.escape(quoted[1])}(?!\w)") if quoted else None


def _place(file: str | Path, message: str) -> Place:
    word = _quoted(message)
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines() if word else []
    except (OSError, ValueError):
        lines = []
    found = ((k, word.search(_said(line)), line) for k, line in enumerate(lines, 1) if word)
    places = (Place(str(file), k, x.start() + 1, line) for k, x, line in found if x)
    return next(places, Place(str(file)))


def _said(line: str) -> str:
    """Return a line without the remark at its end."""
    said = SAID.match(line)
    return said[0] if said else line
