"""Control laws that are compiled with the model, and resolved forms."""

from ..door import public
from .laws import PD, ComputedTorque, Feedback, FeedForward
from .resolved import joint_accelerations, joint_rates, resolved_acceleration, resolved_velocity

__all__ = [
    "PD",
    "ComputedTorque",
    "FeedForward",
    "Feedback",
    "joint_accelerations",
    "joint_rates",
    "resolved_acceleration",
    "resolved_velocity",
]
public(__all__, globals())
