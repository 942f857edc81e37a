"""What a use counts of the drives of a mechanism, in one line."""

from __future__ import annotations

from typing import Any

from ..algebra import is_zero
from ..mechanism import Mechanism


def counted(m: Mechanism, drives: Any) -> tuple[str, ...]:
    """Return the note on friction, none where no joint has any.

    >>> import dalembert as da
    >>> counted(da.robots.puma560(), "all")
    ('friction of 6 joints counted',)
    """
    levels = [(*d.coulomb, *d.static, d.viscous) for d in m.drives]
    rubbing = sum(not all(is_zero(x) for x in own) for own in levels)
    if not rubbing:
        return ()
    what = f"friction of {rubbing} joint{'s' if rubbing > 1 else ''}"
    return (f"{what} counted" if drives == "all" else f'{what} not counted: drives="{drives}"',)
