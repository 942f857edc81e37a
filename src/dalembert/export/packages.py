"""Packages around the C of a model: an Arduino library, a ROS 2 package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..emit.c import LANGUAGE
from ..emit.language import write
from ..emit.text import each, part
from ..emit.unit import Unit
from ..errors import UsageError, shown
from ..expr.exact import to_float
from ..mechanism import Mechanism, how_to_give, is_closed, joint_name
from .unit import unit_of


def arduino_files(m: Mechanism, names: Sequence[str], **options: Any) -> dict[str, str | bytes]:
    """Return an Arduino library: C in single precision, a sketch, golden vectors, in a folder."""
    unit = unit_of(m, names, together=False, **options)
    code = write(LANGUAGE, unit)
    up, id, entry = unit.id.upper(), unit.id, unit.entries[0]
    single = f"#ifndef {up}_DOUBLE\n#define {up}_FLOAT /* single precision */\n#endif\n\n"
    sizes = [max(1, p.size) for p in (*entry.inputs, *entry.outputs)]
    vectors = zip(entry.arguments, sizes, strict=True)
    room = f"{id}_parameters p;\n{id}_real r[{unit.room}];\n"
    start = f"  {id}_default_parameters(&p);\n  {id}_prepare(&p, r);\n"
    given = (*entry.given, "r" if unit.parameters else "NULL", *entry.made)
    words = {
        "vectors": each(vectors, f"{id}_real {{0[0]}}[{{0[1]}}];\n") + room * bool(unit.parameters),
        "start": start * bool(unit.parameters),
        "words": ", ".join(given),
        "size": str(sizes[len(entry.given)]),
        "first": entry.made[0],
    }
    sketch = part("sketch.ino", unit, words, entry.name)
    return {
        f"{id}/library.properties": part("arduino.properties", unit),
        f"{id}/src/{id}.h": single + code[f"{id}.h"],
        f"{id}/src/{id}.c": code[f"{id}.c"],
        f"{id}/extras/{id}_test.c": code[f"{id}_test.c"],
        f"{id}/examples/{entry.name}/{entry.name}.ino": sketch,
    }


# -- ROS 2: a plugin of inverse_dynamics_solver, joints matched by name -------------------------


NEEDED = ("inverse_dynamics", "mass_matrix", "coriolis", "gravity")
FILES = {
    "package.xml": "ros2_package.xml",
    "CMakeLists.txt": "ros2_CMakeLists.txt",
    "plugin.xml": "ros2_plugin.xml",
    "README.md": "ros2_README.md",
    "src/solver.cpp": "ros2_solver.cpp",
}


def ros2_files(m: Mechanism, names: Sequence[str], **options: Any) -> dict[str, str | bytes]:
    """Return the files of the package: its plugin, and C of what the plugin needs and was asked."""
    _check(m)
    unit = unit_of(m, list(dict.fromkeys((*NEEDED, *names))), together=False, **options)
    code = write(LANGUAGE, unit)
    made: dict[str, str | bytes] = {to: part(name, unit) for to, name in FILES.items()}
    made |= {f"src/{name}": text for name, text in code.items() if name != "CMakeLists.txt"}
    made["src/friction.hpp"] = _friction(m, unit)
    return made


def _check(m: Mechanism) -> None:
    what = "no ROS 2 package: "
    for b in m.bodies:
        if b.joint.nv > 1 or b.joint.nq != b.joint.nv:
            message = f"joint {shown(joint_name(b))!r} is {b.joint.kind}"
            raise UsageError(what + message, hint="the plugin is for arms; export c for the rest")
    if is_closed(m) or m.followers:
        hint = "the plugin is for open arms; export c for the rest, or lock the joints that follow"
        raise UsageError(what + "the machine has loops, wheels or joints that follow", hint=hint)
    if m.open_parameters:
        first = m.open_parameters[0]
        raise UsageError(what + f"no value for {shown(first)}", **how_to_give(first))


def _friction(m: Mechanism, unit: Unit) -> str:
    """Return viscous and Coulomb friction at the joints, in the order of the model."""
    moving = [j for j, b in enumerate(m.bodies) if b.joint.nv]
    drives = {d.joint: d for d in m.bound().drives}
    viscous, dry = [], []
    for j in moving:
        d = drives.get(j)
        gear = abs(to_float(d.gear)) if d else 1.0
        viscous.append(to_float(d.viscous) * gear * gear if d else 0.0)
        dry.append([gear * to_float(x) for x in d.coulomb] if d else [0.0, 0.0])
    words = {
        "count": str(len(moving)),
        "viscous": each(viscous, "{!r}", ", "),
        "dry": each(dry, "  {{{0[0]!r}, {0[1]!r}}}", ",\n") + "\n",
    }
    return part("ros2_friction.hpp", unit, words)
