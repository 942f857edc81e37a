"""The cells of a Denavit-Hartenberg table: numbers, joint variables, mass data, drives, limits.

A row is a mapping from column to value. Mass data about the mass centre: `m`, `com`, `I` (or `cx`
to `cz`, `Ixx` to `Iyz`). About the frame origin: `m`, `first_moment`, `I_origin` (or `MX` to `MZ`,
`XX` to `YZ`). Drives: at the joint `Ia`, `Fv`, `Fs`; at the motor `Jm`, `G`, `B`, `Tc`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from ..algebra import Mat3, Vec3
from ..errors import DescriptionError, Place, closest, shown
from ..expr import Expr, Graph
from ..expr.derive import push
from ..expr.exact import exact, substitute
from ..inertia import Inertia
from ..mechanism import Drive
from .document import Document
from .expressions import FUNCTIONS, NAME, Unit, expression
from .fields import LONGEST_NAME, Reading, kind

OURS = ("XX", "YY", "ZZ", "XY", "XZ", "YZ")

# the order in which each source lists the entries of an inertia tensor; everywhere they are those
# of the true one, XY = -∫xy dm (table: docs/inertia-order.md)
# Pinocchio's ten (toDynamicParameters) are m, mx, my, mz, then its six, about the frame origin
ORDERS: dict[str, tuple[str, ...]] = {
    "dalembert": OURS,
    "rtb": ("XX", "YY", "ZZ", "XY", "YZ", "XZ"),  # Robotics Toolbox, link option I
    "symoro": ("XX", "XY", "XZ", "YY", "YZ", "ZZ"),  # also SymPyBotics and the URDF attributes
    "pinocchio": ("XX", "XY", "YY", "XZ", "YZ", "ZZ"),
    "mujoco": OURS,  # fullinertia
}


def in_our_order(entries: Sequence[Any], order: str) -> list[Any]:
    """Return six entries listed in a source's order as XX, YY, ZZ, XY, XZ, YZ.

    >>> in_our_order([1, 2, 3, 12, 23, 13], "rtb")
    [1, 2, 3, 12, 13, 23]
    """
    found = dict(zip(ORDERS[order], entries, strict=True))
    return [found[axes] for axes in OURS]


CENTRES = ("cx", "cy", "cz")
CENTRAL = tuple("I" + axes.lower() for axes in OURS)
MOMENTS = ("MX", "MY", "MZ")
MASS = ("m", "com", "I", *CENTRES, *CENTRAL, "first_moment", "I_origin", *MOMENTS, *OURS)
AT_JOINT, AT_MOTOR = ("Ia", "Fv", "Fs", "Fs_neg"), ("Jm", "G", "B", "Tc", "Tc_neg")
OTHER = ("name", "joint", "qlim", "qmin", "qmax")
LENGTHS = ("b", "d", "r", "a", "offset", "com", *CENTRES)
COMMON = (*MASS, *AT_JOINT, *AT_MOTOR, *OTHER)

At = Callable[[int, str], Place]
_NAME = re.compile(NAME)


class _Values(Reading):
    """The values of cells; the way to one is its row, from 0, and its column."""

    def __init__(self, place: At, snap: float | None):
        super().__init__(Document(None), snap)
        self.place = place

    def fail(self, at: Sequence[str | int], message: str, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError that names row and column."""
        j, column = int(at[0]), str(at[1])
        way = f"row {j + 1}, column {shown(column, 40)}: " if column else f"row {j + 1}: "
        raise DescriptionError(way + message, self.place(j, column), hint)

    def expression(self, text: str, at: Sequence[str | int], unit: Unit | None = None) -> Any:
        """Return the value of a text whose names are parameters; a length may have its unit."""
        length = "length" in at or at[1] in LENGTHS
        unit = "angle" if "angle" in at else "length" if length else "number"
        return expression(text, self.graph, Place(""), unit=unit)


