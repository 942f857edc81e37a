"""Named columns over time, as files hold them: CSV, NPZ, JSON; other formats beside this file."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..errors import DescriptionError, Place, UsageError, shown
from ..files import write_file
from ..frozen import dataclass
from .text import (
    LARGEST,
    Rows,
    delimiter_of,
    first_lines,
    has_decimal_commas,
    head_cells,
    read_text,
    without_lines,
)

Array = np.ndarray
LARGEST_JSON = 2**28  # bytes: its objects take ten times as much memory
LARGEST_NPZ = 2**32  # bytes of all arrays, unpacked
REMARKS = 100  # lines above the heads that may begin with #
TIMES = ("t", "time", "Time", "timestamp", "t_s", "time_s")


TIMELY = re.compile(r"time|t[^a-z]|zeit|temps", re.I)  # heads that may be those of times


@dataclass(frozen=True)
class Table:
    """Columns of numbers by head; NaN where a value is missing."""

    source: str
    columns: dict[str, Array] = field(repr=False)
    degrees: bool = False  # whether the file says that its angles are degrees
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads in the order of the file."""
        return tuple(self.columns)

    def times(self, head: str | None = None) -> Array:
        """Return the column of times: `head`, or the one called t, time, timestamp."""
        for name in (head,) if head else TIMES:
            if name in self.columns:
                return self.columns[name]
        listed, near = some(self.heads), next(filter(TIMELY.match, self.heads), "HEAD")
        near += ":ms" * bool(re.search(r"ms\b|milli", near))
        raise DescriptionError(
            f"there is no column {head!r}" if head else "there is no column of times",
            where=Place(self.source),
            hint=f"call one 't', in seconds, or write columns={{'t': {near!r}}}; heads: {listed}",
            command=f"call one 't', or write --columns \"t={near}\"; heads are {listed}",
        )


