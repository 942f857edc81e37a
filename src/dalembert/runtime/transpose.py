"""Rows of NumPy arrays to lanes and back, two or four columns at a time, as LLVM IR text.

`pack.N` reads W rows of N numbers into N entries of W lanes; rows past the last are the last again,
so lanes left over compute on a copy of it. `unpack.N` writes W rows; `rows` is its heart. Single
precision has its own way (`quads`).
"""

from __future__ import annotations

from collections.abc import Sequence

from . import quads
from .lanes import Single, element, value_type, width
from .lanes import size as bytes_of
from .quads import shuffle as _shuffle

UNROLLED = 32  # columns up to which no loop is written


def _rows(lanes: int, base: str) -> list[str]:
    """Return lines for the addresses %row0.. of W rows."""
    lines = ["%last = sub i64 %rows, 1"]
    for k in range(lanes):
        lines += [
            f"%n{k} = call i64 @llvm.umin.i64(i64 {k}, i64 %last)",
            f"%o{k} = mul i64 %n{k}, %stride",
            f"%row{k} = getelementptr i8, ptr {base}, i64 %o{k}",
        ]
    return lines


def _low_high(tag: str, lanes: int, x: str, y: str) -> list[str]:
    """Return lines that interleave the even and the odd elements of two vectors."""
    t = value_type(lanes)
    low = [k + lanes * odd for k in range(0, lanes, 2) for odd in (0, 1)]
    return [
        _shuffle(f"%lo{tag}", t, x, y, low),
        _shuffle(f"%hi{tag}", t, x, y, [p + 1 for p in low]),
    ]


def _pack_pair(tag: str, lanes: int, column: str, entry: str) -> list[str]:
    """Return lines that move columns `column` and the next one into lanes at `entry`."""
    two, t = "<2 x double>", value_type(lanes)
    lines = []
    for k in range(lanes):
        lines.append(f"%p{tag}.{k} = getelementptr double, ptr %row{k}, i64 {column}")
        lines.append(f"%v{tag}.{k} = load {two}, ptr %p{tag}.{k}, align 8")
    # even rows in one vector, odd ones in the other: the insertions load from memory
    x, y = (_joined(f"{tag}.{odd}", lanes, odd, lines) for odd in (0, 1))
    lines += _low_high(tag, lanes, x, y)
    for k, name in enumerate(("lo", "hi")):
        lines.append(f"%d{tag}.{k} = getelementptr {t}, ptr {entry}, i64 {k}")
        lines.append(f"store {t} %{name}{tag}, ptr %d{tag}.{k}, align {8 * lanes}")
    return lines


def _joined(tag: str, lanes: int, odd: int, lines: list[str]) -> str:
    """Return the vector of the pairs of all even or all odd rows; two, four or eight rows."""
    row = tag.split(".")[0]
    parts, size = [f"%v{row}.{k}" for k in range(odd, lanes, 2)], 2
    while len(parts) > 1:
        kind, made = f"<{size} x double>", []
        for k in range(0, len(parts), 2):
            made.append(f"%j{tag}.{size}.{k}")
            lines.append(_shuffle(made[-1], kind, parts[k], parts[k + 1], [*range(2 * size)]))
        parts, size = made, 2 * size
    return parts[0]


def _pack_single(tag: str, lanes: int, column: str, entry: str) -> list[str]:
    t, lines, before = value_type(lanes), [], "poison"
    for k in range(lanes):
        lines.append(f"%p{tag}.{k} = getelementptr double, ptr %row{k}, i64 {column}")
        lines.append(f"%v{tag}.{k} = load double, ptr %p{tag}.{k}, align 8")
        lines.append(f"%e{tag}.{k} = insertelement {t} {before}, double %v{tag}.{k}, i64 {k}")
        before = f"%e{tag}.{k}"
    return lines + [f"store {t} {before}, ptr {entry}, align {8 * lanes}"]


