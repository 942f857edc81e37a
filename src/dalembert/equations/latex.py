"""Closed forms in LaTeX, in Markdown whose formulas KaTeX renders, and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..mechanism import Mechanism
from .sections import Document, Section
from .text import document as printed
from .text import grouping as groups

if TYPE_CHECKING:
    from .closed_form import Equations


def typeset(eq: Equations, only: Sequence[str] | None = None) -> Document:
    """Return what is printed without coefficients B and C that vanish."""
    made = printed(eq, only=only)
    return replace(made, sections=[_without_zeros(s) for s in made.sections])


def _without_zeros(s: Section) -> Section:
    kept = [x for x in s.lines if isinstance(x, str) or x[1] or x[0].name[0] not in "BC"]
    return replace(s, lines=kept)


def grouping(m: Mechanism, how: str = "latex") -> str:
    """Return the base parameters of a mechanism as "text", "latex" or "markdown".

    >>> import dalembert as da
    >>> m = da.load("RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);")
    >>> print(grouping(m, "text").splitlines()[-1])
    ZZR1 = ZZ1+L1**2*M2
    """
    title, *lines = groups(m).lines
    written: str = getattr(Document(str(title), "", [], [Section("", lines)]), how)()
    return written
