"""Rows of NumPy arrays to lanes and back, as LLVM IR text.

`pack.N` reads W rows of N numbers into N entries of W lanes; rows past the last are the last again,
so lanes left over compute on a copy of it. `unpack.N` writes W rows; `rows` is its heart. As many
columns go at a time as fill 16 bytes: rows k, k + 2, ... (or k + 4, ... of single precision) make
one vector, and all its parts of 16 bytes are turned alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import llvm
from .lanes import Single, element, width
from .lanes import size as bytes_of
from .lines import Lines

UNROLLED = 32  # columns up to which no loop is written
LONG_ROW = 8192  # bytes from which on the cache lines of a row are asked for before their turn
AHEAD = 256  # bytes that they are ahead


class Moves(Lines):
    """The lines of a function that moves numbers: addresses, loads and stores."""

    def __init__(self, lanes: int):
        super().__init__("m", lanes)
        self.unit, self.bytes = element(lanes), width(lanes)
        self.short = 16 // bytes_of(lanes)  # numbers of 16 bytes

    def at(self, kind: str, base: str, index: str | int) -> str:
        """Return the address of an entry of an array."""
        return self(f"getelementptr {kind}, ptr {{}}, i64 {{}}", base, index)

    def get(self, kind: str, where: str, align: int | None = None) -> str:
        """Return what is kept at an address; numbers are aligned, lanes as a whole."""
        return self(f"load {kind}, ptr {{}}, align {align or self._align(kind)}", where)

    def put(self, kind: str, value: str, where: str, align: int | None = None) -> None:
        """Keep a value at an address."""
        self.do(f"store {kind} {{}}, ptr {{}}, align {align or self._align(kind)}", value, where)

    def ask(self, where: str) -> None:
        """Have the cache line at an address brought near, to be written."""
        self.do("call void @llvm.prefetch.p0(ptr {}, i32 1, i32 3, i32 1)", where)

    def _align(self, kind: str) -> int:
        return self.bytes if kind == self.type else bytes_of(self.lanes)


def _shuffled(w: Lines, kind: str, x: str, y: str, picks: Sequence[int]) -> str:
    """Return elements of two vectors."""
    mask = f"<{len(picks)} x i32> <{', '.join(f'i32 {p}' for p in picks)}>"
    return w(f"shufflevector {kind} {{}}, {kind} {{}}, {mask}", x, y)


def _turned(w: Lines, given: Sequence[str]) -> list[str]:
    """Return two or four vectors turned as a matrix within each part of 16 bytes."""
    n = len(given)

    def pick(x: str, y: str, picks: Sequence[int]) -> str:
        # of one part; those from n on are of the second vector
        parts = range(0, w.lanes, n)
        own = [p % n + w.lanes * (p // n) + part for part in parts for p in picks]
        return _shuffled(w, w.type, x, y, own)

    if n == 2:
        a, b = given
        return [pick(a, b, picks) for picks in ((0, 2), (1, 3))]
    a, b, c, d = given
    first, second = (
        [pick(*two, p) for p in ((0, 4, 1, 5), (2, 6, 3, 7))] for two in ((a, b), (c, d))
    )
    pairs = zip(first, second, strict=True)
    return [pick(*pair, p) for pair in pairs for p in ((0, 1, 4, 5), (2, 3, 6, 7))]


def _joined(w: Moves, parts: Sequence[str], size: int) -> str:
    """Return vectors of `size` numbers one behind the other; two, four or eight of them."""
    while len(parts) > 1:
        kind, pairs = f"<{size} x {w.unit}>", zip(parts[::2], parts[1::2], strict=True)
        parts, size = [_shuffled(w, kind, x, y, range(2 * size)) for x, y in pairs], 2 * size
    return parts[0]


def rows(w: Lines, values: Sequence[str]) -> list[tuple[str, str]]:
    """Return type and name of each row that columns of W lanes are turned into.

    There are as many columns as lanes (half as many of 64 bytes), or those of 16 bytes, or one.
    """
    unit, short = element(w.lanes), 16 // bytes_of(w.lanes)
    if len(values) == 1:
        return [(unit, w(f"extractelement {{t}} {{}}, i64 {k}", *values)) for k in range(w.lanes)]
    parts = [_turned(w, values[k : k + short]) for k in range(0, len(values), short)]
    if w.lanes == short:
        return [(w.type, row) for row in parts[0]]
    kind = f"<{len(values)} x {unit}>"
    if w.lanes == 2 * len(values) == 4 * short:
        return [(kind, row) for row in _halves(w, *parts)]
    found = []
    for k in range(w.lanes):
        ends, first = [part[k % short] for part in parts], k // short * short
        picks = [first + w.lanes * p + n for p in range(len(parts)) for n in range(short)]
        row = _shuffled(w, w.type, ends[0], (*ends, "poison")[1], picks)
        found.append((kind, row))
    return found


def _halves(w: Lines, first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return rows of 32 bytes: each vector of 64 has two of them, and its halves are stored."""
    short, half = len(first), w.lanes // 2
    found = dict[int, str]()
    for k, (x, y) in enumerate(zip(first, second, strict=True)):
        for part in (0, 2):
            starts = [(part + n) * short + w.lanes * p for n in range(2) for p in range(2)]
            both = _shuffled(w, w.type, x, y, [s + n for s in starts for n in range(short)])
            for n in range(2):
                picks = range(n * half, (n + 1) * half)
                found[(part + n) * short + k] = _shuffled(w, w.type, both, "poison", picks)
    return [found[k] for k in range(w.lanes)]