def rows(tag: str, lanes: int, values: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return lines that turn columns of W lanes into W rows, and (type, name) of each row.

    As many columns as lanes (four of eight lanes), or two, or one.
    """
    t, two = value_type(lanes), "<2 x double>"
    if len(values) == 1:
        names = [f"%e{tag}.{k}" for k in range(lanes)]
        lines = [f"{e} = extractelement {t} {values[0]}, i64 {k}" for k, e in enumerate(names)]
        return lines, [("double", e) for e in names]
    lines = _low_high(f"{tag}.0", lanes, *values[:2])
    if lanes == 2:
        return lines, [(t, f"%lo{tag}.0"), (t, f"%hi{tag}.0")]
    if len(values) == 4:
        lines += _low_high(f"{tag}.2", lanes, *values[2:])
    ends = []
    for k in range(lanes):
        side, first = ("lo", "hi")[k % 2], k // 2 * 2
        picks, other = [first, first + 1], "poison"
        if len(values) == 4:
            picks, other = [*picks, first + lanes, first + lanes + 1], f"%{side}{tag}.2"
        lines.append(_shuffle(f"%w{tag}.{k}", t, f"%{side}{tag}.0", other, picks))
        ends.append(("<4 x double>" if len(values) == 4 else two, f"%w{tag}.{k}"))
    return lines, ends


def _columns(lanes: int, size: int) -> str:
    """Return the lines that move all columns: unrolled, or a loop and what it leaves over."""
    bytes_ = 8 * lanes
    lines: list[str] = []
    k = 0
    if size > UNROLLED:
        k = size // 2 * 2
        lines += [
            "br label %columns\ncolumns:",
            "%k = phi i64 [ 0, %move ], [ %k.next, %columns ]",
            f"%at = mul i64 %k, {bytes_}",
            "%a = getelementptr i8, ptr %dst, i64 %at",
            *_pack_pair("k", lanes, "%k", "%a"),
            "%k.next = add i64 %k, 2",
            f"%more = icmp ult i64 %k.next, {k}",
            "br i1 %more, label %columns, label %rest\nrest:",
        ]
    while k < size:
        many, mover = (2, _pack_pair) if size - k >= 2 else (1, _pack_single)
        lines.append(f"%a{k} = getelementptr i8, ptr %dst, i64 {bytes_ * k}")
        lines += mover(str(k), lanes, str(k), f"%a{k}")
        k += many
    return "\n  ".join(lines)


def pack(lanes: int, size: int) -> str:
    """Return `pack.N(dst, src, stride, rows)`."""
    given = "ptr noalias %dst, ptr noalias %src, i64 %stride, i64 %rows"
    single = isinstance(lanes, Single)
    moved = quads.columns(lanes, size, "move", False) if single else _columns(lanes, size)
    body = "\n  ".join([*_rows(lanes, "%src"), "br label %move\nmove:", moved])
    head = f"define internal void @pack.{size}({given}) #0 {{\nentry:"
    return f"{head}\n  {body}\n  ret void\n}}\n"


def unpack(lanes: int, size: int) -> str:
    """Return `unpack.N(dst, src)`: N entries of W lanes to W rows."""
    given = "ptr noalias %dst, ptr noalias %src"
    head = f"define internal void @unpack.{size}({given}) #0 {{\nentry:"
    if isinstance(lanes, Single):
        body = quads.columns(lanes, size, "entry", True)
        return f"{head}\n  {body}\n  ret void\n}}\n"
    step = min(lanes, 4)
    t, lines, k = value_type(lanes), [], size // step * step

    def moved(tag: str, column: str, many: int) -> list[str]:
        lines = []
        for n in range(many):
            lines.append(f"%c{tag}.{n} = add i64 {column}, {n}")
            lines.append(f"%s{tag}.{n} = getelementptr {t}, ptr %src, i64 %c{tag}.{n}")
            lines.append(f"%v{tag}.{n} = load {t}, ptr %s{tag}.{n}, align {8 * lanes}")
        turned, ends = rows(tag, lanes, [f"%v{tag}.{n}" for n in range(many)])
        lines += turned
        for n, (kind, name) in enumerate(ends):
            lines.append(f"%r{tag}.{n} = getelementptr double, ptr %dst, i64 {size * n}")
            lines.append(f"%p{tag}.{n} = getelementptr double, ptr %r{tag}.{n}, i64 {column}")
            lines.append(f"store {kind} {name}, ptr %p{tag}.{n}, align 8")
        return lines

    if k:
        lines += ["br label %columns\ncolumns:"]
        lines += ["%k = phi i64 [ 0, %entry ], [ %k.next, %columns ]", *moved("k", "%k", step)]
        lines += [f"%k.next = add i64 %k, {step}", f"%more = icmp ult i64 %k.next, {k}"]
        lines += ["br i1 %more, label %columns, label %rest\nrest:"]
    while k < size:
        many = 2 if size - k >= 2 else 1
        lines += moved(str(k), str(k), many)
        k += many
    body = "\n  ".join([*lines, "ret void"])
    return f"{head}\n  {body}\n}}\n"


# `blank(to, bytes)`: zeros in words, four at a time and then one by one
BLANK = """
define internal void @blank(ptr %to, i64 %bytes) #0 {
entry:
  %whole = and i64 %bytes, -32
  br label %fours
fours:
  %k = phi i64 [ 0, %entry ], [ %k1, %four ]
  %enough = icmp ult i64 %k, %whole
  br i1 %enough, label %four, label %ones
four:
  %p = getelementptr i8, ptr %to, i64 %k
  store <4 x double> zeroinitializer, ptr %p, align 8
  %k1 = add i64 %k, 32
  br label %fours
ones:
  %n = phi i64 [ %k, %fours ], [ %n1, %one ]
  %more = icmp ult i64 %n, %bytes
  br i1 %more, label %one, label %end
one:
  %q = getelementptr i8, ptr %to, i64 %n
  store double 0.0, ptr %q, align 8
  %n1 = add i64 %n, 8
  br label %ones
end:
  ret void
}
"""


def rest(lanes: int) -> str:
    """Return `clear(to, bytes)` and `copy(to, from, bytes)`, of whole lanes and whole words."""
    t, size, kind, word = value_type(lanes), width(lanes), element(lanes), bytes_of(lanes)
    return f"""
define internal void @clear(ptr %to, i64 %bytes) #0 {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %p = getelementptr i8, ptr %to, i64 %k
  store {t} zeroinitializer, ptr %p, align {word}
  %k1 = add i64 %k, {size}
  %more = icmp ult i64 %k1, %bytes
  br i1 %more, label %loop, label %end
end:
  ret void
}}
define internal void @copy(ptr noalias %to, ptr noalias %from, i64 %bytes) #0 {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %p = getelementptr i8, ptr %from, i64 %k
  %x = load {kind}, ptr %p, align {word}
  %q = getelementptr i8, ptr %to, i64 %k
  store {kind} %x, ptr %q, align {word}
  %k1 = add i64 %k, {word}
  %more = icmp ult i64 %k1, %bytes
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""
