"""What is known of a program without its lines: its ends, and how many operations it takes."""

from __future__ import annotations

from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class Port:
    """A named vector or array at an end of a Function; entries in C order."""

    name: str
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return self.name + (f"({', '.join(map(str, self.shape))})" if self.shape else "")

    @property
    def size(self) -> int:
        """The number of entries."""
        n = 1
        for k in self.shape:
            n *= k
        return n


WORK = {"mul": 1, "add": 1, "div": 20}  # weight of an operation when programs are compared


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations that remain: negation is free, x² is one multiplication, sin and cos are counted
    as pairs of the same argument."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sincos: int = 0
    other: int = 0

    @property
    def work(self) -> int:
        """Multiplications, additions and divisions, each by its weight."""
        return sum(weight * getattr(self, kind) for kind, weight in WORK.items())

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        parts = [f"{self.mul} mul", f"{self.add} add"]
        parts += [f"{self.div} div"] if self.div else []
        parts += [f"{self.sincos} sincos"] if self.sincos else []
        parts += [f"{self.other} other"] if self.other else []
        return ", ".join(parts)
