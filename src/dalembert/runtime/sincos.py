"""Sine and cosine together, W lanes at a time, as LLVM IR text.

x = n·pi/2 + r, |r| <= pi/4, with pi/2 in three parts (Cody and Waite; four shorter parts where the
machine has no fused multiply-add), then the minimax polynomials of fdlibm's k_sin.c and k_cos.c.
Beyond a limit each such lane asks `far`. Within 2 ulp for all doubles; inf and nan give nan.
Single precision goes the same way with shorter parts and Cephes' polynomials (sinf.c); 2 ulp too.
"""

from __future__ import annotations

from fractions import Fraction

from .lanes import Single, element, integer, integers, mask_type, suffix, value_type, width
from .lines import Lines
from .lower import Numbers
from .transpose import Moves

HALF_PI = Fraction(0x1921FB54442D18469898CC51701B839A252049C1114CF98E804, 1 << 200)
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_SINF = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
_COSF = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)
_WHOLE = 6755399441055744.0  # 1.5 · 2**52: adding it rounds to an integer
_WHOLEF = 12582912.0  # 1.5 · 2**23
# bits of n of angles that are reduced here; without fused multiply-add n·part must stay exact
_NEAR, _NEARF = {True: 26, False: 19}, {True: 13, False: 13}
# bits of the parts of pi/2: with fused multiply-add, and without
_PARTS = {True: (53, 53, 53), False: (33, 33, 33, 53)}
_PARTSF = {True: (24, 24, 24), False: (11, 11, 11, 24)}


def half_pi_parts(fused: bool, lanes: int = 1) -> tuple[float, ...]:
    """Return pi/2 as a sum of numbers; without fused multiply-add the first are shorter."""
    rest, parts = HALF_PI, []
    for bits in (_PARTSF if isinstance(lanes, Single) else _PARTS)[fused]:
        scale = Fraction(2) ** (bits - 1 - _exponent(rest))
        part = float(Fraction(int(rest * scale)) / scale)
        parts.append(part)
        rest -= Fraction(part)
    return tuple(parts)


def near(fused: bool, lanes: int = 1) -> int:
    """Return how many bits n may have, beside its sign, in x = n·pi/2 + r that is reduced here."""
    return (_NEARF if isinstance(lanes, Single) else _NEAR)[fused]


def whole(lanes: int) -> float:
    """Return the number that has no digits after the point, and n in its last bits."""
    return _WHOLEF if isinstance(lanes, Single) else _WHOLE


def _exponent(x: Fraction) -> int:
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


class _Lines(Lines):
    """Lines in which constants of many lanes are read from a table."""

    def __init__(self, lanes: int, tag: str, numbers: Numbers):
        super().__init__(tag, lanes)
        self.numbers = numbers

    def operand(self, x: str | float | int) -> str:
        """Return an operand: a number, or what is loaded from its place in the table."""
        if isinstance(x, str) or self.lanes == 1:
            return super().operand(x)
        size = width(self.lanes)
        place = self(f"getelementptr inbounds i8, ptr %k, i64 {size * self.numbers.place(x)}")
        return self(f"load {{t}}, ptr {{}}, align {size}", place)

    def poly(self, z: str, c: tuple[float, ...]) -> str:
        """Return c0 + c1 z + c2 z² + ..."""
        *others, total = c
        text: str | float = total
        for one in reversed(others):
            text = self.add(self.mul(text, z), one)
        return str(text)


def _reduced(a: _Lines, x: str, fused: bool) -> tuple[str, str, str]:
    """Return r, the bits of n, and bits that are not all zero if n is too large or no number.

    n is counted from a power of two on, so that all n that are not too large begin alike.
    """
    bits, kind = near(fused, a.lanes), integers(a.lanes)
    middle = whole(a.lanes) + 2**bits
    shifted = a.add(a.mul(x, float(1 / HALF_PI)), middle)
    n = a("fsub {t} {}, {}", shifted, middle)
    r = x
    for part in half_pi_parts(fused, a.lanes):
        if fused:
            r = a("call {t} @llvm.fma.{m}({t} {}, {t} {}, {t} {})", n, -part, r)
        else:
            r = a("fsub {t} {}, {}", r, a("fmul {t} {}, {}", n, part))
    last = a(f"bitcast {{t}} {{}} to {kind}", shifted)
    base = a(f"bitcast {{t}} {{}} to {kind}", whole(a.lanes))
    return r, last, a(f"xor {kind} {{}}, {{}}", last, base)


def _pair(a: _Lines, r: str, n: str) -> tuple[str, str]:
    """Return the sine and cosine of n·pi/2 + r."""
    z = a.mul(r, r)
    sin, cos = (_SINF, _COSF) if isinstance(a.lanes, Single) else (_SIN, _COS)
    sine = a.add(a.mul(a.mul(r, z), a.poly(z, sin)), r)
    cosine = a.add(a.mul(z, a.add(a.mul(z, a.poly(z, cos)), -0.5)), 1.0)

    # quadrants: odd n swaps the two, bit 1 of n turns the sine, bit 1 of n + 1 the cosine
    whole, top = integers(a.lanes), 31 if isinstance(a.lanes, Single) else 63

    def each(k: int) -> str:
        return _each(a.lanes, k)

    swap = a(f"shl {whole} {{}}, {each(top)}", n)
    odd = a(f"icmp slt {whole} {{}}, {each(0)}", swap)
    turn = a(f"and {whole} {{}}, {each(-(1 << top))}", a(f"shl {whole} {{}}, {each(top - 1)}", n))
    turned = []
    for yes, no, flip in (
        (cosine, sine, turn),
        (sine, cosine, a(f"xor {whole} {{}}, {{}}", turn, swap)),
    ):
        chosen = a(f"select {mask_type(a.lanes)} {{}}, {{t}} {{}}, {{t}} {{}}", odd, yes, no)
        bits = a(f"bitcast {{t}} {{}} to {whole}", chosen)
        turned.append(a(f"bitcast {whole} {{}} to {{t}}", a(f"xor {whole} {{}}, {{}}", bits, flip)))
    return turned[0], turned[1]


class _Several:
    """The lines that compute the sines and cosines of %xa, %xb, ... all at a time.

    Each is a long chain of dependences; their instructions alternate, and constants are read once
    for all. Lanes beyond the limit are rare, and reduced in a block of their own, for which the
    angles are read `again`, if that is said.
    """

    def __init__(self, lanes: int, fused: bool, many: int = 2, again: str = ""):
        t, whole, bits = value_type(lanes), integers(lanes), near(fused, lanes)
        self.numbers, self.tags = Numbers(lanes), "abcd"[:many]
        first = [_Lines(lanes, tag, self.numbers) for tag in self.tags]
        known = [_reduced(a, f"%x{a.tag}", fused) for a in first]
        last = [_Lines(lanes, "p" + tag, self.numbers) for tag in self.tags]
        self.made = [_pair(a, f"%r{b.tag}", f"%n{b.tag}") for a, b in zip(last, first, strict=True)]
        anywhere, slow, join = Lines("any", lanes), [], []
        rest = -(1 << bits + 1)
        beyond = known[0][2]
        for *_, one in known[1:]:
            beyond = anywhere(f"or {whole} {beyond}, {one}")
        beyond = anywhere(f"and {whole} {beyond}, {_each(lanes, rest)}")
        every = f"i{8 * width(lanes)}"
        if lanes > 1:
            beyond = anywhere(f"bitcast {whole} {beyond} to {every}")
        beyond = anywhere(f"icmp ne {every} {beyond}, 0")
        for a, (r, n, odd) in zip(first, known, strict=True):
            if again:
                slow.append(f"%x{a.tag}.again = load {t}, ptr {again}{a.tag}, align {width(lanes)}")
            x, far = f"%x{a.tag}" + ".again" * bool(again), f"%far{a.tag}"
            slow.append(f"{far}.bits = and {whole} {odd}, {_each(lanes, rest)}")
            slow.append(f"{far} = icmp ne {whole} {far}.bits, {_each(lanes, 0)}")
            slow += _corrected(a.tag, lanes, x, r, n, far)
            join += [
                f"%r{a.tag} = phi {t} [ {r}, %near ], [ %r{a.tag}.far, %slow ]",
                f"%n{a.tag} = phi {whole} [ {n}, %near ], [ %n{a.tag}.far, %slow ]",
            ]
        self.blocks = [
            _interleaved(first),
            *anywhere.lines,
            f"br i1 {beyond}, label %slow, label %join, !prof !0\nslow:",
            *slow,
            "br label %join\njoin:",
            *join,
            _interleaved(last),
        ]


def sincos(lanes: int, fused: bool) -> str:
    """Return `sincos(p, n, groups, stride)`: angles at p give way to sines, cosines come after.

    Angle a of group g lies at a·stride + g; where groups < stride the rest is left alone. Of many
    lanes there may be more groups than stride: cosines come so many further on, not n·stride.
    """
    many = 2 if lanes == 1 or isinstance(lanes, Single) else 4  # a tile has four groups
    m, all_, w = suffix(lanes), _Several(lanes, fused, many, "%here"), Moves(lanes)
    step, apart = (w(f"mul i64 %{name}, {w.bytes}") for name in ("step", "apart"))
    end = w("mul i64 %n, {}", step)
    last, stride = w("sub i64 {}, {}", end, step), w("mul i64 {}, {}", step, many)
    others = [w("mul i64 {}, {}", step, k) for k in range(1, many)]
    with w.repeat(end, stride) as i:
        w.open("near")
        own = [i]
        for other in others:
            k = w("add i64 {}, {}", i, other)
            own.append(w("call i64 @llvm.umin.i64(i64 {}, i64 {})", k, last))
        for tag, k in zip(all_.tags, own, strict=True):
            w.lines.append(f"%here{tag} = getelementptr i8, ptr %p, i64 {k}")
            w.lines.append(f"%x{tag} = load {w.type}, ptr %here{tag}, align {w.bytes}")
        w.lines += all_.blocks
        for tag, (sine, cosine) in zip(all_.tags, all_.made, strict=True):
            there = w.at("i8", f"%here{tag}", apart)
            w.put(w.type, sine, f"%here{tag}")
            w.put(w.type, cosine, there)
    given = "ptr %p, i64 %n, i64 %step, i64 %apart, ptr %k"
    inner = w.procedure(f"sincos.inner.{m}", given)
    return all_.numbers.text("turns." + m) + _over_groups(lanes) + inner


def across(lanes: int, fused: bool) -> str:
    """Return `sincos` of one state, whose angles fill the lanes of vectors; few go one by one.

    Two vectors go at a time, or all three where there are three.
    """
    entry, given = Lines(), "ptr %p, i64 %n, i64 %groups, i64 %stride"
    few, two, three = (entry(f"icmp ule i64 %n, {n}") for n in (lanes - 1, 2 * lanes, 3 * lanes))
    entry.branch(few, "one", "more")
    entry.lines.append(f"tail call void @sincos.few({given})\n  ret void\nmore:")
    entry.branch(entry(f"xor i1 {two}, {three}"), "three", "two")
    for name, last in (("three", "\ntwo:"), ("two", "")):
        call = f"tail call void @sincos.{name}(ptr %p, i64 %n, ptr @turns.{name})"
        entry.lines.append(f"{call}\n  ret void{last}")
    entries = entry.function(f"void @sincos.f64({given})")
    return entries + _across(lanes, fused, 2, "two") + _across(lanes, fused, 3, "three")


