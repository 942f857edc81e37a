"""The entry that Python calls directly, as LLVM IR text: no wrapper stands before the kernel.

One function serves all kernels. It reads a plan (see `fast.py`), takes C-contiguous aligned arrays
of the dtype of each port, and hands anything else to the general path in Python, which converts or
complains.
It keeps the GIL for one state and short batches, and releases it for long ones.
"""

from __future__ import annotations

from . import stub
from .crew_lines import DESK, JOB
from .llvm import table
from .object_lines import ObjectLines

FLAGS_IN = stub.C_CONTIGUOUS | stub.ALIGNED
FLAGS_OUT = FLAGS_IN | stub.WRITEABLE
_DEFAULTS = "ptr null, ptr null, i32 0, i32 0, ptr null"  # strides, data, itemsize, flags, obj
_CALL = "ptr %self, ptr %args, i64 %nargsf, ptr %kw"


# -- arrays ------------------------------------------------------------------------------------


def _array() -> str:
    """Return `array`: the data of an array that fits a record, or null.

    Its leading length, or -1, goes to `lead`.
    """
    c = ObjectLines()
    c.unless(c.same(c.word("%a", 8, "ptr"), c.need("array_type"), "ptr"), "no")
    kind = c.same(c.word("%a", stub.DESCR, "ptr"), c.word("%record", stub.DTYPE_AT, "ptr"), "ptr")
    flags = c.same(c("and i32 {}, %flags", c.word("%a", stub.FLAGS, "i32")), "%flags", "i32")
    c.unless(c("and i1 {}, {}", kind, flags), "no")
    count = c("zext i32 {} to i64", c.word("%a", stub.DIMENSION_COUNT, "i32"))
    shape, own = c.word("%a", stub.DIMENSIONS_AT, "ptr"), c.word("%record")
    more = c("sub i64 {}, {}", count, own)
    c.unless(c("icmp ule i64 {}, 1", more), "no")
    c.keep("%lead", 0, "-1")
    with c.when(c.same(more, 1)):
        c.keep("%lead", 0, c.word(shape))
    tail, dimensions = c.spot(shape, more), c.at("%record", 16)
    with c.loop(own) as k:
        c.unless(c.same(c.item(tail, k), c.item(dimensions, k)), "no")
    c.give(c.word("%a", stub.DATA, "ptr"))
    c.lines.append("no:\n  ret ptr null")
    return c.function("internal ptr @array(ptr %a, ptr %record, i32 %flags, ptr %lead)")


def _apart() -> str:
    """Return `apart`: whether `length` bytes at `data` share none with any of `count` others."""
    c = ObjectLines()
    first = c("ptrtoint ptr %data to i64")
    last = c("add i64 {}, %length", first)
    with c.loop("%count") as j:
        start = c.item("%others", j)
        stop = c("add i64 {}, {}", start, c.item("%lengths", j))
        before, after = c("icmp ule i64 {}, {}", stop, first), c("icmp ule i64 {}, {}", last, start)
        c.unless(c("or i1 {}, {}", before, after), "no")
    c.give("true", "i1")
    c.lines.append("no:\n  ret i1 false")
    arguments = "ptr %data, i64 %length, ptr %others, ptr %lengths, i64 %count"
    return c.function(f"internal i1 @apart({arguments})")


def _new() -> str:
    """Return `new`: an array of a record's shape, with a leading dimension unless that is < 0."""
    c = ObjectLines()
    own = c.word("%record")
    more = c("select i1 {}, i64 0, i64 1", c("icmp slt i64 %lead, 0"))
    c.keep("%dims", 0, "%lead")
    source, to = c.at("%record", 16), c.spot("%dims", more)
    with c.loop(own) as k:
        c.keep(to, k, c.item(source, k))
    count = c("trunc i64 {} to i32", c("add i64 {}, {}", own, more))
    number = c("trunc i64 {} to i32", c.word("%record", stub.NUMBER_AT))
    given = f"ptr {c.need('array_type')}, i32 {count}, ptr %dims, i32 {number}, {_DEFAULTS}"
    c.give(c("call ptr {}({})", c.need("PyArray_New"), given))
    return c.function("internal ptr @new(ptr %record, i64 %lead, ptr %dims)")


