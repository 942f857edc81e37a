"""Linkages by name, built from their lengths: (native dict, closed coordinates)."""

from __future__ import annotations

import numpy as np

BAR = {"mass": 2, "com": [0.5, 0.01, 0], "inertia": [0.01, 0.17, 0.17]}


def scissors(stages: int, angle: float = 0.5) -> tuple[dict, np.ndarray]:
    """Return a scissor lift: bars of 1 m cross at their middles, a slider along x is the motor."""
    z = [0, 0, 1]
    bodies = [
        {"name": "u1", "parent": -1, "joint": {"type": "revolute", "axis": z}, **BAR},
        {
            "name": "slide",
            "parent": -1,
            "joint": {"type": "prismatic", "axis": [1, 0, 0]},
            "mass": 0.5,
        },
        {"name": "d1", "parent": "slide", "joint": {"type": "revolute", "axis": z}, **BAR},
    ]
    q = [angle, np.cos(angle), np.pi - angle]
    loops = [_pin("u1", 0.5, "d1", 0.5)]
    for k in range(2, stages + 1):
        # u goes on from the end of d before, d from the end of u
        for bar, on, turn in (("u", "d", 2 * angle - np.pi), ("d", "u", np.pi - 2 * angle)):
            joint = {"type": "revolute", "axis": z, "placement": {"translation": [1, 0, 0]}}
            bodies.append({"name": f"{bar}{k}", "parent": f"{on}{k - 1}", "joint": joint, **BAR})
            q.append(turn)
        loops.append(_pin(f"u{k}", 0.5, f"d{k}", 0.5))
    return {
        "format": "dalembert/1", "name": f"scissors {stages}", "gravity": [0, -9.81, 0],
        "bodies": bodies, "loops": loops, "active": ["slide"],
    }, np.array(q)  # fmt: skip


def _pin(i: str, a: float, j: str, b: float) -> dict:
    return {"body_i": i, "point_i": [a, 0, 0], "body_j": j, "point_j": [b, 0, 0],
            "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip
