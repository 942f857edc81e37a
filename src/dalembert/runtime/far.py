"""Angles far from zero: the fraction of 2 x/pi from 192 bits of 2/pi, as LLVM IR text.

Payne and Hanek, Radian reduction for trigonometric functions (1983), in integers: x = m 2**e. Bits
of 2/pi that make multiples of 4 are left out, 192 after them are enough: no double but zero is
nearer than 2**-62 to a multiple of pi/2.
"""

from __future__ import annotations

from fractions import Fraction
from string import Template

_WORDS = 21  # of 64 bits: 2/pi for the largest double, after 64 zeros


def two_over_pi(bits: int) -> int:
    """Return 2/pi in units of 2**-bits, rounded down; pi by Machin's formula."""
    unit = 1 << bits + 64

    def arctan(n: int) -> int:
        total, term, k = 0, unit // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    pi = 4 * (4 * arctan(5) - arctan(239))
    return (2 * unit << bits) // pi


_FAR = """
@two_over_pi = internal constant [$words x i64] [$table], align 64
declare i192 @llvm.ctlz.i192(i192, i1)
define internal { double, i64 } @far(double %x) #0 {
  %b = bitcast double %x to i64
  %a = and i64 %b, 9223372036854775807
  %ex = lshr i64 %a, 52
  %none = icmp eq i64 %ex, 2047
  ; lanes that are not far away come here too: their place in the table is any
  %low = icmp ult i64 %ex, 1013
  %any = or i1 %none, %low
  %e = select i1 %any, i64 1100, i64 %ex
  %m0 = and i64 %a, 4503599627370495
  %m = or i64 %m0, 4503599627370496
  %at = sub i64 %e, 1013
  %word = lshr i64 %at, 6
  %bit = and i64 %at, 63
  %first = getelementptr i64, ptr @two_over_pi, i64 %word
  $loads
  %y01 = or i256 %y0, %y1
  %y23 = or i256 %y2, %y3
  %y = or i256 %y01, %y23
  %by = zext i64 %bit to i256
  %shifted = shl i256 %y, %by
  %top = lshr i256 %shifted, 64
  %window = trunc i256 %top to i192
  %m192 = zext i64 %m to i192
  ; a quarter of 2 x/pi modulo 4: two bits of n, then the fraction, taken to the nearest n
  %q = mul i192 %window, %m192
  %n0 = lshr i192 %q, 190
  %n1 = trunc i192 %n0 to i64
  %f = shl i192 %q, 2
  %over = icmp slt i192 %f, 0
  %carry = zext i1 %over to i64
  %n2 = add i64 %n1, %carry
  %minus = sub i192 0, %f
  %size = select i1 %over, i192 %minus, i192 %f
  %zeros = call i192 @llvm.ctlz.i192(i192 %size, i1 false)
  %normal = shl i192 %size, %zeros
  %high = lshr i192 %normal, 128
  %h64 = trunc i192 %high to i64
  %h128 = zext i64 %h64 to i128
  %product = mul i128 %h128, $half_pi
  %p63 = lshr i128 %product, 65
  %p64 = trunc i128 %p63 to i64
  %d = sitofp i64 %p64 to double
  %z64 = trunc i192 %zeros to i64
  %power = sub i64 961, %z64
  %power52 = shl i64 %power, 52
  %scale = bitcast i64 %power52 to double
  %r = fmul double %d, %scale
  ; signs: of the fraction, and of x
  %negative = icmp slt i64 %b, 0
  %flip = xor i1 %over, %negative
  %rm = fneg double %r
  %rs = select i1 %flip, double %rm, double %r
  %nm = sub i64 0, %n2
  %ns = select i1 %negative, i64 %nm, i64 %n2
  %nan = fsub double %x, %x
  %rr = select i1 %none, double %nan, double %rs
  %o0 = insertvalue { double, i64 } poison, double %rr, 0
  %o1 = insertvalue { double, i64 } %o0, i64 %ns, 1
  ret { double, i64 } %o1
}
"""


def far(half_pi: Fraction) -> str:
    """Return `far(x)`: r and n of x = n·pi/2 + r for |x| >= 2**14, r rounded once; r = nan for inf.

    For smaller x both are numbers without meaning.
    """
    bits = two_over_pi(64 * (_WORDS - 1))
    words = [bits >> 64 * k & (1 << 64) - 1 for k in reversed(range(_WORDS))]
    loads = "\n  ".join(
        f"%p{k} = getelementptr i64, ptr %first, i64 {k}\n"
        f"  %w{k} = load i64, ptr %p{k}, align 8\n"
        f"  %z{k} = zext i64 %w{k} to i256\n"
        f"  %y{k} = shl i256 %z{k}, {192 - 64 * k}"
        for k in range(4)
    )
    return Template(_FAR).substitute(
        words=_WORDS,
        table=", ".join(f"i64 {w}" for w in words),
        half_pi=int(half_pi * (1 << 63)),
        loads=loads,
    )
