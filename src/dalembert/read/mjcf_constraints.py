"""Equality constraints of MJCF: loops (connect, weld) and couplings (joint, tendon), as exact ones.

The joints that actuators move are the active ones of a model with loops. A fixed tendon has the
length L = Σ coef_k q_k. An equality between tendons of one joint each, or of one tendon of two
joints, is a coupling. Stiffness, damping, friction and armature of a tendon of one joint are those
of that joint, seen through its coefficient. Other tendons are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..algebra import Rotation, Transform
from ..errors import shown
from ..expr.exact import exact
from ..mechanism import Coupling, Loop, joint_name

if TYPE_CHECKING:
    from .mjcf import _Model as Model

CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
SITE_OBJECT = 6  # mjtObj
ON_JOINT = (0, 1)  # mjtTrn: joint, and joint in the parent's axes
WRAPPED_JOINT = 1  # mjtWrap
ONE = (2, 3)  # slide and hinge of mjtJoint


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
    if model.neq and made.off("EQUALITY", "CONSTRAINT"):
        made.left.append(f"{int(model.neq)} equality constraints, switched off by <flag>")
        return (), ()
    for e in range(model.neq):
        kind, name = int(model.eq_type[e]), model.equality(e).name
        if not model.eq_active0[e]:
            made.left.append(f"inactive equality {shown(name or str(e), 40)}")
        elif kind in (CONNECT, WELD):
            loop = _loop(made, e, kind, name)
            loops += [loop] if loop else []
        elif kind in (JOINT, TENDON):
            coupling = (_coupling if kind == JOINT else _tendon_coupling)(made, e)
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


# -- fixed tendons --------------------------------------------------------------------------------


def _joints_of(made: Model, t: int) -> list[tuple[int, Any]] | None:
    """Return (joint, coefficient) of a fixed tendon; None for one that wraps around bodies."""
    model, found = made.model, []
    for k in range(int(model.tendon_adr[t]), int(model.tendon_adr[t] + model.tendon_num[t])):
        i = int(model.wrap_objid[k])
        if int(model.wrap_type[k]) != WRAPPED_JOINT or int(model.jnt_type[i]) not in ONE:
            return None
        found.append((i, exact(float(model.wrap_prm[k]))))
    return found


def _tendon_coupling(made: Model, e: int) -> Coupling | None:
    """Return an equality of tendons, L1 - L1(0) = c0 + c1 (L2 - L2(0)), as a coupling."""
    model = made.model
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    c = [exact(float(x)) for x in model.eq_data[e][:5]]
    first = _joints_of(made, one)
    second = _joints_of(made, two) if two >= 0 else []
    sides = None if first is None or second is None or any(c[2:]) else _sides(first, second, c[1])
    if sides is None:
        name = shown(made.name("tendon", one, f"tendon {one}"), 40)
        made.left.append(f"equality of tendon {name}")
        return None
    (i, a), (j, b) = sides
    # a (qi - qi0) + b (qj - qj0) = c0
    qi, qj = (exact(float(model.qpos0[model.jnt_qposadr[k]])) for k in (i, j))
    ratio = -b / a
    return Coupling(made.joint[i], made.joint[j], exact(ratio), exact(qi + c[0] / a - ratio * qj))


def _sides(first: list[tuple[int, Any]], second: list[tuple[int, Any]], c: Any) -> Any:
    """Return two joints and their coefficients on one side of the equation, None otherwise."""
    if len(first) == 1 and len(second) == 1:
        (i, a), (j, b) = first[0], second[0]
        terms = [(i, a), (j, -c * b)]
    elif len(first) == 2 and not second:
        terms = first
    else:
        return None
    (i, a), (j, b) = terms
    return terms if i != j and a and b else None


def tendon_actions(made: Model) -> dict[int, dict[str, Any]]:
    """Return what tendons of one joint add to it: armature, damping, friction, stiffness, rest."""
    model = made.model
    found: dict[int, dict[str, Any]] = {}
    for t in range(int(model.ntendon)):
        own = {
            word: exact(float(column[t]))
            for word in ("armature", "damping", "frictionloss", "stiffness")
            if (column := getattr(model, f"tendon_{word}", None)) is not None
        }
        name = shown(made.name("tendon", t, f"tendon {t}"), 40)
        if model.tendon_limited[t]:
            made.left.append(f"limit of tendon {name}")
        joints = _joints_of(made, t)
        if joints is None:
            made.left.append(f"tendon {name}, which is not fixed")
            continue
        made.left += _curved(made, t, name)
        if not any(own.values()):
            continue
        low, high = (float(x) for x in model.tendon_lengthspring[t])
        slack = bool(own.get("stiffness")) and low != high
        if len(joints) != 1 or joints[0][0] in found or slack:
            made.left.append(f"forces of tendon {name}")
            continue
        i, a = joints[0]
        added = {word: a * a * x for word, x in own.items()}
        added["frictionloss"] = abs(a) * own.get("frictionloss", 0)
        found[i] = added | {"rest": exact(low) / a}
    return found


def _curved(made: Model, t: int, name: str) -> list[str]:
    """Return what a tendon has beside linear forces."""
    model = made.model
    columns = [getattr(model, f"tendon_{n}", None) for n in ("stiffnesspoly", "dampingpoly")]
    found = []
    if any(c is not None and c[t].any() for c in columns):
        found.append(f"nonlinear stiffness or damping of tendon {name}")
    if (limit := getattr(model, "tendon_springyield", None)) is not None and float(limit[t]):
        found.append(f"yield of the spring of tendon {name}")
    return found
