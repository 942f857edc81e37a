"""Machines drawn at a closed pose: bodies, and joints at points of space; the tree is made here.

A joint of the tree may have any coordinate at the drawn pose. So the rest pose, q = 0, can be the
drawn one, a random one that is open, or that of a planar machine whose links all lie flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Z = (0.0, 0.0, 1.0)
BASE = "base"


@dataclass
class Joint:
    """A joint between two bodies, at a point and along or about an axis of space."""

    kind: str
    i: str
    j: str
    point: np.ndarray
    axis: np.ndarray
    name: str
    cut: bool = False
    aside: np.ndarray | None = None  # other axis of a universal joint, far end of a rod
    pitch: float = 0.1


@dataclass
class Sketch:
    """Bodies appear with their first joint; `at` says where their mass centre is drawn."""

    name: str
    gravity: Sequence[float] = (0.0, -9.81, 0.0)
    seed: int = 0
    joints: list[Joint] = field(default_factory=list)
    active: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    masses: dict[str, dict[str, Any]] = field(default_factory=dict)  # instead of random ones

    def join(self, kind: str, i: str, j: str, point: Any, axis: Any = Z, *, cut: bool = False,
             name: str = "", aside: Any = None, motor: bool = False) -> Sketch:  # fmt: skip
        """Add a joint; points in the plane need two numbers."""
        name = name or f"{j if not cut else 'cut'}{len(self.joints)}"
        axis = np.asarray(axis, float) / np.linalg.norm(axis)
        other = None if aside is None else _point(aside)
        self.joints.append(Joint(kind, i, j, _point(point), axis, name, cut, other))
        if motor:
            self.active.append(name)
        return self

    def pin(self, i: str, j: str, point: Any, **more: Any) -> Sketch:
        """Add a revolute joint about z."""
        return self.join("revolute", i, j, point, **more)

    # -- the native dict -----------------------------------------------------------------------

    def data(self, rest: str = "flat") -> tuple[dict, np.ndarray]:
        """Return (native dict, coordinates of the drawn pose); `rest`: flat, drawn or random."""
        rng = np.random.default_rng([self.seed, 17])
        carried: dict[str, tuple[Joint, str]] = {}
        order, todo = [BASE], [j for j in self.joints if not j.cut]
        while todo:
            for joint in todo:
                if joint.i in order or joint.j in order:
                    break
            else:
                raise ValueError(f"{self.name}: bodies hang on nothing")
            parent, child = (joint.i, joint.j) if joint.i in order else (joint.j, joint.i)
            assert child not in order, f"{self.name}: {joint.name} closes a loop and is not cut"
            carried[child] = joint, parent
            order.append(child)
            todo.remove(joint)
        R, p = {BASE: np.eye(3)}, {BASE: np.zeros(3)}
        bodies, q = [], []
        for b in order[1:]:
            joint, parent = carried[b]
            p[b] = joint.point
            R[b] = self._axes(b, joint, R[parent], rest, rng)
            own, q0 = self._joint(joint, R, p, parent, b, rest, rng)
            q += q0
            at = {"name": b, "parent": -1 if parent == BASE else parent, "joint": own}
            bodies.append(at | self._mass(b, R[b], p[b], rng))
        loops = [self._loop(j, R, p) for j in self.joints if j.cut]
        found = {"format": "dalembert/1", "name": self.name, "gravity": list(self.gravity)}
        found |= {"bodies": bodies, "loops": loops, "active": list(self.active)}
        return found | self.extra, np.array(q)

    def _points(self, b: str) -> list[np.ndarray]:
        return [j.point for j in self.joints if b in (j.i, j.j)]

    def _axes(self, b: str, joint: Joint, parent: np.ndarray, rest: str, rng: Any) -> np.ndarray:
        """Return the axes of a body: x along its link where the rest pose is to be flat."""
        if rest != "flat":
            return parent if rest == "drawn" else parent @ random_rotation(rng)
        if joint.kind != "revolute":
            return parent
        far = [x - joint.point for x in self._points(b) if np.linalg.norm(x - joint.point) > 1e-9]
        d = far[0] if far else np.array([1.0, 0, 0])
        return turn(np.array(Z), np.arctan2(d[1], d[0]))

    def _joint(self, joint: Joint, R: Any, p: Any, parent: str, b: str, rest: str,
               rng: Any) -> tuple[dict, list]:  # fmt: skip
        """Return the joint's record and its coordinates at the drawn pose."""
        turned, place = R[parent].T @ R[b], R[parent].T @ (p[b] - p[parent])
        axis, kind = R[b].T @ joint.axis, joint.kind
        q0 = 0.0 if rest == "drawn" else float(rng.uniform(-1, 1))
        record: dict[str, Any] = {"type": kind, "name": joint.name}
        if kind in ("revolute", "screw"):
            if rest == "flat" and kind == "revolute":
                d = R[parent].T @ R[b][:, 0]
                q0 = float(np.arctan2(d[1], d[0]) * axis[2])
            turned = turned @ turn(axis, -q0)
        if kind == "prismatic":
            if rest == "flat":
                q0 = float((R[parent] @ place) @ joint.axis)
            place = place - turned @ axis * q0
        if kind == "screw":
            record["pitch"] = joint.pitch
            place = place - turned @ axis * (q0 * joint.pitch)
        if kind in ("revolute", "prismatic", "screw"):
            record["axis"] = axis.tolist()
        coordinates = {"spherical": [0, 0, 0, 1], "planar": [0, 0, 0], "fixed": [],
                       "free": [0, 0, 0, 0, 0, 0, 1]}.get(kind, [q0])  # fmt: skip
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = turned, place
        return record | {"placement": T.tolist()}, coordinates

    def _mass(self, b: str, R: np.ndarray, p: np.ndarray, rng: Any) -> dict:
        if b in self.masses:
            return self.masses[b]
        com = np.mean(self._points(b), axis=0) + rng.uniform(-0.1, 0.1, 3)
        A = random_rotation(rng) * rng.uniform(0.05, 0.3, 3)
        tensor = np.trace(A @ A.T) * np.eye(3) - A @ A.T
        return {"mass": float(rng.uniform(0.5, 3)), "com": (R.T @ (com - p)).tolist(),
                "inertia": ((tensor + tensor.T) / 2).tolist()}  # fmt: skip

    def _loop(self, joint: Joint, R: Any, p: Any) -> dict:
        i, j, far = joint.i, joint.j, joint.point if joint.kind != "rod" else joint.aside
        end = {"body_i": i, "point_i": (R[i].T @ (joint.point - p[i])).tolist(),
               "body_j": j, "point_j": (R[j].T @ (far - p[j])).tolist()}  # fmt: skip
        end = {k: (-1 if v == BASE else v) for k, v in end.items()}
        found = end | {"joint": joint.kind, "name": joint.name}
        if joint.kind == "rod":
            return found | {"length": float(np.linalg.norm(far - joint.point))}
        if joint.kind in ("fixed", "prismatic"):
            found |= {"rotation_i": [R[i].T.tolist()], "rotation_j": [R[j].T.tolist()]}
        if joint.kind not in ("spherical", "fixed"):
            axis = joint.aside if joint.kind == "universal" else joint.axis
            found |= {"axis": (R[i].T @ joint.axis).tolist(), "axis_j": (R[j].T @ axis).tolist()}
        return found


def _point(x: Any) -> np.ndarray:
    return np.array([*x, 0.0][:3], float)


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return a rotation about a unit axis."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q
