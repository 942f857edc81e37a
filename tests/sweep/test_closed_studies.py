"""Studies of machines with loops and on wheels: every design is closed and certified."""

import numpy as np
import pytest

import dalembert as da

TURN = {"type": "revolute", "axis": [0, 0, 1]}


def link(name, parent, at, length):
    joint = TURN | {"placement": {"translation": [at, 0, 0]}}
    return {"name": name, "parent": parent, "mass": 1, "com": [f"{length}/2", 0, 0],
            "inertia": [0, 0.01, 0.01], "joint": joint}  # fmt: skip


@pytest.fixture(scope="module")
def fivebar():
    bodies = [link("crankA", -1, 0, "a"), link("rodA", 0, "a", "b"), link("crankB", -1, "d", "a"),
              link("rodB", 2, "a", "b")]  # fmt: skip
    meet = {"body_i": "rodA", "point_i": ["b", 0, 0], "body_j": "rodB", "point_j": ["b", 0, 0],
            "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip
    return da.load({
        "format": "dalembert/1", "name": "five", "gravity": [0, -9.81, 0], "bodies": bodies,
        "parameters": {"a": 0.3, "b": 0.5, "d": 0.4}, "active": ["crankA", "crankB"],
        "loops": [meet], "frames": [
            {"name": "tip", "body": "rodA", "placement": {"translation": ["b", 0, 0]}}],
    })  # fmt: skip


LENGTHS = [0.45, 0.5, 0.6]
MOVE = da.trajectory.quintic([2.0, 1.0], [2.3, 0.7], 1.0)


def alone(m, **values):
    return da.torques_along(m.with_values(**values), MOVE, t=np.linspace(0, 1, 100))


def test_a_recorded_motion_moves_the_motors_of_each_design(fivebar):
    f = alone(fivebar, b=0.5)
    s = da.sweep(fivebar, {"b": LENGTHS}, task=(f.t, f.q, f.qd, f.qdd), measure=["peak", "rms"],
                 workers=1)  # fmt: skip
    for k, b in enumerate(LENGTHS):
        wanted = alone(fivebar, b=b).peak
        np.testing.assert_allclose(s.columns["peak.crankA"][k], wanted[0], rtol=1e-9)
        np.testing.assert_allclose(s.columns["peak.crankB"][k], wanted[1], rtol=1e-9)


def test_poses_of_a_closed_machine_are_reached_with_its_loops_closed(fivebar):
    points = [[0.2, 0.55, 0], [0.35, 0.5, 0]]
    task = {"poses": [{"frame": "tip", "point": p, "time": 1.0} for p in points], "samples": 40}
    s = da.sweep(fivebar, {"b": LENGTHS}, task=task, measure=["peak", "pose:last"], workers=1)
    assert s.columns["feasible"].all()
    # rows of the last pose: x and y of the tip
    for name, x in (("pose:last.4", 0.35), ("pose:last.8", 0.5)):
        np.testing.assert_allclose(s.columns[name], x, atol=1e-7)
    # the forces are those of the motors moving from one pose to the other, elbows out or in
    for k, b in enumerate(LENGTHS):
        m = fivebar.with_values(b=b)
        peaks = [bent(m, points, b, elbows) for elbows in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
        found = s.columns["peak.crankA"][k], s.columns["peak.crankB"][k]
        assert np.abs(np.array(peaks) - found).max(axis=1).min() < 1e-6


def bent(m, points, b, elbows, a=0.3, d=0.4):
    """Return the peaks of a move between two points of the tip, both legs by plane trigonometry."""
    stops = []
    for x, y, _ in points:
        q = []
        for x0, way in zip((0, d), elbows, strict=True):
            far = np.hypot(x - x0, y)
            crank = np.arctan2(y, x - x0) + way * np.arccos((a**2 + far**2 - b**2) / (2 * a * far))
            tip = np.arctan2(y - a * np.sin(crank), x - x0 - a * np.cos(crank))
            q += [crank, tip - crank]
        stops.append(np.array(q))
    ends = [[q[0], q[2]] for q in stops]
    times = np.linspace(0, 1, 40)
    try:
        f = da.torques_along(m, da.trajectory.quintic(*ends, 1.0), t=times, start=stops[0])
    except da.DalembertError:  # a way that passes a singular pose
        return [np.inf, np.inf]
    return list(f.peak)


def test_a_point_out_of_reach_is_told(fivebar):
    task = {"poses": [{"frame": "tip", "point": [0.2, 0.95, 0], "time": 1.0}], "samples": 5}
    s = da.sweep(fivebar, {"b": LENGTHS}, task=task, measure="peak", workers=1)
    assert s.reasons() == {"not reachable": 3}


def test_designs_that_pass_a_singular_pose_are_not_answered(fivebar):
    # rods of 0.4 line up at the end: the cranks' ends are 0.8 apart
    out = np.arccos(2 / 3)
    ends = [np.pi - out - 0.3, out + 0.3], [np.pi - out, out]
    task = {"joint_moves": [{"from": ends[0], "to": ends[1], "time": 1.0}], "samples": 30}
    s = da.sweep(fivebar, {"b": [0.4, 0.6]}, task=task, measure="peak", workers=1)
    assert list(s.columns["reason"]) == ["singular", ""]
    with pytest.raises(da.SingularPose, match="singular pose"):
        da.torques_along(fivebar.with_values(b=0.4), da.trajectory.quintic(*ends, 1.0))


DRIVE = """
format = "dalembert/1"
name = "cart"
active = ["left", "right"]
parameters = { M = 18, r = 0.11 }
gravity = [0, 0, -9.81]
bodies = [
  { name = "bx", parent = -1, joint = { type = "prismatic", axis = [1, 0, 0], name = "x" } },
  { name = "by", parent = "bx", joint = { type = "prismatic", axis = [0, 1, 0], name = "y" } },
  { name = "body", parent = "by", mass = "M", com = [-0.05, 0, 0], inertia = [0, 0, 0.9], joint = { type = "revolute", axis = [0, 0, 1], name = "th" } },
  { name = "wl", parent = "body", mass = 1.5, inertia = [0.005, 0.009, 0.005], joint = { type = "revolute", axis = [0, 1, 0], name = "left", placement = { translation = [0, 0.25, 0] } } },
  { name = "wr", parent = "body", mass = 1.5, inertia = [0.005, 0.009, 0.005], joint = { type = "revolute", axis = [0, 1, 0], name = "right", placement = { translation = [0, -0.25, 0] } } },
]
wheels = [ { name = "axle", body = "body", point = [0, 0, 0], normal = [0, 1, 0] } ]
velocity_constraints = [
  { name = "l", equation = "xd*cos(th) + yd*sin(th) - 0.25*thd = r*leftd" },
  { name = "r", equation = "xd*cos(th) + yd*sin(th) + 0.25*thd = r*rightd" },
]
"""  # noqa: E501


def test_wheels_roll_as_far_as_each_design_makes_them():
    m = da.load(DRIVE)
    task = {"joint_moves": [{"from": [0, 0], "to": [5, 8], "time": 1.0}], "samples": 60}
    s = da.sweep(m, {"M": [10.0, 18.0], "r": [0.1, 0.11]}, task=task, workers=1,
                 measure=["peak", "energy", "velocity:last"])  # fmt: skip
    move = da.trajectory.quintic([0, 0], [5, 8], 1.0)
    for k in range(4):
        own = m.with_values(M=s.columns["M"][k], r=s.columns["r"][k])
        f = da.torques_along(own, move, t=np.linspace(0, 1, 60))
        np.testing.assert_allclose(s.columns["peak.left"][k], f.peak[0], rtol=1e-6)
        np.testing.assert_allclose(s.columns["peak.right"][k], f.peak[1], rtol=1e-6)


def test_a_task_of_motors_that_do_not_decide_the_motion_is_refused():
    m = da.load(DRIVE.replace('active = ["left", "right"]', 'active = ["left"]'))
    task = {"joint_moves": [{"from": [0], "to": [5], "time": 1.0}]}
    with pytest.raises(da.UsageError, match="no motor moves"):
        da.sweep(m, {"M": [10.0]}, task=task, workers=1)


def limited(friction):
    return da.load({
        "format": "dalembert/1", "name": "one", "gravity": [0, -9.81, 0], "parameters": {"J": 1.0},
        "bodies": [{"name": "b", "parent": -1, "mass": 1, "com": [0.1, 0, 0],
                    "inertia": [0, 0, "J"], "joint": TURN | {"name": "j", "effort_limit": 10}}],
        "drives": [{"joint": "j", **friction}],
    })  # fmt: skip


@pytest.mark.parametrize(
    "friction",
    [{"coulomb": 7.0}, {"viscous": 2.0}, {"coulomb": [6.0, -3.0], "viscous": 1.0},
     {"coulomb": 4.0, "static": 7.5, "stribeck": 0.3}],
)  # fmt: skip
def test_the_slower_task_keeps_the_limits_and_a_faster_one_does_not(friction):
    m = limited(friction)
    T = 0.6

    def peak(times):
        return da.torques_along(m, da.trajectory.quintic([0], [1], T * times)).peak[0]

    f = da.torques_along(m, da.trajectory.quintic([0], [1], T))
    assert f.slower > 1
    assert peak(f.slower) <= 10 * (1 + 1e-6)
    if "stribeck" not in friction:
        assert peak(f.slower * 0.99) > 10
    task = {"joint_moves": [{"from": [0], "to": [1], "time": T}], "samples": len(f.t)}
    s = da.sweep(m, {"J": [1.0, 1.5]}, task=task, measure="slower", workers=1)
    np.testing.assert_allclose(s.columns["slower"][0], f.slower, rtol=1e-9)


def test_a_joint_that_may_not_move_makes_a_task_endless():
    m = da.load({
        "format": "dalembert/1", "name": "one", "gravity": [0, 0, 0], "parameters": {"J": 1.0},
        "bodies": [{"name": "b", "parent": -1, "mass": 1, "inertia": [0, 0, "J"],
                    "joint": TURN | {"name": "j", "velocity_limit": 0}}],
    })  # fmt: skip
    task = {"joint_moves": [{"from": [0], "to": [1], "time": 1.0}], "samples": 11}
    s = da.sweep(m, {"J": [1.0]}, task=task, measure="slower", workers=1)
    assert s.columns["slower"][0] == np.inf
    with pytest.raises(da.UsageError, match="start with poses alone"):
        da.sweep(m, {"J": [1.0]}, task=task | {"start": [0]}, measure="slower", workers=1)


def test_friction_that_falls_with_speed_allows_the_largest_share():
    m = limited({"coulomb": 4.0, "static": 7.5, "stribeck": 0.3})
    f = da.torques_along(m, da.trajectory.quintic([0], [1], 0.6))
    faster = da.torques_along(m, da.trajectory.quintic([0], [1], 0.6 * f.slower * 0.995))
    assert faster.peak[0] > 10
