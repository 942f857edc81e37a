"""One symbol of closed forms: its printed name and what it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError
from ..mechanism import Mechanism
from .angles import Joints

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Generator:
    """One symbol: its printed name and what it stands for."""

    name: str
    key: Key  # ("sin", joints), ("cos", joints), ("q", j), ("M", j), ("V", j, u), ("J", j, a, b),
    #           ("p", name), ("sinK", k), ("cosK", k), ("other", text)


def letters(a: int, b: int) -> str:
    """Return the letters of a tensor entry: X for the diagonal, XY off it."""
    return "XYZ"[a] if a == b else "XYZ"[a] + "XYZ"[b]


def joined(joints: Joints, dot: str) -> str:
    """Return the digits of a sum of angles: 234, 2_3 from ten joints on, 2m3 for q2 - q3."""
    out = str(joints[0])
    for j in joints[1:]:
        out += f"m{-j}" if j < 0 else f"{dot}{j}"
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
    for p in m.parameters:
        found = re.fullmatch(r"qd{0,2}([1-9][0-9]{0,9})", p.name)
        if found and int(found[1]) <= m.nv:
            raise ParameterError(
                f"the parameter {p.name!r} has the name of a coordinate of joint {found[1]}",
                hint=f"rename it in the description: {p.name}_",
            )
