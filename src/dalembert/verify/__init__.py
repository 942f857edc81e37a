"""Reference files checked: every expected number, by every method."""

from .files import leaves, verify, verify_file

__all__ = [
    "leaves",
    "verify",
    "verify_file",
]
