"""The direct model of closed mechanisms beside Pinocchio's constraint dynamics."""

import numpy as np
import pytest

import dalembert as da
import models
from dalembert.mechanism import joint_name
from pinocchio_model import to_pinocchio

pin = pytest.importorskip("pinocchio")


def constrained(m):
    """Return a call (q, qd, tau of all joints) -> qdd; each loop holds a point."""
    model, b = to_pinocchio(m), m.bound()
    data = model.createData()
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    ids = [model.getJointId(f"{j}:{joint_name(x)}") for j, x in enumerate(b.bodies)]
    for loop in b.loops:
        ends = []
        for body, point in ((loop.body_i, loop.point_i), (loop.body_j, loop.point_j)):
            ends += [ids[body], pin.SE3(np.eye(3), np.array(list(point), dtype=float))]
        kind, axes = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
        models.append(pin.RigidConstraintModel(kind, model, *ends, axes))
    for one in models:
        datas.append(one.createData())
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-13, 1e-13, 1e-8, 100)
    return lambda q, qd, tau: pin.constraintDynamics(
        model, data, q, qd, tau, models, datas, settings
    )


# a point held is the whole loop: the plane or the leg itself takes care of the rest
START = {"stewart": ("platform", 2, 0.6), "delta": ("platform", 0, -0.5)}


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "delta", "stewart"])
def test_accelerations_are_those_of_pinocchio(name):
    m = getattr(da.robots, name)()
    start, hold = da.neutral(m), None
    if name in START:
        joint, k, z = START[name]
        start[sum(b.joint.nq for b in m.bodies[: m.index[joint]]) + k] = z
        hold = [joint]
    q = da.assemble(m, start, hold=hold)
    direct, bound, p = constrained(m), m.bound(), da.plan(m, q)
    rng = np.random.default_rng(4)
    for _ in range(5):
        rates = rng.normal(size=m.nv).tolist()
        qd = models.tree_motion(bound, p, q.tolist(), rates, [0.0] * m.nv)[0]
        u = 10 * rng.normal(size=len(p.motors))
        tau = np.zeros(m.nv)
        tau[list(p.motors)] = u
        expected = direct(q, np.array(qd), tau)
        found = models.closed_forward(bound, p, q.tolist(), qd, u.tolist())[0]
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
