"""Velocity constraints are checked before they are traced; speeds are chosen when none are named.

Ranks are numeric, at a few sampled states: a constraint that follows from the others or contradicts
them, and a speed the others decide, are errors that name it. Poses at which a choice of speeds or a
Cartesian model breaks down are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms import kane
from ..algorithms.loop_closure import EQUATIONS
from ..algorithms.velocity_constraints import Constraints, is_constrained
from ..algorithms.velocity_rows import TIME, Row, velocity_names
from ..errors import ComputationError, DalembertError, ModelError, SingularPose, shown
from ..kept import Kept
from ..mechanism import UNHELD, Mechanism, require_mechanism
from .assembly import close
from .generic import general_pose
from .loops import planned

Array = np.ndarray


STATES = 3
RANK = 1e-9  # of rows scaled to length one
NOTHING = 1e-12  # of the longest row: shorter ones are rounding, of what holds by itself
CLEAR = 0.3  # a speed that stands so far from the others is taken at once, in order of preference
OPEN = 1e-6  # coordinates that miss a constraint of position by more are refused


class Contradiction(ModelError):
    """Constraints contradict each other in every state."""


class RedundantConstraint(ModelError):
    """A constraint follows from the others, so Kane's speeds cannot be chosen with all of them."""


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
    if not (is_constrained(m) or m.speeds):
        return m
    return _CHECKED.get(m.digest, lambda: _checked(m))


def require_consistent(m: Mechanism) -> None:
    """Raise ModelError where equations or prescribed joints contradict each other in every state.

    Rows without a right side never do.
    """
    if m.velocity_constraints or Constraints.of(m).prescribed:
        try:
            with_speeds(m)
        except Contradiction:
            raise
        except DalembertError:  # other quantities need no speeds
            return


_CHECKED: Kept[Mechanism] = Kept(64)


def _checked(m: Mechanism) -> Mechanism:
    m = _kept(m)
    names = velocity_names(m)
    twice = next((n for k, n in enumerate(names) if n in names[:k]), None)
    if twice is not None:
        raise ModelError(f"two constraints are called {shown(twice)!r}", hint="names must differ")
    try:
        samples = [_sample(m, seed) for seed in range(STATES)]
        held = [Constraints.of(b).rows(q, [0.0] * m.nv, steer) for b, q, steer in samples]
    except ZeroDivisionError:
        raise ModelError(
            "a constraint divides by zero: points whose distance or direction it takes meet",
            hint="distance(a, b) and direction(a, b) need points that are apart",
        ) from None
    bound = samples[0][0]
    held = [_cleared(found) for found in held]
    idle = _dependent(m, held)
    if idle:
        held = [[row for row in found if row.name not in idle] for found in held]
        note = "redundant constraints, which share their forces: " + "; ".join(
            f"{shown(name)} follows from {', '.join(map(shown, of)) or 'nothing'}"
            for name, of in idle.items()
        )
        m = replace(m, idle=tuple(idle), notes=(*m.notes, note), checked=True)
        samples = [(replace(b, idle=m.idle, checked=True), q, steer) for b, q, steer in samples]
    if any(w.tyre for w in m.wheels) and len(m.speeds) != m.nv - len(held[0]):
        m = replace(m, speeds=(), checked=True)  # a file names those without slip
    if not m.speeds and held[0] and m.nv - len(held[0]) > 0:
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
    """Return the machine with the redundant closure equations of each loop dropped."""
    if not m.loops:
        return m
    kept, at, loops = set(planned(_alone(m)).rows), 0, []
    for loop in m.loops:
        own = range(EQUATIONS[loop.joint])
        loops.append(replace(loop, kept=tuple(k for k in own if at + k in kept)))
        at += len(own)
    return replace(m, loops=tuple(loops), checked=True)


def _alone(m: Mechanism) -> Mechanism:
    """Return the machine that only its loops and couplings hold; nothing moves as it is told."""
    return replace(m, **UNHELD, prescribed=(), checked=True)


