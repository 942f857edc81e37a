"""Ready-made machines with closed loops, planar ones and parallel robots.

Round numbers, chosen here. A platform stands on joints of its own that say which freedoms it has;
its legs end in cut joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..mechanism import Mechanism
from ..read import load

UP, DOWN = [0, 0, "-9.81"], [0, "-9.81", 0]


def _joint(
    kind: str, axis: Sequence[int] = (0, 0, 1), at: Any = (0, 0, 0), **more: Any
) -> dict[str, Any]:
    place = at if isinstance(at, Mapping) else {"translation": list(at)}
    return {"type": kind, "axis": list(axis), "placement": place, **more}


def _body(
    name: str, parent: Any, joint: Any, mass: Any = 0, com: Any = (0, 0, 0), I: Any = 0
) -> dict[str, Any]:
    own = {"mass": mass, "com": list(com), "inertia": list(I) if I else [0, 0, 0]}
    return {"name": name, "parent": parent, "joint": joint, **own}


def _bar(name: str, parent: Any, at: Any, length: float, mass: float) -> dict[str, Any]:
    """Return a uniform bar along x on a revolute joint about z."""
    across = mass * length * length / 12
    inertia = [float(f"{x:.12g}") for x in (across / 50, across, across)]  # no digits of rounding
    return _body(name, parent, _joint("revolute", at=at), mass, (length / 2, 0, 0), inertia)


def _made(name: str, gravity: Any, bodies: Any, loops: Any, active: Sequence[str]) -> Mechanism:
    parts = {"bodies": bodies, "loops": loops, "active": list(active)}
    return load({"format": "dalembert/1", "name": name, "gravity": gravity, **parts})


def _cut(kind: str, i: str, at_i: Any, j: str, at_j: Any, **more: Any) -> dict[str, Any]:
    ends = {"body_i": i, "point_i": list(at_i), "body_j": j, "point_j": list(at_j)}
    return {**ends, "joint": kind, **more}


_ball = partial(_cut, "spherical")
_pin = partial(_cut, "revolute", axis=[0, 0, 1])


def fourbar() -> Mechanism:
    """Return a crank-rocker in the vertical plane x, y, its crank motorized.

    >>> fourbar().active
    ('crank',)
    """
    bodies = [
        _bar("crank", -1, (0, 0, 0), 0.3, 1.0),
        _bar("coupler", 0, (0.3, 0, 0), 0.8, 1.5),
        _bar("rocker", -1, (0.7, 0, 0), 0.6, 1.2),
    ]
    loop = _pin("coupler", (0.8, 0, 0), "rocker", (0.6, 0, 0))
    return _made("fourbar", DOWN, bodies, [loop], ["crank"])


def fivebar() -> Mechanism:
    """Return a symmetric five-bar in the vertical plane x, y, both cranks motorized.

    >>> fivebar().active
    ('crankA', 'crankB')
    """
    bodies = [
        _bar("crankA", -1, (0, 0, 0), 0.4, 1.2),
        _bar("rodA", 0, (0.4, 0, 0), 0.6, 0.9),
        _bar("crankB", -1, (0.5, 0, 0), 0.4, 1.2),
        _bar("rodB", 2, (0.4, 0, 0), 0.6, 0.9),
    ]
    loop = _pin("rodA", (0.6, 0, 0), "rodB", (0.6, 0, 0))
    return _made("fivebar", DOWN, bodies, [loop], ["crankA", "crankB"])


def parallelogram_arm() -> Mechanism:
    """Return a palletizing arm: yaw, upper arm, and a forearm driven through a parallelogram.

    >>> parallelogram_arm().active
    ('yaw', 'shoulder', 'crank')
    """
    side = {"translation": [0, 0, 0.4], "rotation": [["x", "90deg"]]}
    yaw = _body("turret", -1, _joint("revolute", name="yaw"), 8, (0, 0, 0.2), (0.2, 0.2, 0.1))
    upper = _bar("upper_arm", 0, (0, 0, 0), 0.7, 6.0)
    upper["joint"] = _joint("revolute", at=side, name="shoulder")
    crank = _bar("crank", 0, (0, 0, 0), 0.2, 0.8)
    crank["joint"] = _joint("revolute", at=side, name="crank")
    forearm = _bar("forearm", 1, (0.7, 0, 0), 0.6, 4.0)
    rod = _bar("rod", 2, (0.2, 0, 0), 0.7, 1.0)
    loop = _pin("rod", (0.7, 0, 0), "forearm", (-0.2, 0, 0))
    bodies = [yaw, upper, crank, forearm, rod]
    return _made("parallelogram_arm", UP, bodies, [loop], ["yaw", "shoulder", "crank"])


def _around(radius: float, k: int, count: int, turn: float = 0.0) -> tuple[float, float]:
    from math import cos, pi, sin

    angle = 2 * pi * k / count + turn
    return round(radius * cos(angle), 12), round(radius * sin(angle), 12)


def three_rrr() -> Mechanism:
    """Return the planar 3-RRR robot in the vertical plane x, y, its three cranks motorized.

    The platform's joint has the coordinates x, y, theta.

    >>> three_rrr().nv
    9
    """
    bodies: list[dict[str, Any]] = []
    loops = []
    for k in range(3):
        x, y = _around(0.5, k, 3, 0.5)
        bodies.append(_bar(f"crank{k + 1}", -1, (x, y, 0), 0.3, 0.8))
        bodies.append(_bar(f"rod{k + 1}", len(bodies) - 1, (0.3, 0, 0), 0.35, 0.6))
        hold = (*_around(0.12, k, 3, 0.5), 0)
        loops.append(_pin(f"rod{k + 1}", (0.35, 0, 0), "platform", hold))
    plane = _joint("planar")
    bodies.append(_body("platform", -1, plane, 1.5, (0.01, -0.02, 0), (0.01, 0.01, 0.02)))
    return _made("three_rrr", DOWN, bodies, loops, ["crank1", "crank2", "crank3"])


def delta() -> Mechanism:
    """Return a delta robot: three cranks, rods as single bars, a platform that only translates.

    The parallelograms are taken at their word: the platform stands on three slides x, y, z.

    >>> delta().nv
    12
    """
    bodies: list[dict[str, Any]] = []
    loops = []
    for k in range(3):
        x, y = _around(0.2, k, 3)
        turn = {"translation": [x, y, 0], "rotation": [["z", f"{120 * k}deg"]]}
        crank = _body(f"crank{k + 1}", -1, _joint("revolute", (0, 1, 0), turn), 0.5,
                      (0.1, 0, 0), (0.0002, 0.002, 0.002))  # fmt: skip
        first = len(bodies)
        bodies.append(crank)
        knee = _joint("revolute", (0, 1, 0), (0.2, 0, 0))
        bodies.append(_body(f"cross{k + 1}", first, knee))
        rod = _body(f"rod{k + 1}", first + 1, _joint("revolute", (0, 0, 1)), 0.2,
                    (0.25, 0, 0), (0.0001, 0.0042, 0.0042))  # fmt: skip
        bodies.append(rod)
        hold = [*_around(0.06, k, 3), 0]
        loops.append(_ball(f"rod{k + 1}", [0.5, 0, 0], "platform", hold))
    parent = -1
    for axis, name in enumerate(("x", "y", "platform")):
        u = [1 if a == axis else 0 for a in range(3)]
        mass = {"mass": 0.4, "I": (0.0003,) * 3} if name == "platform" else {}
        bodies.append(_body(name, parent, _joint("prismatic", u), **mass))
        parent = len(bodies) - 1
    return _made("delta", UP, bodies, loops, ["crank1", "crank2", "crank3"])


_STEWART: dict[str, Any] = {
    "base_points": [
        [0.4924, -0.0868, 0], [0.4924, 0.0868, 0], [-0.171, 0.4698, 0],
        [-0.3214, 0.383, 0], [-0.3214, -0.383, 0], [-0.171, -0.4698, 0],
    ],
    "platform_points": [
        [0.1928, -0.2298, 0], [0.1928, 0.2298, 0], [0.1026, 0.2819, 0],
        [-0.2954, 0.0521, 0], [-0.2954, -0.0521, 0], [0.1026, -0.2819, 0],
    ],
    "leg": {
        "m_low": 1.2, "c_low": [0, 0, 0.12], "I_low": [0.01, 0.01, 0.002],
        "m_up": 0.8, "c_up": [0, 0, -0.15], "I_up": [0.008, 0.008, 0.0006],
    },
    "platform": {"m": 6.0, "com": [0, 0, 0.04], "I": [0.12, 0.13, 0.2]},
}  # fmt: skip


_CHAIN = (
    ("px", "prismatic", 0),
    ("py", "prismatic", 1),
    ("pz", "prismatic", 2),
    ("rx", "revolute", 0),
    ("ry", "revolute", 1),
)


def stewart(geometry: Mapping[str, Any] | None = None, platform: str = "free") -> Mechanism:
    """Return a Gough-Stewart platform on six UPS legs of two bodies each, sliders motorized.

    `geometry` holds base_points, platform_points, base_rotations, leg and platform; `platform` is
    "free" (one joint with six dof) or "joints" (slides x, y, z, then turns about x, y, z).

    >>> stewart().nv
    24
    """
    g = geometry or _STEWART
    bodies: list[dict[str, Any]] = []
    loops = []
    leg, plate = g["leg"], g["platform"]
    rotations = g.get("base_rotations")
    for k, (foot, hold) in enumerate(zip(g["base_points"], g["platform_points"], strict=True), 1):
        place: Any = {"translation": list(foot)}
        if rotations:
            place = [[*row, x] for row, x in zip(rotations[k - 1], foot, strict=True)]
            place = [*place, [0, 0, 0, 1]]
        first = len(bodies)
        joint = {"type": "revolute", "axis": [1, 0, 0], "placement": place}
        bodies.append(_body(f"L{k}_cross", -1, joint))
        low = _joint("revolute", (0, 1, 0))
        bodies.append(_body(f"L{k}_lower", first, low, leg["m_low"], leg["c_low"], leg["I_low"]))
        up = _joint("prismatic")
        bodies.append(_body(f"L{k}_upper", first + 1, up, leg["m_up"], leg["c_up"], leg["I_up"]))
        loops.append(_ball(f"L{k}_upper", [0, 0, 0], "platform", hold))
    parent = -1
    if platform == "joints":
        for name, kind, axis in _CHAIN:
            u = [1 if a == axis else 0 for a in range(3)]
            bodies.append(_body(f"P_{name}", parent, _joint(kind, u)))
            parent = len(bodies) - 1
        last = _joint("revolute")
    else:
        last = {"type": "free"}
    bodies.append(_body("platform", parent, last, plate["m"], plate["com"], plate["I"]))
    return _made("stewart", UP, bodies, loops, [f"L{k}_upper" for k in range(1, len(loops) + 1)])
