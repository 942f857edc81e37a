"""Denavit-Hartenberg tables as files: CSV, or a native file with rows `[[dh]]`; and Python rows.

A CSV file may begin with rows `robot,NAME`, `convention,WORD`, `gravity,X,Y,Z`,
`inertia_order,WORD` and `parameter,NAME,VALUE`; then come the names of the columns, then one row a
frame. Empty cells are nothing; lines that begin with # are remarks.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import DescriptionError, Place, closest, shown
from ..mechanism import Mechanism
from ..mechanism.edit import into
from .context import Context, placed
from .dh_cells import COMMON
from .document import Document
from .fields import Reading, kind
from .mdh import CONVENTIONS, MODIFIED, OFFSET, read_dh
from .native import read_head, read_parameters, with_actions
from .native_fields import Index
from .native_keys import ACTS, HEAD, ROLES

DECIMAL = re.compile(r"[-+]?\d*,\d+(e[-+]?\d+)?(deg|rad|mm|m)?", re.I)  # 0,5
HEADS = ("robot", "convention", "gravity", "inertia_order", "parameter")
ALIASES = {
    "ant": "a", "σ": "sigma", "γ": "gamma", "α": "alpha", "θ": "theta",
    "M": "m", "IA": "Ia", "FV": "Fv", "FS": "Fs",
}  # fmt: skip
KEYS = ("convention", "inertia_order", "dh", "table", *(f.key for f in (*HEAD, *ROLES, *ACTS)))
COLUMNS = {*MODIFIED, *OFFSET, *COMMON, *ALIASES, "j"}


def convention_of(rows: Sequence[Any], where: Place, form: str = 'convention = "{}"') -> str:
    """Return the convention that the columns of a table show; a doubt is an error.

    `form` is how the table says it.
    """
    columns = {str(c) for row in rows if isinstance(row, Mapping) for c in row}
    modified = columns & {"gamma", "b", "r", "ant"}
    others = columns & {"offset", "type"}
    if modified and not others:
        return "modified"
    told = form.format("standard")
    hint = (
        f"write {told} above the rows (frame j at the far end of link j), or craig (a and alpha of "
        "the previous link), or modified (Khalil-Kleinfinger)"
    )
    raise DescriptionError("the convention of the table is not said", where, hint)


def read_rows(rows: Sequence[Any], context: Context) -> Mechanism:
    """Return the mechanism of a list of rows; the convention is what its columns show."""
    convention = convention_of(rows, Place(context.source))
    return read_dh(rows, convention, name=context.name, source=context.source, snap=context.snap)


# -- CSV ---------------------------------------------------------------------------------------


def is_csv(text: str) -> bool:
    """Return whether a text begins as a table: a head of the table, or the names of columns."""
    if "\n" not in text.strip():
        return False
    for line in text.lstrip("\ufeff").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            cells = [c.strip().strip('"') for c in line.split(_delimiter(line))]
            if cells[0] in HEADS and len(cells) > 1:
                return True
            return len(cells) > 1 and all(c in COLUMNS for c in cells if c)
    return False


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


class _Lines:
    """The lines of a CSV text, cut into cells that know where they stand."""

    def __init__(self, text: str, source: str):
        self.source, self.text = source, text.splitlines()
        used = [s for s in self.text if s.strip() and not s.lstrip().startswith("#")]
        self.sign = _delimiter("\n".join(used[:20]))

    def place(self, line: int, cell: int = 0) -> Place:
        text = self.text[line]
        column = 1
        if '"' not in text:
            before = text.split(self.sign)[:cell]
            column = sum(len(c) + 1 for c in before) + 1
        return Place(self.source, line + 1, column, text[:1000])

    def cells(self, line: int) -> list[str]:
        try:
            row = next(csv.reader([self.text[line]], delimiter=self.sign, strict=True), [])
        except csv.Error as error:
            raise DescriptionError(f"CSV: {error}", self.place(line)) from None
        return [self._decimal(c.strip()) for c in row]

    def _decimal(self, cell: str) -> str:
        """Return a number with a decimal comma, as tables with semicolons have, with a point."""
        return cell.replace(",", ".") if self.sign != "," and DECIMAL.fullmatch(cell) else cell


def read_csv(text: str, context: Context) -> Mechanism:
    """Return the mechanism of a CSV table."""
    source = context.source
    lines = _Lines(text, source)
    head: dict[str, Any] = {"parameters": {}}
    columns: list[str] = []
    rows: list[dict[str, str]] = []
    at: list[int] = []  # the line of each row
    for k, line in enumerate(lines.text):
        if not line.strip(lines.sign + " \t") or line.lstrip().startswith("#"):
            continue
        cells = lines.cells(k)
        if not columns and cells[0] in HEADS:
            _head(lines, k, cells, head)
        elif not columns:
            columns = _columns(lines, k, cells)
        else:
            rows.append(_row(lines, k, cells, columns, len(rows) + 1))
            at.append(k)
    if not rows:
        raise DescriptionError("the table has no row", Place(source))

    def place(j: int, column: str) -> Place:
        return lines.place(at[j], columns.index(column) if column in columns else 0)

    convention = head.pop("convention", None) or convention_of(
        rows, lines.place(at[0]), f"a line convention{lines.sign}{{}}"
    )
    given = {"name": context.name, "source": source, "snap": context.snap, **head}
    return read_dh(rows, convention, **given, at=place)


def _head(lines: _Lines, k: int, cells: list[str], head: dict[str, Any]) -> None:
    key, values = cells[0], [c for c in cells[1:] if c]
    sizes = {"gravity": 3, "parameter": 2}
    if len(values) != sizes.get(key, 1):
        need = sizes.get(key, 1)
        raise DescriptionError(f"{key}: {len(values)} cells, {need} needed", lines.place(k))
    if key == "parameter":
        head["parameters"][values[0]] = values[1]
    elif key == "gravity":
        head[key] = values
    elif key == "convention" and values[0] not in CONVENTIONS:
        what = f"unknown convention {shown(values[0], 40)!r}"
        raise DescriptionError(what, lines.place(k, 1), ", ".join(CONVENTIONS))
    else:
        head["name" if key == "robot" else key] = values[0]


def _columns(lines: _Lines, k: int, cells: list[str]) -> list[str]:
    columns = [ALIASES.get(c, c) for c in cells]
    for n, column in enumerate(columns):
        where = lines.place(k, n)
        if column and column in columns[:n]:
            raise DescriptionError(f"duplicate column {shown(column, 40)!r}", where)
        if column and column not in COLUMNS:
            what = f"row {k + 1}: unknown column {shown(column, 40)!r}"
            raise DescriptionError(what, where, _meant(column))
    return columns


def _meant(column: str) -> str:
    """Return what a head that is not known may mean."""
    word, _, unit = column.partition(" ")
    known = sorted(COLUMNS - set(ALIASES))
    if column == "t" or column.startswith(("t,", "q.", "time")):
        return "this looks like a log: the model comes first, then the log"
    if unit and ALIASES.get(word, word) in COLUMNS:
        return f"write {shown(word, 40)} alone, and units in the cells: 90deg, 0.4, 400mm"
    return closest(column, known, "columns")


def _row(
    lines: _Lines, k: int, cells: list[str], columns: list[str], number: int
) -> dict[str, str]:
    extra = next((n for n, c in enumerate(cells) if c and not "".join(columns[n : n + 1])), None)
    if extra is not None:
        message = f"row {number}: a cell has no column above it"
        raise DescriptionError(message, lines.place(k, extra))
    row = {c: cell for c, cell in zip(columns, cells, strict=False) if c and cell}
    if row.pop("j", str(number)) != str(number):
        message = f"row {number}, column j: frames are numbered 1, 2, 3 in their order"
        raise DescriptionError(message, lines.place(k, columns.index("j")))
    return row


# -- native files with a table -----------------------------------------------------------------


def is_table(data: Any) -> bool:
    """Return whether decoded data is a native file whose mechanism is a table."""
    return isinstance(data, Mapping) and ("dh" in data or "table" in data)


def read_table(document: Document, context: Context) -> Mechanism:
    """Return the mechanism of a native document with rows `dh`; records stand beside them."""
    reading = Reading(document, context.snap)
    data = reading.table(document.data, (), KEYS)
    name = read_head(reading, data, context)
    if "dh" in data and "table" in data:
        reading.fail(("table",), "is given together with dh", "give one of them")
    key = "dh" if "dh" in data else "table"
    rows: list[dict[str, Any]] = []
    for k, row in enumerate(reading.listed(data[key], (key,))):
        if not isinstance(row, Mapping):
            reading.fail((key, k), f"a table is needed, not {kind(row)}", "write { column = ... }")
        rows.append({ALIASES.get(str(c), str(c)): x for c, x in row.items() if c != "j"})
    if "convention" in data:
        convention = reading.text(data["convention"], ("convention",))
        if convention not in CONVENTIONS:
            reading.fail(("convention",), "unknown convention", ", ".join(CONVENTIONS))
    else:
        convention = convention_of(rows, document.place((key,)))
    given: dict[str, Any] = {
        "inertia_order": data.get("inertia_order", "dalembert"),
        "parameters": read_parameters(reading, data),
    }
    if "gravity" in data:
        given["gravity"] = reading.listed(data["gravity"], ("gravity",), 3)
    m = read_dh(
        rows,
        convention,
        name=name,
        source=document.source,
        snap=context.snap,
        at=lambda j, column: document.place((key, j, column) if column else (key, j)),
        **given,
    )
    return _with_actions(reading, data, into(m, reading.graph))


def _with_actions(reading: Reading, data: Mapping[str, Any], m: Mechanism) -> Mechanism:
    """Return the table's mechanism with what stands beside the table; its own drives come first."""
    reading.names = [p.name for p in m.parameters]
    index = Index(m.bodies, range(len(m.bodies)))
    with placed(reading.document.place()):
        made = with_actions(reading, data, m, (index, None))
        both = {key: getattr(m, key) + getattr(made, key) for key in ("named", "drives")
                if getattr(made, key) is not getattr(m, key)}  # fmt: skip
        return replace(made, **both, checked=False)
