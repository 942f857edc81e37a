"""The referee against closed forms, laws of mechanics, Pinocchio and published numbers."""

import json

import numpy as np
import pytest

import dalembert as da
import referee
from machines.linkages import scissors
from pinocchio_model import to_pinocchio
from verdict import potential


def link(name, parent, joint, **mass):
    return {"name": name, "parent": parent, "joint": joint, **mass}


def hinge(x=0.0, **more):
    place = {"translation": [x, 0, 0]}
    return {"type": "revolute", "axis": [0, 0, 1], "placement": place, **more}


DOWN = {"format": "dalembert/1", "gravity": [0, -9.81, 0]}


def test_a_pendulum_with_rotor_spring_and_friction():
    data = DOWN | {
        "bodies": [link("a", -1, hinge(), mass="m", com=["l/2", 0, 0], inertia=[0, 0, 0.02])],
        "parameters": {"m": 2, "l": 0.6},
        "drives": [{"joint": "a", "Jm": 0.001, "gear": -10, "coulomb": 0.05, "viscous": 0.002}],
        "elastic": [{"joint": "a", "stiffness": 5, "rest": "30deg", "damping": 0.3}],
    }
    q, qd, tau = 0.4, -1.2, 3.0
    spring = -5 * (q - np.pi / 6) - 0.3 * qd
    friction = 0.002 * 100 * qd - 10 * 0.05
    inertia = 0.02 + 2 * 0.09 + 0.1
    load = 2 * 9.81 * 0.3 * np.cos(q)
    for drives, lost in (("inertia", 0), ("all", friction)):
        qdd = (tau + spring - load - lost) / inertia
        assert referee.forward(data, [q], [qd], [tau], drives=drives) == pytest.approx([qdd])
        assert referee.inverse(data, [q], [qd], [qdd], drives=drives) == pytest.approx([tau])


def test_a_double_pendulum():
    """Point masses: the textbook equations."""
    l1, l2, m1, m2, g = 0.7, 0.4, 1.3, 0.8, 9.81
    data = DOWN | {
        "bodies": [
            link("a", -1, hinge(), mass=m1, com=[l1, 0, 0]),
            link("b", "a", hinge(l1), mass=m2, com=[l2, 0, 0]),
        ]
    }
    q, qd, qdd = np.array([0.3, -1.1]), np.array([1.5, -0.6]), np.array([-2.0, 3.0])
    c2, s2, c1, c12 = np.cos(q[1]), np.sin(q[1]), np.cos(q[0]), np.cos(q.sum())
    a = m2 * l2**2 + m2 * l1 * l2 * c2
    M = np.array([[(m1 + m2) * l1**2 + m2 * l1 * l2 * c2 + a, a], [a, m2 * l2**2]])
    h = m2 * l1 * l2 * s2 * np.array([-qd[1] * (2 * qd[0] + qd[1]), qd[0] ** 2])
    weight = g * np.array([(m1 + m2) * l1 * c1 + m2 * l2 * c12, m2 * l2 * c12])
    tau = M @ qdd + h + weight
    assert referee.inverse(data, q, qd, qdd) == pytest.approx(tau, rel=1e-12)
    assert referee.forward(data, q, qd, tau) == pytest.approx(qdd, rel=1e-11)
    pushed, moved = {"a": tau[0]}, {"b": qdd[1]}
    assert referee.hybrid(data, q, qd, moved, pushed)[0] == pytest.approx(qdd, rel=1e-11)
    assert referee.hybrid(data, q, qd, moved, pushed)[1] == pytest.approx(tau, rel=1e-11)


KINDS = ("revolute", "prismatic", "screw", "planar", "spherical", "free", "fixed")


