"""Fixed tendons of MJCF that can be said of joints: equalities, springs, damping and friction.

A fixed tendon has the length L = Σ coef_k q_k. An equality between tendons of one joint each, or of
one tendon of two joints, is a coupling. Stiffness, damping, friction and armature of a tendon of
one joint are those of that joint, seen through its coefficient. Other tendons are not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..expr.exact import exact
from ..mechanism import Coupling

if TYPE_CHECKING:
    from .mjcf import _Model as Model

ON_JOINT = 1  # mjtWrap
ONE = (2, 3)  # slide and hinge of mjtJoint


def joints_of(made: Model, t: int) -> list[tuple[int, Any]] | None:
    """Return (joint, coefficient) of a fixed tendon; None for one that wraps around bodies."""
    model, found = made.model, []
    for k in range(int(model.tendon_adr[t]), int(model.tendon_adr[t] + model.tendon_num[t])):
        i = int(model.wrap_objid[k])
        if int(model.wrap_type[k]) != ON_JOINT or int(model.jnt_type[i]) not in ONE:
            return None
        found.append((i, exact(float(model.wrap_prm[k]))))
    return found


def tendon_coupling(made: Model, e: int) -> Coupling | None:
    """Return an equality of tendons, L1 - L1(0) = c0 + c1 (L2 - L2(0)), as a coupling."""
    model = made.model
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    c = [exact(float(x)) for x in model.eq_data[e][:5]]
    first = joints_of(made, one)
    second = joints_of(made, two) if two >= 0 else []
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
        joints = joints_of(made, t)
        if joints is None:
            made.left.append(f"tendon {name}, which is not fixed")
            continue
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
