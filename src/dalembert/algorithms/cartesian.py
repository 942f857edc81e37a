"""The Cartesian model F_x = M_x v̇_n + V_x of a frame with as many motions as joints.

DeSantis (1996), (6.2)-(6.10) with errata E3.7-E3.9: M_x = J⁻ᵀ D J⁻¹,
V_x = J⁻ᵀ {C - D J⁻¹ J̇} J⁻¹ v_n, F_x = J⁻ᵀ τ. v_n is the velocity of a frame (by default the mass
centre of the last body) in its own axes; planar machines keep [vx, vy, w] of it.
"""

from __future__ import annotations

from ..errors import ModelError
from ..joint import Vector
from ..linalg import Matrix, each_column, general
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from ..mechanism.followers import Fold
from .composite import composite
from .joint_forces import JointForces
from .kane import centre, massive
from .kinematics import Target, target_jacobian, target_jacobian_derivative
from .newton_euler import newton_euler

PLANAR = (0, 1, 5)  # vx, vy, wz
SPATIAL = (0, 1, 2, 3, 4, 5)


def _target(m: Mechanism, frame: str | None) -> Target:
    return m.frame(frame) if frame is not None else centre(m, massive(m)[-1])


def motions(m: Mechanism) -> tuple[int, ...]:
    """Return which of [v; w] the model keeps: as many as there are joints, or an error."""
    speeds = Fold.of(m).count
    for kept in (PLANAR, SPATIAL):
        if speeds == len(kept):
            return kept
    raise ModelError(
        f"the Cartesian model needs a square Jacobian; the machine has {speeds} speeds",
        hint="task_model(m, frame) has no such limit; or lock joints until 3 or 6 are left",
        command="write --lock JOINT until 3 or 6 joints are left",
    )


def J_n(m: Mechanism, q: Vector, frame: str | None = None) -> Matrix:
    """Return the square Jacobian J_n in the axes of the frame (6.2)."""
    fold = Fold.of(m)
    J = target_jacobian(m, _target(m, frame), fold.coordinates(q))
    return Matrix(fold.columns(J)).pick(motions(m))


def J_n_dot(m: Mechanism, q: Vector, qd: Vector, frame: str | None = None) -> Matrix:
    """Return dJ_n/dt."""
    fold = Fold.of(m)
    x, xd = fold.coordinates(q), fold.rates(qd)
    Jd = target_jacobian_derivative(m, _target(m, frame), x, xd)
    return Matrix(fold.columns(Jd)).pick(motions(m))


def _D(forces: JointForces, q: Vector) -> Matrix:
    """Return the mass matrix with rotors, of the coordinates that are left where some follow."""
    m, fold = forces.m, Fold.of(forces.m)
    return Matrix(fold.square(forces.mass(composite(m, fold.coordinates(q)))))


def cartesian_mass(forces: JointForces, q: Vector, frame: str | None = None) -> Matrix:
    """Return M_x = J⁻ᵀ D J⁻¹ (6.5), symmetric."""
    JT = J_n(forces.m, q, frame).T
    return each_column(general, JT, each_column(general, JT, _D(forces, q)).T).T


def cartesian_bias(forces: JointForces, q: Vector, qd: Vector, frame: str | None = None) -> Values:
    """Return V_x = J⁻ᵀ (c - D J⁻¹ J̇ q̇) (E3.9), c the Coriolis and centrifugal forces."""
    m, fold = forces.m, Fold.of(forces.m)
    J, Jd = J_n(m, q, frame), J_n_dot(m, q, qd, frame)
    moving = fold.coordinates(q), fold.rates(qd), [0] * m.nv
    c = Values(fold.forces(newton_euler(m.weightless, *moving)))
    return general(J.T, c - _D(forces, q) @ general(J, Jd @ qd))


def cartesian_force(m: Mechanism, q: Vector, tau: Vector, frame: str | None = None) -> Values:
    """Return F_x = J⁻ᵀ τ (6.9, E3.8)."""
    return general(J_n(m, q, frame).T, tau)
