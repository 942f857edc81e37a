"""Names of LLVM types for one state or several at a time, and numbers as IR text."""

from __future__ import annotations

import struct


def real(value: float, lanes: int = 1) -> str:
    """Return a constant as IR text, exact to the bit."""
    bits = f"0x{struct.pack('>d', value).hex().upper()}"
    return bits if lanes == 1 else "<" + ", ".join([f"double {bits}"] * lanes) + ">"


def value_type(lanes: int) -> str:
    """Return the LLVM type of that many numbers."""
    return "double" if lanes == 1 else f"<{lanes} x double>"


def mask_type(lanes: int) -> str:
    """Return the LLVM type of that many conditions."""
    return "i1" if lanes == 1 else f"<{lanes} x i1>"


def suffix(lanes: int) -> str:
    """Return the ending of intrinsics for that many numbers."""
    return "f64" if lanes == 1 else f"v{lanes}f64"
