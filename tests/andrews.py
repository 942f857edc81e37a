"""Andrews' squeezing mechanism: seven bodies, three loops, a spring and a constant torque.

Hairer and Wanner, Solving ordinary differential equations II, section VII.7, with the numbers of
the test set for IVP solvers. Angles are those of the source; bodies stand parent before child.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dalembert as da
import peers

FILE = peers.ORACLES.parent / "peerdata" / "andrews_squeezer.json"
TREE = ("beta", "Theta", "gamma", "delta", "Phi", "epsilon", "Omega")


def data() -> dict[str, Any]:
    """Return the published numbers."""
    if not Path(FILE).exists():
        peers.absent(str(FILE.name))
    return json.loads(FILE.read_text())


def order(source: dict[str, Any]) -> list[int]:
    """Return where each joint of the tree stands in the source's vectors."""
    return [source["q_order"].index(name) for name in TREE]


def squeezer(source: dict[str, Any]) -> da.Mechanism:
    """Return the mechanism; its motor is the joint beta."""
    p = source["params"]

    def body(k: int, name: str, parent: int, at: Any, com: Any) -> dict[str, Any]:
        place = {"translation": [*at, 0]}
        joint = {"type": "revolute", "axis": [0, 0, 1], "name": name, "placement": place}
        masses = {"mass": p["m"][k], "com": [*com, 0], "inertia": [0, 0, p["I"][k]]}
        return {"name": f"K{k + 1}", "parent": parent, "joint": joint, **masses}

    base_a, base_b = (p["xa"], p["ya"]), (p["xb"], p["yb"])
    bodies = [
        body(0, "beta", -1, (0, 0), (p["ra"], 0)),
        body(1, "Theta", 0, (p["rr"], 0), (-p["da"], 0)),
        body(2, "gamma", -1, base_b, (p["sa"], -p["sb"])),
        body(4, "delta", -1, base_a, (p["ta"], -p["tb"])),
        body(3, "Phi", 3, (p["zt"], 0), (0, -(p["e"] - p["ea"]))),
        body(6, "epsilon", -1, base_a, (p["ua"], -p["ub"])),
        body(5, "Omega", 5, (0, -p["u"]), (p["zf"] - p["fa"], 0)),
    ]
    ends = {"K3": (0, -p["ss"]), "K4": (0, -p["e"]), "K6": (p["zf"], 0)}
    loops = [
        {"body_i": "K2", "point_i": [-p["d"], 0, 0], "body_j": name, "point_j": [*at, 0],
         "joint": "revolute", "axis": [0, 0, 1]}
        for name, at in ends.items()
    ]  # fmt: skip
    spring = {"body_i": "K3", "point_i": [p["sd"], -p["sc"], 0], "body_j": -1,
              "point_j": [p["xc"], p["yc"], 0], "stiffness": p["c0"],
              "length": p["l0"]}  # fmt: skip
    return da.load(
        {
            "format": "dalembert/1",
            "name": "andrews",
            "gravity": [0, 0, 0],
            "bodies": bodies,
            "loops": loops,
            "springs": [spring],
            "active": ["beta"],
        }
    )
