"""All formalisms compared with each other, in units of the largest term they sum.

The law: results of force type agree when they differ by at most 1e-12 of the largest term that the
recursions sum for quantities of that unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .algebra import Mat3, Vec3
from .algorithms.elastic import elastic_indices
from .algorithms.moving_base import base_size, has_moving_base
from .algorithms.velocity_constraints import is_constrained
from .catalog import input_shape, quantity, refused
from .compute import arrays_of, compile, evaluate, trace_quantity
from .errors import DalembertError, ModelError
from .joint import Vector
from .mechanism import Mechanism, is_closed
from .plan import general_pose, planned
from .plan.assembly import close
from .plan.kane import with_speeds
from .reference import in_floats
from .second_opinion import certified, laws, random_states

LIMIT = 1e-12
COMPARED = {
    "tau": "inverse_dynamics",
    "M": "mass_matrix",
    "gravity": "gravity",
    "coriolis": "coriolis",
}
OPINIONS = 40  # states at which the laws are looked at
KERNEL = "kernel"  # the default method traced, reframed, regrouped and compiled
Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Agreement:
    """The worst scaled differences of one quantity between every two formalisms."""

    quantity: str
    formalisms: tuple[str, ...]
    worst: Array  # symmetric; nan where a formalism gave no finite number
    absent: Mapping[str, str]  # formalisms that do not hold for the mechanism, and why
    limit: float = LIMIT

    @property
    def ok(self) -> bool:
        """Whether every difference keeps the agreement law."""
        return bool(np.all(self.worst <= self.limit))

    def data(self) -> dict[str, Any]:
        """Return it as JSON holds it; what is not finite is null."""
        rows = [[float(x) if np.isfinite(x) else None for x in row] for row in self.worst]
        return {
            "quantity": self.quantity,
            "formalisms": list(self.formalisms),
            "worst": rows,
            "limit": self.limit,
            "ok": self.ok,
            "absent": dict(self.absent),
        }


def agree(
    m: Mechanism, states: int = 100, seed: int = 0, forms: Sequence[str] = ("float", KERNEL)
) -> list[Agreement]:
    """Return how well all formalisms agree on tau, M, gravity and coriolis at random states.

    Under velocity constraints Kane's method and multipliers are compared too, on alpha_dot; on a
    moving base or with elastic joints recursion and partition, on what these models find.

    Beside the formalisms stand laws that use none: J q̇ = 0 on all constraints, the power of the
    motors as the rate of energy, virtual work at rest, the symmetry of M.

    Parameters without a value are drawn too. `forms`: "float", every formalism as it stands;
    "graph", every formalism traced and evaluated; "kernels", every formalism compiled; "kernel",
    the default one.
    """
    m = with_drawn_values(m, seed)
    q, qd, qdd = (closed_states if is_closed(m) else random_states)(m, states, seed)
    still, zero = m.weightless, np.zeros_like(qd)
    motors = refused("inverse_dynamics", m) is None
    ahead = _steering(m, "inverse_dynamics") if motors else []
    inputs = {"tau": (q, qd, qdd, *ahead), "M": (q,), "gravity": (q,), "coriolis": (q, qd)}
    scales = {
        "tau": lambda: _on_motors(
            m, q, np.maximum(force_scale(m, q, qd, qdd), spring_scale(m, q, qd))
        ),
        "M": lambda: mass_scale(still, q),
        "gravity": lambda: force_scale(m, q, zero, zero),
        "coriolis": lambda: force_scale(still, q, qd, zero),
    }
    # M, gravity and coriolis are compared on the tree, whose they are
    found = [
        _compare(m if name == "tau" else m.tree, name, inputs[name], scales[name](), forms)
        for name in COMPARED
        if motors or name != "tau"
    ]
    # Kane's rows of loops are written on rates that are those of coordinates
    plain = not m.loops or all(b.joint.nq == b.joint.nv for b in m.bodies)
    if is_constrained(m) and plain:
        found += _reduced(m, q, seed, forms)
    elif not is_closed(m):
        found += _unmotorised(m, q, qd, qdd, forms)
    return [*found, *_opinions(m, states, seed)]


def _opinions(m: Mechanism, states: int, seed: int) -> Iterator[Agreement]:
    """Yield how the models keep laws that use no formalism, on every assembly mode."""
    for law in laws(m, min(states, OPINIONS), seed):
        worst = np.array([[0.0, law.worst], [law.worst, 0.0]])
        yield Agreement(law.name, law.sides, worst, {}, law.limit)


def _unmotorised(
    m: Mechanism, q: Array, qd: Array, qdd: Array, forms: Sequence[str]
) -> Iterator[Agreement]:
    """Yield how recursion and partition agree where a base or an elastic joint has no motor.

    Found are the accelerations of what has no motor, and the forces of the motors.
    """
    soft, k = elastic_indices(m)[0], base_size(m) if has_moving_base(m) else 0
    seek = {"elastic_inverse": soft} if soft else {}
    if k:
        seek |= {"moving_base_inverse": list(range(k)), "moving_base_direct": list(range(m.nv))}
    if k and soft:
        seek["elastic_base_inverse"] = [*range(k), *soft]
    M = in_floats(m, "mass_matrix", None, [q])[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        d = 1 / np.sqrt(np.einsum("sii->si", M))
        unit = M * d[:, :, None] * d[:, None, :]
    if not np.isfinite(unit).all():
        return  # a joint that moves nothing: what was sought does not exist
    for name, sought in seek.items():
        given = (q, qd, qdd if name == "elastic_inverse" else qdd[:, k:])
        known = [n for n in range(m.nv) if n not in sought]
        condition = np.linalg.cond(unit[:, sought][:, :, sought])
        if condition.max() > 1e15:
            continue  # what was sought does not exist
        worth = np.maximum(1.0, 1e3 * m.nv * np.finfo(float).eps * condition / LIMIT)
        whole = qdd.copy()
        try:
            whole[:, sought] = _as_it_stands(m, name, None, given)[:, : len(sought)]
        except DalembertError:
            continue
        forces = np.maximum(force_scale(m, q, qd, whole), spring_scale(m, q, qd))
        forces = np.maximum(forces, np.abs(qdd))
        # solved with unit diagonal, the largest force counts for every acceleration
        speed = d[:, sought] * (d * forces)[:, sought].max(axis=1, keepdims=True) * worth[:, None]
        carried = np.einsum("sij,sj->si", np.abs(M[:, known][:, :, sought]), speed)
        yield _compare(m, name, given, np.hstack([speed, forces[:, known] + carried]), forms)


def _reduced(m: Mechanism, q: Array, seed: int, forms: Sequence[str]) -> Iterator[Agreement]:
    """Yield how Kane's reduction and multipliers agree on the motion under constraints.

    Accelerations agree to 1e3 n eps times the condition of what is solved for them.
    """
    m = with_speeds(m)
    rng, count = np.random.default_rng([seed, 3]), len(q)
    inputs = [q]
    for name in quantity("alpha_dot").inputs[1:]:
        reach = 0.5 if name == "steer" else 1.0
        inputs.append(rng.uniform(-reach, reach, (count, *input_shape(name, m))))
    D, J = (in_floats(m, name, None, [q, inputs[2]])[0] for name in ("kane_D", "kane_J_nh"))
    d = 1 / np.sqrt(np.einsum("sii->si", D))
    condition = np.linalg.cond(D * d[:, :, None] * d[:, None, :]) * np.linalg.cond(J) ** 2
    worth = np.maximum(1.0, 1e3 * m.nv * np.finfo(float).eps * condition / LIMIT)
    # the largest force that is summed, as it comes through to the speeds
    qd, qdd = in_floats(m, "kane_motion", "kane", inputs)
    forces = force_scale(m, q, qd, qdd) + sum(np.abs(x).max(initial=0.0) for x in inputs[4:])
    through = np.abs(np.linalg.inv(D)) @ np.abs(J).transpose(0, 2, 1)
    scale = np.einsum("sij,sj->si", through, forces) * worth[:, None]
    yield _compare(m, "alpha_dot", inputs, scale, forms)


def _compare(
    m: Mechanism, name: str, inputs: Sequence[Array], scale: Array, forms: Sequence[str]
) -> Agreement:
    row = quantity(COMPARED.get(name, name), m)
    found: dict[str, Array] = {}
    absent: dict[str, str] = {}
    for form in forms:
        label = "{}" if form == "float" else f"{{}} ({form.removesuffix('s')})"
        for method in row.methods if form != KERNEL else ():
            try:
                found[label.format(method)] = _RUN[form](m, row.name, method, inputs)
            except ModelError as error:
                absent[method] = error.message
        if form == KERNEL:
            found[KERNEL] = _compiled(m, row.name, None, inputs)
    results = list(found.values())
    worst = np.array([[scaled(x, y, scale) for y in results] for x in results])
    return Agreement(name, tuple(found), worst, absent)


def _as_it_stands(m: Mechanism, name: str, method: str | None, inputs: Sequence[Array]) -> Array:
    return _beside(in_floats(m, name, method, inputs))


def _beside(outputs: Sequence[Array]) -> Array:
    """Return the outputs of a quantity as one array; vectors follow each other."""
    return outputs[0] if len(outputs) == 1 else np.concatenate(outputs, axis=-1)


def _traced(m: Mechanism, name: str, method: str | None, inputs: Sequence[Array]) -> Array:
    function = trace_quantity(m, name, method)
    flat = function(*(list(x.reshape(len(x), -1).T) for x in inputs))
    count, ports = len(inputs[0]), function.outputs
    columns = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in flat]
    whole = np.stack(columns, axis=-1)
    return whole.reshape(count, *ports[0].shape) if len(ports) == 1 else whole


def _compiled(m: Mechanism, name: str, method: str | None, inputs: Sequence[Array]) -> Array:
    found = evaluate(m, name, *inputs, method=method, check=False)
    return _beside(arrays_of(found))


_RUN = {"float": _as_it_stands, "graph": _traced, "kernels": _compiled}


def scaled(x: Array, y: Array, scale: Array) -> float:
    """Return the largest difference in units of the scale; a zero scale demands equality.

    A scale that is not finite judges no difference: nan, which agrees with nothing.
    """
    difference, scale = np.abs(x - y), np.where(np.isfinite(scale), scale, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(difference == 0, 0.0, difference / scale)
    return float(np.max(ratio, initial=0.0))


# -- states --------------------------------------------------------------------------------------


def with_drawn_values(m: Mechanism, seed: int = 0) -> Mechanism:
    """Return the mechanism with a value, from 0.5 to 1.5, for each parameter that has none."""
    names = m.open_parameters
    if not names:
        return m
    drawn = np.random.default_rng([seed, 1]).uniform(0.5, 1.5, len(names))
    return m.with_values(**dict(zip(names, map(float, drawn), strict=True)))


def closed_states(m: Mechanism, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return (q, qd, qdd) in which the loops are closed, around a general pose.

    Formalisms are compared with the plan of the generic branch: poses that fell on another one, or
    near a singular pose, are drawn again nearer by.
    """
    rng = np.random.default_rng([seed, 2])
    c, start = general_pose(m)
    kernel, still = compile(m, "tree_motion"), _steering(m, "tree_motion")
    states: list[tuple[Array, ...]] = []
    for far in (0.2, 0.1, 0.02, 0.0):
        steps = rng.uniform(-far, far, (count, m.nv))
        many = c.moved(np.repeat(start[None], count, axis=0), steps)
        q = np.array([p for p, worst in (close(c, x) for x in many) if worst < 1e-12] or [start])
        motion = rng.normal(size=(2, len(q), m.nv))
        outputs = kernel(q, *motion, *still)
        good = certified(outputs)
        states.append((q[good], *(x[good] for x in outputs[:2])))
        if sum(len(x[0]) for x in states) >= count // 2:
            break
    found = [np.concatenate(x)[:count] for x in zip(*states, strict=True)]
    if not len(found[0]):
        evaluate(m, "tree_motion", start, *np.zeros((2, m.nv)), *still)  # says why
    return found[0], found[1], found[2]


