"""Spatial linkages and platforms by name: (native dict, closed coordinates)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import referee

from .linkages import Drawn
from .sketch import BASE, Sketch, turn

DOWN = (0.0, 0.0, -9.81)
PI = np.pi


def ring(name: str, links: Sequence[tuple[float, float]], offsets: Sequence[float] = ()) -> Drawn:
    """Return a loop of revolute joints: length and twist of each link, offsets along the axes.

    The last joint is cut; the closed pose is the first regular one that many starts find.
    """
    n = len(links)
    offsets = list(offsets) or [0.0] * n
    bodies: list[dict[str, Any]] = []
    for k in range(n - 1):
        a, alpha = links[k - 1] if k else (0.0, 0.0)
        T = np.eye(4)
        T[:3, :3] = turn(np.array([1.0, 0, 0]), alpha)
        T[:3, 3] = [a, *(T[1:3, 2] * offsets[k])]
        bodies.append({
            "name": f"b{k}", "parent": k - 1, "mass": 1 + 0.1 * k,
            "com": [links[k][0] / 2, 0.05, 0.02],
            "inertia": [0.02, 0.05, 0.06, 0.003, -0.002, 0.001],
            "joint": {"type": "revolute", "name": f"j{k}", "placement": T.tolist()}})  # fmt: skip
    (a, alpha), (b, beta) = links[n - 2], links[n - 1]
    # joint n - 1 about z of its own frame; the last link leads from there to the first joint
    axis = [0, -np.sin(alpha), np.cos(alpha)]
    point = [a, *(offsets[n - 1] * np.array(axis[1:]))]
    back = turn(np.array([1.0, 0, 0]), -beta)
    ends = {"body_i": f"b{n - 2}", "point_i": point, "axis": axis, "joint": "revolute"}
    ends |= {
        "body_j": -1,
        "point_j": (back @ [-b, 0, 0] - [0, 0, offsets[0]]).tolist(),
        "axis_j": back[:, 2].tolist(),
    }
    bodies[0]["joint"]["placement"] = np.eye(4).tolist()
    # the base joint stands at the end of the last link: base x along it
    data = {"format": "dalembert/1", "name": name, "gravity": list(DOWN), "bodies": bodies,
            "loops": [ends], "active": ["j0"]}  # fmt: skip
    rng = np.random.default_rng(1)
    for _ in range(300):
        q = referee.close(data, rng.uniform(-PI, PI, n - 1))
        if q is None or referee.mobility(data, q) != 1:
            continue
        if not referee.is_singular(data, q) and referee.State(data, q).singular_values[-2] > 0.02:
            return data, q
    raise ValueError(f"{name} does not close and move")


def bennett() -> Drawn:
    """Return four links, lengths as the sines of their twists."""
    a, b = (0.6, 0.7), (0.6 * np.sin(1.3) / np.sin(0.7), 1.3)
    return ring("Bennett", [a, b, a, b])


def goldberg() -> Drawn:
    """Return two Bennett linkages with their common link left out."""
    k = 0.9
    a, b, c = ((k * np.sin(t), t) for t in (0.5, 1.2, 0.8))
    both = (a[0] + c[0], a[1] + c[1])
    return ring("Goldberg", [both, b, c, a, b])


def myard() -> Drawn:
    """Return the plane-symmetric five-bar of Myard: two Bennetts with right angles."""
    b, t = 0.8, 0.6
    a = b * np.sin(t)
    return ring("Myard", [(a, t), (b, PI / 2), (0.0, PI - 2 * t), (b, PI / 2), (a, PI - t)])


def trihedral() -> Drawn:
    """Return the trihedral six-bar of Bricard: right angles, and a sum of squares."""
    a, b, c, d, e = 0.5, 0.6, 0.7, 0.45, 0.55
    f = np.sqrt(a * a + c * c + e * e - b * b - d * d)
    return ring("trihedral", [(x, (-1) ** k * PI / 2) for k, x in enumerate([a, b, c, d, e, f])])


def bricard(symmetry: str) -> Drawn:
    """Return six hinges that move because they are symmetric to a line or to a plane."""
    points = [[0, 0, 0.1], [0.5, 0.1, 0.4], [0.4, 0.6, 0.3]]
    axes = [[0, 0.3, 1], [0.2, -0.5, 0.8], [0.7, 0.1, 0.6]]
    if symmetry == "line":
        half = np.diag([-1.0, -1.0, 1.0])
        points[0], axes[0] = [0.2, -0.4, 0.1], [0.5, 0.3, 1]
        points, axes = points + [half @ p for p in points], axes + [half @ a for a in axes]
    else:  # the first and the fourth hinge lie in the plane x = 0
        mirror = np.diag([-1.0, 1.0, 1.0])
        points = [*points, [0, 0.9, 0.5], *(mirror @ p for p in points[:0:-1])]
        axes = [*axes, [0, 1, 0.4], *(mirror @ a for a in axes[:0:-1])]
    s = Sketch(f"Bricard {symmetry}", DOWN)
    for k in range(5):
        i, j = f"b{k}" if k else BASE, f"b{k + 1}"
        s.join("revolute", i, j, points[k], axes[k], motor=k == 0, name=f"j{k}")
    return s.join("revolute", "b5", BASE, points[5], axes[5], cut=True).data("random")


def spherical_ring(n: int) -> Drawn:
    """Return a spherical four- or five-bar: all axes meet."""
    return ring("spherical four-bar", [(0.0, t) for t in (0.5, 1.1, 0.9, 1.0)[:n]])


def sarrus() -> Drawn:
    """Return two hinged plates that lift a table straight up."""
    s = Sketch("Sarrus", DOWN)
    for k, (axis, out) in enumerate((((0, 1, 0), (1, 0, 0)), ((1, 0, 0), (0, 1, 0)))):
        o = np.array(out, float)
        s.join("revolute", BASE, f"low{k}", 0.5 * o, axis, motor=k == 0, name=f"low{k}")
        s.join("revolute", f"low{k}", f"up{k}", 0.8 * o + [0, 0, 0.3], axis)
        s.join("revolute", f"up{k}", "table", 0.4 * o + [0, 0, 0.7], axis, cut=k > 0)
    return s.data("random")


def universal(s: Sketch, i: str, j: str, point: Any, first: Any, second: Any) -> Sketch:
    """Add a universal joint to the tree: a small cross between two hinges."""
    cross = f"{j}.cross"
    s.masses[cross] = {"mass": 0.05, "inertia": [1e-4, 1e-4, 1e-4]}
    s.join("revolute", i, cross, point, first, name=f"{j}.1")
    return s.join("revolute", cross, j, point, second, name=f"{j}.2")


def six_legs(kind: str) -> Drawn:
    """Return a Stewart platform (UPS), a hexaglide (PUS) or a Hexa (RUS) with its motors."""
    s, top = Sketch(kind, DOWN), np.array([0.05, -0.03, 0.6])
    R = turn(np.array([0.6, 0.0, 0.8]), 0.15)
    s.join("free", BASE, "platform", top, name="platform")
    for k in range(6):
        a = PI / 3 * (k - k % 2) + (0.35 if k % 2 else -0.35)
        b = PI / 3 * (k - k % 2) + (0.8 if k % 2 else -0.8)
        foot = np.array([0.5 * np.cos(a), 0.5 * np.sin(a), 0])
        tip = top + R @ [0.3 * np.cos(b), 0.3 * np.sin(b), 0]
        along = (tip - foot) / np.linalg.norm(tip - foot)
        first = np.cross(along, [0.3, 0.9, 0.1])
        first /= np.linalg.norm(first)
        second = np.cross(along, first)
        if kind == "Stewart":
            universal(s, BASE, f"low{k}", foot, first, second)
            s.join(
                "prismatic", f"low{k}", f"up{k}", (foot + tip) / 2, along, motor=True, name=f"p{k}"
            )
        elif kind == "hexaglide":
            s.join("prismatic", BASE, f"low{k}", foot, (0, 0, 1), motor=True, name=f"p{k}")
            universal(s, f"low{k}", f"up{k}", foot, first, second)
        else:
            out, side = np.array([np.cos(a), np.sin(a), 0]), (-np.sin(a), np.cos(a), 0)
            s.join("revolute", BASE, f"low{k}", foot, side, motor=True, name=f"p{k}")
            universal(s, f"low{k}", f"up{k}", foot + 0.2 * out + [0, 0, 0.1], first, second)
        s.join("spherical", f"up{k}", "platform", tip, cut=True)
    return s.data("drawn")


def three_legs(kind: str) -> Drawn:
    """Return a 3-UPU, 3-PRS or Delta-like (3-RUU) platform, or the agile eye (spherical 3-RRR)."""
    s, top = Sketch(kind, DOWN), np.array([0.0, 0.0, 0.6])
    for k in range(3):
        a = 2 * PI / 3 * k + 0.2
        out, side = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
        foot, tip = 0.5 * out, top + 0.25 * out
        if kind == "3-UPU":  # outer and inner axes parallel: translations alone
            along = (tip - foot) / np.linalg.norm(tip - foot)
            second = np.cross(along, side)
            universal(s, BASE, f"low{k}", foot, side, second)
            s.join(
                "prismatic", f"low{k}", f"up{k}", (foot + tip) / 2, along, motor=True, name=f"p{k}"
            )
            s.join("revolute", f"up{k}", f"end{k}", tip, second)
            s.join("revolute", f"end{k}", "platform", tip, side, cut=k > 0)
        elif kind == "3-PRS":
            s.join("prismatic", BASE, f"low{k}", foot, (0, 0, 1), motor=True, name=f"p{k}")
            s.join("revolute", f"low{k}", f"up{k}", foot, side)
            s.join("spherical", f"up{k}", "platform", tip, cut=k > 0)
        elif kind == "Delta":
            elbow = foot + 0.3 * out + [0, 0, 0.15]
            s.join("revolute", BASE, f"arm{k}", foot, side, motor=True, name=f"arm{k}")
            along = (tip - elbow) / np.linalg.norm(tip - elbow)
            second = np.cross(along, side)
            s.join("revolute", f"arm{k}", f"rod{k}.c", elbow, side)
            s.masses[f"rod{k}.c"] = {"mass": 0.05, "inertia": [1e-4, 1e-4, 1e-4]}
            s.join("revolute", f"rod{k}.c", f"rod{k}", elbow, second)
            s.join("revolute", f"rod{k}", f"end{k}", tip, second)
            s.join("revolute", f"end{k}", "platform", tip, side, cut=k > 0)
        else:  # axes of all joints meet at the origin
            axes = [turn(np.array([0, 0, 1.0]), a) @ v for v in
                    ([0.8, 0, -0.6], [0.3, 0.8, 0.5], [0.5, 0.1, 0.86])]  # fmt: skip
            s.join("revolute", BASE, f"a{k}", 0.5 * axes[0], axes[0], motor=True, name=f"a{k}")
            s.join("revolute", f"a{k}", f"b{k}", 0.5 * axes[1], axes[1])
            s.join("revolute", f"b{k}", "platform", 0.5 * axes[2], axes[2], cut=k > 0)
    return s.data("drawn")


def rods(kind: str) -> Drawn:
    """Return crank and rocker on skew axes with a rod between: RSSR, RSCR, RSUR, or a rod."""
    s, A, B = Sketch(kind, DOWN), np.array([0.2, 0.1, 0.25]), np.array([0.9, 0.35, 0.3])
    s.join("revolute", BASE, "crank", [0, 0, 0], (0.1, 1, 0), motor=True, name="crank")
    s.join("revolute", BASE, "rocker", [0.8, 0, 0], (0.9, 0.1, 0.2), name="rocker")
    if kind == "rod":
        return s.join("rod", "crank", "rocker", A, cut=True, aside=B).data("random")
    s.join("spherical", "crank", "rod", A, name="s")
    if kind == "RSSR":
        s.join("spherical", "rod", "rocker", B, cut=True)
    elif kind == "RSCR":
        s.join("cylindrical", "rod", "rocker", B, (0.2, 0.9, 0.3), cut=True)
    else:
        s.join("universal", "rod", "rocker", B, (0, 1, 0), aside=(0.6, 0, 0.8), cut=True)
    return s.data("random")


def shaft(joints: int) -> Drawn:
    """Return shafts at an angle with one or two universal joints between (Cardan)."""
    s = Sketch(f"shaft {joints}", (0.0, -9.81, 0.0))
    s.join("revolute", BASE, "in", [-0.3, 0, 0], (1, 0, 0), motor=True, name="in")
    bend = np.array([np.cos(0.5), np.sin(0.5), 0])
    if joints == 1:
        universal(s, "in", "out", [0, 0, 0], (0, 0, 1), np.cross(bend, [0, 0, 1.0]))
        return s.join("revolute", "out", BASE, 0.3 * bend, bend, cut=True).data("random")
    universal(s, "in", "mid", [0, 0, 0], (0, 0, 1), np.cross(bend, [0, 0, 1.0]))
    end = 0.6 * bend
    s.join("prismatic", "mid", "tube", 0.3 * bend, bend)
    s.join("revolute", "out", BASE, end + [0.3, 0, 0], (1, 0, 0), name="out")
    s.join("universal", "tube", "out", end, np.cross(bend, [0, 0, 1.0]), aside=(0, 0, 1), cut=True)
    return s.data("random")


SPATIAL: dict[str, Callable[[], Drawn]] = {
    "Bennett": bennett,
    "Goldberg": goldberg,
    "Myard": myard,
    "Bricard line": lambda: bricard("line"),
    "Bricard trihedral": trihedral,
    "Bricard plane": lambda: bricard("plane"),
    "spherical four-bar": lambda: spherical_ring(4),
    "Sarrus": sarrus,
    **{n: (lambda n=n: six_legs(n)) for n in ("Stewart", "hexaglide")},
    **{n: (lambda n=n: three_legs(n)) for n in ("3-UPU", "3-PRS", "Delta", "agile eye")},
    **{n: (lambda n=n: rods(n)) for n in ("RSSR", "RSCR", "RSUR", "rod")},
    "Cardan joint": lambda: shaft(1),
    "Cardan shaft": lambda: shaft(2),
}  # fmt: skip