class Cells:
    """The rows of one table, read into one graph; `None` in a cell is nothing at all."""

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        at: At,
        snap: float | None = None,
        order: str = "dalembert",
        parameters: Mapping[str, Any] | None = None,
    ):
        self.order, self.reading = order, _Values(at, snap)
        for j, row in enumerate(rows):
            if not isinstance(row, Mapping):
                where, hint = at(j, ""), "write { column = value, ... }"
                raise DescriptionError(f"row {j + 1}: {kind(row)}, not a table", where, hint)
        self.rows = [
            {c: x.tolist() if hasattr(x, "tolist") else x for c, x in row.items() if x is not None}
            for row in rows
        ]
        if order not in ORDERS:
            hint = closest(str(order), list(ORDERS))
            raise DescriptionError(f"inertia order {shown(str(order), 40)!r}", at(0, ""), hint)
        self.graph = self.reading.graph
        self.variables: dict[int, str] = {}
        self.given = {
            str(n): None if v is None else self._constant(str(n), v)
            for n, v in (parameters or {}).items()
        }
        self.uses = Counter(n for row in self.rows for cell in row.values() for n in _names(cell))

    def fail(self, j: int, column: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError that names row and column."""
        self.reading.fail((j, column), message, hint)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was changed while reading."""
        return self.reading.notes()

    def check_columns(self, known: Sequence[str]) -> None:
        """Refuse a column that the table cannot have."""
        for j, row in enumerate(self.rows):
            for column in row:
                if column not in known:
                    name = str(column)
                    near = closest(name, known)
                    hint = near if near.startswith("did") else "columns: " + ", ".join(known)
                    self.fail(j, name, "unknown column", hint)

    # -- numbers -------------------------------------------------------------------------------

    def number(self, j: int, column: str, default: Any = 0, angle: bool = False) -> Any:
        """Return the number or expression of a cell of row j (from 0)."""
        value = self.rows[j].get(column)
        return default if value is None else self.value(value, j, column, angle)

    def value(self, value: Any, j: int, column: str, angle: bool = False) -> Any:
        """Return the number that a value of row j means."""
        if angle:
            read = self.reading.angle(value, (j, column, "angle"))
            self.reading.within_a_turn(read, value, (j, column))
            return read
        return self.reading.number(value, (j, column))

    def _constant(self, name: str, value: Any) -> Any:
        number = self.value(value, 0, name)
        if isinstance(number, Expr) and number.names():
            self.fail(0, name, "the value of a parameter depends on another one", "write a number")
        return number

    def whole(self, j: int, column: str, default: int) -> int:
        """Return a whole number."""
        value = self.number(j, column, default)
        if not isinstance(value, int):
            given = shown(str(self.rows[j][column]), 40)
            self.fail(j, column, f"{given!r} is not a whole number")
        return value

    def variable(self, j: int, column: str, angle: bool = False) -> Any:
        """Return the constant part of the cell where the joint variable stands.

        A name that stands nowhere else and has no value is the variable itself: `th1 + pi/2`.
        """
        value = self.number(j, column, 0, angle)
        cell = self.rows[j].get(column)
        if not isinstance(value, Expr) or not isinstance(cell, str):
            return value
        free = [n for n in value.names() if self.uses[n] == 1 and n not in self.given]
        if not free:
            return value
        name, graph = free[0], self.graph
        slope = push(graph, [value.id], {graph.param(name).id: 1})[0]
        if len(free) > 1 or slope.value != 1:
            what = f"{shown(cell, 60)!r} is not a joint variable and a constant"
            self.fail(j, column, what, "write the constant alone, or a name plus a constant")
        self.variables[j] = name

        def leaf(source: Graph, i: int) -> Any:
            return 0 if source.op[i] == "param" and source.args[i][0] == name else None

        rest = exact(substitute(value, graph, leaf))
        return self.reading.angle(rest, (j, column)) if angle else rest

    # -- mass data -----------------------------------------------------------------------------

    def inertia(self, j: int) -> Inertia:
        """Return the mass data of row j, about the mass centre or about the frame origin."""
        row, mass = self.rows[j], self.number(j, "m")
        central = [c for c in ("com", "I", *CENTRES, *CENTRAL) if c in row]
        origin = [c for c in ("first_moment", "I_origin", *MOMENTS, *OURS) if c in row]
        if central and origin:
            hint = "give com and I about the mass centre, or first_moment and I_origin"
            self.fail(j, origin[0], f"is given together with {central[0]}", hint)
        if origin:
            lever = self._vector(j, "first_moment", MOMENTS)
            return Inertia(mass, lever, self._tensor(j, "I_origin", OURS), "origin")
        return Inertia(mass, self._vector(j, "com", CENTRES), self._tensor(j, "I", CENTRAL))

    def _one_way(self, j: int, column: str, parts: Sequence[str]) -> bool:
        """Return whether a list stands in `column`; refuse a list beside its parts."""
        listed = column in self.rows[j]
        beside = [c for c in parts if c in self.rows[j]]
        if listed and beside:
            self.fail(j, column, f"is given together with {beside[0]}", "give one of them")
        return listed

    def _vector(self, j: int, column: str, parts: Sequence[str]) -> Vec3:
        if not self._one_way(j, column, parts):
            return Vec3(*(self.number(j, c) for c in parts))
        return self.reading.vector(self.rows[j][column], (j, column))

    def _tensor(self, j: int, column: str, parts: Sequence[str]) -> Mat3:
        if not self._one_way(j, column, parts):
            return Mat3.symmetric(*(self.number(j, c) for c in parts))
        entries = self.reading.listed(self.rows[j][column], (j, column))
        six = in_our_order(entries, self.order) if len(entries) == 6 else entries
        return self.reading.tensor(six, (j, column))

    # -- drives and limits ---------------------------------------------------------------------

    def drive(self, j: int) -> Drive | None:
        """Return the drive of row j, its data at the joint or at the motor."""
        row = self.rows[j]
        joint, motor = ([c for c in names if c in row] for names in (AT_JOINT, AT_MOTOR))
        if joint and motor:
            hint = f"at the joint {', '.join(AT_JOINT)}; at the motor {', '.join(AT_MOTOR)}"
            self.fail(j, motor[0], f"is given together with {joint[0]}", hint)
        if not joint and not motor:
            return None
        inertia, viscous, dry = ("Jm", "B", "Tc") if motor else ("Ia", "Fv", "Fs")
        Im, gear, B = self.number(j, inertia), self.number(j, "G", 1), self.number(j, viscous)
        return Drive(j, Im, gear, self._coulomb(j, dry), B)

    def _coulomb(self, j: int, column: str) -> tuple[Any, Any]:
        """Return friction at positive and at negative speed from one number or a pair."""
        forward, back = self.reading.both_ways(self.rows[j].get(column, 0), (j, column))
        return forward, self.number(j, f"{column}_neg", back)

    def limits(self, j: int, unit: Unit) -> tuple[Any, ...]:
        """Return the pair of limits of the joint of row j, or nothing; a unit may stand there."""
        whole = self._one_way(j, "qlim", ("qmin", "qmax"))
        columns = ("qlim", "qlim") if whole else ("qmin", "qmax")
        given = (
            self.reading.listed(self.rows[j]["qlim"], (j, "qlim"), 2)
            if whole
            else [self.rows[j].get(c) for c in columns]
        )
        pair = tuple(
            None if x is None else self.reading.number(x, (j, c, unit))
            for x, c in zip(given, columns, strict=True)
        )
        return (pair,) if whole or any(x is not None for x in pair) else ()

    def names(self, j: int) -> tuple[str, str]:
        """Return the names of the body and of the joint of row j (empty: that of the body)."""
        row = self.rows[j]
        values = row.get("name", f"j{j + 1}"), row.get("joint", self.variables.get(j, "-"))
        for column, value in zip(("name", "joint"), values, strict=True):
            if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
                self.fail(j, column, "not a name", "write a text that is not empty")
        named = "joint" in row or j in self.variables
        return values[0], values[1] if named else ""


def _names(cell: Any) -> Iterator[str]:
    """Yield the names that stand in a cell, with repetition."""
    if isinstance(cell, (list, tuple)):
        for part in cell:
            yield from _names(part) if isinstance(part, (str, Expr)) else ()
    elif isinstance(cell, Expr):
        yield from cell.names()
    elif isinstance(cell, str):
        yield from (n for n in _NAME.findall(cell[:100_000]) if n not in (*FUNCTIONS, "pi"))
