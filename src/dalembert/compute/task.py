"""The model of a task: which rows of a frame can move, and how they answer to forces.

The speeds are the rates of a tree, or those of the independent joints of a closed machine
(`algorithms/task.py`); what follows from them at a state is in `task_state.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.task import ROWS, task_rows
from ..algorithms.velocity_constraints import Constraints
from ..display import table_html
from ..door import doors
from ..errors import ModelError, SingularModel, SingularPose, UsageError, shown, state_text
from ..mechanism import Mechanism, is_closed, is_rolling
from ..mechanism.motors import tree_motors
from ..mechanism.units import rate_units
from ..plan import general_pose, planned
from ..plan.assembly import mechanism_size
from ..plan.elimination import null_space
from ..plan.singular import platform_name
from .evaluate import evaluate
from .model import model_of
from .tangent import integrate, neutral
from .task_state import TaskState, applied, direction, root_of

Array = np.ndarray

if TYPE_CHECKING:
    from ..equations import Equations

SAMPLES = 3  # states at which the rank in general is looked at
STILL = 1e-9  # a row that moves less, in parts of the joints' motion, does not move


@doors("__call__", "jacobian", "inertia", "bias", "force", "torques")
@dataclass(frozen=True, repr=False)
class TaskModel:
    """Jacobian, inertia, bias and force map of rows of a frame: call it with states.

    `kind` is "square" where there are as many speeds as rows, "redundant" where there are more,
    "deficient" where the rows cannot all be moved by themselves; `follow` then says which do not.
    """

    mechanism: Mechanism
    frame: str
    rows: tuple[str, ...]
    axes: str
    drives: str
    rank: int  # in general
    speeds: tuple[str, ...]
    motors: tuple[str, ...]
    independent: tuple[str, ...]  # rows that can move independently
    sizes: tuple[float, ...]  # what rows are measured in

    @property
    def kind(self) -> str:
        """Square, redundant or deficient."""
        if self.rank < len(self.rows):
            return "deficient"
        return "square" if self.rank == len(self.speeds) else "redundant"

    @property
    def follow(self) -> tuple[str, ...]:
        """The rows that follow from the independent ones, or do not move at all."""
        return tuple(r for r in self.rows if r not in self.independent)

    def __call__(
        self, q: Any, qd: Any = None, *, check: bool = True, steer: Any = None,
        steer_rate: Any = None, parameters: Mapping[str, Any] | None = None,
    ) -> TaskState:  # fmt: skip
        """Return the model at one state or at many.

        A pose where rows are lost that can be had in general is a `SingularPose` that names the
        direction; `check=False` gives the model in the directions that are left.
        """
        J, A, H, drift, v, *more = self._terms(q, qd, steer, steer_rate, parameters)
        own = self._selected
        motors = more[0] if more else np.broadcast_to(own, (*J.shape[:-2], *own.shape))
        motors = motors[..., : len(self.motors), :]  # none where none is named
        sizes = np.asarray(self.sizes)
        state = TaskState(self.rows, self.rank, sizes, J, A, H, drift, v, motors)
        bad = np.argwhere(state.rank < self.rank)
        if check and len(bad):
            raise self._singular(state, tuple(bad[0]))
        return state

    def _terms(self, q: Any, qd: Any, steer: Any, steer_rate: Any, parameters: Any) -> Any:
        """Return J, A, H, drift, velocity, and G_a of a closed machine."""
        m = self.mechanism
        rates = np.zeros(m.nv) if qd is None else qd
        told: tuple[Any, ...] = ()
        if is_rolling(m) and Constraints.of(m).inputs:
            n = len(Constraints.of(m).inputs)
            told = tuple(np.zeros(n) if x is None else x for x in (steer, steer_rate))
        elif steer is not None or steer_rate is not None:
            raise UsageError("nothing is prescribed here: steer and steer_rate are not needed")
        return evaluate(
            m, "task_terms", q, rates, *told, frame=self.frame, rows=task_rows(self.rows),
            axes=self.axes, drives=self.drives, parameters=parameters,
        )  # fmt: skip

    def _singular(self, s: TaskState, where: tuple[Any, ...]) -> SingularPose:
        names = [direction(self.rows, r) for r in s.lost[where] if abs(r).max() > 0]
        return SingularPose(
            f"frame {shown(self.frame)!r} cannot move along {', '.join(names)} at this pose"
            f"{state_text(where)}: rank {s.rank[where]}, in general {self.rank}",
            hint="move away from the singular pose, ask for fewer rows, or check=False for the "
            "model in the directions that are left",
            command="move away from the singular pose",
        )

    @cached_property
    def _selected(self) -> Array:
        """Which rates of a tree are those of motors, one row each."""
        m = self.mechanism
        own = [k for j in tree_motors(m) for k in m.rates_of(j)]
        return np.eye(m.nv)[own].reshape(len(own), m.nv)

    def jacobian(self, q: Any, **given: Any) -> Array:
        """Return J: x' = J u."""
        return self(q, **{"check": False, **given}).J

    def inertia(self, q: Any, **given: Any) -> Array:
        """Return Λ of F = Λ x'' + μ."""
        return self(q, **given).inertia

    def bias(self, q: Any, qd: Any = None, **given: Any) -> Array:
        """Return μ of F = Λ x'' + μ: gravity, springs, Coriolis and centrifugal forces."""
        return self(q, qd, **given).bias

    def force(self, q: Any, tau: Any, **given: Any) -> Array:
        """Return F of motor forces."""
        return applied(self(q, **given).force_map, np.asarray(tau, dtype=float))

    def torques(self, q: Any, qd: Any, xdd: Any, null: Any = None, **given: Any) -> Array:
        """Return motor forces that give the frame an acceleration: resolved acceleration."""
        return self(q, qd, **given).torques(xdd, null)

    def _facts(self) -> list[tuple[str, str]]:
        facts = [
            ("frame", shown(self.frame)),
            ("rows", " ".join(self.rows)),
            ("axes", self.axes),
            ("speeds", ", ".join(map(shown, self.speeds))),
            ("motors", ", ".join(map(shown, self.motors)) or "none is named"),
            ("kind", self.kind),
        ]
        if self.follow:
            facts.append(("rows that follow from the others", " ".join(self.follow)))
        return facts

    def __repr__(self) -> str:
        return "\n".join(f"{k}: {v}" for k, v in self._facts())

    def _repr_html_(self) -> str:
        return table_html(("", shown(self.mechanism.name)), self._facts())


