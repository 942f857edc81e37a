"""Shapes that several parts of the catalog share: what the entries of a result stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algorithms.regressor import chosen_columns
from ..mechanism import Mechanism

Options = Mapping[str, Any]
Shape = Callable[[Mechanism, Options], tuple[int, ...]]


def joints(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return one entry per velocity variable."""
    return (m.nv,)


def joints2(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return a square matrix over the velocity variables."""
    return (m.nv, m.nv)


def joints3(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return a cube over the velocity variables."""
    return (m.nv, m.nv, m.nv)


def six_joints(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return six rows over the velocity variables."""
    return (6, m.nv)


def bodies_six(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return a six-vector per body."""
    return (len(m.bodies), 6)


def bodies_six_six(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return a 6 x 6 matrix per body."""
    return (len(m.bodies), 6, 6)


def columns(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return one entry per inertial parameter."""
    return (len(chosen_columns(m, options["drives"], options["columns"])),)


def joints_columns(m: Mechanism, options: Options) -> tuple[int, ...]:
    """Return a row per velocity variable over the inertial parameters."""
    return (m.nv, *columns(m, options))
