"""How much the force of each joint may be off: a share of it, or a force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shown

if TYPE_CHECKING:
    from .closed_form import Equations

FORCES = {"N m": "N m", "Nm": "N m", "N": "N"}


def tolerances(eq: Equations, given: Any) -> list[tuple[float, bool]]:
    """Return for each joint how much its force may be off, and whether that is a share of it."""
    m = eq.mechanism
    if not isinstance(given, Mapping):
        given = {"all": given}
    by = {k if k == "all" else m.velocity_index[m.joint_index(k)]: x for k, x in given.items()}
    missing = [n for j, n in enumerate(m.joint_names) if j not in by and "all" not in by]
    if missing:
        raise UsageError(
            f"no tolerance for joint {shown(missing[0])!r}", hint='"all" is for what is not named'
        )
    kinds = [b.joint.kind for b in m.bodies if b.joint.nv]
    return [_tolerance(by[j] if j in by else by["all"], name, kind)
            for j, (name, kind) in enumerate(zip(m.joint_names, kinds, strict=True))]  # fmt: skip


def _tolerance(x: Any, name: str, kind: str) -> tuple[float, bool]:
    """Return the tolerance of one joint: the force of a slide is in N, a couple in N m."""
    text = str(x).strip()
    unit = next((u for u in FORCES if text.endswith(u)), None)
    if unit is None:
        return share_of(x), True
    own = "N" if kind == "prismatic" else "N m"
    if FORCES[unit] != own:
        number = shown(text.removesuffix(unit).strip())
        raise UsageError(
            f"tolerance {shown(text)}: joint {shown(name)!r} is {kind}, its force is in {own}",
            hint=f'write {number} {own}, 1%, or one for each joint: {{"{shown(name)}": '
            f'"{number} {own}", "all": "1%"}}',
            command=f"write {number} {own}, or a share such as 1%",
        )
    try:
        force = float(text.removesuffix(unit))
    except ValueError:
        force = -1.0
    if not 0 <= force < float("inf"):
        raise UsageError(f"tolerance {shown(text)}: a force is needed", hint="write 0.5 N m or 1%")
    return force, False


def worded(given: Any) -> tuple[Any, int | None, str | None]:
    """Return tolerance, operations and what to keep: "80 operations", "1% passive" say them."""
    if not isinstance(given, str):
        return given, None, None
    words = given.split()
    keep = "passive" if "passive" in words else None
    rest = [w for w in words if w != "passive"]
    if len(rest) == 2 and rest[1] == "operations" and rest[0].isdecimal() and len(rest[0]) < 10:
        return None, int(rest[0]), keep
    return (" ".join(rest) if rest else None), None, keep


def in_words(each: Sequence[tuple[float, bool]]) -> str:
    """Return tolerances in words: one for all joints, or theirs in order."""
    words = [f"{x:.3g}" if shared else f"{x:.3g} N or N m" for x, shared in each]
    return words[0] if len(set(words)) == 1 else ", ".join(words)


def at_most(x: float, digits: int = 4) -> str:
    """Return a bound as text, rounded up: what is printed is a bound too.

    >>> at_most(0.123411), at_most(0.0)
    ('1.235e-01', '0.000e+00')
    """
    exact = Decimal(x)
    if not exact.is_finite() or not exact:
        return f"{x:.{digits - 1}e}"
    place = Decimal((0, (1,), exact.adjusted() - digits + 1))
    up = exact.quantize(place, ROUND_CEILING, Context(prec=digits + 2))
    return f"{float(up):.{digits - 1}e}"


def share_of(tolerance: float | str) -> float:
    """Return a share below 1 from a number or a text, 0.01 or "1%"."""
    text = str(tolerance).strip()
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise UsageError(
            f"tolerance {shown(text)}: a share between 0 and 1 is needed", hint="write 0.01 or 1%"
        )
    return share
