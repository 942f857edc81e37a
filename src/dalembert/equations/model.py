"""Equations as a model: a mechanism whose closed forms, whole or simplified, stand for it.

What moves is kept apart from what does not: each product of sines, cosines and slides has one
constant in front, computed off-line; products that several terms share are taken out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..algorithms.closed_form import ClosedForm, Constant, Key, Part, Powers
from ..errors import UsageError, shown
from ..mechanism import Mechanism
from .angles import CONSTANT
from .condense import shortest
from .derived import KINDS
from .drop import named_entries
from .ring import Poly

if TYPE_CHECKING:
    from .closed_form import Equations
    from .symbols import TreeSymbols


def model(eq: Equations) -> Mechanism:
    """Return the mechanism of the equations, with their coefficients instead of its dynamics."""
    numbers: list[Any] = []
    symbols = tuple(_symbol(eq.ring.symbols, g.key, numbers) for g in eq.ring.symbols.generators)
    moving = [kind != "number" or len(key[0]) > 1 for kind, *key in symbols]
    made: list[tuple[Key, tuple[Part, ...]]] = []
    for kind in KINDS:
        for entry in getattr(eq, kind):
            sign = -1 if kind == "Q" and eq.sign == "section2" else 1
            parts = _parts(eq, sign * shortest(entry), moving)
            if parts:
                made.append(((kind, entry.place), parts))
    form = ClosedForm(
        tuple(numbers), symbols, tuple(made), not eq.changed, left_out(eq),
        tuple(eq.frozen.items()), eq.ring.symbols.follow.rules, tuple(eq.ring.symbols.names),
        () if eq.proven_in is None else (eq.proven_in.q, eq.proven_in.qd, eq.proven_in.qdd),
    )  # fmt: skip
    # springs and what closes loops are not in the equations
    return replace(
        eq.mechanism, form=form, simplified=None, springs=(), elastic=(), changes=(), checked=True
    )


def left_out(eq: Equations) -> tuple[str, ...]:
    """Return in words what the equations leave out, the proof of pruning included."""
    gone = (f"neglected: {', '.join(eq.neglected)}",) if eq.neglected else ()
    return (*gone, *eq.remarks)


def _symbol(s: TreeSymbols, key: tuple[Any, ...], numbers: list[Any]) -> tuple[Any, ...]:
    """Return what a generator stands for; constants are put among the numbers."""
    kind, *of = key
    if kind == "q":
        return key
    if kind in ("sin", "cos"):
        offsets = []
        for j in of[0]:
            if abs(j) > CONSTANT:
                offsets.append((len(numbers), 1 if j > 0 else -1))
                numbers.append(s.constants[abs(j) - CONSTANT - 1])
        return kind, tuple(j for j in of[0] if abs(j) < CONSTANT), tuple(offsets)
    powers = s.exact(key, s.augmented)
    joint = s.follow.labels[of[0]] if kind in "MVJ" else 0
    places = tuple(range(len(numbers), len(numbers) + len(powers)))
    numbers += powers
    return ("number", places, joint)


# -- sums with what they share taken out -----------------------------------------------------------

Terms = dict[Powers, list[tuple[Fraction, Powers]]]  # what moves -> the constants in front


def _parts(eq: Equations, p: Poly, moving: list[bool]) -> tuple[Part, ...]:
    terms: Terms = {}
    for number, monomial in eq.ring.terms(p):
        moves = tuple(f for f in monomial if moving[f[0]])
        rest = tuple(f for f in monomial if not moving[f[0]])
        terms.setdefault(moves, []).append((number, rest))
    return tuple(_factored(terms))


def _factored(terms: Terms) -> list[Part]:
    """Return the sum of terms, the symbol that most of them share taken out first."""
    parts: list[Part] = []
    left = dict(terms)
    while left:
        counts: dict[int, int] = {}
        for powers in left:
            for i, _ in powers:
                counts[i] = counts.get(i, 0) + 1
        best = max(counts, key=lambda i: (counts[i], -i), default=None)
        if best is None or counts[best] < 2:
            parts += [Part(*_front(front), powers) for powers, front in left.items()]
            break
        inside = {_without(powers, best): front for powers, front in left.items()
                  if any(i == best for i, _ in powers)}  # fmt: skip
        left = {powers: front for powers, front in left.items()
                if not any(i == best for i, _ in powers)}  # fmt: skip
        parts.append(Part(1, (), ((best, 1),), tuple(_factored(inside))))
    return parts


def _without(powers: Powers, gone: int) -> Powers:
    """Return a product with one power of a symbol less."""
    lower = ((i, e - 1 if i == gone else e) for i, e in powers)
    return tuple((i, e) for i, e in lower if e)


def _front(terms: list[tuple[Fraction, Powers]]) -> tuple[Any, Constant]:
    """Return a number and a sum of constants; equal sums but for sign or a 2 are the same sum."""
    terms = sorted(terms, key=lambda t: t[1])
    first = terms[0][0]
    number = Fraction(1 if first > 0 else -1)
    if len(terms) > 1 or terms[0][1]:
        number *= abs(first) if abs(first) in (2, Fraction(1, 2)) else 1
    elif abs(first) != 1:  # a number alone
        return 1, ((_plain(first), ()),)
    constant = tuple((_plain(c / number), powers) for c, powers in terms)
    return _plain(number), () if constant == ((1, ()),) else constant


def _plain(x: Fraction) -> int | float:
    return int(x) if x.denominator == 1 else float(x)


# -- what a native file leaves out -----------------------------------------------------------------


def simplified(eq: Equations, what: Mapping[str, Any]) -> Equations:
    """Return the equations without what `simplified = {...}` of a native file leaves out."""
    whole = eq.mechanism.joint_names
    if what.get("freeze"):
        eq = eq.freeze(what["freeze"])
    if what.get("neglect"):
        eq = eq.neglect(*what["neglect"])
    if what.get("drop"):
        eq = eq.drop(what["drop"])
    prune = what.get("prune")
    if prune:
        if "tolerance" not in prune:
            raise UsageError(
                f"prune of {shown(eq.mechanism.name)!r} has no tolerance",
                hint='write prune = { tolerance = "1%", limits = { all = { qd = 2, qdd = 5 } } }',
            )
        limits = of_left(prune.get("limits"), whole, eq.mechanism.joint_names)
        eq = eq.prune(prune.get("values") or {}, limits, prune["tolerance"]).equations
    return eq


def numbered_alike(m: Mechanism, other: Mechanism) -> bool:
    """Return whether the terms that one mechanism drops by number are the same of the other.

    A length of zero makes terms vanish, and numbers may join terms that letters kept apart.
    """
    from .derive import equations

    which, found = (m.simplified or {}).get("drop", ()), []
    for x in (m, other):
        left = {k: v for k, v in (x.simplified or {}).items() if k in ("freeze", "neglect")}
        eq = simplified(equations(x.full), left)
        terms = [entry.terms("report") for entry in named_entries(eq, which)]
        found.append([[_moving(eq, powers) for _, powers in each] for each in terms])
    return bool(found[0] == found[1])


def _moving(eq: Equations, powers: Powers) -> set[tuple[str, int]]:
    """Return the sines, cosines and slides of a term, with their powers."""
    known = eq.ring.symbols.generators
    return {(known[i].name, e) for i, e in powers if known[i].key[0] in ("sin", "cos", "q")}


def of_left(limits: Any, whole: tuple[str, ...], left: tuple[str, ...]) -> Any:
    """Return limits by joint name without those of frozen joints; numbers are of all joints."""
    if not isinstance(limits, Mapping) or whole == left:
        return limits
    by_number = {str(k): name for k, name in enumerate(whole, 1) if str(k) not in whole}
    named = {by_number.get(str(key), key): value for key, value in limits.items()}
    frozen = set(whole) - set(left)
    return {key: value for key, value in named.items() if key not in frozen}
