"""The fixed-step driver as LLVM IR text: tiles of states run through time without Python.

A tableau calls a right-hand side once a stage; a `map` applies a traced one-step map (semi-implicit
Euler, constant acceleration). Both then apply the projection, if there is one, and write the states
of the requested times. The kernels are those of `batch`: a state does not depend on its neighbours.
"""

from __future__ import annotations

from .code import Code, Record
from .methods import RK4, Tableau

DONE, MORE, BAD, ALARM = 0, 1, 2, 3
GUARD = 7  # a guard is negative at the end of the step in hand
PORTS = 5  # x, t, u, p, h
TILE = 16

# kernels and their scratch; x, t, u, p, h as they are read, and what is written
KERNELS = (
    ("ptr", "rhs project guards rhs_scratch project_scratch guards_scratch params"),
    ("ptr", "ins", PORTS),
    ("ptr", "outs", 2),
)
# a signal; `start` is that of the step: a held signal has the value that it has there
SIGNAL = (
    ("ptr", "u breaks coefficients"),
    ("i64", "nu pieces terms piece"),
    ("double", "start value"),
)
# a run: states of n numbers at requested times, and when to look at something
RUN = (
    ("ptr", "out times alarm g"),
    ("i64", "n samples sample budget guard_count"),
    ("double", "t h step alarm_limit"),
)
RECORD = Record(
    *KERNELS,
    *SIGNAL,
    *RUN,
    ("i64", "strides", PORTS),
    ("ptr", "settings states"),
    ("i64", "param_stride count mapped"),
    # where the driver is; `ready`: the step in hand ends in y, and was looked at
    ("i64", "first sub subs ready"),
    # rows of the tile; k has a tile for each stage
    ("ptr", "x y k"),
)

_BATCH = "call void {}(ptr {}, ptr {}, ptr {}, i64 {}, ptr {}, i64 {}, ptr {})"


def signal(driver: str, record: Record) -> str:
    """Return `signal.driver(task, t)`, which writes the piecewise polynomial at t to `u`."""
    c = Code(f"signal.{driver}", record, "ptr %task, double %t")
    pieces = c.get("pieces")
    with c.when(c("icmp eq i64 {}, 0", pieces)):
        c.lines.append("ret void")
        c.lines.append(f"{c.label()}.dead:")
    breaks, terms = c.get("breaks"), c.get("terms")
    held = c("icmp eq i64 {}, 1", terms)
    time = c.choose(held, c.get("start"), "%t")
    low, high = c.word(breaks, 0), c.word(breaks, pieces)
    time = c.choose(c.less(time, low), low, time)
    time = c.choose(c.less(high, time), high, time)
    last = c("sub i64 {}, 1", pieces)
    with c.forever() as (_, leave):  # later pieces
        k = c.get("piece")
        k1 = c("add i64 {}, 1", k)
        inside = c("icmp slt i64 {}, {}", k, last)
        due = c("fcmp oge double {}, {}", time, c.word(breaks, k1))
        with c.when(c("xor i1 {}, true", c("and i1 {}, {}", inside, due))):
            c.go(leave)
        c.set("piece", k1)
    with c.forever() as (_, leave):  # earlier pieces
        k = c.get("piece")
        after = c("icmp sgt i64 {}, 0", k)
        early = c.less(time, c.word(breaks, k))
        with c.when(c("xor i1 {}, true", c("and i1 {}, {}", after, early))):
            c.go(leave)
        c.set("piece", c("sub i64 {}, 1", k))
    k, nu, u = c.get("piece"), c.get("nu"), c.get("u")
    s = c.sub(time, c.word(breaks, k))
    row = c("mul i64 {}, {}", c("mul i64 {}, {}", k, nu), terms)
    own = c.spot(c.get("coefficients"), row)
    with c.loop(nu) as j:
        entry = c.spot(own, c("mul i64 {}, {}", j, terms))
        c.set("value", 0.0)
        with c.loop(terms) as d:  # highest power first
            c.set("value", c.add(c.mul(c.get("value"), s), c.word(entry, d)))
        c.put(u, j, c.get("value"))
    c.lines.append("ret void")
    return c.whole("void")


class _Fixed(Code):
    def __init__(self) -> None:
        super().__init__("fixed", RECORD)

    def call(self, what: str, x: str, out: str, rows: str, t: str) -> None:
        """Evaluate a kernel on the rows of the tile at time t."""
        self.do("call void @signal.fixed(ptr %task, double {})", t)
        self.set("value", t)
        ins, outs = self.at("ins"), self.at("outs")
        self.put(ins, 0, x, "ptr")
        self.put(outs, 0, out, "ptr")
        first = self.get("first")
        stride = self.word(self.at("strides"), 3, "i64")
        own = self("mul i64 {}, {}", first, stride)
        p = self("getelementptr i8, ptr {}, i64 {}", self.get("settings"), own)
        self.put(ins, 3, p, "ptr")
        width = self.get("param_stride")
        given = self(
            "getelementptr i8, ptr {}, i64 {}",
            self.get("params"),
            self("mul i64 {}, {}", first, width),
        )
        scratch = self.get(f"{what}_scratch")
        target = self.get(what)
        self.do(_BATCH, target, ins, self.at("strides"), given, width, outs, rows, scratch)

    def stages(self, method: Tableau, rows: str, length: str) -> None:
        """Write one step of an explicit method from x to y."""
        x, y, h, t = (self.get(b) for b in ("x", "y", "h", "t"))
        tile = self("mul i64 {}, {}", self.get("n"), TILE)
        K = [
            self.spot(self.get("k"), self("mul i64 {}, {}", tile, i)) for i in range(method.stages)
        ]
        for k, (c, weights) in enumerate(zip(method.C, method.A, strict=True)):
            if weights:
                self.combine(y, length, x, [(self.mul(h, a), K[j]) for j, a in weights])
            self.call("rhs", y if weights else x, K[k], rows, self.add(t, self.mul(h, c)))
        self.combine(y, length, x, [(self.mul(h, b), K[j]) for j, b in method.B])


