"""NumPy: functions on arrays of states (..., size)."""

from .python import numpy_files as files

__all__ = ["files"]
