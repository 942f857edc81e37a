"""A mechanism written as a modified Denavit-Hartenberg table reads back as the same dynamics."""

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.kinematics import pose
from dalembert.read import write
from models import composite, newton_euler


def assert_same(m, back, values=None, seed=0):
    a, b = m.bound(values), back.bound(values)
    rng = np.random.default_rng(seed)
    q, qd, qdd = (list(rng.uniform(-2, 2, m.nv)) for _ in range(3))
    scale = max(1.0, float(np.abs(composite(a, q)).max(initial=0.0)))
    tau = newton_euler(a, q, qd, qdd, drives="all")
    np.testing.assert_allclose(
        newton_euler(b, q, qd, qdd, drives="all"), tau, rtol=1e-9, atol=1e-10 * scale
    )
    np.testing.assert_allclose(composite(b, q), composite(a, q), rtol=1e-9, atol=1e-10 * scale)
    for frame in m.named:
        ours = np.array(pose(b, frame.name, q), float)
        np.testing.assert_allclose(ours, np.array(pose(a, frame.name, q), float), atol=1e-9)


def random_arm(seed):
    """Return a tree of turning, sliding and fixed joints about arbitrary axes."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(int(rng.integers(1, 9))):
        axis = rng.normal(size=3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
        turn = [["xyz"[rng.integers(3)], rng.choice([rng.normal(), np.pi / 2, np.pi])]
                for _ in range(rng.integers(0, 4))]  # fmt: skip
        kind = str(rng.choice(["revolute", "revolute", "prismatic", "fixed"]))
        joint = {"type": kind, "placement": {"translation": rng.normal(size=3), "rotation": turn}}
        joint |= {} if kind == "fixed" else {"axis": axis * rng.choice([-1, 1])}
        bodies.append(
            {"name": f"b{k}", "parent": int(rng.integers(-1, k)) if k else -1, "joint": joint,
             "mass": rng.uniform(0, 2), "com": rng.normal(size=3),
             "inertia": [*rng.uniform(1, 2, 3), *rng.uniform(-0.3, 0.3, 3)]}
        )  # fmt: skip
    drives = [{"joint": b["name"], "Ia": 0.1, "coulomb": [0.2, -0.3]} for b in bodies
              if b["joint"]["type"] != "fixed"]  # fmt: skip
    return da.load({"bodies": bodies, "drives": drives})


@pytest.mark.parametrize("seed", range(40))
def test_random_trees_read_back(seed):
    m = random_arm(seed)
    text, _ = write(m, "mdh")
    assert_same(m, da.load(text), seed=seed)


@pytest.mark.parametrize("name", ["puma560", "stanford", "tx40", "ur5", "panda"])
def test_numeric_robots_read_back(name):
    m = getattr(da.robots, name)()
    text, notes = write(m, "mdh")
    back = da.load(text)
    assert back.joint_names == m.joint_names and back.name == m.name
    assert [b.limits for b in back.bodies] == [b.limits for b in m.bodies]
    assert_same(m, back)
    assert any("turned" in note for note in notes) == (name == "ur5")


@pytest.mark.parametrize("name", ["report6r", "rx90", "scara", "planar2r"])
def test_symbolic_robots_read_back(name):
    m = getattr(da.robots, name)()
    back = da.load(write(m, "mdh")[0])
    assert {p.name for p in back.parameters} == {p.name for p in m.parameters}
    rng = np.random.default_rng(3)
    values = {p.name: rng.uniform(0.2, 1.0) for p in m.parameters}
    assert_same(m, back, values)


def test_a_table_that_was_read_is_written_as_it_stood():
    rows = [
        {"a": 0, "alpha": "g", "d": "L", "theta": "0.7"},
        {"a": 1, "sigma": 1, "gamma": "0.3", "b": "0.1", "alpha": "0.2", "d": "0.4", "r": "s"},
        {"a": 1, "sigma": 2, "alpha": "pi", "d": "0.5", "r": "0.25"},
        {"a": 2, "gamma": "pi/3", "b": "0.1", "alpha": "-pi/4", "d": "0.2", "r": "0.6", "m": 1},
    ]
    m = da.load({"dh": rows, "convention": "modified", "symbols": ["g", "L"]})
    text, notes = write(m, "mdh")
    assert not notes
    for cell in ('d = "L"', 'alpha = "g"', "theta = 0.7", "gamma = 0.3", "b = 0.1", "d = 0.4",
                 'alpha = "pi"', "r = 0.25", "r = 0.6"):  # fmt: skip
        assert cell in text, cell
    assert_same(m, da.load(text), {"g": 0.4, "L": 0.9})


def test_loops_and_frames_follow_the_turned_frames():
    m = da.load(
        {
            "bodies": [
                {"name": "a", "parent": -1, "joint": {"type": "revolute", "axis": [0, 1, 0]}},
                {"name": "b", "parent": 0, "mass": 1, "com": [0.1, 0.2, 0.3],
                 "joint": {"type": "revolute", "axis": [0.6, 0, 0.8]}},
            ],
            "frames": [{"name": "tool", "body": "b", "placement": {"translation": [1, 2, 3]}}],
            "loops": [{"body_i": "b", "point_i": [1, 0, 0], "body_j": -1, "point_j": [0, 0, 1],
                       "joint": "revolute", "axis": [0, 1, 0]}],
            "active": ["a"],
        }
    )  # fmt: skip
    back = da.load(write(m, "mdh")[0])
    assert_same(m, back)
    assert back.active == ("a",)
    q = [0.3, 0.4]
    for one in (m, back):
        T = np.array(pose(one.bound(), "b", q), float)
        loop = one.bound().loops[0]
        point = T @ [*(float(x) for x in loop.point_i), 1.0]
        axis = T[:3, :3] @ [float(x) for x in loop.axis]
        if one is m:
            wanted = point, axis
    np.testing.assert_allclose(point, wanted[0], atol=1e-12)
    np.testing.assert_allclose(axis, wanted[1], atol=1e-12)


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ([{"name": "a", "parent": -1, "joint": {"type": "spherical"}}], "is spherical"),
        (
            [{"name": "a", "parent": -1, "joint": {"type": "revolute", "axis": ["x", 0, "z"]}}],
            "axis of joint",
        ),
        (
            [{"name": "a", "parent": -1,
              "joint": {"type": "revolute", "placement": {"translation": ["x", "z", 0]}}}],
            "parallel axes",
        ),
    ],
)  # fmt: skip
def test_what_a_table_cannot_hold_is_an_error(bodies, message):
    m = da.load({"bodies": bodies, "symbols": ["x", "z"]})
    with pytest.raises(da.UsageError, match=message):
        write(m, "mdh")


def test_the_table_stands_at_the_head_of_the_file():
    text, _ = write(da.robots.rx90(), "mdh")
    rows = [line[2:].split() for line in text.splitlines()[1:8]]
    assert rows[0] == ["j", "a", "sigma", "gamma", "b", "alpha", "d", "theta", "r"]
    assert rows[3] == ["3", "2", "0", "0", "0", "0", "D3", "0", "0"]
    assert rows[4] == ["4", "3", "0", "0", "0", "-pi/2", "0", "0", "RL4"]
    assert da.load(text).nv == 6


def test_the_command_line_converts(capsys):
    from dalembert.cli import main

    assert main(["convert", "robot:puma560", "--to", "mdh"]) == 0
    assert_same(da.robots.puma560(), da.load(capsys.readouterr().out))


def test_a_table_without_rows_is_refused():
    with pytest.raises(da.UsageError, match="there are no bodies"):
        write(da.load('<robot name="r"><link name="a"/></robot>'), "mdh")
