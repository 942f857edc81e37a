"""Exact ratios of polynomials as scalars: what an algorithm meets when it derives closed forms.

Angles are kept as sums of coordinates (`Coordinate`), their sines and cosines as products over
single angles with every s² as 1 - c², so that a ratio that vanishes is the number 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..errors import NotPolynomialError, TooLargeError
from ..expr import Expr, text
from .ring import Poly, Ring, rational

TERMS = 200_000  # of one numerator; beyond it a derivation is given up


class Field:
    """The ratios over one ring: angles are single and independent, quaternions of length one."""

    def __init__(
        self, ring: Ring, single: Sequence[int], setting: Any = None,
        unit: Sequence[Sequence[int]] = (),
    ):  # fmt: skip
        self.ring, self.one, self.setting = ring, ring.one, setting
        index = ring.symbols.index
        circles = []
        for k in single:
            s, c = index["sin", (k,)], index["cos", (k,)]
            circles.append((s, ring.gens[s] ** 2 + ring.gens[c] ** 2 - 1))
        # the first of a quaternion leads the sum of its squares
        for quaternion in unit:
            square = sum((ring.gens[i] ** 2 for i in quaternion), ring.zero)
            circles.append((min(quaternion), square - 1))
        self.circles = circles
        self.roots: list[Ratio] = []  # what each named root is the root of

    def gen(self, *key: Any) -> Ratio:
        """Return a symbol as a scalar."""
        return Ratio(self, self.ring.gens[self.ring.symbols.index[key]], self.one)

    def reduced(self, p: Poly) -> Poly:
        """Return p with every s² as 1 - c², every x² of a quaternion by the others."""
        degrees = p.degrees()
        for s, circle in self.circles:
            if degrees[s] > 1:
                p = divmod(p, circle)[1]
        return p

    def make(self, num: Poly, den: Poly) -> Any:
        """Return num/den in lowest terms; the number 0 when it vanishes."""
        num = self.reduced(num)
        if not len(num):
            return 0
        if len(num) > TERMS:
            raise TooLargeError(f"a closed form has more than {TERMS} terms", hint="use a kernel")
        if den != self.one:
            den = self.reduced(den)
            if not len(den):
                raise ZeroDivisionError
            shared = num.gcd(den)
            if shared != self.one:
                num, den = num / shared, den / shared
            scale = den.leading_coefficient()
            if scale != 1:
                num, den = num / scale, den / scale
        return Ratio(self, num, den)

    def root(self, x: Ratio) -> Ratio:
        """Return the root of a polynomial by its name, r² = x from then on."""
        for k, known in enumerate(self.roots, 1):
            if known == x:
                return self.gen("root", k)
        at = self.ring.symbols.index.get(("root", len(self.roots) + 1))
        if at is None or x.den != self.one:
            raise NotPolynomialError(
                "a square root of coordinates has no closed form here",
                hint="kernels compute it: kane_D, alpha_dot",
            )
        self.roots.append(x)
        # roots are the first generators, so that r² leads
        self.circles.insert(0, (at, self.ring.gens[at] ** 2 - x.num))
        return self.gen("root", len(self.roots))

    def lift(self, x: Any) -> Any:
        """Return a number, coordinate or ratio as (numerator, denominator)."""
        if x.__class__ is Ratio:
            return x.num, x.den
        if isinstance(x, Coordinate):
            return self.lift(x.ratio())
        if isinstance(x, float):
            x = Fraction(repr(x))
        return self.ring.ctx.constant(rational(x)), self.one


def constant_angles(ring: Ring[Any], others: Mapping[str, Expr]) -> list[tuple[int, Poly]]:
    """Return K1² + K2² - 1 of every constant angle whose sine and cosine both have a name.

    Of a square root it is K1² - 3.
    """
    found: dict[str, dict[str, int]] = {}
    roots = []
    for key, x in others.items():
        op = x.graph.op[x.id]
        square = x.graph.const[x.graph.args[x.id][0]] if op == "sqrt" else None
        if square is not None and not isinstance(square, float):
            at = ring.symbols.index["other", key]
            roots.append((at, ring.gens[at] ** 2 - rational(square)))
        if op in ("sin", "cos"):
            angle = text(Expr(x.graph, x.graph.args[x.id][0]))
            found.setdefault(angle, {})[op] = ring.symbols.index["other", key]
    both = [sorted(f.values()) for f in found.values() if len(f) == 2]
    return [*((a, ring.gens[a] ** 2 + ring.gens[b] ** 2 - 1) for a, b in both), *roots]


class Ratio:
    """A ratio of polynomials, never zero."""

    __slots__ = ("den", "field", "num")
    value = None  # what `is_plain_zero` asks: a symbol is not a constant

    def __init__(self, field: Field, num: Poly, den: Poly):
        self.field, self.num, self.den = field, num, den

    def __repr__(self) -> str:
        from .kane_value import written

        return written(self)

    def latex(self) -> str:
        """Return the entry in LaTeX."""
        from .kane_value import written

        return written(self, latex=True)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def to_sympy(self) -> Any:
        """Return the entry as a SymPy expression of coordinates, rates and parameters by name."""
        from .kane_sympy import ratio_to_sympy

        return ratio_to_sympy(self)

    def __add__(self, o: Any) -> Any:
        if o.__class__ is int and o == 0:
            return self
        f = self.field
        num, den = f.lift(o)
        if den == self.den:
            total = self.num + num
            if den == f.one:  # sums of reduced polynomials are reduced
                return Ratio(f, total, den) if len(total) else 0
            return f.make(total, den)
        return f.make(self.num * den + num * self.den, self.den * den)

    __radd__ = __add__

    def __neg__(self) -> Ratio:
        return Ratio(self.field, -self.num, self.den)

    def __sub__(self, o: Any) -> Any:
        return self + (-o)

    def __rsub__(self, o: Any) -> Any:
        return (-self) + o

    def __mul__(self, o: Any) -> Any:
        if o.__class__ is int and o in (0, 1):
            return self if o else 0
        if hasattr(o, "cross"):
            return NotImplemented  # a vector knows how it is scaled
        num, den = self.field.lift(o)
        return self.field.make(self.num * num, self.den * den)

    __rmul__ = __mul__

    def __truediv__(self, o: Any) -> Any:
        num, den = self.field.lift(o)
        return self.field.make(self.num * den, self.den * num)

    def __rtruediv__(self, o: Any) -> Any:
        num, den = self.field.lift(o)
        return self.field.make(self.den * num, self.num * den)

    def __eq__(self, o: object) -> bool:
        return not isinstance(self - o, Ratio)

    __hash__ = None  # type: ignore[assignment]

    def __pow__(self, n: int) -> Any:
        return self.field.make(self.num**n, self.den**n)

    def sin(self) -> Any:
        """Raise NotPolynomialError: only joint angles have sines here."""
        raise NotPolynomialError(
            "a sine of something else than joint angles has no closed form here",
            hint="angles are sums of coordinates; a product in a sine stays in kernels",
        )

    cos = tan = sin

    def sqrt(self) -> Any:
        """Return the root by its name; NotPolynomialError where no name was set aside."""
        return self.field.root(self)

    def derivative(self, slopes: dict[int, Any]) -> Any:
        """Return the derivative along a motion that changes generator i by slopes[i]."""
        num, den = (self._rate(p, slopes) for p in (self.num, self.den))
        below = Ratio(self.field, self.den, self.field.one)
        return (num - self * den) / below if den.__class__ is not int else num / below

    def _rate(self, p: Poly, slopes: dict[int, Any]) -> Any:
        degrees, rate = p.degrees(), 0
        for i, x in slopes.items():
            if degrees[i]:
                rate = Ratio(self.field, p.derivative(i), self.field.one) * x + rate
        return rate

    def at(self, values: Sequence[Any]) -> Fraction:
        """Return the exact value at rationals, one for each generator."""
        v = [rational(x) for x in values]
        found = self.num(*v) / self.den(*v)
        return Fraction(int(found.p), int(found.q))


def as_ratio(x: Any) -> Any:
    """Return an entry that divides exactly: a ratio, or a fraction."""
    if isinstance(x, Coordinate):
        return x.ratio()
    return x if isinstance(x, Ratio) else Fraction(x)


def size(x: Any) -> int:
    """Return the number of terms of an entry."""
    return len(x.num) if isinstance(x, Ratio) else 0


class Coordinate:
    """A sum of coordinates with rational weights: an angle, a slide, or time."""

    __slots__ = ("field", "weights")

    def __init__(self, field: Field, weights: dict[int, Fraction]):
        self.field = field
        self.weights = {k: w for k, w in sorted(weights.items()) if w}

    @property
    def value(self) -> int | None:
        """Zero for no coordinate at all, else None: what `is_plain_zero` asks."""
        return None if self.weights else 0

    def ratio(self) -> Any:
        """Return the sum as a ratio of its own."""
        return sum(self.field.gen("q", k) * w for k, w in self.weights.items())

    def __add__(self, o: Any) -> Any:
        if isinstance(o, Coordinate):
            both, none = self.weights.keys() | o.weights.keys(), Fraction(0)
            return Coordinate(
                self.field, {k: self.weights.get(k, none) + o.weights.get(k, none) for k in both}
            )
        return self if o.__class__ is int and o == 0 else self.ratio() + o

    __radd__ = __add__

    def __neg__(self) -> Coordinate:
        return Coordinate(self.field, {k: -w for k, w in self.weights.items()})

    def __sub__(self, o: Any) -> Any:
        return self + (-o)

    def __rsub__(self, o: Any) -> Any:
        return (-self) + o

    def __mul__(self, o: Any) -> Any:
        if hasattr(o, "cross"):
            return NotImplemented
        if isinstance(o, float):
            o = Fraction(repr(o))
        if isinstance(o, (int, Fraction)):
            if o == 0:
                return 0
            return Coordinate(self.field, {k: w * o for k, w in self.weights.items()})
        return self.ratio() * o

    __rmul__ = __mul__

    def __truediv__(self, o: Any) -> Any:
        return self * Fraction(1, o) if o.__class__ is int else self.ratio() / o

    def __rtruediv__(self, o: Any) -> Any:
        return o / self.ratio()

    def _pair(self) -> tuple[Any, Any]:
        c: Any = 1
        s: Any = 0
        for k, w in self.weights.items():
            if w.denominator != 1 or ("sin", (k,)) not in self.field.ring.symbols.index:
                raise NotPolynomialError(
                    f"the sine of {w} times a coordinate has no closed form here",
                    hint="angles are sums of whole joint angles",
                )
            ck, sk = self.field.gen("cos", (k,)), self.field.gen("sin", (k,))
            for _ in range(abs(int(w))):
                step = sk if w > 0 else -sk
                c, s = c * ck - s * step, s * ck + c * step
        return c, s

    def sin(self) -> Any:
        """Return the generator of the sine."""
        return self._pair()[1]

    def cos(self) -> Any:
        """Return the generator of the cosine."""
        return self._pair()[0]

    def tan(self) -> Any:
        """Return sine by cosine."""
        c, s = self._pair()
        return s / c
