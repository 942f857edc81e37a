"""Loops are planned before they are traced: which equations and coordinates depend on which.

`plan(m, q)` factorises the closure Jacobian in floats at an assembled pose and returns a frozen
`LoopPlan`: independent equations, dependent and independent coordinates, redundant equations.
A plan holds on the branch of its pose; kernels certify at each state that it does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.loop_plan import LoopPlan
from ..errors import DalembertError, SingularPose, UsageError, shown
from ..kept import Kept
from ..mechanism import Mechanism, is_rolling, joint_name, require_mechanism
from .assembly import Closure, close, given_pose, velocity_indices
from .elimination import LEAST, largest_rows, null_space, pivots, rank_of

Array = np.ndarray


def motors(m: Mechanism) -> tuple[int, ...]:
    """Return the velocity variables of the active joints, in their order.

    Couplings alone leave every joint active that does not follow another; where wheels or equations
    hold a machine and no motor is named, forces are those of all joints.
    """
    if not m.active and is_rolling(m):
        return tuple(range(m.nv))
    return velocity_indices(m, m.active if m.active or m.loops else _leaders(m))


def motor_coordinates(m: Mechanism, plan: LoopPlan) -> list[int]:
    """Return where the coordinates of the motors stand in q."""
    places = zip(m.velocity_index, m.coordinate_index, m.bodies, strict=True)
    by = {k: at for k, at, body in places if body.joint.nv == 1}
    if any(k not in by for k in plan.motors):
        raise UsageError("the motors of closed loops must have one degree of freedom each")
    return [by[k] for k in plan.motors]


def with_motors(m: Mechanism) -> Mechanism:
    """Return the mechanism; with couplings and no motor named, each joint that leads has one."""
    if not m.couplings or m.loops or m.active:
        return m
    return replace(m, active=_leaders(m), checked=True)


def _leaders(m: Mechanism) -> tuple[str, ...]:
    """Return the joints that follow no other."""
    follow = {c.joint for c in m.couplings}
    moving = ((j, b) for j, b in enumerate(m.bodies) if b.joint.nv)
    return tuple(joint_name(b) for j, b in moving if j not in follow)


# -- the plan ----------------------------------------------------------------------------------


def plan(m: Mechanism, q: ArrayLike | None = None) -> LoopPlan:
    """Return how the closure equations are solved near an assembled pose.

    Without a pose, on the generic branch: the rank that holds at several assembled poses, whatever
    the rest pose is. A given pose where equations lose rank that they have nearby is a
    `SingularPose`.

    >>> import dalembert as da
    >>> print(da.plan(da.robots.fivebar()))
    5 closure equations, 2 independent; mobility 2; 2 motors
    """
    require_mechanism(m, "plan")
    if q is None:
        from .generic import generic
        from .kane import require_consistent

        require_consistent(m)
        found = generic(m)
        return replace(made_at(found.closure, found.pose), branch=found.text)
    c = Closure(m)
    pose = given_pose(m, q)
    c.require_closed(pose)
    pose, _ = close(c, pose)
    require_regular(c, pose)
    return made_at(c, pose)


def require_regular(c: Closure, pose: Array) -> None:
    """Raise SingularPose where branches meet or rank is lost, naming the loops."""
    from .generic import is_regular, neighbours

    J = c.jacobian(pose)
    N = null_space(J)
    if is_regular(c, pose):
        # rows of rates alone hold no pose: their rank is looked at nearby
        around = [c.jacobian(x) for x in neighbours(c, pose, 2)] if is_rolling(c.m) else []
        if all(rank_of(near) <= rank_of(J) for near in around):
            return
    there = c.jacobian(c.moved(pose, 0.01 * N.sum(axis=1)))
    raise SingularPose(
        f"the closure equations lose rank at this pose ({rank_of(J)}, nearby {rank_of(there)}): "
        f"{c.loops_losing(J, there)}",
        hint="move away from the singular pose: dalembert.regular_pose(m, q) finds one",
        command="move away from the singular pose",
    )


def made_at(c: Closure, q: Array, least: float = LEAST, like: LoopPlan | None = None) -> LoopPlan:
    """Return the plan of a pose; motors whose share of the motion is below `least` do not lead.

    Where it can, it has the independent coordinates of the plan that it should be `like`.
    """
    m, J = c.m, c.jacobian(q)
    N = null_space(J)
    driven = motors(m)
    chosen = largest_rows(N, driven, least=least)
    before = [k for k in like.independent if k not in driven] if like else []
    free = largest_rows(N, before, chosen, 0.01)
    rest = [k for k in range(m.nv) if k not in (*driven, *free)]
    free += largest_rows(N, rest, [*chosen, *free])
    if len(chosen) + len(free) < N.shape[1]:  # a weak motor must lead after all
        chosen += largest_rows(N, [k for k in driven if k not in chosen], [*chosen, *free])
    independent = [k for k in driven if k in chosen] + sorted(free)
    others = [k for k in range(m.nv) if k not in set(independent)]
    rows, columns = pivots(J[:, others])
    dependent = tuple(others[k] for k in columns)
    names = m.rate_joints
    made = LoopPlan(
        len(J),
        rows,
        dependent,
        tuple(independent),
        driven,
        len(free),
        tuple(dict.fromkeys(names[k] for k in sorted(free))),
        tuple(map(float, c.row_size)),
        tuple(map(float, c.column_size)),
    )
    if driven:
        return made
    # nothing is named: the independent coordinates are taken as motors
    return replace(made, motors=made.independent, free=0, free_joints=())


_PLANS: Kept[LoopPlan] = Kept(256)


def planned(m: Mechanism) -> LoopPlan:
    """Return the plan of a mechanism on its generic branch, made once."""
    return _PLANS.get(m.digest, lambda: plan(m))


def likely_motors(m: Mechanism) -> str:
    """Return joints that could be motors where none is named, quoted: spins, else what leads."""
    names = list(dict.fromkeys(w.spin for w in m.wheels if w.spin))
    if not names:
        try:
            leading = [m.rate_names[k] for k in planned(m).independent]
            # parts of a free or planar joint are not motors
            names = [n for n in dict.fromkeys(leading) if n in m.joint_names]
        except DalembertError:
            names = []
        names = names or list(m.joint_names[-2:])
    return ", ".join(f'"{shown(n)}"' for n in names)


def no_motor(m: Mechanism, call: str, where: str) -> UsageError:
    """Return the error of a machine whose motors are asked for and that names none."""
    some = likely_motors(m)
    what = f"{call}no motor is named: {where} {shown(m.name)!r} has none of its own"
    if m.wheels and not any(w.spin for w in m.wheels):
        hint = "active = [...] names joints, and a motor turns a wheel that has `radius` and `spin`"
        return UsageError(what, hint=f"{hint}; the forces on the speeds of this one are kane_tau")
    return UsageError(
        what,
        hint=f"active = [{some}] in the file, or dataclasses.replace(m, active=(...))",
        command=f"write which joints have motors, such as active = [{some}] in the file",
    )


def mobility(m: Mechanism, q: ArrayLike | None = None) -> int:
    """Return how many coordinates remain free when the loops are closed.

    >>> import dalembert as da
    >>> da.mobility(da.load("RZ(), TXK(1), RZ(), TXK(1);"))
    2
    """
    require_mechanism(m, "mobility")
    return plan(m, q).mobility if m.nv else 0
