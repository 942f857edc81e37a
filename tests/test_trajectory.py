"""Motions of joints and frames, and the forces they need."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Rotation, Transform, Vec3
from dalembert.cli import main
from dalembert.compute.turns import pose_error
from dalembert.mechanism import Drive, Frame
from dalembert.trajectory import constant_acceleration, quintic, spline, through, trapezoidal
from dalembert.trajectory.inverse_kinematics import Reach, joint_limits
from dalembert.trajectory.paths import circle, line
from peers import ORACLES, absent

EXAMPLES = Path(__file__).parents[1] / "examples"
ARM = """RZ(-3, 3), TXK(0.8), RZ(-2.5, 2.5), TXK(0.6); gravity = (0, -9.81, 0);
body 1: M = 3, D = (0.4, 0, 0), I = (0.1, 0.2, 0.2);
body 2: M = 2, D = (0.3, 0, 0), I = (0.05, 0.1, 0.1);"""


def differences(path, t, step=1e-5):
    return (path(t + step) - path(t - step)) / (2 * step)


@pytest.mark.parametrize(
    "path",
    [
        quintic([0, 1], [2, -1], 3.0, qd0=[0.5, 0], qdd1=[0, 1.0]),
        trapezoidal([0, 1], [2, -1], [1.0, 2.0], 2.0),
        trapezoidal([0, 1], [0.1, 1], 10.0, 2.0),
        constant_acceleration([0, 1], [2, -1], 3.0),
        constant_acceleration([0, 1], [2, -1], 3.0, 1.0, brake=True),
        spline([0, 1, 2.5, 3], [[0, 0], [1, 2], [0, 1], [1, 1]]),
        through([[0, 0], [1, 2], [0, 1]], 1.0, 4.0),
    ],
)
def test_rates_are_the_derivatives(path):
    t = np.linspace(path.start, path.end, 57)[1:-1] + 1e-3
    t = t[t < path.end - 1e-4]
    assert np.abs(path.qd(t) - differences(path, t)).max() < 1e-7
    rate = (path.qd(t + 1e-6) - path.qd(t - 1e-6)) / 2e-6
    smooth = np.abs(path.qdd(t + 2e-6) - path.qdd(t - 2e-6)).max(axis=1) < 1e-3
    assert np.abs(path.qdd(t) - rate)[smooth].max() < 1e-4


def test_moves_keep_their_limits_and_ends():
    path = trapezoidal([0, 1, 0], [2, -1, 0.1], [1.0, 3.0, 1.0], [2.0, 4.0, 9.0])
    t = np.linspace(0, path.end, 2001)
    assert np.allclose(path(path.end), [2, -1, 0.1])
    assert (np.abs(path.qd(t)).max(axis=0) <= np.array([1.0, 3.0, 1.0]) + 1e-9).all()
    assert (np.abs(path.qdd(t)).max(axis=0) <= np.array([2.0, 4.0, 9.0]) + 1e-9).all()
    assert np.abs(path.qd(t)).max(axis=0)[0] == pytest.approx(1.0)
    q = quintic([0.0], [1.0], 2.0, qd0=0.3, qdd1=0.7)
    assert q.qd(0.0)[0] == pytest.approx(0.3) and q.qdd(2.0)[0] == pytest.approx(0.7)


def test_motions_follow_each_other():
    path = quintic([0.0], [1.0], 2.0).then(quintic([1.0], [0.5], 1.0))
    assert path.end == 3.0 and path(2.5)[0] == pytest.approx(0.75)
    with pytest.raises(da.UsageError, match=r"begins 0\.5 away"):
        quintic([0.0], [1.0], 2.0).then(quintic([0.5], [1.0], 1.0))


# -- inverse kinematics ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_inverse_kinematics_undoes_the_pose(seed):
    m = da.robots.puma560()
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, 6) + [0, 0, 0, 0, 0.8, 0]
    T = da.pose(m, q)
    found = da.inverse_kinematics(m, T, q + rng.normal(size=6) * 0.15, limits=False)
    assert np.abs(da.pose(m, found) - T).max() < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_inverse_kinematics_finds_its_own_start(seed):
    m = da.load(str(EXAMPLES / "arm6.urdf"))
    low, high = joint_limits(m).T
    q = np.random.default_rng(seed).uniform(low, high)
    T = da.pose(m, q)  # of the tool: the last frame that moves
    assert m.frames[-1] == "base_link" and m.end_frame == "tool"
    found = da.inverse_kinematics(m, T)
    assert (low <= found).all() and (found <= high).all()
    assert np.abs(da.pose(m, found) - T).max() < 1e-9


def test_a_point_out_of_reach_is_said_to_be_so():
    m = da.load(str(EXAMPLES / "arm6.urdf"))
    with pytest.raises(da.ComputationError, match="not reached"):
        da.inverse_kinematics(m, [5.0, 0.0, 0.0])


def test_many_points_find_their_own_starts():
    m = da.load(str(EXAMPLES / "arm6.urdf"))
    q = np.random.default_rng(4).uniform(*joint_limits(m).T, size=(40, m.nq))
    points = da.pose(m, q)[:, :3, 3]
    found = da.inverse_kinematics(m, points)
    assert np.abs(da.pose(m, found)[:, :3, 3] - points).max() < 1e-6


def test_limits_are_kept_and_redundancy_is_used():
    m = da.load(
        "RZ(-1, 1), TXK(0.5), RZ(-1, 1), TXK(0.5), RZ(-1, 1), TXK(0.5), RZ(-1, 1), TXK(0.5);"
        "body 4: M = 1, D = (0, 0, 0), I = (1, 1, 1);"
    )
    q = da.inverse_kinematics(m, [0.9, 1.2, 0], [0.1, 0.2, 0.3, 0.4], frame="tip", rows="xy")
    assert np.abs(q).max() <= 1 and np.allclose(da.pose(m, q, frame="tip")[:2, 3], [0.9, 1.2])
    with pytest.raises(da.ComputationError, match="not reached"):
        da.inverse_kinematics(m, [9.0, 0, 0], q, frame="tip", rows="xy", steps=30)
    rest = np.array([0.9, 0.0, 0.0, 0.9])
    near = da.inverse_kinematics(m, [1.2, 1.2, 0], q, frame="tip", rows="xy", rest=rest)
    far = da.inverse_kinematics(m, [1.2, 1.2, 0], q, frame="tip", rows="xy")
    assert np.linalg.norm(near - rest) <= np.linalg.norm(far - rest)


def test_half_a_turn_is_an_error_too():
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    assert np.allclose(np.abs(pose_error(np.eye(4), T)), [0, 0, 0, np.pi, 0, 0])
    m = da.load("RZ(), TZK(1); body 1: M = 1;")
    found = da.inverse_kinematics(m, da.pose(m, [[np.pi], [1.0]]), [0.0])
    assert np.allclose(np.abs(found[:, 0]), [np.pi, 1.0])


def test_lines_and_circles_are_followed():
    m = da.robots.puma560()
    q0 = np.array([0.1, 0.4, -0.3, 0.2, 0.9, 0.1])
    start = da.pose(m, q0)
    end = start[:3, 3] + [0.1, 0.15, -0.1]
    T = start.copy()
    T[:3, 3] = end
    path = line(m, q0, T, 1.5, limits=False, samples=61)
    t = np.linspace(0, 1.5, 173)
    poses = da.pose(m, path(t))
    way = poses[:, :3, 3] - start[:3, 3]
    along = (end - start[:3, 3]) / np.linalg.norm(end - start[:3, 3])
    off = way - np.outer(way @ along, along)
    assert np.abs(off).max() < 1e-8 and np.abs(poses[:, :3, :3] - start[:3, :3]).max() < 1e-7
    assert np.allclose(poses[-1, :3, 3], end) and np.abs(path.qd(1.5)).max() < 1e-9

    centre = start[:3, 3] - [0, 0, 0.1]
    round_ = circle(m, q0, centre, [1, 0, 0], 2.0, limits=False)
    radii = np.linalg.norm(da.pose(m, round_(np.linspace(0, 2, 99)))[:, :3, 3] - centre, axis=1)
    assert np.abs(radii - 0.1).max() < 1e-7


# -- forces ------------------------------------------------------------------------------------


def test_parts_of_the_force_sum_to_inverse_dynamics():
    m = da.load(ARM)
    path = quintic([0, 0.5], [1.5, -0.5], 1.0)
    w = np.zeros((2, 6))
    w[1, 1] = 5.0
    r = da.torques_along(m, path, wrench_on_environment=w)
    whole = da.inverse_dynamics(m, r.q, r.qd, r.qdd, wrench_on_environment=w)
    assert np.abs(r.tau - whole).max() < 1e-12 * np.abs(whole).max() * 10
    assert np.allclose(r.parts["static"], da.gravity(m, r.q))
    C = da.lagrange_coefficients(m, r.q)[3]
    assert np.allclose(r.parts["centrifugal"], np.einsum("tij,tj->ti", C, r.qd**2), atol=1e-11)
    assert r.executable and "no limit is passed" in r.summary()
    # work of the joints: energy gained, and what the environment took
    energy = da.kinetic_energy(m, r.q, r.qd) + da.potential_energy(m, r.q)
    lost = da.torques_along(m, path)
    assert lost.energy[-1].sum() == pytest.approx(energy[-1] - energy[0], rel=1e-3)


def test_what_is_exceeded_is_said():
    m = da.load(
        {
            "format": "dalembert/1",
            "phrase": "RZ(-1, 1), TXK(0.8); body 1: M = 3, D = (0.4, 0, 0);",
            "gravity": [0, -9.81, 0],
        }
    )
    r = da.torques_along(m, quintic([0.0], [1.5], 1.0))
    assert not r.executable and [e.what for e in r.exceeded] == ["upper position"]
    assert r.exceeded[0].value == pytest.approx(1.5) and r.exceeded[0].limit == 1.0
    assert "exceeds 1" in str(r.exceeded[0])


def test_the_task_of_1979_on_the_assumed_geometry():
    path = ORACLES / "s001_example_assumed_geometry.json"
    if not path.exists():
        absent("the directory of reference files")
    data = json.loads(path.read_text())
    m = da.load(path)
    state = [np.array([s[k] for s in data["states"]]) for k in ("t", "q", "qd", "qdd")]
    r = da.torques_along(m, tuple(state), drives="none")
    expected = np.array([s["expected"]["tau"] for s in data["states"]])
    assert np.abs(r.tau - expected).max() < 1e-10


def test_motors_of_a_closed_mechanism():
    path = ORACLES / "fourbar.json"
    if not path.exists():
        absent("the directory of reference files")
    m = da.load(path)
    q0 = da.assemble(m)
    motor = quintic(q0[:1], q0[:1] + 0.4, 1.0)
    r = da.torques_along(m, motor, drives="none")
    assert r.tau.shape == (201, 1) and np.abs(r.speed[:, 0] - motor.qd(r.t)[:, 0]).max() < 1e-12
    back = da.forward_dynamics(m, r.q, r.qd, r.tau, drives="none")
    assert np.abs(back - r.qdd).max() < 1e-8 * np.abs(r.qdd).max()


def test_figures_and_tables_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    r = da.torques_along(da.load(ARM), quintic([0, 0.5], [1.5, -0.5], 1.0))
    r.plot(tmp_path / "t.png")
    r.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.png").stat().st_size > 5000
    assert "centrifugal.j2" in (tmp_path / "t.csv").read_text().splitlines()[0]


def test_inverse_kinematics_keeps_limits_where_it_would_pass_them():
    m = da.load("RZ(-1, 1), TXK(1), RZ(-0.5, 0.5), TXK(1), RZ(-2, 2), TXK(1); body 3: M = 1;")
    aim = da.pose(m, [0.95, -0.45, 1.8], frame="tip")[:3, 3]
    start, task = [0.3, 0.4, 0.5], {"frame": "tip", "rows": "xy"}
    wild = da.inverse_kinematics(m, aim, start, limits=False, **task)
    assert (np.abs(wild) > [1, 0.5, 2]).any()
    q = da.inverse_kinematics(m, aim, start, **task)
    assert (np.abs(q) <= [1, 0.5, 2]).all()
    assert np.allclose(da.pose(m, q, frame="tip")[:2, 3], aim[:2])


def test_inverse_kinematics_does_not_stay_beyond_limits():
    """Neither where q0 is, nor where a joint that follows in a closed loop would be."""
    m = da.load("RZ(-2, 2), TXK(0.8), RZ(-1, 1), TXK(0.6); body 2: M = 1;")
    beyond = [0.2, 1.5]
    pose = da.pose(m, beyond, frame="tip")
    with pytest.raises(da.ComputationError, match="is not reached"):
        da.inverse_kinematics(m, pose, beyond, frame="tip", rows="xy")
    assert np.isnan(da.inverse_kinematics(m, pose[None], beyond, frame="tip", rows="xy")).all()
    bar = da.robots.fourbar()
    q = da.assemble(bar, {"crank": 0.7})  # the coupler is at -0.242
    point = da.pose(bar, q, frame="coupler")[:3, 3]
    for low, reached in ((-0.3, True), (-0.2, False)):
        coupler = replace(bar.bodies[1], limits=((low, 2.0),))
        held = replace(bar, bodies=(bar.bodies[0], coupler, bar.bodies[2]))
        if reached:
            found = da.inverse_kinematics(held, point, q, frame="coupler")
            assert np.abs(found - q).max() < 1e-9
            continue
        with pytest.raises(da.ComputationError, match=r"coupler would be at -0\.2423"):
            da.inverse_kinematics(held, point, q, frame="coupler")
        assert da.inverse_kinematics(held, point, q, frame="coupler", limits=False) is not None


def test_inverse_kinematics_on_a_free_base_keeps_the_limits_of_its_arm():
    m = da.robots.flying_arm()
    limits = da.trajectory.inverse_kinematics.joint_limits(m)
    q0 = da.neutral(m)
    aim = da.pose(m, q0)
    aim[:3, 3] += [0.4, -0.3, 0.2]
    q = da.inverse_kinematics(m, aim, q0)
    assert np.abs(pose_error(da.pose(m, q), aim)).max() < 1e-9
    arm = [k for k in range(6, m.nv)]
    assert (q[7:] >= limits[arm, 0]).all() and (q[7:] <= limits[arm, 1]).all()


def test_a_frame_of_a_closed_loop_goes_along_a_line():
    m = da.robots.fivebar()
    tool = Frame("tool", 1, Transform(Rotation(), Vec3(0.3, 0.1, 0)))
    m = replace(m, named=(tool,), checked=False)
    q0, frame = da.assemble(m), "tool"
    start = da.pose(m, q0, frame=frame)[:3, 3]
    end = start + [0.05, 0.08, 0]
    q = da.inverse_kinematics(m, end, q0, frame=frame, rows="xy")
    assert np.abs(da.pose(m, q, frame=frame)[:3, 3] - end).max() < 1e-9
    assert np.abs(da.closure(m, q)).max() < 1e-10
    path = line(m, q0, end, 1.0, frame=frame, rows="xy")
    r = da.torques_along(m, path, start=q0)
    places = da.pose(m, r.q, frame=frame)[:, :3, 3]
    off = np.cross(places - start, (end - start) / np.linalg.norm(end - start))
    assert np.abs(off).max() < 1e-6
    # speeds and accelerations are those of the line
    J, k = da.jacobian(m, r.q, frame=frame), len(r.t) // 3
    tip = np.einsum("tij,tj->ti", J, r.qd)[:, :3]
    assert np.abs(np.gradient(places, r.t, axis=0)[2:-2] - tip[2:-2]).max() < 1e-3
    rate = np.gradient(r.qd, r.t, axis=0)
    assert np.abs(rate[k] - r.qdd[k]).max() < 1e-2 * np.abs(r.qdd).max()


def test_parts_of_a_closed_mechanism_are_those_of_its_coefficients():
    """Centrifugal forces: each motor alone; Coriolis forces: what only both together give."""
    m = da.robots.fivebar()
    q0 = da.assemble(m)
    motors = [m.joint_names.index(n) for n in m.active]
    path = quintic(q0[motors], q0[motors] + [0.2, -0.15], 0.5)
    r = da.torques_along(m, path, start=q0)
    assert np.abs(r.q[0] - q0).max() < 1e-9
    k = len(r.t) // 3
    q, (a, b) = r.q[k], r.qd[k, motors]

    def at(x, y):
        qd = np.zeros(m.nv)
        qd[motors] = x, y
        return da.active_bias(m.with_gravity((0, 0, 0)), q, qd)

    assert np.allclose(r.parts["centrifugal"][k], at(a, 0) + at(0, b), atol=1e-10)
    assert np.allclose(r.parts["coriolis"][k], at(a, b) - at(a, 0) - at(0, b), atol=1e-10)
    assert np.abs(r.parts["coriolis"]).max() > 1e-3
    whole = da.inverse_dynamics(m, r.q, r.qd, r.qdd)
    assert np.allclose(sum(r.parts.values()), whole, atol=1e-9)


def test_damped_springs_are_friction_and_not_centrifugal():
    m = da.robots.flexible2r()
    path = quintic([0.0] * m.nv, [0.5] * m.nv, 1.0)
    r = da.torques_along(m, path, drives="none")
    assert np.allclose(
        sum(r.parts.values()), da.inverse_dynamics(m, r.q, r.qd, r.qdd, drives="none")
    )
    expected = np.zeros_like(r.tau)
    for s in m.elastic:
        expected[:, m.velocity_index[s.joint]] = float(s.damping) * r.qd[:, s.joint]
    assert np.allclose(r.parts["friction"], expected, atol=1e-10) and expected.any()


def test_a_motion_that_is_too_fast_is_told_how_slow_it_must_be():
    m = da.load(ARM)
    bodies = [
        replace(b, effort_limit=x, velocity_limit=50.0)
        for b, x in zip(m.bodies, (60, 15), strict=True)
    ]
    m = replace(m, bodies=tuple(bodies), checked=False)
    fast = da.torques_along(m, quintic([-1.5, 0.1], [-0.5, 0.4], 0.25))
    assert not fast.executable and 1 < fast.slower < 10
    for e in fast.exceeded:
        assert e.by == pytest.approx(abs(e.value) - abs(e.limit)) and f"by {e.by:.4g}" in str(e)
    assert "times slower" in fast.summary()
    slow = da.torques_along(m, quintic([-1.5, 0.1], [-0.5, 0.4], 0.25 * fast.slower * 1.001))
    nearly = da.torques_along(m, quintic([-1.5, 0.1], [-0.5, 0.4], 0.25 * fast.slower * 0.99))
    assert slow.executable and slow.slower == 1 and not nearly.executable
    heavy = replace(m, bodies=tuple(replace(b, effort_limit=1) for b in m.bodies), checked=False)
    lost = da.torques_along(heavy, quintic([0.0, 0.0], [0.5, 0.4], 1.0))
    assert lost.slower == np.inf and "at rest" in lost.summary()


def test_motions_of_quaternion_joints_are_given_in_full(tmp_path):
    m = da.robots.spacecraft()
    rng = np.random.default_rng(2)
    t = np.linspace(0, 1, 5)
    q = np.repeat(da.neutral(m)[None], 5, axis=0)
    qd, qdd = rng.normal(size=(2, 5, m.nv))
    r = da.torques_along(m, (t, q, qd, qdd))
    assert np.allclose(r.tau, da.inverse_dynamics(m, q, qd, qdd, drives="all"))
    r.to_csv(tmp_path / "r.csv")
    header = (tmp_path / "r.csv").read_text().splitlines()[0].split(",")
    assert len(header) == 1 + m.nq + 2 * m.nv + 7 * m.nv
    with pytest.raises(da.DescriptionError, match="5 samples are too few"):
        da.torques_along(m, (t, q))


def test_machines_on_wheels_need_motors_with_names():
    with pytest.raises(da.UsageError, match="no motor is named"):
        da.torques_along(da.robots.truck(1), quintic([0.0] * 4, [1.0] * 4, 1.0))


@pytest.mark.parametrize("profile", ["quintic", "constant_acceleration", "accelerate_and_brake"])
def test_one_profile_is_one_law_for_joints_and_for_points(profile, capsys):
    model = "TZ(); body 1: M = 1;"
    found = []
    for way in (["--to", "1"], ["--point", "0,0,1"]):
        assert main(["torques", model, *way, "--profile", profile, "--json"]) == 0
        found.append(np.array(json.loads(capsys.readouterr().out)["tau"]))
    inside = np.r_[5:95, 106:195]  # away from the jump of the acceleration
    np.testing.assert_allclose(found[0][inside], found[1][inside], atol=1e-6)
    if profile == "constant_acceleration":
        np.testing.assert_allclose(found[0], 2 + 9.81, atol=1e-9)


def test_a_use_says_what_it_counted_and_in_which_units():
    m = da.robots.stanford()
    path = da.trajectory.quintic([0, 0, 0.4, 0, 0, 0], [1, 1, 0.5, 0, 0, 0], 0.8)
    rough = da.load("RZ(),TXK(1); body 1: M = 1, D = (1, 0, 0);")
    rough = replace(rough, drives=(Drive(0, viscous=1),))
    assert da.torques_along(m, path).summary().splitlines()[3].split()[3] == "N"
    turn = da.trajectory.quintic([0.0], [1.0], 1.0)
    assert da.torques_along(rough, turn).notes == ("friction of 1 joint counted",)
    said = da.torques_along(rough, turn, drives="none").notes
    assert said == ('friction of 1 joint not counted: drives="none"',)


def test_a_motion_that_opens_the_loops_has_no_torques():
    m = da.robots.fourbar()
    start = da.regular_pose(m)
    t = np.linspace(0, 1, 20)
    turn = start[:1] + 0.1 * t[:, None] ** 2
    poses = da.assembly_along(m, start, turn)
    wanted = da.torques_along(m, (t, turn), start=start).tau
    np.testing.assert_allclose(da.torques_along(m, (t, poses)).tau, wanted, atol=1e-8)
    poses[7:, 1] += 0.5
    with pytest.raises(da.ComputationError, match="open in sample"):
        da.torques_along(m, (t, poses))


@pytest.mark.parametrize("limit", ["speed = 0", "effort = 0", "speed = 0, effort = 0"])
def test_limits_of_zero_are_told_and_break_nothing(limit):
    m = da.load(f"a: RY(), TXK(1); joint a: {limit}; body a: M = 1, D = (0.5, 0, 0);")
    f = da.torques_along(m, da.trajectory.quintic([0.0], [1.0], 1.0))
    assert not f.executable and "exceeds 0 by" in str(f.exceeded)
    assert f.slower == np.inf
    assert ("its limit is 0" in f.redesign) == ("effort" in limit)


def test_the_largest_force_is_found_at_a_corner():
    """At the end of the ramp the rod is fastest and still accelerates: 201 times missed it."""
    m = da.load("RZ(), TXK(0.8), RZ(), TXK(0.6); gravity = (0, -9.81, 0);"
                "body 1: M = 3, D = (0.8, 0, 0); body 2: M = 2, D = (0.6, 0, 0);")  # fmt: skip
    for move in (trapezoidal([0, 0], [1, -0.7], 1.0, 13.0),
                 constant_acceleration([0, 0], [1, -0.7], 0.7, brake=True).then(
                     trapezoidal([1, -0.7], [2, 0], 3.0, 7.0))):  # fmt: skip
        fine = np.linspace(move.start, move.end, 200_001)
        found = da.torques_along(m, move)
        assert len(found.t) == 201 and (np.diff(found.t) > 0).all()
        assert (found.peak > (1 - 1e-5) * da.torques_along(m, move, t=fine).peak).all()
    even = np.linspace(0, 1, 201)
    assert (quintic([0.0], [1.0], 1.0).times() == even).all()
    assert (spline([0, 0.3, 1], [[0.0], [1.0], [0.0]]).times() == even).all()


def test_passive_angles_may_stand_whole_turns_away():
    turn = 2 * np.pi
    others = (("a", 0, -3.0, -2.5, turn), ("b", 1, -np.inf, np.inf, turn), ("s", 2, 0.0, 1.0, 0.0))
    reach = Reach(da.robots.fourbar(), (), (), np.zeros((0, 2)), None, others)
    assert reach.kept(np.array([3.5, 9.0, 0.5]))[0] == 3.5  # -2.78 and a turn
    for q, name in (([3.2, 0, 0.5], "a"), ([3.5, 0, 1.5], "s")):
        with pytest.raises(da.ComputationError, match=f"{name} would be at"):
            reach.kept(np.array(q))


def arm_and_mirror():
    """Return two machines with the same joints in another order, and a motion of the first."""
    left, right = ("[a: RZ(), TXK(1)]", "[b: RZ(), TXK(2)]")
    data = "gravity = (0, -9.81, 0); body {}: M = 1, D = (1, 0, 0); body {}: M = 3, D = (2, 0, 0);"
    m = da.load(f"{left} {right}; {data.format(1, 2)}")
    mirror = da.load(f"{right} {left}; {data.format(2, 1)}")
    t = np.linspace(0, 1, 30)
    return m, mirror, da.read_motion({"t": t, "q.a": np.sin(t), "q.b": t**2}, m)


def test_a_measured_motion_belongs_to_its_mechanism():
    m, mirror, d = arm_and_mirror()
    assert da.torques_along(m, d).names == ("a", "b")
    for model in (None, da.equations(mirror)):
        with pytest.raises(da.UsageError, match="belongs to another mechanism: it holds a, b, not"):
            da.torques_along(mirror, d, model=model)


def test_equations_follow_a_simulation_by_the_names_of_joints():
    m, mirror, _ = arm_and_mirror()
    r = da.simulate(m, [0.1, 0.4], [1.0, -0.5], t=0.1)
    plain = da.torques_along(m, r)
    np.testing.assert_allclose(
        da.torques_along(m, r, model=da.equations(m)).tau, plain.tau, atol=1e-12
    )
    turned = da.torques_along(mirror, r, model=da.equations(mirror))
    np.testing.assert_allclose(turned.tau[:, ::-1], plain.tau, atol=1e-12)
