"""Rows H(q) q̇ = h of single velocity constraints: wheels that do not slip, equations, given rates.

DeSantis (1996), (2.9)-(2.11). Each constraint gives its row of H and the rate of that row.
Equations in the coordinates f(q, t) = 0 are holonomic: their rates are meant. Steering angles that
are no joints are prescribed with their rates. A prescribed joint is in q; its rate and its
acceleration are given, and its force is that of a constraint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..algebra import Rotation, Transform, Vec3
from ..errors import ModelError, shown
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Vector as Values
from ..mechanism import Mechanism, Wheel, is_rolling, joint_name
from .constraint_row import Row
from .equation_rows import TIME, equation_row, is_position, position_gap
from .kinematics import target_jacobian, target_jacobian_derivative
from .rolling_rows import CONTACT, rolling_gaps, rolling_names, rolling_rows

Steering = Mapping[str, tuple[Scalar, Scalar]]
PLANE = Vec3(0, 0, 1)  # wheels stand on a plane normal to the z axis of their body


def velocity_names(m: Mechanism) -> tuple[str, ...]:
    """Return the name of each row: wheels, rolling bodies, equations, prescribed joints."""
    wheels = [n for w in m.wheels for n in wheel_names(w)]
    rolls = [name for c in m.rolling for name in rolling_names(c)]
    told = [c.name for c in m.velocity_constraints]
    return (*wheels, *rolls, *told, *(joint_name(m.bodies[j]) for j in prescribed_joints(m)))


def wheel_names(wheel: Wheel) -> tuple[str, ...]:
    """Return the rows of a wheel: sideways without a tyre that slips, rolling with a radius."""
    side = (wheel.name,) if wheel.tyre is None else ()
    return (*side, f"{wheel.name}.roll") if wheel.radius is not None else side


def velocity_rows(m: Mechanism, q: Vector, qd: Vector, steer: Steering, t: Scalar = 0) -> list[Row]:
    """Return the rows of wheels, rolling bodies, equations and prescribed joints.

    `steer` gives angles and rates. Time is that of `steer`, when it is there, with its rate.
    """
    clock = steer.get(TIME, (t, 1))
    out = [row for wheel in m.wheels for row in _wheel(m, wheel, q, qd, steer)]
    out += [row for c in m.rolling for row in rolling_rows(m, c, q, qd)]
    out += [equation_row(m, c, q, qd, clock) for c in m.velocity_constraints]
    return out + [_given(m, j, *steer[rate_of(m, j)]) for j in prescribed_joints(m)]


def position_names(m: Mechanism) -> tuple[str, ...]:
    """Return the rows that are rates of positions: contacts and equations in the coordinates."""
    touching = [n for c in m.rolling for n in rolling_names(c) if n.endswith(CONTACT)]
    return (*touching, *(c.name for c in m.velocity_constraints if is_position(m, c)))


def velocity_gaps(m: Mechanism, q: Vector, t: Scalar = 0) -> list[Scalar]:
    """Return f(q, t) of each row that is one of coordinates, zero for the others."""
    wheels = sum(len(wheel_names(w)) for w in m.wheels)
    told = [position_gap(m, c, q, t) if is_position(m, c) else 0 for c in m.velocity_constraints]
    rolls = [gap for c in m.rolling for gap in rolling_gaps(m, c, q)]
    return [*([0] * wheels), *rolls, *told, *([0] * len(prescribed_joints(m)))]


def steering_names(m: Mechanism) -> tuple[str, ...]:
    """Return the prescribed angles that are not joints."""
    return tuple(n for n in m.prescribed if n not in m.joint_names)


def prescribed_joints(m: Mechanism) -> tuple[int, ...]:
    """Return the bodies whose joints follow a given motion."""
    return tuple(named_joint(m, n) for n in m.prescribed if n in m.joint_names)


def prescribed_names(m: Mechanism) -> tuple[str, ...]:
    """Return the names of prescribed values: steering angles, rates of joints, time.

    The rate of a joint's rate is its acceleration. Time is last, where it is met; its rate is 1.
    """
    given = (*steering_names(m), *(rate_of(m, j) for j in prescribed_joints(m)))
    return (*given, TIME) if is_timed(m) and TIME not in given else given


def rate_of(m: Mechanism, j: int) -> str:
    """Return the name under which the rate of a prescribed joint is given."""
    return f"rate of {joint_name(m.bodies[j])}"


def is_timed(m: Mechanism) -> bool:
    """Return whether a velocity constraint depends on time."""
    told = (c.expression for c in m.velocity_constraints)
    return any(e is not None and TIME in e.names() for e in told)


def _given(m: Mechanism, j: int, rate: Scalar, acceleration: Scalar) -> Row:
    """Return the row of a joint whose motion is prescribed: its own rate is the one given."""
    H = list(Values.unit(m.nv, m.velocity_index[j]))
    return Row(joint_name(m.bodies[j]), H, [0] * m.nv, rate, acceleration)


def wheel_angle(
    m: Mechanism, wheel: Wheel, q: Vector, qd: Vector, steer: Steering
) -> tuple[Scalar, Scalar]:
    """Return the steering angle of a wheel and its rate."""
    if wheel.steer is None:
        return 0, 0
    if wheel.steer in steer:
        return steer[wheel.steer]
    j = named_joint(m, wheel.steer)
    return m.split_q(q)[j][0], m.split(qd)[j][0]


def named_joint(m: Mechanism, name: str) -> int:
    """Return the body of a joint of one freedom."""
    for j, body in m.outward():
        if body.joint.nv == 1 and joint_name(body) == name:
            return j
    raise ModelError(
        f"{shown(name)!r} is neither a joint of one freedom nor prescribed",
        hint="joints: " + ", ".join(map(shown, m.joint_names[:12])),
    )


def heading(wheel: Wheel, angle: Scalar) -> tuple[Vec3, Vec3]:
    """Return (lateral normal, rolling direction) of a wheel in the axes of its body."""
    steered = Rotation.about(2, angle) if wheel.steer is not None else Rotation()
    normal = steered @ wheel.normal
    return normal, normal.cross(PLANE)


def _wheel(m: Mechanism, wheel: Wheel, q: Vector, qd: Vector, steer: Steering) -> list[Row]:
    found = [sideways_row(m, wheel, q, qd, steer)] if wheel.tyre is None else []
    if wheel.radius is not None:
        if wheel.spin is None:
            raise ModelError(f"wheel {wheel.name!r} has a radius and no spin joint")
        # rolling: the speed of the hub is radius times the spin
        row, k = forward_row(m, wheel, q, qd, steer), m.velocity_index[named_joint(m, wheel.spin)]
        H = list(Values(row.H).less({k: wheel.radius}))
        found.append(replace(row, name=f"{wheel.name}.roll", H=H))
    return found


def _along(
    m: Mechanism, wheel: Wheel, direction: Vec3, rate: Vec3, q: Vector, qd: Vector
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the row of the wheel point's velocity along a direction of its body, and its rate."""
    target = (wheel.body, Transform(Rotation(), wheel.point))
    J, Jd = target_jacobian(m, target, q)[:3], target_jacobian_derivative(m, target, q, qd)[:3]
    H, Hd = J.T @ list(direction), Jd.T @ list(direction) + J.T @ list(rate)
    return list(H), list(Hd)


