"""What all joints of closed machines and of machines on wheels do while their motors do a task."""

from __future__ import annotations

import numpy as np

from ..compute import evaluate, neutral
from ..compute.certified import certified, largest_entry, scaled_gap
from ..compute.designs import at_first
from ..compute.loops import UNFOUND, assembly_along
from ..errors import ComputationError, UsageError, shown
from ..kept import Kept
from ..mechanism import Mechanism, freed, is_closed, is_rolling

Array = np.ndarray
Motion = tuple[Array, Array, Array]
_POSES: Kept[Array] = Kept(64)  # assembled machines of this process's studies
ROUNDING = 1e-13  # of the size of a machine
PARTS = 4  # steps of a rolling machine between two samples


def motors(m: Mechanism) -> list[int]:
    """Return where the coordinates stand that a task names: of the motors, or of all joints."""
    if not is_closed(m):
        return list(range(m.nq))
    return [m.coordinate_index[m.joint_index(n)] for n in m.active]


def drives(m: Mechanism) -> list[int]:
    """Return the same of the rates."""
    if not is_closed(m):
        return list(range(m.nv))
    return [m.velocity_index[m.joint_index(n)] for n in m.active]


def followed(
    m: Mechanism, designs: dict[str, Array], t: Array, motion: Motion, start: Array | None = None
) -> tuple[Motion, Array]:
    """Return the motion of all joints of every design, and why some cannot do it.

    `motion` is that of the motors, (designs or 1, samples, motors); `start` is where the machine
    stands before it, one pose or one for each design.
    """
    if is_rolling(m):
        return _rolled(m, designs, t, motion, neutral(m) if start is None else start)
    return _closed(m, designs, motion, first_pose(m, motion[0][0, 0]) if start is None else start)


def first_pose(m: Mechanism, given: Array | None = None) -> Array:
    """Return where the machine stands before the task; the same for all chunks of a study."""
    from ..plan.assembly import assemble

    def made() -> Array:
        pose = np.array(assemble(m), dtype=float)
        if given is None:
            return pose
        try:
            return np.asarray(assembly_along(m, pose, given[None])[0])
        except ComputationError:  # other designs may close there
            pose[motors(m)] = given
            return pose

    key = m.digest, repr(m.values), b"" if given is None else given.tobytes()
    return _POSES.get(key, made).copy()


def arrived(m: Mechanism, designs: dict[str, Array], q: Array, frame: str, point: Array) -> Array:
    """Return which designs, closed from poses near q, have a frame at a point."""
    found = evaluate(m, "assembly", q, parameters=designs, check=False)
    T = np.asarray(evaluate(m, "pose", found, frame=frame, parameters=designs, check=False))
    return np.asarray(np.linalg.norm(T[..., :3, 3] - point, axis=-1) < 1e-6)


def _closed(
    m: Mechanism, designs: dict[str, Array], motion: Motion, start: Array
) -> tuple[Motion, Array]:
    """Return the motion of machines with loops, closed sample by sample, all designs at once."""
    q, qd, qdd = motion
    count, samples, at = len(next(iter(designs.values()))), q.shape[1], motors(m)
    pose = np.array(np.broadcast_to(start, (count, m.nq)))
    whole = np.zeros((count, samples, m.nq))
    reason = np.full(count, "", dtype=object)
    for k in range(samples):
        pose[:, at] = q[:, k]
        pose, gap = _assembled(m, designs, pose)
        if not (gap <= ROUNDING).all():  # once more from nearby, to the last digit
            pose, gap = _assembled(m, designs, pose)
        open_ = ~(gap <= UNFOUND) | (largest_entry(pose[:, at] - q[:, k]) > 1e-8)
        reason[open_ & (reason == "")] = "not assembled"
        whole[:, k] = pose
    made_motion, lost = _moved(m, designs, whole, qd, qdd)
    reason[lost & (reason == "")] = "singular"
    return made_motion, reason