def _columns(w: Moves, size: int, most: int, unrolled: int, move: Callable[..., None]) -> None:
    """Write `move(column, many)` for all columns, `most` at a time; in a loop if they are many."""
    at = size // most * most
    if at and size > unrolled:
        with w.repeat(at, most) as k:
            move(k, most)
    else:
        for column in range(0, at, most):
            move(column, most)
    if at and at < size and isinstance(w.lanes, Single):
        move(size - most, most)  # some of these a second time
        return
    while at < size:
        many = next(n for n in ((4, 2, 1) if w.short == 2 else (1,)) if n <= size - at)
        move(at, many)
        at += many


def pack(lanes: int, size: int) -> str:
    """Return `pack.N(dst, src, stride, rows)`."""
    w = Moves(lanes)
    last = w("sub i64 %rows, 1")
    starts = []
    for k in range(lanes):
        row = w(f"call i64 @llvm.umin.i64(i64 {k}, i64 {last})")
        starts.append(w.at("i8", "%src", w("mul i64 {}, %stride", row)))
    entries(w, size, starts, lambda column, k: w.at(w.type, w.at(w.type, "%dst", column), k))
    arguments = "ptr noalias %dst, ptr noalias %src, i64 %stride, i64 %rows"
    return w.procedure(f"pack.{size}", arguments)


def entries(
    w: Moves, size: int, starts: Sequence[str], place: Callable[[str | int, int], str],
    unrolled: int = UNROLLED,
) -> None:  # fmt: skip
    """Write how W rows become entries of W lanes; `place` says where entry column + k goes."""
    _columns(
        w, size, w.short, unrolled, lambda column, many: _taken(w, starts, place, column, many)
    )


def _taken(
    w: Moves, starts: Sequence[str], place: Callable[[str | int, int], str], column: str | int,
    many: int,
) -> None:  # fmt: skip
    """Write how columns of W rows become entries: one, those of 16 bytes, or eight of 8 rows."""
    kind = f"<{many} x {w.unit}>" if many > 1 else w.unit
    given = [w.get(kind, w.at(w.unit, row, column), bytes_of(w.lanes)) for row in starts]
    if many == 1:
        made = ["poison"]
        for k, x in enumerate(given):
            made = [w(f"insertelement {{t}} {{}}, {w.unit} {{}}, i64 {k}", *made, x)]
    elif many == w.short:
        made = _turned(w, [_joined(w, given[k::many], many) for k in range(many)])
    else:
        made = _square(w, given)
    for k, lane in enumerate(made):
        w.put(w.type, lane, place(column, k))


def _square(w: Lines, given: Sequence[str]) -> list[str]:
    """Return eight vectors of eight lanes turned as a matrix: pairs, then parts of 16 bytes."""

    def parts(x: str, y: str, first: int) -> str:
        # every second part of each
        own = [2 * p + n for p in (first, first + 2, first + 4, first + 6) for n in range(2)]
        return _shuffled(w, w.type, x, y, own)

    pairs = [_turned(w, given[k : k + 2]) for k in range(0, 8, 2)]
    made = dict[int, str]()
    for odd in range(2):
        a, b, c, d = (pair[odd] for pair in pairs)
        for first in range(2):
            upper, lower = parts(a, b, first), parts(c, d, first)
            for k in range(2):
                made[2 * first + 4 * k + odd] = parts(upper, lower, k)
    return [made[k] for k in range(8)]


def _some(w: Moves, sizes: Sequence[int], move: Callable[[str | int, int], None]) -> None:
    """Write `move(column, many)` for %columns of them, as many at a time as the sizes say."""
    last = "0"
    for many in sizes:
        whole = w(f"and i64 %columns, -{many}")
        with w.loop(w("sub i64 {}, {}", whole, last), many) as k:
            move(w("add i64 {}, {}", k, last), many)
        last = whole


