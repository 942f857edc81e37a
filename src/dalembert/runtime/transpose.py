"""Rows of NumPy arrays to lanes and back, two or four columns at a time, as LLVM IR text.

`pack.N` reads W rows of N numbers into N entries of W lanes, `unpack.N` writes them back. Rows past
the last are the last again, so lanes left over compute on a copy of it and are not written.
"""

from __future__ import annotations

from .lower import value_type

UNROLLED = 32  # columns up to which no loop is written


def _shuffle(name: str, kind: str, x: str, y: str, picks: list[int]) -> str:
    mask = f"<{len(picks)} x i32> <{', '.join(f'i32 {p}' for p in picks)}>"
    return f"{name} = shufflevector {kind} {x}, {kind} {y}, {mask}"


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
    x, y = f"%v{tag}.0", f"%v{tag}.1"
    if lanes == 4:
        # rows 0 and 2 in one vector, 1 and 3 in the other: the insertions load from memory
        lines.append(_shuffle(f"%x{tag}", two, x, f"%v{tag}.2", [0, 1, 2, 3]))
        lines.append(_shuffle(f"%y{tag}", two, y, f"%v{tag}.3", [0, 1, 2, 3]))
        x, y = f"%x{tag}", f"%y{tag}"
    lines += _low_high(tag, lanes, x, y)
    for k, name in enumerate(("lo", "hi")):
        lines.append(f"%d{tag}.{k} = getelementptr {t}, ptr {entry}, i64 {k}")
        lines.append(f"store {t} %{name}{tag}, ptr %d{tag}.{k}, align {8 * lanes}")
    return lines


def _pack_single(tag: str, lanes: int, column: str, entry: str) -> list[str]:
    t, lines, before = value_type(lanes), [], "poison"
    for k in range(lanes):
        lines.append(f"%p{tag}.{k} = getelementptr double, ptr %row{k}, i64 {column}")
        lines.append(f"%v{tag}.{k} = load double, ptr %p{tag}.{k}, align 8")
        lines.append(f"%e{tag}.{k} = insertelement {t} {before}, double %v{tag}.{k}, i64 {k}")
        before = f"%e{tag}.{k}"
    return lines + [f"store {t} {before}, ptr {entry}, align {8 * lanes}"]


