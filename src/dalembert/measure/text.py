"""Tables of text, read in blocks of whole lines: only the numbers are kept in memory."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from ..errors import DescriptionError, Place, shown

Array = np.ndarray
LARGEST = 2**30  # bytes of a text table in memory; larger ones are read in windows
LARGEST_LONG = 2**37  # bytes of one that is read in windows
BLOCK = 2**22  # bytes that are read at once
LONGEST = 2**24  # bytes of a line
MISSING = {"", "nan", "na", "n/a", "null", "none", "-"}
FILL = "leave a missing value empty, or write nan"
QUOTED = re.compile(r'"(?:[^"]|"")*"')


def require_size(file: Path, most: int, instead: str) -> int:
    """Return the size of a file in bytes; raise DescriptionError if it is above `most`."""
    size = file.stat().st_size
    if size > most:
        raise DescriptionError(
            f"the file has {size / 2**30:.1f} GiB; one of its kind may have {most / 2**30:g}",
            where=Place(str(file)),
            hint=f"`dalembert torques --motion FILE` and `dalembert identify MODEL FILE` read a "
            f"long CSV in windows; else write it as {instead}, or cut it in pieces",
        )
    return size


def read_text(file: Path, most: int) -> str:
    """Return the whole text of a file, if it is UTF-8 and has `most` bytes."""
    require_size(file, most, ".csv or .npz")
    return _decoded(file.read_bytes(), file, 0).removeprefix("\ufeff")


def blocks(file: Path, most: int = LARGEST) -> Iterator[str]:
    r"""Yield the text of a file in pieces of whole lines that end in \n."""
    require_size(file, most, ".npz")
    rest, at = b"", 0
    with open(file, "rb") as stream:
        while data := stream.read(BLOCK):
            data = rest + data
            # a lone \r ends a line too, but not the one of a \r\n that is cut in two
            cut = data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, len(data) - 1) + 1
            if not cut and len(data) > LONGEST:
                raise DescriptionError(
                    f"a line is longer than {LONGEST // 2**20} MiB", where=Place(str(file)),
                    hint="a table has a line per sample: is this a binary file, or JSON?",
                )  # fmt: skip
            rest = data[cut:]
            if cut:
                yield _lines(data[:cut], file, at)
            at += cut
    if rest:
        yield _lines(rest, file, at) + "\n"


def _lines(data: bytes, file: Path, at: int) -> str:
    text = _decoded(data, file, at)
    text = text.removeprefix("\ufeff") if at == 0 else text
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _decoded(data: bytes, file: Path, at: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        wide = at == 0 and data[:2] in (b"\xff\xfe", b"\xfe\xff")
        raise DescriptionError(
            "the file is UTF-16" if wide else f"byte {at + error.start} is not UTF-8",
            where=Place(str(file)),
            hint='save it as UTF-8; in Excel: Save As, "CSV UTF-8"',
        ) from error


def first_lines(file: Path, most: int, largest: int = LARGEST) -> tuple[list[str], Iterator[str]]:
    """Return up to `most` lines of the beginning, and the text from the first line on again."""
    pieces = blocks(file, largest)
    first = next(pieces, "")
    return first.split("\n", most)[:most], chain([first], pieces)


def without_lines(pieces: Iterable[str], count: int) -> Iterator[str]:
    """Yield the text behind its first `count` lines, which the first piece holds."""
    rest = iter(pieces)
    yield next(rest, "").split("\n", count)[-1]
    yield from rest


def delimiter_of(head: str) -> str:
    """Return the sign between the heads: a comma, a semicolon or a tab."""
    bare = QUOTED.sub("", head)
    return max(",;\t", key=bare.count)


def head_cells(text: str, source: str, delimiter: str, line: int) -> list[str]:
    """Return the heads of a line; empty ones at its end are left out."""
    try:
        cells = next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error as error:
        raise DescriptionError(f"the heads cannot be read: {error}", Place(source, line)) from None
    heads = [h.strip() for h in cells]
    while heads and not heads[-1]:
        heads.pop()
    return heads


def has_decimal_commas(block: str, delimiter: str) -> bool:
    """Return whether numbers are written 0,5: no comma parts the columns, and no point is there."""
    return delimiter != "," and "," in block and "." not in block


class Rows:
    """Rows of numbers under heads, read block by block into one array."""

    def __init__(
        self, heads: list[str], source: str, delimiter: str, line: int, short: bool = False
    ) -> None:
        self.heads, self.source, self.delimiter, self.line = heads, source, delimiter, line
        self.short = short  # whether a row may end early
        self.data, self.count = np.empty((0, len(heads))), 0

    def read(self, pieces: Iterable[str], size: int = 0) -> Array:
        """Return all rows; `size` bytes are expected."""
        for made, seen in self.chunks(pieces):
            need = self.count + len(made)
            if need > len(self.data):
                guess = int(1.02 * need * max(size, seen) / max(seen, 1)) + 1
                self.data.resize((max(need, guess), len(self.heads)), refcheck=False)
            self.data[self.count : need] = made
            self.count = need
        self.data.resize((self.count, len(self.heads)), refcheck=False)
        return self.data

    def chunks(self, pieces: Iterable[str]) -> Iterator[tuple[Array, int]]:
        """Yield the rows of each piece of text, and how many characters were read so far."""
        seen = 0
        for block in pieces:
            seen += len(block)
            yield self._block(block), seen
            self.line += block.count("\n")

    def _block(self, block: str) -> Array:
        if not block.strip():
            return np.empty((0, len(self.heads)))
        try:
            made = np.loadtxt(io.StringIO(block), delimiter=self.delimiter, ndmin=2, comments=None)
        except ValueError:
            return self._one_by_one(block)
        if made.shape[1] != len(self.heads) or np.isinf(made).any():
            return self._one_by_one(block)
        return made

    def _one_by_one(self, block: str) -> Array:
        """Return rows cell by cell: missing values become NaN, what is wrong is shown."""
        rows = []
        reader = csv.reader(io.StringIO(block, newline=""), delimiter=self.delimiter)
        heads, count = self.heads, len(self.heads)
        try:
            for cells in reader:
                if not cells or cells[0].startswith("#") or not any(c.strip() for c in cells):
                    continue
                at = self.line + reader.line_num
                if self.short:
                    cells = (cells + [""] * count)[:count]
                if len(cells) < count or any(c.strip() for c in cells[count:]):
                    raise self._uneven(len(cells), at)
                rows.append([self._number(c, h, at) for c, h in zip(cells, heads, strict=False)])
        except csv.Error as error:
            at = self.line + reader.line_num
            raise DescriptionError(str(error), where=Place(self.source, at)) from None
        return np.array(rows, dtype=float).reshape(-1, count)

    def _uneven(self, count: int, line: int) -> DescriptionError:
        comma = self.delimiter == "," and count > len(self.heads)
        return DescriptionError(
            f"{count} values, {len(self.heads)} heads", where=Place(self.source, line),
            hint="are these decimal commas? write 0.5, or put ; between columns" if comma
            else "every row has a value, or nothing, for each head",
        )  # fmt: skip

    def _number(self, cell: str, head: str, line: int) -> float:
        text = cell.strip()
        try:
            value = float(text)
            if len(text) > 400 or "_" in text or not text.isascii():
                raise ValueError
        except ValueError:
            if text.lower() in MISSING:
                return np.nan
            raise DescriptionError(
                f"{shown(text, 40)!r} in column {shown(head)!r} is not a number",
                where=Place(self.source, line), hint=FILL,
            ) from None  # fmt: skip
        if value in (np.inf, -np.inf):
            raise DescriptionError(
                f"column {shown(head)!r} is infinite", where=Place(self.source, line), hint=FILL
            )
        return value
