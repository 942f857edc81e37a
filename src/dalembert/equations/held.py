"""The proven error of equations with joints held, while these joints move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..display import lines_html
from ..errors import UsageError, shown
from ..expr.exact import exact, to_float
from ..mechanism import joint_name
from . import attained
from .bound import proven
from .box import box_of
from .climb import search
from .expand import whole_joints
from .force import Force
from .prune import BOXES
from .tolerance import at_most
from .waves import Basis

if TYPE_CHECKING:
    from .derive import Equations


@dataclass(frozen=True)
class HeldError:
    """What the force of each other joint is off by, at most, when held joints move after all."""

    joints: tuple[str, ...]
    bound: tuple[float, ...]  # |tau_full - tau_frozen| never passes it
    found: tuple[float, ...]  # errors that motions of the box attain
    reference: tuple[float, ...]  # forces that motions of the box attain

    @property
    def share(self) -> tuple[float, ...]:
        """The proven bound over the attained force, by joint."""
        return tuple(b / r if r else 0.0 for b, r in zip(self.bound, self.reference, strict=True))

    def __str__(self) -> str:
        rows = zip(self.joints, self.bound, self.share, self.reference, self.found, strict=True)
        return "\n".join(
            f"joint {shown(name)}: error at most {at_most(bound)} ({share:.3%} of the force "
            f"{force:.6g} that a motion needs), largest found {found:.3e}"
            for name, bound, share, force, found in rows
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return lines_html(str(self))


def held_error(
    eq: Equations,
    joints: Mapping[int | str, Any] | Sequence[int | str],
    values: Mapping[str, Any],
    limits: Any,
    budget: int = BOXES,
) -> HeldError:
    """Return how far the forces of `eq.freeze(joints)` are off while those joints move."""
    m = eq.mechanism
    if not isinstance(joints, Mapping):
        joints = dict.fromkeys([joints] if isinstance(joints, (str, int)) else joints, 0)
    if eq.changed or eq.neglected:
        raise UsageError(
            "terms were left out of these equations", hint="ask the whole ones: da.equations(m)"
        )
    joints = whole_joints(m, joints)
    held = {m.velocity_index[m.joint_index(j)]: to_float(exact(x)) for j, x in joints.items()}
    box = box_of(eq, values, limits)
    if box.ranges:
        raise UsageError("held joints need numbers, no ranges", hint='values={"L1": 0.4}')
    basis, rows = Basis(eq, box), []
    terms = eq.ring.terms
    for i in (i for i in range(eq.n) if i not in held):
        polys = {motion: p for motion, p in attained.row(eq, i + 1) if p}
        full = Force(basis.waves([terms(p) for p in polys.values()]), list(polys), box)
        kept = {k: not any(j in held for j in motion) for k, motion in enumerate(polys)}
        less = {k: held for k, yes in kept.items() if yes}
        off = basis.waves([terms(p) for p in polys.values()], less)
        force = Force(off, list(polys), box)
        found = search(force)[0]
        rows.append((joint_name(m.bodies[i]), *proven(force, found, budget), search(full)[0]))
    names, bound, found_, reference = (tuple(x) for x in zip(*rows, strict=True))
    return HeldError(names, bound, found_, reference)
