"""Control laws that are compiled with the model, and resolved forms."""

from ..door import public
from .drive import DrivePath
from .follow import Cruise, FollowPath, PurePursuit
from .laws import PD, ComputedTorque, Feedback, FeedForward
from .plane_paths import Circle, Eight, Line
from .resolved import (
    joint_accelerations,
    joint_rates,
    resolved_acceleration,
    resolved_task,
    resolved_velocity,
)

__all__ = [
    "PD",
    "Circle",
    "ComputedTorque",
    "Cruise",
    "DrivePath",
    "Eight",
    "FeedForward",
    "Feedback",
    "FollowPath",
    "Line",
    "PurePursuit",
    "joint_accelerations",
    "joint_rates",
    "resolved_acceleration",
    "resolved_task",
    "resolved_velocity",
]
public(__all__, globals())
