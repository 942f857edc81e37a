"""The adaptive driver as LLVM IR text: DOP853 with dense output on the requested times.

Step control, error norm and interpolant are those of Hairer's program, as SciPy carries them. The
driver notices sign changes of event functions and returns; where they are is found in Python from
the interpolant it leaves behind.
"""

from __future__ import annotations

from . import dop853
from .code import Code, Record
from .fixed import ALARM, BAD, DONE, GUARD, MORE, PORTS, signal

EVENT, SMALL = 4, 5
ROWS = 7  # of the interpolant
QUARTERS = 4  # places in a step where guards are looked at

RECORD = Record(
    [
        ("rhs", "ptr"),
        ("project", "ptr"),
        ("events", "ptr"),
        ("guards", "ptr"),
        ("rhs_scratch", "ptr"),
        ("project_scratch", "ptr"),
        ("events_scratch", "ptr"),
        ("guards_scratch", "ptr"),
        ("ins", "ptr", PORTS),
        ("outs", "ptr", 2),
        ("params", "ptr"),
        ("n", "i64"),
        ("wide", "i64"),  # n rounded up to whole vectors: the length of a row
        ("times", "ptr"),
        ("samples", "i64"),
        ("out", "ptr"),
        ("end", "double"),
        ("rtol", "double"),
        ("atol", "double"),
        ("longest", "double"),
        ("budget", "i64"),
        ("u", "ptr"),
        ("nu", "i64"),
        ("pieces", "i64"),
        ("terms", "i64"),
        ("breaks", "ptr"),
        ("coefficients", "ptr"),
        ("piece", "i64"),
        ("start", "double"),
        ("s", "double"),
        ("value", "double"),
        ("time", "double"),  # what the kernels read
        # where the driver is
        ("t", "double"),
        ("t_new", "double"),
        ("step", "double"),  # the step in hand
        ("h", "double"),  # the step to try next
        ("rejected", "i64"),
        ("pending", "i64"),  # a step that was found and not yet taken
        ("sample", "i64"),
        ("steps", "i64"),
        ("evaluations", "i64"),
        ("sum", "double"),
        ("sum3", "double"),
        ("factor", "double"),
        ("alarm_limit", "double"),
        ("crossings", "i64"),
        ("event_count", "i64"),
        ("guard_count", "i64"),
        ("dense", "i64"),
        # rows
        ("x", "ptr"),
        ("x_new", "ptr"),
        ("y", "ptr"),
        ("K", "ptr"),
        ("F", "ptr"),
        ("g", "ptr"),
        ("g_new", "ptr"),
        ("guard", "ptr"),
        ("alarm", "ptr"),
    ]
)

_ONE = "call void {}(ptr {}, ptr {}, ptr {}, ptr {})"


