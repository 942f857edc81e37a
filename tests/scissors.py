"""Scissor lifts and linkages whose rest pose is flat or folded, and their dynamics by virtual work.

What holds them is found from energies alone: nothing here uses plans, maps or loop equations
beyond the closed forms of the linkage itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.mechanism import Mechanism

Z = [0, 0, 1]


def scissor(stages: int = 2) -> Mechanism:
    """Return a scissor lift: bars cross at their middles, the lower right end is on a slide."""
    return da.load(scissor_data(stages))


def scissor_data(stages: int, length: float = 1.0) -> dict[str, Any]:
    """Return the lift as a native description, its joints not cut."""
    bodies: list[dict[str, Any]] = [
        {"name": "slider", "mass": 0.5, "com": [0, 0, 0], "inertia": [0, 0, 0]}
    ]
    joints: list[dict[str, Any]] = [
        {"name": "slide", "joint": "prismatic", "axis": [1, 0, 0], "body_i": "base",
         "body_j": "slider"}
    ]  # fmt: skip
    below = ("base", [0, 0, 0], "slider", [0, 0, 0])
    for k in range(1, stages + 1):
        a, b = f"a{k}", f"b{k}"
        for name in (a, b):
            bodies.append({"name": name, "mass": 2, "com": [0.5 * length, 0.01, 0],
                           "inertia": [0, 0.15, 0.15]})  # fmt: skip
        left, at_left, right, at_right = below
        joints += [
            _pin(f"p{k}", left, at_left, a, [0, 0, 0]),
            _pin(f"r{k}", right, at_right, b, [0, 0, 0]),
            _pin(f"m{k}", a, [length / 2, 0, 0], b, [length / 2, 0, 0]),
        ]
        below = (b, [length, 0, 0], a, [length, 0, 0])
    return _native(f"scissor {stages}", ["slide"], bodies, joints)


def _native(name: str, active: Any, bodies: Any, joints: Any) -> dict[str, Any]:
    return {"format": "dalembert/1", "name": name, "gravity": [0, -9.81, 0], "active": active,
            "bodies": bodies, "joints": joints}  # fmt: skip


def _pin(name: str, i: str, point_i: Any, j: str, point_j: Any) -> dict[str, Any]:
    return {"name": name, "joint": "revolute", "axis": Z, "body_i": i, "point_i": point_i,
            "body_j": j, "point_j": point_j}  # fmt: skip


def scissor_pose(m: Mechanism, angle: float, length: float = 1.0) -> np.ndarray:
    """Return the pose in which every bar makes this angle with the ground."""
    absolute = {"slide": length * np.cos(angle)}
    stages = sum(n.startswith("p") for n in m.joint_names)
    start = np.zeros(m.nq)
    turned: dict[str, float] = {"base": 0.0, "slider": 0.0}
    for k in range(1, stages + 1):
        turned[f"a{k}"], turned[f"b{k}"] = angle, np.pi - angle
        left, right = ("base", "slider") if k == 1 else (f"b{k - 1}", f"a{k - 1}")
        absolute[f"p{k}"] = turned[f"a{k}"] - turned[left]
        absolute[f"r{k}"] = turned[f"b{k}"] - turned[right]
        absolute[f"m{k}"] = turned[f"b{k}"] - turned[f"a{k}"]
    for at, name in enumerate(m.joint_names):
        start[at] = absolute[name]
    return start


def scissor_energy(stages: int, x: float, length: float = 1.0) -> float:
    """Return the potential energy of a lift whose lower ends are x apart."""
    y = np.sqrt(length**2 - x**2)
    c, h = x / length, y / length
    # the mass centre of a bar lies 0.01 beside it: above the rising bar, below the other
    across = 0.01 * c
    total = 0.0
    for k in range(stages):
        total += 2 * 9.81 * (k * y + 0.5 * length * h + across)
        total += 2 * 9.81 * (k * y + 0.5 * length * h - across)
    return total


def holding_force(stages: int, x: float, step: float = 1e-5) -> float:
    """Return dV/dx by central differences: what the slide needs at rest."""
    return (scissor_energy(stages, x + step) - scissor_energy(stages, x - step)) / (2 * step)


def crank_data() -> dict[str, Any]:
    """Return three parallel cranks under one plate, all flat at rest."""
    bodies = [{"name": n, "mass": 1, "com": [0.1, 0, 0], "inertia": [0, 0.01, 0.01]} for n in "abc"]
    bodies.append({"name": "plate", "mass": 2, "com": [0.4, 0.1, 0], "inertia": [0, 0.1, 0.1]})
    at = {"a": 0, "b": 0.4, "c": 1.0}
    joints = [_pin(n.upper(), "base", [x, 0, 0], n, [0, 0, 0]) for n, x in at.items()]
    tops = zip("PQR", at.items(), strict=True)
    joints += [_pin(top, n, [0.2, 0, 0], "plate", [x, 0, 0]) for top, (n, x) in tops]
    return _native("three cranks", ["A"], bodies, joints)


def crank_pose(m: Mechanism, angle: float) -> np.ndarray:
    """Return the pose in which the three cranks are parallel and the plate is level."""
    return np.array([-angle if n == "P" else angle for n in m.joint_names])


def slider_crank_data() -> dict[str, Any]:
    """Return a slider-crank whose motor is the slide: crank 0.3 m, rod 0.8 m."""
    bodies = [
        {"name": "slider", "mass": 0.5, "com": [0, 0, 0], "inertia": [0, 0, 0]},
        {"name": "crank", "mass": 1, "com": [0.1, 0.02, 0], "inertia": [0, 0.02, 0.02]},
        {"name": "rod", "mass": 0.7, "com": [0.4, 0.01, 0], "inertia": [0, 0.05, 0.05]},
    ]
    joints: list[dict[str, Any]] = [
        {"name": "slide", "joint": "prismatic", "axis": [1, 0, 0], "body_i": "base",
         "body_j": "slider"},
        _pin("crank", "base", [0, 0, 0], "crank", [0, 0, 0]),
        _pin("wrist", "crank", [0.3, 0, 0], "rod", [0, 0, 0]),
        _pin("gudgeon", "rod", [0.8, 0, 0], "slider", [0, 0, 0]),
    ]  # fmt: skip
    return _native("slider-crank", ["slide"], bodies, joints)
