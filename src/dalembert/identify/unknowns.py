"""What is unknown: base parameters of the bodies, rotors, friction; or a payload on a frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra import Transform
from ..algorithms.base_parameters import BaseParameters, base_parameters
from ..algorithms.parameter_relations import TEN, inertia_of, ten_of
from ..algorithms.regressor import Column, parameter_columns, parameter_vector
from ..compute import compile, evaluate
from ..compute.counted import counted
from ..errors import UsageError, shown
from ..expr.exact import to_float
from ..mechanism import Drive, Mechanism, is_closed, joint_name
from ..mechanism.motors import tree_motors
from ..plan import planned
from .extra import Extra

Array = np.ndarray
FRICTION = (True, False, "asymmetric", "offset", "stribeck")
GRAVITY = ("gx", "gy", "gz")
FRICTION_COLUMNS = ("Fv", "Fs", "Fs+", "Fs-")


def forces_on(m: Mechanism, q: Any) -> Array:
    """Return W of a closed machine: W tau of the tree are the forces on its degrees of freedom.

    Gᵀ; where motors are spare its part of least norm, which asks for no choice among them.
    """
    G = evaluate(m, "active_map", q)
    across = np.swapaxes(G, -1, -2)
    if not shares(m):
        return across
    return np.asarray(np.linalg.pinv(across[..., list(planned(m).motors)]) @ across)


def shares(m: Mechanism) -> bool:
    """Return whether a closed machine has spare motors, and no degree of freedom without one."""
    return is_closed(m) and bool(planned(m).spare_motors) and not planned(m).free


def freedom_regressor(
    m: Mechanism, q: Any, qd: Any, qdd: Any, *, drives: str = "inertia", columns: str = "standard"
) -> Array:
    """Return Y with a row for each of `equation_indices`, driven by a motor or not."""
    tree = evaluate(m.tree, "regressor", q, qd, qdd, drives=drives, columns=columns)
    return forces_on(m, q) @ np.asarray(tree) if is_closed(m) else np.asarray(tree)


def freedom_forces(m: Mechanism, q: Array, qd: Array, qdd: Array, drives: str) -> Array:
    """Return the forces that bodies and drives need on each degree of freedom, without springs."""
    tau = np.asarray(evaluate(unsprung(m), "inverse_dynamics", q, qd, qdd, drives=drives))
    return (forces_on(m, q) @ tau[..., None])[..., 0] if is_closed(m) else tau


def unsprung(m: Mechanism) -> Mechanism:
    """Return the cut tree without its springs."""
    return replace(m.tree, elastic=(), springs=(), checked=True)


def equation_indices(m: Mechanism) -> list[int]:
    """Return the velocity variables that equations are written for, in the order of the forces."""
    if not is_closed(m):
        return list(range(m.nv))
    return list(planned(m).motors if shares(m) else planned(m).independent)


def motor_indices(m: Mechanism) -> list[int]:
    """Return the velocity variables that motors push."""
    return list(planned(m).motors if is_closed(m) else range(m.nv))


def unpushed(m: Mechanism) -> list[int]:
    """Return the velocity variables without a motor: a free base, elastic and passive joints."""
    if is_closed(m):
        plan = planned(m)
        return list(plan.independent[plan.mobility - plan.free :])
    own = tree_motors(m)
    return [m.velocity_index[j] + k for j, b in enumerate(m.bodies) if j not in own
            for k in range(b.joint.nv)]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Columns of a regressor with names, and how they follow from standard parameters."""

    m: Mechanism  # with a drive at every motor whose friction is asked for
    names: tuple[str, ...]
    standard: tuple[Column, ...]
    K: Array  # columns = K phi, phi the standard parameters
    drives: str
    chosen: Array | None = None  # base columns that are used; None: payload
    payload: str = ""
    gravity: bool = False  # its direction is asked for, the bodies are known
    extras: tuple[Extra, ...] = ()  # the last columns

    @cached_property
    def nominal(self) -> Array:
        """phi of the mechanism as described."""
        return np.array([*(float(x) for x in self._phi()), *(0.0 for _ in self.extras)])

    def _phi(self) -> list[Any]:
        count = len(self.standard) - len(self.extras)
        if self.payload:
            return [0.0] * count
        if self.gravity:
            g = self.m.bound().gravity
            return [g.x, g.y, g.z, *([0.0] * (count - 3))]
        return parameter_vector(self.m.bound(), self.drives)  # type: ignore[arg-type]

    @property
    def of_bodies(self) -> Array:
        """Which columns hold inertial parameters of bodies."""
        own = [k for k, c in enumerate(self.standard) if c.kind in TEN]
        return np.asarray((self.K[:, own] != 0).any(axis=1))

    def beside(self, extras: tuple[Extra, ...]) -> Unknowns:
        """Return the unknowns with other extra columns."""
        old, count = len(self.extras), len(self.standard) - len(self.extras)
        names = (*self.names[: len(self.names) - old], *(e.name for e in extras))
        own = self.K[: len(self.names) - old, :count]
        K = np.zeros((len(names), count + len(extras)))
        K[: len(own), :count] = own
        K[len(own) :, count:] = np.eye(len(extras))
        standard = (*self.standard[:count], *(e.column for e in extras))
        return replace(self, names=names, standard=standard, K=K, extras=extras)

    def rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the regressor of samples, (n, forces, columns)."""
        if self.payload:
            Y = self._payload_rows(q, qd, qdd)
        elif self.gravity:
            Y = self._gravity_rows(q, qd, qdd)
        else:
            Y = freedom_regressor(self.m, q, qd, qdd, drives=self.drives, columns="base")
            Y = Y if self.chosen is None else np.ascontiguousarray(Y[..., self.chosen])
        if not self.extras:
            return Y
        more = np.zeros((*Y.shape[:-1], len(self.extras)))
        for k, (e, column) in enumerate(zip(self.extras, self._extra(qd), strict=True)):
            more[..., e.force, k] = column
        if shares(self.m):
            more = forces_on(self.m, q)[..., equation_indices(self.m)] @ more
        return np.concatenate([Y, more], axis=-1)

    def _extra(self, qd: Array) -> list[Array]:
        own = equation_indices(self.m)
        return [e.values(qd[..., own[e.force]]) for e in self.extras]

    @cached_property
    def _packed(self) -> tuple[Any, list[tuple[Array, Array]]] | None:
        """The kernel whose results hold no zeros, and where each force finds its columns."""
        other = self.payload or self.gravity or self.chosen is None
        if other or is_closed(self.m):
            return None
        kernel = compile(self.m, "regressor", drives=self.drives, columns="base", packed=True)
        if kernel.packed is None or kernel.parameters:
            return None
        places = np.asarray(kernel.packed)[:, self.chosen]
        size = int(np.asarray(kernel.packed).max()) + 1
        layout = []
        for j, row in enumerate(places):
            own = [k for k, e in enumerate(self.extras) if e.force == j]
            columns = np.flatnonzero(row >= 0)
            at = np.array([*row[columns], *(size + k for k in own)], dtype=int)
            count = len(self.names) - len(self.extras)
            layout.append((at, np.array([*columns, *(count + k for k in own)], dtype=int)))
        return kernel, layout

    def flat(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, list[tuple[Array, Array]]]:
        """Return (samples, values), and of each force where its columns lie and which they are."""
        if self._packed is None:
            Y = self.rows(q, qd, qdd)
            every = np.arange(Y.shape[-1])
            layout = [(j * len(every) + every, every) for j in range(Y.shape[1])]
            return Y.reshape(len(Y), -1), layout
        kernel, layout = self._packed
        P = np.asarray(kernel(q, qd, qdd))
        if self.extras:
            P = np.concatenate([P, np.stack(self._extra(qd), axis=1)], axis=1)
        return P, layout

    def _gravity_rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the forces of unit gravity along each axis, then friction."""
        rest = np.zeros_like(qd)
        pulls = [freedom_forces(self.m.with_gravity(e), q, rest, rest, "none")
                 for e in np.eye(3).tolist()]  # fmt: skip
        columns = [np.stack(pulls, axis=-1)]
        if self.drives == "all":
            full = freedom_regressor(self.m, q, qd, qdd, drives="all")
            kinds = [c.kind for c in parameter_columns(self.m, "all")]
            columns.append(full[..., [k for k, c in enumerate(kinds) if c in FRICTION_COLUMNS]])
        return np.concatenate(columns, axis=-1)

    def _payload_rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        full = freedom_regressor(self.m, q, qd, qdd, drives=self.drives)
        body, place = self.m.bound().frame(self.payload)
        columns = parameter_columns(self.m, self.drives)  # type: ignore[arg-type]
        own = [k for k, c in enumerate(columns) if c.body == body and c.kind in TEN]
        friction = [k for k, c in enumerate(columns) if c.kind in FRICTION_COLUMNS]
        friction = friction[: len(self.standard) - 10 - len(self.extras)]
        return np.concatenate([full[..., own] @ carried(place), full[..., friction]], axis=-1)

    def known(self, q: Array, qd: Array, qdd: Array) -> Array | float:
        """Return the forces that are not to be explained: those of the known model."""
        if self.gravity:
            still = self.m.with_gravity((0, 0, 0))
            return freedom_forces(still, q, qd, qdd, "inertia" if self.drives == "all" else "all")
        if self.payload:
            drives = "inertia" if len(self.standard) > 10 else "all"
            return freedom_forces(self.m, q, qd, qdd, drives)
        if self.drives == "all" or not counted(self.m, "all"):
            return 0.0
        # friction that is not asked for is that of the description
        both = [freedom_forces(self.m, q, qd, qdd, x) for x in ("all", "inertia")]
        return both[0] - both[1]


