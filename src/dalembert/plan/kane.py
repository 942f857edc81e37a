"""Velocity constraints are checked before they are traced; speeds are chosen when none are named.

Ranks are numeric, at a few sampled states: a constraint that follows from the others or contradicts
them, and a speed the others decide, are errors that name it. Poses at which a choice of speeds or a
Cartesian model breaks down are reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..algorithms import cartesian, kane
from ..algorithms.loop_closure import EQUATIONS
from ..algorithms.velocity_constraints import (
    TIME,
    Row,
    closure_names,
    constraint_count,
    gaps,
    is_holonomic,
    is_position,
    is_timed,
    prescribed_names,
    rows,
)
from ..errors import ComputationError, ModelError, SingularPose, shown
from ..mechanism import Mechanism, joint_name, require_mechanism
from .assembly import close, neutral_pose
from .generic import general_pose
from .loops import planned

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray

STATES = 3
RANK = 1e-9  # of rows scaled to length one
CLEAR = 0.3  # a speed that stands so far from the others is taken at once, in order of preference
OPEN = 1e-6  # coordinates that miss a constraint of position by more are refused
LOST = 1e10  # condition from which a Jacobian counts as singular


class RedundantConstraint(ModelError):
    """A constraint follows from others: no speeds of Kane's method are decided by all of them."""


def is_constrained(m: Mechanism) -> bool:
    """Return whether a machine has wheels, equations in its rates or prescribed joints."""
    return constraint_count(m) > 0


def kane_speeds(m: Mechanism) -> tuple[str, ...]:
    """Return the names of the speeds alpha: those given, or those chosen by rank.

    >>> import dalembert as da
    >>> da.kane_speeds(da.robots.unicycle())
    ('v', 'th')
    """
    require_mechanism(m, "kane_speeds")
    return kane.speed_names(with_speeds(m))


def with_speeds(m: Mechanism) -> Mechanism:
    """Return the machine with its constraints checked and its speeds named."""
    if not is_constrained(m):
        return m
    return _checked(_Same(m))


class _Same:
    """A mechanism as a key of the cache: equal when the digest and the values are."""

    def __init__(self, m: Mechanism):
        self.m, self.key = m, (m.digest, repr(m.values))

    def __eq__(self, o: object) -> bool:
        return isinstance(o, _Same) and self.key == o.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=64)
def _checked(key: _Same) -> Mechanism:
    m = _kept(key.m)
    samples = [_sample(m, seed) for seed in range(STATES)]
    bound = samples[0][0]
    held = [rows(b, q, [0.0] * m.nv, steer) for b, q, steer in samples]
    _independent(m, held)
    if not m.speeds and m.nv - len(held[0]) > 0:
        names = _chosen(m, held, samples)
        note = "speeds chosen by rank: " + ", ".join(map(shown, names))
        m = replace(m, speeds=names, notes=(*m.notes, note))
    kane.speed_names(m)  # raises when their number is wrong
    named = [
        kane.speed_rows(replace(b, speeds=m.speeds, checked=True), q, [0.0] * bound.nv, steer)
        for b, q, steer in samples
    ]
    _decided(held, named)
    return m


def _kept(m: Mechanism) -> Mechanism:
    """Return the machine with the equations of each loop that hold something of their own."""
    if not m.loops:
        return m
    alone = replace(m, wheels=(), velocity_constraints=(), checked=True)
    kept, at, loops = set(planned(alone).rows), 0, []
    for loop in m.loops:
        own = range(EQUATIONS[loop.joint])
        loops.append(replace(loop, kept=tuple(k for k in own if at + k in kept)))
        at += len(own)
    return replace(m, loops=tuple(loops), checked=True)


