"""Velocity constraints H(q) q̇ = h of a whole machine: wheels, equations, given rates, closed loops.

DeSantis (1996), (2.9)-(2.11). The single rows are those of `velocity_rows` and `closure_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..expr import Scalar, solve
from ..joint import Vector
from ..linalg import Matrix
from ..mechanism import Mechanism, joint_name
from . import velocity_rows as single
from .closure_rows import closure_gaps, closure_names, closure_rows
from .constraint_row import Row
from .velocity_rows import TIME, Steering


@dataclass(frozen=True, eq=False)
class Constraints:
    """What holds the rates of a machine; its names are derived once for each mechanism."""

    m: Mechanism

    @staticmethod
    def of(m: Mechanism) -> Constraints:
        """Return the constraints of a mechanism."""
        return m.derived(Constraints)

    # -- what is there, whatever the state ---------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each row: wheels, rolling bodies, equations, prescribed joints, closures."""
        own = (n for n in single.velocity_names(self.m) if n not in self.m.idle)
        return (*own, *closure_names(self.m))

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.names)

    @cached_property
    def gap_names(self) -> tuple[str, ...]:
        """The constraints of position: contacts, equations f(q, t) = 0, closures."""
        return (*single.position_names(self.m), *closure_names(self.m))

    @property
    def is_holonomic(self) -> bool:
        """Whether positions are constrained: by loops or by equations in the coordinates."""
        return bool(self.gap_names)

    @cached_property
    def is_timed(self) -> bool:
        """Whether a constraint depends on time."""
        return single.is_timed(self.m)

    @cached_property
    def steering(self) -> tuple[str, ...]:
        """The prescribed angles that are not joints."""
        return single.steering_names(self.m)

    @cached_property
    def prescribed(self) -> tuple[int, ...]:
        """The bodies whose joints follow a prescribed motion."""
        return single.prescribed_joints(self.m)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """What is prescribed with its rate: steering angles, rates of joints, and time last."""
        return single.prescribed_names(self.m)

    # -- at a state; `steer` gives what is prescribed, (value, rate) by name ------------------

    def rows(self, q: Vector, qd: Vector, steer: Steering, t: Scalar = 0) -> list[Row]:
        """Return every row at a state; time is that of `steer`, where it is there."""
        m = self.m
        closed = zip(closure_names(m), *closure_rows(m, q, qd), strict=True)
        held = [row for row in single.velocity_rows(m, q, qd, steer, t) if row.name not in m.idle]
        return held + [Row(name, H, Hd) for name, H, Hd in closed]

    def gaps(self, q: Vector, t: Scalar = 0) -> list[Scalar]:
        """Return how far positions are from what is asked of them, in the order of `gap_names`."""
        m = self.m
        told = dict(zip(single.velocity_names(m), single.velocity_gaps(m, q, t), strict=True))
        return [told[n] for n in single.position_names(m)] + closure_gaps(m, q)

    def settled(self, q: Vector, steer: Steering, steps: int = 2) -> list[Scalar]:
        """Return the nearest coordinates that fulfil the constraints of position.

        Newton's steps of least norm; prescribed joints stay where they are.
        """
        m, rest, clock = self.m, [0] * self.m.nv, steer.get(TIME, (0, 1))[0]
        still = {joint_name(m.bodies[j]): 0 for j in self.prescribed}
        for _ in range(steps):
            wanted = {**still, **dict(zip(self.gap_names, self.gaps(q, clock), strict=True))}
            found = [row for row in self.rows(q, rest, steer) if row.name in wanted]
            if not found:
                break
            H = Matrix([row.H for row in found])
            lam = solve(H @ H.T, [wanted[row.name] for row in found])
            step = [-x for x in H.T @ lam]
            q = m.moved(q, step)
        return list(q)


def is_constrained(m: Mechanism) -> bool:
    """Return whether a machine has wheels, equations in its rates or prescribed joints."""
    return Constraints.of(m).count > 0
