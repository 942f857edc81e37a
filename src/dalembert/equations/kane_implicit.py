"""J_nh and its rate where they are not short ratios: [H; S] J_nh = [0; 1] solved in named steps.

DeSantis (1996), (2.10)-(2.12): the rows are taken apart into blocks; a block of one or two rates is
solved by its determinant, a larger one by elimination. The rate follows from the same blocks,
[H; S] J̇_nh = -[Ḣ; Ṡ] J_nh. Prescribed motion is one more column: [H; S] b = [h; 0].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import cos, sin, sqrt
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..algorithms import kane
from ..expr import Expr, Graph
from ..expr.formula import Symbol, mapped, node_formula
from ..expr.style import TEXT, write
from ..linalg import blocks, dot
from .elimination import dependent
from .kane_lean import Steps
from .kane_step_names import Line, place_of
from .kane_value import entry
from .loop_blocks import value as value_of
from .loop_elimination import Elimination
from .ratio import Ratio, as_ratio, size
from .trig import plain
from .trig_form import formula_of

if TYPE_CHECKING:
    from .kane_form import KaneForm
    from .kane_symbols import Setting

SMALL = 0.3  # radians and metres by which an example is away from where all is zero


@dataclass
class Work:
    """The letters of an elimination: what `Elimination` asks of its setting."""

    at: dict[str, float]  # a state, which says which pivots are not small
    taken: set[str]
    graph: Graph = field(default_factory=Graph)
    placed: dict[str, Symbol] = field(default_factory=dict)  # the names that were given

    def symbol(self, name: str) -> Any:
        """Return a letter."""
        return self.graph.param(name)

    def name(self, letter: str, *places: int) -> str:
        """Return U(1,2) by its places, det(1) for a determinant; no name of the model."""
        head = "det" if letter == "D" else letter  # D is J'MJ
        made = self.place(head, *places)
        return self.place(head, *places, mark="_") if made in self.taken else made

    def place(self, head: str, *places: int, mark: str = "") -> str:
        """Return the name of an entry by its places, and keep how it is set."""
        made = place_of(head, *places, mark=mark)
        self.placed[made.name] = made
        return made.name


class Implicit:
    """J_nh of a machine whose steps are named, with the lines that say it and its rate."""

    def __init__(self, form: KaneForm, rows: Sequence[Any], steps: Steps):
        self.form, self.steps = form, steps
        s = form.setting
        self.names = [("H", r) for r in range(1, len(rows) + 1)]
        speeds = kane.speed_rows(form.m, s.q, [0] * form.m.nv, s.steer)
        self.names += [("S", a) for a in range(1, len(speeds) + 1)]
        self.told = [row.name for row in (*rows, *speeds)]
        self.A = [[as_ratio(x) for x in row.H] for row in (*rows, *speeds)]
        self.h = [as_ratio(row.h) for row in rows] + [0] * len(speeds)
        self.count, self.held = len(speeds), len(rows)
        # a column for each speed, and one for what is prescribed
        self.columns = self.count + any(not is_plain_zero(x) for x in self.h)
        values = example(s, steps.defined())
        symbols = s.symbols
        self.work = Work(dict(zip(symbols.names, values, strict=True)), set(symbols.names))
        self.found = self._solved(values)

    # -- J_nh --------------------------------------------------------------------------------------

    def _solved(self, values: Sequence[float]) -> dict[tuple[int, int], Any]:
        work, n = self.work, len(self.A)
        self.letters = [[self._letter(self._place(r, c), x, values)
                         for c, x in enumerate(row)] for r, row in enumerate(self.A)]  # fmt: skip
        self.lines: list[tuple[str, Any]] = []
        self.parts: list[tuple[list[int], list[int], Elimination]] = []
        for number, (rows, columns) in enumerate(blocks(self.A), 1):
            if len(rows) != len(columns):
                raise dependent(self.told[rows[-1]])
            inside = [[self.letters[r][c] for c in columns] for r in rows]
            solve = Elimination(work, number, inside)  # type: ignore[arg-type]
            if solve.lines:
                rates = ", ".join(self.form.setting.symbols.rate_name(c + 1) for c in columns)
                rates += " from " + ", ".join(self.told[r] for r in rows)
                self.lines += [("", f"block {number}: {rates}"), *solve.lines]
            self.parts.append((rows, columns, solve))
        right = [[int(r == self.held + a) for r in range(n)] for a in range(self.count)]
        if self.columns > self.count:
            told = enumerate(self.h)
            right.append([self._letter(self._side(r), x, values) for r, x in told])
        return self._columns(("J_nh", "b"), right, self.lines)

    def _columns(
        self, heads: tuple[str, str], right: Sequence[Sequence[Any]], lines: list[tuple[str, Any]]
    ) -> dict[tuple[int, int], Any]:
        """Return x of [H; S] x = b for each speed and for what is prescribed, its lines added."""
        found: dict[tuple[int, int], Any] = {}
        for a, b in enumerate(right):
            known: dict[int, Any] = {}
            for rows, columns, solve in self.parts:
                sides = [b[r] - _times(self.letters[r], known) for r in rows]
                names = [
                    self.work.place(heads[0], c + 1, a + 1) if a < self.count
                    else self.work.place(heads[1], c + 1)
                    for c in columns
                ]  # fmt: skip
                known |= zip(columns, solve(sides, lines, names), strict=True)
            found |= {(k, a): plain(x) for k, x in known.items()}
        return found

    def _place(self, r: int, c: int, dot: str = "") -> str:
        """Return the name of an entry: H(1,5), Hd(1,5)."""
        letter, number = self.names[r]
        return self.work.place(letter + dot, number, c + 1)

    def _side(self, r: int, dot: str = "") -> str:
        """Return the name of a right-hand side: h(1), hd(1)."""
        return self.work.place("h" + dot, r + 1)

    def _letter(self, name: str, x: Any, values: Sequence[float]) -> Any:
        """Return an entry as a number, by the name it has already, or by that of its place."""
        if not isinstance(x, Ratio):
            return x
        symbols = self.form.setting.symbols
        own = [i for i, d in enumerate(x.num.degrees()) if d]
        if (
            size(x) == 1
            and x.den == x.field.one
            and len(own) == 1
            and x == x.field.gen(*symbols.generators[own[0]].key)
        ):
            return self.work.symbol(symbols.names[own[0]])
        self.work.at[name] = value(x, values)
        return self.work.symbol(name)

    @cached_property
    def J_nh(self) -> list[list[Any]]:
        """J_nh: numbers, and entries by their names."""
        return [[self._named(k, a) for a in range(self.count)] for k in range(len(self.A))]

    @cached_property
    def drift(self) -> list[Any]:
        """The part of q̇ that prescribed motion makes, by its names."""
        moved = self.columns > self.count
        return [self._named(k, self.count) if moved else 0 for k in range(len(self.A))]

    def _named(self, k: int, a: int) -> Any:
        found = self.found[k, a]
        return self.form.setting.field.gen("follows", k, a) if isinstance(found, Expr) else found

    def pivots(self) -> list[str]:
        """Return what is divided by, as text; where none of it is 0 there is one solution.

        The product of all is the determinant of [H; S], up to its sign and a number.
        """
        found: list[Any] = []
        for _, _, solve in self.parts:
            found += [solve.det] if solve.n <= 2 else [solve.U[r][c] for r, c in solve.pivots]
        moving = [x for x in found if isinstance(x, Expr) and x.value is None]
        return list(dict.fromkeys(write(formula_of(x), TEXT) for x in moving))

    # -- its rate ----------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> tuple[dict[tuple[Any, ...], Any], dict[int, Any], list[list[Any]]]:
        """The rates of the named steps, the slopes with these, and the rate of [H; S], h last."""
        slopes = self.form.setting.slopes()
        told = self.steps.rates(slopes)
        turned = [
            [x.derivative(slopes) if isinstance(x, Ratio) else 0 for x in (*row, h)]
            for row, h in zip(self.A, self.h, strict=True)
        ]
        return told, slopes, turned

    @cached_property
    def _turning(self) -> tuple[list[tuple[str, Any]], dict[tuple[int, int], Any]]:
        _, _, turned = self.rates
        work, n = self.work, len(self.A)
        letters = [[work.symbol(self._turned(r, c)) if isinstance(x, Ratio) else x
                    for c, x in enumerate(row)] for r, row in enumerate(turned)]  # fmt: skip
        right = [
            [(letters[r][n] if a == self.count else 0)
             - _times(letters[r], {k: self.found[k, a] for k in range(n)}) for r in range(n)]
            for a in range(self.columns)
        ]  # fmt: skip
        lines: list[tuple[str, Any]] = []
        return lines, self._columns(("Jd_nh", "bd"), right, lines)

    def _turned(self, r: int, c: int) -> str:
        """Return the name of an entry of the rate of [H; S], or of h behind its last column."""
        return self._place(r, c, "d") if c < len(self.A) else self._side(r, "d")

    @cached_property
    def slopes(self) -> dict[int, Any]:
        """How every generator changes along the motion, named steps and J_nh with them."""
        s = self.form.setting
        found = self._turning[1]
        out = dict(self.rates[1])
        for (k, a), x in found.items():
            index = s.symbols.index["follows", k, a]
            out.pop(index, None)
            if isinstance(x, Expr):
                out[index] = s.field.gen("turns", k, a)
            elif x:
                out[index] = x
        return out

    # -- lines -------------------------------------------------------------------------------------

    def step_lines(self, used: Sequence[Any]) -> list[Line]:
        """Return the lines of the named steps that entries are made of."""
        return self._said(self.steps.defined(), used)

    def rate_lines(self) -> list[Line]:
        """Return the lines of the rates of named steps, of Hd and of Jd_nh."""
        told, _, turned = self.rates
        entries = [x for row in turned for x in row]
        lines = self._said(told, entries)
        for r, row in enumerate(turned):
            named = [(self._turned(r, c), x) for c, x in enumerate(row) if not is_plain_zero(x)]
            lines += [(self._symbol(name), x) for name, x in named]
        return lines + self._spelled(self._turning[0])

    def spin_lines(self) -> list[Line]:
        """Return the lines of the named components of Ω."""
        return self._said(self.steps.spins, [x for w in self.form.spin for x in w])

    def speed_lines(self) -> list[Line]:
        """Return the rows of speeds that are not rates."""
        own = [(r, row) for r, row in enumerate(self.A) if r >= self.held]
        return [(self._symbol(self._place(r, c)), x)
                for r, row in own if any(isinstance(x, Ratio) for x in row)
                for c, x in enumerate(row) if not is_plain_zero(x)]  # fmt: skip

    def solution_lines(self) -> list[Line]:
        """Return the lines of J_nh."""
        return self._spelled(self.lines)

    def _said(self, defined: Mapping[tuple[Any, ...], Any], used: Sequence[Any]) -> list[Line]:
        steps, s = self.steps, self.form.setting
        wanted: set[tuple[Any, ...]] = set()
        more = set().union(*(steps.used(x) for x in used)) if used else set()
        while more - wanted:
            wanted |= more
            more = set().union(*(steps.used(defined[k]) for k in wanted if k in defined))
        out: list[Line] = []
        for key, x in defined.items():
            if key in wanted:
                symbol = s.ring.symbol(s.symbols.index[key])
                made = entry(s, x)
                out.append((symbol, node_formula("sqrt", [made]) if key[0] == "root" else made))
        return out

    def _spelled(self, lines: Sequence[tuple[str, Any]]) -> list[Line]:
        def typeset(x: Any) -> Any:
            return self._symbol(x.name) if isinstance(x, Symbol) else None

        return [(self._symbol(n), mapped(formula_of(x), typeset)) if n else x for n, x in lines]

    def _symbol(self, name: str) -> Symbol:
        symbols = self.form.setting.symbols
        if name in symbols.names:
            return self.form.setting.ring.symbol(symbols.names.index(name))
        return self.work.placed.get(name, Symbol(name))


def _times(row: Sequence[Any], x: Mapping[int, Any]) -> Any:
    return dot([row[k] for k in x], list(x.values()))


# -- a state in floats: it says which pivots are not small -------------------------------------


def example(setting: Setting, defined: Mapping[tuple[Any, ...], Any]) -> list[float]:
    """Return a value of each generator, near rest; letters of the model without a value drawn."""
    import numpy as np

    s, rng = setting.symbols, np.random.default_rng(7)
    letters = {n: rng.uniform(0.6, 1.4) for n in s.m.open_parameters}
    letters |= {k: value_of(v, {}) for k, v in s.m.values.items()}
    q = rng.uniform(-SMALL, SMALL, len(s.coordinates)).tolist()
    for quaternion in s.quaternions():
        own = [s.generators[i].key[1] - 1 for i in sorted(quaternion)]
        q[own[-1]] = sqrt(1 - sum(q[k] ** 2 for k in own[:-1]))
    waves = {"sin": sin, "cos": cos}
    out = [0.0] * len(s.generators)
    for i, g in enumerate(s.generators):
        kind, *key = g.key
        if kind in waves:
            out[i] = waves[kind](sum(q[k - 1] for k in key[0]))
        elif kind == "q":
            out[i] = q[key[0] - 1]
        elif kind == "p":
            out[i] = float(letters[key[0]])
        elif kind == "other":
            out[i] = value_of(s.others[key[0]], letters)
    for step, x in defined.items():
        found = value(x, out)
        out[s.index[step]] = sqrt(found) if step[0] == "root" else found
    return out


def value(x: Ratio, values: Sequence[float]) -> float:
    """Return a ratio in floats."""
    at = x.field.ring.evaluate
    return float(at(x.num, values) / at(x.den, values))
