"""What a machine is: bodies, joints and what connects them, frozen and checked once."""

from .mechanism import Mechanism, require_mechanism
from .parts import (
    LOOP_JOINTS,
    Body,
    Coupling,
    Drive,
    Frame,
    FrameChange,
    JointSpring,
    Loop,
    Parameter,
    PointSpring,
    VelocityConstraint,
    Wheel,
    how_to_give,
    joint_name,
)

__all__ = [
    "Body",
    "Coupling",
    "Drive",
    "Frame",
    "FrameChange",
    "JointSpring",
    "LOOP_JOINTS",
    "Loop",
    "Mechanism",
    "Parameter",
    "PointSpring",
    "VelocityConstraint",
    "Wheel",
    "how_to_give",
    "joint_name",
    "require_mechanism",
]
