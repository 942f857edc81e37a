"""What other programs read from a robot file: links and joints at q = 0, in world axes."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from typing import Any

import numpy as np

OPEN = np.inf
NO_LIMIT = 1e9  # what files write where there is none


@dataclass
class Link:
    """A link at q = 0, in world axes; what a reader does not keep is None."""

    pose: np.ndarray
    mass: float | None = None
    centre: np.ndarray | None = None
    tensor: np.ndarray | None = None


@dataclass
class Edge:
    """A joint at q = 0; what a reader does not tell is None."""

    kind: str
    parent: str
    child: str
    axis: np.ndarray | None = None
    limits: tuple[float, float] | None = None
    speed: float | None = None
    effort: float | None = None
    friction: tuple[float, float] | None = None  # viscous, dry
    mimic: tuple[str, float, float] | None = None


@dataclass
class Reading:
    """The links and joints of a file."""

    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Edge] = field(default_factory=dict)


def ends(lower: Any, upper: Any) -> tuple[float, float]:
    """Return a pair of limits, open where none is given, none where they are not in order."""
    low = -OPEN if lower is None or abs(float(lower)) >= NO_LIMIT else float(lower)
    high = OPEN if upper is None or abs(float(upper)) >= NO_LIMIT else float(upper)
    return (low, high) if low <= high else (-OPEN, OPEN)


def most(x: Any) -> float:
    """Return a largest speed or force, open where none is given."""
    return OPEN if x is None or not 0 <= float(x) < NO_LIMIT else float(x)


def matrix(R: Any, p: Any) -> np.ndarray:
    """Return a homogeneous matrix."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def unit(x: Any) -> np.ndarray:
    """Return a vector of length one."""
    v = np.array(x, dtype=float)
    return v / np.linalg.norm(v)


def placed(pose: np.ndarray, mass: Any, centre: Any, tensor: Any) -> Link:
    """Return a link from its inertia in its own frame."""
    R = pose[:3, :3]
    return Link(pose, float(mass), R @ centre + pose[:3, 3], R @ tensor @ R.T)


# -- URDF: yourdfpy --------------------------------------------------------------------------------


def by_yourdfpy(text: bytes) -> Reading:
    """Return what yourdfpy reads."""
    import yourdfpy

    off = ("build_scene_graph", "load_meshes", "build_collision_scene_graph")
    robot = yourdfpy.URDF.load(io.BytesIO(plain(text)), **dict.fromkeys(off, False)).robot
    made = Reading()
    into = {joint.child: joint for joint in robot.joints}

    def pose(link: str) -> np.ndarray:
        T = np.eye(4)
        while link in into:
            T = (np.eye(4) if into[link].origin is None else into[link].origin) @ T
            link = into[link].parent
        return T

    for link in robot.links:
        I, T = link.inertial, pose(link.name)
        made.links[link.name] = Link(T, 0.0, T[:3, 3], np.zeros((3, 3)))
        if I is not None:
            at = np.eye(4) if I.origin is None else I.origin
            tensor = np.zeros((3, 3)) if I.inertia is None else I.inertia
            R = at[:3, :3]
            made.links[link.name] = placed(T, I.mass or 0.0, at[:3, 3], R @ tensor @ R.T)
    for joint in robot.joints:
        made.joints[joint.name] = yourdfpy_edge(joint, made.links[joint.child].pose)
    return made


KINDS = {"continuous": "revolute", "floating": "free"}


def yourdfpy_edge(joint: Any, pose: np.ndarray) -> Edge:
    """Return one joint of yourdfpy."""
    kind = KINDS.get(joint.type, joint.type)
    made = Edge(kind, joint.parent, joint.child)
    if kind in ("revolute", "prismatic", "planar"):
        made.axis = pose[:3, :3] @ unit(joint.axis)
    limit = joint.limit if kind != "fixed" else None
    pair = (limit.lower, limit.upper) if limit and joint.type in ("revolute", "prismatic") else ()
    made.limits = ends(*(pair or (None, None)))
    # zeros, which exporters write where they know nothing, are no limits
    made.speed = most((limit and limit.velocity) or None)
    made.effort = most((limit and limit.effort) or None)
    d = joint.dynamics if kind in ("revolute", "prismatic") else None
    made.friction = (d.damping or 0.0, d.friction or 0.0) if d else (0.0, 0.0)
    if joint.mimic is not None and kind in ("revolute", "prismatic"):
        ratio = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
        made.mimic = (joint.mimic.joint, ratio, joint.mimic.offset or 0.0)
    return made


# -- MJCF: MuJoCo ----------------------------------------------------------------------------------


