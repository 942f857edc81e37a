"""`optimise`: the design that does a task best, by exact gradients where the motion is fixed.

Starts are the best designs of a Sobol sample; each is refined by SLSQP. Where the task fixes the
motion of the joints, ∂τ/∂parameter is exact (`compile(..., wrt=...)`); where the motion follows
from poses, designs beside the present one are computed in one batch: central differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compute import compile as compile_quantity
from ..errors import ComputationError, UsageError, shown
from ..measure.packages import scipy_part
from ..mechanism import Mechanism, is_closed, require_mechanism
from .chunk import measures_of
from .study import Study, study_of
from .task import Task, motion_of

if TYPE_CHECKING:
    from .front import Front

Array = np.ndarray
COMPARE = ("<=", ">=")
SMOOTH = ("rms", "peak", "energy", "power")  # measures of forces with an exact slope


@dataclass(frozen=True)
class Optimum:
    """The best design found: its parameters, what was measured of it, and what holds it back."""

    mechanism: Mechanism = field(repr=False)
    parameters: dict[str, float]
    measures: dict[str, float]
    value: float
    active: tuple[str, ...]  # bounds and constraints that hold it back
    evaluations: int
    exact: bool  # whether gradients were exact
    idle: tuple[str, ...] = ()  # parameters that do not change the measure here
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        design = ", ".join(f"{n} = {x:.6g}" for n, x in self.parameters.items())
        held = f"; held by {', '.join(self.active)}" if self.active else ""
        idle = f"; {', '.join(self.idle)} could have other values as well" if self.idle else ""
        told = "".join(f"; {note}" for note in self.notes)
        return f"<Optimum {self.value:.6g} at {design}{held}{idle}{told}>"


@dataclass(frozen=True)
class Limit:
    """A constraint `measure <= number` or `>=`."""

    measure: str
    sign: str
    number: float

    def slack(self, x: Array) -> Array:
        """Return how much room is left, in parts of the limit."""
        room = self.number - x if self.sign == "<=" else x - self.number
        return room / max(abs(self.number), 1e-12)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.number:g}"


def optimise(
    m: Mechanism,
    parameters: Mapping[str, Any],
    *,
    task: Task,
    minimise: str | Sequence[str] = (),
    maximise: str = "",
    subject_to: Sequence[str] = (),
    samples: int = 256,
    starts: int = 4,
    seed: int = 0,
    points: int = 9,
) -> Optimum | Front:
    """Return the design with the smallest measure that does the task within the limits.

    `minimise` is a measure of `sweep` (`rms`, `energy`, `peak.j2`, `kinetic_energy:max`), or
    `maximise` is one (`reach`, `manipulability`);
    `subject_to` holds texts such as "reach >= 0.8" or "peak.j1 <= 50". Several measures to minimise
    give a `Front` of about `points` designs, none of which another beats in all of them.

    A parameter has a range (lo, hi), an expression of others, or a list of values: each combination
    of values is searched.

    >>> import dalembert as da
    >>> m = da.load({"format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 50.0},
    ...     "phrase": "RZ(), TXK(1); body 1: M = 0, I = (0, 0, 2);",
    ...     "drives": [{"joint": "j1", "Ia": "0.0005*N^2 + 8/N^2"}]})
    >>> move = {"joint_moves": [{"from": [0.0], "to": [1.0], "time": 1.0}]}
    >>> best = da.optimise(m, {"N": (2.0, 140.0)}, task=move, minimise="rms")
    >>> round(best.parameters["N"], 4), best.exact  # (8 / 0.0005) ** 0.25
    (11.2468, True)
    """
    from .choices import best_choice, combinations, require_ranges

    require_mechanism(m, "optimise")
    require_ranges(parameters)
    limits = [_limit(text) for text in subject_to]
    goals = _goals(minimise, maximise)
    asked = list(dict.fromkeys([*map(_root, goals), *(_root(c.measure) for c in limits)]))
    plan = {"kind": "sobol", "samples": samples, "seed": seed}
    s = study_of(m, parameters, task, asked, plan)
    if len(goals) > 1:
        from .front import front

        return front(s, goals, tuple(limits), points)
    search = Search(s, goals[0], tuple(limits), -1.0 if maximise else 1.0)
    return best_choice(search, combinations(s), starts)


def _goals(minimise: str | Sequence[str], maximise: str) -> tuple[str, ...]:
    """Return the measures to make small, or the one to make large."""
    goals = (minimise,) if isinstance(minimise, str) else tuple(minimise)
    if maximise:
        if goals or not isinstance(maximise, str):
            hint = 'maximise="reach", subject_to=["rms <= 20"]'
            raise UsageError("maximise names one measure, without minimise", hint=hint)
        return (maximise,)
    if not goals or not all(isinstance(n, str) and n for n in goals):
        raise UsageError("minimise names measures", hint='minimise="rms", ["energy", "peak"]')
    return goals


def _root(measure: str) -> str:
    """Return the measure that makes a column: `peak` of `peak.j2`."""
    name = str(measure)
    return name if ":" in name else name.partition(".")[0]


def _limit(text: Any) -> Limit:
    for sign in COMPARE:
        left, found, right = str(text).partition(sign)
        if found:
            try:
                return Limit(left.strip(), sign, float(right))
            except ValueError:
                break
    raise UsageError(
        f"constraint {shown(str(text))!r} is not understood", hint='"peak.j1 <= 50", "reach >= 0.8"'
    )


@dataclass
class Search:
    """One search: measures of batches of designs, slopes, and the run itself."""

    study: Study
    goal: str
    limits: tuple[Limit, ...]
    sign: float = 1.0  # -1 where the goal is to be large
    count: int = 0
    chosen: Mapping[str, Any] = field(default_factory=dict)  # of parameters that have values

    def __post_init__(self) -> None:
        ranges = self.study.data["parameters"]
        self.free = [n for n, r in ranges.items() if "range" in r]
        self.low = np.array([ranges[n]["range"][0] for n in self.free])
        self.high = np.array([ranges[n]["range"][1] for n in self.free])
        told = any("expression" in r for r in ranges.values())
        fixed = bool(self.free) and not told and "poses" not in self.study.data["task"]
        wanted = [self.goal, *(c.measure for c in self.limits)]
        self.exact = (
            fixed
            and not is_closed(self.study.mechanism)
            and all(_root(n) in SMOOTH and ":" not in n for n in wanted)
        )

    def designs(self, x: Array) -> dict[str, Array]:
        """Return all parameters of rows of free ones in [0, 1]."""
        from .study import evaluated

        values = self.low + np.clip(x, 0.0, 1.0) * (self.high - self.low)
        made = {n: np.ascontiguousarray(values[:, k]) for k, n in enumerate(self.free)}
        made |= {n: np.full(len(x), v, dtype=float) for n, v in self.chosen.items()}
        for n, r in self.study.data["parameters"].items():
            if n not in made:
                made[n] = evaluated(r["expression"], made, n)
        return {n: made[n] for n in self.study.data["parameters"]}

    def columns(self, x: Array) -> dict[str, Array]:
        """Return the measures of rows of unknowns."""
        self.count += len(x)
        made = measures_of(self.study, self.designs(x))
        for n in (self.goal, *(c.measure for c in self.limits)):
            if n not in made:
                names = [k for k in made if k not in ("feasible", "reason")]
                raise UsageError(f"there is no measure {shown(n)!r}", hint=", ".join(names[:16]))
        return made

    def run(self, starts: int) -> Optimum:
        """Return the best of several refined starts."""
        unit = scipy_part("stats").qmc.Sobol(len(self.free), scramble=True,
                                             rng=self.study.data["plan"]["seed"])  # fmt: skip
        tried = unit.random(max(4, self.study.count))
        made = self.columns(tried)
        room = [c.slack(made[c.measure]) for c in self.limits]
        short = np.sum([np.maximum(-r, 0.0) for r in room], axis=0) if room else 0.0
        size = float(np.nanmedian(np.abs(made[self.goal]))) or 1.0
        merit = self.sign * made[self.goal] / size + 1e3 * short
        merit = np.where(made["feasible"] & np.isfinite(merit), merit, np.inf)
        if not np.isfinite(merit).any():
            why, n = np.unique(made["reason"].astype(str), return_counts=True)
            raise ComputationError(
                f"no design of {len(tried)} does the task: {why[np.argmax(n)]}",
                hint="wider ranges, or an easier task",
            )
        order = np.argsort(merit)[: max(1, starts)]
        found = [self.refined(tried[k], size) for k in order]
        done = [(x, v) for x, v in found if v is not None]
        if not done:
            raise ComputationError("no design keeps the constraints", hint="loosen subject_to")
        return self.answer(min(done, key=lambda pair: pair[1])[0])

    def refined(self, start: Array, size: float) -> tuple[Array, float | None]:
        """Return the best design that SLSQP finds from a start, and its value where limits hold."""
        constraints = [
            {"type": "ineq", "fun": lambda x, c=c: float(c.slack(self._at(x)[0][c.measure])),
             "jac": lambda x, c=c: self._slack_slope(x, c)}
            for c in self.limits
        ]  # fmt: skip
        made = scipy_part("optimize").minimize(
            lambda x: self.sign * self._at(x)[0][self.goal] / size, start, method="SLSQP",
            jac=lambda x: self.sign * self._at(x)[1][self.goal] / size,
            bounds=[(0.0, 1.0)] * len(start), constraints=constraints,
            options={"maxiter": 100, "ftol": 1e-12},
        )  # fmt: skip
        best = start if not np.isfinite(made.x).all() else np.clip(made.x, 0, 1)
        columns = self.columns(best[None])
        kept = all(float(c.slack(columns[c.measure])[0]) > -1e-6 for c in self.limits)
        value = float(columns[self.goal][0])
        good = bool(columns["feasible"][0]) and kept and np.isfinite(value)
        return best, self.sign * value if good else None

    def _slack_slope(self, x: Array, c: Limit) -> Array:
        sign = -1.0 if c.sign == "<=" else 1.0
        return sign * self._at(x)[1][c.measure] / max(abs(c.number), 1e-12)

    def _at(self, x: Array) -> tuple[dict[str, float], dict[str, Array]]:
        """Return the measures and their slopes at one design; the last one is remembered."""
        key = x.tobytes()
        if getattr(self, "_key", None) != key:
            self._known = self._exactly(x) if self.exact else self._differences(x)
            self._key = key
        return self._known

    def _wanted(self) -> list[str]:
        return [self.goal, *(c.measure for c in self.limits)]

    def _differences(self, x: Array) -> tuple[dict[str, float], dict[str, Array]]:
        h = 1e-5
        steps = np.concatenate([np.zeros((1, len(x))), h * np.eye(len(x)), -h * np.eye(len(x))])
        rows = np.clip(x + steps, 0.0, 1.0)
        made = self.columns(rows)
        n = len(x)
        span = (rows[1 : n + 1] - rows[n + 1 :]).max(axis=1, initial=0.0)
        values = {k: float(made[k][0]) for k in self._wanted()}
        slopes = {k: (made[k][1 : n + 1] - made[k][n + 1 :]) / span for k in self._wanted()}
        return values, {k: np.nan_to_num(v) for k, v in slopes.items()}

    def _exactly(self, x: Array) -> tuple[dict[str, float], dict[str, Array]]:
        """Return measures of forces and their exact slopes by the unknowns."""
        m = self.study.mechanism
        self.count += 1
        kernel = compile_quantity(m, "inverse_dynamics", wrt=tuple(self.free), drives="all")
        designs = self.designs(x[None])
        motion = motion_of(m, self.study.data["task"], designs)
        t, q, qd, qdd = motion.t, motion.q[0], motion.qd[0], motion.qdd[0]
        own = {n: float(v[0]) for n, v in designs.items()}
        tau, *slopes = kernel(q, qd, qdd, parameters={n: own[n] for n in kernel.parameters})
        D = np.stack(slopes, axis=-1) * (self.high - self.low)  # (samples, joints, unknowns)
        values, rates = {}, {}
        for name in self._wanted():
            values[name], rates[name] = _force_measure(name, m, t, tau, qd, D)
        return values, rates

    def answer(self, x: Array) -> Optimum:
        """Return a design with all that was measured of it."""
        columns = self.columns(x[None])
        designs = {n: float(v[0]) for n, v in self.designs(x[None]).items()}
        held = [f"{n} = {v:g}" for n, v, u in zip(self.free, self.low, x, strict=True) if u < 1e-6]
        held += [f"{n} = {v:g}" for n, v, u in zip(self.free, self.high, x, strict=True)
                 if u > 1 - 1e-6]  # fmt: skip
        held += [str(c) for c in self.limits if abs(float(c.slack(columns[c.measure])[0])) < 1e-4]
        measures = {n: float(v[0]) for n, v in columns.items() if n not in ("feasible", "reason")}
        made = self.study.mechanism.with_values(designs)
        value = measures[self.goal]
        slopes = self._at(x)[1][self.goal]
        idle = [n for n, d, u in zip(self.free, slopes, x, strict=True)
                if abs(d) <= 1e-9 * abs(value) and 1e-6 <= u <= 1 - 1e-6]  # fmt: skip
        idle = [n for n in idle if self._is_idle(x, self.free.index(n), value)]
        return Optimum(made, designs, measures, value, tuple(held), self.count, self.exact,
                       tuple(idle))  # fmt: skip

    def _is_idle(self, x: Array, k: int, value: float) -> bool:
        """Return whether the measure stays as it is when a parameter moves by a hundredth."""
        rows = np.repeat(x[None], 2, axis=0)
        rows[:, k] = np.clip(rows[:, k] + (-0.01, 0.01), 0.0, 1.0)
        return bool((np.abs(self.columns(rows)[self.goal] - value) <= 1e-9 * abs(value)).all())


def _force_measure(
    name: str, m: Mechanism, t: Array, tau: Array, qd: Array, D: Array
) -> tuple[float, Array]:
    """Return rms, peak, energy or power of the forces, and its slope by the unknowns."""
    kind, _, joint = name.partition(".")
    weight = np.zeros(len(t))
    weight[1:] += np.diff(t) / 2
    weight[:-1] += np.diff(t) / 2
    span = t[-1] - t[0]
    if kind == "energy":
        work, sign = np.abs(tau * qd), np.sign(tau * qd) * qd
        return float(weight @ work.sum(axis=1)), np.einsum("n,nj,njp->p", weight, sign, D)
    if kind == "rms":
        each = np.sqrt((weight @ tau**2) / span)
        rates = np.einsum("n,nj,njp->jp", weight, tau, D)
        rates = rates / (span * np.maximum(each, 1e-300))[:, None]
    else:
        x = np.abs(tau) if kind == "peak" else np.abs(tau * qd)
        gain = np.sign(tau) if kind == "peak" else np.sign(tau * qd) * qd
        at = np.argmax(x, axis=0)
        j = np.arange(tau.shape[1])
        each, rates = x[at, j], gain[at, j][:, None] * D[at, j]
    k = list(m.rate_names).index(joint) if joint else int(np.argmax(each))
    return float(each[k]), rates[k]
