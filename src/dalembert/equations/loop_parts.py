"""The parts of a closed mechanism's equations, by the words that `only=` and `--only` take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UsageError, shown

# word -> (heading in print, key in JSON)
PARTS = {
    "closure": ("Closure", "closure"),
    "passive": ("Passive coordinates", "passive"),
    "G": ("Rates", "rates"),
    "E": ("Accelerations at constant speeds of the independent joints", "drifts"),
    "tree": ("of the cut tree", "tree"),
    "A_c": ("Inertia of the closed mechanism", "inertia"),
    "H_c": ("Forces at constant speeds of the independent joints", "forces"),
    "tau": ("Forces", "motors"),
}


def asked(only: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the words of `only`, all of them where nothing is asked."""
    if only is None:
        return tuple(PARTS)
    words = only.split(",") if isinstance(only, str) else list(only)
    for word in words:
        if word not in PARTS:
            raise UsageError(
                f"the equations of a closed mechanism have no part {shown(str(word))!r}",
                hint="parts: " + ", ".join(PARTS) + "; eq.tree has Q, A, B, C",
            )
    return tuple(words)


def kept(words: Sequence[str], heading: str) -> bool:
    """Return whether a section is one of the parts asked for; constants are those of the tree."""
    if heading == "Constants" or heading.endswith(PARTS["tree"][0]):
        return "tree" in words
    return any(PARTS[word][0] == heading for word in words)


def keys(words: Sequence[str], whole: dict[str, Any]) -> dict[str, Any]:
    """Return the named parts of a JSON object; what is not a part always stays."""
    own = {key: word for word, (_, key) in PARTS.items()}
    return {k: x for k, x in whole.items() if k not in own or own[k] in words}
