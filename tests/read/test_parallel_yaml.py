"""Robots with loops from a URDF and a YAML list: Gepetto's example-parallel-robots."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
import models
import peers
from dalembert.algorithms import closed_loop
from dalembert.plan import null_space, plan
from dalembert.plan.assembly import Closure, assemble
from dalembert.read.parallel_yaml import parse_lists
from models import newton_euler

DIRECTORY = peers.ORACLES.parent / "peerdata" / "parallel_robots"

# name: nv, equations, rank, mobility, motors, free passive mobilities
ROBOTS = {
    "5bar_linkage": (6, 6, 3, 3, 2, 1),
    "5bar_linkage_iso3d": (5, 3, 3, 2, 2, 0),
    "5bar_linkage_iso6d": (8, 6, 6, 2, 2, 0),
    "cassie_like": (19, 12, 12, 7, 5, 2),
    "digit_like": (27, 18, 18, 9, 6, 3),
    "digit_like_2legs": (48, 36, 36, 12, 12, 0),
    "disney_like": (27, 18, 18, 9, 6, 3),
    "robot_delta": (14, 18, 9, 5, 2, 3),
    "talos_like": (13, 6, 6, 7, 6, 1),
    "wl16_like": (42, 30, 30, 12, 6, 6),
}
QUICK = ("5bar_linkage", "5bar_linkage_iso3d", "5bar_linkage_iso6d", "talos_like", "cassie_like")
MARKED = [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in ROBOTS]


def robot(name: str) -> Path:
    file = DIRECTORY / name / "robot.yaml"
    if not file.exists():
        peers.absent(str(file.name))
    return file


@pytest.mark.parametrize("name", MARKED)
def test_a_robot_loads_assembles_and_moves_by_its_motors(name):
    m = da.load(robot(name))
    q = assemble(m)
    assert m.name == name and Closure(m).worst(q) < 1e-12
    p = plan(m, q)
    found = (m.nv, p.equations, p.rank, p.mobility, len(p.motors), p.free)
    assert found == ROBOTS[name]
    assert bool(p.free_joints) == bool(p.free)
    # motor forces u give q̈ with Nᵀ Γ_tree(q̈) = Nᵀ S u
    rng = np.random.default_rng(0)
    b = m.bound()
    qd = closed_loop.closed_at(b, p, q.tolist(), 0).velocity(rng.normal(size=m.nv).tolist())
    u = rng.normal(size=len(p.motors))
    qdd, residual, pivot, _ = models.closed_forward(b, p, q.tolist(), qd, u.tolist())
    assert np.abs(residual).max() < 1e-12 and pivot[0] > 1e-8
    c = Closure(m)
    N = null_space(c.jacobian(q)) * c.column_size[:, None]
    gamma = np.array(newton_euler(b, q.tolist(), qd, qdd))
    S = np.zeros((m.nv, len(p.motors)))
    S[list(p.motors), range(len(p.motors))] = 1
    scale = np.abs(N.T) @ np.abs(gamma)
    assert np.all(np.abs(N.T @ (gamma - S @ u)) <= 1e-9 * scale.max())
    # and the inverse model undoes the direct one, free coordinates or not
    back = models.active_torques(b, p, q.tolist(), qd, qdd)[0]
    assert np.allclose(back, u, rtol=1e-7, atol=1e-8 * (1 + np.abs(gamma).max()))


@pytest.mark.slow
def test_the_one_that_cannot_close_says_how_near_it_came():
    m = da.load(robot("kangaroo_like"))
    assert (m.nv, len(m.loops)) == (63, 11)
    with pytest.raises(da.ComputationError, match=r"smallest residual reached from 100 starts"):
        assemble(m)


def test_joint_types_replace_those_of_the_urdf():
    m = da.load(robot("digit_like_2legs"))
    kinds = {b.joint_name or b.name: b.joint.kind for b in m.bodies}
    assert kinds["spherical_free_hip"] == "spherical"
    assert kinds["spherical_free_knee_x"] == kinds["spherical_free_knee"] == "revolute"
    assert m.nq == m.nv + 6 and [loop.joint for loop in m.loops] == ["fixed"] * 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("closed_loop: ['a'", "not closed"),
        ("closed_loop ['a']", "colon"),
        ("closed_loop: a", "list in brackets"),
        ("type: ['6d']\ntype: ['6d']", "twice"),
        ("kind: ['6d']", "unknown key"),
        ("type: [!!python/object]]", "key is needed"),
    ],
)
def test_what_is_no_list_is_refused_with_its_place(text, message):
    with pytest.raises(da.DescriptionError, match=message):
        parse_lists(text, "robot.yaml")


def test_lists_may_span_lines_and_hold_remarks():
    text = "---\ntype:\n  [ # six\n    \"6d\",\n    '3d', # three\n  ]\nname_mot: [a, b]\n"
    assert parse_lists(text, "x") == {"type": ["6d", "3d"], "name_mot": ["a", "b"]}


def test_a_list_without_its_urdf_is_refused(tmp_path):
    (tmp_path / "robot.yaml").write_text("closed_loop: []\ntype: []\n")
    with pytest.raises(da.DescriptionError, match=r"no robot\.urdf"):
        da.load(tmp_path / "robot.yaml")
