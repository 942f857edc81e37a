"""Legs of any kind, on the branch of a pose: against the referee, from any description."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import referee
from dalembert.algebra import Rotation, Transform, Vec3
from dalembert.mechanism import Frame
from machines.lettered import LETTERED
from machines.linkages import PLANAR
from machines.platforms import hybrid, motion, rods, upu
from machines.spatial import SPATIAL
from slow_cases import with_slow

REST = np.zeros(6)


MACHINES = {
    **{n: (PLANAR | SPATIAL)[n] for n in
       ("Stewart", "3-RRR", "3-RPR", "Delta", "hexaglide", "3-UPU", "3-PRS", "agile eye")},
    "Delta with rods": lambda: rods("Delta with rods"),
    "Orthoglide": lambda: rods("Orthoglide"),
    "3-UPU, hinges": lambda: upu("hinge"),
    "3-UPU, crosses": lambda: upu("universal"),
}  # fmt: skip


SOLVED = ("Stewart", "hexaglide", "Delta with rods", "Orthoglide", "3-UPU, hinges",
          "3-UPU, crosses")  # fmt: skip


@pytest.mark.parametrize("name", with_slow(MACHINES, fast=4))
def test_twelve_robots_from_the_motion_of_their_platform(name):
    """(66) for every leg: motor forces and the way back, against maximal coordinates."""
    data, start = MACHINES[name]()
    m = da.load(data)
    branch = da.leg_branches(m, start)
    assert branch.closed_form is (name in SOLVED)
    q, qd, qdd = motion(data, start)
    T, twist = da.pose(m, q, frame="platform"), da.velocity(m, q, qd, frame="platform")
    rate = da.acceleration(m.tree, q, qd, qdd, frame="platform")
    want = referee.inverse(data, q, qd, qdd)
    tau = da.actuator_forces(m, T, twist, rate, branch=branch)
    assert tau == pytest.approx(want, rel=1e-8, abs=1e-8 * np.abs(want).max())
    back = da.platform_acceleration(m, T, twist, tau, branch=branch)
    assert back == pytest.approx(rate, rel=1e-6, abs=1e-7 * np.abs(rate).max())
    J = da.platform_jacobian(m, T, branch=branch)
    assert J @ qd[list(referee.read(data).active)] == pytest.approx(twist, rel=1e-8, abs=1e-9)
    A, H = da.cartesian_model(m, T, twist, branch=branch)
    assert J.T @ (A @ rate + H) == pytest.approx(want, rel=1e-7, abs=1e-7 * np.abs(want).max())


@pytest.mark.parametrize("name", ["Stewart", "hexaglide"])
def test_signs_are_those_of_the_pose_and_no_others(name):
    """Legs put on other branches by hand are found there: lengths below zero, joints turned."""
    data, q = SPATIAL[name]()
    m = da.load(data)
    T = da.pose(m, q, frame="platform")
    usual = da.leg_branches(m, q)
    for k, signs in ((0, (-1, 1)), (2, (1, -1)), (4, (-1, -1))):
        other = list(usual)
        other[k] = tuple(a * b for a, b in zip(usual[k], signs, strict=True))
        legs = da.leg_states(m, T, REST, REST, branch=tuple(other))[0]
        names = m.joint_names
        pose = np.array(q)
        own = [n for n in names if n.endswith((f"{k}.1", f"{k}.2")) or n == f"p{k}"]
        for n, x in zip(own, legs[k], strict=True):
            pose[m.coordinate_names.index(n)] = x
        assert np.abs(da.closure(m, pose)).max() < 1e-12
        found = da.leg_branches(m, pose)
        assert tuple(found) == tuple(other) != tuple(usual)
        again = da.leg_states(m, T, REST, REST, branch=found)[0]
        np.testing.assert_allclose(again, legs, atol=1e-12)


@pytest.mark.parametrize("kind", ["RPR", "PRR", "PUS", "UPS"])
def test_closed_forms_put_the_end_where_it_is_asked(kind):
    """Random legs: the coordinates found, followed by the tree itself, reach the target."""
    from dalembert.algebra import Vec3
    from dalembert.algorithms.kinematics import frame_pose
    from dalembert.algorithms.leg_kinematics import LEGS, leg_coordinates, plain

    joints = {"RPR": "rp", "PRR": "pr", "PUS": "prr", "UPS": "rrp"}[kind]
    rng = np.random.default_rng(3)
    for _ in range(10):
        bodies = []
        for k, letter in enumerate(joints):
            axis = [0, 0, 1] if letter == "r" else [1, 0, 0]
            if kind in ("PUS", "UPS") and letter == "r":
                axis = [0, 0, 1] if joints[:k].count("r") else [0, 1, 0]
            at = rng.uniform(-0.3, 0.3, 3) * (k == 0 or (kind == "PUS" and k == 1))
            at[2] *= kind in ("PUS", "UPS") or k == 0
            bodies.append({"name": f"b{k}", "parent": k - 1, "mass": 1, "joint": {
                "type": {"r": "revolute", "p": "prismatic"}[letter], "axis": axis,
                "placement": {"translation": at.tolist(), "rotation":
                              [["y", 0.4], ["z", 1.0]] if k == 0 else []}}})  # fmt: skip
        m = da.load({"format": "dalembert/1", "bodies": bodies}).bound()
        tip = [0.5, 0, 0] if kind != "RPR" else [0.2, 0.1, 0]
        point = Vec3(*tip)
        q0 = rng.uniform(0.2, 0.8, m.nq).tolist()
        T = frame_pose(m, m.bodies[-1].name, q0)
        target = T.p + T.R @ point
        kinds = tuple(b.joint.kind for b in m.bodies)
        hits = []
        for s in np.ndindex(*(2,) * LEGS[kinds][1]):
            signs = tuple(1 - 2 * x for x in s)
            made = [float(plain(x)) for x in leg_coordinates(m, point, target, signs)]
            U = frame_pose(m, m.bodies[-1].name, made)
            end = U.p + U.R @ point
            assert [float(x) for x in end] == pytest.approx([float(x) for x in target], abs=1e-9)
            hits.append(np.allclose(np.cos(np.subtract(made, q0)), 1, atol=1e-9))
        assert sum(hits) == 1  # one branch is the one it was taken from


def test_a_pose_on_another_branch_is_refused_and_not_taken():
    """The 3-UPU has a mode in which it turns: it is not reached from the one that does not."""
    data, q = SPATIAL["3-UPU"]()
    m = da.load(data)
    branch = da.leg_branches(m, q)
    T = da.pose(m, q, frame="platform")
    T[:3, :3] = [[np.cos(0.2), -np.sin(0.2), 0], [np.sin(0.2), np.cos(0.2), 0], [0, 0, 1]]
    with pytest.raises(da.ComputationError, match="cannot go to this pose"):
        da.leg_states(m, T, REST, REST, branch=branch)
    T = da.pose(m, q, frame="platform")
    with pytest.raises(da.ComputationError, match="cannot have this velocity"):
        da.actuator_forces(m, T, [0, 0, 0, 0, 0, 1], REST, branch=branch)
    states = np.stack([T, T])
    states[1, 2, 3] += 0.05
    many = da.actuator_forces(m, states, REST, REST, branch=branch)
    assert many.shape == (2, 3)
    assert many[0] == pytest.approx(da.actuator_forces(m, T, REST, REST, branch=branch))
    turned = da.actuator_forces(m, states[::-1], REST, REST, branch=branch)
    assert (turned[::-1] == many).all()  # the order of a batch does not matter


@pytest.mark.parametrize("name", ["Delta with rods", "Orthoglide", "3-UPU, hinges"])
def test_legs_of_reduced_platforms_need_no_start(name):
    """Signs decide: far poses are found at once, and on each leg's own branch."""
    data, start = MACHINES[name]()
    m = da.load(data)
    usual = da.leg_branches(m, start)
    T = da.pose(m, start, frame="platform")
    T[:3, 3] += [0.01, -0.01, -0.05]
    q = da.leg_states(m, T, REST, REST, branch=usual)[0]
    assert np.abs(da.closure(m, q)).max() < 1e-10
    np.testing.assert_allclose(da.pose(m, q, frame="platform"), T, atol=1e-12)
    assert tuple(da.leg_branches(m, q)) == tuple(usual)
    T[:3, 3] += [0, 0, 5.0]
    reason = "cannot go to this pose" + (".*leg 1 does not reach" if "UPU" not in name else "")
    if "UPU" in name:  # slides have no end: a turn is what its legs refuse
        T[:3, 3] -= [0, 0, 5.0]
        T[:3, :3] = [[np.cos(0.2), -np.sin(0.2), 0], [np.sin(0.2), np.cos(0.2), 0], [0, 0, 1]]
    with pytest.raises(da.ComputationError, match=reason):
        da.leg_states(m, T, REST, REST, branch=usual)


