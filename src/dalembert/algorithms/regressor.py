"""tau = Y phi: inverse dynamics as a linear function of the inertial parameters.

Columns body by body: m, mx, my, mz, XX, XY, YY, XZ, YZ, ZZ about the frame origin; then, for bodies
with a drive, Ia (drives "inertia" or "all"), Fv and Fs ("all"; Fs+ and Fs- where they differ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..algebra import Mat3, Vec3
from ..errors import UsageError
from ..expr import Scalar, absolute, sign, where
from ..joint import UNITS, Vector
from ..mechanism import Drive, Mechanism, joint_name
from .drives import Drives
from .energy import velocities
from .newton_euler import couple, squared
from .parameter_relations import TEN, ten_of

_TENSOR = {"XX": 0, "YY": 1, "ZZ": 2, "XY": 3, "XZ": 4, "YZ": 5}
_LETTERS = {"m": "M", "mx": "MX", "my": "MY", "mz": "MZ", "Ia": "IA", "Fv": "FV", "Fs": "FS",
            "Fs+": "FSP", "Fs-": "FSM"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """One standard parameter: its kind (`XX`, `Ia`), its body, its joint's name, a short label."""

    kind: str
    body: int
    joint: str
    label: str  # the number of the joint; the name of a body that does not move

    def symbol(self, mark: str = "") -> str:
        """Return the name used in formulas: `XX2`, with a mark `XXR2`."""
        return _LETTERS.get(self.kind, self.kind) + mark + self.label


def drive_columns(d: Drive, drives: Drives) -> tuple[str, ...]:
    """Return the names of the columns a drive adds."""
    if drives == "none":
        return ()
    if drives == "inertia":
        return ("Ia",)
    symmetric = d.coulomb[0] == -d.coulomb[1]
    return ("Ia", "Fv", "Fs") if symmetric else ("Ia", "Fv", "Fs+", "Fs-")


def parameter_columns(m: Mechanism, drives: Drives = "inertia") -> tuple[Column, ...]:
    """Return every standard parameter, body by body, in the order of the regressor's columns."""
    of = {d.joint: d for d in m.drives}
    columns: list[Column] = []
    number = 0
    for j, body in m.outward():
        number += 1 if body.joint.nv else 0
        label = str(number) if body.joint.nv else "_" + _identifier(body.name)
        kinds = TEN + (drive_columns(of[j], drives) if j in of else ())
        columns.extend(Column(kind, j, joint_name(body), label) for kind in kinds)
    return tuple(columns)


def _identifier(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)


def parameter_names(
    m: Mechanism, drives: Drives = "inertia", columns: str = "standard"
) -> list[str]:
    """Return the name of every column of the regressor: `XX.elbow`, `Ia.elbow`.

    With columns="base" those of the base parameters, `XXR2`, whose sums `base_parameters` gives.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1), elbow: RZ(), TXK(1);")
    >>> da.parameter_names(m)[9:12], da.parameter_names(m, columns="base")
    (['ZZ.j1', 'm.elbow', 'mx.elbow'], ['ZZR1', 'MX2', 'MY2', 'ZZ2'])
    """
    if columns == "base":
        from .base_parameters import base_parameters

        return list(base_parameters(m, drives).names)
    chosen_columns(m, drives, columns)  # raises for any other word
    return [f"{c.kind}.{c.joint}" for c in parameter_columns(m, drives)]


def parameter_vector(m: Mechanism, drives: Drives = "inertia") -> list[Scalar]:
    """Return phi, the values that belong to the columns of the regressor: tau = Y phi.

    >>> import dalembert as da
    >>> m, state = da.robots.puma560(), ([0.1] * 6, [0.2] * 6, [0.3] * 6)
    >>> tau = da.regressor(m, *state) @ da.parameter_vector(m.bound())
    >>> bool(abs(tau - da.inverse_dynamics(m, *state)).max() < 1e-12)
    True
    """
    of = {d.joint: d for d in m.drives}
    phi: list[Scalar] = []
    for j, body in m.outward():
        phi += ten_of(body.inertia)
        if j in of:
            d = of[j]
            N2, N = d.gear * d.gear, absolute(d.gear)
            values = {
                "Ia": N2 * d.inertia,
                "Fv": N2 * d.viscous,
                "Fs": N * d.coulomb[0],
                "Fs+": N * d.coulomb[0],
                "Fs-": N * d.coulomb[1],
            }
            phi += [values[name] for name in drive_columns(d, drives)]
    return phi


