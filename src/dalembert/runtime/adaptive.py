"""The driver of steps of variable length as LLVM IR text, with dense output on requested times.

A method (`explicit.py`, `implicit.py`) writes the code of one step, its error and its interpolant;
step control is Hairer's. The driver notices sign changes of event functions and returns; where they
are is found in Python from the interpolant it leaves behind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .code import Code, Record
from .fixed import ALARM, BAD, DONE, GUARD, KERNELS, MORE, RUN, SIGNAL, signal
from .methods import Rosenbrock, Tableau
from .methods.tableau import Row

EVENT, SMALL = 4, 5
QUARTERS = 4  # places in a step where guards are looked at
SOUNDINGS = 8  # parts of a step where event functions are looked at, if they may pass zero and back

RECORD = Record(
    *KERNELS,
    *SIGNAL,
    *RUN,
    # the Jacobian of the right-hand side, column by column, is for implicit methods alone
    ("ptr", "events jacobian events_scratch jacobian_scratch"),
    ("i64", "wide"),  # n rounded up to whole vectors: the length of a row
    ("double", "end rtol atol longest time"),  # `time` is what the kernels read
    # where the driver is: `step` is in hand, `h` to be tried next; a step that was found is
    # `pending` until it is taken; `tries` counts steps that were refused too
    ("double", "t_new sum sum3"),
    ("i64", "rejected pending steps tries evaluations crossings event_count dense near sounded"),
    # rows
    ("ptr", "x x_new y K F g_new g_far guard"),
    # implicit methods: I / (h γ) - J as columns, factored in place, and its upper triangle; the
    # inverse of the pivots and the rows exchanged; whether f depends on time, whether J is known
    ("ptr", "J W U inverse order b"),
    ("i64", "timed known pivot"),
    ("double", "largest"),
)

_ONE = "call void {}(ptr {}, ptr {}, ptr {}, ptr {})"


class Adaptive(Code, ABC):
    """The code of a driver; what a method does is written by `step`, `slopes` and `rates`."""

    def __init__(self, method: Any, name: str = "adaptive", arguments: str = "ptr %task") -> None:
        super().__init__(name, RECORD, arguments)
        self.method = method
        self.order = method.error_order
        self.rows, self.stages, self.curves = method.rows, method.stages, method.interpolant
        self.wide = self.get("wide")
        self.K = self.get("K")

    @abstractmethod
    def step(self, h: str) -> None:
        """Write x_new, the end of a step from x."""

    @abstractmethod
    def errors(self, h: str) -> tuple[str, Sequence[Row]]:
        """Return a factor and the weights of the rows of K in the estimates of the error."""

    @abstractmethod
    def slopes(self, h: str) -> None:
        """Write the rows F of the interpolant, from the second on."""

    @abstractmethod
    def rates(self, t: str) -> None:
        """Write the derivative at the new state, which is row 0 of K."""

    @classmethod
    def routines(cls, method: Any) -> str:
        """Return the functions that the code of a step calls."""
        return ""

    def row(self, base: str, k: int) -> str:
        """Return the address of a row."""
        return self.spot(base, self("mul i64 {}, {}", self.wide, k))

    @property
    def spare(self) -> str:
        """A row that no method writes."""
        return self.row(self.K, self.rows)

    def call(self, what: str, x: str, out: str, t: str) -> None:
        """Evaluate a kernel at a state and time."""
        self.do("call void @signal.adaptive(ptr %task, double {})", t)
        self.set("time", t)
        ins, outs = self.at("ins"), self.at("outs")
        self.put(ins, 0, x, "ptr")
        self.put(outs, 0, out, "ptr")
        given = self.get("params")
        self.do(_ONE, self.get(what), ins, given, outs, self.get(f"{what}_scratch"))

    def error(self, h: str) -> str:
        """Return the norm of the error of the step, with two estimates Hairer's mixture of them."""
        n, x, x_new = self.get("n"), self.get("x"), self.get("x_new")
        rtol, atol = self.get("rtol"), self.get("atol")
        size, rows = self.errors(h)
        fields = ("sum", "sum3")[: len(rows)]
        for field in fields:
            self.set(field, 0.0)
        with self.loop(n) as i:
            a = self("call double @llvm.fabs.f64(double {})", self.word(x, i))
            b = self("call double @llvm.fabs.f64(double {})", self.word(x_new, i))
            most = self.choose(self.less(a, b), b, a)
            scale = self.add(atol, self.mul(rtol, most))
            for field, weights in zip(fields, rows, strict=True):
                total = None
                for j, e in weights:
                    part = self.mul(self.word(self.row(self.K, j), i), e)
                    total = part if total is None else self.add(total, part)
                ratio = self.div(total or 0.0, scale)
                self.set(field, self.add(self.get(field), self.mul(ratio, ratio)))
        own, count = self.get("sum"), self("sitofp i64 {} to double", n)
        if len(rows) == 1:
            return self.mul(size, self.root(self.div(own, count)))
        both = self.add(own, self.mul(self.get("sum3"), 0.01))
        found = self.div(self.mul(size, own), self.root(self.mul(both, count)))
        none = self("fcmp oeq double {}, {}", both, 0.0)
        return self.choose(none, 0.0, found)

    def root(self, x: str) -> str:
        """Return the square root."""
        return self("call double @llvm.sqrt.f64(double {})", x)

    def shrunk(self, error: str) -> str:
        """Return error^(1/order), the exponent to eight binary places, as a product of roots."""
        left, power, total = 1 / self.order, error, None
        for k in range(1, 9):
            power = self.root(power)
            if left >= 0.5**k:
                left -= 0.5**k
                total = power if total is None else self.mul(total, power)
        assert total is not None
        return total

    def interpolant(self, h: str) -> None:
        """Have the rows F of the interpolant of the step written: three places ask for them."""
        self.do("call void @interpolant(ptr %task, double {})", h)

    def curve(self, h: str) -> None:
        """Write the rows F of the interpolant."""
        one, minus = "0x3FF0000000000000", "0xBFF0000000000000"
        change = self.row(self.get("F"), 0)
        self.combine(change, self.wide, None, [(one, self.get("x_new")), (minus, self.get("x"))])
        self.slopes(h)

    def at_time(self, time: str, target: str) -> None:
        """Write the state of the interpolant at a time within the step."""
        h, F = self.get("step"), self.get("F")
        s = self.div(self.sub(time, self.get("t")), h)
        r = self.sub(1.0, s)
        n, x, last = self.get("n"), self.get("x"), self.curves - 1
        with self.loop(n) as i:
            y: str = self.word(self.row(F, last), i)
            for k in range(last, -1, -1):
                y = self.mul(y, s if k % 2 == 0 else r)
                if k:
                    y = self.add(y, self.word(self.row(F, k - 1), i))
            self.put(target, i, self.add(y, self.word(x, i)))

    def project(self, x: str, spare: str, t: str) -> None:
        """Bring a state back to where it must lie, if there is such a place."""
        with self.when(self("icmp ne ptr {}, null", self.get("project"))):
            self.put(self.at("outs"), 1, self.get("alarm"), "ptr")
            self.call("project", x, spare, t)
            self.copy(x, spare, self.get("n"))


