"""Denavit-Hartenberg tables: modified (Khalil and Kleinfinger 1986, Craig) and standard.

Modified: frame j stands on the axis of joint j, iTj = Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r) (Khalil
2010, eq (1), E2.1). Standard: frame j stands at the far end of link j,
A_j = Rz(θ) Tz(d) Tx(a) Rx(α); centre and tensor given there are moved to the joint frame. The
convention is always echoed in the notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..errors import DescriptionError, Place, shown
from ..expr import Expr, Graph
from ..expr.exact import exact
from ..inertia import Inertia
from ..joint import Fixed, Joint, Prismatic, Revolute
from ..mechanism import Body, Drive, Mechanism, Parameter
from .expressions import expression, snap_angle

MODIFIED = ("a", "sigma", "gamma", "b", "alpha", "d", "theta", "r")
STANDARD = ("type", "theta", "d", "a", "alpha", "offset")
INERTIAL = ("m", "com", "I", "first_moment", "I_origin")
DRIVE = ("Ia", "Jm", "G", "B", "Tc", "Fv", "Fs")
OTHER = ("name", "qlim")


class Table:
    """Cells of one table read into one graph; `None` in a cell is the joint variable."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], source: str, snap: float | None):
        self.rows, self.source, self.snap = rows, source, snap
        self.graph = Graph()
        self.notes: list[str] = []

    def cell(self, j: int, column: str, default: Any = 0, angle: bool = False) -> Any:
        """Return the number or expression of a cell of row j (from 0)."""
        value = self.rows[j].get(column, default)
        return default if value is None else self.number(value, j, column, angle)

    def number(self, value: Any, j: int, column: str, angle: bool = False) -> Any:
        place = Place(self.source, j + 1, 1, "")
        try:
            if isinstance(value, str):
                number = expression(value, self.graph, place, unit="angle" if angle else "length")
            else:
                number = self.graph.adopt(value) if isinstance(value, Expr) else exact(value)
        except Exception as error:
            raise DescriptionError(
                f"row {j + 1}, column {column}: {getattr(error, 'message', error)}",
                place,
                getattr(error, "hint", None),
            ) from None
        if angle:
            number, note = snap_angle(number, self.snap, self.graph)
            self.notes += [note] if note and note not in self.notes else []
        return number

    def vector(self, value: Sequence[Any], j: int, column: str) -> Vec3:
        if len(value) != 3:
            raise DescriptionError(f"row {j + 1}, column {column}: 3 numbers are needed")
        return Vec3(*(self.number(x, j, column) for x in value))

    def tensor(self, value: Sequence[Any], j: int, column: str) -> Mat3:
        rows = list(value)
        if len(rows) == 3 and all(isinstance(r, (list, tuple)) for r in rows):
            return Mat3(*(tuple(self.number(x, j, column) for x in r) for r in rows))
        if len(rows) not in (3, 6):
            raise DescriptionError(
                f"row {j + 1}, column {column}: 3 or 6 entries are needed, not {len(rows)}",
                hint="the order is XX, YY, ZZ, XY, XZ, YZ",
            )
        six = [self.number(x, j, column) for x in rows]
        return Mat3.symmetric(*six, *([0] * (6 - len(six))))

    def inertia(self, j: int) -> Inertia:
        row, mass = self.rows[j], self.cell(j, "m")
        if "first_moment" in row or "I_origin" in row:
            h = self.vector(row.get("first_moment", (0, 0, 0)), j, "first_moment")
            return Inertia(
                mass, h, self.tensor(row.get("I_origin", (0, 0, 0)), j, "I_origin"), "origin"
            )
        centre = self.vector(row.get("com", (0, 0, 0)), j, "com")
        return Inertia(mass, centre, self.tensor(row.get("I", (0, 0, 0)), j, "I"))

    def drive(self, j: int) -> Drive | None:
        row = self.rows[j]
        if not any(name in row for name in DRIVE):
            return None
        coulomb = row.get("Tc", row.get("Fs", 0))
        if isinstance(coulomb, (list, tuple)):
            pair = tuple(self.number(x, j, "Tc") for x in coulomb)
            if len(pair) != 2:
                raise DescriptionError(f"row {j + 1}, column Tc: one number or a pair is needed")
        else:
            value = self.number(coulomb, j, "Tc")
            pair = (value, -value)
        viscous = self.cell(j, "B" if "B" in row else "Fv")
        inertia = self.cell(j, "Jm" if "Jm" in row else "Ia")
        return Drive(j, inertia, self.cell(j, "G", 1), pair, viscous)

    def check_columns(self, known: Sequence[str]) -> None:
        for j, row in enumerate(self.rows):
            for column in row:
                if column not in known:
                    raise DescriptionError(
                        f"row {j + 1}: unknown column {shown(str(column))!r}",
                        Place(self.source, j + 1, 1, ""),
                        "columns: " + ", ".join(known),
                    )


