"""A mechanism as a SYMORO `.par` file: modified Denavit-Hartenberg frames, loops, mass data.

The layout of OpenSYMORO, which `par.py` reads: links 1 to NL, then the cut joints, then the fixed
frames that they meet (Khalil 2010, §2.2). Mass data are about the origin of each frame, friction
and rotor inertia at the joint.
"""

from __future__ import annotations

import re
from typing import Any

from ..algebra import Rotation, Transform, Vec3, is_plain_zero
from ..errors import UsageError, shown
from ..expr import Graph
from ..expr.exact import exact, to_float
from ..inertia import Inertia
from ..joint import Fixed, Free, Prismatic, Revolute
from ..mechanism import Body, Drive, Loop, Mechanism, joint_name
from .exact_pose import is_numeric
from .mdh_writer import COLUMNS, SIGMA, along_z, six_numbers, toward
from .native_values import number

TENSOR = ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
LINK = (*TENSOR, "MX", "MY", "MZ", "M", "IA", "FV", "FS")
CUT = {"revolute": 0, "prismatic": 1, "fixed": 2}
NONE = "no SYMORO file: "


def write_par(m: Mechanism) -> tuple[str, list[str]]:
    """Return a mechanism as the text of a .par file, and notes on what it cannot hold."""
    m = m.coupled
    floating = bool(m.bodies) and isinstance(m.bodies[0].joint, Free)
    _check(m, floating)
    turned, notes = along_z(m)
    links = turned.bodies[floating:]
    columns: dict[str, list[str]] = {key: [] for key in ("ant", "sigma", "mu", *COLUMNS)}
    active = set(m.active)
    for k, b in enumerate(links, 1):
        motor = joint_name(b) in active if active or m.loops else b.joint.nv > 0
        _frame(columns, b.parent + 1 - floating, SIGMA[type(b.joint)], b.placement, motor, k)
    NL, NJ = len(links), len(links) + len(turned.loops)
    ends = [_cut(loop) for loop in turned.loops]
    for side in (0, 1):
        for k, (loop, frames) in enumerate(zip(turned.loops, ends, strict=True), NL + 1):
            body = (loop.body_i, loop.body_j)[side] + 1 - floating
            sigma = CUT[loop.joint] if side == 0 else 2
            _frame(columns, body, sigma, frames[side], False, k)
    mass: dict[str, list[str]] = {key: [] for key in LINK}
    drives = {d.joint: d for d in turned.drives}
    for j, b in enumerate(turned.bodies):
        _mass(mass, b.inertia, drives.get(j), notes, b)
    joints = _joints(turned, floating, NJ, notes)
    gravity = [_text(x) for x in turned.gravity]
    notes += _lost(m)
    return _file(m.name, NL, NJ, floating, columns, mass, joints, gravity), notes


def _check(m: Mechanism, floating: bool) -> None:
    known = (Revolute, Prismatic, Fixed)
    for b in m.bodies[floating:]:
        if not isinstance(b.joint, known):
            what = f"joint {shown(joint_name(b))!r} is {b.joint.kind}"
            raise UsageError(NONE + what, hint="write toml instead")
    if floating and not m.bodies[0].placement.is_identity():
        raise UsageError(NONE + "the free base is not at the origin", hint="write toml instead")
    if not m.bodies[floating:]:
        raise UsageError(NONE + "there are no joints", hint="write toml instead")
    for loop in m.loops:
        if loop.joint not in CUT:
            what = f"loop {shown(loop.name)!r} is closed by a {loop.joint} joint"
            hint = "a .par file closes loops by revolute, prismatic and fixed joints; write toml"
            raise UsageError(NONE + what, hint=hint)
    bad = [p.name for p in m.parameters if not re.fullmatch(r"[A-Za-z]\w*", p.name, re.ASCII)]
    if bad:
        raise UsageError(NONE + f"the parameter {shown(bad[0])!r} is not a name of SYMORO")


def _frame(
    columns: dict[str, list[str]], ant: int, sigma: int, T: Transform, motor: bool, k: int
) -> None:
    """Add the row of a frame; the variable of its joint is th or r with the joint's number."""
    graph = Graph()
    place = T.map(lambda x: graph.adopt(x) if hasattr(x, "graph") else x)
    six = dict(zip(COLUMNS, six_numbers(place, graph), strict=True))
    cells = {name: _text(x) for name, x in six.items()}
    variable = {0: ("theta", f"th{k}"), 1: ("r", f"r{k}")}.get(sigma)
    if variable:
        name, symbol = variable
        cells[name] = symbol if cells[name] == "0" else f"{symbol}+({cells[name]})"
    cells |= {"ant": str(ant), "sigma": str(sigma), "mu": str(int(motor))}
    for name, cell in cells.items():
        columns[name].append(cell)


