"""Base axes about the origin: the errata of the slides that numbers can show, and arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from agreement import assert_forces, drive_scale, floats, force_scale
from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.expr import Graph, trace
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Prismatic, Revolute
from dalembert.mechanism import Body, Mechanism
from mechanisms import random_mechanisms, random_state, random_wrenches
from models import newton_euler, world_spatial
from screw_recursions import skew

TRUE, WRONG = 1e-9, 1e-6


def tree(seed, prismatic=()):
    rng = np.random.default_rng(seed)
    bodies = []
    for j in range(5):
        I = rng.normal(size=(3, 3))
        inertia = Inertia(
            float(rng.uniform(1, 3)), _vec(rng), Mat3(*(tuple(map(float, r)) for r in I @ I.T))
        )
        R = Rotation.about(j % 3, float(rng.normal())) @ Rotation.about(1, float(rng.normal()))
        axis = UNITS[j % 3]
        joint = Prismatic(axis) if j in prismatic else Revolute(axis)
        parent = j - 1 if j != 3 else 1
        bodies.append(Body(f"b{j}", parent, Transform(R, _vec(rng)), joint, inertia))
    m = Mechanism(tuple(bodies)).bound()
    return m, *rng.normal(size=(3, 5)).tolist()


def _vec(rng):
    return Vec3(*map(float, rng.normal(size=3)))


def cross(xi):
    """[ω̂ 0; v̂ ω̂], the product of motions."""
    return np.block([[skew(xi[:3]), np.zeros((3, 3))], [skew(xi[3:]), skew(xi[:3])]])


def cross_star(xi):
    """[ω̂ v̂; 0 ω̂], the product of a motion and a force."""
    return np.block([[skew(xi[:3]), skew(xi[3:])], [np.zeros((3, 3)), skew(xi[:3])]])


def slides(m, q, qd, qdd, printed=(), gravity="acceleration"):
    """The algorithm of the slides with 6 x 6 matrices; `printed` names the errata left in.

    Returns the torques by sᵀ f_a, and by (τ^(O) + f × p)·u (E4.4).
    """
    g = floats(m.gravity)
    n = len(m.bodies)
    R, p = {-1: np.eye(3)}, {-1: np.zeros(3)}
    start = -g if gravity == "acceleration" and "E4.7" not in printed else np.zeros(3)
    xi, xid, s, u = {-1: np.zeros(6)}, {-1: np.concatenate([np.zeros(3), start])}, {}, {}
    for j, body in enumerate(m.bodies):
        i = body.parent
        R_j, P_j = body.pose([q[j]])
        R[j], p[j] = R[i] @ floats(R_j.matrix()), p[i] + R[i] @ floats(P_j)
        u[j] = R[j] @ floats(body.joint.axis)
        slides_ = body.joint.kind == "prismatic"
        s[j] = np.concatenate([np.zeros(3), u[j]] if slides_ else [u[j], np.cross(p[j], u[j])])
        if slides_ and "E4.8" in printed:  # the slides know revolute joints only
            s[j] = np.concatenate([u[j], np.cross(p[j], u[j])])
        xi[j] = xi[i] + s[j] * qd[j]
        through = xi[i] if "E4.9" in printed else xi[j]
        xid[j] = xid[i] + cross(through) @ s[j] * qd[j] + s[j] * qdd[j]
    f, tau, other = {}, np.zeros(n), np.zeros(n)
    for j in reversed(range(n)):
        body = m.bodies[j]
        c = p[j] + R[j] @ floats(body.inertia.centre)
        I = floats(body.inertia.about_centre)
        I = I if "E4.5" in printed else R[j] @ I @ R[j].T
        mass, C = body.m, skew(c)
        Is = np.block([[I - mass * C @ C, mass * C], [mass * C.T, mass * np.eye(3)]])
        swap = np.concatenate([xi[j][3:], xi[j][:3]]) if "E4.1" in printed else xi[j]
        product = cross(xi[j]) if "E4.2" in printed else cross_star(xi[j])
        f_acc = Is @ xid[j] + product @ Is @ swap
        weight = np.concatenate([np.cross(c, mass * g), mass * g])
        f_e = weight if gravity == "action" and "E4.7" not in printed else np.zeros(6)
        sign = -1 if "E4.3" in printed else 1
        f[j] = f_acc - f_e + sign * f.get(j, 0)
        tau[j] = s[j] @ f[j]
        other[j] = u[j] @ (f[j][:3] + np.cross(f[j][3:], p[j]))
        if body.parent >= 0:
            f[body.parent] = f.get(body.parent, 0) + f[j]
    return tau, other


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gravity", ["acceleration", "action"])
def test_the_corrected_slides_give_the_torques(seed, gravity):
    # E4.4, E4.10: extraction and kinematic formulas are right; E4.7: both ways of gravity are equal
    m, q, qd, qdd = tree(seed)
    tau = newton_euler(m, q, qd, qdd)
    by_screw, by_moment = slides(m, q, qd, qdd, gravity=gravity)
    assert_allclose(by_screw, tau, atol=TRUE)
    assert_allclose(by_moment, tau, atol=TRUE)
    assert_allclose(world_spatial(m, q, qd, qdd, gravity_as=gravity), tau, atol=TRUE)
    # E4.9: ṡ through ξ_i or through ξ of the parent
    assert_allclose(slides(m, q, qd, qdd, {"E4.9"}, gravity)[0], tau, atol=TRUE)


@pytest.mark.parametrize("erratum", ["E4.1", "E4.2", "E4.3", "E4.5", "E4.7"])
def test_the_printed_slides_fail(erratum):
    for seed in range(5):
        m, q, qd, qdd = tree(seed)
        tau = newton_euler(m, q, qd, qdd)
        assert np.abs(slides(m, q, qd, qdd, {erratum})[0] - tau).max() > WRONG


def test_prismatic_joints_need_their_own_screw():
    # E4.8
    for seed in range(5):
        m, q, qd, qdd = tree(seed, prismatic=(1, 4))
        tau = newton_euler(m, q, qd, qdd)
        assert_allclose(slides(m, q, qd, qdd)[0], tau, atol=TRUE)
        assert np.abs(slides(m, q, qd, qdd, {"E4.8"})[0] - tau).max() > WRONG


def test_the_kinematic_formulas_at_the_origin():
    # E4.10: v_O = ċ + c × ω and v̇_O = c̈ + ċ × ω + c × ω̇, c̈ back from them
    rng = np.random.default_rng(1)
    c, cd, cdd, w, wd = rng.normal(size=(5, 3))
    v = cd + np.cross(c, w)
    vd = cdd + np.cross(cd, w) + np.cross(c, wd)
    again = vd - np.cross(c, wd) + np.cross(w, v + np.cross(w, c))
    assert_allclose(again, cdd, atol=1e-13)


def test_arrays_and_the_graph_give_the_same_forces():
    for m in random_mechanisms(15, 45, dof=(1, 12)):
        b, wrenches = m.bound(), random_wrenches(m, 45)
        batch = [random_state(m, s) for s in range(3)]
        arrays = [list(np.array([s[k] for s in batch]).T) for k in range(3)]
        together = world_spatial(b, *arrays, wrenches, "all")
        graph = Graph()
        f = trace(
            lambda q, qd, qdd, b=b, w=wrenches: world_spatial(b, q, qd, qdd, w, "all"),
            [("q", m.nq), ("qd", m.nv), ("qdd", m.nv)],
            graph=graph,
        )
        for s, state in enumerate(batch):
            tau = newton_euler(b, *state, wrenches, "all")
            scale = force_scale(b, *state, wrenches, "world") + drive_scale(b, *state[1:])
            at = [np.broadcast_to(x, 3)[s] for x in together]
            assert_forces(at, tau, scale, m.name)
            assert_forces(f(*state), tau, scale, m.name)
