"""What an identification gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..door import doors
from ..errors import shown
from ..measure.motion import MeasuredMotion
from ..mechanism import Mechanism
from .consistent import is_physical
from .fit import Fit, r_squared
from .rows import Equations, Stretch

Array = np.ndarray
UNSURE = 0.3  # a standard deviation above this share of the value


@doors("report")
@dataclass(frozen=True, eq=False)
class Identification:
    """Identified parameters: those the motion shows with intervals, and a whole model near them."""

    mechanism: Mechanism = field(repr=False)  # with the identified numbers
    nominal: Mechanism = field(repr=False)
    motion: MeasuredMotion = field(repr=False)
    fit: Fit = field(repr=False)
    equations: Equations = field(repr=False)
    phi: Array = field(repr=False)  # standard parameters, in the order of the columns
    notes: tuple[str, ...] = ()

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Standard parameters by name: `XX.elbow`, `Fv.elbow`."""
        columns = self.equations.unknowns.standard
        return {f"{c.kind}.{c.joint}": float(x) for c, x in zip(columns, self.phi, strict=True)}

    @cached_property
    def base(self) -> dict[str, float]:
        """The parameters that the motion shows; `unseen` says what is grouped into them."""
        names = self.equations.unknowns.names
        pairs = zip(self.fit.seen, self.fit.values, strict=True)
        return {names[k]: float(x) for k, x in pairs}

    @cached_property
    def sigma(self) -> dict[str, float]:
        """The standard deviation of each of `base`."""
        spread = np.sqrt(np.diag(self.fit.covariance))
        return {n: float(s) for n, s in zip(self.base, spread, strict=True)}

    @cached_property
    def interval(self) -> dict[str, tuple[float, float]]:
        """The 95 % interval of each of `base`."""
        from ..measure.packages import scipy_part

        times = scipy_part("stats").t.ppf(0.975, self.fit.freedom)
        half = {n: k * self.sigma[n] for n, k in zip(self.base, map(float, times), strict=True)}
        return {n: (x - half[n], x + half[n]) for n, x in self.base.items()}

    @cached_property
    def nominal_base(self) -> dict[str, float]:
        """The nominal value of each of `base`."""
        u = self.equations.unknowns
        x = self.fit.grouped @ (u.K @ u.nominal)
        return {n: float(v) for n, v in zip(self.base, x, strict=True)}

    @cached_property
    def essential(self) -> tuple[str, ...]:
        """The parameters that are known to better than 30 %."""
        return tuple(n for n, x in self.base.items() if self.sigma[n] <= UNSURE * abs(x))

    @cached_property
    def unseen(self) -> dict[str, str]:
        """What the motion does not show, and why."""
        u, f = self.equations.unknowns, self.fit
        out = {}
        for k, name in enumerate(u.names):
            if k in f.seen:
                continue
            if k in f.hidden:
                out[name] = "hardly moved: the noise of the positions hides it"
                continue
            into = [u.names[f.seen[r]] for r in np.flatnonzero(f.grouped[:, k])]
            out[name] = f"only together with {', '.join(into[:4])}" if into else "no force shows it"
        felt = np.abs(u.K).max(axis=0, initial=0.0) > 0
        for c, yes in zip(u.standard, felt, strict=True):
            if not yes:
                why = "taken as zero, as in the model" if c.kind == "Ia" else "no joint feels it"
                out[f"{c.kind}.{c.joint}"] = why
        return out

    @property
    def r_squared(self) -> dict[str, float]:
        """R² of each joint on the samples that were held out (on all, if none were)."""
        u, part = self.equations.unknowns, self.equations.holdout
        x = u.K @ self.phi
        if not self._held:
            part = Stretch.empty(len(self.equations.forces), len(u.names))
            for stretch in self.equations.training:
                part.merge(stretch)
        return {n: float(r) for n, r in zip(self.equations.forces, r_squared(part, x), strict=True)}

    @property
    def _held(self) -> bool:
        return bool(self.equations.holdout.rows.sum())

    @property
    def condition(self) -> float:
        """The condition number of the weighted, scaled regressor."""
        return self.fit.condition

    @property
    def physical(self) -> bool:
        """Whether every body of the identified model can exist."""
        u = self.equations.unknowns
        bodies = sorted({c.body for c in u.standard if c.kind == "m"})
        ten = [[k for k, c in enumerate(u.standard) if c.body == b and len(c.kind) <= 2
                and c.kind not in ("Ia", "Fv", "Fs")][:10] for b in bodies]  # fmt: skip
        return all(is_physical(self.phi[own], 1e-9) for own in ten)

    def predicted(self) -> Array:
        """Return the forces of the identified model along the motion, (n, forces)."""
        d, u = self.motion, self.equations.unknowns
        out = np.full((len(d), len(self.equations.forces)), np.nan)
        rows = np.flatnonzero(d.valid)
        x = u.K @ self.phi
        for k in range(0, len(rows), 8192):
            at = rows[k : k + 8192]
            state = d.q[at], d.qd[at], d.qdd[at]
            out[at] = u.rows(*state) @ x + u.known(*state)
        return out

    def validate(self, window: float = 0.25) -> Any:
        """Return how far the model drifts from the measured motion when it is simulated.

        It starts at measured states of the samples held out and moves under the measured forces.
        """
        from .validate import validate

        return validate(self, window)

    def __repr__(self) -> str:
        worst = min((r for r in self.r_squared.values() if r == r), default=float("nan"))
        return (
            f"<Identification of {self.nominal.name}: {len(self.base)} parameters seen, "
            f"{len(self.essential)} to better than 30 %, worst R² {worst:.4f} on "
            f"{'samples held out' if self._held else 'all samples, none held out'}>"
        )

    def text(self) -> str:
        """Return a table: value, 95 % interval, nominal value."""
        w = max(12, *(len(n) + 2 for n in self.base))
        rows = [repr(self), f"{'':<{w}}{'value':>12}{'95 % interval':>28}{'nominal':>12}"]
        for n, x in self.base.items():
            low, high = self.interval[n]
            span = f"[{low:.4g}, {high:.4g}]"
            mark = "" if n in self.essential else "   (unsure)"
            rows.append(f"{shown(n):<{w}}{x:>12.4g}{span:>28}{self.nominal_base[n]:>12.4g}{mark}")
        scores = ", ".join(f"{shown(n)} {r:.4f}" for n, r in self.r_squared.items())
        exist = "every body can exist" if self.physical else "some bodies cannot exist"
        rows.append(f"R² on {'samples held out' if self._held else 'all samples'}: {scores}")
        rows.append(f"condition number {self.condition:.3g}; {exist}")
        return "\n".join([*rows, *self.notes])

    def report(self, path: str | Path) -> None:
        """Write an HTML report: forces measured and predicted, parameters, what cannot be seen."""
        from .report import write_report

        write_report(self, path)

    def data(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "base": {
                n: {"value": x, "sigma": self.sigma[n], "interval": list(self.interval[n]),
                    "nominal": self.nominal_base[n]} for n, x in self.base.items()
            },
            "parameters": self.parameters, "r_squared": self.r_squared,
            "condition": self.condition, "physical": self.physical, "unseen": self.unseen,
            "notes": list(self.notes),
        }  # fmt: skip