def _assembled(m: Mechanism, designs: dict[str, Array], pose: Array) -> tuple[Array, Array]:
    """Return poses closed from those given, and how far their loops are open."""
    found = evaluate(m, "assembly", pose, parameters=designs, check=False)
    found = np.where(np.isfinite(largest_entry(found))[:, None], found, pose)
    gap = evaluate(m, "closure", found, parameters=designs, check=False)
    return found, scaled_gap(at_first(freed(m, designs), designs), gap)


def _rolled(
    m: Mechanism, designs: dict[str, Array], t: Array, motion: Motion, start: Array
) -> tuple[Motion, Array]:
    """Return the motion of machines on wheels: q' = G(q) q'_motors by Runge-Kutta, all at once."""
    q, qd, qdd = motion
    count, samples, at, rates = len(next(iter(designs.values()))), len(t), motors(m), drives(m)
    pose = np.array(np.broadcast_to(start, (count, m.nq)))
    pose[:, at] = q[:, 0]
    whole = np.zeros((count, samples, m.nq))
    whole[:, 0] = pose
    zero = np.zeros((count, m.nv))

    def rate(driven: Array, pose: Array) -> Array:
        own = zero.copy()
        own[:, rates] = driven
        made = evaluate(m, "tree_motion", pose, own, zero, parameters=designs, check=False)
        return np.asarray(made[0])

    for k, h in enumerate(np.diff(t)):
        # the cubic through two samples of the motors gives their rates between them
        ends = (q[:, k + 1] - q[:, k]) / h, qd[:, k], qd[:, k + 1]
        driven = [_cubic_rate(x, *ends) for x in np.linspace(0, 1, 2 * PARTS + 1)]
        s = h / PARTS
        for part in range(0, 2 * PARTS, 2):
            k1 = rate(driven[part], pose)
            k2 = rate(driven[part + 1], pose + s / 2 * k1)
            k3 = rate(driven[part + 1], pose + s / 2 * k2)
            k4 = rate(driven[part + 2], pose + s * k3)
            pose = pose + s / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        pose[:, at] = q[:, k + 1]
        whole[:, k + 1] = pose
    made, lost = _moved(m, designs, whole, qd, qdd)
    return made, np.where(lost, "singular", "").astype(object)


def _cubic_rate(x: float, way: Array, before: Array, after: Array) -> Array:
    """Return the rate of a cubic at the part x of its time, from its mean rate and its ends."""
    return 6 * x * (1 - x) * way + (1 - x) * (1 - 3 * x) * before + x * (3 * x - 2) * after


def _moved(
    m: Mechanism, designs: dict[str, Array], whole: Array, qd: Array, qdd: Array
) -> tuple[Motion, Array]:
    """Return poses with the rates and accelerations that those of the motors ask of all joints."""
    rates, rises = np.zeros((*whole.shape[:2], m.nv)), np.zeros((*whole.shape[:2], m.nv))
    rates[..., drives(m)], rises[..., drives(m)] = qd, qdd
    (v, a), lost = certified(m, "tree_motion", whole, rates, rises, designs=designs)
    return (whole, v, a), lost | ~np.isfinite(a).all(axis=(1, 2))


def require_followed(m: Mechanism) -> None:
    """Raise UsageError where the motors named do not decide what a closed machine does."""
    from ..plan import planned

    if not is_closed(m):
        return
    what = "on wheels" if is_rolling(m) else "with closed loops"
    if not m.active:
        raise UsageError(
            f"a task of a machine {what} moves its motors, and none is named",
            hint='active = ["crank"]',
        )
    for name in m.active:
        if m.bodies[m.joint_index(name)].joint.nv != 1:
            raise UsageError(
                f"motor {shown(name)!r} has several freedoms",
                hint="the motors of a task have one freedom each",
            )
    if is_rolling(m) and (m.loops or m.couplings or m.nq != m.nv):
        raise UsageError(
            "a study of a machine on wheels needs joints of one freedom each, and no loops",
            hint="da.torques_along(m, motion, parameters={...}) takes arrays of parameters",
            command="give each vehicle a file of its own, for dalembert torques",
        )
    free = () if m.open_parameters else planned(m).free_joints
    if free:
        raise UsageError(
            f"no motor moves {', '.join(free[:8])}",
            hint="name as many active joints as the machine has degrees of freedom",
        )