def some(names: Iterable[str], most: int = 12) -> str:
    """Return a short list of names for a message."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(shown(n, 60) for n in listed[:most]) + more


def read_table(path: Any) -> Table:
    """Return the table of a file, by its ending, or of a mapping from heads to columns."""
    if isinstance(path, Table):
        return path
    if isinstance(path, Mapping):
        return table_of(path, "<mapping>")
    if not isinstance(path, str | Path):
        raise UsageError(
            f"a motion table is a file, not {type(path).__name__}",
            hint="give a path, or a mapping from heads to columns",
        )
    file = Path(path)
    read = READERS.get(file.suffix.lower())
    if read is None:
        from .formats import FORMATS

        read = FORMATS.get(file.suffix.lower())
    if read is None:
        raise DescriptionError(
            f"a table that ends in {shown(file.suffix)!r} is not known",
            where=Place(str(path)),
            hint="known: .csv .tsv .txt .npz .json .mot .sto .trc .c3d .mcap",
        )
    if not file.is_file():
        from ..read.near import near_file

        hint = near_file(str(path)) or "check the path"
        raise DescriptionError("no such file", where=Place(str(path)), hint=hint)
    try:
        return read(file)
    except (OSError, MemoryError) as error:
        raise DescriptionError(
            f"the file cannot be read: {type(error).__name__}", where=Place(str(path))
        ) from error


def table_of(columns: Mapping[Any, Any], source: str, **more: Any) -> Table:
    """Return a table of columns that must have one length; arrays of rows are split by number."""
    made: dict[str, Array] = {}
    for head, values in columns.items():
        try:
            x = np.asarray(values)
            if x.dtype.kind in "cbMm":  # complex, true or false, dates
                raise TypeError(x.dtype.name)
            x = x.astype(float, copy=False)
        except (TypeError, ValueError, OverflowError) as error:
            raise DescriptionError(
                f"column {shown(str(head))!r} does not hold numbers", where=Place(source)
            ) from error
        if x.ndim == 1:
            made[str(head)] = x
        elif x.ndim == 2:  # as `simulate --npz` writes q: one row a sample
            made |= {f"{head}[{k}]": x[:, k] for k in range(x.shape[1])}
    sizes = {h: len(x) for h, x in made.items()}
    if len(set(sizes.values())) > 1:
        a, b = min(sizes, key=lambda h: sizes[h]), max(sizes, key=lambda h: sizes[h])
        raise DescriptionError(
            f"columns of unequal length: {shown(a)!r} has {sizes[a]}, {shown(b)!r} {sizes[b]}",
            where=Place(source),
        )
    if not made or not next(iter(sizes.values())):
        raise DescriptionError("the table has no rows", where=Place(source))
    return Table(source, made, **more)


# -- CSV ---------------------------------------------------------------------------------------


def _csv(file: Path) -> Table:
    rows, body, notes = csv_rows(file)
    data = rows.read(body, file.stat().st_size)
    return table_of(dict(zip(rows.heads, data.T, strict=True)), str(file), notes=notes)


def csv_rows(file: Path, most: int = LARGEST) -> tuple[Rows, Iterable[str], tuple[str, ...]]:
    """Return the heads of a CSV file with what reads its rows, its text, and notes."""
    lines, pieces = first_lines(file, REMARKS + 2, most)
    excel = lines[0].lower().startswith("sep=") and len(lines[0]) == 5
    skip, head = (1, (lines[1:2] or [""])[0]) if excel else _under_remarks(lines)
    if not head.strip():
        raise DescriptionError(
            "the first line is empty: there are no heads",
            where=Place(str(file)), hint="the first line names the columns: t,q.shoulder,q.elbow",
        )  # fmt: skip
    delimiter = lines[0][4:] if excel else delimiter_of(head)
    rows = without_lines(pieces, skip + 1)
    first = next(rows, "")
    notes: tuple[str, ...] = ()
    body: Iterable[str] = chain([first], rows)
    if has_decimal_commas(first, delimiter):
        notes = ("commas within numbers were read as decimal points",)
        body = _with_points(body, str(file))
    heads = head_cells(head, str(file), delimiter, skip + 1)
    check_heads(heads, str(file), skip + 1)
    return Rows(heads, str(file), delimiter, skip + 1), body, notes


def _under_remarks(lines: list[str]) -> tuple[int, str]:
    """Return how many lines stand above the heads, and the heads.

    Lines that begin with # are remarks; where numbers follow, the last of them holds the heads, as
    NumPy writes it.
    """
    count = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    below = lines[count] if count < len(lines) else ""
    cells = [c for c in re.split(r"[,;\s]", below.strip()) if c]  # the first may be a gap
    if count and cells and _is_number(cells[0]):
        return count - 1, lines[count - 1].lstrip("# ")
    return count, below


def _with_points(pieces: Iterable[str], source: str) -> Iterator[str]:
    for block in pieces:
        if "." in block:
            raise DescriptionError(
                "some numbers are written 0,5 and some 0.5", where=Place(source),
                hint="write all of them alike",
            )  # fmt: skip
        yield block.replace(",", ".")


def rows_table(
    head: str, pieces: Iterable[str], source: str, delimiter: str, line: int = 1, **more: Any
) -> Table:
    """Return the table of a line of heads, whose number is `line`, and of the text behind it."""
    heads = head_cells(head, source, delimiter, line)
    check_heads(heads, source, line)
    size = Path(source).stat().st_size
    data = Rows(heads, source, delimiter, line).read(pieces, size)
    return table_of(dict(zip(heads, data.T, strict=True)), source, **more)


def check_heads(heads: list[str], source: str, line: int = 1) -> None:
    """Raise DescriptionError for heads that are missing, numbers, or there twice."""
    seen: set[str] = set()
    for k, head in enumerate(heads):
        problem = ""
        if not head:
            problem = f"column {k + 1} has no head"
        elif head in seen:
            problem = f"two columns are called {shown(head)!r}"
        elif _is_number(head):
            problem = f"the first line holds a number, {shown(head)!r}, and no heads"
        if problem:
            raise DescriptionError(
                problem,
                where=Place(source, line, 1),
                hint="the first line names the columns: t,q.shoulder,q.elbow",
            )
        seen.add(head)
    if len(heads) == 1 and len(words := heads[0].split()) > 1:
        raise DescriptionError(
            f"blanks part the columns: {shown(heads[0], 60)!r}", where=Place(source, line, 1),
            hint=f"put commas, semicolons or tabs between them: {shown(','.join(words), 60)}",
        )  # fmt: skip
    if not heads:
        raise DescriptionError("there are no heads", where=Place(source, line))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower().lstrip("+-") not in ("nan", "inf", "infinity")


# -- NPZ and JSON ------------------------------------------------------------------------------


def _npz(file: Path) -> Table:
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(x.file_size for x in archive.infolist())
        if size > LARGEST_NPZ:
            raise DescriptionError(
                f"the arrays have {size / 2**30:.1f} GiB; a table may have "
                f"{LARGEST_NPZ / 2**30:g}", where=Place(str(file)), hint="cut it in pieces",
            )  # fmt: skip
        with np.load(file, allow_pickle=False) as data:
            every = ((n, data[n]) for n in data.files)
            arrays = {n: x for n, x in every if x.dtype.kind in "fiu"}
    except DescriptionError:
        raise
    except (ValueError, KeyError, OSError, EOFError) as error:
        raise DescriptionError(
            "this is not an NPZ file of plain arrays", where=Place(str(file))
        ) from error
    except Exception as error:  # zipfile raises its own kinds for torn archives
        raise DescriptionError("the NPZ file is damaged", where=Place(str(file))) from error
    rows = len(arrays["t"]) if "t" in arrays and arrays["t"].ndim == 1 else None
    kept = {n: a for n, a in arrays.items() if a.ndim in (1, 2) and rows in (None, len(a))}
    return table_of(kept, str(file))


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raises ValueError where two of its keys are one."""
    made = dict(pairs)
    if len(made) < len(pairs):
        heads = [head for head, _ in pairs]
        twice = next(head for head in heads if heads.count(head) > 1)
        raise ValueError(f"two columns are called {shown(twice, 60)!r}")
    return made


