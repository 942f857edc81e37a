"""What a use counts of the drives of a mechanism, in one line."""

from __future__ import annotations

from typing import Any

from ..algebra import is_plain_zero
from ..catalog import Quantity
from ..mechanism import Mechanism


def counted(m: Mechanism, drives: Any) -> tuple[str, ...]:
    """Return the note on friction, none where no joint has any.

    >>> import dalembert as da
    >>> counted(da.robots.puma560(), "all")
    ('friction of 6 joints counted',)
    """
    levels = [(*d.coulomb, *d.static, d.viscous) for d in m.drives]
    joints = sum(not all(is_plain_zero(x) for x in own) for own in levels)
    if not joints:
        return ()
    what = f"friction of {joints} joint{'s' if joints > 1 else ''}"
    return (f"{what} counted" if drives == "all" else f'{what} not counted: drives="{drives}"',)


def rubs(row: Quantity) -> bool:
    """Whether a quantity counts friction where it is asked to."""
    return "drives" in row.options and "qd" in row.inputs
