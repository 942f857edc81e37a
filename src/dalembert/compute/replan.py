"""States of a batch grouped by plan: each is computed with a plan that its certificate confirms.

Plans that were made at states are kept per mechanism, so that a branch is planned once. For a
simulation, which plans anew on its way: `simulate/job.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms.closed_kinematics import CERTIFIED, SINGULAR
from ..algorithms.loop_closure import equation_names
from ..algorithms.velocity_rows import with_told
from ..catalog import Quantity
from ..errors import SingularPose, UsageError, shown, state_text
from ..kept import Kept
from ..mechanism import Mechanism
from ..plan import LoopPlan, planned
from ..plan.assembly import OPEN, Closure, close
from ..plan.generic import is_regular
from ..plan.loops import made_at, require_regular
from .evaluate import evaluate

WEAK = 0.1  # motors whose share of the motion is less do not lead accelerations
TRIES = 6  # plans made for pivots that are poor and not wrong
AGREE = 1e-9  # of the largest rate: rates of all joints are those of one motion
KEPT = 8  # plans of a mechanism that are tried before a new one is made

_BRANCHES: Kept[list[LoopPlan]] = Kept(256)  # the plans of a mechanism, the last used first


def known_plans(m: Mechanism, row: Quantity) -> list[LoopPlan]:
    """Return the plans that were made at states of a mechanism, the last used first."""
    return list(_kept(m, row))


def _keep(m: Mechanism, row: Quantity, made: LoopPlan) -> None:
    plans = _kept(m, row)
    plans[:] = [made, *(p for p in plans if p != made)][:KEPT]


def _kept(m: Mechanism, row: Quantity) -> list[LoopPlan]:
    return _BRANCHES.get((m.digest, row.motors == "rest"), list)


def plan_here(
    m: Mechanism, q: Any, row: Quantity, told: Mechanism | None = None
) -> LoopPlan | None:
    """Return the plan of a state's own branch; None where nothing closes near it.

    `told` is the machine with the steering of the state.
    """
    c = Closure(told or m)
    pose, worst = close(c, np.array(q, dtype=float))
    if worst > OPEN:
        return None  # nothing closes from here: the residual says so
    require_regular(c, pose)
    usual = planned(m)
    if row.motors == "rest":  # any joints may lead: whether a motor moves with them is not asked
        return replace(made_at(c, pose, WEAK, usual), free=0, free_joints=())
    made = made_at(c, pose, like=usual)
    if fits(made, usual, row):
        return made
    raise _unheld("free to move: " + _free_in(c, pose, made.free_joints))


def _free_in(c: Closure, pose: Any, joints: tuple[str, ...]) -> str:
    """Return the joints that no motor holds and the loops they move in."""
    columns = [k for k, name in enumerate(c.m.rate_joints) if name in joints]
    share = np.abs(c.jacobian(pose)[:, columns]).max(axis=1, initial=0.0)
    moved = zip(equation_names(c.m), share > CERTIFIED, strict=True)
    loops = dict.fromkeys(name.partition(", equation")[0] for name, there in moved if there)
    free, held = (", ".join(map(shown, list(names)[:6])) for names in (joints, loops))
    return f"{free} in {held}" if held else free


def fits(made: LoopPlan, usual: LoopPlan, row: Quantity) -> bool:
    """Return whether the motors do at a pose what they do in general.

    On a branch of another mobility more or fewer coordinates may follow no motor; a motor that
    moves nothing while others are free is at a dead point.
    """
    if row.held and made.free > usual.free:
        return False
    return min(made.free, made.spare_motors) <= min(usual.free, usual.spare_motors)


def _unheld(why: str, name: str = "") -> SingularPose:
    return SingularPose(
        f"{name}{': ' * bool(name)}the motors do not hold the mechanism (type 2): {why}",
        hint="move away from the singular pose, or name other active joints",
    )


@dataclass
class Outputs:
    """What a kernel of a closed machine gives: its own outputs, then what they are worth."""

    arrays: list[Any]
    residual: Any
    ratio: Any  # smallest pivot of each state
    gap: Any  # its certificate

    @staticmethod
    def of(kernel: Any, inputs: Iterable[Any], parameters: Mapping[str, Any] | None) -> Outputs:
        """Return the outputs of one call of a kernel."""
        *arrays, residual, pivot, certificate = kernel(*inputs, parameters=parameters)
        return Outputs(arrays, residual, np.array(pivot[..., 0]), np.array(certificate[..., 0]))

    @property
    def result(self) -> Any:
        """Its own outputs as a call gives them: one array, or a tuple."""
        return self.arrays[0] if len(self.arrays) == 1 else tuple(self.arrays)

    def sound(self, where: Any = ...) -> Any:
        """Return for which states the plan holds, by pivot ratio and certificate."""
        return (self.ratio[where] >= SINGULAR) & (self.gap[where] <= CERTIFIED)


@dataclass
class Replanned:
    """The states of a batch whose plan was not theirs, computed again."""

    m: Mechanism
    row: Quantity
    get: Callable[..., Any]
    given: Mapping[str, Any]  # the inputs by their names
    parameters: Mapping[str, Any] | None
    limit: float
    found: Outputs
    bad: Any  # the states that are not done

    def run(self) -> Outputs:
        """Return the outputs, those of bad states by plans of their branches."""
        usual = planned(self.m)
        for made in known_plans(self.m, self.row):
            if not self.bad.any():
                break
            if self.row.motors == "rest" or fits(made, usual, self.row):
                self._try(made)
        tries = 0
        while self.bad.any():
            wrong = self.bad & ~self.found.sound()
            if not wrong.any() and tries >= TRIES:
                break
            tries += 1
            pick = wrong if wrong.any() else self.bad
            where = np.unravel_index(int(pick.argmax()), pick.shape)
            self._mend(where)
        return self.found

    def _mend(self, where: tuple[Any, ...]) -> None:
        """Compute a state with the plan of its own branch, or raise SingularPose."""
        tolerable = bool(self.found.sound(where))
        try:
            made = plan_here(self.m, self.given["q"][where], self.row, self._told(where))
        except SingularPose as error:
            if tolerable:
                self.bad[where] = False
                return
            raise SingularPose(
                f"{self.row.name}: {error.message}{state_text(where)}", hint=error.hint
            ) from None
        if made is not None:
            self._require_meaning(where, made, tolerable)
            self._try(made)
            _keep(self.m, self.row, made)
        if not self.bad[where]:
            return
        if not self.found.sound(where):
            if made is None:  # the residual of an assembly says why
                self.bad[where] = False
                return
            ratio = self.found.ratio[where]
            raise _unheld(f"pivot ratio {ratio:.1e}{state_text(where)}", self.row.name)
        self.bad[where] = False

    def _told(self, where: tuple[Any, ...]) -> Mechanism:
        """Return the machine with the steering of a state, where it has one."""
        if "steer" not in self.given:
            return self.m
        told = (self.given[key][where].tolist() for key in ("steer", "steer_rate"))
        return with_told(self.m, *told)

    def _require_meaning(self, where: tuple[Any, ...], made: LoopPlan, tolerable: bool) -> None:
        """Raise SingularPose where a plan whose joints lead would give a state another meaning."""
        usual = planned(self.m)
        if tolerable or not self._led_otherwise(made):
            return
        lost = [self.m.rate_names[k] for k in usual.independent if k not in made.independent]
        names = ", ".join(map(shown, lost))
        if self._columns_change(made):
            raise SingularPose(
                f"{self.row.name}: {names} cannot lead the motion here{state_text(where)}: "
                "the entries would be those of other joints",
                hint=f"dalembert.compile(m, {self.row.name!r}, plan=dalembert.plan(m, q)) answers "
                "for the joints that lead at a pose q" + "; or name motors" * (not self.m.active),
            )
        here = np.zeros_like(self.bad)
        here[where] = True
        if not self._consistent(made, here).all():
            raise SingularPose(
                f"{self.row.name}: {names} cannot lead the motion here, and the rates given do "
                f"not keep the constraints{state_text(where)}",
                hint="give the rates and accelerations of all joints, as they move together",
            )

    def _led_otherwise(self, made: LoopPlan) -> bool:
        return set(made.independent) != set(planned(self.m).independent)

    def _columns_change(self, made: LoopPlan) -> bool:
        """Return whether entries of independent joints would be those of others, unseen.

        Where no motor is named, forces are those of the independent joints.
        """
        usual = planned(self.m)
        if made.motors != usual.motors and self.row.by_motor:
            return True
        return self.row.by_independent and made.mobility == usual.mobility

    def _consistent(self, made: LoopPlan, bad: Any) -> Any:
        """Return at which states the rates of all joints are those of one motion.

        A plan reads the joints that lead in it: where other ones were meant, all must agree.
        """
        given = {name: x[bad] for name, x in self.given.items()}
        good = np.ones(len(given["q"]), dtype=bool)
        if "qd" not in given or not self._led_otherwise(made):
            return good
        told = [x for name, x in given.items() if name in ("steer", "steer_rate")]
        motion = given["q"], given["qd"], given.get("qdd", np.zeros_like(given["qd"]))
        arrays = {k: v for k, v in self._parameters(bad).items() if np.ndim(v)}
        moved = evaluate(
            self.m, "tree_motion", *motion, *told, plan=made, check=False, parameters=arrays
        )
        for name, full in zip(("qd", "qdd"), moved, strict=True):
            if name in given:
                size = np.abs(full).max(axis=-1) + np.abs(given[name]).max(axis=-1)
                good &= np.abs(full - given[name]).max(axis=-1) <= AGREE * size
        return good

    def _parameters(self, bad: Any) -> dict[str, Any]:
        """Return the parameters of some states."""
        own = (self.parameters or {}).items()
        return {k: np.broadcast_to(v, bad.shape)[bad] if np.ndim(v) else v for k, v in own}

    def _try(self, made: LoopPlan) -> None:
        """Compute the bad states with a plan; those that it certifies are done."""
        if self._led_otherwise(made) and self._columns_change(made):
            return
        found, bad = self.found, self.bad
        inputs = (x[bad] for x in self.given.values())
        new = Outputs.of(self.get(plan=made), inputs, self._parameters(bad) or None)
        good = new.sound()
        if made.rank < planned(self.m).rank:
            # where branches meet, the plan of the freer one is certified too
            c, q = Closure(self.m), self.given["q"][bad]
            for k in np.flatnonzero(good):
                good[k] = is_regular(c, q[k])
        taken = good & (~found.sound(bad) | (new.ratio > found.ratio[bad]))
        if taken.any():
            taken &= self._consistent(made, bad)
        if not taken.any():
            return
        self._same_meaning(made, new.arrays, bad, taken)
        for old, part in (
            *zip(found.arrays, new.arrays, strict=True), (found.residual, new.residual),
            (found.ratio, new.ratio), (found.gap, new.gap),
        ):  # fmt: skip
            old[bad] = np.where(taken.reshape(-1, *[1] * (part.ndim - 1)), part, old[bad])
        done = np.zeros_like(bad)
        done[bad] = taken & (new.ratio >= self.limit)
        self.bad = np.array(bad & ~done)

    def _same_meaning(self, made: LoopPlan, found: list[Any], bad: Any, taken: Any) -> None:
        """Make room where a branch has another mobility; its columns are those of its own plan."""
        usual, lead = planned(self.m), self.bad.shape
        same = all(
            a.shape[len(lead) :] == b.shape[1:]
            for a, b in zip(self.found.arrays, found, strict=True)
        )
        if self.row.by_independent and made.independent != usual.independent:
            same = False
        if same:
            return
        if not (bad.all() and taken.all()):
            raise UsageError(
                f"{self.row.name}: the states lie on branches whose independent joints differ",
                hint="ask for the states of each branch by themselves; dalembert.plan(m, q) "
                "says which joints are independent at a pose",
                command="ask for the states of each branch by themselves",
            )
        self.found.arrays = [np.zeros((*lead, *part.shape[1:])) for part in found]