# -- the entry ---------------------------------------------------------------------------------


class _Entry(ObjectLines):
    """The lines of `call`: what it is given, the arrays, the kernel, the answer."""

    def __init__(self, offset: int):
        super().__init__()
        self.ins, self.outs, self.made = (self.room(stub.PORTS, "ptr") for _ in range(3))
        self.strides, self.bytes, self.out_bytes = (self.room(stub.PORTS) for _ in range(3))
        self.tables = (self.ins, self.outs, self.strides, self.bytes)
        self.dims, self.own, self.given = self.room(stub.DIMENSIONS + 1), self.room(1), self.room(3)
        self.plan = self.word("%self", offset, "ptr")
        self.inputs, self.outputs = self.head("inputs"), self.head("outputs")
        self.records = self.at(self.plan, 8 * len(stub.HEAD))
        self.many = self(f"and i64 %nargsf, {(1 << 63) - 1}")

    def head(self, name: str, kind: str = "i64") -> str:
        """Return a word of the head of the plan."""
        return self.word(self.plan, 8 * stub.HEAD.index(name), kind)

    def record(self, base: str, k: str) -> str:
        """Return the record of a port."""
        return self.at(base, self(f"mul i64 {{}}, {8 * stub.RECORD}", k))

    def quick(self) -> None:
        """One state and `out=`: what is called most, in the fewest steps; all else goes on."""
        self.unless(self("icmp ne ptr %kw, null"), "usual")
        one = self.same(self.word("%kw", stub.TUPLE_SIZE), 1)
        named = self.same(self.word("%kw", stub.TUPLE_ITEMS, "ptr"), self.need("out"), "ptr")
        whole = self("and i1 {}, {}", one, self.same(self.many, self.inputs))
        each = self.same(self.head("reduced"), 0)
        self.unless(self("and i1 {}, {}", self("and i1 {}, {}", whole, each), named), "usual")
        self.keep(self.own, 0, "0")
        with self.loop(self.many) as k:
            self.seen(self.ins, k, self.fitting("%args", k, self.records, FLAGS_IN), self.records)
        place = self("getelementptr ptr, ptr %args, i64 {}", self.many)
        out, records = self.word(place, 0, "ptr"), self.record(self.records, self.inputs)
        alone = self.same(self.outputs, 1)
        kind = self.same(self.word(out, 8, "ptr"), self.need("tuple_type"), "ptr")
        self.unless(self("or i1 {}, {}", alone, kind), "usual")
        count = self("select i1 {}, i64 1, i64 {}", alone, self.word(out, stub.TUPLE_SIZE))
        self.unless(self.same(count, self.outputs), "usual")
        items = self.at(out, stub.TUPLE_ITEMS)
        targets = self("select i1 {}, ptr {}, ptr {}", alone, place, items)
        with self.loop(self.outputs) as k:
            self.seen(self.outs, k, self.fitting(targets, k, records, FLAGS_OUT), records)
        with self.when(self("icmp ne i64 {}, 0", self.word(self.own))):
            self.separate(records)
        given = f"ptr {self.ins}, ptr null, ptr {self.outs}, ptr {self.head('scratch', 'ptr')}"
        self.lines.append(f"call void {self.head('one', 'ptr')}({given})")
        self.lines.append(f"call void {self.need('Py_IncRef')}(ptr {out})")
        self.give(out)
        self.lines.append("usual:")

    def seen(self, table: str, k: str, data: str, records: str) -> None:
        """Note the data of a port, and if they are not where they were in the last call."""
        self.keep(table, k, data, "ptr")
        last = self.word(self.record(records, k), stub.LAST_AT, "ptr")
        with self.when(self("icmp ne ptr {}, {}", data, last)):
            self.keep(self.own, 0, "1")

    def separate(self, records: str) -> None:
        """Go on where no output shares memory with another port; note where all of them lie."""
        inputs, outputs = (self.ins, self.records), (self.outs, records)
        with self.loop(self.outputs) as k:
            data, size = self.item(self.outs, k, "ptr"), self.word(self.record(records, k), 8)
            for (those, of), many in ((inputs, self.many), (outputs, k)):
                with self.loop(many) as j:
                    other = self.item(those, j, "ptr")
                    self.unless(self.clear_of(data, size, other, self.record(of, j)), "usual")
        for (those, of), many in ((inputs, self.many), (outputs, self.outputs)):
            with self.loop(many) as k:
                place = self.at(self.record(of, k), stub.LAST_AT)
                self.keep(place, 0, self.item(those, k, "ptr"), "ptr")

    def fitting(self, table: str, k: str, records: str, flags: int) -> str:
        """Return the data of an array in a table that has the shape of its record and no more."""
        array, record = self.item(table, k, "ptr"), self.record(records, k)
        dtype = self.word(record, stub.DTYPE_AT, "ptr")
        kind = self.same(self.word(array, 8, "ptr"), self.need("array_type"), "ptr")
        self.unless(kind, "usual")
        held = self("and i32 {}, {}", self.word(array, stub.FLAGS, "i32"), flags)
        number = self("sext i32 {} to i64", self.word(array, stub.DIMENSION_COUNT, "i32"))
        own = self.word(record)
        fits = self("and i1 {}, {}", self.same(held, flags, "i32"), self.same(number, own))
        same = self.same(self.word(array, stub.DESCR, "ptr"), dtype, "ptr")
        self.unless(self("and i1 {}, {}", fits, same), "usual")
        shape, wanted = self.word(array, stub.DIMENSIONS_AT, "ptr"), self.at(record, 16)
        with self.loop(own) as n:
            self.unless(self.same(self.item(shape, n), self.item(wanted, n)), "usual")
        return self.word(array, stub.DATA, "ptr")

    def clear_of(self, data: str, size: str, other: str, record: str) -> str:
        """Return whether bytes from `data` on share none with the array of another record."""
        before = self("icmp ule ptr {}, {}", self.at(data, size), other)
        after = self("icmp ule ptr {}, {}", self.at(other, self.word(record, 8)), data)
        return self("or i1 {}, {}", before, after)

    def keyword(self) -> None:
        """Note `out` and where its arrays are: one, or a tuple of as many as there are outputs."""
        one = self.same(self.word("%kw", stub.TUPLE_SIZE), 1)
        named = self.same(self.word("%kw", stub.TUPLE_ITEMS, "ptr"), self.need("out"), "ptr")
        self.unless(self("and i1 {}, {}", one, named), "slow")
        place = self("getelementptr ptr, ptr %args, i64 {}", self.many)
        out = self.word(place, 0, "ptr")
        with self.when(self("icmp ne ptr {}, {}", out, self.need("none"))):
            self.keep(self.given, 0, out, "ptr")
            self.keep(self.given, 1, place, "ptr")
            with self.when(self("icmp ne i64 {}, 1", self.outputs)):
                kind = self.same(self.word(out, 8, "ptr"), self.need("tuple_type"), "ptr")
                self.unless(kind, "slow")
                self.unless(self.same(self.word(out, stub.TUPLE_SIZE), self.outputs), "slow")
                self.keep(self.given, 1, self.at(out, stub.TUPLE_ITEMS), "ptr")

    def array(self, given: str, record: str, flags: int) -> tuple[str, str, str]:
        """Return data, leading length and bytes of an array that fits a record."""
        arguments = f"ptr {given}, ptr {record}, i32 {flags}, ptr {self.own}"
        data = self(f"call ptr @array({arguments})")
        self.unless(self("icmp ne ptr {}, null", data), "slow")
        lead = self.word(self.own)
        rows = self("select i1 {}, i64 1, i64 {}", self("icmp slt i64 {}, 0", lead), lead)
        return data, lead, self("mul i64 {}, {}", rows, self.word(record, 8))

    def read(self) -> None:
        """Note the data, stride and bytes of each input, and the common leading length."""
        self.keep(self.given, 2, "-1")
        with self.loop(self.many) as k:
            record = self.record(self.records, k)
            array = self("load ptr, ptr {}, align 8", self.spot("%args", k))
            data, own, size = self.array(array, record, FLAGS_IN)
            lead, alone = self.word(self.given, 16), self("icmp slt i64 {}, 0", own)
            fine = self("or i1 {}, {}", self("icmp slt i64 {}, 0", lead), self.same(own, lead))
            self.unless(self("or i1 {}, {}", alone, fine), "slow")
            self.keep(self.given, 2, self("select i1 {}, i64 {}, i64 {}", alone, lead, own))
            stride = self("select i1 {}, i64 0, i64 {}", alone, self.word(record, 8))
            self.keep(self.ins, k, data, "ptr")
            self.keep(self.strides, k, stride)
            self.keep(self.bytes, k, size)

    def place(self, out: str, lead: str) -> None:
        """Note where results go: to arrays that were given, or to new ones."""
        records = self.record(self.records, self.inputs)
        given = self("icmp ne ptr {}, null", out)
        with self.when(given):
            targets = self.word(self.given, 8, "ptr")
            with self.loop(self.outputs) as k:
                array = self.item(targets, k, "ptr")
                data, own, size = self.array(array, self.record(records, k), FLAGS_OUT)
                self.unless(self.same(own, lead), "slow")
                # apart in memory from each input, and from each output before it
                inputs = f"ptr {self.ins}, ptr {self.bytes}, i64 {self.many}"
                others = f"ptr {self.outs}, ptr {self.out_bytes}, i64 {k}"
                for those in (inputs, others):
                    apart = self(f"call i1 @apart(ptr {data}, i64 {size}, {those})")
                    self.unless(apart, "slow")
                self.keep(self.outs, k, data, "ptr")
                self.keep(self.out_bytes, k, size)
        with self.when(self("xor i1 {}, true", given)), self.loop(self.outputs) as k:
            record = self.record(records, k)
            made = self(f"call ptr @new(ptr {record}, i64 {lead}, ptr {self.dims})")
            self.keep(self.own, 0, k)  # how many are to be dropped where one is not made
            self.unless(self("icmp ne ptr {}, null", made), "drop")
            self.keep(self.made, k, made, "ptr")
            self.keep(self.outs, k, self.word(made, stub.DATA, "ptr"), "ptr")

    def run(self, lead: str, short: str) -> None:
        """Run the kernel; a long batch in scratch of its own and without the GIL."""
        scratch = self.head("scratch", "ptr")
        self.branch(self("icmp slt i64 {}, 0", lead), "one", "many")
        one = self.head("one", "ptr")
        self.lines.append(f"call void {one}(ptr {self.ins}, ptr null, ptr {self.outs}, "
                          f"ptr {scratch})\n  br label %done\nmany:")  # fmt: skip
        batch = self.head("batch", "ptr")
        given = f"ptr {self.ins}, ptr {self.strides}, ptr null, i64 0, ptr {self.outs}, i64 {lead}"
        self.branch(self("xor i1 {}, true", short), "long", "brief")
        # the plan's scratch belongs to the holder of the GIL
        room = self("add i64 {}, 64", self.head("scratch_batch"))
        memory = self("call ptr {}(i64 {})", self.need("malloc"), room)
        self.unless(self("icmp ne ptr {}, null", memory), "brief")
        up = self("add i64 {}, 63", self("ptrtoint ptr {} to i64", memory))
        own = self("inttoptr i64 {} to ptr", self("and i64 {}, -64", up))
        thread = self("call ptr {}()", self.need("PyEval_SaveThread"))
        alone = self.same(self.head("desk"), 0)
        self.branch(alone, "apart", "shared")
        self.lines.append(f"call void {batch}({given}, ptr {own})\n  br label %back\nshared:")
        self.share(lead, own)
        self.open("back")
        self.lines.append(f"call void {self.need('PyEval_RestoreThread')}(ptr {thread})")
        self.lines.append(f"call void {self.need('free')}(ptr {memory})")
        self.lines.append("br label %done\nbrief:")
        self.lines.append(f"call void {batch}({given}, ptr {scratch})")
        self.open("done")

    def share(self, lead: str, scratch: str) -> None:
        """Let the threads of a desk take part in a batch."""
        records, tile = self.record(self.records, self.inputs), self.head("tile")
        with self.loop(self.outputs) as k:
            self.keep(self.bytes, k, self.word(self.record(records, k), 8))
        job, up = self.room(len(JOB)), self("add i64 {}, {}", lead, self("sub i64 {}, 1", tile))
        own = {
            "run": self.head("batch"), "first": "0", "last": lead, "unit": tile, "row": tile,
            "params": "0", "width": "0", "each": "0", "pieces": self("sdiv i64 {}, {}", up, tile),
            "inputs": self.inputs, "outputs": self.outputs, "scratch": self.head("scratch_batch"),
        }  # fmt: skip
        own |= {"ins": self.ins, "strides": self.strides, "outs": self.outs, "rows": self.bytes}
        for n, name in enumerate(JOB):
            self.keep(job, n, own[name], "ptr" if own[name] in self.tables else "i64")
        given = f"ptr {self.head('desk', 'ptr')}, ptr {job}, ptr {scratch}"
        self.lines.append(f"call void {self.head('share', 'ptr')}({given})")

    def answer(self, out: str) -> None:
        """Return what was given, a new array, or a tuple of new ones."""
        with self.when(self("icmp ne ptr {}, null", out)):
            self.lines.append(f"call void {self.need('Py_IncRef')}(ptr {out})")
            self.give(out)
            self.lines.append("given:")  # never reached
        with self.when(self.same(self.outputs, 1)):
            self.give(self.word(self.made, 0, "ptr"))
            self.lines.append("single:")
        made = self("call ptr {}(i64 {})", self.need("PyTuple_New"), self.outputs)
        self.unless(self("icmp ne ptr {}, null", made), "error")
        put = self.need("PyTuple_SetItem")
        with self.loop(self.outputs) as k:
            one = self.item(self.made, k, "ptr")
            self("call i32 {}(ptr {}, i64 {}, ptr {})", put, made, k, one)
        self.give(made)

    def ends(self) -> None:
        """Write what happens if memory runs out, and the general path for everything else."""
        self.lines.append("drop:")
        with self.loop(self.word(self.own)) as k:
            one = self.item(self.made, k, "ptr")
            self.lines.append(f"call void {self.need('Py_DecRef')}(ptr {one})")
        self.lines.append("br label %error\nerror:\n  ret ptr null\nslow:")
        find, general = self.need("PyObject_GetAttr"), self.need("general")
        method = self("call ptr {}(ptr %self, ptr {})", find, general)
        self.unless(self("icmp ne ptr {}, null", method), "error")
        ask = self.need("PyObject_Vectorcall")
        answer = self("call ptr {}(ptr {}, ptr %args, i64 %nargsf, ptr %kw)", ask, method)
        self.lines.append(f"call void {self.need('Py_DecRef')}(ptr {method})")
        self.give(answer)


