"""Steps of Rosenbrock methods, written as LLVM IR from their tableaux.

Rows of K: f at the state, ∂f/∂t, then the stages U. The matrix I / (h γ) - J is factored once a
step, by columns with partial pivoting; each stage is one solution. The Jacobian is computed once
for each state, also where a step is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from .adaptive import Adaptive
from .code import LANES
from .methods import Rosenbrock
from .methods.tableau import Row

SMALL_PART = 1e-3  # of a step, over which the derivative in time is taken


class Implicit(Adaptive):
    """The driver of a Rosenbrock method."""

    method: Rosenbrock

    def stage(self, i: int) -> str:
        """Return the address of U_i."""
        return self.row(self.K, 2 + i)

    def column(self, base: str, k: str) -> str:
        """Return the address of a column of W or U; four more words than n keep columns apart."""
        return self.spot(base, self("mul i64 {}, {}", self("add i64 {}, {}", self.wide, LANES), k))

    def step(self, h: str) -> None:
        """Write the stages and the end of the step."""
        m, x, y, t, b = self.method, self.get("x"), self.get("y"), self.get("t"), self.get("b")
        with self.when(self("icmp eq i64 {}, 0", self.get("known"))):
            self.slope(h)
            self.set("known", 1)
        self.factor(self.div(1.0, self.mul(h, m.diagonal)))
        over = self.div(1.0, h)
        for i in range(m.stages):
            f = self.row(self.K, 0)
            if i:
                f = b
                terms = [(a, self.stage(j)) for j, a in m.A[i]]
                self.combine(y, self.wide, x, terms)
                self.call("rhs", y, b, self.add(t, self.mul(h, m.alpha[i])))
            parts = [(self.mul(over, c), self.stage(j)) for j, c in m.C[i]]
            parts += [(self.mul(h, m.gamma[i]), self.row(self.K, 1))] if m.gamma[i] else []
            self.combine(b, self.wide, f, parts)
            self.solve(b)
            self.copy(self.stage(i), b, self.get("n"))
        terms = [(w, self.stage(j)) for j, w in m.M]
        self.combine(self.get("x_new"), self.wide, x, terms)

    def slope(self, h: str) -> None:
        """Write the Jacobian, and the derivative in time from two points of the step."""
        x, t, K = self.get("x"), self.get("t"), self.K
        self.call("jacobian", x, self.get("J"), t)
        with self.when(self("icmp ne i64 {}, 0", self.get("timed"))):
            part = self.mul(h, SMALL_PART)
            near, far, out = self.stage(0), self.stage(1), self.row(K, 1)
            self.call("rhs", x, near, self.add(t, part))
            self.call("rhs", x, far, self.add(t, self.add(part, part)))
            half = self.div(0.5, part)
            terms = [(-3.0, self.row(K, 0)), (4.0, near), (-1.0, far)]
            self.combine(out, self.wide, None, [(self.mul(half, c), row) for c, row in terms])

    def factor(self, diagonal: str) -> None:
        """Factor `diagonal` I - J into triangles, rows exchanged for the largest pivot."""
        n, W, J, upper = self.get("n"), self.get("W"), self.get("J"), self.get("U")
        inverse = self.get("inverse")
        with self.loop(n) as j:
            own = self.column(W, j)
            source = self.spot(J, self("mul i64 {}, {}", n, j))
            self.combine(own, n, None, [(-1.0, source)])
            self.put(own, j, self.add(self.word(own, j), diagonal))
        with self.loop(n) as k:
            own, next_ = self.column(W, k), self("add i64 {}, 1", k)
            self.exchange(k, own)
            self.copy(self.column(upper, k), own, k)
            one = self.div(1.0, self.word(own, k))
            self.put(inverse, k, one)
            low, tail = self.spot(own, next_), self("sub i64 {}, {}", n, next_)
            self.combine(low, tail, None, [(one, low)])
            with self.loop(tail) as j:
                other = self.column(W, self("add i64 {}, {}", next_, j))
                minus, rest = self("fneg double {}", self.word(other, k)), self.spot(other, next_)
                self.combine(rest, tail, rest, [(minus, low)])

    def exchange(self, k: str, own: str) -> None:
        """Bring the largest entry of column k below the diagonal to it."""
        n, W = self.get("n"), self.get("W")
        self.set("pivot", k)
        self.set("largest", -1.0)
        with self.loop(self("sub i64 {}, {}", n, k)) as i:
            row = self("add i64 {}, {}", k, i)
            size = self("call double @llvm.fabs.f64(double {})", self.word(own, row))
            with self.when(self.less(self.get("largest"), size)):
                self.set("largest", size)
                self.set("pivot", row)
        pivot = self.get("pivot")
        self.put(self.get("order"), k, pivot, "i64")
        with self.when(self("icmp ne i64 {}, {}", pivot, k)), self.loop(n) as j:
            self.swap(self.column(W, j), k, pivot)

    def swap(self, base: str, i: str, j: str) -> None:
        """Exchange two words of an array."""
        a, b = self.word(base, i), self.word(base, j)
        self.put(base, i, b)
        self.put(base, j, a)

    def solve(self, b: str) -> None:
        """Write the solution in the place of b, which is longer than n by four."""
        n, W, upper, order = self.get("n"), self.get("W"), self.get("U"), self.get("order")
        inverse = self.get("inverse")
        with self.loop(n) as k:
            self.swap(b, k, self.word(order, k, "i64"))
        with self.loop(n) as k:
            next_ = self("add i64 {}, 1", k)
            minus, rest = self("fneg double {}", self.word(b, k)), self.spot(b, next_)
            low = self.spot(self.column(W, k), next_)
            self.combine(rest, self("sub i64 {}, {}", n, next_), rest, [(minus, low)])
        with self.loop(n) as i:
            k = self("sub i64 {}, {}", self("sub i64 {}, 1", n), i)
            value = self.mul(self.word(b, k), self.word(inverse, k))
            self.put(b, k, value)
            # columns of the upper triangle hold zeros from the diagonal on
            minus = self("fneg double {}", value)
            self.combine(b, k, b, [(minus, self.column(upper, k))])

    def errors(self, h: str) -> tuple[str, Sequence[Row]]:
        """Return one and the weights of the stages."""
        return "0x3FF0000000000000", [tuple((2 + j, e) for j, e in self.method.E)]

    def slopes(self, h: str) -> None:
        """Write the interpolant of the method."""
        F = self.get("F")
        for k, weights in enumerate(self.method.dense, 1):
            terms = [(d, self.stage(j)) for j, d in weights]
            self.combine(self.row(F, k), self.wide, None, terms)

    def rates(self, t: str) -> None:
        """Evaluate the right-hand side; the Jacobian is that of another state."""
        self.set("start", t)
        self.call("rhs", self.get("x"), self.row(self.K, 0), t)
        self.set("known", 0)
