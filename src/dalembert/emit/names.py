"""Names in emitted text: identifiers (ASCII, unique, not reserved) and comments (one clean line).

A name from a file is shown as it is, becomes an identifier, or stands in a comment: three things,
each with its own encoder. Nothing from a file reaches code in any other way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from .reserved import RESERVED

PLAIN = re.compile(r"[^A-Za-z0-9 _.,:=()+-]")  # what means nothing in any comment or string


def identifier(name: str) -> str:
    """Return a name made of ASCII letters, digits and `_` that begins with a letter.

    >>> identifier("θ1 max"), identifier("3d"), identifier("é")
    ('theta1_max', 'x3d', 'e')
    """
    letters = []
    for c in unicodedata.normalize("NFKD", name):
        if c.isascii() and (c.isalnum() or c == "_"):
            letters.append(c)
        elif not unicodedata.combining(c):
            letters.append(_greek(c) or "_")
    word = re.sub(r"_+", "_", "".join(letters)).strip("_")[:60]
    return word if word and word[0].isalpha() else "x" + word


def _greek(c: str) -> str | None:
    found = re.fullmatch(
        r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?([A-Z]+)", unicodedata.name(c, "")
    )
    if found is None:
        return None
    return found[2].lower() if found[1] == "SMALL" else found[2].capitalize()


def comment(text: str) -> str:
    """Return text that is safe inside a comment: one line, printable, no comment marks.

    >>> comment("a */ b\\nc")
    'a * / b c'
    """
    clean = "".join(c if c.isprintable() else " " for c in text)
    return clean.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")[:200]


def plain(text: str, limit: int = 80) -> str:
    r"""Return text that means nothing in any language, in a comment or between quotes.

    Letters lose their accents, Greek is spelt, anything else becomes `_`.

    >>> plain('θ1 "*/'), plain("a\nb")
    ('theta1 ___', 'a_b')
    """
    parts = [_greek(c) or c for c in unicodedata.normalize("NFKD", text[: 4 * limit])]
    flat = "".join(c for c in parts if len(c) > 1 or not unicodedata.combining(c))
    return PLAIN.sub("_", flat)[:limit].strip() or "_"


class Names:
    """Identifiers, each given out once; a name that is taken gets a number."""

    longest = 60

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """Return `wanted` as an identifier that was not given out before."""
        word = base = self.spelt(wanted)[: self.longest].rstrip("_")
        n = 2
        while self.refused(word):
            word, n = f"{base}_{n}", n + 1
        self._taken.add(self.key(word))
        return word

    def spelt(self, wanted: str) -> str:
        """Return the identifier that stands for `wanted`."""
        return identifier(wanted)

    def key(self, word: str) -> str:
        """Return what two names may not share."""
        return word

    def refused(self, word: str) -> bool:
        """Return whether a name is taken."""
        return self.key(word) in self._taken


class TextNames(Names):
    """Names in a text to read: what is one already keeps its letters, Greek ones too."""

    def spelt(self, wanted: str) -> str:
        """Return the name itself where it can be written, else an identifier for it."""
        return wanted if _readable(wanted) else identifier(wanted)

    def parameters(self, own: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the name of each parameter, its own where it can be, and remarks on the others."""
        given = {p: self.new(p) for p in sorted(own, key=lambda p: not _readable(p))}
        said = [f"{word} stands for the parameter {p}" for p, word in given.items() if word != p]
        return [given[p] for p in own], said


def _readable(name: str) -> bool:
    return name.isidentifier() and all(c.isascii() or _greek(c) for c in name)


class CodeNames(Names):
    """Names for code in every language: short, unlike in more than case, reserved in none."""

    longest = 27

    def key(self, word: str) -> str:
        """Return the name without its case."""
        return word.lower()

    def refused(self, word: str) -> bool:
        """Return whether a name is taken, or a reserved word of some language."""
        return super().refused(word) or word.lower() in RESERVED or word.endswith("_t")
