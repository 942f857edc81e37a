"""Ready-made mechanisms, each with the source of its numbers."""

from __future__ import annotations

from typing import Any

from .errors import UsageError
from .mechanism import Mechanism
from .read.mdh import read_dh
from .read.phrase import read_phrase
from .robots_arms import panda, rx90, scara, stanford, tx40, ur5
from .robots_arms import standard_parameters as _standard_parameters
from .robots_moving import eel, flexible2r, flying_arm, snake, spacecraft, walker
from .robots_parallel import delta, fivebar, fourbar, parallelogram_arm, stewart, three_rrr
from .robots_wheeled import (
    crane,
    differential_drive,
    double_steering_car,
    mobile_manipulator,
    rolling_disc,
    truck,
    unicycle,
)

__all__ = [
    "crane",
    "delta",
    "differential_drive",
    "double_steering_car",
    "eel",
    "fivebar",
    "flexible2r",
    "flying_arm",
    "fourbar",
    "mobile_manipulator",
    "panda",
    "parallelogram_arm",
    "planar2r",
    "puma560",
    "report6r",
    "rolling_disc",
    "rx90",
    "scara",
    "snake",
    "spacecraft",
    "stanford",
    "stewart",
    "three_rrr",
    "truck",
    "tx40",
    "unicycle",
    "ur5",
    "walker",
]

REPORT = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),"
    "RX(T4MIN,T4MAX),TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6); gravity = (0, G, 0);"
)


def report6r() -> Mechanism:
    """Return the six-revolute robot of the 1980 report, all data symbolic.

    Liégeois and Aldon, Génération et programmation automatiques des équations de la dynamique des
    robots, INRIA RR 32 (1980), section 4.

    >>> report6r().nv
    6
    """
    return read_phrase(REPORT, name="report6r")


def planar2r() -> Mechanism:
    """Return the planar two-revolute arm with mass centres at the segment ends, gravity along -y.

    DeSantis, Dynamique des systèmes mécaniques (1996), section 7: m1, m2, l1, l2, j1, j2 symbolic.

    >>> planar2r().joint_names
    ('j1', 'j2')
    """
    return read_phrase(
        "RZ(), TXK(l1), RZ(), TXK(l2);"
        "body 1: M = m1, D = (l1, 0, 0), I = (0, 0, j1);"
        "body 2: M = m2, D = (l2, 0, 0), I = (0, 0, j2);"
        "gravity = (0, G, 0);",
        name="planar2r",
    )


# standard DH: d, a, alpha; mass, centre, diagonal inertia at the far end of the link; then motor
# inertia, gear ratio, viscous friction, Coulomb friction in both senses, all on the motor side
_PUMA = (
    ("0.672", "0", "90deg", "0", ("0", "0", "0"), ("0", "0.35", "0"),
     "0.0002", "-62.6111", "0.00148", ("0.395", "-0.435")),
    ("0", "0.4318", "0", "17.4", ("-0.3638", "0.006", "0.2275"), ("0.13", "0.524", "0.539"),
     "0.0002", "107.815", "0.000817", ("0.126", "-0.071")),
    ("0.15005", "0.0203", "-90deg", "4.8", ("-0.0203", "-0.0141", "0.07"),
     ("0.066", "0.086", "0.0125"), "0.0002", "-53.7063", "0.00138", ("0.132", "-0.105")),
    ("0.4318", "0", "90deg", "0.82", ("0", "0.019", "0"), ("0.0018", "0.0013", "0.0018"),
     "0.000033", "76.0364", "0.0000712", ("0.0112", "-0.0169")),
    ("0", "0", "-90deg", "0.34", ("0", "0", "0"), ("0.0003", "0.0004", "0.0003"),
     "0.000033", "71.923", "0.0000826", ("0.00926", "-0.0145")),
    ("0", "0", "0", "0.09", ("0", "0", "0.032"), ("0.00015", "0.00015", "0.00004"),
     "0.000033", "76.686", "0.0000367", ("0.00396", "-0.0105")),
)  # fmt: skip

# the same joint frames as modified DH, lengths as symbols
_PUMA_FRAMES: tuple[dict[str, str], ...] = (
    {},
    {"b": "d1", "alpha": "90deg"},
    {"d": "a2"},
    {"b": "d3", "d": "a3", "alpha": "-90deg"},
    {"b": "d4", "alpha": "90deg"},
    {"alpha": "-90deg"},
)
_PUMA_LENGTHS = {"d1": "0.672", "a2": "0.4318", "d3": "0.15005", "a3": "0.0203", "d4": "0.4318"}


def puma560(symbolic: bool | str = False) -> Mechanism:
    """Return the PUMA 560: numbers, or symbolic inertial parameters on the same joint frames.

    Corke and Armstrong-Hélouvry, A search for consensus among model parameters reported for the
    PUMA 560 robot (1994), as distributed in the Robotics Toolbox (standard Denavit-Hartenberg).
    `symbolic="inertia"`: ten symbolic parameters per link about the frame origin (M1, MX1, XX1...),
    numeric lengths; `symbolic=True`: lengths d1, a2, d3, a3, d4 too.

    >>> puma560().nv
    6
    """
    if symbolic not in (False, True, "inertia"):
        raise UsageError(f"symbolic={symbolic!r}", hint='False, True or "inertia"')
    if not symbolic:
        columns = ("d", "a", "alpha", "m", "com", "I", "Jm", "G", "B", "Tc")
        rows = [dict(zip(columns, row, strict=True)) for row in _PUMA]
        return read_dh(rows, "standard", name="puma560")
    table: list[dict[str, Any]] = []
    for k, cells in enumerate(_PUMA_FRAMES, 1):
        known = _PUMA_LENGTHS if symbolic == "inertia" else {}
        table.append({n: known.get(x, x) for n, x in cells.items()} | _standard_parameters(k))
    return read_dh(table, name="puma560")