def _unpack_pair(tag: str, lanes: int, column: str, entry: str) -> list[str]:
    two, t = "<2 x double>", value_type(lanes)
    lines = []
    for k in range(2):
        lines.append(f"%s{tag}.{k} = getelementptr {t}, ptr {entry}, i64 {k}")
        lines.append(f"%v{tag}.{k} = load {t}, ptr %s{tag}.{k}, align {8 * lanes}")
    lines += _low_high(tag, lanes, f"%v{tag}.0", f"%v{tag}.1")
    for k in range(lanes):
        source = ("%lo", "%hi")[k % 2] + tag
        if lanes == 4:
            half = [k // 2 * 2, k // 2 * 2 + 1]
            lines.append(_shuffle(f"%w{tag}.{k}", t, source, "poison", half))
            source = f"%w{tag}.{k}"
        lines.append(f"%p{tag}.{k} = getelementptr double, ptr %row{k}, i64 {column}")
        lines.append(f"store {two} {source}, ptr %p{tag}.{k}, align 8")
    return lines


def _unpack_four(tag: str, lanes: int, column: str, entry: str) -> list[str]:
    """Return lines that move four columns of four lanes: half the stores of two pairs."""
    t = value_type(lanes)
    lines = []
    for k in range(4):
        lines.append(f"%s{tag}.{k} = getelementptr {t}, ptr {entry}, i64 {k}")
        lines.append(f"%v{tag}.{k} = load {t}, ptr %s{tag}.{k}, align {8 * lanes}")
    lines += _low_high(f"{tag}.0", lanes, f"%v{tag}.0", f"%v{tag}.1")
    lines += _low_high(f"{tag}.2", lanes, f"%v{tag}.2", f"%v{tag}.3")
    for k in range(4):
        x, y = (f"%{('lo', 'hi')[k % 2]}{tag}.{half}" for half in (0, 2))
        first = k // 2 * 2
        lines.append(_shuffle(f"%w{tag}.{k}", t, x, y, [first, first + 1, first + 4, first + 5]))
        lines.append(f"%p{tag}.{k} = getelementptr double, ptr %row{k}, i64 {column}")
        lines.append(f"store {t} %w{tag}.{k}, ptr %p{tag}.{k}, align 8")
    return lines


def _unpack_single(tag: str, lanes: int, column: str, entry: str) -> list[str]:
    t = value_type(lanes)
    lines = [f"%v{tag} = load {t}, ptr {entry}, align {8 * lanes}"]
    for k in range(lanes):
        lines.append(f"%e{tag}.{k} = extractelement {t} %v{tag}, i64 {k}")
        lines.append(f"%p{tag}.{k} = getelementptr double, ptr %row{k}, i64 {column}")
        lines.append(f"store double %e{tag}.{k}, ptr %p{tag}.{k}, align 8")
    return lines


def _columns(name: str, lanes: int, size: int, lanes_base: str) -> str:
    """Return the lines that move all columns: unrolled, or a loop and what it leaves over."""
    movers = {2: _pack_pair, 1: _pack_single}
    if name == "unpack":
        movers = {4: _unpack_four} if lanes == 4 else {}
        movers |= {2: _unpack_pair, 1: _unpack_single}
    bytes_ = 8 * lanes
    lines: list[str] = []
    k = 0
    if size > UNROLLED:
        wide = max(movers)
        k = size // wide * wide
        lines += [
            "br label %columns\ncolumns:",
            "%k = phi i64 [ 0, %move ], [ %k.next, %columns ]",
            f"%at = mul i64 %k, {bytes_}",
            f"%a = getelementptr i8, ptr {lanes_base}, i64 %at",
            *movers[wide]("k", lanes, "%k", "%a"),
            f"%k.next = add i64 %k, {wide}",
            f"%more = icmp ult i64 %k.next, {k}",
            "br i1 %more, label %columns, label %rest\nrest:",
        ]
    while k < size:
        many = next(n for n in movers if n <= size - k)
        lines.append(f"%a{k} = getelementptr i8, ptr {lanes_base}, i64 {bytes_ * k}")
        lines += movers[many](str(k), lanes, str(k), f"%a{k}")
        k += many
    return "\n  ".join(lines)


def _head(name: str, size: int) -> str:
    given = "ptr noalias %dst, ptr noalias %src, i64 %stride, i64 %rows"
    return f"define internal void @{name}.{size}({given}) #0 {{\n"


def pack(lanes: int, size: int) -> str:
    """Return `pack.N(dst, src, stride, rows)`."""
    rows = "\n  ".join(_rows(lanes, "%src"))
    moved = _columns("pack", lanes, size, "%dst")
    body = f"entry:\n  {rows}\n  br label %move\nmove:\n  {moved}\n  ret void\n}}\n"
    return _head("pack", size) + body


def unpack(lanes: int, size: int) -> str:
    """Return `unpack.N(dst, src, stride, rows)`; an incomplete group is written row by row."""
    rows = "\n  ".join(_rows(lanes, "%dst"))
    moved = _columns("unpack", lanes, size, "%src")
    if size == 0:
        return _head("unpack", size) + "  ret void\n}\n"
    return (
        _head("unpack", size)
        + f"""entry:
  {rows}
  %full = icmp eq i64 %rows, {lanes}
  br i1 %full, label %move, label %row
move:
  {moved}
  ret void
row:
  %l = phi i64 [ 0, %entry ], [ %l1, %nextrow ]
  %lo = mul i64 %l, %stride
  %lt = getelementptr i8, ptr %dst, i64 %lo
  br label %entries
entries:
  %j = phi i64 [ 0, %row ], [ %j1, %entries ]
  %jo = mul i64 %j, {lanes}
  %ji = add i64 %jo, %l
  %js = getelementptr double, ptr %src, i64 %ji
  %jv = load double, ptr %js, align 8
  %jt = getelementptr double, ptr %lt, i64 %j
  store double %jv, ptr %jt, align 8
  %j1 = add i64 %j, 1
  %jm = icmp ult i64 %j1, {size}
  br i1 %jm, label %entries, label %nextrow
nextrow:
  %l1 = add i64 %l, 1
  %lm = icmp ult i64 %l1, %rows
  br i1 %lm, label %row, label %end
end:
  ret void
}}
"""
    )


def transposes(lanes: int, inputs: set[int], outputs: set[int]) -> str:
    """Return the functions that move rows of these sizes."""
    return "".join(
        [pack(lanes, n) for n in sorted(inputs)] + [unpack(lanes, n) for n in sorted(outputs)]
    )
