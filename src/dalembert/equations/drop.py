"""Terms deleted by hand: `A12:3,7` names the third and seventh term of A12 as printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import UsageError, shown
from .entry import Entry

if TYPE_CHECKING:
    from .derive import Equations

ITEM = re.compile(
    r"(?P<kind>[QABC])\(?(?P<place>\d+(?:,\d+)*)\)?:(?P<terms>\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)"
)
LIMIT = 100_000


def drop(eq: Equations, which: str | Sequence[str]) -> Equations:
    """Return the equations without the terms that `which` names; the others stay exact.

    Items are separated by blanks or semicolons; terms are counted in the report form, brackets
    opened, from 1: `A12:3,7 Q(2):1 B(1,2,3):2-4`.
    """
    which = which if isinstance(which, str) else " ".join(map(str, which))
    changed, gone = dict(eq.changed), []
    for item in re.split(r"[;\s]+", which.strip()[:LIMIT]):
        found = ITEM.fullmatch(item)
        if not found:
            raise UsageError(
                f"cannot read {shown(item)!r}", hint="write A12:3,7 or B(1,2,3):1, blanks between"
            )
        entry = _entry(eq, found["kind"], found["place"])
        terms = entry.terms("report")
        numbers = _numbers(found["terms"], len(terms), entry)
        kept = [t for k, t in enumerate(terms, 1) if k not in numbers]
        changed[entry.kind, entry.place] = eq.ring.sum(kept)
        gone.append(f"{entry.name}: {len(numbers)} of {len(terms)} terms")
    return replace(eq, changed=changed, remarks=(*eq.remarks, "dropped: " + "; ".join(gone)))


def _entry(eq: Equations, kind: str, place: str) -> Entry:
    digits = [int(x) for x in place.split(",")]
    if len(digits) == 1 and kind != "Q" and len(place) == (3 if kind == "B" else 2):
        digits = [int(x) for x in place]
    found: Entry = getattr(eq, kind)[tuple(digits)]
    return found


def _numbers(text: str, size: int, entry: Entry) -> set[int]:
    out: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        a, b = int(first), int(last or first)
        if not 1 <= a <= b <= size:
            raise UsageError(
                f"{entry.name} has no term {part}", hint=f"its terms are numbered 1 to {size}"
            )
        out.update(range(a, b + 1))
    return out