class _Adaptive(Code):
    def __init__(self) -> None:
        super().__init__("adaptive", RECORD)
        self.wide = self.get("wide")
        self.K = self.get("K")

    def row(self, base: str, k: int) -> str:
        return self.spot(base, self("mul i64 {}, {}", self.wide, k))

    def call(self, what: str, x: str, out: str, t: str) -> None:
        self.do("call void @signal.adaptive(ptr %task, double {})", t)
        self.set("time", t)
        ins, outs = self.at("ins"), self.at("outs")
        self.put(ins, 0, x, "ptr")
        self.put(outs, 0, out, "ptr")
        given = self.get("params")
        self.do(_ONE, self.get(what), ins, given, outs, self.get(f"{what}_scratch"))

    def stage(self, k: int, x: str, h: str, t: str) -> None:
        """Compute row k of K from the rows before."""
        y = self.get("y")
        terms = [(self.mul(h, a), self.row(self.K, j)) for j, a in dop853.A[k]]
        self.combine(y, self.wide, x, terms)
        self.call("rhs", y, self.row(self.K, k), self.add(t, self.mul(h, dop853.C[k])))

    def error(self, h: str) -> str:
        """Return the error norm of the step, Hairer's mixture of orders 5 and 3."""
        n, x, x_new = self.get("n"), self.get("x"), self.get("x_new")
        rtol, atol = self.get("rtol"), self.get("atol")
        self.set("sum", 0.0)
        self.set("sum3", 0.0)
        with self.loop(n) as i:
            a = self("call double @llvm.fabs.f64(double {})", self.word(x, i))
            b = self("call double @llvm.fabs.f64(double {})", self.word(x_new, i))
            size = self.choose(self.less(a, b), b, a)
            scale = self.add(atol, self.mul(rtol, size))
            for field, weights in (("sum", dop853.E5), ("sum3", dop853.E3)):
                total = None
                for j, e in weights:
                    part = self.mul(self.word(self.row(self.K, j), i), e)
                    total = part if total is None else self.add(total, part)
                ratio = self.div(total or 0.0, scale)
                self.set(field, self.add(self.get(field), self.mul(ratio, ratio)))
        five, three = self.get("sum"), self.get("sum3")
        both = self.add(five, self.mul(three, 0.01))
        count = self("sitofp i64 {} to double", n)
        root = self("call double @llvm.sqrt.f64(double {})", self.mul(both, count))
        found = self.div(self.mul(h, five), root)
        none = self("fcmp oeq double {}, {}", both, 0.0)
        return self.choose(none, 0.0, found)

    def interpolant(self, h: str) -> None:
        """Write the rows F of the interpolant of the step."""
        x, x_new, t, K = self.get("x"), self.get("x_new"), self.get("t"), self.K
        for k in range(dop853.STAGES + 1, dop853.EXTENDED):
            self.stage(k, x, h, t)
        F = self.get("F")
        one, minus = "0x3FF0000000000000", "0xBFF0000000000000"
        two = "0x4000000000000000"
        back = self("fneg double {}", h)
        old, new = self.row(K, 0), self.row(K, dop853.STAGES)
        change = self.row(F, 0)
        self.combine(change, self.wide, None, [(one, x_new), (minus, x)])
        self.combine(self.row(F, 1), self.wide, None, [(h, old), (minus, change)])
        terms = [(two, change), (back, new), (back, old)]
        self.combine(self.row(F, 2), self.wide, None, terms)
        for k, weights in enumerate(dop853.D):
            terms = [(self.mul(h, d), self.row(K, j)) for j, d in weights]
            self.combine(self.row(F, 3 + k), self.wide, None, terms)

    def at_time(self, time: str, target: str) -> None:
        """Write the state of the interpolant at a time within the step."""
        h, F = self.get("step"), self.get("F")
        s = self.div(self.sub(time, self.get("t")), h)
        r = self.sub(1.0, s)
        n, x = self.get("n"), self.get("x")
        with self.loop(n) as i:
            y: str = self.word(self.row(F, ROWS - 1), i)
            y = self.mul(y, s)
            for k in range(1, ROWS):
                y = self.add(y, self.word(self.row(F, ROWS - 1 - k), i))
                y = self.mul(y, s if k % 2 == 0 else r)
            self.put(target, i, self.add(y, self.word(x, i)))

    def project(self, x: str, spare: str, t: str) -> None:
        """Bring a state back to where it must lie, if there is such a place."""
        with self.when(self("icmp ne ptr {}, null", self.get("project"))):
            self.put(self.at("outs"), 1, self.get("alarm"), "ptr")
            self.call("project", x, spare, t)
            self.copy(x, spare, self.get("n"))


