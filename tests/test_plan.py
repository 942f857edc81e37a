"""Plans of closed loops: rank, mobility, singular poses, loops that cannot close."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.loop_plan import LoopPlan
from dalembert.plan import plan, planned
from dalembert.plan.assembly import Closure, assemble
from loops import bricard, planar, random_rotation, slider_crank, spatial


@pytest.mark.parametrize(
    ("robot", "equations", "rank", "mobility"),
    [
        ("fourbar", 5, 2, 1),
        ("fivebar", 5, 2, 2),
        ("parallelogram_arm", 5, 2, 3),
        ("three_rrr", 15, 6, 3),
        ("delta", 9, 9, 3),
        ("stewart", 18, 18, 6),
    ],
)
def test_ready_made_robots_have_the_mobility_of_their_motors(robot, equations, rank, mobility):
    m = getattr(da.robots, robot)()
    p = da.plan(m)
    assert (p.equations, p.rank, p.mobility) == (equations, rank, mobility)
    assert len(p.motors) == mobility and not p.free and not p.spare_motors
    assert set(p.dependent) | set(p.independent) == set(range(m.nv))
    assert len(p.redundant) == equations - rank
    assert da.mobility(m) == mobility
    assert f"mobility {mobility}" in str(p)


def test_a_plan_is_a_frozen_value_and_always_the_same():
    m = da.robots.stewart()
    assert plan(m) == plan(m) == planned(m) and hash(plan(m)) == hash(planned(m))
    with pytest.raises(AttributeError):
        plan(m).rows = ()


def test_a_plan_does_not_depend_on_the_world():
    rng = np.random.default_rng(0)
    for make in (lambda **o: planar(6, 1, active=(0, 1, 2), **o), lambda **o: bricard(2, **o)):
        here = make()
        expected = plan(here.m, here.q)
        for _ in range(5):
            there = make(world=random_rotation(rng))
            found = plan(there.m, there.q)
            assert (found.rank, found.independent) == (expected.rank, expected.independent)


def test_a_flat_four_bar_is_singular():
    m = da.load(
        {
            "format": "dalembert/1",
            "bodies": [
                {"name": n, "parent": p, "joint": {"type": "revolute", "axis": [0, 0, 1],
                 "placement": {"translation": [x, 0, 0]}}, "mass": 1, "com": [0.5, 0, 0],
                 "inertia": [0.1, 0.1, 0.1]}
                for n, p, x in (("a", -1, 0), ("b", 0, 1), ("c", -1, 1))
            ],
            "loops": [{"body_i": "b", "point_i": [1, 0, 0], "body_j": "c", "point_j": [1, 0, 0],
                       "joint": "revolute", "axis": [0, 0, 1]}],
            "active": ["a"],
        }
    )  # fmt: skip
    with pytest.raises(da.SingularPose, match="lose rank"):
        plan(m, [0.0, 0.0, 0.0])
    with pytest.raises(da.SingularPose):
        da.inverse_dynamics(m, np.zeros(3), np.ones(3), np.ones(3))
    q = assemble(m, [0.5, -0.5, 0.5])
    assert plan(m, q).mobility == 1


def test_motors_that_do_not_hold_the_mechanism_are_named():
    """A four-bar driven at a dead point: the coupler and the driven crank are in line (type 2)."""
    m = da.robots.fourbar()
    # the rocker as motor, crank and coupler stretched: 0.7² ... by the cosine rule
    m = replace(m, active=("rocker",), checked=False)
    a, b, c, d = 0.3, 0.8, 0.6, 0.7
    s = a + b
    alpha = np.arccos((s * s + d * d - c * c) / (2 * s * d))
    tip = s * np.array([np.cos(alpha), np.sin(alpha)])
    gamma = np.arctan2(tip[1], tip[0] - d)
    q = np.array([alpha, 0.0, gamma])
    assert np.abs(da.closure(m, q)).max() < 1e-15
    with pytest.raises(da.SingularPose, match=r"type 2.* in loop 1 \(coupler - rocker\)"):
        da.active_torques(m, q, np.ones(3), np.ones(3))
    assert da.singularity(m, q).type2 < 1e-12
    assert da.singularity(m, assemble(m, [0.4, 0.2, 1.1])).type2 > 0.05


def test_assembly_finds_the_passive_joints_from_a_start():
    m = da.robots.delta()
    q = assemble(m)
    rng = np.random.default_rng(0)
    p = planned(m)
    Q = np.repeat(q[None], 50, axis=0)
    Q[:, list(p.motors)] += rng.uniform(-0.2, 0.2, (50, 3))
    found = da.assembly(m, Q)
    assert np.abs(da.closure(m, found)).max() < 1e-14
    assert np.array_equal(found[:, list(p.motors)], Q[:, list(p.motors)])


def test_an_open_pose_is_refused_with_its_state_and_equation():
    m = da.robots.fourbar()
    q = np.repeat(assemble(m, [0.4, 0.2, 1.1])[None], 3, axis=0)
    q[1, 1] += 0.1
    with pytest.raises(da.ComputationError, match=r"open, state 1: .*coupler - rocker"):
        da.inverse_dynamics(m, q, q, q)
    assert np.isfinite(da.inverse_dynamics(m, q, q, q, check=False)).all()


def test_a_loop_that_cannot_close_says_how_near_it_came():
    m = da.robots.fourbar()
    loop = replace(m.loops[0], point_i=type(m.gravity)(5, 0, 0))
    with pytest.raises(
        da.ComputationError, match=r"do not close: the smallest residual .* in loop"
    ):
        assemble(replace(m, loops=(loop,), checked=False))
    with pytest.raises(da.ComputationError, match="assembly"):
        da.assembly(da.robots.fivebar(), [np.pi, 0.0, 0.0, 0.0])


def test_a_loop_turned_upside_down_is_not_closed():
    case = spatial(7, 3)
    c = Closure(case.m)
    loop = case.m.loops[0]
    flipped = replace(case.m, loops=(replace(loop, axis=-loop.axis),), checked=False)
    assert c.worst(case.q) < 1e-14
    assert Closure(flipped).worst(case.q) == 2


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical", "revolute", "fixed"])
def test_ends_that_meet_turned_by_half_a_turn_are_an_open_loop(kind):
    """Sines vanish there: no quantity, plan or simulation takes such a pose for a closed one."""
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    bar = {"mass": 1, "com": [0.2, 0, 0], "inertia": [0.01, 0.01, 0.01]}
    on = {"placement": {"translation": [0.5, 0, 0]}}
    crank, rod = bar | {"name": "crank", "parent": -1, "joint": turn}, bar | {"name": "rod"}
    rod |= {"parent": 0, "joint": turn | on}
    cross = bar | {"name": "cross", "parent": 1, "joint": turn | on | {"axis": [0, 0, 1]}}
    slide = {"type": "prismatic", "axis": [1, 0, 0], "placement": {"translation": [0, 0, 0]}}
    block = bar | {"name": "block", "parent": -1, "joint": slide}
    loop = {"body_i": "cross", "point_i": [0, 0, 0], "body_j": "block", "point_j": [0, 0, 0]}
    loop |= {"joint": kind} | ({} if kind == "fixed" else {"axis": [0, 1, 0]})
    bodies = [crank, rod, cross, block]
    m = da.load({"format": "dalembert/1", "bodies": bodies, "loops": [loop], "active": ["crank"]})
    q, rest = np.array([0.4, -0.8, 0.4, np.cos(0.4)]), np.zeros(4)
    turned = q + [0, 0, np.pi, 0]
    assert abs(da.closure(m, q)).max() < 1e-12 and abs(da.closure(m, turned)).max() == 2
    da.kinetic_energy(m, q, rest)
    with pytest.raises(da.ComputationError, match="half a turn in loop 1"):
        da.kinetic_energy(m, turned, rest)
    with pytest.raises(da.ComputationError, match="half a turn in loop 1"):
        da.plan(m, turned)


def test_coupled_joints_follow():
    m = da.load("j1: RZ(), TXK(1), j2: RZ(), TXK(1), j3: RZ(), TXK(1);"
                "body 1: M = 1, D = (0.5, 0, 0); body 2: M = 1, D = (0.5, 0, 0);"
                "body 3: M = 1, D = (0.5, 0, 0); gravity = (0, -9.81, 0);")  # fmt: skip
    from dalembert.mechanism import Coupling

    m = replace(m, couplings=(Coupling(2, 0, -2, 0),), active=("j1", "j2"), checked=False)
    p = plan(m)
    assert p.mobility == 2 and p.rank == 1
    q = da.assembly(m, [0.3, 0.4, 0.0])
    assert q[2] == pytest.approx(-0.6)
    qd, qdd = da.tree_motion(m, q, [1.0, 2.0, 0.0], [0.5, 0.1, 0.0])
    assert np.allclose(qd, [1, 2, -2]) and np.allclose(qdd, [0.5, 0.1, -1])
    tau = da.inverse_dynamics(m, q, qd, qdd)
    free = replace(m, couplings=(), active=(), checked=False)
    gamma = da.inverse_dynamics(free, q, qd, qdd)
    assert np.allclose(tau, [gamma[0] - 2 * gamma[2], gamma[1]])
    assert np.allclose(da.forward_dynamics(m, q, qd, tau), qdd)


def test_the_distance_to_singular_poses_has_a_type():
    m = da.robots.fivebar()
    q = start = assemble(m, [2.2, -1.0, 0.9, 1.0])
    good = da.singularity(m, q, output="rodA", point=(0.6, 0, 0))
    assert min(good.closure, good.type1, good.type2) > 0.05
    # crank A and its rod in line: the tip cannot leave its circle, whatever crank A does
    s, d = 1.0, 0.5
    a = np.arccos((s * s + d * d - 0.8**2) / (2 * s * d))
    tip = s * np.array([np.cos(a), np.sin(a)]) - [d, 0]
    r = np.hypot(*tip)
    inner = np.arccos((r * r + 0.16 - 0.36) / (0.8 * r))
    crank = np.arctan2(tip[1], tip[0]) - inner
    elbow = tip - 0.4 * np.array([np.cos(crank), np.sin(crank)])
    q = np.array([a, 0.0, crank, np.arctan2(elbow[1], elbow[0]) - crank])
    assert np.abs(da.closure(m, q)).max() < 1e-14
    edge = da.singularity(m, q, output="rodA", point=(0.6, 0, 0))
    assert edge.type1 < 1e-9 < 0.05 < edge.type2
    # the tip is what is meant when nothing is named
    for named, found in ((good, da.singularity(m, start)), (edge, da.singularity(m, q))):
        assert found.output in ("rodA", "rodB")
        assert found.type1 == pytest.approx(named.type1, abs=1e-12)


def test_a_stretched_leg_of_a_platform_is_singular_of_type_one():
    m = da.robots.three_rrr()
    bent = da.neutral(m)
    bent[[m.joint_names.index(f"rod{k}") for k in (1, 2, 3)]] = 1.5
    q = assemble(m, bent, hold=["platform"])
    good = da.singularity(m, q)
    assert good.output == "platform" and min(good.type1, good.type2) > 1e-3
    # a leg in line: its crank turns and the platform does not follow
    at = list(m.joint_names)
    hold = q.copy()
    hold[at.index("rod1")] = 0.0
    stretched = assemble(m, hold, hold=["rod1"])
    assert np.abs(da.closure(m, stretched)).max() < 1e-12
    edge = da.singularity(m, stretched)
    assert edge.type1 < 1e-8 and edge.closure > 1e-3


@pytest.mark.parametrize(("robot", "start"), [("fourbar", [0.4, 0, 0]), ("fivebar", [2, 0, 1, 0])])
def test_planar_loops_close_in_two_ways(robot, start):
    m = getattr(da.robots, robot)()
    both = da.planar_branches(m, start)
    assert len(both) == 2 and not np.allclose(both[0], both[1])
    for q in both:
        assert np.abs(da.closure(m, q)).max() < 1e-15
        motors = list(planned(m).motors)
        assert np.array_equal(q[motors], np.array(start, float)[motors])
        assert np.allclose(da.assembly(m, q + 0.01 * (np.arange(m.nv) % 2)), q, atol=1e-1)
    if robot == "fivebar":
        assert da.planar_branches(m, [np.pi, 0, 0, 0]) == []


@pytest.mark.parametrize(
    ("cut", "active"),
    [
        (cut, active)
        for active in [(0, 1), (0, 3), (1, 2), (0, 2)]
        for cut in [None, 1, 2, 3, 4]
        if cut not in active  # a motor is not cut
    ],
)
def test_branches_hold_the_motors_wherever_a_planar_loop_is_cut(cut, active):
    case = planar(5, 2, cut=cut, active=active)
    both = da.planar_branches(case.m, case.q)
    assert len(both) == 2
    motors = list(da.plan(case.m, case.q).motors)
    c = Closure(case.m)
    for q in both:
        assert c.worst(q) < 1e-13
        assert np.array_equal(q[motors], case.q[motors])
    # one of them is the pose that was drawn, up to whole turns
    drawn = [np.abs(np.angle(np.exp(1j * (q - case.q)))).max() for q in both]
    assert min(drawn) < 1e-12 < 1e-3 < max(drawn)


def test_branches_of_other_loops_are_refused():
    with pytest.raises(da.ModelError, match="two passive revolute joints"):
        da.planar_branches(spatial(7, 7).m, np.zeros(6))
    with pytest.raises(da.ModelError, match="one loop with a revolute cut"):
        da.planar_branches(da.robots.stewart(), np.zeros(25))
    slides = slider_crank(3, active=(0,))  # one passive joint turns, the other slides
    with pytest.raises(da.ModelError, match="two passive revolute joints"):
        da.planar_branches(slides.m, slides.q)


def test_a_branch_is_kept_along_a_motion():
    m = da.robots.fourbar()
    motion = np.linspace(0.4, 0.4 + 4 * np.pi, 90)[:, None]
    for q in da.planar_branches(m, [0.4, 0, 0]):
        path = da.assembly_along(m, q, motion)
        assert np.abs(da.closure(m, path)).max() < 1e-12
        assert np.array_equal(path[:, 0], motion[:, 0])
        # after two turns the linkage is where it was
        turns = (path[-1] - q) / (2 * np.pi)
        assert np.allclose(turns, np.round(turns), atol=1e-9)
        assert np.abs(np.diff(path[:, 1:], axis=0)).max() < 0.5
    # long steps are halved until the pose is found
    q = da.planar_branches(m, [0.4, 0, 0])[0]
    assert np.abs(da.closure(m, da.assembly_along(m, q, [[2.5], [-1.5]]))).max() < 1e-12


def test_bad_input_of_loops_is_refused_in_words():
    m = da.robots.fivebar()
    q = assemble(m, [2.0, -1.0, 1.0, 1.0])
    rest = np.zeros(4)
    spare = replace(m, active=("crankA", "crankB", "rodA"), checked=False)
    assert "3 motors, 1 spare" in str(da.plan(spare))
    for weights in ([1, 1], [1, 1, 0], [1, 1, -2]):
        with pytest.raises(da.ModelError, match="one positive number for each of 3 motors"):
            da.inverse_dynamics(spare, q, rest, rest, weights=weights)
    with pytest.raises(da.ModelError, match="duplicate active joint name 'crankA'"):
        replace(m, active=("crankA", "crankA"), checked=False)
    for ask in (da.plan, da.singularity, da.planar_branches, da.assemble):
        with pytest.raises(da.ModelError, match=r"the mechanism needs \(4,\)"):
            ask(m, [1.0, 2.0])
    with pytest.raises(da.UsageError, match="motion has 3 numbers, 2 are needed"):
        da.assembly_along(m, q, [[1, 2, 3]])


def test_loops_that_contradict_each_other_say_how_near_they_came():
    m = da.robots.fivebar()
    loop = m.loops[0]
    other = replace(loop, point_i=loop.point_i * 0.5, name="second")
    with pytest.raises(da.ComputationError, match=r"smallest residual .* is 0\.\d+ m along . in "):
        da.assemble(replace(m, loops=(loop, other), checked=False))


def test_a_structure_without_mobility_needs_no_motor():
    m = da.robots.fourbar()
    # the coupler held at its middle too: nothing moves
    hold = assemble(m, [1.0, -1.0, 1.0])
    spot = da.pose(m, hold, frame="coupler") @ [0.4, 0, 0, 1]
    loop = replace(m.loops[0], body_j=-1, point_i=m.loops[0].point_i * 0.5,
                   point_j=type(m.gravity)(*map(float, spot[:3])))  # fmt: skip
    rigid = replace(m, loops=(*m.loops, loop), checked=False)
    assert da.mobility(rigid, hold) == 0
    found = da.inverse_dynamics(rigid, hold, np.zeros(3), np.zeros(3))
    assert np.allclose(found, 0)
    # the loops carry the weight instead: their reactions balance the tree
    f = da.loop_reactions(rigid, hold, np.zeros(3), np.zeros(3))
    assert np.abs(f).max() > 1


def test_a_plan_of_nothing_has_nothing_to_move_or_to_spare():
    nothing = LoopPlan(0, (), (), (), ())
    assert (nothing.rank, nothing.mobility, nothing.free, nothing.spare_motors) == (0, 0, 0, 0)
    assert nothing.redundant == () and "free" not in str(nothing)


def test_a_plan_shows_itself_shortly_and_two_plans_never_alike():
    """Kernels are kept under what a plan shows: plans that differ in any field differ in it."""
    plan = da.plan(da.robots.stewart())
    assert len(repr(plan)) < 150 and str(plan) in repr(plan)
    others = [
        replace(plan, rows=plan.rows[::-1]),
        replace(plan, dependent=plan.dependent[::-1]),
        replace(plan, independent=plan.independent[::-1]),
        replace(plan, row_sizes=tuple(2 * x for x in plan.row_sizes)),
        replace(plan, column_sizes=tuple(2 * x for x in plan.column_sizes)),
    ]
    assert len({repr(x) for x in (plan, *others)}) == 6
    assert repr(replace(plan)) == repr(plan)
