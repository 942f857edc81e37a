"""Reference keys of closed loops and of parallel robots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..catalog import quantity
from ..compute import evaluate
from ..mechanism import joint_name
from ..plan import planned
from ..plan.assembly import Closure, close
from .checks import Array, Case, Check, Entry, Results, array_of, output, plain

# -- closed loops --------------------------------------------------------------------------------


def _full(case: Case, key: str) -> Array:
    """Return the active entries of every state in vectors of the whole tree."""
    motors = list(planned(case.m).motors)
    out = np.zeros((len(case.states), case.m.nv))
    out[:, motors] = case.rows(key, len(motors))
    return out


def _q(case: Case) -> Sequence[Array]:
    return (case.rows("q_tree", case.m.nq),)


def _q_qd(case: Case) -> Sequence[Array]:
    return *_q(case), _full(case, "qd_active")


def _motion(case: Case) -> Sequence[Array]:
    return *_q_qd(case), _full(case, "qdd_active")


@dataclass(frozen=True)
class ByMethods(Check):
    """A quantity whose methods are those of closed loops, or which shares their names.

    Rows are named after quantity and method.
    """

    def methods(self, case: Case) -> Iterator[tuple[str, Callable[[], Array]]]:
        """Yield each method with what it computes."""
        for method in quantity(self.quantity, case.m).methods:
            yield f"{self.quantity}.{method}", partial(self._by, case, method)


def _expected_forces(case: Case) -> Sequence[Array]:
    tau = np.array([array_of(s["expected"]["Gamma_active"], "tau") for s in case.states])
    return *_q_qd(case), tau


def _acceleration(case: Case) -> Array:
    return case.rows("q_tree", case.m.nq)


def _driven(case: Case) -> Sequence[Array]:
    tau = case.rows("direct_input_Gamma_active", len(planned(case.m).motors))
    return *_q_qd(case), tau


def _of_motors(case: Case, out: Results) -> Array:
    return out[0][:, list(planned(case.m).motors)]


LOOPS: dict[str, Entry] = {
    "qd_tree": Entry((Check("tree_motion", _motion, output(0)),)),
    "qdd_tree": Entry(
        (Check("tree_motion", _motion, output(1)), ByMethods("forward_dynamics", _expected_forces)),
        accelerates=_acceleration,
    ),
    "G": Entry((Check("active_map", _q),)),
    "Gamma_tree": Entry((Check("tree_torques", _motion, options=plain),)),
    "Gamma_active": Entry((Check("active_torques", _motion, options=plain),)),
    "A_c": Entry((Check("active_mass_matrix", _q, options=plain),)),
    "expected_direct.qdd_active": Entry(
        (ByMethods("forward_dynamics", _driven, _of_motors),), accelerates=_acceleration
    ),
    "H_c": Entry((Check("active_bias", _q_qd, options=plain),)),
}


# -- parallel robots -----------------------------------------------------------------------------


def _pose(case: Case) -> Sequence[Array]:
    poses = [array_of(s["platform_pose"], "platform_pose") for s in case.states]
    return (np.array(poses),)


def _platform(case: Case) -> Sequence[Array]:
    v, a = case.rows("platform_velocity_world", 6), case.rows("platform_acceleration_world", 6)
    return *_pose(case), v, a


def tree_state(case: Case) -> tuple[Array, Array, Array]:
    """Return (q, qd, qdd) of the whole tree: legs as stated, the platform's joints by closure."""
    m = case.m
    coordinates = list(case.data["platform_coordinates"])
    legs = [k for k in range(m.nv) if k not in coordinates]
    frame = m.bodies[-1].name
    q = np.zeros((len(case.states), m.nv))
    c = Closure(m)
    for row, state in zip(q, case.states, strict=True):
        row[legs] = array_of(state["leg_q"], "leg_q").ravel()
        T = array_of(state["platform_pose"], "platform_pose")
        row[coordinates] = [*T[:3, 3], *_angles(T)]
        row[:] = close(c, row, tuple(legs))[0]
    J = evaluate(m, "jacobian", q, frame=frame)[:, :, coordinates]
    _, v, a = _platform(case)
    qd, qdd = np.zeros_like(q), np.zeros_like(q)
    qd[:, legs] = [array_of(s["expected"]["leg_qd"], "leg_qd").ravel() for s in case.states]
    qdd[:, legs] = [array_of(s["expected"]["leg_qdd"], "leg_qdd").ravel() for s in case.states]
    qd[:, coordinates] = np.linalg.solve(J, v[..., None])[..., 0]
    rest = evaluate(m.tree, "acceleration", q, qd, np.zeros_like(q), frame=frame)
    qdd[:, coordinates] = np.linalg.solve(J, (a - rest)[..., None])[..., 0]
    return q, qd, qdd


def _angles(T: Array) -> list[float]:
    """Return angles about x, y, z in turn."""
    return [
        float(np.arctan2(-T[1, 2], T[2, 2])),
        float(np.arcsin(np.clip(T[0, 2], -1, 1))),
        float(np.arctan2(-T[0, 1], T[0, 0])),
    ]


def _leg_part(k: int) -> Callable[[Case, Results], Array]:
    def value(case: Case, out: Results) -> Array:
        return _legs(case, out[k])

    return value


def _legs(case: Case, x: Array) -> Array:
    names = [joint_name(b) for b in case.m.bodies]
    coordinates = set(case.data["platform_coordinates"])
    legs = [k for k in range(len(names)) if k not in coordinates]
    return x[:, legs].reshape(len(x), len(case.m.loops), -1)


def _as_loops(name: str, value: Callable[[Case, Results], Array], force: bool = True) -> Check:
    options: Callable[[Case], dict[str, Any]] = plain if force else (lambda case: {})
    return ByMethods(name, tree_state, value, options)


def _platform_map(case: Case, out: Results) -> Array:
    """Return J_p as the loops give it: the Jacobian of the platform times G."""
    q = tree_state(case)[0]
    J = evaluate(case.m, "jacobian", q, frame=case.m.bodies[-1].name)
    return J @ out[0]


PARALLEL: dict[str, Entry] = {
    "leg_qd": Entry(
        (Check("leg_states", _platform, output(1)), _as_loops("tree_motion", _leg_part(0), False))
    ),
    "leg_qdd": Entry(
        (Check("leg_states", _platform, output(2)), _as_loops("tree_motion", _leg_part(1), False))
    ),
    "leg_Gamma": Entry(
        (Check("leg_torques", _platform, options=plain), _as_loops("tree_torques", _leg_part(0)))
    ),
    "platform_wrench_world_at_origin": Entry((Check("platform_wrench", _platform),)),
    "J_p_world": Entry(
        (
            Check("platform_jacobian", _pose),
            Check("active_map", lambda case: tree_state(case)[:1], _platform_map),
        )
    ),
    "actuator_forces": Entry(
        (
            Check("actuator_forces", _platform, options=plain),
            _as_loops("active_torques", output(0)),
        )
    ),
}


def loop_class(data: Mapping[str, Any]) -> str:
    """Return which of the two tables holds."""
    return "parallel" if "platform_coordinates" in data else "loops"
