"""The tables of reference keys by mechanism class; `class_of` says which one holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .errors import DescriptionError
from .mechanism import Mechanism, joint_name
from .verify_checks import PLAIN, TREE, Array, Case, Check, Entry, Results, array_of, output, plain

# -- elastic joints ------------------------------------------------------------------------------


def _spring_forces(case: Case) -> Array:
    """Return -stiffness (q - rest) - damping qd of the elastic joints, nan elsewhere."""
    m = case.m.bound()
    q, qd = case.rows("q", m.nq), case.rows("qd")
    out = np.full(qd.shape, np.nan)
    for s in m.elastic:
        k = m.velocity_index[s.joint]
        out[:, k] = -s.stiffness * (q[:, k] - s.rest) - s.damping * qd[:, k]
    return out


def _with_springs(case: Case, key: str) -> Array:
    springs = _spring_forces(case)
    return np.where(np.isnan(springs), case.rows(key), springs)


def _hybrid_elastic(case: Case) -> Sequence[Array]:
    return case.rows("q", case.m.nq), case.rows("qd"), _with_springs(case, "qdd_rigid_given")


def _rigid(case: Case) -> dict[str, Any]:
    soft = {s.joint for s in case.m.elastic}
    names = [joint_name(b) for j, b in enumerate(case.m.bodies) if b.joint.nv and j not in soft]
    return {"given": tuple(names), **PLAIN}


def _direct_elastic(case: Case) -> Sequence[Array]:
    tau = _with_springs(case, "direct_input_Gamma_rigid")
    return case.rows("q", case.m.nq), case.rows("qd"), tau


def _elastic(k: int) -> Check:
    return Check("hybrid_dynamics", _hybrid_elastic, output(k), _rigid)


def _all_q(case: Case) -> Array:
    return case.rows("q", case.m.nq)


ELASTIC: dict[str, Entry] = TREE | {
    "expected_inverse.qdd_elastic": Entry((_elastic(0),), accelerates=_all_q),
    "expected_inverse.Gamma_rigid": Entry((_elastic(1),)),
    "expected_direct.qdd": Entry(
        (Check("forward_dynamics", _direct_elastic, options=plain),), accelerates=_all_q
    ),
}


# -- moving base ---------------------------------------------------------------------------------


def quaternion(R: Array) -> Array:
    """Return (x, y, z, w) of a rotation matrix, by the largest of the four."""
    # rows of 4 q q': the one with the largest diagonal entry is the quaternion, scaled
    t = np.trace(R)
    K = np.empty((4, 4))
    for i in range(3):
        for j in range(3):
            K[i, j] = R[i, j] + R[j, i] if i != j else 1 + 2 * R[i, i] - t
    K[3, :3] = K[:3, 3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K[3, 3] = 1 + t
    row = K[np.argmax(np.diag(K))]
    return row / np.linalg.norm(row)


def _poses(case: Case) -> Array:
    out = [array_of(s["base_pose"], f"state {k}, base_pose") for k, s in enumerate(case.states)]
    if any(T.shape != (4, 4) for T in out):
        raise DescriptionError("base_pose: 4 rows of 4 numbers are needed")
    return np.array(out)


def _base_state(case: Case) -> tuple[Array, Array]:
    n = case.m.nv - 6
    bases = [[*T[:3, 3], *quaternion(T[:3, :3])] for T in _poses(case)]
    q = np.hstack([np.array(bases), case.rows("q", n)])
    return q, np.hstack([case.rows("base_twist", 6), case.rows("qd", n)])


def _free_base(key: str) -> Callable[[Case], Sequence[Array]]:
    """Return the inputs of a model whose base feels no wrench."""

    def inputs(case: Case) -> Sequence[Array]:
        x = case.rows(key, case.m.nv - 6)
        return *_base_state(case), np.hstack([np.zeros((len(x), 6)), x])

    return inputs


def _classical(case: Case, out: Results) -> Array:
    twist = case.rows("base_twist", 6)
    a = out[0][:, :6].copy()
    a[:, :3] += np.cross(twist[:, 3:], twist[:, :3])
    return a


def _less_gravity(case: Case, out: Results) -> Array:
    g = np.array([float(x) for x in case.m.bound().gravity])
    a = _classical(case, out)
    a[:, :3] -= np.einsum("sij,i->sj", _poses(case)[:, :3, :3], g)
    return a


def _joints(case: Case) -> dict[str, Any]:
    return {"given": case.m.joint_names[1:], **PLAIN}


def _base_q(case: Case) -> Array:
    return _base_state(case)[0]


def _floating(value: Callable[[Case, Results], Array], force: bool = False) -> Entry:
    check = Check("hybrid_dynamics", _free_base("qdd"), value, _joints)
    return Entry((check,), accelerates=None if force else _base_q)


def _block(rows: slice, columns: slice) -> Entry:
    def value(case: Case, out: Results) -> Array:
        return out[0][:, rows, columns]

    return Entry((Check("mass_matrix", lambda c: (_base_q(c),), value, plain),))


def _falling(value: Callable[[Case, Results], Array]) -> Entry:
    inputs = _free_base("direct_input_torques")
    return Entry((Check("forward_dynamics", inputs, value, plain),), accelerates=_base_q)


BASE, ARM = slice(0, 6), slice(6, None)
FLOATING: dict[str, Entry] = {
    "expected_inverse.base_acceleration_classical": _floating(_classical),
    "expected_inverse.base_acceleration_spatial_body": _floating(lambda c, out: out[0][:, BASE]),
    "expected_inverse.khalil_V0dot_minus_g": _floating(_less_gravity),
    "expected_inverse.joint_torques": _floating(lambda c, out: out[1][:, ARM], True),
    "expected_inverse.A11_composite_inertia": _block(BASE, BASE),
    "expected_inverse.A12": _block(BASE, ARM),
    "expected_inverse.A22": _block(ARM, ARM),
    "expected_direct.base_acceleration_classical": _falling(_classical),
    "expected_direct.qdd": _falling(lambda c, out: out[0][:, ARM]),
}


# -- which table ---------------------------------------------------------------------------------

TABLES: dict[str, Mapping[str, Entry]] = {"tree": TREE, "elastic": ELASTIC, "floating": FLOATING}


def class_of(data: Mapping[str, Any], m: Mechanism) -> str:
    """Return the mechanism class of a reference file."""
    if m.wheels or m.velocity_constraints:
        return "constrained"
    if m.loops or m.couplings:
        return "loops"
    if m.bodies and m.bodies[0].joint.kind in ("free", "planar"):
        return "floating"
    return "elastic" if m.elastic else "tree"