def _save(c: Code, rows: str) -> None:
    """Write the rows of the tile to sample `sample` of their states."""
    n, samples, sample = c.get("n"), c.get("samples"), c.get("sample")
    first, x, out = c.get("first"), c.get("x"), c.get("out")
    with c.loop(rows) as r:
        state = c("mul i64 {}, {}", c("add i64 {}, {}", first, r), samples)
        target = c.spot(out, c("mul i64 {}, {}", c("add i64 {}, {}", state, sample), n))
        c.copy(target, c.spot(x, c("mul i64 {}, {}", r, n)), n)


def fixed() -> str:
    """Return `fixed(task) -> status`, to be called again while the status is MORE."""
    c = _Fixed()
    with c.forever():
        first, n, count = c.get("first"), c.get("n"), c.get("count")
        left = c("sub i64 {}, {}", count, first)
        with c.when(c("icmp sle i64 {}, 0", left)):
            c.give(DONE)
        rows = c("call i64 @llvm.umin.i64(i64 {}, i64 {})", left, TILE)
        length = c("mul i64 {}, {}", rows, n)
        states = c.spot(c.get("states"), c("mul i64 {}, {}", first, n))
        with c.when(c("icmp eq i64 {}, 0", c.get("sample"))):  # a new tile
            c.copy(c.get("x"), states, length)
            _save(c, rows)
            c.set("sample", 1)
        with c.when(c("icmp sge i64 {}, {}", c.get("sample"), c.get("samples"))):
            c.copy(states, c.get("x"), length)
            c.set("first", c("add i64 {}, {}", first, TILE))
            c.set("sample", 0)
            c.set("piece", 0)
        with c.when(c("icmp sgt i64 {}, 0", c.get("sample"))):
            _advance(c, rows, length)
            left = c("sub i64 {}, 1", c.get("budget"))
            c.set("budget", left)
            with c.when(c("icmp sle i64 {}, 0", left)):
                c.give(MORE)
    c.lines.append("unreachable")
    return c.whole()


def _advance(c: _Fixed, rows: str, length: str) -> None:
    """Take one step, and save the state when it ends at a requested time."""
    times, sample = c.get("times"), c.get("sample")
    before = c.word(times, c("sub i64 {}, 1", sample))
    span = c.sub(c.word(times, sample), before)
    with c.when(c("icmp eq i64 {}, 0", c.get("sub"))):
        # the interval in equal steps, none above the one asked for
        parts = c.add(c.div(span, c.get("step")), 0.999999999)
        whole = c("fptosi double {} to i64", parts)
        few = c("icmp slt i64 {}, 1", whole)
        c.set("subs", c("select i1 {}, i64 1, i64 {}", few, whole))
        c.set("h", c.div(span, c("sitofp i64 {} to double", c.get("subs"))))
    done = c("sitofp i64 {} to double", c.get("sub"))
    t = c.add(before, c.mul(done, c.get("h")))
    c.set("t", t)
    c.set("start", t)
    with c.when(c("icmp eq i64 {}, 0", c.get("ready"))):
        _end_of_step(c, rows, length, t)
    c.set("ready", 0)
    c.copy(c.get("x"), c.get("y"), length)
    sub = c("add i64 {}, 1", c.get("sub"))
    c.set("sub", sub)
    with c.when(c("icmp eq i64 {}, {}", sub, c.get("subs"))):
        c.set("sub", 0)
        _save(c, rows)
        c.set("sample", c("add i64 {}, 1", c.get("sample")))


def _end_of_step(c: _Fixed, rows: str, length: str, t: str) -> None:
    """Write the state at the end of the step to y; return where something is to be looked at."""
    mapped = c("icmp ne i64 {}, 0", c.get("mapped"))
    with c.when(mapped):
        c.call("rhs", c.get("x"), c.get("y"), rows, t)
    with c.when(c("xor i1 {}, true", mapped)):
        c.stages(RK4, rows, length)
    y, k = c.get("y"), c.get("k")
    fine = c.finite(y, length)
    with c.when(c("xor i1 {}, true", fine)):
        c.give(BAD)
    after = c.add(t, c.get("h"))
    with c.when(c("icmp ne ptr {}, null", c.get("project"))):
        c.put(c.at("outs"), 1, c.get("alarm"), "ptr")
        c.call("project", y, k, rows, after)
        c.copy(y, k, length)
        with c.loop(rows) as r:
            measure = c.word(c.get("alarm"), r)
            with c.when(c.less(measure, c.get("alarm_limit"))):
                c.give(ALARM)
    with c.when(c("icmp ne ptr {}, null", c.get("guards"))):
        c.set("ready", 1)
        c.call("guards", y, c.get("g"), rows, after)
        count = c("mul i64 {}, {}", rows, c.get("guard_count"))
        with c.loop(count) as i, c.when(c.less(c.word(c.get("g"), i), 0.0)):
            c.give(GUARD)


def text() -> str:
    """Return the IR of the fixed-step driver."""
    return signal("fixed", RECORD) + fixed()
