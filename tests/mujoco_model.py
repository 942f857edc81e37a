"""A Mechanism as a MuJoCo model, for comparison with an engine we did not write.

Only `mj_rne` and the mass matrix are asked: the accelerations of MuJoCo 4.0.0 are wrong. Hinge,
slide, ball, free and welded bodies; MuJoCo numbers depth first and gives pose and velocity of a
free joint in world axes, both are undone here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.joint import quaternion_matrix
from dalembert.mechanism import Mechanism

KINDS = ("revolute", "prismatic", "spherical", "free", "fixed")


def to_mujoco(m: Mechanism) -> Engine:
    """Return an engine for a numeric tree of massive bodies."""
    import mujoco

    b = m.bound()
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = [float(x) for x in b.gravity]
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    made: dict[int, Any] = {-1: spec.worldbody}
    rotor = {d.joint: float(d.gear) ** 2 * float(d.inertia) for d in b.drives}
    for j, body in enumerate(b.bodies):
        R = np.array([[float(x) for x in r] for r in body.placement.R.matrix().rows])
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, R.flatten())
        new = made[body.parent].add_body(name=f"b{j}", pos=_list(body.placement.p), quat=quat)
        made[j] = new
        I = body.inertia.about_centre
        new.mass, new.ipos = float(body.m), _list(body.inertia.centre)
        new.fullinertia, new.explicitinertial = [float(x) for x in I.six()], True
        _add_joint(mujoco, new, j, body.joint, rotor.get(j, 0.0))
    model = spec.compile()
    return Engine(b, model, mujoco.MjData(model))


def _list(v: Any) -> list[float]:
    return [float(x) for x in v]


def _add_joint(mujoco: Any, new: Any, j: int, joint: Any, armature: float) -> None:
    if joint.kind not in KINDS:
        raise ValueError(f"MuJoCo has no {joint.kind} joint")
    kind = {"revolute": "HINGE", "prismatic": "SLIDE", "spherical": "BALL", "free": "FREE"}
    if joint.nv:
        kind_of = getattr(mujoco.mjtJoint, f"mjJNT_{kind[joint.kind]}")
        made = new.add_joint(name=f"j{j}", type=kind_of)
        if joint.nv == 1:
            made.axis, made.armature = _list(joint.axis), armature


@dataclass
class Engine:
    """MuJoCo's answers in our coordinates."""

    m: Mechanism
    model: Any
    data: Any

    def _addresses(self) -> list[tuple[int, int, Any]]:
        out = []
        for j, body in enumerate(self.m.bodies):
            if body.joint.nv:
                joint = self.model.joint(f"j{j}")
                out.append((int(joint.qposadr[0]), int(joint.dofadr[0]), body.joint))
        return out

    def _set(self, q: Any, qd: Any = None, qdd: Any = None) -> np.ndarray:
        """Set the state; return B with (our velocities in our order) = B (MuJoCo's)."""
        import mujoco

        m, d = self.m, self.data
        parts = [(p, v, a) for p, v, a in zip(m.split_q(q), m.split(qd or [0.0] * m.nv),
                 m.split(qdd or [0.0] * m.nv), strict=True) if len(v)]  # fmt: skip
        B, row = np.zeros((m.nv, m.nv)), 0
        T = m.bodies[0].placement  # a free joint is that of the first body
        base, origin = np.array(T.R.matrix().rows, float), np.array(_list(T.p))
        for (at, dof, joint), (p, v, a) in zip(self._addresses(), parts, strict=True):
            R = np.eye(joint.nv)
            p, v, a = (np.array(x, float) for x in (p, v, a))
            if joint.kind == "spherical":
                p = np.roll(p, 1)
            elif joint.kind == "free":
                # its placement is not part of the model there
                turn = base @ np.array(quaternion_matrix(*p[3:]).rows)
                a[:3] += np.cross(v[3:], v[:3])
                R[:3, :3] = turn.T
                quat = np.zeros(4)
                mujoco.mju_mat2Quat(quat, turn.flatten())
                p = np.concatenate([origin + base @ p[:3], quat])
            B[row : row + joint.nv, dof : dof + joint.nv] = R
            d.qpos[at : at + len(p)] = p
            d.qvel[dof : dof + joint.nv] = R.T @ v
            d.qacc[dof : dof + joint.nv] = R.T @ a
            row += joint.nv
        mujoco.mj_fwdPosition(self.model, d)
        mujoco.mj_fwdVelocity(self.model, d)
        return B

    def forces(self, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Return the joint forces, without rotor inertia."""
        import mujoco

        B = self._set(q, qd, qdd)
        out = np.zeros(self.m.nv)
        mujoco.mj_rne(self.model, self.data, 1, out)
        return B @ out

    def mass_matrix(self, q: Any) -> np.ndarray:
        """Return M, rotor inertia included."""
        import mujoco

        B = self._set(q)
        full = np.zeros((self.m.nv, self.m.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return B @ full @ B.T