def adaptive(c: Adaptive) -> str:
    """Return `adaptive(task) -> status`, to be called again while the status is MORE."""
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
    return c.whole()


def _try(c: Adaptive, t: str, end: str) -> None:
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
    c.set("tries", c("add i64 {}, 1", c.get("tries")))
    c.set("evaluations", c("add i64 {}, {}", c.get("evaluations"), c.stages))
    c.step(h)
    error = c.error(h)
    factor = c.div(0.9, c.shrunk(error))
    accepted = c.less(error, 1.0)
    with c.when(accepted):
        _settle(c, t_new)
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


def _settle(c: Adaptive, t_new: str) -> None:
    """Bring the end of a step back to where it must lie; refuse it where that is badly known.

    A plan that fades loses digits, so nothing is taken from it: with a new plan the step is made
    again, half as long.
    """
    x_new = c.get("x_new")
    with c.when(c("xor i1 {}, true", c.finite(x_new, c.get("n")))):
        c.give(BAD)
    c.project(x_new, c.spare, t_new)
    _alarmed(c)


def _alarmed(c: Adaptive) -> None:
    """Return where the projection just made has a plan that fades; the step is to be shorter."""
    # without a projection the alarm stays as it was made: silent
    with c.when(c.less(c.word(c.get("alarm"), 0), c.get("alarm_limit"))):
        c.set("h", c.mul(c.get("step"), 0.5))
        c.set("rejected", 1)
        c.give(ALARM)


