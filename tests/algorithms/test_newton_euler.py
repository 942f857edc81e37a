"""Recursive Newton-Euler: textbook forms, other formalisms, other engines, metamorphic laws."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import textbook
from agreement import (
    assert_forces,
    drive_scale,
    floats,
    force_scale,
    without_gravity,
)
from dalembert.algebra import Rotation, Transform, Vec3
from dalembert.expr import Graph, trace
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Free, Prismatic, Revolute, Screw, rotation_about
from dalembert.mechanism import Body, Drive, Frame, Mechanism
from dalembert.spatial import Wrench
from mechanisms import random_mechanisms, random_state, random_wrenches
from models import (
    articulated_body,
    composite,
    link_wrenches,
    newton_euler,
    screw_form,
    world_spatial,
)
from mujoco_model import to_mujoco
from peers import peer
from pinocchio_model import to_pinocchio


def test_around_goes_out_and_back_one_branch_after_the_other():
    for m in random_mechanisms(20, 5):
        path, seen = [-1], []  # from the base to the body that is visited
        for j, body, outward in m.around():
            assert body is m.bodies[j]
            if outward:
                assert body.parent == path[-1] and j not in seen
                path.append(j)
                seen.append(j)
            else:
                assert path.pop() == j
        assert path == [-1] and sorted(seen) == [*range(len(m.bodies))]


def states(count, seed, mild=False, **strata):
    """Yield (bound mechanism, q, qd, qdd)."""
    for m in random_mechanisms(count, seed, **strata):
        yield m.bound(), *random_state(m, seed, mild)


# -- textbook -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_pendulum_the_planar_arm_and_the_cart_with_a_pole(seed):
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 2)).tolist()
    assert_allclose(
        newton_euler(textbook.pendulum(), q[:1], qd[:1], qdd[:1]),
        textbook.pendulum_torque(q, qd, qdd),
        atol=1e-14,
    )
    D = textbook.DATA
    assert_allclose(
        newton_euler(textbook.planar_2r(**D), q, qd, qdd),
        textbook.planar_2r_torques(q, qd, qdd, **D),
        atol=1e-13,
    )
    assert_allclose(
        newton_euler(textbook.cart_pole(), q, qd, qdd),
        textbook.cart_pole_forces(q, qd, qdd),
        atol=1e-13,
    )


def test_a_screw_joint_gains_the_weight_of_its_slide():
    m = Mechanism((Body("nut", -1, joint=Screw(pitch=0.02), inertia=Inertia(3.0)),))
    tau = newton_euler(m.bound(), [0.4], [2.0], [5.0])
    assert_allclose(tau, [3.0 * 0.02 * (0.02 * 5.0 + 9.81)], rtol=1e-14)


def test_a_free_body_obeys_newton_and_euler_in_its_own_axes():
    rng = np.random.default_rng(3)
    I = np.diag([1.0, 2.0, 2.5])
    m = Mechanism((Body("b", -1, joint=Free(), inertia=Inertia(4.0, Vec3(0, 0, 0), _mat(I))),))
    v, w, vd, wd = rng.normal(size=(4, 3))
    tau = newton_euler(without_gravity(m), [0, 0, 0, 0, 0, 0, 1.0], [*v, *w], [*vd, *wd])
    assert_allclose(tau[:3], 4.0 * (vd + np.cross(w, v)), atol=1e-14)
    assert_allclose(tau[3:], I @ wd + np.cross(w, I @ w), atol=1e-14)


def _mat(a):
    from dalembert.algebra import Mat3

    return Mat3(*(tuple(map(float, r)) for r in a))


# -- formalisms and engines -----------------------------------------------------------------------


def check_formalisms(seed, count, **strata):
    for m, q, qd, qdd in states(count, seed, **strata):
        wrenches = random_wrenches(m, seed)
        tau = newton_euler(m, q, qd, qdd, wrenches, "all")
        rubbing = drive_scale(m, qd, qdd)
        scale = force_scale(m, q, qd, qdd, wrenches, "world") + rubbing
        for way in ("acceleration", "action"):
            other = world_spatial(m, q, qd, qdd, wrenches, "all", gravity_as=way)
            assert_forces(other, tau, scale, (m.name, way))
        link = force_scale(m, q, qd, qdd, wrenches, "spatial") + rubbing
        assert_forces(screw_form(m, q, qd, qdd, wrenches, "all"), tau, link, m.name)


@pytest.mark.parametrize("seed", range(10))
def test_link_axes_base_axes_and_screws_give_the_same_forces(seed):
    check_formalisms(seed, 30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_link_axes_base_axes_and_screws_give_the_same_forces_at_length(seed):
    check_formalisms(seed, 150)


def check_pinocchio(seed, count, **strata):
    pin = peer("pin")
    for m, q, qd, qdd in states(count, seed, **strata):
        model = to_pinocchio(m)
        ref = pin.rnea(model, model.createData(), *map(np.array, (q, qd, qdd)))
        scale = force_scale(m, q, qd, qdd, form="spatial") + drive_scale(m, qd, qdd)
        assert_forces(newton_euler(m, q, qd, qdd), ref, scale, m.name)


@pytest.mark.parametrize("seed", range(10))
def test_pinocchio_gives_the_same_forces(seed):
    check_pinocchio(seed, 30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_pinocchio_gives_the_same_forces_at_length(seed):
    check_pinocchio(seed, 150)


MUJOCO = dict(
    joints={"revolute": 3, "any": 3, "prismatic": 2, "spherical": 1, "fixed": 1},
    masses={"decade": 1},
    lengths={"metre": 1},
    massless=0,
    root=0.2,
)


@pytest.mark.parametrize("seed", range(3))
def test_mujoco_gives_the_same_forces_and_mass_matrix(seed):
    # its inertias go through an eigenvalue iteration that stops at 1e-12, and its moments are about
    # the mass centre of the whole tree, so that a slide of 1e6 m costs it ten digits

    peer("mujoco")
    for m, q, qd, qdd in states(20, seed, True, dof=(1, 30), **MUJOCO):
        if any(b.joint.kind == "planar" for b in m.bodies):
            continue
        engine = to_mujoco(m)
        scale = force_scale(m, q, qd, qdd, form="world")
        tau = newton_euler(m, q, qd, qdd, drives="none")
        assert_forces(engine.forces(q, qd, qdd), tau, scale, m.name, factor=100)
        M, ref = floats(composite(m, q)), engine.mass_matrix(q)
        d = np.sqrt(np.diag(M))
        assert_allclose(ref / np.outer(d, d), M / np.outer(d, d), atol=1e-10, err_msg=m.name)


# -- one algorithm, three scalars -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_floats_arrays_and_the_graph_agree(seed):
    for m in random_mechanisms(20, seed + 40, dof=(1, 30)):
        b, wrenches = m.bound(), random_wrenches(m, seed)
        batch = [random_state(m, s) for s in range(4)]
        arrays = [list(np.array([s[k] for s in batch]).T) for k in range(3)]
        together = newton_euler(b, *arrays, wrenches, "all")
        graph = Graph()
        f = trace(
            lambda q, qd, qdd, g=graph, m=m, w=wrenches: newton_euler(
                m.bound(graph=g), q, qd, qdd, w, "all"
            ),
            [("q", m.nq), ("qd", m.nv), ("qdd", m.nv)],
            graph=graph,
        )
        traced = f(*arrays)
        for s, state in enumerate(batch):
            tau = newton_euler(b, *state, wrenches, "all")
            scale = force_scale(b, *state, wrenches) + drive_scale(b, *state[1:])
            at = [np.broadcast_to(x, 4)[s] for x in together]
            assert_forces(at, tau, scale, (m.name, "arrays"))
            at = [np.broadcast_to(x, 4)[s] for x in traced]
            assert_forces(at, tau, scale, (m.name, "graph"))
            assert_forces(f(*state), tau, scale, (m.name, "graph on floats"))


# -- link wrenches --------------------------------------------------------------------------------


def test_the_wrench_of_a_link_projects_on_its_joint():
    for m, q, qd, qdd in states(30, 5, dof=(1, 30)):
        tau = m.split(newton_euler(m, q, qd, qdd, drives="none"))
        wrenches = link_wrenches(m, q, qd, qdd)
        for j, body in enumerate(m.bodies):
            f, n = Vec3(*wrenches[j][:3]), Vec3(*wrenches[j][3:])
            assert_array_equal(floats(body.project(m.split_q(q)[j], Wrench(f, n))), floats(tau[j]))


def test_external_wrenches_act_through_the_transposed_jacobian():
    from dalembert.algorithms.kinematics import jacobian

    for m, q, qd, qdd in states(30, 6, dof=(1, 30)):
        wrenches = random_wrenches(m, 6)
        with_, without = (newton_euler(m, q, qd, qdd, w) for w in (wrenches, None))
        expected = floats(without)
        for j, (f, n) in wrenches.items():
            J = floats(jacobian(m, m.bodies[j].name, q, "local"))
            expected = expected + J.T @ np.concatenate([floats(f), floats(n)])
        scale = force_scale(m, q, qd, qdd, wrenches) + drive_scale(m, qd, qdd)
        assert_forces(with_, expected, scale, m.name)


# -- metamorphic laws -----------------------------------------------------------------------------


def turned_world(m, R, p):
    """Return the mechanism standing at another pose, gravity turned with it."""
    T = Transform(R, p)
    bodies = tuple(replace(b, placement=T @ b.placement) if b.parent < 0 else b for b in m.bodies)
    return replace(m, bodies=bodies, gravity=R @ m.gravity, checked=True)


def test_moving_the_world_changes_no_force():
    R, p = rotation_about(Vec3(0.6, 0.0, -0.8), 0.7), Vec3(1.0, -2.0, 0.5)
    for m, q, qd, qdd in states(60, 11, dof=(1, 30)):
        tau = newton_euler(m, q, qd, qdd)
        scale = force_scale(m, q, qd, qdd) + drive_scale(m, qd, qdd)
        assert_forces(newton_euler(turned_world(m, R, p), q, qd, qdd), tau, scale, m.name)


def test_placing_the_base_elsewhere_is_rooted():
    pose = [[0, -1, 0, 0.5], [1, 0, 0, -2], [0, 0, 1, 0.25], [0, 0, 0, 1]]
    for m in random_mechanisms(20, 12, dof=(1, 12)):
        q, qd, qdd = random_state(m, 12)
        g = m.bound().gravity
        turned = replace(m.rooted(pose), gravity=Vec3(-m.gravity.y, m.gravity.x, m.gravity.z))
        tau = newton_euler(m.bound(), q, qd, qdd)
        scale = force_scale(m.bound(), q, qd, qdd) + drive_scale(m.bound(), qd, qdd)
        assert_forces(newton_euler(turned.bound(), q, qd, qdd), tau, scale, m.name)
        assert list(m.bound().gravity) == list(g)


def reordered(m, seed):
    """Return (mechanism with its bodies in another legal order, new index of each old body)."""
    rng = np.random.default_rng(seed)
    order, ready = [], [j for j, b in enumerate(m.bodies) if b.parent < 0]
    while ready:
        j = ready.pop(int(rng.integers(len(ready))))
        order.append(j)
        ready += [k for k, b in enumerate(m.bodies) if b.parent == j]
    new = {-1: -1} | {j: k for k, j in enumerate(order)}
    bodies = tuple(replace(m.bodies[j], parent=new[m.bodies[j].parent]) for j in order)
    drives = tuple(replace(d, joint=new[d.joint]) for d in m.drives)
    return replace(m, bodies=bodies, drives=drives, named=(), checked=True), order


def test_the_order_of_bodies_changes_no_bit():
    for m, q, qd, qdd in states(60, 13, dof=(2, 30), shapes={"attach": 2, "binary": 1, "star": 1}):
        other, order = reordered(m, 1)
        shuffled = [
            [x for j in order for x in split(v)[j]]
            for split, v in ((m.split_q, q), (m.split, qd), (m.split, qdd))
        ]
        tau = m.split(newton_euler(m, q, qd, qdd))
        again = other.split(newton_euler(other, *shuffled))
        scale = m.split(force_scale(m, q, qd, qdd) + drive_scale(m, qd, qdd))
        for k, j in enumerate(order):  # sums over children change their order, nothing else
            assert_forces(again[k], tau[j], scale[j], m.name)


def test_splitting_a_body_into_two_welded_ones_changes_no_force():
    for m, q, qd, qdd in states(60, 14, dof=(1, 20)):
        j = len(m.bodies) // 2
        whole = m.bodies[j].inertia
        half = whole.map(lambda x: x / 2) if whole.at == "origin" else Inertia(
            whole.mass / 2, whole.lever, whole.tensor * 0.5
        )  # fmt: skip
        T = Transform(rotation_about(Vec3(0.0, 0.6, 0.8), 1.1), Vec3(0.3, -0.2, 0.1))
        part = Body("part", j, T, Fixed(), half.moved(T.inverse))
        bodies = list(m.bodies)
        bodies[j] = replace(bodies[j], inertia=half)
        split = replace(m, bodies=(*bodies, part), checked=True)
        scale = force_scale(split, q, qd, qdd) + drive_scale(m, qd, qdd)
        tau = newton_euler(m, q, qd, qdd)
        assert_forces(newton_euler(split, q, qd, qdd), tau, scale, m.name)


def test_a_massless_link_at_the_end_of_a_body_changes_no_bit():
    for m, q, qd, qdd in states(40, 15, dof=(1, 20)):
        links = tuple(Body(f"link{j}", j) for j in range(len(m.bodies)))
        longer = replace(m, bodies=m.bodies + links, checked=True)
        assert newton_euler(longer, q, qd, qdd) == newton_euler(m, q, qd, qdd)


def test_fixed_links_of_no_length_between_joints_change_no_force():
    for m, q, qd, qdd in states(40, 15, dof=(1, 20)):
        # after every body a fixed massless one, on which its children then stand
        bodies, new = [], {-1: -1}
        for j, b in enumerate(m.bodies):
            bodies.append(replace(b, parent=new[b.parent]))
            bodies.append(Body(f"link{j}", len(bodies) - 1))
            new[j] = len(bodies) - 1
        drives = tuple(replace(d, joint=2 * d.joint) for d in m.drives)
        longer = replace(m, bodies=tuple(bodies), named=(), drives=drives, checked=True)
        scale = force_scale(m, q, qd, qdd) + drive_scale(m, qd, qdd)
        assert_forces(newton_euler(longer, q, qd, qdd), newton_euler(m, q, qd, qdd), scale, m.name)


def test_reversing_a_joint_axis_turns_its_signs_only():
    kinds = (Revolute, Prismatic, Screw)
    for m, q, qd, qdd in states(60, 16, dof=(1, 20)):
        one = [j for j, b in enumerate(m.bodies) if isinstance(b.joint, kinds)]
        if not one:
            continue
        j = one[len(one) // 2]
        flip, flip_q = np.ones(m.nv), np.ones(m.nq)
        flip[m.velocity_index[j]] = -1
        flip_q[sum(b.joint.nq for b in m.bodies[:j])] = -1
        body = m.bodies[j]
        # the opposite axis: a screw keeps its pitch, since slide and turn both change sign
        turned = replace(body, joint=replace(body.joint, axis=-body.joint.axis))
        other = replace(m, bodies=(*m.bodies[:j], turned, *m.bodies[j + 1 :]), checked=True)
        tau = floats(newton_euler(m, q, qd, qdd))
        again = newton_euler(other, list(flip_q * q), list(flip * qd), list(flip * qdd))
        scale = force_scale(m, q, qd, qdd) + drive_scale(m, qd, qdd)
        assert_forces(flip * floats(again), tau, scale, m.name)


def test_a_floating_chain_may_be_rooted_at_its_other_end():
    peer("pin")

    rng = np.random.default_rng(17)
    for _ in range(20):
        axis = rng.normal(size=3)
        axis = Vec3(*map(float, axis / np.linalg.norm(axis)))
        I = rng.normal(size=(3, 3))
        a = Inertia(3.0, Vec3(*map(float, rng.normal(size=3))), _mat(I.T @ I))
        b = Inertia(2.0, Vec3(*map(float, rng.normal(size=3))), _mat(I @ I.T))
        T = Transform(rotation_about(axis, 0.3), Vec3(0.1, 0.2, 0.3))
        chain = Mechanism(
            (Body("a", -1, joint=Free(), inertia=a), Body("b", 0, T, Revolute(axis), b))
        ).bound()
        q = [0.1, 0.2, 0.3, *_quaternion(rng), float(rng.normal())]
        qd, tau = rng.normal(size=7).tolist(), [0.0] * 6 + [float(rng.normal())]
        qdd = articulated_body(chain, q, qd, tau)
        # rooted at b, a hangs on it by the opposite joint
        back = Mechanism(
            (
                Body("b", -1, joint=Free(), inertia=b),
                Body("a", 0, Transform(), Revolute(-axis), a.moved(T.inverse)),
            )
        ).bound()
        again = newton_euler(back, *_seen_from_second(chain, q, qd, qdd))
        assert_allclose(again, tau, atol=1e-11)


def _quaternion(rng):
    x = rng.normal(size=4)
    return [float(v) for v in x / np.linalg.norm(x)]


def _seen_from_second(chain, q, qd, qdd):
    """Return the state of the re-rooted chain: body b is the root, a's joint angle is q of b's."""
    from dalembert.algorithms.kinematics import acceleration, frame_pose, velocity

    T = frame_pose(chain, "b", q)
    R = floats(T.R.matrix())
    v = floats(velocity(chain, "b", q, qd, "local"))
    a = floats(acceleration(chain, "b", q, qd, qdd, "local"))
    a[:3] -= np.cross(v[3:], v[:3])  # rate of the components
    quat = _to_quaternion(R)
    return [*floats(T.p), *quat, q[7]], [*v, qd[6]], [*a, qdd[6]]


def _to_quaternion(R):
    import pinocchio

    return [float(x) for x in pinocchio.Quaternion(R).coeffs()]


def test_units_that_are_powers_of_two_change_no_bit():
    for m, q, qd, qdd in states(60, 18, dof=(1, 20)):
        tau = floats(newton_euler(m, q, qd, qdd))
        heavy = replace(m, bodies=tuple(_heavier(b, 8.0) for b in m.bodies), drives=_driven(m, 8.0))
        assert_array_equal(floats(newton_euler(heavy, q, qd, qdd)), 8.0 * tau)
        # time in units of a quarter second: accelerations 16 times larger in number
        fast = replace(m, gravity=m.gravity * 16.0, checked=True)
        again = newton_euler(fast, q, [4 * x for x in qd], [16 * x for x in qdd])
        assert_array_equal(floats(again), 16.0 * tau)
        _lengths_doubled(m, q, qd, qdd, tau)


def _heavier(b, k):
    I = b.inertia
    if I.at == "origin":
        return replace(b, inertia=I.map(lambda x: x * k))
    return replace(b, inertia=Inertia(I.mass * k, I.lever, I.tensor * k))


def _driven(m, k):
    return tuple(Drive(d.joint, d.inertia * k, d.gear) for d in m.drives)


def _lengths_doubled(m, q, qd, qdd, tau):
    k, bodies, unit, unit_q, force = 2.0, [], [], [], []
    for b in m.bodies:
        I = b.inertia
        big = Inertia(I.mass, I.lever * k, I.tensor * (k * k), I.at)
        joint = replace(b.joint, pitch=b.joint.pitch * k) if b.joint.kind == "screw" else b.joint
        place = Transform(b.placement.R, b.placement.p * k)
        bodies.append(replace(b, placement=place, joint=joint, inertia=big))
        linear = {"prismatic": [k], "planar": [k, k, 1], "free": [k, k, k, 1, 1, 1]}
        units = linear.get(b.joint.kind, [1] * b.joint.nv)
        unit += units
        unit_q += units + [1] if b.joint.nq != b.joint.nv else units
        force += [k * k / u for u in units]
    large = replace(m, bodies=tuple(bodies), gravity=m.gravity * k, drives=(), checked=True)
    states = [(np.array(x) * u).tolist() for x, u in ((q, unit_q), (qd, unit), (qdd, unit))]
    small = floats(newton_euler(replace(m, drives=(), checked=True), q, qd, qdd))
    assert_array_equal(floats(newton_euler(large, *states)), np.array(force) * small)


def test_an_added_frame_changes_no_bit():
    for m, q, qd, qdd in states(10, 19, dof=(1, 20)):
        mark = Frame("mark", 0, Transform(Rotation(), Vec3(1, 2, 3)))
        marked = replace(m, named=(*m.named, mark))
        assert newton_euler(marked, q, qd, qdd) == newton_euler(m, q, qd, qdd)


# -- depth ----------------------------------------------------------------------------------------


def test_a_chain_of_ten_thousand_joints_needs_no_recursion():
    link = Inertia(1.0, Vec3(0.5, 0.0, 0.0))
    T = Transform(p=Vec3(1.0, 0.0, 0.0))
    n = 10_000
    m = Mechanism(tuple(Body(f"b{j}", j - 1, T, Revolute(), link) for j in range(n)),
                  gravity=Vec3(0.0, -1.0, 0.0))  # fmt: skip
    tau = newton_euler(m, [0.0] * n, [0.0] * n, [0.0] * n)
    assert_allclose(tau[-1], 0.5, rtol=1e-12)
    assert_allclose(tau[0], n * n / 2, rtol=1e-9)