def _sample(m: Mechanism, seed: int) -> tuple[Mechanism, list[float], dict[str, Any]]:
    """Return the machine in floats and a state of it; parameters without a value get one."""
    rng = np.random.default_rng(seed)
    b = m.bound({n: rng.uniform(0.5, 1.5) for n in m.open_parameters})
    if m.loops:
        c, start = general_pose(_alone(m))
        near, worst = close(c, c.moved(start, rng.uniform(-0.2, 0.2, m.nv)))
        closed = near if worst < 1e-9 else start
        told = {n: (float(rng.uniform(-0.5, 0.5)), 1.0) for n in Constraints.of(m).inputs}
        return b, [float(x) for x in closed], told
    q = [float(x) for x in b.moved(m.neutral, rng.uniform(-1, 1, m.nv).tolist())]
    steer = {n: (float(rng.uniform(-0.5, 0.5)), 1.0) for n in Constraints.of(m).inputs}
    return b, _placed(b, q, steer), steer


def _placed(b: Mechanism, q: list[float], steer: dict[str, Any]) -> list[float]:
    """Return coordinates near given ones that fulfil the constraints of position, in floats."""
    names = Constraints.of(b).gap_names
    clock = steer.get(TIME, (0.0, 1.0))[0]
    for _ in range(40 if names else 0):
        gap = np.array([float(x) for x in Constraints.of(b).gaps(q, clock)])
        if np.abs(gap).max() < 1e-12:
            break
        found = {r.name: r.H for r in Constraints.of(b).rows(q, [0.0] * b.nv, steer)}
        gap = gap[[n in found for n in names]]  # those that others fulfil have no row
        H = np.array([[float(x) for x in found[n]] for n in names if n in found])
        step = -np.linalg.lstsq(H, gap, rcond=1e-9)[0]
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
        q = [float(x) for x in b.moved(q, step.tolist())]
    return q


def _matrix(found: Sequence[Row]) -> Array:
    """Return rows of H, each of length one (zero rows stay)."""
    H = np.array([[float(x) for x in row.H] for row in found])
    size = np.linalg.norm(H, axis=-1, keepdims=True)
    return H / np.where(size > 0, size, 1.0)


def _cleared(found: Sequence[Row]) -> list[Row]:
    """Return rows of which those that are only rounding are zero."""
    sizes = [float(np.linalg.norm([float(x) for x in row.H])) for row in found]
    least = NOTHING * max(sizes, default=0.0)
    return [
        row if size > least else replace(row, H=[0.0] * len(row.H))
        for row, size in zip(found, sizes, strict=True)
    ]


def _dependent(m: Mechanism, held: Sequence[Sequence[Row]]) -> dict[str, list[str]]:
    """Return the constraints that follow from others before them in every state, and from which.

    Raise when one contradicts them, or when an equation of a loop follows from wheels.
    """
    idle: dict[str, list[str]] = {}
    for k, row in enumerate(held[0]):
        gaps, sides, shares = [], [], np.zeros(k)
        for found in held:
            H = _matrix(found[: k + 1])
            own, before = H[k], H[:k]
            u = np.linalg.lstsq(before.T, own, rcond=None)[0] if k else np.zeros(0)
            shares = np.maximum(shares, np.abs(u))
            gaps.append(np.linalg.norm(own - u @ before) if k else np.linalg.norm(own))
            size = [np.linalg.norm([float(x) for x in r.H]) or 1.0 for r in found[: k + 1]]
            h = np.array([float(r.h) / s for r, s in zip(found, size, strict=False)])
            sides.append(abs(h[k] - u @ h[:k]))
        if max(gaps) > RANK:
            continue
        others = ", ".join(repr(shown(r.name)) for r in held[0][:k]) or "nothing"
        if max(sides) > RANK:
            raise Contradiction(
                f"constraint {shown(row.name)!r} contradicts {others}: no motion fulfils them all",
                hint="remove one of them or correct its right side",
            )
        if row.name not in velocity_names(m):
            raise RedundantConstraint(
                f"constraint {shown(row.name)!r} follows from {others}: it holds nothing more",
                hint="remove it",
            )
        idle[row.name] = [
            r.name for r, x in zip(held[0], shares, strict=False) if x > 1e-6 and r.name not in idle
        ]
    return idle


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
    if rows_ is None:
        return float(np.linalg.norm(own))
    _, s, V = np.linalg.svd(rows_, full_matrices=False)
    V = V[s > RANK * s[0]]
    return float(np.linalg.norm(own - V.T @ (V @ own)))


