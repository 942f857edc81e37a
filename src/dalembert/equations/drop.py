"""Terms left out by hand: kinds of forces, or terms as printed.

`A12:3,7` names the third and seventh term of A12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, closest, shown
from .derived import NEGLECT
from .entry import Entry

if TYPE_CHECKING:
    from .closed_form import Equations

ITEM = re.compile(
    r"(?P<kind>[QABC])\(?(?P<place>\d+(?:,\d+)*)\)?:(?P<terms>\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)"
)
LIMIT = 100_000


def neglect(eq: Equations, *what: str | Sequence[str]) -> Equations:
    """Return the equations without kinds of forces: "velocity", "gravity"."""
    each = (y if isinstance(y, (list, tuple, set)) else [y] for y in what)
    names: list[Any] = [x for y in each for x in y]
    for x in names:
        if not isinstance(x, str) or x not in NEGLECT:
            raise UsageError(f"cannot neglect {shown(str(x))!r}", hint=closest(str(x), NEGLECT))
    every = tuple(dict.fromkeys((*eq.neglected, *names)))
    gone = set().union(*(NEGLECT[x] for x in names))
    changed = {k: p for k, p in eq.changed.items() if k[0] not in gone}
    shorter = replace(eq, neglected=every, changed=changed)
    if not eq.pruned or every == eq.neglected:
        return shorter
    return shorter.with_remark("neglected: " + ", ".join(every[len(eq.neglected) :]))


def drop(eq: Equations, which: str | Sequence[str]) -> Equations:
    """Return the equations without the terms that `which` names; the others stay exact.

    Items are separated by blanks or semicolons; terms are counted in the report form, brackets
    opened, from 1: `A12:3,7 Q(2):1 B(1,2,3):2-4`.
    """
    numbers: dict[tuple[Any, tuple[int, ...]], set[int]] = {}
    for entry, terms_of in _items(eq, which):
        named = _numbers(terms_of, len(entry.terms("report")), entry)
        numbers.setdefault((entry.kind, entry.place), set()).update(named)
    changed, gone = dict(eq.changed), []
    for (kind, place), named in numbers.items():
        entry = getattr(eq, kind)[place]
        terms = entry.terms("report")
        kept = [t for k, t in enumerate(terms, 1) if k not in named]
        changed[kind, place] = eq.ring.sum(kept)
        gone.append(f"{entry.name}: {len(named)} of {len(terms)} terms")
    return replace(eq, changed=changed).with_remark("dropped: " + "; ".join(gone))


def named_entries(eq: Equations, which: str | Sequence[str]) -> list[Entry]:
    """Return the coefficients of which `which` names terms."""
    return [entry for entry, _ in _items(eq, which)]


def _items(eq: Equations, which: str | Sequence[str]) -> Iterator[tuple[Entry, str]]:
    """Yield each coefficient that is named, and the numbers of its terms as written."""
    which = which if isinstance(which, str) else " ".join(map(str, which))
    for item in re.split(r"[;\s]+", which.strip()[:LIMIT]):
        found = ITEM.fullmatch(item)
        if not found:
            raise UsageError(
                f"cannot read {shown(item)!r}", hint="write A12:3,7 or B(1,2,3):1, blanks between"
            )
        yield _entry(eq, found["kind"], found["place"]), found["terms"]


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
                f"{entry.name} has no term {part}",
                hint=f"its terms are numbered 1 to {size}" if size else f"{entry.name} is zero",
            )
        out.update(range(a, b + 1))
    return out


def dropped(eq: Equations) -> list[str] | None:
    """Return what `drop` takes to make these equations of whole ones; None if it cannot."""
    whole, out = replace(eq, changed={}), []
    for kind, place in eq.changed:
        before, after = (getattr(x, kind)[place].terms("report") for x in (whole, eq))
        numbers = [str(k) for k, term in enumerate(before, 1) if term not in after]
        if len(before) - len(numbers) != len(after):
            return None  # pruned: its terms are not those that are printed
        if numbers:
            out.append(f"{getattr(eq, kind)[place].name}:{','.join(numbers)}")
    return out
