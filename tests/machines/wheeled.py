"""Machines on wheels and under velocity constraints: (native dict, coordinates)."""

from __future__ import annotations

from typing import Any

import numpy as np

import referee

from .linkages import Drawn
from .sketch import random_rotation

Z = [0, 0, 1]


class Vehicle:
    """Bodies on the ground: x, y and th first, then what is added."""

    def __init__(self, name: str, seed: int):
        self.rng = np.random.default_rng([seed, 9])
        self.bodies: list[dict[str, Any]] = []
        self.data = {"format": "dalembert/1", "name": f"{name} {seed}", "gravity": [0, 0, -9.81],
                     "bodies": self.bodies, "wheels": [], "active": []}  # fmt: skip
        slide = {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}
        self.bodies.append({"name": "sx", "parent": -1, "joint": slide})
        slide = {"type": "prismatic", "name": "y", "axis": [0, 1, 0]}
        self.bodies.append({"name": "sy", "parent": "sx", "joint": slide})
        self.body("chassis", "sy", "th", mass=8)

    def number(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def body(self, name: str, parent: str, joint: str, place: Any = (0, 0, 0), axis: Any = Z,
             kind: str = "revolute", mass: float = 1.0) -> Vehicle:  # fmt: skip
        """Add a body with random mass data."""
        A = random_rotation(self.rng) * self.rng.uniform(0.05, 0.3, 3)
        A = np.trace(A @ A.T) * np.eye(3) - A @ A.T
        at = {"translation": [float(x) for x in place]}
        own = {"type": kind, "name": joint, "axis": list(axis), "placement": at}
        self.bodies.append({
            "name": name, "parent": parent, "joint": own, "mass": mass * self.number(0.5, 1.5),
            "com": self.rng.uniform(-0.1, 0.1, 3).tolist(),
            "inertia": (mass * (A + A.T) / 2).tolist()})  # fmt: skip
        return self

    def wheel(self, name: str, body: str, point: Any, radius: float = 0, **more: Any) -> Vehicle:
        """Add a wheel that rolls along x of its body; with a radius, its spin is a joint."""
        record = {"name": name, "body": body, "point": [float(x) for x in point]}
        record |= {"normal": [0, 1, 0], **more}
        if radius:
            self.body(f"{name} disc", body, f"{name}.spin", point, [0, 1, 0], mass=0.3)
            record |= {"radius": radius, "spin": f"{name}.spin"}
        self.data["wheels"].append(record)
        return self

    def motors(self, *names: str) -> Vehicle:
        """Name the active joints."""
        self.data["active"] += names
        return self

    def done(self) -> Drawn:
        """Return the description and random coordinates."""
        m = referee.read(self.data)
        q = self.rng.uniform(-0.7, 0.7, m.nq)
        closed = referee.close(m, q)
        assert closed is not None, self.data["name"]
        return self.data, closed


def differential(v: Vehicle) -> Vehicle:
    """Two driven wheels on one axle, and a castor."""
    d, r = v.number(0.2, 0.4), v.number(0.05, 0.2)
    v.wheel("left", "chassis", [0, d, 0], r).wheel("right", "chassis", [0, -d, 0], r)
    v.body("fork", "chassis", "yaw", [-v.number(0.2, 0.4), 0, 0])
    v.wheel("castor", "fork", [-v.number(0.03, 0.1), 0, 0], v.number(0.03, 0.08))
    return v.motors("left.spin", "right.spin")


def tricycle(v: Vehicle) -> Vehicle:
    """A steered and driven wheel in front, two free ones behind."""
    v.wheel("left", "chassis", [0, 0.3, 0]).wheel("right", "chassis", [0, -0.3, 0])
    v.body("fork", "chassis", "steer", [v.number(0.5, 1), 0, 0])
    v.wheel("front", "fork", [-v.number(0, 0.1), 0, 0], v.number(0.1, 0.2))
    return v.motors("steer", "front.spin")


def car(v: Vehicle) -> Vehicle:
    """One rear wheel, a front wheel whose steering angle is a joint of the chassis."""
    length = v.number(1, 2)
    v.body("rack", "chassis", "steer", [length, 0, 0], mass=0.2)
    v.wheel("rear", "chassis", [0, 0, 0], v.number(0.2, 0.3))
    v.wheel("front", "chassis", [length, 0, 0], steer="steer")
    return v.motors("steer", "rear.spin")


def snakeboard(v: Vehicle) -> Vehicle:
    """Two steered axles and a rotor."""
    a = v.number(0.3, 0.5)
    v.body("front", "chassis", "front", [a, 0, 0]).body("back", "chassis", "back", [-a, 0, 0])
    v.body("rotor", "chassis", "rotor")
    v.wheel("wf", "front", [0, 0, 0]).wheel("wb", "back", [0, 0, 0])
    return v.motors("front", "back", "rotor")


def roller_racer(v: Vehicle) -> Vehicle:
    """Two hinged bodies with an axle each."""
    v.body("handle", "chassis", "handle", [v.number(0.3, 0.5), 0, 0])
    v.wheel("wb", "chassis", [0, 0, 0]).wheel("wf", "handle", [v.number(0.05, 0.3), 0, 0])
    return v.motors("handle")


def snake(v: Vehicle) -> Vehicle:
    """Links with passive wheels and a motor in every hinge."""
    last, many = "chassis", int(v.rng.integers(2, 5))
    v.wheel("w0", "chassis", [0.1, 0, 0])
    for k in range(1, many + 1):
        v.body(f"link{k}", last, f"p{k}", [v.number(0.3, 0.5), 0, 0])
        v.wheel(f"w{k}", f"link{k}", [v.number(0.1, 0.3), 0, 0]).motors(f"p{k}")
        last = f"link{k}"
    return v


def trailers(v: Vehicle) -> Vehicle:
    """A driven car and passive trailers behind it."""
    car(v)
    last = "chassis"
    for k in range(1, int(v.rng.integers(2, 4))):
        v.body(f"trailer{k}", last, f"hitch{k}", [-v.number(0.2, 0.6), 0, 0], mass=4)
        v.wheel(f"axle{k}", f"trailer{k}", [-v.number(0.5, 1), 0, 0])
        last = f"trailer{k}"
    return v


def equations(v: Vehicle) -> Vehicle:
    """A chain in space under random equations in its rates, or in its coordinates."""
    v.bodies.clear()
    n = int(v.rng.integers(3, 7))
    for k in range(n):
        kind = "prismatic" if v.rng.random() < 0.3 else "revolute"
        axis, place = v.rng.normal(size=3), v.rng.uniform(-0.5, 0.5, 3)
        v.body(f"b{k}", f"b{k - 1}" if k else -1, f"j{k}", place, axis.tolist(), kind)
    told, many = [], int(v.rng.integers(1, n - 1))
    for _ in range(many):
        a, b, e = v.rng.permutation(n)[:3]
        x, y = v.rng.uniform(0.3, 1, 2).round(3)
        if v.rng.random() < 0.3:
            told.append(f"sin(j{a}) + {x}*j{b} = {y}*cos(j{e})*j{b} + 0.1")
        else:
            told.append(f"(1 + {x}*sin(j{e}))*j{a}d + {y}*cos(j{b})*j{e}d - j{e}*j{b}d = 0")
    names = [{"name": f"c{c}", "equation": e} for c, e in enumerate(told)]
    v.data["velocity_constraints"] = names
    return v.motors(*(f"j{k}" for k in v.rng.permutation(n)[: n - many]))


def loader(v: Vehicle) -> Vehicle:
    """Wheels and a loop: an articulated vehicle whose hinge is turned by a cylinder."""
    v.body("back", "chassis", "hinge", [-0.5, 0, 0], mass=5)
    v.wheel("front", "chassis", [0.4, 0, 0], v.number(0.2, 0.3)).wheel("rear", "back", [-0.5, 0, 0])
    v.body("cylinder", "chassis", "c", [0, 0.3, 0])
    v.body("piston", "cylinder", "p", [-0.2, 0, 0], [1, 0, 0], "prismatic")
    v.data["loops"] = [{"body_i": "piston", "point_i": [-0.6, 0, 0], "body_j": "back",
                        "point_j": [-0.4, 0.3, 0], "joint": "revolute", "axis": Z}]  # fmt: skip
    return v.motors("front.spin", "p")


def geared(v: Vehicle) -> Vehicle:
    """A car that steers with both axles, the rear one geared to the front; an arm on top."""
    a = v.number(0.5, 0.8)
    v.body("front", "chassis", "front", [a, 0, 0], mass=0.3)
    v.body("back", "chassis", "back", [-a, 0, 0], mass=0.3)
    v.wheel("wf", "front", [0, 0, 0], v.number(0.1, 0.2)).wheel("wb", "back", [0, 0, 0])
    v.data["couplings"] = [{"joint": "back", "of": "front", "ratio": -v.number(0.3, 0.9)}]
    v.body("arm", "chassis", "arm", [0.1, 0, 0.3], [0, 1, 0])
    v.data["drives"] = [{"joint": "arm", "Ia": 0.2}]
    return v.motors("front", "wf.spin", "arm")


FAMILIES = (differential, tricycle, car, snakeboard, roller_racer, snake, trailers, equations,
            loader, geared)  # fmt: skip


def wheeled(seed: int) -> Drawn:
    """Return one random machine; the family is the last digit of the seed."""
    family = FAMILIES[seed % len(FAMILIES)]
    return family(Vehicle(family.__name__, seed)).done()
