"""A Mechanism as a Pinocchio model, for comparison with an engine we did not write."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism, joint_name


def to_pinocchio(m: Mechanism) -> Any:
    """Return the Pinocchio model of a numeric tree; body j is joint j + 1 if nothing is fixed."""
    import pinocchio as pin

    b = m.bound()
    model = pin.Model()
    model.gravity.linear = np.array([float(x) for x in b.gravity])
    ids: dict[int, int] = {-1: 0}
    offset: dict[int, Any] = {-1: pin.SE3.Identity()}
    for j, body in enumerate(b.bodies):
        parent = ids[body.parent]
        placement = offset[body.parent] * _se3(body.placement)
        if body.joint.nv == 0:
            ids[j], offset[j] = parent, placement
        else:
            name = f"{j}:{joint_name(body)}"
            ids[j] = model.addJoint(parent, _joint(body.joint), placement, name)
            offset[j] = pin.SE3.Identity()
        inertia = _inertia(body)
        if ids[j] > 0:
            model.appendBodyToJoint(ids[j], inertia, offset[j])
    for d in b.drives:
        k = model.joints[ids[d.joint]].idx_v
        armature = model.armature
        armature[k] = d.gear * d.gear * d.inertia
        model.armature = armature
    return model


def _se3(T: Any) -> Any:
    import pinocchio as pin

    R = np.array([[float(x) for x in row] for row in T.R.matrix().rows])
    return pin.SE3(R, np.array([float(x) for x in T.p]))


def _inertia(body: Any) -> Any:
    import pinocchio as pin

    c = np.array([float(x) for x in body.inertia.centre])
    I = np.array([[float(x) for x in row] for row in body.inertia.about_centre.rows])
    return pin.Inertia(float(body.m), c, I)


def _joint(joint: Any) -> Any:
    import pinocchio as pin

    if joint.kind == "free":
        return pin.JointModelFreeFlyer()
    if joint.kind == "spherical":
        return pin.JointModelSpherical()
    if joint.kind == "planar":
        # rates in parent axes: two slides and a rotation
        composite = pin.JointModelComposite()
        composite.addJoint(pin.JointModelPX())
        composite.addJoint(pin.JointModelPY())
        composite.addJoint(pin.JointModelRZ())
        return composite
    axis = np.array([float(x) for x in joint.axis])
    axis = axis / np.linalg.norm(axis)
    if joint.kind == "revolute":
        return pin.JointModelRevoluteUnaligned(axis)
    if joint.kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(axis)
    return pin.JointModelHelicalUnaligned(axis, float(joint.pitch))
