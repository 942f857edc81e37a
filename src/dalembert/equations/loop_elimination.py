"""One block of the closure solved: by its determinant up to two unknowns, else step by step."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..algebra import is_plain_zero
from ..errors import ModelError
from ..expr import Expr
from .loop_blocks import Line, Solved, value
from .trig import plain
from .trig_form import folded, without


def named_line(s: Solved, name: str, x: Any, lines: list[Line]) -> Any:
    """Return a symbol for x, with its line; numbers stay numbers."""
    if isinstance(x := plain(x), Expr):
        lines.append((name, x))
        return s.symbol(name)
    return x


class Elimination:
    """One block factorised: by its determinant up to two unknowns, else step by step."""

    def __init__(self, s: Solved, number: int, A: list[list[Any]]):
        self.s, self.A, self.n = s, A, len(A)
        self.lines: list[Line] = []
        self.number = number
        if self.n == 1:
            self.det = A[0][0]
        elif self.n == 2:
            self.det = folded(A[0][0] * A[1][1] - A[0][1] * A[1][0])
        else:
            self._factorise()
            return
        self.whole = self.det
        if isinstance(plain(self.det), Expr):
            self.det = named_line(s, s.name("D", number), self.det, self.lines)

    def __call__(self, b: list[Any], lines: list[Line], names: list[str]) -> list[Any]:
        """Return x of A x = b by its names, whose lines are added; numbers stay numbers."""
        if self.n > 2:
            return self._substitute(b, lines, names)
        if self.n == 1:
            tops = [folded(b[0])]
        else:
            (p, q), (r, t) = self.A
            tops = [folded(t * b[0] - q * b[1]), folded(p * b[1] - r * b[0])]
        found = zip(names, (self._over(x) for x in tops), strict=True)
        return [named_line(self.s, name, x, lines) for name, x in found]

    def _over(self, top: Any) -> Any:
        if is_plain_zero(top):
            return 0
        if not isinstance(self.det, Expr):
            return top * (1 / self.det)
        rest, n = without(top, self.whole)
        return top / self.det if is_plain_zero(n) else n + rest / self.det

    # -- more than two unknowns --

    def _factorise(self) -> None:
        """Eliminate by Markowitz's rule: the pivot that fills in least, unless it is small."""
        n, self.at, self.count = self.n, self.s.at, 0
        self.named: dict[Expr, Any] = {}  # steps: what occurs again has its name
        U = [list(row) for row in self.A]
        self.pivots: list[tuple[int, int]] = []
        self.L: list[list[tuple[int, Any]]] = []  # rows below each pivot with their factors
        rows, columns = set(range(n)), set(range(n))
        for _ in range(n):
            r, c = self._pivot(U, rows, columns)
            rows.remove(r)
            columns.remove(c)
            U[r][c] = self._step(U[r][c], self.lines)
            for k in sorted(columns):  # used for every right side, and for every row below
                U[r][k] = self._step(U[r][k], self.lines)
            below = []
            for i in sorted(rows):
                if is_plain_zero(U[i][c]):
                    continue
                factor = self._step(folded(U[i][c]) / U[r][c], self.lines)
                below.append((i, factor))
                U[i][c] = 0
                for k in sorted(columns):
                    if not is_plain_zero(U[r][k]):
                        U[i][k] = self._step(folded(U[i][k] - factor * U[r][k]), self.lines)
            self.pivots.append((r, c))
            self.L.append(below)
        self.U = U

    def _pivot(self, U: Any, rows: set[int], columns: set[int]) -> tuple[int, int]:
        best: tuple[Any, ...] = ()
        for r in sorted(rows):
            own = [c for c in sorted(columns) if not is_plain_zero(U[r][c])]
            sizes = {c: abs(value(U[r][c], self.at)) for c in own}
            for c in own:
                if sizes[c] < 0.05 * max(sizes.values()) or sizes[c] == 0:
                    continue
                others = sum(not is_plain_zero(U[i][c]) for i in rows) - 1
                plain = 0 if not isinstance(U[r][c], Expr) else 1
                key = ((len(own) - 1) * others, plain, -sizes[c], r, c)
                best = min(best, key) if best else key
        if not best:
            raise ModelError("the closure equations are dependent in every pose")
        return best[3], best[4]

    def _step(self, x: Any, lines: list[Line]) -> Any:
        """Return a name for an intermediate result, itself where it is short."""
        if not isinstance(x := plain(x), Expr):
            return x
        if sum(x.graph.op[i] not in ("param", "const", "neg") for i in x.graph.live([x.id])) < 3:
            return x
        if x in self.named:
            return self.named[x]
        self.count += 1
        name = self.s.name("U", self.number, self.count)
        if self.count > 9:
            name = f"U({self.number},{self.count})"
        with suppress(KeyError):  # it may hold rates
            self.at[name] = value(x, self.at)
        lines.append((name, x))
        self.named[x] = self.s.symbol(name)
        return self.named[x]

    def _substitute(self, b: list[Any], lines: list[Line], names: list[str]) -> list[Any]:
        y = list(b)
        for (r, _), below in zip(self.pivots, self.L, strict=True):
            y[r] = self._step(folded(y[r]), lines)
            for i, factor in below:
                if not is_plain_zero(y[r]):
                    y[i] = y[i] - factor * y[r]
        x: list[Any] = [0] * self.n
        later: list[int] = []
        for r, c in reversed(self.pivots):
            rest = y[r]
            for k in later:
                if not (is_plain_zero(self.U[r][k]) or is_plain_zero(x[k])):
                    rest = rest - self.U[r][k] * x[k]
            rest = folded(rest)
            if not is_plain_zero(rest):
                x[c] = named_line(self.s, names[c], rest / self.U[r][c], lines)
            later.append(c)
        return x
