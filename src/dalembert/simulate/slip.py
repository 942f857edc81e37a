"""A vehicle on tyres that slip beside the same vehicle whose wheels do not.

The conclusion of DeSantis (1996): with stiff tyres the two models agree, to first order in the
inverse of the cornering stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms import kane
from ..display import aligned, table_html
from ..door import public
from ..errors import ModelError
from ..mechanism import Mechanism, require_mechanism
from ..plan.kane import with_speeds
from .result import Simulation
from .simulate import simulate

Array = np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class SlipComparison:
    """Two motions from one start: `slipping` on tyres, `rolling` without slip."""

    slipping: Simulation
    rolling: Simulation
    names: tuple[str, ...]

    @property
    def t(self) -> Array:
        """The times."""
        return self.rolling.t

    @property
    def difference(self) -> Array:
        """What slip adds to each coordinate, a row for each time."""
        n = len(self.names)
        return np.asarray(self.slipping.q[:, :n] - self.rolling.q[:, :n])

    @property
    def worst(self) -> dict[str, float]:
        """The largest difference of each coordinate."""
        found = np.abs(self.difference).max(axis=0)
        return {n: float(x) for n, x in zip(self.names, found, strict=True)}

    def table(self, rows: int = 11) -> str:
        """Return the differences at some of the times as aligned text."""
        lines = [["t", *self.names]]
        lines += [[f"{x:.4g}" for x in row] for row in self._rows(rows)]
        return "\n".join(aligned(lines, words=()))

    def _rows(self, rows: int) -> Array:
        chosen = np.unique(np.linspace(0, len(self.t) - 1, rows).round().astype(int))
        return np.column_stack([self.t, self.difference])[chosen]

    def __repr__(self) -> str:
        told = ", ".join(f"{n} {x:.3g}" for n, x in list(self.worst.items())[:6])
        return f"<SlipComparison over {self.t[-1] - self.t[0]:g} s, largest differences: {told}>"

    def _repr_html_(self) -> str:
        rows = [tuple(f"{x:.4g}" for x in row) for row in self._rows(11)]
        return table_html(("t", *self.names), rows, repr(self)[1:-1], ())

    def plot(self, path: str | Path | None = None, theme: str = "light") -> Any:
        """Return a figure of both paths on the ground and of their difference over time."""
        from .figure import colors, figure, save, styled

        with styled(theme):
            made, ((left, right),) = figure(1, 2, "slip beside no slip", (9.0, 3.8))
            blue, red, *_ = colors(2)
            left.plot(*self.rolling.q[:, :2].T, color=blue, label="no slip")
            left.plot(*self.slipping.q[:, :2].T, color=red, linestyle="--", label="tyres")
            left.set_aspect("equal", adjustable="datalim")
            left.set_xlabel(f"{self.names[0]}  [m]")
            left.set_ylabel(f"{self.names[1]}  [m]")
            left.legend(fontsize=8)
            for k, color in enumerate(colors(len(self.names))):
                right.plot(self.t, self.difference[:, k], color=color, label=self.names[k])
            right.set_xlabel("t  [s]")
            right.set_ylabel("tyres less no slip")
            right.legend(fontsize=8)
            return save(made, path)


def without_slip(m: Mechanism) -> Mechanism:
    """Return the machine whose wheels do not slip: its tyres are left out."""
    return replace(m, wheels=tuple(replace(w, tyre=None) for w in m.wheels), idle=(), checked=True)


def compare_slip(
    m: Mechanism,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    t: ArrayLike = 10.0,
    **options: Any,
) -> SlipComparison:
    """Return the motions of a vehicle on its tyres and without slip, from the same start.

    `qd0` are the speeds of the vehicle without slip; `options` are those of `simulate`.

    >>> import dalembert as da
    >>> from dataclasses import replace
    >>> from dalembert.mechanism import Tyre
    >>> car = da.robots.truck(0)
    >>> tyres = [replace(w, tyre=Tyre(2e5, peak=4e4)) for w in car.wheels]
    >>> m = replace(car, wheels=tuple(tyres))
    >>> r = da.compare_slip(m, [0, 0, 0], [20], t=[0, 1, 2], motion={"delta": 0.02})
    >>> r.worst["y"] < 1
    True
    """
    require_mechanism(m, "compare_slip")
    if not any(w.tyre is not None for w in m.wheels):
        raise ModelError(
            f"{m.name!r} has no tyre that slips",
            hint="wheels = [{ ..., tyre = { stiffness = 60000, peak = 4000 } }]",
        )
    rigid = replace(without_slip(m), speeds=_named(m))
    rolling = simulate(rigid, q0, qd0, t=t, **options)
    first = rolling.q[0], rolling.qd[0]
    found = simulate(replace(m, speeds=()), first[0][: m.nq], first[1][: m.nv], t=t, **options)
    return SlipComparison(found, rolling, m.coordinate_names)


def _named(m: Mechanism) -> tuple[str, ...]:
    """Return the speeds a file names where they are those without slip."""
    rigid = replace(without_slip(m), speeds=())
    return m.speeds if len(m.speeds) == len(kane.speed_names(with_speeds(rigid))) else ()


public(["compare_slip"], globals())