def _call(offset: int) -> str:
    c = _Entry(offset)
    c.quick()
    c.unless(c.same(c.many, c.inputs), "slow")
    c.keep(c.given, 0, "null", "ptr")
    with c.when(c("icmp ne ptr %kw, null")):
        c.keyword()
    c.read()
    out, lead = c.word(c.given, 0, "ptr"), c.word(c.given, 16)
    # an empty batch is left to Python, and so is one for threads that have not begun
    short = c(f"icmp sle i64 {lead}, {stub.SHORT}")
    with c.when(c("xor i1 {}, true", c("or i1 {}, {}", short, c.same(c.head("threads"), 1)))):
        desk = c.head("desk", "ptr")
        c.unless(c("icmp ne ptr {}, null", desk), "slow")
        c.unless(c("icmp ne i64 {}, 0", c.word(desk, 8 * DESK.index("threads"))), "slow")
    c.unless(c("icmp ne i64 {}, 0", lead), "slow")
    # what is reduced are states: there must be some, and results have no dimension for them
    each = c.same(c.head("reduced"), 0)
    c.unless(c("or i1 {}, {}", each, c("icmp sgt i64 {}, 0", lead)), "slow")
    c.place(out, c("select i1 {}, i64 {}, i64 -1", each, lead))
    c.run(lead, short)
    c.answer(out)
    c.ends()
    return c.function(f"ptr @call({_CALL})")


