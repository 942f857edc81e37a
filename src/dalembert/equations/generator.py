"""One symbol of closed forms: its printed name, what it stands for, and a row for each kind.

A key is the kind and what tells its symbols apart: ("sin", joints), ("q", j), ("V", j, u),
("J", j, a, b), ("p", name), ...; joints from 1, bodies from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError
from ..expr.formula import Symbol
from ..expr.style import latex_name
from ..mechanism import Mechanism
from .angles import CONSTANT, Joints

Key = tuple[Any, ...]
ALPHABET = "abcdefghijklnopqrstuvwxyz"  # m is a minus: C2m3


@dataclass(frozen=True, slots=True)
class Kind:
    """What all symbols of one kind share: their place in a product, meaning and LaTeX."""

    rank: int  # constants below 3, then what moves
    meaning: Callable[..., str]
    latex: Callable[..., str] | None = None  # of the key; None: of the name


def signed_sum(joints: Joints, joint: Callable[[int], str] = "q{}".format) -> str:
    """Return a sum of joints with their signs: q2+q3, q2-q3."""
    text = "".join(("-" if j < 0 else "+") + _named(abs(j), joint) for j in joints)
    return text.removeprefix("+")


def _named(j: int, joint: Callable[[int], str]) -> str:
    return joint(j) if j < CONSTANT else letter(j)


def letter(j: int) -> str:
    """Return the letter of a constant angle in a sum of angles: a, b, ..., no m, aa after z."""
    k, out = j - CONSTANT, ""
    while k > 0:
        k, at = divmod(k - 1, len(ALPHABET))
        out = ALPHABET[at] + out
    return out


def _indices(joints: Joints) -> str:
    comma = "," if any(9 < abs(j) < CONSTANT for j in joints) else ""
    return joined(joints, comma, "-")


KINDS = {
    "M": Kind(0, lambda j: f"mass of body {j + 1} and all beyond"),
    "V": Kind(0, lambda j, u: f"reported mass of body {j + 1}",
              lambda j, u: f"V_{{{'XYZ'[u]}{j + 1}}}"),
    "J": Kind(1, lambda j, a, b: f"total inertia of body {j + 1}",
              lambda j, a, b: f"J_{{{letters(a, b)}{j + 1}}}"),
    "other": Kind(2, str),
    "p": Kind(2, lambda name: "parameter"),
    "q": Kind(3, lambda j: f"coordinate of joint {j}"),
    "sinK": Kind(4, lambda k: f"sine of constant angle {k}"),
    "cosK": Kind(4, lambda k: f"cosine of constant angle {k}"),
    "sin": Kind(5, lambda joints: f"sin({signed_sum(joints)})",
                lambda joints: f"s_{{{_indices(joints)}}}"),
    "cos": Kind(5, lambda joints: f"cos({signed_sum(joints)})",
                lambda joints: f"c_{{{_indices(joints)}}}"),
    # of Kane's method and regressors
    "rate": Kind(6, lambda j: f"dq{j}/dt", lambda j: rf"\dot q_{{{j}}}"),
    "follows": Kind(6, lambda j, a: f"rate of joint {j + 1} by that of joint {a + 1}"),
    "turns": Kind(6, lambda j, a: f"d/dt of the rate of joint {j + 1} by that of {a + 1}"),
    "speed": Kind(6, lambda name: f"speed {name}"),
    "second": Kind(7, lambda j, *_: f"d2q{j}/dt2", lambda j, *_: rf"\ddot q_{{{j}}}"),
    "force": Kind(8, lambda j: f"force at {j}"),
    # senses of motion
    "sign": Kind(9, lambda j: f"sign of dq{j}/dt",
                 lambda j: rf"\operatorname{{sgn}}\dot q_{{{j}}}"),
    "forward": Kind(9, lambda j: f"1 where dq{j}/dt > 0, else 0"),
    "backward": Kind(9, lambda j: f"1 where dq{j}/dt < 0, else 0"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Generator:
    """One symbol: its printed name and what it stands for; LaTeX where a set has its own."""

    name: str
    key: Key
    latex: str = ""
    tail: str = ""  # of the LaTeX, behind a power

    @property
    def kind(self) -> str:
        """The kind of the symbol, a row of KINDS."""
        kind: str = self.key[0]
        return kind

    def symbol(self) -> Symbol:
        """Return the symbol as it stands in formulas."""
        if self.latex:
            return Symbol(self.name, self.latex, self.tail)
        made = KINDS[self.kind].latex
        return Symbol(self.name, made(*self.key[1:]) if made else latex_name(self.name))

    def meaning(self) -> str:
        """Return what it stands for, in words."""
        return KINDS[self.kind].meaning(*self.key[1:])


def letters(a: int, b: int) -> str:
    """Return the letters of a tensor entry: X for the diagonal, XY off it."""
    return "XYZ"[a] if a == b else "XYZ"[a] + "XYZ"[b]


def joined(joints: Joints, dot: str, minus: str = "m") -> str:
    """Return the digits of a sum of angles: 234, 2_3 from ten joints on, 2m3 for q2 - q3."""
    out = str(joints[0])
    for j in joints[1:]:
        called = _named(abs(j), str)
        out += f"{minus}{called}" if j < 0 else f"{dot}{called}"
    return out


def without_clashes(made: list[Generator]) -> list[Generator]:
    """Return the generators, those of ours renamed that a parameter of the model is called like."""
    taken = {g.name for g in made if g.key[0] == "p"}
    out = []
    for g in made:
        name = g.name
        while g.key[0] != "p" and name in taken:
            name += "_"
        taken.add(name)
        out.append(Generator(name, g.key))
    return out


def refuse_coordinates(m: Mechanism) -> None:
    """Raise when a parameter is called like a coordinate of these equations or a rate of one."""
    taken = {f"{rate}{j}": j for j in range(1, m.nv + 1) for rate in ("q", "qd", "qdd")}
    for p in m.parameters:
        if p.name in taken:
            raise ParameterError(
                f"the parameter {p.name!r} has the name of a coordinate of joint {taken[p.name]}",
                hint=f"rename it in the description: {p.name}_",
            )