# -- which rows can move -----------------------------------------------------------------------


def task_model(
    m: Mechanism | Equations, frame: str | None = None,
    rows: str | Sequence[str] | Sequence[int] | None = None, axes: str = "base",
    drives: str = "inertia",
) -> TaskModel:  # fmt: skip
    """Return the model of a task: how a frame moves and answers to forces, in any machine.

    `frame` is a name of `m.frames`, by default the platform of a parallel robot or `m.end_frame`;
    `rows` are some of vx vy vz wx wy wz (or linear, angular, planar), by default as many as
    can move independently; `axes` "base", or "local" for those of the frame, where x'' is the rate
    of the components of x' there: R.T (a - w x v), not R.T a. Call the model with states.

    >>> import dalembert as da
    >>> t = da.task_model(da.robots.scara())
    >>> t.rows, t.kind
    (('vx', 'vy', 'vz', 'wz'), 'square')
    >>> s = t([0.3, 0.8, 0.1, 0.2], [0.0, 0.0, 0.0, 0.0])
    >>> s.inertia.shape, s.force_map.shape
    ((4, 4), (4, 4))
    """
    m = model_of(m, "task_model")
    name = frame or (platform_name(m) if len(m.loops) > 1 else None) or m.end_frame
    m.frame(name)  # an error that lists the frames
    if axes not in ("base", "local"):
        raise UsageError(f"unknown axes {shown(str(axes))!r}", hint='axes are "base" or "local"')
    if not m.nv:
        raise ModelError(f"{shown(m.name)!r} does not move: a task needs a joint")
    asked = task_rows(rows)
    if is_closed(m):
        own = planned(m)
        speeds = tuple(m.rate_names[k] for k in own.independent)
        unnamed = not m.active and (bool(m.loops) or is_rolling(m))
        motors = () if unnamed else tuple(m.rate_names[k] for k in own.motors)
    else:
        speeds = m.rate_names
        motors = tuple(m.rate_names[k] for j in tree_motors(m) for k in m.rates_of(j))
    every = tuple(ROWS[r] for r in asked)
    blank = TaskModel(m, name, every, axes, drives, 0, speeds, motors, (), (1.0,) * len(every))
    rank, chosen, sizes = _generic(blank)
    if not chosen and is_closed(m) and not _generic(replace(blank, rows=ROWS))[0]:
        rank, chosen, sizes = _generic(blank, elsewhere=True)  # a branch on which it is held
    if rows is None:
        if not chosen:
            raise ModelError(
                f"frame {shown(name)!r} does not move", hint="frames: " + ", ".join(m.frames)
            )
        keep = [every.index(r) for r in chosen]
        every, sizes = chosen, tuple(sizes[k] for k in keep)
    return replace(blank, rows=every, rank=rank, independent=chosen, sizes=sizes)