def _found(c: Adaptive, h: str, t_new: str) -> None:
    """Write the samples of an accepted step; return when an event function changes its sign."""
    x_new = c.get("x_new")
    guarded = c("icmp ne ptr {}, null", c.get("guards"))
    with c.when(guarded):
        _guards(c, h)
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
        with c.when(c("icmp eq i64 {}, 0", c.get("crossings"))):
            _sound(c, h, t_new)
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


def _sound(c: Adaptive, h: str, t_new: str) -> None:
    """Count event functions that pass zero and come back within the step.

    One that is bent evenly along the state can do so only if its value where the state's tangent at
    the start leads has another sign; with `sounded` the functions are any, and looked at always.
    """
    y, t, far = c.get("y"), c.get("t"), c.get("g_far")

    def opposite(i: str) -> str:
        return c.less(c.mul(c.word(c.get("g"), i), c.word(far, i)), 0.0)

    c.combine(y, c.wide, c.get("x"), [(h, c.row(c.K, 0))])
    c.call("events", y, far, t_new)
    c.set("near", c.get("sounded"))
    with c.loop(c.get("event_count")) as i, c.when(opposite(i)):
        c.set("near", 1)
    with c.when(c("icmp ne i64 {}, 0", c.get("near"))):
        c.interpolant(h)
        with c.loop(SOUNDINGS - 1) as k:
            part = c.add(c("sitofp i64 {} to double", k), 1.0)
            time = c.add(t, c.mul(h, c.mul(part, 1 / SOUNDINGS)))
            c.at_time(time, y)
            c.call("events", y, far, time)
            with c.loop(c.get("event_count")) as i, c.when(opposite(i)):
                c.set("crossings", c("add i64 {}, 1", c.get("crossings")))


def _guards(c: Adaptive, h: str) -> None:
    """Return when a guard is negative at a quarter of the step; nothing of it is taken then."""
    y, t = c.get("y"), c.get("t")
    c.interpolant(h)
    with c.loop(QUARTERS) as k:
        part = c.mul(c("sitofp i64 {} to double", k), 1 / QUARTERS)
        time = c.add(t, c.mul(h, c.add(part, 1 / QUARTERS)))
        c.at_time(time, y)
        c.project(y, c.spare, time)
        c.call("guards", y, c.get("guard"), time)
        with c.loop(c.get("guard_count")) as i, c.when(c.less(c.word(c.get("guard"), i), 0.0)):
            c.set("t_new", time)
            c.give(GUARD)


def _samples(c: Adaptive, t_new: str) -> None:
    """Write all requested times up to the end of the step; none where a plan fades on the way."""
    y, n = c.get("y"), c.get("n")
    spare, first = c.spare, c.get("sample")
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
        written = c.get("sample")
        c.set("sample", first)
        _alarmed(c)
        c.set("sample", written)
        c.copy(c.spot(c.get("out"), c("mul i64 {}, {}", sample, n)), y, n)
        c.set("sample", c("add i64 {}, 1", sample))


def _take(c: Adaptive) -> None:
    """Make the end of the step the new state."""
    x, x_new, n, t = c.get("x"), c.get("x_new"), c.get("n"), c.get("t_new")
    c.set("pending", 0)
    c.copy(x, x_new, n)
    c.copy(c.get("g"), c.get("g_new"), c.get("event_count"))
    c.set("t", t)
    c.rates(t)


def text(own: type[Adaptive], method: Tableau | Rosenbrock) -> str:
    """Return the IR of the driver of a method."""
    dense = own(method, "interpolant", "ptr %task, double %h")
    dense.curve("%h")
    dense.lines.append("ret void")
    parts = signal("adaptive", RECORD), dense.whole("internal void"), adaptive(own(method))
    return "".join([own.routines(method), *parts])
