"""Robots in MJCF, compiled by MuJoCo itself: defaults, inertias of geoms, frames and units are its.

Hinge, slide, ball and free joints; armature, damping, frictionloss and stiffness; equality
constraints as loops (connect, weld) and couplings (joint). The format:
https://mujoco.readthedocs.io/en/stable/XMLreference.html. A file may name meshes and further files,
which MuJoCo opens. What has no meaning here (contacts, actuators, most tendons) is listed in the
notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..errors import DescriptionError, Place, UsageError, shown
from ..expr import Graph
from ..expr.exact import exact
from ..inertia import Inertia
from ..joint import Fixed, Free, Joint, Prismatic, Revolute, Spherical, quaternion_matrix
from ..mechanism import Body, Drive, Frame, JointSpring, Mechanism
from .context import Context
from .exact_pose import factored, unit_axis
from .expressions import snap_angle
from .fields import exact_turn
from .mjcf_constraints import active, equalities, note, tendon_actions
from .xml_tree import parse_xml

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
_LINE = re.compile(r"line ([0-9]+)")
COUNTED = (
    ("nu", "actuators"), ("nsensor", "sensors"), ("nkey", "keyframes"),
    ("nflex", "flexible bodies"), ("nskin", "skins"), ("nplugin", "plugins"), ("npair", "pairs"),
    ("nmocap", "mocap bodies (taken as fixed)"), ("ngravcomp", "bodies with gravcomp"),
)  # fmt: skip


@dataclass
class _Model:
    """A compiled model on its way to a Mechanism."""

    model: Any
    snap: float | None
    graph: Graph = field(default_factory=Graph)
    bodies: list[Body] = field(default_factory=list)
    named: list[Frame] = field(default_factory=list)
    home: dict[int, tuple[int, Transform]] = field(default_factory=dict)  # of each body's frame
    joint: dict[int, int] = field(default_factory=dict)  # joint of the model -> body
    left: list[str] = field(default_factory=list)  # what is not read

    def vector(self, values: Any) -> Vec3:
        return Vec3(*(exact(float(x)) for x in values))

    def rotation(self, quat: Any) -> Rotation:
        """Return the rotation of a quaternion w, x, y, z; exact where it is a rounded one."""
        w, x, y, z = (float(v) for v in quat)
        if abs(w) == 1:
            return Rotation()
        matrix = quaternion_matrix(x, y, z, w).map(lambda v: exact(float(v)))
        return factored(matrix, self.graph, keep=self.snap == 0).rotation

    def off(self, *words: str) -> bool:
        """Return whether <flag> switches one of these off."""
        bits = _mujoco().mjtDisableBit
        flags = int(self.model.opt.disableflags)
        return any(flags & int(getattr(bits, f"mjDSBL_{word}")) for word in words)

    def name(self, kind: str, k: int, default: str) -> str:
        return getattr(self.model, kind)(k).name or default


def read_mjcf(text: str | bytes, context: Context) -> Mechanism:
    """Return the mechanism of an MJCF text; meshes stand beside its file."""
    parse_xml(text, context.source)  # no document types, no entities
    model, warnings = _compiled(text, context)
    made = _Model(model, context.snap)
    for k in range(1, made.model.nbody):
        _body(made, k)
    g = made.vector(model.opt.gravity)
    if made.off("GRAVITY"):
        g = Vec3(0, 0, 0)
    loops, couplings = equalities(made)
    drives, elastic = _actions(made)
    names = active(made, loops)
    notes = (*_notes(made), *note(loops, names), *warnings)
    root = made.model.names.split(b"\0", 1)[0].decode("utf-8", "replace")
    return Mechanism(
        tuple(made.bodies), root or "mechanism", g, named=tuple(made.named), drives=drives,
        elastic=elastic, loops=loops, couplings=couplings, active=names, notes=notes,
    )  # fmt: skip


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        what = "an MJCF file is compiled by MuJoCo, which is not installed"
        raise UsageError(what, hint="pip install mujoco") from None
    return mujoco


def _compiled(text: str | bytes, context: Context) -> tuple[Any, list[str]]:
    """Return the compiled model and MuJoCo's warnings, which it would else write to a file."""
    mujoco = _mujoco()
    warnings: list[str] = []
    handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda said: warnings.append(f"MuJoCo: {shown(str(said), 200)}"))
    try:
        if context.file is not None:
            return mujoco.MjModel.from_xml_path(str(context.file)), warnings
        plain = text if isinstance(text, str) else text.decode("utf-8-sig")
        return mujoco.MjModel.from_xml_string(plain), warnings
    except (ValueError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        line = _LINE.search(said)
        where = Place(context.source, int(line[1]) if line else 1)
        raise DescriptionError(f"MJCF: {shown(said, 300)}", where) from None
    finally:
        mujoco.set_mju_user_warning(handler)


# -- bodies and joints -------------------------------------------------------------------------


def _body(made: _Model, k: int) -> None:
    """Add body k: one body for each of its joints, all but the last massless."""
    model = made.model
    name = made.name("body", k, f"body{k}")
    parent, at = made.home.get(int(model.body_parentid[k]), (-1, Transform()))
    T = at @ Transform(made.rotation(model.body_quat[k]), made.vector(model.body_pos[k]))
    first, count = int(model.body_jntadr[k]), int(model.body_jntnum[k])
    inertia = _inertia(made, k)
    if not count:
        made.home[k] = len(made.bodies), Transform()
        made.bodies.append(Body(name, parent, T, Fixed(), inertia))
        return
    anchor = Vec3(0, 0, 0)
    for i in range(first, first + count):
        last = i == first + count - 1
        joint, zero = _joint(made, i)
        if isinstance(joint, Free):
            # pose and orientation are the coordinates; those of the body are their first values
            T, point = Transform(), Vec3(0, 0, 0)
        else:
            point = made.vector(model.jnt_pos[i])
        T = T @ Transform(Rotation(), point - anchor) @ zero
        back = Transform(Rotation(), -point)
        joint_name = _joint_name(made, i, name, count)
        plain = last and point.is_zero()
        made.joint[i] = len(made.bodies)
        made.bodies.append(
            Body(
                name if plain else f"{name}.{joint_name}",
                parent,
                T,
                joint,
                inertia.moved(back) if last else Inertia(),
                joint_name,
                _limits(made, i),
                effort_limit=_effort(made, i),
            )
        )
        parent, T, anchor = len(made.bodies) - 1, Transform(), point
    made.home[k] = parent, Transform(Rotation(), -anchor)
    if not anchor.is_zero():
        made.named.append(Frame(name, parent, made.home[k][1]))


def _joint_name(made: _Model, i: int, body: str, count: int) -> str:
    model = made.model
    if model.joint(i).name:
        return model.joint(i).name
    # one free body is the base; several are called like their bodies
    alone = sum(int(kind) == FREE for kind in model.jnt_type) == 1
    free = int(model.jnt_type[i]) == FREE
    if free and alone and b"base" not in bytes(model.names).split(b"\0"):
        return "base"
    return body if count == 1 else f"{body}.{i - int(model.body_jntadr[model.jnt_bodyid[i]]) + 1}"


def _joint(made: _Model, i: int) -> tuple[Joint, Transform]:
    """Return joint i, and the frame change that makes its zero that of the model (ref)."""
    model = made.model
    kind = int(model.jnt_type[i])
    if kind == FREE:
        return Free(), Transform()
    if kind == BALL:
        return Spherical(), Transform()
    axis = unit_axis(made.vector(model.jnt_axis[i]), made.graph)
    if axis is None:
        raise DescriptionError(f"joint {i}: the axis is zero")
    ref = exact(float(model.qpos0[model.jnt_qposadr[i]]))
    if kind == SLIDE:
        return Prismatic(axis), Transform(Rotation(), axis * -ref)
    if ref == 0:
        return Revolute(axis), Transform()
    return Revolute(axis), Transform(_about(made, axis, -ref))


def _about(made: _Model, axis: Vec3, angle: Any) -> Rotation:
    from ..joint import rotation_about

    snapped, _ = snap_angle(angle, made.snap, made.graph)
    for k in range(3):
        if abs(axis[k]) == 1:
            return Rotation((exact_turn(k, snapped * axis[k], made.graph),))
    turned = rotation_about(axis.map(float), float(angle))
    return Rotation.of(turned.matrix().map(lambda x: exact(float(x))))


def _inertia(made: _Model, k: int) -> Inertia:
    model = made.model
    xx, yy, zz = made.vector(model.body_inertia[k])
    tensor = Mat3.symmetric(xx, yy, zz, 0, 0, 0)
    quat = [float(x) for x in model.body_iquat[k]]
    if abs(quat[0]) != 1:
        R = made.rotation(quat)
        tensor = R.rotate(tensor).map(exact)
    return Inertia(exact(float(model.body_mass[k])), made.vector(model.body_ipos[k]), tensor)


def _limits(made: _Model, i: int) -> tuple[Any, ...]:
    model = made.model
    if not model.jnt_limited[i]:
        return ()
    if int(model.jnt_type[i]) not in (SLIDE, HINGE):
        made.left.append(f"limit of {shown(made.name('joint', i, f'joint {i}'), 40)}")
        return ()
    return (tuple(exact(float(x)) for x in model.jnt_range[i]),)


def _effort(made: _Model, i: int) -> Any:
    low, high = (float(x) for x in made.model.jnt_actfrcrange[i])
    if not made.model.jnt_actfrclimited[i]:
        return None
    if low != -high:
        name = shown(made.name("joint", i, f"joint {i}"), 40)
        made.left.append(f"force range of {name} ({low:g} to {high:g})")
        return None
    return exact(high)


# -- what acts ---------------------------------------------------------------------------------


def _actions(made: _Model) -> tuple[tuple[Drive, ...], tuple[JointSpring, ...]]:
    """Return the drives (armature, friction) and springs of joints with one freedom."""
    model, drives, springs = made.model, [], []
    motors, tendons = _motors(made), tendon_actions(made)
    off = _switched_off(made)
    for i, j in made.joint.items():
        dof = int(model.jnt_dofadr[i])
        armature, damping, dry = (
            exact(float(column[dof]))
            for column in (model.dof_armature, model.dof_damping, model.dof_frictionloss)
        )
        stiffness = exact(float(model.jnt_stiffness[i]))
        poly = [getattr(model, n, None) for n in ("jnt_stiffnesspoly", "dof_dampingpoly")]
        name = shown(made.bodies[j].joint_name, 40)
        if int(model.jnt_type[i]) not in (SLIDE, HINGE):
            words = ("armature", "damping", "frictionloss", "stiffness")
            for word, x in zip(words, (armature, damping, dry, stiffness), strict=True):
                made.left += [f"{word} of {name} ({made.bodies[j].joint.kind})"] if x else []
            continue
        for column, at in zip(poly, (i, dof), strict=True):
            if column is not None and any(float(x) for x in column[at]):
                made.left.append(f"nonlinear stiffness or damping of {name}")
        if (limit := getattr(model, "jnt_springyield", None)) is not None and float(limit[i]):
            made.left.append(f"yield of the spring of {name}")
        pull = tendons.get(i, {})
        armature = armature + motors[i][0] + pull.get("armature", 0)
        damping = damping + motors[i][1] + pull.get("damping", 0)
        dry = dry + pull.get("frictionloss", 0)
        damping, dry = 0 if "damper" in off else damping, 0 if "frictionloss" in off else dry
        if armature or damping or dry:
            drives.append(Drive(j, armature, 1, (dry, -dry), damping))
        more = pull.get("stiffness", 0)
        if (stiffness or more) and "spring" not in off:
            rest = exact(float(model.qpos_spring[model.jnt_qposadr[i]]))
            both = stiffness + more
            rest = (stiffness * rest + more * pull.get("rest", 0)) / both
            springs.append(JointSpring(j, exact(both), exact(rest)))
    return tuple(drives), tuple(springs)


def _switched_off(made: _Model) -> list[str]:
    """Return which actions <flag> switches off; they are listed where the model has any."""
    model = made.model
    acting = {
        "spring": (("SPRING",), (model.jnt_stiffness, model.tendon_stiffness)),
        "damper": (("DAMPER",), (model.dof_damping, model.tendon_damping)),
        "frictionloss": (
            ("FRICTIONLOSS", "CONSTRAINT"), (model.dof_frictionloss, model.tendon_frictionloss)
        ),
    }  # fmt: skip
    off = [word for word, (bits, _) in acting.items() if made.off(*bits)]
    made.left += [f"{w}, switched off by <flag>" for w in off if any(x.any() for x in acting[w][1])]
    return off


def _motors(made: _Model) -> dict[int, tuple[Any, Any]]:
    """Return armature and damping that the actuators of each joint add, seen at the joint."""
    model = made.model
    found: dict[int, tuple[Any, Any]] = dict.fromkeys(made.joint, (0, 0))
    columns = [getattr(model, f"actuator_{n}", None) for n in ("armature", "damping")]
    for a in range(model.nu):
        own = [exact(float(c[a])) if c is not None else 0 for c in columns]
        poly = getattr(model, "actuator_dampingpoly", None)
        if poly is not None and poly[a].any():
            made.left.append(f"nonlinear damping of actuator {a}")
        if not any(own):
            continue
        i = int(model.actuator_trnid[a][0])
        one = int(model.actuator_trntype[a]) in (0, 1) and int(model.jnt_type[i]) in (SLIDE, HINGE)
        if not one:
            made.left.append(f"armature or damping of actuator {a}")
            continue
        gear = exact(float(model.actuator_gear[a][0]))
        x, y = found[i]
        found[i] = x + gear * gear * own[0], y + gear * gear * own[1]
    return found


def _notes(made: _Model) -> tuple[str, ...]:
    model = made.model
    notes = ["MJCF compiled by MuJoCo; equality constraints are taken as exact"]
    left = [f"{n} {word}" for key, word in COUNTED if (n := int(getattr(model, key, 0)))]
    contacts = int(((model.geom_contype != 0) | (model.geom_conaffinity != 0)).sum())
    if contacts:
        left.append(f"contacts of {contacts} geoms")
    if float(model.opt.density) or float(model.opt.viscosity):
        left.append("forces of the medium")
    left += made.left
    if left:
        notes.append("not read: " + ", ".join(left[:40]) + (" ..." if len(left) > 40 else ""))
    return tuple(notes)
