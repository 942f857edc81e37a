"""Closed forms as SymPy objects (an optional package)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..expr import OPS, Expr
from ..expr.arena import ARITHMETIC, Rows
from .angles import CONSTANT
from .kinds import KINDS

if TYPE_CHECKING:
    from .closed_form import Equations
    from .regressor import Regressor
from .ring import Poly, Ring


@dataclass(frozen=True, slots=True)
class SympyForm:
    """Q, A, C as matrices, B by (i, j, k) from 1; `q` the coordinates, `constants` by symbol."""

    q: tuple[Any, ...]
    Q: Any
    A: Any
    B: dict[tuple[int, int, int], Any]
    C: Any
    constants: dict[Any, Any]

    def __repr__(self) -> str:
        joints = f"{len(self.q)} joint" + "s" * (len(self.q) != 1)
        return (
            f"<SympyForm of {joints}: matrices .Q, .A, .C; .B[i, j, k] from 1; "
            f"{len(self.constants)} .constants>"
        )

    def _repr_latex_(self) -> str:
        latex = sympy_of().latex
        rows = [f"{name} &= {latex(getattr(self, name))}" for name in ("A", "C", "Q")]
        return r"$$\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}$$"


def to_sympy(eq: Equations) -> SympyForm:
    """Return the coefficients over q1.., parameters and V, J, with sines and cosines of sums."""
    sympy = sympy_of()
    n = eq.n
    q, values = _symbols(eq, sympy)

    def form(kind: Any, place: tuple[int, ...]) -> Any:
        return polynomial(eq.ring, eq.poly(kind, place), values, sympy)

    numbers = range(1, n + 1)
    return SympyForm(
        tuple(q),
        sympy.Matrix([form("Q", (i,)) for i in numbers]),
        sympy.Matrix(n, n, lambda i, j: form("A", (min(i, j) + 1, max(i, j) + 1))),
        {p: form("B", p) for p in eq.places("B")},  # type: ignore[misc]
        sympy.Matrix(n, n, lambda i, j: form("C", (i + 1, j + 1))),
        _constants(eq, values, q, sympy),
    )


def regressor_to_sympy(Y: Regressor) -> Any:
    """Return a regressor as a matrix over q1.., qd1.., qdd1.. and parameters."""
    sympy = sympy_of()
    _, values = _symbols(Y, sympy)
    entries = {e.place: polynomial(Y.ring, e.poly, values, sympy) for e in Y}
    return sympy.Matrix(*Y.shape, lambda i, k: entries.get((i + 1, k + 1), 0))


def sympy_of() -> Any:
    """Return the package, or an error that says how to get it."""
    try:
        import sympy
    except ImportError:
        raise UsageError("SymPy is not installed", hint="pip install sympy") from None
    return sympy


def _symbols(eq: Equations | Regressor, sympy: Any) -> tuple[Any, list[Any]]:
    """Return the coordinates, and what each generator is in SymPy."""
    own = sympy.symbols([f"q{j + 1}" for j in range(eq.n)], real=True)
    q = _with_followers(eq, own, sympy)
    values: list[Any] = []
    for g in eq.ring.symbols.generators:
        kind, *key = g.key
        if kind in ("sin", "cos"):
            angle = sum(
                (1 if j > 0 else -1)
                * (q[abs(j) - 1] if abs(j) < CONSTANT else
                   converted(eq.ring.symbols.constants[abs(j) - CONSTANT - 1], sympy))
                for j in key[0]
            )  # fmt: skip
            values.append(getattr(sympy, kind)(angle))
        elif kind == "q":
            values.append(q[key[0] - 1])
        elif kind in SENSES:
            rate = sympy.Symbol(f"qd{key[0]}", real=True)
            values.append(SENSES[kind](sympy, rate))
        else:
            values.append(sympy.Symbol(g.name, real=True))
    return own, values


def _with_followers(eq: Equations | Regressor, q: Any, sympy: Any) -> list[Any]:
    """Return the coordinates and those that follow them."""
    rules = eq.ring.symbols.follow.rules
    return [*q, *(converted(a, sympy) * q[k - 1] + converted(b, sympy) for k, a, b in rules)]


def polynomial(ring: Ring, p: Poly, values: list[Any], sympy: Any) -> Any:
    """Return a polynomial over what each generator is in SymPy."""
    terms = []
    for c, monomial in ring.terms(p):
        factors = [values[i] ** e for i, e in monomial]
        terms.append(sympy.Mul(sympy.Rational(c.numerator, c.denominator), *factors))
    return sympy.Add(*terms)


SENSES: dict[str, Any] = {
    "sign": lambda sympy, x: sympy.sign(x),
    "forward": lambda sympy, x: sympy.Piecewise((1, x > 0), (0, True)),
    "backward": lambda sympy, x: sympy.Piecewise((1, x < 0), (0, True)),
}


def _constants(eq: Equations, values: list[Any], q: Any, sympy: Any) -> dict[Any, Any]:
    """Return what each constant stands for, in parameters (and q of a slide)."""
    s, out = eq.ring.symbols, {}
    q = _with_followers(eq, q, sympy)
    for g, symbol in zip(s.generators, values, strict=True):
        if KINDS[g.kind].exact is None or g.kind == "p":
            continue
        first, *grown = (converted(x, sympy) for x in s.exact(g.key, s.augmented))
        at = q[s.follow.labels[g.key[1]] - 1] if grown else 0
        out[symbol] = first + sum(x * at**e for e, x in enumerate(grown, 1))
    return out


def converted(x: Any, sympy: Any) -> Any:
    """Return an exact number or an expression of parameters as a SymPy expression."""
    if not isinstance(x, Expr):
        if isinstance(x, float):
            return sympy.Float(x)
        return sympy.Rational(x.numerator, x.denominator)
    leaf: Rows = {
        "const": lambda c: converted(c, sympy),
        "pi": lambda: sympy.pi,
        "param": lambda name: sympy.Symbol(name, real=True),
    }
    ops = {name: OPS[name].evaluate for name in ARITHMETIC} | {"absolute": sympy.Abs}

    def function(i: int, values: list[Any]) -> Any:
        return getattr(sympy, x.graph.op[i])(*values)

    return x.graph.fold([x.id], leaf, ops, function)[x.id]
