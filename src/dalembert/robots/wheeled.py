"""Ready-made wheeled and suspended machines: the systems DeSantis (1996) names in section 8.

Round numbers, chosen here. Coordinates x, y are those of the rear axle or the contact point,
headings are about the vertical z axis.
"""

from __future__ import annotations

from typing import Any

from ..errors import UsageError
from ..mechanism import Mechanism
from ..read import load

HEADING = [0, 0, 1]
LATERAL = [0, 1, 0]


def _body(
    name: str, parent: int, joint: dict[str, Any], mass: Any, com: Any, yaw: Any
) -> dict[str, Any]:
    inertia = [[0, 0, 0], [0, 0, 0], [0, 0, yaw]]
    return {
        "name": name, "parent": parent, "joint": joint, "mass": mass, "com": com, "inertia": inertia
    }  # fmt: skip


def _joint(kind: str, name: str, axis: list[int], at: list[Any] | None = None) -> dict[str, Any]:
    joint: dict[str, Any] = {"type": kind, "name": name, "axis": axis}
    if at is not None:
        joint["placement"] = {"translation": at, "rotation": []}
    return joint


def _planar(mass: Any, com: Any, yaw: Any, name: str = "chassis") -> list[dict[str, Any]]:
    """Return a body that slides along x and y and turns: joints x, y, th."""
    empty: tuple[Any, Any, Any] = (0, [0, 0, 0], 0)
    return [
        _body(f"{name}.x", -1, _joint("prismatic", "x", [1, 0, 0]), *empty),
        _body(f"{name}.y", 0, _joint("prismatic", "y", [0, 1, 0]), *empty),
        _body(name, 1, _joint("revolute", "th", HEADING), mass, com, yaw),
    ]


def _machine(name: str, bodies: list[dict[str, Any]], **more: Any) -> Mechanism:
    return load({"format": "dalembert/1", "name": name, "bodies": bodies, **more})


def truck(n_trailers: int = 1) -> Mechanism:
    """Return a truck with n trailers, steered by the prescribed angle delta; n = 0 is the car.

    DeSantis (1996), (8.1)-(8.46): wheelbase l1, hitch c behind the rear axle, mass centres b and d
    ahead of their axles, trailer axle l2 behind its hitch (numbered from two trailers on).
    alpha = v, the forward speed of the rear axle.

    >>> truck(2).joint_names
    ('x', 'y', 'th', 'phi1', 'phi2')
    """
    if not isinstance(n_trailers, int) or not 0 <= n_trailers <= 1000:
        many = repr(n_trailers) if not isinstance(n_trailers, int) else "..."
        raise UsageError(
            f"truck({many}): the number of trailers is a whole number", hint="from 0 to 1000"
        )
    bodies = _planar("m1", ["b", 0, 0], "j1")
    wheels: list[dict[str, Any]] = [
        {"name": "rear", "body": "chassis", "point": [0, 0, 0], "normal": LATERAL},
        {"name": "front", "body": "chassis", "point": ["l1", 0, 0], "normal": LATERAL,
         "steer": "delta"},
    ]  # fmt: skip
    sizes = {"l1": 3.6, "b": 1.4, "m1": 6500, "j1": 14000}
    for k in range(1, n_trailers + 1):
        c, d = ("c", "d") if n_trailers == 1 else (f"c{k}", f"d{k}")
        l, sizes[c], sizes[f"l{k + 1}"], sizes[d] = f"l{k + 1}", 0.35, 7.2, 3.9
        sizes[f"m{k + 1}"], sizes[f"j{k + 1}"] = 11000, 60000
        hitch = [f"-{c}", 0, 0] if k == 1 else [f"-l{k} - {c}", 0, 0]
        joint = _joint("revolute", f"phi{k}", HEADING, hitch)
        com = [f"{d} - {l}", 0, 0]
        bodies.append(_body(f"trailer{k}", len(bodies) - 1, joint, f"m{k + 1}", com, f"j{k + 1}"))
        wheels.append(
            {"name": f"axle{k}", "body": f"trailer{k}", "point": [f"-{l}", 0, 0], "normal": LATERAL}
        )
    name = "car" if n_trailers == 0 else f"truck{n_trailers}"
    return _machine(
        name, bodies, wheels=wheels, prescribed=["delta"], speeds=["v"], parameters=sizes
    )


def double_steering_car() -> Mechanism:
    """Return a car whose front and rear wheels are steered by delta_f and delta_r.

    >>> double_steering_car().prescribed
    ('delta_f', 'delta_r')
    """
    wheels = [
        {"name": "rear", "body": "chassis", "point": [0, 0, 0], "normal": LATERAL,
         "steer": "delta_r"},
        {"name": "front", "body": "chassis", "point": [2.7, 0, 0], "normal": LATERAL,
         "steer": "delta_f"},
    ]  # fmt: skip
    return _machine(
        "double_steering_car", _planar(1300, [1.25, 0, 0], 2000), wheels=wheels,
        prescribed=["delta_f", "delta_r"], speeds=["rear.v"],
    )  # fmt: skip


