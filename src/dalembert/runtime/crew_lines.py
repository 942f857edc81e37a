"""The code by which threads share a batch, as LLVM IR text: no Python stands between them.

A batch is cut into pieces. Everyone has a range of neighbouring pieces, takes some of it at a time,
and helps the others when it is done, so nobody waits for a thread that the system lets wait. A
thread without work looks for some for a while, then sleeps on a lock of the interpreter's.
"""

from __future__ import annotations

from .lines import Lines
from .llvm import table, table_entry

# words of what is to be done: the function, its arguments, the states [first, last) in pieces of
# `unit`, the rows of results of a piece, how many there are of everything, bytes of scratch
JOB = (
    "run", "ins", "strides", "params", "width", "outs", "rows", "first", "last", "unit", "row",
    "each", "pieces", "inputs", "outputs", "scratch",
)  # fmt: skip
# words of a desk: whether it is taken, its threads, whether they do all the work themselves, how
# often they look before they sleep; then of the job at hand
DESK = ("taken", "threads", "apart", "looks", "job", "parts", "most")
LINE, PLACE = 64, 128  # bytes of the head of a desk, and of each place at it
# words of a place: its next piece and the end of its range; in the next line what its thread does
NEXT, END, STATE, DONE, CALL, BACK, MEMORY, ROOM = 0, 8, 64, 72, 80, 88, 96, 104
IDLE, POSTED, RUNNING, ASLEEP, ENDED = range(5)  # states of a thread
RUNS, FINISHED, AWAITED = range(3)  # what is known of the work of a thread
NEEDS = ("PyThread_acquire_lock", "PyThread_release_lock", "malloc", "free")
PORTS = 64  # inputs or outputs that a job may have, those of every plan of `stub` among them
SHARES = 8  # times that everyone takes pieces of its own range
PAUSE = {"x86_64": "pause", "i686": "pause", "aarch64": "yield", "arm64": "yield"}


class _Lines(Lines):
    """Lines that read and write words in memory that threads share."""

    def at(self, base: str, offset: str | int) -> str:
        """Return the address so many bytes on."""
        return self(f"getelementptr i8, ptr {base}, i64 {offset}")

    def word(self, base: str, offset: str | int, kind: str = "i64") -> str:
        """Return the word so many bytes after a pointer."""
        return self(f"load {kind}, ptr {self.at(base, offset)}, align 8")

    def put(self, base: str, offset: str | int, value: str | int, kind: str = "i64") -> None:
        """Write the word so many bytes after a pointer."""
        self.lines.append(f"store {kind} {value}, ptr {self.at(base, offset)}, align 8")

    def seen(self, base: str, offset: int) -> str:
        """Return a word that another thread may write, and what it wrote before."""
        return self(f"load atomic i64, ptr {self.at(base, offset)} acquire, align 8")

    def tell(self, base: str, offset: int, value: int) -> None:
        """Write a word for other threads, after all that was written before."""
        self.lines.append(f"store atomic i64 {value}, ptr {self.at(base, offset)} release, align 8")

    def swap(self, base: str, offset: int, value: int) -> str:
        """Write a word for other threads and return what was there."""
        place = self.at(base, offset)
        return self(f"atomicrmw xchg ptr {place}, i64 {value} seq_cst, align 8")

    def change(self, base: str, offset: int, old: int, new: int) -> str:
        """Write a word if it is what it is thought to be; return whether it was."""
        numbers = f"i64 {old}, i64 {new} seq_cst seq_cst, align 8"
        both = self(f"cmpxchg ptr {self.at(base, offset)}, {numbers}")
        return self(f"extractvalue {{{{ i64, i1 }}}} {both}, 1")

    def same(self, x: str, y: str | int) -> str:
        """Return whether two words are equal."""
        return self(f"icmp eq i64 {x}, {y}")

    def least(self, x: str, y: str) -> str:
        """Return the smaller of two words."""
        return self(f"select i1 {self(f'icmp slt i64 {x}, {y}')}, i64 {x}, i64 {y}")

    def job(self, name: str, kind: str = "i64") -> str:
        """Return a word of the job."""
        return self.word("%job", 8 * JOB.index(name), kind)

    def desk(self, name: str, kind: str = "i64") -> str:
        """Return a word of the desk."""
        return self.word("%desk", 8 * DESK.index(name), kind)

    def place(self, k: str) -> str:
        """Return where place k of the desk lies."""
        return self.at("%desk", self(f"add i64 {LINE}, {self(f'mul i64 {k}, {PLACE}')}"))

    def lock(self, name: str, lock: str) -> None:
        """Take a lock, which waits until it is free, or set it free."""
        register = self.fresh()
        self.lines.append(table_entry(register, NEEDS.index(f"PyThread_{name}_lock")))
        if name == "acquire":
            self(f"call i32 {register}(ptr {lock}, i32 1)")
        else:
            self.lines.append(f"call void {register}(ptr {lock})")

    def look(self, pause: str, found: str, tired: str) -> str:
        """Open a loop that looks for something as often as the desk says; return its tag.

        The lines after it go to `found`, or on to the label TAG.again; at its end is `tired`.
        """
        tag, looks = self.label(), self.desk("looks")
        self.open(f"{tag}.from")
        self.open(f"{tag}.look")
        self.lines.append(f"%{tag}.i = phi i64 [ 0, %{tag}.from ], [ %{tag}.n, %{tag}.wait ]")
        self.lines.append(f"br label %{tag}.now\n{tag}.again:")
        if pause:
            self.lines.append(f'call void asm sideeffect "{pause}", ""()')
        self.lines.append(f"%{tag}.n = add i64 %{tag}.i, 1")
        more = self(f"icmp slt i64 %{tag}.n, {looks}")
        self.lines.append(f"br i1 {more}, label %{tag}.wait, label %{tired}")
        self.lines.append(f"{tag}.wait:\n  br label %{tag}.look\n{tag}.now:")
        return tag


