"""tau = Y phi: inverse dynamics as a linear function of the inertial parameters.

Columns body by body: m, mx, my, mz, XX, XY, YY, XZ, YZ, ZZ about the frame origin; then, for bodies
with a drive, Ia (drives "inertia" or "all"), Fv and Fs ("all"; Fs+ and Fs- where they differ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3
from ..errors import UsageError
from ..expr import Scalar, absolute, sign, where
from ..joint import UNITS, Vector
from ..linalg import Matrix
from ..mechanism import Drive, Mechanism, joint_name
from ..spatial import ZERO, Motion, Wrench
from .drives import Drives
from .link_motion import motions, poses, twists
from .parameter_relations import TEN, ten_of

_TENSOR = {"XX": 0, "YY": 1, "ZZ": 2, "XY": 3, "XZ": 4, "YZ": 5}
_LETTERS = {"m": "M", "mx": "MX", "my": "MY", "mz": "MZ", "Ia": "IA", "Fv": "FV", "Fs": "FS",
            "Fs+": "FSP", "Fs-": "FSM"}  # fmt: skip
# of joints that slide, that turn
_OF_DRIVES = {"Ia": ("kg", "kg m2"), "Fv": ("kg / s", "kg m2 / s"),
              **dict.fromkeys(("Fs", "Fs+", "Fs-"), ("N", "J"))}  # fmt: skip


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

    def unit(self, m: Mechanism) -> str:
        """Return its unit: that of a drive is in the coordinate of its joint."""
        slides = m.bodies[self.body].joint.lengths
        if self.kind in _OF_DRIVES:
            return _OF_DRIVES[self.kind][0 if slides else 1]
        return "kg" if self.kind == "m" else "kg m" if self.kind[0] == "m" else "kg m2"


def drive_columns(d: Drive, drives: Drives) -> tuple[str, ...]:
    """Return the names of the columns a drive adds."""
    if drives == "none":
        return ()
    if drives == "inertia":
        return ("Ia",)
    if d.stribeck != 0:
        raise UsageError(
            "friction that falls with speed (stribeck) is not linear in its parameters",
            hint='drives="inertia" leaves friction out; identify(..., friction="stribeck") fits it',
        )
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
    m: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    drives: Drives = "inertia",
    columns: str = "standard",
) -> Matrix:
    """Return Y(q, qd, qdd), nv rows, one column per inertial parameter, standard or base."""
    of = {d.joint: d for d in m.drives}
    motion, q_ = motions(m, q, qd, qdd, -m.gravity), m.split_q(q)
    joints = [(body.pose(q_[j]), body.joint.columns(q_[j])) for j, body in m.outward()]
    found: list[list[Scalar]] = []
    for j in range(len(m.bodies)):
        found += [_felt(m, j, joints, wrench) for wrench in _wrenches(motion[j])]
        if j in of:
            found += _drive(m, of[j], qd, qdd, drives)
    return Matrix.columns([found[c] for c in chosen_columns(m, drives, columns)], m.nv)


def chosen_columns(m: Mechanism, drives: Drives, columns: str) -> Sequence[int]:
    """Return which standard columns are asked for: all, or those of the base parameters."""
    if columns == "standard":
        return range(len(parameter_columns(m, drives)))
    if columns == "base":
        from .base_parameters import base_parameters

        return base_parameters(m, drives).kept
    raise UsageError(f"unknown columns {columns!r}", hint='columns are "standard" or "base"')


def energy_regressor(
    m: Mechanism, q: Vector, qd: Vector, drives: Drives = "inertia", columns: str = "standard"
) -> list[Scalar]:
    """Return E(q, qd): the total energy T + V = E phi; friction columns are zero."""
    of = {d.joint: d for d in m.drives}
    T, xi = poses(m, q), twists(m, q, qd)
    row: list[Scalar] = []
    for j in range(len(m.bodies)):
        v, w = xi[j]
        g = T[j].R.T @ m.gravity
        row.append(_half(v.dot(v)) - m.gravity.dot(T[j].p))
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


def _wrenches(motion: Motion) -> list[Wrench]:
    """Return the wrench that each of the ten parameters of a body asks for, per unit."""
    out = [Wrench(motion.vd, ZERO)]
    out += [Wrench(motion.U @ u, u.cross(motion.vd)) for u in UNITS]
    for name in TEN[4:]:
        six = [0] * 6
        six[_TENSOR[name]] = 1
        out.append(Wrench(ZERO, motion.couple(Mat3.symmetric(*six))))
    return out


def _felt(m: Mechanism, j: int, joints: Sequence[Any], wrench: Wrench) -> list[Scalar]:
    """Return the generalized forces of a wrench on body j, at every joint that carries it."""
    tau: list[Scalar] = [0] * m.nv
    while j >= 0:
        place, columns = joints[j]
        for a, s in enumerate(columns):
            tau[m.velocity_index[j] + a] = s.dot(wrench)
        wrench, j = wrench.to_parent(*place), m.bodies[j].parent
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
