"""In which form a kernel takes its states and gives its results."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UsageError


@dataclass(frozen=True, slots=True)
class Form:
    """The options of `compile` that change arrays, not the quantity."""

    packed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.packed, bool):
            raise UsageError(f"packed={self.packed!r}", hint="write packed=True or packed=False")


PLAIN = Form()
