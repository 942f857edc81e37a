"""Steps of explicit Runge-Kutta methods, written as LLVM IR from their tableaux.

All stages are one routine that reads its weights from a table: a driver has little to compile.
"""

from __future__ import annotations

from collections.abc import Sequence

from .adaptive import Adaptive
from .code import LANES, WIDE
from .lanes import real
from .methods import Tableau
from .methods.tableau import Row

_STAGE = "ptr %task, double %h, double %c, ptr %to, ptr %table, i64 %count"
_WEIGHED = "ptr %task, double %h, ptr %base, ptr %to, ptr %table, i64 %count"


class Explicit(Adaptive):
    """The driver of an explicit method; row k of K is its stage k, f at the end comes next."""

    method: Tableau

    def stage(self, k: int, c: float, weights: Row, h: str) -> None:
        """Compute row k of K from the rows before."""
        given = f"ptr {self.row(self.K, k)}, {_table(self.method, weights)}"
        self.do(f"call void @stage(ptr %task, double {{}}, double {{}}, {given})", h, c)

    def weighed(self, target: str, base: str, weights: str, h: str) -> None:
        """Write target = base + h Σ weight · row of K."""
        given = f"ptr {base}, ptr {target}, {weights}"
        self.do(f"call void @weighed(ptr %task, double {{}}, {given})", h)

    def step(self, h: str) -> None:
        """Write the stages, the end of the step and the derivative there."""
        method, x_new = self.method, self.get("x_new")
        for k in range(1, method.stages):
            self.stage(k, method.C[k], method.A[k], h)
        self.weighed(x_new, self.get("x"), _table(method, method.B), h)
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
            self.weighed(self.row(F, k), "null", _table(method, weights), h)

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

    @classmethod
    def routines(cls, method: Tableau) -> str:
        """Return the tables of weights, and the functions that all stages share."""
        c = cls(method, "stage", _STAGE)
        y = c.get("y")
        c.weighed(y, c.get("x"), "ptr %table, i64 %count", "%h")
        c.call("rhs", y, "%to", c.add(c.get("t"), c.mul("%h", "%c")))
        nothing = f"@nothing = internal constant {WIDE} {c.spread(-0.0)}, align 8\n"
        parts = [c.procedure("stage", _STAGE), _weighed(cls(method, "weighed", _WEIGHED))]
        return "".join([nothing, *_tables(method), *parts])


def _weighed(c: Explicit) -> str:
    """Return the function that adds up weighted rows; without a base they begin with -0."""
    none = c("icmp eq ptr %base, null")
    base = c("select i1 {}, ptr @nothing, ptr %base", none)
    with c.loop(c.wide, LANES) as i:
        start, tag = c.load(base, c("select i1 {}, i64 0, i64 {}", none, i)), c.label()
        c.open(f"{tag}.from")
        c.open(tag)
        c.lines.append(f"%{tag}.k = phi i64 [ 0, %{tag}.from ], [ %{tag}.n, %{tag} ]")
        c.lines.append(f"%{tag}.s = phi {WIDE} [ {start}, %{tag}.from ], [ %{tag}.t, %{tag} ]")
        place = c("mul i64 {}, 2", f"%{tag}.k")
        row = c.spot(c.K, c("mul i64 {}, {}", c.wide, c.word("%table", place, "i64")))
        weight = c.spread(c.mul("%h", c.word("%table", c("add i64 {}, 1", place))))
        product = c(f"fmul contract {WIDE} {{}}, {{}}", weight, c.load(row, i))
        c.lines.append(f"%{tag}.t = fadd contract {WIDE} %{tag}.s, {product}")
        c.lines.append(f"%{tag}.n = add i64 %{tag}.k, 1")
        more = c("icmp slt i64 {}, %count", f"%{tag}.n")
        c.lines.append(f"br i1 {more}, label %{tag}, label %{tag}.end\n{tag}.end:")
        c.do(f"store {WIDE} %{tag}.t, ptr {{}}, align 8", c.spot("%to", i))
    return c.procedure("weighed", _WEIGHED)


def _rows(method: Tableau) -> list[Row]:
    """Return the weights that a method has tables of."""
    return [*method.A[1:], method.B, *(row for _, row in method.extra), *method.dense]


def _table(method: Tableau, weights: Row) -> str:
    """Return the table of weights and its length, as arguments."""
    return f"ptr @weights.{_rows(method).index(weights)}, i64 {len(weights)}"


def _tables(method: Tableau) -> list[str]:
    """Return the tables: which row of K, and its weight, in the order of rows."""
    texts = []
    for n, weights in enumerate(_rows(method)):
        pairs = ", ".join(
            f"{{ i64, double }} {{ i64 {j}, double {real(a, 1)} }}" for j, a in sorted(weights)
        )
        kind = f"[{len(weights)} x {{ i64, double }}]"
        texts.append(f"@weights.{n} = internal constant {kind} [{pairs}], align 8\n")
    return texts
