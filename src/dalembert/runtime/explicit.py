"""Steps of explicit Runge-Kutta methods, written as LLVM IR from their tableaux."""

from __future__ import annotations

from collections.abc import Sequence

from .adaptive import Adaptive
from .methods import Tableau
from .methods.tableau import Row


class Explicit(Adaptive):
    """The driver of an explicit method; row k of K is its stage k, f at the end comes next."""

    method: Tableau

    def stage(self, k: int, c: float, weights: Row, h: str) -> None:
        """Compute row k of K from the rows before."""
        x, t, y = self.get("x"), self.get("t"), self.get("y")
        self.combine(y, self.wide, x, self.weighted(weights), h)
        self.call("rhs", y, self.row(self.K, k), self.add(t, self.mul(h, c)))

    def step(self, h: str) -> None:
        """Write the stages, the end of the step and the derivative there."""
        method, x_new = self.method, self.get("x_new")
        for k in range(1, method.stages):
            self.stage(k, method.C[k], method.A[k], h)
        self.combine(x_new, self.wide, self.get("x"), self.weighted(method.B), h)
        self.call("rhs", x_new, self.row(self.K, method.stages), self.get("t_new"))

    def errors(self, h: str) -> tuple[str, Sequence[Row]]:
        """Return h and the weights of the estimates."""
        return h, [e for e in (self.method.E, self.method.E2) if e]

    def slopes(self, h: str) -> None:
        """Write a cubic with the slopes of both ends, then what the method adds."""
        method, F, K = self.method, self.get("F"), self.K
        for k, (c, weights) in enumerate(method.extra, method.stages + 1):
            self.stage(k, c, weights, h)
        back = self("fneg double {}", h)
        two, minus = "0x4000000000000000", "0xBFF0000000000000"
        old, new, change = self.row(K, 0), self.row(K, method.stages), self.row(F, 0)
        self.combine(self.row(F, 1), self.wide, None, [(h, old), (minus, change)])
        terms = [(two, change), (back, new), (back, old)]
        self.combine(self.row(F, 2), self.wide, None, terms)
        for k, weights in enumerate(method.dense, 3):
            self.combine(self.row(F, k), self.wide, None, self.weighted(weights), h)

    def rates(self, t: str) -> None:
        """Take over the last row, unless the state was moved or a held signal jumps."""
        x, derived = self.get("x"), self.row(self.K, 0)
        moved = self("icmp ne ptr {}, null", self.get("project"))
        held = self("icmp eq i64 {}, 1", self.get("terms"))
        jumps = self("and i1 {}, {}", held, self("icmp ne i64 {}, 0", self.get("pieces")))
        again = self("or i1 {}, {}", moved, jumps)
        with self.when(again):
            self.set("start", t)
            self.call("rhs", x, derived, t)
        with self.when(self("xor i1 {}, true", again)):
            self.copy(derived, self.row(self.K, self.method.stages), self.get("n"))