def _generic(
    t: TaskModel, elsewhere: bool = False
) -> tuple[int, tuple[str, ...], tuple[float, ...]]:
    """Return the rank in general, rows that can move independently, and the scales of rows.

    A row is measured by its motion; where that is rounding, by the motion of the joints.
    `elsewhere` looks at other branches of the machine too.
    """
    m, rng = t.mechanism, np.random.default_rng(0)
    values = {n: float(rng.uniform(0.7, 1.3)) for n in m.open_parameters} or None
    length = mechanism_size(m.bound(values))
    found, reach = zip(*_samples(t, values, length, elsewhere), strict=True)
    sizes = np.max([np.linalg.norm(W, axis=-1) for W in found], axis=0)
    far = np.max(reach) * np.array([length if r.startswith("v") else 1.0 for r in t.rows])
    sizes = np.where(sizes > STILL * far, sizes, far)
    scaled = [W / sizes[:, None] for W in found]

    def rank_of(rows: list[int]) -> int:
        return max(int(np.linalg.matrix_rank(W[rows], tol=1e-7)) for W in scaled)

    chosen: list[int] = []
    for r in range(len(t.rows)):
        if rank_of([*chosen, r]) > len(chosen):
            chosen.append(r)
    return len(chosen), tuple(t.rows[r] for r in chosen), tuple(sizes.tolist())


def _unit_speeds(t: TaskModel, J: Array, A: Array) -> Array:
    """Return L⁻ᵀ; where letters make no mass matrix, what scales the columns of J to one."""
    try:
        return np.asarray(np.linalg.inv(root_of(A)).T)
    except SingularModel:
        if not t.mechanism.open_parameters:
            raise
        size = np.linalg.norm(J, axis=0)
        return np.diag(1 / np.where(size > STILL * size.max(initial=0.0), size, np.inf))


def _samples(
    t: TaskModel, values: dict[str, float] | None, length: float, elsewhere: bool
) -> Iterator[tuple[Array, float]]:
    """Yield J L⁻ᵀ, and the fastest joint of such motions, at a few states in general position."""
    m, rng = t.mechanism, np.random.default_rng(1)
    told: tuple[Any, Any] = (None, None)
    unit = np.array([length if u == "m" else 1.0 for u in rate_units(m)])
    if is_closed(m):
        from ..plan.generic import neighbours, others

        n = len(Constraints.of(m).inputs) if is_rolling(m) else 0
        if n:
            told = rng.uniform(0.1, 0.3, n), rng.uniform(0.1, 0.3, n)
        c, pose = general_pose(m)
        poses = others(c, pose) if elsewhere else neighbours(c, pose, SAMPLES - 1)
        lead = planned(m).independent
        free = [unit[:, None] * null_space(c.jacobian(x)) for x in (pose, *poses)]
        poses = [x for x, N in zip((pose, *poses), free, strict=True) if N.shape[1] == len(lead)]
        free = [N for N in free if N.shape[1] == len(lead)]
        maps = [N @ np.linalg.pinv(N[list(lead)]) for N in free]
    else:
        poses = [integrate(m, neutral(m), dq) for dq in rng.uniform(-1, 1, (SAMPLES, m.nv))]
        maps = [np.eye(m.nv)] * SAMPLES
    for x, G in zip(poses, maps, strict=True):
        J, A, *_ = t._terms(x, None, *told, values)
        F = _unit_speeds(t, J, A)
        rates = np.linalg.norm(G @ F, axis=-1) / unit
        yield J @ F, float(rates.max(initial=0.0)) or 1.0