def _cut(loop: Loop) -> tuple[Transform, Transform]:
    """Return the two frames of a cut joint, z along its axis."""
    if loop.joint == "revolute":
        graph = Graph()
        axis, other = loop.axis, loop.axis_j if loop.axis_j is not None else loop.axis
        first, second = (_along(a, graph) for a in (axis, other))
        return Transform(first, loop.point_i), Transform(second, loop.point_j)
    turn = Rotation()
    if loop.joint == "prismatic":
        turn = _along(loop.rotation_i.T @ loop.axis, Graph())
    return (
        Transform(loop.rotation_i @ turn, loop.point_i),
        Transform(loop.rotation_j @ turn, loop.point_j),
    )


def _along(axis: Vec3 | None, graph: Graph) -> Rotation:
    if axis is None or not all(is_numeric(x) for x in axis):
        raise UsageError(NONE + "the axis of a loop depends on a parameter", hint="give it a value")
    size = sum(to_float(x) ** 2 for x in axis) ** 0.5
    return toward(axis if size == 1 else axis.map(lambda x: exact(to_float(x) / size)), graph)


def _mass(
    mass: dict[str, list[str]], inertia: Inertia, drive: Drive | None, notes: list[str], b: Body
) -> None:
    xx, yy, zz, xy, xz, yz = inertia.Io.six()
    values: list[Any] = [xx, xy, xz, yy, yz, zz, *inertia.h, inertia.m]
    d = drive or Drive(0)
    high, low = d.coulomb
    if exact(high + low) != 0:
        what = f"{shown(joint_name(b), 60)}: dry friction differs with the direction"
        notes.append(f"{what}; its mean is written")
    gear = abs(d.gear) if is_numeric(d.gear) else d.gear
    values += [d.inertia * d.gear * d.gear, d.viscous * d.gear * d.gear, gear * (high - low) / 2]
    for name, x in zip(LINK, values, strict=True):
        mass[name].append(_text(x))


def _joints(m: Mechanism, floating: bool, NJ: int, notes: list[str]) -> dict[str, list[str]]:
    cells = {"eta": ["0"] * NJ, "k": ["0"] * NJ}
    for s in m.elastic:
        cells["eta"][s.joint - floating], cells["k"][s.joint - floating] = "1", _text(s.stiffness)
        if not (is_plain_zero(s.rest) and is_plain_zero(s.damping)):
            name = shown(joint_name(m.bodies[s.joint]), 60)
            notes.append(f"{name}: rest position and damping of the spring are not written")
    return cells if m.elastic else {}


def _lost(m: Mechanism) -> list[str]:
    """Return what a .par file does not hold."""
    lost = {
        "limits": any(b.limits or b.velocity_limit or b.effort_limit for b in m.bodies),
        "named frames": m.named,
        "names of joints": any(joint_name(b) != f"j{k}" for k, b in enumerate(m.bodies, 1)),
        "values of parameters": any(p.value is not None for p in m.parameters),
        "couplings": m.couplings,
        "springs between points": m.springs,
        "wheels": m.wheels,
        "velocity constraints": m.velocity_constraints,
        "static friction": any(d.static != (0, 0) or d.stribeck for d in m.drives),
    }
    return [f"not written: {', '.join(what for what, there in lost.items() if there)}"] * any(
        lost.values()
    )


def _text(x: Any) -> str:
    """Return a number as SYMORO writes it."""
    cell = number(exact(x))
    if isinstance(cell, dict):
        raise UsageError(NONE + "a number has no short text", hint="write toml instead")
    return str(getattr(cell, "text", cell)).replace(" ", "")


def _file(
    name: str, NL: int, NJ: int, floating: bool, columns: dict[str, list[str]],
    mass: dict[str, list[str]], joints: dict[str, list[str]], gravity: list[str],
) -> str:  # fmt: skip
    title = re.sub(r"[^\w .-]", "_", name, flags=re.ASCII)[:100] or "mechanism"
    head = [f"(* Robotname = '{title}' *)", f"NL = {NL}", f"NJ = {NJ}", f"NF = {2 * NJ - NL}"]
    structure = 2 if NJ > NL else int(columns["ant"] != [str(k) for k in range(NL)])
    head += [f"Type = {structure}", "is_mobile = 0"] + ["is_floating = 1"] * floating

    def listed(cells: dict[str, list[str]]) -> list[str]:
        return [f"{key} = {{{','.join(row)}}}" for key, row in cells.items()]

    parts = [
        *head, "", "(* Geometric parameters *)", *listed(columns), "",
        "(* Dynamic parameters and external forces *)", *listed(mass), "",
        "(* Joint parameters *)", *listed(joints), "", "(* Acceleration of gravity *)",
        f"G = {{{','.join(gravity)}}}", "", "(* End of definition *)",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"