def _vectors(offset: int, count: int) -> str:
    """Return the entry for so many vectors and one of results: the quick way, without a loop.

    The arrays must lie where they lay in the last call; `call` answers everything else.
    """
    c = ObjectLines()
    ins, outs = c.room(count, "ptr"), c.room(1, "ptr")
    c.unless(c("icmp ne ptr %kw, null"), "usual")
    one = c.same(c.word("%kw", stub.TUPLE_SIZE), 1)
    named = c.same(c.word("%kw", stub.TUPLE_ITEMS, "ptr"), c.need("out"), "ptr")
    many = c.same(c(f"and i64 %nargsf, {(1 << 63) - 1}"), count)
    c.unless(c("and i1 {}, {}", c("and i1 {}, {}", one, many), named), "usual")
    plan = c.word("%self", offset, "ptr")
    for k in range(count + 1):
        array, record = c.word("%args", 8 * k, "ptr"), 8 * (len(stub.HEAD) + stub.RECORD * k)
        flags = FLAGS_IN if k < count else FLAGS_OUT
        c.unless(c.same(c.word(array, 8, "ptr"), c.need("array_type"), "ptr"), "usual")
        data, last = c.word(array, stub.DATA, "ptr"), c.word(plan, record + stub.LAST_AT, "ptr")
        c.unless(c.same(data, last, "ptr"), "usual")
        c.unless(c.same(c.word(array, stub.DIMENSION_COUNT, "i32"), 1, "i32"), "usual")
        held = c("and i32 {}, {}", c.word(array, stub.FLAGS, "i32"), flags)
        c.unless(c.same(held, flags, "i32"), "usual")
        dtype = c.word(plan, record + stub.DTYPE_AT, "ptr")
        c.unless(c.same(c.word(array, stub.DESCR, "ptr"), dtype, "ptr"), "usual")
        length = c.word(c.word(array, stub.DIMENSIONS_AT, "ptr"))
        c.unless(c.same(length, c.word(plan, record + 16)), "usual")
        c.keep(*((ins, k) if k < count else (outs, 0)), data, "ptr")
    scratch, run = (c.word(plan, 8 * stub.HEAD.index(x), "ptr") for x in ("scratch", "one"))
    c.lines.append(f"call void {run}(ptr {ins}, ptr null, ptr {outs}, ptr {scratch})")
    c.lines.append(f"call void {c.need('Py_IncRef')}(ptr {array})")
    c.give(array)
    c.lines.append("usual:")
    c.give(c(f"call ptr @call({_CALL})"))
    return c.function(f"ptr @call.{count}({_CALL})")


def module(offset: int) -> str:
    """Return the IR of the entry for objects that keep their plan at byte `offset`."""
    parts = [table(len(stub.NEEDS)), _array(), _apart(), _new(), _call(offset)]
    return "".join(parts + [_vectors(offset, n) for n in stub.VECTORS])
