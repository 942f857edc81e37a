"""Machines with letters as lengths, as a user describes them: graphs of joints, or cut trees.

Each gives a description and values of its letters with which it closes.
"""

Z = [0, 0, 1]
S3 = "sqrt(3)/2"
AROUND = ((1, 0), ("-1/2", S3), ("-1/2", f"-{S3}"))  # three directions at 120 degrees
Lettered = tuple[dict, dict[str, float]]


def pin(name: str, i: str, at_i: list, j: str, at_j: list | None = None) -> dict:
    """Return a hinge about z of two bodies."""
    return {"name": name, "joint": "revolute", "axis": Z, "body_i": i, "point_i": at_i,
            "body_j": j, "point_j": at_j or [0, 0, 0]}  # fmt: skip


def bar(name: str, length: str, number: int) -> dict:
    """Return a bar along x with letters of its own."""
    return {"name": name, "mass": f"m{number}", "com": [f"{length}/2", 0, 0],
            "inertia": [0, f"J{number}", f"J{number}"]}  # fmt: skip


def made(name: str, gravity: list, lengths: dict[str, float], **more: object) -> Lettered:
    """Return a description whose letters are those lengths, G, masses and moments of inertia."""
    text = str(more)
    own = [f"{x}{k}" for x in "mJ" for k in range(1, 10) if f"'{x}{k}'" in text]
    values = lengths | {"G": -9.81} | {n: 0.4 + 0.1 * k for k, n in enumerate(own)}
    head = {"format": "dalembert/1", "name": name, "gravity": gravity, "symbols": list(values)}
    return head | more, values


def watt(kind: str) -> Lettered:
    """Return a six-bar of Watt: I has its second dyad on coupler and rocker, II on the ground."""
    joints = [pin("A", "base", [0, 0, 0], "crank"), pin("B", "crank", ["a", 0, 0], "coupler"),
              pin("C", "coupler", ["b", 0, 0], "rocker", ["c", 0, 0]),
              pin("D", "base", ["d", 0, 0], "rocker")]  # fmt: skip
    lengths = {"a": 0.3, "b": 0.8, "c": 0.6, "d": 0.7, "e": 0.5, "f": 0.3, "g": 0.6, "h": 0.5}
    if kind == "I":
        lengths |= {"u": 0.7, "v": 0.2}
        joints += [pin("E", "coupler", ["e", "f", 0], "link"),
                   pin("F", "rocker", ["u", "v", 0], "output")]  # fmt: skip
    else:
        lengths |= {"g": 0.9, "h": 0.7, "k": 1.6}
        joints += [pin("E", "rocker", ["e", "f", 0], "link"),
                   pin("F", "base", ["k", 0, 0], "output")]  # fmt: skip
    joints.append(pin("H", "link", ["g", 0, 0], "output", ["h", 0, 0]))
    bodies = [bar("crank", "a", 1), bar("coupler", "b", 2), bar("rocker", "c", 3),
              bar("link", "g", 4), bar("output", "h", 5)]  # fmt: skip
    return made(f"Watt {kind}", [0, "G", 0], lengths, joints=joints, bodies=bodies, active=["A"])


def three_prr() -> Lettered:
    """Return three slides along x with rods to a platform that has no joint of its own."""
    feet = ([0, "-R", 0], [f"R*{S3}", "R/2", 0], [f"-R*{S3}", "R/2", 0])
    ends = ([0, "-r", 0], [f"r*{S3}", "r/2", 0], [f"-r*{S3}", "r/2", 0])
    turns = ("0deg", "120deg", "240deg")
    joints, bodies = [], []
    for k, (foot, end, turn) in enumerate(zip(feet, ends, turns, strict=True), 1):
        slide = pin(f"s{k}", "base", foot, f"slide{k}") | {"joint": "prismatic", "axis": [1, 0, 0]}
        slide["rotation_i"] = ["z", turn]
        joints += [slide, pin(f"k{k}", f"slide{k}", [0, 0, 0], f"rod{k}"),
                   pin(f"p{k}", f"rod{k}", ["L", 0, 0], "platform", end)]  # fmt: skip
        bodies += [{"name": f"slide{k}", "mass": "m1"}, bar(f"rod{k}", "L", 2)]
    bodies.append({"name": "platform", "mass": "m3", "inertia": [0, 0, "J3"]})
    active = ["s1", "s2", "s3"]
    return made("3-PRR", [0, "G", 0], {"L": 0.9, "R": 0.8, "r": 0.3}, joints=joints, bodies=bodies,
                active=active)  # fmt: skip


def slid(name: str, parent: object, axis: list, **more: object) -> dict:
    """Return a body on a slide."""
    return {"name": name, "parent": parent, **more,
            "joint": {"type": "prismatic", "name": name, "axis": axis}}  # fmt: skip


