"""How closed loops are solved: which equations, in which order, for which coordinates."""

from __future__ import annotations

from dataclasses import field, fields
from hashlib import blake2b

from ..display import lines_html
from ..errors import shown
from ..frozen import dataclass


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """How the closure equations are solved; indices are equations and velocity variables from 0.

    Equation rows[k] is the pivot of coordinate dependent[k], eliminated in this order.
    """

    equations: int
    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]  # motors first, in their order, then free passive coordinates
    motors: tuple[int, ...]
    free: int = 0  # how many independent coordinates no motor moves
    free_joints: tuple[str, ...] = ()
    row_sizes: tuple[float, ...] = ()  # what equations and rates are measured in: size or 1
    column_sizes: tuple[float, ...] = ()
    branch: str = field(default="", compare=False)  # where it was made, when no pose was given

    @property
    def mobility(self) -> int:
        """How many coordinates remain free when the loops are closed."""
        return len(self.independent)

    @property
    def rank(self) -> int:
        """How many closure equations are independent."""
        return len(self.rows)

    @property
    def redundant(self) -> tuple[int, ...]:
        """The equations that follow from the others."""
        kept = set(self.rows)
        return tuple(r for r in range(self.equations) if r not in kept)

    @property
    def spare_motors(self) -> int:
        """How many motors there are beyond those that are independent."""
        return len(self.motors) - (self.mobility - self.free)

    def __str__(self) -> str:
        parts = [
            f"{self.equations} closure equations, {self.rank} independent",
            f"mobility {self.mobility}",
            f"{len(self.motors)} motor{'s' * (len(self.motors) != 1)}"
            + (f", {self.spare_motors} spare" * bool(self.spare_motors)),
        ]
        if self.free:
            parts.append("free: " + ", ".join(map(shown, self.free_joints)))
        if self.branch:
            parts.append(self.branch)
        return "; ".join(parts)

    def __repr__(self) -> str:
        # kernels are kept under this text, so its number is made of every field
        own = repr([getattr(self, f.name) for f in fields(self)])
        return f"<LoopPlan {blake2b(own.encode(), digest_size=8).hexdigest()}: {self}>"

    def _repr_html_(self) -> str:
        return lines_html(str(self))
