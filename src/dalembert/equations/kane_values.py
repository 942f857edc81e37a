"""A state in floats for the generators of Kane's method: it says which pivots are not small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, sin, sqrt
from typing import TYPE_CHECKING, Any

from .loop_blocks import value as value_of
from .ratio import Ratio

if TYPE_CHECKING:
    from .kane_symbols import Setting

SMALL = 0.3  # radians and metres away from where all is zero


def example(setting: Setting, defined: Mapping[tuple[Any, ...], Any]) -> list[float]:
    """Return a value of each generator, near rest; letters of the model without a value drawn."""
    import numpy as np

    s, rng = setting.symbols, np.random.default_rng(7)
    letters = {n: rng.uniform(0.6, 1.4) for n in s.m.open_parameters}
    letters |= {k: value_of(v, {}) for k, v in s.m.values.items()}
    q = rng.uniform(-SMALL, SMALL, len(s.coordinates)).tolist()
    for quaternion in s.quaternions():
        own = [s.generators[i].key[1] - 1 for i in sorted(quaternion)]
        q[own[-1]] = sqrt(1 - sum(q[k] ** 2 for k in own[:-1]))
    waves = {"sin": sin, "cos": cos}
    out = [0.0] * len(s.generators)
    for i, g in enumerate(s.generators):
        kind, *key = g.key
        if kind in waves:
            out[i] = waves[kind](sum(q[k - 1] for k in key[0]))
        elif kind == "q":
            out[i] = q[key[0] - 1]
        elif kind == "p":
            out[i] = float(letters[key[0]])
        elif kind == "other":
            out[i] = value_of(s.others[key[0]], letters)
    for step, x in defined.items():
        found = value(x, out)
        out[s.index[step]] = sqrt(found) if step[0] == "root" else found
    return out


def value(x: Ratio, values: Sequence[float]) -> float:
    """Return a ratio in floats."""
    at = x.field.ring.evaluate
    return float(at(x.num, values) / at(x.den, values))
