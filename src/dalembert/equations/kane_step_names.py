"""Names that are set aside for machines that lean: directions of contacts, roots, J_nh itself.

Of contact i: the normal n of its plane, the axle a, s = n·a, the way down d, the lever l from the
centre p to the contact, the heading f and the side e. Every one has a rate. Of body b: its ω.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..mechanism import Mechanism, RollingContact
from .generator import Generator

VECTORS = ("n", "a", "p", "d", "l", "f", "e")
SCALARS = ("s",)
ENTRIES = ("follows", "turns")  # entries of matrices: J_nh(2,1)
LEANING = ("disc", "wheel", "knife_edge")
DOTTED = {"J_nh": "J_{nh}", "Jd_nh": r"\dot J_{nh}", "Jd": r"\dot J", "Jd_h": r"\dot J_h",
          "bd": r"\dot b", "v0": "v_0", "vd0": r"\dot v_0", "F0": "F_0"}  # fmt: skip


class Line(NamedTuple):
    """name = value, as it is printed in a step; or, with no value, a remark."""

    name: str
    value: Any = None
    latex: str = ""


def leaning(m: Mechanism) -> list[RollingContact]:
    """Return the contacts whose heading is a direction over its length."""
    return [c for c in m.rolling if c.kind in LEANING]


def step_generators(m: Mechanism) -> list[Generator]:
    """Return roots first, then the steps of each contact, then the rates of all of these."""
    count = len(leaning(m)) + len(m.velocity_constraints)
    roots = [Generator(f"root{k}", ("root", k), rf"\rho_{{{k}}}") for k in range(1, count + 1)]
    steps = [
        Generator(f"{letter}{i}{u}", ("step", i, letter, u), f"{letter}_{{{i}{u}}}")
        for i in range(1, len(m.rolling) + 1)
        for letter in (*SCALARS, *VECTORS)
        for u in ("xyz" if letter in VECTORS else ("",))
    ]
    steps += [
        Generator(f"w{b}{u}", ("step", b, "w", u), rf"\omega_{{{b}{u}}}")
        for b in range(1, len(m.bodies) + 1)
        for u in "xyz"
    ]
    own = [*roots, *steps]
    rates = [
        Generator(f"{g.name}d", (f"{g.key[0]}_rate", *g.key[1:]), rf"\dot {g.latex}") for g in own
    ]
    return [*own, *rates]


def followers(rates: int, speeds: int, driven: bool) -> list[Generator]:
    """Return the entries of J_nh and of its rate; where motion is prescribed, of b too."""
    named = [(kind, k, a, head, f"({k + 1},{a + 1})")
             for kind, head in (("follows", "J_nh"), ("turns", "Jd_nh"))
             for k in range(rates) for a in range(speeds)]  # fmt: skip
    if driven:
        for kind, head in (("follows", "b"), ("turns", "bd")):
            named += [(kind, k, speeds, head, f"({k + 1})") for k in range(rates)]
    return [Generator(head + at, (kind, k, a), DOTTED.get(head, head), at)
            for kind, k, a, head, at in named]  # fmt: skip