def carried(place: Transform) -> Array:
    """Return Λ, 10 x 10: parameters of a load at a frame -> what they add to those of its body."""
    here = place.map(lambda x: float(to_float(x)))
    return np.array([ten_of(inertia_of(unit).moved(here)) for unit in np.eye(10).tolist()]).T


def with_all_drives(m: Mechanism, friction: bool | str) -> Mechanism:
    """Return the mechanism with a drive at every motor, so that friction has columns there."""
    owner = [j for j, b in enumerate(m.bodies) for _ in range(b.joint.nv)]
    still = set(unpushed(m))
    motors = {owner[k] for k in motor_indices(m)
              if m.bodies[owner[k]].joint.nv == 1 and k not in still}  # fmt: skip
    of = {d.joint: d for d in m.drives}
    made = []
    for j in sorted(motors | set(of)):
        d = of.get(j, Drive(j))
        if d.stribeck != 0:  # it falls with speed only where that is asked for, and found
            d = replace(d, static=(0, 0), stribeck=0)
        if friction == "asymmetric" and d.coulomb[0] == -d.coulomb[1]:
            # one number per direction: told apart by being unequal, the values are not used
            d = replace(d, coulomb=(d.coulomb[0], d.coulomb[1] - 1e-9))
        elif friction == "offset":  # with it two levels would be the same twice
            d = replace(d, coulomb=(d.coulomb[0], -d.coulomb[0]))
        made.append(d)
    return replace(m, drives=tuple(made))


