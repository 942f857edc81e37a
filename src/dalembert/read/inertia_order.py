"""The order in which each source lists the entries of an inertia tensor.

Everywhere the entries are those of the true tensor, XY = -∫xy dm (table: docs/inertia-order.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

OURS = ("XX", "YY", "ZZ", "XY", "XZ", "YZ")

# Pinocchio's ten (toDynamicParameters) are m, mx, my, mz, then its six, about the frame origin
ORDERS: dict[str, tuple[str, ...]] = {
    "dalembert": OURS,
    "rtb": ("XX", "YY", "ZZ", "XY", "YZ", "XZ"),  # Robotics Toolbox, link option I
    "symoro": ("XX", "XY", "XZ", "YY", "YZ", "ZZ"),  # also SymPyBotics and the URDF attributes
    "pinocchio": ("XX", "XY", "YY", "XZ", "YZ", "ZZ"),
    "mujoco": OURS,  # fullinertia
}


def in_our_order(entries: Sequence[Any], order: str) -> list[Any]:
    """Return six entries listed in a source's order as XX, YY, ZZ, XY, XZ, YZ.

    >>> in_our_order([1, 2, 3, 12, 23, 13], "rtb")
    [1, 2, 3, 12, 13, 23]
    """
    found = dict(zip(ORDERS[order], entries, strict=True))
    return [found[axes] for axes in OURS]
