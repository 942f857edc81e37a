"""Routines: lines that stand once in a kernel and are called many times, each on its own arguments.

Arguments and results of a call lie in slots; what all calls share is read where the caller has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..expr.block import Routine
from .lower import Access, Chunk
from .schedule import Schedule


class _Called(Chunk):
    """A chunk of a routine: what all calls share is read where the caller keeps it."""

    def __init__(
        self, plan: Schedule, access: Access, outer: Schedule, routine: Routine,
        shared: Sequence[int],
    ):  # fmt: skip
        super().__init__(plan, access)
        self.outer, self.shared, self.place = outer, shared, routine.place
        self.late = False

    def reached(self, plan: Schedule, v: int) -> str:
        """Return a value: an argument of this call, of all calls, or one of the routine's own."""
        if plan is not self.plan or v in plan.slot or v in plan.constants:
            return super().reached(plan, v)
        leaf = plan.block.leaves[v]
        k = self.place[leaf.name, leaf.index]
        if k < len(self.shared):
            return super().reached(self.outer, self.shared[k])
        return self.load("%a", k - len(self.shared))

    def results(self, v: int) -> None:
        """Store a value wherever it is a result of the routine."""
        for k in self.plan.stores.get(v, ()):
            self.store(self.value(v), "%b", k)


def routines(outer: Schedule, access: Access) -> list[str]:
    """Return the functions that a block calls; long ones are cut like blocks."""
    texts: list[str] = []
    own = replace(access, routine=True)
    given = ", ".join(f"ptr {p}" for p in [*own.given, "%a", "%b"])
    for n, (routine, shared, plan) in enumerate(outer.calls.routines if outer.calls else ()):
        name, names = f"routine.{int(access.lanes)}.{n}", []
        for c, items in enumerate(plan.chunks):
            chunk = _Called(plan, own, outer, routine, shared)
            if c == 0:
                for v in plan.stores:
                    if v < len(plan.block.leaves):
                        chunk.results(v)
            for item in items:
                assert isinstance(item, int)
                chunk.line(item)
            names.append(f"{name}.{c}")
            texts.append(own.function(names[-1], chunk.lines))
        texts.append(own.function(name, [f"call void @{x}({given})" for x in names]))
    return texts