def sideways_row(m: Mechanism, wheel: Wheel, q: Vector, qd: Vector, steer: Steering) -> Row:
    """Return the row of a wheel's speed along its normal."""
    angle, turning = wheel_angle(m, wheel, q, qd, steer)
    normal, forward = heading(wheel, angle)
    # as the wheel is steered its normal turns towards -forward
    return Row(wheel.name, *_along(m, wheel, normal, forward * -turning, q, qd))


def forward_row(m: Mechanism, wheel: Wheel, q: Vector, qd: Vector, steer: Steering) -> Row:
    """Return the row of a wheel's speed along its rolling direction."""
    angle, turning = wheel_angle(m, wheel, q, qd, steer)
    normal, forward = heading(wheel, angle)
    return Row(f"{wheel.name}.v", *_along(m, wheel, forward, normal * turning, q, qd))


# -- rows beside closed loops: what is prescribed is told to the mechanism ---------------------


def with_told(m: Mechanism, angles: Vector, rates: Vector) -> Mechanism:
    """Return the mechanism at given steering angles, rates of prescribed joints and time."""
    told = tuple(zip(prescribed_names(m), angles, rates, strict=True))
    return replace(m, told=told, checked=True)


def steering_of(m: Mechanism) -> dict[str, tuple[Scalar, Scalar]]:
    """Return the prescribed values that a mechanism was told, with rates; others are at rest."""
    told = {name: (x, rate) for name, x, rate in m.told}
    return {n: told.get(n, (0, 1 if n == TIME else 0)) for n in prescribed_names(m)}


def held_names(m: Mechanism) -> tuple[str, ...]:
    """Return the rows that stand beside closed loops: none where only joints are prescribed."""
    return velocity_names(m) if is_rolling(m) else ()


def held_units(m: Mechanism) -> list[str]:
    """Return the unit of each of these rows: m of a contact, 1 where a text decides it."""
    touching = sum(len(wheel_names(w)) for w in m.wheels)
    touching += sum(len(rolling_names(c)) for c in m.rolling)
    return ["m" if k < touching else "1" for k in range(len(held_names(m)))]


def held_rows(m: Mechanism, q: Vector, qd: Vector) -> list[Row]:
    """Return the rows that stand beside closed loops."""
    return velocity_rows(m, q, qd, steering_of(m)) if is_rolling(m) else []


def held_gaps(m: Mechanism, q: Vector) -> list[Scalar]:
    """Return how far coordinates are from what each of these rows asks of them."""
    return velocity_gaps(m, q, steering_of(m).get(TIME, (0, 1))[0]) if is_rolling(m) else []
