"""Closed forms in LaTeX, in Markdown whose formulas KaTeX renders, and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..mechanism import Mechanism
from . import sections
from .sections import Document, Section, whole
from .text import document as printed
from .text import grouping as groups

if TYPE_CHECKING:
    from .closed_form import Equations


def _made(eq: Equations, only: Sequence[str] | None) -> Document:
    """Return what is printed without coefficients B and C that vanish."""
    made = printed(eq, only=only)
    return replace(made, sections=[_without_zeros(s) for s in made.sections])


def _without_zeros(s: Section) -> Section:
    kept = [x for x in s.lines if isinstance(x, str) or x[1] or x[0].name[0] not in "BC"]
    return replace(s, lines=kept)


def latex(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return sections of display formulas; long sums are broken into lines."""
    return sections.latex(_made(eq, only))


def document(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return a whole LaTeX document."""
    return whole(latex(eq, only))


def markdown(eq: Equations, only: Sequence[str] | None = None) -> str:
    """Return Markdown with one display formula for each coefficient."""
    return sections.markdown(replace(_made(eq, only), title=eq.mechanism.name))


def mathematics(eq: Equations) -> str:
    """Return the displays alone, for a notebook."""
    return sections.mathematics(_made(eq, None))


def grouping(m: Mechanism, how: str = "latex") -> str:
    """Return the base parameters of a mechanism as "text", "latex" or "markdown".

    >>> import dalembert as da
    >>> m = da.load("RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);")
    >>> print(grouping(m, "text").splitlines()[-1])
    ZZR1 = ZZ1+L1**2*M2
    """
    title, *lines = groups(m).lines
    made = Document(str(title), "", [], [Section("", lines)])
    written: str = getattr(sections, how)(made)
    return written
