"""What is left out of the equations of a mechanism on purpose, as a native file says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, shown

if TYPE_CHECKING:
    from .mechanism import Mechanism

KEYS = ("freeze", "neglect", "drop", "prune")
NEGLECTED = ("velocity", "coriolis", "centrifugal", "gravity")


class Simplified(dict[str, Any]):
    """`freeze`, `neglect`, `drop`, `prune`, applied in this order; it is not to be changed.

    >>> Simplified(neglect=["gravity"])
    {'neglect': ['gravity']}
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(self))

    def with_more(self, more: Mapping[str, Any]) -> Simplified:
        """Return this with more left out; a new share of pruning replaces the old one.

        >>> Simplified(neglect=["gravity"]).with_more({"neglect": ["coriolis"], "drop": ["A12:1"]})
        {'neglect': ['gravity', 'coriolis'], 'drop': ['A12:1']}
        """
        out: dict[str, Any] = {}
        for key in KEYS:
            first, second = self.get(key), more.get(key)
            if key in ("neglect", "drop"):
                found: Any = [*(first or ()), *(second or ())]
            else:
                found = {**(first or {}), **(second or {})}
            if found:
                out[key] = found
        return Simplified(out)


def require_same_terms(m: Mechanism, edit: str, only: str = "") -> None:
    """Raise ModelError where terms dropped by number would be other ones after an edit.

    `only`: the coefficients that the edit changes, by their first letter; all if none is named.
    """
    told = m.simplified.get("drop", ()) if m.simplified else ()
    items = re.split(r"[;\s]+", told if isinstance(told, str) else " ".join(told))
    found = [x for x in items if x.startswith(only)] if told else []
    if found:
        raise ModelError(
            f"{edit}: terms are dropped by number ({shown(str(found[0]))!r}), which it changes",
            hint="take `drop` out of the file (m.full is without it), and drop terms of the "
            "equations of the changed machine",
            command="take `drop` out of the file: the numbers are those of the unchanged machine",
        )
