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
from ..errors import DalembertError, DescriptionError, Place, closest, shown
from ..expr import Expr, Graph
from ..expr.derive import push
from ..expr.exact import exact, substitute
from ..inertia import Inertia
from ..mechanism import Drive
from .document import NotFinite
from .expressions import FUNCTIONS, NAME, Unit, expression, snap_angle
from .fields import LONGEST_NAME, kind
from .inertia_order import ORDERS, OURS, in_our_order

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
        self.at, self.snap, self.order = at, snap, order
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
        self.graph = Graph()
        self.notes: list[str] = []
        self.variables: dict[int, str] = {}
        self.given = {
            str(n): None if v is None else self._constant(str(n), v)
            for n, v in (parameters or {}).items()
        }
        self.uses = Counter(n for row in self.rows for cell in row.values() for n in _names(cell))

    def fail(self, j: int, column: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError that names row and column."""
        way = f"row {j + 1}, column {shown(column, 40)}: " if column else f"row {j + 1}: "
        raise DescriptionError(way + message, self.at(j, column), hint)

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
        if isinstance(value, (bool, list, tuple, Mapping)):
            self.fail(j, column, f"a number is needed, not {kind(value)}")
        if isinstance(value, NotFinite):
            self.fail(j, column, f"{value.text} is not a finite number")
        try:
            if isinstance(value, str):
                unit: Unit = "angle" if angle else "length" if column in LENGTHS else "number"
                number = expression(value, self.graph, Place(""), unit=unit)
            else:
                number = exact(self.graph.adopt(value) if isinstance(value, Expr) else value)
        except DalembertError as error:
            said = f" in {shown(value, 60)!r}" if isinstance(value, str) else ""
            self.fail(j, column, error.message + said, error.hint)
        return self._snapped(number) if angle else number

    def _constant(self, name: str, value: Any) -> Any:
        number = self.value(value, 0, name)
        if isinstance(number, Expr) and number.names():
            self.fail(0, name, "the value of a parameter depends on another one", "write a number")
        return number

    def _snapped(self, angle: Any) -> Any:
        snapped, note = snap_angle(angle, self.snap, self.graph)
        self.notes += [note] if note and note not in self.notes else []
        return snapped

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
        return self._snapped(rest) if angle else rest

    def _entries(self, j: int, column: str, *sizes: int) -> list[Any]:
        value = self.rows[j][column]
        if not isinstance(value, (list, tuple)):
            self.fail(j, column, f"a list is needed, not {kind(value)}", "write [ ... ]")
        if len(value) not in sizes:
            need = " or ".join(map(str, sizes))
            self.fail(j, column, f"{len(value)} entries, {need} needed")
        return list(value)

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
        return Vec3(*(self.value(x, j, column) for x in self._entries(j, column, 3)))

    def _tensor(self, j: int, column: str, parts: Sequence[str]) -> Mat3:
        if not self._one_way(j, column, parts):
            return Mat3.symmetric(*(self.number(j, c) for c in parts))
        entries = self._entries(j, column, 3, 6)
        if isinstance(entries[0], (list, tuple)):
            return self._matrix(j, column, entries)
        six = [self.value(x, j, column) for x in entries]
        return Mat3.symmetric(*in_our_order(six, self.order) if len(six) == 6 else (*six, 0, 0, 0))

    def _matrix(self, j: int, column: str, rows: list[Any]) -> Mat3:
        from ..mechanism.edit import symmetric

        if any(not isinstance(r, (list, tuple)) or len(r) != 3 for r in rows):
            self.fail(j, column, "a tensor has 3 rows of 3 numbers")
        try:
            return symmetric([[self.value(x, j, column) for x in r] for r in rows])
        except DescriptionError:
            raise
        except DalembertError as error:
            self.fail(j, column, error.message)

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
        row = self.rows[j]
        if isinstance(row.get(column), (list, tuple)):
            forward, back = (self.value(x, j, column) for x in self._entries(j, column, 2))
            return forward, back
        forward = self.number(j, column)
        return forward, self.number(j, f"{column}_neg", -forward)

    def limits(self, j: int) -> tuple[Any, ...]:
        """Return the pair of limits of the joint of row j, or nothing."""
        if self._one_way(j, "qlim", ("qmin", "qmax")):
            pair = self._entries(j, "qlim", 2)
            return (tuple(None if x is None else self.value(x, j, "qlim") for x in pair),)
        pair = [self.number(j, c, None) for c in ("qmin", "qmax")]
        return (tuple(pair),) if any(x is not None for x in pair) else ()

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
