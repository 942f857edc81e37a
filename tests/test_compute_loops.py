"""States whose planned pivots are poor are computed again, whatever start they come from."""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import loops, replan
from dalembert.errors import ComputationError


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


def test_loops_with_open_lengths_are_planned_at_the_values_given():
    data = {
        "format": "dalembert/1", "name": "fourbar", "gravity": [0, -9.81, 0],
        "parameters": {"a": 0.3, "c": 0.6, "d": 0.9}, "symbols": ["b"], "active": ["crank"],
        "phrase": "[crank: RZ(), TXK(a), rod: RZ()][TXK(d), rocker: RZ()]; body 1: M = 1, "
        "D = (a/2, 0, 0); body 2: M = 1, D = (b/2, 0, 0); body 3: M = 1, D = (c/2, 0, 0);",
        "loops": [{"body_i": "rod", "point_i": ["b", 0, 0], "body_j": "rocker",
                   "point_j": ["c", 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
    }  # fmt: skip
    m, b = da.load(data), np.array([0.8, 0.7])
    q = da.assemble(m, parameters={"b": b})
    rates = np.zeros((2, 3))
    rates[:, m.velocity_index[m.joint_index("crank")]] = 1.0
    v, a, *_ = da.tree_motion(m, q, rates, rates, parameters={"b": b})
    tau = da.inverse_dynamics(m, q, v, a, parameters={"b": b})
    r = da.simulate(m, q[0], t=[0.0, 0.1], parameters={"b": 0.8})
    for k in range(2):
        own = m.with_values(b=float(b[k]))
        np.testing.assert_allclose(tau[k], da.inverse_dynamics(own, q[k], v[k], a[k]), rtol=1e-12)
    own = da.simulate(m.with_values(b=0.8), q[0], t=[0.0, 0.1])
    np.testing.assert_allclose(r.q, own.q, rtol=1e-9)
    with pytest.raises(da.ParameterError, match="no value for parameter b"):
        da.inverse_dynamics(m, q, v, a)


@pytest.mark.parametrize(
    "name", ["pose", "jacobian", "centre_of_mass", "potential_energy", "cut_coordinates"]
)
def test_a_pose_in_which_loops_are_open_is_refused_unless_asked_for(name):
    m, q = da.robots.fourbar(), [0.3, 0.1, 0.2]
    ask = getattr(da, name)
    with pytest.raises(ComputationError, match="the loops are open"):
        ask(m, q)
    assert np.isfinite(ask(m, q, check=False)).all()
    assert np.isfinite(ask(m, da.assemble(m, q))).all()
    assert abs(da.closure(m, q)).max() > 0.1  # this one says by how much


def test_a_start_from_which_nothing_closes_names_the_search_over_many():
    m = da.robots.fourbar()
    with pytest.raises(ComputationError, match="from here the loops cannot be closed") as found:
        da.assembly(m, [0, 0, 0])
    assert "assemble(m, q) tries many" in str(found.value)
