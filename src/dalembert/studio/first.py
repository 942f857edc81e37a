"""The text with which a studio begins: the user's own where the page can edit it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import DalembertError, shown

if TYPE_CHECKING:
    from ..mechanism import Mechanism

FIRST = '''# Change anything: machine, equations and code follow.
# A phrase alone, a URDF or a table will do as well.
format = "dalembert/1"
name = "arm"
parameters = { L1 = 0.3, L2 = 0.4, L3 = 0.35, M2 = 3, M3 = 2 }
phrase = """
RZ(-pi, pi), TZK(L1),
RY(-2, 2), TXK(L2),
RY(-2.5, 2.5), TXK(L3);
body 1: M = 4, D = (0, 0, L1/2), I = (0.03, 0.03, 0.01);
body 2: M = M2, D = (L2/2, 0, 0),
  I = (0.002, M2*L2^2/12, M2*L2^2/12);
body 3: M = M3, D = (L3/2, 0, 0),
  I = (0.001, M3*L3^2/12, M3*L3^2/12);
"""
'''


def first_text(m: Mechanism | None, source: str | None = None) -> str:
    """Return the description with which a studio begins.

    `source` is the file or the text that `m` was read from. It is shown as it is where the page
    reads the same machine from it, with its comments and its phrase; else `m` is written as TOML.
    """
    from ..read import write

    if m is None:
        return FIRST
    text = write(m, "toml")[0]
    if source is None or source.startswith("robot:"):
        return text
    file = os.path.expanduser(source)
    there = os.path.exists(file)
    own = _text_of(file) if there else source
    read = None if own is None else _as_the_page_reads(own, m.name)
    if own is not None and read == text:
        return own
    what = shown(os.path.basename(file), 60) if there else "your phrase"
    told = f"# The machine of {what} as TOML"
    if read is None:
        told = f"# The studio does not edit files of this kind.\n{told}"
    else:
        told += ", changed as the options of the command ask"
    return f"{told}.{' Your file stays as it is.' if there else ''}\n{text}"


def _text_of(file: str) -> str | None:
    """Return the text of a file; None where it is not text."""
    from ..read.document import decode, read_bytes

    try:
        return decode(read_bytes(file), file)
    except DalembertError:
        return None


def _as_the_page_reads(text: str, name: str) -> str | None:
    """Return as TOML the machine that the page reads from a text; a file's name is not known."""
    from ..read import write
    from .jobs import mechanism_of

    try:
        return write(replace(mechanism_of({"text": text}), name=name), "toml")[0]
    except DalembertError:
        return None
