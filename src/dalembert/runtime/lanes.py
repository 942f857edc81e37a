"""Names of LLVM types for one state or several at a time, and numbers as IR text."""

from __future__ import annotations

import struct


class Single(int):
    """So many lanes of single precision; any other number of lanes is of double precision."""


def element(lanes: int) -> str:
    """Return the LLVM type of one number."""
    return "float" if isinstance(lanes, Single) else "double"


def size(lanes: int) -> int:
    """Return the bytes of one number."""
    return 4 if isinstance(lanes, Single) else 8


def width(lanes: int) -> int:
    """Return the bytes of that many numbers."""
    return size(lanes) * lanes


def alone(lanes: int) -> int:
    """Return one lane of the same kind."""
    return Single(1) if isinstance(lanes, Single) else 1


def parted(lanes: int, parts: int) -> int:
    """Return the lanes of one of several equal parts, of the same kind."""
    return type(lanes)(lanes // parts)


def real(value: float, lanes: int = 1) -> str:
    """Return a constant as IR text, exact to the bit once it has the precision of the lanes."""
    kind = element(lanes)
    if kind == "float":
        value = _rounded(value)
    bits = f"0x{struct.pack('>d', value).hex().upper()}"
    return bits if lanes == 1 else "<" + ", ".join([f"{kind} {bits}"] * lanes) + ">"


def _rounded(value: float) -> float:
    try:
        return float(struct.unpack(">f", struct.pack(">f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def value_type(lanes: int) -> str:
    """Return the LLVM type of that many numbers."""
    return element(lanes) if lanes == 1 else f"<{lanes} x {element(lanes)}>"


def mask_type(lanes: int) -> str:
    """Return the LLVM type of that many conditions."""
    return "i1" if lanes == 1 else f"<{lanes} x i1>"


def suffix(lanes: int) -> str:
    """Return the ending of intrinsics for that many numbers."""
    kind = f"f{8 * size(lanes)}"
    return kind if lanes == 1 else f"v{lanes}{kind}"


def integer(lanes: int) -> str:
    """Return the type of an integer as wide as a number."""
    return "i32" if isinstance(lanes, Single) else "i64"


def integers(lanes: int) -> str:
    """Return the type of integers as wide as the values."""
    return integer(lanes) if lanes == 1 else f"<{lanes} x {integer(lanes)}>"
