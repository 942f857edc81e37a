"""A reader of printed equations, independent of the printers: sums of products to monomials."""

import re
from fractions import Fraction

TOKEN = re.compile(
    r"\*\*|[-+*()]|[QBC]\(\d+(?:,\d+)*\)|[^\W\d]\w*|\d+(?:\.\d+)?(?:[eE]-?\d+)?(?:/\d+)?"
)
Sum = dict  # monomial (sorted names) -> coefficient


def logical_lines(text):
    """Return name -> right side, continuation lines joined, remarks left out."""
    out, name = {}, None
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("  "):
            assert line[2] in "+-*", line
            out[name] += line.strip()
        else:
            name, _, right = line.partition(" = ")
            assert name not in out, name
            out[name] = right
    return out


def read_named(lines, right):
    """Return the monomials of a right side, other lines put in the place of their names."""
    total = {}
    for monomial, x in read_sum(right).items():
        term = {(): x}
        for name in monomial:
            shared = name in lines and (name[0] in "TUE" or "(" in name)
            term = product(term, read_named(lines, lines[name]) if shared else {(name,): 1})
        total = added(total, term, 1)
    return total


def product(a, b):
    out = {}
    for m, x in a.items():
        for n, y in b.items():
            key = tuple(sorted(m + n))
            out[key] = out.get(key, 0) + x * y
    return {k: v for k, v in out.items() if v}


def added(a, b, sign):
    out = dict(a)
    for m, x in b.items():
        out[m] = out.get(m, 0) + sign * x
    return {k: v for k, v in out.items() if v}


def read_sum(text):
    """Return the monomials of a printed expression, like ones merged."""
    tokens = TOKEN.findall(text)
    assert "".join(tokens) == text.replace(" ", ""), text
    total, at = _sum(tokens, 0)
    assert at == len(tokens), text
    return total


def _sum(tokens, at):
    total, sign = {}, 1
    if tokens[at] in "+-":
        sign, at = (1 if tokens[at] == "+" else -1), at + 1
    while True:
        term, at = _product(tokens, at)
        total = added(total, term, sign)
        if at >= len(tokens) or tokens[at] not in "+-":
            return total, at
        sign, at = (1 if tokens[at] == "+" else -1), at + 1


def _product(tokens, at):
    value = {(): Fraction(1)}
    while True:
        token = tokens[at]
        if token == "(":
            factor, at = _sum(tokens, at + 1)
            assert tokens[at] == ")"
        elif token[0].isdigit():
            number = Fraction(1)
            for k, part in enumerate(token.split("/")):
                number = number * Fraction(part) if k == 0 else number / Fraction(part)
            factor = {(): number} if number else {}
        else:
            factor = {(token,): Fraction(1)}
        at += 1
        power = 1
        if at < len(tokens) and tokens[at] == "**":
            power, at = int(tokens[at + 1]), at + 2
        for _ in range(power):
            value = product(value, factor)
        if at >= len(tokens) or tokens[at] != "*":
            return value, at
        at += 1