def some_columns(lanes: int) -> str:
    """Return `take(dst, src, stride, rows, columns)`: what `pack` does, of so many columns."""
    w = Moves(lanes)
    last, starts = w("sub i64 %rows, 1"), []
    for k in range(lanes):
        row = w(f"call i64 @llvm.umin.i64(i64 {k}, i64 {last})")
        starts.append(w.at("i8", "%src", w("mul i64 {}, %stride", row)))

    def move(column: str | int, many: int) -> None:
        def place(column: str | int, k: int) -> str:
            return w.at(w.type, w.at(w.type, "%dst", column), k)

        _taken(w, starts, place, column, many)

    square = (8,) if lanes == 8 and w.bytes == 64 and llvm.host().roomy else ()
    _some(w, (*square, w.short, 1), move)
    arguments = "ptr noalias %dst, ptr noalias %src, i64 %stride, i64 %rows, i64 %columns"
    return w.procedure("take", arguments)


def some_rows(lanes: int, size: int) -> str:
    """Return `give.N(dst, src, columns)`: what `unpack` does, of so many columns."""
    w = Moves(lanes)
    most, move = _given(w, size)
    _some(w, (most, 1), move)
    arguments = "ptr noalias %dst, ptr noalias %src, i64 %columns"
    return w.procedure(f"give.{size}", arguments)


def unpack(lanes: int, size: int) -> str:
    """Return `unpack.N(dst, src)`: N entries of W lanes to W rows."""
    w = Moves(lanes)
    most, move = _given(w, size)
    _columns(w, size, most, UNROLLED if isinstance(lanes, Single) else 0, move)
    return w.procedure(f"unpack.{size}", "ptr noalias %dst, ptr noalias %src")


def _given(w: Moves, size: int) -> tuple[int, Callable[[str | int, int], None]]:
    """Return how many columns go to rows of a size at a time, and what writes that."""

    def move(column: str | int, many: int) -> None:
        start = w.at(w.type, "%src", column)
        given = [w.get(w.type, w.at(w.type, start, k)) for k in range(many)]
        pieces = [rows(w, given[k : k + piece]) for k in range(0, many, piece)]
        for k, row in enumerate(zip(*pieces, strict=True)):
            to = w.at(w.unit, w.at(w.unit, "%dst", size * k), column)
            if early and many == most:
                w.ask(w.at("i8", to, AHEAD))
            for n, (kind, part) in enumerate(row):  # neighbours at once: they share a cache line
                w.put(kind, part, w.at(w.unit, to, n * piece), bytes_of(w.lanes))

    single, piece = isinstance(w.lanes, Single), min(w.lanes, 4)
    most = piece
    if llvm.host().roomy and w.bytes == 64:
        piece = 8 if single and size >= 8 else 4
        most = 2 * piece if size >= 2 * piece else piece
    # where a move writes a whole line of each row
    early = most * bytes_of(w.lanes) == 64 and size * bytes_of(w.lanes) >= LONG_ROW
    return most, move


def blank() -> str:
    """Return `blank(to, bytes)`: zeros in words, as wide as the processor writes them."""
    w = Moves(1)
    wide, last = min(8, llvm.host().lanes), "0"
    for numbers, times in ((wide, 4), (wide, 1), (1, 1)):  # a loop of several, then what is left
        kind, step = f"<{numbers} x double>", 8 * numbers * times
        whole = w(f"and i64 %bytes, -{step}")
        with w.loop(w("sub i64 {}, {}", whole, last), step) as k:
            start = w.at("i8", w.at("i8", "%to", last), k)
            for n in range(times):
                w.put(kind, "zeroinitializer", w.at("i8", start, 8 * numbers * n), 8)
        last = whole
    return w.procedure("blank", "ptr %to, i64 %bytes")


def rest(lanes: int) -> str:
    """Return `clear(to, bytes)` and `copy(to, from, bytes)`, of whole lanes and whole words."""
    clear, copy, word = Moves(lanes), Moves(lanes), bytes_of(lanes)
    with clear.repeat("%bytes", clear.bytes) as k:
        clear.put(clear.type, "zeroinitializer", clear.at("i8", "%to", k), word)
    with copy.repeat("%bytes", word) as k:
        x = copy.get(copy.unit, copy.at("i8", "%from", k))
        copy.put(copy.unit, x, copy.at("i8", "%to", k))
    both = "ptr noalias %to, ptr noalias %from, i64 %bytes"
    return clear.procedure("clear", "ptr %to, i64 %bytes") + copy.procedure("copy", both)
