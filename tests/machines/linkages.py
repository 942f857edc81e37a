"""Planar linkages by name, built from their lengths: (native dict, closed coordinates)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .sketch import BASE, Sketch

Drawn = tuple[dict, np.ndarray]
BAR = {"mass": 2, "com": [0.5, 0.01, 0], "inertia": [0.01, 0.17, 0.17]}
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def at(length: float, angle: float, origin: Any = (0, 0)) -> np.ndarray:
    """Return the point at a distance and a direction from another."""
    return np.asarray(origin, float) + length * np.array([np.cos(angle), np.sin(angle)])


def meet(a: Any, ra: float, b: Any, rb: float, side: int = 1) -> np.ndarray:
    """Return where two circles meet, left (+1) or right (-1) of the line from a to b."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    d = np.linalg.norm(b - a)
    x = (d * d + ra * ra - rb * rb) / (2 * d)
    u = (b - a) / d
    return a + x * u + side * np.sqrt(ra * ra - x * x) * np.array([-u[1], u[0]])


def scissors(stages: int, angle: float = 0.5) -> Drawn:
    """Return a scissor lift: bars of 1 m cross at their middles, a slider along x is the motor."""
    z = [0, 0, 1]
    bodies = [
        {"name": "u1", "parent": -1, "joint": {"type": "revolute", "axis": z}, **BAR},
        {"name": "slide", "parent": -1, "joint": {"type": "prismatic", "axis": X}, "mass": 0.5},
        {"name": "d1", "parent": "slide", "joint": {"type": "revolute", "axis": z}, **BAR},
    ]
    q = [angle, np.cos(angle), np.pi - angle]
    loops = [_middle(1)]
    for k in range(2, stages + 1):
        # u goes on from the end of d before, d from the end of u
        for bar, on, turn in (("u", "d", 2 * angle - np.pi), ("d", "u", np.pi - 2 * angle)):
            joint = {"type": "revolute", "axis": z, "placement": {"translation": [1, 0, 0]}}
            bodies.append({"name": f"{bar}{k}", "parent": f"{on}{k - 1}", "joint": joint, **BAR})
            q.append(turn)
        loops.append(_middle(k))
    return {
        "format": "dalembert/1", "name": f"scissors {stages}", "gravity": [0, -9.81, 0],
        "bodies": bodies, "loops": loops, "active": ["slide"],
    }, np.array(q)  # fmt: skip


