"""The values of a native document: numbers, vectors, names, rotations, placements, inertias.

A `Reading` holds what all values of one document share: the graph, the declared names, the notes.
Every reader takes the value and the way to it, so that an error names both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

from ..algebra import Mat3, Rotation, Transform, Turn, Vec3, turn
from ..errors import DalembertError, Place, closest, shown, some
from ..expr import OPS, Expr, Graph
from ..expr.exact import Exact, exact, to_float
from ..mechanism.edit import symmetric
from .document import Document, NotFinite, literal, path
from .exact_pose import Snapped, factored, is_numeric, unit_axis
from .expressions import Unit, expression, snap_angle
from .offsets import At
from .rounded import rounded, rounded_note

LONGEST_NAME = 10_000
MOST_NODES, MOST_BITS = 1_000_000, 4096
_UNIT_OF_COLUMN: tuple[Unit, ...] = ("number", "number", "number", "length")  # 4 x 4 rows


class Reading:
    """One document on its way to a Mechanism."""

    def __init__(self, document: Document, snap: float | None = None):
        self.document, self.snap = document, snap
        self.graph = Graph()
        self.names: Collection[str] = ()  # parameters that expressions may use
        self.snapped: list[str] = []  # what became exact
        self.rounded: list[str] = []  # almost exact angles
        self.symmetrised: list[str] = []
        self.normalised: list[str] = []
        self.numbers_pi: list[str] = []  # texts with pi, where a parameter has that name too

    def fail(self, at: At, message: str, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError with the way to the value and its place."""
        self.document.fail(at, message, hint)

    def notes(self) -> tuple[str, ...]:
        """Return what was changed while reading, one line a kind."""
        notes = []
        if self.snapped:
            notes.append(f"read as exact multiples of pi/12: {some(self.snapped, 6)}")
        notes += rounded_note(self.rounded)
        if self.symmetrised:
            notes.append(f"inertia made symmetric within round-off: {some(self.symmetrised, 6)}")
        if self.normalised:
            notes.append(f"axes made unit vectors: {some(self.normalised, 6)}")
        if self.numbers_pi:
            told = "pi is read as the number, not as the parameter of that name"
            notes.append(f"{told}: {some(self.numbers_pi, 6)}")
        return tuple(notes)

    # -- plain values --------------------------------------------------------------------------

    def table(self, value: Any, at: At, keys: Iterable[str]) -> Mapping[str, Any]:
        """Return a table whose keys are all known."""
        if not isinstance(value, Mapping):
            self.fail(at, f"a table is needed, not {kind(value)}", "write { key = value, ... }")
        known = list(keys)
        for key in value:
            if key not in known:
                name = shown(str(key))
                self.fail((*at, str(key)), f"unknown key {name!r}", closest(str(key), known))
        return value

    def listed(self, value: Any, at: At, size: int | None = None) -> list[Any]:
        """Return a list, of a given size when one is given."""
        if hasattr(value, "tolist"):
            value = value.tolist()
        if not isinstance(value, (list, tuple)):
            self.fail(at, f"a list is needed, not {kind(value)}", "write [ ... ]")
        if size is not None and len(value) != size:
            self.fail(at, f"{len(value)} entries, {size} needed")
        return list(value)

    def text(self, value: Any, at: At) -> str:
        """Return a text; any characters, but not too many."""
        if not isinstance(value, str):
            self.fail(at, f"a text is needed, not {kind(value)}", 'write it in quotes: "..."')
        if len(value) > LONGEST_NAME:
            self.fail(at, f"a text of {len(value)} characters", f"write at most {LONGEST_NAME}")
        if any("\ud800" <= c <= "\udfff" for c in value):
            self.fail(at, f"{shown(value, 40)!r} is not valid Unicode text")
        return value

    def name(self, value: Any, at: At) -> str:
        """Return a name: a text that is not empty."""
        if self.text(value, at) == "":
            self.fail(at, "a name is empty", "write one or more characters")
        return value

    def number(self, value: Any, at: At, unit: Unit | None = None) -> Exact:
        """Return an exact number or expression from a number, a text or a table of nodes.

        `unit` says which units a text may have: those of an angle or a length; both if None.
        """
        if isinstance(value, str):
            found = literal(value.strip())
            if found is not None:
                return self._checked(found, at)
            return self._expression(value, at, unit)
        if isinstance(value, Mapping):
            return self._nodes(value, at)
        if isinstance(value, NotFinite):
            self.fail(at, f"{value.text} is not a finite number")
        if isinstance(value, bool) or value is None or isinstance(value, (list, tuple)):
            self.fail(at, f"a number is needed, not {kind(value)}")
        if isinstance(value, Expr):
            return exact(self.graph.adopt(value))
        return self._checked(value, at)

    def _checked(self, value: Any, at: At) -> Exact:
        try:
            return exact(value)
        except DalembertError as error:
            self.fail(at, error.message, error.hint)

    def expression(self, text: str, at: At, unit: Unit | None = None) -> Exact:
        """Return the value of a text of declared names; its error has no place yet."""
        if "pi" in self.names and re.search(r"\bpi\b", text):
            self.numbers_pi.append(path(at))
        return expression(text, self.graph, Place("", 1, 1, text), known=self.names, unit=unit)

    def _expression(self, text: str, at: At, unit: Unit | None) -> Exact:
        try:
            return self.expression(text, at, unit)
        except DalembertError as error:
            self.fail(at, f"{error.message} in {shown(text, 60)!r}", error.hint)

    def _nodes(self, value: Any, at: At) -> Exact:
        """Return an expression written node by node: [["param", "L"], ["mul", 0, 0]]."""
        rows = self.listed(self.table(value, at, ("nodes",)).get("nodes"), (*at, "nodes"))
        made: list[int] = []
        if not 0 < len(rows) <= MOST_NODES:
            self.fail(at, f"an expression of {len(rows)} nodes")
        for k, row in enumerate(rows):
            here = (*at, "nodes", k)
            op, *args = self.listed(row, here) or [None]
            made.append(self._node(op, args, made, here))
            value = self.graph.const[made[-1]]
            if value is not None and not _is_small(value):
                self.fail(here, "number out of range", "numbers are below 1e300")
        return exact(Expr(self.graph, made[-1]))

    def _node(self, op: Any, args: list[Any], made: list[int], at: At) -> int:
        graph = self.graph
        if op == "pi" and not args:
            return graph.pi().id
        if op == "const" and len(args) == 1:
            number = self.number(args[0], (*at, 1))
            if not isinstance(number, Expr):
                return graph.number(number)
        if op == "param" and len(args) == 1:
            name = self.name(args[0], (*at, 1))
            if name not in self.names:
                self.fail(at, f"unknown name {shown(name)!r}", closest(name, self.names))
            return graph.param(name).id
        if not isinstance(op, str) or op not in OPS or len(args) != OPS[op].arity:
            self.fail(at, "not a node of an expression", "an operation and its argument numbers")
        ids = []
        for a in args:
            if isinstance(a, bool) or not isinstance(a, int) or not 0 <= a < len(made):
                self.fail(at, "an argument is not an earlier node")
            ids.append(made[a])
        try:
            if op in ("add", "sub", "mul", "div", "neg"):
                return getattr(graph, op)(*ids)
            return graph.apply(op, *ids)
        except (ArithmeticError, ValueError):
            self.fail(at, f"{op} has no finite value here")

    def both_ways(self, value: Any, at: At) -> tuple[Any, Any]:
        """Return friction at positive and at negative speed from one number or a pair."""
        if isinstance(value, (list, tuple)):
            forward, back = (self.pure(x, at) for x in self.listed(value, at, 2))
            return forward, back
        forward = self.pure(value, at)
        return forward, -forward

    def length(self, value: Any, at: At) -> Exact:
        """Return a length, in metres."""
        return self.number(value, at, "length")

    def pure(self, value: Any, at: At) -> Exact:
        """Return a number whose text has no unit of angle or length."""
        return self.number(value, at, "number")

    def vector(self, value: Any, at: At, unit: Unit | None = None) -> Vec3:
        """Return three numbers."""
        three = self.listed(value, at, 3)
        return Vec3(*(self.number(x, (*at, k), unit) for k, x in enumerate(three)))

    def point(self, value: Any, at: At) -> Vec3:
        """Return three lengths."""
        return self.vector(value, at, "length")

    def axis(self, value: Any, at: At) -> Vec3:
        """Return a direction as a unit vector."""
        return self.unit(self.vector(value, at, "number"), at)

    def unit(self, given: Vec3, at: At) -> Vec3:
        """Return a unit vector: as given when its norm is 1, else made exactly one."""
        axis = unit_axis(given, self.graph)
        if axis is None:
            self.fail(at, "the axis is zero", "write a direction such as [0, 0, 1]")
        if axis != given:
            self.normalised.append(" ".join(str(x) for x in given))
        return axis

    def matrix(self, value: Any, at: At) -> Mat3:
        """Return three rows of three numbers."""
        rows = enumerate(self.listed(value, at, 3))
        return Mat3(*(tuple(self.vector(r, (*at, k))) for k, r in rows))

    def limit(self, value: Any, at: At, unit: Unit | None = None) -> Any:
        """Return a bound, None where it is open: null, inf or -inf."""
        if value is None or isinstance(value, NotFinite):
            if isinstance(value, NotFinite) and value.text.lstrip("+-").lower() == "nan":
                self.fail(at, "nan is not a limit")
            return None
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            return None
        return self.number(value, at, unit)

    # -- rotations and placements --------------------------------------------------------------

    def angle(self, value: Any, at: At) -> Exact:
        """Return an angle; a decimal that is a rounded multiple of pi/12 becomes exact."""
        number = self.number(value, at, "angle")
        if isinstance(number, Expr) or (isinstance(value, str) and "/" in value):
            return number
        result, note = snap_angle(number, self.snap, self.graph)
        if note is not None:
            self.snapped.append(note.removeprefix("angle "))
        self.rounded += rounded(number, self.snap)
        return result

    def rotation(self, value: Any, at: At) -> Rotation:
        """Return a rotation: three rows of a matrix, or a product of factors.

        A factor is `["x", angle]` or three rows of a matrix; `["x", angle]` alone is one too.
        """
        factors: list[Turn | Mat3] = []
        given = self.listed(value, at)
        if len(given) == 2 and given[0] in ("x", "y", "z"):
            given = [given]
        elif len(given) == 3 and all(_is_row(row) for row in given):
            return Rotation((self._orthogonal(self.matrix(given, at), at),))
        for k, factor in enumerate(given):
            here = (*at, k)
            parts = self.listed(factor, here)
            if len(parts) == 2 and parts[0] in ("x", "y", "z"):
                angle = self.angle(parts[1], here)
                self.within_a_turn(angle, parts[1], here)
                factors.append(exact_turn("xyz".index(parts[0]), angle, self.graph))
            elif len(parts) == 3:
                factors.append(self._orthogonal(self.matrix(factor, here), here))
            else:
                self.fail(here, "not a rotation", 'write ["x", angle], or three rows of a matrix')
        return Rotation(tuple(factors))

    def within_a_turn(self, angle: Exact, value: Any, at: At) -> None:
        """Refuse plain numbers beyond a turn: degrees that do not say so."""
        if isinstance(angle, Expr) or abs(to_float(angle)) <= 2 * math.pi + 1e-3:
            return
        if isinstance(value, str) and not value.strip().lstrip("+-").replace(".", "").isdigit():
            return
        x = shown(str(value).strip(), 20)
        what = f"a rotation by {x} rad is more than a turn"
        self.fail(at, what, f'write "{x}deg" if degrees are meant, "{x}rad" otherwise')

    def _orthogonal(self, matrix: Mat3, at: At) -> Mat3:
        if all(is_numeric(x) for r in matrix.rows for x in r):
            rows = [[to_float(x) for x in r] for r in matrix.rows]
            for i in range(3):
                for k in range(3):
                    dot = sum(rows[i][n] * rows[k][n] for n in range(3))
                    if not abs(dot - (i == k)) < 1e-6:
                        self.fail(at, "the rotation matrix is not orthogonal")
            a, b, c = (Vec3(*r) for r in rows)
            if a.dot(b.cross(c)) < 0:
                self.fail(at, "the matrix is a reflection, not a rotation")
        return matrix

    def placement(self, value: Any, at: At) -> Transform:
        """Return a placement: 4 x 4 rows, or {translation, rotation}; nothing is the identity."""
        if value is None:
            return Transform()
        if isinstance(value, Mapping):
            parts = self.table(value, at, ("translation", "rotation"))
            p = self.point(parts.get("translation", (0, 0, 0)), (*at, "translation"))
            return Transform(self.rotation(parts.get("rotation", ()), (*at, "rotation")), p)
        numbers: list[list[Exact]] = []
        for i, row in enumerate(self.listed(value, at, 4)):
            four = enumerate(self.listed(row, (*at, i), 4))
            numbers.append([self.number(x, (*at, i, k), _UNIT_OF_COLUMN[k]) for k, x in four])
        if numbers[3] != [0, 0, 0, 1]:
            self.fail((*at, 3), "the last row of a placement is 0 0 0 1")
        matrix = self._orthogonal(Mat3(*((a, b, c) for a, b, c, _ in numbers[:3])), at)
        found: Snapped = factored(matrix, self.graph, keep=self.snap == 0)
        if found.changed:
            self.snapped.append(path(at))
        return Transform(found.rotation, Vec3(*(r[3] for r in numbers[:3])))

    # -- inertia -------------------------------------------------------------------------------

    def tensor(self, value: Any, at: At) -> Mat3:
        """Return a symmetric tensor from 3 rows, 6 entries XX YY ZZ XY XZ YZ, or 3 of them."""
        entries = self.listed(value, at)
        if len(entries) == 3 and isinstance(entries[0], (list, tuple)):
            return self._symmetric(self.matrix(value, at), at)
        if len(entries) not in (3, 6):
            hint = "write 3 rows of 3, or XX YY ZZ XY XZ YZ, or XX YY ZZ"
            self.fail(at, f"an inertia of {len(entries)} entries", hint)
        six = [self.number(x, (*at, k)) for k, x in enumerate(entries)]
        return Mat3.symmetric(*six, *([0] * (6 - len(six))))

    def _symmetric(self, matrix: Mat3, at: At) -> Mat3:
        try:
            made = symmetric(matrix.rows)
        except DalembertError as error:
            self.fail(at, error.message)
        if made != matrix:
            self.symmetrised.append(path(at))
        return made


def _is_row(value: Any) -> bool:
    """Whether a value is a row of a matrix: three numbers or texts, and no factor of its own."""
    return (
        isinstance(value, (list, tuple))
        and len(value) == 3
        and not any(isinstance(x, (list, tuple, Mapping)) for x in value)
    )


def exact_turn(axis: int, angle: Exact, graph: Graph) -> Turn:
    """Return an elementary rotation whose cosine and sine are exact, or nodes of the graph."""
    made = turn(axis, angle if isinstance(angle, Expr) else graph.constant(angle))
    return made.map(exact)


def _is_small(x: Any) -> bool:
    bits = 0 if isinstance(x, float) else max(x.numerator.bit_length(), x.denominator.bit_length())
    return bits <= MOST_BITS and abs(x) <= 10**300


def kind(value: Any) -> str:
    """Return what a decoded value is, for an error."""
    names = {bool: "true or false", str: "a text", dict: "a table", list: "a list"}
    if value is None:
        return "nothing"
    return names.get(type(value), "a number")
