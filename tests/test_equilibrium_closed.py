"""Poses of rest of closed machines are the stationary points of their potential energy."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError

A, B, C, D, K, G = 0.3, 0.8, 0.6, 0.9, 40.0, 9.81  # lengths of the links, spring, gravity


def four_bar():
    """Return a four-bar whose crank hangs on a spring; at q = 0 it lies flat and is open."""
    link = {"type": "revolute", "axis": [0, 0, 1]}

    def body(name, parent, at, length, mass):
        joint = link | {"name": name, "placement": {"translation": [at, 0, 0]}}
        inertia = [0, mass * length**2 / 12, mass * length**2 / 12]
        return {
            "name": name, "parent": parent, "joint": joint, "mass": mass,
            "com": [length / 2, 0, 0], "inertia": inertia,
        }  # fmt: skip

    return da.load({
        "format": "dalembert/1", "gravity": [0, -G, 0], "active": ["crank"],
        "bodies": [body("crank", -1, 0, A, 1), body("rod", "crank", A, B, 2),
                   body("rocker", -1, D, C, 1.5)],
        "loops": [{"body_i": "rod", "point_i": [B, 0, 0], "body_j": "rocker",
                   "point_j": [C, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
        "springs": [{"body_i": "crank", "point_i": [A, 0, 0], "body_j": -1,
                     "point_j": [0, 0.5, 0], "stiffness": K, "length": 0.2}],
    })  # fmt: skip


def potential(angle, branch):
    """Return the potential energy at a crank angle, from the geometry of two circles."""
    P = A * np.array([np.cos(angle), np.sin(angle)])
    way = np.array([D, 0]) - P
    L = np.hypot(*way)
    turn = np.arctan2(way[1], way[0]) + branch * np.arccos((B**2 + L**2 - C**2) / (2 * B * L))
    E = P + B * np.array([np.cos(turn), np.sin(turn)])
    heights = P[1] / 2 + 2 * (P[1] + E[1]) / 2 + 1.5 * E[1] / 2
    return G * heights + K / 2 * (np.hypot(P[0], P[1] - 0.5) - 0.2) ** 2


@pytest.mark.parametrize("start", [None, [0, 0, 0], {"crank": 3.0}, [-1.2, 0.8, -1.6]])
def test_a_four_bar_on_a_spring_rests_where_its_energy_is_least(start):
    m = four_bar()
    q = da.equilibrium(m, start)
    assert np.abs(da.closure(m, q)).max() < 1e-12
    energies = [[potential(q[0] + h, branch) for h in (-1e-4, 0, 1e-4)] for branch in (1, -1)]
    own = min(energies, key=lambda v: abs(v[1] - da.potential_energy(m, q)))
    assert own[1] == pytest.approx(float(da.potential_energy(m, q)), abs=1e-9)
    assert abs(own[2] - own[0]) / 2e-4 < 1e-6  # slope
    assert own[0] + own[2] - 2 * own[1] > 0


def test_joints_that_are_not_there_are_refused():
    with pytest.raises(DalembertError, match="not a joint"):
        da.equilibrium(four_bar(), {"crnk": 1.0})


def test_on_wheels_the_forces_of_the_motors_alone_may_be_given():
    link = {"mass": 5, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    turn = {"type": "revolute", "axis": [0, 1, 0], "placement": {"translation": [0.3, 0, 0.2]}}
    m = da.load({
        "format": "dalembert/1",
        "bodies": [
            {"name": "cart", "parent": -1, "joint": {"type": "planar", "name": "base"},
             "mass": 100, "com": [0.5, 0, 0], "inertia": [5, 10, 20]},
            {"name": "arm", "parent": "cart", "joint": turn, **link},
            {"name": "fore", "parent": "arm", "joint": turn, **link}],
        "wheels": [{"name": "r", "body": "cart", "point": [0, 0, 0], "normal": [0, 1, 0]}],
        "active": ["fore", "arm"],
    })  # fmt: skip
    q = da.equilibrium(m, [0, 0, 0, 1.5, 0.2], [1.0, 3.0])
    qdd = da.forward_dynamics(m, q, np.zeros(5), [1.0, 3.0])
    assert np.abs(qdd).max() < 1e-8
