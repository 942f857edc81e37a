"""States whose planned pivots are poor are computed again, whatever start they come from."""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import loops, replan


def platform_poses(m, count):
    rng = np.random.default_rng(0)
    at = sum(b.joint.nq for b in m.bodies[: m.index["platform"]])
    poses = []
    for _ in range(count):
        q = da.neutral(m)
        q[2:at:3] = 0.5
        x = np.array([*(0.3 * rng.normal(size=3)), 1])
        q[at : at + 7] = [*rng.uniform(-0.4, 0.4, 2), rng.uniform(0.3, 0.8), *x / np.linalg.norm(x)]
        poses.append(da.assemble(m, q, hold=["platform"]))
    return np.array(poses)


@pytest.mark.slow
def test_plans_are_remade_where_pivots_are_poor_and_change_nothing(monkeypatch):
    m = da.robots.stewart()
    q = platform_poses(m, 16)
    rng = np.random.default_rng(1)
    qd, qdd = rng.normal(size=(2, 16, m.nv))
    expected = da.inverse_dynamics(m, q, qd, qdd)
    pivot = da.compile(m, "inverse_dynamics")(q, qd, qdd)[2]
    asked = []
    monkeypatch.setattr(loops, "POOR", 0.02)
    here = replan.plan_here
    monkeypatch.setattr(replan, "plan_here", lambda *a: asked.append(a[1]) or here(*a))
    assert 1 < (pivot < 0.02).sum() < 16
    found = da.inverse_dynamics(m, q, qd, qdd)
    assert asked
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    # also from starts that are not closed: the plan is made at a pose that is
    asked.clear()
    replan._BRANCHES.clear()
    off = 0.02 * rng.normal(size=(16, m.nv))
    off[:, list(da.plan(m, q[0]).motors)] = 0
    back = da.assembly(m, da.integrate(m, q, off))
    assert asked and np.abs(da.closure(m, back)).max() < 1e-12