def _across(lanes: int, fused: bool, many: int, name: str) -> str:
    """Return the function that takes so many vectors of the angles of one state at a time.

    If n is not a multiple of the lanes, the last vector overlaps the one before: it is read first.
    """
    all_, w = _Several(lanes, fused, many), Moves(lanes)
    end = w(f"sub i64 %n, {lanes}")
    kept = w.get(w.type, w.at("double", "%p", end), 8)
    with w.repeat("%n", many * lanes) as i:
        w.open("near")
        for place, tag in enumerate(all_.tags):
            k = w(f"add i64 {i}, {place * lanes}")
            own = w(f"call i64 @llvm.umin.i64(i64 {k}, i64 {end})")
            w.lines.append(f"%here{tag} = getelementptr double, ptr %p, i64 {own}")
            read, beyond = w.get(w.type, f"%here{tag}", 8), w(f"icmp uge i64 {k}, {end}")
            w.lines.append(f"%x{tag} = select i1 {beyond}, {w.type} {kept}, {w.type} {read}")
        w.lines += all_.blocks
        for tag, (sine, cosine) in zip(all_.tags, all_.made, strict=True):
            there = w.at("double", f"%here{tag}", "%n")
            w.put(w.type, sine, f"%here{tag}", 8)
            w.put(w.type, cosine, there, 8)
    made = w.procedure(f"sincos.{name}", "ptr %p, i64 %n, ptr %k")
    return all_.numbers.text(f"turns.{name}") + made


def _over_groups(lanes: int) -> str:
    m, w = suffix(lanes), Moves(lanes)
    inner = f"call void @sincos.inner.{m}"
    every = w("mul i64 %n, %stride")
    w.branch(w("icmp uge i64 %groups, %stride"), "once", "each")
    more = w("icmp ugt i64 %groups, %stride")
    apart = w("select i1 {}, i64 %groups, i64 {}", more, every)
    w.lines.append(f"tail {inner}(ptr %p, i64 {every}, i64 1, i64 {apart}, ptr @turns.{m})")
    w.lines.append("ret void\neach:")
    with w.repeat("%groups") as g:
        here = w.at(w.type, "%p", g)
        w.lines.append(f"{inner}(ptr {here}, i64 %n, i64 %stride, i64 {every}, ptr @turns.{m})")
    w.lines.append("ret void")
    return w.function(f"void @sincos.{m}(ptr %p, i64 %n, i64 %groups, i64 %stride)")


def _interleaved(pair: list[_Lines]) -> str:
    return "\n  ".join(x for both in zip(*(a.lines for a in pair), strict=True) for x in both)


def _corrected(tag: str, lanes: int, angles: str, r: str, n: str, far: str) -> list[str]:
    """Return lines that reduce the lanes beyond the limit, and only those, in another way."""
    t, whole, mask = value_type(lanes), integers(lanes), mask_type(lanes)
    single = isinstance(lanes, Single)
    lines, names = [], {"r": "poison", "n": "poison"}
    for k in range(lanes):
        x = f"%x{tag}.{k}"
        take = f"extractelement {t} {angles}, i64 {k}" if lanes > 1 else f"freeze double {angles}"
        lines.append(f"{x} = {take}")
        if single:
            lines.append(f"{x}.d = fpext float {x} to double")
            x += ".d"
        lines.append(f"%f{tag}.{k} = call {{ double, i64 }} @far(double {x})")
        for place, (name, kind) in enumerate((("r", element(lanes)), ("n", integer(lanes)))):
            one, wide = f"%{name}{tag}.{k}", t if name == "r" else whole
            far_one = f"{one}.d" if single else one
            lines.append(f"{far_one} = extractvalue {{ double, i64 }} %f{tag}.{k}, {place}")
            if single:
                short = "fptrunc double" if name == "r" else "trunc i64"
                lines.append(f"{one} = {short} {far_one} to {kind}")
            if lanes > 1:
                into = f"insertelement {wide} {names[name]}, {kind} {one}, i64 {k}"
                lines.append(f"{one}.w = {into}")
            names[name] = f"{one}.w" if lanes > 1 else one
    lines.append(f"%r{tag}.far = select {mask} {far}, {t} {names['r']}, {t} {r}")
    lines.append(f"%n{tag}.far = select {mask} {far}, {whole} {names['n']}, {whole} {n}")
    return lines


def _each(lanes: int, k: int) -> str:
    """Return a whole number in every lane."""
    return str(k) if lanes == 1 else "<" + ", ".join([f"{integer(lanes)} {k}"] * lanes) + ">"
