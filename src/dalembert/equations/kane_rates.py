"""The model of a machine of one speed, part by part: A, B, C1, C2, g01, g02, g_u.

DeSantis (1996), (8.23)-(8.44): J̇ = A Φ̇ + B δ̇, C = C1 Φ̇ + C2 δ̇ with C1 = J'MA, C2 = J'MB (J'WMJ
vanishes, E3.26), v̇ = (g01 Φ̇ + g02 δ̇) v + Σ g_u F with g0k = -Ck/D and g_u the share of a force
over D. Every coordinate that J depends on has its A, every steering angle its B, in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..expr.formula import Product, Sum, Symbol
from .elimination import has_any
from .kane_step_names import place_of
from .kane_value import entry
from .ratio import Ratio

FEW = 2  # rates of which each has lines of its own; more of them are longer than Jd itself

if TYPE_CHECKING:
    from .kane_form import KaneForm


@dataclass(frozen=True)
class RatePart:
    """The part of J̇ that one rate multiplies."""

    name: str  # A, B; A1, A2, ... if there are several
    rate: str
    slope: list[list[Any]]


def rate_parts(form: KaneForm) -> list[RatePart]:
    """Return the parts of J̇ of a machine of one speed; none where it has other terms."""
    s, field = form.setting.symbols, form.setting.field
    several = len(form.setting.alpha) != 1 or form.rotors or form.implicit or not form.constraints
    if several or has_any(form.drift):
        return []
    found: dict[str, list[tuple[str, Any]]] = {"A": [], "B": []}
    left = [list(row) for row in form.J_dot]
    for k in s.rates:
        at = s.index["rate", k]
        slope = [[_slope(x, at) for x in row] for row in form.J_dot]
        if not any(map(has_any, slope)):
            continue
        rate = field.gen("rate", k)
        left = [[x - y * rate for x, y in zip(a, b, strict=True)]
                for a, b in zip(left, slope, strict=True)]  # fmt: skip
        kind = "B" if k > s.n or k in s.given else "A"
        found[kind].append((s.rate_name(k), slope))
    if sum(map(len, found.values())) > FEW or any(map(has_any, left)):
        return []
    made = [
        RatePart(kind + (str(n) if len(parts) > 1 else ""), rate, slope)
        for kind, parts in found.items()
        for n, (rate, slope) in enumerate(parts, 1)
    ]
    taken = {p.name for p in form.m.parameters} | set(form.m.joint_names)
    own = {x for k, p in enumerate(made, 1) for x in (p.name, f"C{k}", f"g0{k}")}
    return [] if taken & own else made


def _slope(x: Any, at: int) -> Any:
    return x.derivative({at: 1}) if isinstance(x, Ratio) else 0


def summed(pairs: list[tuple[str, str]]) -> str:
    """Return a sum of products of names: A*phi1d+B*deltad."""
    return "+".join(f"{a}*{b}" for a, b in pairs)


def force_shares(form: KaneForm) -> list[tuple[str, Any]]:
    """Return (force, its share of tau) of each force; none where something else acts."""
    if form.tau is None:
        return []
    s, left, found = form.setting.symbols, form.tau[0], []
    for key, at in s.index.items():
        if key[0] == "force" and isinstance(form.tau[0], Ratio):
            share = form.tau[0].derivative({at: 1})
            if not is_plain_zero(share):
                found.append((s.names[at], share))
                left = left - share * form.setting.field.gen(*key)
    return found if is_plain_zero(left) else []


def over_D(form: KaneForm, value: Any, sign: int = 1) -> Sum:
    """Return a value over D(1,1); of a name, with a sign."""
    below = ((place_of("D", 1, 1), 1),)
    if isinstance(value, str):
        return Sum((Product(sign, ((Symbol(value), 1),), below),))
    parts = entry(form.setting, value)
    return Sum(tuple(part * Product(1, (), below) for part in parts.terms))
