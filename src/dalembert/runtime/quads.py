"""Rows of single precision to lanes and back, four columns at a time, as LLVM IR text.

Lanes are four, eight or sixteen: then rows k, k + 4, ... make one vector, and all parts of it are
turned alike.
The last four columns overlap those before where their number is no multiple of four.
"""

from __future__ import annotations

from .lanes import value_type, width

QUAD = "<4 x float>"
UNROLLED = 32  # columns up to which no loop is written


def shuffle(name: str, kind: str, x: str, y: str, picks: list[int]) -> str:
    """Return the line that picks elements of two vectors."""
    mask = f"<{len(picks)} x i32> <{', '.join(f'i32 {p}' for p in picks)}>"
    return f"{name} = shufflevector {kind} {x}, {kind} {y}, {mask}"


def _halves(lanes: int, picks: list[int]) -> list[int]:
    """Return picks of four (4 and above: of the second vector) for every half of the lanes."""
    return [p % 4 + lanes * (p // 4) + 4 * half for half in range(lanes // 4) for p in picks]


def _turned(tag: str, lanes: int, given: list[str]) -> tuple[list[str], list[str]]:
    """Return lines that turn four vectors as a matrix, within each half, and the four results."""
    t = value_type(lanes)
    low, high = _halves(lanes, [0, 4, 1, 5]), _halves(lanes, [2, 6, 3, 7])
    first, second = _halves(lanes, [0, 1, 4, 5]), _halves(lanes, [2, 3, 6, 7])
    a, b, c, d = given
    lines = [
        shuffle(f"%l{tag}.0", t, a, b, low),
        shuffle(f"%h{tag}.0", t, a, b, high),
        shuffle(f"%l{tag}.1", t, c, d, low),
        shuffle(f"%h{tag}.1", t, c, d, high),
    ]
    ends = [f"%t{tag}.{k}" for k in range(4)]
    for k, end in enumerate(ends):
        side = "lh"[k // 2]
        lines.append(shuffle(end, t, f"%{side}{tag}.0", f"%{side}{tag}.1", (first, second)[k % 2]))
    return lines, ends


def _pack_four(tag: str, lanes: int, column: str) -> list[str]:
    """Return lines that move four columns from `column` on into lanes."""
    t, lines, given = value_type(lanes), [], []
    for k in range(lanes):
        lines.append(f"%p{tag}.{k} = getelementptr float, ptr %row{k}, i64 {column}")
        lines.append(f"%v{tag}.{k} = load {QUAD}, ptr %p{tag}.{k}, align 4")
    for k in range(4):
        parts, size = [f"%v{tag}.{n}" for n in range(k, lanes, 4)], 4
        while len(parts) > 1:
            kind, made = f"<{size} x float>", []
            for n in range(0, len(parts), 2):
                made.append(f"%u{tag}.{k}.{size}.{n}")
                lines.append(shuffle(made[-1], kind, parts[n], parts[n + 1], [*range(2 * size)]))
            parts, size = made, 2 * size
        given += parts
    turned, ends = _turned(tag, lanes, given)
    lines += [*turned, f"%a{tag} = getelementptr {t}, ptr %dst, i64 {column}"]
    for k, end in enumerate(ends):
        lines.append(f"%d{tag}.{k} = getelementptr {t}, ptr %a{tag}, i64 {k}")
        lines.append(f"store {t} {end}, ptr %d{tag}.{k}, align {width(lanes)}")
    return lines


def _pack_one(tag: str, lanes: int, column: str) -> list[str]:
    t, lines, before = value_type(lanes), [], "poison"
    for k in range(lanes):
        lines.append(f"%p{tag}.{k} = getelementptr float, ptr %row{k}, i64 {column}")
        lines.append(f"%v{tag}.{k} = load float, ptr %p{tag}.{k}, align 4")
        lines.append(f"%e{tag}.{k} = insertelement {t} {before}, float %v{tag}.{k}, i64 {k}")
        before = f"%e{tag}.{k}"
    lines.append(f"%a{tag} = getelementptr {t}, ptr %dst, i64 {column}")
    return lines + [f"store {t} {before}, ptr %a{tag}, align {width(lanes)}"]


def _unpack_four(tag: str, lanes: int, column: str, size: int) -> list[str]:
    """Return lines that move four entries of lanes to four columns of the rows."""
    t = value_type(lanes)
    lines = [f"%a{tag} = getelementptr {t}, ptr %src, i64 {column}"]
    for k in range(4):
        lines.append(f"%s{tag}.{k} = getelementptr {t}, ptr %a{tag}, i64 {k}")
        lines.append(f"%v{tag}.{k} = load {t}, ptr %s{tag}.{k}, align {width(lanes)}")
    turned, ends = _turned(tag, lanes, [f"%v{tag}.{k}" for k in range(4)])
    lines += turned
    for k in range(lanes):
        name = ends[k % 4]
        if lanes > 4:
            name, half = f"%q{tag}.{k}", k // 4 * 4
            lines.append(shuffle(name, t, ends[k % 4], "poison", [half + n for n in range(4)]))
        lines.append(f"%r{tag}.{k} = getelementptr float, ptr %dst, i64 {size * k}")
        lines.append(f"%p{tag}.{k} = getelementptr float, ptr %r{tag}.{k}, i64 {column}")
        lines.append(f"store {QUAD} {name}, ptr %p{tag}.{k}, align 4")
    return lines


def _unpack_one(tag: str, lanes: int, column: str, size: int) -> list[str]:
    t = value_type(lanes)
    lines = [f"%a{tag} = getelementptr {t}, ptr %src, i64 {column}"]
    lines.append(f"%v{tag} = load {t}, ptr %a{tag}, align {width(lanes)}")
    for k in range(lanes):
        lines.append(f"%e{tag}.{k} = extractelement {t} %v{tag}, i64 {k}")
        lines.append(f"%r{tag}.{k} = getelementptr float, ptr %dst, i64 {size * k}")
        lines.append(f"%p{tag}.{k} = getelementptr float, ptr %r{tag}.{k}, i64 {column}")
        lines.append(f"store float %e{tag}.{k}, ptr %p{tag}.{k}, align 4")
    return lines


def columns(lanes: int, size: int, start: str, back: bool) -> str:
    """Return the lines that move all columns; `start` is the block that they follow."""

    def four(tag: str, column: str) -> list[str]:
        return _unpack_four(tag, lanes, column, size) if back else _pack_four(tag, lanes, column)

    lines: list[str] = []
    if size < 4:
        for k in range(size):
            one = _unpack_one(str(k), lanes, str(k), size) if back else None
            lines += one or _pack_one(str(k), lanes, str(k))
        return "\n  ".join(lines)
    whole = size // 4 * 4
    if size > UNROLLED:
        lines += [
            "br label %columns\ncolumns:",
            f"%k = phi i64 [ 0, %{start} ], [ %k.next, %columns ]",
            *four("k", "%k"),
            f"%k.next = add i64 %k, 4\n  %more = icmp ult i64 %k.next, {whole}",
            "br i1 %more, label %columns, label %rest\nrest:",
        ]
    else:
        for k in range(0, whole, 4):
            lines += four(str(k), str(k))
    if whole < size:
        lines += four("z", str(size - 4))
    return "\n  ".join(lines)