def random_tree(seed):
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(7):
        A = rng.normal(size=(3, 3)) * 0.3
        turns = [["xyz"[rng.integers(3)], rng.normal()] for _ in range(2)]
        place = {"translation": list(rng.normal(size=3)), "rotation": turns}
        joint = {"type": KINDS[(k + seed) % 7], "placement": place}
        if joint["type"] in ("revolute", "prismatic", "screw"):
            joint["axis"] = list(rng.normal(size=3))
        if joint["type"] == "screw":
            joint["pitch"] = 0.2
        tensor = (np.trace(A @ A.T) * np.eye(3) - A @ A.T).tolist()
        bodies.append(link(f"b{k}", int(rng.integers(-1, k)), joint, mass=rng.uniform(0.5, 2),
                           com=list(rng.normal(size=3) * 0.2), inertia=tensor))  # fmt: skip
    return {"format": "dalembert/1", "gravity": [1.0, 2.0, -9.0], "bodies": bodies}


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_all_joints_against_pinocchio(peer, seed):
    pin = peer("pin")
    data, rng = random_tree(seed), np.random.default_rng(seed)
    model = to_pinocchio(da.load(data))
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    qd, qdd = rng.normal(size=(2, model.nv))
    tau = pin.rnea(model, model.createData(), q, qd, qdd)
    assert referee.inverse(data, q, qd, qdd) == pytest.approx(tau, rel=1e-10, abs=1e-10)
    assert referee.forward(data, q, qd, tau) == pytest.approx(qdd, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
def test_published_loops(oracles_dir, name):
    file = json.loads((oracles_dir / f"{name}.json").read_text())
    data = file["model"] | {"loops": file["loops"], "active": file["active"]}
    for state in file["states"]:
        e = state["expected"]
        x = state["q_tree"], e["qd_tree"], e["qdd_tree"]
        assert referee.inverse(data, *x) == pytest.approx(np.array(e["Gamma_active"]), rel=1e-8)
        assert referee.forward(data, *x[:2], e["Gamma_active"]) == pytest.approx(
            np.array(x[2]), rel=1e-7)  # fmt: skip


def test_a_four_bar_by_virtual_work():
    """The motor that holds it makes the work of the weights along the closed motion."""
    data = DOWN | {
        "bodies": [
            link("crank", -1, hinge(), mass=1, com=[0.15, 0.02, 0], inertia=[0, 0, 0.01]),
            link("coupler", "crank", hinge(0.3), mass=1.5, com=[0.4, 0, 0], inertia=[0, 0, 0.08]),
            link("rocker", -1, hinge(0.7), mass=1.2, com=[0.3, 0, 0], inertia=[0, 0, 0.04]),
        ],
        "active": ["crank"],
        "loops": [{"body_i": "coupler", "point_i": [0.8, 0, 0], "body_j": "rocker",
                   "point_j": [0.6, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
    }  # fmt: skip
    q = referee.close(data, [0.9, 0.1, 1.2], fixed=["crank"])
    assert referee.mobility(data, q) == 1
    ends = [referee.close(data, q + [d, 0, 0], fixed=["crank"]) for d in (1e-5, -1e-5)]
    slope = (potential(referee.read(data), ends[0]) - potential(referee.read(data), ends[1])) / 2e-5
    assert referee.inverse(data, q, [0] * 3, [0] * 3) == pytest.approx([slope], rel=1e-8)
    assert referee.forward(data, q, [0] * 3, [slope]) == pytest.approx(np.zeros(3), abs=1e-7)


def test_the_scissor_lift_of_two_stages():
    data, q = scissors(2)
    assert referee.mobility(data, q) == 1
    rest = np.zeros(len(q))
    assert referee.inverse(data, q, rest, rest) == pytest.approx([-143.6566764], abs=5e-8)
    flat = referee.close(data, scissors(2, angle=0.0)[1])
    assert referee.is_singular(data, flat) and not referee.is_singular(data, q)


PLANE = [
    link("sx", -1, {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}),
    link("sy", "sx", {"type": "prismatic", "name": "y", "axis": [0, 1, 0]}),
]


@pytest.mark.parametrize("way", ["wheel", "equation"])
def test_chaplygins_sleigh(way):
    """v' = a w², (I + m a²) w' = -m a v w, and sideways nothing."""
    m, a, I = 3.0, 0.2, 0.5
    turn = {"type": "revolute", "name": "th", "axis": [0, 0, 1]}
    data = DOWN | {"gravity": [0, 0, 0], "bodies": [
        *PLANE, link("body", "sy", turn, mass=m, com=[a, 0, 0], inertia=[0, 0, I])]}  # fmt: skip
    if way == "wheel":
        wheel = {"name": "w", "body": "body", "point": [0, 0, 0], "normal": [0, 1, 0]}
        data["wheels"] = [wheel]
    else:
        told = {"name": "c", "equation": "xd*sin(th) - yd*cos(th) = 0"}
        data["velocity_constraints"] = [told]
    th, v, w = 0.7, 1.3, -0.9
    c, s = np.cos(th), np.sin(th)
    vd, wd = a * w * w, -m * a * v * w / (I + m * a * a)
    want = [vd * c - v * w * s, vd * s + v * w * c, wd]
    found = referee.forward(data, [0.1, 0.2, th], [v * c, v * s, w], [0, 0, 0])
    assert found == pytest.approx(want, rel=1e-12)
    assert referee.mobility(data, [0.1, 0.2, th]) == 2


def test_a_differential_drive():
    """Two wheels of radius r at half a track d: they cannot spin in place."""
    r, d, m, I, J = 0.1, 0.25, 10.0, 0.4, 0.008
    turn = {"type": "revolute", "name": "th", "axis": [0, 0, 1]}
    data = DOWN | {
        "gravity": [0, 0, -9.81],
        "bodies": [
            *PLANE,
            link("chassis", "sy", turn, mass=m, inertia=[0, 0, I]),
            *(link(n, "chassis", {"type": "revolute", "axis": [0, 1, 0], "placement":
                   {"translation": [0, y, 0]}}, mass=1e-12, inertia=[0, J, 0])
              for n, y in (("pl", d), ("pr", -d))),
        ],
        "active": ["pl", "pr"],
        "wheels": [{"name": n, "body": "chassis", "point": [0, y, 0], "normal": [0, 1, 0],
                    "radius": r, "spin": f"p{n}"} for n, y in (("l", d), ("r", -d))],
    }  # fmt: skip
    left, right = 0.5, -0.3
    # speeds v and w of the chassis, pl = (v - w d) / r, pr = (v + w d) / r
    v = (left + right) / r / (m + 2 * J / r**2)
    w = (right - left) * d / r / (I + 2 * J * d**2 / r**2)
    q = [0.3, -0.2, 0.7, 0.1, 0.2]
    want = [v * np.cos(0.7), v * np.sin(0.7), w, (v - w * d) / r, (v + w * d) / r]
    found = referee.forward(data, q, np.zeros(5), [left, right])
    assert found == pytest.approx(want, rel=1e-9)
    assert referee.inverse(data, q, np.zeros(5), found) == pytest.approx([left, right], rel=1e-9)


def test_a_published_car(oracles_dir):
    """DeSantis' car: the steering angle is given with its rate."""
    file = json.loads((oracles_dir / "s003_car.json").read_text())
    p = {k: v[0] for k, v in file["parameters"].items() if v}
    turn = {"type": "revolute", "name": "th", "axis": [0, 0, 1]}
    data = DOWN | {
        "bodies": [*PLANE, link("car", "sy", turn, mass=p["m"], com=[p["b"], 0, 0],
                                inertia=[0, 0, p["J"]])],
        "gravity": [0, 0, 0], "prescribed": ["delta"],
        "wheels": [{"name": "rear", "body": "car", "point": [0, 0, 0], "normal": [0, 1, 0]},
                   {"name": "front", "body": "car", "point": [p["l"], 0, 0], "normal": [0, 1, 0],
                    "steer": "delta"}],
    }  # fmt: skip
    for s in file["states"]:
        th, d = s["q"][2], s["delta"]
        front, rear = s["forces"]
        # along the front wheel, at the front; along the car, at the rear
        push = front * np.array([np.cos(th + d), np.sin(th + d), p["l"] * np.sin(d)])
        push = push + rear * np.array([np.cos(th), np.sin(th), 0])
        given = {"delta": (d, s["delta_dot"])}
        a = referee.forward(data, s["q"], s["expected"]["qdot"], push, given=given)
        v = s["alpha"] * s["expected"]["qdot"][2]
        found = [a[0] * np.cos(th) + a[1] * np.sin(th), a[1] * np.cos(th) - a[0] * np.sin(th)]
        assert found == pytest.approx([s["expected"]["alpha_dot"], v], rel=1e-9)


def test_an_equation_in_the_coordinates():
    """A yoke: x = r cos(th) has its second rates."""
    slide = {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}
    turn = {"type": "revolute", "name": "th", "axis": [0, 0, 1]}
    data = DOWN | {
        "gravity": [0, 0, 0], "parameters": {"r": 0.3},
        "bodies": [link("yoke", -1, slide, mass=2),
                   link("crank", -1, turn, mass=1, inertia=[0, 0, 0.1])],
        "velocity_constraints": [{"name": "slot", "equation": "x = r*cos(th)"}],
    }  # fmt: skip
    th, w, tau = 0.8, 2.0, 1.5
    q = referee.close(data, [0.0, th], fixed=["th"])
    s, c = np.sin(th), np.cos(th)
    assert q == pytest.approx([0.3 * c, th])
    # (J + m r² s²) w' + m r² s c w² = tau
    wd = (tau - 2 * 0.09 * s * c * w * w) / (0.1 + 2 * 0.09 * s * s)
    want = [-0.3 * (s * wd + c * w * w), wd]
    assert referee.forward(data, q, [-0.3 * s * w, w], [0, tau]) == pytest.approx(want, rel=1e-12)


def test_what_cannot_be_answered_is_said():
    data, q = scissors(2)
    rest = np.zeros(len(q))
    with pytest.raises(referee.NotClosed):
        referee.forward(data, np.asarray(q) + 0.01, rest, [0])
    with pytest.raises(referee.Impossible, match="rates"):
        referee.forward(data, q, rest + 1, [0])
    with pytest.raises(referee.Impossible, match="qdd"):
        referee.inverse(data, q, rest, rest + 1)
    pendulum = DOWN | {"bodies": [link("a", -1, hinge(), mass=0)]}
    with pytest.raises(referee.NotUnique):
        referee.forward(pendulum, [0], [0], [1])