def _middle(k: int) -> dict:
    return {"body_i": f"u{k}", "point_i": [0.5, 0, 0], "body_j": f"d{k}", "point_j": [0.5, 0, 0],
            "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip


def parallel_cranks(cranks: int, crossed: bool = False) -> Drawn:
    """Return equal cranks on one rod; two of them may be crossed (antiparallelogram)."""
    s, d, r = Sketch(f"parallel cranks {cranks}"), 0.7, 0.3
    tip = at(r, 1.1)
    s.pin(BASE, "c0", [0, 0], motor=True).pin("c0", "rod", tip)
    for k in range(1, cranks):
        foot = np.array([k * d, 0])
        end = meet(tip, k * d, foot, r, -1) if crossed else foot + tip
        s.pin(BASE, f"c{k}", foot).pin("rod", f"c{k}", end, cut=True)
    return s.data()


def four_bar(name: str, a: float, b: float, c: float, d: float, crank: float, side: int = 1,
             point: float = 0.5, straight: Any = None) -> Drawn:  # fmt: skip
    """Return crank a, coupler b, rocker c on a frame d; the coupler carries a mass at a point."""
    s = Sketch(name)
    A, D = at(a, crank), np.array([d, 0.0])
    B = meet(A, b, D, c, side)
    s.pin(BASE, "crank", [0, 0], motor=True).pin("crank", "coupler", A).pin(BASE, "rocker", D)
    s.pin("coupler", "rocker", B, cut=True)
    if straight is not None:  # a pen on the coupler
        s.join("fixed", "coupler", "pen", A + straight * (B - A) + point * (B - A)[::-1] * [-1, 1])
    return s.data()


def peaucellier(angle: float = 0.35) -> Drawn:
    """Return the exact straight line of eight bars."""
    s, C, r = Sketch("Peaucellier"), np.array([0.35, 0.0]), 0.35
    P = at(r, 2 * angle, C)
    A, B = (meet([0, 0], 1.0, P, 0.4, k) for k in (1, -1))
    D = A + B - P
    s.pin(BASE, "crank", C, motor=True).pin(BASE, "OA", [0, 0]).pin(BASE, "OB", [0, 0])
    s.pin("OA", "AP", A).pin("OA", "AD", A).pin("OB", "BP", B).pin("OB", "BD", B)
    s.pin("crank", "AP", P, cut=True).pin("crank", "BP", P, cut=True)
    s.pin("AD", "BD", D, cut=True)
    return s.data()


def hart(angle: float = 1.2) -> Drawn:
    """Return Hart's inversor: a crossed parallelogram whose points O, P, Q lie on a line."""
    s, k = Sketch("Hart"), 0.4
    A, B = np.array([0.0, 0.0]), np.array([1.0, 0.0])
    C = at(0.6, angle, B)
    D = meet(A, 0.6, C, 1.0, 1)
    pins = {"O": A + k * (D - A), "P": A + k * (B - A), "Q": C + k * (B - C)}
    # O stands on the base, P on a crank, Q draws the line
    foot = pins["P"] + [0.1, -0.3]
    s.pin(BASE, "AD", pins["O"]).pin("AD", "AB", A).pin("AB", "BC", B).pin("AD", "CD", D)
    s.pin(BASE, "crank", foot, motor=True)
    s.pin("BC", "CD", C, cut=True).pin("AB", "crank", pins["P"], cut=True)
    return s.data()


def pantograph(skew: float = 0.0) -> Drawn:
    """Return a copying linkage: a parallelogram on a fixed point, with a pen."""
    s, O = Sketch(f"pantograph {skew:g}"), np.zeros(2)
    A, B = at(0.8, 1.0), at(0.5, 0.3)
    tip = A + at(0.8, 0.3 + skew)
    s.pin(BASE, "long", O, motor=True).pin("long", "arm", A, motor=True)
    s.pin("long", "short", at(0.3, 1.0)).pin("short", "link", at(0.3, 1.0) + B)
    s.pin("link", "arm", A + B, cut=True)
    s.join("fixed", "arm", "pen", tip)
    return s.data()


def six_bar(name: str) -> Drawn:
    """Return a six-bar: the ground is one or another link of two chains."""
    watt = [("T", "U", (0.1, 0.2)), ("T", "a", (-0.5, 0.1)), ("a", "b", (-0.4, 0.8)),
            ("b", "U", (0.2, 0.9)), ("T", "c", (0.5, -0.3)), ("c", "d", (1.1, 0.2)),
            ("d", "U", (0.8, 0.7))]  # fmt: skip
    stephenson = [("T", "e", (0.0, 0.0)), ("e", "U", (0.1, 0.7)), ("T", "f", (0.5, -0.1)),
                  ("f", "U", (0.6, 0.8)), ("T", "c", (1.1, 0.0)), ("c", "d", (1.4, 0.6)),
                  ("d", "U", (0.9, 1.1))]  # fmt: skip
    ground = {"Watt I": "a", "Watt II": "T", "Stephenson I": "e", "Stephenson II": "c"}.get(
        name, "T"
    )
    return graph(name, watt if "Watt" in name else stephenson, ground)


def graph(name: str, chain: list, ground: str, rest: str = "flat") -> Drawn:
    """Return pins between named bodies; the first joint on the ground is the motor."""
    s, seen, todo = Sketch(name), {ground}, list(chain)

    def called(body: str) -> str:
        return BASE if body == ground else body

    while todo:
        i, j, point = next(c for c in todo if c[0] in seen or c[1] in seen)
        todo.remove((i, j, point))
        cut = i in seen and j in seen
        a, b = (i, j) if i in seen else (j, i)
        s.pin(called(a), called(b), point, cut=cut, motor=not s.joints)
        seen |= {i, j}
    return s.data(rest)


def eight_bar() -> Drawn:
    """Return a six-bar of Stephenson with one dyad more."""
    return graph("eight-bar", [
        ("T", "e", (0.0, 0.0)), ("e", "U", (0.1, 0.7)), ("T", "f", (0.5, -0.1)),
        ("f", "U", (0.6, 0.8)), ("T", "c", (1.1, 0.0)), ("c", "d", (1.4, 0.6)),
        ("d", "U", (0.9, 1.1)), ("d", "g", (1.7, 0.8)), ("g", "h", (2.1, 0.3)),
        ("h", "T", (1.8, -0.2))], "T")  # fmt: skip


def jansen(crank: float = 0.7) -> Drawn:
    """Return the leg of Jansen's beast, with his lengths in decimetres."""
    P, C = np.array([-0.38, -0.078]), at(0.15, crank)
    A, B = meet(P, 0.415, C, 0.5, 1), meet(P, 0.393, C, 0.619, -1)
    D = meet(P, 0.401, A, 0.558, 1)
    E = meet(D, 0.394, B, 0.367, -1)
    F = meet(B, 0.49, E, 0.657, 1)
    s = Sketch("Jansen").pin(BASE, "crank", [0, 0], motor=True).pin(BASE, "upper", P)
    s.pin(BASE, "lower", P).pin("crank", "j", C).pin("crank", "k", C).pin("upper", "f", D)
    s.pin("lower", "foot", B).pin("j", "upper", A, cut=True).pin("k", "lower", B, cut=True)
    s.pin("f", "foot", E, cut=True).join("fixed", "foot", "toe", F)
    return s.data()


def klann() -> Drawn:
    """Return the six-bar leg of Klann: a coupler with an elbow between two rockers."""
    return graph("Klann", [
        ("G", "crank", (0.0, 0.0)), ("crank", "rod", (0.11, 0.02)), ("G", "rocker", (0.27, -0.12)),
        ("rocker", "rod", (0.25, 0.2)), ("G", "upper", (0.23, 0.35)), ("upper", "leg", (0.5, 0.4)),
        ("rod", "leg", (0.45, 0.15))], "G")  # fmt: skip


def slider_crank(offset: float = 0.0, crank: float = 0.8, name: str = "slider-crank") -> Drawn:
    """Return crank, rod and a slider along x; at crank = 0 the slider is at its dead point."""
    A = at(0.3, crank)
    B = np.array([A[0] + np.sqrt(0.8**2 - (A[1] - offset) ** 2), offset])
    s = Sketch(name).pin(BASE, "crank", [0, 0], name="crank").pin("crank", "rod", A)
    s.join("prismatic", BASE, "slider", B, X, name="slider", motor=True)
    return s.pin("rod", "slider", B, cut=True).data()


def sliding(name: str) -> Drawn:
    """Return machines with a slide between two moving bodies."""
    s, A = Sketch(name), at(0.3, 0.8)
    if name == "scotch yoke":
        s.pin(BASE, "crank", [0, 0], motor=True).join("prismatic", BASE, "yoke", [0.9, 0.0], X)
        s.pin("crank", "block", A).join("prismatic", "block", "yoke", A, Y, cut=True)
    elif name == "inverted slider-crank":
        s.pin(BASE, "crank", [0, 0], motor=True).pin(BASE, "cylinder", [0.9, -0.2])
        s.join("prismatic", "cylinder", "piston", [0.6, 0.0], 
               [*(A - [0.9, -0.2]), 0]).pin("piston", "crank", A, cut=True)  # fmt: skip
    elif name == "Whitworth":
        s.pin(BASE, "crank", [0, 0], motor=True).pin("crank", "block", A)
        s.pin(BASE, "arm", [0, -0.5])
        s.join("prismatic", "arm", "block", A, [*(A - [0, -0.5]), 0], cut=True)
        tip = [0, -0.5] + 1.8 * (A - [0, -0.5])
        s.pin("arm", "link", tip).join("prismatic", BASE, "ram", [1.2, 0.6], X)
        s.pin("link", "ram", [1.2, 0.6], cut=True)
    elif name == "elliptic trammel":
        s.join("prismatic", BASE, "sx", [0.6, 0], X, motor=True).pin("sx", "bar", [0.6, 0])
        s.join("prismatic", BASE, "sy", [0, 0.5], Y).pin("bar", "sy", [0, 0.5], cut=True)
    elif name == "Oldham coupling":
        s.pin(BASE, "in", [0, 0], motor=True).pin(BASE, "out", [0.1, 0.05])
        s.join("prismatic", "in", "cross", [0.03, 0.04], [0.8, 0.6, 0])
        s.join("prismatic", "cross", "out", [0.1, 0.05], [-0.6, 0.8, 0], cut=True)
    elif name == "toggle press":
        s.pin(BASE, "crank", [-0.6, 0.5], motor=True)
        K = np.array([0.1, 0.5])
        s.pin("crank", "rod", [-0.45, 0.6]).pin(BASE, "upper", [0, 1.0])
        s.pin("upper", "lower", K).pin("rod", "upper", K, cut=True)
        s.join("prismatic", BASE, "ram", [0, 0], Y).pin("lower", "ram", [0, 0], cut=True)
    elif name == "excavator":
        s.pin(BASE, "arm", [0, 0], motor=True).pin("arm", "cylinder", [0.2, 0.3])
        s.join("prismatic", "cylinder", "rod", [0.6, 0.45], [0.8, 0.3, 0], motor=True)
        s.pin("arm", "lever", [1.0, 0.1]).pin("rod", "lever", [1.0, 0.6], cut=True)
        s.pin("arm", "bucket", [1.2, 0.0]).pin("lever", "link", [1.0, 0.6])
        s.pin("link", "bucket", [1.4, 0.3], cut=True)
    return s.data()


def palletiser() -> Drawn:
    """Return an arm with two parallelograms that keep its hand level."""
    s, a, b = Sketch("palletiser"), at(0.7, 1.2), at(0.6, -0.3)
    v = np.array([-0.15, 0.1])
    s.pin(BASE, "upper", [0, 0], motor=True).pin("upper", "fore", a, motor=True)
    s.pin(BASE, "rod1", v).pin("upper", "elbow", a).pin("rod1", "elbow", a + v, cut=True)
    s.pin("elbow", "rod2", a + v).pin("fore", "hand", a + b)
    s.pin("rod2", "hand", a + b + v, cut=True)
    return s.data()


def planar_platform(legs: str) -> Drawn:
    """Return a 3-RRR or 3-RPR platform; its first turns, or its slides, are the motors."""
    s, centre = Sketch(f"3-{legs}"), np.array([0.05, 0.1])
    for k in range(3):
        foot, tip = at(1.0, 2.1 * k), centre + at(0.3, 2.1 * k + 0.4)
        if legs == "RRR":
            elbow = meet(foot, 0.6, tip, 0.55)
            s.pin(BASE, f"a{k}", foot, motor=True).pin(f"a{k}", f"b{k}", elbow)
        else:
            s.pin(BASE, f"a{k}", foot)
            s.join("prismatic", f"a{k}", f"b{k}", (foot + tip) / 2, [*(tip - foot), 0], motor=True)
        s.pin(f"b{k}", "platform", tip, cut=k > 0)
    return s.data()


def five_bar(geared: bool = False) -> Drawn:
    """Return a five-bar; its second crank may be geared to the first."""
    s, A, B = (
        Sketch(f"five-bar{' with gears' if geared else ''}"),
        at(0.4, 1.9),
        at(0.4, 0.6, [0.5, 0]),
    )
    P = meet(A, 0.6, B, 0.6, -1)
    s.pin(BASE, "a", [0, 0], name="crankA", motor=True).pin("a", "c", A)
    s.pin(BASE, "b", [0.5, 0], name="crankB", motor=not geared).pin("b", "d", B)
    s.pin("c", "d", P, cut=True)
    if geared:
        told = {"joint": "crankB", "of": "crankA", "ratio": -2, "offset": 0.6 + 2 * 1.9}
        s.extra["couplings"] = [told]
    return s.data()


PLANAR: dict[str, Callable[[], Drawn]] = {
    **{f"scissors {n}": (lambda n=n: scissors(n)) for n in range(1, 7)},
    "parallelogram": lambda: parallel_cranks(2),
    "antiparallelogram": lambda: parallel_cranks(2, crossed=True),
    "three parallel cranks": lambda: parallel_cranks(3),
    "five parallel cranks": lambda: parallel_cranks(5),
    "Peaucellier": peaucellier,
    "Hart": hart,
    "Watt line": lambda: four_bar("Watt line", 1.0, 0.7, 1.0, 2.0, 0.5, -1, 0, 0.5),
    "Chebyshev": lambda: four_bar("Chebyshev", 1.0, 0.4, 1.0, 0.8, 0.8, -1, 0, 0.5),
    "Hoeken": lambda: four_bar("Hoeken", 0.2, 0.5, 0.5, 0.4, 0.9, 1, 0, 2.0),
    "Roberts": lambda: four_bar("Roberts", 0.5, 0.45, 0.5, 0.9, 1.2, 1, -0.9, 0.5),
    "crank-rocker": lambda: four_bar("crank-rocker", 0.3, 0.8, 0.6, 0.7, 0.4),
    "drag link": lambda: four_bar("drag link", 0.8, 0.7, 0.9, 0.3, 0.4),
    "pantograph": pantograph,
    "plagiograph": lambda: pantograph(0.4),
    **{n: (lambda n=n: six_bar(n)) for n in
       ("Watt I", "Watt II", "Stephenson I", "Stephenson II", "Stephenson III")},
    "eight-bar": eight_bar,
    "Jansen": jansen,
    "Klann": klann,
    "slider-crank": slider_crank,
    "offset slider-crank": lambda: slider_crank(0.1, 2.5),
    "dead point": lambda: slider_crank(0.0, 0.0, "dead point"),
    **{n: (lambda n=n: sliding(n)) for n in
       ("scotch yoke", "inverted slider-crank", "Whitworth", "elliptic trammel",
        "Oldham coupling", "toggle press", "excavator")},
    "palletiser": palletiser,
    "3-RRR": lambda: planar_platform("RRR"),
    "3-RPR": lambda: planar_platform("RPR"),
    "five-bar": five_bar,
    "geared five-bar": lambda: five_bar(geared=True),
}  # fmt: skip
