"""How a formula is written: one writer, a row for each style, lines broken between summands.

TEXT is plain text that the expression grammar reads back, REPORT the same with every bracket and
first sign that the 1980 report prints, LATEX what MathJax, KaTeX and pdflatex render.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .formula import Call, Factor, Number, Product, Sum, Symbol
from .show import LONG, readable

LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
SPELT = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = dict(zip(LETTERS, SPELT.split(" "), strict=True))
WORDS = frozenset(GREEK.values())
ACCENTS = ("0300", "0301", "0302", "0303", "0308", "030C", "0327")
ESCAPED = {c: "\\" + c for c in "_#$%&{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
MATH = {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim "}
COMPONENTS = "VWJID"  # V, W, J, I, D with axis letters: components of one vector or tensor
FUNCTIONS = ("sin", "cos", "tan")


@dataclass(frozen=True)
class Style:
    """Signs of a style: products, powers, brackets, fractions, and how wide a line is."""

    times: str
    power: Callable[[str, str, int], str]  # of head and tail of a symbol
    symbol: Callable[[Symbol], tuple[str, str]]  # head and tail
    call: Callable[[str, Sequence[str]], tuple[str, str]]
    number: Callable[[Number, bool], str]  # in brackets where needed, unless it stands alone
    brackets: tuple[str, str] = ("(", ")")
    apart: tuple[str, str] = ("(", ")")  # brackets that a line break may separate
    fraction: Callable[[str, str], str] | None = None  # top over bottom; None: written with a /
    literal: bool = False  # brackets around one term and first signs are kept
    width: Callable[[str], float] = len
    line: float = 100
    whole: float = 0  # up to this width a product stays on its line


def write(s: Sum, style: Style) -> str:
    """Return a formula on one line; 0 where it has no terms."""
    return "".join(_terms(s, style, False)) or "0"


def value(s: Sum, style: Style) -> Number | str:
    """Return the number of a formula without symbols, the text of any other."""
    return write(s, style) if s.number is None else s.number


def pieces(s: Sum, style: Style) -> list[str]:
    """Return a formula in the pieces between which a line may end."""
    return _terms(s, style, True) or ["0"]


def broken(s: Sum, style: Style, left: float = 0, indent: float = 0) -> list[str]:
    """Return a formula as lines of bearable width, each but the first beginning with an operator.

    `left` is the width of what stands before the first line, `indent` before the others.
    """
    lines, used = [""], left
    for piece in pieces(s, style):
        size = style.width(piece)
        if lines[-1] and used + size > style.line:
            lines.append(piece)
            used = indent + size
        else:
            lines[-1] += piece
            used += size
    return lines


# -- the writer: `opened` gives the pieces of a product in brackets, else all is one piece ---------


def _terms(s: Sum, style: Style, opened: bool) -> list[str]:
    out: list[str] = []
    for term in s.terms if style.literal else _led(list(map(_dissolved, s.terms))):
        out += _product(term, style, opened)
    if out and not (style.literal and s.signed):
        out[0] = out[0].removeprefix("+")
    return out


def _led(terms: list[Product]) -> list[Product]:
    """Return terms with a positive one in front: d-l2, not -l2+d."""
    first = next((k for k, p in enumerate(terms) if p.number > 0), 0)
    return [terms[first], *terms[:first], *terms[first + 1 :]] if first else terms


def _dissolved(p: Product) -> Product:
    """Return a product without brackets around one term."""
    if not any(isinstance(x, Sum) and len(x.terms) == 1 for x, _ in p.factors):
        return p
    out = Product(p.number, (), p.under)
    for x, e in p.factors:
        single = isinstance(x, Sum) and len(x.terms) == 1
        out = out * (_dissolved(x.terms[0]).power(e) if single else Product(1, ((x, e),)))
    return out


def _product(p: Product, style: Style, opened: bool) -> list[str]:
    """Return the pieces of a product, its sign first."""
    sign, size = ("-" if p.number < 0 else "+"), abs(p.number)
    opens = opened and any(isinstance(x, Sum) for x, _ in p.factors)
    if not opens or (p.under and style.fraction):
        return [sign + _plain(size, p, style)]
    if style.whole and style.width(whole := sign + _plain(size, p, style)) <= style.whole:
        return [whole]
    out = [sign + (style.number(size, False) if size != 1 else "")]
    for k, f in enumerate(p.factors):
        inner = _factor(f, style, True)
        out[-1] += inner[0] if k == 0 and size == 1 else style.times + inner[0]
        out += inner[1:]
    if p.under:
        out[-1] += "/" + _below(p.under, style)
    return out


def _plain(size: Number, p: Product, style: Style) -> str:
    """Return a product on one line, without its sign."""
    if p.under and style.fraction:
        short = isinstance(size, (int, Fraction)) and len(str(size)) <= LONG // 2
        up, down = size.as_integer_ratio() if short else (size, 1)
        under = [style.number(down, True)] if down != 1 else []
        return style.fraction(_joined(up, p.factors, style), _joined(1, p.under, style, under))
    if p.is_number:
        return style.number(size, True)
    words = [] if size == 1 and p.factors else [style.number(size, False)]
    top = style.times.join([*words, *("".join(_factor(f, style, False)) for f in p.factors)])
    return f"{top}/{_below(p.under, style)}" if p.under else top


def _below(under: Sequence[Factor], style: Style) -> str:
    text = _joined(1, under, style)
    simple = len(under) == 1 and under[0][1] == 1 and not isinstance(under[0][0], Sum)
    return text if simple else f"({text})"


def _joined(
    size: Number, factors: Sequence[Factor], style: Style, before: Sequence[str] = ()
) -> str:
    """Return a number and factors inside brackets or a fraction: a sum alone needs no others."""
    if not before and size == 1 and len(factors) == 1 and factors[0][1] == 1:
        x = factors[0][0]
        if isinstance(x, Sum):
            return write(x, style)
    words = [*before, *("".join(_factor(f, style, False)) for f in factors)]
    if size != 1 or not words:
        words.insert(0, style.number(size, True))
    return style.times.join(words)


def _factor(f: Factor, style: Style, opened: bool) -> list[str]:
    """Return the pieces of one factor."""
    x, e = f
    if isinstance(x, Sum):
        left, right = style.apart if opened else style.brackets
        inner = _terms(x, style, opened)
        inner[0] = left + inner[0]
        inner[-1] += right if e == 1 else style.power(right, "", e)
        return inner
    if isinstance(x, Call):
        head, tail = style.call(x.name, [write(s, style) for s in x.of])
    else:
        head, tail = style.symbol(x)
    return [head + tail if e == 1 else style.power(head, tail, e)]


# -- text ------------------------------------------------------------------------------------------


def _text_number(x: Number, alone: bool) -> str:
    text = readable(x)
    return f"({text})" if "/" in text and not alone else text


TEXT = Style(
    times="*",
    power=lambda head, tail, e: f"{head}{tail}**{e}",
    symbol=lambda x: (x.name, ""),
    call=lambda name, of: (f"{name}({', '.join(of)})", ""),
    number=_text_number,
)
REPORT = replace(TEXT, literal=True)


def text_lines(left: str, s: Sum, style: Style = TEXT) -> list[str]:
    """Return `left = formula` as lines; those after the first begin with two blanks."""
    first, *rest = broken(s, style, len(left) + 3, indent=2)
    return [f"{left} = {first}", *("  " + line for line in rest)]


# -- LaTeX -----------------------------------------------------------------------------------------


def latex_text(text: str) -> str:
    """Return plain text in which TeX sees no commands; letters it has no type for are numbers."""
    return "".join(map(_letter, text))


def _letter(c: str) -> str:
    if c in GREEK:
        return rf"\ensuremath{{\{GREEK[c]}}}"
    if c in ESCAPED:
        return ESCAPED[c]
    # accents are in the type, other scripts are not
    accented = c < "\u0180" and unicodedata.decomposition(c)[5:] in ACCENTS
    plain = c.isascii() and (c.isprintable() or c == "\n")
    return c if plain or accented else f"U+{ord(c):04X}"


def _math_text(text: str) -> str:
    """Return letters of a name in mathematics, as pdflatex, MathJax and KaTeX have them."""
    return "".join(_math_letter(c) for c in text)


def _math_letter(c: str) -> str:
    if c in GREEK:
        return rf"{{\{GREEK[c]}}}"
    if c in MATH:
        return MATH[c]
    letter = _letter(c)
    return letter if c.isascii() or letter != c else rf"\text{{{c}}}"


def latex_name(name: str) -> str:
    """Return a name as a symbol: VZ6 is V_{Z6}, theta1 is \\theta_{1}, L_arm is L_{arm}."""
    count = next((k for k, c in enumerate(name) if not c.isalpha()), len(name))
    letters, rest = name[:count], name[count:]
    if not letters or not all(c.isalnum() or c == "_" for c in rest):
        return rf"\mathit{{{_math_text(name)}}}"
    rest = rest.removeprefix("_")
    if letters[0] in COMPONENTS and 1 < count < 4 and set(letters[1:]) <= set("XYZ") and rest:
        return f"{letters[0]}_{{{letters[1:]}{_math_text(rest)}}}"
    head = "".join(f"\\{GREEK[c]} " if c in GREEK else _math_letter(c) for c in letters).strip()
    if letters in WORDS:
        head = f"\\{letters}"
    elif count > 1 and not any(c in GREEK for c in letters):
        head = rf"\mathit{{{_math_text(letters)}}}"
    return f"{head}_{{{_math_text(rest)}}}" if rest else head


def _latex_number(x: Number, alone: bool) -> str:
    text = readable(x)
    if "/" in text:
        return rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}"
    digits, e, power = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if e else text


def _latex_call(name: str, of: Sequence[str]) -> tuple[str, str]:
    if name == "sqrt":
        return rf"\sqrt{{{of[0]}}}", ""
    head = rf"\{name}" if name in FUNCTIONS else rf"\operatorname{{{name}}}"
    return head, f"({', '.join(of)})"


_MARK = re.compile(r"[_^]\{(?P<small>[^{}]*)\}|\\(?P<word>[A-Za-z]+)|\\,|(?P<sign>[^{}\\])")


def latex_width(formula: str) -> float:
    """Return about the width of a formula in points, in the font of ten."""
    total = 0.0
    for found in _MARK.finditer(formula):
        small, word, sign = found["small"], found["word"], found["sign"]
        if small is not None:
            total += sum(5.5 if c.isupper() else 4.0 for c in small)
        elif word is not None:
            total += 15.0 if word in FUNCTIONS else 6.0 if word in WORDS else 1.0
        elif sign is None:
            total += 1.7
        elif sign in "+-=":
            total += 12.3
        else:
            total += 8.5 if sign.isupper() else 5.0 if sign.isalnum() else 4.0
    return total


LINE = 460  # the width of a line in points: A4 with margins of 2 cm
INDENT = 12
LATEX = Style(
    times=r"\,",
    power=lambda head, tail, e: f"{head}^{{{e}}}{tail}",
    symbol=lambda x: (x.latex or latex_name(x.name), x.tail),
    call=_latex_call,
    number=_latex_number,
    brackets=(r"\left(", r"\right)"),
    apart=(r"\bigl(", r"\bigr)"),
    fraction=lambda top, below: rf"\frac{{{top}}}{{{below}}}",
    width=latex_width,
    line=LINE - INDENT,
    whole=LINE / 2,
)
