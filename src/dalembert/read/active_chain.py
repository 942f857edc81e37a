"""Chains in the data form of Vukobratović and Potkonjak (1979): axes, vectors, principal inertias.

One row per member, in the keys of reference files:

- `e_in_previous_body`, `e_in_own_body`: the joint axis;
- `r_ii_unit_own_body` (joint to mass centre; the joint slides along it), or for joints with one
  freedom `r_ii_own_body`, the whole vector;
- `r_prev_from_A_i_to_T_im1_in_previous_body`: joint to the mass centre before;
- `mass`, `principal_inertia`;
- `joint`: "both" (figure 4, the default), "rotation", or "linear" (3), the latter with its fixed
  angle `phi`.

φ is zero where the projections of r_ii and -r_(i-1)i on the plane normal to e coincide (5)-(7).
Where one of them is parallel to e its place is taken by the first axis of its own member that is
not: the paper says nothing of that case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import DescriptionError, ModelError, shown
from ..mechanism import Mechanism, joint_name
from .context import Context
from .document import Document

BOTH, ROTATION, LINEAR = "both", "rotation", "linear"
NEAR = 1e-9  # a vector whose projection is below this part of its length is parallel to the axis

Row = Mapping[str, Any]


def read_active_chain(
    rows: Sequence[Row], name: str = "chain", gravity: Sequence[float] | None = None
) -> Mechanism:
    """Return the mechanism of a chain; a joint that turns and slides has a massless body."""
    from . import load

    bodies: list[dict[str, Any]] = []
    for k, row in enumerate(rows):
        bodies += _bodies(k, row, len(bodies) - 1)
    data: dict[str, Any] = {"name": name, "bodies": bodies}
    if gravity is not None:
        data["gravity"] = list(gravity)
    return load(data)


SHORT = {
    "e": "e_in_own_body",
    "e_before": "e_in_previous_body",
    "r": "r_ii_own_body",
    "r_unit": "r_ii_unit_own_body",
    "r_before": "r_prev_from_A_i_to_T_im1_in_previous_body",
    "inertia": "principal_inertia",
}
KEYS = (*SHORT.values(), "mass", "joint", "phi")


def read_members(document: Document, context: Context) -> Mechanism:
    """Return the chain of a file with the key `members`: rows in short keys or in the long ones."""
    data = document.data
    rows = data["members"]
    if not isinstance(rows, (list, tuple)) or not all(isinstance(x, Mapping) for x in rows):
        raise DescriptionError("members is not a list of tables", hint=EXAMPLE)
    unknown = [key for key in data if key not in ("members", "name", "gravity", "format")]
    if unknown:
        raise DescriptionError(
            f"unknown key {shown(str(unknown[0]))!r} beside members", hint="name, gravity, members"
        )
    made = []
    for k, row in enumerate(rows, 1):
        full = {SHORT.get(key, key): x for key, x in row.items()}
        for key in full:
            if key not in KEYS:
                hint = "keys: " + ", ".join((*SHORT, "mass", "joint", "phi"))
                raise DescriptionError(f"member {k}: unknown key {shown(str(key))!r}", hint=hint)
        for key in ("mass", "principal_inertia"):
            if key not in full:
                raise DescriptionError(f"member {k} has no {key!r}", hint=EXAMPLE)
        made.append(full)
    if not made:
        raise DescriptionError("there are no members", hint=EXAMPLE)
    gravity = [float(x) for x in data["gravity"]] if "gravity" in data else None
    return read_active_chain(made, str(data.get("name", context.name)), gravity)


EXAMPLE = (
    'members = [{ joint = "rotation", e_before = [0, 0, 1], e = [0, 0, 1], r = [0.3, 0, 0], '
    "r_before = [0, 0, 0], mass = 2, inertia = [0, 0.06, 0.06] }]"
)


def _bodies(k: int, row: Row, parent: int) -> list[dict[str, Any]]:
    import numpy as np

    kind = row.get("joint", BOTH)
    if kind not in (BOTH, ROTATION, LINEAR):
        raise DescriptionError(
            f"member {k + 1}: unknown joint {kind!r}", hint="both, rotation or linear"
        )
    arm = -_vector(k, row, "r_prev_from_A_i_to_T_im1_in_previous_body")
    e, own = _vector(k, row, "e_in_previous_body"), _vector(k, row, "e_in_own_body")
    e, own = e / np.linalg.norm(e), own / np.linalg.norm(own)
    r = _vector(k, row, "r_ii_unit_own_body" if kind == BOTH else "r_ii_own_body")
    T = np.eye(4)
    T[:3, :3] = triad(e, arm) @ triad(own, r).T
    if kind == LINEAR:
        T[:3, :3] = turned(e, float(row.get("phi", 0.0))) @ T[:3, :3]
    T[:3, 3] = arm
    mass = {"mass": float(row["mass"]), "inertia": [float(x) for x in row["principal_inertia"]]}
    turning = {"type": "revolute", "axis": own.tolist(), "placement": T.tolist()}
    if kind == BOTH:
        sliding = {"type": "prismatic", "axis": (r / np.linalg.norm(r)).tolist()}
        first = {"name": f"rot{k + 1}", "parent": parent, "joint": turning}
        return [first, {"name": f"S{k + 1}", "parent": parent + 1, "joint": sliding, **mass}]
    if kind == LINEAR:
        turning["type"] = "prismatic"
    # the body frame stands at the joint, the oracle's at the mass centre: the next arm counts
    moved = {"name": f"S{k + 1}", "parent": parent, "joint": turning}
    centre = np.eye(4)
    centre[:3, 3] = r
    fixed = {"type": "fixed", "placement": centre.tolist()}
    return [moved, {"name": f"T{k + 1}", "parent": parent + 1, "joint": fixed, **mass}]


def rows_of(m: Mechanism) -> tuple[list[dict[str, Any]], list[float]]:
    """Return the rows of a chain of rotational and linear joints, and φ_i - q_i of each.

    Members get principal axes at their mass centres; their frames are those of the paper then, so
    that angles differ by a constant (zero for linear joints, which keep it as `phi`).
    """
    import numpy as np

    bound = m.bound()
    rows: list[dict[str, Any]] = []
    offsets: list[float] = []
    turn_before, centre_before = np.eye(3), np.zeros(3)  # own axes and centre of the member before
    for k, body in enumerate(bound.bodies):
        if body.joint.kind not in ("revolute", "prismatic") or body.parent != k - 1:
            raise ModelError(
                f"joint {joint_name(body)!r}: a chain of rotational and linear joints is needed",
                hint="lock or split other joints first",
            )
        centre = np.array([float(x) for x in body.inertia.centre])
        tensor = np.array(body.inertia.about_centre.rows, dtype=float)
        inertia, E = np.linalg.eigh(tensor)
        E = E * np.sign(np.linalg.det(E))
        place = np.array(body.placement.R.matrix().rows, dtype=float)
        p = np.array([float(x) for x in body.placement.p])
        axis = np.array([float(x) for x in body.joint.axis])  # type: ignore[attr-defined]
        e, own = turn_before.T @ place @ axis, E.T @ axis
        arm, r = turn_before.T @ (p - centre_before), E.T @ centre
        zero = triad(e, arm) @ triad(own, r).T
        # from the paper's zero position to ours, about e
        gap = turn_before.T @ place @ E @ zero.T
        twist = np.array([gap[2, 1] - gap[1, 2], gap[0, 2] - gap[2, 0], gap[1, 0] - gap[0, 1]])
        phi = float(np.arctan2(e @ twist, np.trace(gap) - 1))
        linear = body.joint.kind == "prismatic"
        rows.append({
            "joint": LINEAR if linear else ROTATION,
            "e_in_previous_body": e.tolist(), "e_in_own_body": own.tolist(),
            "r_ii_own_body": r.tolist(),
            "r_prev_from_A_i_to_T_im1_in_previous_body": (-arm).tolist(),
            "mass": float(body.m), "principal_inertia": inertia.tolist(),
            **({"phi": phi} if linear else {}),
        })  # fmt: skip
        offsets.append(0.0 if linear else phi)
        turn_before, centre_before = E, centre
    return rows, offsets


def triad(e: Any, r: Any) -> Any:
    """Return the axes (projection of r on the plane normal to e, e × it, e) as columns (5)-(7)."""
    import numpy as np

    p = r - e * (e @ r)
    if np.linalg.norm(p) <= NEAR * max(float(np.linalg.norm(r)), 1e-300):
        # r is parallel to e: the first axis of the member that is not
        k = next(k for k in range(3) if abs(e[k]) < 0.9)
        p = np.eye(3)[k] - e * e[k]
    p = p / np.linalg.norm(p)
    return np.column_stack([p, np.cross(e, p), e])


def turned(e: Any, phi: float) -> Any:
    """Return the rotation by phi about a unit vector, Rodrigues' formula (8)."""
    import numpy as np

    S = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.cos(phi) * np.eye(3) + (1 - np.cos(phi)) * np.outer(e, e) + np.sin(phi) * S


def _vector(k: int, row: Row, key: str) -> Any:
    import numpy as np

    try:
        v = np.asarray(row[key], dtype=float)
    except KeyError:
        raise DescriptionError(f"member {k + 1} has no {key!r}") from None
    except (TypeError, ValueError):
        raise DescriptionError(f"member {k + 1}: {key} is not three numbers") from None
    if v.shape != (3,) or not np.isfinite(v).all():
        raise DescriptionError(f"member {k + 1}: {key} is not three numbers")
    if key.startswith("e_") and not v.any():
        raise DescriptionError(f"member {k + 1}: {key} is zero")
    return v