@pytest.mark.parametrize("on", ["the base", "a slide"])
def test_a_platform_is_where_it_was_described(on):
    """A graph puts the body on its joint; poses and wrenches are those of the frame `platform`."""
    letters, values = LETTERED["3-PRR"]()
    m = da.load(letters).with_values(**values)
    if on == "a slide":  # names of what is attached get a prefix, one by one
        low = {"name": "platform", "parent": -1, "joint": {"type": "prismatic"}, "mass": 1}
        m = da.load({"format": "dalembert/1", "bodies": [low]}).attach(m, "platform")
    q = da.regular_pose(m)
    (frame,) = (f.name for f in m.named)
    assert frame not in [b.name for b in m.bodies]
    rng, some = np.random.default_rng(2), list(da.plan(m, q).independent)
    qd, qdd = np.zeros((2, m.nv))
    qd[some], qdd[some] = rng.normal(size=(2, len(some)))
    qd, qdd = da.tree_motion(m, q, qd, qdd)
    T, twist = da.pose(m, q, frame=frame), da.velocity(m, q, qd, frame=frame)
    rate = da.acceleration(m.tree, q, qd, qdd, frame=frame)
    branch = da.leg_branches(m, q)
    found = da.leg_states(m, T, twist, rate, branch=branch)
    np.testing.assert_allclose(found[0], q, atol=1e-9)
    want = da.inverse_dynamics(m, q, qd, qdd)
    made = da.actuator_forces(m, T, twist, rate, branch=branch)
    np.testing.assert_allclose(made, want, atol=1e-8 * np.abs(want).max())
    # F_p of a body whose mass centre is the frame: m (a - g), and the couple about z
    f = da.platform_wrench(m, T, twist, rate)
    g = [float(x) for x in m.bound().gravity]
    np.testing.assert_allclose(f[:3], values["m3"] * (rate[:3] - g), atol=1e-9)
    np.testing.assert_allclose(f[3:], [0, 0, values["J3"] * rate[5]], atol=1e-9)


