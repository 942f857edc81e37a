"""Equations with joints held, and their proven error while these joints move after all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..display import lines_html
from ..errors import UsageError, shown
from ..expr import Expr, Graph
from ..expr.exact import exact, to_float
from ..mechanism import joint_name
from ..mechanism.edit import number
from . import attained
from .attained import search
from .bound import proven
from .box import box_of
from .expand import whole_joints
from .prune import BOXES
from .tolerance import at_most
from .waves import Basis

if TYPE_CHECKING:
    from .closed_form import Equations


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


Joints = Mapping[int | str, Any] | Sequence[int | str]


def _at_zero(joints: Joints) -> Mapping[int | str, Any]:
    """Return joints with the values they are held at; without any it is 0."""
    if isinstance(joints, Mapping):
        return joints
    return dict.fromkeys([joints] if isinstance(joints, (str, int)) else joints, 0)


def _plain(x: Any) -> Any:
    """Return the exact number that a text gives, the text where it is more than a number."""
    found = number(x, Graph()) if isinstance(x, str) else x
    return x if isinstance(found, Expr) else found


def freeze(eq: Equations, joints: Joints) -> Equations:
    """Return the equations with joints held at numbers or symbols."""
    if eq.changed:
        raise UsageError(
            "terms were dropped or pruned: they are not those of the frozen equations",
            hint="freeze first, then drop or prune",
        )
    joints = whole_joints(eq.mechanism, _at_zero(joints))
    locked = eq.mechanism.lock(list(joints), at=joints)
    joints = {j: _plain(x) for j, x in joints.items()}
    held = ", ".join(f"{shown(str(j))} = {shown(str(x))}" for j, x in joints.items())
    m = eq.mechanism
    names: dict[str, Any] = {}
    for j, x in joints.items():
        name = joint_name(m.bodies[m.joint_index(j)])
        if names.setdefault(name, x) != x:
            raise UsageError(
                f"joint {shown(name)!r} is held at {shown(str(names[name]))} and at "
                f"{shown(str(x))}",
                hint="name each joint once",
            )
    from .derive import equations

    new = equations(locked, full=eq.ring.symbols.full, limit=eq.limit)
    return replace(
        new,
        sign=eq.sign,
        neglected=eq.neglected,
        remarks=(*eq.remarks, f"frozen: {held}; joints are renumbered"),
        frozen={**eq.frozen, **names},
    )


def held_error(eq: Equations, joints: Joints, values: Mapping[str, Any], limits: Any) -> HeldError:
    """Return how far the forces of `eq.freeze(joints)` are off while those joints move."""
    m = eq.mechanism
    if eq.changed or eq.neglected:
        raise UsageError(
            "terms were left out of these equations", hint="ask the whole ones: da.equations(m)"
        )
    joints = whole_joints(m, _at_zero(joints))
    held = {m.velocity_index[m.joint_index(j)]: to_float(exact(x)) for j, x in joints.items()}
    box = box_of(eq, values, limits)
    if box.ranges:
        raise UsageError("held joints need numbers, no ranges", hint='values={"L1": 0.4}')
    basis, rows = Basis(eq, box), []
    for i in (i for i in range(eq.n) if i not in held):
        polys = {motion: p for motion, p in attained.row(eq, i + 1) if p}
        less = {k: held for k, motion in enumerate(polys) if not held.keys() & set(motion)}
        full, force = (attained.force_of(basis, polys, how) for how in (None, less))
        found = search(force)[0]
        rows.append((joint_name(m.bodies[i]), *proven(force, found, BOXES), search(full)[0]))
    names, bound, found_, reference = (tuple(x) for x in zip(*rows, strict=True))
    return HeldError(names, bound, found_, reference)
