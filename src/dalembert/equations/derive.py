"""The closed forms of a mechanism: of a tree, of joints that follow others, of closed loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..catalog.refused import moved_from_outside
from ..errors import ModelError, UsageError, shown
from ..mechanism import Mechanism, is_closed, is_rolling, joint_name, require_mechanism
from ..mechanism.follower import Follower
from ..mechanism.rehome import merge_fixed
from .closed_form import Equations
from .expand import expanded
from .frames import rechosen
from .generator import refuse_coordinates
from .ring import Ring
from .size import LIMIT
from .symbols import TreeSymbols

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SERVED = ("revolute", "prismatic", "screw")


def equations(
    m: Mechanism,
    expand: bool = False,
    full: bool = False,
    limit: int = LIMIT,
    q: ArrayLike | None = None,
) -> Any:
    """Return the closed forms Q, A, B, C of a tree of revolute, prismatic and screw joints.

    With closed loops they come with closure, G, A_c and H_c, lengths as letters where they have no
    value (`LoopEquations`); `q` is then a closed pose of the branch that is meant.

    `expand` turns planar, free and spherical joints into slides and turns with massless bodies
    between them, balls into turns about z, y, x;
    `full` names all components of the reported constants of every body; `limit` is the number of
    terms beyond which a kind of coefficient is refused.

    >>> import dalembert as da
    >>> eq = da.equations(da.robots.planar2r())
    >>> eq.A[1, 2], eq.Q[2], eq.B[1, 1, 2], eq.C[2, 1]
    (VX2*l1*C2+JZ2, VX2*G*C12, -2*VX2*l1*S2, VX2*l1*S2)
    >>> eq.constants["JZ2"]
    'j2+WX2'
    """
    require_mechanism(m, "equations")
    whole = m.form is None and m.simplified is None
    if (m.loops or m.couplings) and not is_rolling(m) and whole:
        from .loop_equations import loop_equations

        if error := moved_from_outside("equations", m):
            raise error
        return loop_equations(m, expand, full, limit, q)
    return tree_equations(m, expand, full, limit)


def tree_equations(
    m: Mechanism, expand: bool = False, full: bool = False, limit: int = LIMIT
) -> Equations:
    """Return the closed forms of a tree; what closes or constrains it is refused."""
    if m.form is not None:
        raise UsageError("this mechanism has closed forms of its own", hint="take the equations")
    if is_closed(m):
        raise ModelError(
            "closed forms are those of a tree, and this mechanism has loops or constraints",
            hint="use inverse_dynamics (closed loops), kane_form(m) (constraints), or m.lock(...)",
            command="write --form kane (constraints), --mimic free or --lock JOINT (followers)",
        )
    if any(b.joint.kind == "fixed" for b in m.bodies):
        m = merge_fixed(m)
    if expand:
        m = expanded(m)
    for body in m.bodies:
        kind = body.joint.own.kind if isinstance(body.joint, Follower) else body.joint.kind
        if kind not in SERVED:
            name = shown(joint_name(body))
            hint = "{} takes it apart into slides and turns"
            if kind == "spherical":
                hint = "{} takes it apart into three turns"
            raise ModelError(
                f"joint {name!r} is {kind}: it has no closed form itself",
                hint=hint.format("expand=True"),
                command=hint.format("--expand"),
            )
    refuse_coordinates(m)
    springs = ("springs are not in these equations",) if m.springs or m.elastic else ()
    told = m.simplified
    m = m.full
    if m.followers:
        from .folded import folded

        eq: Equations = folded(m, full, springs, limit)
    else:
        eq = Equations(m, Ring(TreeSymbols(rechosen(m), full)), remarks=springs, limit=limit)
    if told is None:
        return eq
    from .model import simplified

    return simplified(eq, told)