def _steering(m: Mechanism, name: str) -> list[Array]:
    """Return what a quantity asks of steering that is not a joint: straight ahead, at rest."""
    asked = [n for n in quantity(name, m).inputs if n in ("steer", "steer_rate")]
    return [np.zeros(input_shape(n, m)) for n in asked]


def _on_motors(m: Mechanism, q: Array, scale: Array) -> Array:
    """Return the scale of the motor forces of a closed mechanism: that of the tree through |G|."""
    if not is_closed(m):
        return scale
    G = np.abs(evaluate(m, "active_map", q, *_steering(m, "active_map")))
    motors = np.einsum("svi,sv->si", G, scale)
    return np.repeat(motors.max(axis=1)[:, None], len(planned(m).motors), axis=1)


# -- scales --------------------------------------------------------------------------------------


def _norm(x: Vec3 | Mat3) -> Any:
    """Return the largest entry, state by state."""
    entries = x.six() if isinstance(x, Mat3) else tuple(x)
    total: Any = 0.0
    for entry in entries:
        total = np.maximum(total, np.abs(entry))
    return total


def force_scale(m: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """Return, per state and velocity variable, the largest term that inverse dynamics sums for it.

    Terms with a lever to the base origin count, since formalisms in base axes form them.
    """
    b = m.bound()
    q_, qd_, qdd_ = b.split_q(list(q.T)), b.split(list(qd.T)), b.split(list(qdd.T))
    w, wd, a = {-1: 0.0}, {-1: 0.0}, {-1: _norm(b.gravity)}
    lever, P, F, N = {-1: 0.0}, {}, {}, {}
    for j, body in b.outward():
        i = body.parent
        P[j] = _norm(body.pose(q_[j])[1])
        wJ, wdJ, vJ, vdJ = (_norm(x) for x in body.rates(q_[j], qd_[j], qdd_[j]))
        # running sums count as terms of the next sum; independent parts add in squares
        w[j] = np.hypot(w[i], wJ)
        wd[j] = _together(wd[i], wdJ, w[i] * wJ)
        a[j] = _together(a[i], (wd[i] + w[i] ** 2) * P[j], vdJ, 2 * w[i] * vJ)
        L = lever[j] = np.hypot(lever[i], P[j])
        U, mass = wd[j] + w[j] ** 2, abs(float(body.m))
        h = np.maximum(_norm(body.h), mass * L)
        Io = _largest(_norm(body.Io), h * L, mass * L * L)
        acceleration = np.maximum(a[j], U * L)
        F[j] = np.maximum(mass * acceleration, U * h)
        N[j] = _largest(Io * U, h * acceleration, F[j] * L)
    out = np.zeros_like(qd)
    for j, body in b.inward():
        for k, (linear, angular) in enumerate(_columns(body.joint, q_[j])):
            couple = np.maximum(N[j], lever[j] * F[j])
            out[:, b.velocity_index[j] + k] = np.maximum(linear * F[j], angular * couple)
        i = body.parent
        if i >= 0:
            F[i], N[i] = np.hypot(F[i], F[j]), _together(N[i], N[j], P[j] * F[j])
    for d in b.drives:
        k = b.velocity_index[d.joint]
        out[:, k] = np.maximum(out[:, k], np.abs(d.gear**2 * d.inertia * qdd[:, k]))
    return out


def spring_scale(m: Mechanism, q: Array, qd: Array) -> Array:
    """Return, per state and velocity variable, the force of the joint springs."""
    out = np.zeros_like(qd)
    b = m.bound()
    starts = np.cumsum([0, *(body.joint.nq for body in b.bodies)])
    for s in b.elastic:
        k, at = b.velocity_index[s.joint], starts[s.joint]
        force = s.stiffness * (np.abs(q[:, at]) + abs(s.rest))
        out[:, k] = force + np.abs(s.damping * qd[:, k])
    return out


def _columns(joint: Any, q: Vector) -> list[tuple[Any, Any]]:
    return [(_norm(linear), _norm(angular)) for linear, angular in joint.columns(q)]


def _together(*parts: Any) -> Any:
    return np.sqrt(sum(np.square(x) for x in parts))


def _largest(*parts: Any) -> Any:
    total: Any = 0.0
    for x in parts:
        total = np.maximum(total, x)
    return total


def mass_scale(still: Mechanism, q: Array) -> Array:
    """Return, per state and entry of M, the largest term summed for it; no gravity in `still`."""
    n = still.nv
    zero = np.zeros((len(q), n))
    out = np.zeros((len(q), n, n))
    for k in range(n):
        unit = zero.copy()
        unit[:, k] = 1
        out[:, :, k] = force_scale(still, q, zero, unit)
    # an entry that one order of summing finds zero, the other may not
    return np.maximum(out, out.swapaxes(1, 2))
