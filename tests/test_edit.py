"""Edited mechanisms obey the laws that their names promise."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.algorithms.energy import centre_of_mass, potential_energy
from dalembert.algorithms.kinematics import frame_pose
from dalembert.expr import Expr
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Revolute
from dalembert.mechanism import Body, Coupling, Frame, Loop, Mechanism, PointSpring, Wheel
from dalembert.mechanism.assemble import on_base
from mechanisms import random_mechanisms, random_state
from models import newton_euler

TREES = random_mechanisms(8, seed=11, dof=(2, 7), masses={"decade": 1}, lengths={"metre": 1})
PHRASE = "RZ(A1,B1),TXK(L1),RX(A2,B2),TZK(L2);"
VALUES = {"L1": 0.4, "L2": 0.3, "M1": 2, "D1": 0.2, "IY1": 0.1, "IZ1": 0.1, "M2": 1, "D2": 0.1}


def numeric_arm():
    return da.load(PHRASE).with_values(**VALUES, IX2=0.05, IY2=0.05)


def torques(m, q, qd, qdd):
    return np.array(newton_euler(m.bound(), list(q), list(qd), list(qdd), drives="none"), float)


def close(x, y, rel=1e-10):
    x, y = np.asarray(x, float), np.asarray(y, float)
    assert np.abs(x - y).max(initial=0) <= rel * max(1.0, np.abs(y).max(initial=0))


# -- values and gravity ----------------------------------------------------------------------------


def test_given_values_are_exact_and_no_parameters_any_more():
    m = da.load(PHRASE).with_values(L1=0.1, M1="3/7", D1="sqrt(2)/2")
    assert m.bodies[1].placement.p.x == Fraction(1, 10)
    assert m.bodies[0].m == Fraction(3, 7)
    assert isinstance(m.bodies[0].inertia.lever.x, Expr)
    assert {"L1", "M1", "D1"}.isdisjoint(p.name for p in m.parameters)
    assert m == da.load(PHRASE).with_values(L1=0.1).with_values(M1="3/7").with_values(
        D1="sqrt(2)/2"
    )


def test_a_value_may_name_other_parameters():
    m = da.load(PHRASE).with_values(L1="2*L2", M1="M")
    assert m.bodies[1].placement.p.x.names() == ("L2",)
    assert "M" in {p.name for p in m.parameters}


def test_binding_values_early_or_late_gives_the_same_numbers():
    m, q = da.load(PHRASE), [0.3, -0.5]
    values = {**VALUES, "IX2": 0.05, "IY2": 0.05}
    late = newton_euler(m.bound(values), q, [1.0, 2.0], [0.5, 0.25])
    close(late, torques(m.with_values(**values), q, [1, 2], [0.5, 0.25]), 1e-15)


def test_wrong_values_are_refused():
    m = da.load(PHRASE)
    with pytest.raises(da.ParameterError, match="no parameter 'L9'"):
        m.with_values(L9=1)
    with pytest.raises(da.ModelError, match="negative mass"):
        m.with_values(M1=-1)
    for bad in (float("nan"), True, None, "1 +", "__import__('os')"):
        with pytest.raises(da.DalembertError):
            m.with_values(L1=bad)


def test_gravity_turns_with_the_world():
    for seed, m in enumerate(TREES):
        q, qd, qdd = random_state(m, seed)
        g = np.array([0.3, -2.0, 5.0])
        there = torques(m.with_gravity(g), q, qd, qdd)
        none = torques(m.with_gravity((0, 0, 0)), q, qd, qdd)
        twice = torques(m.with_gravity(2 * g), q, qd, qdd)
        close(twice - none, 2 * (there - none), 1e-9)


def test_a_gravity_component_may_be_a_name():
    m = numeric_arm().with_gravity((0, "G", 0))
    assert m.gravity.y.names() == ("G",)
    assert "G" not in {p.name for p in m.with_gravity((0, 0, 1)).parameters}
    for bad in ((0, 0), (1, 2, 3, 4)):
        with pytest.raises(da.ModelError, match="components"):
            m.with_gravity(bad)


# -- payloads --------------------------------------------------------------------------------------


def test_a_payload_is_a_body_fixed_to_the_frame():
    m, load = numeric_arm(), Inertia(2, Vec3(0.1, 0.2, 0.3), Mat3.symmetric(3, 2, 1, 0.1, 0.2, 0.3))
    tip, place = m.frame("tip")
    loaded = m.with_payload("tip", 2, (0.1, 0.2, 0.3), (3, 2, 1, 0.1, 0.2, 0.3))
    welded = replace(m, bodies=(*m.bodies, Body("load", tip, place, Fixed(), load)), checked=False)
    state = ([0.4, -0.7], [1.0, -2.0], [0.3, 0.6])
    close(torques(loaded, *state), torques(welded, *state), 1e-13)
    assert loaded.total_mass == m.total_mass + 2
    rows = ((3, 0.1, 0.2), (0.1, 2, 0.3), (0.2, 0.3, 1))
    assert m.with_payload("tip", 2, (0.1, 0.2, 0.3), rows) == loaded


def test_wrong_payloads_are_refused():
    m = numeric_arm()
    for arguments in (
        ("base", 1),
        ("nowhere", 1),
        ("tip", 1, (0, 0)),
        ("tip", 1, (0, 0, 0), (1, 2)),
    ):
        with pytest.raises(da.ModelError):
            m.with_payload(*arguments)
    with pytest.raises(da.ModelError, match="symmetric"):
        m.with_payload("tip", 1, (0, 0, 0), ((1, 1, 0), (0, 1, 0), (0, 0, 1)))


# -- placing ---------------------------------------------------------------------------------------


def pose_rows():
    R = Rotation.about(0, 0.3) @ Rotation.about(2, -1.1)
    return [[*map(float, row), p] for row, p in zip(R.matrix().rows, (1, -2, 0.5), strict=True)]


def test_moving_the_world_with_its_gravity_changes_no_torque():
    rows = pose_rows()
    for seed, m in enumerate(TREES):
        q, qd, qdd = random_state(m, seed)
        g = np.array([float(x) for x in m.bound().gravity])
        moved = m.rooted([*rows, [0, 0, 0, 1]]).with_gravity(np.array(rows)[:, :3] @ g)
        close(torques(moved, q, qd, qdd), torques(m, q, qd, qdd), 1e-9)
    with pytest.raises(da.UsageError, match="4 rows"):
        numeric_arm().rooted([[1, 0], [0, 1]])


def test_what_is_fixed_to_the_base_moves_with_it():
    m = Mechanism(
        (Body("a", -1, joint=Revolute(), inertia=Inertia(1)), Body("b", 0, joint=Revolute())),
        loops=(Loop(1, Vec3(1, 0, 0), -1, Vec3(0, 1, 0), "revolute", Vec3(1, 0, 0)),),
        springs=(PointSpring(0, Vec3(1, 0, 0), -1, Vec3(0, 2, 0), 3),),
        wheels=(Wheel("w", -1, Vec3(0, 0, 1), Vec3(0, 1, 0)),),
        named=(Frame("f", -1, Transform(p=Vec3(1, 0, 0))),),
    )
    quarter = [[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    moved = m.rooted(quarter)
    assert moved.loops[0].point_j == Vec3(4, 0, 0) and moved.loops[0].point_i == Vec3(1, 0, 0)
    assert moved.loops[0].axis == Vec3(1, 0, 0) and moved.loops[0].axis_j == Vec3(0, 1, 0)
    assert moved.springs[0].point_j == Vec3(3, 0, 0)
    assert moved.wheels[0].normal == Vec3(-1, 0, 0)
    assert moved.named[0].placement.p == Vec3(5, 1, 0)


def test_a_moving_base_carries_all_that_stood_on_the_base():
    for seed, m in enumerate(TREES):
        if m.bodies[0].joint.kind in ("free", "planar"):
            continue
        floating = on_base(m, "free")
        assert floating.joint_names == ("base", *m.joint_names)
        q, qd, qdd = random_state(m, seed)
        tau = torques(floating, [0, 0, 0, 0, 0, 0, 1, *q], [0] * 6 + list(qd), [0] * 6 + list(qdd))
        close(tau[6:], torques(m, q, qd, qdd), 1e-9)


# -- attaching -------------------------------------------------------------------------------------


def test_an_attached_arm_moves_as_if_it_stood_there():
    arm, hand = numeric_arm(), numeric_arm()
    both = arm.attach(hand, "tip")
    assert both.nv == 4 and both.total_mass == 2 * arm.total_mass
    assert both.joint_names == ("j1", "j2", "mechanism_j1", "mechanism_j2")
    q = [0.3, 0.4, -0.5, 0.6]
    end = frame_pose(both.bound(), "mechanism_tip", q)
    base = frame_pose(arm.bound(), "tip", q[:2])
    alone = base @ frame_pose(hand.bound(), "tip", q[2:])
    close(list(end.p), list(alone.p), 1e-14)
    energy = potential_energy(both.bound(), q)[0]
    placed = hand.rooted([[*r, x] for r, x in zip(base.R.matrix().rows, base.p, strict=True)])
    parts = potential_energy(arm.bound(), q[:2])[0] + potential_energy(placed.bound(), q[2:])[0]
    assert energy == pytest.approx(parts, rel=1e-12)


def test_the_same_hand_may_be_attached_three_times():
    arm = numeric_arm()
    hand = replace(arm, name="hand", checked=False)
    many = arm.attach(hand, "tip").attach(hand, "tip").attach(hand, "tip")
    assert many.nv == 8 and len(set(many.joint_names)) == 8


def test_records_follow_an_attached_mechanism(oracles_dir):
    bars = da.load(oracles_dir / "fivebar.json")
    both = numeric_arm().attach(bars, "tip")
    assert both.active == ("j1", "j2", "crankA", "crankB")
    assert (both.loops[0].body_i, both.loops[0].body_j) == (3, 5)
    truck = da.load(oracles_dir / "s003_truck_semitrailer.json")
    twice = truck.attach(truck, "chassis")
    assert [w.body for w in twice.wheels] == [0, 0, 1, 2, 2, 3]
    assert twice.speeds == ("v", f"{truck.name}_rear.v")


def test_motors_of_a_side_that_names_none_are_those_it_had():
    """A free base, a spring and a loop have no motor, and get none by what is attached."""
    arm = da.load({"phrase": "RZ(), TXK(1), RZ(), TXK(1); body base: M = 3;",
                   "elastic": [{"joint": "j2", "stiffness": 10}]}, base="free")  # fmt: skip
    hand = replace(numeric_arm(), name="hand", active=("j1",), checked=False)
    assert arm.attach(hand, "tip").active == ("j1", "hand_j1")
    assert hand.attach(arm, "tip").active == ("j1", "mechanism_j1")
    bars = replace(da.robots.fivebar(), active=())
    assert bars.attach(hand, "rodA").active == ("j1",)


BASE_AXES = {"phrase": "a: RZ(), TXK(1), b: RZ(), TXK(1), c: RZ(), TXK(1);",
             "velocity_constraints": [{"name": "rail", "equation": "p(c).X = 0.5"}]}  # fmt: skip


def test_a_machine_held_along_axes_of_the_base_is_not_moved_away_from_them():
    m = da.load(BASE_AXES)
    turned = [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    for edit in (lambda: m.rooted(turned), lambda: numeric_arm().attach(m, "tip")):
        with pytest.raises(da.ModelError, match=r"'rail' has p\(c\).X, along an axis of the base"):
            edit()
    own = BASE_AXES | {"velocity_constraints": [{"name": "edge", "equation": "v(c).y = 0"}]}
    assert da.load(own).rooted(turned).velocity_constraints


def test_terms_dropped_by_number_are_not_those_of_an_edited_machine():
    """A12:1 of three joints is no term of the two that a lock leaves."""
    text = "RZ(), TXK(L1), RZ(), TXK(L2), RZ(), TXK(L3); gravity = (0, G, 0);"
    m = da.load({"phrase": text, "simplified": {"drop": ["A12:1"]}})
    edits = (
        lambda m: m.lock(["j1"]),
        lambda m: m.with_payload("tip", "MP", (0, 0, 0), None),
        lambda m: m.attach(da.load("RX();"), "tip"),
        lambda m: m.with_flexible_joints(100, 1),
    )
    for edit in edits:
        with pytest.raises(da.ModelError, match="dropped by number"):
            edit(m)
        assert edit(m.full).simplified is None
    assert m.with_gravity((0, 0, "G")).simplified == m.simplified
    # a length leaves the terms as they are, unless it is none
    assert m.with_values(L1=0.4, L2=0.3).simplified == m.simplified
    with pytest.raises(da.ModelError, match="with_values: terms are dropped by number"):
        m.with_values(L1=0)
    with pytest.raises(da.ModelError, match="terms of its own equations"):
        da.load("RX(), TZK(1);").attach(m, "tip")
    weights = da.load({"phrase": text, "simplified": {"drop": ["Q(1):1"]}})
    both = da.load({"phrase": text, "simplified": {"drop": ["A12:1; Q(1):1"]}})
    for x in (weights, both):
        with pytest.raises(da.ModelError, match="with_gravity: terms are dropped by number"):
            x.with_gravity((0, 0, "G"))


def test_parameters_of_two_mechanisms_must_agree():
    m = da.load(PHRASE)
    assert m.attach(m, "tip").parameters == m.parameters
    text = 'phrase = "{}"\n[parameters]\nL1 = {}\n'
    with pytest.raises(da.ParameterError, match="two values"):
        da.load(text.format(PHRASE, 1)).attach(da.load(text.format(PHRASE, 2)), "tip")


# -- locking ---------------------------------------------------------------------------------------


def test_locked_joints_are_joints_at_rest():
    for seed, m in enumerate(TREES):
        q, qd, qdd = (np.array(x, float) for x in random_state(m, seed, mild=True))
        moving = [j for j, b in enumerate(m.bodies) if b.joint.nv]
        simple = [j for j in moving if m.bodies[j].joint.nv == 1]
        if not simple:
            continue
        j = simple[len(simple) // 2]
        at_q = sum(b.joint.nq for b in m.bodies[:j])
        at_v = m.velocity_index[j]
        name = m.bodies[j].joint_name or m.bodies[j].name
        locked = m.lock([name], at=float(q[at_q]))
        qd[at_v] = qdd[at_v] = 0
        whole = np.delete(torques(m, q, qd, qdd), at_v)
        part = torques(locked, np.delete(q, at_q), np.delete(qd, at_v), np.delete(qdd, at_v))
        close(part, whole, 1e-9)
        com = centre_of_mass(m.bound(), list(q))
        close(centre_of_mass(locked.bound(), list(np.delete(q, at_q))), com, 1e-9)
        assert locked.total_mass == m.total_mass


def test_joints_to_lock_may_be_given_with_their_values():
    m = da.load("RZ(), TXK(1), RZ(), TXK(1), RZ(); body 2: M = 1, D = (1, 0, 0);")
    at = {"j2": 0.5, 3: -0.2}
    assert m.lock(at) == m.lock(["j2", 3], at=[0.5, -0.2])
    assert m.lock({"j2": 0.5}) != m.lock(["j2"])
    with pytest.raises(da.UsageError, match="have values, and so has at"):
        m.lock(at, at=0.1)


def test_a_joint_is_locked_at_one_value_in_its_own_unit():
    m = da.load("a: RZ(), TXK(1), b: TX(), RZ(); body 2: M = 1;")
    assert m.lock(["a", 1], at=["90deg", "90deg"]) == m.lock(["a"], at="pi/2")
    assert m.lock({"b": "20mm"}) == m.lock(["b"], at=0.02)
    with pytest.raises(da.UsageError, match=r"'a' is held at 0\.1 and at 0\.2"):
        m.lock(["a", 1], at=[0.1, 0.2])
    with pytest.raises(da.UsageError, match=r"'a' is held at 0\.1 and at 0\.2"):
        m.lock({"a": 0.1, 1: 0.2})
    with pytest.raises(da.DescriptionError, match="mm is a unit of length"):
        m.lock(["a"], at="90mm")
    with pytest.raises(da.DescriptionError, match="deg is a unit of angle"):
        m.lock(["b"], at="20deg")


def test_names_with_numbers_are_not_taken_for_names_alone():
    m = da.load("RZ(), TXK(1), RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0); body 2: M = 1;")
    with pytest.raises(da.UsageError, match="given: names of joints are needed"):
        da.hybrid_dynamics(m, [0, 0], [0, 0], [1, 2], given={"j1": 3.0})
    with pytest.raises(da.UsageError, match="joints to hold are names"):
        da.assemble(da.robots.fourbar(), hold={"crank": 0.5})


def test_numbers_of_flexible_joints_may_be_arrays_or_have_names():
    m = da.load("RZ(), TXK(1), RZ(), TXK(1); body 1: M = 1; body 2: M = 1;")
    both = m.with_flexible_joints([100, 200], [1, 2])
    assert m.with_flexible_joints(np.array([100, 200]), {"j2": 2, 1: 1}) == both
    with pytest.raises(da.UsageError, match="a number for each flexible joint"):
        m.with_flexible_joints({"j1": 100}, 1)


def test_a_body_locked_to_the_base_keeps_its_mass():
    m = numeric_arm()
    locked = m.lock(["j1"], at=0.4)
    assert locked.total_mass == m.total_mass and locked.nv == 1
    close(da.centre_of_mass(locked, [0.3]), da.centre_of_mass(m, [0.4, 0.3]), 1e-14)
    assert abs(da.potential_energy(locked, [0.3]) - da.potential_energy(m, [0.4, 0.3])) < 1e-12


def test_a_locked_joint_leaves_its_frame():
    m = numeric_arm()
    locked = m.lock(["j2"], at="pi/2")
    assert locked.nv == 1 and "j2" in locked.frames and "tip" in locked.frames
    close(
        list(frame_pose(locked.bound(), "tip", [0.3]).p),
        list(frame_pose(m.bound(), "tip", [0.3, np.pi / 2]).p),
        1e-15,
    )
    assert m.lock([2], at="pi/2") == locked == m.lock([2], at={2: "pi/2"}) == m.lock([2], ["pi/2"])
    assert m.lock([1, 2], at=[0, "pi/2"]).nv == 0


def test_locking_free_and_spherical_joints_at_their_neutral_pose():
    data = [
        {"name": "a", "parent": -1, "joint": {"type": "free"}, "mass": 1},
        {"name": "b", "parent": "a", "joint": {"type": "spherical"}, "mass": 1},
        {"name": "c", "parent": "b", "joint": {"type": "planar"}, "mass": 1},
    ]
    m = da.load({"bodies": data})
    assert m.lock(["b"]).total_mass == 3 and m.lock(["a", "b", "c"]).nv == 0
    assert m.lock(["c"], at=(1, 2, "pi/2")).bodies[1].inertia.h == Vec3(1, 2, 0)
    with pytest.raises(da.UsageError, match="needs 4 values"):
        m.lock(["b"], at=1)


def test_springs_and_loops_follow_a_merged_body(oracles_dir):
    bars = da.load(oracles_dir / "fivebar.json")
    spring = PointSpring(1, Vec3(1, 0, 0), -1, Vec3(0, 0, 0), 5)
    locked = replace(bars, springs=(spring,), checked=False).lock(["rodA"], at="pi/2")
    assert locked.springs[0].body_i == 0 and locked.active == ("crankA", "crankB")
    loop = locked.loops[0]
    length = bars.bodies[1].placement.p.x
    assert (loop.body_i, loop.body_j) == (0, 2)
    assert loop.point_i == Vec3(length, Fraction(3, 5), 0)
    assert loop.axis == loop.axis_j == Vec3(0, 0, 1)


def test_a_coupled_joint_is_locked_with_its_leader():
    m = replace(numeric_arm(), couplings=(Coupling(1, 0, 2, Fraction(1, 2)),), checked=False)
    for joint, at in (("j1", "1/4"), ("j2", 1)):
        both = m.lock([joint], at=at)
        assert both.nv == 0 and both.couplings == ()
        close(
            list(frame_pose(both.bound(), "tip", []).p),
            list(frame_pose(m.bound(), "tip", [0.25, 1.0]).p),
            1e-15,
        )
    with pytest.raises(da.ModelError, match="coupling"):
        m.lock(["j1", "j2"], at=[0, 0])


def test_a_joint_that_a_constraint_needs_is_not_locked():
    data = {
        "bodies": [
            {"name": "x", "parent": -1, "joint": {"type": "prismatic"}, "mass": 1},
            {"name": "th", "parent": "x", "joint": {"type": "revolute"}, "mass": 1},
        ],
        "velocity_constraints": [{"name": "c", "equation": "xd = 0"}],
        "wheels": [
            {"name": "w", "body": 1, "point": [0, 0, 0], "normal": [0, 1, 0], "steer": "th"}
        ],
    }
    for joint in ("x", "th"):
        with pytest.raises(da.ModelError, match="needs joint"):
            da.load(data).lock([joint])
    with pytest.raises(da.ModelError, match="no joint 'zz'"):
        da.load(data).lock(["zz"])
    with pytest.raises(da.ModelError, match="no joint 9"):
        da.load(data).lock([9])


def test_a_joint_that_a_speed_needs_is_not_locked():
    speeds = [{"name": "u", "equation": "ad+cd"}, {"name": "w", "equation": "cd"}]
    held = [{"name": "gear", "equation": "bd = 0.5*cd"}]
    m = da.load({"phrase": BASE_AXES["phrase"], "velocity_constraints": held, "speeds": speeds})
    with pytest.raises(da.ModelError, match="speed 'u' needs joint 'a': not locked"):
        m.lock(["a"])


def test_a_joint_is_found_by_its_own_name_before_that_of_a_body():
    bodies = (
        Body("elbow", -1, joint=Revolute(), joint_name="shoulder"),
        Body("hand", 0, joint=Revolute(), joint_name="elbow"),
    )
    m = Mechanism(bodies)
    assert [m.joint_index(x) for x in ("shoulder", "elbow", "hand", 1, 2)] == [0, 1, 1, 0, 1]


def test_parameters_may_have_names_that_python_has_not():
    data = {
        "format": "dalembert/1",
        "symbols": ["link 1", "self"],
        "bodies": [{"name": "a", "parent": -1, "joint": {"type": "prismatic"}, "mass": "self"}],
        "frames": [{"name": "t", "body": "a", "placement": {"translation": [1, 0, 0]}}],
    }
    m = da.load(data)
    assert m.with_values(self=2).total_mass == m.with_values({"self": 2}).total_mass == 2
    with pytest.raises(da.ParameterError) as caught:
        m.with_values({"link 1": 1}).bound()
    assert caught.value.hint == "write m.with_values(self=...)"
    assert caught.value.command == "write --set self=..."


def test_one_joint_may_stand_without_brackets():
    m = da.robots.puma560()
    assert m.lock("j2") == m.lock(2) == m.lock(["j2"])


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        (lambda m: m.with_gravity("abc"), "gravity has three components"),
        (lambda m: m.with_gravity(9.81), "gravity has three components"),
        (lambda m: m.attach("tool.urdf", "tip"), "a Mechanism is needed, not str"),
        (lambda m: m.frame(3), "no frame '3'"),
        (lambda m: m.joint_index(1.5), "no joint 1.5"),
        (lambda m: m.with_values(L=1), "the mechanism has no parameters"),
        (lambda m: da.integrate(m, [0] * 6, [0] * 5), r"dq has shape \(5,\), expected \(..., 6\)"),
    ],
)
def test_a_wrong_argument_is_named(deed, says):
    with pytest.raises(da.DalembertError, match=says):
        deed(da.robots.puma560())


def test_contradictions_are_refused():
    bodies = (Body("a", -1, joint=Revolute()), Body("b", 0, joint=Revolute()))
    with pytest.raises(da.ModelError, match="follows itself"):
        Mechanism(bodies, couplings=(Coupling(0, 0),))
    with pytest.raises(da.ModelError, match="has two drives"):
        da.load(
            {
                "bodies": [{"name": "a", "parent": -1, "joint": {"type": "revolute"}}],
                "drives": [{"joint": "a"}, {"joint": "a"}],
            }
        )


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "inf", "-inf", " Infinity ", "2*inf", "True", "false", "None", "null"]
)
def test_a_word_for_no_number_is_no_letter(text):
    m = da.load("RZ(), TXK(L1), RZ(), tip: TXK(L1); body 1: M = 2, D = (L1, 0, 0);")
    for made in (lambda: m.with_values(L1=text), lambda: m.with_payload("tip", text, (0, 0, 0)),
                 lambda: m.lock(["j1"], at=text), lambda: m.with_gravity((0, 0, text)),
                 lambda: da.equations(m).freeze({1: text})):  # fmt: skip
        with pytest.raises(da.ParameterError, match="is not a number") as error:
            made()
        assert error.value.hint
    assert m.with_values(L1="infinite + trueness").open_parameters[:2]


def test_a_word_that_is_a_letter_of_the_mechanism_may_be_named():
    m = da.load("RZ(), TXK(Null), RZ(), TXK(L1); body 2: M = 1;")
    assert m.with_values(L1="2*Null").with_values(Null=0.5).open_parameters == ()


@pytest.mark.parametrize("b", ["0.5", "1/2", "50*0.01"])
def test_an_expression_takes_texts_that_are_numbers_beside_it(b):
    m = da.load("RZ(), TXK(L1), RZ(), TXK(b); body 2: M = 1, D = (b, 0, 0);")
    assert m.with_values(L1="2*b", b=b).open_parameters == ()
    assert m.with_values(L1="2*b", b=b).digest == m.with_values(L1=1, b=0.5).digest


def test_letters_that_two_machines_share_are_told():
    arm = da.load("RZ(), TXK(L1); body 1: M = M1, D = (L1, 0, 0);")
    both = arm.attach(arm, "tip")
    assert [p.name for p in both.parameters] == ["L1", "M1", "G"]
    assert len(both.notes) == 1 and "its L1, M1 are those of the first machine" in both.notes[0]
    known = arm.with_values(L1=1, M1=2)
    assert not known.attach(known, "tip").notes


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_a_joint_is_locked_at_unit_quaternions_only(kind):
    m = da.load({"bodies": [{"name": "a", "parent": -1, "joint": {"type": kind}, "mass": 1}]})
    place = [0.1, 0.2, 0.3] if kind == "free" else []
    assert m.lock({"a": [*place, 0.6, 0, 0, 0.8]}).nv == 0
    for turn in ([0.6, 0, 0, 1.8], [0, 0, 0, 0]):
        with pytest.raises(da.UsageError, match="quaternion of 'a' has length"):
            m.lock({"a": [*place, *turn]})
    near_unit = np.array([0.6, 0, 0, 0.8]) * (1 + 9e-5)
    R = da.pose(m.lock({"a": [*place, *near_unit]}), [], frame="a")[:3, :3]
    np.testing.assert_allclose(R, [[1, 0, 0], [0, 0.28, -0.96], [0, 0.96, 0.28]], atol=1e-14)


def test_the_energy_of_a_spring_that_is_held_is_left_out_with_a_note():
    m = da.load(
        {
            "format": "dalembert/1",
            "phrase": "RZ(), TXK(0.5), RZ(), TXK(0.3); gravity = (0, -9.81, 0);"
            "body 1: M = 1, D = (0.3, 0, 0), I = (0, 0, 0.1);"
            "body 2: M = 1, D = (0.3, 0, 0), I = (0, 0, 0.1);",
            "elastic": [{"joint": "j2", "stiffness": 10, "rest": 0.2}],
        }
    )
    held = m.lock(["j2"], at=0.5)
    missing = da.potential_energy(m, [0.3, 0.5]) - da.potential_energy(held, [0.3])
    assert missing == pytest.approx(0.5 * 10 * 0.3**2)
    assert any("springs held: j2" in note for note in held.notes)
    assert not any("spring" in note for note in m.lock(["j1"]).notes)


def test_an_expression_takes_the_numbers_that_are_given_beside_it():
    m = da.load("RZ(), TXK(L), RZ(), TXK(b); body 1: M = c, D = (L, 0, 0); body 2: M = 1;")
    both = m.with_values(L="2*b + c", b=0.3, c=1.5)
    assert both.open_parameters == ()
    assert both.digest == m.with_values(L="2*b + c").with_values(b=0.3, c=1.5).digest
    again = m.with_values(b=1, c=1).with_values(L="2*b + c", b=0.3, c=1.5)
    assert again.open_parameters == () and again.total_mass == both.total_mass == 2.5
    turned = m.with_values(L="b", b="L").with_values(L=1, b=2, c=3)
    assert turned.digest == m.with_values(L=2, b=1, c=3).digest
