"""Closed forms as they are set in LaTeX and Markdown: what vanishes is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .sections import Document
from .text import document

if TYPE_CHECKING:
    from .closed_form import Equations


def typeset(eq: Equations, only: Sequence[str] | None = None) -> Document:
    """Return what is printed in LaTeX and Markdown: no coefficients B and C that vanish."""

    def kept(line: Any) -> bool:
        return isinstance(line, str) or bool(line[1]) or line[0].name[0] not in "BC"

    made = document(eq, only=only)
    sections = [replace(s, lines=[*filter(kept, s.lines)] or ["none"]) for s in made.sections]
    return replace(made, sections=sections)
