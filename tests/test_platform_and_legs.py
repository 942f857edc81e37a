"""Platform and legs are those of the whole machine, or they are refused."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Transform, Vec3
from dalembert.algorithms.platform import platform_frame
from dalembert.mechanism import Frame

FIXED = {"type": "fixed"}
LOAD = {"mass": 3, "com": [0.1, 0, 0.1], "inertia": [0.1, 0.1, 0.1]}


@pytest.fixture(scope="module")
def stewart(tmp_path_factory):
    import json

    file = tmp_path_factory.mktemp("platform") / "stewart.json"
    da.robots.stewart().save(file)
    return json.loads(file.read_text())


def changed(data, bodies=(), loops=None, **more):
    data = copy.deepcopy(data) | more
    data["bodies"] += bodies
    for loop in data["loops"]:
        loop |= loops or {}
    return data


def body(parent, joint=FIXED, **more):
    return {"name": "load", "parent": parent, "joint": joint, **LOAD, **more}


def compared(m, frame="platform"):
    """Return the motor forces of platform and legs, and those of the closed loops."""
    rng, q = np.random.default_rng(1), da.assemble(m)
    some = list(da.plan(m).independent)
    qd, qdd = np.zeros((2, m.nv))
    qd[some], qdd[some] = rng.normal(size=(2, len(some)))
    qd, qdd = da.tree_motion(m, q, qd, qdd)
    J = da.jacobian(m, q, frame=frame)
    rate = J @ qdd + da.jacobian_derivative(m, q, qd, frame=frame) @ qd
    pose, branch = da.pose(m, q, frame=frame), da.leg_branches(m, q)
    made = da.actuator_forces(m, pose, J @ qd, rate, branch=branch)
    return made, da.inverse_dynamics(m, q, qd, qdd)


@pytest.mark.parametrize("parent", ["platform", "L1_lower", "L3_cross"])
def test_what_is_fixed_to_a_platform_or_a_leg_is_carried(stewart, parent):
    made, want = compared(da.load(changed(stewart, [body(parent)])))
    np.testing.assert_allclose(made, want, atol=1e-9 * np.abs(want).max())


def test_legs_on_a_link_that_is_fixed_to_the_base(stewart):
    data = copy.deepcopy(stewart)
    for one in data["bodies"]:
        if one["parent"] == -1:
            one["parent"] = "ground"
    place = {"translation": [0.2, -0.1, 0.3]}
    data["bodies"].insert(
        0, {"name": "ground", "parent": -1, "joint": FIXED | {"placement": place}}
    )
    made, want = compared(da.load(data))
    np.testing.assert_allclose(made, want, atol=1e-9 * np.abs(want).max())


ARM = {"type": "revolute", "axis": [0, 0, 1]}
POINT = {"name": "w", "body": "platform", "point": [0, 0, 0], "normal": [0, 1, 0]}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"bodies": [body("platform", ARM)]}, "'load' is in no leg"),
        ({"bodies": [body("L1_lower", ARM)]}, "'load' is in no leg"),
        ({"bodies": [body(-1, ARM)]}, "'load' is in no leg"),
        ({"wheels": [POINT]}, "wheels or constraints"),
        *(
            ({"loops": {"joint": kind, "axis": [0, 0, 1]}}, f"ends in a {kind} joint")
            for kind in ("revolute", "prismatic", "cylindrical", "fixed")
        ),
        ({"loops": {"joint": "universal", "axis": [0, 0, 1], "axis_j": [1, 0, 0]}}, "universal"),
    ],
)
def test_what_the_legs_cannot_say_is_refused(stewart, change, match):
    m, pose = da.load(changed(stewart, **change)), np.eye(4)
    pose[2, 3] = 0.6
    for ask in (da.actuator_forces, da.leg_torques):
        with pytest.raises(da.ModelError, match=match):
            ask(m, pose, np.zeros(6), np.zeros(6))
    with pytest.raises(da.ModelError, match=match):
        da.cartesian_model(m, pose, np.zeros(6))


def test_legs_on_a_base_that_moves_are_refused(stewart):
    m = da.load(stewart, base="free")
    with pytest.raises(da.ModelError, match="do not stand on the base"):
        da.cartesian_model(m, np.eye(4), np.zeros(6))


def test_a_hinge_across_the_plane_of_its_leg_holds_more_than_a_point(tmp_path):
    import json

    file = tmp_path / "three.json"
    da.robots.three_rrr().save(file)
    data = json.loads(file.read_text())
    m = da.load(data)
    assert da.leg_branches(m, da.regular_pose(m)).closed_form
    for loop in data["loops"]:
        loop |= {"joint": "revolute", "axis": [1, 0, 0]}
    with pytest.raises(da.ModelError, match="ends in a revolute joint"):
        da.cartesian_model(da.load(data), np.eye(4), np.zeros(6))


def test_the_frame_of_a_platform_is_one_of_its_own_with_its_name():
    """Not a tool on it, nor a frame of that name on another body; a name may have more before."""
    m = da.robots.stewart()
    body = next(k for k, b in enumerate(m.bodies) if b.name == "platform")
    beside, tool = Transform(p=Vec3(1, 0, 0)), Transform(p=Vec3(0, 1, 0))
    bodies = [replace(b, name="two_platform.j") if k == body else b for k, b in enumerate(m.bodies)]
    m = replace(m, bodies=tuple(bodies), checked=True)
    for frames, found in (
        ([], ("two_platform.j", Transform())),
        ([Frame("tool", body, tool)], ("two_platform.j", Transform())),
        ([Frame("platform", body - 1, tool)], ("two_platform.j", Transform())),
        ([Frame("tool", body, tool), Frame("platform", body, beside)], ("platform", beside)),
        ([Frame("platform", 0, tool), Frame("two_platform", body, beside)],
         ("two_platform", beside)),
    ):  # fmt: skip
        assert platform_frame(replace(m, named=tuple(frames), checked=True), body) == found
