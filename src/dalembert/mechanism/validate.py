"""What a mechanism must satisfy, checked once at construction; what is merely odd is in `odd`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..algebra import Vec3, is_plain_zero
from ..errors import ModelError, ParameterError, shown
from ..expr import Expr
from ..expr.exact import to_float
from ..joint import Joint
from .follower import Follower
from .parts import LOOP_JOINTS, Body, joint_name

if TYPE_CHECKING:
    from .mechanism import Mechanism


def validate(m: Mechanism) -> None:
    """Raise ModelError or ParameterError for the first contradiction found."""
    from .validate_wheels import require_rolling, require_wheels

    _types(m)
    require_unique([b.name for b in m.bodies] + [f.name for f in m.named], "frame")
    require_unique([joint_name(b) for b in m.bodies], "joint")
    for j, body in enumerate(m.bodies):
        _body(j, body)
    for record in (*m.named, *m.loops, *m.springs, *m.wheels, *m.rolling):
        for field in ("body", "body_i", "body_j"):
            k = getattr(record, field, -1)
            if not -1 <= k < len(m.bodies):
                raise ModelError(
                    f"{type(record).__name__.lower()}: there is no body {k}",
                    hint=f"bodies are 0 to {len(m.bodies) - 1}; -1 is the base",
                )
    acting: tuple[Any, ...] = (*m.drives, *m.elastic, *m.couplings)
    for part in acting:
        for k in (part.joint, getattr(part, "of", part.joint)):
            if not 0 <= k < len(m.bodies) or not _moves(m.bodies[k].joint):
                moving = [str(j) for j, b in enumerate(m.bodies) if b.joint.nv]
                raise ModelError(
                    f"{type(part).__name__.lower()}: {k} is not a moving joint",
                    hint="bodies with a moving joint, from 0: " + ", ".join(moving[:20]),
                )
    for field, what in (("drives", "drives"), ("elastic", "springs in the joint")):
        seen: set[int] = set()
        for record in getattr(m, field):
            if record.joint in seen:
                name = shown(joint_name(m.bodies[record.joint]))
                raise ModelError(f"joint {name!r} has two {what}", hint="keep one")
            seen.add(record.joint)
    _one_freedom(m)
    for d in m.drives:
        if numeric(d.gear) and to_float(d.gear) == 0:
            name = shown(joint_name(m.bodies[d.joint]))
            raise ModelError(
                f"drive of joint {name!r}: a gear ratio of zero",
                hint="write 1 where there is no gear",
            )
    require_sticking(m)
    _followers(m)
    for c in m.couplings:
        if c.joint == c.of:
            raise ModelError(
                f"joint {shown(m.bodies[c.joint].name)!r} follows itself",
                hint="`of` names the joint that it follows, another one",
            )
    names = {*m.joint_names, *(w.steer for w in m.wheels)}
    for name in (*m.active, *m.prescribed):
        if name not in names:
            raise ModelError(f"{shown(name)!r} is not a joint", hint=choices(m))
    require_wheels(m)
    require_rolling(m)
    require_unique(list(m.active), "active joint")
    _loops(m)
    _parameters(m)


# what the entries of each tuple are, as `parts.py` calls them
ENTRIES = {
    "bodies": "Body", "parameters": "Parameter", "named": "Frame", "drives": "Drive",
    "elastic": "JointSpring", "springs": "PointSpring", "loops": "Loop", "couplings": "Coupling",
    "wheels": "Wheel", "rolling": "RollingContact", "velocity_constraints": "VelocityConstraint",
    "active": "str", "prescribed": "str", "speeds": "str", "speed_equations": "VelocityConstraint",
    "idle": "str", "notes": "str",
}  # fmt: skip


def _types(m: Mechanism) -> None:
    """Raise when a field holds something of another kind, as `dataclasses.replace` lets it."""
    if not isinstance(m.name, str) or not isinstance(m.gravity, Vec3):
        raise ModelError(
            f"name {type(m.name).__name__}, gravity {type(m.gravity).__name__}: a text and a Vec3 "
            "are needed",
            hint="m.with_gravity((0, 0, -9.81)) takes three numbers",
        )
    for name, kind in ENTRIES.items():
        held = getattr(m, name)
        wrong = (
            [held] if not isinstance(held, tuple)
            else [x for x in held if kind not in {c.__name__ for c in type(x).__mro__}]
        )  # fmt: skip
        if wrong:
            one = '"j1"' if kind == "str" else f"{kind}(...)"
            raise ModelError(
                f"{name}: a tuple of {kind} is needed, not {type(wrong[0]).__name__}",
                hint=f"write: dataclasses.replace(m, {name}=({one},))",
            )


def _moves(joint: Joint) -> bool:
    return bool(joint.nv) or isinstance(joint, Follower)


def _one_freedom(m: Mechanism) -> None:
    """Raise for a drive, spring or coupling at a joint whose coordinate it would not know."""
    told = (("has a drive", m.drives), ("is elastic", m.elastic), ("is coupled", m.couplings))
    for what, records in told:
        for record in records:
            for j in (record.joint, getattr(record, "of", record.joint)):
                body = m.bodies[j]
                if body.joint.nv > 1:
                    raise ModelError(
                        f"joint {shown(joint_name(body))!r} {what} and has {body.joint.nv} degrees "
                        "of freedom",
                        hint="write it as joints of one degree of freedom, or as springs = [...] "
                        "between points",
                    )


def _followers(m: Mechanism) -> None:
    """Raise when a joint follows one without a coordinate."""
    for body in m.bodies:
        of = body.joint.of if isinstance(body.joint, Follower) else None
        if of is not None and of not in m.joint_names:
            raise ModelError(
                f"joint {shown(joint_name(body))!r} follows {shown(of)!r}, which is "
                "not a joint with a coordinate",
                hint=choices(m),
            )


def require_unique(names: list[str], what: str) -> None:
    """Raise ModelError for a name that is used twice."""
    seen = set()
    for name in names:
        if name in seen:
            raise ModelError(f"duplicate {what} name {shown(name)!r}", hint="names must differ")
        seen.add(name)


def choices(m: Mechanism) -> str:
    """Return a hint that lists the joints."""
    return "joints: " + ", ".join(map(shown, m.joint_names[:12]))


def _body(j: int, body: Body) -> None:
    where = f"body {shown(body.name)!r}"
    if not -1 <= body.parent < j:
        raise ModelError(
            f"{where}: parent {body.parent} is not an earlier body or -1",
            hint="put parents before children; -1 is the base",
        )
    axis = getattr(body.joint, "axis", None)
    if axis is not None and numeric(*axis) and abs(sum(to_float(x) ** 2 for x in axis) - 1) > 1e-6:
        raise ModelError(
            f"{where}: the joint axis is not a unit vector", hint="divide it by its length"
        )
    if numeric(body.m) and to_float(body.m) < 0:
        raise ModelError(
            f"{where}: negative mass {to_float(body.m):g}", hint="write 0 for a massless body"
        )
    if body.limits and len(body.limits) != body.joint.nq:
        raise ModelError(
            f"{where}: {len(body.limits)} pairs of limits, {body.joint.nq} needed",
            hint="write a pair (lower, upper) for each coordinate, or none",
        )
    for low, high in body.limits:
        known = low is not None and high is not None and numeric(low, high)
        if known and to_float(low) > to_float(high):
            raise ModelError(
                f"{where}: lower limit above upper limit", hint="write the smaller one first"
            )


ABOUT = ("revolute", "prismatic", "cylindrical", "universal")  # cut joints with an axis


def _loops(m: Mechanism) -> None:
    for k, loop in enumerate(m.loops, 1):
        if loop.joint not in LOOP_JOINTS:
            raise ModelError(
                f"loop {k}: unknown joint {shown(loop.joint)!r}",
                hint="one of " + ", ".join(LOOP_JOINTS),
            )
        if loop.joint in ABOUT and loop.axis is None:
            raise ModelError(
                f"loop {k}: a {loop.joint} joint needs an axis",
                hint="write axis = [0, 0, 1], in the axes of body_i",
            )
        if loop.body_i == loop.body_j:
            raise ModelError(
                f"loop {k}: both ends are on the same body",
                hint="body_i and body_j are two bodies; -1 is the base",
            )
        if loop.joint == "rod" and loop.length is None:
            raise ModelError(f"loop {k}: a rod needs a length", hint="write length = 0.5")


def _parameters(m: Mechanism) -> None:
    require_unique([p.name for p in m.parameters], "parameter")
    known = {p.name for p in m.parameters}
    for x in numbers(m):
        if isinstance(x, float) and not isfinite(x):
            raise ModelError(
                f"{shown(m.name)!r} holds the number {x}", hint="masses, lengths, ... are finite"
            )
        if isinstance(x, Expr):
            for name in x.names():
                if name not in known:
                    raise ParameterError(
                        f"parameter {shown(name)!r} is used but not declared",
                        hint=f'in a file: symbols = ["{shown(name)}"]; or Parameter("...")',
                    )


def numeric(*values: Any) -> bool:
    """Return whether none of the values depends on a parameter."""
    return all(not (isinstance(x, Expr) and x.names()) for x in values)


def numbers(m: Mechanism) -> Iterator[Any]:
    """Yield every physical number of a mechanism."""
    seen: list[Any] = []

    def keep(x: Any) -> Any:
        seen.append(x)
        return x

    m.map(keep)
    yield from seen


def require_sticking(m: Mechanism, given: Mapping[str, float] | None = None) -> None:
    """Refuse friction that holds less than it brakes: a joint would stick and slip at once.

    `given` are values of parameters beside those of the mechanism; levels without one are open.
    """
    values: dict[str, float] = {}
    for d in m.drives:
        if all(is_plain_zero(x) for x in d.static):
            continue
        if not numeric(*d.static, *d.coulomb):
            values = values or m.floats | dict(given or {})
        for level, moving, sign in zip(d.static, d.coulomb, (1, -1), strict=True):
            try:
                held, slid = to_float(level, values), to_float(moving, values)
            except ParameterError:
                continue
            if sign * held < sign * slid:
                name = shown(joint_name(m.bodies[d.joint]))
                raise ModelError(
                    f"drive of joint {name!r}: the static level {held:g} is below "
                    f"the Coulomb friction of motion, {slid:g}",
                    hint="friction holds a joint at rest with at least what brakes its motion: "
                    "raise `static`, or leave it out (then it is that of `coulomb`)",
                )
