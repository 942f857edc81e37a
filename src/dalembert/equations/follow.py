"""Joints that follow others in closed forms: q_follower = ratio · q_leader + offset.

The coordinates of a machine are numbered 1, 2, ..., those of its followers come after them. A
slide, and an angle with a whole ratio and quarter turns as its offset, are written by the
coordinate of the leader; other angles keep a symbol of their own, and a remark says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..algebra import is_plain_zero
from ..expr import Expr
from ..expr.exact import exact, to_float
from ..expr.formula import Product, Sum, formula, grouped, name, total
from ..expr.style import TEXT, write
from ..mechanism import Mechanism, joint_name
from ..mechanism.follower import Follower


@dataclass(frozen=True)
class Follow:
    """The number of each body's coordinate, and what those beyond the machine's own follow."""

    labels: tuple[int, ...]
    rules: tuple[tuple[int, Any, Any], ...] = ()  # leader, ratio, offset

    @staticmethod
    def none(n: int) -> Follow:
        """Return that of a machine in which no joint follows another."""
        return Follow(tuple(range(1, n + 1)))

    @staticmethod
    def of(m: Mechanism) -> Follow:
        """Return that of a machine of joints with one coordinate, or none."""
        numbers = {joint_name(b): k + 1 for b, k in zip(m.bodies, m.velocity_index, strict=True)}
        labels, rules = [], list[tuple[int, Any, Any]]()
        for b in m.bodies:
            if isinstance(b.joint, Follower):
                rules.append((numbers[b.joint.of], b.joint.ratio, b.joint.offset))
                labels.append(m.nv + len(rules))
            else:
                labels.append(numbers[joint_name(b)])
        return Follow(tuple(labels), tuple(rules))

    @property
    def count(self) -> int:
        """The number of coordinates of the machine."""
        return len(self.labels) - len(self.rules)

    def members(self, number: int) -> list[tuple[int, Any]]:
        """Return the bodies that a coordinate moves directly, from 1, and their ratios."""
        found: list[tuple[int, Any]] = []
        for body, label in enumerate(self.labels, 1):
            if label == number:
                found.append((body, 1))
            elif label > self.count and self.rules[label - self.count - 1][0] == number:
                found.append((body, self.rules[label - self.count - 1][1]))
        return found

    def whole(self, q: Sequence[Any], known: Mapping[str, Any]) -> list[Any]:
        """Return the coordinates with those of the followers, in numbers or arrays."""
        more = [to_float(a, known) * q[k - 1] + to_float(b, known) for k, a, b in self.rules]
        return [*q, *more]

    def slides(self) -> list[Product]:
        """Return the coordinate of each body as it stands in formulas."""
        return [grouped(self.written(label)) for label in self.labels]

    def written(self, label: int) -> Sum:
        """Return a coordinate by those of the machine."""
        if label <= self.count:
            return total([name(f"q{label}")])
        leader, ratio, offset = self.rules[label - self.count - 1]
        parts = [grouped(formula(exact(ratio))) * name(f"q{leader}")]
        return total(parts if is_plain_zero(offset) else [*parts, grouped(formula(exact(offset)))])

    def turns(self, label: int) -> tuple[int, int, int] | None:
        """Return (leader, whole ratio, quarter turns) of a follower's angle; None if it has not."""
        leader, ratio, offset = self.rules[label - self.count - 1]
        known, quarters = exact(ratio), 0
        if isinstance(known, Expr) or known.denominator != 1:
            return None
        if not is_plain_zero(offset):
            over = offset.graph.over_pi(offset.id) if isinstance(offset, Expr) else None
            if over is None or (2 * over).denominator != 1:
                return None
            quarters = int(2 * over) % 4
        return leader, int(known), quarters

    def remarks(self, m: Mechanism) -> tuple[str, ...]:
        """Return in words which joint follows which."""
        said = []
        for b, label in zip(m.bodies, self.labels, strict=True):
            if isinstance(b.joint, Follower):
                text = write(self.written(label), TEXT)
                said.append(f"joint {joint_name(b)} follows: its coordinate q{label} is {text}")
        return tuple(said)