def by_mujoco(file: str) -> Reading:
    """Return what MuJoCo's kinematics say with all coordinates at zero."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(file)
    data, made = mujoco.MjData(model), Reading()
    data.qpos[:] = 0
    for i in range(model.njnt):
        at = model.jnt_qposadr[i]
        if model.jnt_type[i] in (0, 1):
            data.qpos[at + (3, 0)[model.jnt_type[i]]] = 1
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    names = {k: model.body(k).name or f"body{k}" for k in range(model.nbody)}
    for k in range(1, model.nbody):
        R = data.ximat[k].reshape(3, 3)
        pose = matrix(data.xmat[k].reshape(3, 3), data.xpos[k])
        tensor = R @ np.diag(model.body_inertia[k]) @ R.T
        made.links[names[k]] = Link(pose, float(model.body_mass[k]), data.xipos[k].copy(), tensor)
    for i in range(model.njnt):
        kind = ("free", "spherical", "prismatic", "revolute")[model.jnt_type[i]]
        k = model.jnt_bodyid[i]
        edge = Edge(kind, names[model.body_parentid[k]], names[k])
        if kind in ("prismatic", "revolute"):
            edge.axis = data.xaxis[i].copy()
            limited = model.jnt_limited[i]
            edge.limits = ends(*(model.jnt_range[i] if limited else (None, None)))
        made.joints[model.joint(i).name or f"joint{i}"] = edge
    return made


# -- SDF: Drake ------------------------------------------------------------------------------------

SHAPES = ("visual", "collision", "contact", "sensor", "plugin")


def plain(text: bytes) -> bytes:
    """Return a description without shapes and gearboxes; a link called world gets another name."""
    root = ElementTree.fromstring(text.strip())
    for element in root.iter():
        for child in list(element):
            if child.tag in SHAPES or child.get("type") == "gearbox":
                element.remove(child)
    if root.tag == "sdf" and any(link.get("name") == "world" for link in root.iter("link")):
        for element in root.iter():
            if element.tag == "link" and element.get("name") == "world":
                element.set("name", "world_")
            if element.tag in ("parent", "child") and (element.text or "").strip() == "world":
                element.text = "world_"
    return ElementTree.tostring(root)


def by_drake(text: bytes) -> Reading:
    """Return what Drake reads by libsdformat; loops are not closed there."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex, JointIndex

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(plain(text).decode(), "sdf")
    made = Reading()
    bodies = [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]
    edges = [plant.get_joint(JointIndex(i)) for i in range(plant.num_joints())]
    poses = drake_poses(plant, bodies, edges)
    empty = without_mass(text)
    for body in bodies[1:]:
        if called(body) in empty:  # 1 kg there, by the default of the format; massless here
            made.links[called(body)] = Link(poses[body.index()])
            continue
        I = body.default_spatial_inertia()
        pose = poses[body.index()]
        made.links[called(body)] = placed(pose, I.get_mass(), I.get_com(), about_centre(I))
    for e in edges:
        made.joints[e.name()] = drake_edge(e, poses)
    return made


def without_mass(text: bytes) -> set[str]:
    """Return the links for which a file gives no mass, or zero."""
    found = set()
    for link in ElementTree.fromstring(text.strip()).iter("link"):
        if not float(link.findtext("inertial/mass") or 0):
            found.add(link.get("name", ""))
    return found


def called(body: Any) -> str:
    """Return our name of a body of Drake."""
    return "world" if body.index() == 0 else {"world_": "world"}.get(body.name(), body.name())


def about_centre(I: Any) -> np.ndarray:
    """Return the tensor of Drake's spatial inertia about its mass centre."""
    m, c = I.get_mass(), I.get_com()
    return I.CalcRotationalInertia().CopyToFullMatrix3() - m * (c @ c * np.eye(3) - np.outer(c, c))


def drake_poses(plant: Any, bodies: list[Any], edges: list[Any]) -> dict[Any, np.ndarray]:
    """Return where the bodies stand: a joint at zero places the body on its other side."""
    poses = {bodies[0].index(): np.eye(4)}
    for start in bodies:
        if start.index() not in poses:
            poses[start.index()] = plant.GetDefaultFreeBodyPose(start).GetAsMatrix4()
        ready = True
        while ready:
            ready = False
            for e in edges:
                f, g = (x.GetFixedPoseInBodyFrame().GetAsMatrix4()
                        for x in (e.frame_on_parent(), e.frame_on_child()))  # fmt: skip
                a, b = e.parent_body().index(), e.child_body().index()
                if (a in poses) != (b in poses):
                    ready = True
                    if a in poses:
                        poses[b] = poses[a] @ f @ np.linalg.inv(g)
                    else:
                        poses[a] = poses[b] @ g @ np.linalg.inv(f)
    return poses


def drake_edge(e: Any, poses: dict[Any, np.ndarray]) -> Edge:
    """Return one joint of Drake."""
    kind = {"weld": "fixed", "ball_rpy": "spherical"}.get(e.type_name(), e.type_name())
    made = Edge(kind, called(e.parent_body()), called(e.child_body()))
    if kind in ("revolute", "prismatic"):
        axis = e.revolute_axis() if kind == "revolute" else e.translation_axis()
        at = e.frame_on_parent().GetFixedPoseInBodyFrame().rotation().matrix()
        made.axis = poses[e.parent_body().index()][:3, :3] @ at @ axis
        made.limits = ends(e.position_lower_limits()[0], e.position_upper_limits()[0])
        made.speed = most(e.velocity_upper_limits()[0])
        made.friction = (float(e.default_damping()), np.nan)
    return made