def moved_platform() -> list[dict]:
    """Return a platform that does not turn: three slides."""
    return [
        slid("x", -1, [1, 0, 0]),
        slid("y", "x", [0, 1, 0]),
        slid("platform", "y", Z, mass="m3"),
    ]


def delta(rods: bool) -> Lettered:
    """Return a Delta: rods are bars on universal joints, or distances without mass."""
    bodies, loops = moved_platform(), []
    for k, (x, y) in enumerate(AROUND, 1):
        place = {
            "translation": [f"R*({x})", f"R*({y})", 0],
            "rotation": ["z", f"{120 * (k - 1)}deg"],
        }
        hinge = {"type": "revolute", "name": f"crank{k}", "axis": [0, 1, 0], "placement": place}
        bodies.append(bar(f"crank{k}", "L", 1) | {"parent": -1, "joint": hinge})
        end = {"body_j": "platform", "point_j": [f"r*({x})", f"r*({y})", 0]}
        if rods:
            rod = {"body_i": f"crank{k}", "point_i": ["L", 0, 0], "joint": "rod", "length": "l"}
            loops.append(rod | end)
            continue
        knee = {"type": "revolute", "axis": [0, 1, 0], "placement": {"translation": ["L", 0, 0]}}
        swing = {"type": "revolute", "axis": Z}
        bodies += [{"name": f"cross{k}", "parent": f"crank{k}", "joint": knee},
                   bar(f"rod{k}", "l", 2) | {"parent": f"cross{k}", "joint": swing}]  # fmt: skip
        loops.append({"body_i": f"rod{k}", "point_i": ["l", 0, 0], "joint": "spherical", **end})
    active = ["crank1", "crank2", "crank3"]
    lengths = {"R": 0.3, "r": 0.1, "L": 0.4, "l": 0.9}
    return made("Delta" + " of rods" * rods, [0, 0, "G"], lengths, bodies=bodies, loops=loops,
                active=active)  # fmt: skip


def orthoglide() -> Lettered:
    """Return three slides at right angles with rods to a platform that does not turn."""
    bodies, loops = moved_platform(), []
    for k, axis in enumerate(([1, 0, 0], [0, 1, 0], [0, 0, 1]), 1):
        bodies.append(slid(f"s{k}", -1, axis, mass="m1"))
        end = ["r" if x else 0 for x in axis]
        loops.append({"body_i": f"s{k}", "point_i": [0] * 3, "body_j": "platform", "point_j": end,
                      "joint": "rod", "length": "l"})  # fmt: skip
    return made("Orthoglide", [0, 0, "G"], {"l": 1.0, "r": 0.1}, bodies=bodies, loops=loops,
                active=["s1", "s2", "s3"])  # fmt: skip


def three_upu() -> Lettered:
    """Return a 3-UPU as a graph of joints: the platform has no joint of its own."""
    joints, bodies = [], []
    for k, (x, y) in enumerate(AROUND, 1):
        side = [0, 1, 0] if k == 1 else [f"-({y})", x, 0]
        turn = ["z", f"{120 * (k - 1)}deg"]
        low = {"name": f"b{k}", "joint": "universal", "axis": side, "axis_j": [1, 0, 0],
               "body_i": "base", "rotation_i": turn, "body_j": f"low{k}",
               "point_i": [f"R*({x})", f"R*({y})", 0]}  # fmt: skip
        high = {"name": f"t{k}", "joint": "universal", "axis": [1, 0, 0], "axis_j": side,
                "body_i": f"up{k}", "body_j": "platform", "rotation_j": turn,
                "point_j": [f"r*({x})", f"r*({y})", 0]}  # fmt: skip
        slide = {"name": f"p{k}", "joint": "prismatic", "axis": Z, "body_i": f"low{k}",
                 "body_j": f"up{k}"}  # fmt: skip
        joints += [low, slide, high]
        bodies += [
            {"name": f"low{k}", "mass": "m1", "com": [0, 0, "c"], "inertia": ["J1", "J1", 0]},
            {"name": f"up{k}", "mass": "m2", "com": [0, 0, "-c"], "inertia": ["J2", "J2", 0]},
        ]
    top = {"name": "platform", "mass": "m3", "com": [0, 0, "h"], "inertia": ["J3", "J3", "J3"]}
    lengths = {"R": 0.6, "r": 0.3, "c": 0.2, "h": 0.1}
    return made("3-UPU", [0, 0, "G"], lengths, joints=joints, bodies=[*bodies, top],
                active=["p1", "p2", "p3"])  # fmt: skip


LETTERED = {
    "Watt I": lambda: watt("I"),
    "Watt II": lambda: watt("II"),
    "3-PRR": three_prr,
    "Delta": lambda: delta(False),
    "Delta of rods": lambda: delta(True),
    "Orthoglide": orthoglide,
    "3-UPU": three_upu,
}
