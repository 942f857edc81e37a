"""Formulas in sections, as text, LaTeX, Markdown or mathematics for a notebook.

What is printed is a list of sections; each line of one is a remark or a formula with its left side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import shown
from ..expr.formula import Call, Product, Sum, Symbol, mapped
from ..expr.style import (
    LATEX,
    TEXT,
    Style,
    broken,
    latex_text,
    latex_width,
    pieces,
    text_lines,
    write,
)

MARKS = frozenset("\\`*_{}[]<>$#|")  # of Markdown
PAGE = 30  # lines of one display
SCREEN = 12  # in a notebook: KaTeX expands no more than 1000 commands in one display
Line = str | tuple[Symbol, Sum]


class Remark(str):
    """A remark that is a formula, which LaTeX and Markdown set as one."""

    __slots__ = ("latex",)
    latex: str

    def __new__(cls, text: str, latex: str) -> Remark:
        """Return the remark as plain text that knows its LaTeX."""
        made = super().__new__(cls, text)
        made.latex = latex
        return made


@dataclass(frozen=True, slots=True)
class Section:
    """A name, remarks and formulas; `count` is a remark at the end of plain text.

    A section may be a `step` of a method, numbered from 1.
    """

    name: str
    lines: Sequence[Line] = ()
    count: str = ""
    step: int = 0

    @property
    def title(self) -> str:
        """The name, after the number of a step."""
        return f"step {self.step}: {self.name}" if self.step else self.name

    def formulas(self) -> Iterator[tuple[Symbol, Sum]]:
        """Yield the formulas."""
        return (line for line in self.lines if not isinstance(line, str))

    def remarks(self) -> Iterator[str]:
        """Yield the remarks."""
        return (line for line in self.lines if isinstance(line, str))


@dataclass(frozen=True, slots=True)
class Document:
    """A title, the law in LaTeX, what a reader must know, and sections."""

    title: str
    law: str
    known: Sequence[str]
    sections: Sequence[Section]

    def text(self, style: Style = TEXT, titled: bool = True, heads: bool = False) -> str:
        """Return lines: remarks begin with #, long formulas go on behind two blanks.

        `titled` gives the title of the document, `heads` those of its sections.
        """
        out = [f"# {x}" for x in (self.title, *self.known)] if titled else []
        for section in self.sections:
            out += [f"# {section.title}"] if heads else []
            for line in section.lines:
                out += (
                    [f"# {line}"]
                    if isinstance(line, str)
                    else text_lines(line[0].name, line[1], style)
                )
            out += [f"# {line}" for line in section.count.splitlines()]
        return "\n".join(out) + "\n"

    def latex(self) -> str:
        """Return a LaTeX fragment: paragraphs of displays, which a page may end in."""
        out = [f"\\section*{{{latex_text(self.title)}}}"] if self.title else []
        out += [f"\\[ {self.law} \\]"] if self.law else []
        out += [_paragraph(line) for line in self.known]
        for section in self.sections:
            title = section.title[:1].upper() + section.title[1:]
            out += [f"\\paragraph{{{latex_text(title)}}}"] if title else []
            for line in section.lines:
                out += [_paragraph(line)] if isinstance(line, str) else _displays(*line)
        return "\n".join(out) + "\n"

    def markdown(self) -> str:
        """Return Markdown with one display formula for each line."""
        out = [f"# {_plain(self.title)}", ""]
        out += [f"$${self.law}$$", ""] if self.law else []
        out += [f"- {_plain(line)}" for line in self.known]
        for section in self.sections:
            out += ["", f"## {section.title}", ""] if section.title else [""]
            remarks = [f"- {_plain(line)}" for line in section.remarks()]
            out += [*remarks, ""] if remarks else []
            out += [f"$${_one(*pair)}$$" for pair in section.formulas()]
        return "\n".join(out) + "\n"

    def mathematics(self) -> str:
        """Return displays without anything of a document, as MathJax and KaTeX render them."""
        blocks = [[self.law]] if self.law else []
        for section in self.sections:
            rows = [row for pair in section.formulas() for row in _rows(*_lines(*pair))]
            if rows and section.title:
                rows.insert(0, rf"& \textbf{{{latex_text(section.title)}}}")
            blocks += [rows[k : k + SCREEN] for k in range(0, len(rows), SCREEN)]
        return "\n".join(
            rf"$$\begin{{aligned}} {_NEXT.join(block)} \end{{aligned}}$$" for block in blocks
        )


def _paragraph(line: str) -> str:
    if isinstance(line, Remark):
        return f"\\[ {line.latex} \\]"
    return f"\\noindent {latex_text(line)}\\par"


def _displays(left: Symbol, right: Sum) -> list[str]:
    """Return a formula in displays of as many lines as a page holds together."""
    head, lines = _lines(left, right)
    if len(lines) == 1:
        return [f"\\[ {head} = {lines[0]} \\]"]
    rows = _rows(head, lines)
    pages = [rows[k : k + PAGE] for k in range(0, len(rows), PAGE)]
    return [rf"\begin{{align*}} {_NEXT.join(page)} \end{{align*}}" for page in pages]


def whole(fragment: str) -> str:
    """Return a LaTeX document of a fragment."""
    head = "\\documentclass[a4paper]{article}\n\\usepackage{amsmath}\n"
    allow = "\\usepackage[margin=2cm]{geometry}\n\\allowdisplaybreaks\n"
    return f"{head}{allow}\\begin{{document}}\n{fragment}\\end{{document}}\n"


def _plain(line: str) -> str:
    """Return text in which Markdown sees no marks; a formula between its own."""
    if isinstance(line, Remark):
        return f"${line.latex}$"
    return "".join("\\" + c if c in MARKS else c for c in shown(line))


_NEXT = " \\\\ "


def _lines(left: Symbol, right: Sum) -> tuple[str, list[str]]:
    """Return the left side and the lines of the right one."""
    head = "".join(LATEX.symbol(left))
    # the lines are aligned behind the left side
    wide = latex_width(f"{head} = ")
    return head, broken(right, LATEX, wide, wide)


def one_line(left: Symbol, right: Sum) -> str:
    """Return a formula in LaTeX on one line, for a page that breaks lines itself."""
    return f"{''.join(LATEX.symbol(left))} = {''.join(pieces(right, LATEX))}"


def _rows(head: str, lines: Sequence[str]) -> list[str]:
    return [f"{head} &= {lines[0]}", *(rf"&\quad {line}" for line in lines[1:])]


def _one(left: Symbol, right: Sum) -> str:
    """Return a formula by itself."""
    head, lines = _lines(left, right)
    if len(lines) == 1:
        return f"{head} = {lines[0]}"
    return rf"\begin{{aligned}} {_NEXT.join(_rows(head, lines))} \end{{aligned}}"


# -- long numbers that occur again and again, each by a name of its own ------------------------

LONG, OFTEN = 12, 3  # signs of a number, times that it occurs


def with_numbers_named(sections: Sequence[Section], name: Callable[[int], str]) -> list[Section]:
    """Return the sections with such numbers named K1, K2..., in a section before the others."""
    counts: Counter[str] = Counter()
    values: dict[str, Any] = {}

    def seen(p: Product) -> Product:
        text = _text(p.number)
        counts[text] += 1
        values.setdefault(text, abs(p.number))
        return p

    _each(sections, seen)
    often = [t for t in counts if len(t) >= LONG and counts[t] >= OFTEN]
    if not often:
        return list(sections)
    symbols = {t: Symbol(name(k)) for k, t in enumerate(often, 1)}

    def named(p: Product) -> Product:
        own = symbols.get(_text(p.number))
        if own is None:
            return p
        return Product(1 if p.number > 0 else -1, ((own, 1), *p.factors), p.under)

    lines = [(symbols[t], Sum((Product(values[t]),))) for t in often]
    return [Section("Numbers", lines), *_each(sections, named)]


def _text(x: Any) -> str:
    return write(Sum((Product(abs(x)),)), TEXT)


def _each(sections: Sequence[Section], product: Callable[[Product], Product]) -> list[Section]:
    """Return the sections with every product of their formulas changed."""

    def plain(x: Any) -> Any:
        return None if isinstance(x, Call) else x

    def line(x: Line) -> Line:
        return x if isinstance(x, str) else (x[0], mapped(x[1], plain, product))

    return [replace(s, lines=[line(x) for x in s.lines]) for s in sections]
