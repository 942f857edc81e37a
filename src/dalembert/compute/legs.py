"""The branch on which each leg of a parallel robot stands, read off a closed pose.

A leg with a closed form has one sign for each choice it leaves. Any other leg is followed from the
pose itself (`platform.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import Transform
from ..algorithms.kinematics import frame_pose
from ..algorithms.platform import Leg, platform_of, require_own_frame
from ..algorithms.reduced_legs import has_length, is_reduced, joints_at, sign_count
from ..display import table_html
from ..errors import (
    ComputationError,
    DalembertError,
    ModelError,
    SingularPose,
    shown,
    state_text,
)
from ..kept import Kept
from ..mechanism import Mechanism, is_rolling, joint_name
from ..plan.assembly import Closure, assemble, given_pose
from .model import model_of

SAME = 1e-6  # how near a closed form must come to the pose, in radians or parts of the size


class LegBranches(tuple[tuple[int, ...], ...]):
    """One tuple of signs per leg, to be given as `branch`; `q` is the pose they were read off.

    A leg without a closed form has no signs: the platform is then followed from `q`.
    """

    q: tuple[float, ...]
    legs: tuple[str, ...]
    reduced: bool  # legs that hold more or less than one point: the loops say what is free

    def __new__(
        cls, signs: Sequence[tuple[int, ...]], q: Sequence[float], legs: Sequence[str],
        reduced: bool = False,
    ) -> LegBranches:  # fmt: skip
        """Return the branches of legs at a pose."""
        found = super().__new__(cls, signs)
        found.q, found.legs = tuple(float(x) for x in q), tuple(legs)
        found.reduced = reduced
        return found

    @property
    def closed_form(self) -> bool:
        """Whether the signs say all: every leg has a closed form."""
        return bool(self) and all(self)

    def _rows(self) -> list[tuple[str, str]]:
        text = ["".join("+-"[s < 0] for s in own) or "followed from the pose" for own in self]
        return list(zip(map(shown, self.legs), text, strict=True))

    def __repr__(self) -> str:
        return "; ".join(f"{leg}: {text}" for leg, text in self._rows())

    def _repr_html_(self) -> str:
        return table_html(("leg", "branch"), self._rows())


def needs_following(options: dict[str, Any]) -> bool:
    """Return whether the loops answer for the platform; signs become a plain tuple otherwise."""
    branch = options.get("branch")
    if isinstance(branch, LegBranches):
        if branch.reduced or not branch.closed_form:
            return True
        options["branch"] = tuple(branch)
    return False


def leg_branches(m: Mechanism, q: ArrayLike) -> LegBranches:
    """Return the branch of every leg of a parallel robot at a closed pose.

    It is what `leg_states`, `actuator_forces`, `platform_jacobian` and `cartesian_model` take as
    `branch`: with it they stand where q says and nowhere else. Legs UPS, RUS, PUS, RRR, RPR and PRR
    have signs, and so have UPU legs and cranks and slides with rods (RSS, PSS) under a platform
    with a free joint; any other leg, of any description, is followed from q.

    >>> import dalembert as da
    >>> m = da.robots.three_rrr()
    >>> b = da.leg_branches(m, da.regular_pose(m))
    >>> len(b), b.closed_form
    (3, True)
    """
    m = model_of(m, "leg_branches")
    if not m.loops or is_rolling(m):
        raise ModelError(
            f"{shown(m.name)!r} is not a parallel robot: it has "
            f"{'wheels or constraints' if m.loops else 'no closed loops'}",
            hint="assembly_modes(m, motors) lists the poses of other machines",
        )
    pose, c = given_pose(m, q), Closure(m)
    c.require_closed(pose, "leg_branches: ")
    try:
        return _signs(c.m, pose)
    except ModelError:  # not seen as platform and legs, or a leg of another kind
        from .platform import PlatformTracker

        PlatformTracker(m, pose.tolist()).require_apart("leg_branches")
        names = [loop.name or f"loop {k + 1}" for k, loop in enumerate(m.loops)]
        return LegBranches([()] * len(names), pose.tolist(), names)


def _signs(b: Mechanism, pose: Any) -> LegBranches:
    """Return the signs of legs that have a closed form, or ModelError."""
    robot = platform_of(b)
    require_own_frame(b)
    reduced = any(map(is_reduced, robot.legs))
    if reduced and not is_loose(robot.m, robot.body):
        raise ModelError("the platform hangs on a leg")
    T = frame_pose(b, robot.m.bodies[robot.body].name, pose.tolist())
    at = {body.name: own for body, own in zip(b.bodies, b.split_q(pose.tolist()), strict=True)}
    found, names = [], []
    for leg in robot.legs:
        own = [x for body in leg.tree.bodies for x in at[body.name]]
        found.append(_sign_of(leg, T, own))
        names.append(_leg_name(leg))
    return LegBranches(found, pose.tolist(), names, reduced)


def is_loose(m: Mechanism, body: int) -> bool:
    """Return whether a platform has a free joint of its own on the base."""
    return m.bodies[body].joint.kind == "free" and m.bodies[body].parent < 0


def _sign_of(leg: Leg, T: Transform, own: Sequence[float]) -> tuple[int, ...]:
    import math

    if not sign_count(leg):
        raise ModelError("a leg has no closed form")
    size = 1 + max(abs(float(x)) for x in T.p + T.R @ leg.hold)
    found: list[tuple[float, tuple[int, ...]]] = []
    beyond = 0  # signs for which the pose lies past the reach of the leg, be it by rounding
    for signs in product((1, -1), repeat=sign_count(leg)):
        try:
            made = joints_at(leg, T, signs).values()
        except ZeroDivisionError:
            continue
        except ValueError:
            beyond += 1
            continue
        turns = [b.joint.kind == "revolute" for b in leg.tree.bodies]
        gaps = [
            abs(math.remainder(float(a) - x, math.tau)) if turn else abs(float(a) - x) / size
            for a, x, turn in zip(made, own, turns, strict=True)
        ]
        if max(gaps) <= SAME:
            found.append((max(gaps), signs))
    if len(found) > 1 or (beyond and not found):
        raise SingularPose(
            f"leg_branches: branches of leg {shown(_leg_name(leg))!r} meet at this pose: it is "
            "stretched, folded, or a slide is square to its rod",
            hint="give a pose beside it on the branch you mean: dalembert.regular_pose(m, q)",
        )
    if not found:
        raise ModelError("a leg has no closed form at this pose")
    return found[0][1]


def _leg_name(leg: Leg) -> str:
    return joint_name(leg.tree.bodies[0]) if leg.tree.bodies else "rod"


_FLAT: Kept[bool] = Kept(256)


def _is_flat(m: Mechanism) -> bool:
    """Return whether a leg moves its end in a plane: across it nothing is asked of the joints."""
    return _FLAT.get(m.digest, lambda: any(len(g.directions) < 3 for g in platform_of(m).legs))


_NOTED: set[str] = set()  # machines that were warned about already


def note_branch(m: Mechanism, name: str) -> None:
    """Warn, once per machine, if the pose that `assemble` finds is not on branch 1."""
    import warnings

    if m.digest in _NOTED or m.open_parameters or _has_lengths(m):
        return
    _NOTED.add(m.digest)
    try:
        found = leg_branches(m, assemble(m))
    except DalembertError:
        return
    if any(s < 0 for own in found for s in own):
        warnings.warn(
            f"{name}: no branch is given, so every leg of {shown(m.name)!r} stands on branch 1; at "
            f"assemble(m) they stand otherwise ({found}). Give branch=dalembert.leg_branches(m, q)",
            UserWarning,
            stacklevel=6,
        )


def _has_lengths(m: Mechanism) -> bool:
    """Return whether all legs are slides that turn: `assemble` puts those on branch 1."""
    return all(map(has_length, platform_of(m).legs))


def check_reached(
    m: Mechanism, name: str, again: Any, inputs: Sequence[Any], options: dict[str, Any]
) -> None:
    """Raise ComputationError where a leg that moves in a plane does not reach the platform."""
    if name == "leg_states" or not _is_flat(m) or not np.isfinite(np.asarray(inputs[0])).all():
        return
    rest = np.zeros(6)
    branch = options.get("branch", 1)
    gap = again("leg_states", inputs[0], rest, rest, branch=branch, check=False)[3]
    size = 1e-3 + np.abs(np.asarray(inputs[0], dtype=float)[..., :3, 3]).max(initial=0.0)
    bad = np.argwhere(np.abs(gap) > SAME * size)
    if len(bad):
        *where, leg, _ = bad[0]
        raise ComputationError(
            f"{name}: leg {leg + 1} does not reach the platform{state_text(tuple(where))}: "
            f"it misses by {np.abs(gap[(*where, leg)]).max():.3g}",
            hint="the platform moves in the plane of its legs alone; check=False computes anyway",
            command="the platform moves in the plane of its legs alone",
        )