def _json(file: Path) -> Table:
    try:
        data = json.loads(read_text(file, LARGEST_JSON), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        bad = isinstance(error, json.JSONDecodeError | RecursionError)
        told = f"this is not JSON: {error}" if bad else str(error)
        raise DescriptionError(told[:300], where=Place(str(file))) from None
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        heads = list(dict.fromkeys(h for row in data for h in row))
        data = {h: [row.get(h) for row in data] for h in heads}
    if not isinstance(data, dict):
        raise DescriptionError(
            "a JSON table is an object of lists", where=Place(str(file)),
            hint='write {"t": [0, 0.01], "q.elbow": [0.1, 0.12]}',
        )  # fmt: skip
    columns = {h: _nulls(v) for h, v in data.items() if isinstance(v, list)}
    return table_of(columns, str(file))


def _nulls(values: list[Any]) -> list[Any]:
    return [np.nan if v is None else v for v in values]


READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".npz": _npz,
    ".json": _json,
}


# -- writing -----------------------------------------------------------------------------------


def write_table(path: str | Path, heads: Iterable[str], columns: Any) -> None:
    """Write columns (rows are samples) with a line of heads; CSV, NPZ or JSON by the ending."""
    file, names, data = Path(path), list(heads), np.asarray(columns, dtype=float)
    kind = file.suffix.lower()
    if kind == ".npz":
        write_file(file, npz_bytes(dict(zip(names, data.T, strict=True))))
    elif kind == ".json":
        lists = {
            n: [None if np.isnan(x) else float(x) for x in column]
            for n, column in zip(names, data.T, strict=True)
        }
        write_file(file, json.dumps(lists))
    else:
        out = io.StringIO(newline="")
        csv.writer(out).writerow(names)
        write_rows(out, data)
        write_file(file, out.getvalue())


def write_rows(out: TextIO, data: Array) -> None:
    """Write rows of numbers as CSV; a missing one is empty."""
    rows = ([repr(x) if x == x else "" for x in row] for row in data.tolist())
    csv.writer(out).writerows(rows)


def npz_bytes(arrays: Mapping[str, Any]) -> bytes:
    """Return arrays by name as the content of an NPZ file."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()
