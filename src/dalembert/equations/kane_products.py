"""Entries of D, C and tau that are left as products of entries of J, J_nh and their rates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..expr.formula import Sum
from .kane_rates import RatePart
from .kane_value import products

if TYPE_CHECKING:
    from .kane_form import KaneForm


def part_product(form: KaneForm, part: RatePart) -> Sum:
    """Return J'MA of one part A of Jd as a sum of products."""
    terms = []
    for k in range(len(form.bodies)):
        for r in form.kept:
            for s in form.kept:
                x, left, right = form.M[k][r][s], form.J[6 * k + r][0], part.slope[6 * k + s][0]
                if not (is_plain_zero(x) or is_plain_zero(left) or is_plain_zero(right)):
                    rows = row_number(form, 6 * k + r), row_number(form, 6 * k + s)
                    terms.append((x, [("J", rows[0], 1), (part.name, rows[1], 1)]))
    return products(form.setting, terms)


def row_number(form: KaneForm, r: int) -> int:
    """Return the number of a row of J among those that are kept."""
    return r // 6 * len(form.kept) + form.kept.index(r % 6) + 1


def matrix_product(form: KaneForm, a: int, b: int, rates: bool = False) -> Sum:
    """Return D(a,b) or C(a,b) as a sum of products of entries of J and Jd."""
    terms: dict[tuple[tuple[str, int, int], ...], Any] = {}

    def add(x: Any, name: str, r: int, s: int) -> None:
        if is_plain_zero(x) or is_plain_zero(form.J[r][a - 1]):
            return
        right = form.J[s][b - 1] if name == "J" else form.J_dot[s][b - 1]
        if not is_plain_zero(right):
            factors = (("J", row_number(form, r), a), (name, row_number(form, s), b))
            place = tuple(sorted(factors))
            terms[place] = terms.get(place, 0) + x

    for k in range(len(form.bodies)):
        M, W = form.M[k], form.W[k]
        WM = [[sum(W[r][t] * M[t][s] for t in range(6)) for s in range(6)] for r in range(6)]
        for r in form.kept:
            for s in form.kept:
                add(M[r][s], "Jd" if rates else "J", 6 * k + r, 6 * k + s)
                if rates:
                    add(WM[r][s], "J", 6 * k + r, 6 * k + s)
    found = [(x, list(place)) for place, x in terms.items() if not is_plain_zero(x)]
    return products(form.setting, [*found, *_rotors(form, a, b, rates)])


def _rotors(
    form: KaneForm, a: int, b: int, rates: bool
) -> Iterator[tuple[Any, list[tuple[str, int, int]]]]:
    """Yield what rotors add to D(a,b) or C(a,b), by J_nh."""
    for k, Ia in form.rotors.items():
        left, right = form.J_nh[k][a - 1], form.J_nh[k][b - 1]
        slope = form.rates([right])[0] if rates else right
        if is_plain_zero(left) or is_plain_zero(slope):
            continue
        if rates:
            yield Ia * slope, [("J_nh", k + 1, a)]
        else:
            yield Ia, [("J_nh", k + 1, x) for x in sorted((a, b))]


def tau_product(form: KaneForm, a: int) -> Sum:
    """Return tau(a) as a sum of products of entries of J and the active forces."""
    flat = [x for w in form.omega for x in w]
    terms = [(x, [("J", row_number(form, r), a)]) for r, x in enumerate(flat)
             if r % 6 in form.kept and not is_plain_zero(x)
             and not is_plain_zero(form.J[r][a - 1])]  # fmt: skip
    terms += [(x, [("J_nh", k, a)]) for k, x in enumerate(form.on_rates, 1)
              if not is_plain_zero(x)]  # fmt: skip
    return products(form.setting, terms)
