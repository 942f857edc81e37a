"""Equality constraints of MJCF: loops (connect, weld) and couplings (joint), taken as exact.

The joints that actuators move are the active ones of a model with loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..algebra import Rotation, Transform
from ..errors import shown
from ..expr.exact import exact
from ..mechanism import Coupling, Loop, joint_name
from .mjcf_tendons import tendon_coupling

if TYPE_CHECKING:
    from .mjcf import _Model as Model

CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
SITE_OBJECT = 6  # mjtObj
ON_JOINT = (0, 1)  # mjtTrn: joint, and joint in the parent's axes


def active(made: Model, loops: Sequence[Loop]) -> tuple[str, ...]:
    """Return the joints of one freedom that an actuator moves, in its order, if there are loops."""
    model, names = made.model, []
    for a in range(model.nu if loops else 0):
        if int(model.actuator_trntype[a]) in ON_JOINT:
            body = made.bodies[made.joint[int(model.actuator_trnid[a][0])]]
            names += [joint_name(body)] if body.joint.nv == 1 else []
    return tuple(dict.fromkeys(names))


def note(loops: Sequence[Loop], names: Sequence[str]) -> list[str]:
    """Return what is said of the active joints where there are loops."""
    if not loops:
        return []
    found = ", ".join(shown(name, 40) for name in names) or "none: no joint has an actuator"
    return [f"active joints, those with an actuator: {found}"]


def equalities(made: Model) -> tuple[tuple[Loop, ...], tuple[Coupling, ...]]:
    """Return the constraints that hold from the start, taken as exact."""
    model, loops, couplings = made.model, [], []
    for e in range(model.neq):
        kind, name = int(model.eq_type[e]), model.equality(e).name
        if not model.eq_active0[e]:
            made.left.append(f"inactive equality {shown(name or str(e), 40)}")
        elif kind in (CONNECT, WELD):
            loop = _loop(made, e, kind, name)
            loops += [loop] if loop else []
        elif kind == JOINT:
            coupling = _coupling(made, e)
            couplings += [coupling] if coupling else []
        elif kind == TENDON:
            coupling = tendon_coupling(made, e)
            couplings += [coupling] if coupling else []
        else:
            made.left.append(f"equality {shown(name or str(e), 40)} of tendons or flexes")
    return tuple(loops), tuple(couplings)


def _loop(made: Model, e: int, kind: int, name: str) -> Loop | None:
    model, data = made.model, made.model.eq_data[e]
    ends = [int(model.eq_obj1id[e]), int(model.eq_obj2id[e])]
    if int(model.eq_objtype[e]) == SITE_OBJECT:
        places = [_site(made, s) for s in ends]
        turned = [T.R for _, T in places]
    else:
        points = (data[0:3], data[3:6]) if kind == CONNECT else (data[3:6], data[0:3])
        places, turned = [], [Rotation(), Rotation()]
        for body, point in zip(ends, points, strict=True):
            k, T = made.home.get(body, (-1, Transform()))
            places.append((k, Transform(Rotation(), T @ made.vector(point))))
        if kind == WELD:
            # orientation of body 2 in body 1
            turned[0] = made.rotation(data[6:10])
    (i, T), (j, S) = places
    if i == j:
        made.left.append(f"equality {shown(name or str(e), 40)} between parts of one body")
        return None
    if kind == CONNECT:
        return Loop(i, T.p, j, S.p, "spherical", name=name)
    if not float(data[10]):
        made.left.append(f"torquescale = 0 of {shown(name or str(e), 40)}: taken as spherical")
        return Loop(i, T.p, j, S.p, "spherical", name=name)
    return Loop(i, T.p, j, S.p, "fixed", rotation_i=turned[0], rotation_j=turned[1], name=name)


def _site(made: Model, s: int) -> tuple[int, Transform]:
    model = made.model
    k, T = made.home.get(int(model.site_bodyid[s]), (-1, Transform()))
    here = Transform(made.rotation(model.site_quat[s]), made.vector(model.site_pos[s]))
    return k, T @ here


def _coupling(made: Model, e: int) -> Coupling | None:
    """Return q1 - ref1 = c0 + c1 (q2 - ref2) as a coupling."""
    model = made.model
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    c = [exact(float(x)) for x in model.eq_data[e][:5]]
    label = shown(made.name("joint", one, f"joint {one}"), 40)
    if two < 0 or any(c[2:]):
        why = "constant" if two < 0 else "polynomial"
        made.left.append(f"equality of joint {label} ({why})")
        return None
    ref1, ref2 = (exact(float(model.qpos0[model.jnt_qposadr[i]])) for i in (one, two))
    return Coupling(made.joint[one], made.joint[two], c[1], exact(ref1 + c[0] - c[1] * ref2))
