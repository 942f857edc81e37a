"""Joints that move no inertia, whatever the pose: there the direct model does not exist."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..algebra import is_plain_zero
from ..errors import SingularModel
from ..expr import Scalar
from ..mechanism import Body, Mechanism, joint_name


def no_inertia(body: Body) -> SingularModel:
    """Return the error that names the joint of a body."""
    return SingularModel(
        f"joint {joint_name(body)!r} moves no inertia: the direct model does not exist",
        hint="give the body beyond it a mass or an inertia about the joint, or a rotor inertia",
    )


def refuse_singular(
    m: Mechanism, M: Sequence[Sequence[Scalar]], sought: Collection[int] | None = None
) -> None:
    """Raise for a velocity variable (of those sought) whose own inertia is structurally zero."""
    owner = [body for body in m.bodies for _ in range(body.joint.nv)]
    for k in range(m.nv) if sought is None else sought:
        if is_plain_zero(M[k][k]):
            raise no_inertia(owner[k])
