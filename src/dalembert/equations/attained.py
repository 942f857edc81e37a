"""What motions of a box attain: large forces, and large errors of shorter equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .box import Box
from .climb import State, search
from .force import Force, Motion
from .ring import Poly
from .waves import Basis

if TYPE_CHECKING:
    from .closed_form import Equations


def forces(eq: Equations, box: Box) -> tuple[list[float], list[State], list[dict[str, float]]]:
    """Return the largest |tau_i| found, the motion and the parameters that give it, by joint."""
    best: list[float] = []
    motions, given = [], []
    cases = [(case, Basis(eq, replace(box, values=case, ranges={}))) for case in box.cases]
    for i in range(1, eq.n + 1):
        polys = dict(row(eq, i))
        found = [(*search(force_of(basis, polys)), case) for case, basis in cases]
        _, motion, values = max(found, key=lambda x: x[0])
        best.append(abs(float(eq.evaluate(values, *motion)[i - 1])))
        motions.append(motion)
        given.append(values)
    return best, motions, given


def row(eq: Equations, i: int) -> Iterator[tuple[Motion, Poly]]:
    """Yield the coefficients of tau_i with what each of them stands with, gravity as a load."""
    yield (), -eq.poly("Q", (i,)) if eq.sign == "section3" else eq.poly("Q", (i,))
    for j in range(1, eq.n + 1):
        yield (j - 1,), eq.poly("A", (min(i, j), max(i, j)))
        yield (j - 1, j - 1), eq.poly("C", (i, j))
        for k in range(j + 1, eq.n + 1):
            yield (j - 1, k - 1), eq.poly("B", (i, j, k))


def force_of(
    basis: Basis, polys: Mapping[Motion, Poly],
    less: Mapping[int, Mapping[int, float]] | None = None,
) -> Force:  # fmt: skip
    """Return the force of one joint from its coefficients, those that are zero left out.

    `less` takes off some of them, by number, what they are with joints held.
    """
    kept = {motion: p for motion, p in polys.items() if p}
    terms = basis.eq.ring.terms
    return Force(basis.waves([terms(p) for p in kept.values()], less), list(kept), basis.box)
