"""One rigid body: Newton and Euler at its mass centre, velocities and forces in body axes.

DeSantis (1996), (3.1)-(3.10) with E3.1-E3.3: the forces of a motion, and the same in six rows with
M_i and W_i.
"""

from __future__ import annotations

from ..algebra import Mat3, Vec3
from ..expr import Scalar
from ..linalg import Matrix


def forces(mass: Scalar, inertia: Mat3, v: Vec3, w: Vec3, vd: Vec3, wd: Vec3) -> tuple[Vec3, Vec3]:
    """Return f = S(Ω) m v + m v̇ and n = S(Ω) j Ω + j Ω̇ (3.1), (3.2), E3.2."""
    return (w.cross(v) + vd) * mass, w.cross(inertia @ w) + inertia @ wd


def extended(mass: Scalar, inertia: Mat3, w: Vec3) -> tuple[Matrix, Matrix]:
    """Return M_i and W_i of M_i v̇_i = -W_i M_i v_i + ω_i (3.7)-(3.9), E3.3."""
    zero, S = Mat3.zero(), w.skew()
    M = Matrix.block([[Mat3.identity() * mass, zero], [zero, inertia]])
    return M, Matrix.block([[S, zero], [zero, S]])
