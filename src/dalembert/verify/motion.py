"""The reference keys of a controlled motion: q, q̇ and Lyapunov's function on a grid of times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..control import PD
from ..errors import DescriptionError
from ..simulate import Simulation, simulate
from .checks import Array, Case, Entry, array_of

METHODS: dict[str, dict[str, Any]] = {
    "dop853": {"rtol": 1e-11, "atol": 1e-12},
    "rk4": {"step": 1e-3},
}


def is_controlled(data: Any) -> bool:
    """Return whether a reference file gives a PD law, a start and times."""
    return all(key in data for key in ("Kp", "Kd", "qD", "q0", "qd0", "t"))


def _motion(case: Case, method: str) -> tuple[Simulation, PD]:
    given = {k: array_of(case.data[k], k) for k in ("Kp", "Kd", "qD", "q0", "qd0", "t")}
    if given["qD"].shape != (case.m.nv,):
        raise DescriptionError(f"qD: {case.m.nv} numbers are needed")
    law = PD(given["qD"], given["Kp"], given["Kd"])
    key = ("motion", method)
    if key not in case.memo:
        case.memo[key] = simulate(
            case.m, given["q0"], given["qd0"], law, given["t"], method=method, drives="none",
            events="none", **METHODS[method],
        )  # fmt: skip
    return case.memo[key], law


@dataclass(frozen=True)
class MotionCheck:
    """Something of the motion, by every method of integration."""

    value: Callable[[Case, Simulation, PD], Array]
    quantity: str = "forward_dynamics"

    def methods(self, case: Case) -> Iterator[tuple[str, Callable[[], Array]]]:
        """Yield (method, a function that gives the array of all times)."""
        for method in METHODS:
            yield method, partial(self._by, case, method)

    def _by(self, case: Case, method: str) -> Array:
        return np.asarray(self.value(case, *_motion(case, method)))[None]


CONTROLLED: dict[str, Entry] = {
    "expected.q": Entry((MotionCheck(lambda case, r, law: r.q),)),
    "expected.qd": Entry((MotionCheck(lambda case, r, law: r.qd),)),
    "expected.lyapunov": Entry(
        (MotionCheck(lambda case, r, law: law.lyapunov(case.m, r.q, r.qd)),)
    ),
}