def test_a_platform_beside_its_own_joint_needs_a_branch():
    """Signs alone would be those of another frame: refused, and followed from the pose."""
    m = da.robots.three_rrr()
    q = da.regular_pose(m)
    pose, own = da.pose(m, q, frame="platform"), m.joint_index("platform")
    shift = Transform(Rotation(), Vec3(0.1, 0.2, 0))
    bodies = [replace(b, name="platform.j") if k == own else b for k, b in enumerate(m.bodies)]
    moved = replace(
        m, bodies=tuple(bodies), named=(Frame("platform", own, shift),), active=m.active
    )
    with pytest.raises(da.ModelError, match="beside that of its joint"):
        da.cartesian_model(moved, pose, REST)
    branch = da.leg_branches(moved, q)
    T = pose @ [[1, 0, 0, 0.1], [0, 1, 0, 0.2], [0, 0, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(da.leg_states(moved, T, REST, REST, branch=branch)[0], q, atol=1e-9)


def test_a_platform_lifted_out_of_its_plane_is_refused():
    """Legs in a plane say nothing of what is across it: the gap of their ends does."""
    m = da.robots.three_rrr()
    q = da.regular_pose(m)
    T, branch = da.pose(m, q, frame="platform"), da.leg_branches(m, q)
    da.actuator_forces(m, T, REST, REST, branch=branch)
    T[2, 3] += 0.1
    with pytest.raises(da.ComputationError, match="does not reach the platform"):
        da.actuator_forces(m, T, REST, REST, branch=branch)


def test_what_is_no_parallel_robot_or_not_closed_is_refused():
    with pytest.raises(da.ModelError, match="no closed loops"):
        da.leg_branches(da.robots.puma560(), np.zeros(6))
    five = da.robots.fivebar()
    with pytest.raises(da.ModelError, match="three legs"):
        da.leg_branches(five, da.assemble(five))
    stewart = da.robots.stewart()
    with pytest.raises(da.ComputationError, match="open"):
        da.leg_branches(stewart, da.neutral(stewart))
    with pytest.raises(da.DalembertError):
        da.leg_branches(stewart, [1.0])
    b = da.leg_branches(da.robots.delta(), da.regular_pose(da.robots.delta()))
    assert "crank" in repr(b) and "<table>" in b._repr_html_()
    data, q = SPATIAL["3-PRS"]()
    m = da.load(data)
    branch = da.leg_branches(m, q)
    with pytest.raises(da.UsageError, match="4 x 4"):
        da.platform_jacobian(m, np.eye(3), branch=branch)
    with pytest.raises(da.UsageError, match="tree_torques"):
        da.leg_torques(m, np.eye(4), REST, REST, branch=branch)


def test_a_platform_on_a_platform():
    """A planar 3-RRR on a 3-PRS: six motors from the motion of the upper platform alone."""
    data, q = hybrid(SPATIAL["3-PRS"], PLANAR["3-RRR"])
    m = da.load(data)
    branch = da.leg_branches(m, q)
    q, qd, qdd = motion(data, q)
    frame = "3-RRR_platform"
    T, twist = da.pose(m, q, frame=frame), da.velocity(m, q, qd, frame=frame)
    rate = da.acceleration(m.tree, q, qd, qdd, frame=frame)
    want = referee.inverse(data, q, qd, qdd)
    tau = da.actuator_forces(m, T, twist, rate, branch=branch)
    assert tau == pytest.approx(want, rel=1e-8, abs=1e-8 * np.abs(want).max())
    back = da.platform_acceleration(m, T, twist, tau, branch=branch)
    assert back == pytest.approx(rate, rel=1e-6, abs=1e-7 * np.abs(rate).max())


def test_a_hybrid_with_more_motors_than_its_platform_needs_names_the_task_model():
    m = da.robots.three_rrr()
    both = m.attach(m, "platform")
    q = da.assemble(both)
    branch = da.leg_branches(both, q)
    T = da.pose(both, q, frame="three_rrr_platform")
    with pytest.raises(da.UsageError, match="does not decide") as error:
        da.cartesian_model(both, T, REST, branch=branch)
    assert "task_model" in str(error.value.hint)
    t = da.task_model(both, frame="three_rrr_platform")
    assert t.rank == 3 and len(t.speeds) == 6


@pytest.mark.parametrize("platform", ["free", "joints"])
def test_lengths_of_legs_are_above_zero_where_no_pose_is_given(platform):
    """What assemble finds and branch 1 mean the same legs: forces agree."""
    m = da.robots.stewart(platform=platform)
    for q in (da.assemble(m), da.regular_pose(m)):
        assert abs(da.closure(m, q)).max() < 1e-9
        assert tuple(da.leg_branches(m, q)) == ((1, 1),) * 6
    rest = np.zeros(m.nv)
    made = da.actuator_forces(m, da.pose(m, q, frame="platform"), REST, REST)
    assert made == pytest.approx(da.inverse_dynamics(m, q, rest, rest), rel=1e-9)


def test_cranks_that_stand_otherwise_than_branch_1_are_told():
    m = da.robots.delta()
    q = da.assemble(m)
    T = da.pose(m, q, frame="platform")
    with pytest.warns(UserWarning, match="no branch is given"):
        da.actuator_forces(m, T, REST, REST)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = da.actuator_forces(m, T, REST, REST, branch=da.leg_branches(m, q))
    assert found == pytest.approx(da.inverse_dynamics(m, q, np.zeros(12), np.zeros(12)), rel=1e-9)


def test_a_stretched_leg_says_that_its_branches_meet():
    m = da.robots.three_rrr()
    start = da.regular_pose(m)
    for bend in (0.0, 1e-3, -1e-3):
        start[1] = bend
        q = da.assemble(m, start, hold=["rod1"])
        if bend:
            # the closed form on that branch gives the bend itself back
            b = da.leg_branches(m, q)
            legs = da.leg_states(m, da.pose(m, q, frame="platform"), REST, REST, branch=b)[0]
            assert np.isclose(np.ravel(legs)[1], bend, rtol=0, atol=1e-9)
        else:
            with pytest.raises(da.SingularPose, match="'crank1' meet"):
                da.leg_branches(m, q)


@pytest.mark.parametrize("joint", ["b01", "b14"])
def test_a_stretched_leg_without_a_closed_form_is_refused_as_a_start(joint):
    """The platform hangs on its first leg: the way from here could bend a leg either way."""
    data, start = PLANAR["3-RRR"]()
    m = da.load(data)
    for bend in (0.0, 0.02, -0.02):
        near = np.array(start, float)
        near[m.joint_names.index(joint)] = bend
        q = da.assemble(m, near, hold=[joint])
        if not bend:
            with pytest.raises(da.SingularPose, match="branches of a leg meet"):
                da.leg_branches(m, q)
            continue
        T = da.pose(m, q, frame="platform")
        T[:3, 3] *= 0.98
        found = da.leg_states(m, T, REST, REST, branch=da.leg_branches(m, q))[0]
        assert found[m.joint_names.index(joint)] * bend > 0


def test_flat_cranks_are_no_start():
    data, _ = PLANAR["three parallel cranks"]()
    m = da.load(data)
    flat = np.zeros(m.nq)
    assert np.abs(da.closure(m, flat)).max() < 1e-12
    with pytest.raises(da.SingularPose, match="lose rank"):
        da.leg_branches(m, flat)
