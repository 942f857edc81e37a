"""What is unknown: base parameters of the bodies, rotors, friction; or a payload on a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra import Mat3, Transform, Vec3
from ..algorithms.base_parameters import BaseParameters, base_parameters
from ..algorithms.parameter_relations import TEN, ten_of
from ..algorithms.regressor import Column, parameter_columns, parameter_vector
from ..catalog.loops import is_closed
from ..compute import evaluate
from ..errors import UsageError
from ..expr.exact import to_float
from ..inertia import Inertia
from ..mechanism import Drive, Mechanism
from ..plan import planned

Array = np.ndarray
FRICTION = (True, False, "asymmetric")


def active_regressor(
    m: Mechanism, q: Any, qd: Any, qdd: Any, *, drives: str = "inertia", columns: str = "standard"
) -> Array:
    """Return Y with tau = Y phi for the motors of any machine: (..., motors, parameters).

    On a tree this is `regressor`. With closed loops, Gᵀ Y of the cut tree along the closed motion
    (Khalil 2010, eq. (46)): phi are the standard parameters of all bodies.

    >>> import dalembert as da
    >>> m = da.robots.fourbar()
    >>> q = da.assemble(m)
    >>> v, a, *_ = da.tree_motion(m, q, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    >>> Y = da.active_regressor(m, q, v, a)
    >>> phi = da.parameter_vector(m.bound())
    >>> bool(abs(Y @ phi - da.inverse_dynamics(m, q, v, a)).max() < 1e-12)
    True
    """
    options: dict[str, Any] = {"drives": drives, "columns": columns}
    if not (m.loops or m.couplings or m.wheels or m.velocity_constraints):
        return np.asarray(evaluate(m, "regressor", q, qd, qdd, **options))
    Y = np.asarray(evaluate(m.tree, "regressor", q, qd, qdd, **options))
    if is_closed(m):
        G = _first(evaluate(m, "active_map", q))
        return np.swapaxes(G, -1, -2) @ Y
    # motors that make the motion: Nᵀ S tau = Nᵀ Y phi, least norm where motors are spare
    N = _first(evaluate(m, "kane_J", q))
    motors = motor_indices(m)
    push = np.swapaxes(N[..., motors, :], -1, -2)
    return np.linalg.pinv(push) @ (np.swapaxes(N, -1, -2) @ Y)


def _first(x: Any) -> Array:
    return np.asarray(x[0] if isinstance(x, tuple) else x)


def motor_indices(m: Mechanism) -> list[int]:
    """Return the velocity variables that motors push, in the order of the forces."""
    if is_closed(m):
        return list(planned(m).motors)
    if m.active:
        at = [m.joint_index(n) for n in m.active]
        return [m.velocity_index[j] + k for j in at for k in range(m.bodies[j].joint.nv)]
    return list(range(m.nv))


@dataclass(frozen=True)
class Unknowns:
    """Columns of a regressor with names, and how they follow from standard parameters."""

    m: Mechanism  # with a drive at every motor whose friction is asked for
    names: tuple[str, ...]
    standard: tuple[Column, ...]
    K: Array  # columns = K phi, phi the standard parameters
    drives: str
    chosen: Array | None = None  # base columns that are used; None: payload
    payload: str = ""

    @cached_property
    def nominal(self) -> Array:
        """phi of the mechanism as described."""
        return np.array([float(x) for x in self._phi()])

    def _phi(self) -> list[Any]:
        if self.payload:
            return [0.0] * 10 + [0.0] * (len(self.standard) - 10)
        return parameter_vector(self.m.bound(), self.drives)  # type: ignore[arg-type]

    def rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the regressor of samples, (n, forces, columns)."""
        if self.payload:
            return self._payload_rows(q, qd, qdd)
        Y = active_regressor(self.m, q, qd, qdd, drives=self.drives, columns="base")
        return Y if self.chosen is None else np.ascontiguousarray(Y[..., self.chosen])

    def _payload_rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        full = active_regressor(self.m, q, qd, qdd, drives=self.drives)
        body, place = self.m.bound().frame(self.payload)
        columns = parameter_columns(self.m, self.drives)  # type: ignore[arg-type]
        own = [k for k, c in enumerate(columns) if c.body == body and c.kind in TEN]
        friction = [k for k, c in enumerate(columns) if c.kind in ("Fv", "Fs", "Fs+", "Fs-")]
        friction = friction[: len(self.standard) - 10]
        return np.concatenate([full[..., own] @ carried(place), full[..., friction]], axis=-1)

    def known(self, q: Array, qd: Array, qdd: Array) -> Array | float:
        """Return the forces that are not to be explained: those of the known model."""
        if not self.payload:
            return 0.0
        drives = "inertia" if len(self.standard) > 10 else "all"
        return np.asarray(_first(evaluate(self.m, "inverse_dynamics", q, qd, qdd, drives=drives)))


def carried(place: Transform) -> Array:
    """Return Λ, 10 x 10: parameters of a load at a frame -> what they add to those of its body."""
    made = []
    for k in range(10):
        phi = np.eye(10)[k]
        made.append([float(x) for x in ten_of(inertia_of(phi).moved(_floats(place)))])
    return np.array(made).T


def _floats(place: Transform) -> Transform:
    return place.map(lambda x: float(to_float(x)))


def inertia_of(phi: Sequence[float] | Array) -> Inertia:
    """Return the inertia of ten parameters about the frame origin, in the order of `TEN`."""
    v = dict(zip(TEN, (float(x) for x in phi), strict=True))
    tensor = Mat3.symmetric(v["XX"], v["YY"], v["ZZ"], v["XY"], v["XZ"], v["YZ"])
    return Inertia(v["m"], Vec3(v["mx"], v["my"], v["mz"]), tensor, "origin")


def with_all_drives(m: Mechanism, friction: bool | str) -> Mechanism:
    """Return the mechanism with a drive at every motor, so that friction has columns there."""
    owner = [j for j, b in enumerate(m.bodies) for _ in range(b.joint.nv)]
    motors = {owner[k] for k in motor_indices(m) if m.bodies[owner[k]].joint.nv == 1}
    of = {d.joint: d for d in m.drives}
    made = []
    for j in sorted(motors | set(of)):
        d = of.get(j, Drive(j))
        if friction == "asymmetric" and d.coulomb[0] == -d.coulomb[1]:
            # one number per direction: told apart by being unequal, the values are not used
            d = replace(d, coulomb=(d.coulomb[0], d.coulomb[1] - 1e-9))
        made.append(d)
    return replace(m, drives=tuple(made))


def unknowns(m: Mechanism, friction: bool | str, payload: str | None) -> Unknowns:
    """Return what an identification of m asks for."""
    if friction not in FRICTION:
        raise UsageError(f"friction={friction!r}", hint="True, False or 'asymmetric'")
    if m.open_parameters:
        raise UsageError(
            "a model to identify needs lengths and nominal masses: no value for "
            + ", ".join(m.open_parameters[:6]),
            hint="m.with_values(...); wrong values are what identification mends",
        )
    full = with_all_drives(m, friction) if friction else m
    drives = "all" if friction else "inertia"
    if payload is not None:
        return _payload(full, payload, drives)
    base = base_parameters(full.tree, drives)  # type: ignore[arg-type]
    keep = list(_wanted(full, base))
    names = tuple(base.names[k] for k in keep)
    K = np.array([[float(to_float(x)) for x in base.matrix[k]] for k in keep])
    return Unknowns(full, names, base.standard, K, drives, np.array(keep))


def _wanted(m: Mechanism, base: BaseParameters) -> Iterator[int]:
    """Yield the base columns that are not rotor inertias known to be zero."""
    rotors = {d.joint for d in m.drives if float(to_float(d.inertia, _values(m))) != 0}
    for k, form in enumerate(base.forms):
        only = [base.standard[c] for c in form]
        if not all(c.kind == "Ia" and c.body not in rotors for c in only):
            yield k


def _values(m: Mechanism) -> dict[str, float]:
    return {k: to_float(v) for k, v in m.values.items()}


def _payload(m: Mechanism, frame: str, drives: str) -> Unknowns:
    body, _ = m.frame(frame)
    if body < 0:
        raise UsageError(f"a payload on {frame!r}, which does not move")
    number = str(sum(1 for b in m.bodies if b.joint.nv) + 1)
    columns = [Column(kind, body, frame, number) for kind in TEN]
    names = [f"{kind}.{frame}" for kind in TEN]
    if drives == "all":
        own = [c for c in parameter_columns(m, "all") if c.kind in ("Fv", "Fs", "Fs+", "Fs-")]
        columns += own
        names += [f"{c.kind}.{c.joint}" for c in own]
    return Unknowns(m, tuple(names), tuple(columns), np.eye(len(columns)), drives, payload=frame)
