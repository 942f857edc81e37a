"""Spatial quantities of every solid at the fixed origin O, beside other ways to them."""

import numpy as np
import pytest

import dalembert as da
from mechanisms import random_mechanisms

MACHINES = random_mechanisms(6, seed=3, dof=(2, 6), lengths={"metre": 1}, masses={"decade": 1})


def state(m, seed):
    rng = np.random.default_rng(seed)
    q = da.integrate(m, da.neutral(m), rng.normal(size=m.nv))
    return q, rng.normal(size=m.nv), rng.normal(size=m.nv)


def at_origin(m, q, six, j):
    """Return a wrench in link axes at the link's origin as one at O in base axes."""
    T = da.pose(m, q, frame=m.bodies[j].name)
    f, n = T[:3, :3] @ six[:3], T[:3, :3] @ six[3:]
    return np.concatenate([f, n + np.cross(T[:3, 3], f)])


@pytest.mark.parametrize("m", MACHINES)
def test_velocities_are_those_of_points_at_the_origin(m):
    q, qd, qdd = state(m, 0)
    xi, xid = da.spatial_velocity(m, q, qd), da.spatial_acceleration(m, q, qd, qdd)
    h = 1e-6
    up, down = (da.integrate(m, q, s * (h * qd + s * h * h / 2 * qdd)) for s in (1, -1))
    ahead = da.spatial_velocity(m, up, qd + h * qdd)
    behind = da.spatial_velocity(m, down, qd - h * qdd)
    assert np.allclose(xid, (ahead - behind) / (2 * h), atol=1e-5 * (1 + np.abs(xid).max()))
    for j, body in enumerate(m.bodies):
        v = da.velocity(m, q, qd, frame=body.name)
        p = da.pose(m, q, frame=body.name)[:3, 3]
        assert np.allclose(xi[j, 3:], v[3:]) and np.allclose(xi[j, :3], v[:3] - np.cross(v[3:], p))


@pytest.mark.parametrize("m", MACHINES)
def test_momentum_and_energy_are_sums_over_solids(m):
    q, qd, _ = state(m, 1)
    xi, I = da.spatial_velocity(m, q, qd), da.spatial_inertia(m, q)
    assert np.allclose(I, np.swapaxes(I, -1, -2))
    energy = 0.5 * np.einsum("bi,bij,bj->", xi, I, xi)
    assert energy == pytest.approx(float(da.kinetic_energy(m, q, qd, drives="none")), rel=1e-12)


@pytest.mark.parametrize("m", MACHINES)
def test_forces_are_link_wrenches_at_the_origin(m):
    q, qd, qdd = state(m, 2)
    f, own = da.spatial_force(m, q, qd, qdd), da.link_wrenches(m, q, qd, qdd)
    for j in range(len(m.bodies)):
        wanted = at_origin(m, q, own[j], j)
        assert np.allclose(f[j], wanted, atol=1e-11 * (1 + np.abs(wanted).max()))


def test_a_machine_with_loops_refuses_forces_and_answers_for_motion():
    m = da.robots.fourbar()
    q = da.assemble(m)
    with pytest.raises(da.UsageError, match="link_wrenches"):
        da.spatial_force(m, q, [0] * 3, [0] * 3)
    assert da.spatial_inertia(m, q).shape == (3, 6, 6)
