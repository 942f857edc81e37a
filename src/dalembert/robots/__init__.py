"""Ready-made mechanisms, each with the source of its numbers."""

from .arms import REPORT, panda, planar2r, puma560, report6r, rx90, scara, stanford, tx40, ur5
from .moving import eel, flexible2r, flying_arm, snake, spacecraft, walker
from .parallel import delta, fivebar, fourbar, parallelogram_arm, stewart, three_rrr
from .wheeled import (
    crane,
    differential_drive,
    double_steering_car,
    mobile_manipulator,
    rolling_disc,
    truck,
    unicycle,
)

__all__ = [
    "REPORT",
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
