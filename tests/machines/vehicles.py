"""Vehicles as a user would write them: descriptions for `da.load` and for the referee."""

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
RADIUS = 0.3


def body(name, parent, joint, mass=0, com=(0, 0, 0), inertia=(0, 0, 0)):
    row = {"name": name, "parent": parent, "joint": joint}
    massive = {"mass": mass, "com": list(com), "inertia": list(inertia)}
    return row | massive if mass else row


def turn(name, axis, at=(0, 0, 0)):
    return {"type": "revolute", "name": name, "axis": axis, "placement": {"translation": list(at)}}


def chassis(mass, com, inertia):
    return body("chassis", -1, {"type": "planar", "name": "base"}, mass, com, inertia)


def wheel(name, parent, at):
    return body(name, parent, turn(f"{name}_spin", Y, at), 20, inertia=(0.5, 0.9, 0.5))


def rolls(name, on, point, spin=None, **more):
    row = {"name": name, "body": on, "point": list(point), "normal": Y, **more}
    return row | {"radius": RADIUS, "spin": spin} if spin else row


def vehicle(name, bodies, **more):
    return {"format": "dalembert/1", "name": name, "bodies": bodies, **more}


def knuckle(side, y):
    return body(
        f"k{side}", "chassis", turn(f"steer_{side}", Z, (2.5, y, 0)), 5, (0, 0, 0.3), [0.1] * 3
    )


# the axles of both front wheels meet on the rear axle: cot(right) - cot(left) = track / wheelbase
ACKERMANN = "cos(steer_r)*sin(steer_l) - cos(steer_l)*sin(steer_r) = 0.56*sin(steer_l)*sin(steer_r)"
CAR = vehicle(
    "car",
    [chassis(1000, (1.2, 0, 0.4), (300, 900, 1000)),
     wheel("rl", "chassis", (0, 0.7, RADIUS)), wheel("rr", "chassis", (0, -0.7, RADIUS)),
     knuckle("l", 0.7), wheel("fl", "kl", (0, 0, RADIUS)),
     knuckle("r", -0.7), wheel("fr", "kr", (0, 0, RADIUS))],
    wheels=[rolls("wrl", "chassis", (0, 0.7, 0), "rl_spin"),
            rolls("wrr", "chassis", (0, -0.7, 0), "rr_spin"),
            rolls("wfl", "kl", (0, 0, 0), "fl_spin"), rolls("wfr", "kr", (0, 0, 0), "fr_spin")],
    velocity_constraints=[{"name": "ackermann", "equation": ACKERMANN}],
    active=["rl_spin", "steer_l"],
)  # fmt: skip
TRICYCLE = vehicle(
    "tricycle",
    [chassis(30, (0.5, 0, 0.3), (1, 2, 2)),
     wheel("left", "chassis", (0, 0.4, RADIUS)), wheel("right", "chassis", (0, -0.4, RADIUS)),
     body("fork", "chassis", turn("steer", Z, (1, 0, 0)), 2, (0, 0, 0.4), (0.1, 0.1, 0.05)),
     wheel("front", "fork", (0, 0, RADIUS))],
    wheels=[rolls("wl", "chassis", (0, 0.4, 0), "left_spin"),
            rolls("wr", "chassis", (0, -0.4, 0), "right_spin"),
            rolls("wf", "fork", (0, 0, 0), "front_spin")],
    active=["front_spin", "steer"],
)  # fmt: skip
FORKLIFT = vehicle(
    "forklift",
    [chassis(2000, (-0.5, 0, 0.6), (500, 900, 900)),
     body("steerer", "chassis", turn("steer", Z, (-1.5, 0, 0)), 60, (0, 0, 0.2), (3, 3, 3)),
     body("mast", "chassis", {"type": "prismatic", "name": "lift", "axis": Z,
                              "placement": {"translation": [0.4, 0, 0.2]}},
          300, (0.5, 0, 0), (30, 60, 60)),
     body("tilt", "mast", turn("tilt", Y), 200, (0.6, 0, 0.1), (10, 30, 30))],
    wheels=[rolls("drive", "chassis", (0, 0, 0)), rolls("rear", "steerer", (0, 0, 0))],
    active=["lift", "tilt", "steer"], speeds=["drive.v", "steer", "lift", "tilt"],
)  # fmt: skip


def _mecanum():
    """Rollers at 45 degrees: the hub's velocity along the roller's axle is that of the rim."""
    slides = [body("sx", -1, {"type": "prismatic", "name": "x", "axis": X}),
              body("sy", "sx", {"type": "prismatic", "name": "y", "axis": Y})]  # fmt: skip
    bodies = [*slides, body("chassis", "sy", turn("th", Z), 30, (0, 0, 0.2), (1, 1, 2))]
    rows = []
    for name, x, y, s in (
        ("fl", 0.3, 0.2, -1),
        ("fr", 0.3, -0.2, 1),
        ("bl", -0.3, 0.2, 1),
        ("br", -0.3, -0.2, -1),
    ):
        bodies.append(
            body(name, "chassis", turn(name, Y, (x, y, 0.1)), 1, inertia=(0.003, 0.005, 0.003))
        )
        ahead, aside = (
            f"xd*cos(th) + yd*sin(th) - ({y})*thd",
            f"-xd*sin(th) + yd*cos(th) + ({x})*thd",
        )
        rows.append(
            {"name": f"roller_{name}", "equation": f"{ahead} + ({s})*({aside}) = 0.1*{name}d"}
        )
    return vehicle("mecanum", bodies, velocity_constraints=rows, active=["fl", "fr", "bl"])


