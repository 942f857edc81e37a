"""Units as powers of kg, m, s and rad: of the entries of results, from those of their axes."""

from __future__ import annotations

import re
from collections.abc import Sequence

Unit = tuple[int, int, int, int]  # powers of kg, m, s, rad
ONE: Unit = (0, 0, 0, 0)
BASE = ("kg", "m", "s", "rad")
NAMED: dict[str, Unit] = {
    "1": ONE, "kg": (1, 0, 0, 0), "m": (0, 1, 0, 0), "s": (0, 0, 1, 0), "rad": (0, 0, 0, 1),
    "N": (1, 1, -2, 0), "J": (1, 2, -2, 0), "W": (1, 2, -3, 0),
}  # fmt: skip


def unit(word: str) -> Unit:
    """Return the unit of a word: `kg`, `m2`, `s2`, `J`.

    >>> unit("m2")
    (0, 2, 0, 0)
    """
    name, power = re.fullmatch(r"([A-Za-z]+|1)(\d*)", word).groups()  # type: ignore[union-attr]
    kg, m, s, rad = (x * int(power or 1) for x in NAMED[name])
    return kg, m, s, rad


def of(words: str) -> Unit:
    """Return the unit of words: `kg m2 / s`."""
    over, _, below = words.partition("/")
    return times([(unit(w), 1) for w in over.split()] + [(unit(w), -1) for w in below.split()])


def times(units: Sequence[tuple[Unit, int]]) -> Unit:
    """Return the product of units, each to a power."""
    kg, m, s, rad = (sum(p * u[k] for u, p in units) for k in range(4))
    return kg, m, s, rad


def written(of: Unit) -> str:
    """Return a unit as text; an angle is named where it stands alone or over time.

    >>> [written(of(x)) for x in ("J", "J / rad", "rad / s2", "kg m2 / rad2", "1 / kg m2")]
    ['J', 'N m', 'rad/s2', 'kg m2', '1/(kg m2)']
    """
    kg, m, s, rad = of
    if kg == 1 and s <= -2:  # an energy or a force, and what remains of it
        energy = m == 2 and not rad
        powers = [("J" if energy else "N", 1), ("m", 0 if energy else m - 1), ("s", s + 2)]
    else:
        turns = rad if rad == 1 and not (kg or m) else 0
        powers = list(zip(BASE, (kg, m, s, turns), strict=True))
    over = [_power(n, -p) for n, p in powers if p < 0]
    top = " ".join(_power(n, p) for n, p in powers if p > 0) or "1"
    below = " ".join(over)
    return f"{top}/({below})" if len(over) > 1 else f"{top}/{below}" if over else top


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}{power}"
