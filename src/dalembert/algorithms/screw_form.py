"""Inverse dynamics with screws and 6 x 6 matrices: the readable form of the Newton-Euler family.

Khalil (2010), eqs (9)-(17) and (25)-(31), linear part first, with errata E2.4 (skew matrices in
(11)), E2.6 (ʲω_i in (15)), E2.7 (six entries in (16)) and E2.12 (transpose in (25)). `newton_euler`
says the same in three dimensions with a third of the operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..algebra import Mat3, Rotation, Vec3
from ..expr import Scalar
from ..joint import Vector
from ..mechanism import Body, Mechanism
from .drives import Drives, friction, rotor_inertia
from .newton_euler import Wrench

Screw = list[Scalar]  # linear, then angular
Matrix = list[list[Scalar]]


def screw_form(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the joint forces tau that give the accelerations qdd at the state (q, qd)."""
    m, given = mechanism, wrenches or {}
    q_, qd_, qdd_ = m.split_q(q), m.split(qd), m.split(qdd)
    V: dict[int, Screw] = {-1: [0] * 6}
    Vd: dict[int, Screw] = {-1: [*(-m.gravity), 0, 0, 0]}
    T: dict[int, Matrix] = {}
    f: dict[int, Screw] = {}

    for j, body in m.outward():
        i = body.parent
        R, P = body.pose(q_[j])
        T[j] = screw_transform(R, P)
        a = [[*linear, *angular] for linear, angular in body.joint.columns(q_[j])]  # (16)
        relative = combine(a, qd_[j])
        w_i = Vec3(*V[i][3:])
        wJ, vJ = Vec3(*relative[3:]), Vec3(*relative[:3])
        gamma = [  # (15), both blocks in the axes of link j
            *(
                R.T @ w_i.cross(w_i.cross(P))
                + body.joint.drift(q_[j], qd_[j])
                + 2 * (R.T @ w_i).cross(vJ)
            ),
            *(R.T @ w_i).cross(wJ),
        ]
        V[j] = plus(times(T[j], V[i]), relative)  # (13)
        Vd[j] = plus(plus(times(T[j], Vd[i]), gamma), combine(a, qdd_[j]))  # (14)
        w = Vec3(*V[j][3:])
        bias = [*w.cross(w.cross(body.h)), *w.cross(body.Io @ w)]
        f[j] = plus(times(inertia_matrix(body), Vd[j]), bias)  # (9)
        if j in given:
            f[j] = plus(f[j], [*given[j][0], *given[j][1]])

    tau: dict[int, Sequence[Scalar]] = {}
    for j, body in m.inward():
        tau[j] = body.project(q_[j], Vec3(*f[j][:3]), Vec3(*f[j][3:]))  # aᵀ f
        if body.parent >= 0:
            f[body.parent] = plus(f[body.parent], times(transposed(T[j]), f[j]))  # (25)
    out = m.join(tau)
    for k, Ia in rotor_inertia(m, drives).items():
        out[k] = out[k] + Ia * qdd[k]
    for k, force in friction(m, qd, drives).items():
        out[k] = out[k] + force
    return out


def screw_transform(R: Rotation, P: Vec3) -> Matrix:
    """Return ʲT_i of (17), [ʲR_i, -ʲR_i P̂; 0, ʲR_i], from the pose (ⁱR_j, ⁱP_j)."""
    turn = R.T.matrix()
    return blocks(turn, -(turn @ P.skew()), Mat3.zero(), turn)


def inertia_matrix(body: Body) -> Matrix:
    """Return the 6 x 6 inertia of (11), with the skew matrix of the first moments (E2.4)."""
    S = body.h.skew()
    return blocks(Mat3.identity() * body.m, -S, S, body.Io)


def blocks(a: Mat3, b: Mat3, c: Mat3, d: Mat3) -> Matrix:
    """Return [a b; c d]."""
    top = [[*x, *y] for x, y in zip(a.rows, b.rows, strict=True)]
    return top + [[*x, *y] for x, y in zip(c.rows, d.rows, strict=True)]


def transposed(A: Matrix) -> Matrix:
    """Return Aᵀ."""
    return [list(column) for column in zip(*A, strict=True)]


def times(A: Matrix, x: Screw) -> Screw:
    """Return A x."""
    return [sum((a * b for a, b in zip(row, x, strict=True)), 0) for row in A]


def plus(x: Screw, y: Screw) -> Screw:
    """Return x + y."""
    return [a + b for a, b in zip(x, y, strict=True)]


def combine(columns: Sequence[Screw], rates: Vector) -> Screw:
    """Return the sum of columns times rates."""
    total: Screw = [0] * 6
    for column, rate in zip(columns, rates, strict=True):
        total = plus(total, [x * rate for x in column])
    return total