def read_dh(
    rows: Sequence[Mapping[str, Any]],
    convention: str = "modified",
    *,
    name: str = "mechanism",
    gravity: Sequence[Any] = (0, 0, "-9.81"),
    parameters: Mapping[str, Any] | None = None,
    source: str = "<table>",
    snap: float | None = None,
) -> Mechanism:
    """Return the mechanism of a Denavit-Hartenberg table, one mapping per row.

    >>> read_dh([{"theta": None, "d": 0}, {"a": 1, "theta": None, "d": 0.4}]).nv
    2
    """
    if not rows:
        raise DescriptionError("the table has no row", Place(source))
    table = Table(rows, source, snap)
    if convention == "modified":
        bodies = _modified(table)
    elif convention == "standard":
        bodies = _standard(table)
    else:
        raise DescriptionError(
            f"unknown convention {shown(convention)!r}", hint='"modified" or "standard"'
        )
    drives = tuple(d for j in range(len(rows)) if (d := table.drive(j)) and bodies[j].joint.nv)
    g = Vec3(*(table.number(x, 0, "gravity") for x in gravity))
    new = Mechanism(
        tuple(bodies),
        name,
        g,
        _declared(table, bodies, drives, g, parameters or {}),
        drives=drives,
        notes=(f"Denavit-Hartenberg table read in the {convention} convention", *table.notes),
    )
    return new


def _declared(
    table: Table, bodies: list[Body], drives: tuple[Drive, ...], g: Vec3, values: Mapping[str, Any]
) -> tuple[Parameter, ...]:
    """Return the parameters in order of appearance, with the values that are given."""
    names = [table.graph.args[i][0] for i, op in enumerate(table.graph.op) if op == "param"]
    return tuple(
        Parameter(n, None if values.get(n) is None else exact(values[n]))
        for n in dict.fromkeys(names)
    )


def _limits(table: Table, j: int, joint: Joint) -> tuple[Any, ...]:
    limits = table.rows[j].get("qlim")
    if not limits or not joint.nv:
        return ()
    return (tuple(None if x is None else table.number(x, j, "qlim") for x in limits),)


def _modified(table: Table) -> list[Body]:
    table.check_columns(MODIFIED + INERTIAL + DRIVE + OTHER)
    bodies: list[Body] = []
    for j, row in enumerate(table.rows):
        a = row.get("a", j)
        if not isinstance(a, int) or isinstance(a, bool) or not 0 <= a <= j:
            raise DescriptionError(
                f"row {j + 1}, column a: the antecedent must be 0 (base) to {j}, not {a!r}",
                Place(table.source, j + 1, 1, ""),
                "number frames from the base outwards",
            )
        sigma = row.get("sigma", 0)
        if sigma not in (0, 1, 2):
            raise DescriptionError(
                f"row {j + 1}, column sigma: {sigma!r} is not 0, 1 or 2",
                Place(table.source, j + 1, 1, ""),
                "0 is revolute, 1 prismatic, 2 fixed",
            )
        T = _rz(table.cell(j, "gamma", angle=True)) @ _tz(table.cell(j, "b"))
        T = T @ _rx(table.cell(j, "alpha", angle=True)) @ _tx(table.cell(j, "d"))
        T = T @ _rz(table.cell(j, "theta", angle=True)) @ _tz(table.cell(j, "r"))
        joint: Joint = (Revolute(), Prismatic(), Fixed())[sigma]
        body_name = str(row.get("name", f"j{j + 1}"))
        bodies.append(
            Body(body_name, a - 1, T, joint, table.inertia(j), limits=_limits(table, j, joint))
        )
    return bodies


def _standard(table: Table) -> list[Body]:
    table.check_columns(STANDARD + INERTIAL + DRIVE + OTHER)
    bodies: list[Body] = []
    end = Transform()  # far end of the previous link in its joint frame
    for j, row in enumerate(table.rows):
        kind = row.get("type", "revolute")
        if kind not in ("revolute", "prismatic"):
            raise DescriptionError(f"row {j + 1}, column type: {shown(str(kind))!r}")
        offset = table.cell(j, "offset", angle=kind == "revolute")
        tail = _tx(table.cell(j, "a")) @ _rx(table.cell(j, "alpha", angle=True))
        joint: Joint
        if kind == "revolute":
            place, tail, joint = end @ _rz(offset), _tz(table.cell(j, "d")) @ tail, Revolute()
        else:
            turned = _rz(table.cell(j, "theta", angle=True)) @ _tz(offset)
            place, joint = end @ turned, Prismatic()
        inertia = table.inertia(j).moved(tail)
        body_name = str(row.get("name", f"j{j + 1}"))
        bodies.append(
            Body(body_name, j - 1, place, joint, inertia, limits=_limits(table, j, joint))
        )
        end = tail
    return bodies


def _lifted(x: Any) -> Any:
    """Return an angle as an expression, so that its sine stays exact."""
    return x if isinstance(x, Expr) else Graph().constant(x)


def _rz(angle: Any) -> Transform:
    return Transform(_turn(2, angle))


def _rx(angle: Any) -> Transform:
    return Transform(_turn(0, angle))


def _turn(axis: int, angle: Any) -> Rotation:
    R = Rotation.about(axis, _lifted(angle))
    return R.map(lambda x: exact(x) if isinstance(x, Expr) and x.value is not None else x)


def _tx(d: Any) -> Transform:
    return Transform(Rotation(), Vec3(d, 0, 0))


def _tz(r: Any) -> Transform:
    return Transform(Rotation(), Vec3(0, 0, r))