def _work() -> str:
    """Return `work`: take pieces, of the range of place k first, until there are none."""
    c = _Lines()
    ins, outs = (c(f"alloca [{PORTS} x i64], align 16") for _ in range(2))
    parts, most, unit = c.desk("parts"), c.desk("most"), c.job("unit")
    first, last, width = c.job("first"), c.job("last"), c.job("width")
    with c.loop(parts) as d:
        range_ = c.place(c(f"urem i64 {c(f'add i64 %k, {d}')}, {parts}"))
        c.open("take")
        a = c(f"atomicrmw add ptr {c.at(range_, NEXT)}, i64 {most} monotonic, align 8")
        end = c.word(range_, END)
        c.branch(c(f"icmp slt i64 {a}, {end}"), "some", "none")
        b = c.least(c(f"add i64 {a}, {most}"), end)
        here = c(f"add i64 {first}, {c(f'mul i64 {a}, {unit}')}")
        stop = c.least(c(f"add i64 {first}, {c(f'mul i64 {b}, {unit}')}"), last)
        row = c(f"mul i64 {a}, {c.job('row')}")
        for table_, kind, steps, moved, many in (
            (ins, "ins", "strides", here, "inputs"),
            (outs, "outs", "rows", row, "outputs"),
        ):
            starts, jumps = c.job(kind, "ptr"), c.job(steps, "ptr")
            with c.loop(c.job(many)) as n:
                at = c(f"mul i64 {n}, 8")
                step = c(f"mul i64 {moved}, {c.word(jumps, at)}")
                c.put(table_, at, c(f"add i64 {c.word(starts, at)}, {step}"))
        params = c.at(c.job("params", "ptr"), c(f"mul i64 {here}, {width}"))
        given = f"ptr {ins}, ptr {c.job('strides', 'ptr')}, ptr {params}, i64 {width}, ptr {outs}"
        many, each = c(f"sub i64 {stop}, {here}"), c.job("each")
        run = c.job("run", "ptr")
        c.lines.append(f"call void {run}({given}, i64 {many}, ptr %scratch, i64 {each})")
        c.lines.append("br label %take\nnone:")
    return c.procedure("work", "ptr %desk, ptr %job, i64 %k, ptr %scratch")


