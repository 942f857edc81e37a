"""What is physically odd about the numbers of a mechanism: it is reported, and nothing altered."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..algebra import is_plain_zero
from ..errors import shown
from ..expr import Expr
from ..expr.exact import to_float
from .follower import own_joint
from .parts import Body, Drive, JointSpring, PointSpring, joint_name
from .validate import numeric

if TYPE_CHECKING:
    from .mechanism import Mechanism


def report(m: Mechanism) -> list[str]:
    """Return remarks on masses, inertias and friction that no machine has.

    Letters with a value are judged by it, others not at all.
    """
    m = _at_values(m)
    remarks, carried = [], _carriers(m)
    for j, body in enumerate(m.bodies):
        inertia = body.inertia
        if numeric(body.m) and to_float(body.m) < 0:  # a letter's: a number is refused
            remarks.append(f"body {shown(body.name)!r}: negative mass {to_float(body.m):g}")
        if inertia.is_massless():
            if body.joint.nv and j not in carried:
                remarks.append(f"body {shown(body.name)!r} is massless")
            continue
        six = inertia.about_centre.six()
        if not numeric(inertia.mass, *six):
            continue
        values = [Fraction(x) if not isinstance(x, Expr) else Fraction(to_float(x)) for x in six]
        remarks.extend(f"body {shown(body.name)!r}: {odd}" for odd in _oddities(values))
        if is_plain_zero(inertia.mass) and any(values):
            remarks.append(f"body {shown(body.name)!r} has inertia but no mass")
    remarks += [odd for body in m.bodies for odd in (*_in_degrees(body), *_limits(body))]
    remarks += [odd for d in m.drives for odd in _friction(m, d)]
    for s in m.elastic:
        remarks += _negative(f"spring in joint {shown(joint_name(m.bodies[s.joint]))!r}", s)
    for k, spring in enumerate(m.springs):
        remarks += _negative(f"spring {k + 1}", spring)
    return remarks


def _at_values(m: Mechanism) -> Mechanism:
    """Return the mechanism with numbers where all letters of an expression have a value."""
    known = m.floats
    if not known:
        return m

    def number(x: Any) -> Any:
        if not isinstance(x, Expr) or not x.names() or not known.keys() >= set(x.names()):
            return x
        try:
            value = to_float(x, known)
        except (ArithmeticError, ValueError):
            return x
        return value if isfinite(value) else x

    return m.map(number)


def _limits(body: Body) -> list[str]:
    """Return what is odd about limits: ends the wrong way round, a negative speed or force."""
    name, odd = f"joint {shown(joint_name(body))!r}", list[str]()
    for low, high in body.limits:
        if low is not None and high is not None and numeric(low, high):
            ends = to_float(low), to_float(high)
            odd += [f"{name}: limits {ends[0]:g} to {ends[1]:g}"] if ends[0] > ends[1] else []
    for x, what in ((body.velocity_limit, "velocity"), (body.effort_limit, "effort")):
        if x is not None and numeric(x) and to_float(x) < 0:
            odd.append(f"{name}: negative {what} limit {to_float(x):g}")
    return odd


def _carriers(m: Mechanism) -> set[int]:
    """Return the massless bodies that only stand between joints, such as the slides of a base.

    Something heavy follows at the same place, or behind a slide. A massless arm is not meant.
    """
    found: set[int] = set()
    for c in range(len(m.bodies) - 1, -1, -1):
        body, i = m.bodies[c], m.bodies[c].parent
        if i < 0 or (body.inertia.is_massless() and c not in found):
            continue
        slides = m.bodies[i].joint.kind == "prismatic"
        if slides or not body.joint.nv or body.placement.p.is_zero():
            found.add(i)
    return found


def _negative(name: str, record: JointSpring | PointSpring) -> list[str]:
    """Return which numbers of a spring are below zero, as those of no spring are."""
    found = ((what, getattr(record, what, 0)) for what in ("stiffness", "damping", "length"))
    return [
        f"{name}: negative {what} {to_float(x):g}"
        for what, x in found
        if numeric(x) and to_float(x) < 0
    ]


def _in_degrees(body: Body) -> list[str]:
    """Return a question where the limits of an angle are round numbers of many turns."""
    given = [x for pair in body.limits for x in pair if x is not None]
    if body.joint.kind != "revolute" or not numeric(*given):
        return []
    ends = [to_float(x) for x in given]
    if not ends or max(map(abs, ends)) < 30 or any(x % 5 or abs(x) > 360 for x in ends):
        return []
    name, text = shown(joint_name(body)), " to ".join(f"{x:g}" for x in ends)
    return [f"limits of joint {name!r}: {text} rad; if they are degrees, write {ends[-1]:g}deg"]


def _friction(m: Mechanism, d: Drive) -> list[str]:
    """Return what is odd about a drive: friction that would push the joint on."""
    name = f"drive of joint {shown(joint_name(m.bodies[d.joint]))!r}"
    odd = [] if own_joint(m.bodies[d.joint].joint).nv else [f"{name}: this joint does not move"]
    signed = ((d.viscous, "viscous friction"), (d.inertia, "rotor inertia"))
    for x, what in (*signed, (d.stribeck, "Stribeck speed")):
        if numeric(x) and to_float(x) < 0:
            odd.append(f"{name}: negative {what} {to_float(x):g}")
    ahead, back = d.coulomb
    if (numeric(ahead) and to_float(ahead) < 0) or (numeric(back) and to_float(back) > 0):
        pair = ", ".join(f"{to_float(x):g}" if numeric(x) else str(x) for x in d.coulomb)
        odd.append(
            f"{name}: Coulomb friction ({pair}) drives the joint; the pair is "
            "(at positive speed, at negative speed), as (0.4, -0.43)"
        )
    return odd


def _oddities(six: list[Fraction]) -> list[str]:
    xx, yy, zz, xy, xz, yz = six
    scale = max(abs(float(x)) for x in six) or 1.0
    if min(xx, yy, zz) < 0 or not _is_semidefinite(six, scale):
        return ["the inertia tensor about the mass centre is not positive semidefinite"]
    # tr(I)/2 1 - I must be positive semidefinite: the triangle inequality in any axes
    half = (xx + yy + zz) / 2
    if not _is_semidefinite([half - xx, half - yy, half - zz, -xy, -xz, -yz], scale):
        return ["the principal inertias violate the triangle inequality"]
    return []


def _is_semidefinite(six: list[Fraction], scale: float) -> bool:
    """Return whether all principal minors of a symmetric matrix are positive, or rounding."""
    xx, yy, zz, xy, xz, yz = six
    minors = (xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz)
    det = xx * minors[2] - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    by_size = ((xx, yy, zz), minors, (det,))
    return all(float(min(own)) >= -1e-12 * scale**k for k, own in enumerate(by_size, 1))
