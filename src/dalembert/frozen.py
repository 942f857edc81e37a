"""`dataclass(frozen=True)` of the standard library, with slots or without, made in less time.

The library writes and compiles six methods for each class, which was a fifth of a short command.
Here those that compare, hash and show are functions over a tuple of the fields instead. Type
checkers see the library's own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]


def _made(cls: type, **options: bool) -> Any:
    """Return the class as a dataclass whose values are compared, hashed and shown by its fields."""
    own = vars(cls)
    compares = own.get("__hash__") is None  # Python sets it to None where __eq__ is written
    made: Any = dataclasses.dataclass(repr=False, eq=False, **options)(cls)
    fields = dataclasses.fields(made)
    shown = [f.name for f in fields if f.repr]
    compared = _tuple([f.name for f in fields if f.compare])
    hashed = _tuple([f.name for f in fields if (f.compare if f.hash is None else f.hash)])

    def __repr__(self: Any) -> str:
        values = ", ".join(f"{n}={getattr(self, n)!r}" for n in shown)
        return f"{self.__class__.__qualname__}({values})"

    def __eq__(self: Any, other: Any) -> Any:
        same = other.__class__ is self.__class__
        return compared(self) == compared(other) if same else NotImplemented

    if "__repr__" not in own:
        made.__repr__ = __repr__
    if "__eq__" not in own:
        made.__eq__ = __eq__
    if compares:
        made.__hash__ = lambda self: hash(hashed(self))
    return made


def _tuple(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that gives attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda x: (getattr(x, names[0]),)) if names else (lambda x: ())


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, slots: bool = False) -> Callable[[type], type]:
        """Return what makes a class a frozen dataclass, with slots or without."""
        return lambda cls: _made(cls, frozen=frozen, slots=slots)