def _room() -> str:
    """Return `room`: memory of a place for scratch, made larger where a job needs more, or null."""
    c = _Lines()
    need = c(f"add i64 {c.job('scratch')}, 64")
    with c.when(c(f"icmp slt i64 {c.word('%place', ROOM)}, {need}")):
        names = []
        for name in ("malloc", "free"):
            names.append(c.fresh())
            c.lines.append(table_entry(names[-1], NEEDS.index(name)))
        c.lines.append(f"call void {names[1]}(ptr {c.word('%place', MEMORY, 'ptr')})")
        made = c(f"call ptr {names[0]}(i64 {need})")
        c.put("%place", MEMORY, made, "ptr")
        none = c(f"icmp eq ptr {made}, null")
        c.put("%place", ROOM, c(f"select i1 {none}, i64 0, i64 {need}"))
    memory = c.word("%place", MEMORY, "ptr")
    past = c(f"add i64 {c(f'ptrtoint ptr {memory} to i64')}, 63")
    none = c(f"icmp eq ptr {memory}, null")
    start = c(f"inttoptr i64 {c(f'and i64 {past}, -64')} to ptr")
    c.lines.append(f"ret ptr {c(f'select i1 {none}, ptr null, ptr {start}')}")
    return c.function("internal ptr @room(ptr %job, ptr %place)")


def _serve(pause: str) -> str:
    """Return `serve`: do what is posted at place k until the desk is closed."""
    c = _Lines()
    place = c.place("%k")
    c.open("anew")
    tag = c.look(pause, "posted", "tired")
    state = c.seen(place, STATE)
    c.lines.append(f"switch i64 {state}, label %{tag}.again [ i64 {POSTED}, label %posted "
                   f"i64 {ENDED}, label %ended ]\nposted:")  # fmt: skip
    c.branch(c.change(place, STATE, POSTED, RUNNING), "mine", "anew")
    job = c.desk("job", "ptr")
    scratch = c(f"call ptr @room(ptr {job}, ptr {place})")
    with c.when(c(f"icmp ne ptr {scratch}, null")):  # without memory the others do the work
        c.lines.append(f"call void @work(ptr %desk, ptr {job}, i64 %k, ptr {scratch})")
    c.tell(place, STATE, IDLE)
    with c.when(c.same(c.swap(place, DONE, FINISHED), AWAITED)):
        c.lock("release", c.word(place, BACK, "ptr"))
    c.lines.append("br label %anew\ntired:")
    c.branch(c.change(place, STATE, IDLE, ASLEEP), "sleep", "anew")
    c.lock("acquire", c.word(place, CALL, "ptr"))
    c.lines.append("br label %anew\nended:")
    return c.procedure("serve", "ptr %desk, i64 %k", entry=True)


def _take() -> str:
    """Return `take`: whether the desk was free; it is taken then."""
    c = _Lines()
    free = c.change("%desk", 8 * DESK.index("taken"), 0, 1)
    c.lines.append(f"ret i64 {c(f'zext i1 {free} to i64')}")
    return c.function("i64 @take(ptr %desk)", 1)


def _close() -> str:
    """Return `close`: let the threads of a desk end as soon as they have nothing to do."""
    c = _Lines()
    with c.loop(c.desk("threads")) as k:
        place = c.place(k)
        with c.when(c.same(c.swap(place, STATE, ENDED), ASLEEP)):
            c.lock("release", c.word(place, CALL, "ptr"))
    return c.procedure("close", "ptr %desk", entry=True)


