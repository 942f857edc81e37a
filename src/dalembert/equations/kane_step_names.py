"""Names of Kane's steps: entries of matrices, and those set aside for machines that lean.

Of contact i: the normal n of its plane, the axle a, s = n·a, the way down d, the lever l from the
centre p to the contact, the heading f and the side e. Every one has a rate. Of body b: its ω.
"""

from __future__ import annotations

from typing import Any

from ..expr.formula import Symbol
from ..mechanism import Mechanism, RollingContact
from .generator import Generator

VECTORS = ("n", "a", "p", "d", "l", "f", "e")
SCALARS = ("s",)
ENTRIES = ("follows", "turns")  # entries of matrices: J_nh(2,1)
LEANING = ("disc", "wheel", "knife_edge")
# matrices and vectors whose LaTeX is not their name
SPELT = {"J_nh": "J_{nh}", "Jd_nh": r"\dot J_{nh}", "Jd": r"\dot J", "Jd_h": r"\dot J_h",
         "bd": r"\dot b", "v0": "v_0", "vd0": r"\dot v_0", "F0": "F_0", "c0": "c_0", "gw": "g_w",
         "tau": r"\tau", "Ia": "I_a", "on_rate": "Q", "det": r"\Delta", "Hd": r"\dot H",
         "Sd": r"\dot S", "hd": r"\dot h"}  # fmt: skip
Line = str | tuple[Symbol, Any]  # a remark, or a name and its value, as a step prints them


def place_of(name: str, *at: int, mark: str = "") -> Symbol:
    """Return an entry of a matrix by its name, J(1,2), or of a vector, b(1); zeros left out."""
    tail = f"({','.join(str(k) for k in at if k)})"
    return Symbol(name + tail + mark, SPELT.get(name, name), tail)


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
    named = [((kind, k, a), place_of(head, k + 1, a + 1))
             for kind, head in (("follows", "J_nh"), ("turns", "Jd_nh"))
             for k in range(rates) for a in range(speeds)]  # fmt: skip
    if driven:
        for kind, head in (("follows", "b"), ("turns", "bd")):
            named += [((kind, k, speeds), place_of(head, k + 1)) for k in range(rates)]
    return [Generator(x.name, key, x.latex, x.tail) for key, x in named]