def _chosen(m: Mechanism, held: Any, samples: Any) -> tuple[str, ...]:
    """Return as many speeds as the constraints leave: motors, v, then joints from the tips.

    Those that fail in the neutral pose come last.
    """
    joints = list(m.rate_names)
    wheels = ["v"] if any(w.steer is None for w in m.wheels) else [f"{w.name}.v" for w in m.wheels]
    if "v" in joints:
        wheels = [f"{w.name}.v" for w in m.wheels]
    order = list(dict.fromkeys([*(j for j in m.active if j in joints), *wheels, *joints[::-1]]))
    count = m.nv - len(held[0])
    rest = [0.0] * m.nv
    for b, q, steer in (first := _at_rest(m, samples[0])):
        held = [*held, _cleared(Constraints.of(b).rows(q, rest, steer))]
    samples = [*samples, *first]
    candidates = {
        name: [kane.named_row(b, name, q, rest, steer) for b, q, steer in samples] for name in order
    }
    taken: list[str] = []
    while len(taken) < count:
        before = [_matrix([*h, *(candidates[t][i] for t in taken)]) for i, h in enumerate(held)]
        scores = {
            name: min(map(_gap, before, (_matrix([row])[0] for row in candidates[name])))
            for name in order
            if name not in taken
        }
        clear = [name for name, score in scores.items() if score > CLEAR]
        best = clear[0] if clear else max(scores, key=lambda n: scores[n], default=None)
        if best is None or scores[best] <= RANK:
            raise ModelError(
                f"no {count} speeds of joints and wheels describe the motion",
                hint="name some of your own: speeds = [{ name = ..., equation = ... }]",
            )
        taken.append(best)
    natural = [*wheels, *joints]
    return tuple(sorted(taken, key=natural.index))


def _at_rest(m: Mechanism, sample: Any) -> list[Any]:
    """Return the neutral pose at time 0 as a sample, where its constraints of position hold."""
    b, _, steer = sample
    q = [float(x) for x in m.neutral]
    straight = {n: (0.0, rate) for n, (_, rate) in steer.items()}
    try:
        found = Constraints.of(b)
        gaps = [float(x) for x in found.gaps(q, 0.0)]
        found.rows(q, [0.0] * m.nv, straight)
    except ZeroDivisionError:
        return []
    return [] if m.loops or max(map(abs, gaps), default=0.0) > OPEN else [(b, q, straight)]


# -- singular states -------------------------------------------------------------------------------


def explain(m: Mechanism, q: Sequence[float], steer: Sequence[float], where: str = "") -> None:
    """Raise SingularPose when the speeds do not decide the motion at a state, naming the rows."""
    if not is_constrained(m) or m.open_parameters:
        return
    m = with_speeds(m)
    b = m.bound()
    angles = {n: (float(x), 0.0) for n, x in zip(Constraints.of(m).inputs, steer, strict=True)}
    rest = [0.0] * m.nv
    found = [*Constraints.of(b).rows(q, rest, angles), *kane.speed_rows(b, q, rest, angles)]
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
    if not is_constrained(m) or any(np.ndim(x) for x in (parameters or {}).values()):
        return
    m = with_speeds(m)
    if not Constraints.of(m).is_holonomic:
        return
    q, told = np.asarray(q, dtype=float), np.asarray(steer, dtype=float)
    clock = told[..., -1] if Constraints.of(m).is_timed else 0.0
    found = Constraints.of(m.bound(parameters)).gaps([q[..., k] for k in range(m.nq)], clock)
    for name, gap in zip(Constraints.of(m).gap_names, found, strict=True):
        worst = float(np.abs(np.asarray(gap)).max(initial=0.0))
        if worst > OPEN * (1 + np.abs(q).max(initial=0.0)):
            raise ComputationError(
                f"constraint {shown(name)!r} does not hold at these coordinates: "
                f"it is off by {worst:.3g}",
                hint="loops: dalembert.assembly(m, q); check=False computes anyway",
                command="leave out --q to use a pose that is assembled",
            )
