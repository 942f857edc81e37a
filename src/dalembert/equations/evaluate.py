"""Closed forms in numbers: parameters checked, states taken apart, forces summed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError, UsageError, shown
from ..mechanism import Mechanism
from .entry import motions

if TYPE_CHECKING:
    from .closed_form import Equations


def known(m: Mechanism, values: Mapping[str, float] | None) -> dict[str, float]:
    """Return the values of parameters, each of them one the mechanism has."""
    names = {p.name for p in m.parameters}
    unknown = sorted(set(values or {}) - names)
    if unknown:
        raise ParameterError(
            f"there is no parameter {shown(unknown[0])!r}",
            hint="parameters: " + ", ".join(shown(p.name) for p in m.parameters[:20]),
        )
    return dict(values or {})


def apart(n: int, q: Any, qd: Any = None, qdd: Any = None) -> list[Any]:
    """Return q, qd, qdd with their last axis (one entry for each joint) first; zero where None."""
    import numpy as np

    state: list[Any] = []
    for name, x in (("q", q), ("qd", qd), ("qdd", qdd)):
        try:
            given: Any = np.zeros(n) if x is None else np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise UsageError(
                f"{name} does not hold numbers alone: {shown(str(x))}",
                hint="give a list or an array of numbers",
            ) from None
        if given.shape[-1:] != (n,):
            size = given.shape[-1] if given.ndim else 0
            raise UsageError(
                f"{name} has {size} entries, the mechanism needs {n}",
                hint="one entry for each joint, along the last axis",
            )
        state.append(np.moveaxis(given, -1, 0))
    return state


def evaluate(
    eq: Equations,
    values: Mapping[str, float] | None,
    q: Sequence[Any],
    qd: Sequence[Any] | None,
    qdd: Sequence[Any] | None,
) -> Any:
    """Return tau at a state, one entry for each joint (the last axis of arrays)."""
    import numpy as np

    at, speed, rate = apart(eq.n, q, qd, qdd)
    c = eq.coefficients(values, list(at))
    load = -1.0 if eq.sign == "section3" else 1.0
    tau = [load * c["Q", (i,)] for i in range(1, eq.n + 1)]
    for key, x in c.items():
        for i, motion in motions(*key) if key[0] != "Q" else ():
            j, k = motion[0], motion[-1]
            tau[i] = tau[i] + x * (rate[j] if len(motion) == 1 else speed[j] * speed[k])
    return np.stack(np.broadcast_arrays(*tau), axis=-1)