MECANUM = _mecanum()
MOTORCYCLE = vehicle(
    "motorcycle",
    [body("frame", -1, {"type": "free", "name": "base"}, 160, (0.6, 0, 0.6), (10, 20, 18)),
     body("arm", "frame", turn("arm", Y, (0.5, 0, 0.35)), 10, (-0.25, 0, 0), (0.1, 0.4, 0.4)),
     body("rear", "arm", turn("rear", Y, (-0.5, 0, -0.02)), 15, inertia=(0.4, 0.7, 0.4)),
     body("bars", "frame", turn("steer", ["-sin(0.45)", 0, "cos(0.45)"], (1.1, 0, 0.8)), 15,
          (0.1, 0, -0.2), (0.8, 0.8, 0.3)),
     body("front", "bars", turn("front", Y, (0.27, 0, -0.47)), 12, inertia=(0.3, 0.5, 0.3))],
    rolling=[{"name": "rt", "kind": "wheel", "body": "rear", "axis": Y, "radius": 0.33,
              "crown": 0.09},
             {"name": "ft", "kind": "wheel", "body": "front", "axis": Y, "radius": 0.33,
              "crown": 0.06}],
    elastic=[{"joint": "arm", "stiffness": 12000, "rest": 0.05, "damping": 600}],
    active=["rear", "steer"],
)  # fmt: skip
SEGWAY = vehicle(
    "segway",
    [chassis(1, (0, 0, 0), (0.1, 0.1, 0.1)),
     body("pole", "chassis", turn("lean", Y, (0, 0, 0.3)), 70, (0, 0, 0.9), (8, 8, 2)),
     wheel("left", "chassis", (0, 0.3, RADIUS)), wheel("right", "chassis", (0, -0.3, RADIUS))],
    wheels=[rolls("wl", "chassis", (0, 0.3, 0), "left_spin"),
            rolls("wr", "chassis", (0, -0.3, 0), "right_spin")],
    active=["left_spin", "right_spin"],
)  # fmt: skip
BALLBOT = vehicle(
    "ballbot",
    [body("ball", -1, {"type": "free", "name": "ball"}, 3, inertia=(0.02, 0.02, 0.02)),
     body("tower", "ball", {"type": "spherical", "name": "tower"}, 10, (0, 0, 0.5), (1, 1, 0.2))],
    rolling=[{"name": "g", "kind": "sphere", "body": "ball", "radius": 0.1}],
)  # fmt: skip
CORNERS = ((0.4, 0.4), (0.4, -0.4), (-0.4, 0.4), (-0.4, -0.4))
SKID = vehicle(
    "skid steer",
    [chassis(300, (0.05, 0, 0.3), (20, 50, 60))],
    wheels=[rolls(f"w{k}", "chassis", (x, y, 0), tyre={"stiffness": 8000, "peak": 900, "low": 0.1})
            for k, (x, y) in enumerate(CORNERS)],
)  # fmt: skip
TRACTOR = vehicle(
    "tractor",
    [chassis(4000, (1, 0, 0.8), (2000, 5000, 5500)),
     body("drawbar", "chassis", turn("h1", Z, (-1, 0, 0)), 1500, (-3, 0, 0), (100, 3000, 3000)),
     body("second", "drawbar", turn("h2", Z, (-5, 0, 0)), 1500, (-3, 0, 0), (100, 3000, 3000))],
    prescribed=["delta"],
    wheels=[rolls("rear", "chassis", (0, 0, 0)),
            rolls("front", "chassis", (2.5, 0, 0), steer="delta"),
            rolls("t1", "drawbar", (-4, 0, 0)), rolls("t2", "second", (-4, 0, 0))],
)  # fmt: skip
SCOOTER = vehicle(
    "scooter",
    [chassis(80, (0.4, 0, 0.5), (3, 6, 6)),
     body("bar", "chassis", turn("steer", Z, (1, 0, 0)), 4, (0.05, 0, 0.5), (0.2, 0.2, 0.05))],
    wheels=[rolls("rear", "chassis", (0, 0, 0)), rolls("front", "bar", (-0.03, 0, 0))],
    active=["steer"],
)  # fmt: skip
UNICYCLE = vehicle(
    "unicycle, steered",
    [body("frame", -1, {"type": "free", "name": "base"}, 20, (0.02, 0, 0.5), (2, 2, 0.4)),
     body("fork", "frame", turn("steer", Z), 3, (0, 0, -0.2), (0.2, 0.2, 0.1)),
     body("wheel", "fork", turn("spin", Y, (0, 0, -0.4)), 4, inertia=(0.1, 0.2, 0.1))],
    prescribed=["steer"],
    rolling=[{"name": "rim", "kind": "disc", "body": "wheel", "axis": Y, "radius": RADIUS}],
)  # fmt: skip
# skid steer slips: the referee knows no tyres
ROLLING = {d["name"]: d for d in (CAR, TRICYCLE, FORKLIFT, MECANUM, MOTORCYCLE, SEGWAY, BALLBOT,
                                  TRACTOR, SCOOTER, UNICYCLE)}  # fmt: skip