def adaptive() -> str:
    """Return `adaptive(task) -> status`, to be called again while the status is MORE."""
    c = _Adaptive()
    with c.when(c("icmp ne i64 {}, 0", c.get("pending"))):
        _take(c)
    with c.forever():
        t, end = c.get("t"), c.get("end")
        with c.when(c("fcmp oge double {}, {}", t, end)):
            c.give(DONE)
        left = c("sub i64 {}, 1", c.get("budget"))
        c.set("budget", left)
        with c.when(c("icmp slt i64 {}, 0", left)):
            c.give(MORE)
        _try(c, t, end)
    c.lines.append("unreachable")
    return c.text()


def _try(c: _Adaptive, t: str, end: str) -> None:
    """Compute a step; take it, or make the next one smaller."""
    h, longest = c.get("h"), c.get("longest")
    size = c("call double @llvm.fabs.f64(double {})", t)
    least = c.add(c.mul(size, 2.2e-15), 1e-300)
    with c.when(c("fcmp ult double {}, {}", h, least)):
        c.give(SMALL)
    h = c.choose(c.less(longest, h), longest, h)
    left = c.sub(end, t)
    # a last step of nearly the rest is all of it
    whole = c("fcmp oge double {}, {}", c.mul(h, 1.0000001), left)
    h = c.choose(whole, left, h)
    t_new = c.choose(whole, end, c.add(t, h))
    c.set("step", h)
    c.set("t_new", t_new)
    c.set("start", t)
    x, x_new = c.get("x"), c.get("x_new")
    for k in range(1, dop853.STAGES):
        c.stage(k, x, h, t)
    c.combine(x_new, c.wide, x, [(c.mul(h, b), c.row(c.K, j)) for j, b in dop853.B])
    c.call("rhs", x_new, c.row(c.K, dop853.STAGES), t_new)
    c.set("evaluations", c("add i64 {}, {}", c.get("evaluations"), dop853.STAGES))
    error = c.error(h)
    # err^(-1/8) by three roots
    root = error
    for _ in range(3):
        root = c("call double @llvm.sqrt.f64(double {})", root)
    factor = c.div(0.9, root)
    accepted = c.less(error, 1.0)
    with c.when(accepted):
        most = c.choose(c("icmp ne i64 {}, 0", c.get("rejected")), 1.0, 10.0)
        grown = c.choose(c.less(factor, most), factor, most)
        grown = c.choose(c.less(grown, 0.2), 0.2, grown)
        # a last step cut short by the end says nothing against the step before it
        wanted = c.mul(h, grown)
        before = c.get("h")
        kept = c("and i1 {}, {}", whole, c.less(wanted, before))
        c.set("h", c.choose(kept, before, wanted))
        c.set("rejected", 0)
        c.set("steps", c("add i64 {}, 1", c.get("steps")))
        _found(c, h, t_new)
        _take(c)
    with c.when(c("xor i1 {}, true", accepted)):
        shrunk = c.choose(c("fcmp ogt double {}, {}", factor, 0.2), factor, 0.2)
        c.set("h", c.mul(h, shrunk))
        c.set("rejected", 1)


def _found(c: _Adaptive, h: str, t_new: str) -> None:
    """Write the samples of an accepted step; return when an event function changes its sign."""
    x_new = c.get("x_new")
    guarded = c("icmp ne ptr {}, null", c.get("guards"))
    with c.when(guarded):
        _guards(c, h, t_new)
    c.set("dense", 0)
    c.set("crossings", 0)
    with c.when(c("icmp ne ptr {}, null", c.get("events"))):
        c.call("events", x_new, c.get("g_new"), t_new)
        with c.loop(c.get("event_count")) as i:
            a, b = c.word(c.get("g"), i), c.word(c.get("g_new"), i)
            up = c("and i1 {}, {}", c.less(a, 0.0), c("fcmp oge double {}, {}", b, 0.0))
            down = c("and i1 {}, {}", c.less(0.0, a), c("fcmp ole double {}, {}", b, 0.0))
            with c.when(c("or i1 {}, {}", up, down)):
                c.set("crossings", c("add i64 {}, 1", c.get("crossings")))
    crossed = c("icmp ne i64 {}, 0", c.get("crossings"))
    sample, times = c.get("sample"), c.get("times")
    some = c("icmp slt i64 {}, {}", sample, c.get("samples"))
    with c.when(some):
        due = c("fcmp ole double {}, {}", c.word(times, sample), t_new)
        c.set("dense", c("zext i1 {} to i64", due))
    asked = c("or i1 {}, {}", crossed, c("icmp ne i64 {}, 0", c.get("dense")))
    with c.when(c("and i1 {}, {}", asked, c("xor i1 {}, true", guarded))):
        c.interpolant(h)
    with c.when(c("icmp ne i64 {}, 0", c.get("dense"))):
        _samples(c, t_new)
    c.set("pending", 1)
    with c.when(crossed):
        c.give(EVENT)


