"""What every reader is told beside the text: where it comes from and how it is to be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from ..errors import DalembertError, DescriptionError, Place
from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class Context:
    """Where a description comes from, and how it is to be read.

    `source` is its name in errors and `file` where it stands, if it is a file; `name` is that of a
    mechanism that has none of its own; `snap` is how near to a multiple of pi/12 an angle is read
    as one; `inertia` the mass data that a phrase generates. `base` is for the languages that have a
    root of their own (URDF, SDF, phrases): `load` puts all others on their base itself. `follows`
    says whether joints follow others: if they do not, a missing leader is not an error.
    """

    source: str = "<text>"
    name: str = "mechanism"
    snap: float | None = None
    inertia: Literal["simple", "full"] = "simple"
    base: Literal["fixed", "free", "planar"] = "fixed"
    follows: bool = True
    file: Path | None = None


PLAIN = Context()


@contextmanager
def placed(place: Place) -> Iterator[None]:
    """Give errors that only the whole mechanism shows a place: that of its description."""
    try:
        yield
    except DescriptionError:
        raise
    except DalembertError as error:
        error.where = error.where or place
        raise