def _sample(m: Mechanism, seed: int) -> tuple[Mechanism, list[float], dict[str, Any]]:
    """Return the machine in floats and a state of it; parameters without a value get one."""
    import numpy as np

    rng = np.random.default_rng(seed)
    b = m.bound({n: rng.uniform(0.5, 1.5) for n in m.open_parameters})
    if m.loops:
        c, start = general_pose(replace(m, wheels=(), velocity_constraints=(), checked=True))
        near, worst = close(c, c.moved(start, rng.uniform(-0.2, 0.2, m.nv)))
        closed = near if worst < 1e-9 else start
        told = {n: (float(rng.uniform(-0.5, 0.5)), 1.0) for n in prescribed_names(m)}
        return b, [float(x) for x in closed], told
    parts = m.split_q(list(map(float, neutral_pose(m))))
    steps = m.split(list(map(float, rng.uniform(-1, 1, m.nv))))
    q: list[float] = []
    for body, own, step in zip(b.bodies, parts, steps, strict=True):
        q += [float(x) for x in body.joint.integrate(own, step)]
    steer = {n: (float(rng.uniform(-0.5, 0.5)), 1.0) for n in prescribed_names(m)}
    return b, q, steer


def _matrix(found: Sequence[Row]) -> Array:
    """Return rows of H, each of length one (zero rows stay)."""
    import numpy as np

    H = np.array([[float(x) for x in row.H] for row in found])
    size = np.linalg.norm(H, axis=-1, keepdims=True)
    return H / np.where(size > 0, size, 1.0)


def _independent(m: Mechanism, held: Sequence[Sequence[Row]]) -> None:
    """Raise when a constraint follows from those before it, or contradicts them, in every state."""
    import numpy as np

    for k, row in enumerate(held[0]):
        gaps, sides = [], []
        for found in held:
            H = _matrix(found[: k + 1])
            own, before = H[k], H[:k]
            u = np.linalg.lstsq(before.T, own, rcond=None)[0] if k else np.zeros(0)
            gaps.append(np.linalg.norm(own - u @ before) if k else np.linalg.norm(own))
            size = [np.linalg.norm([float(x) for x in r.H]) or 1.0 for r in found[: k + 1]]
            h = np.array([float(r.h) / s for r, s in zip(found, size, strict=False)])
            sides.append(abs(h[k] - u @ h[:k]))
        if max(gaps) > RANK:
            continue
        others = ", ".join(repr(shown(r.name)) for r in held[0][:k]) or "nothing"
        if max(sides) > RANK:
            raise ModelError(
                f"constraint {shown(row.name)!r} contradicts {others}: no motion fulfils them all",
                hint="remove one of them or correct its right side",
            )
        raise RedundantConstraint(
            f"constraint {shown(row.name)!r} follows from {others}: it holds nothing more",
            hint=_instead(m, row.name),
        )


def _instead(m: Mechanism, name: str) -> str:
    """Return what to write in place of a constraint that holds nothing more."""
    if any(w.name == name and w.radius is not None for w in m.wheels):
        return (
            "wheels on one axle slide together: keep one of them as a wheel, and write the rolling "
            "of the other as a velocity constraint"
        )
    return "remove it"


def _decided(held: Sequence[Sequence[Row]], named: Sequence[Sequence[Row]]) -> None:
    """Raise when a speed is decided by the constraints and the speeds before it, in every state."""
    for k, row in enumerate(named[0]):
        gaps = [
            _gap(_matrix([*h, *s[:k]]) if h or k else None, _matrix([s[k]])[0])
            for h, s in zip(held, named, strict=True)
        ]
        if max(gaps) <= RANK:
            before = [r.name for r in named[0][:k]]
            others = " and " + ", ".join(map(repr, map(shown, before))) if before else ""
            raise ModelError(
                f"speed {shown(row.name)!r} is decided by the constraints{others}",
                hint="choose another speed: a joint, 'v' or '<wheel>.v'",
            )


def _gap(rows_: Array | None, own: Array) -> float:
    """Return how much of a row of length one the others do not span."""
    import numpy as np

    if rows_ is None:
        return float(np.linalg.norm(own))
    _, s, V = np.linalg.svd(rows_, full_matrices=False)
    V = V[s > RANK * s[0]]
    return float(np.linalg.norm(own - V.T @ (V @ own)))