def _guards(c: _Adaptive, h: str, t_new: str) -> None:
    """Return when a guard is negative at a quarter of the step; nothing of it is taken then."""
    y, t = c.get("y"), c.get("t")
    c.interpolant(h)
    with c.loop(QUARTERS) as k:
        part = c.mul(c("sitofp i64 {} to double", k), 1 / QUARTERS)
        time = c.add(t, c.mul(h, c.add(part, 1 / QUARTERS)))
        c.at_time(time, y)
        c.project(y, c.row(c.K, dop853.EXTENDED), time)
        c.call("guards", y, c.get("guard"), time)
        with c.loop(c.get("guard_count")) as i, c.when(c.less(c.word(c.get("guard"), i), 0.0)):
            c.set("t_new", time)
            c.give(GUARD)


def _samples(c: _Adaptive, t_new: str) -> None:
    """Write all requested times up to the end of the step."""
    y, n = c.get("y"), c.get("n")
    spare = c.row(c.K, dop853.EXTENDED)
    with c.forever() as (_, leave):
        sample, times = c.get("sample"), c.get("times")
        with c.when(c("icmp sge i64 {}, {}", sample, c.get("samples"))):
            c.go(leave)
        time = c.word(times, sample)
        with c.when(c.less(t_new, time)):
            c.go(leave)
        c.at_time(time, y)
        with c.when(c("fcmp oeq double {}, {}", time, t_new)):
            c.copy(y, c.get("x_new"), n)
        c.project(y, spare, time)
        c.copy(c.spot(c.get("out"), c("mul i64 {}, {}", sample, n)), y, n)
        c.set("sample", c("add i64 {}, 1", sample))


def _take(c: _Adaptive) -> None:
    """Make the end of the step the new state."""
    x, x_new, n, t = c.get("x"), c.get("x_new"), c.get("n"), c.get("t_new")
    fine = c.finite(x_new, n)
    with c.when(c("xor i1 {}, true", fine)):
        c.give(BAD)
    c.set("pending", 0)
    c.project(x_new, c.row(c.K, dop853.EXTENDED), t)
    c.copy(x, x_new, n)
    c.copy(c.get("g"), c.get("g_new"), c.get("event_count"))
    c.set("t", t)
    derived = c.row(c.K, 0)
    moved = c("icmp ne ptr {}, null", c.get("project"))
    held = c("icmp eq i64 {}, 1", c.get("terms"))
    again = c(
        "or i1 {}, {}", moved, c("and i1 {}, {}", held, c("icmp ne i64 {}, 0", c.get("pieces")))
    )
    with c.when(again):
        c.set("start", t)
        c.call("rhs", x, derived, t)
    with c.when(c("xor i1 {}, true", again)):
        c.copy(derived, c.row(c.K, dop853.STAGES), n)
    # without a projection the alarm stays as it was made: silent
    with c.when(c.less(c.word(c.get("alarm"), 0), c.get("alarm_limit"))):
        c.give(ALARM)


def text() -> str:
    """Return the IR of the adaptive driver."""
    return signal("adaptive", RECORD) + adaptive()