def unicycle() -> Mechanism:
    """Return a body on one axle: alpha = (v, th), forward speed and turning rate.

    >>> unicycle().nv
    3
    """
    wheels = [{"name": "axle", "body": "chassis", "point": [0, 0, 0], "normal": LATERAL}]
    return _machine("unicycle", _planar(12, [0.1, 0, 0], 0.4), wheels=wheels, speeds=["v", "th"])


def _driven_wheels(bodies: list[dict[str, Any]], chassis: int) -> list[dict[str, Any]]:
    """Add two spinning wheels to a chassis and return their rolling conditions."""
    wheels = []
    for side, y in (("left", 0.25), ("right", -0.25)):
        joint = _joint("revolute", f"spin_{side}", [0, 1, 0], [0, y, 0])
        wheel = _body(f"wheel_{side}", chassis, joint, 1.5, [0, 0, 0], 0.005)
        wheel["inertia"] = [[0.005, 0, 0], [0, 0.009, 0], [0, 0, 0.005]]
        bodies.append(wheel)
        wheels.append(side)
    normal = {"body": bodies[chassis]["name"], "normal": LATERAL}
    rolling = [
        f"xd*cos(th) + yd*sin(th) {'-' if side == 'left' else '+'} 0.25*thd = 0.11*spin_{side}d"
        for side in wheels
    ]
    lateral = {"name": "axle", "point": [0, 0, 0], **normal}
    equations = zip(wheels, rolling, strict=True)
    return [lateral, *({"name": f"roll_{side}", "equation": e} for side, e in equations)]


def differential_drive() -> Mechanism:
    """Return a mobile robot with two driven wheels: alpha is the spin of each wheel.

    >>> differential_drive().speeds
    ('spin_left', 'spin_right')
    """
    bodies = _planar(18, [-0.05, 0, 0], 0.9)
    lateral, *rolling = _driven_wheels(bodies, 2)
    return _machine(
        "differential_drive", bodies, wheels=[lateral], velocity_constraints=rolling,
        speeds=["spin_left", "spin_right"],
    )  # fmt: skip


def mobile_manipulator() -> Mechanism:
    """Return the differential drive with a two-joint arm on top.

    >>> mobile_manipulator().nv
    7
    """
    bodies = _planar(18, [-0.05, 0, 0], 0.9)
    lateral, *rolling = _driven_wheels(bodies, 2)
    joint = _joint("revolute", "shoulder", [0, 1, 0], [0.1, 0, 0.3])
    shoulder = _body("upper", 2, joint, 3, [0, 0, 0.2], 0.002)
    shoulder["inertia"] = [[0.04, 0, 0], [0, 0.04, 0], [0, 0, 0.002]]
    joint = _joint("revolute", "elbow", [0, 1, 0], [0, 0, 0.4])
    elbow = _body("fore", 5, joint, 2, [0, 0, 0.15], 0.001)
    elbow["inertia"] = [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.001]]
    return _machine(
        "mobile_manipulator", [*bodies, shoulder, elbow], wheels=[lateral],
        velocity_constraints=rolling, speeds=["spin_left", "spin_right", "shoulder", "elbow"],
    )  # fmt: skip


def crane() -> Mechanism:
    """Return an overhead crane: trolley along x, a load swinging on a rope of fixed length.

    >>> crane().joint_names
    ('trolley', 'swing')
    """
    swinging = _body("load", 0, _joint("revolute", "swing", [0, 1, 0]), 800, [0, 0, -6], 0)
    joint = _joint("prismatic", "trolley", [1, 0, 0])
    return _machine("crane", [_body("trolley", -1, joint, 250, [0, 0, 0], 0), swinging])


def rolling_disc() -> Mechanism:
    """Return a thin disc of radius 0.3 m rolling upright or leaning on a plane, without slip.

    Joints x, y (contact point), yaw, lean, spin; alpha = (yaw, lean, spin). The hub stands at
    height r cos(lean) above the contact point.

    >>> rolling_disc().speeds
    ('yaw', 'lean', 'spin')
    """
    empty: tuple[Any, Any, Any] = (0, [0, 0, 0], 0)
    disc = _body("disc", 3, _joint("revolute", "spin", [0, 1, 0], [0, 0, "r"]), 2, [0, 0, 0], 0.045)
    disc["inertia"] = [["0.25*2*r^2", 0, 0], [0, "0.5*2*r^2", 0], [0, 0, "0.25*2*r^2"]]
    bodies = [
        _body("contact.x", -1, _joint("prismatic", "x", [1, 0, 0]), *empty),
        _body("contact.y", 0, _joint("prismatic", "y", [0, 1, 0]), *empty),
        _body("heading", 1, _joint("revolute", "yaw", HEADING), *empty),
        _body("fork", 2, _joint("revolute", "lean", [1, 0, 0]), *empty),
        disc,
    ]
    rolling = [
        {"name": "roll_x", "equation": "xd = r*spind*cos(yaw)"},
        {"name": "roll_y", "equation": "yd = r*spind*sin(yaw)"},
    ]
    return _machine(
        "rolling_disc", bodies, velocity_constraints=rolling, parameters={"r": 0.3},
        speeds=["yaw", "lean", "spin"],
    )  # fmt: skip