def _chosen(m: Mechanism, held: Any, samples: Any) -> tuple[str, ...]:
    """Return as many speeds as the constraints leave: motors, v, then joints from the tips."""
    joints = [joint_name(b) for b in m.bodies if b.joint.nv == 1]
    wheels = ["v"] if any(w.steer is None for w in m.wheels) else [f"{w.name}.v" for w in m.wheels]
    if "v" in joints:
        wheels = [f"{w.name}.v" for w in m.wheels]
    order = list(dict.fromkeys([*(j for j in m.active if j in joints), *wheels, *joints[::-1]]))
    count = m.nv - len(held[0])
    candidates = {
        name: [
            kane.named_row(b, name, q, [0.0] * m.nv, steer) for b, q, steer in samples
        ]
        for name in order
    }  # fmt: skip
    taken: list[str] = []
    while len(taken) < count:
        scores = {}
        for name in order:
            if name in taken:
                continue
            scores[name] = min(
                _gap(_matrix([*h, *(candidates[t][i] for t in taken)]),
                     _matrix([candidates[name][i]])[0])
                for i, h in enumerate(held)
            )  # fmt: skip
        clear = [name for name, score in scores.items() if score > CLEAR]
        best = clear[0] if clear else max(scores, key=lambda n: scores[n], default=None)
        if best is None or scores[best] <= RANK:
            raise ModelError(
                f"no {count} speeds of joints and wheels describe the motion",
                hint="joints of one degree of freedom are needed: take planar or free joints apart",
            )
        taken.append(best)
    natural = [*wheels, *joints]
    return tuple(sorted(taken, key=natural.index))


# -- singular states -------------------------------------------------------------------------------


def explain(m: Mechanism, q: Sequence[float], steer: Sequence[float], where: str = "") -> None:
    """Raise SingularPose when the speeds do not decide the motion at a state, naming the rows."""
    import numpy as np

    if not is_constrained(m) or m.open_parameters:
        return
    m = with_speeds(m)
    b = m.bound()
    angles = {n: (float(x), 0.0) for n, x in zip(prescribed_names(m), steer, strict=True)}
    rest = [0.0] * m.nv
    found = [*rows(b, q, rest, angles), *kane.speed_rows(b, q, rest, angles)]
    E = _matrix(found)
    U, s, _ = np.linalg.svd(E)
    if s[-1] > 1e-7 * s[0]:
        return
    share = np.abs(U[:, -1])
    names = [shown(r.name) for r, x in zip(found, share, strict=True) if x > 0.1 * share.max()]
    raise SingularPose(
        f"the speeds {', '.join(map(shown, m.speeds))} do not decide the motion{where}: "
        + ", ".join(map(repr, names)) + " depend on each other there",
        hint="choose other speeds, or keep away from this state",
    )  # fmt: skip


def explain_speeds(m: Mechanism, kernel: Any, inputs: Sequence[Any], arrays: Any) -> None:
    """Raise SingularPose when the speeds chosen are why a result of a kernel is not finite."""
    import numpy as np

    ports = zip(kernel.inputs, inputs, strict=False)
    given = {p.name: np.asarray(x, dtype=float) for p, x in ports}
    if "steer" not in given:
        return
    results = zip(kernel.outputs, arrays, strict=False)
    port, result = next(x for x in results if not np.isfinite(x[1]).all())
    lead = result.shape[: result.ndim - len(port.shape)]
    state = tuple(int(x) for x in np.argwhere(~np.isfinite(result))[0][: len(lead)])
    q, steer = (np.broadcast_to(given[n], (*lead, given[n].shape[-1])) for n in ("q", "steer"))
    where = f" at state {state if len(state) > 1 else state[0]}" if state else " at this state"
    explain(m, [float(x) for x in q[state]], [float(x) for x in steer[state]], where)


def check_positions(m: Mechanism, q: Any, steer: Any, parameters: Any = None) -> None:
    """Raise ComputationError where coordinates do not fulfil loops and equations f(q, t) = 0."""
    import numpy as np

    if not is_constrained(m) or any(np.ndim(x) for x in (parameters or {}).values()):
        return
    m = with_speeds(m)
    if not is_holonomic(m):
        return
    q, told = np.asarray(q, dtype=float), np.asarray(steer, dtype=float)
    clock = told[..., -1] if is_timed(m) else 0.0
    found = gaps(m.bound(parameters), [q[..., k] for k in range(m.nq)], clock)
    names = [c.name for c in m.velocity_constraints if is_position(m, c)] + closure_names(m)
    for name, gap in zip(names, found, strict=True):
        worst = float(np.abs(np.asarray(gap)).max(initial=0.0))
        if worst > OPEN * (1 + np.abs(q).max(initial=0.0)):
            raise ComputationError(
                f"constraint {shown(name)!r} does not hold at these coordinates: "
                f"it is off by {worst:.3g}",
                hint="loops: dalembert.assembly(m, q); check=False computes anyway",
            )


