"""The data of a view is that of the mechanism: frames, closed loops, honest remarks."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.followers import substituted
from dalembert.view import scene
from dalembert.view.bodies import floating
from dalembert.view.pose import in_numbers, start_pose, world_frames

ROBOTS = [name for name in da.robots.__all__ if name != "REPORT"]


@pytest.mark.parametrize("name", ROBOTS)
def test_every_ready_robot_has_a_scene(name):
    m = getattr(da.robots, name)()
    data = json.loads(json.dumps(scene(m), allow_nan=False))
    assert len(data["bodies"]) == len(m.bodies)
    assert len(data["q"]) == m.nq


@pytest.mark.parametrize("name", ["puma560", "stewart", "eel", "walker"])
def test_frames_are_those_of_the_pose_quantity(name):
    m = getattr(da.robots, name)()
    q, _ = start_pose(m)
    frames = world_frames(in_numbers(m), q)
    for body, T in zip(m.bodies[-3:], frames[-3:], strict=True):
        expected = da.pose(m, q, frame=body.name)
        assert np.allclose([float(x) for x in T.p], expected[:3, 3], atol=1e-12)


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "delta", "stewart", "three_rrr"])
def test_loops_are_closed_at_the_start(name):
    m = getattr(da.robots, name)()
    q, remarks = start_pose(m)
    assert not remarks
    assert np.abs(da.closure(m, q)).max() < 1e-9


def test_a_stewart_platform_starts_level_above_its_base():
    m = da.robots.stewart()
    data = scene(m)
    platform = data["q"][-7:]
    assert platform[2] > 0 and np.allclose(platform[3:], [0, 0, 0, 1], atol=1e-2)


def test_motors_alone_are_a_pose_of_a_closed_machine():
    m = da.robots.fourbar()
    q, _ = start_pose(m, [1.0])
    assert q[0] == 1.0 and np.abs(da.closure(m, q)).max() < 1e-9


def test_letters_are_drawn_and_said():
    data = scene(da.robots.report6r())
    assert any("L1, L2, L3, L6" in text for text in data["remarks"])
    assert all(body["mass"] is None for body in data["bodies"])


def test_a_pose_outside_its_limits_is_not_the_start():
    q = scene(da.robots.panda())["q"]
    assert q[3] < -0.06


def test_impossible_inertias_are_told():
    m = da.load(
        "RZ(), TXK(0.1), RZ(), TXK(0.1); body 1: M = 1, D = (0.05, 0, 0), I = (0.9, 0.8, 0.7);"
        " body 2: M = 1, D = (0.05, 0, 0), I = (0.001, 0.001, 0.001);"
    )
    remarks = scene(m)["remarks"]
    assert len(remarks) == 1 and remarks[0].startswith("j1: its inertia is that of a body")


def test_slides_that_only_place_a_vehicle_are_no_hardware():
    truck = in_numbers(da.robots.truck())
    assert floating(truck) == {0, 1, 2}
    assert floating(in_numbers(da.robots.scara())) == set()


def test_a_wrong_pose_is_refused_with_the_names_of_the_joints():
    with pytest.raises(da.UsageError, match="needs 6"):
        scene(da.robots.puma560(), [0, 1])


def test_joints_that_follow_are_drawn_and_follow():
    m = da.load(
        {"format": "dalembert/1", "phrase": "RZ(), TXK(1), RZ(), TXK(1);",
         "couplings": [{"joint": "j2", "of": "j1", "ratio": -2, "offset": 0.1}]}
    )  # fmt: skip
    m = substituted(m)
    assert m.nq == 1
    data = scene(m, [0.5])
    assert data["q"] == [0.5, -0.9] and data["couplings"][0]["ratio"] == -2


def test_a_motion_carries_what_its_joints_carry():
    from dalembert.view.motion import of_simulation, of_torques

    m = da.load("RX(), TZK(-1); body 1: M = 2, D = (0, 0, -1);")
    held = of_torques(da.torques_along(m, da.trajectory.quintic([0.0], [0.0], 1.0)))["reactions"]
    assert held["bodies"] == [0]
    assert held["force"][0][0] == pytest.approx([0, 0, 2 * 9.81]) and held["top"] > 19
    four = da.robots.fourbar()
    run = da.simulate(four, da.assemble(four), t=0.1)
    found = of_simulation(run)["reactions"]
    assert np.array(found["force"])[0] == pytest.approx(
        run.quantity("link_wrenches")[0, :, :3], rel=1e-3, abs=1e-3
    )


@pytest.mark.parametrize("name", ["differential_drive", "mobile_manipulator"])
def test_bodies_that_roll_are_the_wheels_of_their_axle(name):
    m = getattr(da.robots, name)()
    q = np.zeros(m.nq)
    q[2] = 0.7  # whichever way the cart looks
    axle, *rims = scene(m, q)["wheels"]
    assert axle["track"] == pytest.approx(0.5) and not axle["hub"]
    assert [m.bodies[w["body"]].name for w in rims] == ["wheel_left", "wheel_right"]
    for w in rims:
        assert w["hub"] and w["radius"] == pytest.approx(0.11)
        assert w["point"] == [0, 0, 0] and abs(w["normal"][1]) == 1


def test_an_axle_without_driven_wheels_keeps_its_own():
    wheels = scene(da.robots.truck())["wheels"]
    assert wheels and not any(w["hub"] or w["track"] for w in wheels)
    assert all(w["radius"] is None for w in wheels)


def test_a_pose_with_open_loops_keeps_its_motors_and_says_what_moved():
    m = da.robots.fourbar()
    q, remarks = start_pose(m, [0.7, 0, 0])
    assert q[0] == 0.7 and np.abs(da.closure(m, q)).max() < 1e-9
    assert remarks == [
        "the loops are open at the pose that was given: joints without a motor were moved"
    ]
    assert start_pose(m, q)[1] == []
