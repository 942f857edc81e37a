"""The readers that ready-made mechanisms are made by, each imported when it is first called."""

from __future__ import annotations

from typing import Any

from ..mechanism import Mechanism


def read_dh(*given: Any, **options: Any) -> Mechanism:
    """Return the mechanism of Denavit-Hartenberg rows."""
    from ..read import mdh

    return mdh.read_dh(*given, **options)


def read_native(data: Any) -> Mechanism:
    """Return the mechanism of the keys of a native file."""
    from ..read.document import Document
    from ..read.native import read_native

    return read_native(Document(data))


def read_phrase(text: str, **context: Any) -> Mechanism:
    """Return the mechanism of a phrase."""
    from ..read.context import Context
    from ..read.phrase import read_phrase

    return read_phrase(text, Context(**context))