def unknowns(
    m: Mechanism, friction: bool | str, payload: str | None, gravity: bool = False
) -> Unknowns:
    """Return what an identification of m asks for."""
    if friction not in FRICTION:
        known = ", ".join(map(repr, FRICTION))
        raise UsageError(f"friction={shown(repr(friction))}", hint=known)
    if m.open_parameters:
        raise UsageError(
            "a model to identify needs lengths and nominal masses: no value for "
            + ", ".join(m.open_parameters[:6]),
            hint="m.with_values(...); wrong values are what identification mends",
            command="write --set NAME=VALUE; wrong values are what identification mends",
        )
    full = with_all_drives(m, friction) if friction else m
    drives = "all" if friction else "inertia"
    if payload is not None and gravity:
        raise UsageError("a payload or the direction of gravity, not both", hint="one at a time")
    if payload is not None:
        return _payload(full, payload, drives).beside(_extras(full, friction))
    if gravity:
        return _directed(full, drives).beside(_extras(full, friction))
    base = base_parameters(full.tree, drives)  # type: ignore[arg-type]
    keep = list(_wanted(full, base))
    names = tuple(base.names[k] for k in keep)
    K = np.array([[float(to_float(x)) for x in base.matrix[k]] for k in keep])
    made = Unknowns(full, names, base.standard, K, drives, np.array(keep))
    return made.beside(_extras(full, friction))


def _extras(m: Mechanism, friction: bool | str) -> tuple[Extra, ...]:
    """Return the columns of offsets, or of friction that falls with speed, at every drive."""
    kind = {"offset": "F0", "stribeck": "Fk"}.get(str(friction))
    if kind is None:
        return ()
    rows, own = equation_indices(m), {m.velocity_index[d.joint]: d.joint for d in m.drives}
    return tuple(Extra(k, own[v], joint_name(m.bodies[own[v]]), kind)
                 for k, v in enumerate(rows) if v in own)  # fmt: skip


def _directed(m: Mechanism, drives: str) -> Unknowns:
    """Return the unknowns of gravity: its three components, and friction."""
    columns = [Column(kind, -1, "gravity", kind) for kind in GRAVITY]
    names = list(GRAVITY)
    if drives == "all":
        own = [c for c in parameter_columns(m, "all") if c.kind in FRICTION_COLUMNS]
        columns += own
        names += [f"{c.kind}.{c.joint}" for c in own]
    return Unknowns(m, tuple(names), tuple(columns), np.eye(len(columns)), drives, gravity=True)


def _wanted(m: Mechanism, base: BaseParameters) -> Iterator[int]:
    """Yield the base columns that are not rotor inertias known to be zero."""
    rotors = {d.joint for d in m.drives if float(to_float(d.inertia, m.floats)) != 0}
    for k, form in enumerate(base.forms):
        only = [base.standard[c] for c in form]
        if not all(c.kind == "Ia" and c.body not in rotors for c in only):
            yield k


def _payload(m: Mechanism, frame: str, drives: str) -> Unknowns:
    body, _ = m.frame(frame)
    if body < 0:
        raise UsageError(f"a payload on {frame!r}, which does not move")
    number = str(sum(1 for b in m.bodies if b.joint.nv) + 1)
    columns = [Column(kind, body, frame, number) for kind in TEN]
    names = [f"{kind}.{frame}" for kind in TEN]
    if drives == "all":
        own = [c for c in parameter_columns(m, "all") if c.kind in FRICTION_COLUMNS]
        columns += own
        names += [f"{c.kind}.{c.joint}" for c in own]
    return Unknowns(m, tuple(names), tuple(columns), np.eye(len(columns)), drives, payload=frame)
