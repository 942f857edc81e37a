"""Arrays as aligned lines, the names of joints, bodies or components beside the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..mechanism import joint_name
from .aligned import aligned

if TYPE_CHECKING:
    import numpy as np

    from ..mechanism import Mechanism

PARTS = {
    "free": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "planar": ("x", "y", "theta"),
    "spherical": ("wx", "wy", "wz"),
}
Q_PARTS = PARTS | {
    "free": ("px", "py", "pz", "x", "y", "z", "w"),
    "spherical": ("x", "y", "z", "w"),
}
# what the dimensions of a result stand for, by the shape that its catalog row names
AXES = {
    "_q": ("coordinate",),
    "joints": ("joint",),
    "joints2": ("joint", "joint"),
    "six_joints": ("component", "joint"),
    "bodies_six": ("body", "component"),
    "bodies_six_six": ("body", "component", "component"),
    "_loops6": ("loop", "component"),
    "_motors": ("motor",),
    "_independent": ("independent",),
    "_square": ("independent", "independent"),
    "_map": ("joint", "independent"),
    "_motors_map": ("motor", "independent"),
    "_v_motors": ("joint", "motor"),
    "_rows": ("closure",),
    "_cut": ("cut",),
    "_rows_v": ("closure", "joint"),
    "_joints": ("last",),
    "_speeds": ("speed",),
    "_speeds2": ("speed", "speed"),
    "_v_speeds": ("joint", "speed"),
    "_stacked": ("moving", "joint"),
    "_stacked_speeds": ("moving", "speed"),
    "_held": ("constraint",),
    "_elastic": ("elastic",),
    "_rigid": ("rigid",),
    "_rigid_joints": ("rigid",),
    "columns": ("parameter",),
    "joints_columns": ("joint", "parameter"),
}
COMPONENTS = {3: ["x", "y", "z"], 6: ["x", "y", "z", "rx", "ry", "rz"]}


def labels(m: Mechanism, coordinates: bool = False) -> list[str]:
    """Return one name per velocity variable, or per coordinate."""
    table, out = Q_PARTS if coordinates else PARTS, []
    for body in m.bodies:
        if body.joint.nv == 1:
            out.append(shown(joint_name(body), 40))
        elif body.joint.nv:
            out += [f"{shown(joint_name(body), 40)}.{part}" for part in table[body.joint.kind]]
    return out


def lines(
    m: Mechanism,
    array: np.ndarray,
    shape: Callable[..., Any],
    settings: Mapping[str, Any] | None = None,
) -> list[str]:
    """Return an array as aligned lines; `shape` is the one of its catalog row."""
    if array.size == 0:
        return ["none"]
    if array.ndim == 0:
        return [f"{float(array):.12g}"]
    if array.ndim == 3:
        return _sparse(array)
    alone = ("component",) if array.ndim == 1 else ("", "")
    axes = AXES.get(shape.__name__, alone)
    corner = ""
    if axes[-1] == "parameter" and array.ndim == 2:
        # there are many parameters: one line for each
        array, axes, corner = array.T, axes[::-1], "transposed"
    options = settings or {}
    left = _names(m, axes[0], array.shape[0], options)
    if array.ndim == 1:
        return aligned([[name, f"{x + 0.0:.12g}"] for name, x in zip(left, array, strict=True)])
    cells = [[name, *(f"{x + 0.0:.6g}" for x in r)] for name, r in zip(left, array, strict=True)]
    top = _names(m, axes[1], array.shape[1], options)
    return aligned([[corner, *top], *cells] if any(top) else cells)


def _names(m: Mechanism, kind: str, size: int, settings: Mapping[str, Any]) -> list[str]:
    """Return the names along one dimension; empty ones where it stands for nothing known."""
    from ..algorithms.elastic import elastic_indices

    every = labels(m)
    soft, rigid = elastic_indices(m)
    found: Any = {
        "joint": every,
        "coordinate": labels(m, coordinates=True),
        "independent": partial(_independent, m),
        "closure": partial(_closure, m),
        "cut": partial(_cut, m),
        "last": every[-size:],
        "body": [shown(b.name, 40) for b in m.bodies],
        "component": COMPONENTS.get(size, []),
        "motor": [shown(name, 40) for name in m.active],
        "loop": [shown(loop.name or str(k), 40) for k, loop in enumerate(m.loops, 1)],
        "elastic": [every[k] for k in soft],
        "rigid": [every[k] for k in rigid][-size:],
        "speed": partial(_speeds, m),
        "constraint": partial(_constraints, m),
        "moving": partial(_moving, m),
        "parameter": partial(_parameters, m, settings),
    }.get(kind, [])
    found = found() if callable(found) else found
    return found if len(found) == size else [""] * size


def _parameters(m: Mechanism, settings: Mapping[str, Any]) -> list[str]:
    from ..algorithms.base_parameters import base_parameters
    from ..algorithms.regressor import parameter_columns

    drives = settings.get("drives", "inertia")
    if settings.get("columns") == "base":
        return [shown(name, 40) for name in base_parameters(m, drives).names]
    return [shown(c.symbol(), 40) for c in parameter_columns(m, drives)]


def _speeds(m: Mechanism) -> list[str]:
    from ..plan.kane import kane_speeds

    return [shown(name, 40) for name in kane_speeds(m)]


def _independent(m: Mechanism) -> list[str]:
    from ..plan import planned

    names = labels(m)
    return [names[k] for k in planned(m).independent]


def _closure(m: Mechanism) -> list[str]:
    from ..algorithms.loop_closure import equation_names

    return [shown(name, 40) for name in equation_names(m)]


def _cut(m: Mechanism) -> list[str]:
    from ..algorithms.cut_joints import cut_names

    return [shown(name, 40) for name in cut_names(m)]


def _constraints(m: Mechanism) -> list[str]:
    from ..algorithms.velocity_constraints import constraint_names
    from ..plan.kane import with_speeds

    return [shown(name, 40) for name in constraint_names(with_speeds(m))]


def _moving(m: Mechanism) -> list[str]:
    """Return the rows of J: components of the velocity of each body with inertia."""
    bodies = [shown(b.name, 40) for b in m.bodies if not b.inertia.is_massless()]
    return [f"{name}.{part}" for name in bodies for part in PARTS["free"]]


def _sparse(array: np.ndarray) -> list[str]:
    import numpy

    found = [
        f"({', '.join(str(k + 1) for k in at)}) = {array[tuple(at)]:.12g}"
        for at in numpy.argwhere(array != 0)
    ]
    return found or ["all zero"]
