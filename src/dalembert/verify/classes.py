"""The tables of reference keys by mechanism class; `class_of` says which one holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DescriptionError
from ..mechanism import Mechanism, is_rolling
from .checks import PLAIN, TREE, Array, Case, Check, Entry, Results, array_of, output, plain
from .kane import PLANE, VEHICLES, is_planar
from .loops import LOOPS, PARALLEL, loop_class
from .motion import CONTROLLED, is_controlled

# -- elastic joints ------------------------------------------------------------------------------


def _split(case: Case) -> tuple[list[int], list[int]]:
    """Return the velocity indices of elastic joints and of rigid ones."""
    soft = sorted(case.m.velocity_index[s.joint] for s in case.m.elastic)
    return soft, [k for k in range(case.m.nv) if k not in soft]


def _elastic_state(key: str) -> Callable[[Case], Sequence[Array]]:
    """Return inputs whose entries of elastic joints, null in the file, are zero."""

    def inputs(case: Case) -> Sequence[Array]:
        x = case.rows(key)
        x[:, _split(case)[0]] = 0
        return case.rows("q", case.m.nq), case.rows("qd"), x

    return inputs


def _elastic(k: int) -> Check:
    """Return the check of an output of elastic_inverse, nan where the other one speaks."""

    def value(case: Case, out: Results) -> Array:
        full = np.full((len(case.states), case.m.nv), np.nan)
        full[:, _split(case)[k]] = out[k]
        return full

    return Check("elastic_inverse", _elastic_state("qdd_rigid_given"), value, _with_rotors)


def _with_rotors(case: Case) -> dict[str, Any]:
    """Return the options of elastic files: their numbers count the rotor inertias Ia."""
    return {"drives": "inertia"}


def _all_q(case: Case) -> Array:
    return case.rows("q", case.m.nq)


_ELASTIC_DIRECT = Check(
    "forward_dynamics", _elastic_state("direct_input_Gamma_rigid"), options=_with_rotors
)
ELASTIC: dict[str, Entry] = TREE | {
    "expected_inverse.qdd_elastic": Entry((_elastic(0),), accelerates=_all_q),
    "expected_inverse.Gamma_rigid": Entry((_elastic(1),)),
    "expected_direct.qdd": Entry((_ELASTIC_DIRECT,), accelerates=_all_q),
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


def _classical(case: Case, out: Results) -> Array:
    """Return the classical base acceleration from the rates qdd of the base twist."""
    twist = case.rows("base_twist", 6)
    a = out[0][:, :6].copy()
    a[:, :3] += np.cross(twist[:, 3:], twist[:, :3])
    return a


def _less_gravity(case: Case, out: Results) -> Array:
    g = np.array([float(x) for x in case.m.bound().gravity])
    a = out[0].copy()
    a[:, :3] -= np.einsum("sij,i->sj", _poses(case)[:, :3, :3], g)
    return a


def _base_q(case: Case) -> Array:
    return _base_state(case)[0]


def _moving_base(
    value: Callable[[Case, Results], Array], convention: str = "classical", force: bool = False
) -> Entry:
    def inputs(case: Case) -> Sequence[Array]:
        return *_base_state(case), case.rows("qdd", case.m.nv - 6)

    def options(case: Case) -> dict[str, Any]:
        return {"convention": convention, **PLAIN}

    check = Check("moving_base_inverse", inputs, value, options)
    return Entry((check,), accelerates=None if force else _base_q)


def _block(rows: slice, columns: slice) -> Entry:
    def value(case: Case, out: Results) -> Array:
        return out[0][:, rows, columns]

    return Entry((Check("mass_matrix", lambda c: (_base_q(c),), value, plain),))


def _falling(value: Callable[[Case, Results], Array]) -> Entry:
    def inputs(case: Case) -> Sequence[Array]:
        tau = case.rows("direct_input_torques", case.m.nv - 6)
        return *_base_state(case), np.hstack([np.zeros((len(tau), 6)), tau])

    return Entry((Check("forward_dynamics", inputs, value, plain),), accelerates=_base_q)


BASE, ARM = slice(0, 6), slice(6, None)
FLOATING: dict[str, Entry] = {
    "expected_inverse.base_acceleration_classical": _moving_base(output(0)),
    "expected_inverse.base_acceleration_spatial_body": _moving_base(output(0), "spatial"),
    "expected_inverse.khalil_V0dot_minus_g": _moving_base(_less_gravity),
    "expected_inverse.joint_torques": _moving_base(output(1), force=True),
    "expected_inverse.A11_composite_inertia": _block(BASE, BASE),
    "expected_inverse.A12": _block(BASE, ARM),
    "expected_inverse.A22": _block(ARM, ARM),
    "expected_direct.base_acceleration_classical": _falling(_classical),
    "expected_direct.qdd": _falling(lambda c, out: out[0][:, ARM]),
}


# -- which table ---------------------------------------------------------------------------------

TABLES: dict[str, Mapping[str, Entry]] = {
    "tree": TREE,
    "elastic": ELASTIC,
    "floating": FLOATING,
    "loops": LOOPS,
    "parallel": PARALLEL,
    "constrained": VEHICLES,
    "planar": PLANE,
    "controlled": CONTROLLED,
}


def class_of(data: Mapping[str, Any], m: Mechanism) -> str:
    """Return the mechanism class of a reference file."""
    if is_controlled(data):
        return "controlled"
    if is_rolling(m):
        return "constrained"
    if m.loops or m.couplings:
        return loop_class(data)
    if m.bodies and m.bodies[0].joint.kind in ("free", "planar"):
        return "floating"
    if m.elastic:
        return "elastic"
    return "planar" if is_planar(m) else "tree"
