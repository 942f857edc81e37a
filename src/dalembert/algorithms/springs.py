"""Springs and dampers between two points of two bodies.

Along the line from point i to point j: a pull of stiffness (l - length) + damping l', on point i
towards j and on point j towards i. A spring without natural length and damping is linear in the
gap, so that it may shrink to a point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..algebra import Rotation, Vec3, is_zero
from ..expr import Scalar, sqrt
from ..joint import ZERO, Vector
from ..mechanism import Mechanism, PointSpring
from . import newton_euler

State = tuple[Rotation, Vec3, Vec3, Vec3]  # R, p, v, w in base axes
Wrench = tuple[Vec3, Vec3]


def without_springs(m: Mechanism) -> Mechanism:
    """Return the mechanism without its point springs."""
    return replace(m, springs=(), checked=True) if m.springs else m


def body_states(m: Mechanism, q: Vector, qd: Vector) -> dict[int, State]:
    """Return rotation, origin and velocities of every body in base axes; -1 is the base."""
    q_, qd_ = m.split_q(q), m.split(qd)
    states: dict[int, State] = {-1: (Rotation(), ZERO, ZERO, ZERO)}
    for j, body in m.outward():
        R_i, p_i, v_i, w_i = states[body.parent]
        R, P = body.pose(q_[j])
        wJ, _, vJ, _ = body.rates(q_[j], qd_[j], [0] * body.joint.nv)
        R_j, step = (R_i @ R).bounded(), R_i @ P
        v = v_i + w_i.cross(step) + R_j @ vJ
        states[j] = (R_j, p_i + step, v, w_i + R_j @ wJ)
    return states


def _gap(s: PointSpring, states: dict[int, State]) -> tuple[Vec3, Vec3]:
    """Return the vector from point i to point j, and its rate."""
    ends = []
    for body, point in ((s.body_i, s.point_i), (s.body_j, s.point_j)):
        R, p, v, w = states[body]
        arm = R @ point
        ends.append((p + arm, v + w.cross(arm)))
    (p_i, v_i), (p_j, v_j) = ends
    return p_j - p_i, v_j - v_i


def _pull(s: PointSpring, gap: Vec3, rate: Vec3) -> Vec3:
    """Return the force on point i."""
    if is_zero(s.length) and is_zero(s.damping):
        return gap * s.stiffness
    l = sqrt(gap.dot(gap))
    u = gap * (1 / l)
    return u * (s.stiffness * (l - s.length) + s.damping * u.dot(rate))


def spring_wrenches(m: Mechanism, q: Vector, qd: Vector) -> dict[int, Wrench]:
    """Return the wrench of the springs on each body they pull, link axes, at the frame origin."""
    states = body_states(m, q, qd)
    found: dict[int, Wrench] = {}
    for s in m.springs:
        pull = _pull(s, *_gap(s, states))
        for body, point, force in ((s.body_i, s.point_i, pull), (s.body_j, s.point_j, -pull)):
            if body >= 0:
                f = states[body][0].T @ force
                old = found.get(body, (ZERO, ZERO))
                found[body] = (old[0] + f, old[1] + point.cross(f))
    return found


def on_environment(m: Mechanism, q: Vector, qd: Vector) -> dict[int, Wrench]:
    """Return the same wrenches as the links exert them on the springs."""
    return {j: (-f, -n) for j, (f, n) in spring_wrenches(m, q, qd).items()}


def link_wrenches(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
) -> list[list[Scalar]]:
    """Return (f_j, m_j) of every link, what the springs carry included."""
    pulled = on_environment(m, q, qd) if m.springs else {}
    return newton_euler.link_wrenches(m, q, qd, qdd, added(pulled, wrenches or {}))


def added(a: Mapping[int, Wrench], b: Mapping[int, Wrench]) -> dict[int, Wrench]:
    """Return the sum of two sets of wrenches on bodies."""
    total = dict(a)
    for j, (f, n) in b.items():
        old = total.get(j, (ZERO, ZERO))
        total[j] = (old[0] + f, old[1] + n)
    return total


def spring_forces(m: Mechanism, q: Vector, qd: Vector) -> list[Scalar]:
    """Return the generalized forces of the springs on the joints."""
    if not m.springs:
        return [0] * m.nv
    return wrench_forces(m, q, spring_wrenches(m, q, qd))


def wrench_forces(m: Mechanism, q: Vector, wrenches: Mapping[int, Wrench]) -> list[Scalar]:
    """Return the generalized forces of wrenches on bodies (link axes, at the frame origins)."""
    q_, acting = m.split_q(q), dict(wrenches)
    forces: dict[int, list[Scalar]] = {}
    for j, body in m.inward():
        f, n = acting.get(j, (ZERO, ZERO))
        forces[j] = body.project(q_[j], f, n)
        if body.parent >= 0 and j in acting:
            R, P = body.pose(q_[j])
            turned = R @ f
            old = acting.get(body.parent, (ZERO, ZERO))
            acting[body.parent] = (old[0] + turned, old[1] + R @ n + P.cross(turned))
    return m.join(forces)


def point_spring_energy(m: Mechanism, q: Vector) -> Scalar:
    """Return ½ Σ stiffness (l - length)²."""
    energy: Scalar = 0
    states = body_states(m, q, [0] * m.nv)
    for s in m.springs:
        gap, _ = _gap(s, states)
        square = gap.dot(gap)
        if is_zero(s.length):
            energy = energy + s.stiffness * square * 0.5
        else:
            stretch = sqrt(square) - s.length
            energy = energy + s.stiffness * (stretch * stretch) * 0.5
    return energy
