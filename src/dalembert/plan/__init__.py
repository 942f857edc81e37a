"""Constraints planned in floats at one pose, before anything is traced."""

from .loops import LoopPlan, general_pose, mobility, null_space, plan, planned, singularity

__all__ = [
    "LoopPlan",
    "general_pose",
    "mobility",
    "null_space",
    "plan",
    "planned",
    "singularity",
]
