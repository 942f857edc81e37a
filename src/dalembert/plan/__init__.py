"""Constraints planned in floats at one pose, before anything is traced."""

from .elimination import null_space
from .generic import general_pose, regular_pose
from .loops import LoopPlan, mobility, plan, planned
from .singular import singularity

__all__ = [
    "LoopPlan",
    "general_pose",
    "mobility",
    "null_space",
    "plan",
    "planned",
    "regular_pose",
    "singularity",
]