def regressor(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    drives: Drives = "inertia",
    columns: str = "standard",
) -> list[list[Scalar]]:
    """Return Y(q, qd, qdd), nv rows, one column per inertial parameter, standard or base."""
    m = mechanism
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    w, wd, vd = {-1: Vec3.zero()}, {-1: Vec3.zero()}, {-1: -m.gravity}
    U: dict[int, Mat3] = {-1: Mat3.zero()}
    pose = {}
    of = {d.joint: d for d in m.drives}
    found: list[list[Scalar]] = []
    for j, body in m.outward():
        i = body.parent
        R, P = pose[j] = body.pose(q_[j])
        w_i = R.T @ w[i]
        wJ, wdJ, vJ, vdJ = body.rates(q_[j], qd_[j], qdd_[j])
        w[j] = w_i + wJ
        wd[j] = R.T @ wd[i] + wdJ + w_i.cross(wJ)
        vd[j] = R.T @ (vd[i] + U[i] @ P) + vdJ + 2 * w_i.cross(vJ)
        U[j] = wd[j].skew() + squared(w[j])
        for f, n in _wrenches(w[j], wd[j], vd[j], U[j]):
            found.append(_felt(m, j, f, n, pose, q_))
        if j in of:
            found += _drive(m, of[j], qd, qdd, drives)
    chosen = [found[c] for c in chosen_columns(m, drives, columns)]
    return [[column[r] for column in chosen] for r in range(m.nv)]


def chosen_columns(m: Mechanism, drives: Drives, columns: str) -> Sequence[int]:
    """Return which standard columns are asked for: all, or those of the base parameters."""
    if columns == "standard":
        return range(len(parameter_columns(m, drives)))
    if columns == "base":
        from .base_parameters import base_parameters

        return base_parameters(m, drives).kept
    raise UsageError(f"unknown columns {columns!r}", hint='columns are "standard" or "base"')


def energy_regressor(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    drives: Drives = "inertia",
    columns: str = "standard",
) -> list[Scalar]:
    """Return E(q, qd): the total energy T + V = E phi; friction columns are zero."""
    m = mechanism
    of = {d.joint: d for d in m.drives}
    row: list[Scalar] = []
    for j, (R, p, v, w) in enumerate(velocities(m, q, qd)):
        g = R.T @ m.gravity
        row.append(_half(v.dot(v)) - m.gravity.dot(p))
        row += [a - b for a, b in zip(v.cross(w), g, strict=True)]
        row += [_half(w.x * w.x), w.x * w.y, _half(w.y * w.y)]
        row += [w.x * w.z, w.y * w.z, _half(w.z * w.z)]
        if j in of:
            speed = qd[m.velocity_index[j]]
            kinds = drive_columns(of[j], drives)
            row += [_half(speed * speed) if kind == "Ia" else 0 for kind in kinds]
    return [row[c] for c in chosen_columns(m, drives, columns)]


def _half(x: Scalar) -> Scalar:
    return 0.5 * x


def _wrenches(w: Vec3, wd: Vec3, vd: Vec3, U: Mat3) -> list[tuple[Vec3, Vec3]]:
    """Return the wrench (f, n) that each of the ten parameters of a body asks for, per unit."""
    zero = Vec3.zero()
    out = [(vd, zero)]
    out += [(U @ u, u.cross(vd)) for u in UNITS]
    for name in TEN[4:]:
        six = [0] * 6
        six[_TENSOR[name]] = 1
        out.append((zero, couple(Mat3.symmetric(*six), U, w, wd)))
    return out


def _felt(m: Mechanism, j: int, f: Vec3, n: Vec3, pose: dict, q_: list) -> list[Scalar]:
    """Return the generalized forces of a wrench on body j, felt by every joint below it."""
    tau: list[Scalar] = [0] * m.nv
    while j >= 0:
        k = m.velocity_index[j]
        for a, force in enumerate(m.bodies[j].project(q_[j], f, n)):
            tau[k + a] = force
        R, P = pose[j]
        f = R @ f
        n = R @ n + P.cross(f)
        j = m.bodies[j].parent
    return tau


def _drive(m: Mechanism, d: Drive, qd: Vector, qdd: Vector, drives: Drives) -> list[list[Scalar]]:
    k = m.velocity_index[d.joint]
    speed = qd[k]
    entries = {
        "Ia": qdd[k],
        "Fv": speed,
        "Fs": sign(speed),
        "Fs+": where(speed > 0, 1.0, 0 * speed),
        "Fs-": where(speed < 0, 1.0, 0 * speed),
    }
    columns = []
    for name in drive_columns(d, drives):
        column: list[Scalar] = [0] * m.nv
        column[k] = entries[name]
        columns.append(column)
    return columns
