"""Every term ranked by its largest share of the force of its joint, over a box of motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..expr.formula import Product, Sum, mapped, name
from ..expr.style import REPORT, write
from .box import box_of
from .derived import KINDS
from .entry import Entry
from .ring import Term

if TYPE_CHECKING:
    from .closed_form import Equations


@dataclass(frozen=True, slots=True)
class Share:
    """One term: where it stands, its number there, its text and its largest force and share."""

    entry: str
    number: int
    text: str
    force: float  # the largest force it can give, by the product of the largest factors
    share: float  # that force over the largest found force of the joint
    forces: Mapping[int, float]  # the largest force it can give each joint, from 0

    def __str__(self) -> str:
        return f"{self.share:9.3%}  {self.entry}:{self.number}  {self.text}"

    def __repr__(self) -> str:
        return f"<{str(self).strip()}>"


def shares(eq: Equations, values: Mapping[str, Any], limits: Any = None) -> list[Share]:
    """Return every term, the largest share first; A off the diagonal counts for both its joints."""
    box = box_of(eq, values, limits)
    reference = box.largest_forces(eq)
    out = []
    for kind in KINDS:
        for entry in getattr(eq, kind):
            for number, term in enumerate(entry.terms("report"), 1):
                force = box.bound(eq, entry, term)
                share = max(_share(f, reference[j]) for j, f in force.items())
                out.append(Share(entry.name, number, term_text(eq, entry, term),
                                 max(force.values()), share, force))  # fmt: skip
    return sorted(out, key=lambda s: (-s.share, s.entry, s.number))


def _share(force: float, reference: float) -> float:
    if reference > 0:
        return force / reference
    return 0.0 if force == 0 else float("inf")


def term_text(eq: Equations, entry: Entry, term: Term) -> str:
    """Return a term as text, its sign first, with the motion it stands with."""
    i, *rest = entry.place
    motions = {
        "Q": (),
        "A": (f"qdd{rest[0]}" if i == rest[0] else "qdd",) if rest else (),
        "B": tuple(f"qd{j}" for j in rest),
        "C": (f"qd{j}" for j in rest * 2),
    }[entry.kind]
    product = mapped(Sum((Product(*term),), signed=True), eq.ring.symbol).terms[0]
    for motion in motions:
        product = product * name(motion)
    return write(Sum((product,), signed=True), REPORT)


__all__ = ["Share", "shares"]
