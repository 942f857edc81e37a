"""A native file (a dict of `format = "dalembert/1"`) as plain arrays, read without dalembert."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

COORDINATES = {"revolute": 1, "prismatic": 1, "screw": 1, "planar": 3, "spherical": 4, "free": 7}
FREEDOMS = COORDINATES | {"spherical": 3, "free": 6}
ALIASES = {"continuous": "revolute", "floating": "free"}
FUNCTIONS = {n: getattr(np, n) for n in ("sin", "cos", "tan", "sqrt", "exp")} | {"pi": math.pi}


@dataclass(frozen=True)
class Body:
    """A rigid body, its mass data, and the joint that carries it: frame = joint frame, moved."""

    name: str
    parent: int
    joint: str  # its name
    kind: str
    axis: np.ndarray
    pitch: float
    R: np.ndarray  # placement of the joint in the parent
    p: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # about the mass centre
    q: slice  # its coordinates and its rates
    v: slice


@dataclass(frozen=True)
class End:
    """One side of a loop or spring: a point of a body, with an axis and a frame."""

    body: int
    point: np.ndarray
    axis: np.ndarray
    R: np.ndarray


@dataclass(frozen=True)
class Machine:
    """Everything the equations of motion need, by index."""

    bodies: list[Body]
    gravity: np.ndarray
    nq: int
    nv: int
    active: list[int]  # indices of rates; empty where no motor is named
    loops: list[tuple[str, End, End, float]]  # kind, both ends, length of a rod
    couplings: list[tuple[Body, Body, float, float]]  # joint, of, ratio, offset
    wheels: list[dict]
    equations: list[str]  # left - (right), in q, qd and t
    rotors: np.ndarray  # one inertia per rate
    friction: list[tuple[int, float, float, float]]  # rate, viscous, coulomb at + and at -
    elastic: list[tuple[int, int, float, float, float]]  # q, qd, stiffness, rest, damping
    springs: list[tuple[End, End, float, float, float]]
    parameters: dict[str, float] = field(default_factory=dict)
    rolling: list[dict] = field(default_factory=list)

    def rate(self, joint: str) -> slice:
        """Return where the rates of a joint are."""
        return next(b.v for b in self.bodies if b.joint == joint)

    def names(self) -> list[tuple[str, int, int]]:
        """Return the joints of one freedom: name, index of q, index of qd."""
        return [(b.joint, b.q.start, b.v.start) for b in self.bodies if b.v.stop - b.v.start == 1]


def value(text: str, names: dict[str, Any]) -> Any:
    """Return the value of an expression; `names` may hold complex numbers and jets."""
    text = re.sub(r"(?<=[\d.])deg\b", "*pi/180", text.replace("^", "**"))
    return eval(text, {"__builtins__": {}}, FUNCTIONS | names)


class _Reader:
    def __init__(self, data: dict):
        self.data, self.parameters = data, {}
        for name, x in data.get("parameters", {}).items():
            self.parameters[name] = self.number(x)

    def number(self, x: Any) -> float:
        return float(value(x, self.parameters) if isinstance(x, str) else x)

    def numbers(self, x: Any) -> np.ndarray:
        return np.array([self.number(v) if not isinstance(v, (list, tuple, np.ndarray))
                         else self.numbers(v) for v in x])  # fmt: skip

    def rotation(self, factors: Any) -> np.ndarray:
        """Return 3 x 3 rows, or a product of factors: ["x", angle], or 3 x 3 rows."""
        if len(factors) == 3 and np.ndim(factors) == 2:
            return self.numbers(factors)
        R = np.eye(3)
        for f in factors:
            if isinstance(f[0], str):
                R = R @ about(np.eye(3)["xyz".index(f[0])], self.number(f[1]))
            else:
                R = R @ self.numbers(f)
        return R

    def placement(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(x, dict):
            p = self.numbers(x.get("translation", (0, 0, 0)))
            return self.rotation(x.get("rotation", ())), p
        T = self.numbers(x)
        return T[:3, :3], T[:3, 3]

    def tensor(self, x: Any) -> np.ndarray:
        x = self.numbers(x)
        if x.ndim == 2:
            return x
        xx, yy, zz, xy, xz, yz = [*x, 0, 0, 0][:6]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def mass(self, b: dict) -> tuple[float, np.ndarray, np.ndarray]:
        m = self.number(b.get("mass", 0))
        if "first_moment" in b or "inertia_origin" in b:
            c = self.numbers(b.get("first_moment", (0, 0, 0))) / (m or 1)
            I = self.tensor(b.get("inertia_origin", (0, 0, 0)))
            return m, c, I - m * (c @ c * np.eye(3) - np.outer(c, c))
        return m, self.numbers(b.get("com", (0, 0, 0))), self.tensor(b.get("inertia", (0, 0, 0)))

    def body(self, x: Any) -> int:
        """Return the index of a body that is named or numbered."""
        if isinstance(x, str):
            names = [b.get("name", f"b{k}") for k, b in enumerate(self.data["bodies"])]
            return -1 if x == "base" and x not in names else names.index(x)
        return int(x)

    def bodies(self) -> list[Body]:
        out: list[Body] = []
        nq = nv = 0
        for k, b in enumerate(self.data["bodies"]):
            joint = b.get("joint", {"type": "fixed"})
            kind = ALIASES.get(joint["type"], joint["type"])
            name, parent = b.get("name", f"b{k}"), self.body(b["parent"])
            assert parent < k, "parents come first here"
            axis = unit(self.numbers(joint.get("axis", (0, 0, 1))))
            R, p = self.placement(joint.get("placement", {}))
            own = slice(nq, nq + COORDINATES.get(kind, 0)), slice(nv, nv + FREEDOMS.get(kind, 0))
            nq, nv = own[0].stop, own[1].stop
            pitch = self.number(joint.get("pitch", 0))
            out.append(Body(name, parent, joint.get("name", name), kind, axis, pitch, R, p,
                            *self.mass(b), *own))  # fmt: skip
        return out

    def end(self, record: dict, side: str) -> End:
        axis = record.get("axis", (0, 0, 1))
        axis = record.get("axis_j", axis) if side == "j" else axis
        body, point = self.body(record[f"body_{side}"]), self.numbers(record[f"point_{side}"])
        turn = self.rotation(record.get(f"rotation_{side}", ()))
        return End(body, point, unit(self.numbers(axis)), turn)


def read(data: dict | Machine) -> Machine:
    """Return the machine that a native dict describes."""
    if isinstance(data, Machine):
        return data
    r = _Reader(data)
    bodies, many = r.bodies(), lambda key: data.get(key, [])
    nq, nv = bodies[-1].q.stop, bodies[-1].v.stop
    joints = {b.joint: b for b in bodies}

    def joint(x: Any) -> Body:
        return joints[x] if isinstance(x, str) else bodies[x]

    loops = [
        (c.get("joint", "spherical"), r.end(c, "i"), r.end(c, "j"), r.number(c.get("length", 0)))
        for c in many("loops")
    ]
    couplings = []
    for c in many("couplings"):
        a, b = joint(c["joint"]), joint(c["of"])
        numbers = r.number(c.get("ratio", 1)), r.number(c.get("offset", 0))
        couplings.append((a, b, *numbers))
    wheels = []
    for w in many("wheels"):
        at = {"body": r.body(w["body"]), "point": r.numbers(w["point"])}
        radius = r.number(w["radius"]) if "radius" in w else None
        wheels.append(w | at | {"normal": r.numbers(w["normal"]), "radius": radius})
    rolling = [
        {
            "kind": c["kind"],
            "body": r.body(c["body"]), "on": r.body(c.get("on", -1)),
            "point": r.numbers(c.get("point", (0, 0, 0))), "at": r.numbers(c.get("at", (0, 0, 0))),
            "axis": unit(r.numbers(c.get("axis", (0, 0, 1)))),
            "normal": unit(r.numbers(c.get("normal", (0, 0, 1)))),
            **{k: r.number(c.get(k, 0)) for k in ("radius", "crown", "on_radius")},
        }
        for c in many("rolling")
    ]  # fmt: skip
    rotors, friction = np.zeros(nv), []
    for d in many("drives"):
        v, N = joint(d["joint"]).v.start, abs(r.number(d.get("gear", 1)))
        rotors[v] = r.number(d["Ia"]) if "Ia" in d else N * N * r.number(d.get("Jm", 0))
        level = r.numbers(np.atleast_1d(d.get("coulomb", 0)))
        up, down = level if len(level) == 2 else (level[0], -level[0])
        friction.append((v, N * N * r.number(d.get("viscous", 0)), N * up, N * down))
    elastic = []
    for e in many("elastic"):
        b, three = joint(e["joint"]), [r.number(e.get(k, 0)) for k in STIFF]
        elastic.append((b.q.start, b.v.start, *three))
    springs = [
        (r.end(s, "i"), r.end(s, "j"), *(r.number(s.get(k, 0)) for k in SPRING))
        for s in many("springs")
    ]
    told = many("velocity_constraints")
    equations = ["({}) - ({})".format(*c["equation"].split("=")) for c in told]
    active = [k for name in many("active") for k in range(nv)[joint(name).v]]
    gravity = r.numbers(data.get("gravity", (0, 0, -9.81)))
    return Machine(bodies, gravity, nq, nv, active, loops, couplings, wheels, equations,
                   rotors, friction, elastic, springs, r.parameters, rolling)  # fmt: skip


STIFF = ("stiffness", "rest", "damping")
SPRING = ("stiffness", "length", "damping")


def unit(a: np.ndarray) -> np.ndarray:
    """Return a vector of length one."""
    return a / np.sqrt(a @ a)


def skew(a: np.ndarray) -> np.ndarray:
    """Return the matrix of a cross product."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def about(axis: np.ndarray, angle: Any) -> np.ndarray:
    """Return the rotation about a unit axis, analytic in the angle."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