@dataclass(frozen=True, slots=True)
class CartesianReport:
    """How near a pose is to a singularity of J_n, lengths measured by the largest lever."""

    frame: str
    smallest: Any  # smallest singular value of J_n, linear rows divided by `length`
    condition: Any
    length: float

    def __str__(self) -> str:
        import numpy as np

        worst = np.argmax(np.asarray(self.condition).reshape(-1))
        c, s = (np.asarray(x).reshape(-1)[worst] for x in (self.condition, self.smallest))
        state = "singular" if c > LOST else "regular"
        return f"frame {self.frame!r}: {state}, smallest singular value {s:.3g}, condition {c:.3g}"


def cartesian_jacobian(
    m: Mechanism, q: Any, qd: Any = None, frame: str | None = None, parameters: Any = None
) -> Array:
    """Return J_n at one pose or many; with rates, dJ_n/dt."""
    import numpy as np

    q = np.asarray(q, dtype=float)
    b, own = m.bound(parameters), [q[..., k] for k in range(m.nq)]
    if qd is None:
        J = cartesian.J_n(b, own, frame)
    else:
        rates = np.broadcast_to(np.asarray(qd, dtype=float), (*q.shape[:-1], m.nv))
        J = cartesian.J_n_dot(b, own, [rates[..., k] for k in range(m.nv)], frame)
    rows_ = [[np.broadcast_to(x, q.shape[:-1]) for x in row] for row in J]
    return np.stack([np.stack(row, axis=-1) for row in rows_], axis=-2).astype(float)


def cartesian_singularity(
    m: Mechanism, q: Any, frame: str | None = None, parameters: Mapping[str, Any] | None = None
) -> CartesianReport:
    """Return smallest singular value and condition number of J_n at one pose or many.

    >>> import dalembert as da
    >>> print(da.cartesian_singularity(da.robots.ur5(), [0.1, -1, 1, 0.3, 1, 0]))  # doctest: +SKIP
    """
    import numpy as np

    full = cartesian_jacobian(m, q, frame=frame, parameters=parameters)
    linear = [r for r, kind in enumerate(cartesian.motions(m)) if kind < 3]
    length = float(np.abs(full[..., linear, :]).max()) or 1.0
    full[..., linear, :] /= length
    s = np.linalg.svd(full, compute_uv=False)
    with np.errstate(divide="ignore"):
        condition = s[..., 0] / s[..., -1]
    name = frame or f"mass centre of {m.bodies[kane.massive(m)[-1]].name}"
    return CartesianReport(name, s[..., -1], condition, length)


def check_cartesian(m: Mechanism, q: Any, frame: str | None, parameters: Any = None) -> None:
    """Raise SingularPose when J_n is singular at a pose, naming the frame and the state."""
    import numpy as np

    if not np.isfinite(np.asarray(q, dtype=float)).all():
        return
    report = cartesian_singularity(m, q, frame, parameters)
    bad = np.argwhere(~(np.asarray(report.condition) < LOST))
    if not len(bad):
        return
    state = tuple(int(x) for x in bad[0])
    where = f", state {state if len(state) > 1 else state[0]}" if state else ""
    s, c = (np.asarray(x)[state] for x in (report.smallest, report.condition))
    raise SingularPose(
        f"frame {shown(report.frame)!r} cannot move in all its directions at this pose{where}: "
        f"smallest singular value of J_n {s:.2g}, condition {c:.2g}",
        hint="the Cartesian model needs an invertible J_n; check=False computes anyway",
    )


__all__ = ["TIME", "CartesianReport", "cartesian_singularity", "kane_speeds", "with_speeds"]
