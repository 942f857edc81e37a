"""Small mechanisms written as sentences of frame changes, made without the phrase reader."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.expr import Graph
from dalembert.expr.exact import exact
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Prismatic, Revolute
from dalembert.mechanism import Body, Frame, FrameChange, Mechanism, Parameter
from dalembert.mechanism.validate import numbers

TOKEN = re.compile(r"([RT])([XYZ])(?:K\(([^)]*)\))?|([\[\]])")

# mass, centre, inertia XX YY ZZ (XY XZ YZ): numbers or names
Mass = tuple[Any, tuple[Any, ...], tuple[Any, ...]]

REPORT = "RY TYK(L1) RX TYK(L2) RX TZK(L3) RX TZK(0) RY TZK(0) RZ TZK(L6)"
REPORT_MASSES: dict[int, Mass] = {
    1: ("M1", (0, "D1", 0), ("IX1", 0, "IZ1")),
    2: ("M2", (0, "D2", 0), ("IX2", 0, "IZ2")),
    3: ("M3", (0, 0, "D3"), ("IX3", "IY3", 0)),
    6: ("M6", (0, 0, "D6"), ("IX6", "IY6", 0)),
}


def mechanism(
    sentence: str,
    masses: Mapping[int, Mass] | None = None,
    changes: bool = True,
    limits: bool = False,
) -> Mechanism:
    """Return the mechanism of a sentence such as `RY TYK(L1) [RX TYK(0.5)] RZ`."""
    graph = Graph()

    def number(x: Any) -> Any:
        if not isinstance(x, str):
            return exact(x)
        return graph.param(x) if x.isidentifier() else exact(float(x))

    bodies: list[Body] = []
    steps: list[FrameChange] = []
    tips: list[tuple[int, Transform]] = []
    at, place, stack = -1, Transform(), []
    for kind, letter, value, bracket in TOKEN.findall(sentence + "]"):
        axis = "XYZ".find(letter)
        if bracket == "[":
            stack.append((at, place))
        elif bracket == "]":
            tips.append((at, place))
            at, place = stack.pop() if stack else (at, place)
        elif value:
            x = number(value)
            steps.append(FrameChange(kind, axis, at, x))
            turns = kind == "R"
            place = place @ (
                Transform(Rotation.about(axis, x)) if turns else Transform(p=UNITS[axis] * x)
            )
        else:
            j = len(bodies)
            joint = Revolute(UNITS[axis]) if kind == "R" else Prismatic(UNITS[axis])
            pair = (graph.param(f"T{j + 1}MIN"), graph.param(f"T{j + 1}MAX"))
            bodies.append(Body(f"body{j + 1}", at, place, joint, limits=(pair,) if limits else ()))
            steps.append(FrameChange(kind, axis, j))
            at, place = j, Transform()
    for j, (mass, centre, inertia) in (masses or {}).items():
        six = [number(x) for x in inertia] + [0] * (6 - len(inertia))
        given = Inertia(number(mass), Vec3(*map(number, centre)), Mat3.symmetric(*six))
        bodies[j - 1] = replace(bodies[j - 1], inertia=given)
    ends = {j: place for j, place in tips if j >= 0}
    one = len(ends) == 1
    named = tuple(Frame("tip" if one else f"tip_body{j + 1}", j, p) for j, p in ends.items())
    m = Mechanism(tuple(bodies), named=named, changes=tuple(steps) if changes else (), checked=True)
    found = {n: None for x in numbers(m) if hasattr(x, "names") for n in x.names()}
    return replace(m, parameters=tuple(Parameter(n) for n in found), checked=False)