def _alone() -> str:
    """Return `alone`: do a whole job, at a desk of its own."""
    c = _Lines()
    desk = c(f"alloca [{LINE + PLACE} x i8], align 64")
    pieces = c.job("pieces")
    for name, value in (("parts", "1"), ("most", pieces)):
        c.put(desk, 8 * DESK.index(name), value)
    c.put(desk, LINE + NEXT, 0)
    c.put(desk, LINE + END, pieces)
    c.lines.append(f"call void @work(ptr {desk}, ptr %job, i64 0, ptr %scratch)")
    return c.procedure("alone", "ptr %job, ptr %scratch")


def _share(pause: str) -> str:
    """Return `share`: do a job with the threads of a desk, or alone while others use it."""
    c = _Lines()
    pieces, threads, apart = c.job("pieces"), c.desk("threads"), c.desk("apart")
    c.branch(c(f"icmp sgt i64 {pieces}, 1"), "several", "alone")
    c.branch(c.change("%desk", 8 * DESK.index("taken"), 0, 1), "taken", "alone")
    # the ranges: one for each thread, and one for the caller unless the threads stand apart
    own = c(f"sub i64 1, {apart}")
    parts = c.least(c(f"add i64 {threads}, {own}"), pieces)
    called = c(f"sub i64 {parts}, {own}")
    shares = c(f"udiv i64 {pieces}, {c(f'mul i64 {parts}, {SHARES}')}")
    most = c(f"select i1 {c(f'icmp sgt i64 {shares}, 1')}, i64 {shares}, i64 1")
    for name, value, kind in (("job", "%job", "ptr"), ("parts", parts, "i64"),
                              ("most", most, "i64")):  # fmt: skip
        c.put("%desk", 8 * DESK.index(name), value, kind)
    with c.loop(parts) as k:
        place = c.place(k)
        for offset, n in ((NEXT, k), (END, c(f"add i64 {k}, 1"))):
            c.put(place, offset, c(f"udiv i64 {c(f'mul i64 {pieces}, {n}')}, {parts}"))
    with c.loop(called) as k:
        place = c.place(k)
        c.put(place, DONE, RUNS)
        with c.when(c.same(c.swap(place, STATE, POSTED), ASLEEP)):
            c.lock("release", c.word(place, CALL, "ptr"))
    work = "call void @work(ptr %desk, ptr %job, i64 {}, ptr %scratch)"
    with c.when(c.same(apart, 0)):
        c.lines.append(work.format(called))
    with c.loop(called) as k:
        place = c.place(k)
        # there is nothing left for a thread that has not begun, unless threads stand apart
        c.branch(c.same(apart, 0), "early", "begun")
        spared = c.change(place, STATE, POSTED, IDLE)
        c.lines.append(f"br i1 {spared}, label %next, label %begun\nbegun:")
        tag = c.look(pause, "next", "late")
        done = c.seen(place, DONE)
        c.lines.append(f"br i1 {c.same(done, FINISHED)}, label %next, label %{tag}.again\nlate:")
        with c.when(c.change(place, DONE, RUNS, AWAITED)):
            c.lock("acquire", c.word(place, BACK, "ptr"))
        c.open("next")
    c.lines.append(work.format(0))  # what threads without memory have left
    c.tell("%desk", 8 * DESK.index("taken"), 0)
    c.lines.append("ret void\nalone:\n  call void @alone(ptr %job, ptr %scratch)")
    return c.procedure("share", "ptr %desk, ptr %job, ptr %scratch", entry=True)


def _pauses(pause: str) -> str:
    """Return `pauses`: what a thread does between looks, so many times."""
    c = _Lines()
    with c.loop("%n"):
        c.lines.append(f'call void asm sideeffect "{pause}", ""()')
    return c.procedure("pauses", "i64 %n", entry=True)


def module(triple: str) -> str:
    """Return the IR of a crew for processors of a kind."""
    pause = PAUSE.get(triple.partition("-")[0], "")
    parts = [
        _work(),
        _room(),
        _serve(pause),
        _take(),
        _close(),
        _alone(),
        _share(pause),
        _pauses(pause),
    ]
    return "".join([table(len(NEEDS)), *parts, 'attributes #1 = { nounwind "stackrealign" }\n'])
