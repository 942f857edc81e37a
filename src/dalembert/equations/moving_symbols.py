"""The symbols of a tree without masses in motion: those of its postures, then rates and senses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms.condensed import Link
from ..expr import Scalar
from ..inertia import Inertia
from ..mechanism import Mechanism
from .generator import Generator, without_clashes
from .symbols import TreeSymbols

SENSES = {"sign": "SGN", "forward": "POS", "backward": "NEG"}  # kind -> prefix of its names


class MovingSymbols:
    """Sines, cosines, slides, lengths, gravity; then qd and qdd of each joint, and its senses.

    `senses` are keys ("sign", j), ("forward", j), ("backward", j), joints from 1. The generators of
    `still`, the tree at rest, come first and have the same places there.
    """

    def __init__(self, m: Mechanism, senses: Sequence[tuple[str, int]] = ()):
        roots = [x for b in m.bodies if b.parent < 0 for x in b.placement.p]
        bare = tuple(replace(b, inertia=Inertia()) for b in m.bodies)
        self.m = replace(m, bodies=bare, drives=(), checked=True)
        self.n = len(bare)
        self.still = TreeSymbols(self.m, more=roots)
        self.constants, self.follow = self.still.constants, self.still.follow
        numbers = range(1, self.n + 1)
        made = [Generator(f"qd{j}", ("rate", j)) for j in numbers]
        made += [Generator(f"qdd{j}", ("second", j)) for j in numbers]
        made += [Generator(f"{SENSES[kind]}{j}", (kind, j)) for kind, j in senses]
        self.generators = without_clashes([*self.still.generators, *made])
        self.index = {g.key: i for i, g in enumerate(self.generators)}
        self.names = [g.name for g in self.generators]

    def polynomial(self, x: Any, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> Any:
        """Return an exact number or an expression of parameters over the scalars of `values`."""
        return self.still.polynomial(x, values, rational)

    def links(self, values: Sequence[Scalar], rational: Callable[[Any], Any]) -> list[Link]:
        """Return the massless bodies over these scalars."""
        return self.still.links(values, rational)

    def slope(
        self, k: int, values: Sequence[Scalar], rational: Callable[[Any], Any]
    ) -> dict[int, Scalar]:
        """Return the derivative of each generator along q_k (k from 0), where it is not zero."""
        return self.still.slope(k, values, rational)

    def values(
        self, parameters: Mapping[str, float], q: Sequence[Any], qd: Sequence[Any],
        qdd: Sequence[Any],
    ) -> list[Any]:  # fmt: skip
        """Return the float (or array) of each generator at a state."""
        return self.still.values(parameters, q, (qd, qdd), self.generators)
