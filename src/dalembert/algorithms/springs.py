"""Springs and dampers between two points of two bodies.

Along the line from point i to point j: a pull of stiffness (l - length) + damping l', on point i
towards j and on point j towards i. A spring without natural length and damping is linear in the
gap, so that it may shrink to a point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..algebra import Vec3, is_plain_zero
from ..expr import Scalar, sqrt
from ..joint import Vector
from ..mechanism import Mechanism, PointSpring
from ..spatial import NO_WRENCH, Wrench
from . import newton_euler
from .link_motion import State, states
from .newton_euler import Wrenches
from .tyres import tyre_wrenches


def without_springs(m: Mechanism) -> Mechanism:
    """Return the mechanism without its point springs."""
    return replace(m, springs=(), checked=True) if m.springs else m


def is_pulled(m: Mechanism) -> bool:
    """Whether springs or tyres act on bodies."""
    return bool(m.springs) or any(w.tyre for w in m.wheels)


def _gap(s: PointSpring, state: Mapping[int, State]) -> tuple[Vec3, Vec3]:
    """Return the vector from point i to point j, and its rate."""
    gap = state[s.body_j].point(s.point_j) - state[s.body_i].point(s.point_i)
    return gap.x, gap.xd


def _pull(s: PointSpring, gap: Vec3, rate: Vec3) -> Vec3:
    """Return the force on point i."""
    if is_plain_zero(s.length) and is_plain_zero(s.damping):
        return gap * s.stiffness
    l = sqrt(gap.dot(gap))
    u = gap * (1 / l)
    return u * (s.stiffness * (l - s.length) + s.damping * u.dot(rate))


def spring_wrenches(m: Mechanism, q: Vector, qd: Vector) -> dict[int, Wrench]:
    """Return the wrench of springs and tyres on each body, link axes, at the frame origin."""
    state = states(m, q, qd)
    found: dict[int, Wrench] = {}
    for s in m.springs:
        pull = _pull(s, *_gap(s, state))
        for body, point, force in ((s.body_i, s.point_i, pull), (s.body_j, s.point_j, -pull)):
            if body >= 0:
                f = state[body].R.T @ force
                found[body] = found.get(body, NO_WRENCH) + Wrench(f, point.cross(f))
    for body, wrench in tyre_wrenches(m, q, qd, state):
        found[body] = found.get(body, NO_WRENCH) + wrench
    return found


def with_pull(
    m: Mechanism, q: Vector, qd: Vector, wrenches: Wrenches | None = None
) -> dict[int, Wrench]:
    """Return the wrenches that links exert on the environment, on point springs and tyres."""
    pulled = spring_wrenches(m, q, qd) if is_pulled(m) else {}
    return added({j: -wrench for j, wrench in pulled.items()}, wrenches or {})


def sprung_link_wrenches(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> list[list[Scalar]]:
    """Return (f_j, m_j) of every link, what the springs carry included."""
    return newton_euler.link_wrenches(m, q, qd, qdd, with_pull(m, q, qd, wrenches))


def added(a: Wrenches, b: Wrenches) -> dict[int, Wrench]:
    """Return the sum of two sets of wrenches on bodies."""
    return {**a, **{j: a[j] + w if j in a else w for j, w in b.items()}}


def spring_forces(m: Mechanism, q: Vector, qd: Vector) -> list[Scalar]:
    """Return the generalized forces of springs and tyres on the joints."""
    if not is_pulled(m):
        return [0] * m.nv
    return wrench_forces(m, q, spring_wrenches(m, q, qd))


def wrench_forces(m: Mechanism, q: Vector, wrenches: Mapping[int, Wrench]) -> list[Scalar]:
    """Return the generalized forces of wrenches on bodies (link axes, at the frame origins)."""
    q_, acting = m.split_q(q), dict(wrenches)
    forces: dict[int, list[Scalar]] = {}
    for j, body in m.inward():
        forces[j] = body.project(q_[j], acting.get(j, NO_WRENCH))
        if body.parent >= 0 and j in acting:
            there = acting[j].to_parent(*body.pose(q_[j]))
            acting[body.parent] = acting.get(body.parent, NO_WRENCH) + there
    return m.join(forces)


def point_spring_energy(m: Mechanism, q: Vector) -> Scalar:
    """Return ½ Σ stiffness (l - length)²."""
    energy: Scalar = 0
    state = states(m, q)
    for s in m.springs:
        gap, _ = _gap(s, state)
        square = gap.dot(gap)
        if is_plain_zero(s.length):
            energy = energy + s.stiffness * square * 0.5
        else:
            stretch = sqrt(square) - s.length
            energy = energy + s.stiffness * (stretch * stretch) * 0.5
    return energy
