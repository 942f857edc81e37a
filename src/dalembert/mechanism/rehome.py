"""Bodies merged, inserted or replaced, with every record that names a body moved along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Transform, is_plain_zero
from ..errors import ModelError
from ..expr import Expr
from ..expr.exact import exact
from ..inertia import Inertia
from ..joint import UNITS, Fixed, Planar, Prismatic, Revolute
from .mechanism import Mechanism
from .parts import Body, Drive, Frame, JointSpring, joint_name


def merge_fixed(m: Mechanism) -> Mechanism:
    """Return the mechanism with every fixed body merged into its parent; frames stay named."""
    return merged(m, {j: [] for j, b in enumerate(m.bodies) if isinstance(b.joint, Fixed)})


def expand_planar(m: Mechanism) -> Mechanism:
    """Return the mechanism with each planar joint as two slides and a rotation.

    The fictitious bodies between them are massless (Liégeois and Aldon 1980, footnote of §2.2);
    coordinates and rates stay the same numbers in the same order.
    """
    if not any(isinstance(b.joint, Planar) for b in m.bodies):
        return m
    new: dict[int, int] = {-1: -1}
    bodies: list[Body] = []
    for j, body in enumerate(m.bodies):
        parent = new[body.parent]
        if isinstance(body.joint, Planar):
            for k, axis in enumerate(UNITS[:2]):
                place = body.placement if k == 0 else Transform()
                bodies.append(Body(f"{body.name}.{'xy'[k]}", parent, place, Prismatic(axis)))
                parent = len(bodies) - 1
            body = replace(body, placement=Transform(), joint=Revolute(), limits=body.limits[2:])
        new[j] = len(bodies)
        bodies.append(replace(body, parent=parent))
    home = {j: (k, Transform()) for j, k in new.items()}
    return rehomed(m, {}, home, tuple(bodies), ())


def flexible(m: Mechanism, joints: Mapping[int, tuple[Any, Any, Any]]) -> Mechanism:
    """Return the mechanism with a motor and a spring in each of these joints (Spong 1987).

    `joints`: body index -> (stiffness, motor inertia, damping). The motor side keeps the joint's
    name, a massless body, its friction, and the motor inertia as rotor inertia; the link side turns
    on it by the deflection, whose joint is named `<joint>.flex`.
    """
    new: dict[int, int] = {-1: -1}
    bodies: list[Body] = []
    for j, body in enumerate(m.bodies):
        parent = new[body.parent]
        if j in joints:
            name = joint_name(body)
            if body.joint.nv != 1:
                raise ModelError(
                    f"joint {name!r} has {body.joint.nv} degrees of freedom: it cannot be flexible"
                )
            if is_plain_zero(joints[j][0]):
                raise ModelError(
                    f"joint {name!r} is elastic and has no stiffness", hint="stiffness=1e4"
                )
            motor = replace(
                body, name=f"{body.name}.motor", parent=parent, joint_name=name, inertia=Inertia()
            )
            bodies.append(motor)
            parent = len(bodies) - 1
            body = replace(
                body,
                placement=Transform(),
                joint_name=f"{name}.flex",
                limits=(),
                velocity_limit=None,
                effort_limit=None,
            )
        new[j] = len(bodies)
        bodies.append(replace(body, parent=parent))
    home = {j: (k, Transform()) for j, k in new.items()}
    moved = rehomed(m, {}, home, tuple(bodies), ())
    springs = tuple(JointSpring(new[j], k, 0, d) for j, (k, _, d) in joints.items())
    before = {d.joint: d for d in m.drives}
    motors = tuple(
        _geared(before.get(j, Drive(j)), new[j] - 1, x) for j, (_, x, _) in joints.items()
    )
    replaced = {new[j] for j in joints}
    kept = tuple(d for d in moved.drives if d.joint not in replaced)
    return replace(moved, drives=kept + motors, elastic=moved.elastic + springs)


def _geared(drive: Drive, joint: int, inertia: Any) -> Drive:
    """Return a drive at another joint, with another inertia seen there; its friction stays."""
    own = inertia if drive.gear == 1 else exact(inertia / (drive.gear * drive.gear))
    return replace(drive, joint=joint, inertia=own)


def merged(m: Mechanism, held: Mapping[int, Sequence[Any]], standing: bool = False) -> Mechanism:
    """Return the mechanism without the bodies in `held`, whose coordinates are given.

    With `standing` those that come to stand on the base stay there as fixed bodies, with their
    mass.
    """
    home: dict[int, tuple[int, Transform]] = {-1: (-1, Transform())}  # old body -> new one, pose
    bodies: list[Body] = []
    frames: list[Frame] = []
    for j, body in enumerate(m.bodies):
        parent, pose = home[body.parent]
        if j not in held:
            home[j] = (len(bodies), Transform())
            bodies.append(replace(body, parent=parent, placement=pose @ body.placement))
            continue
        R, p = body.pose(held[j])
        place = pose @ _exactly(Transform(R, p))
        if standing and parent < 0 and not body.inertia.is_massless():
            home[j] = (len(bodies), Transform())
            bodies.append(Body(body.name, -1, place, Fixed(), body.inertia))
            continue
        home[j] = (parent, place)
        frames.append(Frame(body.name, parent, place))
        if parent >= 0 and not body.inertia.is_massless():
            bodies[parent] = replace(
                bodies[parent], inertia=bodies[parent].inertia + body.inertia.moved(place)
            )
    return rehomed(m, held, home, tuple(bodies), tuple(frames))


def _exactly(T: Transform) -> Transform:
    return T.map(lambda x: exact(x) if isinstance(x, Expr) and x.value is not None else x)


def rehomed(
    m: Mechanism,
    held: Mapping[int, Any],
    home: Mapping[int, tuple[int, Transform]],
    bodies: tuple[Body, ...],
    frames: tuple[Frame, ...],
) -> Mechanism:
    """Return the mechanism on new bodies, with every record that named an old body moved."""
    changes: dict[str, Any] = {"named": frames, "changes": () if held else m.changes}
    for f in m.named:
        body, place = home[f.body]
        changes["named"] += (Frame(f.name, body, place @ f.placement),)
    for field in ("springs", "loops", "wheels", "rolling"):
        changes[field] = tuple(replace(r, **onto(r, home)) for r in getattr(m, field))
    for field in ("drives", "elastic", "couplings"):
        kept = [
            r for r in getattr(m, field) if r.joint not in held and getattr(r, "of", -1) not in held
        ]
        changes[field] = tuple(
            replace(
                r, joint=home[r.joint][0], **({"of": home[r.of][0]} if hasattr(r, "of") else {})
            )
            for r in kept
        )
    gone = {joint_name(m.bodies[j]) for j in held}
    for field in ("active", "prescribed", "speeds"):
        changes[field] = tuple(n for n in getattr(m, field) if n not in gone)
    return replace(m, bodies=bodies, checked=True, **changes)


def onto(
    record: Any, home: Mapping[int, tuple[int, Transform]], strict: bool = True
) -> dict[str, Any]:
    """Return the changed fields of a record whose bodies moved: points, axes, rotations.

    Without `strict` a body that is not in `home` stays.
    """
    changes: dict[str, Any] = {}
    parts = (
        ("body", "point", "normal", None),
        ("body_i", "point_i", "axis", "rotation_i"),
        ("body_j", "point_j", "axis_j", "rotation_j"),
    )
    for body, point, axis, rotation in parts:
        if not hasattr(record, body) or not hasattr(record, point):
            continue
        if not strict and getattr(record, body) not in home:
            continue
        k, place = home[getattr(record, body)]
        changes[body] = k
        changes[point] = place @ getattr(record, point)
        given = getattr(record, axis, None)
        if axis == "axis_j" and given is None and hasattr(record, axis):
            given = record.axis  # of a loop: the same components in both bodies
        if given is not None:
            changes[axis] = place.R @ given
        if rotation and hasattr(record, rotation):
            changes[rotation] = place.R @ getattr(record, rotation)
    return changes
