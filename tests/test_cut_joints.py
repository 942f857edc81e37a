"""Joints that were cut keep their variables; those that something is asked of keep a coordinate."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Transform
from dalembert.algorithms.cut_joints import _quaternion
from dalembert.joint import Free, Prismatic, Revolute, Spherical
from dalembert.mechanism import Body, Loop, Mechanism
from dalembert.read.dump import json_text
from dalembert.read.native_writer import native_data
from loops import inertia, random_rotation, rot, vec
from machines import linkages
from referee import solve
from referee.rows import turned
from test_graph import FIVEBAR


def chain_of(kind, a, b):
    return {
        "revolute": (Revolute(a),),
        "prismatic": (Prismatic(a),),
        "cylindrical": (Prismatic(a), Revolute(a)),
        "universal": (Revolute(a), Revolute(b)),
        "spherical": (Spherical(),),
    }[kind]


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "universal", "spherical"])
@pytest.mark.parametrize("seed", range(3))
def test_a_cut_joint_shows_what_the_joint_would(kind, seed):
    rng = np.random.default_rng(seed)
    a = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    frames = [(random_rotation(rng), rng.normal(size=3)) for _ in range(2)]
    (R_i, p_i), (R_j, p_j) = frames
    axes = vec(a[:, 0]), vec(a[:, 1])
    joints = chain_of(kind, *axes)
    own = rng.uniform(-1.5, 1.5, sum(x.nq for x in joints))
    if kind == "spherical":
        own /= np.linalg.norm(own) * np.sign(own[-1])
    step, at = Transform(), 0
    for joint in joints:
        R, p = joint.map(float).pose(own[at : at + joint.nq].tolist())
        step, at = step @ Transform(R, p), at + joint.nq
    pose = Transform(rot(R_i), vec(p_i)) @ step @ Transform(rot(R_j), vec(p_j)).inverse
    loop = Loop(-1, vec(p_i), 0, vec(p_j), kind, rot(R_i) @ axes[0],
                rot(R_j) @ axes[1 if kind == "universal" else 0], rot(R_i), rot(R_j))  # fmt: skip
    m = Mechanism((Body("b", -1, joint=Free(), inertia=inertia(rng)),), loops=(loop,))
    matrix = np.array(pose.R.matrix().rows, float)
    from dalembert.verify.classes import quaternion

    q = [*(float(x) for x in pose.p), *quaternion(matrix)]
    assert np.abs(da.closure(m, q)).max() < 1e-12
    np.testing.assert_allclose(da.cut_coordinates(m, q), own, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_rotation_gives_its_quaternion_from_whichever_part_is_largest(seed):
    """Also of half turns, where w vanishes; it is never negative."""
    rng = np.random.default_rng(seed)
    axis = np.eye(3)[seed % 3] + 0.3 * rng.normal(size=3)
    half = [np.pi, 2.9, 0.4, -2.5][seed // 3] / 2
    x = np.array([*(axis / np.linalg.norm(axis) * np.sin(half)), np.cos(half)])
    R = turned(x)
    found = np.array(_quaternion(R.tolist()))
    assert found[3] >= -1e-15 and found @ found == pytest.approx(1, rel=1e-14)
    assert abs(found @ x) == pytest.approx(1, rel=1e-14)


def test_a_joint_with_a_spring_keeps_its_coordinate_where_all_others_have_one_too():
    names = ["A", "P", "C", "Q", "B"]
    springs = [{"joint": n, "stiffness": 40.0 if n == "C" else 0.5, "rest": 0.2} for n in names]
    m = da.load({**FIVEBAR, "elastic": springs})
    bare = da.load(FIVEBAR)
    assert m.nq == 5 and [loop.joint for loop in m.loops] == ["fixed"]
    assert any("split at a weld" in note for note in m.notes)
    assert da.mobility(m) == da.mobility(bare) == 2
    q = da.assemble(bare, [2.0, -1.0, 1.0, -1.0])
    split = next(n for n in names if n not in bare.joint_names)
    full = np.zeros(5)
    for name in names:
        value = q[bare.joint_names.index(name)] if name != split else da.cut_coordinates(bare, q)[0]
        full[m.joint_names.index(name)] = value
    assert np.abs(da.closure(m, full)).max() < 1e-12  # the cut joint shows what the kept one has
    cut = json.loads(json_text(native_data(m)))
    qd = da.active_map(m, full) @ [0.7, -0.4]
    tau = np.array([3.0, -2.0])
    found = da.forward_dynamics(m, full, qd, tau)
    np.testing.assert_allclose(found, solve.forward(cut, full, qd, tau), rtol=1e-8)
    np.testing.assert_allclose(da.inverse_dynamics(m, full, qd, found), tau, rtol=1e-8)


def test_limits_are_kept_and_motors_everywhere_are_shared():
    limited = {**FIVEBAR, "joints": [j | {"limits": [-3, 3]} for j in FIVEBAR["joints"]]}
    m = da.load(limited)
    assert m.nq == 5 and all(b.limits for b in m.bodies if b.joint.nv)
    one = {**FIVEBAR, "joints": [j | {"limits": [-3, 3]} if j["name"] == "C" else j
                                 for j in FIVEBAR["joints"]]}  # fmt: skip
    assert da.load(one).nq == 4 and "C" in da.load(one).joint_names
    m = da.load({**FIVEBAR, "active": ["A", "P", "C", "Q", "B"]})
    assert m.nq == 5 and da.plan(m).spare_motors == 3
    rest = np.zeros(5)
    q = da.regular_pose(m)
    tau = da.inverse_dynamics(m, q, rest, rest)
    assert np.abs(da.forward_dynamics(m, q, rest, tau)).max() < 1e-8


def test_a_universal_joint_with_skew_axes_is_the_same_machine_wherever_it_is():
    """Two shafts joined by a universal joint whose axes are at 70 degrees: it is never cut."""
    c, s = np.cos(np.radians(70)), np.sin(np.radians(70))
    body = {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.01, 0.01, 0.01]}
    data = {
        "format": "dalembert/1", "name": "shafts", "active": ["in"],
        "bodies": [{"name": n, **body} for n in ("a", "b")],
        "joints": [
            {"name": "in", "joint": "revolute", "axis": [1, 0, 0], "body_i": "base", "body_j": "a"},
            {"name": "u", "joint": "universal", "axis": [0, 1, 0], "axis_j": [0, c, s],
             "body_i": "a", "point_i": [0.3, 0, 0], "body_j": "b"},
            {"name": "out", "joint": "spherical", "body_i": "base", "point_i": [0.6, 0, 0],
             "body_j": "b", "point_j": [0.3, 0, 0]},
        ],
    }  # fmt: skip
    m = da.load(data)
    assert {"u_1", "u_2"} <= set(m.joint_names)
    assert all(loop.joint != "universal" for loop in m.loops)
    kept = da.load({**data, "active": ["in", "out"]})  # now only u could be cut
    assert {"u_1", "u_2"} <= set(kept.joint_names) and kept.loops[0].joint == "fixed"
    assert da.mobility(kept) == da.mobility(m)
    right = data["joints"][1] | {"axis_j": [0, 0, 1]}
    cut = da.load({**data, "active": ["in", "out"],
                   "joints": [data["joints"][0], right, data["joints"][2]]})  # fmt: skip
    assert cut.loops[0].joint == "universal"


def test_named_linkages_have_variables_of_cut_joints_that_follow_the_motion():
    data, q = linkages.four_bar("four-bar", 0.3, 0.8, 0.6, 0.7, 0.9)
    m = da.load(data)
    moved = da.assembly_along(m, q, [[q[0] + 1e-6]])[0]
    rate = (da.cut_coordinates(m, moved) - da.cut_coordinates(m, q)) / 1e-6
    ends = [da.jacobian(m, q, frame=m.bodies[b].name)[5] if b >= 0 else 0
            for b in (m.loops[0].body_j, m.loops[0].body_i)]  # fmt: skip
    expected = (ends[0] - ends[1]) @ da.active_map(m, q)[:, 0]
    np.testing.assert_allclose(np.abs(rate), np.abs([expected]), rtol=1e-4)


@pytest.mark.parametrize("axis_j, said", [([0, 0.8, 0.6], True), ([0, 1, 0], False)])
def test_a_cut_universal_joint_with_skew_axes_is_named_by_check(axis_j, said):
    from dalembert.plan.report import motion_lines

    def body(name, parent, axis, at):
        joint = {"type": "revolute", "axis": axis, "placement": {"translation": at}}
        return {"name": name, "parent": parent, "joint": joint, "mass": 1, "com": [0.1, 0, 0],
                "inertia": [0.1, 0.1, 0.1]}  # fmt: skip

    bodies = [body("a", -1, [0, 0, 1], [0, 0, 0]), body("b", 0, [0, 1, 0], [1, 0, 0]),
              body("c", 1, [1, 0, 0], [1, 0, 0]), body("d", 2, [0, 1, 0], [0.5, 0, 0]),
              body("e", 3, [0, 0, 1], [0.3, 0.2, 0])]  # fmt: skip
    loop = {"body_i": "e", "point_i": [0.3, 0, 0], "body_j": -1, "point_j": [3.1, 0.2, 0],
            "joint": "universal", "axis": [0, 0, 1], "axis_j": axis_j}  # fmt: skip
    m = da.load({"format": "dalembert/1", "name": "u", "bodies": bodies, "active": ["a"],
                 "loops": [loop]})  # fmt: skip
    lines = [x for x in motion_lines(m) if "right angles" in x]
    assert bool(lines) is said and (not said or "53.1301 degrees" in lines[0])
