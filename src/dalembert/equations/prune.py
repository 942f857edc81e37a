"""Negligible terms left out, with a proven bound of the error this makes.

Bounded is |tau_full - tau_pruned|, joint by joint, for every motion of a box. Shares refer to the
largest force of each joint that was found: a lower bound of the maximum, attained by a motion that
is shown. The bound is proven over halved boxes of postures (see `bound`, and `waves` for rounding),
until it is within 1.35 of an error that was found, or the budget ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..display import lines_html
from ..errors import ComputationError, UsageError, shown
from ..mechanism.units import rate_units
from . import attained
from .attained import State, search
from .bound import CLOSE, definite, proven
from .box import Box, box_of
from .derived import KINDS
from .tolerance import at_most, in_words, tolerances, worded
from .units import Key, Unit, errors, greedy, lost, passive, plain, used
from .waves import Basis

if TYPE_CHECKING:
    from .closed_form import Equations

ROUNDS = 4
BOXES = 200_000  # examined for each joint and each bound
QUICK = 8  # as many parts of them while terms are chosen
ROUNDING = 1e-14  # of the sum of a joint's terms: what a joint that needs no force may be off
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Pruned:
    """The shorter equations, what they leave out, and the proof."""

    equations: Equations
    kept: int  # terms, every s² as 1 - c²
    gone: int
    bound: tuple[float, ...]  # |tau_full - tau_pruned| never passes it, by joint
    found: tuple[float, ...]  # errors that motions of the box attain
    reference: tuple[float, ...]  # forces that motions of the box attain
    motions: tuple[State, ...]  # (q, qd, qdd) of each reference
    values: tuple[Mapping[str, float], ...]  # the parameters of each reference
    positive_definite: str  # "proven" or "not proven", of A over the box
    idle: tuple[bool, ...] = ()  # joints that need no force at all, but for rounding

    @property
    def share(self) -> tuple[float, ...]:
        """The proven bound over the attained force, by joint; 0 of a joint that needs no force."""
        rows = zip(self.bound, self.reference, self.idle, strict=True)
        return tuple(0.0 if idle or not r else b / r for b, r, idle in rows)

    def __str__(self) -> str:
        lines = [f"{self.gone} of {self.kept + self.gone} terms are left out"]
        units = ["N" if unit == "m" else "N m" for unit in rate_units(self.equations.mechanism)]
        for i, share in enumerate(self.share):
            unit = units[i] if len(units) == len(self.share) else ""
            force = f"{share:.3%} of the force {self.reference[i]:.6g} {unit} that a motion needs"
            if self.idle[i]:
                force = "it needs no force, but for rounding"
            lines.append(
                f"joint {i + 1}: error at most {at_most(self.bound[i])} {unit} ({force}), "
                f"largest found {self.found[i]:.3e}"
            )
        lines.append(f"A positive definite over the box: {self.positive_definite}")
        return "\n".join(lines)

    def __getattr__(self, name: str) -> Any:
        # what is asked of equations is asked of the shorter ones
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.equations, name)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return lines_html(str(self))


def prune(
    eq: Equations,
    values: Mapping[str, Any],
    limits: Any,
    tolerance: float | str | Mapping[str | int, float | str] | None = None,
    budget: int = BOXES,
    keep: str | None = None,
    operations: int | None = None,
    progress: Progress | None = None,
) -> Pruned:
    """Return the equations without terms whose sum is proven to stay below `tolerance`.

    It is a share, 0.01 or "1%", a force "0.5 N m", or such a one for each joint: {"j1": "1%"}, with
    `all` for the others. `operations` instead of it: the least error of a model that takes no more
    multiplications and additions.
    A value may be a pair (low, high): then all holds for every value between.
    `keep="passive"` prunes T and V, and derives A, B, C, Q from them. The tolerance may say all in
    one text, "80 operations", "1% passive", as files and the command line do.
    `budget` is the number of boxes examined for each joint and each bound.
    """
    tolerance, asked, kept = worded(tolerance)
    operations, keep = asked if operations is None else operations, keep or kept
    if (tolerance is None) == (operations is None):
        raise UsageError(
            "a tolerance or a number of operations is needed, one of them",
            hint='prune(values, limits, "1%") or prune(values, limits, operations=80)',
            command='write --prune 1%, or --prune "80 operations"',
        )
    each = tolerances(eq, tolerance if operations is None else 0.0)
    if not eq.n:  # every joint is frozen: nothing moves, nothing goes
        made = Pruned(eq, 0, 0, (), (), (), (), (), "proven")
        return replace(made, equations=replace(eq, remarks=(*eq.remarks, *str(made).splitlines())))
    job = Pruning(eq, box_of(eq, values, limits), keep, budget, progress)
    if operations is not None:
        from .curve import within

        return within(job, operations)
    sizes = zip(each, job.reference, strict=True)
    return job.pruned([x * size if shared else x for (x, shared), size in sizes], in_words(each))


class Pruning:
    """What does not depend on the tolerance: forces that are attained, and what may go."""

    def __init__(
        self,
        eq: Equations,
        box: Box,
        keep: str | None = None,
        budget: int = BOXES,
        progress: Progress | None = None,
    ):
        if keep not in (None, "passive"):
            raise UsageError(
                f"cannot keep {shown(str(keep))!r}",
                hint='keep="passive"',
                command='write --prune "1% passive" and leave out --neglect and --drop',
            )
        self.eq, self.box, self.keep, self.budget = eq, box, keep, budget
        self.progress = progress or (lambda part: None)
        self.basis = Basis(eq, box)
        self.cases = [Basis(eq, replace(box, values=case, ranges={})) for case in box.cases]
        self.reference, self.motions, self.given = attained.forces(eq, box)
        self.progress(0.2)
        if keep == "passive":
            self._refuse_broken()
        self.units: list[Unit] = passive(eq, box) if keep == "passive" else plain(eq, box)
        self.every = sum(len(eq.poly(kind, p)) for kind in KINDS for p in eq.places(kind))
        self.least = [ROUNDING * sum(u.single.get(i, 0.0) for u in self.units) for i in range(eq.n)]

    def _refuse_broken(self) -> None:
        eq = self.eq
        if eq.changed or {"B", "C"} & eq.absent:
            raise UsageError(
                "terms were left out of these equations: they are not those of two energies",
                hint='prune the whole equations with keep="passive"',
            )
        if not self._definite(eq):
            raise ComputationError(
                "A is not proven positive definite over this box before anything is pruned",
                hint="freeze joints without inertia, or give narrower limits of q",
            )

    def _definite(self, eq: Equations) -> bool:
        """Whether A is proven positive definite over the box."""
        terms = [eq.ring.terms(e.poly) for e in eq.A]
        return definite(Basis(eq, self.box).waves(terms), eq.n, 2 * self.budget)

    # -- one tolerance -----------------------------------------------------------------------------

    def pruned(self, allowed: Sequence[float], words: str = "", sure: bool = True) -> Pruned:
        """Return what is left when the force of each joint may be off by so much."""
        if any(allowed):
            # a joint that needs no force may be off by rounding; one that may not be off stays
            rows = zip(allowed, self.least, self.reference, strict=True)
            allowed = [max(x, r) if x or force <= r else 0.0 for x, r, force in rows]
        chosen, proof = self._chosen(allowed, sure)
        shorter = self.shorter(chosen, words)
        while self.keep == "passive" and chosen and not self._definite(shorter):
            allowed = [x / 2 for x in allowed]
            chosen, proof = self._chosen(allowed, sure)
            shorter = self.shorter(chosen, words)
        proven_so = self.keep == "passive" or self._definite(shorter)
        kept = sum(len(shorter.poly(kind, p)) for kind in KINDS for p in self.eq.places(kind))
        idle = [x <= y for x, y in zip(self.reference, self.least, strict=True)]
        made = Pruned(
            shorter, kept, self.every - kept,
            tuple(b for b, _ in proof), tuple(f for _, f in proof),
            tuple(self.reference), tuple(self.motions), tuple(self.given),
            "proven" if proven_so else "not proven", tuple(idle),
        )  # fmt: skip
        self.progress(1.0)
        remarks = (*shorter.remarks, *str(made).splitlines())
        return replace(made, equations=replace(shorter, remarks=remarks, proven_in=self.box))

    def _chosen(
        self, allowed: Sequence[float], sure: bool
    ) -> tuple[list[int], list[tuple[float, float]]]:
        """Return the units that go, and bound and found error of each joint."""
        n = self.eq.n
        chosen: list[int] = []
        proof = [(0.0, 0.0)] * n
        room = [x * (1 - 1e-6) for x in allowed]
        for turn in range(ROUNDS):
            trial = greedy(self.units, room)
            if len(trial) <= len(chosen):
                break
            tried = self._proof(trial, allowed, (turn / ROUNDS, (turn + 1) / ROUNDS))
            if tried is None:
                spent = used(self.units, chosen, n)
                room = [(r + s) / 2 for r, s in zip(room, spent, strict=True)]
                continue
            chosen, proof = trial, tried
            # what the plain sum of bounds overstates may be spent on further terms
            spent = used(self.units, chosen, n)
            room = [max(s, s * min(4.0, 0.85 * a / f)) if f else a
                    for s, a, (_, f) in zip(spent, allowed, proof, strict=True)]  # fmt: skip
        return chosen, self._surer(chosen, proof) if sure else proof

    def _proof(
        self, chosen: Sequence[int], allowed: Sequence[float], part: tuple[float, float]
    ) -> list[tuple[float, float]] | None:
        """Return bound and found error of each joint; None where one is more than is allowed."""
        gone, out = lost(self.eq, self.units, chosen), []
        for i in range(self.eq.n):
            found = self._bound(gone, i, self.budget // QUICK, allowed[i], allowed[i])
            if found[0] > allowed[i]:
                return None
            out.append(found)
            done = part[0] + (part[1] - part[0]) * (i + 1) / self.eq.n
            self.progress(0.2 + 0.5 * done)
        return out

    def _bound(
        self, gone: Mapping[Key, Any], i: int, budget: int, allowed: float, enough: float = 0.0
    ) -> tuple[float, float]:
        """Return (proven bound, found value) of the error of one joint over the box."""
        polys: dict[Any, Any] = {}
        for motion, p in errors(self.eq, gone, i):
            polys[motion] = polys[motion] + p if motion in polys else p
        if not any(len(p) for p in polys.values()):
            return 0.0, 0.0
        found = max(search(attained.force_of(case, polys))[0] for case in self.cases)
        if found > allowed:
            return float("inf"), found
        return proven(attained.force_of(self.basis, polys), found, budget, enough=enough)

    def _surer(
        self, chosen: Sequence[int], proof: list[tuple[float, float]]
    ) -> list[tuple[float, float]]:
        """Return the proof with more work on bounds that are not near to what was found."""
        gone, out = lost(self.eq, self.units, chosen), []
        for i, (bound, found) in enumerate(proof):
            if bound > CLOSE * found:
                again = self._bound(gone, i, self.budget, float("inf"))
                bound, found = min(bound, again[0]), max(found, again[1])
            out.append((bound, found))
            self.progress(0.7 + 0.3 * (i + 1) / self.eq.n)
        return out

    def shorter(self, chosen: Sequence[int], words: str = "") -> Equations:
        """Return the equations without some units."""
        eq = self.eq
        gone = lost(eq, self.units, chosen)
        changed = dict(eq.changed)
        for key, p in gone.items():
            changed[key] = eq.poly(*key) - p
        kept = replace(eq, changed=changed)
        left = sum(len(eq.poly(*key)) - len(kept.poly(*key)) for key in gone)
        how = ", T and V pruned alike" if self.keep == "passive" else ""
        how += "; the bounds of both prunings add up" if eq.pruned else ""
        remark = f"pruned: {left} of {self.every} terms, the error of each joint below {words}{how}"
        return replace(kept, remarks=(*eq.remarks, remark))
