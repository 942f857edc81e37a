"""The reference keys of Kane's method: vehicles, the Cartesian model, Kane's C."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..mechanism import Mechanism
from .checks import TREE, Array, Case, Check, Entry, Results, array_of, output

PLANAR = [0, 1, 5]  # vx, vy and the turning rate of a planar body


# -- trees: α = q̇ -------------------------------------------------------------------------------


def _none(case: Case) -> Array:
    return np.zeros((len(case.states), 0))


def _pose(case: Case) -> Sequence[Array]:
    return case.rows("q", case.m.nq), _none(case)


def _state(case: Case) -> Sequence[Array]:
    return case.rows("q", case.m.nq), case.rows("qd"), _none(case), _none(case)


def _last(case: Case, out: Results) -> Array:
    """Return the rows of the last body that a planar machine keeps."""
    return out[0][:, -6:][:, PLANAR]


def _times(key: str) -> Callable[[Case, Results], Array]:
    return lambda case, out: np.einsum("sij,sj->si", _last(case, out), case.rows(key))


def _rate_of_velocity(case: Case, out: Results) -> Array:
    # out is J̇; J is needed beside it
    from .checks import run

    J = _last(case, run(case, "kane_J", "kane", _pose(case)))
    Jd = _last(case, out)
    return np.einsum("sij,sj->si", J, case.rows("qdd")) + np.einsum(
        "sij,sj->si", Jd, case.rows("qd")
    )


def _q(case: Case) -> Sequence[Array]:
    return (case.rows("q", case.m.nq),)


def _q_qd(case: Case) -> Sequence[Array]:
    return case.rows("q", case.m.nq), case.rows("qd")


def _q_forces(case: Case) -> Sequence[Array]:
    tau = [array_of(s["expected"]["tau_without_gravity"], "tau") for s in case.states]
    return case.rows("q", case.m.nq), np.array(tau)


PLANE: dict[str, Entry] = TREE | {
    "C_matrix_seed003": Entry((Check("kane_C", _state),)),
    "J_n": Entry((Check("kane_J", _pose, _last),)),
    "Jdot_n": Entry((Check("kane_Jdot", _state, _last),)),
    "v_n": Entry((Check("kane_J", _pose, _times("qd")),)),
    "vdot_n": Entry((Check("kane_Jdot", _state, _rate_of_velocity),)),
    "M_x": Entry((Check("cartesian_mass", _q),)),
    "V_x": Entry((Check("cartesian_bias", _q_qd),)),
    "F_x_without_gravity": Entry((Check("cartesian_force", _q_forces),)),
}


# -- vehicles: q, delta, delta_dot, alpha, forces -------------------------------------------------


def _column(case: Case, key: str) -> Array:
    return np.array([[float(s[key])] for s in case.states])


def _vehicle(case: Case, steering: float | None = None) -> Sequence[Array]:
    """Return q, alpha, delta, delta_dot; `steering` puts another rate in place of delta_dot."""
    rate = _column(case, "delta_dot")
    rate = rate if steering is None else np.full_like(rate, steering)
    return case.rows("q", case.m.nq), _column(case, "alpha"), _column(case, "delta"), rate


def _traction(case: Case) -> Array:
    """Return the forces in the order of our wheels: the file lists the front wheel first."""
    given = np.array([array_of(s["forces"], "forces") for s in case.states])
    return given[:, [1, 0, *range(2, given.shape[1])]]


def _driven(case: Case) -> Sequence[Array]:
    tau = np.zeros((len(case.states), case.m.nv))
    return *_vehicle(case), tau, _traction(case)


def _idle(case: Case) -> Array:
    return np.zeros((len(case.states), len(case.m.wheels)))


def _first(case: Case, out: Results) -> Array:
    return out[0][:, 0]


def _per_force(case: Case, out: Results) -> Array:
    """Return g_u: the answer to a unit force at each wheel, in the order of the file."""
    from .checks import run

    idle, columns = _idle(case), []
    tau = np.zeros((len(case.states), case.m.nv))
    base = run(case, "alpha_dot", "kane", [*_vehicle(case), tau, idle])[0]
    for k in (1, 0, *range(2, idle.shape[1])):
        unit = idle.copy()
        unit[:, k] = 1.0e3
        moved = run(case, "alpha_dot", "kane", [*_vehicle(case), tau, unit])[0]
        columns.append((moved - base)[:, 0] / 1.0e3)
    return np.array(columns).T


def _per_steering(case: Case, out: Results) -> Array:
    from .checks import run

    still = run(case, "kane_g0", "kane", list(_vehicle(case, 0.0)))[0]
    return (out[0] - still)[:, 0]


def _posture(case: Case) -> Sequence[Array]:
    q, _, delta, _ = _vehicle(case)
    return q, delta


VEHICLES: dict[str, Entry] = {
    "qdot": Entry((Check("kane_motion", _driven, output(0)),)),
    "qddot": Entry((Check("kane_motion", _driven, output(1)),)),
    "alpha_dot": Entry((Check("alpha_dot", _driven, _first),)),
    "D": Entry((Check("kane_D", _posture, lambda case, out: out[0][:, 0, 0]),)),
    "g01": Entry((Check("kane_g0", lambda c: _vehicle(c, 0.0), _first),)),
    "g02": Entry((Check("kane_g0", lambda c: _vehicle(c, 1.0), _per_steering),)),
    "g_u": Entry((Check("alpha_dot", _driven, _per_force),)),
    "tau": Entry((Check("kane_tau", _driven, _first),)),
    "lateral_forces": Entry((Check("constraint_forces", _driven, output(0)),)),
}


def is_planar(m: Mechanism) -> bool:
    """Return whether every joint turns about z: the planar machines of seed 003."""
    return all(
        b.joint.kind == "revolute" and all(x == 0 for x in list(b.joint.axis)[:2])  # type: ignore[attr-defined]
        for b in m.bodies
    )
