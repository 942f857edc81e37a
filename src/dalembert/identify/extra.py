"""Columns beside those of the bodies: an offset of each motor, friction that falls with speed.

Stribeck friction is Fs sign(q̇) + Fk sign(q̇) exp(-(q̇/v)²): linear but for the speed v. Columns for
a ladder of speeds are gathered in one pass; the triangles then say which rung fits each joint best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.regressor import Column

Array = np.ndarray
LADDER = (0.02, 0.04, 0.07, 0.11, 0.17, 0.26, 0.4, 0.6)  # parts of the largest speed


@dataclass(frozen=True)
class Extra:
    """One column that acts on one force: an offset, or friction that falls from rest."""

    force: int  # which force
    body: int
    joint: str
    kind: str  # "F0" or "Fk"
    speed: float = 0.0  # of Stribeck

    @property
    def name(self) -> str:
        """The name of the column."""
        mark = f"@{self.speed:.3g}" if self.speed else ""
        return f"{self.kind}.{self.joint}{mark}"

    @property
    def column(self) -> Column:
        """The column as a standard parameter."""
        return Column(self.kind, self.body, self.joint, self.name)

    def values(self, qd: Array) -> Array:
        """Return the column for speeds of its motor."""
        if self.kind == "F0":
            return np.ones_like(qd)
        return np.asarray(np.sign(qd) * np.exp(-((qd / self.speed) ** 2)))


def ladders(extras: tuple[Extra, ...]) -> dict[int, list[int]]:
    """Return, for each force with Stribeck columns, where they stand among the extras."""
    out: dict[int, list[int]] = {}
    for k, e in enumerate(extras):
        if e.kind == "Fk":
            out.setdefault(e.force, []).append(k)
    return out


def with_speeds(extras: tuple[Extra, ...], fastest: Array) -> tuple[Extra, ...]:
    """Return extras whose Stribeck columns stand for a ladder of speeds of each joint."""
    made: list[Extra] = []
    for e in extras:
        if e.kind != "Fk" or e.speed:
            made.append(e)
            continue
        made += [replace(e, speed=float(part * fastest[e.force])) for part in LADDER]
    return tuple(made)
